/* From particles to nodes in a fixed order: each cell sums for its corners over its particles, then each node gathers from its cells. No
 * thread ever
 * adds to what another one adds to. Bytes: a cell writes and a node reads 2^d x width doubles. */
#include <string.h>

#include "geometry/grid/grid_parts.h"

void geo_grid_scatter(const geo_grid *grid, geo_grid_spread spread, const void *user, unsigned width, double *corners, double *to,
                      scr_execution execution)
{
  size_t row = (size_t)grid->corner_count * width;
#pragma omp parallel for num_threads(execution.threads) schedule(static)
  for (size_t cell = 0; cell < grid->cell_count; cell++) {
    double *sum = corners + cell * row;
    if (grid->first[cell] == grid->first[cell + 1]) continue; /* its sums are not read */
    memset(sum, 0, row * sizeof *sum);
    for (uint32_t k = grid->first[cell]; k < grid->first[cell + 1]; k++) spread(user, grid->item[k], (uint32_t)cell, sum);
  }
#pragma omp parallel for num_threads(execution.threads) schedule(static)
  for (size_t node = 0; node < grid->cell_count; node++) {
    uint32_t around[GEO_GRID_CORNERS];
    double sum[GEO_GRID_WIDTH] = {0};
    geo_grid_cells(grid, (uint32_t)node, around);
    for (uint32_t c = 0; c < grid->corner_count; c++) {
      if (around[c] == GEO_GRID_NONE || grid->first[around[c]] == grid->first[around[c] + 1]) continue;
      const double *from =
          corners + around[c] * row + (size_t)(grid->corner_count - 1 - c) * width; /* the node is the cell's opposite corner */
      for (unsigned w = 0; w < width; w++) sum[w] += from[w];
    }
    memcpy(to + node * width, sum, width * sizeof *sum);
  }
}
