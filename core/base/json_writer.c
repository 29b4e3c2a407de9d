/* JSON text: layout, escapes and numbers in one place. */
#include "base/json_writer.h"

#include <math.h>
#include <string.h>

static void new_line(json_writer *writer)
{
  text_add_character(&writer->text, '\n');
  for (unsigned i = 0; i < writer->depth; i++) text_add_string(&writer->text, "  ");
}

/* What stands between the previous item and the next: nothing after a key, else a comma and a line break or a space. */
static void separate(json_writer *writer)
{
  if (writer->after_key) {
    writer->after_key = false;
    return;
  }
  if (writer->has_item) text_add_string(&writer->text, writer->inline_depth ? ", " : ",");
  if (writer->depth && !writer->inline_depth) new_line(writer);
  writer->has_item = true;
}

static void begin(json_writer *writer, char bracket)
{
  separate(writer);
  text_add_character(&writer->text, bracket);
  writer->depth++;
  writer->has_item = false;
}

static void end(json_writer *writer, char bracket)
{
  writer->depth--;
  if (writer->has_item && !writer->inline_depth) new_line(writer);
  text_add_character(&writer->text, bracket);
  writer->has_item = true;
}

void jw_begin_object(json_writer *writer)
{
  begin(writer, '{');
}
void jw_end_object(json_writer *writer)
{
  end(writer, '}');
}
void jw_begin_list(json_writer *writer)
{
  begin(writer, '[');
}
void jw_end_list(json_writer *writer)
{
  end(writer, ']');
}

void jw_begin_row(json_writer *writer)
{
  begin(writer, '[');
  writer->inline_depth++;
}

void jw_end_row(json_writer *writer)
{
  end(writer, ']');
  writer->inline_depth--;
}

static void add_quoted(text_builder *text, const char *string)
{
  text_add_character(text, '"');
  for (const char *c = string; *c; c++) {
    unsigned char byte = (unsigned char)*c;
    if (byte == '"' || byte == '\\') {
      text_add_character(text, '\\');
      text_add_character(text, *c);
    } else if (byte == '\n') {
      text_add_string(text, "\\n");
    } else if (byte < 0x20 || byte == 0x7F) {
      text_add_format(text, "\\u%04x", byte);
    } else if (byte == 0xC2 && (unsigned char)c[1] >= 0x80 && (unsigned char)c[1] < 0xA0) { /* C1 controls in UTF-8 */
      text_add_format(text, "\\u%04x", (unsigned)(unsigned char)*++c);
    } else {
      text_add_character(text, *c);
    }
  }
  text_add_character(text, '"');
}

void jw_key(json_writer *writer, const char *key)
{
  separate(writer);
  add_quoted(&writer->text, key);
  text_add_string(&writer->text, ": ");
  writer->after_key = true;
}

void jw_string(json_writer *writer, const char *string)
{
  separate(writer);
  add_quoted(&writer->text, string);
}

void jw_number(json_writer *writer, double value)
{
  char buffer[NUMBER_TEXT_BYTES];
  separate(writer);
  text_add_string(&writer->text, isfinite(value) ? number_text(value, buffer) : "null");
}

void jw_integer(json_writer *writer, int64_t value)
{
  separate(writer);
  text_add_format(&writer->text, "%lld", (long long)value);
}

void jw_boolean(json_writer *writer, bool value)
{
  jw_raw(writer, value ? "true" : "false");
}

void jw_null(json_writer *writer)
{
  jw_raw(writer, "null");
}

void jw_raw(json_writer *writer, const char *json)
{
  separate(writer);
  text_add_string(&writer->text, json);
}

char *jw_take(json_writer *writer)
{
  char *text = text_take(&writer->text);
  *writer = (json_writer){0};
  return text;
}
