/* One curve as an SVG picture: axes with round ticks and SI prefixes, a grid, the curve. Long curves are thinned to the extremes of each
 * pixel column's worth of samples, so a peak never disappears. */
#include "base/error.h"
#include "base/text.h"
#include "record/topology.h"
#include "scree.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  picture_width = 840,
  picture_height = 520,
  margin_left = 92,
  margin_right = 28,
  margin_top = 56,
  margin_bottom = 72,
  column_limit = 1400
};

/* One axis: the data's range in round numbers, and the SI prefix its labels use. */
typedef struct axis {
  double low, high, tick; /* data units */
  double scale;           /* label = value * scale */
  const char *prefix;     /* "m", "k", ... */
  const char *unit;
  const char *label;
} axis;

/* The largest of 1, 2, 5 times a power of ten that cuts `range` into at least `count` pieces. */
static double round_tick(double range, int count)
{
  double raw = range / count, power = pow(10.0, floor(log10(raw))), lead = raw / power;
  return power * (lead >= 5.0 ? 5.0 : lead >= 2.0 ? 2.0 : 1.0);
}

/* Whether a unit may carry a prefix: a plain first unit, as on the dashboard (web/src/format.ts); a power may not. */
static bool takes_prefix(const char *unit)
{
  static const char *const plain[] = {"m", "s", "N", "Pa", "J", "W", "Hz", "V", "A", "rad"};
  for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
    size_t length = strlen(plain[i]);
    if (strncmp(unit, plain[i], length) == 0 && unit[length] != '^' && !isalpha((unsigned char)unit[length])) return true;
  }
  return false;
}

static axis axis_make(double low, double high, const scr_series *series)
{
  static const struct {
    double limit, scale;
    const char *prefix;
  } prefixes[] = {{1e9, 1e-9, "G"}, {1e6, 1e-6, "M"},        {1e3, 1e-3, "k"}, {1, 1, ""},
                  {1e-3, 1e3, "m"}, {1e-6, 1e6, "\xc2\xb5"}, {1e-9, 1e9, "n"}, {0, 1e12, "p"}};
  if (!(high > low)) {
    double pad = low == 0.0 ? 1.0 : fabs(low) * 0.1;
    low -= pad;
    high += pad;
  }
  axis a = {.tick = round_tick(high - low, 5), .scale = 1.0, .prefix = "", .unit = series->unit, .label = series->label};
  a.low = floor(low / a.tick + 1e-9) * a.tick;
  a.high = ceil(high / a.tick - 1e-9) * a.tick;
  double size = fmax(fabs(a.low), fabs(a.high));
  if (!takes_prefix(a.unit) || size == 0.0) return a;
  for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
    if (size >= prefixes[i].limit) {
      a.scale = prefixes[i].scale;
      a.prefix = prefixes[i].prefix;
      break;
    }
  return a;
}

static double to_x(const axis *a, double value)
{
  return margin_left + (value - a->low) / (a->high - a->low) * (picture_width - margin_left - margin_right);
}

static double to_y(const axis *a, double value)
{
  return picture_height - margin_bottom - (value - a->low) / (a->high - a->low) * (picture_height - margin_top - margin_bottom);
}

static void add_axis_label(text_builder *svg, const axis *a)
{
  text_add_escaped(svg, a->label);
  if (strcmp(a->unit, "1") != 0) {
    text_add_string(svg, " [");
    text_add_string(svg, a->prefix);
    text_add_escaped(svg, a->unit);
    text_add_character(svg, ']');
  }
}

static void add_axes(text_builder *svg, const axis *x, const axis *y)
{
  int right = picture_width - margin_right, bottom = picture_height - margin_bottom;
  for (int i = 0; i <= (int)lround((x->high - x->low) / x->tick); i++) {
    double value = x->low + i * x->tick, at = to_x(x, value);
    text_add_format(svg, "<line class=\"grid\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\"/>", at, margin_top, at, bottom);
    text_add_format(svg, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%.6g</text>\n", at, bottom + 20,
                    fabs(value) < x->tick * 1e-6 ? 0.0 : value * x->scale);
  }
  for (int i = 0; i <= (int)lround((y->high - y->low) / y->tick); i++) {
    double value = y->low + i * y->tick, at = to_y(y, value);
    text_add_format(svg, "<line class=\"grid\" x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\"/>", margin_left, at, right, at);
    text_add_format(svg, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.6g</text>\n", margin_left - 10, at + 4.5,
                    fabs(value) < y->tick * 1e-6 ? 0.0 : value * y->scale);
  }
  text_add_format(svg, "<rect class=\"frame\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n", margin_left, margin_top,
                  right - margin_left, bottom - margin_top);
  text_add_format(svg, "<text class=\"label\" x=\"%d\" y=\"%d\" text-anchor=\"middle\">", (margin_left + right) / 2, picture_height - 22);
  add_axis_label(svg, x);
  text_add_format(svg, "</text>\n<text class=\"label\" transform=\"translate(24 %d) rotate(-90)\" text-anchor=\"middle\">",
                  (margin_top + bottom) / 2);
  add_axis_label(svg, y);
  text_add_string(svg, "</text>\n");
}

/* The y values to draw: the mean of the `width` samples up to each (fewer at the start), times `scale`. A running sum, so that a wide
 * window costs no more than a narrow one; its rounding is far below a pixel. */
static void average(const scr_curves *curves, size_t column, size_t width, double scale, double *averaged)
{
  double sum = 0.0;
  for (size_t i = 0; i < curves->sample_count; i++) {
    sum += curves->values[i * curves->series_count + column];
    if (i >= width) sum -= curves->values[(i - width) * curves->series_count + column];
    averaged[i] = (width == 1 ? curves->values[i * curves->series_count + column] : sum / (double)(i + 1 < width ? i + 1 : width)) * scale;
  }
}

/* The points to draw: all of them, or the lowest and highest of each group when there are many. */
static void add_curve(text_builder *svg, const scr_curves *curves, size_t x_column, const double *y_values, const axis *x, const axis *y)
{
  size_t n = curves->sample_count, group = n > 2 * (size_t)column_limit ? n / column_limit : 1;
  text_add_string(svg, "<polyline class=\"curve\" points=\"");
  for (size_t first = 0; first < n; first += group) {
    size_t low = first, high = first, last = first + group < n ? first + group : n;
    for (size_t i = first; i < last; i++) {
      if (y_values[i] < y_values[low]) low = i;
      if (y_values[i] > y_values[high]) high = i;
    }
    size_t order[2] = {low < high ? low : high, low < high ? high : low};
    for (int k = 0; k < (low == high ? 1 : 2); k++)
      text_add_format(svg, "%.2f,%.2f ", to_x(x, curves->values[order[k] * curves->series_count + x_column]), to_y(y, y_values[order[k]]));
  }
  text_add_string(svg, "\"/>\n");
}

static void add_head(text_builder *svg, const char *title)
{
  text_add_format(svg, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\">\n<title>",
                  picture_width, picture_height, picture_width, picture_height);
  text_add_escaped(svg, title);
  text_add_string(svg, "</title>\n<style>text{font:13px sans-serif;fill:#3c4450}.title{font-size:17px;font-weight:600;fill:#1b2026}"
                       ".label{font-size:14px}.grid{stroke:#e3e7ec;stroke-width:1}.frame{fill:none;stroke:#8a94a2;stroke-width:1}"
                       ".curve{fill:none;stroke:#1668b8;stroke-width:1.8;stroke-linejoin:round}</style>\n"
                       "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n");
  text_add_format(svg, "<text class=\"title\" x=\"%d\" y=\"34\">", margin_left);
  text_add_escaped(svg, title);
  text_add_string(svg, "</text>\n");
}

/* What a curve is called and measured in when it is multiplied by `scale`: in `unit` where that is said; radians times 180/pi are degrees;
 * whatever else has lost its unit says what it was multiplied by, as on the dashboard's plots (web/src/plot/readouts.ts). */
static scr_series scaled_series(const scr_series *series, double scale, const char *unit)
{
  static const double half_turn_deg = 180, pi = 3.14159265358979323846;
  scr_series scaled = *series;
  if (unit && unit[0]) {
    snprintf(scaled.unit, sizeof scaled.unit, "%s", strcmp(unit, "deg") == 0 ? "\xc2\xb0" : unit);
    return scaled;
  }
  bool in_degrees = strcmp(series->unit, "rad") == 0 && fabs(fabs(scale) * pi / half_turn_deg - 1) < 1e-4;
  if (scale == 1) return scaled;
  if (scale == -1 || in_degrees)
    snprintf(scaled.label, sizeof scaled.label, "%s%.*s", scale < 0 ? "\xe2\x88\x92" : "", (int)sizeof scaled.label - 4, series->label);
  else
    snprintf(scaled.label, sizeof scaled.label, "%.*s \xc3\x97 %.4g%s%s", (int)sizeof scaled.label - 36, series->label, scale,
             strcmp(series->unit, "1") == 0 ? "" : "/", strcmp(series->unit, "1") == 0 ? "" : series->unit);
  if (scale != -1) snprintf(scaled.unit, sizeof scaled.unit, "%s", in_degrees ? "\xc2\xb0" : "1");
  return scaled;
}

scr_status scr_curves_svg(const scr_curves *curves, const scr_curve_plot *plot, char **text, size_t *length, scr_error *error)
{
  *text = NULL;
  *length = 0;
  long x_found = series_find(curves->series, curves->series_count, plot->x),
       y_found = series_find(curves->series, curves->series_count, plot->y);
  if (x_found < 0 || y_found < 0)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "there is no curve '%s' to plot; the first line of the CSV lists the recording's curves",
                    x_found < 0 ? plot->x : plot->y);
  size_t x_column = (size_t)x_found, y_column = (size_t)y_found;
  size_t n = curves->sample_count;
  double *y_values = malloc((n ? n : 1) * sizeof *y_values);
  if (!y_values) return scr_fail_memory(error, "the plot", n * sizeof *y_values);
  double x_low = n ? INFINITY : 0.0, x_high = n ? -INFINITY : 1.0, y_low = 0.0, y_high = n ? 0.0 : 1.0;
  average(curves, y_column, plot->average ? plot->average : 1, plot->scale, y_values);
  for (size_t i = 0; i < n; i++) {
    double x = curves->values[i * curves->series_count + x_column];
    x_low = fmin(x_low, x), x_high = fmax(x_high, x);
    y_low = fmin(y_low, y_values[i]), y_high = fmax(y_high, y_values[i]);
  }
  const scr_series scaled = scaled_series(&curves->series[y_column], plot->scale, plot->unit);
  axis x = axis_make(x_low, x_high, &curves->series[x_column]), y = axis_make(y_low, y_high, &scaled);
  text_builder svg = {0};
  add_head(&svg, plot->title);
  add_axes(&svg, &x, &y);
  if (n) add_curve(&svg, curves, x_column, y_values, &x, &y);
  text_add_string(&svg, "</svg>\n");
  free(y_values);
  size_t bytes = svg.length;
  *text = text_take(&svg);
  if (!*text) return scr_fail_memory(error, "the plot", bytes);
  *length = bytes;
  return SCR_OK;
}

scr_status scr_recording_plot_svg(scr_recording *recording, size_t index, char **text, size_t *length, scr_error *error)
{
  *text = NULL;
  *length = 0;
  scr_topology topology;
  bool found = false;
  SCR_TRY(topology_read(recording, &topology, &found, error));
  scr_curves *curves = NULL;
  scr_status status = SCR_OK;
  if (index >= topology.plot_count)
    status = scr_fail(error, SCR_BAD_USAGE, NULL, "there is no plot %zu in this recording; it has %zu, counted from 0", index,
                      topology.plot_count);
  if (status == SCR_OK) status = scr_curves_read(recording, 0, &curves, error);
  if (status == SCR_OK) {
    const topology_plot *of = &topology.plots[index];
    const scr_curve_plot plot = {
        .title = of->title, .x = of->x, .y = of->y, .scale = of->scale, .average = of->moving_average, .unit = of->unit};
    status = scr_curves_svg(curves, &plot, text, length, error);
  }
  scr_curves_destroy(curves);
  topology_clear(&topology);
  return status;
}
