#include "server/study/effect_rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "server/study/statistics/effects.h"
#include "server/study/statistics/sample.h"

struct effect_rows {
  const study_document *document;
  size_t count, factor_capacity, result_capacity;
  double *factors;                     /* [count][document->factor_count] numbers, or numbers of labels; NaN: none */
  double *results;                     /* [count] */
  json_t *numbers[STUDY_FACTOR_LIMIT]; /* {text of a value: its number} of a factor whose first value is no number */
  json_t *labels[STUDY_FACTOR_LIMIT];  /* its values, by their numbers */
};

effect_rows *effect_rows_create(const study_document *document)
{
  effect_rows *self = calloc(1, sizeof *self);
  bool made = self != NULL;
  for (size_t f = 0; made && f < document->factor_count; f++) {
    self->numbers[f] = json_object();
    self->labels[f] = json_array();
    made = self->numbers[f] && self->labels[f];
  }
  if (self) self->document = document;
  if (made) return self;
  effect_rows_destroy(self);
  return NULL;
}

void effect_rows_destroy(effect_rows *self)
{
  if (!self) return;
  for (size_t f = 0; f < STUDY_FACTOR_LIMIT; f++) {
    json_decref(self->numbers[f]);
    json_decref(self->labels[f]);
  }
  mem_free(self->factors);
  mem_free(self->results);
  free(self);
}

/* The number that stands for a value that is none. */
static double number_of_label(effect_rows *self, size_t f, json_t *value)
{
  char *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY | JSON_SORT_KEYS);
  const json_t *known = text ? json_object_get(self->numbers[f], text) : NULL;
  double number = known ? json_number_value(known) : (double)json_array_size(self->labels[f]);
  bool kept = known || (text && json_object_set_new(self->numbers[f], text, json_integer((json_int_t)number)) == 0 &&
                        json_array_append(self->labels[f], value) == 0);
  free(text);
  return kept ? number : (double)NAN;
}

scr_status effect_rows_add(effect_rows *self, const json_t *factors, double result, scr_error *error)
{
  size_t width = self->document->factor_count;
  SCR_TRY(mem_reserve(&self->factors, &self->factor_capacity, (self->count + 1) * width, sizeof(double), "factors of rows", error));
  SCR_TRY(mem_reserve(&self->results, &self->result_capacity, self->count + 1, sizeof(double), "results of rows", error));
  for (size_t f = 0; f < width; f++) {
    json_t *value = json_object_get(factors, self->document->factors[f].name);
    bool labels = json_array_size(self->labels[f]) > 0 || (self->count == 0 && !json_is_number(value));
    self->factors[self->count * width + f] = value && labels         ? number_of_label(self, f, value)
                                             : json_is_number(value) ? json_number_value(value)
                                                                     : (double)NAN;
  }
  self->results[self->count++] = result;
  return SCR_OK;
}

/* ── the answer ── */

/* Factors that vary, by columns of their own. */
typedef struct varied {
  size_t count, index[STUDY_FACTOR_LIMIT];
  double *values; /* [rows][count] */
} varied;

static bool varies(const effect_rows *self, size_t f)
{
  size_t width = self->document->factor_count;
  if (self->document->factors[f].kind == FACTOR_SEEDS) return false;
  for (size_t r = 1; r < self->count; r++)
    if (self->factors[r * width + f] != self->factors[f]) return true;
  return false;
}

static scr_status choose(const effect_rows *self, varied *of, scr_error *error)
{
  size_t width = self->document->factor_count;
  for (size_t f = 0; f < width; f++)
    if (varies(self, f)) of->index[of->count++] = f;
  if (of->count == 0)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "no factor but seeds varies over the %zu rows that have the result", self->count);
  if (of->count > EFFECTS_FACTORS)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "%zu factors vary; effects are told apart of at most %d", of->count, EFFECTS_FACTORS);
  SCR_TRY(mem_allocate(&of->values, self->count * of->count, sizeof(double), "factors that vary", error));
  for (size_t r = 0; r < self->count; r++)
    for (size_t k = 0; k < of->count; k++) of->values[r * of->count + k] = self->factors[r * width + of->index[k]];
  return SCR_OK;
}

static json_t *number(double value)
{
  return isfinite(value) ? json_real(value) : json_null();
}

/* Means by level: [{"value", "mean", "rows"}], empty where there are more than EFFECT_LEVELS. */
static json_t *levels_of(const effect_rows *self, const varied *of, size_t k)
{
  size_t count = 0;
  json_t *list = json_array(), *labels = self->labels[of->index[k]];
  effects_level *levels = mem_array(self->count, sizeof *levels);
  scr_status status = levels ? effects_levels(of->values, of->count, k, self->results, self->count, levels, &count) : SCR_NO_MEMORY;
  bool named = json_array_size(labels) > 0;
  for (size_t l = 0; status == SCR_OK && count <= EFFECT_LEVELS && l < count; l++) {
    json_t *value = named ? json_incref(json_array_get(labels, (size_t)levels[l].value)) : json_real(levels[l].value);
    json_array_append_new(list,
                          json_pack("{s:o, s:o, s:I}", "value", value, "mean", number(levels[l].mean), "rows", (json_int_t)levels[l].rows));
  }
  mem_free(levels);
  return list;
}

/* Correlation with the result, of a factor of numbers. */
static double correlation_of(const effect_rows *self, const varied *of, size_t k)
{
  if (json_array_size(self->labels[of->index[k]]) > 0) return (double)NAN;
  double *column = mem_array(self->count, sizeof *column);
  for (size_t r = 0; column && r < self->count; r++) column[r] = of->values[r * of->count + k];
  double found = column ? sample_correlation(column, self->results, self->count) : (double)NAN;
  mem_free(column);
  return found;
}

static json_t *factors_json(const effect_rows *self, const varied *of, const effects *found)
{
  json_t *list = json_array();
  for (size_t k = 0; k < of->count; k++) {
    const factor *f = &self->document->factors[of->index[k]];
    json_array_append_new(list, json_pack("{s:s, s:s, s:o, s:o, s:o}", "name", f->name, "unit", f->unit, "share", number(found->main[k]),
                                          "correlation", number(correlation_of(self, of, k)), "levels", levels_of(self, of, k)));
  }
  return list;
}

static json_t *pairs_json(const effect_rows *self, const varied *of, const effects *found)
{
  json_t *list = json_array();
  for (size_t i = 0; i < of->count; i++)
    for (size_t j = i + 1; j < of->count; j++)
      json_array_append_new(list, json_pack("{s:[s, s], s:o}", "factors", self->document->factors[of->index[i]].name,
                                            self->document->factors[of->index[j]].name, "share", number(found->pair[i][j])));
  return list;
}

scr_status effect_rows_answer(const effect_rows *self, const study_result *result, json_t **json, scr_error *error)
{
  varied of = {0};
  effects found;
  *json = NULL;
  scr_status status = choose(self, &of, error);
  if (status == SCR_OK) status = effects_make(of.values, of.count, self->results, self->count, &found, error);
  if (status == SCR_OK) {
    *json = json_pack("{s:s, s:s, s:I, s:o, s:o, s:s, s:o, s:o, s:o, s:o}", "result", result->name, "unit", result->unit, "rows",
                      (json_int_t)found.row_count, "mean", number(found.mean), "deviation", number(found.deviation), "method",
                      found.method == EFFECTS_OF_GRID ? "grid" : "fit", "factors", factors_json(self, &of, &found), "pairs",
                      pairs_json(self, &of, &found), "rest", number(found.rest), "predicted", number(found.predicted));
    if (!*json) status = scr_fail(error, SCR_NO_MEMORY, NULL, "no memory for the effects of factors");
  }
  mem_free(of.values);
  return status;
}
