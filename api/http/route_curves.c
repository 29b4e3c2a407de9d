/* Curves of a job: JSON, CSV or the main plot, as Accept says. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "api/http/recorded.h"
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

/* Written straight to text: a tree of every number of a long run would take many times its memory. NULL: no memory. */
static char *json_of(const scr_curves *curves, uint64_t last_seq, size_t *length)
{
  char *text = NULL;
  json_t *series = series_json(curves);
  char *series_text = series ? json_dumps(series, JSON_COMPACT) : NULL;
  json_decref(series);
  FILE *out = series_text ? open_memstream(&text, length) : NULL;
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
  return text;
}

static http_reply curves_json(const http_request *request, scr_recording *recording, uint64_t after)
{
  static const scr_curves none;
  scr_error error = {0};
  scr_curves *curves = NULL;
  char *text = NULL;
  size_t length = 0;
  /* The reader sees nothing newer than at its last refresh, so this count and the samples belong together. */
  uint64_t last_seq = recording ? scr_recording_count(recording) : 0;
  scr_status status = recording ? scr_curves_read(recording, after, &curves, &error) : SCR_OK;
  if (status == SCR_OK) text = json_of(curves ? curves : &none, last_seq, &length);
  scr_curves_destroy(curves);
  return recorded_text(request, status, &error, "application/json", text, length);
}

/* Empty while nothing is recorded: what curves there will be is not known yet. */
static http_reply curves_csv(const http_request *request, scr_recording *recording, uint64_t after)
{
  static const char type[] = "text/csv; charset=utf-8";
  scr_error error = {0};
  scr_curves *curves = NULL;
  char *text = NULL;
  size_t length = 0;
  if (!recording) return reply_static(200, type, "", 0);
  scr_status status = scr_curves_read(recording, after, &curves, &error);
  if (status == SCR_OK) status = scr_curves_csv(curves, &text, &length, &error);
  scr_curves_destroy(curves);
  return recorded_text(request, status, &error, type, text, length);
}

static http_reply curves_plot(const http_request *request, scr_recording *recording, uint64_t after)
{
  (void)after; /* the plot is of all samples */
  scr_error error = {0};
  char *text = NULL;
  size_t length = 0;
  if (!recording || scr_recording_newest(recording, 1u << SCR_RECORD_CURVE) == 0)
    return problem_reply(request, PROBLEM_NOT_FOUND, "nothing is recorded yet, so there is nothing to plot");
  scr_status status = scr_recording_plot_svg(recording, 0, &text, &length, &error);
  return recorded_text(request, status, &error, "image/svg+xml", text, length);
}

http_reply route_curves(const http_request *request)
{
  static const recorded_form forms[] = {{"application/json", curves_json}, {"text/csv", curves_csv}, {"image/svg+xml", curves_plot}};
  return recorded_reply(request, forms, 3, "curves come as application/json, text/csv or image/svg+xml");
}
