/** Making answers: JSON, text, bytes and problem documents (RFC 9457). */
#ifndef SCREE_API_HTTP_REPLY_H
#define SCREE_API_HTTP_REPLY_H

#include "api/http/request.h"

/** Adds a header; ignores one that can't be added. */
void reply_header(http_reply *reply, const char *name, const char *value);

/** Adds what keeps browsers from taking an answer for something else; and that it is not stored, unless it says how long it may be. */
void reply_secure(http_reply *reply);

/** JSON text of `value`, which is consumed (NULL: no memory). */
http_reply reply_json(unsigned status, json_t *value);

/** {"name": list, "next": where the next page begins, null for 0}. */
http_reply reply_page(const char *name, json_t *list, const char *next, int64_t at);

/** `text` (from malloc, consumed; NULL: no memory) of a media type. */
http_reply reply_text(unsigned status, const char *type, char *text, size_t length);

/** Bytes that live as long as the program. */
http_reply reply_static(unsigned status, const char *type, const void *data, size_t length);

/** No body. */
http_reply reply_empty(unsigned status);

/** The kinds of problems; problem.c has their titles and statuses. */
typedef enum problem_kind {
  PROBLEM_BAD_REQUEST,
  PROBLEM_BAD_JSON,
  PROBLEM_UNAUTHORIZED,
  PROBLEM_FOREIGN_ORIGIN,
  PROBLEM_NOT_FOUND,
  PROBLEM_METHOD_NOT_ALLOWED,
  PROBLEM_NOT_ACCEPTABLE,
  PROBLEM_CONFLICT,
  PROBLEM_GONE,
  PROBLEM_LATE,
  PROBLEM_TOO_LARGE,
  PROBLEM_ANSWER_TOO_LARGE,
  PROBLEM_TARGET_TOO_LONG,
  PROBLEM_HEAD_TOO_LARGE,
  PROBLEM_VERSION,
  PROBLEM_NOT_JSON,
  PROBLEM_RANGE,
  PROBLEM_MISDIRECTED,
  PROBLEM_UPGRADE_REQUIRED,
  PROBLEM_SCENE_REFUSED,
  PROBLEM_STUDY_REFUSED,
  PROBLEM_CURVES_REFUSED,
  PROBLEM_NO_PREVIEW,
  PROBLEM_NO_TEMPLATE,
  PROBLEM_NO_PICTURE,
  PROBLEM_KEY_REUSED,
  PROBLEM_QUEUE_FULL,
  PROBLEM_FAILED,
  PROBLEM_DAMAGED,
  PROBLEM_DRAINING,
  PROBLEM_FULL,
  PROBLEM_NOT_READY,
  PROBLEM_BUSY,
  PROBLEM_KIND_COUNT
} problem_kind;

/** A problem document with one sentence of detail. */
http_reply problem_reply(const http_request *request, problem_kind kind, const char *format, ...) __attribute__((format(printf, 3, 4)));

/** A problem document that lists every reason. The list is not emptied. */
http_reply problem_reply_list(const http_request *request, problem_kind kind, const scr_problems *problems, const char *detail);

/** The answer to a lab call that did not succeed. */
http_reply problem_reply_lab(const http_request *request, lab_status status, const scr_error *error);

/** JSON text of a problem document, from malloc; NULL: no memory. For answers that are not made through libmicrohttpd.
 *  @param id of the request, NULL: none */
char *problem_text(problem_kind kind, const char *instance, const char *detail, const char *id);
/** Its status and title. */
unsigned problem_status(problem_kind kind);
const char *problem_title(problem_kind kind);

#endif
