/* All that later bits depend on: where nodes are and how fast, modes, contact forces to start from, sums, and of kept factors which nodes
 * and modes they are of and which columns are there already. */
#include <math.h>

#include "methods/fem/state/state.h"

scr_status fem_save(const scr_sim *sim, scr_blob *blob, scr_error *error)
{
  const fem_state *s = sim->state;
  const fem_solver *solver = &s->solver;
  double kept = solver->redo_time > 0 ? solver->redo_time : solver->factor_time;
  SCR_TRY(fields_save(fem_fields, FEM_FIELDS, s, blob, error));
  SCR_TRY(fields_save(fem_solver_fields, FEM_SOLVER_FIELDS, solver, blob, error));
  SCR_TRY(scr_blob_write_f64(blob, kept, error));
  SCR_TRY(fem_compliance_save(&solver->compliance, kept > 0, blob, error));
  return fem_compliance_save(&solver->mass_compliance, true, blob, error);
}

static bool all_finite(const double *x, size_t count)
{
  for (size_t k = 0; k < count; k++)
    if (!isfinite(x[k])) return false;
  return true;
}

static bool flight_is_valid(const fem_state *s)
{
  const fem_flight *flight = &s->flight;
  if (!flight->flying) return true;
  return flight->flying == 1 && s->options->flight &&
         all_finite((const double *)(const void *)&flight->spin, sizeof flight->spin / sizeof(double));
}

/* Contacts: sound enough to be started from and shown. */
static bool touches_are_valid(const fem_state *s, size_t parts)
{
  const fem_touches *touches = &s->solver.touches;
  uint64_t sites = s->system.node_count + s->edges.first[s->body_count] + s->edges.first_face[s->body_count];
  if (touches->count > sites * (SCR_PART_LIMIT + s->body_count)) return false;
  for (size_t k = 0; k < touches->count; k++) {
    const fem_touch *touch = &touches->item[k];
    if (touch->partner >= parts + s->body_count || !all_finite(touch->force, 3) || !isfinite(touch->impulse)) return false;
    if (touch->node_count < 1 || touch->node_count > FEM_TOUCH_NODES) return false;
    for (uint32_t i = 0; i < touch->node_count; i++)
      if (touch->node[i] >= s->system.node_count) return false;
    if (k && fem_touch_order(&touches->item[k - 1], touch) >= 0) return false;
  }
  return true;
}

scr_status fem_load(scr_sim *sim, scr_blob *blob, scr_error *error)
{
  fem_state *s = sim->state;
  fem_solver *solver = &s->solver;
  SCR_TRY(fields_load(fem_fields, FEM_FIELDS, s, blob, error));
  SCR_TRY(fields_load(fem_solver_fields, FEM_SOLVER_FIELDS, solver, blob, error));
  if (!flight_is_valid(s)) return scr_sim_damaged("flight", error);
  if (!touches_are_valid(s, sim->parts.count)) return scr_sim_damaged("contacts", error);
  solver->factor_time = 0;
  SCR_TRY(scr_blob_read_f64(blob, &solver->redo_time, error));
  if (!(solver->redo_time > 0)) solver->redo_time = 0;
  if (!all_finite(solver->factor_place, solver->kept_unknown_count) ||
      !all_finite(solver->factor_mode, solver->kept_hex_count * FEM_MODE_UNKNOWNS))
    return scr_sim_damaged("nodes of the factor", error);
  SCR_TRY(fem_compliance_load(&solver->compliance, blob, error));
  SCR_TRY(fem_compliance_load(&solver->mass_compliance, blob, error));
  scr_status status = fem_solver_refresh(solver, error);
  return status == SCR_DIVERGED ? scr_sim_damaged("nodes", error) : status; /* elements that no step leaves behind */
}
