#include "server/study/document_part.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

void part_refuse(scr_problems *problems, const char *pointer, const json_t *given, const char *allowed)
{
  char *text = given ? json_dumps(given, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;
  if (text && strlen(text) > 120) memcpy(text + 116, "...", 4);
  (void)scr_problems_add(problems, pointer, text, allowed, "%s is %s; it must be %s", pointer[0] ? pointer : "the document",
                         text ? text : "missing", allowed);
  free(text);
}

const char *part_pointer(const document_part *part, const char *key, char pointer[static PART_POINTER_BYTES])
{
  snprintf(pointer, PART_POINTER_BYTES, "%.200s/%.100s", part->pointer, key);
  return pointer;
}

void part_keys(const document_part *part, const char *const *keys, const char *allowed)
{
  const char *key;
  json_t *value;
  char pointer[PART_POINTER_BYTES], phrase[200];
  json_object_foreach((json_t *)(uintptr_t)part->json, key, value)
  {
    size_t i = 0;
    while (keys[i] && strcmp(keys[i], key) != 0) i++;
    if (keys[i]) continue;
    snprintf(phrase, sizeof phrase, "absent: here stand %s", allowed);
    part_refuse(part->problems, part_pointer(part, key, pointer), value, phrase);
  }
}

bool part_number(const document_part *part, const char *key, double low, double high, double *value)
{
  const json_t *given = json_object_get(part->json, key);
  char pointer[PART_POINTER_BYTES], allowed[100];
  if (!given) return false;
  if (json_is_number(given) && json_number_value(given) >= low && json_number_value(given) <= high) {
    *value = json_number_value(given);
    return true;
  }
  snprintf(allowed, sizeof allowed, "a number from %g to %g", low, high);
  part_refuse(part->problems, part_pointer(part, key, pointer), given, allowed);
  return false;
}

bool part_whole(const document_part *part, const char *key, json_int_t low, json_int_t high, json_int_t *value)
{
  const json_t *given = json_object_get(part->json, key);
  char pointer[PART_POINTER_BYTES], allowed[100];
  if (!given) return false;
  if (json_is_integer(given) && json_integer_value(given) >= low && json_integer_value(given) <= high) {
    *value = json_integer_value(given);
    return true;
  }
  snprintf(allowed, sizeof allowed, "a whole number from %lld to %lld", (long long)low, (long long)high);
  part_refuse(part->problems, part_pointer(part, key, pointer), given, allowed);
  return false;
}

bool part_text(const document_part *part, const char *key, char *text, size_t capacity, bool needed)
{
  const json_t *given = json_object_get(part->json, key);
  const char *said = json_string_value(given);
  char pointer[PART_POINTER_BYTES], allowed[64];
  if (!given && !needed) return false;
  if (said && said[0] && strlen(said) < capacity) {
    snprintf(text, capacity, "%s", said);
    return true;
  }
  snprintf(allowed, sizeof allowed, "a text of 1 to %zu bytes", capacity - 1);
  part_refuse(part->problems, part_pointer(part, key, pointer), given, allowed);
  return false;
}

bool part_choice(const document_part *part, const char *key, const char *const *names, size_t *choice)
{
  const json_t *given = json_object_get(part->json, key);
  const char *said = json_string_value(given);
  char pointer[PART_POINTER_BYTES], allowed[160] = "";
  if (!given) return false;
  for (size_t i = 0; names[i]; i++) {
    if (said && strcmp(said, names[i]) == 0) {
      *choice = i;
      return true;
    }
    snprintf(allowed + strlen(allowed), sizeof allowed - strlen(allowed), "%s\"%s\"", i == 0 ? "" : names[i + 1] ? ", " : " or ", names[i]);
  }
  part_refuse(part->problems, part_pointer(part, key, pointer), given, allowed);
  return false;
}

void part_check_name(const document_part *part, const char *name)
{
  static const char allowed[] = "letters, digits, '-', '_' and '.', a letter or digit first";
  char pointer[PART_POINTER_BYTES];
  for (const char *c = name; *c; c++) {
    bool plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9');
    if (plain || (c > name && strchr("-_.", *c))) continue;
    (void)scr_problems_add(part->problems, part_pointer(part, "name", pointer), name, allowed, "the name '%s' must be of %s", name,
                           allowed);
    return;
  }
}
