/* One step by the scene's integrator: calls the stages (stages.h) in their order.
 *
 *  explicit   v += dt/2 F/m;  x += dt v;  F(x);  v += dt/2 F/m;  impulses at contacts;  bonds above their strength break.
 *             Parts that move freely go along: their velocities are kicked by the same forces at the same times. The same trajectory as
 *             leapfrog's, with velocities at the positions' time.
 *  implicit   one minimisation (implicit.h), or the variational step's equations; impulses; breaking. A step that does not converge is
 *             done in halves; so is one in which bonds would break, or in which spheres change their velocity so much that it may have
 *             damped a break away, although it is longer than fracture_step_ratio T (staged breaking); or it is done by a burst of
 *             explicit steps. So is one that would pass something or lose an impact (sweep.c), whatever the breaking. Bursts are far
 *             cheaper than as short implicit steps. */
#include <stdio.h>
#include <string.h>

#include "methods/bdem/contact/friction.h"
#include "methods/bdem/step/stages.h"
#include "sim/time_step.h"

enum { CUT_LIMIT = 24, DIVERGENCE_HALVINGS = 6, RESOLVE_LIMIT = 20, LIST_TRIES = 6 };

/* Steps after which contacts of pairs are looked at for how deep they are, when nothing is fast. */
enum { PAIR_CHECK_STEPS = 8 };

/* Share of the energy scale which a part may lose in an impact without being done by explicit steps. */
static const double calm_impact = 1e-3;

/* Share of the energy scale by which the energy of contacts may vary during a burst for an impact to be over. */
static const double calm_contacts = 2e-3;

/* Share of the energy scale by which the energy may change in a variational part. Steps too long for vibrations make it grow without bound.
 * */
static const double calm_variation = 5e-3;

/* What a variational part, which damps nothing, may lose or make in an impact over what others may: small errors of many add up, as of a
 * block that trembles on its contacts until it slips. */
static const double calm_middle = 1e-2;

/* ── explicit steps ─────────────────────────────────────────────────────────────────────────────────────────────── */

static size_t mark_bonds(bdem_state *s, bool worst_only)
{
  return bdem_mark_bonds(&s->model, &s->body, &s->batches, &s->fracture, (bdem_moment){s->step.number, s->step.end}, worst_only);
}

static scr_status break_marked(bdem_state *s, scr_error *error)
{
  return bdem_break_marked(&s->body, &s->batches, &s->fracture, &s->total, s->ledger, error);
}

static scr_status advance_explicit(bdem_state *s, double dt, double end, scr_error *error)
{
  part_load load_before[SCR_PART_LIMIT];
  part_motion before[SCR_PART_LIMIT];
  memcpy(before, s->contacts.parts, s->contacts.part_count * sizeof *before);
  bdem_parts_load(&s->contacts, &s->body, s->rig.load); /* without last step's impulses */
  bdem_grips_load(&s->model, &s->body, &s->total, &s->contacts, &s->rig);
  memcpy(load_before, s->rig.load, s->contacts.part_count * sizeof *load_before);
  s->ledger->rig -= bdem_grips_kinetic(&s->rig, &s->body);
  s->total.elastic_known = false;
  s->step.end = end;
  parts_begin(s->parts, end, dt);
  parts_move(s->parts, end);
  bdem_parts_record_displacement(&s->contacts, before);
  bdem_grips_set_velocity(&s->rig, &s->contacts, before, dt, &s->body);
  double moved = bdem_kick_and_drift(
      &(bdem_drift){.model = &s->model, .list = &s->list, .dt = dt, .body = &s->body, .total = &s->total, .ledger = s->ledger});
  bdem_grips_place(&s->rig, &s->contacts, &s->body);
  moved = fmax(moved, bdem_rig_moved_since_listed(&s->list, &s->body, &s->contacts, &s->rig));
  SCR_TRY(bdem_contact_follow(&s->listing, moved, 0.0, error));
  s->step.finite = bdem_force_and_kick(&(bdem_kick){.model = &s->model,
                                                    .dt = 0.5 * dt,
                                                    .body = &s->body,
                                                    .contacts = &s->contacts,
                                                    .total = &s->total,
                                                    .rig = &s->rig,
                                                    .ledger = s->ledger,
                                                    .scratch = &s->scratch},
                                       &s->control.fast);
  parts_end(s->parts, dt);
  ledger_book_parts(s->ledger, s->parts, before, load_before);
  if (s->control.fast) SCR_TRY(bdem_check_passed(&s->model, &s->body, &s->contacts, &s->total, before, s->step.number, dt, error));
  bdem_contact_impulses(&s->model, &s->body, &s->contacts, &s->rig, s->ledger, dt);
  bdem_grips_set_velocity(&s->rig, &s->contacts, NULL, 0, &s->body);
  s->ledger->rig += bdem_grips_kinetic(&s->rig, &s->body);
  return mark_bonds(s, false) ? break_marked(s, error) : SCR_OK;
}

/* The same up to `end`, of a run or of a burst, in halves as long as it would take a sphere too far past what it meets. */
static scr_status advance_swept(bdem_state *s, double dt, double end, int cuts, scr_error *error)
{
  bool contact_ahead = false;
  if (s->control.fast || bdem_parts_travel(&s->body, &s->contacts, dt, end) > bdem_harmless_travel(&s->model))
    SCR_TRY(bdem_look_ahead(&s->listing, dt, end, &contact_ahead, error));
  if (!contact_ahead) return advance_explicit(s, dt, end, error);
  if (cuts == CUT_LIMIT)
    return scr_fail(error, SCR_DIVERGED, NULL,
                    "step %llu: a sphere or part of the rig moves by %.3g m in %.3g s, too fast for contacts to be found",
                    (unsigned long long)s->step.number, bdem_expected_travel(&s->model, &s->body, &s->contacts, dt, end), dt);
  s->control.fast = true;
  SCR_TRY(advance_swept(s, 0.5 * dt, end - 0.5 * dt, cuts + 1, error));
  s->control.fast = true;
  return advance_swept(s, 0.5 * dt, end, cuts + 1, error);
}

static scr_status check_depth(bdem_state *s, bool pairs, scr_error *error)
{
  if (s->control.fast || pairs) s->control.deepest = fmax(s->control.deepest, bdem_deepest_pair(&s->body, &s->contacts));
  return bdem_check_depth(&s->model, &s->body, &s->contacts, s->step.number, &s->control.deepest, error);
}

double bdem_first_touch(const bdem_state *s)
{
  double speed = 0.0;
  for (size_t p = 0; p < s->contacts.part_count; ++p) speed = fmax(speed, bdem_part_speed(&s->contacts, &s->body, p));
  return bdem_loads_slowly(&s->model, speed) ? 0.5 * s->model.mass * speed * speed : 0.0;
}

/* What impacts are measured by, J: all energy put in, with `work` since the ledger; the weight's over one radius, so that settling under
 * it is no impact; and such that neither is the first touch of a rig that loads slowly. */
static double energy_scale(const bdem_state *s, double work)
{
  double external = ledger_external(s->ledger) + work;
  return s->ledger->start + fabs(external) + s->model.weight_over_radius + s->model.rounding + bdem_first_touch(s) / calm_impact;
}

/* A part of an implicit step from `time` on, done by explicit steps: what breaking and impacts need. Eventful to its end, it has the next
 * part not tried implicitly at all (control.bursting). The part's start must have been kept. */
static scr_status advance_burst(bdem_state *s, double time, double dt, scr_error *error)
{
  size_t broken = s->fracture.broken_count;
  uint64_t count = (uint64_t)ceil(dt / bdem_explicit_step_length(&s->model));
  double least = INFINITY, most = 0.0;
  s->control.fast = true;
  for (uint64_t k = 1; k <= count; ++k) {
    SCR_TRY(advance_swept(s, dt / (double)count, time + (double)k / (double)count * dt, 0, error));
    SCR_TRY(check_depth(s, k % PAIR_CHECK_STEPS == 0, error));
    double contact = bdem_pairs_energy(&s->contacts, &s->body) + bdem_touches_energy(&s->contacts, &s->body);
    least = fmin(least, contact);
    most = fmax(most, contact);
  }
  s->step.solver.substeps += count;
  bool pressed = most - least > fmax(calm_contacts * energy_scale(s, 0.0), 0.05 * most);
  s->control.bursting =
      s->fracture.broken_count > broken || pressed || bdem_velocity_jumped(&s->model, &s->body, &s->fracture, s->start.velocity);
  return SCR_OK;
}

/* ── implicit steps ─────────────────────────────────────────────────────────────────────────────────────────────── */

static void force_pass(bdem_state *s)
{
  bdem_force_pass(&s->model, &s->body, &s->contacts, &s->total, &s->rig);
}

/* Back to where the part that began at `time` began, forces included. */
static void restore(bdem_state *s, double time)
{
  s->total.elastic_known = false;
  parts_move(s->parts, time);
  bdem_part_restore(&s->model, &s->start, &s->body, &s->contacts);
  force_pass(s);
}

static double potential(bdem_state *s)
{
  return bdem_potential(&s->model, &s->body, &s->contacts, &s->total);
}

static scr_status follow_bonds(bdem_state *s, scr_error *error)
{
  bdem_bonds_close(&s->body, &s->batches, &s->fracture);
  return bdem_solver_follow(&s->solver, &s->body, &s->contacts, &s->list.changed, error);
}

/* Solves the part of a step from `time` on; the candidates must have held all that touched. The kept state is its start.
 * @param far receives whether something moved so far that it may have missed anything; all is then as before */
static scr_status solve_part(bdem_state *s, double time, double dt, bool *far, scr_error *error)
{
  const bdem_solve_stage stage = {.model = &s->model,
                                  .start = &s->start,
                                  .solver = &s->solver,
                                  .parts = s->parts,
                                  .body = &s->body,
                                  .contacts = &s->contacts,
                                  .rig = &s->rig,
                                  .total = &s->total,
                                  .counts = &s->step.solver,
                                  .contact_damping = &s->step.contact_damping};
  *far = false;
  double travel = bdem_expected_travel(&s->model, &s->body, &s->contacts, dt, time + dt);
  for (int attempt = 0; attempt < LIST_TRIES; ++attempt) {
    SCR_TRY(bdem_contact_update(&s->listing, travel, error));
    SCR_TRY(follow_bonds(s, error));
    SCR_TRY(bdem_solver_step(&stage, time, dt, error));
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

static bdem_part_works measure_part(bdem_state *s, double dt, double potential_before, const part_motion *before)
{
  return bdem_part_measure(&(bdem_solved_part){.model = &s->model,
                                               .body = &s->body,
                                               .contacts = &s->contacts,
                                               .rig = &s->rig,
                                               .start = &s->start,
                                               .before = before,
                                               .total = &s->total,
                                               .potential_before = potential_before,
                                               .dt = dt,
                                               .friction = s->step.friction,
                                               .contact_damping = s->step.contact_damping});
}

static void book_part(bdem_state *s, const bdem_part_works *works)
{
  s->losses.impacts += works->impact_motion;
  s->ledger->gravity += works->gravity;
  s->ledger->rig += works->parts;
  s->ledger->friction += s->step.friction;
  s->ledger->damping += s->step.contact_damping;
  if (s->model.options->integrator != BDEM_INTEGRATOR_IMPLICIT_EULER) return;
  s->ledger->numerical += works->lost;
  s->losses.motion += works->lost - works->loading;
}

typedef enum part_outcome {
  PART_DONE,
  PART_BROKE,       /* done, and bonds broke */
  PART_WOULD_BREAK, /* bonds would break; nothing is changed */
  PART_HIT          /* something was hit too hard, or would be passed; nothing is changed */
} part_outcome;

/* Forces at the end of a solved part, at the velocities that grips have there. */
static void end_part(bdem_state *s, const part_motion *before, double dt)
{
  bdem_grips_set_velocity(&s->rig, &s->contacts, before, dt, &s->body);
  force_pass(s);
}

/* Whether a solved part lost what an impact is about, or went past something. */
static scr_status judge_contacts(bdem_state *s, double dt, double potential_before, const part_motion *before, bool *hit, scr_error *error)
{
  SCR_TRY(bdem_find_missed_contact(&s->listing, &s->start, before, dt, hit, error));
  if (*hit) return SCR_OK;
  end_part(s, before, dt);
  bdem_part_works works = measure_part(s, dt, potential_before, before);
  double scale = energy_scale(s, works.parts + works.gravity), calm = calm_impact * scale;
  bool middle = s->model.options->integrator == BDEM_INTEGRATOR_VARIATIONAL;
  if (middle) calm *= calm_middle;
  bool lost = s->model.options->impacts == BDEM_IMPACTS_EXPLICIT_BURSTS && works.impact > calm;
  *hit = lost || (middle && fabs(works.lost) > calm_variation * scale);
  return SCR_OK;
}

/* Worst-first breaking: solves the part again until no bond, or too many times, is above its strength. */
static scr_status resolve_part(bdem_state *s, double time, double dt, double *potential_before, scr_error *error)
{
  bool far = false;
  for (int round = 0; round < RESOLVE_LIMIT && !far && mark_bonds(s, true); ++round) {
    restore(s, time);
    SCR_TRY(break_marked(s, error));
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
  end_part(s, before, dt);
  return SCR_OK;
}

static scr_status keep(bdem_state *s, scr_error *error)
{
  return bdem_part_keep(&s->model, &s->body, &s->contacts, &s->start, error);
}

/* What the rig bears where a part begins, without last step's impulses. */
static void keep_loads(bdem_state *s)
{
  bdem_rig rig = s->rig;
  rig.load = s->start.load;
  bdem_parts_load(&s->contacts, &s->body, rig.load);
  bdem_grips_load(&s->model, &s->body, &s->total, &s->contacts, &rig);
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
  SCR_TRY(bdem_look_ahead(&s->listing, dt, time + dt, &hit, error));
  if (hit) return SCR_OK;
  double potential_before = potential(s), residual = s->step.solver.residual; /* of the parts before */
  memcpy(before, s->contacts.parts, s->contacts.part_count * sizeof *before);
  keep_loads(s);
  s->step.end = time + dt;
  size_t broken = s->fracture.broken_count;
  scr_status status = try_part(s, time, dt, may_break, &potential_before, before, &hit, error);
  bool breaks = status == SCR_OK && !hit && mark_bonds(s, false) > 0;
  bool jumped = status == SCR_OK && !hit && !may_break && bdem_velocity_jumped(&s->model, &s->body, &s->fracture, s->start.velocity);
  if (status != SCR_OK || hit || (!may_break && (breaks || jumped))) {
    restore(s, time);
    s->step.solver.residual = residual;
    if (!hit) *outcome = PART_WOULD_BREAK;
    return status;
  }
  s->step.solver.residual = fmax(residual, s->step.solver.residual);
  bdem_part_works works = measure_part(s, dt, potential_before, before);
  book_part(s, &works);
  bdem_contact_impulses(&s->model, &s->body, &s->contacts, &s->rig, s->ledger, dt);
  bdem_grips_set_velocity(&s->rig, &s->contacts, before, dt, &s->body);
  scr_status done = breaks ? break_marked(s, error) : SCR_OK;
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
static double longest_breaking(const bdem_model *model)
{
  switch (model->options->breaking) {
  case BDEM_BREAKING_EXPLICIT_BURSTS: return 0.0;
  case BDEM_BREAKING_STAGED: return model->options->fracture_step_ratio * model->stable_step;
  default: return INFINITY;
  }
}

/* Whether what a part met is done by explicit steps; else the part is halved. */
static bool bursts(const bdem_options *options, const bdem_control *control, part_outcome outcome)
{
  if (outcome == PART_HIT) return options->impacts == BDEM_IMPACTS_EXPLICIT_BURSTS || control->halvings == BDEM_HALVINGS_LIMIT;
  return outcome == PART_WOULD_BREAK && options->breaking == BDEM_BREAKING_EXPLICIT_BURSTS;
}

/* One step of the scene's implicit integrator from `time` on, in parts and bursts as it needs. */
static scr_status advance_implicit(bdem_state *s, double time, scr_error *error)
{
  const uint64_t whole = (uint64_t)1 << BDEM_HALVINGS_LIMIT;
  double longest = longest_breaking(&s->model);
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
    burst = burst || (status == SCR_OK && bursts(s->model.options, &s->control, outcome));
    if (burst) SCR_TRY(advance_burst(s, from, dt, error));
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

/* ── every step ─────────────────────────────────────────────────────────────────────────────────────────────────── */

/* The state must stay finite. Explicit steps look at every sphere anyway. */
static scr_status check_state(bdem_state *s, scr_error *error)
{
  bool known = s->model.options->integrator == BDEM_INTEGRATOR_EXPLICIT && s->step.finite;
  size_t lost = known ? SIZE_MAX : bdem_first_not_finite(&s->model, &s->body);
  if (lost != SIZE_MAX)
    return sim_not_finite(error, s->step.number, s->model.time_step, "sphere %zu of grain %u", lost, s->model.grain_of[lost]);
  return check_depth(s, s->step.number % PAIR_CHECK_STEPS == 0, error);
}

scr_status bdem_advance(bdem_state *s, double time, uint64_t step, scr_error *error)
{
  double end = (double)step * s->model.time_step; /* rounded as it will be after loading a checkpoint */
  s->step = (bdem_step_context){.number = step};
  s->fracture.noted = 0;
  if (s->model.options->integrator == BDEM_INTEGRATOR_EXPLICIT)
    SCR_TRY(advance_swept(s, s->model.time_step, end, 0, error));
  else
    SCR_TRY(advance_implicit(s, time, error));
  parts_move(s->parts, end);
  ledger_close(s->ledger, s->parts, s->ledger->start + fabs(ledger_external(s->ledger)));
  if (s->list.broken_count != s->fracture.broken_count)
    SCR_TRY(bdem_contact_update(&s->listing, 0.0, error)); /* pairs of broken bonds show in the energies at once */
  if (s->model.options->integrator != BDEM_INTEGRATOR_EXPLICIT) SCR_TRY(follow_bonds(s, error));
  return check_state(s, error);
}
