/** The names of requests, and the lines of the log about them. Never in a line: what follows a '?', headers, bodies; there may be keys in
 *  them. */
#ifndef SCREE_API_HTTP_REQUEST_LOG_H
#define SCREE_API_HTTP_REQUEST_LOG_H

#include <stdatomic.h>

#include "api/http/request.h"
#include "server/log/log.h"

enum { REQUEST_ID_BYTES = 65 };

/** Makes the names of requests: what tells one run of the program from others, and a number. */
typedef struct request_names {
  char run[9];
  atomic_ullong count;
} request_names;

void request_names_begin(request_names *names);

/** The name of a request: what the client sent as X-Request-Id, when that is 1 to 64 letters, digits, '.', '_' or '-'; else a new one.
 *  @param sent NULL: nothing    @param id [REQUEST_ID_BYTES] */
void request_name(request_names *names, const char *sent, char *id);

/** What there is to say of an answered request. */
typedef struct request_facts {
  const char *method; /**< NULL: not known yet */
  double seconds;     /**< from when all of it had come to when the answer was there */
  double slow_seconds;
} request_facts;

/** Writes the lines that an answer deserves, if any: `request_refused` (status 400 and above) or `request` (something was changed; at level
 *  debug every other one), and `request_slow`. Refused and slow ones are bounded. */
void request_log(event_log *log, const http_request *request, const http_reply *reply, const request_facts *facts);

#endif
