/* Range, If-Range and If-None-Match (RFC 9110, sections 13 and 14). Whatever is not understood is ignored, as the RFC wants. */
#include "api/http/parse/range.h"

#include <string.h>
#include <strings.h>

static const char *skip_blanks(const char *text)
{
  while (*text == ' ' || *text == '\t') text++;
  return text;
}

/* Reads digits at *cursor; false when there are none. A number too large for the file stays at UINT64_MAX. */
static bool read_digits(const char **cursor, uint64_t *value)
{
  const char *at = *cursor;
  uint64_t number = 0;
  if (*at < '0' || *at > '9') return false;
  for (; *at >= '0' && *at <= '9'; at++) {
    unsigned digit = (unsigned)(*at - '0');
    number = number > (UINT64_MAX - digit) / 10 ? UINT64_MAX : number * 10 + digit;
  }
  *cursor = at;
  *value = number;
  return true;
}

http_range_result http_range_parse(const char *header, uint64_t size, http_range *range)
{
  if (!header) return HTTP_RANGE_ALL;
  const char *at = skip_blanks(header);
  if (strncasecmp(at, "bytes", 5) != 0) return HTTP_RANGE_ALL;
  at = skip_blanks(at + 5);
  if (*at != '=') return HTTP_RANGE_ALL;
  at = skip_blanks(at + 1);
  uint64_t first = 0, last = UINT64_MAX;
  bool has_first = read_digits(&at, &first);
  if (*at != '-') return HTTP_RANGE_ALL;
  at++;
  bool has_last = read_digits(&at, &last);
  if (*skip_blanks(at) != '\0' || (!has_first && !has_last)) return HTTP_RANGE_ALL;
  if (!has_first) {
    if (last == 0 || size == 0) return HTTP_RANGE_UNSATISFIABLE;
    range->first = last >= size ? 0 : size - last;
    range->last = size - 1;
    return HTTP_RANGE_PART;
  }
  if (has_last && last < first) return HTTP_RANGE_ALL;
  if (first >= size) return HTTP_RANGE_UNSATISFIABLE;
  range->first = first;
  range->last = last >= size ? size - 1 : last;
  return HTTP_RANGE_PART;
}

bool http_etag_listed(const char *header, const char *etag)
{
  if (!header) return false;
  const char *at = skip_blanks(header);
  if (strcmp(at, "*") == 0) return true;
  size_t length = strlen(etag);
  while (*at) {
    if (strncmp(at, "W/", 2) == 0) at += 2;
    if (*at != '"') return false;
    const char *end = strchr(at + 1, '"');
    if (!end) return false;
    end++;
    if ((size_t)(end - at) == length && memcmp(at, etag, length) == 0) return true;
    at = skip_blanks(end);
    if (*at != ',') return false;
    at = skip_blanks(at + 1);
  }
  return false;
}

bool http_if_range_holds(const char *header, const char *etag)
{
  if (!header) return true;
  const char *at = skip_blanks(header);
  size_t length = strlen(etag);
  return strncmp(at, etag, length) == 0 && *skip_blanks(at + length) == '\0';
}
