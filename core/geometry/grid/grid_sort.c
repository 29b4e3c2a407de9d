/* Sorting particles by cell. Which blocks are active and the stable order of particles are what they are, so threads can't change them:
 *
 *   1. cells of particles, by places of blocks: each particle by itself
 *   2. active blocks: marked, then numbered in the order of their places
 *   3. counts of cells in each chunk of particles, one a thread, sums over chunks in their order, then places: a counting sort. It is
 *  stable, so its order is one and the same for any number of chunks */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "geometry/grid/grid_parts.h"

enum { CHUNK_LEAST = 4096 }; /* particles of a chunk: fewer are not worth counts of their own */

/* The place of a coordinate along an axis; false: there is none. The upper face of the domain belongs to the last cell. */
static bool find_along(const geo_grid_domain *d, int axis, double x, uint32_t *place)
{
  double at = (x - d->origin[axis]) / d->h;
  if (!(at >= 0 && at <= d->cells[axis])) return false;
  *place = at >= d->cells[axis] ? d->cells[axis] - 1 : (uint32_t)at;
  return true;
}

/* Block of a particle's cell, and the cell in the block; false: it is nowhere in the domain. */
static bool locate(const geo_grid *grid, const double *const *position, size_t i, uint32_t block[3], uint32_t within[3])
{
  const int dimension = grid->domain.dimension, shift = dimension == 3 ? 2 : 3; /* grid_side is a power of two */
  block[2] = within[2] = 0;
  for (int a = 0; a < dimension; a++) {
    uint32_t place = 0;
    if (!find_along(&grid->domain, a, position[a][i], &place)) return false;
    block[a] = place >> shift, within[a] = place & ((1u << shift) - 1);
  }
  return true;
}

static scr_status report_lost(const geo_grid *grid, const double *const *position, size_t i, scr_error *error)
{
  const geo_grid_domain *d = &grid->domain;
  int axis = 0;
  uint32_t place;
  while (find_along(d, axis, position[axis][i], &place)) axis++;
  return scr_fail(error, SCR_DIVERGED, NULL,
                  "particle %zu is at %c = %g m; the grid reaches from %g to %g m: use a larger domain or a smaller time step", i,
                  "xyz"[axis], position[axis][i], d -> origin[axis], d -> origin[axis] + d -> h * d -> cells[axis]);
}

/* Marks the blocks that hold a particle's cell or one of its nodes. Marks are all the same, so threads may write them at once. */
static void mark(geo_grid *grid, const uint32_t block[3], const uint32_t within[3])
{
  uint32_t reach[3];
  for (int a = 0; a < 3; a++) reach[a] = a < grid->domain.dimension && within[a] + 1 == grid_side(grid, a) ? 1 : 0;
  for (uint32_t z = 0; z <= reach[2]; z++)
    for (uint32_t y = 0; y <= reach[1]; y++)
      for (uint32_t x = 0; x <= reach[0]; x++) {
        const uint32_t at[3] = {block[0] + x, block[1] + y, block[2] + z};
        uint32_t *number = &grid->number[grid_block_place(grid, at)], now;
#pragma omp atomic read
        now = *number;
        if (now == 0) continue;
#pragma omp atomic write
        *number = 0;
      }
}

static size_t block_places(const geo_grid *grid)
{
  return (size_t)grid->blocks[0] * grid->blocks[1] * grid->blocks[2];
}

/* Numbers the marked blocks in the order of their places. */
static scr_status number_blocks(geo_grid *grid, scr_error *error)
{
  size_t places = block_places(grid), count = 0;
  for (size_t b = 0; b < places; b++) count += grid->number[b] != GEO_GRID_NONE;
  if (count >= GEO_GRID_NONE / GEO_GRID_BLOCK)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "particles lie in %zu blocks of a grid; at most %u are allowed: use a larger side", count,
                    GEO_GRID_NONE / GEO_GRID_BLOCK - 1);
  if (!mem_grow(&grid->block, &grid->block_capacity, count, sizeof *grid->block) ||
      !mem_grow(&grid->near, &grid->near_capacity, count, sizeof *grid->near) ||
      !mem_grow(&grid->first, &grid->first_capacity, count * GEO_GRID_BLOCK + 1, sizeof *grid->first))
    return scr_fail_memory(error, "the blocks of a grid", count * (GEO_GRID_BLOCK + 28) * sizeof(uint32_t));
  grid->block_count = 0;
  for (size_t b = 0; b < places; b++)
    if (grid->number[b] != GEO_GRID_NONE) {
      grid->block[grid->block_count] = (uint32_t)b;
      grid->number[b] = grid->block_count++;
    }
  grid->cell_count = (size_t)count * GEO_GRID_BLOCK;
  return SCR_OK;
}

/* Which blocks lie around each. */
static void join_blocks(geo_grid *grid, scr_execution execution)
{
#pragma omp parallel for num_threads(execution.threads) schedule(static)
  for (uint32_t n = 0; n < grid->block_count; n++) {
    uint32_t at = grid->block[n];
    const int64_t place[3] = {at % grid->blocks[0], at / grid->blocks[0] % grid->blocks[1], at / grid->blocks[0] / grid->blocks[1]};
    for (int k = 0; k < 27; k++) {
      const int64_t to[3] = {place[0] + k % 3 - 1, place[1] + k / 3 % 3 - 1, place[2] + k / 9 - 1};
      bool inside = true;
      for (int a = 0; a < 3; a++) inside = inside && to[a] >= 0 && to[a] < grid->blocks[a];
      const uint32_t block[3] = {(uint32_t)to[0], (uint32_t)to[1], (uint32_t)to[2]};
      grid->near[n][k] = inside ? grid->number[grid_block_place(grid, block)] : GEO_GRID_NONE;
    }
  }
}

/* Chunks of particles: more than one only while their counts take no more than the particles themselves. */
static size_t count_chunks(const geo_grid *grid, size_t n, unsigned threads)
{
  size_t by_work = n / CHUNK_LEAST, by_memory = grid->cell_count ? 4 * n / grid->cell_count : 1,
         chunks = by_work < by_memory ? by_work : by_memory;
  return chunks < 1 ? 1 : chunks > threads ? threads : chunks;
}

/* The stable counting sort: counts per chunk become the places where each chunk's particles of a cell begin. */
static scr_status sort_items(geo_grid *grid, size_t n, scr_execution execution, scr_error *error)
{
  size_t chunks = count_chunks(grid, n, execution.threads), cells = grid->cell_count;
  if (!mem_grow(&grid->chunk, &grid->chunk_capacity, chunks * cells, sizeof *grid->chunk))
    return scr_fail_memory(error, "the sort of particles", chunks * cells * sizeof *grid->chunk);
#pragma omp parallel for num_threads(execution.threads) schedule(static)
  for (size_t c = 0; c < chunks; c++) {
    uint32_t *count = grid->chunk + c * cells;
    memset(count, 0, cells * sizeof *count);
    for (size_t i = n * c / chunks; i < n * (c + 1) / chunks; i++) count[grid->cell_of[i]]++;
  }
  uint32_t at = 0;
  for (size_t cell = 0; cell < cells; cell++) {
    grid->first[cell] = at;
    for (size_t c = 0; c < chunks; c++) {
      uint32_t count = grid->chunk[c * cells + cell];
      grid->chunk[c * cells + cell] = at;
      at += count;
    }
  }
  grid->first[cells] = at;
#pragma omp parallel for num_threads(execution.threads) schedule(static)
  for (size_t c = 0; c < chunks; c++)
    for (size_t i = n * c / chunks; i < n * (c + 1) / chunks; i++) grid->item[grid->chunk[c * cells + grid->cell_of[i]]++] = (uint32_t)i;
  return SCR_OK;
}

scr_status geo_grid_sort(geo_grid *grid, const double *const *position, size_t n, scr_execution execution, scr_error *error)
{
  size_t lost = n;
  if (n >= UINT32_MAX) return scr_fail(error, SCR_BAD_USAGE, NULL, "%zu particles; a grid sorts at most %u", n, UINT32_MAX - 1);
  if (!mem_grow(&grid->item, &grid->item_capacity, n, sizeof *grid->item) ||
      !mem_grow(&grid->cell_of, &grid->cell_capacity, n, sizeof *grid->cell_of))
    return scr_fail_memory(error, "the particles of a grid", 2 * n * sizeof *grid->item);
  for (uint32_t b = 0; b < grid->block_count; b++) grid->number[grid->block[b]] = GEO_GRID_NONE; /* only those that were active */
  grid->block_count = 0;
  grid->cell_count = grid->particle_count = 0;
#pragma omp parallel for num_threads(execution.threads) schedule(static) reduction(min : lost)
  for (size_t i = 0; i < n; i++) {
    uint32_t block[3], within[3];
    if (!locate(grid, position, i, block, within)) {
      lost = i < lost ? i : lost;
      continue;
    }
    mark(grid, block, within);
    grid->cell_of[i] = (uint32_t)grid_block_place(grid, block); /* until blocks have numbers */
    grid->item[i] = grid_within(grid, within);
  }
  SCR_TRY(number_blocks(grid, error));
  if (lost < n) {
    grid->cell_count = 0;
    return report_lost(grid, position, lost, error);
  }
  join_blocks(grid, execution);
#pragma omp parallel for num_threads(execution.threads) schedule(static)
  for (size_t i = 0; i < n; i++) grid->cell_of[i] = grid->number[grid->cell_of[i]] * GEO_GRID_BLOCK + grid->item[i];
  grid->particle_count = n;
  if (n == 0) {
    grid->first[0] = 0;
    return SCR_OK;
  }
  return sort_items(grid, n, execution, error);
}
