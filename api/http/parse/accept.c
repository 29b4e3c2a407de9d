/* Reads Accept headers. A range that is not understood is skipped: a client that sends nonsense gets nothing it did not name. */
#include "api/http/parse/accept.h"

#include <string.h>
#include <strings.h>

static bool is_blank(char c)
{
  return c == ' ' || c == '\t';
}

/* Quality 0 ... 1000 of the parameters in [at, end): "q=0.25" anywhere among them, else 1000; -1 when q is no number. */
static int quality(const char *at, const char *end)
{
  while (at < end) {
    while (at < end && (*at == ';' || is_blank(*at))) at++;
    if (end - at >= 2 && (at[0] == 'q' || at[0] == 'Q') && at[1] == '=') {
      at += 2;
      if (at == end || (*at != '0' && *at != '1')) return -1;
      int whole = (*at++ - '0') * 1000, part = 0;
      if (at < end && *at == '.') {
        at++;
        for (int scale = 100; at < end && *at >= '0' && *at <= '9'; at++, scale /= 10) part += (*at - '0') * scale;
      }
      return whole + part > 1000 ? 1000 : whole + part;
    }
    while (at < end && *at != ';') at++;
  }
  return 1000;
}

/* How closely the range [at, end) names a type: 0 not at all, 1 by any of any kind, 2 by its main type, 3 exactly. */
static int closeness(const char *at, const char *end, const char *type)
{
  size_t length = (size_t)(end - at), slash = strcspn(type, "/");
  if (length == 3 && memcmp(at, "*/*", 3) == 0) return 1;
  if (length == slash + 2 && strncasecmp(at, type, slash + 1) == 0 && at[slash + 1] == '*') return 2;
  if (length == strlen(type) && strncasecmp(at, type, length) == 0) return 3;
  return 0;
}

/* Quality a header gives to one type: that of the range that names it most closely. */
static int type_quality(const char *header, const char *type)
{
  int best_closeness = 0, result = 0;
  for (const char *at = header; *at;) {
    while (*at == ',' || is_blank(*at)) at++;
    const char *end = at + strcspn(at, ",");
    const char *name_end = at;
    while (name_end < end && *name_end != ';' && !is_blank(*name_end)) name_end++;
    int close = closeness(at, name_end, type);
    int q = quality(name_end, end);
    if (close > best_closeness && q >= 0) {
      best_closeness = close;
      result = q;
    }
    at = end;
  }
  return result;
}

int http_accept_choose(const char *header, const char *const *types, size_t count)
{
  if (!header) return 0;
  int best = -1, best_quality = 0;
  for (size_t i = 0; i < count; i++) {
    int q = type_quality(header, types[i]);
    if (q > best_quality) {
      best_quality = q;
      best = (int)i;
    }
  }
  return best;
}

bool http_accept_gzip(const char *header)
{
  int named = -1, any = -1;
  for (const char *at = header ? header : ""; *at;) {
    while (*at == ',' || is_blank(*at)) at++;
    const char *end = at + strcspn(at, ","), *name_end = at;
    while (name_end < end && *name_end != ';' && !is_blank(*name_end)) name_end++;
    size_t length = (size_t)(name_end - at);
    if ((length == 4 && strncasecmp(at, "gzip", 4) == 0) || (length == 6 && strncasecmp(at, "x-gzip", 6) == 0))
      named = quality(name_end, end);
    else if (length == 1 && *at == '*')
      any = quality(name_end, end);
    at = end;
  }
  return named >= 0 ? named > 0 : any > 0;
}

bool http_content_type_is(const char *header, const char *type)
{
  if (!header) return false;
  while (is_blank(*header)) header++;
  size_t length = strlen(type);
  if (strncasecmp(header, type, length) != 0) return false;
  header += length;
  while (is_blank(*header)) header++;
  return *header == '\0' || *header == ';';
}
