/** How far a point is from a closed triangle mesh, inside or outside.
 *
 *  A tree of boxes finds the nearest point c of the surface. The sign is that of (p - c) . n, with n the normal of the triangle when c lies
 *  within one, the sum of both normals on an edge, and the sum of the normals weighted by the angles of their triangles at a vertex: the
 *  only vertex normal for which the sign is always right.
 *  Source: Baerentzen, Aanaes, Signed distance computation using the angle weighted pseudonormal, IEEE TVCG 11 (2005) 243. */
#ifndef SCREE_GEOMETRY_MESH_DISTANCE_H
#define SCREE_GEOMETRY_MESH_DISTANCE_H

#include "geometry/search/boxes.h"
#include "geometry/mesh/mesh.h"
#include "geometry/solid.h"

/** A mesh made ready for distances; immutable, so any number of threads may ask it at once. About 400 bytes per triangle. */
typedef struct geo_mesh_tree geo_mesh_tree;

/** Checks the mesh (geo_mesh_check) and copies what it needs of it. Owned by the caller, ended by geo_mesh_tree_destroy (NULL is fine).
 *  @return SCR_OK, SCR_BAD_FILE for a mesh that bounds no solid, SCR_NO_MEMORY */
scr_status geo_mesh_tree_create(const geo_mesh *mesh, geo_mesh_tree **tree, scr_error *error);
void geo_mesh_tree_destroy(geo_mesh_tree *tree);

/** Nearest point of the surface to `point`, m, with coordinates up to 1e100: the exact one up to round-off. Of several equally near points
 *  it is the first in the order of the search, the same in every call. On the surface (closer than 1e-13 of the mesh's size) the gradient
 *  is the normal n above. */
geo_nearest geo_mesh_nearest(const geo_mesh_tree *tree, scr_vec3 point);

/** The same where the surface is nearer than `reach`, m, inside or outside, with less work the farther it is; the same bits.
 *  @return false, and `nearest` untouched, where it is not */
bool geo_mesh_nearest_within(const geo_mesh_tree *tree, scr_vec3 point, double reach, geo_nearest *nearest);

/** Asks about many points, one near the other: a distance changes by no more than the point moves, so most need no search. Starts with the
 *  tree alone; not for several threads. */
typedef struct geo_mesh_probe {
  const geo_mesh_tree *tree;
  bool known;      /**< the last search was at `point` */
  scr_vec3 point;  /**< m */
  double distance; /**< m, there */
} geo_mesh_probe;

/** Whether a point lies at least `depth` below the surface (negative: above it): what geo_mesh_nearest would say, but for round-off. */
bool geo_mesh_is_deeper(geo_mesh_probe *probe, scr_vec3 point, double depth);

/** Whether the straight line from a to b goes through the surface; touching it with an end, to 1e-9 of the length, is not going through. */
bool geo_mesh_crosses(const geo_mesh_tree *tree, scr_vec3 a, scr_vec3 b);

/** The box around the mesh. */
geo_box geo_mesh_tree_box(const geo_mesh_tree *tree);

#endif
