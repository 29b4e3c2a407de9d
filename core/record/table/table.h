/** Event tables on their way into a recording: rows of numbers under columns that a method declares. Reading them back is public:
 *  scr_table_read. */
#ifndef SCREE_RECORD_TABLE_H
#define SCREE_RECORD_TABLE_H

#include "scree.h"

enum { TABLE_LIMIT = 16, TABLE_COLUMN_LIMIT = 32 }; /**< tables of a recording, columns of a table */

/** A table and its rows since the last record of them. Starts zeroed; owned by the simulation. */
typedef struct table_log {
  scr_table table;      /**< values: the rows not yet recorded */
  size_t capacity;      /**< of the rows */
  uint64_t recorded;    /**< rows recorded so far */
  char event_kind[32];  /**< of the event that announces the first row; "": none does */
  char event_text[128]; /**< what happened: "the first grains split"; how many and when is added */
  bool announced;       /**< that event is recorded */
} table_log;

/** Copies name, label and columns. SCR_BAD_USAGE for no or too many columns, or text that is too long or not plain. */
scr_status table_log_begin(table_log *log, const scr_table *about, scr_error *error);
/** Appends a row. @param values [column_count], finite, or NaN where there is none */
scr_status table_log_add(table_log *log, const double *values, scr_error *error);
/** Makes room for `rows` in all, so that they can be written straight into table.values. SCR_NO_MEMORY. */
scr_status table_log_reserve(table_log *log, size_t rows, scr_error *error);
void table_log_clear(table_log *log);
/** Makes room for `count` more rows in a table's values. @param capacity of rows, kept by the caller    @return SCR_OK, SCR_NO_MEMORY */
scr_status table_reserve_rows(scr_table *table, size_t *capacity, size_t count, scr_error *error);

/** Whether a table has 1 to TABLE_COLUMN_LIMIT columns, and names that are plain: lower-case letters, digits and _. SCR_BAD_USAGE. */
scr_status table_check(const scr_table *about, scr_error *error);
/** Copies name, label and columns of a table, without rows. What it holds is freed by table_clear. */
scr_status table_copy(scr_table *copy, const scr_table *about, scr_error *error);
/** Frees what a table holds, but not the table. */
void table_clear(scr_table *table);

/** Whether a table is a histogram of masses, which can be drawn (scr_table_svg). */
bool table_is_histogram(const scr_table *table);

/** Header of a `table` record's payload; the rows follow, f64 [row_count][column_count]. */
typedef struct table_header {
  uint32_t table; /**< its place in the topology's list, from 0 */
  uint32_t row_count;
  uint32_t column_count; /**< as the topology says */
  uint32_t reserved;     /**< 0 */
} table_header;

#endif
