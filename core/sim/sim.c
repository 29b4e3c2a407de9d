/* The generic shell of a simulation: curves and drawables declared by the method, time and steps kept, calls handed on. */
#include "sim/sim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "device/device.h"
#include "record/drawable.h"
#include "sim/rig/pressure.h"
#include "sim/view/ledger_view.h"
#include "sim/view/rig_view.h"
#include "sim/view/skin.h"

static scr_status check_created(const scr_sim *sim, scr_error *error)
{
  if (isfinite(sim->time_step) && sim->time_step > 0.0) return SCR_OK;
  return scr_fail(error, SCR_BAD_SCENE, "/time/time_step", "the method chose a time step of %g s; it must be a positive number",
                  sim->time_step);
}

scr_status sim_find_device(const scr_scene *scene, scr_error *error)
{
  device_list list;
  const device_about *chosen;
  if (strcmp(scene->run.device, RUN_ON_PROCESSOR) == 0 || strcmp(scene->run.device, RUN_ON_ANY) == 0) return SCR_OK;
  device_find_all(&list);
  return device_choose(&list, scene->run.device, &chosen, error);
}

scr_status scr_sim_create(const scr_scene *scene, unsigned threads, scr_sim **sim, scr_error *error)
{
  return sim_create(scene, threads, (scr_liveness){0}, sim, error);
}

/* Curves: time, the parts', the ledger's, those of pressure, the method's. Drawables: the method's, the parts', skins. */
static scr_status build(scr_sim *sim, scr_error *error)
{
  SCR_TRY(scr_sim_declare_series(sim, "time", "s", "Time", error));
  parts_create(&sim->parts, &sim->scene->rig);
  SCR_TRY(rig_declare_curves(sim, error));
  sim->part_series = sim->series_count - 1;
  SCR_TRY(ledger_declare_curves(sim, error));
  SCR_TRY(pressure_declare(sim, error));
  SCR_TRY(sim_method(sim)->create(sim, error));
  SCR_TRY(check_created(sim, error));
  pressure_begin(sim);
  if (sim->headline_count == 0) SCR_TRY(scr_sim_declare_peak_force(sim, error));
  sim->part_drawable = (uint32_t)sim->drawable_count;
  SCR_TRY(rig_declare_drawables(sim, error));
  return skin_declare(sim, error);
}

scr_status sim_create(const scr_scene *scene, unsigned threads, scr_liveness liveness, scr_sim **sim, scr_error *error)
{
  scr_execution execution = execution_of(threads);
  execution.device = scene->run.device;
  return sim_create_by(scene, execution, liveness, sim, error);
}

scr_status sim_create_by(const scr_scene *scene, scr_execution execution, scr_liveness liveness, scr_sim **sim, scr_error *error)
{
  *sim = NULL;
  scr_sim *created = calloc(1, sizeof *created);
  if (!created) return scr_fail_memory(error, "a simulation", sizeof *created);
  created->scene = scene;
  created->execution = execution;
  created->liveness = liveness;
  created->stage = STAGE_NONE;
  created->next_output = scene->time.duration;
  scr_status status = build(created, error);
  if (status != SCR_OK) {
    scr_sim_destroy(created);
    return status;
  }
  *sim = created;
  return SCR_OK;
}

void scr_sim_destroy(scr_sim *sim)
{
  if (!sim) return;
  sim_method(sim)->destroy(sim);
  free(sim->series);
  for (size_t d = 0; d < sim->drawable_count; d++) drawable_clear(&sim->drawables[d]);
  free(sim->drawables);
  for (size_t k = 0; k < sim->table_count; k++) table_log_clear(&sim->tables[k]);
  for (size_t k = 0; k < sim->note_count; k++) free(sim->notes[k]);
  free(sim->notes);
  free(sim->dissipations);
  free(sim);
}

/* Steps shorter than this, and distances to an output, are nothing. s */
static double least_step(const scr_sim *sim)
{
  return 1e-12 * sim->scene->time.duration;
}

bool sim_due(const scr_sim *sim, double time)
{
  return time <= sim->time + least_step(sim);
}

/* What a step of the method's own choice must keep to. */
static scr_status check_uneven(scr_sim *sim, double before, scr_error *error)
{
  double limit = sim->next_output, least = least_step(sim);
  if (sim->time > limit + least)
    return scr_fail(error, SCR_DIVERGED, NULL, "step %llu went to t = %.17g s, past the next output at %.17g s: the method must shorten it",
                    (unsigned long long)sim->steps, sim->time, limit);
  if (fabs(limit - sim->time) <= least) sim->time = limit;
  if (sim->time - before > least) return SCR_OK;
  return scr_fail(
      error, SCR_DIVERGED, NULL,
      "step %llu at t = %.6g s shrank to %.3g s, less than a part in 1e12 of the duration of %.6g s: the run makes no progress; "
      "look at the state there, or loosen the method's tolerances",
      (unsigned long long)sim->steps, before, sim->time - before, sim->scene->time.duration);
}

scr_status scr_sim_step(scr_sim *sim, scr_error *error)
{
  double before = sim->time;
  SCR_TRY(sim_method(sim)->step(sim, error));
  pressure_step(sim, sim->time - before);
  return sim->scene->method->clock == SCR_CLOCK_UNEVEN ? check_uneven(sim, before, error) : SCR_OK;
}

double scr_sim_time(const scr_sim *sim)
{
  return sim->time;
}

double scr_sim_time_step(const scr_sim *sim)
{
  return sim->time_step;
}

uint64_t scr_sim_steps(const scr_sim *sim)
{
  return sim->steps;
}

size_t scr_sim_series_count(const scr_sim *sim)
{
  return sim->series_count;
}

const scr_series *scr_sim_series(const scr_sim *sim, size_t index)
{
  return index < sim->series_count ? &sim->series[index] : NULL;
}

void scr_sim_observe(const scr_sim *sim, double *values)
{
  sim_method(sim)->observe(sim, values + sim->part_series + sim->ledger_series + sim->pressure_series);
  pressure_observe(sim, values + 1 + sim->part_series + sim->ledger_series);
  ledger_observe(sim, values + 1 + sim->part_series);
  rig_observe(sim, values + 1);
  values[0] = sim->time;
}

scr_status sim_draw(const scr_sim *sim, scr_frame *frame, scr_error *error)
{
  SCR_TRY(sim_method(sim)->draw(sim, frame, error));
  SCR_TRY(rig_draw(sim, frame, sim->part_drawable, error));
  return skin_draw(sim, frame, error);
}

scr_status sim_save(const scr_sim *sim, scr_blob *blob, scr_error *error)
{
  SCR_TRY(scr_blob_write_u64(blob, sim->steps, error));
  SCR_TRY(scr_blob_write_f64(blob, sim->time, error));
  SCR_TRY(scr_blob_write_f64(blob, sim->time_step, error));
  SCR_TRY(scr_blob_write_u64(blob, sim->stage, error));
  SCR_TRY(parts_save(&sim->parts, blob, error));
  SCR_TRY(pressure_save(sim, blob, error));
  SCR_TRY(scr_blob_write_array(blob, &sim->ledger, 1, sizeof sim->ledger, error));
  SCR_TRY(scr_blob_write_u64(blob, sim_method(sim)->layout, error));
  return sim_method(sim)->save(sim, blob, error);
}

scr_status scr_sim_damaged(const char *what, scr_error *error)
{
  return scr_fail(error, SCR_BAD_FILE, NULL, "the checkpoint's %s are not those of this scene; it is damaged or of another run", what);
}

/* The state behind the head: the ledger, and what the method saved in the layout it reads. */
static scr_status load_method(scr_sim *sim, scr_blob *blob, scr_error *error)
{
  const scr_method *method = sim_method(sim);
  uint64_t layout;
  SCR_TRY(scr_blob_read_finite(blob, &sim->ledger, 1, sizeof sim->ledger, "sums of energy", error));
  SCR_TRY(scr_blob_read_u64(blob, &layout, error));
  if (layout != method->layout)
    return scr_fail(error, SCR_BAD_FILE, NULL, "the checkpoint has layout %llu of method %s; this build reads %llu",
                    (unsigned long long)layout, method->about.name, (unsigned long long)method->layout);
  return method->load(sim, blob, error);
}

scr_status sim_load(scr_sim *sim, scr_blob *blob, scr_error *error)
{
  double time_step = 0.0;
  uint64_t stage = 0;
  bool uneven = sim->scene->method->clock == SCR_CLOCK_UNEVEN;
  SCR_TRY(scr_blob_read_u64(blob, &sim->steps, error));
  SCR_TRY(scr_blob_read_f64(blob, &sim->time, error));
  SCR_TRY(scr_blob_read_f64(blob, &time_step, error));
  SCR_TRY(scr_blob_read_u64(blob, &stage, error));
  if (stage != STAGE_NONE && stage >= sim->stage_count)
    return scr_fail(error, SCR_BAD_FILE, NULL, "the checkpoint is in stage %llu of %zu", (unsigned long long)stage, sim->stage_count);
  sim->stage = (size_t)stage;
  sim->entered_count = 0; /* what was entered before is recorded */
  if (uneven && isfinite(time_step) && time_step > 0) sim->time_step = time_step;
  bool on_time = uneven || fabs(sim->time - (double)sim->steps * sim->time_step) < 0.5 * sim->time_step;
  if (!isfinite(sim->time) || time_step != sim->time_step || !on_time)
    return scr_fail(error, SCR_BAD_FILE, NULL, "the checkpoint is at t = %g s after %llu steps of %g s; this scene's are of %g s",
                    sim->time, (unsigned long long)sim->steps, time_step, sim->time_step);
  SCR_TRY(parts_load(&sim->parts, blob, error));
  SCR_TRY(pressure_load(sim, blob, error));
  return load_method(sim, blob, error);
}
