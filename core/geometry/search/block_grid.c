/* A sorted list of blocks: found by bisection, never slow whatever the input, and the same for the same blocks. */
#include "geometry/search/block_grid.h"

#include <stdlib.h>

#include "base/memory.h"

static int compare_keys(const void *left, const void *right)
{
  const uint64_t *a = left, *b = right;
  return (*a > *b) - (*a < *b);
}

static void drop_repeated(block_grid *grid)
{
  size_t kept = 0;
  if (grid->block_count) qsort(grid->key, grid->block_count, sizeof *grid->key, compare_keys);
  for (size_t k = 0; k < grid->block_count; k++)
    if (kept == 0 || grid->key[kept - 1] != grid->key[k]) grid->key[kept++] = grid->key[k];
  grid->block_count = kept;
}

static scr_status too_many(const block_grid *grid, size_t block_limit, scr_error *error)
{
  return scr_fail(error, SCR_BAD_USAGE, NULL,
                  "a grid with cells of %g m would have more than the allowed %zu points; use larger cells or fewer spheres", grid->cell,
                  block_limit * BLOCK_POINTS);
}

/* Makes room for one more key: by dropping repeated ones, and by growing when that frees less than half. */
static scr_status reserve(block_grid *grid, size_t block_limit, scr_error *error)
{
  if (grid->block_count < grid->key_capacity) return SCR_OK;
  drop_repeated(grid);
  if (grid->block_count > block_limit) return too_many(grid, block_limit, error);
  if (grid->key_capacity && grid->block_count <= grid->key_capacity / 2) return SCR_OK;
  size_t wanted = grid->key_capacity ? 2 * grid->key_capacity : 4096;
  void *array = grid->key;
  SCR_TRY(mem_reserve(&array, &grid->key_capacity, wanted, sizeof *grid->key, "the blocks of a grid", error));
  grid->key = array;
  return SCR_OK;
}

scr_status block_grid_cover(block_grid *grid, const block_range *range, size_t block_limit, scr_error *error)
{
  double blocks = 1;
  for (int a = 0; a < 3; a++) blocks *= (double)range->high[a] - range->low[a] + 1;
  if (blocks > (double)block_limit) return too_many(grid, block_limit, error);
  for (int32_t z = range->low[2]; z <= range->high[2]; z++)
    for (int32_t y = range->low[1]; y <= range->high[1]; y++)
      for (int32_t x = range->low[0]; x <= range->high[0]; x++) {
        SCR_TRY(reserve(grid, block_limit, error));
        grid->key[grid->block_count++] = block_key(x, y, z);
      }
  return SCR_OK;
}

scr_status block_grid_allocate(block_grid *grid, size_t block_limit, scr_error *error)
{
  drop_repeated(grid);
  if (grid->block_count > block_limit) return too_many(grid, block_limit, error);
  grid->value = mem_array(grid->block_count, BLOCK_POINTS * sizeof *grid->value);
  if (!grid->value) return scr_fail_memory(error, "the samples of a surface", grid->block_count * BLOCK_POINTS * sizeof *grid->value);
  return SCR_OK;
}

uint32_t block_grid_find(const block_grid *grid, int32_t x, int32_t y, int32_t z)
{
  if (x < 0 || y < 0 || z < 0 || x >= BLOCK_AXIS_LIMIT || y >= BLOCK_AXIS_LIMIT || z >= BLOCK_AXIS_LIMIT) return BLOCK_ABSENT;
  uint64_t key = block_key(x, y, z);
  size_t low = 0, high = grid->block_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (grid->key[middle] < key)
      low = middle + 1;
    else
      high = middle;
  }
  return low < grid->block_count && grid->key[low] == key ? (uint32_t)low : BLOCK_ABSENT;
}

void block_grid_clear(block_grid *grid)
{
  mem_free(grid->key);
  mem_free(grid->value);
  *grid = (block_grid){0};
}
