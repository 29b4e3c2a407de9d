/* A byte at a time, but for bodies. */
#include "api/http/parse/head_screen.h"

#include <string.h>

enum { digit_limit = 18 }; /* of a Content-Length: any number of so many fits */

static const char not_crlf[] = "the head has a line that ends without CR LF";

static bool is_blank(char c)
{
  return c == ' ' || c == '\t';
}

/* The name of a header is there. */
static const char *end_name(head_screen *s)
{
  if (s->name_bytes == 0) return "the head has a line without a name";
  s->name[s->name_bytes < sizeof s->name ? s->name_bytes : sizeof s->name - 1] = '\0';
  s->is_length = strcmp(s->name, "content-length") == 0;
  s->is_coding = s->name_bytes < sizeof s->name && strcmp(s->name, "transfer-encoding") == 0;
  s->has_coding = s->has_coding || s->is_coding;
  if (s->is_length) s->length = s->digits = 0;
  s->number_over = false;
  s->state = HEAD_SCREEN_VALUE;
  return NULL;
}

static const char *take_name(head_screen *s, char c)
{
  if (c == ':') return end_name(s);
  if (c >= 0 && c <= ' ') return "the head has a continuation line, or white space in a header's name";
  if (s->name_bytes < sizeof s->name) s->name[s->name_bytes] = (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  s->name_bytes++;
  return NULL;
}

static const char *take_value(head_screen *s, char c)
{
  if (!s->is_length) return NULL;
  if (is_blank(c)) {
    s->number_over = s->digits > 0;
    return NULL;
  }
  if (c < '0' || c > '9' || s->number_over || s->digits == digit_limit) return "the header Content-Length is not a number of bytes";
  s->length = s->length * 10 + (uint64_t)(c - '0');
  s->digits++;
  return NULL;
}

/* CR LF has come: of an empty line, which ends a head, when nothing of a header is there. */
static const char *end_line(head_screen *s)
{
  if (s->state == HEAD_SCREEN_START) return NULL; /* empty lines may come before a request */
  if (s->state == HEAD_SCREEN_NAME) return "the head has a line without a colon";
  if (s->state == HEAD_SCREEN_VALUE && s->is_length && s->digits == 0) return "the header Content-Length is not a number of bytes";
  if (s->state != HEAD_SCREEN_LINE) {
    s->state = HEAD_SCREEN_LINE;
    s->name_bytes = 0;
    return NULL;
  }
  s->state = s->has_coding ? HEAD_SCREEN_PAST : s->length > 0 ? HEAD_SCREEN_BODY : HEAD_SCREEN_START;
  return NULL;
}

static const char *take_byte(head_screen *s, char c)
{
  bool after_cr = s->after_cr;
  s->after_cr = c == '\r';
  if (c == '\0') return "the head has a zero byte";
  if ((c == '\n') != after_cr) return not_crlf;
  if (c == '\n') return end_line(s);
  if (c == '\r') return NULL;
  switch (s->state) {
  case HEAD_SCREEN_START: s->state = HEAD_SCREEN_REQUEST_LINE; return NULL;
  case HEAD_SCREEN_LINE: s->state = HEAD_SCREEN_NAME; return take_name(s, c);
  case HEAD_SCREEN_NAME: return take_name(s, c);
  case HEAD_SCREEN_VALUE: return take_value(s, c);
  default: return NULL;
  }
}

const char *head_screen_take(head_screen *s, const char *bytes, size_t count)
{
  for (size_t i = 0; i < count && s->state != HEAD_SCREEN_PAST;) {
    if (s->state == HEAD_SCREEN_BODY) {
      size_t part = count - i < s->length ? count - i : (size_t)s->length;
      i += part;
      s->length -= part;
      if (s->length == 0) s->state = HEAD_SCREEN_START;
      continue;
    }
    const char *wrong = take_byte(s, bytes[i++]);
    if (wrong) return wrong;
  }
  return NULL;
}
