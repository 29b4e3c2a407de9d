/* Curves of a job: JSON, CSV or the main plot, as Accept says. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "api/http/accept.h"
#include "api/http/readers.h"
#include "api/http/reply.h"
#include "api/http/router.h"
#include "api/shapes/json_text.h"

static json_t *series_json(const scr_curves *curves)
{
  json_t *list = json_array();
  for (size_t i = 0; i < curves->series_count; i++) {
    const scr_series *s = &curves->series[i];
    if (json_array_append_new(
            list, json_pack("{s:o, s:o, s:o}", "name", json_text(s->name), "unit", json_text(s->unit), "label", json_text(s->label))) != 0)
      break;
  }
  return list;
}

static void write_samples(FILE *out, const scr_curves *curves)
{
  for (size_t row = 0; row < curves->sample_count; row++) {
    const double *values = curves->values + row * curves->series_count;
    fputs(row ? ",[" : "[", out);
    for (size_t i = 0; i < curves->series_count; i++) {
      if (i) fputc(',', out);
      if (isfinite(values[i]))
        fprintf(out, "%.17g", values[i]);
      else
        fputs("null", out);
    }
    fputc(']', out);
  }
}

/* Written straight to text: a tree of every number of a long run would take many times its memory. */
static http_reply curves_json(const scr_curves *curves, uint64_t last_seq)
{
  char *text = NULL;
  size_t length = 0;
  json_t *series = series_json(curves);
  char *series_text = series ? json_dumps(series, JSON_COMPACT) : NULL;
  json_decref(series);
  FILE *out = series_text ? open_memstream(&text, &length) : NULL;
  if (out) {
    fprintf(out, "{\"series\":%s,\"samples\":[", series_text);
    write_samples(out, curves);
    fprintf(out, "],\"last_seq\":%llu}", (unsigned long long)last_seq);
    bool failed = ferror(out) != 0;
    if (fclose(out) != 0 || failed) {
      free(text);
      text = NULL;
    }
  }
  free(series_text);
  return reply_text(200, "application/json", text, length);
}

static http_reply failed(const http_request *request, const scr_error *error)
{
  return problem_reply(request, PROBLEM_FAILED, "%s", error->message);
}

static http_reply curves_as(const http_request *request, scr_recording *recording, int type, uint64_t after)
{
  static const scr_curves none;
  scr_error error = {0};
  scr_curves *curves = NULL;
  /* The reader sees nothing newer than at its last refresh, so this count and the samples belong together. */
  uint64_t last_seq = recording ? scr_recording_count(recording) : 0;
  if (recording && scr_curves_read(recording, after, &curves, &error) != SCR_OK) return failed(request, &error);
  http_reply reply;
  if (type == 0) {
    reply = curves_json(curves ? curves : &none, last_seq);
  } else {
    char *text = NULL;
    size_t length = 0;
    if (curves && scr_curves_csv(curves, &text, &length, &error) != SCR_OK)
      reply = failed(request, &error);
    else
      reply = text ? reply_text(200, "text/csv; charset=utf-8", text, length) : reply_static(200, "text/csv; charset=utf-8", "", 0);
  }
  scr_curves_destroy(curves);
  return reply;
}

static http_reply plot(const http_request *request, scr_recording *recording)
{
  scr_error error = {0};
  char *text = NULL;
  size_t length = 0;
  if (!recording || scr_recording_newest(recording, 1u << SCR_RECORD_CURVE) == 0)
    return problem_reply(request, PROBLEM_NOT_FOUND, "nothing is recorded yet, so there is nothing to plot");
  if (scr_recording_plot_svg(recording, 0, &text, &length, &error) != SCR_OK) return failed(request, &error);
  return reply_text(200, "image/svg+xml", text, length);
}

http_reply route_curves(const http_request *request)
{
  static const char *const types[] = {"application/json", "text/csv", "image/svg+xml"};
  scr_error error = {0};
  long long after = 0;
  const char *after_text = http_request_query(request, "after");
  if (after_text && !http_number_parse(after_text, &after))
    return problem_reply(request, PROBLEM_BAD_REQUEST, "the parameter after is '%.60s'; it must be a whole number >= 0", after_text);
  scr_recording *recording = NULL;
  int64_t id = http_request_job(request);
  lab_status status = readers_take(request->front->readers, request->front->lab, id, &recording, &error);
  if (status != LAB_OK) return problem_reply_lab(request, status, &error);
  int type = http_accept_choose(http_request_header(request, MHD_HTTP_HEADER_ACCEPT), types, 3);
  http_reply reply;
  if (type < 0)
    reply = problem_reply(request, PROBLEM_NOT_ACCEPTABLE, "curves come as application/json, text/csv or image/svg+xml");
  else if (type == 2)
    reply = plot(request, recording);
  else
    reply = curves_as(request, recording, type, (uint64_t)after);
  readers_give(request->front->readers, id, recording);
  reply_header(&reply, MHD_HTTP_HEADER_VARY, "Accept");
  return reply;
}
