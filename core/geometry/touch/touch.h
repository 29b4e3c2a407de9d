/** Places where two bodies touch, or are about to. */
#ifndef SCREE_GEOMETRY_TOUCH_H
#define SCREE_GEOMETRY_TOUCH_H

#include <stdbool.h>

#include "geometry/touch/piece.h"

/** One contact point. */
typedef struct geo_touch {
  uint32_t a, b;   /**< whose pieces, by the numbers that the caller gave */
  uint64_t key;    /**< which pieces and features: the same point has the same key in the next step */
  scr_vec3 point;  /**< m, in the middle between both surfaces */
  scr_vec3 normal; /**< unit, from b to a */
  double gap;      /**< m, between the surfaces there; negative: they overlap */
} geo_touch;

/** Grows as needed; starts zeroed. */
typedef struct touch_list {
  geo_touch *items;
  size_t count, capacity;
  bool failed; /**< no memory: items are missing */
} touch_list;

/** A piece of a body where it is now. */
typedef struct geo_placed {
  const geo_piece *piece;
  scr_vec3 position;          /**< m, of its own origin */
  scr_quat turn;              /**< unit, its own axes to the world's */
  double scale;               /**< 1, of all its lengths */
  scr_vec3 axis;              /**< unit, own z: capsule, cylinder */
  double radius, half_length; /**< m, scaled */
  scr_vec3 middle;            /**< m, of a ball around it */
  double extent;              /**< m, of that */
  const scr_vec3 *corner;     /**< [hull.corner_count] m, in the world; hull only */
  const scr_vec3 *normal;     /**< [hull.face_count] in the world */
} geo_placed;

/** How many vectors the corners and normals of a placed piece take: 0 of all but hulls. */
size_t geo_placed_vectors(const geo_piece *piece);

/** Places a piece of a body.
 *  @param origin, axes, scale  m, where the body's origin is; unit, its axes to the world's; 1, of all its lengths
 *  @param vectors  room for geo_placed_vectors of them, which `placed` borrows    @return how many it takes */
size_t geo_place(const geo_piece *piece, scr_vec3 origin, scr_quat axes, double scale, scr_vec3 *vectors, geo_placed *placed);

/** Where the contacts of one pair of pieces go. */
typedef struct touch_sink {
  touch_list *list;
  uint32_t a, b;   /**< as of geo_touch */
  uint64_t pieces; /**< upper half of the keys */
  bool flipped;    /**< the pair is looked at the other way round: normals point from a to b */
} touch_sink;

/** Adds a contact. @param feature which one of the pair, below 2^32 */
void touch_add(touch_sink *sink, scr_vec3 point, scr_vec3 normal, double gap, uint32_t feature);

/** A pair of pieces nearer than `reach`, m: finds their contacts. Of hulls and rods that lie flat on each other there are several. */
void touch_pair(const geo_placed *a, const geo_placed *b, double reach, touch_sink *sink);

/** A piece and the half-space below a plane through `on`, with the outward `normal`. */
void touch_plane(const geo_placed *a, scr_vec3 on, scr_vec3 normal, double reach, touch_sink *sink);

/** Offset of a placed hull's face: normal . x on it, m. */
static inline double placed_offset(const geo_placed *hull, size_t face)
{
  return vec3_dot(hull->normal[face], hull->corner[hull->piece->hull.loop[hull->piece->hull.first[face]]]);
}

#endif
