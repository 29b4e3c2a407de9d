/** Lattices in closed form; neighbours by sorting the centres into cells. */
#include "geometry/packing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

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

/* A centre's cell, as three whole numbers; sorted by z, y, x, number. */
typedef struct cell_entry {
  int64_t z, y, x;
  uint32_t index;
} cell_entry;

static int compare_cells(const void *a, const void *b)
{
  const cell_entry *p = a, *q = b;
  if (p->z != q->z) return p->z < q->z ? -1 : 1;
  if (p->y != q->y) return p->y < q->y ? -1 : 1;
  if (p->x != q->x) return p->x < q->x ? -1 : 1;
  return (p->index > q->index) - (p->index < q->index);
}

static int compare_pairs(const void *a, const void *b)
{
  const uint32_t *p = a, *q = b;
  if (p[0] != q[0]) return p[0] < q[0] ? -1 : 1;
  return (p[1] > q[1]) - (p[1] < q[1]);
}

/* First entry at or after cell (z, y, x). */
static size_t lower_bound(const cell_entry *entries, size_t count, cell_entry key)
{
  size_t low = 0, high = count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (compare_cells(&entries[middle], &key) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static bool add_near(const scr_vec3 *centres, const cell_entry *entries, size_t count, size_t at, double reach, uint32_t (**pairs)[2],
                     size_t *pair_count, size_t *capacity)
{
  uint32_t i = entries[at].index;
  for (int64_t z = -1; z <= 1; ++z)
    for (int64_t y = -1; y <= 1; ++y) {
      cell_entry key = {entries[at].z + z, entries[at].y + y, entries[at].x - 1, 0};
      for (size_t k = lower_bound(entries, count, key); k < count; ++k) {
        const cell_entry *other = &entries[k];
        if (other->z != key.z || other->y != key.y || other->x > key.x + 2) break;
        if (other->index <= i || !(vec3_length(vec3_sub(centres[i], centres[other->index])) < reach)) continue;
        void *grown = *pairs;
        if (!mem_grow(&grown, capacity, *pair_count + 1, sizeof **pairs)) return false;
        *pairs = grown;
        (*pairs)[*pair_count][0] = i;
        (*pairs)[(*pair_count)++][1] = other->index;
      }
    }
  return true;
}

scr_status geo_packing_pairs(const scr_vec3 *centres, size_t count, double reach, uint32_t (**pairs)[2], size_t *pair_count,
                             scr_error *error)
{
  size_t capacity = 0;
  *pairs = NULL;
  *pair_count = 0;
  if (!(reach > 0.0) || count >= UINT32_MAX)
    return scr_fail(error, SCR_BAD_USAGE, NULL,
                    "a reach of %.3g m among %zu centres: the reach must be > 0 and the centres fewer than 2^32 - 1", reach, count);
  cell_entry *entries = mem_array(count, sizeof *entries);
  if (!entries) return scr_fail_memory(error, "the cells of a packing", count * sizeof *entries);
  for (size_t k = 0; k < count; ++k) {
    double x = floor(centres[k].x / reach), y = floor(centres[k].y / reach), z = floor(centres[k].z / reach);
    if (!(fabs(x) < 1e15 && fabs(y) < 1e15 && fabs(z) < 1e15)) {
      mem_free(entries);
      return scr_fail(error, SCR_BAD_USAGE, NULL, "centre %zu is at (%g, %g, %g) m: it must be finite and within 1e15 reaches", k,
                      centres[k].x, centres[k].y, centres[k].z);
    }
    entries[k] = (cell_entry){(int64_t)z, (int64_t)y, (int64_t)x, (uint32_t)k};
  }
  qsort(entries, count, sizeof *entries, compare_cells);
  bool complete = true;
  for (size_t at = 0; at < count && complete; ++at) complete = add_near(centres, entries, count, at, reach, pairs, pair_count, &capacity);
  mem_free(entries);
  if (!complete) {
    mem_free(*pairs);
    *pairs = NULL;
    *pair_count = 0;
    return scr_fail_memory(error, "the pairs of a packing", capacity * sizeof **pairs);
  }
  if (*pair_count) qsort(*pairs, *pair_count, sizeof **pairs, compare_pairs);
  return SCR_OK;
}
