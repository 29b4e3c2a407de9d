/* `scree study`: studies of a server; what is varied, repeated and compared. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/cli/commands/commands.h"
#include "api/cli/console.h"
#include "api/cli/interrupt.h"
#include "api/cli/report.h"
#include "api/cli/scene_source.h"
#include "api/cli/server_job.h"
#include "api/cli/study/study_new.h"
#include "api/cli/study/study_plot.h"
#include "api/cli/user_name.h"
#include "base/quantity.h"

/* ── sending ── */

/* A study of the gallery's is asked of the server; what else there is is a file, or stdin. */
static cli_exit read_study(const cli_call *call, http_client *client, const char *word, scene_source *source)
{
  if (strncmp(word, "gallery:", 8) != 0) return scene_source_read(call, word, source);
  http_answer answer;
  *source = (scene_source){0};
  cli_exit code = http_expect(call, client, &(http_call){.path = "/api/v1/gallery/studies"}, &answer);
  const json_t *list = code == CLI_DONE ? json_object_get(answer.json, "studies") : NULL;
  for (size_t i = 0; i < json_array_size(list) && !source->text; i++)
    if (strcmp(report_text(json_array_get(list, i), "name"), word + 8) == 0)
      source->text = json_dumps(json_object_get(json_array_get(list, i), "study"), CONSOLE_JSON_FLAGS);
  if (source->text) source->length = strlen(source->text);
  if (code == CLI_DONE && !source->text)
    code = console_fail(call, CLI_BAD_USAGE, "the gallery has no study '%.60s'; `scree study gallery%s` lists them", word + 8,
                        console_hint_server(call).text);
  http_answer_clear(&answer);
  return code;
}

static void print_quantity(const json_t *from, const char *key, const char *label, const char *unit)
{
  char text[QUANTITY_BYTES];
  double value = report_number(from, key);
  if (!isfinite(value)) return;
  quantity_text(value, unit, text, sizeof text);
  printf("%-12s %s\n", label, text);
}

static void print_plan(const json_t *plan)
{
  printf("%-12s %.0f, of which %.0f were checked and %.0f of those can't run\n", "rows", report_number(plan, "rows"),
         report_number(plan, "checked"), report_number(plan, "refused"));
  if (*report_text(plan, "unchecked")) printf("%-12s %s\n", "", report_text(plan, "unchecked"));
  print_quantity(plan, "run_seconds", "time", "s");
  print_quantity(plan, "record_bytes", "disk", "B");
  print_quantity(plan, "memory_bytes", "memory", "B");
  report_errors(json_object_get(plan, "refusals"), stdout);
  report_warnings(json_object_get(plan, "warnings"), stdout);
}

static cli_exit send_study(const cli_call *call, http_client *client, const char *path, http_answer *answer)
{
  scene_source source;
  char user[USER_QUERY_BYTES], whole[1024];
  *answer = (http_answer){0};
  if (call->word_count < 2) return console_fail(call, CLI_BAD_USAGE, "which study? a file, `-` for stdin, or gallery:NAME");
  cli_exit code = read_study(call, client, call->words[1], &source);
  if (code != CLI_DONE) return code;
  user[0] = 0;
  if (strcmp(path, "/api/v1/studies") == 0) user_query(call, client, user);
  snprintf(whole, sizeof whole, "%s%s%s", path, *user ? "?" : "", user);
  code = http_expect(call, client, &(http_call){.method = "POST", .path = whole, .body = source.text, .body_size = source.length}, answer);
  scene_source_clear(&source);
  return code;
}

static cli_exit check(const cli_call *call, http_client *client)
{
  http_answer answer;
  cli_exit code = send_study(call, client, "/api/v1/studies/check", &answer);
  if (code == CLI_DONE && call->json)
    code = console_json(json_incref(answer.json), code);
  else if (code == CLI_DONE)
    print_plan(answer.json);
  http_answer_clear(&answer);
  return code == CLI_DONE ? console_flush(code) : code;
}

/* ── looking ── */

static void print_study(const json_t *study)
{
  const json_t *rows = json_object_get(study, "rows");
  double done = report_number(rows, "succeeded"), failed = report_number(rows, "failed") + report_number(rows, "cancelled");
  printf("%6lld  %-9s %6.0f of %.0f", (long long)json_integer_value(json_object_get(study, "id")), report_text(study, "state"), done,
         report_number(rows, "total"));
  if (failed > 0) printf(", %.0f failed", failed);
  if (report_number(rows, "refused") > 0) printf(", %.0f refused", report_number(rows, "refused"));
  printf("  %s\n", report_text(study, "title"));
  if (*report_text(study, "reason")) printf("        stopped: %s\n", report_text(study, "reason"));
}

static cli_exit print_answer(const cli_call *call, cli_exit code, http_answer *answer)
{
  if (code == CLI_DONE && call->json)
    code = console_json(json_incref(answer->json), code);
  else if (code == CLI_DONE)
    print_study(answer->json);
  http_answer_clear(answer);
  return code == CLI_DONE ? console_flush(code) : code;
}

static cli_exit study_path(const cli_call *call, const char *behind, char *path, size_t capacity)
{
  char message[200];
  long long id;
  if (call->word_count < 2)
    return console_fail(call, CLI_BAD_USAGE, "which study? its number; `scree study list%s` shows them", console_hint_server(call).text);
  if (!cli_word_whole(call->words[1], "the study's number", 1, &id, message, sizeof message))
    return console_fail(call, CLI_BAD_USAGE, "%s", message);
  snprintf(path, capacity, "/api/v1/studies/%lld%s", id, behind);
  return CLI_DONE;
}

/* Waits until a study runs no more. @param last receives how it stands then, to be cleared on CLI_DONE; may be NULL */
static cli_exit wait_for(const cli_call *call, http_client *client, const char *path, http_answer *last)
{
  interrupt_catch();
  double pause = 0.1;
  for (;;) {
    http_answer answer;
    cli_exit code = http_expect(call, client, &(http_call){.path = path}, &answer);
    bool over = code != CLI_DONE || strcmp(report_text(answer.json, "state"), "running") != 0;
    if (over && code == CLI_DONE && last)
      *last = answer;
    else
      http_answer_clear(&answer);
    if (over) return code;
    interrupt_sleep(pause);
    pause = fmin(1, 1.5 * pause);
    if (interrupt_came()) return console_fail(call, CLI_INTERRUPTED, "interrupted; the study continues");
  }
}

static cli_exit follow(const cli_call *call, http_client *client, const char *path)
{
  http_answer answer = {0};
  cli_exit code = wait_for(call, client, path, &answer);
  if (code != CLI_DONE) return code;
  const json_t *rows = json_object_get(answer.json, "rows");
  bool all = report_number(rows, "succeeded") == report_number(rows, "total");
  code = print_answer(call, code, &answer);
  return code == CLI_DONE && !all ? CLI_FAILED : code;
}

static cli_exit submit(const cli_call *call, http_client *client)
{
  http_answer answer;
  char path[80];
  cli_exit code = send_study(call, client, "/api/v1/studies", &answer);
  snprintf(path, sizeof path, "/api/v1/studies/%lld", (long long)json_integer_value(json_object_get(answer.json, "id")));
  if (code != CLI_DONE || !cli_given(call, "wait")) return print_answer(call, code, &answer);
  http_answer_clear(&answer);
  return follow(call, client, path);
}

static cli_exit list(const cli_call *call, http_client *client)
{
  http_answer answer;
  cli_exit code = http_expect(call, client, &(http_call){.path = "/api/v1/studies?limit=200"}, &answer);
  const json_t *studies = code == CLI_DONE ? json_object_get(answer.json, "studies") : NULL;
  if (code == CLI_DONE && call->json) code = console_json(json_incref(answer.json), code);
  for (size_t i = 0; code == CLI_DONE && !call->json && i < json_array_size(studies); i++) print_study(json_array_get(studies, i));
  if (code == CLI_DONE && json_array_size(studies) == 0)
    console_say(call, "there are no studies yet: `scree study submit gallery:strength-of-shells%s` makes one",
                console_hint_server(call).text);
  http_answer_clear(&answer);
  return code == CLI_DONE ? console_flush(code) : code;
}

static cli_exit gallery(const cli_call *call, http_client *client)
{
  http_answer answer;
  cli_exit code = http_expect(call, client, &(http_call){.path = "/api/v1/gallery/studies"}, &answer);
  const json_t *studies = code == CLI_DONE ? json_object_get(answer.json, "studies") : NULL;
  if (code == CLI_DONE && call->json) code = console_json(json_incref(answer.json), code);
  for (size_t i = 0; code == CLI_DONE && !call->json && i < json_array_size(studies); i++)
    printf("%-24s %s\n", report_text(json_array_get(studies, i), "name"), report_text(json_array_get(studies, i), "title"));
  http_answer_clear(&answer);
  return code == CLI_DONE ? console_flush(code) : code;
}

static cli_exit exchange(const cli_call *call, http_client *client, const char *method, const char *behind)
{
  char path[120];
  http_answer answer = {0};
  cli_exit code = study_path(call, behind, path, sizeof path);
  if (code == CLI_DONE) code = http_expect(call, client, &(http_call){.method = method, .path = path}, &answer);
  return print_answer(call, code, &answer);
}

static cli_exit status(const cli_call *call, http_client *client)
{
  char path[120];
  if (!cli_given(call, "wait")) return exchange(call, client, NULL, "");
  cli_exit code = study_path(call, "", path, sizeof path);
  return code == CLI_DONE ? follow(call, client, path) : code;
}

/* All rows, a page at a time, as one JSON document. */
static cli_exit table_json(const cli_call *call, http_client *client, const char *rows_path)
{
  json_t *all = json_array();
  cli_exit code = CLI_DONE;
  for (long long after = 0; code == CLI_DONE && after >= 0;) {
    char path[180];
    http_answer answer;
    snprintf(path, sizeof path, "%s?limit=1000&after=%lld", rows_path, after);
    code = http_expect(call, client, &(http_call){.path = path}, &answer);
    if (code == CLI_DONE) json_array_extend(all, json_object_get(answer.json, "rows"));
    const json_t *next = code == CLI_DONE ? json_object_get(json_object_get(answer.json, "next"), "after") : NULL;
    after = next ? (long long)json_integer_value(next) : -1;
    http_answer_clear(&answer);
  }
  if (code == CLI_DONE) return console_json(json_pack("{s:o}", "rows", all), code);
  json_decref(all);
  return code;
}

static cli_exit table(const cli_call *call, http_client *client)
{
  char path[120];
  http_answer answer = {0};
  cli_exit code = study_path(call, "/rows", path, sizeof path);
  if (code != CLI_DONE || call->json) return code != CLI_DONE ? code : table_json(call, client, path);
  code = http_expect(call, client, &(http_call){.path = path, .accept = "text/csv"}, &answer);
  if (code == CLI_DONE && fwrite(answer.body ? answer.body : "", 1, answer.size, stdout) != answer.size) code = CLI_FAILED;
  http_answer_clear(&answer);
  return console_flush(code);
}

/* ── calibrations ── */

static void print_parameter(const json_t *of)
{
  bool undetermined = json_is_true(json_object_get(of, "undetermined"));
  printf("%-24s %-12.6g %12.6g ... %-12.6g %s%s%s\n", report_text(of, "name"), report_number(of, "best"), report_number(of, "low"),
         report_number(of, "high"), report_text(of, "unit"), undetermined ? "  not determined" : "",
         json_is_true(json_object_get(of, "at_bound")) ? "  at the end of its range" : "");
}

static void print_calibration(const json_t *of)
{
  const json_t *points = json_object_get(of, "points"), *found = json_object_get(of, "estimate"), *best = json_object_get(of, "best");
  size_t index;
  json_t *parameter;
  printf("%.0f of %.0f points at most have ended, %.0f failed%s%s\n", report_number(points, "known"), report_number(points, "limit"),
         report_number(points, "failed"), *report_text(of, "why") ? ": " : "", report_text(of, "why"));
  if (json_is_object(best)) printf("best point %.0f, value %.6g\n", report_number(best, "point"), report_number(best, "value"));
  if (!json_is_object(found)) {
    printf("no estimate: %s\n", report_text(of, "estimate_reason"));
    return;
  }
  printf("\n%-24s %-12s %12s     %-12s\n", "parameter", "best", "from", "to");
  json_array_foreach(json_object_get(found, "parameters"), index, parameter)
  {
    print_parameter(parameter);
  }
  printf("\n%s\n", report_text(found, "words"));
}

static cli_exit show_calibration(const cli_call *call, http_client *client, const char *study)
{
  char path[120];
  http_answer answer;
  snprintf(path, sizeof path, "%s/calibration", study);
  cli_exit code = http_expect(call, client, &(http_call){.path = path}, &answer);
  if (code == CLI_DONE && call->json)
    code = console_json(json_incref(answer.json), code);
  else if (code == CLI_DONE)
    print_calibration(answer.json);
  http_answer_clear(&answer);
  return code == CLI_DONE ? console_flush(code) : code;
}

static cli_exit calibration(const cli_call *call, http_client *client)
{
  char path[80];
  cli_exit code = study_path(call, "", path, sizeof path);
  return code == CLI_DONE ? show_calibration(call, client, path) : code;
}

/* Submits, waits, and prints what was found. */
static cli_exit calibrate(const cli_call *call, http_client *client)
{
  http_answer answer;
  char path[80];
  cli_exit code = send_study(call, client, "/api/v1/studies", &answer);
  snprintf(path, sizeof path, "/api/v1/studies/%lld", (long long)json_integer_value(json_object_get(answer.json, "id")));
  if (code == CLI_DONE) console_say(call, "study %s runs%s", path + strlen("/api/v1/studies/"), console_hint_server(call).text);
  http_answer_clear(&answer);
  if (code == CLI_DONE) code = wait_for(call, client, path, NULL);
  return code == CLI_DONE ? show_calibration(call, client, path) : code;
}

/* ── steering ── */

static cli_exit stop(const cli_call *call, http_client *client)
{
  return exchange(call, client, "POST", "/stop");
}

static cli_exit resume(const cli_call *call, http_client *client)
{
  return exchange(call, client, "POST", "/resume");
}

static cli_exit retry(const cli_call *call, http_client *client)
{
  return exchange(call, client, "POST", "/retry");
}

static cli_exit erase(const cli_call *call, http_client *client)
{
  return exchange(call, client, "DELETE", cli_given(call, "runs") ? "?runs=delete" : "");
}

static cli_exit study(const cli_call *call)
{
  static const struct {
    const char *name;
    cli_exit (*act)(const cli_call *call, http_client *client);
  } actions[] = {{"list", list},     {"gallery", gallery}, {"check", check},         {"submit", submit},           {"status", status},
                 {"table", table},   {"plot", study_plot}, {"calibrate", calibrate}, {"calibration", calibration}, {"stop", stop},
                 {"resume", resume}, {"retry", retry},     {"delete", erase}};
  enum { COUNT = sizeof actions / sizeof *actions };
  http_client client;
  const char *wanted = call->word_count ? call->words[0] : "list";
  size_t i = 0;
  if (strcmp(wanted, "new") == 0) return study_new(call);
  while (i < COUNT && strcmp(actions[i].name, wanted) != 0) i++;
  if (i == COUNT)
    return console_fail(call, CLI_BAD_USAGE,
                        "unknown action '%.60s': give new, list, gallery, check, submit, status, table, plot, calibrate, calibration, "
                        "stop, resume, retry or "
                        "delete",
                        wanted);
  cli_exit code = http_open(call, &client);
  if (code == CLI_DONE) code = actions[i].act(call, &client);
  http_close(&client);
  return code;
}

const cli_command command_study = {
    .name = "study",
    .words =
        "[new SCENE | list | gallery | check STUDY | submit STUDY | status ID | table ID | plot ID | calibrate STUDY | calibration ID | "
        "stop ID | resume ID | retry ID | delete ID]",
    .most = 2,
    .needs_server = true,
    .summary = "vary a scene, repeat it, and collect results in a table",
    .description =
        "STUDY is a JSON file, `-` for stdin, or `gallery:NAME` (see `scree study gallery`): a base scene, factors, a design, results.\n"
        "new makes such a file of a scene, and needs no server: --vary PLACE=RANGE, where PLACE is a JSON Pointer or a short name\n"
        "(steel.density), and RANGE values 1,2,3, a range 1..5 or log:1..100 with /STEPS in a grid, or uniform:FROM,TO,\n"
        "normal:MEAN,DEVIATION, log_normal:MEDIAN,DEVIATION, weibull:MODULUS,SCALE. NAME= before it names the factor.\n"
        "Its runs are ordinary jobs with the tag study. `table` prints every row as CSV: factors and results.\n"
        "plot draws an SVG picture: columns over each other (scatter), curves of repeated runs over -x (bands), a result by Weibull's law\n"
        "(weibull), a target of a calibration with its measured curve (overlay).\n"
        "calibrate submits a study whose design is an optimiser, waits for it and prints what calibration ID prints at any time: the best\n"
        "parameters, an interval for each, and which of them the data does not determine.\n"
        "stop pauses the jobs it has under way; resume goes on; retry runs again what failed or was refused.",
    .options = {{"wait", 'w', NULL, "with submit and status: wait until the study has ended"},
                {"user", 0, "NAME", "with submit: who submits it and its runs; default: your login name; empty: nobody"},
                {"runs", 0, NULL, "with delete: delete the jobs made for it too"},
                {"vary", 0, "PLACE=RANGE", "of new: a factor; may be given several times"},
                {"result", 0, "NAME=EXPRESSION", "of new: what is read from each run; may be given several times"},
                {"repeat", 0, "PLACE=COUNT", "of new: seeds 1, 2, ... at this place, such as /seed=5"},
                {"design", 0, "KIND:RUNS", "of new: grid (the default), latin_hypercube:RUNS, sobol:RUNS"},
                {"name", 0, "NAME", "of new: of the study; default: the scene's"},
                {"output", 'o', "FILE", "of new and plot: where to write; default: stdout"},
                {"kind", 0, "KIND", "of plot: scatter (the default), bands, weibull, overlay"},
                {"x", 'x', "WHAT", "of plot: a column; of bands an expression"},
                {"y", 'y', "WHAT", "of plot: a column; of bands an expression; of weibull a result; of overlay a target"},
                {"by", 0, "FACTOR", "of plot: a colour for each value"},
                {"measured", 0, "NAME", "of plot, bands: measured curves to lie over them"},
                {"columns", 0, "N", "of plot: columns of a page that it fills, 1 (85 mm) or 2 (175 mm); default: 1"},
                {"level", 0, "L", "of plot: of bands and intervals; default: 0.9"}},
    .repeats = "vary",
    .also_repeats = "result",
    .examples =
        {{"study new gallery:sliding-block --vary contact.friction_coefficient=0.2..0.6/5 --result end=final(first.x) -o slide.json",
          "a study file of a scene"},
         {"study check gallery:strength-of-shells", "how many runs, what they take, what can't run"},
         {"study submit gallery:strength-of-shells --wait", "run it to its end"},
         {"study plot 1 --kind bands -x time -y first.x -o bands.svg", "a picture for a paper"},
         {"study calibrate gallery:angle-of-repose", "parameters from a measurement"}},
    .run = study,
};
