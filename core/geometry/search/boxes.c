/* Sweep and prune of axis-aligned boxes along x. */
#include "geometry/search/boxes.h"

#include <stdlib.h>

#include "base/memory.h"

static int compare_low(const void *a, const void *b, void *boxes)
{
  const uint32_t *p = a, *q = b;
  double x = ((const geo_box *)boxes)[*p].low.x, y = ((const geo_box *)boxes)[*q].low.x;
  if (x != y) return x < y ? -1 : 1;
  return *p < *q ? -1 : *p > *q;
}

scr_status geo_box_pairs_find(geo_box_pairs *found, const geo_box *boxes, size_t count, double reach, scr_error *error)
{
  found->count = 0;
  if (count == 0) return SCR_OK; // nothing may be reserved yet, and a sort of nothing wants an address all the same
  SCR_TRY(mem_reserve(&found->order, &found->order_capacity, count, sizeof *found->order, "the grain sweep", error));
  for (size_t i = 0; i < count; i++) found->order[i] = (uint32_t)i;
  union {
    const geo_box *constant;
    void *plain;
  } argument = {boxes};
  qsort_r(found->order, count, sizeof *found->order, compare_low, argument.plain);
  for (size_t i = 0; i < count; i++) {
    uint32_t a = found->order[i];
    for (size_t k = i + 1; k < count; k++) {
      uint32_t b = found->order[k];
      if (boxes[b].low.x > boxes[a].high.x + reach) break;
      if (!geo_box_near(&boxes[a], &boxes[b], reach)) continue;
      SCR_TRY(mem_reserve(&found->pairs, &found->capacity, found->count + 1, sizeof *found->pairs, "the grain pairs", error));
      found->pairs[found->count++] = a < b ? (geo_box_pair){a, b} : (geo_box_pair){b, a};
    }
  }
  return SCR_OK;
}

void geo_box_pairs_clear(geo_box_pairs *found)
{
  mem_free(found->pairs);
  mem_free(found->order);
  *found = (geo_box_pairs){0};
}
