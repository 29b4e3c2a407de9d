/* Groups members by their labels and hands each group to the statistics. */
#include "server/study/ensemble.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "server/study/statistics/band.h"
#include "server/study/statistics/sample.h"
#include "server/study/statistics/weibull.h"

void ensemble_members_clear(ensemble_member *members, size_t count)
{
  for (size_t i = 0; members && i < count; i++) {
    free(members[i].x);
    free(members[i].y);
  }
}

/* ── groups ── */

typedef struct grouping {
  const char *labels[ENSEMBLE_GROUPS]; /* in the order in which they come */
  size_t count;
} grouping;

static scr_status find_groups(const ensemble_member *members, size_t count, grouping *groups, scr_error *error)
{
  *groups = (grouping){0};
  for (size_t i = 0; i < count; i++) {
    size_t g = 0;
    while (g < groups->count && strcmp(groups->labels[g], members[i].label) != 0) g++;
    if (g < groups->count) continue;
    if (g == ENSEMBLE_GROUPS)
      return scr_fail(error, SCR_BAD_USAGE, NULL, "the factor has more than %d values; choose one that has fewer", ENSEMBLE_GROUPS);
    groups->labels[groups->count++] = members[i].label;
  }
  return SCR_OK;
}

static json_t *numbers(const double *values, size_t count)
{
  json_t *list = json_array();
  for (size_t i = 0; list && i < count; i++) json_array_append_new(list, isfinite(values[i]) ? json_real(values[i]) : json_null());
  return list;
}

static json_t *number(double value)
{
  return isfinite(value) ? json_real(value) : json_null();
}

/* ── strengths ── */

typedef struct sample {
  size_t count;
  double *values, *sorted, *plot;
  bool *censored;
} sample;

/* What was made for groups of one size serves all others of it: of complete samples both depend on their size alone. */
typedef struct known_pivots {
  weibull_pivots pivots; /* count 0: none */
  double width;          /* for which rows_needed was found; 0: none */
  size_t rows_needed;
} known_pivots;

static bool find_rows_needed(known_pivots *known, double width, double level, size_t *rows)
{
  if (!(isfinite(width) && width > 0)) return false;
  if (known->width != width && weibull_rows_needed(width, level, &known->rows_needed, NULL) != SCR_OK) return false;
  known->width = width;
  *rows = known->rows_needed;
  return *rows <= WEIBULL_ROWS;
}

static bool is_complete(const sample *s)
{
  for (size_t i = 0; i < s->count; i++)
    if (s->censored[i]) return false;
  return true;
}

static json_t *weibull_json(const sample *s, double level, known_pivots *known)
{
  weibull_fit fit;
  size_t points = 0, rows = 0;
  bool complete = is_complete(s);
  if (complete && s->count >= 2 && s->count <= WEIBULL_ROWS && known->pivots.count != s->count &&
      weibull_make_pivots(s->count, level, &known->pivots, NULL) != SCR_OK)
    return json_null();
  if (weibull_estimate(s->values, s->censored, s->count, level, complete ? &known->pivots : NULL, &fit, NULL) != SCR_OK || fit.broken < 3)
    return json_null();
  if (weibull_plot(s->values, s->censored, s->count, s->sorted, s->plot, &points, NULL) != SCR_OK) points = 0;
  double width = (fit.modulus_high - fit.modulus_low) / fit.modulus;
  if (complete) width = 1 / known->pivots.modulus_low - 1 / known->pivots.modulus_high; /* the same but for rounding */
  bool needed = find_rows_needed(known, width / 2, level, &rows);
  return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:s, s:o, s:o}", "modulus", number(fit.modulus), "modulus_unbiased",
                   number(fit.modulus_unbiased), "modulus_low", number(fit.modulus_low), "modulus_high", number(fit.modulus_high), "scale",
                   number(fit.scale), "scale_low", number(fit.scale_low), "scale_high", number(fit.scale_high), "broken",
                   (json_int_t)fit.broken, "censored", (json_int_t)fit.censored, "method", weibull_method_name(fit.method),
                   "rows_for_half_the_width", needed ? json_integer((json_int_t)rows) : json_null(), "plot",
                   json_pack("{s:o, s:o}", "value", numbers(s->sorted, points), "y", numbers(s->plot, points)));
}

static json_t *strength_json(const char *label, const sample *s, double level, known_pivots *known)
{
  json_t *weibull = weibull_json(s, level, known);
  size_t finite = sample_sort(s->values, s->count, s->sorted);
  return json_pack("{s:s, s:I, s:o, s:o, s:o, s:o, s:o, s:o}", "label", label, "rows", (json_int_t)finite, "mean",
                   number(sample_mean(s->values, s->count)), "deviation", number(sample_deviation(s->values, s->count)), "low",
                   number(sample_quantile(s->sorted, finite, 0.5 - level / 2)), "median", number(sample_quantile(s->sorted, finite, 0.5)),
                   "high", number(sample_quantile(s->sorted, finite, 0.5 + level / 2)), "weibull", weibull);
}

scr_status ensemble_strengths(const ensemble_member *members, size_t count, double level, json_t **json, scr_error *error)
{
  grouping groups;
  SCR_TRY(find_groups(members, count, &groups, error));
  json_t *list = json_array();
  known_pivots known = {0};
  sample s = {.values = calloc(count + 1, sizeof(double)),
              .sorted = calloc(count + 1, sizeof(double)),
              .plot = calloc(count + 1, sizeof(double)),
              .censored = calloc(count + 1, sizeof(bool))};
  bool memory = list && s.values && s.sorted && s.plot && s.censored;
  for (size_t g = 0; memory && g < groups.count; g++) {
    s.count = 0;
    for (size_t i = 0; i < count; i++)
      if (strcmp(members[i].label, groups.labels[g]) == 0)
        s.values[s.count] = members[i].value, s.censored[s.count++] = members[i].censored;
    memory = json_array_append_new(list, strength_json(groups.labels[g], &s, level, &known)) == 0;
  }
  free(s.values), free(s.sorted), free(s.plot), free(s.censored);
  *json = memory ? json_pack("{s:f, s:O}", "level", level, "groups", list) : NULL;
  json_decref(list);
  return *json ? SCR_OK : scr_fail_memory(error, "an ensemble", count * sizeof(double));
}

/* ── bands ── */

static json_t *thin_curve(const ensemble_member *m)
{
  double x[ENSEMBLE_SHOWN_SAMPLES], y[ENSEMBLE_SHOWN_SAMPLES];
  size_t kept = m->count < ENSEMBLE_SHOWN_SAMPLES ? m->count : ENSEMBLE_SHOWN_SAMPLES;
  for (size_t i = 0; i < kept; i++) {
    size_t from = kept > 1 ? i * (m->count - 1) / (kept - 1) : 0;
    x[i] = m->x[from], y[i] = m->y[from];
  }
  return json_pack("{s:o, s:o}", "x", numbers(x, kept), "y", numbers(y, kept));
}

static json_t *band_json(const char *label, const ensemble_member *members, size_t count, const band *b)
{
  json_t *reached = json_array(), *curves = json_array();
  size_t n = b->point_count, shown = 0, rows = 0;
  for (size_t i = 0; i < n; i++) json_array_append_new(reached, json_integer((json_int_t)b->reached[i]));
  for (size_t i = 0; i < count; i++) {
    if (strcmp(members[i].label, label) != 0) continue;
    rows++;
    if (shown++ < ENSEMBLE_SHOWN_CURVES) json_array_append_new(curves, thin_curve(&members[i]));
  }
  return json_pack("{s:s, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "label", label, "rows", (json_int_t)rows, "x", numbers(b->x, n),
                   "mean", numbers(b->mean, n), "deviation", numbers(b->deviation, n), "low", numbers(b->quantile, n), "median",
                   numbers(b->quantile + n, n), "high", numbers(b->quantile + 2 * n, n), "reached", reached, "curves", curves);
}

scr_status ensemble_bands(const ensemble_member *members, size_t count, double level, size_t points, json_t **json, scr_error *error)
{
  grouping groups;
  const double levels[] = {0.5 - level / 2, 0.5, 0.5 + level / 2};
  *json = NULL;
  SCR_TRY(find_groups(members, count, &groups, error));
  band_curve *curves = calloc(count + 1, sizeof *curves);
  json_t *list = json_array();
  scr_status status = curves && list ? SCR_OK : scr_fail_memory(error, "an ensemble", count * sizeof *curves);
  for (size_t g = 0; curves && status == SCR_OK && g < groups.count; g++) {
    band made = {0};
    size_t many = 0;
    for (size_t i = 0; i < count; i++)
      if (strcmp(members[i].label, groups.labels[g]) == 0) curves[many++] = (band_curve){members[i].x, members[i].y, members[i].count};
    status = band_make(curves, many, levels, 3, points, &made, error);
    if (status == SCR_OK) json_array_append_new(list, band_json(groups.labels[g], members, count, &made));
    band_clear(&made);
  }
  free(curves);
  if (status == SCR_OK) *json = json_pack("{s:f, s:O}", "level", level, "groups", list);
  json_decref(list);
  return status == SCR_OK && !*json ? scr_fail_memory(error, "an ensemble", count) : status;
}
