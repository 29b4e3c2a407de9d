/** Reading meshes of hexahedra from bytes that nobody vouches for.
 *
 *  | format | told by | what is read |
 *  |---|---|---|
 *  | Abaqus .inp | first word begins with `*` | *NODE and *ELEMENT of types C3D8..., flat: one part, no includes, no generated nodes |
 *  | VTK legacy | `# vtk DataFile` | UNSTRUCTURED_GRID, ASCII or binary (big-endian), versions 2 to 5.1 |
 *  | VTU | `<` | one Piece, ascii, base64 or appended (raw or base64), not compressed |
 *  | Gmsh .msh | `$MeshFormat` | ASCII, versions 2.2 and 4.1 |
 *
 *  Hexahedra of 8 nodes (and VTK's voxels) are taken. Points, lines, triangles and quadrilaterals are passed over; any other volume element
 *  refuses the file: what it fills would be missing. Nodes of no hexahedron are left out, the others keep their order. Files carry no unit:
 *  coordinates are taken as metres.
 *
 *  The mesh that is promised has numbers in range and finite coordinates; whether it is sound is for geo_hexes_check to say. */
#ifndef SCREE_GEOMETRY_HEXES_READ_H
#define SCREE_GEOMETRY_HEXES_READ_H

#include <stdbool.h>

#include "geometry/hexes/hexes.h"

/** Default for `limit`: most nodes, and most elements of any kind. Reading takes at most about 300 bytes for each. */
enum { GEO_HEXES_LIMIT = 2000000 };

/** Whether bytes look like one of the formats. */
bool geo_hexes_recognise(const void *bytes, size_t size);

/** @param mesh receives it; on failure empty
 *  @return SCR_OK; SCR_BAD_FILE with the place of the first fault and what to do; SCR_NO_MEMORY */
scr_status geo_hexes_read(const void *bytes, size_t size, size_t limit, geo_hexes *mesh, scr_error *error);

#endif
