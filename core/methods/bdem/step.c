/* One step of the scene's integrator, with contact, friction, breaking and the energy ledger.
 *
 *  explicit:  v += dt/2 F/m;  x += dt v;  F(x);  v += dt/2 F/m;  impulses at contacts;  bonds above their strength break.
 *             The same trajectory as leapfrog's, with velocities at the positions' time.
 *  implicit:  one minimisation (implicit.h);  impulses;  breaking. A step that does not converge is done in halves; so is one in which bonds
 *             would break, or in which spheres are jolted so much that it may have damped a break away, although it is longer than
 *             fracture_step_ratio T (staged breaking); or it is done by explicit steps (explicit bursts). */
#include <stdio.h>
#include <string.h>

#include "methods/bdem/state.h"

enum { DIVERGENCE_HALVINGS = 6, RESOLVE_LIMIT = 20, LIST_TRIES = 6, SUM_PIECES = 64 };

void bdem_force_pass(bdem_state *s)
{
  bdem_batches_forces(&s->batches, &s->body, s->force, s->torque);
  bdem_contacts_add_forces(&s->contacts, &s->body, s->force);
  bdem_parts_load(&s->contacts, &s->body, s->part_force, s->part_torque);
  bdem_grips_load(s);
}

static bool all_finite(const bdem_state *s)
{
  const bdem_body *body = &s->body;
  int lost = 0;
#pragma omp parallel for schedule(static) num_threads(s->threads) reduction(| : lost)
  for (size_t i = 0; i < body->sphere_count; ++i) {
    scr_vec3 sum = vec3_add(vec3_add(body->position[i], body->velocity[i]), body->spin[i]);
    lost |= !isfinite(sum.x + sum.y + sum.z + body->orientation[i].w);
  }
  return lost == 0;
}

/* The state must stay finite, and no sphere may be pushed through a part of the rig. Explicit steps look at every sphere anyway. */
static scr_status check_state(const bdem_state *s, uint64_t step, scr_error *error)
{
  const bdem_body *body = &s->body;
  bool known = (s->options->integrator == BDEM_INTEGRATOR_EXPLICIT && s->finite) || all_finite(s);
  for (size_t i = 0; !known && i < body->sphere_count; ++i) {
    scr_vec3 sum = vec3_add(vec3_add(body->position[i], body->velocity[i]), body->spin[i]);
    if (!isfinite(sum.x + sum.y + sum.z + body->orientation[i].w))
      return scr_fail(error, SCR_DIVERGED, NULL,
                      "step %llu: sphere %zu of grain %u is no longer finite; use a smaller time step (now %.3g s) or slower loading",
                      (unsigned long long)step, i, s->grain_of[i], s->time_step);
  }
  for (size_t k = 0; k < s->contacts.touch_count; ++k) {
    scr_vec3 normal;
    const bdem_touch *touch = &s->contacts.touches[k];
    double overlap = bdem_touch_overlap(&s->contacts, touch, body, &normal), radius = body->radius[touch->sphere];
    if (overlap > 3 * radius)
      return scr_fail(error, SCR_DIVERGED, NULL,
                      "step %llu: sphere %u of grain %u is %.3g m behind %s, more than two radii of %.3g m; use slower loading or a larger "
                      "contact_stiffness_factor",
                      (unsigned long long)step, touch->sphere, s->grain_of[touch->sphere], overlap - radius,
                      s->contacts.rig[touch->part].label, radius);
  }
  return SCR_OK;
}

/* ── explicit ───────────────────────────────────────────────────────────────────────────────────────────────────── */

static scr_status advance_explicit(bdem_state *s, double dt, double end, scr_error *error)
{
  scr_vec3 force_before[SCR_PART_LIMIT], torque_before[SCR_PART_LIMIT];
  bdem_part before[SCR_PART_LIMIT];
  memcpy(before, s->contacts.parts, sizeof before);
  bdem_parts_load(&s->contacts, &s->body, s->part_force, s->part_torque); /* without last step's friction */
  bdem_grips_load(s);
  memcpy(force_before, s->part_force, sizeof force_before);
  memcpy(torque_before, s->part_torque, sizeof torque_before);
  s->ledger.parts -= bdem_grips_kinetic(s);
  s->elastic_known = false;
  s->clock = end;
  bdem_parts_move(s, end);
  bdem_grips_set_velocity(s, before, dt);
  double moved = bdem_leap(s, dt);
  bdem_grips_place(s);
  SCR_TRY(bdem_contact_follow(s, fmax(moved, bdem_rig_moved_since_listed(s)), 0.0, error));
  s->finite = bdem_force_and_kick(s, 0.5 * dt);
  for (size_t p = 0; p < s->contacts.part_count; ++p) {
    scr_vec3 path = vec3_sub(s->contacts.parts[p].position, before[p].position);
    scr_vec3 turn = vec3_scale(s->contacts.rig[p].axis, s->contacts.parts[p].angle - before[p].angle);
    s->ledger.parts -=
        0.5 * (vec3_dot(vec3_add(force_before[p], s->part_force[p]), path) + vec3_dot(vec3_add(torque_before[p], s->part_torque[p]), turn));
  }
  bdem_contact_impulses(s, dt);
  bdem_grips_set_velocity(s, NULL, 0);
  s->ledger.parts += bdem_grips_kinetic(s);
  return bdem_mark_bonds(s, false) ? bdem_break_marked(s, error) : SCR_OK;
}

/* ── implicit ───────────────────────────────────────────────────────────────────────────────────────────────────── */

static void keep(bdem_state *s)
{
  const bdem_body *body = &s->body;
#pragma omp parallel for schedule(static) num_threads(s->threads)
  for (size_t i = 0; i < body->sphere_count; ++i) {
    s->kept_vectors[0][i] = body->position[i];
    s->kept_vectors[1][i] = body->velocity[i];
    s->kept_vectors[2][i] = body->spin[i];
    s->kept_turns[i] = body->orientation[i];
  }
}

/* Back to where the part that began at `time` began, forces included. */
static void restore(bdem_state *s, double time)
{
  bdem_body *body = &s->body;
  s->elastic_known = false;
#pragma omp parallel for schedule(static) num_threads(s->threads)
  for (size_t i = 0; i < body->sphere_count; ++i) {
    body->position[i] = s->kept_vectors[0][i];
    body->velocity[i] = s->kept_vectors[1][i];
    body->spin[i] = s->kept_vectors[2][i];
    body->orientation[i] = s->kept_turns[i];
  }
  bdem_parts_move(s, time);
  bdem_force_pass(s);
}

/* Furthest that a sphere or part goes in dt if nothing slows it down. */
static double expected_travel(const bdem_state *s, double dt)
{
  double worst = 0.0;
#pragma omp parallel for schedule(static) num_threads(s->threads) reduction(max : worst)
  for (size_t i = 0; i < s->body.sphere_count; ++i)
    worst = fmax(worst, vec3_length(vec3_add(s->body.velocity[i], vec3_scale(s->load[i], dt / s->body.mass[i]))));
  for (size_t p = 0; p < s->contacts.part_count; ++p) worst = fmax(worst, vec3_length(s->contacts.parts[p].velocity));
  return worst * dt;
}

static double potential(bdem_state *s)
{
  if (!s->elastic_known) s->elastic = bdem_bonds_energy(&s->body, NULL, s->threads);
  s->elastic_known = true;
  return s->elastic + bdem_pairs_energy(&s->contacts, &s->body) + bdem_touches_energy(&s->contacts, &s->body);
}

/* Solves the part of a step from `time` on; the candidates must have held all that touched. The kept state is its start. */
static scr_status solve_part(bdem_state *s, double time, double dt, scr_error *error)
{
  double travel = expected_travel(s, dt);
  for (int attempt = 0; attempt < LIST_TRIES; ++attempt) {
    SCR_TRY(bdem_contact_update(s, travel, error));
    SCR_TRY(bdem_solver_follow(s, error));
    SCR_TRY(bdem_solver_step(s, time, dt, error));
    double moved = bdem_moved_since_listed(s);
    if (moved <= 0.5 * s->list_skin) return SCR_OK;
    restore(s, time);
    travel = 1.5 * moved;
  }
  return scr_fail(error, SCR_DIVERGED, NULL, "an implicit step of %.3g s moves spheres further than its contact search reaches", dt);
}

/* Sums over spheres: kinetic energy of the change of velocity, work of the forces by the velocities at the end, work of the weight; J. */
typedef struct part_sums {
  double lost, work, gravity;
} part_sums;

static part_sums piece_sums(const bdem_state *s, double dt, size_t begin, size_t end)
{
  const bdem_body *body = &s->body;
  part_sums sum = {0, 0, 0};
  for (size_t i = begin; i < end; ++i) {
    double inertia = 0.4 * body->mass[i] * body->radius[i] * body->radius[i];
    scr_vec3 v = vec3_sub(body->velocity[i], s->kept_vectors[1][i]), w = vec3_sub(body->spin[i], s->kept_vectors[2][i]);
    sum.lost += 0.5 * (body->mass[i] * vec3_dot(v, v) + inertia * vec3_dot(w, w));
    sum.work += dt * (vec3_dot(s->force[i], body->velocity[i]) + vec3_dot(s->torque[i], body->spin[i]));
    sum.gravity += vec3_dot(s->load[i], vec3_sub(body->position[i], s->kept_vectors[0][i]));
  }
  return sum;
}

/* In pieces, whatever the threads. */
static part_sums sum_part(const bdem_state *s, double dt)
{
  part_sums partial[SUM_PIECES], sum = {0, 0, 0};
  size_t n = s->body.sphere_count;
#pragma omp parallel for schedule(static) num_threads(s->threads)
  for (size_t p = 0; p < SUM_PIECES; ++p) partial[p] = piece_sums(s, dt, n * p / SUM_PIECES, n * (p + 1) / SUM_PIECES);
  for (size_t p = 0; p < SUM_PIECES; ++p) {
    sum.lost += partial[p].lost;
    sum.work += partial[p].work;
    sum.gravity += partial[p].gravity;
  }
  return sum;
}

/* Books a solved part. What implicit Euler takes out is the kinetic energy of the change of velocity and the potential's excess over its
 * tangent at the end: 1/2 m |v1 - v0|^2 + V0 - V1 - grad V1 . (x0 - x1), the parts' ways included. The variational step takes out nothing. */
static void book_part(bdem_state *s, double dt, double potential_before, const bdem_part *before)
{
  part_sums sum = sum_part(s, dt);
  double parts = 0.0;
  double grips = bdem_grips_inertia_work(s);
  for (size_t p = 0; p < s->contacts.part_count; ++p) {
    double turn = s->contacts.parts[p].angle - before[p].angle;
    double done = -vec3_dot(s->part_force[p], vec3_sub(s->contacts.parts[p].position, before[p].position)) -
                  turn * vec3_dot(s->part_torque[p], s->contacts.rig[p].axis);
    *(bdem_is_grip(s, p) ? &grips : &parts) += done;
  }
  s->ledger.gravity += sum.gravity;
  s->ledger.parts += parts + grips; /* what grips move is among the spheres of `work` */
  if (s->options->integrator == BDEM_INTEGRATOR_IMPLICIT_EULER)
    s->ledger.numerical += sum.lost + potential_before - potential(s) - sum.work + parts;
}

/* Worst-first breaking: solves the part again until no bond, or too many times, is above its strength. */
static scr_status resolve_part(bdem_state *s, double time, double dt, double *potential_before, scr_error *error)
{
  for (int round = 0; round < RESOLVE_LIMIT && bdem_mark_bonds(s, true); ++round) {
    restore(s, time);
    SCR_TRY(bdem_break_marked(s, error));
    bdem_bonds_close(s);
    *potential_before = potential(s);
    SCR_TRY(solve_part(s, time, dt, error));
  }
  return SCR_OK;
}

/* One part. @param torn receives whether bonds would break, or broke; with `may_break` false nothing is changed then. */
static scr_status advance_part(bdem_state *s, double time, double dt, bool may_break, bool *torn, scr_error *error)
{
  bdem_part before[SCR_PART_LIMIT];
  bdem_bonds_close(s);
  double potential_before = potential(s);
  memcpy(before, s->contacts.parts, sizeof before);
  s->clock = time + dt;
  keep(s);
  scr_status status = solve_part(s, time, dt, error);
  size_t broken = s->broken_count;
  if (status == SCR_OK && may_break && s->options->breaking == BDEM_BREAKING_WORST_FIRST)
    status = resolve_part(s, time, dt, &potential_before, error);
  if (status != SCR_OK) {
    restore(s, time);
    return status;
  }
  bdem_grips_set_velocity(s, before, dt);
  bdem_force_pass(s);
  *torn = bdem_mark_bonds(s, false) > 0 || (!may_break && bdem_jolted(s, s->kept_vectors[1]));
  if (*torn && !may_break) {
    restore(s, time);
    return SCR_OK;
  }
  book_part(s, dt, potential_before, before);
  bdem_contact_impulses(s, dt);
  bdem_grips_set_velocity(s, before, dt);
  scr_status done = *torn ? bdem_break_marked(s, error) : SCR_OK;
  *torn = s->broken_count > broken;
  return done;
}

static scr_status give_up(uint64_t step, scr_error *error)
{
  char why[sizeof error->message];
  if (!error) return SCR_DIVERGED;
  snprintf(why, sizeof why, "%s", error->message);
  return scr_fail(error, SCR_DIVERGED, NULL, "step %llu, done in parts down to 1/%d: %s", (unsigned long long)step,
                  1 << DIVERGENCE_HALVINGS, why);
}

/* A part of an implicit step done by explicit ones: what breaking needs, and far cheaper than as short implicit ones. When it was
 * eventful to its end, the next part is not tried implicitly at all. */
static scr_status advance_burst(bdem_state *s, double time, double dt, scr_error *error)
{
  size_t broken = s->broken_count;
  uint64_t count = (uint64_t)ceil(dt / (s->scene->time.safety_factor * s->stable_step));
  for (uint64_t k = 1; k <= count; ++k) SCR_TRY(advance_explicit(s, dt / (double)count, time + (double)k / (double)count * dt, error));
  s->effort.substeps += count;
  s->bursting = s->broken_count > broken || bdem_jolted(s, s->kept_vectors[1]);
  return SCR_OK;
}

static scr_status advance_implicit(bdem_state *s, double time, uint64_t step, scr_error *error)
{
  const uint64_t whole = (uint64_t)1 << BDEM_HALVINGS_LIMIT;
  bool bursts = s->options->breaking == BDEM_BREAKING_EXPLICIT_BURSTS;
  double longest = bursts                                         ? 0.0
                   : s->options->breaking == BDEM_BREAKING_STAGED ? s->options->fracture_step_ratio * s->stable_step
                                                                  : (double)INFINITY;
  int failures = 0;
  bool eventful = false;
  s->effort = (bdem_effort){0};
  s->solver_seconds = 0;
  for (uint64_t done = 0; done < whole;) {
    double dt = ldexp(s->time_step, -(int)s->halvings), from = time + ldexp((double)done, -BDEM_HALVINGS_LIMIT) * s->time_step;
    bool may_break = dt <= longest * (1 + 1e-9) || s->halvings == BDEM_HALVINGS_LIMIT, torn = false;
    if (s->bursting) keep(s);
    scr_status status = s->bursting ? SCR_OK : advance_part(s, from, dt, may_break, &torn, error);
    if (status == SCR_DIVERGED && (failures == DIVERGENCE_HALVINGS || s->halvings == BDEM_HALVINGS_LIMIT)) return give_up(step, error);
    if (status != SCR_OK && status != SCR_DIVERGED) return status;
    failures += status == SCR_DIVERGED;
    bool burst = status == SCR_OK && (s->bursting || (torn && bursts));
    if (burst) SCR_TRY(advance_burst(s, from, dt, error));
    torn = torn && !burst;
    eventful = eventful || status == SCR_DIVERGED || torn;
    if (status == SCR_DIVERGED || (torn && !may_break)) {
      s->halvings++;
      continue;
    }
    done += whole >> s->halvings;
    s->effort.substeps += !burst;
  }
  if (!eventful && s->halvings > 0) s->halvings--;
  return SCR_OK;
}

scr_status bdem_advance(bdem_state *s, double time, uint64_t step, scr_error *error)
{
  double end = (double)step * s->time_step; /* rounded as it will be after loading a checkpoint */
  s->step = step;
  s->noted = 0;
  if (s->options->integrator == BDEM_INTEGRATOR_EXPLICIT)
    SCR_TRY(advance_explicit(s, s->time_step, end, error));
  else
    SCR_TRY(advance_implicit(s, time, step, error));
  bdem_parts_move(s, end);
  if (s->list_stale) SCR_TRY(bdem_contact_update(s, 0.0, error)); /* pairs of broken bonds show in the energies at once */
  if (s->options->integrator != BDEM_INTEGRATOR_EXPLICIT) SCR_TRY(bdem_solver_follow(s, error));
  return check_state(s, step, error);
}
