/* Event tables: the log that methods fill. */
#include "record/table/table.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

/* ── the log ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

scr_status table_copy(scr_table *copy, const scr_table *about, scr_error *error)
{
  *copy = *about;
  copy->row_count = 0;
  copy->values = NULL;
  SCR_TRY(mem_allocate(&copy->columns, about->column_count, sizeof *copy->columns, "a table", error));
  memcpy(copy->columns, about->columns, about->column_count * sizeof *copy->columns);
  return SCR_OK;
}

void table_clear(scr_table *table)
{
  mem_free(table->columns);
  mem_free(table->values);
  *table = (scr_table){0};
}

/* Names go into addresses, heads of CSV files and JSON as they are. */
static bool plain_name(const char *name)
{
  return name[0] && !name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_")];
}

scr_status table_check(const scr_table *about, scr_error *error)
{
  static const char allowed[] = "names are lower-case letters, digits and _";
  if (about->column_count < 1 || about->column_count > TABLE_COLUMN_LIMIT)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "table '%s' has %zu columns; 1 to %d are possible", about->name, about->column_count,
                    TABLE_COLUMN_LIMIT);
  if (!plain_name(about->name)) return scr_fail(error, SCR_BAD_USAGE, NULL, "a table is named '%s': %s", about->name, allowed);
  for (size_t k = 0; k < about->column_count; k++) {
    const scr_column *column = &about->columns[k];
    if (!plain_name(column->name))
      return scr_fail(error, SCR_BAD_USAGE, NULL, "a column of table '%s' is named '%s': %s", about->name, column->name, allowed);
    if (column->value_count > SCR_COLUMN_VALUES)
      return scr_fail(error, SCR_BAD_USAGE, NULL, "column '%s' of table '%s' has %u named values; at most %d are possible", column->name,
                      about->name, column->value_count, SCR_COLUMN_VALUES);
    for (uint32_t v = 0; v < column->value_count; v++)
      if (!plain_name(column->values[v]))
        return scr_fail(error, SCR_BAD_USAGE, NULL, "a value of column '%s' of table '%s' is named '%s': %s", column->name, about->name,
                        column->values[v], allowed);
  }
  return SCR_OK;
}

scr_status table_log_begin(table_log *log, const scr_table *about, scr_error *error)
{
  *log = (table_log){0};
  SCR_TRY(table_check(about, error));
  return table_copy(&log->table, about, error);
}

scr_status table_reserve_rows(scr_table *table, size_t *capacity, size_t count, scr_error *error)
{
  size_t row = table->column_count * sizeof *table->values;
  void *grown = table->values;
  if (!mem_grow(&grown, capacity, table->row_count + count, row) || !grown) {
    (void)scr_fail_memory(error, "the rows of a table", (table->row_count + count) * row);
    return SCR_NO_MEMORY;
  }
  table->values = grown;
  return SCR_OK;
}

scr_status table_log_reserve(table_log *log, size_t rows, scr_error *error)
{
  return rows > log->table.row_count ? table_reserve_rows(&log->table, &log->capacity, rows - log->table.row_count, error) : SCR_OK;
}

scr_status table_log_add(table_log *log, const double *values, scr_error *error)
{
  scr_table *table = &log->table;
  SCR_TRY(table_reserve_rows(table, &log->capacity, 1, error));
  memcpy(table->values + table->row_count * table->column_count, values, table->column_count * sizeof *values);
  table->row_count++;
  return SCR_OK;
}

void table_log_clear(table_log *log)
{
  table_clear(&log->table);
  *log = (table_log){0};
}
