/* Pieces against a plane: the points of a piece that are deepest. */
#include "geometry/touch/touch.h"

#include "base/memory.h"

void touch_add(touch_sink *sink, scr_vec3 point, scr_vec3 normal, double gap, uint32_t feature)
{
  touch_list *list = sink->list;
  if (!mem_grow(&list->items, &list->capacity, list->count + 1, sizeof *list->items)) {
    list->failed = true;
    return;
  }
  list->items[list->count++] = (geo_touch){.a = sink->a,
                                           .b = sink->b,
                                           .key = sink->pieces << 32 | feature,
                                           .point = point,
                                           .normal = sink->flipped ? vec3_scale(normal, -1) : normal,
                                           .gap = gap};
}

/* A point of the piece's surface above the plane. */
static void add_over(scr_vec3 surface, scr_vec3 on, scr_vec3 normal, double reach, uint32_t feature, touch_sink *sink)
{
  double gap = vec3_dot(normal, vec3_sub(surface, on));
  if (gap < reach) touch_add(sink, vec3_along(surface, normal, -0.5 * gap), normal, gap, feature);
}

/* The deepest point of each rim; of a rod that stands on its end three more round the rim, so that it stands firmly. */
static void cylinder_over(const geo_placed *a, scr_vec3 on, scr_vec3 normal, double reach, touch_sink *sink)
{
  double lengthwise = vec3_dot(normal, a->axis);
  scr_vec3 across = vec3_along(normal, a->axis, -lengthwise);
  double size = vec3_length(across);
  scr_vec3 deepest = size > 1e-9 ? vec3_scale(across, -1 / size) : quat_rotate(a->turn, vec3(1, 0, 0)),
           beside = vec3_cross(a->axis, deepest);
  for (int end = -1; end <= 1; end += 2) {
    scr_vec3 centre = vec3_along(a->position, a->axis, end * a->half_length);
    uint32_t feature = end < 0 ? 0 : 4;
    add_over(vec3_along(centre, deepest, a->radius), on, normal, reach, feature, sink);
    if (end * lengthwise > -0.7) continue; /* this end does not look at the plane */
    add_over(vec3_along(centre, beside, a->radius), on, normal, reach, feature + 1, sink);
    add_over(vec3_along(centre, deepest, -a->radius), on, normal, reach, feature + 2, sink);
    add_over(vec3_along(centre, beside, -a->radius), on, normal, reach, feature + 3, sink);
  }
}

void touch_plane(const geo_placed *a, scr_vec3 on, scr_vec3 normal, double reach, touch_sink *sink)
{
  const geo_piece *piece = a->piece;
  if (vec3_dot(normal, vec3_sub(a->middle, on)) > a->extent + reach) return;
  switch (piece->kind) {
  case GEO_PIECE_BALL: add_over(vec3_along(a->position, normal, -a->radius), on, normal, reach, 0, sink); return;
  case GEO_PIECE_CAPSULE:
    for (int end = -1; end <= 1; end += 2)
      add_over(vec3_along(vec3_along(a->position, a->axis, end * a->half_length), normal, -a->radius), on, normal, reach, end > 0, sink);
    return;
  case GEO_PIECE_CYLINDER: cylinder_over(a, on, normal, reach, sink); return;
  case GEO_PIECE_HULL:
    for (size_t v = 0; v < piece->hull.corner_count; v++) add_over(a->corner[v], on, normal, reach, (uint32_t)v, sink);
    return;
  case GEO_PIECE_MESH:
    for (size_t k = 0; k < piece->sample_count; k++)
      add_over(vec3_add(a->position, quat_rotate(a->turn, vec3_scale(piece->sample[k], a->scale))), on, normal, reach, (uint32_t)k, sink);
    return;
  }
}
