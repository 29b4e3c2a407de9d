/** The edges of a mesh, sorted, so that the triangles that share one lie next to each other. */
#ifndef SCREE_GEOMETRY_MESH_EDGES_H
#define SCREE_GEOMETRY_MESH_EDGES_H

#include <stdbool.h>

#include "geometry/mesh/mesh.h"

/** One side of a triangle: side k runs from corner k to corner (k + 1) % 3. */
typedef struct geo_mesh_side {
  uint32_t low, high; /**< the vertices, low < high (equal in a triangle that repeats a corner) */
  uint32_t triangle;
  uint16_t side;  /**< 0, 1, 2 */
  uint16_t turns; /**< 1 when it runs from high to low */
} geo_mesh_side;

/** All 3 sides of all triangles, sorted by low, high, triangle, side. @param sides receives [3 triangle_count], to mem_free */
scr_status geo_mesh_sides(const geo_mesh *mesh, geo_mesh_side **sides, scr_error *error);

/** Whether two sides lie on the same edge. */
static inline bool geo_mesh_same_edge(const geo_mesh_side *a, const geo_mesh_side *b)
{
  return a->low == b->low && a->high == b->high;
}

#endif
