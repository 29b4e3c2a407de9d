/* Turns a finding into a problem that a person can act on: pointer, given value, allowed values, one sentence. */
#include "scene/problem.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_writer.h"

enum { GIVEN_LIMIT = 100, KEY_LIMIT = 128, DETAIL_BYTES = 900 };

/* JSON Pointer, RFC 6901: "~" is written ~0 and "/" is written ~1. A place below an absurdly long key is named by its parent. */
static void add_pointer(text_builder *text, const path *place)
{
  if (!place || !place->parent) return;
  add_pointer(text, place->parent);
  if (!place->key) {
    text_add_format(text, "/%zu", place->index);
    return;
  }
  if (strlen(place->key) > KEY_LIMIT) return;
  text_add_character(text, '/');
  for (const char *c = place->key; *c; c++) {
    if (*c == '~')
      text_add_string(text, "~0");
    else if (*c == '/')
      text_add_string(text, "~1");
    else
      text_add_character(text, *c);
  }
}

char *path_pointer(const path *place)
{
  text_builder pointer = {0};
  text_add_string(&pointer, "");
  add_pointer(&pointer, place);
  return text_take(&pointer);
}

/* Keeps control characters, C1 among them (C2 80 ... C2 9F in UTF-8), from reaching a terminal: C1 becomes "?" and a space. */
static void blank_controls(char *text)
{
  for (unsigned char *c = (unsigned char *)text; *c; c++) {
    if (*c < 0x20 || *c == 0x7F)
      *c = '?';
    else if (*c == 0xC2 && c[1] >= 0x80 && c[1] < 0xA0)
      c[0] = '?', c[1] = ' ';
  }
}

scr_status problem_add_list(scr_problems *problems, const char *pointer, const char *given, const char *allowed, const char *format,
                            va_list arguments)
{
  if (problems->truncated) return SCR_OK;
  char detail[DETAIL_BYTES];
  int length = vsnprintf(detail, sizeof detail, format, arguments);
  if (length < 0) detail[0] = '\0';
  if (length >= (int)sizeof detail) detail[text_cut(detail, sizeof detail - 1, sizeof detail - 4)] = '\0';
  blank_controls(detail);
  return scr_problems_add(problems, pointer, given, allowed, "%s%s", detail, length >= (int)sizeof detail ? "..." : ".");
}

scr_status problem_add(scr_problems *problems, const path *place, const json_t *given, const char *allowed, const char *format, ...)
{
  if (problems->truncated) return SCR_OK; /* nobody reads more; a scene of a million mistakes stays cheap */
  text_builder pointer = {0}, value = {0};
  add_pointer(&pointer, place);
  if (given) given_text(&value, given, GIVEN_LIMIT);
  char *pointer_text = text_take(&pointer);
  char *value_text = text_take(&value);
  scr_status status = SCR_NO_MEMORY;
  if (pointer_text && value_text) {
    va_list arguments;
    va_start(arguments, format);
    status = problem_add_list(problems, pointer_text, value_text, allowed, format, arguments);
    va_end(arguments);
  }
  free(pointer_text);
  free(value_text);
  if (status != SCR_OK) problems->truncated = true;
  return status;
}

scr_status problem_add_at(scr_problems *problems, const char *pointer, double given, const char *allowed, const char *format, ...)
{
  if (problems->truncated) return SCR_OK;
  char number[NUMBER_TEXT_BYTES] = "";
  va_list arguments;
  va_start(arguments, format);
  scr_status status = problem_add_list(problems, pointer, isfinite(given) ? number_text(given, number) : "", allowed, format, arguments);
  va_end(arguments);
  return status;
}

scr_status problem_add_memory(scr_problems *problems, double bytes, double allowed, const char *remedy)
{
  const char *fits = "a scene that fits into the memory limit";
  if (!isfinite(bytes))
    return problem_add_at(problems, "/specimens", NAN, fits,
                          "the scene needs more memory than any machine has; this laboratory allows %.3g GB: %s", allowed / 1e9, remedy);
  const double astray = 1e3; /* times too much: more likely a wrong unit than meant */
  return problem_add_at(problems, "/specimens", bytes, fits,
                        "the scene needs about %.3g GB of memory; this laboratory allows %.3g GB: %s%s", bytes / 1e9, allowed / 1e9, remedy,
                        bytes > astray * allowed ? "; lengths are in metres unless they say otherwise, as \"1 mm\" does" : "");
}

scr_status problem_add_text(scr_problems *problems, const char *pointer, const char *given, const char *allowed, const char *format, ...)
{
  if (problems->truncated) return SCR_OK;
  json_writer writer = {0};
  jw_string(&writer, given);
  char *quoted = jw_take(&writer);
  if (!quoted) return SCR_NO_MEMORY;
  va_list arguments;
  va_start(arguments, format);
  scr_status status = problem_add_list(problems, pointer, quoted, allowed, format, arguments);
  va_end(arguments);
  free(quoted);
  return status;
}

bool problems_were_lost(const scr_problems *problems)
{
  return problems->truncated && problems->count < SCR_PROBLEM_LIMIT;
}

bool problems_below(const scr_problems *problems, size_t first, const char *pointer)
{
  size_t length = strlen(pointer);
  for (size_t i = first; i < problems->count; i++) {
    const char *place = problems->items[i].pointer;
    if (strncmp(place, pointer, length) == 0 && (place[length] == '\0' || place[length] == '/')) return true;
  }
  return false;
}

void range_text(text_builder *text, const scr_param *param)
{
  char low[NUMBER_TEXT_BYTES], high[NUMBER_TEXT_BYTES];
  bool has_low = isfinite(param->minimum), has_high = isfinite(param->maximum);
  bool open = param->flags & (SCR_PARAM_ABOVE | SCR_PARAM_BELOW);
  if (has_low) number_text(param->minimum, low);
  if (has_high) number_text(param->maximum, high);
  if (has_low && has_high && !open) {
    if (param->minimum == param->maximum)
      text_add_format(text, " equal to %s", low);
    else
      text_add_format(text, " from %s to %s", low, high);
    return;
  }
  if (has_low) text_add_format(text, " %s %s", param->flags & SCR_PARAM_ABOVE ? ">" : ">=", low);
  if (has_low && has_high) text_add_string(text, " and");
  if (has_high) text_add_format(text, " %s %s", param->flags & SCR_PARAM_BELOW ? "<" : "<=", high);
}

static void add_unit(text_builder *text, const scr_param *param)
{
  if (param->unit[0] && strcmp(param->unit, "1") != 0) text_add_format(text, ", in %s", param->unit);
}

void allowed_text(text_builder *text, const scr_param *param)
{
  switch (param->kind) {
  case SCR_PARAM_NUMBER:
    text_add_string(text, param->flags & SCR_PARAM_WHOLE ? "a whole number" : "a number");
    range_text(text, param);
    add_unit(text, param);
    break;
  case SCR_PARAM_INTEGER:
    text_add_string(text, "a whole number");
    range_text(text, param);
    add_unit(text, param);
    break;
  case SCR_PARAM_VECTOR:
    text_add_string(text, param->flags & SCR_PARAM_WHOLE ? "three whole numbers [a, b, c], each" : "three numbers [x, y, z], each");
    range_text(text, param);
    add_unit(text, param);
    break;
  case SCR_PARAM_BOOLEAN: text_add_string(text, "true or false"); break;
  case SCR_PARAM_CHOICE:
    for (size_t i = 0; param->choices[i]; i++) text_add_format(text, "%s\"%s\"", i ? " or " : "", param->choices[i]);
    break;
  case SCR_PARAM_ASSET: text_add_string(text, "\"sha256:...\" of an uploaded file, or a path beside the scene"); break;
  case SCR_PARAM_TEXT:
    if (param->flags & SCR_PARAM_NAME)
      text_add_format(text, "a name of 1 to %.0f letters, digits, '_', '-' or '.' that begins with a letter or a digit", param->maximum);
    else
      text_add_format(text, "text of %.0f to %.0f bytes without control characters", param->minimum, param->maximum);
    break;
  }
  if (param->flags & SCR_PARAM_AUTOMATIC) text_add_string(text, ", or null");
}

/* Writes values until the limit is passed; the caller cuts. Depth is bounded: the scene's text was scanned before. */
static void write_given(json_writer *writer, const json_t *value, size_t limit)
{
  char buffer[256];
  const char *key;
  json_t *item;
  size_t index;
  if (writer->text.length > limit) return;
  switch (json_typeof(value)) {
  case JSON_OBJECT:
    jw_begin_object(writer);
    json_object_foreach((json_t *)(uintptr_t)value, key, item)
    {
      if (writer->text.length > limit) break;
      jw_key(writer, short_text(key, buffer, sizeof buffer));
      if (writer->text.length > limit)
        jw_null(writer);
      else
        write_given(writer, item, limit);
    }
    jw_end_object(writer);
    break;
  case JSON_ARRAY:
    jw_begin_row(writer);
    json_array_foreach(value, index, item)
    {
      if (writer->text.length > limit) break;
      write_given(writer, item, limit);
    }
    jw_end_row(writer);
    break;
  case JSON_STRING: jw_string(writer, short_text(json_string_value(value), buffer, sizeof buffer)); break;
  case JSON_INTEGER:
  case JSON_REAL: jw_number(writer, json_number_value(value)); break;
  case JSON_TRUE: jw_boolean(writer, true); break;
  case JSON_FALSE: jw_boolean(writer, false); break;
  case JSON_NULL: jw_null(writer); break;
  }
}

void given_text(text_builder *text, const json_t *value, size_t limit)
{
  json_writer writer = {.inline_depth = 1};
  write_given(&writer, value, limit);
  if (writer.text.failed) {
    text->failed = true;
  } else if (writer.text.length <= limit) {
    text_add(text, writer.text.data, writer.text.length);
  } else {
    text_add(text, writer.text.data, text_cut(writer.text.data, writer.text.length, limit));
    text_add_string(text, "...");
  }
  text_clear(&writer.text);
}

char *short_text(const char *source, char *buffer, size_t capacity)
{
  size_t length = strlen(source);
  if (length < capacity) return memcpy(buffer, source, length + 1);
  size_t cut = text_cut(source, length, capacity - 4);
  memcpy(buffer, source, cut);
  memcpy(buffer + cut, "...", 4);
  return buffer;
}
