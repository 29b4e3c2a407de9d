/* Volumes below planes: a ball's in closed form, a closed surface's by the divergence theorem.
 *
 * With F = (0, 0, z - h), div F = 1 and F = 0 on the plane z = h, so that the volume of a solid below the plane is the integral of (z - h)
 * n_z over the part of its surface that lies below. */
#include "methods/rigid/view/profile.h"

/* How far a piece reaches from its middle along x, y and z. */
static scr_vec3 half_box(const geo_piece *piece, scr_quat turn, double scale)
{
  scr_vec3 axis = quat_rotate(turn, vec3(0, 0, 1));
  double r = piece->radius * scale, h = piece->half_length * scale;
  if (piece->kind == GEO_PIECE_BALL) return vec3(r, r, r);
  if (piece->kind == GEO_PIECE_CAPSULE) return vec3(r + fabs(axis.x) * h, r + fabs(axis.y) * h, r + fabs(axis.z) * h);
  if (piece->kind == GEO_PIECE_CYLINDER)
    return vec3(r * sqrt(fmax(0, 1 - axis.x * axis.x)) + fabs(axis.x) * h, r * sqrt(fmax(0, 1 - axis.y * axis.y)) + fabs(axis.y) * h,
                r * sqrt(fmax(0, 1 - axis.z * axis.z)) + fabs(axis.z) * h);
  scr_vec3 half = vec3(0, 0, 0);
  size_t count = piece->kind == GEO_PIECE_HULL ? piece->hull.corner_count : piece->sample_count;
  for (size_t k = 0; k < count; k++) {
    scr_vec3 x = vec3_scale(quat_rotate(turn, piece->kind == GEO_PIECE_HULL ? piece->hull.corner[k] : piece->sample[k]), scale);
    half = vec3(fmax(half.x, fabs(x.x)), fmax(half.y, fabs(x.y)), fmax(half.z, fabs(x.z)));
  }
  return half;
}

geo_box rigid_bed_box(const rigid_state *s)
{
  geo_box box = geo_box_empty();
  for (size_t i = 0; i < s->specimen_bodies; i++) {
    const rigid_body *body = &s->bodies[i];
    const rigid_shape *shape = &s->shapes[body->shape];
    for (size_t k = 0; k < shape->piece_count; k++) {
      const geo_piece *piece = &shape->pieces[k];
      scr_vec3 half = half_box(piece, quat_multiply(body->attitude, piece->turn), body->scale);
      scr_vec3 at = vec3_add(body->centre, quat_rotate(body->attitude, vec3_scale(piece->place, body->scale)));
      box = geo_box_join(box, (geo_box){vec3_sub(at, half), vec3_add(at, half)});
    }
  }
  return box;
}

/* ── volumes below planes ───────────────────────────────────────────────────────────────────────────────────────────── */

/* Planes at low + k step, k = 0 ... count, and the volume of bodies between each and the next. */
typedef struct slabs {
  double low, step;
  size_t count;
  double *solid; /* [count] m^3 */
} slabs;

/* Volume below height h of a ball about height 0. */
static double ball_below(double radius, double h)
{
  double t = fmax(-radius, fmin(radius, h));
  return M_PI * (radius * radius * t - t * t * t / 3 + 2 * radius * radius * radius / 3);
}

/* Integral of d over the part of a triangle where d < 0, over its area; d: that of its corners. */
static double integral_below(double a, double b, double c)
{
  double least = fmin(a, fmin(b, c)), most = fmax(a, fmax(b, c)), middle = a + b + c - least - most;
  if (most <= 0) return (a + b + c) / 3;
  if (least >= 0) return 0;
  if (middle >= 0) return least * least / ((least - middle) * (least - most)) * least / 3;
  return (a + b + c) / 3 - most * most / ((most - least) * (most - middle)) * most / 3;
}

/* Where a surface of a body is, along the axis. */
typedef struct cut_body {
  const geo_mesh *surface;
  scr_vec3 axis; /* in the axes of the surface, times the body's scale */
  double origin; /* height of the surface's origin */
  double area;   /* scale^2: of the body's surface over that of `surface` */
} cut_body;

static double height_of(const cut_body *body, uint32_t corner)
{
  return body->origin + vec3_dot(body->axis, body->surface->vertex[corner]);
}

static double surface_below(const cut_body *body, double h)
{
  double volume = 0, length = vec3_length(body->axis);
  for (size_t t = 0; t < body->surface->triangle_count; t++) {
    const uint32_t *c = body->surface->triangle[t];
    double across = 0.5 * body->area * vec3_dot(geo_mesh_area_normal(body->surface, t), body->axis) / length;
    volume += across * integral_below(height_of(body, c[0]) - h, height_of(body, c[1]) - h, height_of(body, c[2]) - h);
  }
  return volume;
}

/* Adds a body whose heights are low ... high; `below`: its volume below a height. */
static void add_slices(slabs *to, double low, double high, double volume, double (*below)(const void *body, double h), const void *body)
{
  double first = floor((low - to->low) / to->step), before = 0;
  for (size_t k = first > 0 ? (size_t)first : 0; k < to->count; k++) {
    double top = to->low + (double)(k + 1) * to->step, now = top >= high || k + 1 == to->count ? volume : below(body, top);
    to->solid[k] += now - before;
    before = now;
    if (top >= high) return;
  }
}

typedef struct cut_ball {
  double radius, height;
} cut_ball;

static double below_of_ball(const void *user, double h)
{
  const cut_ball *ball = user;
  return ball_below(ball->radius, h - ball->height);
}

/* The volume of the surface that is drawn is not quite the body's: `factor`. */
typedef struct cut_surface {
  cut_body body;
  double factor;
} cut_surface;

static double below_of_surface(const void *user, double h)
{
  const cut_surface *cut = user;
  return cut->factor * surface_below(&cut->body, h);
}

static void add_body(const rigid_state *s, const rigid_body *body, scr_vec3 axis, slabs *to)
{
  const rigid_shape *shape = &s->shapes[body->shape];
  double scale = body->scale, volume = shape->unit.mass * scale * scale * scale, height = vec3_dot(axis, body->centre);
  if (shape->piece_count == 1 && shape->pieces[0].kind == GEO_PIECE_BALL) {
    cut_ball ball = {scale * shape->pieces[0].radius, height};
    add_slices(to, height - ball.radius, height + ball.radius, volume, below_of_ball, &ball);
    return;
  }
  scr_vec3 own = quat_rotate(quat_conjugate(quat_multiply(body->attitude, quat_conjugate(shape->unit.axes))), vec3_scale(axis, scale));
  cut_surface cut = {.body = {&shape->picture, own, height - vec3_dot(own, shape->unit.centre), scale * scale}};
  double low = INFINITY, high = -INFINITY;
  for (size_t v = 0; v < shape->picture.vertex_count; v++) {
    double h = cut.body.origin + vec3_dot(own, shape->picture.vertex[v]);
    low = fmin(low, h), high = fmax(high, h);
  }
  cut.factor = volume / surface_below(&cut.body, high);
  add_slices(to, low, high, volume, below_of_surface, &cut);
}

void rigid_porosity(const rigid_state *s, int axis, size_t layers, double *low, double *thickness, double *porosity)
{
  geo_box box = rigid_bed_box(s);
  scr_vec3 edge = vec3_sub(box.high, box.low), along = vec3(axis == 0, axis == 1, axis == 2);
  *low = vec3_dot(along, box.low);
  *thickness = vec3_dot(along, edge) / (double)layers;
  slabs to = {*low, *thickness, layers, porosity};
  for (size_t k = 0; k < layers; k++) porosity[k] = 0;
  for (size_t i = 0; i < s->specimen_bodies; i++) add_body(s, &s->bodies[i], along, &to);
  for (size_t k = 0; k < layers; k++) porosity[k] = 1 - porosity[k] / (edge.x * edge.y * edge.z / (double)layers);
}
