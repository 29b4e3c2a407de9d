/* Who sleeps, and what wakes them. */
#include "methods/rigid/step/sleep.h"

#include <string.h>

/* What gravity gives in a whole step, m/s. */
static double fall_of(const rigid_state *s)
{
  return vec3_length(s->scene->rig.gravity) * s->time_step;
}

static double extent_of(const rigid_state *s, size_t i)
{
  return s->shapes[s->bodies[i].shape].extent * s->bodies[i].scale;
}

void rigid_wake_by_parts(rigid_state *s, const sim_parts *parts, double dt)
{
  for (size_t k = 0; k < s->contact_count; k++) {
    const rigid_contact *c = &s->contacts[k];
    if (c->touch.b < s->body_count || s->calm[c->touch.a] == 0) continue;
    scr_vec3 velocity = rigid_driven_velocity(s, parts, c, dt), spin = rigid_other_spin(s, c, dt);
    if (vec3_dot(velocity, velocity) > 0 || vec3_dot(spin, spin) > 0) s->calm[c->touch.a] = 0;
  }
}

/* Sums of the impulses of all contacts on sleepers, and of their moments. */
static void sum_impulses(rigid_state *s)
{
  memset(s->push, 0, s->body_count * sizeof *s->push);
  memset(s->twist, 0, s->body_count * sizeof *s->twist);
  for (size_t k = 0; k < s->contact_count; k++) {
    const rigid_contact *c = &s->contacts[k];
    const double *r = s->problem.kept + 6 * k;
    scr_vec3 impulse = vec3_along(vec3(r[0], r[1], r[2]), c->touch.normal, -c->hold), couple = vec3(r[3], r[4], r[5]);
    const uint32_t body[2] = {c->touch.a, c->touch.b};
    for (int side = 0; side < 2; side++) {
      if (body[side] >= s->body_count || !rigid_is_asleep(s, body[side])) continue;
      double sign = side ? -1 : 1;
      scr_vec3 arm = vec3_sub(c->touch.point, s->bodies[body[side]].centre);
      s->push[body[side]] = vec3_along(s->push[body[side]], impulse, sign);
      s->twist[body[side]] = vec3_along(s->twist[body[side]], vec3_add(vec3_cross(arm, impulse), couple), sign);
    }
  }
}

/* Wakes the other of a contact that carries a force where one of the two wakes its neighbours. @return whether it woke one */
static bool wake_across(rigid_state *s, size_t k)
{
  const geo_touch *touch = &s->contacts[k].touch;
  const double *r = s->problem.kept + 6 * k;
  if (touch->b >= s->body_count || (r[0] == 0 && r[1] == 0 && r[2] == 0)) return false;
  bool by_a = s->woken[touch->a] == 1, by_b = s->woken[touch->b] == 1;
  if (by_a == by_b) return false;
  uint32_t other = by_a ? touch->b : touch->a;
  if (!rigid_is_asleep(s, other)) return false;
  s->calm[other] = 0;
  s->woken[other] = 2;
  return true;
}

size_t rigid_wake_unbalanced(rigid_state *s, double dt, bool far)
{
  size_t count = 0;
  double most = WAKE_BALANCE * fall_of(s);
  sum_impulses(s);
  memset(s->woken, 0, s->body_count * sizeof *s->woken);
  for (size_t i = 0; i < s->body_count; i++) {
    const rigid_body *body = &s->bodies[i];
    if (!rigid_is_asleep(s, i)) continue;
    scr_vec3 gained = vec3_along(vec3_scale(s->push[i], 1 / body->mass), s->scene->rig.gravity, dt);
    if (vec3_length(gained) <= most && extent_of(s, i) * vec3_length(s->twist[i]) <= most * body->moments.x) continue;
    s->woken[i] = 1;
    count++;
  }
  for (size_t i = 0; i < s->body_count && count > 0; i++)
    if (s->woken[i]) s->calm[i] = 0;
  for (bool more = count > 0; more;) {
    more = false;
    for (size_t k = 0; k < s->contact_count; k++) more |= wake_across(s, k);
    for (size_t i = 0; i < s->body_count; i++) {
      count += s->woken[i] == 2;
      s->woken[i] = s->woken[i] > 0 && (far || s->woken[i] == 1);
    }
    more = more && far;
  }
  return count;
}

void rigid_take_rest_of_motion(rigid_state *s, size_t i)
{
  rigid_body *body = &s->bodies[i];
  s->ledger->impact += rigid_body_kinetic(body);
  body->velocity = body->spin = body->momentum = vec3(0, 0, 0);
}

bool rigid_many_sleep(const rigid_state *s)
{
  size_t count = 0;
  for (size_t i = 0; i < s->body_count; i++) count += s->calm[i] >= SLEEP_STEPS - 1;
  return 4 * count >= s->body_count;
}

/* Speed of a body's fastest point, at most; of two velocities and spins the difference. */
static double speed_between(const rigid_state *s, size_t i, const scr_vec3 *velocity, const scr_vec3 *spin)
{
  return vec3_length(vec3_sub(velocity[0], velocity[1])) + extent_of(s, i) * vec3_length(vec3_sub(spin[0], spin[1]));
}

void rigid_fall_asleep(rigid_state *s)
{
  const scr_vec3 none = vec3(0, 0, 0);
  double fall = fall_of(s);
  for (size_t i = 0; i < s->body_count; i++) {
    const rigid_body *body = &s->bodies[i];
    const scr_vec3 velocity[2] = {body->velocity, none}, spin[2] = {body->spin, none};
    bool slow = s->report.pack == RIGID_SWEPT && i < s->specimen_bodies && speed_between(s, i, velocity, spin) < SLEEP_SPEED * fall;
    if (slow && rigid_is_asleep(s, i)) continue;
    /* what it had at the start of the step, or of its last piece */
    const scr_vec3 went[2] = {body->velocity, vec3_along(s->free[i].velocity, s->scene->rig.gravity, -s->contact_time)};
    const scr_vec3 turned[2] = {body->spin, s->free[i].turning.spin};
    bool balanced = s->calm[i] + 1 < SLEEP_STEPS || speed_between(s, i, went, turned) < SLEEP_BALANCE * fall;
    s->calm[i] = !slow ? 0 : balanced ? s->calm[i] + 1 : s->calm[i];
    if (rigid_is_asleep(s, i)) rigid_take_rest_of_motion(s, i);
  }
}

size_t rigid_count_asleep(const rigid_state *s)
{
  size_t count = 0;
  for (size_t i = 0; i < s->body_count; i++) count += rigid_is_asleep(s, i);
  return count;
}
