/* When what is fast meets within a step.
 *
 * A contact that is solved from where bodies are at the start of a step has the normal and the arms of that moment. A jack that goes half
 * its size in a step is turned otherwise by the time it lands, and a second arm that would cross the floor later in the step is held at
 * once. So a step with a fast impact is divided: a flight up to the moment of touch, the impact in a moment too short to move, and the
 * rest.
 *
 *   gap(t) >= gap + u t - (2 g_n + sum w^2 R) t^2 / 2      u < 0: closing speed at the place of touch; w, R: spins and extents of both; g_n
 *   twice,
 *                                                           since contacts see the velocity of a flight's end, u - g_n t
 *
 * The flight goes to the root of the right side, short of the touch, and is repeated from there (conservative advancement: Mirtich, Canny
 * 1995). */
#include "methods/rigid/state/state.h"

/* What divides a step: whatever bounces; of what does not, travel in a whole step over the lesser thickness. Closing by more than gravity
 * makes of what rests in two steps. */
static const double fast_travel = 0.4, resting_steps = 2;

/* Gaps over the lesser thickness that count as touch. Where a step has many impacts those that are near each other in time are taken
 * together, and what goes less far than that in the step does not divide it. */
static const double touching = 1e-5, touching_of_many = 0.05;

/* Of the time to touch, so that rounding does not make a flight an impact. */
static const double short_of = 0.999;

typedef struct approach {
  double speed;     /* m/s along the normal, < 0: closing */
  double travel;    /* m/s, of all the relative motion */
  double bend;      /* m/s^2, by which gravity and turning may close faster */
  double thickness; /* m, the lesser */
} approach;

static double spin_of(const rigid_body *body)
{
  return vec3_length(body->spin);
}

/* Velocity of a part under a servo along its axis, as it was, and as it is once the step is solved (before: as if nothing were in the way).
 * */
static double steered_before(const rigid_state *s, const sim_parts *parts, const geo_touch *touch)
{
  return touch->b < s->body_count ? 0 : parts->servo_motion[touch->b - s->body_count].velocity;
}

static double steered_after(const rigid_state *s, const geo_touch *touch)
{
  return touch->b < s->body_count ? 0 : s->servo_velocity[touch->b - s->body_count];
}

static approach approach_of(const rigid_state *s, const sim_parts *parts, const geo_touch *touch, double steered, double dt)
{
  const rigid_body *a = &s->bodies[touch->a];
  scr_vec3 relative = vec3_add(a->velocity, vec3_cross(a->spin, vec3_sub(touch->point, a->centre))), gravity = s->scene->rig.gravity;
  double extent = s->shapes[a->shape].extent * a->scale, w = spin_of(a);
  approach found = {.travel = w * extent, .bend = w * w * extent, .thickness = s->shapes[a->shape].thickness * a->scale};
  if (touch->b < s->body_count) {
    const rigid_body *b = &s->bodies[touch->b];
    relative = vec3_sub(relative, vec3_add(b->velocity, vec3_cross(b->spin, vec3_sub(touch->point, b->centre))));
    extent = s->shapes[b->shape].extent * b->scale, w = spin_of(b);
    found.travel += w * extent + vec3_length(vec3_sub(a->velocity, b->velocity));
    found.bend += w * w * extent + 2 * fabs(vec3_dot(gravity, touch->normal)); /* one of them may lie */
    found.thickness = fmin(found.thickness, s->shapes[b->shape].thickness * b->scale);
  } else {
    size_t p = touch->b - s->body_count;
    scr_vec3 driven = vec3_scale(part_displacement_at(&s->displacement[p], vec3_sub(touch->point, parts->now[p].pose.position)), 1 / dt);
    if (s->servo_inverse_mass[p] > 0) driven = vec3_along(driven, parts->form[p].axis, steered);
    relative = vec3_sub(relative, driven);
    found.travel += vec3_length(vec3_sub(a->velocity, driven));
    found.bend += 2 * fmax(0, -vec3_dot(gravity, touch->normal));
  }
  found.speed = vec3_dot(relative, touch->normal);
  return found;
}

/* From which travel over the thickness on a step is divided. Balls keep their shape however they turn: those that do not bounce are stopped
 * at the end of the step, where they touch. */
static double fast_for(const rigid_state *s, const geo_touch *touch)
{
  const rigid_shape *a = &s->shapes[s->bodies[touch->a].shape], *b = touch->b < s->body_count ? &s->shapes[s->bodies[touch->b].shape] : a;
  bool balls = a->piece_count == 1 && a->pieces[0].kind == GEO_PIECE_BALL && b->piece_count == 1 && b->pieces[0].kind == GEO_PIECE_BALL;
  return rigid_law(s, touch->a, touch->b)->restitution > 0 ? 0 : balls ? (double)INFINITY : fast_travel;
}

rigid_impact rigid_next_impact(const rigid_state *s, const sim_parts *parts, double left, bool first, bool many)
{
  const double gravity = vec3_length(s->scene->rig.gravity), step = s->time_step;
  rigid_impact next = {.time = left};
  const geo_touch *last = NULL;
  for (size_t k = 0; k < s->detection.touches.count; k++) {
    const geo_touch *touch = &s->detection.touches.items[k];
    approach to = approach_of(s, parts, touch, steered_before(s, parts, touch), left);
    double fast = fmax(fast_for(s, touch), many ? touching_of_many : 0), near = (many ? touching_of_many : touching) * to.thickness;
    if (-to.speed <= resting_steps * gravity * step || to.travel * step <= fast * to.thickness) continue;
    double gap = fmax(touch->gap, 0);
    if (gap + to.speed * left > near || (first && gap <= near))
      continue; /* not in this step, or from its start on, which needs no flight */
    next.pairs += !last || last->a != touch->a || last->b != touch->b;
    last = touch;
    if (gap <= near)
      next.touching = fmax(next.touching, near), next.time = 0;
    else
      next.time = fmin(next.time, short_of * 2 * gap / (-to.speed + sqrt(to.speed * to.speed + 2 * to.bend * gap)));
  }
  return next;
}

void rigid_narrow_touches(rigid_state *s, const sim_parts *parts, double dt)
{
  const double gravity = vec3_length(s->scene->rig.gravity), margin = fmax(s->margin * dt / s->time_step, s->touching);
  touch_list *list = &s->detection.touches;
  size_t kept = 0;
  for (size_t k = 0; k < list->count; k++) {
    approach to = approach_of(s, parts, &list->items[k], steered_after(s, &list->items[k]), dt);
    if (list->items[k].gap < margin + (to.travel + 2 * gravity * dt) * dt) list->items[kept++] = list->items[k];
  }
  list->count = kept;
}

/* Bodies that no impulse has moved fly, though something was near enough to be looked at: places follow with the mean of both velocities,
 * unless that would cross a gap. */
void rigid_find_untouched(rigid_state *s, const sim_parts *parts, double dt)
{
  for (size_t i = 0; i < s->specimen_bodies; i++) s->free[i].untouched = true;
  for (size_t k = 0; k < s->contact_count; k++) {
    const rigid_contact *c = &s->contacts[k];
    const geo_touch *touch = &c->touch;
    bool pressed = c->impulse[0] != 0 || c->impulse[1] != 0 || c->impulse[2] != 0 || c->hold > 0 || c->couple[0] != 0 ||
                   c->couple[1] != 0 || c->couple[2] != 0;
    if (!pressed) {
      scr_vec3 gravity = s->scene->rig.gravity;
      approach to = approach_of(s, parts, touch, steered_after(s, touch), dt);
      double drop = 0.5 * dt * vec3_dot(gravity, touch->normal);
      if (touch->b < s->body_count) drop = -fabs(drop); /* the other may lie */
      pressed = touch->gap + dt * (to.speed + drop) < 0;
    }
    if (!pressed) continue;
    s->free[touch->a].untouched = false;
    if (touch->b < s->body_count) s->free[touch->b].untouched = false;
  }
}
