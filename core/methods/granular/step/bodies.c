/* Free parts among sand: their velocities, where they meet other parts, and their way in a step. */
#include "methods/granular/step/bodies.h"

#include <math.h>

#include "methods/granular/bodies/shapes.h"

/* a + share b */
static scr_vec3 plus(scr_vec3 a, scr_vec3 b, double share)
{
  return vec3_add(a, vec3_scale(b, share));
}

/* Whether it turns about y alone when it begins so: y is one of its principal axes. */
static bool stays_in_plane(const scr_part *form)
{
  scr_vec3 spin = flight_spin(form, quat_identity(), vec3(0, 1, 0));
  return fabs(spin.x) + fabs(spin.z) <= 1e-9 * fabs(spin.y);
}

bool granular_may_be_free(const scr_part *form, bool plane)
{
  if (granular_round(form, plane) > 0) return true;
  if (form->kind == SCR_PART_CYLINDER) return !plane;
  return form->kind == SCR_PART_SOLID && (!plane || stays_in_plane(form));
}

/* What a unit of angular momentum turns it by at most, 1/(kg m^2). */
static double largest_inverse_inertia(const granular_state *s, const scr_part *form, double radius)
{
  scr_vec3 moments = form->mass.moments;
  if (s->d == 2 && !(radius > 0)) return flight_spin(form, quat_identity(), vec3(0, 1, 0)).y;
  return 1 / fmin(fmin(moments.x, moments.y), moments.z);
}

void granular_begin_bodies(granular_state *s, const sim_parts *parts)
{
  s->body_count = 0;
  for (size_t p = 0; p < parts->count; p++) {
    const scr_part *form = &parts->form[p];
    const part_flight *flight = &parts->flight[p];
    s->body_of[p] = -1;
    if (!form->is_free) continue;
    double radius = granular_round(form, s->d == 2);
    granular_body *body = &s->bodies[s->body_count];
    *body = (granular_body){.part = (uint32_t)p,
                            .form = form,
                            .rotation = flight->rotation,
                            .centre = flight->centre,
                            .velocity = flight->velocity,
                            .spin = flight_spin(form, flight->rotation, flight->momentum),
                            .inverse_mass = 1 / form->mass.mass,
                            .inverse_inertia = largest_inverse_inertia(s, form, radius),
                            .radius = radius};
    s->body_of[p] = (int)s->body_count++;
  }
}

static scr_vec3 velocity_at(const granular_body *body, scr_vec3 arm)
{
  return vec3_add(body->velocity, vec3_cross(body->spin, arm));
}

void granular_body_velocity(const granular_state *s, const granular_body *body, scr_vec3 arm, double velocity[3])
{
  granular_to_grid(s, velocity_at(body, arm), velocity);
}

/* Gives a body an impulse. In the plane it only turns about y. */
static void hit(const granular_state *s, granular_body *body, scr_vec3 arm, scr_vec3 impulse)
{
  scr_vec3 turning = vec3_cross(arm, impulse);
  if (s->d == 2) turning = vec3(0, turning.y, 0);
  body->impulse = vec3_add(body->impulse, impulse);
  body->turning = vec3_add(body->turning, turning);
  body->velocity = plus(body->velocity, impulse, body->inverse_mass);
  body->spin = vec3_add(body->spin, flight_spin(body->form, body->rotation, turning));
}

void granular_push_body(const granular_state *s, granular_body *body, scr_vec3 arm, const double r[3])
{
  hit(s, body, arm, vec3_scale(granular_from_grid(s, r), -1));
}

/* ── parts that meet ────────────────────────────────────────────────────────────────────────────────────────────── */

static scr_vec3 slip_of(const granular_state *s, const granular_body_contact *m)
{
  scr_vec3 own = velocity_at(&s->bodies[m->body], m->arm);
  int other = s->body_of[m->part];
  return vec3_sub(own, other < 0 ? m->velocity : velocity_at(&s->bodies[other], m->other_arm));
}

/* The impulse that Coulomb's law wants next; its normal part also closes or opens the gap. */
static scr_vec3 wanted(const granular_state *s, const granular_body_contact *m)
{
  scr_vec3 want = plus(m->r, plus(slip_of(s, m), m->normal, m->rate), -1 / m->inverse);
  double normal = vec3_dot(want, m->normal), press = fmax(normal, 0), limit = m->friction * press;
  scr_vec3 tangent = plus(want, m->normal, -normal);
  double length = vec3_length(tangent);
  return plus(vec3_scale(m->normal, press), tangent, length > limit ? limit / length : 1);
}

void granular_sweep_body_contacts(granular_state *s)
{
  for (size_t k = 0; k < s->body_contact_count; k++) {
    granular_body_contact *m = &s->body_contacts[k];
    scr_vec3 change = vec3_sub(wanted(s, m), m->r);
    int other = s->body_of[m->part];
    m->r = vec3_add(m->r, change);
    hit(s, &s->bodies[m->body], m->arm, change);
    if (other >= 0) hit(s, &s->bodies[other], m->other_arm, vec3_scale(change, -1));
  }
}

double granular_body_contacts_residual(const granular_state *s)
{
  double largest = 0;
  for (size_t k = 0; k < s->body_contact_count; k++)
    largest = fmax(largest, s->body_contacts[k].inverse * vec3_length(vec3_sub(wanted(s, &s->body_contacts[k]), s->body_contacts[k].r)));
  return largest;
}

static void add_load(sim_parts *parts, size_t p, const part_motion *before, scr_vec3 point, scr_vec3 force)
{
  parts->load[p].force = vec3_add(parts->load[p].force, force);
  parts->load[p].torque = vec3_add(parts->load[p].torque, vec3_cross(vec3_sub(point, before[p].pose.position), force));
}

void granular_account_body_contacts(granular_state *s, const granular_pass *pass, sim_parts *parts, const part_motion *before,
                                    granular_energy *energy)
{
  for (size_t k = 0; k < s->body_contact_count; k++) {
    const granular_body_contact *m = &s->body_contacts[k];
    scr_vec3 slip = slip_of(s, m), force = vec3_scale(m->r, 1 / pass->step);
    double normal = vec3_dot(m->r, m->normal), closing = normal * vec3_dot(slip, m->normal), sliding = vec3_dot(m->r, slip) - closing;
    energy->compaction -= closing;
    *(sliding < 0 ? &energy->sliding : &energy->unsolved) -= sliding;
    add_load(parts, s->bodies[m->body].part, before, m->point, force);
    add_load(parts, m->part, before, m->point, vec3_scale(force, -1));
    if (s->body_of[m->part] < 0) energy->rig += vec3_dot(m->r, m->velocity);
  }
}

/* ── the end of a step ──────────────────────────────────────────────────────────────────────────────────────────── */

/* J, that the splitting of a turn takes: the momentum stays, and with it the energy but for an error of the third order in the angle. */
static double turning_energy(const scr_part *form, scr_vec3 momentum, scr_quat from, scr_quat to)
{
  return 0.5 * vec3_dot(momentum, vec3_sub(flight_spin(form, from, momentum), flight_spin(form, to, momentum)));
}

void granular_end_bodies(granular_state *s, const granular_pass *pass, sim_parts *parts, const part_flight *start, double end,
                         granular_energy *energy)
{
  part_load kept[SCR_PART_LIMIT];
  const scr_vec3 none = vec3(0, 0, 0);
  if (s->body_count == 0) return;
  for (size_t b = 0; b < s->body_count; b++) {
    granular_body *body = &s->bodies[b];
    size_t p = body->part;
    const scr_part *form = &parts->form[p];
    part_flight *flight = &parts->flight[p];
    *flight = start[p];
    scr_vec3 to_position = vec3_scale(quat_rotate(flight->rotation, form->mass.centre), -1);
    scr_vec3 turning = vec3_sub(body->turning, vec3_cross(to_position, body->impulse)); /* about the position */
    flight_kick(form, flight, body->impulse, turning, none, 1);
    flight_kick(form, flight, none, none, parts->gravity, 0.5 * pass->step);
    flight_drift(form, flight, pass->step, end);
    energy->implicit += 0.5 * (vec3_dot(body->impulse, body->impulse) * body->inverse_mass +
                               vec3_dot(body->turning, flight_spin(form, start[p].rotation, body->turning))) +
                        0.5 * pass->step * vec3_dot(parts->gravity, body->impulse);
    if (!(body->radius > 0)) energy->implicit += turning_energy(form, flight->momentum, flight->rotation, flight->arrival.rotation);
  }
  for (size_t p = 0; p < parts->count; p++) {
    kept[p] = parts->load[p];
    if (s->body_of[p] >= 0) parts->load[p] = (part_load){.force = none};
  }
  parts_end(parts, pass->step); /* loads are in the impulses already */
  for (size_t p = 0; p < parts->count; p++)
    if (s->body_of[p] >= 0)
      parts->load[p].impulse = vec3_scale(kept[p].force, pass->step), parts->load[p].turning = vec3_scale(kept[p].torque, pass->step);
}
