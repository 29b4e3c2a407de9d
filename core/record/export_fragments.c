/* The newest histogram of fragments as an SVG picture: bars over classes of masses, dust apart, and where the mass was at the start. */
#include "base/error.h"
#include "base/quantity.h"
#include "base/text.h"
#include "scree.h"

#include <math.h>
#include <stdio.h>

enum {
  picture_width = 840,
  picture_height = 520,
  margin_left = 84,
  margin_right = 28,
  margin_top = 84,
  margin_bottom = 92,
  class_limit = 64
};

/* A bar: a class of masses, or dust. */
typedef struct bar {
  double upper, count, mass, before; /* upper bound, kg; pieces, kg of them now and at the start */
} bar;

typedef struct histogram {
  bar classes[class_limit]; /* heaviest first, empty ones between them too */
  size_t class_count;
  bar dust;
  double time, mass; /* s, kg of all */
} histogram;

/* A row of the table, its columns by their place (fragments.h writes them). */
static const double *row_of(const scr_table *table, size_t r)
{
  return table->values + r * table->column_count;
}

/* Puts a row where it belongs: class k has the upper bound `whole` 2^-k. */
static void take_row(histogram *h, double whole, const double *row, bool now)
{
  double place = round(log2(whole / row[3]));
  bool dust = row[1] > 0.5;
  if (!dust && !(place >= 0 && place < class_limit)) return;
  bar *to = dust ? &h->dust : &h->classes[(size_t)place];
  if (!dust) to->upper = row[3];
  if (!dust && (size_t)place + 1 > h->class_count) h->class_count = (size_t)place + 1;
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

static void add_bars(text_builder *svg, const histogram *h)
{
  double room = picture_width - margin_left - margin_right, width = fmin(90, room / ((double)h->class_count + 1.5));
  char label[QUANTITY_BYTES + 8], mass[QUANTITY_BYTES];
  add_bar(svg, &h->dust, h->mass, margin_left, width, "dust", "dust");
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
                  "<text class=\"label\" x=\"%d\" y=\"%d\" text-anchor=\"middle\">Mass of a fragment, classes by halves; numbers of "
                  "fragments over the bars</text>\n",
                  (margin_left + right) / 2, picture_height - 14);
}

static void add_head(text_builder *svg, const histogram *h)
{
  char time[QUANTITY_BYTES];
  double pieces = h->dust.count;
  for (size_t k = 0; k < h->class_count; k++) pieces += h->classes[k].count;
  quantity_text(h->time, "s", time, sizeof time);
  text_add_format(
      svg,
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\">\n<title>Fragments by mass</title>\n",
      picture_width, picture_height, picture_width, picture_height);
  text_add_string(svg,
                  "<style>text{font:13px sans-serif;fill:#3c4450}.title{font-size:17px;font-weight:600;fill:#1b2026}.label{font-size:14px}"
                  ".grid{stroke:#e3e7ec;stroke-width:1}.now{fill:#1668b8}.dust{fill:#b86a16}.before{fill:#dfe5ec}</style>\n"
                  "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n");
  text_add_format(svg, "<text class=\"title\" x=\"%d\" y=\"34\">Fragments by mass at t = %s</text>\n", margin_left, time);
  text_add_format(svg,
                  "<text x=\"%d\" y=\"56\">%.0f pieces, of them %.0f of dust, which is %.2g %% of the mass. Grey: at the start</text>\n",
                  margin_left, pieces, h->dust.count, h->mass > 0 ? 100 * h->dust.mass / h->mass : 0);
}

scr_status scr_fragments_svg(scr_recording *recording, char **text, size_t *length, scr_error *error)
{
  enum { COLUMNS = 6 };
  scr_table *table = NULL;
  *text = NULL;
  *length = 0;
  SCR_TRY(scr_table_read(recording, "fragments", 0, &table, error));
  if (table->column_count < COLUMNS || table->row_count == 0) {
    scr_status status = scr_fail(error, SCR_BAD_USAGE, NULL, "this recording has no fragments counted yet: they are at every frame");
    scr_table_destroy(table);
    return status;
  }
  histogram h = gather(table);
  scr_table_destroy(table);
  text_builder svg = {0};
  add_head(&svg, &h);
  add_frame(&svg);
  if (h.mass > 0) add_bars(&svg, &h);
  text_add_string(&svg, "</svg>\n");
  size_t bytes = svg.length;
  *text = text_take(&svg);
  if (!*text) return scr_fail_memory(error, "a picture of fragments", bytes);
  *length = bytes;
  return SCR_OK;
}
