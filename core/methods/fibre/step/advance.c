/* The whole step. */
#include <string.h>

#include "methods/fibre/step/step.h"

static void step_all(fibre_state *s, double dt, unsigned threads)
{
  bool is_static = s->options->loading == FIBRE_STATIC;
#pragma omp parallel for num_threads((int)threads) schedule(static)
  for (size_t k = 0; k < s->fibre_count; k++) {
    if (is_static)
      fibre_settle_one(s, k, dt);
    else
      fibre_step_one(s, k, dt);
  }
}

static void book(fibre_state *s, const sim_parts *parts)
{
  sim_ledger *ledger = s->ledger;
  rod_energies elastic = fibre_elastic(s);
  for (size_t k = 0; k < s->fibre_count; k++) {
    const fibre_report *report = &s->reports[k];
    ledger->damping += report->damping;
    ledger->numerical += report->numerical;
    ledger->rig += report->held;
    ledger->gravity += report->loads;
  }
  double held = fibre_kinetic(s) + elastic.stretching + elastic.bending + elastic.twisting;
  ledger_close(ledger, parts, fmax(held, fmax(fabs(ledger->rig), fabs(ledger->gravity))));
}

static void doubt_unsolved(scr_sim *sim)
{
  const fibre_state *s = sim->state;
  scr_sim_doubt(sim, "unsolved_steps",
                "%llu steps of fibres were not solved to the tolerance of %.3g (the worst left %.3g): their motion is wrong by about that; use a smaller time_step or more iterations",
                (unsigned long long)s->counts.unsolved, s->options->tolerance, s->counts.worst_residual);
}

static scr_status count(scr_sim *sim, scr_error *error)
{
  fibre_state *s = sim->state;
  uint64_t before = s->counts.unsolved;
  s->counts.iterations = 0;
  for (size_t k = 0; k < s->fibre_count; k++) {
    const fibre_report *report = &s->reports[k];
    double size = report->kinetic + report->energy.stretching + report->energy.bending + report->energy.twisting;
    if (report->lost || !isfinite(size))
      return scr_fail(error, SCR_DIVERGED, NULL, "fibre %zu is no longer anywhere after step %llu of %.3g s: use a smaller time_step", k, (unsigned long long)sim->steps + 1,
                      sim->time_step);
    if (report->iterations > s->counts.iterations) s->counts.iterations = report->iterations;
    s->counts.first_order += report->first_order;
    if (report->solved) continue;
    s->counts.unsolved++;
    s->counts.worst_residual = fmax(s->counts.worst_residual, report->residual);
  }
  if (s->counts.unsolved > before) doubt_unsolved(sim);
  return SCR_OK;
}

scr_status fibre_advance(scr_sim *sim, double end, scr_error *error)
{
  fibre_state *s = sim->state;
  double dt = sim->time_step, middle = end - 0.5 * dt;
  parts_begin(&sim->parts, end, dt);
  parts_move(&sim->parts, end);
  fibre_set_loads(s, s->options->loading == FIBRE_DYNAMIC && s->options->order == 2 ? middle : end);
  memcpy(s->base_velocity, s->velocity, s->unknown_count * sizeof *s->velocity);
  fibre_follow_holders(s, &sim->parts, dt);
  step_all(s, dt, sim->threads);
  fibre_load_parts(s, &sim->parts);
  book(s, &sim->parts);
  return count(sim, error);
}
