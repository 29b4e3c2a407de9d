/* jansson's parser with its failures told apart. It reports a failed allocation in three ways: with a code of its own, with no text at all,
 * or, where it copies a string, as a token it can't use where a string would do. The last can be told from a real one: a faulty string has
 * a message that says what is wrong inside it, so such a token that ends with a quotation mark is a sound string that found no room. */
#include "base/json_reader.h"

#include <string.h>

static bool ran_out_of_memory(const json_error_t *error, const char *text, size_t length)
{
  static const char value[] = "invalid token", key[] = "string or '}' expected";
  if (json_error_code(error) == json_error_out_of_memory || error->text[0] == '\0') return true;
  size_t end = error->position > 0 ? (size_t)error->position : 0;
  bool string_would_do = strncmp(error->text, value, sizeof value - 1) == 0 || strncmp(error->text, key, sizeof key - 1) == 0;
  return string_would_do && end > 0 && end <= length && text[end - 1] == '"';
}

scr_status json_read(const char *text, size_t length, size_t flags, json_t **value, json_error_t *where)
{
  json_error_t error = {.text = ""};
  *value = json_loadb(text, length, flags, &error);
  if (*value) return SCR_OK;
  if (ran_out_of_memory(&error, text, length)) return SCR_NO_MEMORY;
  if (where) *where = error;
  return SCR_BAD_FILE;
}
