/* Answers made from a job's recording. */
#include "api/http/routes/recorded/recorded.h"

#include "api/http/parse/accept.h"
#include "api/http/readers.h"
#include "api/http/answer/reply.h"
#include "api/http/router.h"

enum { FORM_LIMIT = 4 };

static int chosen_form(const http_request *request, const recorded_form *forms, size_t form_count)
{
  const char *types[FORM_LIMIT];
  size_t count = form_count < FORM_LIMIT ? form_count : FORM_LIMIT;
  for (size_t k = 0; k < count; k++) types[k] = forms[k].type;
  return http_accept_choose(http_request_header(request, MHD_HTTP_HEADER_ACCEPT), types, count);
}

bool recorded_take(const http_request *request, readers_care care, http_reader *reader, http_reply *reply)
{
  scr_error error = {0};
  const char *accept = http_request_query(request, "damaged");
  lab_status status = readers_take(request->front->readers, request->front->lab, http_request_job(request), care, reader, &error);
  if (status != LAB_OK) {
    *reply = problem_reply_lab(request, status, &error);
    return false;
  }
  bool damaged = reader->verified && reader->check.integrity == SCR_DAMAGED;
  if (!damaged || accept) return true;
  *reply = problem_reply(request, PROBLEM_DAMAGED, "the recording of job %lld is damaged: %s. Add damaged=accept for what lies before",
                         (long long)reader->id, reader->check.message);
  recorded_give(request, reader, NULL);
  return false;
}

void recorded_give(const http_request *request, http_reader *reader, http_reply *reply)
{
  if (reply && reader->verified && reader->check.integrity == SCR_DAMAGED) reply_header(reply, "Scree-Damage", reader->check.message);
  readers_give(request->front->readers, reader);
}

http_reply recorded_failure(const http_request *request, scr_status status, const scr_error *error)
{
  return problem_reply(request, status == SCR_BAD_FILE ? PROBLEM_DAMAGED : PROBLEM_FAILED, "%s", error->message);
}

http_reply recorded_reply(const http_request *request, const recorded_form *forms, size_t form_count, const char *refusal)
{
  long long after = 0;
  const char *after_text = http_request_query(request, "after");
  if (after_text && !http_number_parse(after_text, &after))
    return problem_reply(request, PROBLEM_BAD_REQUEST, "the parameter after is '%.60s'; it must be a whole number >= 0", after_text);
  http_reader reader;
  http_reply reply;
  if (!recorded_take(request, READERS_LENGTH, &reader, &reply)) return reply;
  int form = chosen_form(request, forms, form_count);
  reply = form < 0 ? problem_reply(request, PROBLEM_NOT_ACCEPTABLE, "%s", refusal) : forms[form].make(request, &reader, (uint64_t)after);
  recorded_give(request, &reader, &reply);
  reply_header(&reply, MHD_HTTP_HEADER_VARY, "Accept");
  return reply;
}

http_reply recorded_text(const http_request *request, scr_status status, const scr_error *error, const char *type, char *text,
                         size_t length)
{
  if (status != SCR_OK) return recorded_failure(request, status, error);
  return reply_text(200, type, text, length);
}
