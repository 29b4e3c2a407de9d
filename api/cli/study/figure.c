#include "api/cli/study/figure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LEFT = 46, RIGHT = 10, TOP = 8, BOTTOM = 34, LINE = 11 };
#define POINTS_PER_MM (72 / 25.4)

static const char *const colours[FIGURE_COLOURS] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"};

void figure_start(figure *self, int columns)
{
  double width = (columns > 1 ? 175 : 85) * POINTS_PER_MM;
  *self = (figure){.width = width, .height = columns > 1 ? width / 2 : width * 0.72};
  self->x.low = self->y.low = INFINITY;
  self->x.high = self->y.high = -INFINITY;
}

void figure_clear(figure *self)
{
  text_clear(&self->svg);
  text_clear(&self->legend);
}

/* ── axes ── */

static bool is_seen(const figure_axis *of, double value)
{
  return isfinite(value) && (!of->logarithmic || value > 0);
}

void figure_include(figure *self, const double *x, const double *y, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    if (!is_seen(&self->x, x[i]) || !is_seen(&self->y, y[i])) continue;
    self->x.low = fmin(self->x.low, x[i]);
    self->x.high = fmax(self->x.high, x[i]);
    self->y.low = fmin(self->y.low, y[i]);
    self->y.high = fmax(self->y.high, y[i]);
  }
}

static bool takes_prefix(const char *unit)
{
  static const char *const units[] = {"m", "s", "N", "Pa", "J", "W", "Hz", "N m", "J/m^2", "m/s", "N/m", "Pa/s", "N/s", "rad"};
  for (size_t i = 0; i < sizeof units / sizeof *units; i++)
    if (strcmp(units[i], unit) == 0) return true;
  return false;
}

static void set_prefix(figure_axis *axis)
{
  static const struct {
    double limit, scale;
    const char *prefix;
  } prefixes[] = {{1e9, 1e-9, "G"}, {1e6, 1e-6, "M"},        {1e3, 1e-3, "k"}, {1, 1, ""},
                  {1e-3, 1e3, "m"}, {1e-6, 1e6, "\xc2\xb5"}, {0, 1e9, "n"}};
  double size = fmax(fabs(axis->low), fabs(axis->high));
  size_t i = 0;
  axis->scale = 1;
  if (!takes_prefix(axis->unit) || size == 0) return;
  while (size < prefixes[i].limit) i++;
  axis->scale = prefixes[i].scale;
  snprintf(axis->prefix, sizeof axis->prefix, "%s", prefixes[i].prefix);
}

/* Round ends, in labels' units. */
static void set_axis(figure_axis *axis, int ticks)
{
  set_prefix(axis);
  if (axis->logarithmic) {
    axis->low /= 1.05;
    axis->high *= 1.05;
    return;
  }
  if (!(axis->high > axis->low)) {
    double pad = axis->low == 0 ? 1 : 0.1 * fabs(axis->low);
    axis->low -= pad;
    axis->high += pad;
  }
  double raw = (axis->high - axis->low) / ticks, power = pow(10, floor(log10(raw))), lead = raw / power;
  axis->tick = power * (lead > 5 ? 10 : lead > 2 ? 5 : lead > 1 ? 2 : 1);
  axis->low = floor(axis->low / axis->tick + 1e-9) * axis->tick;
  axis->high = ceil(axis->high / axis->tick - 1e-9) * axis->tick;
}

static double share(const figure_axis *axis, double value)
{
  if (axis->logarithmic) return value > 0 ? log(value / axis->low) / log(axis->high / axis->low) : (double)NAN;
  return (value - axis->low) / (axis->high - axis->low);
}

static double to_x(const figure *self, double value)
{
  return LEFT + share(&self->x, value) * (self->width - LEFT - RIGHT);
}

static double to_y(const figure *self, double value)
{
  return self->height - BOTTOM - share(&self->y, value) * (self->height - TOP - BOTTOM);
}

static void add_tick(figure *self, bool across, double value)
{
  const figure_axis *axis = across ? &self->x : &self->y;
  double bottom = self->height - BOTTOM, right = self->width - RIGHT, shown = value * axis->scale;
  if (!axis->logarithmic && fabs(value) < 1e-6 * axis->tick) shown = 0;
  if (across) {
    double at = to_x(self, value);
    text_add_format(&self->svg,
                    "<path class=\"grid\" d=\"M%.2f %dV%.2f\"/><text x=\"%.2f\" y=\"%.2f\" text-anchor=\"middle\">%.6g</text>\n", at, TOP,
                    bottom, at, bottom + LINE, shown);
  } else {
    double at = to_y(self, value);
    text_add_format(&self->svg, "<path class=\"grid\" d=\"M%d %.2fH%.2f\"/><text x=\"%d\" y=\"%.2f\" text-anchor=\"end\">%.6g</text>\n",
                    LEFT, at, right, LEFT - 4, at + 2.8, shown);
  }
}

static void add_ticks(figure *self, bool across)
{
  const figure_axis *axis = across ? &self->x : &self->y;
  if (!axis->logarithmic) {
    long count = lround((axis->high - axis->low) / axis->tick);
    for (long i = 0; i <= count; i++) add_tick(self, across, axis->low + (double)i * axis->tick);
    return;
  }
  static const double leads[] = {1, 1.5, 2, 3, 4, 5, 6, 8};
  bool wide = axis->high > 12 * axis->low;
  for (int decade = (int)floor(log10(fmax(1e-300, axis->low))); pow(10, decade) <= axis->high; decade++)
    for (size_t i = 0; i < sizeof leads / sizeof *leads; i++) {
      double value = pow(10, decade) * leads[i];
      if (wide && i != 0 && i != 2 && i != 5) continue;
      if (value >= axis->low && value <= axis->high) add_tick(self, across, value);
    }
}

static void add_title(figure *self, const figure_axis *axis)
{
  text_add_escaped(&self->svg, axis->title);
  if (!axis->unit[0] || strcmp(axis->unit, "1") == 0) return;
  text_add_string(&self->svg, " (");
  text_add_string(&self->svg, axis->prefix);
  for (const char *c = axis->unit; *c; c++) {
    if (*c == '^' && (c[1] == '2' || c[1] == '3'))
      text_add_string(&self->svg, *++c == '2' ? "\xc2\xb2" : "\xc2\xb3");
    else {
      const char one[] = {*c, 0};
      text_add_escaped(&self->svg, one);
    }
  }
  text_add_character(&self->svg, ')');
}

bool figure_open(figure *self, const char *title)
{
  text_builder *svg = &self->svg;
  double bottom = self->height - BOTTOM, right = self->width - RIGHT;
  if (!(self->x.low <= self->x.high)) return false;
  set_axis(&self->x, self->width > 300 ? 8 : 5);
  set_axis(&self->y, 5);
  text_add_format(svg, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.6gmm\" height=\"%.4gmm\" viewBox=\"0 0 %.2f %.2f\">\n<title>",
                  self->width / POINTS_PER_MM, self->height / POINTS_PER_MM, self->width, self->height);
  text_add_escaped(svg, title);
  text_add_string(svg, "</title>\n<style>text{font:8px Helvetica,Arial,sans-serif;fill:#000}.grid{stroke:#ddd;stroke-width:.4;fill:none}"
                       ".frame{fill:none;stroke:#000;stroke-width:.6}.line{fill:none;stroke-linejoin:round}</style>\n"
                       "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n");
  text_add_format(svg, "<clipPath id=\"box\"><rect x=\"%d\" y=\"%d\" width=\"%.2f\" height=\"%.2f\"/></clipPath>\n", LEFT, TOP,
                  right - LEFT, bottom - TOP);
  add_ticks(self, true);
  add_ticks(self, false);
  text_add_format(svg, "<text class=\"x\" x=\"%.2f\" y=\"%.2f\" text-anchor=\"middle\">", (LEFT + right) / 2, self->height - 8);
  add_title(self, &self->x);
  text_add_format(svg, "</text>\n<text class=\"y\" transform=\"translate(10 %.2f) rotate(-90)\" text-anchor=\"middle\">",
                  (TOP + bottom) / 2);
  add_title(self, &self->y);
  text_add_string(svg, "</text>\n<g clip-path=\"url(#box)\">\n");
  return true;
}

/* ── what is drawn ── */

static void add_style(text_builder *to, const figure_style *style)
{
  text_add_format(to, " stroke=\"%s\" stroke-width=\"%.3g\"", colours[style->colour % FIGURE_COLOURS], style->width);
  if (style->opacity > 0) text_add_format(to, " stroke-opacity=\"%.3g\"", style->opacity);
  if (style->dash) text_add_format(to, " stroke-dasharray=\"%s\"", style->dash);
}

void figure_line(figure *self, const double *x, const double *y, size_t count, const figure_style *style)
{
  bool down = false;
  text_add_string(&self->svg, "<path class=\"line\"");
  add_style(&self->svg, style);
  text_add_string(&self->svg, " d=\"");
  for (size_t i = 0; i < count; i++) {
    bool seen = is_seen(&self->x, x[i]) && is_seen(&self->y, y[i]);
    if (seen) text_add_format(&self->svg, "%s%.2f %.2f", down ? "L" : "M", to_x(self, x[i]), to_y(self, y[i]));
    down = seen;
  }
  text_add_string(&self->svg, "\"/>\n");
}

void figure_band(figure *self, const double *x, const double *low, const double *high, size_t count, int colour)
{
  bool down = false;
  text_add_format(&self->svg, "<path class=\"band\" fill=\"%s\" fill-opacity=\"0.2\" d=\"", colours[colour % FIGURE_COLOURS]);
  for (size_t i = 0; i < 2 * count; i++) {
    size_t k = i < count ? i : 2 * count - 1 - i;
    if (!isfinite(x[k]) || !isfinite(low[k]) || !isfinite(high[k])) continue;
    text_add_format(&self->svg, "%s%.2f %.2f", down ? "L" : "M", to_x(self, x[k]), to_y(self, i < count ? low[k] : high[k]));
    down = true;
  }
  text_add_string(&self->svg, down ? "Z\"/>\n" : "\"/>\n");
}

void figure_dots(figure *self, const double *x, const double *y, size_t count, int colour)
{
  text_add_format(&self->svg, "<g class=\"dots\" fill=\"%s\" fill-opacity=\"%s\">\n", colours[colour % FIGURE_COLOURS],
                  count > 500 ? "0.4" : "0.8");
  for (size_t i = 0; i < count; i++)
    if (is_seen(&self->x, x[i]) && is_seen(&self->y, y[i]))
      text_add_format(&self->svg, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"1.8\"/>\n", to_x(self, x[i]), to_y(self, y[i]));
  text_add_string(&self->svg, "</g>\n");
}

void figure_entry(figure *self, const char *text, const figure_style *style)
{
  double y = TOP + LINE * (self->legend_count++ + 0.9);
  if (strlen(text) > self->legend_length) self->legend_length = strlen(text);
  if (style->width > 0) {
    text_add_format(&self->legend, "<path d=\"M%d %.2fh14\"", LEFT + 5, y);
    add_style(&self->legend, style);
    text_add_string(&self->legend, "/>");
  } else {
    text_add_format(&self->legend, "<circle cx=\"%d\" cy=\"%.2f\" r=\"1.8\" fill=\"%s\"/>", LEFT + 12, y,
                    colours[style->colour % FIGURE_COLOURS]);
  }
  text_add_format(&self->legend, "<text x=\"%d\" y=\"%.2f\">", LEFT + 23, y + 2.8);
  text_add_escaped(&self->legend, text);
  text_add_string(&self->legend, "</text>\n");
}

char *figure_close(figure *self)
{
  text_add_format(&self->svg, "</g>\n<rect class=\"frame\" x=\"%d\" y=\"%d\" width=\"%.2f\" height=\"%.2f\"/>\n<g class=\"legend\">\n",
                  LEFT, TOP, self->width - RIGHT - LEFT, self->height - BOTTOM - TOP);
  if (self->legend_count)
    text_add_format(&self->svg, "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"#fff\" fill-opacity=\"0.8\"/>\n", LEFT + 2,
                    TOP + 2, 28 + 4.2 * (double)self->legend_length, LINE * self->legend_count + 2);
  if (self->legend.data) text_add(&self->svg, self->legend.data, self->legend.length);
  text_add_string(&self->svg, "</g>\n</svg>\n");
  bool failed = self->legend.failed;
  text_clear(&self->legend);
  if (failed) text_clear(&self->svg);
  return failed ? NULL : text_take(&self->svg);
}
