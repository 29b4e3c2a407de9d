/* Rows of near points: each thread makes those of a stretch of points. */
#include "geometry/search/near_list.h"

#include <string.h>

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
  for (int a = 0; a < 3; a++) {
    mem_free(list->at[a]);
    mem_free(list->sorted[a]);
  }
  mem_free(list->first);
  mem_free(list->other);
  geo_cells_clear(&list->cells);
  *list = (geo_near_list){0};
}

void geo_near_list_place(geo_near_list *list, const double *x, const double *y, const double *z, scr_execution execution)
{
  size_t count = list->known ? list->known_count : list->count;
#pragma omp parallel for schedule(static) num_threads(execution.threads)
  for (size_t k = 0; k < count; k++) {
    size_t i = list->known ? list->known[k] : k;
    list->at[0][i] = x[i];
    list->at[1][i] = y[i];
    list->at[2][i] = z[i];
  }
}

typedef struct displaced {
  const geo_near_list *list;
  const double *x, *y, *z;
} displaced;

static void raise_square(const void *user, size_t begin, size_t end, double *largest)
{
  const displaced *of = user;
  const double *restrict x = of->x, *restrict y = of->y, *restrict z = of->z;
  const double *restrict a = of->list->at[0], *restrict b = of->list->at[1], *restrict c = of->list->at[2];
  double worst = *largest;
#pragma omp simd reduction(max : worst)
  for (size_t i = begin; i < end; i++) {
    double dx = x[i] - a[i], dy = y[i] - b[i], dz = z[i] - c[i], square = dx * dx + dy * dy + dz * dz;
    worst = square > worst ? square : worst; /* NaN is not */
  }
  *largest = worst;
}

double geo_near_list_moved(const geo_near_list *list, const double *x, const double *y, const double *z, scr_execution execution)
{
  const displaced of = {list, x, y, z};
  double worst = 0;
  execution_largest(execution, list->count, 1, raise_square, &of, &worst);
  return sqrt(worst);
}

double geo_near_list_square_moved(const geo_near_list *list, const double *x, const double *y, const double *z, size_t begin, size_t end)
{
  const displaced of = {list, x, y, z};
  double worst = 0;
  raise_square(&of, begin, end, &worst);
  return worst;
}

/* Rows of a run of points in the making. */
typedef struct row_maker {
  uint32_t *entry; /* [count] */
  size_t count, capacity;
} row_maker;

/* Adds the points of cells [begin, end) nearer to the place than the reach. Distances first: the compiler takes several at a time.
 * @return how many */
static size_t add_near(const geo_near_list *list, uint32_t begin, uint32_t end, const double place[3], double reach_squared, uint32_t *row)
{
  enum { STRIP = 32 };
  const double *restrict x = list->sorted[0], *restrict y = list->sorted[1], *restrict z = list->sorted[2], X = place[0], Y = place[1],
                         Z = place[2];
  size_t count = 0;
  for (uint32_t from = begin; from < end; from += STRIP) {
    double square[STRIP];
    uint32_t some = end - from < STRIP ? end - from : STRIP;
    for (uint32_t k = 0; k < some; k++) {
      double dx = x[from + k] - X, dy = y[from + k] - Y, dz = z[from + k] - Z;
      square[k] = dx * dx + dy * dy + dz * dz;
    }
    for (uint32_t k = 0; k < some; k++) {
      row[count] = list->cells.item[from + k];
      count += square[k] < reach_squared;
    }
  }
  return count;
}

/* Point i's row behind those made before. @return false without memory */
static bool make_row(const geo_near_list *list, row_maker *rows, uint32_t i, double reach_squared, geo_near_filter filter, const void *user,
                     unsigned thread)
{
  const double place[3] = {list->at[0][i], list->at[1][i], list->at[2][i]};
  uint32_t run[9][2];
  list->first[i + 1] = 0;
  if (list->passed && list->passed[i]) return true;
  int runs = geo_cells_around(&list->cells, place[0], place[1], place[2], run);
  size_t most = 1, found = 0, kept = 0;
  for (int r = 0; r < runs; r++) most += run[r][1] - run[r][0];
  if (!mem_grow(&rows->entry, &rows->capacity, rows->count + most, sizeof *rows->entry)) return false;
  uint32_t *row = rows->entry + rows->count;
  for (int r = 0; r < runs; r++) found += add_near(list, run[r][0], run[r][1], place, reach_squared, row + found);
  for (size_t k = 0; k < found; k++) {
    row[kept] = row[k];
    kept += row[k] != i;
  }
  kept = filter(user, thread, i, row, kept);
  list->first[i + 1] = (uint32_t)kept;
  rows->count += kept;
  return true;
}

/* Rows of the points of each thread, which follow each other. @return false without memory */
static bool make_rows(geo_near_list *list, row_maker *rows, double reach, geo_near_filter filter, const void *user, scr_execution execution)
{
  bool enough = true;
#pragma omp parallel for schedule(static) num_threads(execution.threads) reduction(&& : enough)
  for (unsigned t = 0; t < execution.threads; t++)
    for (size_t i = list->count * t / execution.threads; i < list->count * (t + 1) / execution.threads && enough; i++)
      enough = make_row(list, &rows[t], (uint32_t)i, reach * reach, filter, user, t);
  return enough;
}

/* Puts the rows one behind the other. */
static scr_status join_rows(geo_near_list *list, const row_maker *rows, double reach, scr_execution execution, scr_error *error)
{
  size_t total = 0, n = list->count;
  for (unsigned t = 0; t < execution.threads; t++) total += rows[t].count;
  if (total > UINT32_MAX)
    return scr_fail(error, SCR_NO_MEMORY, NULL,
                    "%zu pairs of near points; at most 4294967295: use a larger spacing or a smaller reach (now %.3g m)", total, reach);
  for (size_t i = 0; i < n; i++) list->first[i + 1] += list->first[i];
  if (!mem_grow(&list->other, &list->other_capacity, total + GEO_NEAR_SPARE, sizeof *list->other))
    return scr_fail_memory(error, "the pairs of near points", total * sizeof *list->other);
  for (unsigned t = 0; t < execution.threads; t++)
    if (rows[t].count) memcpy(list->other + list->first[n * t / execution.threads], rows[t].entry, rows[t].count * sizeof *list->other);
  list->stale = false;
  return SCR_OK;
}

static scr_status sort_places(geo_near_list *list, double reach, scr_execution execution, scr_error *error)
{
  size_t count = list->known ? list->known_count : list->count;
  const double *const at[3] = {list->at[0], list->at[1], list->at[2]};
  SCR_TRY(geo_cells_build(&list->cells, at, list->known, count, reach, execution, error));
  for (int a = 0; a < 3; a++) {
    SCR_TRY(mem_reserve(&list->sorted[a], &list->sorted_capacity[a], count, sizeof *list->sorted[a], "the neighbour list", error));
    for (size_t k = 0; k < count; k++) list->sorted[a][k] = list->at[a][list->cells.item[k]];
  }
  return SCR_OK;
}

scr_status geo_near_list_build(geo_near_list *list, double reach, geo_near_filter filter, const void *user, scr_execution execution,
                               scr_error *error)
{
  SCR_TRY(sort_places(list, reach, execution, error));
  row_maker *rows = mem_array(execution.threads, sizeof *rows);
  if (!rows) return scr_fail_memory(error, "the pairs of near points", execution.threads * sizeof *rows);
  scr_status status = make_rows(list, rows, reach, filter, user, execution)
                          ? join_rows(list, rows, reach, execution, error)
                          : scr_fail_memory(error, "the pairs of near points", list->count * 64);
  for (unsigned t = 0; t < execution.threads; t++) mem_free(rows[t].entry);
  mem_free(rows);
  return status;
}
