/* Problem documents (RFC 9457): every error a client sees has the same shape. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/http/answer/reply.h"
#include "api/shapes/job_json.h"
#include "api/shapes/json_text.h"
#include "base/text.h"

static const char problem_type[] = "application/problem+json";

static const struct {
  unsigned status;
  const char *name, *title;
} kinds[PROBLEM_KIND_COUNT] = {
    [PROBLEM_BAD_REQUEST] = {400, "bad-request", "The request is not understood"},
    [PROBLEM_BAD_JSON] = {400, "bad-json", "The body is not JSON"},
    [PROBLEM_UNAUTHORIZED] = {401, "unauthorized", "This laboratory answers only its owner"},
    [PROBLEM_FOREIGN_ORIGIN] = {403, "foreign-origin", "Requests from pages of other sites are refused"},
    [PROBLEM_NOT_FOUND] = {404, "not-found", "Not found"},
    [PROBLEM_METHOD_NOT_ALLOWED] = {405, "method-not-allowed", "This path does not support this method"},
    [PROBLEM_NOT_ACCEPTABLE] = {406, "not-acceptable", "None of the accepted media types is available"},
    [PROBLEM_CONFLICT] = {409, "conflict", "The current state does not allow it"},
    [PROBLEM_GONE] = {410, "gone", "The job was deleted"},
    [PROBLEM_LATE] = {408, "late", "The request took too long to arrive"},
    [PROBLEM_TOO_LARGE] = {413, "too-large", "The body is too long"},
    [PROBLEM_ANSWER_TOO_LARGE] = {413, "answer-too-large", "The answer would be larger than Scree makes here"},
    [PROBLEM_TARGET_TOO_LONG] = {414, "target-too-long", "The path and query are too long"},
    [PROBLEM_HEAD_TOO_LARGE] = {431, "head-too-large", "The headers are too long"},
    [PROBLEM_VERSION] = {505, "version", "This version of HTTP is not supported"},
    [PROBLEM_NOT_JSON] = {415, "not-json", "The body must be sent as application/json"},
    [PROBLEM_RANGE] = {416, "range", "The range begins after the end"},
    [PROBLEM_MISDIRECTED] = {421, "misdirected", "This connection or host name does not serve this request"},
    [PROBLEM_UPGRADE_REQUIRED] = {426, "upgrade-required", "This path is a WebSocket"},
    [PROBLEM_SCENE_REFUSED] = {422, "scene-refused", "The scene can't run"},
    [PROBLEM_STUDY_REFUSED] = {422, "study-refused", "The study can't run"},
    [PROBLEM_CURVES_REFUSED] = {422, "curves-refused", "The measured curves can't be read"},
    [PROBLEM_NO_PREVIEW] = {422, "no-preview", "The file can't be shown"},
    [PROBLEM_NO_PICTURE] = {422, "no-picture", "The scene has no such picture"},
    [PROBLEM_NO_TEMPLATE] = {422, "no-template", "The scene has no such template"},
    [PROBLEM_KEY_REUSED] = {422, "key-reused", "The idempotency key was used with another request"},
    [PROBLEM_QUEUE_FULL] = {429, "queue-full", "Too many jobs are waiting"},
    [PROBLEM_FAILED] = {500, "failed", "Scree failed to do it"},
    [PROBLEM_DAMAGED] = {500, "damaged", "The recording is damaged"},
    [PROBLEM_DRAINING] = {503, "draining", "Scree is shutting down"},
    [PROBLEM_FULL] = {503, "full", "There is not enough disk space"},
    [PROBLEM_NOT_READY] = {503, "not-ready", "Scree is not ready"},
    [PROBLEM_BUSY] = {503, "busy", "Too many requests at once"},
};

unsigned problem_status(problem_kind kind)
{
  return kinds[kind].status;
}

const char *problem_title(problem_kind kind)
{
  return kinds[kind].title;
}

static json_t *document(problem_kind kind, const char *instance, const char *detail)
{
  return json_pack("{s:o, s:s, s:i, s:o, s:o}", "type", json_sprintf("/problems/%s", kinds[kind].name), "title", kinds[kind].title,
                   "status", (int)kinds[kind].status, "detail", json_text(detail), "instance", json_text(instance));
}

char *problem_text(problem_kind kind, const char *instance, const char *detail, const char *id)
{
  json_t *value = document(kind, instance, detail);
  if (value && id) (void)json_object_set_new(value, "request_id", json_string(id)); /* without memory for it, the answer without it */
  char *text = value ? json_dumps(value, JSON_COMPACT) : NULL;
  json_decref(value);
  return text;
}

/* The path of a request as sent, without its query. */
static void instance_of(const http_request *request, char *text, size_t capacity)
{
  const char *target = request->target ? request->target : "";
  snprintf(text, capacity, "%.*s", (int)strcspn(target, "?"), target);
}

static http_reply reply_document(const http_request *request, problem_kind kind, json_t *value, const char *reason)
{
  if (value && request->id && json_object_set_new(value, "request_id", json_string(request->id)) != 0) {
    json_decref(value);
    value = NULL;
  }
  http_reply reply = reply_json(kinds[kind].status, value);
  reply.problem = kinds[kind].name;
  snprintf(reply.reason, sizeof reply.reason, "%.*s", (int)text_cut(reason, strlen(reason), sizeof reply.reason - 1), reason);
  if (reply.response) {
    (void)MHD_del_response_header(reply.response, MHD_HTTP_HEADER_CONTENT_TYPE, "application/json");
    reply_header(&reply, MHD_HTTP_HEADER_CONTENT_TYPE, problem_type);
    if (kinds[kind].status == 503 || kinds[kind].status == 429) reply_header(&reply, MHD_HTTP_HEADER_RETRY_AFTER, "5");
  }
  return reply;
}

http_reply problem_reply(const http_request *request, problem_kind kind, const char *format, ...)
{
  char detail[1024], instance[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(detail, sizeof detail, format, arguments);
  va_end(arguments);
  instance_of(request, instance, sizeof instance);
  return reply_document(request, kind, document(kind, instance, detail), detail);
}

http_reply problem_reply_list(const http_request *request, problem_kind kind, const scr_problems *problems, const char *detail)
{
  char instance[512];
  instance_of(request, instance, sizeof instance);
  json_t *value = document(kind, instance, detail);
  if (value && problems->count > 0) {
    json_t *list = problems_json(problems);
    if (!list || json_object_set_new(value, "errors", list) != 0) {
      json_decref(value);
      value = NULL;
    }
  }
  /* The first problem of a scene says more than that there are some. Those of other requests may hold anything: a key in the wrong place.
   * */
  bool of_scene = kind == PROBLEM_SCENE_REFUSED && problems->count > 0;
  return reply_document(request, kind, value, of_scene ? problems->items[0].detail : detail);
}

http_reply problem_reply_lab(const http_request *request, lab_status status, const scr_error *error)
{
  const char *message = error && error->message[0] ? error->message : "no reason was given";
  switch (status) {
  case LAB_NOT_FOUND: return problem_reply(request, PROBLEM_NOT_FOUND, "%s", error && error->message[0] ? message : "there is no such job");
  case LAB_CONFLICT: return problem_reply(request, PROBLEM_CONFLICT, "%s", message);
  case LAB_REFUSED: return problem_reply(request, PROBLEM_SCENE_REFUSED, "%s", message);
  case LAB_KEY_REUSED: return problem_reply(request, PROBLEM_KEY_REUSED, "%s", message);
  case LAB_GONE: return problem_reply(request, PROBLEM_GONE, "%s", message);
  case LAB_ABANDONED: /* a status for the log: not a failure of the server */
  case LAB_BAD_REQUEST: return problem_reply(request, PROBLEM_BAD_REQUEST, "%s", message);
  case LAB_QUEUE_FULL: return problem_reply(request, PROBLEM_QUEUE_FULL, "%s", message);
  case LAB_FULL: return problem_reply(request, PROBLEM_FULL, "%s", message);
  case LAB_TOO_LARGE: return problem_reply(request, PROBLEM_ANSWER_TOO_LARGE, "%s", message);
  case LAB_DRAINING:
    return problem_reply(request, PROBLEM_DRAINING, "Scree is shutting down and takes no new jobs: send it again when it is back");
  case LAB_OK:
  case LAB_FAILED: break;
  }
  return problem_reply(request, PROBLEM_FAILED, "%s", message);
}
