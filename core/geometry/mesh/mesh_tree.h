/** The insides of a geo_mesh_tree: what building (mesh_tree.c) hands to searching (mesh_distance.c). */
#ifndef SCREE_GEOMETRY_MESH_TREE_H
#define SCREE_GEOMETRY_MESH_TREE_H

#include "geometry/search/boxes.h"
#include "geometry/mesh/mesh_distance.h"

enum {
  MESH_TREE_LEAF = 4,  /**< most triangles of a leaf */
  MESH_TREE_DEPTH = 40 /**< deeper than halving 2^32 triangles ever gets */
};

/** A box around triangles first ... first + count - 1 of the tree's order. Inner nodes have count 0; their children are nodes `first` and
 *  `first` + 1. */
typedef struct mesh_tree_node {
  geo_box box; /**< m */
  uint32_t first, count;
} mesh_tree_node;

/** A triangle with all that a search and its sign need. Places a point can be nearest to: 0 the inside, 1 + k side k, 4 + k corner k. */
typedef struct mesh_tree_triangle {
  scr_vec3 corner[3]; /**< m */
  scr_vec3 normal[7]; /**< by place, length 1 */
  uint32_t number;    /**< of the triangle in the mesh */
} mesh_tree_triangle;

struct geo_mesh_tree {
  size_t node_count, triangle_count;
  mesh_tree_node *node;         /**< node 0 is the root */
  mesh_tree_triangle *triangle; /**< leaves in order */
  double size;                  /**< m, largest edge of the root's box */
};

#endif
