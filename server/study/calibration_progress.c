#include "server/study/calibration_progress.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

typedef struct progress_point {
  double x[OPTIMISER_UNKNOWNS];
  int64_t first_row, job; /* job: of its first row */
  size_t ended;           /* rows */
  double value, noise;    /* NaN: no run has one */
} progress_point;

struct calibration_progress {
  const study_document *document;
  const study_calibration *of;
  size_t each;                       /* rows of a point */
  size_t residual;                   /* residuals of a run: all targets in the document's order */
  size_t first[CALIBRATION_TARGETS]; /* of each target */
  size_t count, point_capacity, run_capacity;
  progress_point *points; /* [count] */
  double *runs;           /* [count][repetitions][residual]; NaN: failed, or not there yet */
};

calibration_progress *calibration_progress_create(const study_document *document)
{
  calibration_progress *self = calloc(1, sizeof *self);
  if (!self) return NULL;
  self->document = document;
  self->of = document->design.calibration;
  self->each = calibration_rows_each(self->of);
  for (size_t i = 0; i < self->of->target_count; i++) {
    self->first[i] = self->residual;
    self->residual += self->of->targets[i].size;
  }
  return self;
}

void calibration_progress_destroy(calibration_progress *self)
{
  if (!self) return;
  mem_free(self->points);
  mem_free(self->runs);
  free(self);
}

static bool is_known(const calibration_progress *self, size_t p)
{
  return self->points[p].ended == self->each;
}

static double *run_of(const calibration_progress *self, size_t p, size_t repetition)
{
  return self->runs + (p * self->of->repetition_count + repetition) * self->residual;
}

/* ── rows ── */

static scr_status add_point(calibration_progress *self, const progress_row *row, scr_error *error)
{
  size_t size = self->of->repetition_count * self->residual, p = self->count;
  SCR_TRY(mem_reserve(&self->points, &self->point_capacity, p + 1, sizeof *self->points, "points of a calibration", error));
  SCR_TRY(mem_reserve(&self->runs, &self->run_capacity, (p + 1) * size, sizeof *self->runs, "residuals of a calibration", error));
  self->points[p] = (progress_point){.first_row = row->number, .job = row->job};
  for (size_t k = 0; k < size; k++) self->runs[p * size + k] = (double)NAN;
  json_t *factors = row->factors ? json_loads(row->factors, 0, NULL) : NULL;
  for (size_t u = 0; u < self->of->unknown_count; u++)
    self->points[p].x[u] = json_number_value(json_object_get(factors, self->of->unknowns[u].name));
  json_decref(factors);
  self->count++;
  return SCR_OK;
}

/* The mean over repetitions of the sum of squares, and its standard deviation. */
static void set_value(calibration_progress *self, size_t p)
{
  double sum = 0, squares = 0;
  size_t count = 0;
  for (size_t r = 0; r < self->of->repetition_count; r++) {
    const double *run = run_of(self, p, r);
    double value = 0;
    for (size_t k = 0; k < self->residual; k++) value += run[k] * run[k];
    if (!isfinite(value)) continue;
    sum += value;
    squares += value * value;
    count++;
  }
  double n = (double)count, mean = count ? sum / n : (double)NAN;
  self->points[p].value = mean;
  self->points[p].noise = count > 1 ? sqrt(fmax(0, squares / n - mean * mean) / (n - 1)) : 0;
}

scr_status calibration_progress_add(calibration_progress *self, const progress_row *row, scr_error *error)
{
  size_t at = (size_t)(row->number - 1), p = at / self->each, within = at % self->each, take = 0;
  const json_t *label = json_array_get(self->document->labels, within / self->of->repetition_count);
  const char *scene = label ? json_string_value(label) : "";
  if (within == 0) SCR_TRY(add_point(self, row, error));
  if (p + 1 != self->count)
    return scr_fail(error, SCR_BAD_FILE, NULL, "row %lld of a calibration follows none before it", (long long)row->number);
  double *run = run_of(self, p, within % self->of->repetition_count);
  bool fits = row->succeeded && row->residuals && row->count == calibration_residual_count(self->of, scene);
  for (size_t i = 0; i < self->of->target_count && fits; i++) {
    const calibration_target *of = &self->of->targets[i];
    if (strcmp(of->scene, scene) != 0) continue;
    memcpy(run + self->first[i], row->residuals + take, of->size * sizeof *run);
    take += of->size;
  }
  self->points[p].ended += row->ended;
  if (is_known(self, p)) set_value(self, p);
  return SCR_OK;
}

void calibration_counts(const calibration_progress *self, size_t *known, size_t *valued)
{
  *known = *valued = 0;
  for (size_t p = 0; p < self->count; p++) {
    *known += is_known(self, p);
    *valued += is_known(self, p) && isfinite(self->points[p].value);
  }
}

/* ── the estimate ── */

/* Mean of a point's residuals over its seeds; NaN where no run has a value. */
static void mean_run(const calibration_progress *self, size_t p, double *mean)
{
  size_t count = 0;
  memset(mean, 0, self->residual * sizeof *mean);
  for (size_t r = 0; r < self->of->repetition_count; r++) {
    const double *run = run_of(self, p, r);
    bool complete = true;
    for (size_t k = 0; k < self->residual; k++) complete = complete && isfinite(run[k]);
    for (size_t k = 0; complete && k < self->residual; k++) mean[k] += run[k];
    count += complete;
  }
  for (size_t k = 0; k < self->residual; k++) mean[k] /= (double)count;
}

/* The estimate by all points that have ended: a point is a run of the estimate. */
static scr_status estimate_of(const calibration_progress *self, double level, estimate *out, scr_error *error)
{
  const study_calibration *of = self->of;
  size_t n = of->unknown_count, runs = 0;
  target aims[CALIBRATION_TARGETS];
  estimate_block blocks[CALIBRATION_TARGETS];
  double *points, *residuals = NULL;
  for (size_t i = 0; i < of->target_count; i++) aims[i] = of->targets[i].aim;
  target_blocks(aims, of->target_count, blocks);
  SCR_TRY(mem_allocate(&points, self->count * n + 1, sizeof *points, "runs of a calibration", error));
  scr_status status = mem_allocate(&residuals, self->count * self->residual + 1, sizeof *residuals, "runs of a calibration", error);
  for (size_t p = 0; p < self->count && status == SCR_OK; p++) {
    if (!is_known(self, p)) continue;
    memcpy(points + runs * n, self->points[p].x, n * sizeof *points);
    mean_run(self, p, residuals + runs * self->residual);
    runs++;
  }
  const estimate_runs all = {.unknowns = of->unknowns,
                             .unknown_count = n,
                             .run_count = runs,
                             .residual_count = self->residual,
                             .blocks = blocks,
                             .block_count = of->target_count,
                             .points = points,
                             .residuals = residuals};
  if (status == SCR_OK) status = estimate_make(&all, level, out, error);
  mem_free(points);
  mem_free(residuals);
  return status;
}

/* ── the search ── */

/* Of so many residuals at most a fit is made each time that a point is asked for: tenths of a second. */
enum { FIT_RESIDUALS = 400000 };

typedef struct fit_model {
  const calibration_progress *self;
} fit_model;

/* The least place of the estimate's fit; an optimiser_model. */
static bool least_of_fit(void *data, double *point)
{
  const calibration_progress *self = ((const fit_model *)data)->self;
  estimate found;
  if (self->count * self->residual > FIT_RESIDUALS || estimate_of(self, 0.9, &found, NULL) != SCR_OK) return false;
  for (size_t u = 0; u < found.count; u++) point[u] = found.parameters[u].best;
  return true;
}

scr_status calibration_next(const calibration_progress *self, size_t slots, double **points, size_t *count, bool *ended,
                            char why[static 160], scr_error *error)
{
  optimiser *search = NULL;
  const study_calibration *of = self->of;
  *points = NULL;
  *count = 0;
  *ended = false;
  why[0] = '\0';
  SCR_TRY(optimiser_create(of->unknowns, of->unknown_count, &of->options, &search, error));
  optimiser_set_model(search, least_of_fit, &(fit_model){self});
  scr_status status = SCR_OK;
  for (size_t p = 0; p < self->count && status == SCR_OK; p++) {
    const progress_point *point = &self->points[p];
    status =
        is_known(self, p) ? optimiser_tell(search, point->x, point->value, point->noise, error) : optimiser_expect(search, point->x, error);
  }
  if (status == SCR_OK) status = mem_allocate(points, slots * of->unknown_count, sizeof **points, "points to run", error);
  if (status == SCR_OK) status = optimiser_ask(search, slots, *points, count, error);
  if (status == SCR_OK) *ended = optimiser_ended(search, why);
  if (status != SCR_OK || *count == 0) {
    mem_free(*points);
    *points = NULL;
  }
  optimiser_destroy(search);
  return status;
}

static size_t best_of(const calibration_progress *self)
{
  size_t best = self->count;
  for (size_t p = 0; p < self->count; p++)
    if (is_known(self, p) && isfinite(self->points[p].value) && (best == self->count || self->points[p].value < self->points[best].value))
      best = p;
  return best;
}

/* ── shapes ── */

static json_t *number(double value)
{
  return isfinite(value) ? json_real(value) : json_null();
}

static json_t *unknowns_json(const calibration_progress *self)
{
  json_t *list = json_array();
  for (size_t u = 0; u < self->of->unknown_count; u++) {
    const optimiser_unknown *of = &self->of->unknowns[u];
    json_array_append_new(list, json_pack("{s:s, s:s, s:f, s:f, s:s}", "name", of->name, "unit",
                                          self->document->factors[self->of->factors[u]].unit, "low", of->low, "high", of->high, "scale",
                                          of->logarithmic ? "logarithmic" : "linear"));
  }
  return list;
}

/* Root mean square over repetitions of a target's distance at a point, without its weight. */
static double distance_at(const calibration_progress *self, size_t p, size_t t)
{
  const calibration_target *of = &self->of->targets[t];
  double sum = 0, weight = of->aim.weight == 0 ? 1 : of->aim.weight;
  for (size_t r = 0; r < self->of->repetition_count; r++) {
    const double *run = run_of(self, p, r) + self->first[t];
    for (size_t k = 0; k < of->size; k++) sum += run[k] * run[k];
  }
  return sqrt(sum / weight / (double)self->of->repetition_count);
}

static json_t *point_json(const calibration_progress *self, size_t p)
{
  const progress_point *of = &self->points[p];
  json_t *unknowns = json_object(), *distances = json_object();
  for (size_t u = 0; u < self->of->unknown_count; u++) json_object_set_new(unknowns, self->of->unknowns[u].name, json_real(of->x[u]));
  for (size_t t = 0; t < self->of->target_count; t++)
    json_object_set_new(distances, self->of->targets[t].name, number(is_known(self, p) ? distance_at(self, p, t) : (double)NAN));
  return json_pack("{s:I, s:[I, I], s:b, s:o, s:o, s:o, s:o}", "point", (json_int_t)p + 1, "rows", (json_int_t)of->first_row,
                   (json_int_t)(of->first_row + (int64_t)self->each - 1), "ended", (int)is_known(self, p), "value",
                   number(is_known(self, p) ? of->value : (double)NAN), "noise", number(of->noise), "unknowns", unknowns, "distances",
                   distances);
}

static json_t *estimate_json(const calibration_progress *self, const estimate *of)
{
  json_t *parameters = json_array(), *correlation = json_array();
  for (size_t u = 0; u < of->count; u++) {
    const estimate_parameter *p = &of->parameters[u];
    json_t *row = json_array();
    for (size_t v = 0; v < of->count; v++) json_array_append_new(row, number(of->correlation[u][v]));
    json_array_append_new(correlation, row);
    json_array_append_new(parameters, json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:b, s:b}", "name", self->of->unknowns[u].name, "unit",
                                                self->document->factors[self->of->factors[u]].unit, "best", number(p->best), "low",
                                                number(p->low), "high", number(p->high), "share", number(p->share), "undetermined",
                                                (int)p->undetermined, "at_bound", (int)p->at_bound));
  }
  return json_pack("{s:f, s:o, s:o, s:o, s:o, s:I, s:b, s:o, s:s}", "level", of->level, "parameters", parameters, "correlation",
                   correlation, "value", number(of->value), "best_value", number(of->best_value), "runs", (json_int_t)of->runs, "quadratic",
                   (int)of->quadratic, "independent", number(of->independent), "words", of->words);
}

scr_status calibration_json(const calibration_progress *self, double level, json_t **json, scr_error *error)
{
  double *points;
  size_t next, known, valued, best = best_of(self);
  bool ended;
  char why[160];
  estimate found;
  scr_error reason = {0};
  json_t *history = json_array();
  *json = NULL;
  SCR_TRY(calibration_next(self, 1, &points, &next, &ended, why, error));
  mem_free(points);
  calibration_counts(self, &known, &valued);
  for (size_t p = 0; p < self->count; p++) json_array_append_new(history, point_json(self, p));
  bool made = estimate_of(self, level, &found, &reason) == SCR_OK;
  *json = json_pack("{s:b, s:s, s:{s:I, s:I, s:I, s:I}, s:I, s:o, s:o, s:o, s:o, s:o}", "ended", (int)ended, "why", why, "points", "known",
                    (json_int_t)known, "failed", (json_int_t)(known - valued), "out", (json_int_t)(self->count - known), "limit",
                    (json_int_t)self->of->options.point_limit, "runs_each", (json_int_t)self->each, "unknowns", unknowns_json(self), "best",
                    best < self->count ? point_json(self, best) : json_null(), "estimate", made ? estimate_json(self, &found) : json_null(),
                    "estimate_reason", made ? json_null() : json_string(reason.message), "history", history);
  return *json ? SCR_OK : scr_fail(error, SCR_NO_MEMORY, NULL, "no memory for a calibration");
}

/* ── overlay ── */

/* What a run's residual stands for. */
static double simulated(const calibration_target *of, const distance_point *at, double residual)
{
  return at->y + residual / sqrt(of->aim.weight == 0 ? 1 : of->aim.weight) * at->y_step;
}

static double simulated_x(const calibration_target *of, const distance_point *at, double residual)
{
  return at->x + residual / sqrt(of->aim.weight == 0 ? 1 : of->aim.weight) * at->x_step;
}

static json_t *best_curves(const calibration_progress *self, size_t t, size_t best, const distance_point *points, size_t count)
{
  const calibration_target *of = &self->of->targets[t];
  bool path = of->aim.options.kind == DISTANCE_BY_PATH;
  json_t *list = json_array();
  for (size_t r = 0; best < self->count && r < self->of->repetition_count; r++) {
    const double *run = run_of(self, best, r) + self->first[t];
    json_t *x = json_array(), *y = json_array();
    if (!isfinite(run[0])) count = 0;
    for (size_t k = 0; k < count; k++) {
      json_array_append_new(x, number(path ? simulated_x(of, &points[k], run[k]) : points[k].x));
      json_array_append_new(y, number(simulated(of, &points[k], run[path ? count + k : k])));
    }
    json_array_append_new(list, json_pack("{s:o, s:o}", "x", x, "y", y));
  }
  return list;
}

static bool within_intervals(const calibration_progress *self, size_t p, const estimate *found)
{
  for (size_t u = 0; u < found->count; u++)
    if (!(self->points[p].x[u] >= found->parameters[u].low && self->points[p].x[u] <= found->parameters[u].high)) return false;
  return is_known(self, p) && isfinite(self->points[p].value);
}

/* Least and greatest y of the runs whose unknowns lie within their intervals. */
static json_t *band_of(const calibration_progress *self, size_t t, const estimate *found, const distance_point *points, size_t count)
{
  const calibration_target *of = &self->of->targets[t];
  json_t *low = json_array(), *high = json_array();
  size_t runs = 0;
  for (size_t k = 0; k < count; k++) {
    double least = INFINITY, most = -INFINITY;
    runs = 0;
    for (size_t p = 0; p < self->count; p++) {
      if (!within_intervals(self, p, found)) continue;
      for (size_t r = 0; r < self->of->repetition_count; r++) {
        double y = simulated(of, &points[k], run_of(self, p, r)[self->first[t] + k]);
        if (!isfinite(y)) continue;
        least = fmin(least, y);
        most = fmax(most, y);
        runs++;
      }
    }
    json_array_append_new(low, number(least));
    json_array_append_new(high, number(most));
  }
  return json_pack("{s:I, s:o, s:o}", "runs", (json_int_t)runs, "low", low, "high", high);
}

static scr_status overlay_curve(const calibration_progress *self, size_t t, const estimate *found, json_t *to, scr_error *error)
{
  const calibration_target *of = &self->of->targets[t];
  bool path = of->aim.options.kind == DISTANCE_BY_PATH;
  size_t count = of->size / (path ? 2 : 1);
  json_t *x = json_array(), *y = json_array(), *deviation = json_array();
  distance_point *points;
  SCR_TRY(mem_allocate(&points, count, sizeof *points, "points of a distance", error));
  scr_status status = distance_points_make(&of->aim.curve, &of->aim.options, points, error);
  for (size_t k = 0; k < count && status == SCR_OK; k++) {
    double root = sqrt((k == 0 || k + 1 == count ? 0.5 : 1) / (double)(count - 1)); /* as distance.h weighs */
    json_array_append_new(x, number(points[k].x));
    json_array_append_new(y, number(points[k].y));
    json_array_append_new(deviation, number(points[k].y_step * root));
  }
  if (status == SCR_OK) {
    json_object_set_new(to, "measured",
                        json_pack("{s:s, s:s, s:s, s:o, s:o, s:o}", "name", of->measured, "x_unit", of->x_unit, "y_unit", of->y_unit, "x",
                                  x, "y", y, "deviation", deviation));
    json_object_set_new(to, "best", best_curves(self, t, best_of(self), points, count));
    json_object_set_new(to, "band", found && !path ? band_of(self, t, found, points, count) : json_null());
  }
  mem_free(points);
  return status;
}

static void overlay_number(const calibration_progress *self, size_t t, json_t *to)
{
  const calibration_target *of = &self->of->targets[t];
  size_t best = best_of(self);
  json_t *values = json_array();
  double root = sqrt(of->aim.weight == 0 ? 1 : of->aim.weight);
  for (size_t r = 0; best < self->count && r < self->of->repetition_count; r++)
    json_array_append_new(values, number(of->aim.number + run_of(self, best, r)[self->first[t]] / root * of->aim.scatter));
  json_object_set_new(to, "measured", json_pack("{s:f, s:f}", "value", of->aim.number, "deviation", of->aim.scatter));
  json_object_set_new(to, "best", values);
  json_object_set_new(to, "band", json_null());
}

scr_status calibration_overlay(const calibration_progress *self, double level, json_t **json, scr_error *error)
{
  estimate found;
  bool made = estimate_of(self, level, &found, NULL) == SCR_OK;
  json_t *list = json_array();
  scr_status status = SCR_OK;
  *json = NULL;
  for (size_t t = 0; t < self->of->target_count && status == SCR_OK; t++) {
    const calibration_target *of = &self->of->targets[t];
    json_t *to = json_pack("{s:s, s:s, s:s, s:s, s:s}", "target", of->name, "scene", of->scene, "kind",
                           of->aim.is_curve ? "curve" : "number", "x", of->x.text ? of->x.text : "", "y", of->y.text ? of->y.text : "");
    if (of->aim.is_curve)
      status = overlay_curve(self, t, made ? &found : NULL, to, error);
    else
      overlay_number(self, t, to);
    json_array_append_new(list, to);
  }
  *json = json_pack("{s:f, s:o}", "level", level, "targets", list);
  if (*json && status == SCR_OK) return SCR_OK;
  json_decref(*json);
  *json = NULL;
  return status != SCR_OK ? status : scr_fail(error, SCR_NO_MEMORY, NULL, "no memory for an overlay");
}
