/** Pieces that solids are made of, as contacts see them: a ball, a capsule, a cylinder, a convex polyhedron or any closed mesh. */
#ifndef SCREE_GEOMETRY_PIECE_H
#define SCREE_GEOMETRY_PIECE_H

#include "base/quat.h"
#include "geometry/mesh/hull.h"
#include "geometry/mesh/mesh_distance.h"

typedef enum geo_piece_kind {
  GEO_PIECE_BALL,
  GEO_PIECE_CAPSULE,  /**< a segment along own z, and all nearer to it than the radius */
  GEO_PIECE_CYLINDER, /**< along own z, with flat ends */
  GEO_PIECE_HULL,     /**< a convex polyhedron */
  GEO_PIECE_MESH      /**< any closed mesh: points of its surface against the distance of what it meets, and the other way round */
} geo_piece_kind;

typedef struct geo_piece {
  geo_piece_kind kind;
  scr_vec3 place;            /**< m, of its own origin, in the body's axes */
  scr_quat turn;             /**< takes its own axes to the body's */
  double radius;             /**< m: ball, capsule, cylinder */
  double half_length;        /**< m: capsule, of its segment; cylinder */
  geo_hull hull;             /**< GEO_PIECE_HULL: owned */
  const geo_mesh_tree *tree; /**< GEO_PIECE_MESH: the scene's */
  scr_vec3 *sample;          /**< GEO_PIECE_MESH: [sample_count] points of the surface, in its own axes; owned */
  size_t sample_count;
  scr_vec3 middle; /**< m, in the body's axes: centre of a ball around the piece */
  double extent;   /**< m, of that ball */
} geo_piece;

enum { GEO_PIECE_SAMPLE_LIMIT = 20000 }; /**< points of a mesh that contacts are looked for at */

/** A ball around the piece, about its own place. */
static inline void geo_piece_set_extent(geo_piece *piece, double extent)
{
  piece->middle = piece->place;
  piece->extent = extent;
}

/** Make a piece of a box between two corners, m; of a closed mesh, whose tree it keeps. Unturned. @return SCR_OK, SCR_NO_MEMORY */
scr_status geo_piece_make_box(scr_vec3 low, scr_vec3 high, geo_piece *piece, scr_error *error);
scr_status geo_piece_make_mesh(const geo_mesh *mesh, const geo_mesh_tree *tree, geo_piece *piece, scr_error *error);

void geo_piece_clear(geo_piece *piece);

#endif
