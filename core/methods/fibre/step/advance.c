/* The whole step. */
#include <string.h>

#include "methods/fibre/step/step.h"

#include "sim/time_step.h"

static void step_all(fibre_state *s, double dt, scr_execution execution)
{
  bool is_static = s->options->loading == FIBRE_STATIC;
#pragma omp parallel for num_threads(execution.threads) schedule(static)
  for (size_t k = 0; k < s->fibre_count; k++) {
    bool is_helix = s->fibres[k].elements > 0;
    if (is_static && is_helix)
      fibre_find_helix_equilibrium(s, k, dt);
    else if (is_static)
      fibre_find_equilibrium(s, k, dt);
    else if (s->touched[k])
      continue; /* together, by fibre_step_touching */
    else if (is_helix)
      fibre_step_helix(s, k, dt);
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
                "%llu steps of fibres were not solved to the tolerance of %.3g (the worst left %.3g): their motion is wrong by about that; "
                "use a smaller time_step or more iterations",
                (unsigned long long)s->counts.unsolved, s->options->tolerance, s->counts.worst_residual);
}

static void doubt_contacts(scr_sim *sim)
{
  const fibre_state *s = sim->state;
  scr_sim_doubt(sim, "unsolved_contacts",
                "%llu of %llu steps left contacts unsolved (the worst relative residual is %.3g, the tolerance %.3g): motion and forces of "
                "these are wrong by about that; use smaller steps, and drive nothing into a place too small for it",
                (unsigned long long)s->counts.unsolved_contacts, (unsigned long long)sim->steps + 1, s->counts.worst_contact,
                s->options->contact_tolerance);
}

/* Fibres deeper in each other than half their radius are about to pass through. */
static void doubt_overlap(scr_sim *sim)
{
  fibre_state *s = sim->state;
  double share = 0, deep = 0;
  for (size_t i = 0; i < s->detection.count; i++) {
    const fibre_touch *t = &s->detection.touch[i];
    double radius = s->fibres[t->a.fibre].contact_radius;
    if (t->part == FIBRE_NO_PART) radius = fmin(radius, s->fibres[t->b.fibre].contact_radius);
    if (-t->gap > share * radius) share = -t->gap / radius, deep = -t->gap;
  }
  if (share <= fmax(s->counts.deepest, 0.5)) return;
  s->counts.deepest = share;
  scr_sim_doubt(sim, "overlap",
                "fibres overlap each other or the rig by up to %.3g m, %.2g of their contact radius: what is deeper than the radius passes "
                "through; place them without overlap, or use a smaller time_step",
                deep, share);
}

/* Bodies in each other, or in parts, by more than a twentieth of the smaller. */
static void doubt_overlap_of_bodies(scr_sim *sim)
{
  fibre_state *s = sim->state;
  const double much = 0.05;
  double depth = 0, share = fibre_bodies_overlap(&s->bodies, &sim->parts, &depth);
  if (share <= fmax(s->counts.deepest_body, much)) return;
  s->counts.deepest_body = share;
  scr_sim_doubt(
      sim, "overlap_of_bodies",
      "obstacles that move freely overlap each other or the rig by up to %.3g m, %.2g of the extent of the smaller: nothing takes "
      "that away; place them without overlap, or use a smaller time_step",
      depth, share);
}

static scr_status count(scr_sim *sim, scr_error *error)
{
  fibre_state *s = sim->state;
  uint64_t before = s->counts.unsolved;
  s->counts.iterations = 0;
  for (size_t k = 0; k < s->fibre_count; k++) {
    const fibre_report *report = &s->reports[k];
    double size = report->kinetic + report->energy.stretching + report->energy.bending + report->energy.twisting;
    if (report->lost || !isfinite(size)) return sim_not_finite(error, sim->steps + 1, sim->time_step, "fibre %zu", k);
    if (report->iterations > s->counts.iterations) s->counts.iterations = report->iterations;
    s->counts.first_order += report->first_order;
    if (report->solved) continue;
    s->counts.unsolved++;
    s->counts.worst_residual = fmax(s->counts.worst_residual, report->residual);
  }
  if (s->counts.unsolved > before) doubt_unsolved(sim);
  if (s->problem.count == 0) return SCR_OK;
  doubt_overlap(sim);
  doubt_overlap_of_bodies(sim);
  if (s->counts.residual <= s->options->contact_tolerance) return SCR_OK;
  s->counts.unsolved_contacts++;
  s->counts.worst_contact = fmax(s->counts.worst_contact, s->counts.residual);
  doubt_contacts(sim);
  return SCR_OK;
}

/* Moves parts to the end of the step, and notes from where. */
static void move_parts(fibre_state *s, sim_parts *parts, double end, double dt)
{
  for (size_t p = 0; p < parts->count; p++) s->before[p] = parts->now[p];
  fibre_bodies_begin(&s->bodies, parts);
  parts_begin(parts, end, dt);
  parts_move(parts, end);
  for (size_t p = 0; p < parts->count; p++) s->displacement[p] = part_displacement_between(&parts->form[p], &s->before[p], &parts->now[p]);
}

scr_status fibre_advance(scr_sim *sim, double end, scr_error *error)
{
  fibre_state *s = sim->state;
  double dt = sim->time_step, middle = end - 0.5 * dt;
  bool dynamic = s->options->loading == FIBRE_DYNAMIC;
  move_parts(s, &sim->parts, end, dt);
  fibre_set_loads(s, dynamic && s->options->order == 2 ? middle : end);
  memcpy(s->base_velocity, s->velocity, s->unknown_count * sizeof *s->velocity);
  fibre_follow_holders(s, &sim->parts, dt);
  if (dynamic) SCR_TRY(fibre_find_touches(s, &sim->parts, dt, sim->execution, error));
  step_all(s, dt, sim->execution);
  fibre_load_parts(s, &sim->parts);
  if (dynamic) SCR_TRY(fibre_step_touching(sim, dt, error));
  fibre_bodies_end(s, &sim->parts, end, dt);
  book(s, &sim->parts);
  return count(sim, error);
}
