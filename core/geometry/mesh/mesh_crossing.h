/** Whether a closed surface crosses itself, so that inside and outside can't be told near by.
 *
 *  A pair of triangles without a common edge counts when, by more than a millionth of the mesh's size,
 *  - they pass through each other: each has corners on both sides of the other's plane, and their intersection is a segment of that length;
 *  - an edge lies in the other's plane and runs through its inside, and the triangles on both sides of the edge go on to opposite sides;
 *  - they lie in one plane, face the same way and cover each other, as the walls of two solids do that stand one within the other.
 *  Touching does not count: corners or edges on a face, faces that lie back to back. The margin is what coordinates of single precision
 *  need; triangles narrower than it are passed over. Found by the tree of boxes: for n triangles of ordinary shape in about n log n. */
#ifndef SCREE_GEOMETRY_MESH_CROSSING_H
#define SCREE_GEOMETRY_MESH_CROSSING_H

#include "geometry/mesh/mesh_distance.h"

typedef struct geo_mesh_crossings {
  size_t count;   /**< pairs of triangles that cross */
  uint32_t a, b;  /**< a < b: of those the one with the smallest a, then b; meaningless when count is 0 */
  scr_vec3 at;    /**< m, a place where these two cross, or cover each other */
  bool exhausted; /**< the search was given up after 1e6 + 200 n pairs of triangles or boxes: there may be more */
} geo_mesh_crossings;

/** Looks at all pairs of triangles of a mesh and its tree (geo_mesh_tree_create). @return SCR_OK, SCR_NO_MEMORY */
scr_status geo_mesh_find_crossings(const geo_mesh *mesh, const geo_mesh_tree *tree, geo_mesh_crossings *found, scr_error *error);

#endif
