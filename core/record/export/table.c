/* Tables as CSV and JSON, whole or piece by piece. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "record/table/table.h"
#include "record/table/table_json.h"

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

/* The name a cell stands for; NULL where it is a number. */
static const char *value_name(const scr_column *column, double value)
{
  return value >= 0 && value < column->value_count ? column->values[(uint32_t)value] : NULL;
}

/* Names of columns and values are plain and hold nothing that CSV would quote. */
static void write_csv_head(const scr_table *table, FILE *out)
{
  for (size_t k = 0; k < table->column_count; k++) {
    const scr_column *column = &table->columns[k];
    fprintf(out, "%s%s", k ? "," : "", column->name);
    if (column->value_count == 0) fprintf(out, " [%s]", column->unit);
  }
  fputs("\r\n", out);
}

static void write_csv_row(const scr_table *table, const double *row, FILE *out)
{
  for (size_t k = 0; k < table->column_count; k++) {
    const char *name = value_name(&table->columns[k], row[k]);
    if (k) fputc(',', out);
    if (name)
      fputs(name, out);
    else if (isfinite(row[k]))
      fprintf(out, "%.17g", row[k]);
  }
  fputs("\r\n", out);
}

scr_status scr_table_csv(const scr_table *table, scr_table_part part, char **text, size_t *length, scr_error *error)
{
  *text = NULL;
  *length = 0;
  FILE *out = open_memstream(text, length);
  if (!out) return scr_fail_memory(error, "a CSV file", table->row_count * table->column_count * 24);
  if (part == SCR_TABLE_WHOLE || part == SCR_TABLE_HEAD) write_csv_head(table, out);
  if (part != SCR_TABLE_HEAD && part != SCR_TABLE_TAIL)
    for (size_t r = 0; r < table->row_count; r++) write_csv_row(table, table->values + r * table->column_count, out);
  return finish(out, text, length, error);
}

static void write_json_row(const scr_table *table, const double *row, FILE *out)
{
  for (size_t k = 0; k < table->column_count; k++) {
    const char *name = value_name(&table->columns[k], row[k]);
    fputc(k ? ',' : '[', out);
    if (name)
      fprintf(out, "\"%s\"", name);
    else if (isfinite(row[k]))
      fprintf(out, "%.17g", row[k]);
    else
      fputs("null", out);
  }
  fputc(']', out);
}

/* What describes the table, open at its end, where the rows come. */
static char *json_head(const scr_table *table)
{
  json_t *about = table_json(table);
  char *head = about ? json_dumps(about, JSON_COMPACT) : NULL;
  json_decref(about);
  return head;
}

scr_status scr_table_json(const scr_table *table, scr_table_part part, char **text, size_t *length, scr_error *error)
{
  bool heads = part == SCR_TABLE_WHOLE || part == SCR_TABLE_HEAD;
  *text = NULL;
  *length = 0;
  char *head = heads ? json_head(table) : NULL;
  FILE *out = head || !heads ? open_memstream(text, length) : NULL;
  if (!out) {
    free(head);
    return scr_fail_memory(error, "a table's JSON", table->row_count * table->column_count * 24);
  }
  if (head) fprintf(out, "%.*s,\"rows\":[", (int)strlen(head) - 1, head);
  free(head);
  for (size_t r = 0; part != SCR_TABLE_HEAD && part != SCR_TABLE_TAIL && r < table->row_count; r++) {
    if (r > 0 || part == SCR_TABLE_MORE) fputc(',', out);
    write_json_row(table, table->values + r * table->column_count, out);
  }
  if (part == SCR_TABLE_WHOLE || part == SCR_TABLE_TAIL) fputs("]}", out);
  return finish(out, text, length, error);
}

scr_status scr_tables_json(const scr_table *tables, size_t count, char **text, size_t *length, scr_error *error)
{
  json_t *list = tables_json(tables, count);
  bool whole = list != NULL;
  for (size_t k = 0; whole && k < count; k++) {
    json_t *table = json_array_get(list, k);
    whole = json_object_set_new(table, "rows", json_integer((json_int_t)tables[k].row_count)) == 0 &&
            json_object_set_new(table, "picture", json_boolean(table_is_histogram(&tables[k]))) == 0;
  }
  *text = whole ? json_dumps(list, JSON_COMPACT) : NULL;
  *length = *text ? strlen(*text) : 0;
  json_decref(list);
  return *text ? SCR_OK : scr_fail_memory(error, "the list of tables", count * 1024);
}
