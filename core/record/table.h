/** Event tables on their way into a recording: rows of numbers under columns that a method declares. Reading them back is public:
 *  scr_table_read. */
#ifndef SCREE_RECORD_TABLE_H
#define SCREE_RECORD_TABLE_H

#include "scree.h"

enum { TABLE_LIMIT = 16, TABLE_COLUMN_LIMIT = 32 }; /**< tables of a recording, columns of a table */

/** A table and its rows since the last record of them. Starts zeroed; owned by the simulation. */
typedef struct table_log {
  scr_table table; /**< values: the rows not yet recorded */
  size_t capacity; /**< of the rows */
} table_log;

/** Copies name, label and columns. SCR_BAD_USAGE for no or too many columns. */
scr_status table_log_begin(table_log *log, const scr_table *about, scr_error *error);
/** Appends a row. @param values [column_count], finite */
scr_status table_log_add(table_log *log, const double *values, scr_error *error);
void table_log_clear(table_log *log);

/** Header of a `table` record's payload; the rows follow, f64 [row_count][column_count]. */
typedef struct table_header {
  uint32_t table; /**< its place in the topology's list, from 0 */
  uint32_t row_count;
  uint32_t column_count; /**< as the topology says */
  uint32_t reserved;     /**< 0 */
} table_header;

#endif
