/* Implicit steps: one minimisation (implicit.h), or the variational step's equations; impulses; breaking.
 *
 *  A step that does not converge is done in halves; so is one in which bonds would break, or in which spheres change their velocity so much
 *  that it may have damped a break away, although it is longer than fracture_step_ratio T (staged breaking); or it is done by explicit
 *  steps (explicit bursts). So is one that would pass something or lose an impact (sweep.c), whatever the breaking. */
#include <stdio.h>
#include <string.h>

#include "methods/bdem/contact/friction.h"
#include "methods/bdem/step/stages.h"

enum { DIVERGENCE_HALVINGS = 6, RESOLVE_LIMIT = 20, LIST_TRIES = 6, SUM_PIECES = 64 };

static scr_status keep(bdem_state *s, scr_error *error)
{
  const bdem_body *body = &s->body;
#pragma omp parallel for schedule(static) num_threads(s->model.threads)
  for (size_t i = 0; i < body->sphere_count; ++i) {
    s->start.position[i] = body->position[i];
    s->start.velocity[i] = body->velocity[i];
    s->start.spin[i] = body->spin[i];
    s->start.orientation[i] = body->orientation[i];
  }
  return bdem_friction_keep(&s->contacts, error);
}

/* Back to where the part that began at `time` began, forces included. */
static void restore(bdem_state *s, double time)
{
  bdem_body *body = &s->body;
  s->total.elastic_known = false;
#pragma omp parallel for schedule(static) num_threads(s->model.threads)
  for (size_t i = 0; i < body->sphere_count; ++i) {
    body->position[i] = s->start.position[i];
    body->velocity[i] = s->start.velocity[i];
    body->spin[i] = s->start.spin[i];
    body->orientation[i] = s->start.orientation[i];
  }
  parts_move(s->parts, time);
  bdem_friction_restore(&s->contacts);
  bdem_force_pass(&s->model, &s->body, &s->contacts, &s->total, &s->rig);
}

static double potential(bdem_state *s)
{
  if (!s->total.elastic_known) s->total.elastic = bdem_bonds_energy(&s->body, NULL, s->model.threads);
  s->total.elastic_known = true;
  return s->total.elastic + bdem_pairs_energy(&s->contacts, &s->body) + bdem_touches_energy(&s->contacts, &s->body) +
         bdem_pair_springs_energy(&s->contacts) + bdem_touch_springs_energy(&s->contacts);
}

/* Solves the part of a step from `time` on; the candidates must have held all that touched. The kept state is its start.
 * @param far receives whether something moved so far that it may have missed anything; all is then as before */
static scr_status solve_part(bdem_state *s, double time, double dt, bool *far, scr_error *error)
{
  *far = false;
  double travel = bdem_expected_travel(&s->model, &s->body, &s->contacts, dt, time + dt);
  for (int attempt = 0; attempt < LIST_TRIES; ++attempt) {
    SCR_TRY(bdem_contact_update(bdem_listing_of(s), travel, error));
    SCR_TRY(bdem_solver_follow(s, error));
    SCR_TRY(bdem_solver_step(s, time, dt, error));
    double moved = bdem_moved_since_listed(&s->list, &s->body, &s->contacts, &s->rig);
    if (moved <= 0.5 * s->list.skin) {
      s->step.friction = bdem_friction_commit(&s->contacts, &s->body, s->model.options->integrator == BDEM_INTEGRATOR_VARIATIONAL);
      return SCR_OK;
    }
    restore(s, time);
    *far = bdem_out_of_reach(&s->model, moved);
    if (*far) return SCR_OK;
    travel = 1.5 * moved;
  }
  return scr_fail(error, SCR_DIVERGED, NULL, "an implicit step of %.3g s moves spheres further than its contact search reaches", dt);
}

/* Sums over spheres: kinetic energy of the change of velocity and its change, work of the forces by the velocities at the end, work of the
 * weight; J. */
typedef struct part_sums {
  double lost, kinetic, work, gravity;
} part_sums;

static part_sums piece_sums(const bdem_state *s, double dt, size_t begin, size_t end)
{
  const bdem_body *body = &s->body;
  part_sums sum = {0};
  for (size_t i = begin; i < end; ++i) {
    double inertia = 0.4 * body->mass[i] * body->radius[i] * body->radius[i];
    scr_vec3 v = vec3_sub(body->velocity[i], s->start.velocity[i]), w = vec3_sub(body->spin[i], s->start.spin[i]);
    sum.lost += 0.5 * (body->mass[i] * vec3_dot(v, v) + inertia * vec3_dot(w, w));
    sum.kinetic += body->mass[i] * vec3_dot(v, vec3_sub(body->velocity[i], vec3_scale(v, 0.5))) +
                   inertia * vec3_dot(w, vec3_sub(body->spin[i], vec3_scale(w, 0.5)));
    sum.work += dt * (vec3_dot(s->total.force[i], body->velocity[i]) + vec3_dot(s->total.torque[i], body->spin[i]));
    sum.gravity += vec3_dot(s->model.load[i], vec3_sub(body->position[i], s->start.position[i]));
  }
  return sum;
}

/* In pieces, whatever the threads. */
static part_sums sum_part(const bdem_state *s, double dt)
{
  part_sums partial[SUM_PIECES], sum = {0};
  size_t n = s->body.sphere_count;
#pragma omp parallel for schedule(static) num_threads(s->model.threads)
  for (size_t p = 0; p < SUM_PIECES; ++p) partial[p] = piece_sums(s, dt, n * p / SUM_PIECES, n * (p + 1) / SUM_PIECES);
  for (size_t p = 0; p < SUM_PIECES; ++p) {
    sum.lost += partial[p].lost;
    sum.kinetic += partial[p].kinetic;
    sum.work += partial[p].work;
    sum.gravity += partial[p].gravity;
  }
  return sum;
}

/* What a solved part did, J: works, and the energy that it took out without a reason. */
typedef struct part_works {
  double gravity, parts, lost;
} part_works;

/* What implicit Euler takes out is the kinetic energy of the change of velocity and the potential's excess over its tangent at the end:
 * 1/2 m |v1 - v0|^2 + V0 - V1 - grad V1 . (x0 - x1), the parts' ways included. The variational step should take out nothing: what it does
 * is an error. */
static part_works measure_part(bdem_state *s, double dt, double potential_before, const part_motion *before)
{
  part_sums sum = sum_part(s, dt);
  double parts = 0.0, potential_after = potential(s);
  double grips = bdem_grips_inertia_work(&s->rig, &s->body, &s->start);
  for (size_t p = 0; p < s->contacts.part_count; ++p) {
    double turn = s->contacts.parts[p].angle - before[p].angle;
    double done = -vec3_dot(s->rig.load[p].force, vec3_sub(s->contacts.parts[p].pose.position, before[p].pose.position)) -
                  turn * vec3_dot(s->rig.load[p].torque, s->contacts.rig[p].turn_axis);
    *(bdem_is_grip(&s->contacts, p) ? &grips : &parts) += done;
  }
  part_works works = {.gravity = sum.gravity, .parts = parts + grips}; /* what grips move is among the spheres of `work` */
  if (s->model.options->integrator == BDEM_INTEGRATOR_IMPLICIT_EULER)
    works.lost = sum.lost + potential_before - potential_after - sum.work + parts - s->step.friction;
  else
    works.lost = works.gravity + works.parts - sum.kinetic - (potential_after - potential_before) - s->step.friction;
  return works;
}

static void book_part(bdem_state *s, const part_works *works)
{
  s->ledger->gravity += works->gravity;
  s->ledger->rig += works->parts;
  s->ledger->friction += s->step.friction;
  if (s->model.options->integrator == BDEM_INTEGRATOR_IMPLICIT_EULER) s->ledger->numerical += works->lost;
}

/* Energy of an impact that a solved part lost, or made, at most, J: where contacts stopped nothing fast, what it lost were vibrations. */
static double impact_loss(const bdem_state *s, const part_works *works, const part_motion *before, double dt)
{
  if (works->lost == 0.0 || (s->contacts.pair_count == 0 && s->contacts.touch_count == 0)) return 0.0;
  return fmin(fabs(works->lost), bdem_impact_energy(&s->body, &s->contacts, &s->start, before, dt));
}

/* Share of the energy scale by which the energy may change in a variational part. Steps too long for vibrations make it grow without bound.
 * */
static const double calm_variation = 5e-3;

/* What a variational part, which damps nothing, may lose or make in an impact over what others may: small errors of many add up, as of a
 * block that trembles on its contacts until it slips. */
static const double calm_middle = 1e-2;

typedef enum part_outcome {
  PART_DONE,
  PART_BROKE,       /* done, and bonds broke */
  PART_WOULD_BREAK, /* bonds would break; nothing is changed */
  PART_HIT          /* something was hit too hard, or would be passed; nothing is changed */
} part_outcome;

/* Whether a solved part lost what an impact is about, or went past something. */
static scr_status judge_contacts(bdem_state *s, double dt, double potential_before, const part_motion *before, bool *hit, scr_error *error)
{
  SCR_TRY(bdem_find_missed_contact(s, before, dt, hit, error));
  if (*hit) return SCR_OK;
  bdem_grips_set_velocity(&s->rig, &s->contacts, before, dt, &s->body);
  bdem_force_pass(&s->model, &s->body, &s->contacts, &s->total, &s->rig);
  part_works works = measure_part(s, dt, potential_before, before);
  double scale = bdem_energy_scale(s, works.parts + works.gravity);
  bool middle = s->model.options->integrator == BDEM_INTEGRATOR_VARIATIONAL;
  double loss = impact_loss(s, &works, before, dt), calm = BDEM_CALM_IMPACT * scale;
  if (middle) calm *= calm_middle;
  bool lost = s->model.options->impacts == BDEM_IMPACTS_EXPLICIT_BURSTS && loss > calm;
  *hit = lost || (middle && fabs(works.lost) > calm_variation * scale);
  return SCR_OK;
}

/* Worst-first breaking: solves the part again until no bond, or too many times, is above its strength. */
static scr_status resolve_part(bdem_state *s, double time, double dt, double *potential_before, scr_error *error)
{
  bool far = false;
  for (int round = 0; round < RESOLVE_LIMIT && !far &&
                      bdem_mark_bonds(&s->model, &s->body, &s->batches, &s->fracture, (bdem_moment){s->step.number, s->step.end}, true);
       ++round) {
    restore(s, time);
    SCR_TRY(bdem_break_marked(&s->body, &s->batches, &s->fracture, &s->total, s->ledger, error));
    bdem_bonds_close(&s->body, &s->batches, &s->fracture);
    *potential_before = potential(s);
    SCR_TRY(solve_part(s, time, dt, &far, error));
  }
  if (far)
    return scr_fail(error, SCR_DIVERGED, NULL,
                    "pieces that broke off fly further in an implicit step of %.3g s than contacts are searched for", dt);
  return SCR_OK;
}

/* Solves a part and judges it; unless it was hit, the spheres are at its end. */
static scr_status try_part(bdem_state *s, double time, double dt, bool may_break, double *potential_before, const part_motion *before,
                           bool *hit, scr_error *error)
{
  SCR_TRY(solve_part(s, time, dt, hit, error));
  if (*hit) return SCR_OK;
  SCR_TRY(judge_contacts(s, dt, *potential_before, before, hit, error));
  if (*hit || !may_break || s->model.options->breaking != BDEM_BREAKING_WORST_FIRST) return SCR_OK;
  SCR_TRY(resolve_part(s, time, dt, potential_before, error));
  bdem_grips_set_velocity(&s->rig, &s->contacts, before, dt, &s->body);
  bdem_force_pass(&s->model, &s->body, &s->contacts, &s->total, &s->rig);
  return SCR_OK;
}

/* One part. With `may_break` false no bond breaks in it. */
static scr_status advance_part(bdem_state *s, double time, double dt, bool may_break, part_outcome *outcome, scr_error *error)
{
  part_motion before[SCR_PART_LIMIT];
  bool hit;
  bdem_bonds_close(&s->body, &s->batches, &s->fracture);
  parts_begin(s->parts, time + dt, dt);
  SCR_TRY(keep(s, error));
  *outcome = PART_HIT;
  SCR_TRY(bdem_look_ahead(s, dt, time + dt, &hit, error));
  if (hit) return SCR_OK;
  double potential_before = potential(s);
  memcpy(before, s->contacts.parts, s->contacts.part_count * sizeof *before);
  s->step.end = time + dt;
  size_t broken = s->fracture.broken_count;
  scr_status status = try_part(s, time, dt, may_break, &potential_before, before, &hit, error);
  bool breaks = status == SCR_OK && !hit &&
                bdem_mark_bonds(&s->model, &s->body, &s->batches, &s->fracture, (bdem_moment){s->step.number, s->step.end}, false) > 0;
  bool jumped = status == SCR_OK && !hit && !may_break && bdem_velocity_jumped(&s->model, &s->body, &s->fracture, s->start.velocity);
  if (status != SCR_OK || hit || (!may_break && (breaks || jumped))) {
    restore(s, time);
    if (!hit) *outcome = PART_WOULD_BREAK;
    return status;
  }
  part_works works = measure_part(s, dt, potential_before, before);
  s->impact_losses += impact_loss(s, &works, before, dt);
  book_part(s, &works);
  bdem_contact_impulses(&s->model, &s->body, &s->contacts, &s->rig, s->ledger, dt);
  bdem_grips_set_velocity(&s->rig, &s->contacts, before, dt, &s->body);
  scr_status done = breaks ? bdem_break_marked(&s->body, &s->batches, &s->fracture, &s->total, s->ledger, error) : SCR_OK;
  *outcome = s->fracture.broken_count > broken ? PART_BROKE : PART_DONE;
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

/* Longest part in which bonds may break without more ado. */
static double longest_breaking(const bdem_state *s)
{
  switch (s->model.options->breaking) {
  case BDEM_BREAKING_EXPLICIT_BURSTS: return 0.0;
  case BDEM_BREAKING_STAGED: return s->model.options->fracture_step_ratio * s->model.stable_step;
  default: return INFINITY;
  }
}

/* Whether what a part met is done by explicit steps; else the part is halved. */
static bool bursts(const bdem_state *s, part_outcome outcome)
{
  if (outcome == PART_HIT) return s->model.options->impacts == BDEM_IMPACTS_EXPLICIT_BURSTS || s->control.halvings == BDEM_HALVINGS_LIMIT;
  return outcome == PART_WOULD_BREAK && s->model.options->breaking == BDEM_BREAKING_EXPLICIT_BURSTS;
}

scr_status bdem_advance_implicit(bdem_state *s, double time, scr_error *error)
{
  const uint64_t whole = (uint64_t)1 << BDEM_HALVINGS_LIMIT;
  double longest = longest_breaking(s);
  int failures = 0;
  bool eventful = false;
  for (uint64_t done = 0; done < whole;) {
    scr_report_alive(s->model.liveness);
    double dt = ldexp(s->model.time_step, -(int)s->control.halvings),
           from = time + ldexp((double)done, -BDEM_HALVINGS_LIMIT) * s->model.time_step;
    bool may_break = dt <= longest * (1 + 1e-9) || s->control.halvings == BDEM_HALVINGS_LIMIT, burst = s->control.bursting;
    part_outcome outcome = PART_DONE;
    if (burst) SCR_TRY(keep(s, error));
    scr_status status = burst ? SCR_OK : advance_part(s, from, dt, may_break, &outcome, error);
    if (status == SCR_DIVERGED && (failures == DIVERGENCE_HALVINGS || s->control.halvings == BDEM_HALVINGS_LIMIT))
      return give_up(s->step.number, error);
    if (status != SCR_OK && status != SCR_DIVERGED) return status;
    failures += status == SCR_DIVERGED;
    burst = burst || (status == SCR_OK && bursts(s, outcome));
    if (burst) SCR_TRY(bdem_advance_burst(s, from, dt, error));
    bool again = status == SCR_DIVERGED || (!burst && outcome >= PART_WOULD_BREAK);
    eventful = eventful || again || (!burst && outcome == PART_BROKE);
    if (again) {
      s->control.halvings++;
      continue;
    }
    done += whole >> s->control.halvings;
    s->step.solver.substeps += !burst;
  }
  if (!eventful && s->control.halvings > 0) s->control.halvings--;
  return SCR_OK;
}
