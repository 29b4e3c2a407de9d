/* Event tables read back from a recording. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "record/file/recording.h"
#include "record/table/old_breaks.h"
#include "record/table/table.h"
#include "record/topology.h"

static_assert(sizeof(table_header) == 16, "on-disk layout");

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
  if (row == 0 || header.column_count != table->column_count || (size - sizeof header) % row != 0 ||
      (size - sizeof header) / row != header.row_count)
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
  if (status == SCR_OK && count > 0) status = table_reserve_rows(table, capacity, count, error);
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
