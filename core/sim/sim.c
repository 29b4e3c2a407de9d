/* The generic shell of a simulation: curves and drawables declared by the method, time and steps kept, calls handed on. */
#include "sim/sim.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "record/drawable.h"
#include "sim/rig_view.h"
#include "sim/skin.h"

/* scene->method is the description inside a method: its first member. */
static_assert(offsetof(scr_method, about) == 0, "a scene's method description is cast to its method");

const scr_method *sim_method(const scr_sim *sim)
{
  return (const scr_method *)(const void *)sim->scene->method;
}

static scr_status check_created(const scr_sim *sim, scr_error *error)
{
  if (isfinite(sim->time_step) && sim->time_step > 0.0) return SCR_OK;
  return scr_fail(error, SCR_BAD_SCENE, "/time/time_step", "the method chose a time step of %g s; it must be a positive number",
                  sim->time_step);
}

scr_status scr_sim_create(const scr_scene *scene, unsigned threads, scr_sim **sim, scr_error *error)
{
  return sim_create(scene, threads, (scr_pulse){0}, sim, error);
}

/* Curves: time, the parts', the method's. Drawables: the method's, the parts', skins. */
static scr_status build(scr_sim *sim, scr_error *error)
{
  SCR_TRY(scr_sim_declare_series(sim, "time", "s", "Time", error));
  parts_create(&sim->parts, &sim->scene->rig);
  SCR_TRY(rig_declare_curves(sim, error));
  sim->part_series = sim->series_count - 1;
  SCR_TRY(sim_method(sim)->create(sim, error));
  SCR_TRY(check_created(sim, error));
  if (sim->headline_count == 0) SCR_TRY(scr_sim_declare_peak_force(sim, error));
  sim->part_drawable = (uint32_t)sim->drawable_count;
  SCR_TRY(rig_declare_drawables(sim, error));
  return skin_declare(sim, error);
}

scr_status sim_create(const scr_scene *scene, unsigned threads, scr_pulse pulse, scr_sim **sim, scr_error *error)
{
  *sim = NULL;
  scr_sim *created = calloc(1, sizeof *created);
  if (!created) return scr_fail_memory(error, "a simulation", sizeof *created);
  created->scene = scene;
  created->threads = threads ? threads : 1;
  created->pulse = pulse;
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
  return scr_fail(error, SCR_DIVERGED, NULL,
                  "step %llu at t = %.6g s shrank to %.3g s, less than a part in 1e12 of the duration of %.6g s: the run gets nowhere; "
                  "look at the state there, or loosen the method's tolerances",
                  (unsigned long long)sim->steps, before, sim->time - before, sim->scene->time.duration);
}

scr_status scr_sim_step(scr_sim *sim, scr_error *error)
{
  double before = sim->time;
  SCR_TRY(sim_method(sim)->step(sim, error));
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
  sim_method(sim)->observe(sim, values + sim->part_series);
  rig_observe(sim, values + 1);
  values[0] = sim->time;
}

scr_status sim_draw(const scr_sim *sim, scr_frame *frame, scr_error *error)
{
  SCR_TRY(sim_method(sim)->draw(sim, frame, error));
  SCR_TRY(rig_draw(sim, frame, sim->part_drawable, error));
  return skin_draw(sim, frame, error);
}

long sim_find_series(const scr_sim *sim, const char *name)
{
  for (size_t i = 0; i < sim->series_count; i++)
    if (strcmp(sim->series[i].name, name) == 0) return (long)i;
  return -1;
}

/* The array, grown when it has no room for one more element; NULL, with nothing changed, when there is no memory. */
static void *make_room(void *array, size_t count, size_t *capacity, size_t size)
{
  if (count < *capacity) return array;
  size_t wanted = *capacity ? *capacity * 2 : 8;
  void *grown = realloc(array, wanted * size);
  if (grown) *capacity = wanted;
  return grown;
}

scr_status scr_sim_declare_series(scr_sim *sim, const char *name, const char *unit, const char *label, scr_error *error)
{
  scr_series series;
  if (strlen(name) >= sizeof series.name || strlen(unit) >= sizeof series.unit || strlen(label) >= sizeof series.label)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "curve '%s' [%s] '%s' has a name, unit or label longer than %zu, %zu or %zu bytes", name,
                    unit, label, sizeof series.name - 1, sizeof series.unit - 1, sizeof series.label - 1);
  if (sim_find_series(sim, name) >= 0) return scr_fail(error, SCR_BAD_USAGE, NULL, "curve '%s' was declared twice", name);
  void *list = make_room(sim->series, sim->series_count, &sim->series_capacity, sizeof series);
  if (!list) return scr_fail_memory(error, "the list of curves", sim->series_count * sizeof series);
  sim->series = list;
  memset(&series, 0, sizeof series);
  snprintf(series.name, sizeof series.name, "%s", name);
  snprintf(series.unit, sizeof series.unit, "%s", unit);
  snprintf(series.label, sizeof series.label, "%s", label);
  sim->series[sim->series_count++] = series;
  return SCR_OK;
}

scr_status scr_sim_declare_dissipation(scr_sim *sim, const char *name, const char *label, scr_error *error)
{
  void *list = make_room(sim->dissipations, sim->dissipation_count, &sim->dissipation_capacity, sizeof *sim->dissipations);
  if (!list) return scr_fail_memory(error, "the list of dissipations", sim->dissipation_count * sizeof *sim->dissipations);
  sim->dissipations = list;
  SCR_TRY(scr_sim_declare_series(sim, name, "J", label, error));
  sim->dissipations[sim->dissipation_count++] = sim->series_count - 1;
  return SCR_OK;
}

void scr_sim_doubt(scr_sim *sim, const char *kind, const char *format, ...)
{
  size_t k = 0;
  while (k < sim->doubt_count && strcmp(sim->doubts[k].kind, kind) != 0) k++;
  if (k == SCR_DOUBT_LIMIT) return;
  scr_doubt *doubt = &sim->doubts[k];
  if (k == sim->doubt_count) {
    memset(doubt, 0, sizeof *doubt);
    snprintf(doubt->kind, sizeof doubt->kind, "%s", kind);
    sim->doubt_count++;
  }
  char text[2 * sizeof doubt->message];
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  size_t written = length < 0 ? 0 : (size_t)length < sizeof text ? (size_t)length : sizeof text - 1;
  size_t kept = text_cut(text, written, sizeof doubt->message - 1);
  memset(doubt->message, 0, sizeof doubt->message); /* checkpoints save the whole of it */
  memcpy(doubt->message, text, kept);
}

scr_status scr_sim_declare_table(scr_sim *sim, const scr_table *about, scr_error *error)
{
  if (sim->table_count == TABLE_LIMIT)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "table '%s' is one too many: %d are possible", about->name, TABLE_LIMIT);
  SCR_TRY(table_log_begin(&sim->tables[sim->table_count], about, error));
  sim->table_count++;
  return SCR_OK;
}

scr_status scr_sim_announce_table(scr_sim *sim, size_t table, const char *kind, const char *sentence, scr_error *error)
{
  table_log *log = &sim->tables[table];
  if (!kind[0] || strlen(kind) >= sizeof log->event_kind || strlen(sentence) >= sizeof log->event_text)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "the event '%s' of table '%s' has no kind, or it or its sentence is longer than %zu or %zu bytes",
                    kind, log->table.name, sizeof log->event_kind - 1, sizeof log->event_text - 1);
  snprintf(log->event_kind, sizeof log->event_kind, "%s", kind);
  snprintf(log->event_text, sizeof log->event_text, "%s", sentence);
  return SCR_OK;
}

scr_status scr_sim_add_row(scr_sim *sim, size_t table, const double *values, scr_error *error)
{
  return table_log_add(&sim->tables[table], values, error);
}

scr_status scr_sim_declare_headline(scr_sim *sim, const char *series, const char *label, headline_rule rule, scr_error *error)
{
  long index = sim_find_series(sim, series);
  sim_headline *headline = &sim->headlines[sim->headline_count];
  if (index < 0) return scr_fail(error, SCR_BAD_USAGE, NULL, "the headline '%s' is of the curve '%s', which is not declared", label, series);
  if (sim->headline_count == SCR_HEADLINE_LIMIT || strlen(label) >= sizeof headline->label)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "the headline '%s' is one too many, or longer than %zu bytes; %d are possible", label,
                    sizeof headline->label - 1, SCR_HEADLINE_LIMIT);
  *headline = (sim_headline){.series = (size_t)index, .rule = rule};
  snprintf(headline->label, sizeof headline->label, "%s", label);
  sim->headline_count++;
  return SCR_OK;
}

scr_status scr_sim_declare_peak_force(scr_sim *sim, scr_error *error)
{
  const scr_scene *scene = sim->scene;
  size_t count = scene->output.plot_count ? scene->output.plot_count : 1;
  const scr_plot *plots = scene->output.plot_count ? scene->output.plots : &scene->method->default_plot;
  for (size_t k = 0; k < count; k++) {
    long series = sim_find_series(sim, plots[k].y);
    if (series >= 0 && strcmp(sim->series[series].unit, "N") == 0)
      return scr_sim_declare_headline(sim, plots[k].y, "Peak force", HEADLINE_LARGEST, error);
  }
  return SCR_OK;
}

scr_status scr_sim_declare_stage(scr_sim *sim, const char *name, const char *label, scr_error *error)
{
  scr_stage *stage = &sim->stages[sim->stage_count];
  if (sim->stage_count == STAGE_LIMIT)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "stage '%s' is one too many: %d are possible", name, STAGE_LIMIT);
  if (!name[0] || strlen(name) >= sizeof stage->name || strlen(label) >= sizeof stage->label)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "stage '%s' has no name, or its name or label is longer than %zu or %zu bytes", name,
                    sizeof stage->name - 1, sizeof stage->label - 1);
  snprintf(stage->name, sizeof stage->name, "%s", name);
  snprintf(stage->label, sizeof stage->label, "%s", label);
  sim->stage_count++;
  return SCR_OK;
}

scr_status scr_sim_declare_kernel(scr_sim *sim, const char *what, const char *variant, scr_error *error)
{
  scr_kernel *kernel = &sim->kernels[sim->kernel_count];
  if (sim->kernel_count == KERNEL_LIMIT || strlen(what) >= sizeof kernel->what || strlen(variant) >= sizeof kernel->variant)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "the kernel '%s' of '%s' is one too many, or longer than %zu or %zu bytes; %d are possible", variant,
                    what, sizeof kernel->variant - 1, sizeof kernel->what - 1, KERNEL_LIMIT);
  snprintf(kernel->what, sizeof kernel->what, "%s", what);
  snprintf(kernel->variant, sizeof kernel->variant, "%s", variant);
  sim->kernel_count++;
  return SCR_OK;
}

scr_status scr_sim_enter_stage(scr_sim *sim, size_t stage, scr_error *error)
{
  if (stage >= sim->stage_count)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "stage %zu was entered, but the method declares %zu", stage, sim->stage_count);
  if (stage == sim->stage) return SCR_OK;
  if (sim->entered_count == STAGE_LIMIT)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "a step entered more than %d stages", STAGE_LIMIT);
  sim->stage = sim->entered[sim->entered_count++] = stage;
  return SCR_OK;
}

scr_status scr_sim_declare_note(scr_sim *sim, const char *text, scr_error *error)
{
  void *list = make_room(sim->notes, sim->note_count, &sim->note_capacity, sizeof *sim->notes);
  if (list) sim->notes = list;
  char *copy = list ? strdup(text) : NULL;
  if (!copy) return scr_fail_memory(error, "a note", strlen(text) + 1);
  sim->notes[sim->note_count++] = copy;
  return SCR_OK;
}

scr_status scr_sim_declare_drawable(scr_sim *sim, const scr_drawable *drawable, scr_error *error)
{
  SCR_TRY(drawable_check(drawable, error));
  void *list = make_room(sim->drawables, sim->drawable_count, &sim->drawable_capacity, sizeof *drawable);
  if (!list) return scr_fail_memory(error, "the list of drawables", sim->drawable_count * sizeof *drawable);
  sim->drawables = list;
  scr_drawable *copy = &sim->drawables[sim->drawable_count];
  SCR_TRY(drawable_copy(drawable, copy, error));
  sim->drawable_count++;
  /* The user may ask for exact positions; a method's own choice stands otherwise. */
  if (sim->scene->output.positions == SCR_POSITIONS_FLOAT32) copy->fields[0].encoding = SCR_ENCODING_FLOAT32;
  return SCR_OK;
}

scr_status sim_save(const scr_sim *sim, scr_blob *blob, scr_error *error)
{
  SCR_TRY(scr_blob_write_u64(blob, sim->steps, error));
  SCR_TRY(scr_blob_write_f64(blob, sim->time, error));
  SCR_TRY(scr_blob_write_f64(blob, sim->time_step, error));
  SCR_TRY(scr_blob_write_u64(blob, sim->stage, error));
  SCR_TRY(parts_save(&sim->parts, blob, error));
  return sim_method(sim)->save(sim, blob, error);
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
  if (!isfinite(sim->time) || time_step != sim->time_step)
    return scr_fail(error, SCR_BAD_FILE, NULL, "the checkpoint is at t = %g s with a time step of %g s; this scene's is %g s", sim->time,
                    time_step, sim->time_step);
  SCR_TRY(parts_load(&sim->parts, blob, error));
  return sim_method(sim)->load(sim, blob, error);
}
