/* All that later bits depend on: where nodes are and how fast, modes, contact forces to start from, sums. */
#include <math.h>

#include "base/memory.h"
#include "methods/fem/state.h"

static const uint64_t layout_version = 1;

scr_status fem_save(const scr_sim *sim, scr_blob *blob, scr_error *error)
{
  const fem_state *s = sim->state;
  size_t n = 3 * s->system.node_count;
  SCR_TRY(scr_blob_write_u64(blob, layout_version, error));
  SCR_TRY(scr_blob_write_array(blob, s->motion.displacement, n, sizeof(double), error));
  SCR_TRY(scr_blob_write_array(blob, s->motion.velocity, n, sizeof(double), error));
  SCR_TRY(scr_blob_write_array(blob, s->motion.mode, s->system.hex_count * FEM_MODE_UNKNOWNS, sizeof(double), error));
  SCR_TRY(scr_blob_write(blob, &s->ledger, sizeof s->ledger, error));
  SCR_TRY(scr_blob_write(blob, &s->flight, sizeof s->flight, error));
  SCR_TRY(scr_blob_write_u64(blob, s->solver.touches.count, error));
  return scr_blob_write_array(blob, s->solver.touches.item, s->solver.touches.count, sizeof *s->solver.touches.item, error);
}

static scr_status damaged(const char *what, scr_error *error)
{
  return scr_fail(error, SCR_BAD_FILE, NULL, "the checkpoint's %s are not those of this scene; it is damaged or of another run", what);
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
  if (count > (uint64_t)s->system.node_count * (SCR_PART_LIMIT + s->system.body_count)) return damaged("contacts", error);
  if (!mem_grow(&touches->item, &touches->capacity, (size_t)count, sizeof *touches->item))
    return scr_fail_memory(error, "contacts", (size_t)count * sizeof *touches->item);
  SCR_TRY(scr_blob_read_array(blob, touches->item, (size_t)count, sizeof *touches->item, "contacts", error));
  touches->count = (size_t)count;
  for (size_t k = 0; k < touches->count; k++) {
    const fem_touch *touch = &touches->item[k];
    if (touch->partner >= sim->parts.count + s->system.body_count || !all_finite(touch->force, 3) || !isfinite(touch->impulse))
      return damaged("contacts", error);
    if (touch->node_count != 1 && touch->node_count != FEM_TOUCH_NODES) return damaged("contacts", error);
    for (uint32_t i = 0; i < touch->node_count; i++)
      if (touch->node[i] >= s->system.node_count) return damaged("contacts", error);
    if (k && fem_touch_order(&touches->item[k - 1], touch) >= 0) return damaged("contacts", error);
  }
  return SCR_OK;
}

scr_status fem_load(scr_sim *sim, scr_blob *blob, scr_error *error)
{
  fem_state *s = sim->state;
  size_t n = 3 * s->system.node_count, modes = s->system.hex_count * FEM_MODE_UNKNOWNS;
  uint64_t version;
  SCR_TRY(scr_blob_read_u64(blob, &version, error));
  if (version != layout_version)
    return scr_fail(error, SCR_BAD_FILE, NULL, "the checkpoint has form %llu; this program reads form %llu: start the run anew",
                    (unsigned long long)version, (unsigned long long)layout_version);
  SCR_TRY(scr_blob_read_array(blob, s->motion.displacement, n, sizeof(double), "displacements", error));
  SCR_TRY(scr_blob_read_array(blob, s->motion.velocity, n, sizeof(double), "velocities", error));
  SCR_TRY(scr_blob_read_array(blob, s->motion.mode, modes, sizeof(double), "modes of elements", error));
  SCR_TRY(scr_blob_read(blob, &s->ledger, sizeof s->ledger, error));
  if (!all_finite(s->motion.displacement, n) || !all_finite(s->motion.velocity, n) || !all_finite(s->motion.mode, modes))
    return damaged("nodes", error);
  SCR_TRY(scr_blob_read(blob, &s->flight, sizeof s->flight, error));
  if (s->flight.flying > 1 || (s->flight.flying && (!s->options->flight || !all_finite((const double *)(const void *)&s->flight.spin,
                                                                                       sizeof s->flight.spin / sizeof(double)))))
    return damaged("flight", error);
  SCR_TRY(load_touches(sim, s, blob, error));
  return fem_solver_refresh(&s->solver, error);
}
