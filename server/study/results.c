/* Reads the samples of the curves that a study's results name, record by record, and evaluates the results one after another. */
#include "server/study/results.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/suggest.h"

enum { CURVE_MASK = 1u << SCR_RECORD_CURVE, NAMED_LIMIT = 64 };

/* A curve that is named: its column in the recording, and its samples. */
typedef struct named_curve {
  const char *name; /* of the series */
  size_t column;
  double *values;
} named_curve;

typedef struct run_values {
  const results_request *request;
  scr_curves *about; /* the series, without samples */
  named_curve curves[NAMED_LIMIT];
  size_t curve_count; /* the first is the time */
  size_t sample_count, capacity;
  scr_table *tables;
  size_t table_count;
  scr_end end;
} run_values;

/* ── reading ── */

static bool is_named(const results_request *request, const char *name)
{
  expression_name_kind kind;
  const char *found;
  for (size_t i = 0; i < request->result_count; i++)
    for (size_t k = 0; (found = expression_name(request->results[i].expression, k, &kind)) != NULL; k++)
      if (kind == EXPRESSION_VALUE && strcmp(found, name) == 0) return true;
  return false;
}

static bool names_table(const results_request *request)
{
  expression_name_kind kind;
  for (size_t i = 0; i < request->result_count; i++)
    for (size_t k = 0; expression_name(request->results[i].expression, k, &kind); k++)
      if (kind == EXPRESSION_TABLE) return true;
  return false;
}

static void choose_curves(run_values *run)
{
  for (size_t i = 0; i < run->about->series_count && run->curve_count < NAMED_LIMIT; i++)
    if (i == 0 || is_named(run->request, run->about->series[i].name))
      run->curves[run->curve_count++] = (named_curve){.name = run->about->series[i].name, .column = i};
}

static scr_status make_capacity(run_values *run, size_t needed, scr_error *error)
{
  if (needed <= run->capacity) return SCR_OK;
  size_t capacity = run->capacity ? run->capacity : 256;
  while (capacity < needed) capacity *= 2;
  if (capacity > STUDY_RESULT_BYTES / sizeof(double) / run->curve_count)
    return scr_fail(error, SCR_BAD_FILE, NULL,
                    "the %zu curves that the results name have more samples than %d MB hold: record fewer samples, or name fewer curves",
                    run->curve_count, STUDY_RESULT_BYTES >> 20);
  for (size_t i = 0; i < run->curve_count; i++) {
    double *grown = realloc(run->curves[i].values, capacity * sizeof *grown);
    if (!grown) return scr_fail_memory(error, "the curves of a result", capacity * sizeof *grown);
    run->curves[i].values = grown;
  }
  run->capacity = capacity;
  return SCR_OK;
}

static scr_status read_samples(run_values *run, scr_recording *recording, scr_error *error)
{
  size_t width = run->about->series_count, count;
  double *values;
  for (uint64_t seq = 0; (seq = scr_recording_next(recording, seq, CURVE_MASK)) != 0;) {
    SCR_TRY(scr_samples_read(recording, seq, width, &values, &count, error));
    scr_status status = make_capacity(run, run->sample_count + count, error);
    for (size_t k = 0; status == SCR_OK && k < run->curve_count; k++)
      for (size_t i = 0; i < count; i++) run->curves[k].values[run->sample_count + i] = values[i * width + run->curves[k].column];
    scr_free(values);
    SCR_TRY(status);
    run->sample_count += count;
  }
  return SCR_OK;
}

/* The build that stands in the recording's first record. */
static scr_status read_build(scr_recording *recording, char build[64], scr_error *error)
{
  uint64_t seq = scr_recording_next(recording, 0, 1u << SCR_RECORD_SCENE);
  const scr_record_header *header = seq ? scr_recording_header(recording, seq) : NULL;
  build[0] = '\0';
  if (!header) return SCR_OK;
  size_t bytes = SCR_RECORD_BYTES(header->size), size = header->size;
  char *record = mem_array(bytes, 1);
  if (!record) return scr_fail_memory(error, "a recording's scene", bytes);
  scr_status status = scr_recording_read(recording, seq, record, bytes, error);
  json_t *scene = status == SCR_OK ? json_loadb(record + sizeof *header, size, 0, NULL) : NULL;
  const char *said = json_string_value(json_object_get(scene, "build"));
  snprintf(build, 64, "%s", said ? said : "");
  json_decref(scene);
  mem_free(record);
  return status;
}

static scr_status read_run(run_values *run, scr_recording *recording, bool *same_build, scr_error *error)
{
  char build[64];
  SCR_TRY(read_build(recording, build, error));
  *same_build = !run->request->build || strcmp(build, run->request->build) == 0;
  if (!*same_build) return SCR_OK;
  SCR_TRY(scr_recording_end(recording, &run->end, error));
  SCR_TRY(scr_curves_read(recording, UINT64_MAX - 1, &run->about, error));
  if (names_table(run->request)) SCR_TRY(scr_tables_list(recording, &run->tables, &run->table_count, error));
  choose_curves(run);
  return run->curve_count ? read_samples(run, recording, error) : SCR_OK;
}

static void clear(run_values *run)
{
  for (size_t i = 0; i < run->curve_count; i++) free(run->curves[i].values);
  scr_tables_destroy(run->tables, run->table_count);
  scr_curves_destroy(run->about);
}

/* ── names ── */

enum { OWN_NUMBERS = 6, OWN_NAMES = 8 };
static const char *const own_names[OWN_NAMES] = {"pi", "doubts", "steps", "end_time", "run_seconds", "samples", "stop_reason", "state"};

/* OWN_NAMES: it is none of them. */
static size_t own_place(const char *name)
{
  size_t place = 0;
  while (place < OWN_NAMES && strcmp(own_names[place], name) != 0) place++;
  return place;
}

bool results_is_own_name(const char *name)
{
  return own_place(name) < OWN_NAMES;
}

static expression_found find_own(const run_values *run, const char *name, double *number, const char **text)
{
  const lab_job *job = run->request->job;
  const double numbers[OWN_NUMBERS] = {3.14159265358979323846, (double)job->doubt_count,  (double)run->end.step,
                                       run->end.sim_time,      job->progress.run_seconds, (double)run->end.samples};
  const char *const texts[OWN_NAMES - OWN_NUMBERS] = {run->end.message, lab_job_state_name(job->state)};
  size_t place = own_place(name);
  if (place == OWN_NAMES) return EXPRESSION_UNKNOWN;
  if (place < OWN_NUMBERS) {
    *number = numbers[place];
    return EXPRESSION_NUMBER;
  }
  *text = texts[place - OWN_NUMBERS];
  return EXPRESSION_TEXT;
}

/* A factor comes before a curve of the same name: it is the study that names it. */
static expression_found find_value(const run_values *run, const char *name, double *number, const double **curve, const char **text)
{
  const json_t *factor = json_object_get(run->request->factors, name);
  if (json_is_number(factor)) {
    *number = json_number_value(factor);
    return EXPRESSION_NUMBER;
  }
  if (json_is_string(factor)) {
    *text = json_string_value(factor);
    return EXPRESSION_TEXT;
  }
  for (size_t i = 0; i < run->curve_count; i++)
    if (strcmp(run->curves[i].name, name) == 0) {
      static const double none[1];
      *curve = run->curves[i].values ? run->curves[i].values : none;
      return EXPRESSION_CURVE;
    }
  return find_own(run, name, number, text);
}

static expression_found find(void *user, expression_name_kind kind, const char *name, double *number, const double **curve,
                             const char **text)
{
  const run_values *run = user;
  if (kind == EXPRESSION_VALUE) return find_value(run, name, number, curve, text);
  if (kind == EXPRESSION_HEADLINE) {
    for (size_t i = 0; i < run->end.headline_count; i++)
      if (strcmp(run->end.headlines[i].name, name) == 0 || strcmp(run->end.headlines[i].label, name) == 0) {
        *number = run->end.headlines[i].value;
        return EXPRESSION_NUMBER;
      }
    return EXPRESSION_UNKNOWN;
  }
  for (size_t i = 0; i < run->table_count; i++)
    if (strcmp(run->tables[i].name, name) == 0) {
      *number = (double)run->tables[i].row_count;
      return EXPRESSION_NUMBER;
    }
  return EXPRESSION_UNKNOWN;
}

/* "did you mean", or the first of those there are. */
static void suggest(void *user, expression_name_kind kind, const char *name, char *text, size_t capacity)
{
  const run_values *run = user;
  const char *names[512];
  size_t count = 0;
  if (kind == EXPRESSION_VALUE)
    for (size_t i = 0; run->about && i < run->about->series_count && count < 512; i++) names[count++] = run->about->series[i].name;
  if (kind == EXPRESSION_HEADLINE)
    for (size_t i = 0; i < run->end.headline_count; i++) names[count++] = run->end.headlines[i].name;
  if (kind == EXPRESSION_TABLE)
    for (size_t i = 0; i < run->table_count && count < 512; i++) names[count++] = run->tables[i].name;
  suggestion nearest = suggestion_start(name);
  for (size_t i = 0; i < count; i++) suggestion_consider(&nearest, names[i]);
  if (nearest.best) {
    snprintf(text, capacity, "is '%s' meant?", nearest.best);
    return;
  }
  snprintf(text, capacity, "%s", count ? "there are " : "");
  for (size_t i = 0; i < count && strlen(text) + 80 < capacity; i++)
    snprintf(text + strlen(text), capacity - strlen(text), "%s%s", i ? ", " : "", names[i]);
}

static expression_source source_of(const run_values *run)
{
  return (expression_source){.sample_count = run->sample_count,
                             .time = run->curve_count ? run->curves[0].values : NULL,
                             .find = find,
                             .suggest = suggest,
                             .user = (void *)(uintptr_t)run};
}

/* ── results ── */

static scr_status evaluate_all(const run_values *run, json_t *values, json_t *reasons)
{
  assert(run != NULL && run->request != NULL);
  const results_request *request = run->request;
  expression_source source = source_of(run);
  for (size_t i = 0; i < request->result_count; i++) {
    const study_result *result = &request->results[i];
    expression_value value;
    scr_error why = {0};
    scr_status status = expression_evaluate(result->expression, &source, &value, &why);
    if (status == SCR_NO_MEMORY) return status;
    json_t *shown = status != SCR_OK ? json_null() : value.is_text ? json_string(value.text) : json_real(value.number);
    if (!shown) shown = json_null(); /* a text that is no UTF-8 */
    if (json_object_set_new(values, result->name, shown) != 0) return SCR_NO_MEMORY;
    if (status != SCR_OK && json_object_set_new(reasons, result->name, json_string(why.message)) != 0) return SCR_NO_MEMORY;
  }
  return SCR_OK;
}

/* The values of one of two expressions, thinned. */
static scr_status thinned(const run_values *run, size_t number, size_t limit, double **values, size_t *count, scr_error *error)
{
  expression_source source = source_of(run);
  double *all = malloc((run->sample_count + 1) * sizeof *all);
  if (!all) return scr_fail_memory(error, "a curve of an ensemble", run->sample_count * sizeof *all);
  scr_status status = expression_evaluate_curve(run->request->results[number].expression, &source, all, error);
  *count = run->sample_count < limit ? run->sample_count : limit;
  for (size_t i = 0; i < *count; i++) all[i] = all[*count > 1 ? i * (run->sample_count - 1) / (*count - 1) : 0];
  if (status != SCR_OK) free(all);
  *values = status == SCR_OK ? all : NULL;
  return status;
}

void results_pair_clear(results_pair *pair)
{
  free(pair->x);
  free(pair->y);
  *pair = (results_pair){0};
}

/* Unit of a curve of the run. A factor of the same name hides it. */
static const char *unit_of(void *user, const char *name)
{
  const run_values *run = user;
  if (json_object_get(run->request->factors, name)) return NULL;
  for (size_t i = 0; i < run->about->series_count; i++)
    if (strcmp(run->about->series[i].name, name) == 0) return run->about->series[i].unit;
  return NULL;
}

static scr_status open_run(const results_request *request, scr_recording **recording, run_values **run, bool *same_build, scr_error *error)
{
  *recording = NULL;
  *run = NULL;
  SCR_TRY(scr_recording_open(request->recording, recording, error));
  *run = calloc(1, sizeof **run);
  if (!*run) return scr_fail_memory(error, "the values of a run", sizeof **run);
  (*run)->request = request;
  return read_run(*run, *recording, same_build, error);
}

static void close_run(scr_recording *recording, run_values *run)
{
  if (run) clear(run);
  free(run);
  scr_recording_close(recording);
}

scr_status results_curve(const results_request *request, size_t limit, results_pair *out, scr_error *error)
{
  scr_recording *recording;
  run_values *run;
  bool same_build;
  *out = (results_pair){0};
  scr_status status = open_run(request, &recording, &run, &same_build, error);
  if (status == SCR_OK) status = thinned(run, 0, limit, &out->x, &out->count, error);
  if (status == SCR_OK) status = thinned(run, 1, limit, &out->y, &out->count, error);
  if (status == SCR_OK) {
    (void)expression_unit(request->results[0].expression, unit_of, run, out->x_unit);
    (void)expression_unit(request->results[1].expression, unit_of, run, out->y_unit);
  } else
    results_pair_clear(out);
  close_run(recording, run);
  return status;
}

scr_status results_unit(const results_request *request, char unit[static EXPRESSION_UNIT_BYTES], scr_error *error)
{
  scr_recording *recording;
  run_values *run;
  bool same_build;
  scr_status status = open_run(request, &recording, &run, &same_build, error);
  unit[0] = 0;
  if (status == SCR_OK) (void)expression_unit(request->results[0].expression, unit_of, run, unit);
  close_run(recording, run);
  return status;
}

scr_status results_evaluate(const results_request *request, results_answer *answer, scr_error *error)
{
  *answer = (results_answer){.same_build = true};
  scr_recording *recording;
  run_values *run;
  scr_status status = open_run(request, &recording, &run, &answer->same_build, error);
  if (status == SCR_OK && answer->same_build) {
    json_t *values = json_object(), *reasons = json_object();
    status = values && reasons ? evaluate_all(run, values, reasons) : SCR_NO_MEMORY;
    json_t *whole = json_pack("{s:o, s:o}", "values", values, "reasons", reasons);
    if (status == SCR_OK) answer->text = json_dumps(whole, JSON_COMPACT | JSON_REAL_PRECISION(17));
    if (!answer->text) status = scr_fail(error, SCR_NO_MEMORY, NULL, "no memory for the results of a run");
    json_decref(whole);
  }
  close_run(recording, run);
  return status;
}
