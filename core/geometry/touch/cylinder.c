/* Cylinders against balls, capsules, hulls and each other.
 *
 * The axis of contact is that of largest separation among candidates: flat ends and faces, and the lines between nearest points of an edge,
 * an end or a rim and the cylinder, which are exact while the bodies are apart: distance to a convex body is convex along an edge, and
 * projecting to and fro between two convex bodies ends at their nearest points (Cheney and Goldstein 1959). What lies flat on the axis's
 * two sides is then cut to what they have in common. */
#include "geometry/solid.h"
#include "geometry/touch/manifold.h"
#include "geometry/segment.h"

enum { RIM = 16, SEARCH = 40, PROJECTIONS = 24 };
static const double flat = 1e-3; /* sine of the angle below which an end or a mantle counts as lying on what it meets */

/* ── one convex piece ───────────────────────────────────────────────────────────────────────────────────────────── */

/* Unit, of n across the axis; 0 where n is along it but for rounding, so that what is rounding gets no length. */
static scr_vec3 perpendicular(scr_vec3 n, scr_vec3 axis)
{
  scr_vec3 p = vec3_along(n, axis, -vec3_dot(n, axis));
  double length = vec3_length(p);
  return length > 1e-12 ? vec3_scale(p, 1 / length) : vec3(0, 0, 0);
}

/* The farthest point of a piece along n. */
static scr_vec3 support(const geo_placed *p, scr_vec3 n)
{
  double side = vec3_dot(n, p->axis) < 0 ? -p->half_length : p->half_length;
  if (p->piece->kind == GEO_PIECE_BALL) return vec3_along(p->position, n, p->radius);
  if (p->piece->kind == GEO_PIECE_CAPSULE) return vec3_along(vec3_along(p->position, p->axis, side), n, p->radius);
  if (p->piece->kind == GEO_PIECE_CYLINDER) return vec3_along(vec3_along(p->position, p->axis, side), perpendicular(n, p->axis), p->radius);
  scr_vec3 best = p->corner[0];
  for (size_t v = 1; v < p->piece->hull.corner_count; v++)
    if (vec3_dot(n, p->corner[v]) > vec3_dot(n, best)) best = p->corner[v];
  return best;
}

static geo_nearest from_cylinder(const geo_placed *c, scr_vec3 x)
{
  const geo_placed_solid rod = {
      .kind = GEO_PLACED_CYLINDER, .position = c->position, .rotation = c->turn, .radius = c->radius, .half_height = c->half_length};
  return geo_placed_nearest(&rod, x);
}

/* ── the axis ───────────────────────────────────────────────────────────────────────────────────────────────────── */

typedef struct axis_search {
  const geo_placed *a, *b;
  double separation; /* m, the largest so far */
  scr_vec3 normal;   /* unit, from a to b */
  bool witnessed;    /* nearest points are known */
  scr_vec3 on_a, on_b;
} axis_search;

static bool try_axis(axis_search *search, scr_vec3 n)
{
  double separation = vec3_dot(n, vec3_sub(support(search->b, vec3_scale(n, -1)), support(search->a, n)));
  if (!(separation > search->separation)) return false;
  search->separation = separation;
  search->normal = n;
  search->witnessed = false;
  return true;
}

/* The line from the cylinder a to a point of b. */
static void try_point(axis_search *search, scr_vec3 x)
{
  geo_nearest near = from_cylinder(search->a, x);
  if (near.distance <= 0 || !try_axis(search, near.gradient)) return;
  search->witnessed = true;
  search->on_a = near.point;
  search->on_b = x;
}

/* The point of p q nearest to the cylinder, by golden sections. */
static void try_edge(axis_search *search, scr_vec3 p, scr_vec3 q)
{
  const double ratio = 0.6180339887498949;
  scr_vec3 d = vec3_sub(q, p);
  double low = 0, high = 1, t = 1 - ratio, u = ratio;
  double at_t = from_cylinder(search->a, vec3_along(p, d, t)).distance, at_u = from_cylinder(search->a, vec3_along(p, d, u)).distance;
  for (int k = 0; k < SEARCH; k++) {
    if (at_t < at_u) {
      high = u, u = t, at_u = at_t, t = high - ratio * (high - low);
      at_t = from_cylinder(search->a, vec3_along(p, d, t)).distance;
    } else {
      low = t, t = u, at_t = at_u, u = low + ratio * (high - low);
      at_u = from_cylinder(search->a, vec3_along(p, d, u)).distance;
    }
  }
  try_point(search, vec3_along(p, d, 0.5 * (low + high)));
}

/* The line between the axes: mantle against mantle, or against an edge. */
static void try_line(axis_search *search, scr_vec3 p, scr_vec3 q)
{
  const geo_placed *a = search->a;
  double t, u;
  scr_vec3 r = vec3_along(a->position, a->axis, -a->half_length), s = vec3_along(a->position, a->axis, a->half_length);
  geo_segments_nearest(r, s, p, q, &t, &u);
  scr_vec3 away = vec3_sub(vec3_along(p, vec3_sub(q, p), u), vec3_along(r, vec3_sub(s, r), t));
  double length = vec3_length(away);
  if (length > 0) try_axis(search, vec3_scale(away, 1 / length));
}

static void try_hull(axis_search *search)
{
  const geo_hull *h = &search->b->piece->hull;
  const scr_vec3 *corner = search->b->corner;
  for (size_t f = 0; f < h->face_count; f++) try_axis(search, vec3_scale(search->b->normal[f], -1));
  for (size_t e = 0; e < h->edge_count; e++) {
    try_line(search, corner[h->edge[e][0]], corner[h->edge[e][1]]);
    try_edge(search, corner[h->edge[e][0]], corner[h->edge[e][1]]);
  }
}

static void try_other_cylinder(axis_search *search)
{
  const geo_placed *a = search->a, *b = search->b;
  try_axis(search, b->axis);
  try_axis(search, vec3_scale(b->axis, -1));
  try_line(search, vec3_along(b->position, b->axis, -b->half_length), vec3_along(b->position, b->axis, b->half_length));
  scr_vec3 x = b->position;
  for (int k = 0; k < PROJECTIONS; k++) {
    geo_nearest of_a = from_cylinder(a, x), of_b;
    if (of_a.distance <= 0) return;
    of_b = from_cylinder(b, of_a.point);
    if (of_b.distance <= 0) return;
    x = of_b.point;
  }
  try_point(search, x);
}

static axis_search find_axis(const geo_placed *a, const geo_placed *b)
{
  axis_search search = {.a = a, .b = b, .separation = -INFINITY};
  try_axis(&search, a->axis);
  try_axis(&search, vec3_scale(a->axis, -1));
  if (b->piece->kind == GEO_PIECE_HULL)
    try_hull(&search);
  else if (b->piece->kind == GEO_PIECE_CYLINDER)
    try_other_cylinder(&search);
  else {
    scr_vec3 p = vec3_along(b->position, b->axis, -b->half_length), q = vec3_along(b->position, b->axis, b->half_length);
    try_line(&search, p, q);
    try_edge(&search, p, q); /* of the core: as far as the capsule, less its radius, along the same line */
    if (search.witnessed) search.on_b = vec3_along(search.on_b, search.normal, -b->radius);
  }
  return search;
}

/* ── what lies flat on both sides ───────────────────────────────────────────────────────────────────────────────── */

static void add_corner(polygon *p, scr_vec3 x, uint32_t mark)
{
  p->point[p->count] = x;
  p->side[p->count] = mark;
  p->mark[p->count++] = mark;
}

/* An end as a polygon, the line of a mantle, or a point of a rim. */
static polygon side_of_rod(const geo_placed *p, scr_vec3 n)
{
  polygon side = {0};
  double lengthwise = vec3_dot(n, p->axis), end = lengthwise < 0 ? -p->half_length : p->half_length;
  scr_vec3 out = p->piece->kind == GEO_PIECE_CAPSULE ? n : perpendicular(n, p->axis);
  uint32_t mark = lengthwise < 0 ? 32 : 0;
  if (p->piece->kind == GEO_PIECE_CYLINDER && fabs(lengthwise) > sqrt(1 - flat * flat)) {
    scr_vec3 u = quat_rotate(p->turn, vec3(1, 0, 0)), v = vec3_cross(p->axis, u), centre = vec3_along(p->position, p->axis, end);
    for (uint32_t k = 0; k < RIM; k++) {
      double angle = 2 * M_PI * k / RIM;
      add_corner(&side, vec3_add(centre, vec3_add(vec3_scale(u, p->radius * cos(angle)), vec3_scale(v, p->radius * sin(angle)))), mark + k);
    }
  } else if (fabs(lengthwise) < flat && p->half_length > 0) {
    add_corner(&side, vec3_along(vec3_along(p->position, p->axis, -p->half_length), out, p->radius), 16);
    add_corner(&side, vec3_along(vec3_along(p->position, p->axis, p->half_length), out, p->radius), 17);
  } else
    add_corner(&side, support(p, n), mark + 18);
  return side;
}

static polygon side_of_hull(const geo_placed *p, scr_vec3 n)
{
  polygon side = {0};
  const geo_hull *h = &p->piece->hull;
  for (size_t f = 0; f < h->face_count; f++) {
    if (vec3_dot(n, p->normal[f]) < 1 - 0.5 * flat * flat) continue;
    for (uint32_t k = h->first[f]; k < h->first[f + 1] && side.count < POLYGON_LIMIT; k++)
      add_corner(&side, p->corner[h->loop[k]], k - h->first[f]);
    return side;
  }
  for (size_t e = 0; e < h->edge_count; e++) { /* an edge that lies across n, at the top */
    scr_vec3 u = p->corner[h->edge[e][0]], v = p->corner[h->edge[e][1]], top = support(p, n);
    double length = vec3_length(vec3_sub(v, u));
    if (vec3_dot(n, vec3_sub(top, u)) > flat * length || vec3_dot(n, vec3_sub(top, v)) > flat * length) continue;
    add_corner(&side, u, (uint32_t)(2 * e) & 63);
    add_corner(&side, v, (uint32_t)(2 * e + 1) & 63);
    return side;
  }
  add_corner(&side, support(p, n), 0);
  return side;
}

/* Cuts `other` to what lies beside the sides of `base`, looked at along n. */
static void cut_to(polygon *other, const polygon *base, scr_vec3 n)
{
  scr_vec3 middle = vec3(0, 0, 0);
  for (int k = 0; k < base->count; k++) middle = vec3_along(middle, base->point[k], 1.0 / base->count);
  for (int k = 0; k < base->count; k++) {
    scr_vec3 p = base->point[k], q = base->point[k + 1 < base->count ? k + 1 : 0];
    scr_vec3 outward = base->count > 2 ? vec3_cross(vec3_sub(q, p), n) : vec3_sub(p, q);
    if (vec3_dot(outward, vec3_sub(p, middle)) < 0) outward = vec3_scale(outward, -1);
    polygon_cut(other, outward, vec3_dot(outward, p) + 1e-9 * vec3_dot(outward, outward), (uint32_t)k);
  }
}

static bool parallel(const polygon *a, const polygon *b)
{
  scr_vec3 d = vec3_sub(a->point[1], a->point[0]), e = vec3_sub(b->point[1], b->point[0]);
  return vec3_length(vec3_cross(d, e)) < 10 * flat * vec3_length(d) * vec3_length(e);
}

static void touch_along(const axis_search *axis, double reach, touch_sink *sink)
{
  scr_vec3 n = axis->normal;
  polygon a = side_of_rod(axis->a, n), b = {0};
  b = axis->b->piece->kind == GEO_PIECE_HULL ? side_of_hull(axis->b, vec3_scale(n, -1)) : side_of_rod(axis->b, vec3_scale(n, -1));
  bool lines = a.count == 2 && b.count == 2, spread = a.count > 1 && b.count > 1 && (!lines || parallel(&a, &b));
  bool on_a = a.count >= b.count;
  polygon base = on_a ? a : b, other = on_a ? b : a;
  int before = other.count;
  if (base.count > 2 || spread) cut_to(&other, &base, n);
  if (other.count > 0 && (spread || (base.count > 2 && before == 1))) {
    for (int k = 0; k < other.count; k++) {
      double gap = vec3_dot(n, vec3_sub(other.point[k], base.point[0])) * (on_a ? 1 : -1);
      if (base.count == 2) gap = fmax(gap, axis->separation); /* of lines that are not quite parallel */
      if (gap < reach)
        touch_add(sink, vec3_along(other.point[k], n, (on_a ? -0.5 : 0.5) * gap), vec3_scale(n, -1), gap, 1u << 20 | other.mark[k]);
    }
    return;
  }
  scr_vec3 p = axis->witnessed ? axis->on_a : support(axis->a, n), q = axis->witnessed ? axis->on_b : support(axis->b, vec3_scale(n, -1));
  if (lines && !axis->witnessed) {
    double t, u;
    geo_segments_nearest(a.point[0], a.point[1], b.point[0], b.point[1], &t, &u);
    p = vec3_along(a.point[0], vec3_sub(a.point[1], a.point[0]), t), q = vec3_along(b.point[0], vec3_sub(b.point[1], b.point[0]), u);
  } else if (!axis->witnessed && a.count > 1)
    p = q; /* the point of b decides where */
  else if (!axis->witnessed && b.count > 1)
    q = p;
  touch_add(sink, vec3_scale(vec3_add(p, q), 0.5), vec3_scale(n, -1), axis->separation, 0);
}

void touch_cylinder(const geo_placed *a, const geo_placed *b, double reach, touch_sink *sink)
{
  if (b->piece->kind == GEO_PIECE_BALL) {
    geo_nearest near = from_cylinder(a, b->position);
    double gap = near.distance - b->radius;
    if (gap < reach) touch_add(sink, vec3_along(near.point, near.gradient, 0.5 * gap), vec3_scale(near.gradient, -1), gap, 0);
    return;
  }
  axis_search axis = find_axis(a, b);
  if (axis.separation < reach) touch_along(&axis, reach, sink);
}
