/* One step: how long, what is poured, the stages in order, the ledger, doubts. */
#include <math.h>
#include <string.h>

#include "methods/granular/step/bodies.h"
#include "methods/granular/wet/stages.h"
#include "sim/time_step.h"

/* A step whose cells miss the law by this much of gravity on average is not to be trusted. */
#define DOUBTFUL_RMS 0.05
#define DOUBTFUL_FRACTION 1.5 /* of over-full cells, on average over a step */
#define DOUBTFUL_GAIN 0.01    /* of the largest energy */

static void fastest_points(const void *user, size_t begin, size_t end, double *value)
{
  const granular_state *s = user;
  for (size_t i = begin; i < end; i++) {
    const double *u = s->points[i].u;
    *value = fmax(*value, u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
  }
}

/* The longest step that the fastest point and gravity allow, cut so that it ends where output is due. */
static double choose_step(const scr_sim *sim, scr_execution execution)
{
  const granular_state *s = sim->state;
  double fastest = 0, step = s->longest_step, left = sim->next_output - sim->time;
  execution_largest(execution, s->point_count, 1, fastest_points, s, &fastest);
  fastest = fmax(sqrt(fastest), wet_fastest(s->fluid));
  if (fastest > 0) step = fmin(step, GRANULAR_TRAVEL * s->domain.h / fastest);
  return left <= step ? left : left < 2 * step ? 0.5 * left : step;
}

/* Fills again what is due; points poured late are as far as they would have gone. */
static scr_status pour(scr_sim *sim, scr_error *error)
{
  granular_state *s = sim->state;
  for (size_t k = 0; k < s->specimen_count; k++) {
    const granular_specimen *specimen = scr_scene_specimen(s->scene, k);
    double interval = specimen->pour_interval, velocity[3] = {0};
    granular_to_grid(s, s->scene->specimens[k].velocity, velocity);
    while (!isnan(interval) && s->fillings[k] < (uint64_t)specimen->pour_count && (double)s->fillings[k] * interval <= sim->time) {
      size_t from = s->point_count;
      double late = sim->time - (double)s->fillings[k] * interval;
      SCR_TRY(granular_fill(s, k, error));
      for (size_t i = from; i < s->point_count; i++) {
        granular_point *p = &s->points[i];
        for (int a = 0; a < s->d; a++) p->x[a] += late * velocity[a];
        s->report.poured_mass += granular_mass(s, p);
        s->ledger->rig += granular_point_energy(s, p);
      }
      s->fillings[k]++;
    }
  }
  return SCR_OK;
}

static void book(granular_state *s, const granular_energy *e, const wet_energy *wet)
{
  sim_ledger *ledger = s->ledger;
  ledger->gravity += wet->gravity;
  ledger->damping += wet->drag + wet->viscous;
  ledger->numerical += wet->carried + wet->implicit;
  ledger->gravity += e->gravity;
  ledger->rig += e->rig - e->removed;
  ledger->friction += e->friction + e->sliding;
  ledger->impact += e->compaction;
  ledger->fracture += e->cohesion;
  ledger->numerical += e->points_before - e->nodes_before + e->implicit + e->unsolved + e->nodes_after - e->points_after - e->removed;
  s->report.undone_energy += e->undone;
  double taken = ledger->damping + ledger->friction + ledger->impact + ledger->fracture + ledger->numerical;
  s->report.most_taken = fmax(s->report.most_taken, taken);
  s->report.gained_energy = fmax(s->report.gained_energy, s->report.most_taken - taken);
}

static void report_fractions(granular_state *s)
{
  double largest = 0, sum = 0, pressed = 0;
  for (size_t k = 0; k < s->cell_count; k++) {
    if (!(s->cells[k].r[0] > 0)) continue;
    largest = fmax(largest, s->extra[k].fraction);
    sum += s->extra[k].fraction, pressed++;
  }
  s->report.largest_fraction = largest;
  s->report.mean_fraction = pressed > 0 ? sum / pressed : 0;
}

static void doubt_fluid(scr_sim *sim, const wet_fluid *fluid)
{
  if (fluid && fluid->report.unsolved > 0)
    scr_sim_doubt(
        sim, "fluid_volume",
        "sand and fluid together gained up to %.3g of a cell's volume in a step (largest allowed %.3g), in %.0f steps: the equations of "
        "drag and pressure are too far apart for double precision; use larger grains, a thinner fluid or shorter steps",
        fluid->report.worst, WET_TOLERANCE, fluid->report.unsolved);
}

static void raise_doubts(scr_sim *sim)
{
  granular_state *s = sim->state;
  double full = s->report.worst_fraction;
  s->report.worst_rms = fmax(s->report.worst_rms, s->report.weighted_rms);
  s->report.worst_fraction = fmax(full, s->report.mean_fraction);
  if (s->report.worst_rms > DOUBTFUL_RMS)
    scr_sim_doubt(sim, "unsolved_steps",
                  "sand of a step violated its law by %.3g of gravity on average (largest allowed %.3g): allow more sweeps, or "
                  "use shorter steps",
                  s->report.worst_rms, DOUBTFUL_RMS);
  if (s->report.worst_fraction > DOUBTFUL_FRACTION)
    scr_sim_doubt(sim, "overfilled",
                  "sand under pressure was %.3g times as dense as it can be, on average over a step (largest allowed %.3g): use shorter "
                  "steps or more points per cell",
                  s->report.worst_fraction, DOUBTFUL_FRACTION);
  double scale = fmax(s->ledger->largest, s->ledger->least);
  if (s->report.gained_energy > DOUBTFUL_GAIN * scale)
    scr_sim_doubt(sim, "gained_energy",
                  "the sand gained %.3g J, %.3g %% of the largest energy, that neither parts nor gravity gave (largest allowed %.3g %%): "
                  "over-filled cells gave it; use shorter steps or more points per cell",
                  s->report.gained_energy, 100 * s->report.gained_energy / scale, 100 * DOUBTFUL_GAIN);
  doubt_fluid(sim, s->fluid);
}

/* Small problems are done before threads have met. */
static scr_execution execution_for(const granular_state *s, scr_execution execution)
{
  const size_t points_each = 100000;
  size_t worth = 1 + s->point_count / points_each;
  if (worth < execution.threads) execution.threads = (unsigned)worth;
  return execution;
}

static scr_status solve_law(scr_sim *sim, const granular_pass *pass, wet_energy *wet, scr_error *error)
{
  granular_state *s = sim->state;
  if (!s->fluid) return granular_solve(s, pass, &sim->liveness, error);
  SCR_TRY(wet_solve(s->fluid, s, pass, &sim->liveness, error));
  wet_account(s->fluid, s, pass->step, wet);
  return SCR_OK;
}

static scr_status solve_step(scr_sim *sim, const granular_pass *pass, const part_motion *before, granular_energy *energy, wet_energy *wet,
                             scr_error *error)
{
  granular_state *s = sim->state;
  SCR_TRY(granular_sort(s, pass->execution, error));
  SCR_TRY(granular_list_cells(s, pass->execution, error));
  SCR_TRY(granular_to_nodes(s, pass, energy, error));
  if (s->fluid) {
    SCR_TRY(wet_carry(s->fluid, s, s->report.step, wet, error));
    wet_find_viscosity(s->fluid, s, pass->step);
  }
  SCR_TRY(granular_find_parts(s, pass, &sim->parts, before, error));
  granular_make_rows(s, pass);
  SCR_TRY(granular_warm_start(s, pass, error));
  SCR_TRY(solve_law(sim, pass, wet, error));
  granular_account(s, pass, &sim->parts, before, energy);
  report_fractions(s);
  granular_to_points(s, pass, energy);
  return granular_keep_warm(s, pass, error);
}

scr_status granular_advance(scr_sim *sim, scr_error *error)
{
  granular_state *s = sim->state;
  part_motion before[SCR_PART_LIMIT];
  part_flight flights[SCR_PART_LIMIT];
  granular_energy energy = {0};
  wet_energy wet = {0};
  SCR_TRY(pour(sim, error));
  granular_pass pass = {.execution = execution_for(s, sim->execution)};
  pass.step = choose_step(sim, pass.execution);
  double end = sim->time + pass.step;
  if (end > sim->next_output || sim->next_output - end < 1e-9 * pass.step) end = sim->next_output; /* rounding */
  memcpy(before, sim->parts.now, sizeof before);
  memcpy(flights, sim->parts.flight, sizeof flights);
  parts_begin(&sim->parts, end, pass.step);
  parts_move(&sim->parts, end);
  SCR_TRY(solve_step(sim, &pass, before, &energy, &wet, error));
  granular_end_bodies(s, &pass, &sim->parts, flights, end, &energy);
  book(s, &energy, &wet);
  double held = energy.points_after + wet_kinetic(s->fluid);
  if (!isfinite(held + energy.friction)) return sim_not_finite(error, sim->steps + 1, pass.step, "the sand's velocity");
  ledger_close(s->ledger, &sim->parts, fmax(held, fabs(ledger_external(s->ledger))));
  s->report.step = pass.step;
  sim->time_step = pass.step;
  sim->time = end;
  sim->steps++;
  raise_doubts(sim);
  return SCR_OK;
}
