/* Event tables: the log that methods fill, records read back, CSV and JSON. */
#include "record/table.h"

#include <assert.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "record/recording.h"
#include "record/topology.h"

static_assert(sizeof(table_header) == 16, "on-disk layout");

/* ── the log ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

scr_status table_log_begin(table_log *log, const scr_table *about, scr_error *error)
{
  if (about->column_count < 1 || about->column_count > TABLE_COLUMN_LIMIT)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "table '%s' has %zu columns; 1 to %d are possible", about->name, about->column_count,
                    TABLE_COLUMN_LIMIT);
  *log = (table_log){.table = *about};
  log->table.row_count = 0;
  log->table.values = NULL;
  log->table.columns = mem_array(about->column_count, sizeof *log->table.columns);
  if (!log->table.columns) return scr_fail_memory(error, "a table", about->column_count * sizeof *log->table.columns);
  memcpy(log->table.columns, about->columns, about->column_count * sizeof *log->table.columns);
  return SCR_OK;
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
  mem_free(log->table.columns);
  mem_free(log->table.values);
  *log = (table_log){0};
}

/* ── reading ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Appends the rows of one record, if they are of table `index`. */
static scr_status take_record(scr_table *table, size_t index, size_t *capacity, const void *payload, size_t size, scr_error *error)
{
  table_header header;
  if (size < sizeof header) return scr_fail(error, SCR_BAD_FILE, NULL, "a record of %zu bytes of a table is shorter than its header", size);
  memcpy(&header, payload, sizeof header);
  if (header.table != index) return SCR_OK;
  size_t row = table->column_count * sizeof *table->values;
  if (row == 0 || header.column_count != table->column_count || (size - sizeof header) % row != 0 || (size - sizeof header) / row != header.row_count)
    return scr_fail(error, SCR_BAD_FILE, NULL, "a record holds %u rows of %u columns in %zu bytes; table '%s' has %zu columns",
                    header.row_count, header.column_count, size, table->name, table->column_count);
  if (header.row_count == 0) return SCR_OK;
  SCR_TRY(make_room(table, capacity, header.row_count, error));
  memcpy(table->values + table->row_count * table->column_count, (const unsigned char *)payload + sizeof header, size - sizeof header);
  table->row_count += header.row_count;
  return SCR_OK;
}

/* The topology's table of that name, copied without rows. */
static scr_status find_table(scr_recording *recording, const char *name, scr_table *table, size_t *index, scr_error *error)
{
  scr_topology topology;
  bool found = false;
  table_log log = {0};
  SCR_TRY(topology_read(recording, &topology, &found, error));
  size_t k = 0;
  while (k < topology.table_count && strcmp(topology.tables[k].name, name) != 0) k++;
  scr_status status = SCR_OK;
  if (k < topology.table_count)
    status = table_log_begin(&log, &topology.tables[k], error);
  else
    status = scr_fail(error, SCR_BAD_USAGE, NULL, "this recording has no table '%s'%s", name,
                      found ? ": its method writes none, or the version that made it did not" : " yet");
  topology_clear(&topology);
  *table = log.table;
  *index = k;
  return status;
}

scr_status scr_table_read(scr_recording *recording, const char *name, uint64_t after, scr_table **table, scr_error *error)
{
  size_t index = 0, capacity = 0;
  *table = NULL;
  scr_table *gathered = mem_array(1, sizeof *gathered);
  if (!gathered) return scr_fail_memory(error, "a table", sizeof *gathered);
  *gathered = (scr_table){0};
  scr_status status = find_table(recording, name, gathered, &index, error);
  for (uint64_t seq = after; status == SCR_OK && (seq = scr_recording_next(recording, seq, 1u << SCR_RECORD_TABLE)) != 0;) {
    void *record = NULL;
    const void *payload = NULL;
    size_t size = 0;
    status = recording_payload(recording, seq, &record, &payload, &size, error);
    if (status == SCR_OK) status = take_record(gathered, index, &capacity, payload, size, error);
    free(record);
  }
  if (status == SCR_OK)
    *table = gathered;
  else
    scr_table_destroy(gathered);
  return status;
}

void scr_table_destroy(scr_table *table)
{
  if (!table) return;
  mem_free(table->columns);
  mem_free(table->values);
  mem_free(table);
}

/* ── text ────────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* The end of a text that was written to memory. */
static scr_status finish(FILE *out, char **text, size_t *length, scr_error *error)
{
  bool failed = ferror(out) != 0;
  if (fclose(out) == 0 && !failed) return SCR_OK;
  free(*text);
  *text = NULL;
  *length = 0;
  return scr_fail_memory(error, "a table's text", 4096);
}

/* Names of columns are a method's own and hold nothing that CSV would quote. */
scr_status scr_table_csv(const scr_table *table, char **text, size_t *length, scr_error *error)
{
  *text = NULL;
  *length = 0;
  FILE *out = open_memstream(text, length);
  if (!out) return scr_fail_memory(error, "a CSV file", table->row_count * table->column_count * 24);
  for (size_t k = 0; k < table->column_count; k++) fprintf(out, "%s%s [%s]", k ? "," : "", table->columns[k].name, table->columns[k].unit);
  fputs("\r\n", out);
  for (size_t r = 0; r < table->row_count; r++) {
    for (size_t k = 0; k < table->column_count; k++) fprintf(out, k ? ",%.17g" : "%.17g", table->values[r * table->column_count + k]);
    fputs("\r\n", out);
  }
  return finish(out, text, length, error);
}

scr_status scr_table_json(const scr_table *table, char **text, size_t *length, scr_error *error)
{
  *text = NULL;
  *length = 0;
  json_t *columns = table_columns_json(table);
  char *head = columns ? json_dumps(columns, JSON_COMPACT) : NULL;
  json_decref(columns);
  FILE *out = head ? open_memstream(text, length) : NULL;
  if (!out) {
    free(head);
    return scr_fail_memory(error, "a table's JSON", table->row_count * table->column_count * 24);
  }
  fprintf(out, "{\"name\":\"%s\",\"label\":\"%s\",\"columns\":%s,\"rows\":[", table->name, table->label, head);
  free(head);
  for (size_t r = 0; r < table->row_count; r++) {
    fputs(r ? ",[" : "[", out);
    for (size_t k = 0; k < table->column_count; k++) {
      double value = table->values[r * table->column_count + k];
      if (k) fputc(',', out);
      if (isfinite(value))
        fprintf(out, "%.17g", value);
      else
        fputs("null", out);
    }
    fputc(']', out);
  }
  fputs("]}", out);
  return finish(out, text, length, error);
}
