/** The surfaces of fragments, made from the points of a frame. */
#ifndef SCREE_RECORD_FRAGMENT_SURFACE_H
#define SCREE_RECORD_FRAGMENT_SURFACE_H

#include "geometry/mesh.h"
#include "record/frame_reader.h"

/** The points of one drawable in one frame. Starts zeroed; emptied by fragment_points_clear. */
typedef struct fragment_points {
  size_t count;
  double radius;      /**< m, of every point */
  scr_vec3 *centre;   /**< [count] m; NULL until an array of positions was taken */
  uint32_t *fragment; /**< [count] which fragment a point belongs to; NULL: all are fragment 0 */
} fragment_points;

/** Takes an array of a frame when it holds positions or fragments of this SCR_DRAW_POINTS drawable, and passes over others.
 *  @return SCR_OK, SCR_BAD_FILE (another number of elements than the topology says), SCR_NO_MEMORY */
scr_status fragment_points_take(fragment_points *points, const scr_drawable *drawable, const frame_array *array, scr_error *error);
void fragment_points_clear(fragment_points *points);

typedef struct fragment_surface_options {
  double cell;       /**< m, see geo_surface_options */
  unsigned threads;  /**< 0 means 1; the mesh is the same for any number */
  size_t least;      /**< fragments of fewer points are left out; 0 means 1 */
  size_t node_limit; /**< see geo_surface_options; for each fragment */
} fragment_surface_options;

/** Appends the skin of every fragment to `mesh` (geometry/surface.h), by rising number, which is the part of its triangles.
 *  @return SCR_OK, SCR_BAD_USAGE (the cell doesn't fit the radius, or too many cells), SCR_NO_MEMORY */
scr_status fragment_surface(const fragment_points *points, const fragment_surface_options *options, geo_mesh *mesh, scr_error *error);

#endif
