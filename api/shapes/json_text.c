/* Small JSON values made safe. */
#include "api/shapes/json_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

json_t *json_text(const char *text)
{
  if (!text) return json_string("");
  json_t *value = json_string(text);
  if (value) return value;
  char *copy = strdup(text);
  if (!copy) return NULL;
  for (char *c = copy; *c; c++)
    if ((unsigned char)*c >= 0x80) *c = '?';
  value = json_string(copy);
  free(copy);
  return value;
}

json_t *json_finite(double value)
{
  return isfinite(value) ? json_real(value) : json_null();
}

json_t *json_count(uint64_t value)
{
  return json_integer(value > INT64_MAX ? INT64_MAX : (json_int_t)value);
}

json_t *json_short(double value)
{
  char digits[32];
  snprintf(digits, sizeof digits, "%.7g", value);
  return json_real(strtod(digits, NULL));
}

json_t *json_floats(const float *values, size_t count)
{
  json_t *list = json_array();
  for (size_t k = 0; list && k < count; k++) (void)json_array_append_new(list, json_short((double)values[k]));
  return list;
}

json_t *json_indices(const uint32_t *values, size_t count)
{
  json_t *list = json_array();
  for (size_t k = 0; list && k < count; k++) (void)json_array_append_new(list, json_integer(values[k]));
  return list;
}

json_t *json_list(const void *items, size_t count, size_t size, json_t *(*json_of)(const void *item))
{
  json_t *list = json_array();
  for (size_t k = 0; list && k < count; k++)
    if (json_array_append_new(list, json_of((const char *)items + k * size)) != 0) {
      json_decref(list);
      list = NULL;
    }
  return list;
}

json_t *json_time(int64_t milliseconds)
{
  if (milliseconds <= 0) return json_null();
  time_t seconds = (time_t)(milliseconds / 1000);
  struct tm parts;
  char text[40];
  if (!gmtime_r(&seconds, &parts)) return json_null();
  size_t length = strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
  snprintf(text + length, sizeof text - length, ".%03dZ", (int)(milliseconds % 1000));
  return json_string(text);
}
