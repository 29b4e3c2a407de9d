#include "api/cli/commands/server/measured_kept.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/cli/console.h"
#include "api/cli/report.h"
#include "api/cli/scene_files.h"

static const char *const actions[] = {"add", "list", "show", "remove"};
enum { ACTION_COUNT = sizeof actions / sizeof *actions };

static size_t action_of(const cli_call *call)
{
  size_t i = 0;
  while (i < ACTION_COUNT && (call->word_count == 0 || strcmp(actions[i], call->words[0]) != 0)) i++;
  return i;
}

bool measured_kept_is(const cli_call *call)
{
  return action_of(call) < ACTION_COUNT;
}

/* ── adding ── */

static cli_exit upload_one(const cli_call *call, http_client *client, const char *path, json_t *specimens)
{
  FILE *file = fopen(path, "rbe");
  char *bytes = file ? malloc((size_t)MEASURED_BYTES + 1) : NULL;
  size_t size = bytes ? fread(bytes, 1, (size_t)MEASURED_BYTES + 1, file) : 0;
  http_answer answer = {0};
  cli_exit code = !file || size == 0 || ferror(file) ? console_fail(call, CLI_BAD_USAGE, "the file %.200s can't be read, or is empty", path)
                                                     : scene_files_send(call, client, path, bytes, size, &answer);
  if (code == CLI_DONE) json_array_append_new(specimens, json_pack("{s:s}", "asset", report_text(answer.json, "asset")));
  http_answer_clear(&answer);
  if (file) fclose(file);
  free(bytes);
  return code;
}

/* A column: a number, or a name. NULL: not given. */
static json_t *column(const cli_call *call, const char *option)
{
  const char *text = cli_text(call, option);
  char *end = NULL;
  long number = text ? strtol(text, &end, 10) : 0;
  return !text ? NULL : *end == '\0' && end != text ? json_integer(number) : json_string(text);
}

static json_t *list_of_units(const char *text)
{
  json_t *list = json_array();
  while (text) {
    size_t length = strcspn(text, ",");
    json_array_append_new(list, json_stringn(text, length));
    text = text[length] ? text + length + 1 : NULL;
  }
  return list;
}

static json_t *reading_json(const cli_call *call)
{
  json_t *reading = json_object();
  const char *decimal = cli_text(call, "decimal"), *units = cli_text(call, "units");
  if (decimal) json_object_set_new(reading, "decimal", json_string(decimal[0] == ',' ? "comma" : "point"));
  if (units) json_object_set_new(reading, "units", list_of_units(units));
  return reading;
}

static json_t *corrections_json(const measured_choice *of)
{
  json_t *corrections = json_object();
  const struct {
    const char *key;
    double value;
  } all[] = {{"x_factor", of->x_factor}, {"y_factor", of->y_factor}, {"x_zero", of->x_zero},
             {"y_zero", of->y_zero},     {"preload", of->preload},   {"compliance", of->compliance}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (all[i].value != 0) json_object_set_new(corrections, all[i].key, json_real(all[i].value));
  return corrections;
}

/* Columns that were not given: those that the server suggests for the first file. */
static cli_exit complete_columns(const cli_call *call, http_client *client, json_t *document)
{
  char path[400];
  http_answer answer = {0};
  if (json_object_get(document, "x") && json_object_get(document, "y")) return CLI_DONE;
  const json_t *first = json_array_get(json_object_get(document, "specimens"), 0);
  const char *decimal = cli_text(call, "decimal");
  snprintf(path, sizeof path, "/api/v1/assets/%.80s/table?rows=0%s", report_text(first, "asset"),
           !decimal            ? ""
           : decimal[0] == ',' ? "&decimal=comma"
                               : "&decimal=point");
  cli_exit code = http_expect(call, client, &(http_call){.path = path}, &answer);
  const json_t *suggested = code == CLI_DONE ? json_object_get(answer.json, "suggested") : NULL;
  if (code == CLI_DONE && !json_is_object(suggested))
    code = console_fail(call, CLI_BAD_USAGE, "the file has no two columns with numbers: %s", report_text(answer.json, "how"));
  for (int i = 0; code == CLI_DONE && i < 2; i++) {
    const char *axis = i ? "y" : "x";
    if (!json_object_get(document, axis)) json_object_set(document, axis, json_object_get(suggested, axis));
  }
  http_answer_clear(&answer);
  return code;
}

static void print_entry(const json_t *of)
{
  const json_t *x = json_object_get(of, "x"), *y = json_object_get(of, "y");
  size_t count = json_array_size(json_object_get(of, "specimens"));
  printf("%6lld  %-24s %3zu specimen%s  %s [%s] over %s [%s]\n", (long long)json_integer_value(json_object_get(of, "id")),
         report_text(of, "name"), count, count == 1 ? " " : "s", report_text(y, "name"), report_text(y, "unit"), report_text(x, "name"),
         report_text(x, "unit"));
}

static cli_exit print_answer(const cli_call *call, cli_exit code, http_answer *answer)
{
  if (code == CLI_DONE && call->json)
    code = console_json(json_incref(answer->json), code);
  else if (code == CLI_DONE)
    print_entry(answer->json);
  http_answer_clear(answer);
  return code == CLI_DONE ? console_flush(code) : code;
}

static cli_exit send_document(const cli_call *call, http_client *client, const json_t *document)
{
  http_answer answer = {0};
  char *text = json_dumps(document, JSON_COMPACT | JSON_REAL_PRECISION(17));
  cli_exit code = text ? CLI_DONE : console_fail(call, CLI_FAILED, "no memory for a request");
  const http_call request = {.method = "POST", .path = "/api/v1/measured", .body = text, .body_size = text ? strlen(text) : 0};
  if (code == CLI_DONE) code = http_expect(call, client, &request, &answer);
  free(text);
  return print_answer(call, code, &answer);
}

static cli_exit add(const cli_call *call, http_client *client, const measured_choice *corrections)
{
  char message[256];
  double scatter = 0;
  if (call->word_count < 3)
    return console_fail(call, CLI_BAD_USAGE, "nothing to add: give `scree measured add NAME FILE..`, one file for each specimen");
  if (!cli_number(call, "scatter", 1e-300, 1e300, &scatter, message, sizeof message))
    return console_fail(call, CLI_BAD_USAGE, "%s", message);
  json_t *document = json_pack("{s:s, s:[], s:o, s:o}", "name", call->words[1], "specimens", "reading", reading_json(call), "corrections",
                               corrections_json(corrections));
  if (!document) return console_fail(call, CLI_BAD_USAGE, "the name '%.60s' is not text in UTF-8", call->words[1]);
  if (cli_text(call, "title")) json_object_set_new(document, "title", json_string(cli_text(call, "title")));
  if (scatter > 0) json_object_set_new(document, "scatter", json_real(scatter));
  if (cli_given(call, "x")) json_object_set_new(document, "x", column(call, "x"));
  if (cli_given(call, "y")) json_object_set_new(document, "y", column(call, "y"));
  cli_exit code = CLI_DONE;
  for (size_t i = 2; i < call->word_count && code == CLI_DONE; i++)
    code = upload_one(call, client, call->words[i], json_object_get(document, "specimens"));
  if (code == CLI_DONE) code = complete_columns(call, client, document);
  if (code == CLI_DONE) code = send_document(call, client, document);
  json_decref(document);
  return code;
}

/* ── looking and removing ── */

static cli_exit list(const cli_call *call, http_client *client)
{
  json_t *all = json_array();
  cli_exit code = CLI_DONE;
  for (long long before = 1; before > 0 && code == CLI_DONE;) {
    char path[80] = "/api/v1/measured?limit=200";
    http_answer answer;
    if (before > 1) snprintf(path, sizeof path, "/api/v1/measured?limit=200&before=%lld", before);
    code = http_expect(call, client, &(http_call){.path = path}, &answer);
    if (code == CLI_DONE) json_array_extend(all, json_object_get(answer.json, "measured"));
    before = code == CLI_DONE ? (long long)json_integer_value(json_object_get(answer.json, "next_before")) : 0;
    http_answer_clear(&answer);
  }
  if (code == CLI_DONE && call->json) return console_json(json_pack("{s:o}", "measured", all), code);
  for (size_t i = 0; code == CLI_DONE && i < json_array_size(all); i++) print_entry(json_array_get(all, i));
  if (code == CLI_DONE && json_array_size(all) == 0)
    console_say(call, "there are no measured curves yet: `scree measured add NAME FILE%s` makes some", console_hint_server(call).text);
  json_decref(all);
  return code == CLI_DONE ? console_flush(code) : code;
}

cli_exit measured_kept_find(const cli_call *call, http_client *client, const char *word, long long *id)
{
  char *end;
  cli_exit code = CLI_DONE;
  *id = strtoll(word, &end, 10);
  if (end != word && *end == '\0' && *id > 0) return CLI_DONE;
  *id = 0;
  for (long long before = 1; before > 0 && code == CLI_DONE && *id == 0;) {
    char path[80] = "/api/v1/measured?limit=200";
    http_answer answer;
    if (before > 1) snprintf(path, sizeof path, "/api/v1/measured?limit=200&before=%lld", before);
    code = http_expect(call, client, &(http_call){.path = path}, &answer);
    const json_t *page = code == CLI_DONE ? json_object_get(answer.json, "measured") : NULL;
    for (size_t i = 0; i < json_array_size(page); i++)
      if (strcmp(report_text(json_array_get(page, i), "name"), word) == 0)
        *id = (long long)json_integer_value(json_object_get(json_array_get(page, i), "id"));
    before = code == CLI_DONE ? (long long)json_integer_value(json_object_get(answer.json, "next_before")) : 0;
    http_answer_clear(&answer);
  }
  if (code == CLI_DONE && *id == 0)
    code = console_fail(call, CLI_BAD_USAGE, "there are no measured curves '%.60s'; `scree measured list%s` shows them", word,
                        console_hint_server(call).text);
  return code;
}

static void print_cell(const json_t *list, size_t i)
{
  const json_t *value = json_array_get(list, i);
  if (json_is_number(value))
    printf(",%.17g", json_number_value(value));
  else
    printf(",");
}

/* The mean of the specimens as CSV. */
static cli_exit print_band(const cli_call *call, const json_t *of)
{
  const json_t *band = json_object_get(of, "band"), *x = json_object_get(band, "x"), *axis_x = json_object_get(of, "x"),
               *axis_y = json_object_get(of, "y");
  if (!json_is_object(band))
    return console_fail(call, CLI_FAILED, "there is no common axis: %s; --json has the curves of each specimen",
                        report_text(of, "band_reason"));
  printf("%s [%s],%s [%s],deviation [%s],specimens\n", report_text(axis_x, "name"), report_text(axis_x, "unit"),
         report_text(axis_y, "name"), report_text(axis_y, "unit"), report_text(axis_y, "unit"));
  for (size_t i = 0; i < json_array_size(x); i++) {
    printf("%.17g", json_number_value(json_array_get(x, i)));
    print_cell(json_object_get(band, "mean"), i);
    print_cell(json_object_get(band, "deviation"), i);
    print_cell(json_object_get(band, "reached"), i);
    printf("\n");
  }
  return console_flush(CLI_DONE);
}

static cli_exit show(const cli_call *call, http_client *client)
{
  char path[80];
  long long id;
  http_answer answer = {0};
  if (call->word_count != 2) return console_fail(call, CLI_BAD_USAGE, "which curves? `scree measured show NAME`, or their number");
  cli_exit code = measured_kept_find(call, client, call->words[1], &id);
  if (code != CLI_DONE) return code;
  snprintf(path, sizeof path, "/api/v1/measured/%lld?points=5000", id);
  code = http_expect(call, client, &(http_call){.path = path}, &answer);
  if (code == CLI_DONE) code = call->json ? console_json(json_incref(answer.json), code) : print_band(call, answer.json);
  http_answer_clear(&answer);
  return code;
}

static cli_exit erase(const cli_call *call, http_client *client)
{
  cli_exit code = CLI_DONE;
  if (call->word_count < 2) return console_fail(call, CLI_BAD_USAGE, "which curves? `scree measured remove NAME..`, or their numbers");
  for (size_t i = 1; i < call->word_count && code == CLI_DONE; i++) {
    char path[80];
    long long id;
    http_answer answer = {0};
    code = measured_kept_find(call, client, call->words[i], &id);
    snprintf(path, sizeof path, "/api/v1/measured/%lld", id);
    if (code == CLI_DONE) code = http_expect(call, client, &(http_call){.method = "DELETE", .path = path}, &answer);
    if (code == CLI_DONE) console_say(call, "the measured curves %s were removed", call->words[i]);
    http_answer_clear(&answer);
  }
  return code;
}

cli_exit measured_kept(const cli_call *call, const measured_choice *corrections)
{
  http_client client;
  cli_exit code = http_open(call, &client);
  size_t action = action_of(call);
  if (code == CLI_DONE)
    code = action == 0   ? add(call, &client, corrections)
           : action == 1 ? list(call, &client)
           : action == 2 ? show(call, &client)
                         : erase(call, &client);
  http_close(&client);
  return code;
}
