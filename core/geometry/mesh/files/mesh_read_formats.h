/** The readers of the mesh formats besides STL. */
#ifndef SCREE_GEOMETRY_MESH_READ_FORMATS_H
#define SCREE_GEOMETRY_MESH_READ_FORMATS_H

#include "geometry/mesh/mesh.h"
#include "geometry/mesh/files/mesh_text.h"

/** A whole PLY file; `mesh` may be left half full on failure. */
scr_status mesh_read_ply(mesh_text *text, size_t triangle_limit, geo_mesh *mesh, scr_error *error);

/** The vertices of a PLY file alone, at most `point_limit`: it may have no faces. */
scr_status mesh_read_ply_points(mesh_text *text, size_t point_limit, geo_mesh *mesh, scr_error *error);

/** A whole OBJ file, and whether bytes look like one: the first word but comments is one of its keywords. */
scr_status mesh_read_obj(mesh_text *text, size_t triangle_limit, geo_mesh *mesh, scr_error *error);
bool mesh_read_is_obj(const unsigned char *bytes, size_t size);

#endif
