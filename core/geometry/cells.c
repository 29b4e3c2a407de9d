/* Counting sort of points into a uniform grid. */
#include "geometry/cells.h"

#include <string.h>

#include "base/memory.h"

static void choose_grid(geo_cells *cells, scr_vec3 low, scr_vec3 high, size_t n, double side)
{
  const double extent[3] = {high.x - low.x, high.y - low.y, high.z - low.z};
  double most = 4.0 * (double)n + 64;
  cells->lowest = low;
  for (;;) {
    double total = 1;
    for (int a = 0; a < 3; a++) total *= floor(extent[a] / side) + 1;
    if (total <= most) break;
    side *= fmax(1.1, cbrt(total / most));
  }
  cells->side = side;
  for (int a = 0; a < 3; a++) cells->count[a] = (int32_t)(extent[a] / side) + 1;
}

scr_status geo_cells_build(geo_cells *cells, const double *x, const double *y, const double *z, const uint32_t *ids, size_t n, double side,
                           scr_error *error)
{
  scr_vec3 low = vec3(INFINITY, INFINITY, INFINITY), high = vec3(-INFINITY, -INFINITY, -INFINITY);
  for (size_t k = 0; k < n; k++) {
    uint32_t i = ids[k];
    low = vec3(fmin(low.x, x[i]), fmin(low.y, y[i]), fmin(low.z, z[i]));
    high = vec3(fmax(high.x, x[i]), fmax(high.y, y[i]), fmax(high.z, z[i]));
  }
  if (n == 0) low = high = vec3(0, 0, 0);
  choose_grid(cells, low, high, n, side);
  size_t total = (size_t)cells->count[0] * (size_t)cells->count[1] * (size_t)cells->count[2];
  if (!mem_grow(&cells->first, &cells->first_capacity, total + 2, sizeof *cells->first) ||
      !mem_grow(&cells->item, &cells->item_capacity, n, sizeof *cells->item))
    return scr_fail_memory(error, "the contact search grid", (total + n) * sizeof(uint32_t));

  /* first[c + 2] counts, becomes the start of c + 1's items, and ends as first[c + 1] = end of c's items. */
  memset(cells->first, 0, (total + 2) * sizeof *cells->first);
  for (size_t k = 0; k < n; k++) {
    uint32_t i = ids[k];
    size_t c = geo_cells_number(cells, geo_cells_along(cells, 0, x[i]), geo_cells_along(cells, 1, y[i]), geo_cells_along(cells, 2, z[i]));
    cells->first[c + 2]++;
  }
  for (size_t c = 2; c < total + 2; c++) cells->first[c] += cells->first[c - 1];
  for (size_t k = 0; k < n; k++) {
    uint32_t i = ids[k];
    size_t c = geo_cells_number(cells, geo_cells_along(cells, 0, x[i]), geo_cells_along(cells, 1, y[i]), geo_cells_along(cells, 2, z[i]));
    cells->item[cells->first[c + 1]++] = i;
  }
  cells->item_count = n;
  return SCR_OK;
}

void geo_cells_clear(geo_cells *cells)
{
  mem_free(cells->first);
  mem_free(cells->item);
  *cells = (geo_cells){0};
}
