/** Triangle meshes as files for other programs. What is written here geo_mesh_read gives back. */
#ifndef SCREE_GEOMETRY_MESH_WRITE_H
#define SCREE_GEOMETRY_MESH_WRITE_H

#include "base/text.h"
#include "geometry/mesh/mesh.h"

/** Appends the triangles first ... first + count - 1 as one solid of an ASCII STL file. Coordinates are written so that they read back as
 *  the same doubles: corners that were one vertex meet again. Blanks and other special characters of the name become '_'. Memory that runs
 *  out shows in text_take. */
void geo_mesh_write_stl(const geo_mesh *mesh, size_t first, size_t count, const char *name, text_builder *text);

/** Appends a PLY file, binary little-endian: vertices as double x, y, z; faces as uchar 3, int[3] vertex_indices, uint piece (the part of
 *  the mesh). `comment` is one line. */
void geo_mesh_write_ply(const geo_mesh *mesh, const char *comment, text_builder *text);

#endif
