/* Reads a study's document: each part by a function of its own, all of them, so that every problem is found at once. */
#include "server/study/document.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json_reader.h"
#include "server/embedded.h"
#include "server/study/document_part.h"

static const char *const design_names[] = {"grid", "rows", "latin_hypercube", "sobol", "calibrate"};

const char *design_kind_name(design_kind kind)
{
  return design_names[kind];
}

/* ── head ── */

static void read_head(study_document *self, scr_problems *problems)
{
  static const char *const keys[] = {"scree_study", "name",   "title",   "description", "scene", "scenes",
                                     "factors",     "design", "results", "limits",      NULL};
  const document_part whole = {self->json, "", problems};
  part_keys(&whole, keys, "name, title, description, scene or scenes, factors, design, results, limits");
  const json_t *version = json_object_get(self->json, "scree_study");
  if (!json_is_integer(version) || json_integer_value(version) != 1)
    part_refuse(problems, "/scree_study", version, "1, the version of this form");
  part_text(&whole, "name", self->name, sizeof self->name, true);
  part_check_name(&whole, self->name);
  part_text(&whole, "title", self->title, sizeof self->title, false);
}

/* ── scenes ── */

/* A scene, or the name of one of the gallery in its place. */
static json_t *resolve_scene(json_t *given, const char *pointer, scr_problems *problems)
{
  static const char allowed[] = "a scene, or \"gallery:NAME\" with the name of one of the gallery";
  const char *name = json_string_value(given);
  char path[160];
  if (json_is_object(given)) return json_incref(given);
  if (name && strncmp(name, "gallery:", 8) == 0 && strlen(name) < 128) {
    snprintf(path, sizeof path, "gallery/%s.json", name + 8);
    const embedded_file *file = embedded_find(path);
    json_t *scene = file ? json_loadb((const char *)file->data, file->size, 0, NULL) : NULL;
    if (scene) return scene;
  }
  part_refuse(problems, pointer, given, allowed);
  return NULL;
}

static void read_one_scene(study_document *self, json_t *given, scr_problems *problems)
{
  json_t *scene = resolve_scene(given, "/scene", problems);
  if (!scene) return;
  json_object_set(self->json, "scene", scene);
  json_object_set_new(self->scenes, "", scene);
}

static void add_scene_factor(study_document *self)
{
  factor *f = &self->factors[self->factor_count++];
  *f = (factor){.name = "scene", .kind = FACTOR_VALUES, .values = self->labels};
}

static void read_many_scenes(study_document *self, json_t *given, scr_problems *problems)
{
  const char *name;
  json_t *each, *complete = json_object();
  size_t count = json_object_size(given);
  if (!json_is_object(given) || count < 1 || count > STUDY_SCENE_LIMIT)
    part_refuse(problems, "/scenes", given, "an object of 1 to 16 scenes by their names");
  json_object_foreach(given, name, each)
  {
    char pointer[128];
    snprintf(pointer, sizeof pointer, "/scenes/%.100s", name);
    if (!name[0] || strlen(name) > 63) part_refuse(problems, pointer, NULL, "a name of 1 to 63 bytes");
    json_t *scene = resolve_scene(each, pointer, problems);
    if (!scene) continue;
    json_object_set(self->scenes, name, scene);
    json_object_set_new(complete, name, scene);
    json_array_append_new(self->labels, json_string(name));
  }
  json_object_set_new(self->json, "scenes", complete);
  add_scene_factor(self);
}

static void read_scenes(study_document *self, scr_problems *problems)
{
  json_t *one = json_object_get(self->json, "scene"), *many = json_object_get(self->json, "scenes");
  if (!one == !many) {
    part_refuse(problems, "/scene", one, "there, or scenes in its place");
    return;
  }
  if (one)
    read_one_scene(self, one, problems);
  else
    read_many_scenes(self, many, problems);
}

/* ── factors and results ── */

static void check_place_scenes(const study_document *self, const factor *f, const char *pointer, scr_problems *problems)
{
  for (size_t i = 0; i < f->place_count; i++)
    if (f->places[i].scene[0] && !json_object_get(self->scenes, f->places[i].scene))
      (void)scr_problems_add(problems, pointer, f->places[i].scene, "names of the study's scenes",
                             "%s names the scene '%s', which the study does not have", pointer, f->places[i].scene);
}

static void read_factors(study_document *self, scr_problems *problems)
{
  const char *name;
  json_t *given = json_object_get(self->json, "factors"), *each;
  size_t least = self->factor_count ? 0 : 1;
  if (!given && self->factor_count) return;
  if (!json_is_object(given) || json_object_size(given) < least || json_object_size(given) + self->factor_count > STUDY_FACTOR_LIMIT) {
    part_refuse(problems, "/factors", given, "an object of 1 to 16 factors by their names");
    return;
  }
  json_object_foreach(given, name, each)
  {
    char pointer[FACTOR_PLACE_BYTES];
    factor *f = &self->factors[self->factor_count];
    snprintf(pointer, sizeof pointer, "/factors/%.100s", name);
    factor_read(name, each, pointer, f, problems);
    check_place_scenes(self, f, pointer, problems);
    if (self->factor_count && strcmp(name, "scene") == 0)
      part_refuse(problems, pointer, each, "named otherwise: 'scene' is the factor that chooses the scene");
    self->factor_count++;
  }
}

static void read_result(study_document *self, const char *name, const json_t *given, scr_problems *problems)
{
  char pointer[128];
  scr_error error = {0};
  study_result *r = &self->results[self->result_count++];
  const json_t *expression_given = json_is_object(given) ? json_object_get(given, "expression") : given;
  const char *text = json_string_value(expression_given), *unit = json_string_value(json_object_get(given, "unit"));
  *r = (study_result){0};
  snprintf(pointer, sizeof pointer, "/results/%.100s", name);
  snprintf(r->name, sizeof r->name, "%s", name);
  snprintf(r->unit, sizeof r->unit, "%s", unit ? unit : "");
  if (!name[0] || strlen(name) >= sizeof r->name) part_refuse(problems, pointer, NULL, "a name of 1 to 63 bytes");
  if (!text) {
    part_refuse(problems, pointer, given, "an expression, or an object with expression and unit");
    return;
  }
  r->text = strdup(text);
  if (expression_parse(text, &r->expression, &error) != SCR_OK)
    (void)scr_problems_add(problems, pointer, text, "an expression (/guide/study)", "%s: %s", pointer, error.message);
}

static void read_results(study_document *self, scr_problems *problems)
{
  const char *name;
  json_t *given = json_object_get(self->json, "results"), *each;
  if (!given) return;
  if (!json_is_object(given) || json_object_size(given) > STUDY_RESULT_LIMIT) {
    part_refuse(problems, "/results", given, "an object of at most 32 results by their names");
    return;
  }
  json_object_foreach(given, name, each)
  {
    read_result(self, name, each, problems);
  }
}

/* ── design ── */

static bool read_kind(const json_t *given, study_design *design)
{
  const char *name = given ? json_string_value(json_object_get(given, "kind")) : "grid";
  for (int i = 0; name && i <= DESIGN_CALIBRATE; i++)
    if (strcmp(design_names[i], name) == 0) {
      design->kind = (design_kind)i;
      return true;
    }
  return false;
}

static void check_levels(const study_document *self, scr_problems *problems)
{
  for (size_t i = 0; i < self->factor_count; i++) {
    const factor *f = &self->factors[i];
    char pointer[128];
    snprintf(pointer, sizeof pointer, "/factors/%s", f->name);
    bool none = f->kind == FACTOR_VALUES && !f->values;
    if (none && self->design.kind != DESIGN_ROWS)
      (void)scr_problems_add(problems, pointer, NULL, "values, range, distribution or seeds",
                             "%s has no values; only a design of rows, which gives them, leaves them out", pointer);
    else if (self->design.kind == DESIGN_GRID && f->kind != FACTOR_VALUES && f->kind != FACTOR_SEEDS && factor_levels(f) == 0)
      (void)scr_problems_add(problems, pointer, NULL, "steps", "%s needs `steps` in a grid: how many of its values to take", pointer);
  }
}

static void read_rows(study_document *self, json_t *given, scr_problems *problems)
{
  size_t index;
  json_t *each;
  if (json_array_size(given) < 1 || json_array_size(given) > STUDY_ROW_LIMIT) {
    part_refuse(problems, "/design/rows", given, "a list of 1 to 20000 rows");
    return;
  }
  self->design.rows = given;
  json_array_foreach(given, index, each)
  {
    char pointer[64];
    snprintf(pointer, sizeof pointer, "/design/rows/%zu", index);
    if (problems->count < SCR_PROBLEM_LIMIT) study_row_check(self, each, pointer, problems);
  }
}

calibration_about study_calibration_about(const study_document *self)
{
  return (calibration_about){.factors = self->factors, .factor_count = self->factor_count, .scene_labels = self->labels};
}

static void read_design(study_document *self, scr_problems *problems)
{
  const json_t *given = json_object_get(self->json, "design");
  json_int_t runs = 0, seed = 1;
  if (!read_kind(given, &self->design)) {
    part_refuse(problems, "/design/kind", json_object_get(given, "kind"),
                "\"grid\", \"rows\", \"latin_hypercube\", \"sobol\" or \"calibrate\"");
    return;
  }
  if (self->design.kind == DESIGN_CALIBRATE) {
    const calibration_about about = study_calibration_about(self);
    calibration_read(given, &about, &self->design.calibration, problems);
    if (!self->design.calibration) (void)scr_problems_add(problems, "/design", NULL, NULL, "no memory for a calibration");
    return;
  }
  bool drawn = self->design.kind == DESIGN_LATIN_HYPERCUBE || self->design.kind == DESIGN_SOBOL;
  const document_part part = {given, "/design", problems};
  if (drawn && !json_object_get(given, "runs")) part_refuse(problems, "/design/runs", NULL, "a whole number from 1 to 20000");
  if (drawn) part_whole(&part, "runs", 1, STUDY_ROW_LIMIT, &runs);
  part_whole(&part, "seed", 0, INT64_MAX / 2, &seed);
  self->design.runs = (size_t)runs;
  self->design.seed = (uint64_t)seed;
  check_levels(self, problems);
  if (self->design.kind == DESIGN_ROWS) read_rows(self, json_object_get(given, "rows"), problems);
}

/* ── limits ── */

static void read_limits(study_document *self, scr_problems *problems)
{
  static const char *const keys[] = {"at_once", "run_seconds", "disk_bytes", NULL};
  const json_t *given = json_object_get(self->json, "limits");
  const document_part part = {given, "/limits", problems};
  double at_once = 0;
  if (!given) return;
  if (!json_is_object(given)) part_refuse(problems, "/limits", given, "an object");
  part_keys(&part, keys, "at_once, run_seconds, disk_bytes");
  part_number(&part, "at_once", 1, 256, &at_once);
  part_number(&part, "run_seconds", 0, 1e9, &self->limits.run_seconds);
  part_number(&part, "disk_bytes", 0, 1e15, &self->limits.disk_bytes);
  self->limits.at_once = (unsigned)at_once;
}

/* ── the whole ── */

scr_status study_document_read(const char *text, size_t length, study_document *out, scr_problems *problems)
{
  json_error_t where;
  *out = (study_document){0};
  size_t before = problems->count;
  if (length > STUDY_BYTES) {
    (void)scr_problems_add(problems, "", NULL, "at most 4 MiB", "the study has %zu bytes; at most %d are read", length, STUDY_BYTES);
    return SCR_BAD_SCENE;
  }
  scr_status status = json_read(text, length, JSON_REJECT_DUPLICATES, &out->json, &where);
  if (status == SCR_NO_MEMORY) return status;
  out->scenes = json_object();
  out->labels = json_array();
  if (!out->scenes || !out->labels) {
    study_document_clear(out);
    return SCR_NO_MEMORY;
  }
  if (status != SCR_OK || !json_is_object(out->json)) {
    (void)scr_problems_add(problems, "", NULL, "a JSON object", "line %d, column %d: %s", status != SCR_OK ? where.line : 1,
                           status != SCR_OK ? where.column : 1, status != SCR_OK ? where.text : "a study is an object");
  } else {
    read_head(out, problems);
    read_scenes(out, problems);
    read_factors(out, problems);
    read_results(out, problems);
    read_limits(out, problems);
    read_design(out, problems);
  }
  if (problems->count == before) return SCR_OK;
  study_document_clear(out);
  return SCR_BAD_SCENE;
}

void study_document_clear(study_document *self)
{
  for (size_t i = 0; i < self->result_count; i++) {
    free(self->results[i].text);
    expression_destroy(self->results[i].expression);
  }
  calibration_destroy(self->design.calibration);
  json_decref(self->labels);
  json_decref(self->scenes);
  json_decref(self->json);
  *self = (study_document){0};
}
