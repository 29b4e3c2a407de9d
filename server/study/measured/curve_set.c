#include "server/study/measured/curve_set.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "server/study/statistics/band.h"

/* ── reading ── */

static scr_status keep_samples(curve_set *self, const double *x, const double *y, size_t count)
{
  size_t kept = count < CURVE_SET_SAMPLES ? count : CURVE_SET_SAMPLES;
  curve_samples *to = &self->curves[self->count];
  to->x = malloc(2 * kept * sizeof *to->x);
  if (!to->x) return SCR_NO_MEMORY;
  to->y = to->x + kept;
  to->count = kept;
  for (size_t i = 0; i < kept; i++) {
    size_t from = kept > 1 ? i * (count - 1) / (kept - 1) : 0;
    to->x[i] = x[from];
    to->y[i] = y[from];
  }
  self->count++;
  return SCR_OK;
}

static json_t *axis_json(const measured_table *table, size_t column)
{
  return json_pack("{s:s, s:s}", "name", table->columns[column].name, "unit", table->columns[column].unit);
}

static json_t *corrections_json(const measured_choice *of)
{
  return json_pack("{s:f, s:f, s:f, s:f, s:f, s:f}", "x_factor", of->x_factor == 0 ? 1 : of->x_factor, "y_factor",
                   of->y_factor == 0 ? 1 : of->y_factor, "x_zero", of->x_zero, "y_zero", of->y_zero, "preload", of->preload, "compliance",
                   of->compliance);
}

/* Notes how a specimen was read; the first one names the axes. */
static bool note_specimen(curve_set *self, const measured_document *document, const measured_specimen *specimen, const curve_file *file,
                          const measured_table *table, const measured_choice *choice, const measured_curve *curve)
{
  if (!self->about)
    self->about = json_pack("{s:o, s:o, s:o, s:[]}", "x", axis_json(table, choice->x), "y", axis_json(table, choice->y), "scatter",
                            document->scatter > 0 ? json_real(document->scatter) : json_null(), "specimens");
  const char *label = specimen->label[0] ? specimen->label : file->name;
  json_t *note = json_pack("{s:o, s:s, s:s, s:s, s:I, s:I, s:o, s:I, s:f}", "asset", json_sprintf("sha256:%s", specimen->digest), "label",
                           label, "file", file->name, "how", table->how, "x", (json_int_t)choice->x + 1, "y", (json_int_t)choice->y + 1,
                           "corrections", corrections_json(choice), "samples", (json_int_t)curve->count, "x_moved", curve->x_moved);
  return self->about && note && json_array_append_new(json_object_get(self->about, "specimens"), note) == 0;
}

static const char *unit_of(const curve_set *self, const char *axis)
{
  return json_string_value(json_object_get(json_object_get(self->about, axis), "unit"));
}

static void check_units(const curve_set *self, const measured_curve *curve, const char *pointer, scr_problems *problems)
{
  const char *x = self->about ? unit_of(self, "x") : curve->x_unit, *y = self->about ? unit_of(self, "y") : curve->y_unit;
  if (!curve->x_unit[0] || !curve->y_unit[0])
    (void)scr_problems_add(problems, pointer, NULL, "columns whose units are known",
                           "the unit of %s is not known: give the file's units in reading, such as [\"mm\", \"kN\"]",
                           curve->x_unit[0] ? "y" : "x");
  else if (strcmp(x, curve->x_unit) != 0 || strcmp(y, curve->y_unit) != 0)
    (void)scr_problems_add(
        problems, pointer, NULL, "the units of the first specimen",
        "this specimen's curve is in %s over %s, the first one's in %s over %s: specimens of one test have the same units", curve->y_unit,
        curve->x_unit, y, x);
}

static bool find_columns(const measured_specimen *specimen, const measured_table *table, measured_choice *choice, const char *pointer,
                         scr_problems *problems)
{
  const measured_pick *picks[] = {&specimen->x, &specimen->y};
  size_t *columns[] = {&choice->x, &choice->y};
  bool all = true;
  for (int i = 0; i < 2; i++) {
    if (measured_pick_find(picks[i], table, columns[i])) continue;
    char name[MEASURED_NAME_BYTES + 24];
    if (picks[i]->number)
      snprintf(name, sizeof name, "column %zu", picks[i]->number);
    else
      snprintf(name, sizeof name, "column named '%s'", picks[i]->name);
    (void)scr_problems_add(problems, pointer, NULL, "a column of the file", "the file has no %s; it has %zu columns, the first is '%s'",
                           name, table->column_count, table->columns[0].name);
    all = false;
  }
  return all;
}

static scr_status take_specimen(curve_set *self, const measured_document *document, const curve_file *file, const measured_table *table,
                                const char *pointer, scr_problems *problems)
{
  const measured_specimen *specimen = &document->specimens[self->count];
  measured_choice choice = specimen->corrections;
  measured_curve curve = {0};
  scr_error error = {0};
  size_t before = problems->count;
  if (!find_columns(specimen, table, &choice, pointer, problems)) return SCR_BAD_USAGE;
  scr_status status = measured_take(table, &choice, &curve, &error);
  if (status == SCR_NO_MEMORY) return status;
  if (status != SCR_OK) {
    (void)scr_problems_add(problems, pointer, NULL, NULL, "%s", error.message);
    return SCR_BAD_USAGE;
  }
  check_units(self, &curve, pointer, problems);
  if (problems->count > before)
    status = SCR_BAD_USAGE;
  else if (!note_specimen(self, document, specimen, file, table, &choice, &curve))
    status = SCR_NO_MEMORY;
  else
    status = keep_samples(self, curve.x, curve.y, curve.count);
  measured_curve_clear(&curve);
  return status;
}

scr_status curve_set_read(curve_set *self, const measured_document *document, const curve_file *file, scr_problems *problems)
{
  const measured_specimen *specimen = &document->specimens[self->count];
  measured_table table = {0};
  scr_error error = {0};
  char pointer[40];
  snprintf(pointer, sizeof pointer, "/specimens/%zu", self->count);
  measured_reading reading = specimen->reading;
  reading.units = specimen->units;
  scr_status status = file->size > CURVE_SET_FILE_BYTES
                          ? scr_fail(&error, SCR_BAD_FILE, NULL, "the file has %zu bytes; at most %d are read here: export fewer samples",
                                     file->size, CURVE_SET_FILE_BYTES)
                          : measured_read(file->bytes, file->size, &reading, &table, &error);
  if (status == SCR_OK) {
    status = take_specimen(self, document, file, &table, pointer, problems);
    measured_clear(&table);
  } else if (status != SCR_NO_MEMORY)
    (void)scr_problems_add(problems, pointer, NULL, NULL, "%s: %s", file->name[0] ? file->name : "the file", error.message);
  if (status != SCR_OK && status != SCR_NO_MEMORY) self->count++; /* an empty place, so that the next one is read in its own */
  return status == SCR_NO_MEMORY ? status : SCR_OK;
}

scr_status curve_set_add(curve_set *self, const double *samples, size_t count)
{
  if (self->count == MEASURED_SPECIMENS || count < 2 || count > CURVE_SET_SAMPLES) return SCR_BAD_FILE;
  return keep_samples(self, samples, samples + count, count);
}

void curve_set_clear(curve_set *self)
{
  for (size_t i = 0; i < self->count; i++) free(self->curves[i].x);
  json_decref(self->about);
  *self = (curve_set){0};
}

/* ── the mean ── */

void curve_mean_clear(curve_mean *self)
{
  mem_free(self->x);
  mem_free(self->y);
  mem_free(self->scatter);
  mem_free(self->reached);
  *self = (curve_mean){0};
}

static scr_status allocate(curve_mean *out, size_t count, bool scatter, scr_error *error)
{
  SCR_TRY(mem_allocate(&out->x, count, sizeof(double), "a measured curve", error));
  SCR_TRY(mem_allocate(&out->y, count, sizeof(double), "a measured curve", error));
  if (scatter) SCR_TRY(mem_allocate(&out->scatter, count, sizeof(double), "a measured curve", error));
  return mem_allocate(&out->reached, count, sizeof(uint32_t), "a measured curve", error);
}

static scr_status mean_of_one(const curve_set *self, double scatter, curve_mean *out, scr_error *error)
{
  const curve_samples *of = &self->curves[0];
  SCR_TRY(allocate(out, of->count, scatter > 0, error));
  out->count = of->count;
  for (size_t i = 0; i < of->count; i++) {
    out->x[i] = of->x[i];
    out->y[i] = of->y[i];
    out->reached[i] = 1;
    if (scatter > 0) out->scatter[i] = scatter;
  }
  return SCR_OK;
}

static scr_status mean_of_many(const curve_set *self, const band *all, curve_mean *out, scr_error *error)
{
  size_t least = (self->count + 1) / 2 > 2 ? (self->count + 1) / 2 : 2;
  double low = INFINITY, high = -INFINITY;
  SCR_TRY(allocate(out, all->point_count, true, error));
  for (size_t i = 0; i < all->point_count; i++) {
    if (all->reached[i] < least) continue;
    out->x[out->count] = all->x[i];
    out->y[out->count] = all->mean[i];
    out->scatter[out->count] = all->deviation[i];
    out->reached[out->count++] = (uint32_t)all->reached[i];
    low = fmin(low, all->mean[i]);
    high = fmax(high, all->mean[i]);
  }
  if (out->count < 2)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "the curves of the specimens have no part of the axis in common that two of them reach");
  for (size_t i = 0; i < out->count; i++) out->scatter[i] = fmax(out->scatter[i], CURVE_SET_LEAST * (high - low));
  return SCR_OK;
}

scr_status curve_set_mean(const curve_set *self, curve_mean *out, scr_error *error)
{
  double scatter = json_number_value(json_object_get(self->about, "scatter"));
  *out = (curve_mean){0};
  if (self->count == 0) return scr_fail(error, SCR_BAD_USAGE, NULL, "there is no specimen");
  scr_status status;
  if (self->count == 1)
    status = mean_of_one(self, scatter, out, error);
  else {
    band_curve curves[MEASURED_SPECIMENS];
    const double levels[] = {0.5};
    band all = {0};
    for (size_t i = 0; i < self->count; i++) curves[i] = (band_curve){self->curves[i].x, self->curves[i].y, self->curves[i].count};
    status = band_make(curves, self->count, levels, 1, CURVE_SET_POINTS, &all, error);
    if (status == SCR_OK) status = mean_of_many(self, &all, out, error);
    band_clear(&all);
  }
  if (status != SCR_OK) curve_mean_clear(out);
  return status;
}

/* ── shapes ── */

static json_t *numbers(const double *values, size_t count, size_t points)
{
  json_t *list = json_array();
  size_t kept = count < points ? count : points;
  for (size_t i = 0; list && i < kept; i++) {
    double value = values[kept > 1 ? i * (count - 1) / (kept - 1) : 0];
    json_array_append_new(list, isfinite(value) ? json_real(value) : json_null());
  }
  return list;
}

static json_t *band_json(const curve_mean *mean, size_t points)
{
  json_t *low = json_array(), *high = json_array(), *reached = json_array();
  size_t kept = mean->count < points ? mean->count : points;
  for (size_t i = 0; i < kept; i++) {
    size_t at = kept > 1 ? i * (mean->count - 1) / (kept - 1) : 0;
    double half = mean->scatter ? 1.6448536269514722 * mean->scatter[at] : 0;
    json_array_append_new(low, mean->scatter ? json_real(mean->y[at] - half) : json_null());
    json_array_append_new(high, mean->scatter ? json_real(mean->y[at] + half) : json_null());
    json_array_append_new(reached, json_integer(mean->reached[at]));
  }
  json_t *deviation = mean->scatter ? numbers(mean->scatter, mean->count, points) : json_null();
  return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "x", numbers(mean->x, mean->count, points), "mean",
                   numbers(mean->y, mean->count, points), "deviation", deviation, "low", low, "high", high, "reached", reached);
}

json_t *curve_set_json(const curve_set *self, size_t points)
{
  json_t *json = json_deep_copy(self->about), *curves = json_array(), *specimens = json_object_get(json, "specimens");
  scr_error error = {0};
  curve_mean mean;
  for (size_t i = 0; i < self->count; i++) {
    const curve_samples *of = &self->curves[i];
    json_t *label = json_incref(json_object_get(json_array_get(specimens, i), "label"));
    json_array_append_new(curves, json_pack("{s:o, s:o, s:o}", "label", label, "x", numbers(of->x, of->count, points), "y",
                                            numbers(of->y, of->count, points)));
  }
  bool made = curve_set_mean(self, &mean, &error) == SCR_OK;
  json_object_set_new(json, "curves", curves);
  json_object_set_new(json, "band", made ? band_json(&mean, points) : json_null());
  json_object_set_new(json, "band_reason", made ? json_null() : json_string(error.message));
  if (made) curve_mean_clear(&mean);
  return json;
}

static json_t *column_json(const measured_column *of, size_t number)
{
  bool any = of->count > 0;
  return json_pack("{s:I, s:s, s:s, s:s, s:f, s:I, s:o, s:o}", "number", (json_int_t)number, "name", of->name, "written", of->written,
                   "unit", of->unit, "factor", of->factor, "count", (json_int_t)of->count, "low", any ? json_real(of->low) : json_null(),
                   "high", any ? json_real(of->high) : json_null());
}

json_t *measured_table_json(const measured_table *table, size_t rows)
{
  json_t *columns = json_array(), *first = json_array();
  size_t x, y;
  for (size_t c = 0; c < table->column_count; c++) json_array_append_new(columns, column_json(&table->columns[c], c + 1));
  for (size_t r = 0; r < table->row_count && r < rows; r++)
    json_array_append_new(first, numbers(table->values + r * table->column_count, table->column_count, table->column_count));
  json_t *suggested =
      measured_suggest(table, &x, &y) ? json_pack("{s:I, s:I}", "x", (json_int_t)x + 1, "y", (json_int_t)y + 1) : json_null();
  return json_pack("{s:s, s:s, s:s, s:I, s:I, s:o, s:o, s:o}", "how", table->how, "separator", measured_separator_name(table->separator),
                   "decimal", measured_decimal_name(table->decimal), "rows", (json_int_t)table->row_count, "first_line",
                   (json_int_t)table->first_line, "columns", columns, "first_rows", first, "suggested", suggested);
}
