/** Answers made from a job's recording: what its routes do alike before and after the part that is theirs. */
#ifndef SCREE_API_HTTP_RECORDED_H
#define SCREE_API_HTTP_RECORDED_H

#include "api/http/readers.h"
#include "api/http/request.h"

/** Takes the recording of the request's job for reading. A damaged one is refused unless the request says `damaged=accept`; then what lies
 *  before the damage is handed out.
 *  @param reply receives the answer when there is nothing to be read    @return whether `reader` is to be given back by recorded_give */
bool recorded_take(const http_request *request, readers_care care, http_reader *reader, http_reply *reply);

/** Gives it back. An answer made from a damaged one gets the header Scree-Damage, which says what is missing. `reply` may be NULL. */
void recorded_give(const http_request *request, http_reader *reader, http_reply *reply);

/** The answer when a record turns out to be damaged while it is read, or when reading fails otherwise. */
http_reply recorded_failure(const http_request *request, scr_status status, const scr_error *error);

/** A form that an answer may take. */
typedef struct recorded_form {
  const char *type; /**< media type that Accept chooses it by */
  /** Makes the answer. `reader->recording` is NULL while nothing is recorded yet; an answer that goes on reading takes it over and sets it
   *  to NULL. `after`: records up to this seq are left out. */
  http_reply (*make)(const http_request *request, http_reader *reader, uint64_t after);
} recorded_form;

/** Reads the parameter `after`, takes the recording of the request's job, has the form made that Accept asks for, and gives the recording
 *  back.
 *  @param forms [form_count], the first one for clients that don't care
 *  @param refusal detail of the problem when no form is acceptable */
http_reply recorded_reply(const http_request *request, const recorded_form *forms, size_t form_count, const char *refusal);

/** The end of a form: text that core made, or why it could not.
 *  @param text from malloc, consumed; only looked at when `status` is SCR_OK */
http_reply recorded_text(const http_request *request, scr_status status, const scr_error *error, const char *type, char *text,
                         size_t length);

#endif
