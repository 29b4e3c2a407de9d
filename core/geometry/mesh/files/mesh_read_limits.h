/** What the readers of the mesh formats share. */
#ifndef SCREE_GEOMETRY_MESH_READ_LIMITS_H
#define SCREE_GEOMETRY_MESH_READ_LIMITS_H

#include "geometry/mesh/mesh.h"

/** SCR_BAD_FILE when a coordinate is not finite or too large; names it as "WHAT NUMBER". */
scr_status mesh_read_check_point(scr_vec3 point, const char *what, size_t number, scr_error *error);

/** SCR_BAD_FILE when a mesh has more triangles than allowed. */
scr_status mesh_read_check_count(double count, size_t triangle_limit, scr_error *error);

#endif
