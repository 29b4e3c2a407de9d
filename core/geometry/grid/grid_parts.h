/** What the files of the grid share: places of blocks and within them. */
#ifndef SCREE_GEOMETRY_GRID_PARTS_H
#define SCREE_GEOMETRY_GRID_PARTS_H

#include <stdbool.h>

#include "geometry/grid/grid.h"

/** Cells of a block along an axis: 8, 8, 1 in 2D, 4, 4, 4 in 3D. */
static inline uint32_t grid_side(const geo_grid *grid, int axis)
{
  return grid->domain.dimension == 3 ? 4 : axis < 2 ? 8 : 1;
}

static inline size_t grid_block_place(const geo_grid *grid, const uint32_t block[3])
{
  return ((size_t)block[2] * grid->blocks[1] + block[1]) * grid->blocks[0] + block[0];
}

static inline uint32_t grid_within(const geo_grid *grid, const uint32_t within[3])
{
  return (within[2] * grid_side(grid, 1) + within[1]) * grid_side(grid, 0) + within[0];
}

#endif
