/* What is written on a job and what is known of its past: changes, attempts, events, the worker's log, the effective scene. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/http/parse/query.h"
#include "api/http/answer/reply.h"
#include "api/http/router.h"
#include "api/shapes/job_json.h"
#include "api/shapes/json_text.h"
#include "base/error.h"
#include "base/json_reader.h"

enum { attempt_limit = 100, event_limit = 1000, event_default = 200 };

/* ── changes ── */

typedef struct change_request {
  lab_change change;
  int priority;
  char *tags;
} change_request;

static void take_change(change_request *c, const char *key, const json_t *value, scr_problems *problems)
{
  char pointer[64];
  const char *text = json_string_value(value);
  snprintf(pointer, sizeof pointer, "/%.60s", key);
  bool is_text = strcmp(key, "name") == 0 || strcmp(key, "notes") == 0;
  if (is_text && !text) {
    (void)scr_problems_add(problems, pointer, "", "a text", "%s must be a text", pointer);
  } else if (strcmp(key, "name") == 0) {
    c->change.name = text;
  } else if (strcmp(key, "notes") == 0) {
    c->change.notes = text;
  } else if (strcmp(key, "tags") == 0) {
    c->tags = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
    c->change.tags = c->tags ? c->tags : "";
  } else if (strcmp(key, "priority") == 0 && json_is_integer(value)) {
    json_int_t number = json_integer_value(value);
    c->priority = number > INT_MAX ? INT_MAX : number < INT_MIN ? INT_MIN : (int)number;
    c->change.priority = &c->priority;
  } else if (strcmp(key, "priority") == 0) {
    (void)scr_problems_add(problems, pointer, "", "a whole number from -100 to 100", "/priority must be a whole number from -100 to 100");
  } else
    (void)scr_problems_add(problems, pointer, "", "name, tags, notes, priority",
                           "'%.60s' can't be changed; name, tags, notes and priority can", key);
}

static http_reply change_job(const http_request *request, const change_request *c, scr_problems *problems)
{
  lab_job job = {0};
  scr_error error = {0};
  lab_status status = lab_edit(request->front->lab, http_request_job(request), &c->change, &job, problems, &error);
  if (status == LAB_BAD_REQUEST)
    return problem_reply_list(request, PROBLEM_BAD_REQUEST, problems, "the change is not allowed, for the reasons in `errors`");
  return status == LAB_OK ? reply_json(200, job_json(&job)) : problem_reply_lab(request, status, &error);
}

http_reply route_job_change(const http_request *request)
{
  json_error_t where;
  json_t *body = NULL, *value;
  const char *key;
  scr_problems problems = {0};
  change_request c = {.priority = 0};
  scr_status status = json_read(request->body ? request->body : "", request->body_size, JSON_DECODE_ANY, &body, &where);
  if (status == SCR_NO_MEMORY) return (http_reply){0};
  if (status != SCR_OK) return problem_reply(request, PROBLEM_BAD_JSON, "line %d, column %d: %s", where.line, where.column, where.text);
  if (!json_is_object(body)) (void)scr_problems_add(&problems, "", "", "an object", "the body must be an object");
  json_object_foreach(body, key, value)
  {
    take_change(&c, key, value, &problems);
  }
  http_reply reply = problems.count ? problem_reply_list(request, PROBLEM_BAD_REQUEST, &problems,
                                                         "the change is not understood, for the reasons in `errors`")
                                    : change_job(request, &c, &problems);
  scr_problems_clear(&problems);
  free(c.tags);
  json_decref(body);
  return reply;
}

/* ── attempts and events ── */

static json_t *attempt_json(const void *item)
{
  const lab_attempt *a = item;
  return json_pack("{s:i, s:o, s:o, s:o, s:o, s:o, s:o}", "number", a->number, "started", json_time(a->started_ms), "ended",
                   json_time(a->ended_ms), "outcome", a->outcome[0] ? json_text(a->outcome) : json_null(), "error",
                   a->error[0] ? json_text(a->error) : json_null(), "peak_memory_bytes",
                   a->peak_memory ? json_count(a->peak_memory) : json_null(), "cpu_seconds",
                   a->ended_ms ? json_finite(a->cpu_seconds) : json_null());
}

http_reply route_job_attempts(const http_request *request)
{
  size_t count = 0;
  scr_error error = {0};
  lab_attempt *attempts = calloc(attempt_limit, sizeof *attempts);
  if (!attempts) return (http_reply){0};
  lab_status status = lab_attempts(request->front->lab, http_request_job(request), attempts, attempt_limit, &count, &error);
  http_reply reply = status == LAB_OK
                         ? reply_json(200, json_pack("{s:o}", "attempts", json_list(attempts, count, sizeof *attempts, attempt_json)))
                         : problem_reply_lab(request, status, &error);
  free(attempts);
  return reply;
}

static json_t *event_json(const void *item)
{
  const lab_happening *e = item;
  return json_pack("{s:I, s:I, s:o, s:o, s:o}", "id", (json_int_t)e->id, "job", (json_int_t)e->job, "time", json_time(e->time_ms), "type",
                   json_text(e->type), "text", json_text(e->text));
}

static http_reply events_reply(const http_request *request, int64_t job)
{
  scr_problems problems = {0};
  scr_error error = {0};
  long long after = 0, limit = event_default;
  size_t count = 0;
  bool more = false;
  query_number(request, "after", 0, LLONG_MAX, &after, &problems);
  query_number(request, "limit", 1, event_limit, &limit, &problems);
  if (problems.count > 0) return query_refused(request, &problems);
  lab_happening *events = calloc((size_t)limit, sizeof *events);
  if (!events) return (http_reply){0};
  lab_status status = lab_events(request->front->lab, job, after, events, (size_t)limit, &count, &more, &error);
  http_reply reply = status == LAB_OK ? reply_page("events", json_list(events, count, sizeof *events, event_json), "next_after",
                                                   more && count > 0 ? events[count - 1].id : 0)
                                      : problem_reply_lab(request, status, &error);
  free(events);
  return reply;
}

http_reply route_job_events(const http_request *request)
{
  int64_t job = http_request_job(request);
  if (job > 0) return events_reply(request, job);
  return problem_reply(request, PROBLEM_NOT_FOUND, "there is no such job");
}

http_reply route_events(const http_request *request)
{
  return events_reply(request, 0);
}

/* ── the log and the scene ── */

http_reply route_job_log(const http_request *request)
{
  char path[PATH_MAX];
  struct stat about;
  scr_error error = {0};
  lab_status status = lab_job_file(request->front->lab, http_request_job(request), "worker.log", path, sizeof path, &error);
  if (status != LAB_OK) return problem_reply_lab(request, status, &error);
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  http_reply reply = {.status = 200};
  if (fd >= 0 && fstat(fd, &about) == 0 && S_ISREG(about.st_mode)) {
    reply.response = MHD_create_response_from_fd64((uint64_t)about.st_size, fd);
    if (!reply.response) close(fd);
    reply_header(&reply, MHD_HTTP_HEADER_CONTENT_TYPE, "text/plain; charset=utf-8");
    return reply;
  }
  if (fd >= 0) close(fd);
  return reply_static(200, "text/plain; charset=utf-8", "", 0); /* it has not been started yet */
}

http_reply route_job_scene(const http_request *request)
{
  char *text;
  size_t length;
  scr_error error = {0};
  lab_status status = lab_scene(request->front->lab, http_request_job(request), &text, &length, &error);
  if (status != LAB_OK) return problem_reply_lab(request, status, &error);
  return reply_text(200, "application/json", text, length);
}
