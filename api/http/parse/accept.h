/** Content negotiation (RFC 9110, section 12): which of several media types a client likes best, and what it sent. */
#ifndef SCREE_API_HTTP_ACCEPT_H
#define SCREE_API_HTTP_ACCEPT_H

#include <stdbool.h>
#include <stddef.h>

/** Index of the type the client likes best; the first of equals; -1 when none is acceptable.
 *  @param header an Accept header, NULL when there is none (then 0)   @param types [count] like "text/csv", lower case */
int http_accept_choose(const char *header, const char *const *types, size_t count);

/** Whether a client takes gzip: an Accept-Encoding header that names gzip, or any coding, with a quality above 0. NULL header: false. */
bool http_accept_gzip(const char *header);

/** Whether a Content-Type header says `type`, whatever its parameters. NULL header: false. */
bool http_content_type_is(const char *header, const char *type);

#endif
