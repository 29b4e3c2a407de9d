/** Pages for people who are not let in. */
#ifndef SCREE_API_HTTP_ROUTE_ACCESS_H
#define SCREE_API_HTTP_ROUTE_ACCESS_H

#include "api/http/request.h"

/** A page that says how to get in. @param status 401 or 403    @param what a sentence of plain ASCII without markup */
http_reply access_page(unsigned status, const char *what);

#endif
