/* Broken bonds of a job as CSV. */
#include "api/http/accept.h"
#include "api/http/readers.h"
#include "api/http/reply.h"
#include "api/http/router.h"

static const char csv_type[] = "text/csv; charset=utf-8";

static http_reply breaks_csv(const http_request *request, scr_recording *recording, uint64_t after)
{
  static const scr_breaks none;
  scr_error error = {0};
  scr_breaks *breaks = NULL;
  char *text = NULL;
  size_t length = 0;
  scr_status status = recording ? scr_breaks_read(recording, after, &breaks, &error) : SCR_OK;
  if (status == SCR_OK) status = scr_breaks_csv(breaks ? breaks : &none, &text, &length, &error);
  scr_breaks_destroy(breaks);
  if (status != SCR_OK) return problem_reply(request, PROBLEM_FAILED, "%s", error.message);
  return reply_text(200, csv_type, text, length);
}

http_reply route_breaks(const http_request *request)
{
  static const char *const types[] = {"text/csv"};
  scr_error error = {0};
  long long after = 0;
  const char *after_text = http_request_query(request, "after");
  if (after_text && !http_number_parse(after_text, &after))
    return problem_reply(request, PROBLEM_BAD_REQUEST, "the parameter after is '%.60s'; it must be a whole number >= 0", after_text);
  scr_recording *recording = NULL;
  int64_t id = http_request_job(request);
  lab_status status = readers_take(request->front->readers, request->front->lab, id, &recording, &error);
  if (status != LAB_OK) return problem_reply_lab(request, status, &error);
  http_reply reply = http_accept_choose(http_request_header(request, MHD_HTTP_HEADER_ACCEPT), types, 1) < 0
                         ? problem_reply(request, PROBLEM_NOT_ACCEPTABLE, "broken bonds come as text/csv")
                         : breaks_csv(request, recording, (uint64_t)after);
  readers_give(request->front->readers, id, recording);
  reply_header(&reply, MHD_HTTP_HEADER_VARY, "Accept");
  return reply;
}
