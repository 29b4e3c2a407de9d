/* Everything that is drawn is asked of the server first; arrays live until the picture is written. */
#include "api/cli/study/study_plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/cli/commands/server/measured_kept.h"
#include "api/cli/console.h"
#include "api/cli/report.h"
#include "api/cli/study/figure.h"

enum { GROUPS = FIGURE_COLOURS - 1 };

typedef struct plotting {
  const cli_call *call;
  http_client *client;
  char study[64]; /* "/api/v1/studies/ID" */
  const char *x, *y, *by;
  double level;
  figure picture;
  double **arrays; /* [array_count], of array_capacity; to be freed at the end */
  size_t array_count, array_capacity;
  bool incomplete;  /* there was no memory for something that is to be drawn */
  json_t *measured; /* NULL: none; owned */
} plotting;

typedef struct series {
  const double *x, *y;
  size_t count;
} series;

static double *new_array(plotting *p, size_t count)
{
  if (p->array_count == p->array_capacity) {
    size_t capacity = 2 * p->array_capacity + 64;
    double **grown = realloc(p->arrays, capacity * sizeof *grown);
    if (!grown) {
      p->incomplete = true;
      return NULL;
    }
    p->arrays = grown;
    p->array_capacity = capacity;
  }
  double *made = calloc(count + 1, sizeof *made);
  if (!made) p->incomplete = true;
  if (made) p->arrays[p->array_count++] = made;
  return made;
}

/* Numbers of a list, NaN for what is none. NULL without memory. */
static const double *numbers_of(plotting *p, const json_t *list, size_t *count)
{
  *count = json_array_size(list);
  double *to = new_array(p, *count);
  for (size_t i = 0; to && i < *count; i++) {
    const json_t *value = json_array_get(list, i);
    to[i] = json_is_number(value) ? json_number_value(value) : (double)NAN;
  }
  if (!to) *count = 0;
  return to;
}

static series series_of(plotting *p, const json_t *of, const char *x, const char *y)
{
  size_t count_x, count_y;
  series s = {.x = numbers_of(p, json_object_get(of, x), &count_x)};
  s.y = numbers_of(p, json_object_get(of, y), &count_y);
  s.count = count_x < count_y ? count_x : count_y;
  return s;
}

static void include(plotting *p, const series *s)
{
  if (s->count) figure_include(&p->picture, s->x, s->y, s->count);
}

static void draw(plotting *p, const series *s, int colour, double width, double opacity, const char *dash)
{
  if (s->count) figure_line(&p->picture, s->x, s->y, s->count, &(figure_style){colour, width, opacity, dash});
}

/* GET of something beneath the study; the answer's JSON is a new reference. */
static cli_exit get(plotting *p, const char *path, json_t **json)
{
  http_answer answer;
  cli_exit code = http_expect(p->call, p->client, &(http_call){.path = path}, &answer);
  *json = code == CLI_DONE ? json_incref(answer.json) : NULL;
  http_answer_clear(&answer);
  return code;
}

static char *escaped(plotting *p, const char *text)
{
  return curl_easy_escape(p->client->handle, text, 0);
}

/* PATH?level=L&KEY=VALUE.. beneath the study. */
static cli_exit get_with(plotting *p, const char *kind, const char *const *keys, const char *const *values, json_t **json)
{
  text_builder path = {0};
  text_add_format(&path, "%s/%s?level=%.6g", p->study, kind, p->level);
  for (size_t i = 0; keys[i]; i++) {
    if (!values[i]) continue;
    char *value = escaped(p, values[i]);
    text_add_format(&path, "&%s=%s", keys[i], value ? value : "");
    curl_free(value);
  }
  char *text = text_take(&path);
  *json = NULL;
  cli_exit code = text ? get(p, text, json) : console_fail(p->call, CLI_FAILED, "no memory for a request");
  free(text);
  return code;
}

static void set_titles(plotting *p, const char *x, const char *x_unit, const char *y, const char *y_unit)
{
  snprintf(p->picture.x.title, sizeof p->picture.x.title, "%s", x);
  snprintf(p->picture.x.unit, sizeof p->picture.x.unit, "%s", x_unit);
  snprintf(p->picture.y.title, sizeof p->picture.y.title, "%s", y);
  snprintf(p->picture.y.unit, sizeof p->picture.y.unit, "%s", y_unit);
}

static cli_exit open_picture(plotting *p, const char *title)
{
  if (figure_open(&p->picture, title)) return CLI_DONE;
  return console_fail(p->call, CLI_FAILED,
                      "there is nothing to draw yet: no row of the study has these values; `scree study status` says how far "
                      "it is");
}

/* "mu 0.3", or the label alone. */
static void group_text(const plotting *p, const json_t *group, char *text, size_t capacity)
{
  snprintf(text, capacity, "%s%s%s", p->by ? p->by : "", p->by ? " " : "", report_text(group, "label"));
}

/* ── measured curves ── */

static cli_exit read_measured(plotting *p)
{
  const char *name = cli_text(p->call, "measured");
  long long id = 0;
  char path[80];
  if (!name) return CLI_DONE;
  cli_exit code = measured_kept_find(p->call, p->client, name, &id);
  if (code != CLI_DONE) return code;
  snprintf(path, sizeof path, "/api/v1/measured/%lld?points=1000", id);
  return get(p, path, &p->measured);
}

/* A measured band, or the curves of each specimen. @param pass 0: includes them; 1: draws them */
static void measured_lines(plotting *p, int pass)
{
  const json_t *band = json_object_get(p->measured, "band"), *curves = json_object_get(p->measured, "curves");
  bool whole = json_is_object(band);
  for (size_t i = 0; i < (whole ? 1 : json_array_size(curves)); i++) {
    series line = whole ? series_of(p, band, "x", "mean") : series_of(p, json_array_get(curves, i), "x", "y");
    if (pass == 0)
      include(p, &line);
    else
      draw(p, &line, FIGURE_BLACK, 1.2, 0, "4 2");
  }
  if (whole && pass == 1) {
    series low = series_of(p, band, "x", "low"), high = series_of(p, band, "x", "high");
    if (low.count && low.count == high.count) figure_band(&p->picture, low.x, low.y, high.y, low.count, FIGURE_BLACK);
  }
  if (p->measured && pass == 1) figure_entry(&p->picture, report_text(p->measured, "name"), &(figure_style){FIGURE_BLACK, 1.2, 0, "4 2"});
}

/* ── kinds ── */

static cli_exit plot_bands(plotting *p)
{
  static const char *const keys[] = {"x", "y", "by", NULL};
  const char *values[] = {p->x, p->y, p->by};
  json_t *answer;
  if (!p->x || !p->y)
    return console_fail(p->call, CLI_BAD_USAGE,
                        "bands of what? -x and -y are expressions, such as -x wall.z_max.displacement -y wall.z_max.force_z");
  cli_exit code = get_with(p, "bands", keys, values, &answer);
  const json_t *groups = json_object_get(answer, "groups");
  size_t count = json_array_size(groups);
  if (code != CLI_DONE) return code;
  set_titles(p, p->x, report_text(answer, "x_unit"), p->y, report_text(answer, "y_unit"));
  for (size_t g = 0; g < count; g++) {
    const json_t *curves = json_object_get(json_array_get(groups, g), "curves");
    series high = series_of(p, json_array_get(groups, g), "x", "high"), low = series_of(p, json_array_get(groups, g), "x", "low");
    include(p, &high);
    include(p, &low);
    for (size_t i = 0; i < json_array_size(curves); i++) {
      series thin = series_of(p, json_array_get(curves, i), "x", "y");
      include(p, &thin);
    }
  }
  measured_lines(p, 0);
  code = open_picture(p, "Repeated runs: all curves thin, median, mean dotted, quantiles as a band");
  for (size_t g = 0; code == CLI_DONE && g < count; g++) {
    const json_t *group = json_array_get(groups, g), *curves = json_object_get(group, "curves");
    int colour = (int)(g % GROUPS);
    series high = series_of(p, group, "x", "high"), low = series_of(p, group, "x", "low");
    for (size_t i = 0; i < json_array_size(curves); i++) {
      series thin = series_of(p, json_array_get(curves, i), "x", "y");
      draw(p, &thin, colour, 0.3, 0.4, NULL);
    }
    figure_band(&p->picture, low.x, low.y, high.y, low.count < high.count ? low.count : high.count, colour);
    series median = series_of(p, group, "x", "median"), mean = series_of(p, group, "x", "mean");
    draw(p, &median, colour, 1.2, 0, NULL);
    draw(p, &mean, colour, 0.8, 0, "1 1.5");
    char text[200], whole[260];
    group_text(p, group, text, sizeof text);
    snprintf(whole, sizeof whole, "%s%smedian, %.4g %% of %.0f runs", text, *text ? ": " : "", 100 * p->level,
             report_number(group, "rows"));
    figure_entry(&p->picture, whole, &(figure_style){colour, 1.2, 0, NULL});
  }
  if (code == CLI_DONE) measured_lines(p, 1);
  json_decref(answer);
  return code;
}

/* Unit of a column of the table; NULL: there is no such column. */
static const char *column_unit(const json_t *document, const char *name)
{
  const json_t *factor = json_object_get(json_object_get(document, "factors"), name),
               *result = json_object_get(json_object_get(document, "results"), name);
  if (!factor && !result) return NULL;
  return report_text(factor ? factor : result, "unit");
}

static cli_exit plot_weibull(plotting *p)
{
  static const char *const keys[] = {"result", "by", NULL};
  const char *values[] = {p->y, p->by};
  json_t *answer = NULL, *document = NULL;
  char path[80];
  if (!p->y) return console_fail(p->call, CLI_BAD_USAGE, "the Weibull plot of what? -y is a result of the study");
  snprintf(path, sizeof path, "%s/document", p->study);
  cli_exit code = get(p, path, &document);
  if (code == CLI_DONE) code = get_with(p, "strength", keys, values, &answer);
  const json_t *groups = json_object_get(answer, "groups");
  const char *unit = column_unit(document, p->y);
  p->picture.x.logarithmic = true;
  set_titles(p, p->y, unit ? unit : "", "ln(\xe2\x88\x92ln(1 \xe2\x88\x92 F))", "");
  for (size_t g = 0; g < json_array_size(groups); g++) {
    series dots = series_of(p, json_object_get(json_object_get(json_array_get(groups, g), "weibull"), "plot"), "value", "y");
    include(p, &dots);
  }
  if (code == CLI_DONE) code = open_picture(p, "Weibull plot");
  for (size_t g = 0; code == CLI_DONE && g < json_array_size(groups); g++) {
    const json_t *group = json_array_get(groups, g), *fit = json_object_get(group, "weibull");
    double modulus = report_number(fit, "modulus"), scale = report_number(fit, "scale");
    series dots = series_of(p, json_object_get(fit, "plot"), "value", "y");
    int colour = (int)(g % GROUPS);
    char text[200], whole[280];
    if (dots.count) figure_dots(&p->picture, dots.x, dots.y, dots.count, colour);
    if (!isfinite(modulus) || !isfinite(scale)) continue;
    const double levels[] = {p->picture.y.low, p->picture.y.high},
                 at[] = {scale * exp(levels[0] / modulus), scale * exp(levels[1] / modulus)};
    figure_line(&p->picture, at, levels, 2, &(figure_style){colour, 1, 0, NULL});
    group_text(p, group, text, sizeof text);
    snprintf(whole, sizeof whole, "%s%sm = %.3g (%.3g to %.3g)", text, *text ? ": " : "", modulus, report_number(fit, "modulus_low"),
             report_number(fit, "modulus_high"));
    figure_entry(&p->picture, whole, &(figure_style){colour, 1, 0, NULL});
  }
  json_decref(answer);
  json_decref(document);
  return code;
}

/* All rows, a page at a time. */
static cli_exit get_rows(plotting *p, json_t *all)
{
  cli_exit code = CLI_DONE;
  for (long long after = 0; code == CLI_DONE && after >= 0;) {
    char path[160];
    json_t *page;
    snprintf(path, sizeof path, "%s/rows?limit=1000&after=%lld", p->study, after);
    code = get(p, path, &page);
    json_array_extend(all, json_object_get(page, "rows"));
    const json_t *next = json_object_get(json_object_get(page, "next"), "after");
    after = next ? (long long)json_integer_value(next) : -1;
    json_decref(page);
  }
  return code;
}

static double cell(const json_t *row, const char *column)
{
  const json_t *value = json_object_get(json_object_get(row, "factors"), column);
  if (!value) value = json_object_get(json_object_get(row, "results"), column);
  return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

/* A value as the legend has it. */
static void label_of(const json_t *row, const char *column, char *text, size_t capacity)
{
  const json_t *value = json_object_get(json_object_get(row, "factors"), column);
  if (json_is_number(value))
    snprintf(text, capacity, "%.6g", json_number_value(value));
  else
    snprintf(text, capacity, "%s", json_is_string(value) ? json_string_value(value) : "");
}

/* Rows of one group as points. @param group NULL: all rows */
static series points_of(plotting *p, const json_t *rows, const char *group)
{
  size_t count = json_array_size(rows);
  double *x = new_array(p, count), *y = new_array(p, count);
  series s = {x, y, 0};
  for (size_t i = 0; x && y && i < count; i++) {
    const json_t *row = json_array_get(rows, i);
    char label[80];
    if (strcmp(report_text(row, "state"), "succeeded") != 0) continue;
    if (group) label_of(row, p->by, label, sizeof label);
    if (group && strcmp(label, group) != 0) continue;
    x[s.count] = cell(row, p->x);
    y[s.count++] = cell(row, p->y);
  }
  return s;
}

static cli_exit draw_scatter(plotting *p, const json_t *rows)
{
  char labels[GROUPS][80];
  size_t groups = 0;
  series all = points_of(p, rows, NULL);
  include(p, &all);
  cli_exit code = open_picture(p, "Rows of a study");
  if (code == CLI_DONE && !p->by && all.count) figure_dots(&p->picture, all.x, all.y, all.count, 0);
  for (size_t i = 0; code == CLI_DONE && p->by && i < json_array_size(rows); i++) {
    char label[80];
    size_t g = 0;
    label_of(json_array_get(rows, i), p->by, label, sizeof label);
    while (g < groups && strcmp(labels[g], label) != 0) g++;
    if (g < groups) continue;
    if (groups == GROUPS)
      return console_fail(p->call, CLI_BAD_USAGE, "'%.60s' has more than %d values: too many for colours that can be told apart", p->by,
                          GROUPS);
    snprintf(labels[groups++], sizeof labels[0], "%s", label);
    series points = points_of(p, rows, label);
    char text[200];
    snprintf(text, sizeof text, "%.60s %s", p->by, label);
    if (points.count) figure_dots(&p->picture, points.x, points.y, points.count, (int)g);
    figure_entry(&p->picture, text, &(figure_style){(int)g, 0, 0, NULL});
  }
  return code;
}

static cli_exit plot_scatter(plotting *p)
{
  if (!p->x || !p->y) return console_fail(p->call, CLI_BAD_USAGE, "which columns? -x and -y name a factor or a result each");
  json_t *rows = json_array(), *document = NULL;
  char path[80];
  snprintf(path, sizeof path, "%s/document", p->study);
  cli_exit code = get(p, path, &document);
  const char *x_unit = column_unit(document, p->x), *y_unit = column_unit(document, p->y);
  if (code == CLI_DONE && (!x_unit || !y_unit || (p->by && !column_unit(document, p->by))))
    code = console_fail(p->call, CLI_BAD_USAGE, "the study has no column '%.60s'; `scree study table %s` begins with their names",
                        !x_unit   ? p->x
                        : !y_unit ? p->y
                                  : p->by,
                        p->call->words[1]);
  if (code == CLI_DONE) code = get_rows(p, rows);
  if (code == CLI_DONE) {
    set_titles(p, p->x, x_unit, p->y, y_unit);
    code = draw_scatter(p, rows);
  }
  json_decref(rows);
  json_decref(document);
  return code;
}

/* The target of a calibration: measured, best and band. */
static cli_exit draw_overlay(plotting *p, const json_t *target)
{
  const json_t *measured = json_object_get(target, "measured"), *best = json_object_get(target, "best"),
               *band = json_object_get(target, "band");
  series line = series_of(p, measured, "x", "y"), low = series_of(p, band, "low", "low"), high = series_of(p, band, "high", "high");
  set_titles(p, report_text(target, "x"), report_text(measured, "x_unit"), report_text(target, "y"), report_text(measured, "y_unit"));
  include(p, &line);
  for (size_t i = 0; i < json_array_size(best); i++) {
    series run = series_of(p, json_array_get(best, i), "x", "y");
    include(p, &run);
  }
  cli_exit code = open_picture(p, "Measured curve and the best runs of a calibration");
  if (code != CLI_DONE) return code;
  if (low.count && low.count == line.count && high.count == line.count) figure_band(&p->picture, line.x, low.y, high.y, line.count, 0);
  for (size_t i = 0; i < json_array_size(best); i++) {
    series run = series_of(p, json_array_get(best, i), "x", "y");
    draw(p, &run, 0, 1.2, 0, NULL);
  }
  draw(p, &line, FIGURE_BLACK, 1.2, 0, "4 2");
  figure_entry(&p->picture, "best", &(figure_style){0, 1.2, 0, NULL});
  figure_entry(&p->picture, *report_text(measured, "name") ? report_text(measured, "name") : "measured",
               &(figure_style){FIGURE_BLACK, 1.2, 0, "4 2"});
  return CLI_DONE;
}

static cli_exit plot_overlay(plotting *p)
{
  static const char *const keys[] = {NULL};
  json_t *answer;
  cli_exit code = get_with(p, "overlay", keys, keys, &answer);
  const json_t *targets = json_object_get(answer, "targets"), *chosen = NULL;
  for (size_t i = 0; code == CLI_DONE && i < json_array_size(targets) && !chosen; i++) {
    const json_t *target = json_array_get(targets, i);
    bool curve = strcmp(report_text(target, "kind"), "curve") == 0;
    if (curve && (!p->y || strcmp(report_text(target, "target"), p->y) == 0)) chosen = target;
  }
  if (code == CLI_DONE && !chosen)
    code = console_fail(p->call, CLI_BAD_USAGE, "the calibration has no target %.60s that is a curve", p->y ? p->y : "");
  if (code == CLI_DONE) code = draw_overlay(p, chosen);
  json_decref(answer);
  return code;
}

/* ── the command ── */

static cli_exit write_picture(plotting *p)
{
  const char *path = cli_text(p->call, "output");
  char *text = figure_close(&p->picture);
  if (p->incomplete) {
    free(text);
    text = NULL;
  }
  if (!text) return console_fail(p->call, CLI_FAILED, "no memory for the picture");
  FILE *out = path ? fopen(path, "w") : stdout;
  bool written = out && fputs(text, out) >= 0;
  if (out && path && fclose(out) != 0) written = false;
  free(text);
  if (!written) return console_fail(p->call, CLI_FAILED, "%.300s can't be written", path ? path : "stdout");
  return path ? CLI_DONE : console_flush(CLI_DONE);
}

static cli_exit choose(plotting *p)
{
  static const struct {
    const char *name;
    cli_exit (*plot)(plotting *p);
  } kinds[] = {{"scatter", plot_scatter}, {"bands", plot_bands}, {"weibull", plot_weibull}, {"overlay", plot_overlay}};
  const char *wanted = cli_text(p->call, "kind") ? cli_text(p->call, "kind") : "scatter";
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    if (strcmp(kinds[i].name, wanted) != 0) continue;
    if (p->measured && kinds[i].plot != plot_bands)
      return console_fail(p->call, CLI_BAD_USAGE, "--measured lies over --kind bands; --kind overlay shows a calibration's own");
    return kinds[i].plot(p);
  }
  return console_fail(p->call, CLI_BAD_USAGE, "--kind must be scatter, bands, weibull or overlay, not '%.60s'", wanted);
}

cli_exit study_plot(const cli_call *call, http_client *client)
{
  char message[200];
  long long id, columns = 1;
  double level = 0.9;
  if (call->word_count < 2) return console_fail(call, CLI_BAD_USAGE, "of which study? its number; `scree study list` shows them");
  if (!cli_word_whole(call->words[1], "the study's number", 1, &id, message, sizeof message) ||
      !cli_whole(call, "columns", 1, 2, &columns, message, sizeof message) ||
      !cli_number(call, "level", 0.5, 0.999, &level, message, sizeof message))
    return console_fail(call, CLI_BAD_USAGE, "%s", message);
  plotting *p = calloc(1, sizeof *p);
  if (!p) return console_fail(call, CLI_FAILED, "no memory for a picture");
  p->call = call;
  p->client = client;
  p->x = cli_text(call, "x");
  p->y = cli_text(call, "y");
  p->by = cli_text(call, "by");
  p->level = level;
  snprintf(p->study, sizeof p->study, "/api/v1/studies/%lld", id);
  figure_start(&p->picture, (int)columns);
  cli_exit code = read_measured(p);
  if (code == CLI_DONE) code = choose(p);
  if (code == CLI_DONE) code = write_picture(p);
  figure_clear(&p->picture);
  for (size_t i = 0; i < p->array_count; i++) free(p->arrays[i]);
  free(p->arrays);
  json_decref(p->measured);
  free(p);
  return code;
}
