/* Tables in JSON, written and read in one place. */
#include "record/table/table_json.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "record/table/table.h"

static json_t *values_json(const scr_column *column)
{
  json_t *values = json_array();
  for (uint32_t k = 0; k < column->value_count; k++) json_array_append_new(values, json_string(column->values[k]));
  if (json_array_size(values) == column->value_count) return values;
  json_decref(values);
  return NULL;
}

static json_t *column_json(const scr_column *column)
{
  json_t *object = json_pack("{s:s, s:s, s:s}", "name", column->name, "unit", column->unit, "label", column->label);
  if (!object || column->value_count == 0) return object;
  if (json_object_set_new(object, "values", values_json(column)) == 0) return object;
  json_decref(object);
  return NULL;
}

json_t *table_json(const scr_table *table)
{
  json_t *columns = json_array();
  for (size_t k = 0; k < table->column_count; k++) json_array_append_new(columns, column_json(&table->columns[k]));
  if (json_array_size(columns) == table->column_count)
    return json_pack("{s:s, s:s, s:o}", "name", table->name, "label", table->label, "columns", columns);
  json_decref(columns);
  return NULL;
}

json_t *tables_json(const scr_table *tables, size_t count)
{
  json_t *list = json_array();
  for (size_t k = 0; k < count; k++) json_array_append_new(list, table_json(&tables[k]));
  if (json_array_size(list) == count) return list;
  json_decref(list);
  return NULL;
}

/* Copies a text that must fit. */
static bool take_text(const json_t *text, char *into, size_t capacity)
{
  const char *value = json_string_value(text);
  if (!value || strlen(value) >= capacity) return false;
  snprintf(into, capacity, "%s", value);
  return true;
}

static bool take_column(const json_t *object, scr_column *column)
{
  const json_t *values = json_object_get(object, "values");
  size_t count = json_array_size(values);
  if (!take_text(json_object_get(object, "name"), column->name, sizeof column->name) ||
      !take_text(json_object_get(object, "unit"), column->unit, sizeof column->unit) ||
      !take_text(json_object_get(object, "label"), column->label, sizeof column->label) || count > SCR_COLUMN_VALUES)
    return false;
  column->value_count = (uint32_t)count;
  for (size_t k = 0; k < count; k++)
    if (!take_text(json_array_get(values, k), column->values[k], sizeof column->values[k])) return false;
  return true;
}

bool table_take(const json_t *object, scr_table *table)
{
  const json_t *columns = json_object_get(object, "columns");
  size_t count = json_array_size(columns);
  if (!take_text(json_object_get(object, "name"), table->name, sizeof table->name) ||
      !take_text(json_object_get(object, "label"), table->label, sizeof table->label) || count < 1 || count > TABLE_COLUMN_LIMIT)
    return false;
  table->columns = mem_array(count, sizeof *table->columns);
  if (!table->columns) return false;
  table->column_count = count;
  for (size_t k = 0; k < count; k++)
    if (!take_column(json_array_get(columns, k), &table->columns[k])) return false;
  return table_check(table, NULL) == SCR_OK;
}
