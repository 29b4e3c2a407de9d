/** Lines and cells of a measured text: what is a number, how a line is split. */
#ifndef SCREE_SERVER_STUDY_MEASURED_CELLS_H
#define SCREE_SERVER_STUDY_MEASURED_CELLS_H

#include "base/error.h"

/** A piece of text; borrowed. */
typedef struct cell {
  const char *text;
  size_t length;
  bool quoted;
} cell;

typedef enum cell_kind {
  CELL_EMPTY, /**< nothing, or what machines write for nothing: "-", "NaN" */
  CELL_NUMBER,
  CELL_GROUPED, /**< a number with thousands separators, or with another decimal sign */
  CELL_TEXT
} cell_kind;

/** How a number's digits speak for its decimal sign. */
typedef struct cell_evidence {
  size_t sure;   /**< numbers whose decimal sign can't separate thousands: "0.123", "12.34" */
  size_t unsure; /**< those where it could: "1.234" */
} cell_evidence;

/** Text as UTF-8: without byte order mark, from UTF-16 where it has one of that, from Latin-1 where it is no UTF-8.
 *  @param out receives [*length] bytes and a zero behind them, to free
 *  @param encoding receives its name. Static text.
 *  @return SCR_OK; SCR_BAD_FILE: it is binary; SCR_NO_MEMORY */
scr_status cells_decode(const void *bytes, size_t size, char **out, size_t *length, const char **encoding, scr_error *error);

/** The next line from *at on, without its end; moves *at behind it. False at the end. */
bool cells_line(const char **at, const char *end, cell *line);

/** Splits a line. @param cells [most]    @return how many there are, most + 1: more; blanks: none for a blank line */
size_t cells_split(cell line, char separator, cell *cells, size_t most);

/** What a cell is. @param value receives the number    @param evidence added to; may be NULL */
cell_kind cells_read(cell of, char decimal, double *value, cell_evidence *evidence);

/** Without blanks around. */
cell cells_trim(cell of);

#endif
