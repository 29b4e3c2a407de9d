/* Jobs: submitting, listing, steering, deleting. Each handler parses, asks the lab, and answers. */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/http/readers.h"
#include "api/http/reply.h"
#include "api/http/router.h"
#include "api/shapes/job_json.h"
#include "base/error.h"

enum { page_limit = 200, page_default = 50, priority_limit = 100, key_limit = 255 };

/* ── parameters ── */

/* A whole number of a query parameter within [low, high]; absent: unchanged. Adds a problem when it is not. */
static void query_number(const http_request *request, const char *name, long long low, long long high, long long *value,
                         scr_problems *problems)
{
  const char *text = http_request_query(request, name);
  if (!text) return;
  long long number;
  bool negative = text[0] == '-';
  bool fine = http_number_parse(text + (negative ? 1 : 0), &number);
  if (fine && negative) number = -number;
  char allowed[96];
  snprintf(allowed, sizeof allowed, high == LLONG_MAX ? "a whole number >= %lld" : "a whole number from %lld to %lld", low, high);
  if (fine && number >= low && number <= high)
    *value = number;
  else
    (void)scr_problems_add(problems, name, text, allowed, "the parameter %s is '%.60s'; it must be %s", name, text, allowed);
}

static void query_state(const http_request *request, int *state, scr_problems *problems)
{
  const char *text = http_request_query(request, "state");
  if (!text) return;
  for (int s = LAB_QUEUED; s <= LAB_CANCELLED; s++)
    if (strcmp(text, lab_job_state_name((lab_job_state)s)) == 0) {
      *state = s;
      return;
    }
  static const char allowed[] = "queued, running, paused, succeeded, failed or cancelled";
  (void)scr_problems_add(problems, "state", text, allowed, "the parameter state is '%.60s'; it must be %s", text, allowed);
}

/* Consumes the problems. */
static http_reply parameters_refused(const http_request *request, scr_problems *problems)
{
  http_reply reply =
      problem_reply_list(request, PROBLEM_BAD_REQUEST, problems, "parameters are not understood, for the reasons in `errors`");
  scr_problems_clear(problems);
  return reply;
}

/* ── listing ── */

static json_t *jobs_array(const lab_job *jobs, size_t count)
{
  json_t *list = json_array();
  for (size_t i = 0; i < count; i++)
    if (json_array_append_new(list, job_json(&jobs[i])) != 0) {
      json_decref(list);
      return NULL;
    }
  return list;
}

http_reply route_job_list(const http_request *request)
{
  scr_problems problems = {0};
  long long before = 0, limit = page_default;
  int state = -1;
  query_number(request, "before", 1, LLONG_MAX, &before, &problems);
  query_number(request, "limit", 1, page_limit, &limit, &problems);
  query_state(request, &state, &problems);
  if (problems.count > 0) return parameters_refused(request, &problems);
  lab_job *jobs = calloc((size_t)limit, sizeof *jobs);
  if (!jobs) return (http_reply){0};
  scr_error error = {0};
  lab_totals totals;
  size_t count = 0;
  bool more = false;
  lab_status status = lab_list(request->front->lab, before, state, jobs, (size_t)limit, &count, &more, &error);
  if (status == LAB_OK) status = lab_count(request->front->lab, &totals, &error);
  http_reply reply;
  if (status != LAB_OK) {
    reply = problem_reply_lab(request, status, &error);
  } else {
    json_t *next = more && count > 0 ? json_integer((json_int_t)jobs[count - 1].id) : json_null();
    reply =
        reply_json(200, json_pack("{s:o, s:o, s:o}", "jobs", jobs_array(jobs, count), "next_before", next, "totals", totals_json(&totals)));
  }
  free(jobs);
  return reply;
}

/* ── one job ── */

static http_reply job_reply(const http_request *request, unsigned status, lab_status lab_result, const lab_job *job, const scr_error *error)
{
  if (lab_result != LAB_OK) return problem_reply_lab(request, lab_result, error);
  return reply_json(status, job_json(job));
}

http_reply route_job_get(const http_request *request)
{
  lab_job job;
  scr_error error = {0};
  lab_status status = lab_get(request->front->lab, http_request_job(request), &job, &error);
  return job_reply(request, 200, status, &job, &error);
}

static http_reply steer(const http_request *request, lab_status (*action)(lab *, int64_t, lab_job *, scr_error *))
{
  lab_job job;
  scr_error error = {0};
  lab_status status = action(request->front->lab, http_request_job(request), &job, &error);
  return job_reply(request, 202, status, &job, &error);
}

http_reply route_job_cancel(const http_request *request)
{
  return steer(request, lab_cancel);
}

http_reply route_job_pause(const http_request *request)
{
  return steer(request, lab_pause);
}

http_reply route_job_resume(const http_request *request)
{
  return steer(request, lab_resume);
}

http_reply route_job_delete(const http_request *request)
{
  scr_error error = {0};
  int64_t id = http_request_job(request);
  lab_status status = lab_delete(request->front->lab, id, &error);
  if (status != LAB_OK) return problem_reply_lab(request, status, &error);
  readers_forget(request->front->readers, id);
  return reply_empty(204);
}

/* ── submitting ── */

/* Whether an idempotency key is absent or one that can be used. */
static void check_key(const char *key, scr_problems *problems)
{
  if (!key) return;
  size_t length = strlen(key);
  bool fine = length >= 1 && length <= key_limit;
  for (size_t i = 0; i < length && fine; i++) fine = key[i] >= 0x20 && key[i] < 0x7f;
  if (!fine)
    (void)scr_problems_add(problems, "Idempotency-Key", "", "1 to 255 printable ASCII characters",
                           "the header Idempotency-Key has %zu bytes; it must be 1 to %d printable ASCII characters", length,
                           (int)key_limit);
}

/* The new job, and what its scene was warned of. */
static http_reply submitted_reply(const lab_job *job, const scr_problems *warnings)
{
  json_t *shape = job_json(job);
  if (json_object_set_new(shape, "warnings", problems_json(warnings)) != 0) {
    json_decref(shape);
    shape = NULL;
  }
  return reply_json(201, shape);
}

http_reply route_job_submit(const http_request *request)
{
  scr_problems problems = {0};
  scr_error error = {0};
  long long priority = 0;
  const char *key = http_request_header(request, "Idempotency-Key");
  query_number(request, "priority", -priority_limit, priority_limit, &priority, &problems);
  check_key(key, &problems);
  if (problems.count > 0) return parameters_refused(request, &problems);
  http_reply reply;
  if (!scene_body_is_json(request, &reply)) return reply;
  lab_job job;
  bool created = false;
  lab_status status =
      lab_submit(request->front->lab, request->body, request->body_size, key, (int)priority, &job, &created, &problems, &error);
  if (status == LAB_REFUSED)
    reply = problem_reply_list(request, PROBLEM_SCENE_REFUSED, &problems, "the scene can't run, for the reasons in `errors`");
  else
    reply = created ? submitted_reply(&job, &problems) : job_reply(request, 200, status, &job, &error);
  if (status == LAB_OK) {
    char location[64];
    snprintf(location, sizeof location, "/api/v1/jobs/%lld", (long long)job.id);
    reply_header(&reply, MHD_HTTP_HEADER_LOCATION, location);
  }
  scr_problems_clear(&problems);
  return reply;
}

/* ── the effective scene ── */

http_reply route_job_scene(const http_request *request)
{
  char path[PATH_MAX];
  scr_error error = {0};
  lab_status status = lab_job_file(request->front->lab, http_request_job(request), "scene.json", path, sizeof path, &error);
  if (status != LAB_OK) return problem_reply_lab(request, status, &error);
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  struct stat about;
  if (fd < 0 || fstat(fd, &about) != 0) {
    if (fd >= 0) close(fd);
    return problem_reply(request, PROBLEM_NOT_FOUND, "the scene of this job is not there any more");
  }
  http_reply reply = {.status = 200, .response = MHD_create_response_from_fd64((uint64_t)about.st_size, fd)};
  if (!reply.response) close(fd);
  reply_header(&reply, MHD_HTTP_HEADER_CONTENT_TYPE, "application/json");
  return reply;
}
