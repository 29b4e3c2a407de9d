/* Cutting polygons (Sutherland and Hodgman 1974). */
#include "geometry/touch/manifold.h"

static void keep(polygon *p, scr_vec3 point, uint32_t mark, uint32_t side)
{
  if (p->count == POLYGON_LIMIT) return;
  p->point[p->count] = point;
  p->side[p->count] = side;
  p->mark[p->count++] = mark;
}

/* The corner where a side of a polygon, or an end of a segment, is cut. */
static uint32_t mark_of_cut(uint32_t side, uint32_t cut)
{
  return 1u << 18 | (side & 0x1ffu) << 8 | (cut & 0xffu);
}

/* A segment's end that is cut off moves to the cut. */
static void cut_segment(polygon *p, double d0, double d1, uint32_t cut)
{
  if (d0 > 0 && d1 > 0) p->count = 0;
  if (p->count == 0 || (d0 <= 0 && d1 <= 0)) return;
  int out = d0 > 0 ? 0 : 1;
  double t = d0 / (d0 - d1);
  p->point[out] = vec3_along(p->point[0], vec3_sub(p->point[1], p->point[0]), t);
  p->mark[out] = mark_of_cut((uint32_t)out, cut);
}

void polygon_cut(polygon *p, scr_vec3 normal, double offset, uint32_t cut)
{
  if (p->count == 0) return;
  if (p->count == 1) {
    if (vec3_dot(normal, p->point[0]) > offset) p->count = 0;
    return;
  }
  if (p->count == 2) {
    cut_segment(p, vec3_dot(normal, p->point[0]) - offset, vec3_dot(normal, p->point[1]) - offset, cut);
    return;
  }
  polygon kept = {0};
  for (int k = 0; k < p->count; k++) {
    int next = k + 1 < p->count ? k + 1 : 0;
    double d = vec3_dot(normal, p->point[k]) - offset, e = vec3_dot(normal, p->point[next]) - offset;
    if (d <= 0) keep(&kept, p->point[k], p->mark[k], d < 0 || e <= 0 ? p->side[k] : 64 + cut);
    if (!((d < 0 && e > 0) || (d > 0 && e < 0))) continue;
    scr_vec3 on = vec3_along(p->point[k], vec3_sub(p->point[next], p->point[k]), d / (d - e));
    keep(&kept, on, mark_of_cut(p->side[k], cut), d < 0 ? 64 + cut : p->side[k]);
  }
  *p = kept;
}

void manifold_over_face(const geo_placed *a, size_t f, polygon *other, double reach, uint32_t feature, touch_sink *sink)
{
  const geo_hull *h = &a->piece->hull;
  uint32_t first = h->first[f], last = h->first[f + 1];
  scr_vec3 n = a->normal[f];
  double offset = placed_offset(a, f);
  for (uint32_t k = first; k < last; k++) {
    scr_vec3 p = a->corner[h->loop[k]], q = a->corner[h->loop[k + 1 < last ? k + 1 : first]], outward = vec3_cross(vec3_sub(q, p), n);
    double length = vec3_length(outward), slack = 1e-9 * a->extent; /* a corner right on a side stays */
    polygon_cut(other, vec3_scale(outward, 1 / length), vec3_dot(outward, p) / length + slack, k - first);
  }
  for (int k = 0; k < other->count; k++) {
    double gap = vec3_dot(n, other->point[k]) - offset;
    if (gap < reach)
      touch_add(sink, vec3_along(other->point[k], n, -0.5 * gap), vec3_scale(n, -1), gap, feature | (other->mark[k] & 0x7ffffu));
  }
}
