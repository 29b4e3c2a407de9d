/* The newest histogram of a table as an SVG picture: bars over classes of masses, what is apart from them beside, and where the mass was at
 * the start. Such a table has the columns time, one that is 1 in the row of what is apart and is named for it, lower_mass, upper_mass,
 * count, mass. */
#include "base/error.h"
#include "base/quantity.h"
#include "base/text.h"
#include "record/table/table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
  picture_width = 840,
  picture_height = 520,
  margin_left = 84,
  margin_right = 28,
  margin_top = 84,
  margin_bottom = 92,
  class_limit = 64
};

/* A bar: a class of masses, or what is apart. */
typedef struct bar {
  double upper, count, mass, before; /* upper bound, kg; pieces, kg of them now and at the start */
} bar;

typedef struct histogram {
  bar classes[class_limit]; /* heaviest first, empty ones between them too */
  size_t class_count;
  bar apart;
  double time, mass; /* s, kg of all */
} histogram;

/* A row of the table, its columns by their place. */
static const double *row_of(const scr_table *table, size_t r)
{
  return table->values + r * table->column_count;
}

/* Puts a row where it belongs: class k has the upper bound `whole` 2^-k. */
static void take_row(histogram *h, double whole, const double *row, bool now)
{
  double place = round(log2(whole / row[3]));
  bool apart = row[1] > 0.5;
  if (!apart && !(place >= 0 && place < class_limit)) return;
  bar *to = apart ? &h->apart : &h->classes[(size_t)place];
  if (!apart) to->upper = row[3];
  if (!apart && (size_t)place + 1 > h->class_count) h->class_count = (size_t)place + 1;
  if (now)
    to->count = row[4], to->mass = row[5], h->mass += row[5];
  else
    to->before = row[5];
}

/* The first and the newest histogram of the table. */
static histogram gather(const scr_table *table)
{
  histogram h = {.class_count = 0};
  double whole = 0, first = row_of(table, 0)[0];
  h.time = row_of(table, table->row_count - 1)[0];
  for (size_t r = 0; r < table->row_count; r++) whole = fmax(whole, row_of(table, r)[3]);
  for (size_t r = 0; r < table->row_count; r++) {
    const double *row = row_of(table, r);
    if (row[0] == first) take_row(&h, whole, row, false);
    if (row[0] == h.time) take_row(&h, whole, row, true);
  }
  for (size_t k = 0; k < h.class_count; k++) h.classes[k].upper = ldexp(whole, -(int)k);
  return h;
}

static void add_bar(text_builder *svg, const bar *b, double whole, double left, double width, const char *class, const char *label)
{
  double height = picture_height - margin_top - margin_bottom, bottom = picture_height - margin_bottom, middle = left + 0.5 * width;
  double now = height * b->mass / whole, before = height * b->before / whole;
  text_add_format(svg, "<rect class=\"before\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>", left + 0.1 * width, bottom - before,
                  0.8 * width, before);
  text_add_format(svg, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>", class, left + 0.1 * width, bottom - now,
                  0.8 * width, now);
  if (b->count > 0)
    text_add_format(svg, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%.0f</text>", middle, bottom - now - 6, b->count);
  text_add_format(svg, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\" transform=\"rotate(-35 %.1f %.1f)\">%s</text>\n", middle,
                  bottom + 16, middle, bottom + 16, label);
}

/* Kilograms in the unit that suits. */
static void mass_text(double mass, char *text, size_t capacity)
{
  static const struct {
    double limit;
    const char *unit;
  } units[] = {{1, "kg"}, {1e-3, "g"}, {1e-6, "mg"}, {1e-9, "\xc2\xb5g"}, {0, "ng"}};
  double scale = 1;
  size_t k = 0;
  while (k + 1 < sizeof units / sizeof *units && mass < units[k].limit) k++, scale *= 1e3;
  snprintf(text, capacity, "%.3g %s", mass * scale, units[k].unit);
}

static void add_bars(text_builder *svg, const histogram *h, const char *apart)
{
  double free_width = picture_width - margin_left - margin_right, width = fmin(90, free_width / ((double)h->class_count + 1.5));
  char label[QUANTITY_BYTES + 8], mass[QUANTITY_BYTES];
  add_bar(svg, &h->apart, h->mass, margin_left, width, "apart", apart);
  for (size_t k = 0; k < h->class_count; k++) { /* lightest on the left */
    size_t from = h->class_count - 1 - k;
    mass_text(h->classes[from].upper, mass, sizeof mass);
    snprintf(label, sizeof label, "to %s", mass);
    add_bar(svg, &h->classes[from], h->mass, margin_left + ((double)k + 1.5) * width, width, "now", label);
  }
}

static void add_frame(text_builder *svg)
{
  int right = picture_width - margin_right, bottom = picture_height - margin_bottom;
  for (int k = 0; k <= 5; k++) {
    double y = bottom - 0.2 * k * (bottom - margin_top);
    text_add_format(
        svg, "<line class=\"grid\" x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\"/><text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%d</text>\n",
        margin_left, y, right, y, margin_left - 8, y + 4.5, 20 * k);
  }
  text_add_format(svg,
                  "<text class=\"label\" transform=\"translate(24 %d) rotate(-90)\" text-anchor=\"middle\">Share of all mass [%%]</text>\n",
                  (margin_top + bottom) / 2);
  text_add_format(svg,
                  "<text class=\"label\" x=\"%d\" y=\"%d\" text-anchor=\"middle\">Mass of a piece, classes by halves; numbers of "
                  "pieces over the bars</text>\n",
                  (margin_left + right) / 2, picture_height - 14);
}

static void add_head(text_builder *svg, const histogram *h, const scr_table *table)
{
  char time[QUANTITY_BYTES];
  double pieces = h->apart.count;
  for (size_t k = 0; k < h->class_count; k++) pieces += h->classes[k].count;
  quantity_text(h->time, "s", time, sizeof time);
  text_add_format(svg, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\">\n<title>",
                  picture_width, picture_height, picture_width, picture_height);
  text_add_escaped(svg, table->label);
  text_add_string(svg, "</title>\n");
  text_add_string(svg,
                  "<style>text{font:13px sans-serif;fill:#3c4450}.title{font-size:17px;font-weight:600;fill:#1b2026}.label{font-size:14px}"
                  ".grid{stroke:#e3e7ec;stroke-width:1}.now{fill:#1668b8}.apart{fill:#b86a16}.before{fill:#dfe5ec}</style>\n"
                  "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n");
  text_add_format(svg, "<text class=\"title\" x=\"%d\" y=\"34\">", margin_left);
  text_add_escaped(svg, table->label);
  text_add_format(svg, " at t = %s</text>\n", time);
  text_add_format(svg, "<text x=\"%d\" y=\"56\">%.0f pieces, of them %.0f of %s, which is %.2g %% of the mass. Grey: at the start</text>\n",
                  margin_left, pieces, h->apart.count, table->columns[1].name, h->mass > 0 ? 100 * h->apart.mass / h->mass : 0);
}

bool table_is_histogram(const scr_table *table)
{
  static const char *const names[] = {"time", NULL, "lower_mass", "upper_mass", "count", "mass"};
  bool fits = table->column_count == sizeof names / sizeof *names;
  for (size_t k = 0; fits && k < table->column_count; k++) fits = !names[k] || strcmp(table->columns[k].name, names[k]) == 0;
  return fits;
}

static scr_status check_columns(const scr_table *table, scr_error *error)
{
  if (table_is_histogram(table)) return SCR_OK;
  return scr_fail(error, SCR_BAD_USAGE, NULL, "table '%s' is not a histogram of masses, so it has no picture", table->name);
}

static scr_status check_rows(const scr_table *table, scr_error *error)
{
  if (table->row_count > 0) return SCR_OK;
  return scr_fail(error, SCR_BAD_USAGE, NULL, "table '%s' has no rows yet: they come with every frame", table->name);
}

scr_status scr_table_svg(scr_recording *recording, const char *name, char **text, size_t *length, scr_error *error)
{
  scr_table *table = NULL;
  *text = NULL;
  *length = 0;
  SCR_TRY(scr_table_open(recording, name, &table, error)); /* rows are only read where there is something to draw */
  scr_status status = check_columns(table, error);
  scr_table_destroy(table);
  table = NULL;
  if (status == SCR_OK) status = scr_table_read(recording, name, 0, &table, error);
  if (status == SCR_OK) status = check_rows(table, error);
  if (status == SCR_OK) {
    histogram h = gather(table);
    text_builder svg = {0};
    add_head(&svg, &h, table);
    add_frame(&svg);
    if (h.mass > 0) add_bars(&svg, &h, table->columns[1].name);
    text_add_string(&svg, "</svg>\n");
    *length = svg.length;
    *text = text_take(&svg);
    if (!*text) status = scr_fail_memory(error, "a picture of a table", *length);
  }
  scr_table_destroy(table);
  return status;
}
