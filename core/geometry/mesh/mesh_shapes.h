/** Triangles of simple solids, for pictures and tests: closed, counter-clockwise seen from outside, centred on the origin. */
#ifndef SCREE_GEOMETRY_MESH_SHAPES_H
#define SCREE_GEOMETRY_MESH_SHAPES_H

#include "geometry/mesh/mesh.h"

/** Appends a box of half edges `half`, m: 8 vertices, 12 triangles. @return SCR_OK, SCR_NO_MEMORY, SCR_BAD_USAGE (too many vertices) */
scr_status geo_mesh_add_box(geo_mesh *mesh, scr_vec3 half, scr_error *error);

/** Makes a ball of an empty mesh: an octahedron whose edges are cut into `cuts` >= 1 and pushed out to the radius, m; 8 cuts^2 triangles,
 *  whose corners lie on the sphere. @return SCR_OK, SCR_NO_MEMORY */
scr_status geo_mesh_make_ball(geo_mesh *mesh, double radius, unsigned cuts, scr_error *error);

#endif
