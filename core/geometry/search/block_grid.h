/** Samples of a function on a sparse regular grid: blocks of 8 x 8 x 8 grid points, only where they are needed.
 *
 *      grid point (i, j, k), 0 <= each < 2^20, lies at origin + cell (i, j, k)
 *      block (i / 8, j / 8, k / 8) holds it at [k % 8][j % 8][i % 8]
 *
 *  Points of absent blocks count as outside. */
#ifndef SCREE_GEOMETRY_BLOCK_GRID_H
#define SCREE_GEOMETRY_BLOCK_GRID_H

#include <stdint.h>

#include "base/error.h"
#include "base/vec3.h"

enum { BLOCK_EDGE = 8, BLOCK_POINTS = BLOCK_EDGE * BLOCK_EDGE * BLOCK_EDGE, BLOCK_AXIS_LIMIT = 1 << 17, BLOCK_ABSENT = UINT32_MAX };

/** Starts zeroed, but for cell and origin; emptied by block_grid_clear. */
typedef struct block_grid {
  double cell;     /**< m */
  scr_vec3 origin; /**< m */
  uint64_t *key;   /**< [block_count] sorted; see block_key */
  size_t block_count, key_capacity;
  float *value; /**< [block_count][BLOCK_POINTS], < 0 inside; single precision, because there are many and only ratios of
                     neighbouring ones count */
} block_grid;

/** Blocks low ... high along each axis, inclusive, all within 0 ... BLOCK_AXIS_LIMIT - 1. */
typedef struct block_range {
  int32_t low[3], high[3];
} block_range;

static inline uint64_t block_key(int32_t x, int32_t y, int32_t z)
{
  return (uint64_t)z << 34 | (uint64_t)y << 17 | (uint64_t)x;
}
static inline int32_t block_key_along(uint64_t key, int axis)
{
  return (int32_t)(key >> (17 * axis) & (BLOCK_AXIS_LIMIT - 1));
}

/** Adds the blocks of a range. Repeated ones are dropped now and then, and at last by block_grid_allocate.
 *  @return SCR_OK; SCR_BAD_USAGE when there are more than `block_limit` blocks; SCR_NO_MEMORY */
scr_status block_grid_cover(block_grid *grid, const block_range *range, size_t block_limit, scr_error *error);

/** Ends covering: sorts the blocks and allocates their values, all 0. */
scr_status block_grid_allocate(block_grid *grid, size_t block_limit, scr_error *error);

/** Number of a block, or BLOCK_ABSENT; coordinates may lie outside the grid. */
uint32_t block_grid_find(const block_grid *grid, int32_t x, int32_t y, int32_t z);

void block_grid_clear(block_grid *grid);

#endif
