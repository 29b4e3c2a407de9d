/** A figure for a paper as SVG: a box with ticks, titles and units, in it lines, bands and dots, and a legend. Lengths are points (1/72
 * in), writing has 8 points; the width is that of a column, or of two.
 *
 *  First everything that is to be seen is included, which sets the axes; then figure_open draws them, and what is drawn lies above what was
 *  drawn before. Values that are not finite leave gaps. */
#ifndef SCREE_API_CLI_STUDY_FIGURE_H
#define SCREE_API_CLI_STUDY_FIGURE_H

#include "base/text.h"

enum {
  FIGURE_COLOURS = 7,
  FIGURE_BLACK = FIGURE_COLOURS - 1
}; /**< colours that people who are colour-blind tell apart (Okabe and Ito 2008) */

typedef struct figure_axis {
  char title[160], unit[32]; /**< unit: SI, "" or "1" for a bare number; the axis takes the prefix that suits */
  bool logarithmic;          /**< values above 0 alone are seen */
  double low, high;          /**< of what was included; then of the axis */
  double scale, tick;        /**< label = value * scale; between ticks of a linear axis */
  char prefix[4];
} figure_axis;

typedef struct figure {
  figure_axis x, y;
  double width, height; /**< points */
  text_builder svg, legend;
  int legend_count;
  size_t legend_length; /**< of the longest entry, bytes */
} figure;

typedef struct figure_style {
  int colour;       /**< 0 ... FIGURE_COLOURS - 1 */
  double width;     /**< points */
  double opacity;   /**< 0: 1 */
  const char *dash; /**< as SVG's stroke-dasharray; NULL: none */
} figure_style;

/** @param columns 1: 85 mm wide, 2: 175 mm */
void figure_start(figure *self, int columns);
void figure_include(figure *self, const double *x, const double *y, size_t count);
/** @param title of the picture, for those who can't see it    @return false: nothing finite was included */
bool figure_open(figure *self, const char *title);
void figure_line(figure *self, const double *x, const double *y, size_t count, const figure_style *style);
/** The area between two curves. */
void figure_band(figure *self, const double *x, const double *low, const double *high, size_t count, int colour);
void figure_dots(figure *self, const double *x, const double *y, size_t count, int colour);
/** An entry of the legend: a line of this style, of width 0 a dot. */
void figure_entry(figure *self, const char *text, const figure_style *style);
/** Ends the picture. @return its text, to be freed; NULL without memory */
char *figure_close(figure *self);
void figure_clear(figure *self);

#endif
