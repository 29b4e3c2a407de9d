/** The surfaces of pieces, made from the points of a frame. */
#ifndef SCREE_RECORD_PIECE_SURFACE_H
#define SCREE_RECORD_PIECE_SURFACE_H

#include "geometry/mesh/mesh.h"
#include "record/frame/reader.h"

/** The points of one drawable in one frame. Starts zeroed; emptied by piece_points_clear. */
typedef struct piece_points {
  size_t count;
  double *radius;   /**< [count] m */
  scr_vec3 *centre; /**< [count] m */
  uint32_t *piece;  /**< [count] which piece a point belongs to; NULL: all are piece 0 */
} piece_points;

/** Copies the points of a SCR_DRAW_POINTS drawable out of a frame's arrays, which fit the drawable and one another.
 *  @param radius,piece  NULL: all have the drawable's radius; all are piece 0    @return SCR_OK, SCR_NO_MEMORY */
scr_status piece_points_take(piece_points *points, const scr_drawable *drawable, const frame_array *position, const frame_array *radius,
                             const frame_array *piece, scr_error *error);
void piece_points_clear(piece_points *points);

/** The smallest radius, m; infinite without points. */
double piece_points_smallest(const piece_points *points);

typedef struct piece_surface_options {
  double cell;       /**< m, see geo_surface_options */
  unsigned threads;  /**< 0 means 1; the mesh is the same for any number */
  size_t least;      /**< pieces of fewer points are left out; 0 means 1 */
  size_t node_limit; /**< see geo_surface_options; for each piece */
} piece_surface_options;

/** Appends the skin of every piece to `mesh` (geometry/surface.h), by rising number, which is the part of its triangles.
 *  @return SCR_OK, SCR_BAD_USAGE (the cell doesn't fit the radius, or too many cells), SCR_NO_MEMORY */
scr_status piece_surface(const piece_points *points, const piece_surface_options *options, geo_mesh *mesh, scr_error *error);

#endif
