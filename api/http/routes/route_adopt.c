/* Recordings without a job: which there are, and taking them in. */
#include "api/http/answer/reply.h"
#include "api/http/parse/query.h"
#include "api/http/router.h"
#include "api/shapes/json_text.h"

enum { at_once = 100 }; /* recordings in one answer; the next request goes on behind them */

/* Finds those behind the parameter `after`. False: `reply` says what is wrong with it */
static bool find(const http_request *request, int64_t *ids, size_t *count, http_reply *reply)
{
  scr_problems problems = {0};
  long long after = 0;
  query_number(request, "after", 0, INT64_MAX, &after, &problems);
  if (problems.count > 0) {
    *reply = query_refused(request, &problems);
    return false;
  }
  *count = lab_unclaimed(request->front->lab, after, ids, at_once);
  return true;
}

/* Where the next request goes on: null when there are no more. */
static json_t *next_of(const int64_t *ids, size_t count)
{
  return count > at_once ? json_integer(ids[at_once - 1]) : json_null();
}

http_reply route_unclaimed(const http_request *request)
{
  int64_t ids[at_once];
  size_t count;
  http_reply reply;
  if (!find(request, ids, &count, &reply)) return reply;
  json_t *list = json_array();
  for (size_t i = 0; i < count && i < at_once; i++) (void)json_array_append_new(list, json_integer(ids[i]));
  return reply_json(200, json_pack("{s:o, s:o, s:o}", "count", json_count(count), "jobs", list, "next", next_of(ids, count)));
}

http_reply route_adopt(const http_request *request)
{
  int64_t ids[at_once];
  size_t count;
  http_reply reply;
  if (!find(request, ids, &count, &reply)) return reply;
  json_t *adopted = json_array(), *refused = json_array();
  lab_status status = LAB_OK;
  scr_error error = {0};
  for (size_t i = 0; i < count && i < at_once && status != LAB_DRAINING; i++) {
    lab_job job;
    status = lab_adopt(request->front->lab, ids[i], &job, &error);
    if (status == LAB_OK)
      (void)json_array_append_new(adopted, json_integer(ids[i]));
    else
      (void)json_array_append_new(refused, json_pack("{s:I, s:o}", "job", (json_int_t)ids[i], "reason", json_text(error.message)));
  }
  if (status != LAB_DRAINING)
    return reply_json(200, json_pack("{s:o, s:o, s:o}", "adopted", adopted, "refused", refused, "next", next_of(ids, count)));
  json_decref(adopted);
  json_decref(refused);
  return problem_reply_lab(request, status, &error);
}
