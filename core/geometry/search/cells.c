/* Counting sort of points into a uniform grid.
 *
 * Each thread owns a range of cells and looks at all points' cell numbers, which are 4 bytes each and read in order; so points stay in the
 * order in which they were given, whatever the number of threads. */
#include "geometry/search/cells.h"

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

/* Smallest box around the points. @return whether all are finite, which the box alone can't show: it passes over NaN. */
static bool find_bounds(const double *x, const double *y, const double *z, const uint32_t *ids, size_t n, unsigned threads, scr_vec3 *low,
                        scr_vec3 *high)
{
  bool finite = true;
  double x0 = INFINITY, y0 = INFINITY, z0 = INFINITY, x1 = -INFINITY, y1 = -INFINITY, z1 = -INFINITY;
#pragma omp parallel for schedule(static) num_threads(threads) reduction(min : x0, y0, z0) reduction(max : x1, y1, z1)        \
    reduction(&& : finite)
  for (size_t k = 0; k < n; k++) {
    size_t i = ids ? ids[k] : k;
    x0 = fmin(x0, x[i]), x1 = fmax(x1, x[i]);
    y0 = fmin(y0, y[i]), y1 = fmax(y1, y[i]);
    z0 = fmin(z0, z[i]), z1 = fmax(z1, z[i]);
    finite = finite && isfinite(x[i]) && isfinite(y[i]) && isfinite(z[i]);
  }
  *low = n ? vec3(x0, y0, z0) : vec3(0, 0, 0);
  *high = n ? vec3(x1, y1, z1) : vec3(0, 0, 0);
  return finite;
}

/* Counts the points of the cells [begin, end), so that first[c + 2] is cell c's. */
static void count_cells(geo_cells *cells, size_t begin, size_t end)
{
  for (size_t k = 0; k < cells->item_count; k++) {
    uint32_t c = cells->cell_of[k];
    if (c >= begin && c < end) cells->first[c + 2]++;
  }
}

/* Puts the points of those cells into their places: first[c + 1], the start of cell c's items, ends as their end. */
static void fill_cells(geo_cells *cells, const uint32_t *ids, size_t begin, size_t end)
{
  for (size_t k = 0; k < cells->item_count; k++) {
    uint32_t c = cells->cell_of[k];
    if (c >= begin && c < end) cells->item[cells->first[c + 1]++] = ids ? ids[k] : (uint32_t)k;
  }
}

scr_status geo_cells_build(geo_cells *cells, const double *x, const double *y, const double *z, const uint32_t *ids, size_t n, double side,
                           unsigned threads, scr_error *error)
{
  scr_vec3 low, high;
  bool finite = find_bounds(x, y, z, ids, n, threads, &low, &high);
  if (!finite || !isfinite(high.x - low.x) || !isfinite(high.y - low.y) || !isfinite(high.z - low.z))
    return scr_fail(error, SCR_DIVERGED, NULL,
                    "a position is not finite, or they are too far apart to be distinguished in numbers: the run has lost its state; use a "
                    "smaller time "
                    "step");
  if (!(side > 0) || !isfinite(side))
    return scr_fail(error, SCR_DIVERGED, NULL, "cells of %g m can't hold points: give a finite length > 0", side);
  choose_grid(cells, low, high, n, side);
  size_t total = (size_t)cells->count[0] * (size_t)cells->count[1] * (size_t)cells->count[2];
  if (!mem_grow(&cells->first, &cells->first_capacity, total + 2, sizeof *cells->first) ||
      !mem_grow(&cells->item, &cells->item_capacity, n, sizeof *cells->item) ||
      !mem_grow(&cells->cell_of, &cells->cell_capacity, n, sizeof *cells->cell_of))
    return scr_fail_memory(error, "the contact search grid", (total + 2 * n) * sizeof(uint32_t));
  cells->item_count = n;
  memset(cells->first, 0, (total + 2) * sizeof *cells->first);
#pragma omp parallel for schedule(static) num_threads(threads)
  for (size_t k = 0; k < n; k++) {
    size_t i = ids ? ids[k] : k;
    cells->cell_of[k] = (uint32_t)geo_cells_number(cells, geo_cells_along(cells, 0, x[i]), geo_cells_along(cells, 1, y[i]),
                                                   geo_cells_along(cells, 2, z[i]));
  }
#pragma omp parallel for schedule(static) num_threads(threads)
  for (size_t t = 0; t < threads; t++) count_cells(cells, total * t / threads, total * (t + 1) / threads);
  for (size_t c = 2; c < total + 2; c++) cells->first[c] += cells->first[c - 1];
#pragma omp parallel for schedule(static) num_threads(threads)
  for (size_t t = 0; t < threads; t++) fill_cells(cells, ids, total * t / threads, total * (t + 1) / threads);
  return SCR_OK;
}

void geo_cells_clear(geo_cells *cells)
{
  mem_free(cells->first);
  mem_free(cells->item);
  mem_free(cells->cell_of);
  *cells = (geo_cells){0};
}
