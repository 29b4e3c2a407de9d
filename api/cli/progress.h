/** A run's progress on stderr: a bar on a terminal, a plain line now and then elsewhere. */
#ifndef SCREE_API_CLI_PROGRESS_H
#define SCREE_API_CLI_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

#include "scree.h"

/** What there is to show; the same for a run here and one on a server. Numbers may be NaN when unknown. */
typedef struct progress_state {
  const char *label;         /**< "running", "queued", ... */
  double fraction;           /**< 0 ... 1 */
  double sim_time, duration; /**< s */
  size_t headline_count;
  scr_headline headlines[SCR_HEADLINE_LIMIT];
  const char *stage;  /**< label; "" or NULL: none */
  double eta_seconds; /**< wall-clock, s */
} progress_state;

/** One line without a line end, at most `width` columns wide, with a bar if there is room.
 *  @param line [capacity], 512 suffice */
void progress_line(const progress_state *state, size_t width, char *line, size_t capacity);

typedef struct progress_view {
  bool shown;       /**< false: --quiet */
  bool terminal;    /**< stderr is one */
  bool open;        /**< a bar stands on the last line */
  double last_time; /**< of the last plain line, clock seconds */
  double last_fraction;
  char last_label[16];
} progress_view;

void progress_begin(progress_view *view, bool quiet);
/** Draws the bar anew, or prints a line when 10 % or 15 s have passed since the last one or the label changed. */
void progress_show(progress_view *view, const progress_state *state);
/** Ends the bar's line, so that other text can follow. */
void progress_end(progress_view *view);

#endif
