/** Answers made from a job's recording: what its routes do alike before and after the part that is theirs. */
#ifndef SCREE_API_HTTP_RECORDED_H
#define SCREE_API_HTTP_RECORDED_H

#include "api/http/request.h"

/** A form that an answer may take. */
typedef struct recorded_form {
  const char *type; /**< media type that Accept chooses it by */
  /** Makes the answer. `recording` is NULL while nothing is recorded yet; `after`: records up to this seq are left out. */
  http_reply (*make)(const http_request *request, scr_recording *recording, uint64_t after);
} recorded_form;

/** Reads the parameter `after`, takes the recording of the request's job, has the form made that Accept asks for, and gives the recording back.
 *  @param forms [form_count], the first one for clients that don't care
 *  @param refusal detail of the problem when no form is acceptable */
http_reply recorded_reply(const http_request *request, const recorded_form *forms, size_t form_count, const char *refusal);

/** The end of a form: text that core made, or why it could not.
 *  @param text from malloc, consumed; only looked at when `status` is SCR_OK */
http_reply recorded_text(const http_request *request, scr_status status, const scr_error *error, const char *type, char *text,
                         size_t length);

#endif
