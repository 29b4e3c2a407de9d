/** What the readers of the mesh formats share. */
#ifndef SCREE_GEOMETRY_MESH_READ_FORMATS_H
#define SCREE_GEOMETRY_MESH_READ_FORMATS_H

#include "geometry/mesh.h"
#include "geometry/mesh_text.h"

/** A whole PLY file; `mesh` may be left half full on failure. */
scr_status mesh_read_ply(mesh_text *text, size_t triangle_limit, geo_mesh *mesh, scr_error *error);

/** A whole OBJ file, and whether bytes look like one: the first word but comments is one of its keywords. */
scr_status mesh_read_obj(mesh_text *text, size_t triangle_limit, geo_mesh *mesh, scr_error *error);
bool mesh_read_is_obj(const unsigned char *bytes, size_t size);

/** SCR_BAD_FILE when a coordinate is not finite or too large; names it as "WHAT NUMBER". */
scr_status mesh_read_check_point(scr_vec3 point, const char *what, size_t number, scr_error *error);

/** SCR_BAD_FILE when a mesh has more triangles than allowed. */
scr_status mesh_read_check_count(double count, size_t triangle_limit, scr_error *error);

#endif
