/* The face that a point is farthest in front of decides: over it, it is nearest; beside it, an edge is. */
#include "geometry/touch/hull_near.h"

#include "geometry/segment.h"

bool hull_face_covers(const geo_placed *hull, size_t f, scr_vec3 x, double slack)
{
  const geo_hull *h = &hull->piece->hull;
  uint32_t first = h->first[f], last = h->first[f + 1];
  for (uint32_t k = first; k < last; k++) {
    scr_vec3 p = hull->corner[h->loop[k]], q = hull->corner[h->loop[k + 1 < last ? k + 1 : first]], side = vec3_sub(q, p);
    scr_vec3 outward = vec3_cross(side, hull->normal[f]); /* as long as the side */
    if (vec3_dot(outward, vec3_sub(x, p)) > slack * vec3_length(side)) return false;
  }
  return true;
}

static hull_near nearest_edge(const geo_placed *hull, scr_vec3 x)
{
  const geo_hull *h = &hull->piece->hull;
  hull_near best = {.distance = INFINITY};
  for (size_t e = 0; e < h->edge_count; e++) {
    scr_vec3 p = hull->corner[h->edge[e][0]], q = hull->corner[h->edge[e][1]];
    scr_vec3 on = vec3_along(p, vec3_sub(q, p), geo_segment_nearest(p, q, x)), away = vec3_sub(x, on);
    double distance = vec3_length(away);
    if (distance < best.distance)
      best = (hull_near){distance, distance > 0 ? vec3_scale(away, 1 / distance) : away, on, (uint32_t)(h->face_count + e)};
  }
  return best;
}

hull_near hull_nearest(const geo_placed *hull, scr_vec3 x)
{
  const geo_hull *h = &hull->piece->hull;
  size_t top = 0;
  double farthest = -INFINITY;
  for (size_t f = 0; f < h->face_count; f++) {
    double in_front = vec3_dot(hull->normal[f], x) - placed_offset(hull, f);
    if (in_front > farthest) farthest = in_front, top = f;
  }
  hull_near face = {farthest, hull->normal[top], vec3_along(x, hull->normal[top], -farthest), (uint32_t)top};
  if (farthest <= 0 || hull_face_covers(hull, top, x, 0)) return face;
  hull_near edge = nearest_edge(hull, x);
  return edge.distance > 0 ? edge : face;
}
