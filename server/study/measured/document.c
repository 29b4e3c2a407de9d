#include "server/study/measured/document.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json_reader.h"
#include "server/study/document_part.h"

static const char *const separator_names[] = {"tab", "semicolon", "comma", "blank", NULL};
static const char separators[] = {'\t', ';', ',', ' '};
static const char *const decimal_names[] = {"point", "comma", NULL};
static const char decimals[] = {'.', ','};

const char *measured_separator_name(char separator)
{
  for (size_t i = 0; i < sizeof separators; i++)
    if (separators[i] == separator) return separator_names[i];
  return "";
}

const char *measured_decimal_name(char decimal)
{
  return decimal_names[decimal == ','];
}

/* ── reading ── */

void measured_reading_read(const json_t *given, const char *pointer, measured_reading *reading, const char **units, scr_problems *problems)
{
  static const char *const keys[] = {"separator", "decimal", "units", NULL};
  const document_part part = {given, pointer, problems};
  char place[PART_POINTER_BYTES];
  size_t choice, index;
  json_t *unit, *list = json_object_get(given, "units");
  if (!given) return;
  if (!json_is_object(given)) part_refuse(problems, pointer, given, "an object");
  part_keys(&part, keys, "separator, decimal, units");
  if (part_choice(&part, "separator", separator_names, &choice)) reading->separator = separators[choice];
  if (part_choice(&part, "decimal", decimal_names, &choice)) reading->decimal = decimals[choice];
  if (list && (!json_is_array(list) || json_array_size(list) > MEASURED_COLUMNS)) {
    part_refuse(problems, part_pointer(&part, "units", place), list, "a list of units, one for each column, \"\" for those of the file");
    return;
  }
  reading->unit_count = 0;
  json_array_foreach(list, index, unit)
  {
    const char *text = json_string_value(unit);
    char si[MEASURED_UNIT_BYTES];
    double factor;
    if (!text || (text[0] && !measured_unit(text, si, &factor)))
      part_refuse(problems, part_pointer(&part, "units", place), unit, "a list of units such as \"mm\", \"kN\", \"MPa\", \"%\"");
    units[reading->unit_count++] = text ? text : "";
  }
  reading->units = units;
}

/* ── columns and corrections ── */

static void read_pick(const document_part *part, const char *key, measured_pick *pick)
{
  const json_t *given = json_object_get(part->json, key);
  const char *name = json_string_value(given);
  json_int_t number = json_integer_value(given);
  char pointer[PART_POINTER_BYTES];
  if (!given) return;
  *pick = (measured_pick){0};
  if (json_is_integer(given) && number >= 1 && number <= MEASURED_COLUMNS)
    pick->number = (size_t)number;
  else if (name && name[0] && strlen(name) < sizeof pick->name)
    snprintf(pick->name, sizeof pick->name, "%s", name);
  else
    part_refuse(part->problems, part_pointer(part, key, pointer), given, "the number of a column, from 1, or its name in the file");
}

static void read_corrections(const json_t *given, const char *pointer, measured_choice *corrections, scr_problems *problems)
{
  static const char *const keys[] = {"x_factor", "y_factor", "x_zero", "y_zero", "preload", "compliance", NULL};
  const document_part part = {given, pointer, problems};
  if (!given) return;
  if (!json_is_object(given)) part_refuse(problems, pointer, given, "an object");
  *corrections = (measured_choice){0};
  part_keys(&part, keys, "x_factor, y_factor, x_zero, y_zero, preload, compliance");
  part_number(&part, "x_factor", -1e12, 1e12, &corrections->x_factor);
  part_number(&part, "y_factor", -1e12, 1e12, &corrections->y_factor);
  part_number(&part, "x_zero", -1e15, 1e15, &corrections->x_zero);
  part_number(&part, "y_zero", -1e15, 1e15, &corrections->y_zero);
  part_number(&part, "preload", 0, 1e15, &corrections->preload);
  part_number(&part, "compliance", 0, 1, &corrections->compliance);
}

/* What may stand for all specimens and with one of them. */
static void read_common(const document_part *part, measured_specimen *specimen)
{
  char pointer[PART_POINTER_BYTES];
  const json_t *reading = json_object_get(part->json, "reading");
  if (reading) {
    specimen->reading = (measured_reading){0};
    measured_reading_read(reading, part_pointer(part, "reading", pointer), &specimen->reading, specimen->units, part->problems);
  }
  read_pick(part, "x", &specimen->x);
  read_pick(part, "y", &specimen->y);
  read_corrections(json_object_get(part->json, "corrections"), part_pointer(part, "corrections", pointer), &specimen->corrections,
                   part->problems);
}

static void read_digest(const document_part *part, char digest[SCR_ASSET_DIGEST_BYTES])
{
  const json_t *given = json_object_get(part->json, "asset");
  const char *text = json_string_value(given);
  char pointer[PART_POINTER_BYTES];
  if (text && strncmp(text, "sha256:", 7) == 0) text += 7;
  if (text && strlen(text) == SCR_ASSET_DIGEST_BYTES - 1 && strspn(text, "0123456789abcdef") == SCR_ASSET_DIGEST_BYTES - 1)
    snprintf(digest, SCR_ASSET_DIGEST_BYTES, "%s", text);
  else
    part_refuse(part->problems, part_pointer(part, "asset", pointer), given, "an uploaded file, \"sha256:...\"");
}

static void read_specimen(const json_t *given, const char *pointer, measured_specimen *specimen, scr_problems *problems)
{
  static const char *const keys[] = {"asset", "label", "reading", "x", "y", "corrections", NULL};
  const document_part part = {given, pointer, problems};
  char place[PART_POINTER_BYTES];
  if (!json_is_object(given)) {
    part_refuse(problems, pointer, given, "an object with asset");
    return;
  }
  specimen->reading.units = specimen->units; /* this copy's own */
  part_keys(&part, keys, "asset, label, reading, x, y, corrections");
  read_digest(&part, specimen->digest);
  part_text(&part, "label", specimen->label, sizeof specimen->label, false);
  read_common(&part, specimen);
  if (!specimen->x.number && !specimen->x.name[0])
    part_refuse(problems, part_pointer(&part, "x", place), NULL, "a column, here or for all specimens");
  if (!specimen->y.number && !specimen->y.name[0])
    part_refuse(problems, part_pointer(&part, "y", place), NULL, "a column, here or for all specimens");
}

/* ── the whole ── */

static scr_status read_whole(measured_document *self, scr_problems *problems)
{
  static const char *const keys[] = {"name", "title", "specimens", "reading", "x", "y", "corrections", "scatter", NULL};
  const document_part part = {self->json, "", problems};
  const json_t *list = json_object_get(self->json, "specimens");
  size_t count = json_array_size(list);
  measured_specimen *all = calloc(1, sizeof *all);
  if (!all) return SCR_NO_MEMORY;
  part_keys(&part, keys, "name, title, specimens, reading, x, y, corrections, scatter");
  if (part_text(&part, "name", self->name, sizeof self->name, true)) part_check_name(&part, self->name);
  part_text(&part, "title", self->title, sizeof self->title, false);
  part_number(&part, "scatter", 1e-300, 1e300, &self->scatter);
  read_common(&part, all);
  if (count < 1 || count > MEASURED_SPECIMENS) {
    part_refuse(problems, "/specimens", list, "a list of 1 to 64 specimens");
    count = 0;
  }
  self->specimens = count ? calloc(count, sizeof *self->specimens) : NULL;
  for (size_t i = 0; self->specimens && i < count; i++) {
    char pointer[40];
    snprintf(pointer, sizeof pointer, "/specimens/%zu", i);
    self->specimens[i] = *all;
    read_specimen(json_array_get(list, i), pointer, &self->specimens[i], problems);
    self->specimen_count++;
  }
  free(all);
  return count && !self->specimens ? SCR_NO_MEMORY : SCR_OK;
}

scr_status measured_document_read(const char *text, size_t length, measured_document *out, scr_problems *problems)
{
  json_error_t where;
  size_t before = problems->count;
  *out = (measured_document){0};
  scr_status status = json_read(text, length, JSON_REJECT_DUPLICATES, &out->json, &where);
  if (status == SCR_BAD_FILE || (status == SCR_OK && !json_is_object(out->json))) {
    (void)scr_problems_add(problems, "", NULL, "a JSON object", "measured curves are described by a JSON object");
    status = SCR_OK;
  } else if (status == SCR_OK)
    status = read_whole(out, problems);
  if (status == SCR_OK && problems->count > before) status = SCR_BAD_SCENE;
  if (status != SCR_OK) measured_document_clear(out);
  return status;
}

void measured_document_clear(measured_document *self)
{
  free(self->specimens);
  json_decref(self->json);
  *self = (measured_document){0};
}

/* ── columns of a table ── */

bool measured_pick_find(const measured_pick *pick, const measured_table *table, size_t *column)
{
  if (pick->number) {
    *column = pick->number - 1;
    return pick->number <= table->column_count;
  }
  for (size_t c = 0; c < table->column_count; c++)
    if (strcmp(table->columns[c].name, pick->name) == 0) {
      *column = c;
      return true;
    }
  return false;
}

/* The first column with numbers whose unit is one of these, in their order; column_count: none. */
static size_t column_of(const measured_table *table, const char *const *units, size_t unit_count)
{
  for (size_t u = 0; u < unit_count; u++)
    for (size_t c = 0; c < table->column_count; c++)
      if (table->columns[c].count > 1 && strcmp(table->columns[c].unit, units[u]) == 0) return c;
  return table->column_count;
}

bool measured_suggest(const measured_table *table, size_t *x, size_t *y)
{
  static const char *const across[] = {"m", "1"}, *const upwards[] = {"N", "Pa"}, *const times[] = {"s"};
  size_t none = table->column_count, time = column_of(table, times, 1);
  *x = column_of(table, across, 2);
  *y = column_of(table, upwards, 2);
  if (*y == none && time != none) { /* a motion */
    *y = *x;
    *x = time;
  }
  for (size_t c = 0; c < none && (*x == none || *y == none); c++) {
    if (table->columns[c].count < 2 || c == *x || c == *y) continue;
    if (*x == none)
      *x = c;
    else
      *y = c;
  }
  return *x != none && *y != none;
}
