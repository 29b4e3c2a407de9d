/** Query parameters with their checks: what is wrong with them becomes a list of problems. */
#ifndef SCREE_API_HTTP_QUERY_H
#define SCREE_API_HTTP_QUERY_H

#include "api/http/request.h"

/** A whole number within [low, high]; absent: `*value` stays. Adds a problem when it is not. */
void query_number(const http_request *request, const char *name, long long low, long long high, long long *value, scr_problems *problems);

/** Which page of a list whose numbers fall: those below `before` (0: from the newest), `limit` at most. */
typedef struct query_page {
  long long before, limit;
} query_page;

/** The parameters before and limit: 1 to 200, 50 where it is absent. */
query_page query_page_read(const http_request *request, scr_problems *problems);

/** States by name, with commas between, as bits 1 << lab_job_state; absent: 0. */
void query_states(const http_request *request, unsigned *states, scr_problems *problems);

/** One of `count` names; absent: `*choice` stays. `allowed` lists them for people. */
void query_choice(const http_request *request, const char *name, const char *const *names, size_t count, const char *allowed,
                  size_t *choice, scr_problems *problems);

/** The 400 that lists the problems, which are emptied. */
http_reply query_refused(const http_request *request, scr_problems *problems);

#endif
