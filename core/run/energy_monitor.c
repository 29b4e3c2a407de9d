/* Watches the energies of a run, sample by sample. */
#include "run/energy_monitor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "sim/sim.h"

static const double balance_tolerance = 0.01;
/* Round-off of sums over many elements, and the error of booking a step's mean force, stay far below; a damper that drives does not. */
static const double dissipation_tolerance = 1e-3;

scr_status energy_monitor_create(const scr_sim *sim, energy_monitor *watch, scr_error *error)
{
  *watch = (energy_monitor){.balance = sim_find_series(sim, "energy.balance_error"),
                            .fracture = sim_find_series(sim, "energy.fracture"),
                            .peak_count = sim->dissipation_count};
  watch->peaks = calloc(watch->peak_count + 1, sizeof *watch->peaks);
  return watch->peaks ? SCR_OK : scr_fail_memory(error, "the watch over energies", watch->peak_count * sizeof *watch->peaks);
}

void energy_monitor_clear(energy_monitor *watch)
{
  free(watch->peaks);
  *watch = (energy_monitor){.balance = -1, .fracture = -1};
}

static void judge_balance(energy_monitor *watch, scr_sim *sim, double error)
{
  if (!(fabs(error) > fmax(watch->worst, balance_tolerance))) return;
  char time[QUANTITY_BYTES];
  watch->worst = fabs(error);
  quantity_text(sim->time, "s", time, sizeof time);
  scr_sim_doubt(sim, "energy_balance",
                "the balance of energy was off by %.3g %% of the largest energy at t = %s (tolerance %g %%): %s; use a smaller time step",
                100 * watch->worst, time, 100 * balance_tolerance,
                error < 0 ? "more energy was there than had been put in" : "energy was lost that no curve accounts for");
}

/* A method books to fracture all that breaking changes, so the balance holds even where that is a gain: bodies that press on each other as
 * they tear lose their faces, and lie deeper in each other by the law that is left. That is no energy of the material. */
static void judge_fracture(energy_monitor *watch, scr_sim *sim, double value)
{
  watch->torn = fmax(watch->torn, value);
  if (!(watch->torn - value > fmax(watch->returned, dissipation_tolerance * watch->scale))) return;
  char time[QUANTITY_BYTES], given[QUANTITY_BYTES];
  watch->returned = watch->torn - value;
  quantity_text(sim->time, "s", time, sizeof time);
  quantity_text(watch->returned, "J", given, sizeof given);
  scr_sim_doubt(
      sim, "energy_from_fracture",
      "breaking gave %s to the motion by t = %s, %.2g %% of the largest energy (tolerance %g %%), where it can only take: what broke "
      "was pressed deep into its neighbour; use a smaller time step, slower loading, or a smaller spacing",
      given, time, 100 * watch->returned / watch->scale, 100 * dissipation_tolerance);
}

static scr_status judge_dissipation(energy_monitor *watch, const scr_sim *sim, size_t k, const double *values, scr_error *error)
{
  const scr_series *series = &sim->series[sim->dissipations[k]];
  double value = values[sim->dissipations[k]];
  watch->peaks[k] = fmax(watch->peaks[k], value);
  if (watch->peaks[k] - value <= dissipation_tolerance * watch->scale) return SCR_OK;
  char time[QUANTITY_BYTES], given[QUANTITY_BYTES];
  quantity_text(sim->time, "s", time, sizeof time);
  quantity_text(watch->peaks[k] - value, "J", given, sizeof given);
  return scr_fail(error, SCR_DIVERGED, NULL,
                  "%s gave back %s by t = %s (step %llu), %.2g %% of the largest energy of the run: what is dissipated can't come back, so "
                  "the time step is too long for the damping or friction; use a smaller time step or less damping",
                  series->name, given, time, (unsigned long long)sim->steps, 100 * (watch->peaks[k] - value) / watch->scale);
}

scr_status energy_monitor_sample(energy_monitor *watch, scr_sim *sim, const double *values, scr_error *error)
{
  for (size_t s = 0; s < sim->series_count; s++)
    if (strcmp(sim->series[s].unit, "J") == 0) watch->scale = fmax(watch->scale, fabs(values[s]));
  if (watch->balance >= 0) judge_balance(watch, sim, values[watch->balance]);
  if (watch->fracture >= 0) judge_fracture(watch, sim, values[watch->fracture]);
  for (size_t k = 0; k < watch->peak_count; k++) SCR_TRY(judge_dissipation(watch, sim, k, values, error));
  return SCR_OK;
}

scr_status energy_monitor_save(const energy_monitor *watch, scr_blob *blob, scr_error *error)
{
  SCR_TRY(scr_blob_write_f64(blob, watch->worst, error));
  SCR_TRY(scr_blob_write_f64(blob, watch->scale, error));
  SCR_TRY(scr_blob_write_f64(blob, watch->torn, error));
  SCR_TRY(scr_blob_write_f64(blob, watch->returned, error));
  return scr_blob_write_array(blob, watch->peaks, watch->peak_count, sizeof *watch->peaks, error);
}

scr_status energy_monitor_load(energy_monitor *watch, scr_blob *blob, scr_error *error)
{
  SCR_TRY(scr_blob_read_f64(blob, &watch->worst, error));
  SCR_TRY(scr_blob_read_f64(blob, &watch->scale, error));
  SCR_TRY(scr_blob_read_f64(blob, &watch->torn, error));
  SCR_TRY(scr_blob_read_f64(blob, &watch->returned, error));
  return scr_blob_read_array(blob, watch->peaks, watch->peak_count, sizeof *watch->peaks, "peaks of dissipations", error);
}
