/** What the head of a request tells before its body is received. Each function refuses with a problem document. */
#ifndef SCREE_API_HTTP_ADMISSION_H
#define SCREE_API_HTTP_ADMISSION_H

#include "api/http/parse/host.h"
#include "api/http/answer/reply.h"
#include "api/http/router.h"

enum {
  ADMISSION_TARGET_BYTES = 8192,  /**< longest request target */
  ADMISSION_HEAD_BYTES = 32768,   /**< most bytes of headers */
  ADMISSION_PARAMETER_LIMIT = 100 /**< most query parameters */
};

/** Whether the head is one request's and not too large: one Host, one Content-Length at most and not beside Transfer-Encoding. */
bool admission_form(const http_request *request, size_t target_bytes, http_reply *refusal);

/** Whether the request comes by a name of ours and, when it would change something, not from another site's page. */
bool admission_source(const http_request *request, const http_hosts *hosts, const char *method, http_reply *refusal);

/** Whether the route has all the query parameters of the request. */
bool admission_query(const http_request *request, const http_route *route, http_reply *refusal);

/** Content-Length; -1 when there is none. */
long long admission_length(const http_request *request);

#endif
