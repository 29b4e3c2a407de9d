/* Pressure on flat parts, and its average over time. */
#include "sim/rig/pressure.h"

#include <math.h>
#include <stdio.h>

static bool is_recorded(const scr_sim *sim)
{
  return isfinite(sim->scene->output.pressure_time);
}

/* Pa, mean over the last step. */
static double pressure_on(const scr_sim *sim, size_t p)
{
  const scr_part *part = &sim->parts.form[p];
  const part_load *load = &sim->parts.load[p];
  scr_vec3 force = vec3_add(load->force, vec3_scale(load->impulse, 1 / sim->time_step));
  return 0.0 - vec3_dot(force, part->normal) / scr_part_area(part); /* 0, not -0, where nothing pushes */
}

scr_status pressure_declare(scr_sim *sim, scr_error *error)
{
  size_t before = sim->series_count;
  for (size_t p = 0; is_recorded(sim) && p < sim->parts.count; p++) {
    const scr_part *part = &sim->parts.form[p];
    char name[80], label[96];
    if (!scr_part_has_pressure(part)) continue;
    snprintf(name, sizeof name, "%.47s." SCR_CURVE_PRESSURE, part->name);
    snprintf(label, sizeof label, "%s, pressure", part->label);
    SCR_TRY(scr_sim_declare_series(sim, name, "Pa", label, error));
    snprintf(name, sizeof name, "%.47s." SCR_CURVE_PRESSURE_AVERAGE, part->name);
    snprintf(label, sizeof label, "%s, pressure averaged over time", part->label);
    SCR_TRY(scr_sim_declare_series(sim, name, "Pa", label, error));
  }
  sim->pressure_series = sim->series_count - before;
  return SCR_OK;
}

void pressure_begin(scr_sim *sim)
{
  for (size_t p = 0; p < sim->parts.count; p++)
    if (scr_part_has_pressure(&sim->parts.form[p])) sim->pressure_average[p] = pressure_on(sim, p);
}

void pressure_step(scr_sim *sim, double dt)
{
  if (sim->pressure_series == 0) return;
  double part = -expm1(-dt / sim->scene->output.pressure_time);
  for (size_t p = 0; p < sim->parts.count; p++)
    if (scr_part_has_pressure(&sim->parts.form[p])) sim->pressure_average[p] += part * (pressure_on(sim, p) - sim->pressure_average[p]);
}

void pressure_observe(const scr_sim *sim, double *values)
{
  for (size_t p = 0; sim->pressure_series && p < sim->parts.count; p++) {
    if (!scr_part_has_pressure(&sim->parts.form[p])) continue;
    *values++ = pressure_on(sim, p);
    *values++ = sim->pressure_average[p];
  }
}

scr_status pressure_save(const scr_sim *sim, scr_blob *blob, scr_error *error)
{
  if (sim->pressure_series == 0) return SCR_OK;
  return scr_blob_write_array(blob, sim->pressure_average, sim->parts.count, sizeof *sim->pressure_average, error);
}

scr_status pressure_load(scr_sim *sim, scr_blob *blob, scr_error *error)
{
  if (sim->pressure_series == 0) return SCR_OK;
  return scr_blob_read_array(blob, sim->pressure_average, sim->parts.count, sizeof *sim->pressure_average, "averages of pressure", error);
}
