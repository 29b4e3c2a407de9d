/** Ranges and validators of RFC 9110: which bytes of a file a request asks for, and whether the client has them already. */
#ifndef SCREE_API_HTTP_RANGE_H
#define SCREE_API_HTTP_RANGE_H

#include <stdbool.h>
#include <stdint.h>

typedef enum http_range_result {
  HTTP_RANGE_ALL,          /**< no range, one that is not understood, or several: send everything with 200 */
  HTTP_RANGE_PART,         /**< send `first` ... `last` with 206 */
  HTTP_RANGE_UNSATISFIABLE /**< 416 */
} http_range_result;

typedef struct http_range {
  uint64_t first, last; /**< bytes, both inclusive, within the file */
} http_range;

/** Reads a Range header ("bytes=0-499", "bytes=500-", "bytes=-500"); NULL when there is none.
 *  @param size bytes of the file */
http_range_result http_range_parse(const char *header, uint64_t size, http_range *range);

/** Whether an If-None-Match list names this entity tag (weak comparison; "*" names every one). NULL header: false. */
bool http_etag_listed(const char *header, const char *etag);

/** Whether If-Range lets a range be served: no header, or exactly this strong entity tag. A date never does. */
bool http_if_range_holds(const char *header, const char *etag);

#endif
