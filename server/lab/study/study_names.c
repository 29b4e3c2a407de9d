/* The check of a scene knows which curves its run will have, and refuses plots of others with what was meant: so names are asked for as
 * plots. A scene may have 64 plots, of two names each. */
#include "server/lab/study/study_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char plots[] = "/output/plots/";

static bool is_factor(const study_document *document, const char *name)
{
  for (size_t i = 0; i < document->factor_count; i++)
    if (strcmp(document->factors[i].name, name) == 0) return true;
  return strcmp(name, "scene") == 0 && json_array_size(document->labels) > 0;
}

static void collect(const study_document *document, const expression *from, const char *pointer, study_names *self)
{
  expression_name_kind kind;
  const char *name;
  for (size_t k = 0; from && (name = expression_name(from, k, &kind)) != NULL && self->count < STUDY_NAMES_MOST; k++) {
    bool listed = kind != EXPRESSION_VALUE || results_is_own_name(name) || is_factor(document, name);
    for (size_t i = 0; !listed && i < self->count; i++) listed = strcmp(self->names[i].name, name) == 0;
    if (listed) continue;
    study_name *one = &self->names[self->count++];
    *one = (study_name){.name = name};
    snprintf(one->pointer, sizeof one->pointer, "%s", pointer);
  }
}

void study_names_collect(const study_document *document, study_names *self)
{
  char pointer[160];
  const study_calibration *calibration = document->design.calibration;
  self->count = 0;
  for (size_t i = 0; i < document->result_count; i++) {
    snprintf(pointer, sizeof pointer, "/results/%s", document->results[i].name);
    collect(document, document->results[i].expression, pointer, self);
  }
  for (size_t i = 0; calibration && i < calibration->target_count; i++) {
    snprintf(pointer, sizeof pointer, "/design/targets/%s", calibration->targets[i].name);
    collect(document, calibration->targets[i].x.expression, pointer, self);
    collect(document, calibration->targets[i].y.expression, pointer, self);
  }
}

bool study_names_are_missing(const study_names *self)
{
  for (size_t i = 0; i < self->count; i++)
    if (!self->names[i].is_known) return true;
  return false;
}

/* Plot k asks for the missing names 2 k and 2 k + 1; an odd last one is its own partner. */
static json_t *make_plots(const study_names *self)
{
  json_t *list = json_array(), *plot = NULL;
  for (size_t i = 0; i < self->count; i++) {
    if (self->names[i].is_known) continue;
    json_t *name = json_string(self->names[i].name);
    if (!plot) {
      plot = json_pack("{s:o, s:O}", "x", name, "y", name);
      (void)json_array_append_new(list, plot);
    } else {
      (void)json_object_set_new(plot, "y", name);
      plot = NULL;
    }
  }
  return list;
}

json_t *study_names_probe(const study_names *self, const json_t *scene)
{
  json_t *probe = json_copy((json_t *)(uintptr_t)scene); /* one level: the rest is shared and not changed */
  const json_t *given = json_object_get(scene, "output");
  json_t *output = json_is_object(given) ? json_copy((json_t *)(uintptr_t)given) : json_object();
  if (probe && output && json_object_set_new(output, "plots", make_plots(self)) == 0 && json_object_set_new(probe, "output", output) == 0)
    return probe;
  json_decref(output);
  json_decref(probe);
  return NULL;
}

/* What is said of missing name `place`, counted among the missing ones; NULL: nothing. */
static const scr_problem *said_of(const scr_problems *found, size_t place)
{
  char pointer[48];
  snprintf(pointer, sizeof pointer, "%s%zu/%s", plots, place / 2, place % 2 ? "y" : "x");
  for (size_t i = 0; i < found->count; i++)
    if (strcmp(found->items[i].pointer, pointer) == 0) return &found->items[i];
  return NULL;
}

void study_names_note(study_names *self, const scr_problems *found)
{
  size_t place = 0;
  if (found->truncated) return;
  for (size_t i = 0; i < found->count; i++)
    if (strncmp(found->items[i].pointer, plots, strlen(plots)) != 0) return;
  for (size_t i = 0; i < self->count; i++) {
    study_name *one = &self->names[i];
    if (one->is_known) continue;
    const scr_problem *said = said_of(found, place++);
    one->is_known = !said;
    if (said) snprintf(one->detail, sizeof one->detail, "%s", said->detail);
  }
}

void study_names_report(const study_names *self, scr_problems *problems)
{
  for (size_t i = 0; i < self->count; i++) {
    const study_name *one = &self->names[i];
    char given[EXPRESSION_NAME_BYTES + 2];
    snprintf(given, sizeof given, "\"%s\"", one->name);
    if (!one->is_known && one->detail[0])
      (void)scr_problems_add(problems, one->pointer, given, "curves, factors, and what every run has", "%s", one->detail);
  }
}

/* ── units ── */

static const char part_mark[] = "<part>";

/* Whether a declared name is this one: curves of parts are declared once, with a mark for the part's name. */
static bool is_declared(const char *declared, const char *name)
{
  const char *mark = strstr(declared, part_mark);
  if (!mark) return strcmp(declared, name) == 0;
  const char *behind = mark + strlen(part_mark);
  size_t before = (size_t)(mark - declared), length = strlen(name), tail = strlen(behind);
  return length > before + tail && strncmp(name, declared, before) == 0 && strcmp(name + length - tail, behind) == 0;
}

/* @param user the method's description, as JSON */
static const char *declared_unit(void *user, const char *name)
{
  const json_t *curves = json_object_get(user, "curves"), *curve;
  size_t i;
  if (strcmp(name, "time") == 0) return "s";
  json_array_foreach(curves, i, curve)
  {
    const char *declared = json_string_value(json_object_get(curve, "name"));
    if (declared && is_declared(declared, name)) return json_string_value(json_object_get(curve, "unit"));
  }
  return NULL;
}

static void check_target(const study_document *document, const calibration_target *of, scr_problems *problems)
{
  const json_t *scene = json_object_get(document->scenes, of->scene);
  const char *method = json_string_value(json_object_get(scene, "method"));
  char *text = method ? scr_method_json(method) : NULL;
  json_t *about = text ? json_loads(text, 0, NULL) : NULL;
  scr_error why = {0};
  char pointer[160];
  snprintf(pointer, sizeof pointer, "/design/targets/%s", of->name);
  if (about && calibration_check_units(of, declared_unit, about, &why) == SCR_BAD_USAGE)
    (void)scr_problems_add(problems, pointer, NULL, "a unit of the quantity that is simulated", "target '%s': %s", of->name, why.message);
  json_decref(about);
  scr_free(text);
}

void study_units_check(const study_document *document, scr_problems *problems)
{
  const study_calibration *calibration = document->design.calibration;
  for (size_t i = 0; calibration && i < calibration->target_count; i++) check_target(document, &calibration->targets[i], problems);
}
