/** What a route sees of a request, and what it gives back. */
#ifndef SCREE_API_HTTP_REQUEST_H
#define SCREE_API_HTTP_REQUEST_H

#include <jansson.h>
#include <microhttpd.h>

#include "api/access/access.h"
#include "api/http/parse/path.h"
#include "server/lab/lab.h"

struct http_readers;
typedef struct http_upload http_upload;

enum { HTTP_REASON_BYTES = 200 };

/** What all routes share. Read-only once the server runs. */
typedef struct http_front {
  lab *lab;                     /**< borrowed */
  access_control *access;       /**< borrowed */
  struct http_readers *readers; /**< open recordings */
} http_front;

/** A complete request: headers checked, body received. */
typedef struct http_request {
  const http_front *front;
  struct MHD_Connection *connection;
  bool head;          /**< only the answer's head is wanted */
  const char *id;     /**< names it in the answer and in the log; NULL: it has none */
  const char *target; /**< as sent: "/api/v1/jobs/3?x=1" */
  http_path path;
  access_identity identity;   /**< who asks; nobody only on routes that are for everyone */
  http_parameters parameters; /**< what the braces of the route's pattern stand for */
  char *body;                 /**< [body_size], followed by a zero byte; NULL when there is none */
  size_t body_size;
  http_upload *upload; /**< of a route that takes a file (upload.h); else NULL */
} http_request;

/** An answer: the status and the response, which belongs to the receiver. response NULL: no memory. */
typedef struct http_reply {
  unsigned status;
  struct MHD_Response *response;
  const char *problem;            /**< of a problem document: its kind, "scene-refused"; else NULL */
  char reason[HTTP_REASON_BYTES]; /**< its detail, perhaps cut; else "" */
} http_reply;

/** A header of the request, NULL when absent. */
const char *http_request_header(const http_request *request, const char *name);
/** A query parameter, decoded; NULL when absent. */
const char *http_request_query(const http_request *request, const char *name);

/** Whether its client has closed the connection; for routes that take long (lab_caller). @param request an http_request */
bool http_request_gone(void *request);

/** The job id in the path's first parameter; 0 when it is not a number a job could have. */
int64_t http_request_job(const http_request *request);

#endif
