/* Islands of bodies that rest. */
#include "methods/rigid/step/islands.h"

#include <string.h>

#include "methods/rigid/step/sleep.h"

/* What is said of an island, at the body that stands for it. */
enum { IS_AWAKE = 1, IS_DRIVEN = 2, IS_RESTLESS = 4 };

bool rigid_islands_sleep(const rigid_state *s)
{
  enum { BODIES = 100 };
  return rigid_may_sweep(s->options) && s->body_count >= BODIES && !s->rolls && vec3_length(s->scene->rig.gravity) > 0;
}

/* The body that stands for an island; ways to it are halved. */
static uint32_t root_of(rigid_state *s, uint32_t body)
{
  while (s->island[body] != body) {
    s->island[body] = s->island[s->island[body]];
    body = s->island[body];
  }
  return body;
}

/* Of two the smaller number stands for both, so that the order of contacts does not matter. */
static void unite(rigid_state *s, uint32_t a, uint32_t b)
{
  uint32_t one = root_of(s, a), other = root_of(s, b);
  if (one < other)
    s->island[other] = one;
  else
    s->island[one] = other;
}

/* Whether a part moves where a contact touches it, or yields to forces. */
static bool is_driven(const rigid_state *s, const sim_parts *parts, const rigid_contact *c, double dt)
{
  scr_vec3 velocity = rigid_driven_velocity(s, parts, c, dt), spin = rigid_other_spin(s, c, dt);
  return s->servo_inverse_mass[c->touch.b - s->body_count] > 0 || vec3_dot(velocity, velocity) > 0 || vec3_dot(spin, spin) > 0;
}

static void find_islands(rigid_state *s, const sim_parts *parts, double dt)
{
  for (uint32_t i = 0; i < s->body_count; i++) s->island[i] = i;
  for (size_t k = 0; k < s->contact_count; k++)
    if (s->contacts[k].touch.b < s->body_count) unite(s, s->contacts[k].touch.a, s->contacts[k].touch.b);
  memset(s->woken, 0, s->body_count * sizeof *s->woken);
  for (uint32_t i = 0; i < s->body_count; i++)
    if (!rigid_is_asleep(s, i)) s->woken[root_of(s, i)] |= IS_AWAKE;
  for (size_t k = 0; k < s->contact_count; k++) {
    const rigid_contact *c = &s->contacts[k];
    if (c->touch.b >= s->body_count && is_driven(s, parts, c, dt)) s->woken[root_of(s, c->touch.a)] |= IS_DRIVEN;
  }
}

/* Contacts of awake islands first. @return how many these are */
static size_t move_sleepers_behind(rigid_state *s)
{
  size_t from = 0, to = s->contact_count;
  for (;;) {
    while (from < to && !rigid_is_asleep(s, s->contacts[from].touch.a)) from++;
    while (from < to && rigid_is_asleep(s, s->contacts[to - 1].touch.a)) to--;
    if (from >= to) return from;
    rigid_contact one = s->contacts[from];
    s->contacts[from] = s->contacts[to - 1];
    s->contacts[to - 1] = one;
  }
}

size_t rigid_set_islands_apart(rigid_state *s, const sim_parts *parts, double dt)
{
  find_islands(s, parts, dt);
  for (uint32_t i = 0; i < s->body_count; i++)
    if (rigid_is_asleep(s, i) && s->woken[root_of(s, i)]) s->calm[i] = 0;
  return move_sleepers_behind(s);
}

void rigid_islands_fall_asleep(rigid_state *s)
{
  double fall = vec3_length(s->scene->rig.gravity) * s->time_step;
  bool solved = s->report.pack == RIGID_TO_TOLERANCE && s->report.excess <= 1;
  for (uint32_t i = 0; i < s->body_count; i++) {
    const rigid_body *body = &s->bodies[i];
    double speed = vec3_length(body->velocity) + s->shapes[body->shape].extent * body->scale * vec3_length(body->spin);
    if (rigid_is_asleep(s, i)) continue;
    bool slow = solved && i < s->specimen_bodies && speed < SLEEP_BALANCE * fall, ready = slow && s->calm[i] + 1 == SLEEP_STEPS;
    if (!ready) s->woken[root_of(s, i)] |= IS_RESTLESS;
    s->calm[i] = !slow ? 0 : ready ? s->calm[i] : s->calm[i] + 1;
  }
  for (uint32_t i = 0; i < s->body_count; i++) {
    if (rigid_is_asleep(s, i) || (s->woken[root_of(s, i)] & (IS_DRIVEN | IS_RESTLESS))) continue;
    s->calm[i] = SLEEP_STEPS;
    rigid_take_rest_of_motion(s, i);
  }
}
