/** Reading triangle meshes from bytes that nobody vouches for: STL (binary, ASCII), PLY (ASCII, binary of either byte
 *  order) and OBJ.
 *
 *  A reader promises a mesh whose numbers of vertices are in range and whose coordinates are finite and at most GEO_MESH_COORDINATE_LIMIT.
 *  Whether the surface bounds a solid is for geo_mesh_check to say.
 *  Files carry no unit: coordinates are taken as metres. */
#ifndef SCREE_GEOMETRY_MESH_READ_H
#define SCREE_GEOMETRY_MESH_READ_H

#include "geometry/mesh/mesh.h"

/** Default for `triangle_limit`. Reading takes at most about 200 bytes per triangle. */
enum { GEO_MESH_TRIANGLE_LIMIT = 4000000 };

/** Reads a mesh of any of the formats, told apart by their first bytes and length.
 *
 *  STL: the file's normals are ignored, they follow from the corners; corners with the same coordinates within one `solid` become one
 *  vertex; the parts of the mesh are the solids, in order. A binary STL has one part and exactly the length that its count implies.
 *  PLY: the element `vertex` with properties x, y, z and the element `face` with a list `vertex_indices` or `vertex_index`; others are
 *  skipped. Polygons become fans from their first corner, which is exact for convex ones. The parts are a scalar whole-numbered property
 *  `piece` (or `fragment`, as it was called once) of the faces, or 0. Vertices stay as numbered.
 *
 *  OBJ: lines `v` and `f`; polygons become fans as in PLY, there is one part, and vertices stay as numbered.
 *
 *  @param mesh zeroed; on failure empty
 *  @return SCR_OK, SCR_BAD_FILE with the place of the first fault, SCR_NO_MEMORY */
scr_status geo_mesh_read(const void *bytes, size_t size, size_t triangle_limit, geo_mesh *mesh, scr_error *error);

#endif
