/* Event tables: the log that methods fill, and records of them read back. */
#include "record/table.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "record/old_breaks.h"
#include "record/recording.h"
#include "record/topology.h"

static_assert(sizeof(table_header) == 16, "on-disk layout");

/* ── the log ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

scr_status table_copy(scr_table *copy, const scr_table *about, scr_error *error)
{
  *copy = *about;
  copy->row_count = 0;
  copy->values = NULL;
  copy->columns = mem_array(about->column_count, sizeof *copy->columns);
  if (!copy->columns) return scr_fail_memory(error, "a table", about->column_count * sizeof *copy->columns);
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

/* Room for `count` more rows. */
static scr_status make_room(scr_table *table, size_t *capacity, size_t count, scr_error *error)
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
  return rows > log->table.row_count ? make_room(&log->table, &log->capacity, rows - log->table.row_count, error) : SCR_OK;
}

scr_status table_log_add(table_log *log, const double *values, scr_error *error)
{
  scr_table *table = &log->table;
  SCR_TRY(make_room(table, &log->capacity, 1, error));
  memcpy(table->values + table->row_count * table->column_count, values, table->column_count * sizeof *values);
  table->row_count++;
  return SCR_OK;
}

void table_log_clear(table_log *log)
{
  table_clear(&log->table);
  *log = (table_log){0};
}

/* ── reading ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

static scr_record_type record_type(const scr_table *table)
{
  return table->number == OLD_BREAKS_NUMBER ? SCR_RECORD_BREAKS : SCR_RECORD_TABLE;
}

/* How many rows of this table a record holds. */
static scr_status count_rows(const scr_table *table, const void *payload, size_t size, size_t *count, scr_error *error)
{
  table_header header;
  *count = 0;
  if (table->number == OLD_BREAKS_NUMBER) return old_breaks_count(payload, size, count, error);
  if (size < sizeof header) return scr_fail(error, SCR_BAD_FILE, NULL, "a record of %zu bytes of a table is shorter than its header", size);
  memcpy(&header, payload, sizeof header);
  if (header.table != table->number) return SCR_OK;
  size_t row = table->column_count * sizeof *table->values;
  if (row == 0 || header.column_count != table->column_count || (size - sizeof header) % row != 0 || (size - sizeof header) / row != header.row_count)
    return scr_fail(error, SCR_BAD_FILE, NULL, "a record holds %u rows of %u columns in %zu bytes; table '%s' has %zu columns",
                    header.row_count, header.column_count, size, table->name, table->column_count);
  *count = header.row_count;
  return SCR_OK;
}

/* A cell under named values is the number of one of them. */
static scr_status check_values(const scr_table *table, const double *rows, size_t count, scr_error *error)
{
  for (size_t c = 0; c < table->column_count; c++) {
    uint32_t limit = table->columns[c].value_count;
    for (size_t r = 0; limit && r < count; r++) {
      double value = rows[r * table->column_count + c];
      if (!(value >= 0 && value < limit && value == (double)(uint32_t)value))
        return scr_fail(error, SCR_BAD_FILE, NULL, "column '%s' of table '%s' holds %g; it has %u named values", table->columns[c].name,
                        table->name, value, limit);
    }
  }
  return SCR_OK;
}

/* Appends the rows of record `seq`, if they are of this table. */
static scr_status take_record(scr_recording *recording, uint64_t seq, scr_table *table, size_t *capacity, scr_error *error)
{
  void *record = NULL;
  const void *payload = NULL;
  size_t size = 0, count = 0;
  SCR_TRY(recording_payload(recording, seq, &record, &payload, &size, error));
  scr_status status = count_rows(table, payload, size, &count, error);
  if (status == SCR_OK && count > 0) status = make_room(table, capacity, count, error);
  if (status == SCR_OK && count > 0) {
    double *rows = table->values + table->row_count * table->column_count;
    if (table->number == OLD_BREAKS_NUMBER)
      old_breaks_rows(payload, count, rows);
    else
      memcpy(rows, (const unsigned char *)payload + sizeof(table_header), count * table->column_count * sizeof *rows);
    status = check_values(table, rows, count, error);
    table->row_count += count;
  }
  free(record);
  return status;
}

/* The topology with the table that old recordings imply. */
static scr_status read_topology(scr_recording *recording, scr_topology *topology, bool *found, scr_error *error)
{
  SCR_TRY(topology_read(recording, topology, found, error));
  for (size_t k = 0; k < topology->table_count; k++) topology->tables[k].number = (uint32_t)k;
  scr_status status = *found ? old_breaks_declare(topology, error) : SCR_OK;
  if (status != SCR_OK) topology_clear(topology);
  return status;
}

scr_status scr_table_open(scr_recording *recording, const char *name, scr_table **table, scr_error *error)
{
  scr_topology topology;
  bool found = false;
  *table = NULL;
  SCR_TRY(read_topology(recording, &topology, &found, error));
  size_t k = 0;
  while (k < topology.table_count && strcmp(topology.tables[k].name, name) != 0) k++;
  scr_table *opened = mem_array(1, sizeof *opened);
  scr_status status = SCR_OK;
  if (!opened)
    status = scr_fail_memory(error, "a table", sizeof *opened);
  else if (k < topology.table_count)
    status = table_copy(opened, &topology.tables[k], error);
  else
    status = scr_fail(error, SCR_BAD_USAGE, NULL, "this recording has no table '%.60s'%s", name,
                      found ? ": its method writes none, or the version that made it did not" : " yet");
  topology_clear(&topology);
  if (status == SCR_OK)
    *table = opened;
  else
    mem_free(opened);
  return status;
}

scr_status scr_table_next(scr_recording *recording, scr_table *table, uint64_t *seq, scr_error *error)
{
  size_t capacity = 0;
  mem_free(table->values);
  table->values = NULL;
  table->row_count = 0;
  for (uint64_t next = *seq; (next = scr_recording_next(recording, next, 1u << record_type(table))) != 0;) {
    SCR_TRY(take_record(recording, next, table, &capacity, error));
    *seq = next;
    if (table->row_count > 0) return SCR_OK;
  }
  return SCR_OK;
}

scr_status scr_table_read(scr_recording *recording, const char *name, uint64_t after, scr_table **table, scr_error *error)
{
  size_t capacity = 0;
  SCR_TRY(scr_table_open(recording, name, table, error));
  scr_status status = *table ? SCR_OK : SCR_BAD_USAGE;
  for (uint64_t seq = after; status == SCR_OK && (seq = scr_recording_next(recording, seq, 1u << record_type(*table))) != 0;)
    status = take_record(recording, seq, *table, &capacity, error);
  if (status == SCR_OK) return SCR_OK;
  scr_table_destroy(*table);
  *table = NULL;
  return status;
}

void scr_table_destroy(scr_table *table)
{
  if (!table) return;
  table_clear(table);
  mem_free(table);
}

/* ── the list ────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Adds the rows of one record to the counts. */
static scr_status count_record(scr_recording *recording, uint64_t seq, scr_table *tables, size_t count, scr_error *error)
{
  void *record = NULL;
  const void *payload = NULL;
  size_t size = 0;
  SCR_TRY(recording_payload(recording, seq, &record, &payload, &size, error));
  scr_status status = SCR_OK;
  for (size_t k = 0; status == SCR_OK && k < count; k++) {
    size_t rows = 0;
    if (record_type(&tables[k]) != scr_recording_header(recording, seq)->type) continue;
    status = count_rows(&tables[k], payload, size, &rows, error);
    tables[k].row_count += rows;
  }
  free(record);
  return status;
}

scr_status scr_tables_list(scr_recording *recording, scr_table **tables, size_t *count, scr_error *error)
{
  static const unsigned types = 1u << SCR_RECORD_TABLE | 1u << SCR_RECORD_BREAKS;
  scr_topology topology;
  bool found = false;
  *tables = NULL;
  *count = 0;
  SCR_TRY(read_topology(recording, &topology, &found, error));
  scr_table *list = mem_array(topology.table_count, sizeof *list);
  size_t listed = 0, bytes = topology.table_count * sizeof *list;
  if (!list) {
    topology_clear(&topology);
    return scr_fail_memory(error, "a list of tables", bytes);
  }
  scr_status status = SCR_OK;
  for (; status == SCR_OK && listed < topology.table_count; listed++) status = table_copy(&list[listed], &topology.tables[listed], error);
  topology_clear(&topology);
  for (uint64_t seq = 0; status == SCR_OK && (seq = scr_recording_next(recording, seq, types)) != 0;)
    status = count_record(recording, seq, list, listed, error);
  if (status == SCR_OK) {
    *tables = list;
    *count = listed;
  } else {
    scr_tables_destroy(list, listed);
  }
  return status;
}

void scr_tables_destroy(scr_table *tables, size_t count)
{
  for (size_t k = 0; tables && k < count; k++) table_clear(&tables[k]);
  mem_free(tables);
}
