/* Decoding and matching of request paths. Pure functions on text; the fuzzing target drives them directly. */
#include "api/http/parse/path.h"

#include <limits.h>
#include <string.h>

static int hex_digit(char c)
{
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/* Next decoded byte of a segment; -1 when it may not be there. */
static int decode_byte(const char **cursor)
{
  const char *at = *cursor;
  int byte = (unsigned char)*at;
  *cursor = at + 1;
  if (byte == '%') {
    int high = hex_digit(at[1]);
    int low = high < 0 ? -1 : hex_digit(at[2]);
    if (low < 0) return -1;
    byte = high * 16 + low;
    *cursor = at + 3;
  } else if (byte >= 0x7f) {
    return -1; /* a target is ASCII; other bytes come as percent digits */
  }
  if (byte < 0x20 || byte == 0x7f || byte == '/' || byte == '\\') return -1;
  return byte;
}

static bool is_end(char c)
{
  return c == '\0' || c == '?' || c == '#';
}

bool http_path_parse(http_path *path, const char *target)
{
  path->count = 0;
  if (target[0] != '/') return false;
  size_t used = 0;
  const char *cursor = target;
  while (*cursor == '/') {
    cursor++;
    if (path->count == HTTP_SEGMENT_LIMIT) return false;
    const char *segment = &path->text[used];
    while (*cursor != '/' && !is_end(*cursor)) {
      int byte = decode_byte(&cursor);
      if (byte < 0 || used + 2 > HTTP_PATH_BYTES) return false;
      path->text[used++] = (char)byte;
    }
    if (used + 1 > HTTP_PATH_BYTES) return false;
    path->text[used++] = '\0';
    if (strcmp(segment, ".") == 0 || strcmp(segment, "..") == 0) return false;
    path->segments[path->count++] = segment;
  }
  return is_end(*cursor);
}

bool http_path_match(const http_path *path, const char *pattern, http_parameters *parameters)
{
  http_parameters found = {0};
  const char *cursor = pattern;
  for (size_t i = 0; i < path->count; i++) {
    if (*cursor != '/') return false;
    cursor++;
    size_t length = strcspn(cursor, "/?");
    if (length > 4 && strncmp(cursor + length - 4, "...}", 4) == 0) {
      found.tail = i;
      if (parameters) *parameters = found;
      return true;
    }
    if (length > 2 && cursor[0] == '{') {
      if (path->segments[i][0] == '\0' || found.count == HTTP_PARAMETER_LIMIT) return false;
      found.values[found.count++] = path->segments[i];
    } else if (strlen(path->segments[i]) != length || memcmp(path->segments[i], cursor, length) != 0) {
      return false;
    }
    cursor += length;
  }
  if (*cursor != '\0' && *cursor != '?') return false;
  if (parameters) *parameters = found;
  return true;
}

bool http_path_join(const http_path *path, size_t first, char *text, size_t capacity)
{
  size_t used = 0;
  for (size_t i = first; i < path->count; i++) {
    size_t length = strlen(path->segments[i]);
    if (used + length + 2 > capacity) return false;
    if (i > first) text[used++] = '/';
    memcpy(text + used, path->segments[i], length);
    used += length;
  }
  if (used >= capacity) return false;
  text[used] = '\0';
  return true;
}

bool http_number_parse(const char *text, long long *number)
{
  if (text[0] == '\0' || (text[0] == '0' && text[1] != '\0')) return false;
  long long value = 0;
  for (; *text; text++) {
    if (*text < '0' || *text > '9') return false;
    int digit = *text - '0';
    if (value > (LLONG_MAX - digit) / 10) return false;
    value = value * 10 + digit;
  }
  *number = value;
  return true;
}
