/* Progress for people: a bar redrawn in place, or plain lines for logs. */
#include "api/cli/progress.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "api/cli/interrupt.h"
#include "api/cli/report.h"
#include "base/quantity.h"
#include "base/text.h"

enum { bar_most = 40, bar_least = 10 };

static void add(char *text, size_t capacity, size_t *used, const char *format, ...) __attribute__((format(printf, 4, 5)));
static void add(char *text, size_t capacity, size_t *used, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(text + *used, capacity - *used, format, arguments);
  va_end(arguments);
  if (length > 0) *used += (size_t)length < capacity - *used ? (size_t)length : capacity - *used - 1;
}

/* All that is said beside the bar; what is not known is left out. */
static void describe(const progress_state *state, char *text, size_t capacity)
{
  char now[QUANTITY_BYTES], whole[QUANTITY_BYTES], number[QUANTITY_BYTES];
  quantity_text(state->sim_time, "s", now, sizeof now);
  quantity_text(state->duration, "s", whole, sizeof whole);
  double percent = isfinite(state->fraction) ? floor(100 * fmin(fmax(state->fraction, 0), 1)) : 0;
  size_t used = 0;
  add(text, capacity, &used, "%3.0f %%  %s of %s", percent, now, whole);
  if (state->stage && state->stage[0]) add(text, capacity, &used, "  %s", state->stage);
  for (size_t k = 0; k < state->headline_count; k++) {
    char label[sizeof state->headlines[k].label];
    if (!isfinite(state->headlines[k].value)) continue;
    report_headline(&state->headlines[k], label, number, sizeof number);
    add(text, capacity, &used, "  %s %s", label, number);
  }
  quantity_span(state->eta_seconds, number, sizeof number);
  if (isfinite(state->eta_seconds)) add(text, capacity, &used, "  ETA %s", number);
}

/* How many columns of a terminal a text takes; its characters are one column wide. */
static size_t columns(const char *text)
{
  size_t count = 0;
  for (; *text; text++) count += ((unsigned char)*text & 0xC0u) != 0x80u; /* 10xxxxxx continues a character */
  return count;
}

/* Ends the text after so many columns. */
static void cut_columns(char *text, size_t width)
{
  size_t length = strlen(text), cut = length;
  while (columns(text) > width) {
    cut = text_cut(text, length, cut - 1);
    text[cut] = '\0';
  }
}

void progress_line(const progress_state *state, size_t width, char *line, size_t capacity)
{
  char text[256], bar[bar_most + 4] = "";
  describe(state, text, sizeof text);
  size_t taken = columns(state->label) + 2 + columns(text) + 3;
  if (width >= taken + bar_least) {
    size_t size = width - taken < bar_most ? width - taken : bar_most;
    double fraction = isfinite(state->fraction) ? fmin(fmax(state->fraction, 0), 1) : 0;
    size_t full = (size_t)(fraction * (double)size);
    bar[0] = '[';
    memset(bar + 1, '-', size);
    memset(bar + 1, '#', full);
    memcpy(bar + 1 + size, "] ", 3);
  }
  snprintf(line, capacity, "%s  %s%s", state->label, bar, text);
  cut_columns(line, width);
}

void progress_begin(progress_view *view, bool quiet)
{
  *view = (progress_view){.shown = !quiet, .terminal = isatty(STDERR_FILENO) == 1, .last_time = -INFINITY, .last_fraction = -1};
}

static size_t terminal_width(void)
{
  struct winsize size;
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20) return (size_t)size.ws_col - 1;
  return 79;
}

void progress_show(progress_view *view, const progress_state *state)
{
  if (!view->shown) return;
  char line[512];
  if (view->terminal) {
    progress_line(state, terminal_width(), line, sizeof line);
    fprintf(stderr, "\r%s\033[K", line);
    fflush(stderr);
    view->open = true;
    return;
  }
  double now = interrupt_clock();
  bool news = state->fraction >= view->last_fraction + 0.1 || now >= view->last_time + 15 || strcmp(state->label, view->last_label) != 0;
  if (!news) return;
  char text[256];
  describe(state, text, sizeof text);
  fprintf(stderr, "%s %s\n", state->label, text);
  view->last_time = now;
  view->last_fraction = state->fraction;
  snprintf(view->last_label, sizeof view->last_label, "%s", state->label);
}

void progress_end(progress_view *view)
{
  if (view->open) fputc('\n', stderr);
  view->open = false;
}
