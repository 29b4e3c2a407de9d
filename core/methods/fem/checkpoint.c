/* All that later bits depend on: where nodes are and how fast, modes, contact forces to start from, sums, and which columns of kept factors are there already. */
#include <math.h>

#include "base/memory.h"
#include "methods/fem/state.h"

/* Which columns there are, group by group: their numbers are made again (compliance.h). */
static scr_status save_compliance(const fem_compliance *c, bool kept, scr_blob *blob, scr_error *error)
{
  size_t count = kept ? c->count : 0, groups = kept ? c->group_count : 0;
  SCR_TRY(scr_blob_write_u64(blob, count, error));
  SCR_TRY(scr_blob_write_u64(blob, groups, error));
  SCR_TRY(scr_blob_write_array(blob, c->unknown, count, sizeof *c->unknown, error));
  return scr_blob_write_array(blob, c->group, groups, sizeof *c->group, error);
}

scr_status fem_save(const scr_sim *sim, scr_blob *blob, scr_error *error)
{
  const fem_state *s = sim->state;
  size_t n = 3 * s->system.node_count;
  SCR_TRY(scr_blob_write_array(blob, s->motion.displacement, n, sizeof(double), error));
  SCR_TRY(scr_blob_write_array(blob, s->motion.velocity, n, sizeof(double), error));
  SCR_TRY(scr_blob_write_array(blob, s->motion.mode, s->system.hex_count * FEM_MODE_UNKNOWNS, sizeof(double), error));
  SCR_TRY(scr_blob_write(blob, &s->totals, sizeof s->totals, error));
  SCR_TRY(scr_blob_write(blob, &s->flight, sizeof s->flight, error));
  SCR_TRY(scr_blob_write_u64(blob, s->solver.touches.count, error));
  SCR_TRY(scr_blob_write_array(blob, s->solver.touches.item, s->solver.touches.count, sizeof *s->solver.touches.item, error));
  double kept = s->solver.redo_time > 0 ? s->solver.redo_time : s->solver.factor_time; /* s; only linear bodies keep their factor */
  SCR_TRY(scr_blob_write_f64(blob, s->solver.linear ? kept : 0, error));
  SCR_TRY(save_compliance(&s->solver.compliance, s->solver.linear, blob, error));
  return save_compliance(&s->solver.mass_compliance, true, blob, error);
}

static bool all_finite(const double *x, size_t count)
{
  for (size_t k = 0; k < count; k++)
    if (!isfinite(x[k])) return false;
  return true;
}

/* Contacts: sound enough to be started from and shown. */
static scr_status load_touches(const scr_sim *sim, fem_state *s, scr_blob *blob, scr_error *error)
{
  fem_touches *touches = &s->solver.touches;
  uint64_t count;
  SCR_TRY(scr_blob_read_u64(blob, &count, error));
  uint64_t sites = s->system.node_count + s->edges.first[s->system.body_count] + s->edges.first_face[s->system.body_count];
  if (count > sites * (SCR_PART_LIMIT + s->system.body_count)) return scr_sim_damaged("contacts", error);
  if (!mem_grow(&touches->item, &touches->capacity, (size_t)count, sizeof *touches->item))
    return scr_fail_memory(error, "contacts", (size_t)count * sizeof *touches->item);
  SCR_TRY(scr_blob_read_array(blob, touches->item, (size_t)count, sizeof *touches->item, "contacts", error));
  touches->count = (size_t)count;
  for (size_t k = 0; k < touches->count; k++) {
    const fem_touch *touch = &touches->item[k];
    if (touch->partner >= sim->parts.count + s->system.body_count || !all_finite(touch->force, 3) || !isfinite(touch->impulse))
      return scr_sim_damaged("contacts", error);
    if (touch->node_count < 1 || touch->node_count > FEM_TOUCH_NODES) return scr_sim_damaged("contacts", error);
    for (uint32_t i = 0; i < touch->node_count; i++)
      if (touch->node[i] >= s->system.node_count) return scr_sim_damaged("contacts", error);
    if (k && fem_touch_order(&touches->item[k - 1], touch) >= 0) return scr_sim_damaged("contacts", error);
  }
  return SCR_OK;
}

static scr_status load_compliance(fem_compliance *c, scr_blob *blob, scr_error *error)
{
  static const char what[] = "columns of factors";
  uint64_t count, groups;
  SCR_TRY(scr_blob_read_u64(blob, &count, error));
  SCR_TRY(scr_blob_read_u64(blob, &groups, error));
  if (count > c->size || groups > count) return scr_sim_damaged(what, error);
  fem_compliance_forget(c);
  if (!mem_grow(&c->unknown, &c->unknown_capacity, (size_t)count, sizeof *c->unknown) ||
      !mem_grow(&c->group, &c->group_capacity, (size_t)groups, sizeof *c->group))
    return scr_fail_memory(error, what, (size_t)(count + groups) * sizeof *c->unknown);
  SCR_TRY(scr_blob_read_array(blob, c->unknown, (size_t)count, sizeof *c->unknown, what, error));
  SCR_TRY(scr_blob_read_array(blob, c->group, (size_t)groups, sizeof *c->group, what, error));
  for (size_t g = 0; g < groups; g++)
    if (c->group[g] > count || c->group[g] <= (g ? c->group[g - 1] : 0)) return scr_sim_damaged(what, error);
  if (groups && c->group[groups - 1] != count) return scr_sim_damaged(what, error);
  for (size_t k = 0; k < count && groups; k++) {
    if (c->unknown[k] >= c->size || c->place[c->unknown[k]]) return scr_sim_damaged(what, error);
    c->place[c->unknown[k]] = (uint32_t)k + 1;
    c->count = k + 1;
  }
  c->group_count = (size_t)groups;
  return SCR_OK;
}

scr_status fem_load(scr_sim *sim, scr_blob *blob, scr_error *error)
{
  fem_state *s = sim->state;
  size_t n = 3 * s->system.node_count, modes = s->system.hex_count * FEM_MODE_UNKNOWNS;
  SCR_TRY(scr_blob_read_finite(blob, s->motion.displacement, n, sizeof(double), "displacements", error));
  SCR_TRY(scr_blob_read_finite(blob, s->motion.velocity, n, sizeof(double), "velocities", error));
  SCR_TRY(scr_blob_read_finite(blob, s->motion.mode, modes, sizeof(double), "modes of elements", error));
  SCR_TRY(scr_blob_read(blob, &s->totals, sizeof s->totals, error));
  SCR_TRY(scr_blob_read(blob, &s->flight, sizeof s->flight, error));
  if (s->flight.flying > 1 || (s->flight.flying && (!s->options->flight || !all_finite((const double *)(const void *)&s->flight.spin,
                                                                                       sizeof s->flight.spin / sizeof(double)))))
    return scr_sim_damaged("flight", error);
  SCR_TRY(load_touches(sim, s, blob, error));
  fem_solver *solver = &s->solver;
  solver->factor_time = 0;
  SCR_TRY(scr_blob_read(blob, &solver->redo_time, sizeof solver->redo_time, error));
  if (!solver->linear || !(solver->redo_time > 0)) solver->redo_time = 0;
  SCR_TRY(load_compliance(&solver->compliance, blob, error));
  SCR_TRY(load_compliance(&solver->mass_compliance, blob, error));
  scr_status status = fem_solver_refresh(&s->solver, error);
  return status == SCR_DIVERGED ? scr_sim_damaged("nodes", error) : status; /* elements that no step leaves behind */
}
