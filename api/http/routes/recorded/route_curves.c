/* Curves of a job: JSON, CSV or the main plot, as Accept says. JSON and CSV are made a record at a time while they are sent; what is asked
 * for by series, from, to and max_points is counted in a first pass, which also finds damaged records before the first byte is sent. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/http/parse/query.h"
#include "api/http/routes/recorded/recorded.h"
#include "api/http/answer/reply.h"
#include "api/http/router.h"
#include "api/http/answer/text_stream.h"
#include "api/http/answer/thinning.h"
#include "api/shapes/json_text.h"

enum { curve_mask = 1u << SCR_RECORD_CURVE, most_points = 10000000 };

typedef struct curve_stream {
  http_readers *readers;
  http_reader reader;
  scr_curves *about; /* the series, without samples; NULL while nothing is recorded */
  size_t *columns;   /* [column_count] of the series, in the order asked for */
  size_t column_count;
  double *row; /* [column_count] */
  double from, to;
  uint64_t seq, last_seq; /* records up to `seq` are sent */
  uint64_t samples;       /* that fit */
  long long max_points;   /* 0: all */
  thinning *thinning;     /* NULL: all samples stay */
  bool csv, begun, any;
  FILE *out; /* of the piece being made */
} curve_stream;

static void end_stream(void *user)
{
  curve_stream *self = user;
  readers_give(self->readers, &self->reader);
  scr_curves_destroy(self->about);
  thinning_destroy(self->thinning);
  free(self->columns);
  free(self->row);
  free(self);
}

/* ── what is asked for ── */

static long find_series(const scr_curves *about, const char *name, size_t length)
{
  for (size_t i = 0; i < about->series_count; i++)
    if (strlen(about->series[i].name) == length && memcmp(about->series[i].name, name, length) == 0) return (long)i;
  return -1;
}

/* The columns of `series=a,b`: the time comes first whether it is named or not. */
static void choose_columns(const http_request *request, curve_stream *self, scr_problems *problems)
{
  const char *names = http_request_query(request, "series");
  size_t all = self->about->series_count;
  if (!names) {
    for (self->column_count = 0; self->column_count < all; self->column_count++) self->columns[self->column_count] = self->column_count;
    return;
  }
  self->columns[self->column_count++] = 0;
  while (*names) {
    size_t length = strcspn(names, ",");
    long found = find_series(self->about, names, length);
    bool twice = false;
    for (size_t i = 0; i < self->column_count; i++) twice = twice || (long)self->columns[i] == found;
    if (found < 0)
      (void)scr_problems_add(
          problems, "series", names, "names of this job's series, separated by commas",
          "the parameter series names '%.*s', which this job does not have; /api/v1/jobs/%lld/curves?max_points=2 lists its series",
          (int)(length < 80 ? length : 80), names, (long long)self->reader.id);
    else if (!twice)
      self->columns[self->column_count++] = (size_t)found;
    names += length + (names[length] == ',');
  }
}

static void query_time(const http_request *request, const char *name, double *value, scr_problems *problems)
{
  const char *text = http_request_query(request, name);
  if (!text) return;
  char *end;
  double number = strtod(text, &end);
  if (end != text && *end == '\0' && isfinite(number))
    *value = number;
  else
    (void)scr_problems_add(problems, name, text, "a number, in s", "the parameter %s is '%.60s'; it must be a number, in s", name, text);
}

static bool fits(const curve_stream *self, const double *values)
{
  return !(values[0] < self->from) && !(values[0] > self->to);
}

/* Counts the samples that fit, which reads and so checks every record. */
static scr_status count_samples(curve_stream *self, scr_error *error)
{
  size_t width = self->about->series_count;
  for (uint64_t seq = self->seq; (seq = scr_recording_next(self->reader.recording, seq, curve_mask)) != 0;) {
    double *values;
    size_t count;
    scr_status status = scr_samples_read(self->reader.recording, seq, width, &values, &count, error);
    if (status != SCR_OK) return status;
    for (size_t i = 0; i < count; i++) self->samples += fits(self, values + i * width);
    scr_free(values);
  }
  return SCR_OK;
}

/* ── writing ── */

static void write_value(const curve_stream *self, double value)
{
  if (self->csv || isfinite(value))
    fprintf(self->out, "%.17g", value);
  else
    fputs("null", self->out);
}

static void write_row(void *user, const double *row)
{
  curve_stream *self = user;
  if (!self->csv) fputs(self->any ? ",[" : "[", self->out);
  for (size_t i = 0; i < self->column_count; i++) {
    if (i) fputc(',', self->out);
    write_value(self, row[i]);
  }
  fputs(self->csv ? "\r\n" : "]", self->out);
  self->any = true;
}

static void write_heading(curve_stream *self)
{
  if (self->csv) {
    scr_series *series = calloc(self->column_count + 1, sizeof *series);
    char *text = NULL;
    size_t length = 0;
    for (size_t i = 0; series && i < self->column_count; i++) series[i] = self->about->series[self->columns[i]];
    scr_curves chosen = {.series_count = self->column_count, .series = series};
    if (series && self->about && scr_curves_csv(&chosen, &text, &length, NULL) == SCR_OK) fwrite(text, 1, length, self->out);
    scr_free(text);
    free(series);
    return;
  }
  fputs("{\"series\":[", self->out);
  for (size_t i = 0; i < self->column_count; i++) {
    const scr_series *s = &self->about->series[self->columns[i]];
    json_t *object = json_pack("{s:o, s:o, s:o}", "name", json_text(s->name), "unit", json_text(s->unit), "label", json_text(s->label));
    char *text = object ? json_dumps(object, JSON_COMPACT) : NULL;
    fprintf(self->out, "%s%s", i ? "," : "", text ? text : "{}");
    free(text);
    json_decref(object);
  }
  fputs("],\"samples\":[", self->out);
}

static void write_end(curve_stream *self)
{
  if (self->csv) return;
  fputs("],", self->out);
  if (self->thinning)
    fprintf(self->out, "\"decimated\":{\"samples\":%llu,\"max_points\":%lld},", (unsigned long long)self->samples, self->max_points);
  fprintf(self->out, "\"last_seq\":%llu}", (unsigned long long)self->last_seq);
}

static int next_piece(void *user, FILE *out)
{
  curve_stream *self = user;
  self->out = out;
  if (!self->begun) {
    write_heading(self);
    self->begun = true;
    return 1;
  }
  uint64_t seq = self->about ? scr_recording_next(self->reader.recording, self->seq, curve_mask) : 0;
  if (!seq) {
    write_end(self);
    return 0;
  }
  double *values;
  size_t count, width = self->about->series_count;
  if (scr_samples_read(self->reader.recording, seq, width, &values, &count, NULL) != SCR_OK) return -1;
  for (size_t i = 0; i < count; i++) {
    const double *from = values + i * width;
    if (!fits(self, from)) continue;
    for (size_t k = 0; k < self->column_count; k++) self->row[k] = from[self->columns[k]];
    if (self->thinning)
      thinning_add(self->thinning, self->row);
    else
      write_row(self, self->row);
  }
  scr_free(values);
  self->seq = seq;
  return 1;
}

/* ── the answer ── */

/* Reads what is asked for and counts. False: `reply` is the answer. */
static bool prepare(const http_request *request, curve_stream *self, http_reply *reply)
{
  scr_problems problems = {0};
  scr_error error = {0};
  query_number(request, "max_points", 2, most_points, &self->max_points, &problems);
  query_time(request, "from", &self->from, &problems);
  query_time(request, "to", &self->to, &problems);
  scr_status status = SCR_OK;
  if (self->reader.recording && problems.count == 0) {
    status = scr_curves_read(self->reader.recording, UINT64_MAX - 1, &self->about, &error); /* the series alone */
    if (status == SCR_OK) {
      self->columns = calloc(self->about->series_count + 2, sizeof *self->columns);
      self->row = calloc(self->about->series_count + 2, sizeof *self->row);
      if (!self->columns || !self->row) status = SCR_NO_MEMORY;
    }
    if (status == SCR_OK) choose_columns(request, self, &problems);
    if (status == SCR_OK && problems.count == 0) status = count_samples(self, &error);
  }
  if (status == SCR_OK && problems.count == 0 && self->max_points && self->samples > (uint64_t)self->max_points) {
    size_t least = thinning_least(self->column_count);
    size_t most = (size_t)self->max_points < least ? least : (size_t)self->max_points;
    self->max_points = (long long)most;
    if (self->samples > most) self->thinning = thinning_create(self->column_count, self->samples, most, write_row, self);
  }
  if (problems.count > 0)
    *reply = query_refused(request, &problems);
  else if (status != SCR_OK)
    *reply = recorded_failure(request, status, &error);
  else
    return true;
  return false;
}

static http_reply stream_of(const http_request *request, http_reader *reader, uint64_t after, bool csv)
{
  http_reply reply;
  curve_stream *self = calloc(1, sizeof *self);
  if (!self) return (http_reply){0};
  *self = (curve_stream){.readers = request->front->readers, .reader = *reader, .seq = after, .from = -DBL_MAX, .to = DBL_MAX, .csv = csv};
  /* The reader sees nothing newer than at its last refresh, so this count and the samples belong together. */
  self->last_seq = reader->recording ? scr_recording_count(reader->recording) : 0;
  reader->recording = NULL;
  if (!prepare(request, self, &reply)) {
    end_stream(self);
    return reply;
  }
  char note[120] = "";
  if (self->thinning)
    snprintf(note, sizeof note, "%llu samples to at most %lld, keeping the extremes of every curve", (unsigned long long)self->samples,
             self->max_points);
  reply = text_stream_reply(csv ? "text/csv; charset=utf-8" : "application/json", next_piece, end_stream, self);
  if (note[0]) reply_header(&reply, "Scree-Decimated", note);
  return reply;
}

static http_reply curves_json(const http_request *request, http_reader *reader, uint64_t after)
{
  return stream_of(request, reader, after, false);
}

/* Empty while nothing is recorded: what curves there will be is not known yet. */
static http_reply curves_csv(const http_request *request, http_reader *reader, uint64_t after)
{
  return stream_of(request, reader, after, true);
}

static http_reply curves_plot(const http_request *request, http_reader *reader, uint64_t after)
{
  (void)after; /* the plot is of all samples */
  scr_error error = {0};
  char *text = NULL;
  size_t length = 0;
  if (!reader->recording || scr_recording_newest(reader->recording, curve_mask) == 0)
    return problem_reply(request, PROBLEM_NOT_FOUND, "nothing is recorded yet, so there is nothing to plot");
  scr_status status = scr_recording_plot_svg(reader->recording, 0, &text, &length, &error);
  return recorded_text(request, status, &error, "image/svg+xml", text, length);
}

http_reply route_curves(const http_request *request)
{
  static const recorded_form forms[] = {{"application/json", curves_json}, {"text/csv", curves_csv}, {"image/svg+xml", curves_plot}};
  return recorded_reply(request, forms, 3, "curves come as application/json, text/csv or image/svg+xml");
}
