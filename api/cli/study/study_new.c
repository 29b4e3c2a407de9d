/* A factor is given as [NAME=]PLACE=RANGE, a result as [NAME=]EXPRESSION; names are made of places where none is given. */
#include "api/cli/study/study_new.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/cli/console.h"
#include "api/cli/report.h"
#include "api/cli/scene_source.h"
#include "server/study/design/design.h"
#include "server/study/document.h"

enum { NAME_BYTES = 64, PLACE_BYTES = 256 };

/* ── ranges ── */

static bool read_number(const char *text, double *value)
{
  char *end;
  *value = strtod(text, &end);
  while (*end == ' ') end++;
  return *text && !isspace((unsigned char)*text) && *end == 0 && isfinite(*value);
}

/* A number, or a text such as "2 mm". */
static json_t *value_json(const char *text)
{
  double value;
  if (!read_number(text, &value)) return json_string(text);
  return value == floor(value) && fabs(value) < 1e15 && !strpbrk(text, ".eE") ? json_integer((json_int_t)value) : json_real(value);
}

/* {"values": [..]} of a list with commas between. */
static json_t *values_json(const char *text)
{
  json_t *list = json_array();
  char *copy = strdup(text), *rest = NULL;
  for (char *word = copy ? strtok_r(copy, ",", &rest) : NULL; word; word = strtok_r(NULL, ",", &rest)) {
    word += strspn(word, " ");
    json_array_append_new(list, value_json(word));
  }
  free(copy);
  return json_pack("{s:o}", "values", list);
}

/* FROM..TO[/STEPS] */
static json_t *range_json(const char *text, bool logarithmic)
{
  char from[64], to[64];
  const char *dots = strstr(text, ".."), *slash = dots ? strchr(dots, '/') : NULL;
  double low, high, steps = 0;
  if (!dots) return NULL;
  size_t length = slash ? (size_t)(slash - dots - 2) : strlen(dots + 2);
  if (dots - text >= (long)sizeof from || length >= sizeof to) return NULL;
  snprintf(from, sizeof from, "%.*s", (int)(dots - text), text);
  snprintf(to, sizeof to, "%.*s", (int)length, dots + 2);
  if (!read_number(from, &low) || !read_number(to, &high)) return NULL;
  if (slash && (!read_number(slash + 1, &steps) || steps != floor(steps) || steps < 2 || steps > 1e6)) return NULL;
  json_t *range = json_pack("{s:o, s:o}", "from", value_json(from), "to", value_json(to));
  if (slash) json_object_set_new(range, "steps", json_integer((json_int_t)steps));
  if (logarithmic) json_object_set_new(range, "scale", json_string("logarithmic"));
  return json_pack("{s:o}", "range", range);
}

/* KIND:A,B[/STEPS] of a distribution */
static json_t *distribution_json(const char *kind, const char *first, const char *second, const char *text)
{
  char numbers[2][64];
  double a, b, steps;
  const char *comma = strchr(text, ','), *slash = strchr(text, '/');
  if (!comma || comma - text >= (long)sizeof numbers[0] || (slash && slash < comma)) return NULL;
  snprintf(numbers[0], sizeof numbers[0], "%.*s", (int)(comma - text), text);
  snprintf(numbers[1], sizeof numbers[1], "%.*s", slash ? (int)(slash - comma - 1) : (int)sizeof numbers[1] - 1, comma + 1);
  if (!read_number(numbers[0], &a) || !read_number(numbers[1], &b)) return NULL;
  if (slash && (!read_number(slash + 1, &steps) || steps != floor(steps))) return NULL;
  json_t *made = json_pack("{s:s, s:f, s:f}", "kind", kind, first, a, second, b);
  if (slash) json_object_set_new(made, "steps", json_integer((json_int_t)steps));
  return json_pack("{s:o}", "distribution", made);
}

/* What a factor has beside its place. NULL: it is no range. */
static json_t *factor_json(const char *text)
{
  static const struct {
    const char *kind, *first, *second;
  } distributions[] = {
      {"uniform", "from", "to"}, {"normal", "mean", "deviation"}, {"log_normal", "median", "deviation"}, {"weibull", "modulus", "scale"}};
  for (size_t i = 0; i < sizeof distributions / sizeof *distributions; i++) {
    size_t length = strlen(distributions[i].kind);
    if (strncmp(text, distributions[i].kind, length) == 0 && text[length] == ':')
      return distribution_json(distributions[i].kind, distributions[i].first, distributions[i].second, text + length + 1);
  }
  if (strncmp(text, "log:", 4) == 0) return range_json(text + 4, true);
  if (strstr(text, "..")) return range_json(text, false);
  return *text ? values_json(text) : NULL;
}

/* ── factors and results ── */

/* The last word of a place, with a number behind where that is taken. */
static void make_name(const char *place, const json_t *taken, char name[static NAME_BYTES])
{
  char word[NAME_BYTES - 12] = "factor";
  for (const char *at = place; *at;) {
    size_t length = strcspn(at, "/.");
    if (length && length < sizeof word && !isdigit((unsigned char)*at)) snprintf(word, sizeof word, "%.*s", (int)length, at);
    at += length + (at[length] != 0);
  }
  for (char *c = word; *c; c++)
    if (!isalnum((unsigned char)*c)) *c = '_';
  snprintf(name, NAME_BYTES, "%s", word);
  for (int number = 2; json_object_get(taken, name); number++) snprintf(name, NAME_BYTES, "%s_%d", word, number);
}

/* [NAME=]PLACE=REST. @return REST, NULL: it is none */
static const char *read_place(const char *text, const json_t *taken, char name[static NAME_BYTES], char place[static PLACE_BYTES])
{
  const char *first = strchr(text, '='), *second = first ? strchr(first + 1, '=') : NULL;
  const char *begin = second ? first + 1 : text, *end = second ? second : first;
  if (!end || end == begin || end - begin >= PLACE_BYTES || (second && (first == text || first - text >= NAME_BYTES))) return NULL;
  snprintf(place, PLACE_BYTES, "%.*s", (int)(end - begin), begin);
  if (second)
    snprintf(name, NAME_BYTES, "%.*s", (int)(first - text), text);
  else
    make_name(place, taken, name);
  return end + 1;
}

static cli_exit add_factor(const cli_call *call, const char *text, json_t *factors)
{
  char name[NAME_BYTES], place[PLACE_BYTES];
  const char *range = read_place(text, factors, name, place);
  json_t *made = range ? factor_json(range) : NULL;
  if (!made)
    return console_fail(
        call, CLI_BAD_USAGE,
        "--vary must be PLACE=RANGE, such as contact.friction_coefficient=0.2..0.6/5, not '%.100s': values 1,2,3; a range 1..5 "
        "or log:1..100, with /STEPS in a grid; uniform:FROM,TO, normal:MEAN,DEVIATION, log_normal:MEDIAN,DEVIATION or "
        "weibull:MODULUS,SCALE",
        text);
  if (json_object_get(factors, name)) {
    json_decref(made);
    return console_fail(call, CLI_BAD_USAGE, "two factors are called '%.60s': give each a name of its own, as NAME=PLACE=RANGE", name);
  }
  json_object_set_new(made, "pointer", json_string(place));
  json_object_set_new(factors, name, made);
  return CLI_DONE;
}

static cli_exit add_repetition(const cli_call *call, const char *text, json_t *factors)
{
  char name[NAME_BYTES], place[PLACE_BYTES];
  const char *count = read_place(text, factors, name, place);
  double number;
  if (count && json_object_get(factors, name))
    return console_fail(call, CLI_BAD_USAGE, "two factors are called '%.60s': give each a name of its own, as NAME=PLACE=COUNT", name);
  if (!count || !read_number(count, &number) || number != floor(number) || number < 1 || number > STUDY_ROW_LIMIT)
    return console_fail(call, CLI_BAD_USAGE,
                        "--repeat must be PLACE=COUNT, such as /seed=5: what differs from run to run, and how many; not '%.100s'", text);
  json_object_set_new(factors, name, json_pack("{s:s, s:I}", "pointer", place, "seeds", (json_int_t)number));
  return CLI_DONE;
}

/* [NAME=]EXPRESSION; an equals sign that is part of ==, <=, >= or != begins no expression. */
static cli_exit add_result(const cli_call *call, const char *text, json_t *results)
{
  char name[NAME_BYTES];
  size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
  bool named = length > 0 && length < sizeof name && text[length] == '=' && text[length + 1] != '=';
  if (named)
    snprintf(name, sizeof name, "%.*s", (int)length, text);
  else
    memcpy(name, "result", sizeof "result");
  for (int number = 2; !named && json_object_get(results, name); number++) snprintf(name, sizeof name, "result_%d", number);
  if (json_object_get(results, name))
    return console_fail(call, CLI_BAD_USAGE, "two results are called '%.60s': give each a name of its own, as NAME=EXPRESSION", name);
  json_object_set_new(results, name, json_string(named ? text + length + 1 : text));
  return CLI_DONE;
}

/* KIND[:RUNS] */
static cli_exit add_design(const cli_call *call, const char *text, json_t *document)
{
  char kind[32];
  const char *colon = strchr(text, ':');
  double runs = 0;
  if (strcmp(text, "calibrate") == 0)
    return console_fail(call, CLI_BAD_USAGE,
                        "a calibration has targets beside: /guide/calibration of a server shows its document, and `scree study "
                        "calibrate FILE` runs it");
  snprintf(kind, sizeof kind, "%.*s", colon ? (int)(colon - text) : (int)sizeof kind - 1, text);
  if (colon && (!read_number(colon + 1, &runs) || runs != floor(runs) || runs < 1 || runs > STUDY_ROW_LIMIT))
    return console_fail(call, CLI_BAD_USAGE, "--design must be grid, latin_hypercube:RUNS or sobol:RUNS, not '%.60s'", text);
  json_t *design = json_pack("{s:s}", "kind", kind);
  if (colon) json_object_set_new(design, "runs", json_integer((json_int_t)runs));
  json_object_set_new(document, "design", design);
  return CLI_DONE;
}

/* ── the document ── */

static cli_exit read_scene(const cli_call *call, json_t *document)
{
  scene_source source;
  const char *word = call->words[1];
  bool of_gallery = strncmp(word, "gallery:", 8) == 0;
  cli_exit code = scene_source_read(call, word, &source);
  if (code != CLI_DONE) return code;
  json_error_t wrong;
  json_t *scene = json_loadb(source.text, source.length, JSON_REJECT_DUPLICATES, &wrong);
  if (!scene)
    code = console_fail(call, CLI_REFUSED, "%.200s is not JSON: line %d, column %d: %s", word, wrong.line, wrong.column, wrong.text);
  const char *given = cli_text(call, "name"), *own = json_string_value(json_object_get(scene, "name"));
  if (scene) {
    json_object_set_new(document, "name", json_string(given ? given : own ? own : "study"));
    json_object_set_new(document, "scene", of_gallery ? json_string(word) : json_incref(scene));
  }
  json_decref(scene);
  scene_source_clear(&source);
  return code;
}

static cli_exit make_document(const cli_call *call, json_t *document)
{
  json_t *factors = json_object(), *results = json_object();
  json_object_set_new(document, "scree_study", json_integer(1));
  cli_exit code = read_scene(call, document);
  json_object_set_new(document, "factors", factors);
  for (size_t i = 0; i < call->repeated_count && code == CLI_DONE; i++) code = add_factor(call, call->repeated[i], factors);
  if (code == CLI_DONE && cli_text(call, "repeat")) code = add_repetition(call, cli_text(call, "repeat"), factors);
  if (code == CLI_DONE && cli_text(call, "design")) code = add_design(call, cli_text(call, "design"), document);
  for (size_t i = 0; i < call->also_repeated_count && code == CLI_DONE; i++) code = add_result(call, call->also_repeated[i], results);
  json_object_set_new(document, "results", results);
  if (code == CLI_DONE && json_object_size(factors) == 0)
    code = console_fail(call, CLI_BAD_USAGE, "what varies? --vary PLACE=RANGE, or --repeat PLACE=COUNT");
  return code;
}

/* ── the check ── */

static void check_row_scene(const design_rows *rows, size_t index, scr_problems *problems)
{
  json_t *row = design_row(rows, index), *scene = NULL;
  scr_scene *read = NULL;
  char *text = NULL;
  if (row && study_row_scene(rows->document, row, &scene, problems) == SCR_OK)
    text = json_dumps(scene, JSON_COMPACT | JSON_REAL_PRECISION(17));
  if (text) (void)scr_scene_parse(text, strlen(text), NULL, &read, problems);
  scr_scene_destroy(read);
  free(text);
  json_decref(scene);
  json_decref(row);
}

/* Checks a study's text as the service does, its first and last scenes too. @param count receives its rows */
static cli_exit check(const cli_call *call, const char *text, size_t *count)
{
  study_document document = {0};
  design_rows rows = {0};
  scr_problems problems = {0};
  scr_status status = study_document_read(text, strlen(text), &document, &problems);
  if (status == SCR_OK) status = design_rows_make(&document, &rows, &problems);
  *count = rows.count;
  if (status == SCR_OK && rows.count) check_row_scene(&rows, 0, &problems);
  if (status == SCR_OK && rows.count > 1 && problems.count == 0) check_row_scene(&rows, rows.count - 1, &problems);
  cli_exit code = status != SCR_OK && status != SCR_BAD_SCENE ? console_fail(call, CLI_FAILED, "no memory for the study")
                  : problems.count                            ? report_refusal(call, &problems, stderr)
                                                              : CLI_DONE;
  design_rows_clear(&rows);
  study_document_clear(&document);
  scr_problems_clear(&problems);
  return code;
}

static cli_exit write_study(const cli_call *call, const char *text, size_t rows)
{
  const char *path = cli_text(call, "output");
  FILE *out = path ? fopen(path, "w") : stdout;
  if (!out) return console_fail(call, CLI_FAILED, "%.300s can't be written", path);
  bool written = fprintf(out, "%s\n", text) > 0;
  if (path && fclose(out) != 0) written = false;
  if (!written) return console_fail(call, CLI_FAILED, "%.300s can't be written", path ? path : "stdout");
  console_say(call, "%zu row%s; `scree study submit %s` runs %s", rows, rows == 1 ? "" : "s", path ? path : "FILE",
              rows == 1 ? "it" : "them");
  return path ? CLI_DONE : console_flush(CLI_DONE);
}

cli_exit study_new(const cli_call *call)
{
  size_t rows = 0;
  if (call->word_count < 2) return console_fail(call, CLI_BAD_USAGE, "of which scene? a file, `-` for stdin, or gallery:NAME");
  json_t *document = json_object();
  cli_exit code = make_document(call, document);
  char *text = code == CLI_DONE ? json_dumps(document, CONSOLE_JSON_FLAGS) : NULL;
  if (code == CLI_DONE && !text) code = console_fail(call, CLI_FAILED, "no memory for the study, or a text that is not UTF-8");
  if (text && code == CLI_DONE) code = check(call, text, &rows);
  if (text && code == CLI_DONE) code = write_study(call, text, rows);
  free(text);
  json_decref(document);
  return code;
}
