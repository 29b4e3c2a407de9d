/* One fibre over a step.
 *
 *  Order 1, the implicit Euler method:    M (v1 - v) = dt F(q1),  q1 = q + dt v1
 *  Order 2, two stages, g = 1 - 1/sqrt 2:  M (V1 - v) = g dt F(Q1),  Q1 = q + g dt V1
 *                                         M (v1 - v*) = g dt F(q1),  q1 = q* + g dt v1,  v* = v + (1 - g) dt A1,  q* = q + (1 - g) dt
 *                                         V1,  A1 = (V1 - v)/(g dt)
 *
 *  What a step of order 2 would gain is taken out of the motion; where that is more than a hundredth of it, the step is made anew with
 *  order 1.
 *  What a step takes out by itself is, of order 1, |v1 - v|_M^2 / 2 + E(q) - E(q1) + dE(q1).(q1 - q) >= 0 where E is convex; of order 2
 *  what is missing from the balance. */
#include <string.h>

#include "methods/fibre/step/slices.h"
#include "methods/fibre/step/step.h"

fibre_slices fibre_slices_of(fibre_state *s, size_t number, double h)
{
  const fibre *f = &s->fibres[number];
  size_t u = ROD_UNKNOWNS * (size_t)f->first, n = ROD_UNKNOWNS * (size_t)f->nodes, width = rod_band(f->ring);
  fibre_slices o = {
      .f = f, .r = fibre_rod(s, f), .unknowns = n, .place = s->place + u, .velocity = s->velocity + u, .reaction = s->reaction + u};
  o.base_place = s->base_place + u, o.base_velocity = s->base_velocity + u;
  o.mass = s->mass + u, o.load = s->load + u;
  o.frames = fibre_frames(&s->frames, f);
  o.scratch = (rod_scratch){.place = s->trial_place + u,
                            .velocity = s->trial_velocity + u,
                            .gradient = s->gradient + u,
                            .change = s->change + u,
                            .product = s->product + u,
                            .best = s->best + u,
                            .pull = s->pull + f->first,
                            .best_frames = fibre_frames(&s->best_frames, f),
                            .trial = fibre_frames(&s->trial, f),
                            .matrix = {n, width, s->matrix + f->band},
                            .damper = {n, width, s->damper + f->band}};
  o.search = (rod_search){.mass = o.mass,
                          .force = o.load,
                          .held = s->held + u,
                          .h = h,
                          .mass_damping = f->mass_damping,
                          .stiffness_damping = f->stiffness_damping,
                          .tolerance = s->options->tolerance,
                          .least_speed = fmax(vec3_length(s->scene->rig.gravity) * h, 1e-9 * f->radius / h),
                          .limit = (uint32_t)s->options->iterations};
  return o;
}

double fibre_slices_kinetic(const fibre_slices *o, const double *v)
{
  double sum = 0;
  for (size_t k = 0; k < o->unknowns; k++) sum += 0.5 * o->mass[k] * v[k] * v[k];
  return sum;
}

void fibre_slices_add_works(const fibre_slices *o, double dt, double share, fibre_report *report)
{
  for (size_t k = 0; k < o->unknowns; k++) {
    report->loads += share * dt * o->load[k] * o->velocity[k];
    if (o->search.held[k]) report->held += share * dt * o->reaction[k] * o->velocity[k];
  }
}

void fibre_slices_take(fibre_report *report, const rod_found *found, double share)
{
  report->iterations += found->iterations;
  report->residual = fmax(report->residual, found->residual);
  report->solved = report->solved && found->solved;
  report->lost = report->lost || found->lost;
  report->damping += share * found->damped;
  report->energy = found->energy;
}

/* ── order 1 ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

double fibre_slices_numerical_loss(const fibre_slices *o)
{
  double sum = 0;
  for (size_t k = 0; k < o->unknowns; k++) {
    double change = o->velocity[k] - o->base_velocity[k];
    sum += 0.5 * o->mass[k] * change * change;
  }
  return sum;
}

static fibre_report first_order(fibre_slices *o, double dt, double elastic)
{
  fibre_report report = {.solved = true};
  memcpy(o->base_place, o->place, o->unknowns * sizeof *o->place);
  o->search.rod = &o->r, o->search.place = o->base_place, o->search.inertial = o->base_velocity, o->search.h = dt;
  rod_found found = rod_implicit(&o->search, o->velocity, o->place, &o->frames, o->reaction, &o->scratch);
  fibre_slices_take(&report, &found, 1);
  fibre_slices_add_works(o, dt, 1, &report);
  report.numerical = fibre_slices_numerical_loss(o) + elastic - rod_total(found.energy) + found.strained;
  report.kinetic = fibre_slices_kinetic(o, o->velocity);
  return report;
}

/* ── order 2 ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Takes a gain, J < 0, out of what moves and is not held, all its velocities by one factor; of a fibre that nothing holds, those
 *  relative to its centre of mass, so that its momentum
 * stays. The change is of third order in dt, as the gain is. (Hairer, Lubich, Wanner 2006, IV.4: projection) */
bool fibre_slices_take_back(fibre_slices *o, double gain, double most, fibre_report *report)
{
  double momentum[3] = {0}, mass = 0, moving = 0;
  for (size_t k = 0; k < o->unknowns && !o->f->is_held; k += ROD_UNKNOWNS) {
    mass += o->mass[k];
    for (size_t c = 0; c < 3; c++) momentum[c] += o->mass[k + c] * o->velocity[k + c];
  }
  for (int pass = 0; pass < 2; pass++) {
    double factor = pass ? sqrt(1 + gain / moving) : 1;
    for (size_t k = 0; k < o->unknowns; k++) {
      size_t c = k % ROD_UNKNOWNS;
      if (o->search.held[k]) continue;
      double mean = mass > 0 && c != ROD_TWIST ? momentum[c] / mass : 0, own = o->velocity[k] - mean;
      moving += pass ? 0 : 0.5 * o->mass[k] * own * own;
      if (pass) o->velocity[k] = mean + factor * own;
    }
    if (!(-gain < most * moving)) return false;
  }
  report->numerical = 0;
  report->kinetic = fibre_slices_kinetic(o, o->velocity);
  return true;
}

static fibre_report second_order(fibre_slices *o, double dt, double kinetic, double elastic)
{
  const double g = 1 - sqrt(0.5), h = g * dt, rest = (1 - g) * dt;
  fibre_report report = {.solved = true};
  memcpy(o->base_place, o->place, o->unknowns * sizeof *o->place);
  o->search.rod = &o->r, o->search.place = o->base_place, o->search.inertial = o->base_velocity, o->search.h = h;
  rod_found found = rod_implicit(&o->search, o->velocity, o->place, &o->frames, o->reaction, &o->scratch);
  fibre_slices_take(&report, &found, (1 - g) / g);
  fibre_slices_add_works(o, dt, 1 - g, &report);
  for (size_t k = 0; k < o->unknowns; k++) {
    double acceleration = (o->velocity[k] - o->base_velocity[k]) / h;
    o->base_velocity[k] += rest * acceleration;
    o->base_place[k] += rest * o->velocity[k];
  }
  found = rod_implicit(&o->search, o->velocity, o->place, &o->frames, o->reaction, &o->scratch);
  fibre_slices_take(&report, &found, 1);
  fibre_slices_add_works(o, dt, g, &report);
  report.kinetic = fibre_slices_kinetic(o, o->velocity);
  report.numerical = kinetic + elastic + report.loads + report.held - report.damping - report.kinetic - rod_total(report.energy);
  return report;
}

void fibre_step_one(fibre_state *s, size_t number, double dt)
{
  fibre_slices o = fibre_slices_of(s, number, dt);
  fibre_report *report = &s->reports[number];
  const rod_energies before = report->energy;
  double kinetic = fibre_slices_kinetic(&o, o.base_velocity),
         elastic = rod_total(before); /* base_velocity: that of the step before, of held unknowns too */
  if (s->options->order == 1) {
    *report = first_order(&o, dt, elastic);
    return;
  }
  size_t n = o.unknowns, nodes = o.f->nodes;
  memcpy(s->kept + ROD_UNKNOWNS * (size_t)o.f->first, o.place, n * sizeof(double));
  memcpy(s->kept_velocity + ROD_UNKNOWNS * (size_t)o.f->first, o.base_velocity, n * sizeof(double));
  rod_frames kept = fibre_frames(&s->kept_frames, o.f);
  memcpy(kept.director, o.frames.director, nodes * sizeof *kept.director);
  memcpy(kept.tangent, o.frames.tangent, nodes * sizeof *kept.tangent);
  memcpy(kept.reference, o.frames.reference, nodes * sizeof *kept.reference);
  *report = second_order(&o, dt, kinetic, elastic);
  double size = kinetic + elastic + fabs(report->loads) + fabs(report->held);
  if (!report->lost && (report->numerical >= -FIBRE_ROUNDING * size || fibre_slices_take_back(&o, report->numerical, FIBRE_GAIN, report)))
    return;
  memcpy(o.place, s->kept + ROD_UNKNOWNS * (size_t)o.f->first, n * sizeof(double));
  memcpy(o.base_velocity, s->kept_velocity + ROD_UNKNOWNS * (size_t)o.f->first, n * sizeof(double));
  memcpy(o.frames.director, kept.director, nodes * sizeof *kept.director);
  memcpy(o.frames.tangent, kept.tangent, nodes * sizeof *kept.tangent);
  memcpy(o.frames.reference, kept.reference, nodes * sizeof *kept.reference);
  for (size_t k = 0; k < n; k++)
    if (!o.search.held[k]) o.velocity[k] = o.base_velocity[k];
  *report = first_order(&o, dt, elastic);
  report->first_order = true;
}

/* ── statics ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Held unknowns go first, then all else follows. What holds works by its mean reaction; what is missing then was lost where the fibre
 * snapped over. */
void fibre_find_equilibrium(fibre_state *s, size_t number, double dt)
{
  fibre_slices o = fibre_slices_of(s, number, dt);
  fibre_report *report = &s->reports[number];
  double elastic = rod_total(report->energy), held = 0;
  memcpy(o.base_place, o.place, o.unknowns * sizeof *o.place);
  for (size_t k = 0; k < o.unknowns; k++) {
    double displacement = o.search.held[k] ? dt * o.velocity[k] : 0;
    held += 0.5 * o.reaction[k] * displacement;
    o.place[k] += displacement;
  }
  o.search.rod = &o.r, o.search.place = o.base_place, o.search.limit *= 10;
  rod_found found = rod_equilibrium(&o.search, o.place, &o.frames, o.reaction, &o.scratch);
  *report = (fibre_report){.solved = true};
  fibre_slices_take(report, &found, 1);
  for (size_t k = 0; k < o.unknowns; k++) {
    double displacement = o.place[k] - o.base_place[k];
    report->loads += o.load[k] * displacement;
    if (o.search.held[k]) held += 0.5 * o.reaction[k] * displacement;
    o.velocity[k] = 0;
  }
  report->held = held;
  report->numerical = elastic + report->loads + held - rod_total(report->energy);
}
