/** Request paths: from the bytes of a request line to decoded segments, and back to the route they name.
 *
 *  Routes are matched on exact segments, so nothing a client writes can reach a file or a route by "..", "//", "%2f" or "%00". */
#ifndef SCREE_API_HTTP_PATH_H
#define SCREE_API_HTTP_PATH_H

#include <stdbool.h>
#include <stddef.h>

enum { HTTP_SEGMENT_LIMIT = 8, HTTP_PATH_BYTES = 1024, HTTP_PARAMETER_LIMIT = 3 };

/** A decoded path. "/" is one empty segment, "/a/" is "a" and an empty one. */
typedef struct http_path {
  size_t count;                             /**< 1 ... HTTP_SEGMENT_LIMIT */
  const char *segments[HTTP_SEGMENT_LIMIT]; /**< into `text` */
  char text[HTTP_PATH_BYTES];               /**< the segments, each ended by a zero byte */
} http_path;

/** Decodes the path of a request target ("/api/v1/jobs/3?x=1"; what follows '?' is left out).
 *  @return false when it is no plain absolute path: bad or missing percent digits, control characters, a slash or backslash inside a
 *  segment, "." or ".." as a segment, more segments or bytes than the limits */
bool http_path_parse(http_path *path, const char *target);

/** What a pattern's braces stood for. */
typedef struct http_parameters {
  size_t count;
  const char *values[HTTP_PARAMETER_LIMIT]; /**< into the path's text */
  size_t tail;                              /**< index of the first segment of "{name...}", 0 when the pattern has none */
} http_parameters;

/** Whether a path is the one a pattern describes: "/api/v1/jobs/{id}/curves", "/assets/{file...}" (one or more segments). What follows a
 *  '?' in the pattern, the names of its query parameters, is left out. `parameters` may be NULL. */
bool http_path_match(const http_path *path, const char *pattern, http_parameters *parameters);

/** Joins segments from `first` on with '/'. @return false when they don't fit */
bool http_path_join(const http_path *path, size_t first, char *text, size_t capacity);

/** A whole decimal number without sign, blanks or leading zeros; false also above INT64_MAX. */
bool http_number_parse(const char *text, long long *number);

#endif
