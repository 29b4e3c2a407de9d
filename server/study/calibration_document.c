#include "server/study/calibration_document.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "server/study/document_part.h"
#include "server/study/measured/measured.h"

/* ── unknowns ── */

static void read_unknown(study_calibration *self, const factor *f, size_t number, const char *pointer, scr_problems *problems)
{
  if (self->unknown_count == OPTIMISER_UNKNOWNS) {
    (void)scr_problems_add(problems, pointer, NULL, "at most 12 unknowns", "a calibration has at most %d unknowns", OPTIMISER_UNKNOWNS);
    return;
  }
  optimiser_unknown *to = &self->unknowns[self->unknown_count];
  *to = (optimiser_unknown){.low = f->from, .high = f->to, .logarithmic = f->logarithmic};
  snprintf(to->name, sizeof to->name, "%s", f->name);
  self->factors[self->unknown_count++] = number;
}

static void read_factors(study_calibration *self, const calibration_about *about, scr_problems *problems)
{
  size_t seeds = 0, labels = json_array_size(about->scene_labels);
  self->scene_count = labels ? labels : 1;
  self->repetition_count = 1;
  for (size_t i = 0; i < about->factor_count; i++) {
    const factor *f = &about->factors[i];
    char pointer[128];
    snprintf(pointer, sizeof pointer, "/factors/%s", f->name);
    if (f->place_count == 0 && labels) continue; /* the scene */
    if (f->kind == FACTOR_RANGE)
      read_unknown(self, f, i, pointer, problems);
    else if (f->kind == FACTOR_SEEDS && seeds++ == 0)
      self->repetition_count = f->steps ? f->steps : 1; /* none: a number of seeds that was refused */
    else
      (void)scr_problems_add(problems, pointer, NULL, "a range, or seeds once",
                             "'%s' must have a range, as an unknown, or be the one factor with seeds: a calibration chooses the values",
                             f->name);
  }
  if (self->unknown_count == 0)
    (void)scr_problems_add(problems, "/factors", NULL, "a factor with a range", "a calibration needs an unknown: a factor with a range");
}

/* ── targets ── */

static void read_expression(const document_part *part, const char *key, study_result *to)
{
  const json_t *given = json_object_get(part->json, key);
  const char *text = json_string_value(given);
  char pointer[PART_POINTER_BYTES];
  scr_error error = {0};
  part_pointer(part, key, pointer);
  snprintf(to->name, sizeof to->name, "%s", key);
  if (!text)
    part_refuse(part->problems, pointer, given, "an expression (/guide/study)");
  else if (expression_parse(text, &to->expression, &error) != SCR_OK)
    (void)scr_problems_add(part->problems, pointer, text, "an expression (/guide/study)", "%s: %s", pointer, error.message);
  to->text = text ? strdup(text) : NULL;
}

/* Copies a list of numbers. False: it is none of this length. */
static bool read_numbers(const json_t *list, size_t count, double *to)
{
  size_t index;
  json_t *value;
  if (json_array_size(list) != count) return false;
  json_array_foreach(list, index, value)
  {
    if (!json_is_number(value)) return false;
    to[index] = json_number_value(value);
  }
  return true;
}

/* Reads a unit as machines write them. @param unit receives the SI unit    @return what values are multiplied by */
static double read_unit(const document_part *part, const char *key, char unit[static EXPRESSION_UNIT_BYTES])
{
  char written[MEASURED_UNIT_BYTES] = "", si[MEASURED_UNIT_BYTES], pointer[PART_POINTER_BYTES];
  double scale = 1;
  if (!part_text(part, key, written, sizeof written, false)) return 1;
  if (measured_unit(written, si, &scale))
    snprintf(unit, EXPRESSION_UNIT_BYTES, "%.*s", EXPRESSION_UNIT_BYTES - 1, si);
  else
    part_refuse(part->problems, part_pointer(part, key, pointer), json_object_get(part->json, key), "a unit, such as mm, kN or MPa");
  return scale;
}

/* The measured curve itself. */
static void read_samples(const document_part *part, calibration_target *to)
{
  static const char *const keys[] = {"name", "x", "y", "scatter", "x_unit", "y_unit", NULL};
  const json_t *given = json_object_get(part->json, "measured"), *x = json_object_get(given, "x");
  char pointer[PART_POINTER_BYTES];
  const document_part curve = {given, part_pointer(part, "measured", pointer), part->problems};
  size_t count = json_array_size(x);
  const json_t *scatter = json_object_get(given, "scatter");
  if (!json_is_object(given) || count < 2 || count > CALIBRATION_SAMPLES) {
    part_refuse(part->problems, pointer, given, "the name of measured curves, or an object with x and y, lists of 2 to 1000 numbers");
    return;
  }
  part_keys(&curve, keys, "name, x, y, scatter, x_unit, y_unit");
  part_text(&curve, "name", to->measured, sizeof to->measured, false);
  to->samples = calloc(3 * count, sizeof *to->samples);
  if (!to->samples) return;
  double *y = to->samples + count, *deviation = y + count;
  if (!read_numbers(x, count, to->samples)) part_refuse(part->problems, pointer, x, "an object whose x is a list of numbers");
  if (!read_numbers(json_object_get(given, "y"), count, y))
    part_refuse(part->problems, pointer, NULL, "an object whose y is a list of as many numbers as x");
  if (scatter && !read_numbers(scatter, count, deviation))
    part_refuse(part->problems, pointer, NULL, "an object whose scatter is a list of as many numbers as x");
  double across = read_unit(&curve, "x_unit", to->x_unit), up = read_unit(&curve, "y_unit", to->y_unit);
  for (size_t i = 0; i < count; i++) {
    to->samples[i] *= across;
    y[i] *= up;
    deviation[i] *= up;
  }
  to->aim.curve = (distance_curve){.x = to->samples, .y = y, .scatter = scatter ? deviation : NULL, .count = count};
}

static void read_window(const document_part *part, distance_options *options)
{
  const json_t *given = json_object_get(part->json, "window");
  double ends[2];
  char pointer[PART_POINTER_BYTES];
  if (!given) return;
  if (read_numbers(given, 2, ends) && ends[0] < ends[1]) {
    options->low = ends[0];
    options->high = ends[1];
  } else
    part_refuse(part->problems, part_pointer(part, "window", pointer), given, "two numbers, the second above the first, in the unit of x");
}

static void read_curve(const document_part *part, calibration_target *to)
{
  static const char *const keys[] = {"scene", "weight", "scatter", "x", "y", "measured", "distance", "points", "window", NULL};
  static const char *const kinds[] = {"axis", "path", NULL};
  json_int_t points = 0;
  size_t kind = 0, before = part->problems->count;
  scr_error error = {0};
  part_keys(part, keys, "scene, weight, scatter, x, y, measured, distance, points, window");
  to->aim.is_curve = true;
  read_expression(part, "x", &to->x);
  read_expression(part, "y", &to->y);
  read_samples(part, to);
  part_choice(part, "distance", kinds, &kind);
  part_whole(part, "points", 2, DISTANCE_POINTS, &points);
  part_number(part, "scatter", 1e-300, 1e300, &to->aim.options.scatter);
  read_window(part, &to->aim.options);
  to->aim.options.kind = kind ? DISTANCE_BY_PATH : DISTANCE_BY_AXIS;
  to->aim.options.points = (size_t)points;
  to->size = distance_residual_count(&to->aim.options);
  if (part->problems->count > before || !to->samples) return;
  distance_point *at = calloc(to->size, sizeof *at);
  if (at && distance_points_make(&to->aim.curve, &to->aim.options, at, &error) != SCR_OK)
    (void)scr_problems_add(part->problems, part->pointer, NULL, NULL, "the target '%s': %s", to->name, error.message);
  free(at);
}

static void read_number(const document_part *part, calibration_target *to)
{
  static const char *const keys[] = {"scene", "weight", "scatter", "expression", "value", "unit", NULL};
  char pointer[PART_POINTER_BYTES];
  part_keys(part, keys, "scene, weight, scatter, expression, value, unit");
  read_expression(part, "expression", &to->y);
  if (!json_object_get(part->json, "value")) part_refuse(part->problems, part_pointer(part, "value", pointer), NULL, "the measured number");
  if (!json_object_get(part->json, "scatter"))
    part_refuse(part->problems, part_pointer(part, "scatter", pointer), NULL, "its standard deviation, above 0");
  part_number(part, "value", -1e300, 1e300, &to->aim.number);
  part_number(part, "scatter", 1e-300, 1e300, &to->aim.scatter);
  double scale = read_unit(part, "unit", to->y_unit);
  to->aim.number *= scale;
  to->aim.scatter *= scale;
  to->size = 1;
}

static void read_target(study_calibration *self, const char *name, const json_t *given, const calibration_about *about,
                        scr_problems *problems)
{
  calibration_target *to = &self->targets[self->target_count++];
  char pointer[128], place[PART_POINTER_BYTES];
  size_t labels = json_array_size(about->scene_labels), index;
  bool known = labels == 0;
  json_t *label;
  snprintf(pointer, sizeof pointer, "/design/targets/%.90s", name);
  snprintf(to->name, sizeof to->name, "%s", name);
  const document_part part = {given, pointer, problems};
  if (!name[0] || strlen(name) >= sizeof to->name) part_refuse(problems, pointer, NULL, "a name of 1 to 63 bytes");
  if (!json_is_object(given)) {
    part_refuse(problems, pointer, given, "an object: x, y, measured of a curve, or expression, value, scatter of a number");
    return;
  }
  part_text(&part, "scene", to->scene, sizeof to->scene, labels > 0);
  json_array_foreach(about->scene_labels, index, label) known = known || strcmp(json_string_value(label), to->scene) == 0;
  if (!known || (labels == 0 && to->scene[0]))
    part_refuse(problems, part_pointer(&part, "scene", place), json_object_get(given, "scene"),
                labels ? "one of the study's scenes" : "absent: the study has one scene");
  part_number(&part, "weight", 1e-12, 1e12, &to->aim.weight);
  if (json_object_get(given, "expression"))
    read_number(&part, to);
  else
    read_curve(&part, to);
  to->first = 0;
  for (size_t i = 0; i + 1 < self->target_count; i++)
    if (strcmp(self->targets[i].scene, to->scene) == 0) to->first += self->targets[i].size;
}

static void read_targets(study_calibration *self, const json_t *given, const calibration_about *about, scr_problems *problems)
{
  const char *name;
  json_t *each;
  if (!json_is_object(given) || json_object_size(given) < 1 || json_object_size(given) > CALIBRATION_TARGETS) {
    part_refuse(problems, "/design/targets", given, "an object of 1 to 16 targets by their names");
    return;
  }
  json_object_foreach((json_t *)(uintptr_t)given, name, each)
  {
    read_target(self, name, each, about, problems);
  }
}

/* ── the search ── */

static void read_search(study_calibration *self, const document_part *part)
{
  static const char *const starts[] = {"sobol", "direct", NULL};
  static const char *const methods[] = {"bobyqa", "cobyla", "crs2", "gaussian", "none", NULL};
  size_t start = 0, method = 0, each = self->scene_count * self->repetition_count, n = self->unknown_count;
  json_int_t runs = 0, points = 0, seed = 1;
  part_choice(part, "start", starts, &start);
  part_choice(part, "method", methods, &method);
  part_whole(part, "runs", 1, CALIBRATION_RUNS, &runs);
  part_whole(part, "start_points", 1, OPTIMISER_POINTS, &points);
  part_whole(part, "seed", 0, INT64_MAX / 2, &seed);
  part_number(part, "tolerance", 1e-9, 0.5, &self->options.tolerance);
  size_t start_points = points ? (size_t)points : 4 * n + 4;
  size_t most = method == OPTIMISER_GAUSSIAN ? OPTIMISER_GAUSSIAN_POINTS : OPTIMISER_POINTS, wanted = CALIBRATION_RUNS_EACH * n;
  if (wanted * each > CALIBRATION_RUNS) wanted = CALIBRATION_RUNS / each;
  size_t limit = runs ? (size_t)runs / each : method == OPTIMISER_NONE ? start_points : wanted;
  self->options.start = (optimiser_start)start;
  self->options.method = (optimiser_method)method;
  self->options.start_points = start_points;
  self->options.seed = (uint64_t)seed;
  self->options.point_limit = limit;
  self->run_limit = limit * each;
  size_t least = method == OPTIMISER_NONE ? start_points : start_points + 1;
  if (limit < least || limit > most)
    (void)scr_problems_add(
        part->problems, "/design/runs", NULL, NULL,
        "%zu runs are %zu points of %zu run%s each, a scene and seed at a time; with a start of %zu points and this method "
        "%zu to %zu points are possible",
        self->run_limit, limit, each, each == 1 ? "" : "s", start_points, least, most);
}

static void check_size(const study_calibration *self, scr_problems *problems)
{
  size_t each = 0;
  for (size_t i = 0; i < self->target_count; i++) each += self->targets[i].size;
  if (self->options.point_limit * self->repetition_count > CALIBRATION_VALUES / (each ? each : 1))
    (void)scr_problems_add(problems, "/design/targets", NULL, NULL,
                           "%zu points of %zu numbers each are more than the %d that are compared: take fewer runs, or fewer points of the "
                           "curves",
                           self->options.point_limit * self->repetition_count, each, CALIBRATION_VALUES);
}

void calibration_read(const json_t *design, const calibration_about *about, study_calibration **made, scr_problems *problems)
{
  static const char *const keys[] = {"kind", "targets", "runs", "start", "start_points", "method", "tolerance", "seed", NULL};
  const document_part part = {design, "/design", problems};
  study_calibration *self = calloc(1, sizeof *self);
  *made = self;
  if (!self) return;
  part_keys(&part, keys, "kind, targets, runs, start, start_points, method, tolerance, seed");
  read_factors(self, about, problems);
  read_targets(self, json_object_get(design, "targets"), about, problems);
  read_search(self, &part);
  check_size(self, problems);
}

void calibration_destroy(study_calibration *self)
{
  for (size_t i = 0; self && i < self->target_count; i++) {
    study_result *both[] = {&self->targets[i].x, &self->targets[i].y};
    for (int k = 0; k < 2; k++) {
      free(both[k]->text);
      expression_destroy(both[k]->expression);
    }
    free(self->targets[i].samples);
  }
  free(self);
}

/* ── rows ── */

size_t calibration_rows_each(const study_calibration *self)
{
  return self->scene_count * self->repetition_count;
}

size_t calibration_residual_count(const study_calibration *self, const char *scene)
{
  size_t count = 0;
  for (size_t i = 0; i < self->target_count; i++)
    if (strcmp(self->targets[i].scene, scene) == 0) count += self->targets[i].size;
  return count;
}

json_t *calibration_row(const study_calibration *self, const calibration_about *about, const double *point, size_t within)
{
  json_t *row = json_object();
  size_t unknown = 0, scene = within / self->repetition_count, repetition = within % self->repetition_count;
  for (size_t i = 0; row && i < about->factor_count; i++) {
    const factor *f = &about->factors[i];
    json_t *value = f->kind == FACTOR_RANGE   ? json_real(point[unknown++])
                    : f->kind == FACTOR_SEEDS ? factor_level(f, repetition)
                                              : json_incref(json_array_get(about->scene_labels, scene));
    if (json_object_set_new(row, f->name, value) == 0) continue;
    json_decref(row);
    row = NULL;
  }
  return row;
}

/* ── comparing ── */

static scr_status check_unit(const char *what, const char *text, const char *measured, const char *simulated, scr_error *why)
{
  if (expression_units_agree(measured, simulated)) return SCR_OK;
  return scr_fail(why, SCR_BAD_USAGE, NULL, "%s was measured in %s, and %.120s is in %s: compare quantities of one kind", what, measured,
                  text, simulated);
}

scr_status calibration_check_units(const calibration_target *of, const char *(*find)(void *user, const char *name), void *user,
                                   scr_error *why)
{
  char unit[EXPRESSION_UNIT_BYTES];
  if (of->x.expression && expression_unit(of->x.expression, find, user, unit)) SCR_TRY(check_unit("x", of->x.text, of->x_unit, unit, why));
  if (!expression_unit(of->y.expression, find, user, unit)) return SCR_OK;
  return check_unit(of->x.expression ? "y" : "the number", of->y.text, of->y_unit, unit, why);
}

/* A curve's residuals. SCR_BAD_USAGE: the run has none, `why` says why. */
static scr_status compare_curve(const calibration_target *of, const results_request *request, double *residuals, scr_error *why)
{
  const study_result both[] = {of->x, of->y};
  results_request wanted = *request;
  target_result simulated = {0};
  results_pair pair;
  double value;
  wanted.results = both;
  wanted.result_count = 2;
  SCR_TRY(results_curve(&wanted, 2 * DISTANCE_POINTS, &pair, why));
  simulated.curve = (distance_curve){.x = pair.x, .y = pair.y, .count = pair.count};
  scr_status status = check_unit("x", of->x.text, of->x_unit, pair.x_unit, why);
  if (status == SCR_OK) status = check_unit("y", of->y.text, of->y_unit, pair.y_unit, why);
  if (status == SCR_OK && pair.count < 2) status = scr_fail(why, SCR_BAD_USAGE, NULL, "the run has %zu samples", pair.count);
  if (status == SCR_OK) status = target_residuals(&of->aim, &simulated, 1, residuals, &value, why);
  results_pair_clear(&pair);
  return status;
}

static scr_status compare_number(const calibration_target *of, const results_request *request, double *residuals, scr_error *why)
{
  results_request wanted = *request;
  results_answer answer;
  target_result simulated = {0};
  double value;
  char unit[EXPRESSION_UNIT_BYTES];
  wanted.results = &of->y;
  wanted.result_count = 1;
  if (of->y_unit[0]) {
    SCR_TRY(results_unit(&wanted, unit, why));
    SCR_TRY(check_unit("the number", of->y.text, of->y_unit, unit, why));
  }
  SCR_TRY(results_evaluate(&wanted, &answer, why));
  json_t *whole = answer.text ? json_loads(answer.text, 0, NULL) : NULL;
  const json_t *number = json_object_get(json_object_get(whole, "values"), of->y.name);
  const char *reason = json_string_value(json_object_get(json_object_get(whole, "reasons"), of->y.name));
  simulated.number = json_number_value(number);
  scr_status status = json_is_number(number) ? target_residuals(&of->aim, &simulated, 1, residuals, &value, why)
                                             : scr_fail(why, SCR_BAD_USAGE, NULL, "%s", reason ? reason : "it is not a number");
  json_decref(whole);
  free(answer.text);
  return status;
}

scr_status calibration_compare(const study_calibration *self, const char *scene, const results_request *request, double *residuals,
                               char reason[static 480], scr_error *error)
{
  bool all = true;
  reason[0] = '\0';
  for (size_t i = 0; i < self->target_count; i++) {
    const calibration_target *of = &self->targets[i];
    scr_error why = {0};
    if (strcmp(of->scene, scene) != 0) continue;
    scr_status status = of->aim.is_curve ? compare_curve(of, request, residuals + of->first, &why)
                                         : compare_number(of, request, residuals + of->first, &why);
    if (status == SCR_OK) continue;
    if (status != SCR_BAD_USAGE) {
      if (error) *error = why;
      return status;
    }
    if (all) snprintf(reason, 480, "the target '%s' can't be compared: %.380s", of->name, why.message);
    all = false;
  }
  size_t count = calibration_residual_count(self, scene);
  for (size_t k = 0; !all && k < count; k++) residuals[k] = (double)NAN;
  return SCR_OK;
}
