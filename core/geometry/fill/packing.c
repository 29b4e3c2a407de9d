/* Lattices in closed form; neighbours by the grid of geo_cells. */
#include "geometry/fill/packing.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "geometry/search/cells.h"

double geo_packing_cell_volume(geo_packing packing, double radius)
{
  double cube = radius * radius * radius;
  return packing == GEO_PACKING_HEXAGONAL_CLOSE ? 4.0 * sqrt(2.0) * cube : 32.0 / (3.0 * sqrt(3.0)) * cube;
}

static scr_vec3 lattice_point(geo_packing packing, double r, size_t i, size_t j, size_t k)
{
  if (packing == GEO_PACKING_HEXAGONAL_CLOSE)
    return vec3(((double)i + 0.5 * (double)((j + k) % 2)) * 2.0 * r, ((double)j + (double)(k % 2) / 3.0) * sqrt(3.0) * r,
                (double)k * 2.0 * r * sqrt(2.0 / 3.0));
  double cell = 4.0 * r / sqrt(3.0), shift = 0.5 * (double)(k % 2);
  return vec3(((double)i + shift) * cell, ((double)j + shift) * cell, 0.5 * (double)k * cell);
}

void geo_packing_block(geo_packing packing, double radius, const size_t counts[3], scr_vec3 *centres)
{
  for (size_t k = 0; k < counts[2]; ++k)
    for (size_t j = 0; j < counts[1]; ++j)
      for (size_t i = 0; i < counts[0]; ++i) *centres++ = lattice_point(packing, radius, i, j, k);
}

/* The centres as geo_cells reads them. */
typedef struct centre_arrays {
  double *x, *y, *z; /* parts of one allocation, which x begins */
  uint32_t *ids;
} centre_arrays;

static scr_status split_centres(const scr_vec3 *centres, size_t count, double reach, centre_arrays *out, scr_error *error)
{
  double most = 1e15 * reach; /* beyond it a double no longer tells neighbours apart */
  *out = (centre_arrays){.x = mem_array(count, 3 * sizeof(double)), .ids = mem_array(count, sizeof(uint32_t))};
  if (!out->x || !out->ids) return scr_fail_memory(error, "the centres of a packing", count * (3 * sizeof(double) + sizeof(uint32_t)));
  out->y = out->x + count;
  out->z = out->y + count;
  for (size_t k = 0; k < count; ++k) {
    out->x[k] = centres[k].x;
    out->y[k] = centres[k].y;
    out->z[k] = centres[k].z;
    out->ids[k] = (uint32_t)k;
    if (!(fabs(centres[k].x) < most && fabs(centres[k].y) < most && fabs(centres[k].z) < most))
      return scr_fail(error, SCR_BAD_USAGE, NULL, "centre %zu is at (%g, %g, %g) m: it must be finite and within 1e15 reaches", k,
                      centres[k].x, centres[k].y, centres[k].z);
  }
  return SCR_OK;
}

typedef struct pair_list {
  uint32_t (*pairs)[2];
  size_t count, capacity;
} pair_list;

static int compare_second(const void *a, const void *b)
{
  const uint32_t *p = a, *q = b;
  return (p[1] > q[1]) - (p[1] < q[1]);
}

/* Adds the pairs of centre i with later ones, sorted. False without memory. */
static bool add_near(const scr_vec3 *centres, const geo_cells *cells, uint32_t i, double reach, pair_list *list)
{
  size_t before = list->count;
  uint32_t run[9][2];
  int runs = geo_cells_around(cells, centres[i].x, centres[i].y, centres[i].z, run);
  for (int r = 0; r < runs; ++r)
    for (size_t k = run[r][0]; k < run[r][1]; ++k) {
      uint32_t j = cells->item[k];
      if (j <= i || !(vec3_length(vec3_sub(centres[i], centres[j])) < reach)) continue;
      void *grown = list->pairs;
      if (!mem_grow(&grown, &list->capacity, list->count + 1, sizeof *list->pairs)) return false;
      list->pairs = grown;
      list->pairs[list->count][0] = i;
      list->pairs[list->count++][1] = j;
    }
  if (list->count > before) qsort(list->pairs + before, list->count - before, sizeof *list->pairs, compare_second);
  return true;
}

scr_status geo_packing_pairs(const scr_vec3 *centres, size_t count, double reach, uint32_t (**pairs)[2], size_t *pair_count,
                             scr_error *error)
{
  *pairs = NULL;
  *pair_count = 0;
  if (!(reach > 0.0) || count >= UINT32_MAX)
    return scr_fail(error, SCR_BAD_USAGE, NULL,
                    "a reach of %.3g m among %zu centres: the reach must be > 0 and the centres fewer than 2^32 - 1", reach, count);
  centre_arrays arrays;
  geo_cells cells = {0};
  pair_list list = {0};
  const double side = reach * 1.000001; /* so that rounding never puts a pair two cells apart */
  scr_status status = split_centres(centres, count, reach, &arrays, error);
  if (status == SCR_OK)
    status = geo_cells_build(&cells, (const double *[]){arrays.x, arrays.y, arrays.z}, arrays.ids, count, side, execution_of(1), error);
  for (uint32_t i = 0; i < count && status == SCR_OK; ++i)
    if (!add_near(centres, &cells, i, reach, &list))
      status = scr_fail_memory(error, "the pairs of a packing", list.count * sizeof *list.pairs);
  geo_cells_clear(&cells);
  mem_free(arrays.x);
  mem_free(arrays.ids);
  if (status != SCR_OK) {
    mem_free(list.pairs);
    return status;
  }
  *pairs = list.pairs;
  *pair_count = list.count;
  return SCR_OK;
}
