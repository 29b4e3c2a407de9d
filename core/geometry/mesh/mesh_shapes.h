/** Triangles of simple solids, for pictures and tests: closed, counter-clockwise seen from outside, centred on the origin. */
#ifndef SCREE_GEOMETRY_MESH_SHAPES_H
#define SCREE_GEOMETRY_MESH_SHAPES_H

#include "base/quat.h"
#include "geometry/mesh/mesh.h"

/** Appends a box of half edges `half`, m: 8 vertices, 12 triangles. @return SCR_OK, SCR_NO_MEMORY, SCR_BAD_USAGE (too many vertices) */
scr_status geo_mesh_add_box(geo_mesh *mesh, scr_vec3 half, scr_error *error);

/** Makes a ball of an empty mesh: an octahedron whose edges are cut into `cuts` >= 1 and pushed out to the radius, m; 8 cuts^2 triangles,
 *  whose corners lie on the sphere. @return SCR_OK, SCR_NO_MEMORY */
scr_status geo_mesh_make_ball(geo_mesh *mesh, double radius, unsigned cuts, scr_error *error);

/** Appends a mesh, turned, then moved to `place`, m, as part 0. All below @return as geo_mesh_add_box. */
scr_status geo_mesh_append(const geo_mesh *from, scr_quat turn, scr_vec3 place, geo_mesh *to, scr_error *error);

/** Appends a box between two corners, m. */
scr_status geo_mesh_add_box_at(geo_mesh *mesh, scr_vec3 low, scr_vec3 high, scr_error *error);

/** Appends a body of revolution about z, of 24 sides: rings, each a radius and a height, m, from bottom to top, closed by a point at
 *  either end. */
scr_status geo_mesh_add_turned(geo_mesh *mesh, double (*ring)[2], uint32_t rings, double bottom, double top, scr_error *error);

#endif
