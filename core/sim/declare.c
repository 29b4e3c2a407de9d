/* What a method says of itself in create, and of its run: curves, tables, headlines, stages, drawables, notes, doubts. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "record/drawable.h"
#include "sim/sim.h"

long sim_find_series(const scr_sim *sim, const char *name)
{
  for (size_t i = 0; i < sim->series_count; i++)
    if (strcmp(sim->series[i].name, name) == 0) return (long)i;
  return -1;
}

/* The array, grown when it has no room for one more element; NULL, with nothing changed, when there is no memory. */
static void *reserve(void *array, size_t count, size_t *capacity, size_t size)
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
  void *list = reserve(sim->series, sim->series_count, &sim->series_capacity, sizeof series);
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
  void *list = reserve(sim->dissipations, sim->dissipation_count, &sim->dissipation_capacity, sizeof *sim->dissipations);
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
    return scr_fail(error, SCR_BAD_USAGE, NULL,
                    "the event '%s' of table '%s' has no kind, or it or its sentence is longer than %zu or %zu bytes", kind,
                    log->table.name, sizeof log->event_kind - 1, sizeof log->event_text - 1);
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
  if (index < 0)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "the headline '%s' is of the curve '%s', which is not declared", label, series);
  if (sim->headline_count == SCR_HEADLINE_LIMIT || strlen(label) >= sizeof headline->label)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "the headline '%s' is one too many, or longer than %zu bytes; %d are possible", label,
                    sizeof headline->label - 1, SCR_HEADLINE_LIMIT);
  *headline = (sim_headline){.series = (size_t)index, .rule = rule};
  snprintf(headline->label, sizeof headline->label, "%s", label);
  sim->headline_count++;
  return SCR_OK;
}

scr_status scr_sim_declare_failures(scr_sim *sim, const char *series, scr_error *error)
{
  long index = sim_find_series(sim, series);
  if (index < 0) return scr_fail(error, SCR_BAD_USAGE, NULL, "failures are counted by the curve '%s', which is not declared", series);
  sim->failure_series = (size_t)index + 1;
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
    return scr_fail(error, SCR_BAD_USAGE, NULL, "the kernel '%s' of '%s' is one too many, or longer than %zu or %zu bytes; %d are possible",
                    variant, what, sizeof kernel->variant - 1, sizeof kernel->what - 1, KERNEL_LIMIT);
  snprintf(kernel->what, sizeof kernel->what, "%s", what);
  snprintf(kernel->variant, sizeof kernel->variant, "%s", variant);
  kernel->same_bits_as[0] = '\0';
  sim->kernel_count++;
  return SCR_OK;
}

void scr_sim_kernel_matches(scr_sim *sim, const char *variant)
{
  scr_kernel *kernel = &sim->kernels[sim->kernel_count - 1];
  snprintf(kernel->same_bits_as, sizeof kernel->same_bits_as, "%s", variant);
}

scr_status scr_sim_enter_stage(scr_sim *sim, size_t stage, scr_error *error)
{
  if (stage >= sim->stage_count)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "stage %zu was entered, but the method declares %zu", stage, sim->stage_count);
  if (stage == sim->stage) return SCR_OK;
  if (sim->entered_count == STAGE_LIMIT) return scr_fail(error, SCR_BAD_USAGE, NULL, "a step entered more than %d stages", STAGE_LIMIT);
  sim->stage = sim->entered[sim->entered_count++] = stage;
  return SCR_OK;
}

scr_status scr_sim_declare_note(scr_sim *sim, const char *text, scr_error *error)
{
  void *list = reserve(sim->notes, sim->note_count, &sim->note_capacity, sizeof *sim->notes);
  if (list) sim->notes = list;
  char *copy = list ? strdup(text) : NULL;
  if (!copy) return scr_fail_memory(error, "a note", strlen(text) + 1);
  sim->notes[sim->note_count++] = copy;
  return SCR_OK;
}

scr_status scr_sim_declare_drawable(scr_sim *sim, const scr_drawable *drawable, scr_error *error)
{
  SCR_TRY(drawable_check(drawable, error));
  void *list = reserve(sim->drawables, sim->drawable_count, &sim->drawable_capacity, sizeof *drawable);
  if (!list) return scr_fail_memory(error, "the list of drawables", sim->drawable_count * sizeof *drawable);
  sim->drawables = list;
  scr_drawable *copy = &sim->drawables[sim->drawable_count];
  SCR_TRY(drawable_copy(drawable, copy, error));
  sim->drawable_count++;
  /* The user may ask for exact positions; a method's own choice stands otherwise. */
  if (sim->scene->output.positions == SCR_POSITIONS_FLOAT32) copy->fields[0].encoding = SCR_ENCODING_FLOAT32;
  return SCR_OK;
}
