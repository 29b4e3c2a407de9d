/** Meshes made coarser for pictures. */
#ifndef SCREE_GEOMETRY_MESH_THIN_H
#define SCREE_GEOMETRY_MESH_THIN_H

#include "geometry/mesh/mesh.h"

/** Joins the vertices in each cube of a grid to their mean, with cubes as small as leave at most `most` triangles, and drops triangles that
 *  become lines; what is small enough stays as it is. Good to look at, no longer fit to bound a solid. Numbers of vertices must be in
 *  range, coordinates finite.
 *  @return SCR_OK, SCR_NO_MEMORY */
scr_status geo_mesh_thin(geo_mesh *mesh, size_t most, scr_error *error);

#endif
