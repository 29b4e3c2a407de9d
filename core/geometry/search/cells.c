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

typedef struct point_set {
  const double *x, *y, *z;
  const uint32_t *ids;
} point_set;

/* Largest of the coordinates and of their negatives; how many are not finite. */
static void raise_bounds(const void *user, size_t begin, size_t end, double *value)
{
  const point_set *p = user;
  double low[3] = {-value[4], -value[5], -value[6]}, high[3] = {value[1], value[2], value[3]}, lost = 0;
  for (size_t k = begin; k < end; k++) {
    size_t i = p->ids ? p->ids[k] : k;
    low[0] = fmin(low[0], p->x[i]), high[0] = fmax(high[0], p->x[i]);
    low[1] = fmin(low[1], p->y[i]), high[1] = fmax(high[1], p->y[i]);
    low[2] = fmin(low[2], p->z[i]), high[2] = fmax(high[2], p->z[i]);
    lost += !isfinite(p->x[i]) || !isfinite(p->y[i]) || !isfinite(p->z[i]);
  }
  value[0] += lost;
  for (int a = 0; a < 3; a++) value[1 + a] = high[a], value[4 + a] = -low[a];
}

/* Smallest box around the points. @return whether all are finite, which the box alone can't show: it passes over NaN. */
static bool find_bounds(const double *x, const double *y, const double *z, const uint32_t *ids, size_t n, scr_execution execution,
                        scr_vec3 *low, scr_vec3 *high)
{
  const point_set p = {x, y, z, ids};
  double value[7] = {0, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY};
  execution_reduce(execution, n, n / (execution.threads ? execution.threads : 1) + 1, 1, 6, raise_bounds, &p, value);
  *low = n ? vec3(-value[4], -value[5], -value[6]) : vec3(0, 0, 0);
  *high = n ? vec3(value[1], value[2], value[3]) : vec3(0, 0, 0);
  return value[0] == 0;
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

scr_status geo_cells_build(geo_cells *cells, const double *const at[3], const uint32_t *ids, size_t n, double side, scr_execution execution,
                           scr_error *error)
{
  const double *x = at[0], *y = at[1], *z = at[2];
  scr_vec3 low, high;
  bool finite = find_bounds(x, y, z, ids, n, execution, &low, &high);
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
#pragma omp parallel for schedule(static) num_threads(execution.threads)
  for (size_t k = 0; k < n; k++) {
    size_t i = ids ? ids[k] : k;
    cells->cell_of[k] = (uint32_t)geo_cells_number(cells, geo_cells_along(cells, 0, x[i]), geo_cells_along(cells, 1, y[i]),
                                                   geo_cells_along(cells, 2, z[i]));
  }
#pragma omp parallel for schedule(static) num_threads(execution.threads)
  for (size_t t = 0; t < execution.threads; t++) count_cells(cells, total * t / execution.threads, total * (t + 1) / execution.threads);
  for (size_t c = 2; c < total + 2; c++) cells->first[c] += cells->first[c - 1];
#pragma omp parallel for schedule(static) num_threads(execution.threads)
  for (size_t t = 0; t < execution.threads; t++) fill_cells(cells, ids, total * t / execution.threads, total * (t + 1) / execution.threads);
  return SCR_OK;
}

void geo_cells_clear(geo_cells *cells)
{
  mem_free(cells->first);
  mem_free(cells->item);
  mem_free(cells->cell_of);
  *cells = (geo_cells){0};
}
