/* Rows of near points: counted, then filled, both by the row's owner. */
#include "geometry/search/near_list.h"

#include "base/memory.h"

scr_status geo_near_list_create(geo_near_list *list, size_t count, scr_error *error)
{
  list->count = count;
  list->stale = true;
  list->first = mem_array(count + 1, sizeof *list->first);
  for (int a = 0; a < 3; a++) list->at[a] = mem_array(count, sizeof *list->at[a]);
  if (list->first && list->at[0] && list->at[1] && list->at[2]) return SCR_OK;
  return scr_fail_memory(error, "the neighbour list", count * (3 * sizeof(double) + sizeof(uint32_t)));
}

void geo_near_list_clear(geo_near_list *list)
{
  for (int a = 0; a < 3; a++) mem_free(list->at[a]);
  mem_free(list->first);
  mem_free(list->other);
  geo_cells_clear(&list->cells);
  *list = (geo_near_list){0};
}

void geo_near_list_place(geo_near_list *list, const double *x, const double *y, const double *z, unsigned threads)
{
#pragma omp parallel for schedule(static) num_threads(threads)
  for (size_t i = 0; i < list->count; i++) {
    list->at[0][i] = x[i];
    list->at[1][i] = y[i];
    list->at[2][i] = z[i];
  }
}

double geo_near_list_moved(const geo_near_list *list, const double *x, const double *y, const double *z, unsigned threads)
{
  double worst = 0;
#pragma omp parallel for schedule(static) num_threads(threads) reduction(max : worst)
  for (size_t i = 0; i < list->count; i++) {
    double dx = x[i] - list->at[0][i], dy = y[i] - list->at[1][i], dz = z[i] - list->at[2][i];
    worst = fmax(worst, dx * dx + dy * dy + dz * dz);
  }
  return sqrt(worst);
}

/* Walks point i's surroundings; writes its row when `row` is given. @return the row's length */
static size_t scan_row(const geo_near_list *list, uint32_t i, double reach_squared, geo_near_filter filter, const void *user, uint32_t *row)
{
  const double *x = list->at[0], *y = list->at[1], *z = list->at[2], xi = x[i], yi = y[i], zi = z[i];
  uint32_t run[9][2];
  int runs = geo_cells_around(&list->cells, xi, yi, zi, run);
  size_t length = 0;
  for (int r = 0; r < runs; r++)
    for (uint32_t k = run[r][0]; k < run[r][1]; k++) {
      uint32_t j = list->cells.item[k], entry;
      double dx = x[j] - xi, dy = y[j] - yi, dz = z[j] - zi;
      if (!(dx * dx + dy * dy + dz * dz < reach_squared) || j == i || !filter(user, i, j, &entry)) continue;
      if (row) row[length] = entry;
      length++;
    }
  return length;
}

scr_status geo_near_list_build(geo_near_list *list, double reach, geo_near_filter filter, const void *user, unsigned threads,
                               scr_error *error)
{
  size_t n = list->count, total = 0;
  uint32_t *first = list->first;
  SCR_TRY(geo_cells_build(&list->cells, list->at[0], list->at[1], list->at[2], NULL, n, reach, threads, error));
#pragma omp parallel for schedule(static, 64) num_threads(threads)
  for (size_t i = 0; i < n; i++) first[i + 1] = (uint32_t)scan_row(list, (uint32_t)i, reach * reach, filter, user, NULL);
  for (size_t i = 0; i < n; i++) total += first[i + 1];
  if (total > UINT32_MAX)
    return scr_fail(error, SCR_NO_MEMORY, NULL, "%zu pairs of near points; at most 4294967295: use a larger spacing or a smaller reach (now %.3g m)",
                    total, reach);
  for (size_t i = 0; i < n; i++) first[i + 1] += first[i];
  if (!mem_grow(&list->other, &list->other_capacity, total, sizeof *list->other))
    return scr_fail_memory(error, "the pairs of near points", total * sizeof *list->other);
  list->stale = false;
  if (total == 0) return SCR_OK;
#pragma omp parallel for schedule(static, 64) num_threads(threads)
  for (size_t i = 0; i < n; i++) scan_row(list, (uint32_t)i, reach * reach, filter, user, list->other + first[i]);
  return SCR_OK;
}
