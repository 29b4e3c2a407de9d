/* Answers made from a job's recording. */
#include "api/http/recorded.h"

#include "api/http/accept.h"
#include "api/http/readers.h"
#include "api/http/reply.h"
#include "api/http/router.h"

enum { FORM_LIMIT = 4 };

static int chosen_form(const http_request *request, const recorded_form *forms, size_t form_count)
{
  const char *types[FORM_LIMIT];
  size_t count = form_count < FORM_LIMIT ? form_count : FORM_LIMIT;
  for (size_t k = 0; k < count; k++) types[k] = forms[k].type;
  return http_accept_choose(http_request_header(request, MHD_HTTP_HEADER_ACCEPT), types, count);
}

http_reply recorded_reply(const http_request *request, const recorded_form *forms, size_t form_count, const char *refusal)
{
  scr_error error = {0};
  long long after = 0;
  const char *after_text = http_request_query(request, "after");
  if (after_text && !http_number_parse(after_text, &after))
    return problem_reply(request, PROBLEM_BAD_REQUEST, "the parameter after is '%.60s'; it must be a whole number >= 0", after_text);
  scr_recording *recording = NULL;
  int64_t id = http_request_job(request);
  lab_status status = readers_take(request->front->readers, request->front->lab, id, &recording, &error);
  if (status != LAB_OK) return problem_reply_lab(request, status, &error);
  int form = chosen_form(request, forms, form_count);
  http_reply reply =
      form < 0 ? problem_reply(request, PROBLEM_NOT_ACCEPTABLE, "%s", refusal) : forms[form].make(request, recording, (uint64_t)after);
  readers_give(request->front->readers, id, recording);
  reply_header(&reply, MHD_HTTP_HEADER_VARY, "Accept");
  return reply;
}

http_reply recorded_text(const http_request *request, scr_status status, const scr_error *error, const char *type, char *text,
                         size_t length)
{
  if (status != SCR_OK) return problem_reply(request, PROBLEM_FAILED, "%s", error->message);
  return reply_text(200, type, text, length);
}
