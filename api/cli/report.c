/* Reports made from the API's JSON shapes. */
#include "api/cli/report.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "api/cli/console.h"
#include "api/cli/scene_source.h"
#include "base/quantity.h"
#include "record/headlines.h"
#include "api/shapes/job_json.h"

const char *report_text(const json_t *object, const char *key)
{
  const char *text = json_string_value(json_object_get(object, key));
  return text ? text : "";
}

double report_number(const json_t *object, const char *key)
{
  const json_t *value = json_object_get(object, key);
  return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

void report_errors(const json_t *errors, FILE *out)
{
  for (size_t i = 0; i < json_array_size(errors); i++) {
    const json_t *error = json_array_get(errors, i);
    const char *pointer = report_text(error, "pointer");
    fprintf(out, "  %s: %s\n", *pointer ? pointer : "(the whole scene)", report_text(error, "detail"));
  }
}

void report_warnings(const json_t *warnings, FILE *out)
{
  size_t count = json_array_size(warnings);
  if (count == 0) return;
  fprintf(out, "%zu warning%s:\n", count, count == 1 ? "" : "s");
  report_errors(warnings, out);
}

static void estimate_line(const json_t *estimate, const char *label, const char *key, const char *unit, FILE *out)
{
  char text[48];
  double value = report_number(estimate, key);
  if (unit)
    quantity_text(value, unit, text, sizeof text);
  else
    quantity_count(value, text, sizeof text);
  fprintf(out, "  %-10s %s", label, text);
}

/* What the run is made of, as its method names it. */
static void report_counts(const json_t *counts, FILE *out)
{
  for (size_t k = 0; k < json_array_size(counts); k++) {
    const json_t *count = json_array_get(counts, k);
    char text[48];
    quantity_count(report_number(count, "value"), text, sizeof text);
    const char *label = report_text(count, "label");
    fprintf(out, "  %c%-9s %s\n", tolower((unsigned char)label[0]), label[0] ? label + 1 : "", text);
  }
}

void report_costs(const json_t *costs, FILE *out)
{
  double whole = 0;
  for (size_t k = 0; k < json_array_size(costs); k++) whole += report_number(json_array_get(costs, k), "seconds");
  for (size_t k = 0; k < json_array_size(costs) && whole >= 1; k++) {
    const json_t *cost = json_array_get(costs, k);
    double share = report_number(cost, "seconds") / whole;
    if (share >= 0.1) fprintf(out, "  %-10s %3.0f %% %s\n", "", 100 * share, report_text(cost, "what"));
  }
}

void report_estimate(const json_t *estimate, FILE *out)
{
  char span[48];
  report_counts(json_object_get(estimate, "counts"), out);
  estimate_line(estimate, "memory", "memory_bytes", "B", out);
  fputc('\n', out);
  estimate_line(estimate, "time step", "time_step", "s", out);
  fprintf(out, " (bound: %s)\n", report_text(estimate, "time_step_rule"));
  estimate_line(estimate, "steps", "step_count", NULL, out);
  fputc('\n', out);
  estimate_line(estimate, "frames", "frame_count", NULL, out);
  fputc('\n', out);
  estimate_line(estimate, "recording", "record_bytes", "B", out);
  fputs(" at most", out);
  quantity_span(report_number(estimate, "run_seconds"), span, sizeof span);
  fprintf(out, "\n  %-10s %s%s on one thread\n", "run time", strncmp(span, "under", 5) == 0 ? "" : "about ", span);
}

bool report_has_doubts(const json_t *job)
{
  return json_array_size(json_object_get(job, "doubts")) > 0;
}

static bool has_damage(const json_t *job)
{
  return json_is_object(json_object_get(job, "damage"));
}

const char *report_state(const json_t *job)
{
  const char *state = report_text(job, "state");
  if (has_damage(job))
    return *state == 's' ? "succeeded, damaged since" : *state == 'f' ? "failed, damaged since" : "cancelled, damaged since";
  return strcmp(state, "succeeded") == 0 && report_has_doubts(job) ? "succeeded, with doubts" : state;
}

void report_doubts(const json_t *job, FILE *out)
{
  const json_t *doubts = json_object_get(job, "doubts");
  for (size_t i = 0; i < json_array_size(doubts); i++) {
    const json_t *doubt = json_array_get(doubts, i);
    fprintf(out, "  doubt (%s): %s\n", report_text(doubt, "kind"), report_text(doubt, "message"));
  }
}

void report_headline(const scr_headline *headline, char *label, char *value, size_t capacity)
{
  snprintf(label, sizeof headline->label, "%s", headline->label);
  /* An acronym keeps its capitals. */
  if (label[0] && !isupper((unsigned char)label[1])) label[0] = (char)tolower((unsigned char)label[0]);
  if (strcmp(headline->unit, "1") == 0)
    quantity_count(headline->value, value, capacity);
  else
    quantity_text(headline->value, headline->unit, value, capacity);
}

size_t report_headlines_of(const json_t *progress, scr_headline *headlines)
{
  return headlines_take_list(json_object_get(progress, "headlines"), headlines);
}

void report_headlines(const scr_headline *headlines, size_t count, FILE *out)
{
  for (size_t k = 0; k < count; k++) {
    char label[sizeof headlines->label], value[QUANTITY_BYTES];
    if (!isfinite(headlines[k].value)) continue;
    report_headline(&headlines[k], label, value, sizeof value);
    fprintf(out, "%s %s, ", label, value);
  }
}

void report_job(const json_t *job, FILE *out)
{
  const json_t *progress = json_object_get(job, "progress");
  char sim_time[32], span[32];
  scr_headline headlines[SCR_HEADLINE_LIMIT];
  fprintf(out, "job %lld %s", (long long)json_integer_value(json_object_get(job, "id")), report_state(job));
  if (json_is_true(json_object_get(job, "cancel_requested")) && !json_is_string(json_object_get(job, "ended")))
    fputs(", being cancelled", out);
  if (json_is_object(progress)) {
    quantity_text(report_number(progress, "sim_time"), "s", sim_time, sizeof sim_time);
    quantity_span(report_number(progress, "run_seconds"), span, sizeof span);
    fputs(": ", out);
    size_t count = report_headlines_of(progress, headlines);
    report_headlines(headlines, count, out);
    fprintf(out, "%s simulated in %s", sim_time, span);
  }
  const char *error = report_text(job, "error");
  fprintf(out, "%s%s\n", *error ? "; " : "", error);
  json_t *tags = json_object_get(job, "tags");
  for (void *tag = json_object_iter(tags); tag; tag = json_object_iter_next(tags, tag))
    fprintf(out, "  tag %s: %s\n", json_object_iter_key(tag), report_text(tags, json_object_iter_key(tag)));
  if (*report_text(job, "user")) fprintf(out, "  user: %s\n", report_text(job, "user"));
  const char *notes = report_text(job, "notes"), *waiting = report_text(job, "waiting");
  if (*notes) fprintf(out, "  notes: %s\n", notes);
  if (*waiting) fprintf(out, "  waits: %s\n", waiting);
  report_doubts(job, out);
  if (!has_damage(job)) return;
  const json_t *damage = json_object_get(job, "damage");
  fprintf(out, "  its recording is damaged (found %s): %s\n", report_text(damage, "found"), report_text(damage, "message"));
}

cli_exit report_refusal(const cli_call *call, const scr_problems *problems, FILE *out)
{
  json_t *errors = problems_json(problems);
  if (call->json) return console_json(json_pack("{s:b, s:o}", "valid", 0, "errors", errors), CLI_REFUSED);
  fprintf(out, "The scene is refused, for %zu reason%s%s:\n", problems->count, problems->count == 1 ? "" : "s",
          problems->truncated ? " and more" : "");
  report_errors(errors, out);
  json_decref(errors);
  return out == stdout ? console_flush(CLI_REFUSED) : CLI_REFUSED;
}

cli_exit report_parse(const cli_call *call, const char *text, size_t length, const scr_asset_source *files, FILE *out, scr_scene **scene)
{
  scr_problems problems = {0};
  scr_status status = scr_scene_parse_with(text, length, NULL, files, scene, &problems);
  cli_exit code = CLI_DONE;
  if (status == SCR_BAD_SCENE)
    code = report_refusal(call, &problems, out);
  else if (status != SCR_OK)
    code = console_fail(call, CLI_FAILED, "checking the scene failed: %s", scr_status_name(status));
  scr_problems_clear(&problems);
  return code;
}

cli_exit report_scene(const cli_call *call, cli_exit (*answer)(const cli_call *call, const scr_scene *scene))
{
  scene_source source;
  scr_scene *scene = NULL;
  cli_exit code = scene_source_read(call, call->words[0], &source);
  scr_asset_source files = scene_source_files(&source);
  if (code == CLI_DONE) code = report_parse(call, source.text, source.length, &files, stdout, &scene);
  if (code == CLI_DONE) code = answer(call, scene);
  scr_scene_destroy(scene);
  scene_source_clear(&source);
  return code;
}
