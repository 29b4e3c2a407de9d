/* One line of the log. Text is escaped the same way in both formats, so that no value can end a line, begin a field or steer a terminal. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "server/log/log.h"

enum { replacement = 0xfffd, escape_bytes = 12 };

const char *log_level_name(log_level level)
{
  static const char *const names[LOG_LEVEL_COUNT] = {"debug", "info", "warning", "error"};
  return level < LOG_LEVEL_COUNT ? names[level] : NULL;
}

const char *log_format_name(log_format format)
{
  static const char *const names[LOG_FORMAT_COUNT] = {"text", "json"};
  return format < LOG_FORMAT_COUNT ? names[format] : NULL;
}

/* A line being made. What does not fit sets `full` and is not added. */
typedef struct line_text {
  char *bytes;
  size_t length, capacity;
  bool full;
} line_text;

static void add(line_text *line, const char *bytes, size_t count)
{
  if (line->full || count > line->capacity - line->length) {
    line->full = true;
    return;
  }
  memcpy(line->bytes + line->length, bytes, count);
  line->length += count;
}

static void add_string(line_text *line, const char *string)
{
  add(line, string, strlen(string));
}

/* ── UTF-8 ── */

/* The character at `bytes` [left > 0]; `length` receives its bytes. What is no UTF-8 is one byte and U+FFFD. */
static uint32_t decode(const unsigned char *bytes, size_t left, size_t *length)
{
  static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  unsigned char first = bytes[0];
  size_t count = first < 0x80 ? 1 : (first & 0xe0) == 0xc0 ? 2 : (first & 0xf0) == 0xe0 ? 3 : (first & 0xf8) == 0xf0 ? 4 : 0;
  *length = 1;
  if (count == 1) return first;
  if (count == 0 || count > left) return replacement;
  uint32_t code = first & (0x7fu >> count);
  for (size_t i = 1; i < count; i++) {
    if ((bytes[i] & 0xc0) != 0x80) return replacement;
    code = code << 6 | (bytes[i] & 0x3f);
  }
  if (code < least[count] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return replacement;
  *length = count;
  return code;
}

/* Whether a character would do something instead of being shown: control characters, line ends, changes of direction. */
static bool acts(uint32_t code)
{
  return code < 0x20 || (code >= 0x7f && code <= 0x9f) || (code >= 0x200b && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
         (code >= 0x2066 && code <= 0x2069) || code == 0x61c || code == 0xfeff;
}

/* One character as it stands in a JSON string. */
static size_t escape(uint32_t code, const unsigned char *bytes, size_t length, char out[escape_bytes])
{
  const char *shorter = code == '"' ? "\\\"" : code == '\\' ? "\\\\" : code == '\n' ? "\\n" : code == '\t' ? "\\t" : NULL;
  if (shorter) return (size_t)snprintf(out, escape_bytes, "%s", shorter);
  if (acts(code) || code == replacement) return (size_t)snprintf(out, escape_bytes, "\\u%04x", (unsigned)code);
  memcpy(out, bytes, length);
  return length;
}

static void add_quoted(line_text *line, const char *text)
{
  const unsigned char *bytes = (const unsigned char *)text;
  size_t left = strlen(text), written = 0, length;
  add(line, "\"", 1);
  for (; left > 0; bytes += length, left -= length) {
    char escaped[escape_bytes];
    uint32_t code = decode(bytes, left, &length);
    size_t count = escape(code, bytes, length, escaped);
    written += count;
    if (written > LOG_VALUE_BYTES) {
      add_string(line, "...");
      break;
    }
    add(line, escaped, count);
  }
  add(line, "\"", 1);
}

/* ── fields ── */

/* Whether a text can stand bare: one word that no reader could take for anything else. */
static bool is_plain(const char *text)
{
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._:/+-";
  size_t length = strspn(text, plain);
  return length <= LOG_VALUE_BYTES && text[length] == '\0';
}

static void add_value(line_text *line, log_format format, const log_field *field)
{
  char number[40];
  if (field->kind == LOG_FIELD_TEXT) {
    if (format == LOG_FORMAT_TEXT && is_plain(field->text))
      add_string(line, field->text);
    else
      add_quoted(line, field->text);
    return;
  }
  if (field->kind == LOG_FIELD_INTEGER)
    snprintf(number, sizeof number, "%" PRId64, field->integer);
  else if (isfinite(field->real))
    snprintf(number, sizeof number, "%.6g", field->real);
  else
    snprintf(number, sizeof number, "null");
  add_string(line, number);
}

static void add_field(line_text *line, log_format format, const log_field *field)
{
  size_t before = line->length;
  if (field->kind == LOG_FIELD_TEXT && (!field->text || !field->text[0])) return;
  add_string(line, format == LOG_FORMAT_JSON ? ",\"" : " ");
  add_string(line, field->key);
  add_string(line, format == LOG_FORMAT_JSON ? "\":" : "=");
  add_value(line, format, field);
  if (!line->full) return;
  line->length = before; /* a whole field or none */
  line->full = false;
}

static void format_time(int64_t time_ms, char *text, size_t capacity)
{
  time_t seconds = (time_t)(time_ms / 1000);
  struct tm parts = {0};
  char day[32];
  gmtime_r(&seconds, &parts);
  strftime(day, sizeof day, "%Y-%m-%dT%H:%M:%S", &parts);
  snprintf(text, capacity, "%s.%03dZ", day, (int)(time_ms % 1000));
}

/* NOLINTNEXTLINE(readability-non-const-parameter): it is written through text.bytes */
size_t log_line(char *line, log_format format, int64_t time_ms, log_level level, const char *event, const log_field *fields)
{
  char when[48], head[256];
  format_time(time_ms, when, sizeof when);
  line_text text = {.bytes = line, .capacity = LOG_LINE_BYTES - 2}; /* the end has its room */
  snprintf(head, sizeof head, format == LOG_FORMAT_JSON ? "{\"time\":\"%s\",\"level\":\"%s\",\"event\":\"%s\"" : "%s %s %s", when,
           log_level_name(level), event);
  add_string(&text, head);
  for (; fields && fields->key; fields++) add_field(&text, format, fields);
  text.capacity = LOG_LINE_BYTES;
  add_string(&text, format == LOG_FORMAT_JSON ? "}\n" : "\n");
  return text.length;
}
