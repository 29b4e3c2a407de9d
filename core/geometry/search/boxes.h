/** Axis-aligned boxes and the pairs of them that come near each other. */
#ifndef SCREE_GEOMETRY_BOXES_H
#define SCREE_GEOMETRY_BOXES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/vec3.h"

typedef struct geo_box {
  scr_vec3 low, high; /**< m */
} geo_box;

/** The box that holds nothing. */
static inline geo_box geo_box_empty(void)
{
  return (geo_box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

static inline geo_box geo_box_join(geo_box a, geo_box b)
{
  return (geo_box){{fmin(a.low.x, b.low.x), fmin(a.low.y, b.low.y), fmin(a.low.z, b.low.z)},
                   {fmax(a.high.x, b.high.x), fmax(a.high.y, b.high.y), fmax(a.high.z, b.high.z)}};
}

/** Whether the gap between two boxes is at most `reach` along every axis. */
static inline bool geo_box_near(const geo_box *a, const geo_box *b, double reach)
{
  return a->low.x <= b->high.x + reach && b->low.x <= a->high.x + reach && a->low.y <= b->high.y + reach && b->low.y <= a->high.y + reach &&
         a->low.z <= b->high.z + reach && b->low.z <= a->high.z + reach;
}

typedef struct geo_box_pair {
  uint32_t a, b; /**< a < b */
} geo_box_pair;

/** Pairs of boxes that are near within `reach`, found by a sweep along x, in no promised order. Starts zeroed and reused. */
typedef struct geo_box_pairs {
  geo_box_pair *pairs;
  size_t count, capacity;
  uint32_t *order;
  size_t order_capacity;
} geo_box_pairs;

scr_status geo_box_pairs_find(geo_box_pairs *found, const geo_box *boxes, size_t count, double reach, scr_error *error);
void geo_box_pairs_clear(geo_box_pairs *found);

#endif
