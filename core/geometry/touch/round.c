/* Balls and capsules: all that is nearer to a segment than a radius. */
#include "base/memory.h"
#include "geometry/touch/hull_near.h"
#include "geometry/touch/manifold.h"
#include "geometry/segment.h"

static const double parallel = 1e-3; /* sine of the angle below which two rods lie along each other */

static void ends_of(const geo_placed *a, scr_vec3 end[2])
{
  double half = a->piece->kind == GEO_PIECE_CAPSULE ? a->half_length : 0;
  end[0] = vec3_along(a->position, a->axis, -half);
  end[1] = vec3_along(a->position, a->axis, half);
}

/* Two balls about p and r; `out` where they are concentric. */
static void add_balls(scr_vec3 p, double radius, scr_vec3 r, double other, scr_vec3 out, double reach, uint32_t feature, touch_sink *sink)
{
  scr_vec3 away = vec3_sub(p, r);
  double distance = vec3_length(away), gap = distance - radius - other;
  if (gap >= reach) return;
  scr_vec3 n = distance > 0 ? vec3_scale(away, 1 / distance) : out;
  touch_add(sink, vec3_along(r, n, other + 0.5 * gap), n, gap, feature);
}

static scr_vec3 across(scr_vec3 axis)
{
  scr_vec3 side = fabs(axis.x) < 0.6 ? vec3(1, 0, 0) : vec3(0, 1, 0), n = vec3_cross(axis, side);
  return vec3_scale(n, 1 / vec3_length(n));
}

void touch_rounds(const geo_placed *a, const geo_placed *b, double reach, touch_sink *sink)
{
  scr_vec3 p[2], r[2];
  ends_of(a, p);
  ends_of(b, r);
  scr_vec3 d = vec3_sub(p[1], p[0]), e = vec3_sub(r[1], r[0]), out = across(a->axis);
  double size = vec3_length(d) * vec3_length(e);
  bool along = size > 0 && vec3_length(vec3_cross(d, e)) < parallel * size;
  if (along) { /* the stretch of a beside b has two ends, and both touch */
    double t0 = geo_segment_nearest(p[0], p[1], r[0]), t1 = geo_segment_nearest(p[0], p[1], r[1]);
    if (fabs(t1 - t0) * vec3_length(d) > 0.01 * a->radius) {
      const double t[2] = {fmin(t0, t1), fmax(t0, t1)};
      for (uint32_t k = 0; k < 2; k++) {
        scr_vec3 x = vec3_along(p[0], d, t[k]), y = vec3_along(r[0], e, geo_segment_nearest(r[0], r[1], x));
        add_balls(x, a->radius, y, b->radius, out, reach, k + 1, sink);
      }
      return;
    }
  }
  double t, u;
  geo_segments_nearest(p[0], p[1], r[0], r[1], &t, &u);
  add_balls(vec3_along(p[0], d, t), a->radius, vec3_along(r[0], e, u), b->radius, out, reach, 0, sink);
}

/* A capsule's segment over a face that it is nearest to: where it enters and leaves what lies over the face. */
static bool lie_on_face(const scr_vec3 end[2], double radius, const geo_placed *hull, uint32_t face, double reach, touch_sink *sink)
{
  polygon segment = {.count = 2, .point = {end[0], end[1]}, .mark = {0, 1}};
  touch_list found = {0};
  touch_sink own = {.list = &found};
  manifold_over_face(hull, face, &segment, reach + radius, 0, &own);
  for (size_t k = 0; k < found.count; k++) { /* of the segment, normals against the face's */
    scr_vec3 n = hull->normal[face];
    double above = found.items[k].gap, gap = above - radius;
    scr_vec3 on_face = vec3_along(found.items[k].point, n, -0.5 * above);
    touch_add(sink, vec3_along(on_face, n, 0.5 * gap), n, gap, face << 12 | ((uint32_t)k + 1));
  }
  bool any = found.count > 0;
  mem_free(found.items);
  sink->list->failed = sink->list->failed || found.failed;
  return any;
}

/* Which point of the segment is nearest to the hull, of its ends and its nearest points to the edges. */
static hull_near nearest_of_segment(const scr_vec3 end[2], const geo_placed *hull, scr_vec3 *on)
{
  const geo_hull *h = &hull->piece->hull;
  hull_near best = hull_nearest(hull, end[0]), other = hull_nearest(hull, end[1]);
  *on = end[0];
  if (other.distance < best.distance) best = other, *on = end[1];
  for (size_t e = 0; e < h->edge_count && best.distance > 0; e++) {
    double t, u;
    scr_vec3 p = hull->corner[h->edge[e][0]], q = hull->corner[h->edge[e][1]];
    geo_segments_nearest(end[0], end[1], p, q, &t, &u);
    scr_vec3 x = vec3_along(end[0], vec3_sub(end[1], end[0]), t), y = vec3_along(p, vec3_sub(q, p), u), away = vec3_sub(x, y);
    double distance = vec3_length(away);
    if (distance >= best.distance) continue;
    hull_near inside = hull_nearest(hull, x); /* a segment that goes through has points inside */
    best = inside.distance <= 0 || distance == 0 ? inside
                                                 : (hull_near){distance, vec3_scale(away, 1 / distance), y, (uint32_t)(h->face_count + e)};
    *on = x;
  }
  return best;
}

void touch_round_hull(const geo_placed *a, const geo_placed *b, double reach, touch_sink *sink)
{
  scr_vec3 end[2], on;
  ends_of(a, end);
  bool ball = a->piece->kind == GEO_PIECE_BALL;
  hull_near near = ball ? hull_nearest(b, a->position) : nearest_of_segment(end, b, &on);
  double gap = near.distance - a->radius;
  if (gap >= reach) return;
  size_t faces = b->piece->hull.face_count;
  for (size_t f = 0; f < faces && !ball; f++) /* flat on a face, to 0.1 degrees */
    if (vec3_dot(near.normal, b->normal[f]) > 1 - 1.5e-6 && lie_on_face(end, a->radius, b, (uint32_t)f, reach, sink)) return;
  touch_add(sink, vec3_along(near.point, near.normal, 0.5 * gap), near.normal, gap, near.feature << 12);
}
