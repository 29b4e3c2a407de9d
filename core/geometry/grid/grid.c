/* Structured sparse grids: blocks, their neighbours, cells and nodes by place. Sorting and sums are in grid_sort.c and grid_scatter.c. */
#include "geometry/grid/grid.h"

#include <math.h>

#include "base/memory.h"
#include "geometry/grid/grid_parts.h"

static bool is_valid(const geo_grid_domain *d)
{
  bool valid = (d->dimension == 2 || d->dimension == 3) && isfinite(d->h) && d->h > 0;
  for (int a = 0; a < 3; a++) valid = valid && isfinite(d->origin[a]) && d->cells[a] >= 1 && d->cells[a] < UINT32_MAX / 2;
  return valid && (d->dimension == 3 || d->cells[2] == 1);
}

scr_status geo_grid_create(const geo_grid_domain *domain, geo_grid *grid, scr_error *error)
{
  double blocks = 1;
  *grid = (geo_grid){.domain = *domain};
  if (!is_valid(domain))
    return scr_fail(
        error, SCR_BAD_USAGE, NULL,
        "a grid of dimension %d, side %g m and %u x %u x %u cells: the dimension must be 2 or 3, the side above 0, counts 1 or more",
        domain->dimension, domain->h, domain->cells[0], domain->cells[1], domain->cells[2]);
  grid->corner_count = domain->dimension == 2 ? 4 : 8;
  for (int a = 0; a < 3; a++) {
    uint32_t side = grid_side(grid, a), nodes = a < domain->dimension ? domain->cells[a] + 1 : 1; /* the last node needs a place, too */
    grid->blocks[a] = (nodes + side - 1) / side;
    blocks *= grid->blocks[a];
  }
  if (blocks > GEO_GRID_BLOCK_LIMIT)
    return scr_fail(error, SCR_BAD_USAGE, NULL,
                    "a grid of %u x %u x %u cells has %.3g blocks; at most %u are allowed: use a larger side or a smaller domain",
                    domain->cells[0], domain->cells[1], domain->cells[2], blocks, GEO_GRID_BLOCK_LIMIT);
  SCR_TRY(mem_allocate(&grid->number, (size_t)blocks, sizeof *grid->number, "a grid", error));
  for (size_t b = 0; b < (size_t)blocks; b++) grid->number[b] = GEO_GRID_NONE;
  return SCR_OK;
}

void geo_grid_clear(geo_grid *grid)
{
  mem_free(grid->number);
  mem_free(grid->block);
  mem_free(grid->near);
  mem_free(grid->first);
  mem_free(grid->item);
  mem_free(grid->cell_of);
  mem_free(grid->chunk);
  *grid = (geo_grid){0};
}

uint32_t geo_grid_at(const geo_grid *grid, int64_t i, int64_t j, int64_t k)
{
  const int64_t at[3] = {i, j, k};
  uint32_t block[3] = {0}, within[3] = {0};
  for (int a = 0; a < 3; a++) {
    uint32_t side = grid_side(grid, a);
    if (at[a] < 0 || at[a] > (a < grid->domain.dimension ? (int64_t)grid->domain.cells[a] : 0)) return GEO_GRID_NONE;
    block[a] = (uint32_t)at[a] / side, within[a] = (uint32_t)at[a] % side;
  }
  uint32_t number = grid->number[grid_block_place(grid, block)];
  return number == GEO_GRID_NONE ? GEO_GRID_NONE : number * GEO_GRID_BLOCK + grid_within(grid, within);
}

void geo_grid_place(const geo_grid *grid, uint32_t cell, int64_t place[3])
{
  uint32_t at = grid->block[cell / GEO_GRID_BLOCK], within = cell % GEO_GRID_BLOCK;
  for (int a = 0; a < 3; a++) {
    uint32_t side = grid_side(grid, a);
    place[a] = (int64_t)(at % grid->blocks[a]) * side + within % side;
    at /= grid->blocks[a], within /= side;
  }
}

/* The cell or node one step from another, each step -1, 0 or 1: in the block itself, or by the table of blocks around. */
static uint32_t step_from(const geo_grid *grid, uint32_t cell, const int step[3])
{
  uint32_t rest = cell % GEO_GRID_BLOCK, within[3] = {0}, around = 0, weight = 1;
  for (int a = 0; a < 3; a++) {
    int side = (int)grid_side(grid, a), to = (int)(rest % (uint32_t)side) + step[a];
    around += weight * (uint32_t)(1 + (to >= side) - (to < 0));
    weight *= 3;
    rest /= (uint32_t)side;
    within[a] = (uint32_t)((to + side) % side);
  }
  uint32_t block = grid->near[cell / GEO_GRID_BLOCK][around];
  return block == GEO_GRID_NONE ? GEO_GRID_NONE : block * GEO_GRID_BLOCK + grid_within(grid, within);
}

void geo_grid_nodes(const geo_grid *grid, uint32_t cell, uint32_t *node)
{
  for (int c = 0; c < (int)grid->corner_count; c++) node[c] = step_from(grid, cell, (const int[3]){c & 1, c >> 1 & 1, c >> 2});
}

void geo_grid_cells(const geo_grid *grid, uint32_t node, uint32_t *cell)
{
  int last = grid->domain.dimension == 3 ? 0 : 1; /* in 2D z never steps */
  for (int c = 0; c < (int)grid->corner_count; c++)
    cell[c] = step_from(grid, node, (const int[3]){(c & 1) - 1, (c >> 1 & 1) - 1, last ? 0 : (c >> 2) - 1});
}

void geo_grid_shape(const geo_grid *grid, uint32_t cell, const double *position, double *weight, double (*gradient)[3])
{
  const geo_grid_domain *d = &grid->domain;
  int64_t place[3];
  double share[3][2] = {{1, 0}, {1, 0}, {1, 0}};
  geo_grid_place(grid, cell, place);
  for (int a = 0; a < (d->dimension == 3 ? 3 : 2); a++) {
    share[a][1] = (position[a] - d->origin[a]) / d->h - (double)place[a];
    share[a][0] = 1 - share[a][1];
  }
  for (int c = 0; c < (int)grid->corner_count; c++) {
    const int at[3] = {c & 1, c >> 1 & 1, c >> 2 & 1};
    const double n[3] = {share[0][at[0]], share[1][at[1]], share[2][at[2]]};
    weight[c] = n[0] * n[1] * n[2];
    for (int a = 0; gradient && a < 3; a++)
      gradient[c][a] = a < d->dimension ? (at[a] ? 1 : -1) / d->h * n[(a + 1) % 3] * n[(a + 2) % 3] : 0;
  }
}
