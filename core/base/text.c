/* Growing text, cuts that respect UTF-8, and numbers in their shortest faithful form. */
#include "base/text.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Makes room for `count` more bytes and a NUL. */
static bool reserve(text_builder *text, size_t count)
{
  if (text->failed) return false;
  if (count < text->capacity && text->length < text->capacity - count) return true;
  size_t capacity = text->capacity ? text->capacity : 256;
  while (capacity <= count || capacity - count <= text->length) {
    if (capacity > SIZE_MAX / 2) {
      text->failed = true;
      return false;
    }
    capacity *= 2;
  }
  char *data = realloc(text->data, capacity);
  if (!data) {
    text->failed = true;
    return false;
  }
  text->data = data;
  text->capacity = capacity;
  return true;
}

void text_add(text_builder *text, const char *bytes, size_t count)
{
  if (!reserve(text, count)) return;
  if (count) memcpy(text->data + text->length, bytes, count);
  text->length += count;
  text->data[text->length] = '\0';
}

void text_add_string(text_builder *text, const char *string)
{
  text_add(text, string, strlen(string));
}

void text_add_character(text_builder *text, char character)
{
  text_add(text, &character, 1);
}

void text_add_escaped(text_builder *text, const char *string)
{
  for (; *string; string++) switch (*string) {
    case '<': text_add_string(text, "&lt;"); break;
    case '>': text_add_string(text, "&gt;"); break;
    case '&': text_add_string(text, "&amp;"); break;
    case '"': text_add_string(text, "&quot;"); break;
    default: text_add_character(text, *string);
    }
}

void text_add_format(text_builder *text, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  int needed = vsnprintf(NULL, 0, format, arguments);
  va_end(arguments);
  if (needed < 0) text->failed = true;
  if (needed < 0 || !reserve(text, (size_t)needed)) return;
  va_start(arguments, format);
  vsnprintf(text->data + text->length, (size_t)needed + 1, format, arguments);
  va_end(arguments);
  text->length += (size_t)needed;
}

char *text_take(text_builder *text)
{
  text_add(text, "", 0); /* an empty text is "", not NULL */
  char *data = text->data;
  if (text->failed) {
    free(data);
    data = NULL;
  }
  *text = (text_builder){0};
  return data;
}

void text_clear(text_builder *text)
{
  free(text->data);
  *text = (text_builder){0};
}

size_t text_cut(const char *bytes, size_t length, size_t limit)
{
  if (length <= limit) return length;
  size_t cut = limit;
  while (cut > 0 && ((unsigned char)bytes[cut] & 0xC0u) == 0x80u) cut--; /* 10xxxxxx continues a character */
  return cut;
}

char *number_text(double value, char buffer[static NUMBER_TEXT_BYTES])
{
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(buffer, NUMBER_TEXT_BYTES, "%.*g", digits, value);
    if (strtod(buffer, NULL) == value) break;
  }
  for (char *c = buffer; *c; c++)
    if (*c == ',') *c = '.';
  return buffer;
}
