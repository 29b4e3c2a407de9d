/** Marching cubes on a sparse grid, with a mesh that is closed, manifold and oriented for any samples. */
#ifndef SCREE_GEOMETRY_MARCHING_CUBES_H
#define SCREE_GEOMETRY_MARCHING_CUBES_H

#include "geometry/search/block_grid.h"
#include "geometry/mesh/mesh.h"

/** Appends the surface between inside (value < 0) and outside as triangles of part `part`. Vertices lie on the grid's edges, where the
 *  value interpolated between the ends is 0, but at least 1/100 of a cell from them, so that no triangle is without area; and in the middle
 *  of polygons of five corners or more. On a face of a cube whose inside corners lie across from each other, they are kept apart.
 *  @param grid every point inside must have its six neighbours in blocks that are there
 *  @return SCR_OK, SCR_BAD_USAGE when vertices or triangles no longer fit 32 bits, SCR_NO_MEMORY */
scr_status geo_marching_cubes(const block_grid *grid, uint32_t part, geo_mesh *mesh, scr_error *error);

#endif
