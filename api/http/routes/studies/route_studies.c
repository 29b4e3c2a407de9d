/* Studies: checking, submitting, looking, steering. Each handler parses, asks the lab, and answers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/http/answer/reply.h"
#include "api/http/parse/query.h"
#include "api/http/router.h"
#include "api/shapes/job_json.h"
#include "api/shapes/json_text.h"
#include "api/shapes/study_json.h"
#include "server/embedded.h"

static http_reply study_failed(const http_request *request, lab_status status, const scr_problems *problems, const scr_error *error)
{
  if (status == LAB_REFUSED)
    return problem_reply_list(request, PROBLEM_STUDY_REFUSED, problems, "the study can't run, for the reasons in `errors`");
  if (status == LAB_BAD_REQUEST && problems->count > 0)
    return problem_reply_list(request, PROBLEM_BAD_REQUEST, problems, "the submission is not understood, for the reasons in `errors`");
  return problem_reply_lab(request, status, error);
}

static http_reply study_reply(const http_request *request, unsigned code, lab_status status, const lab_study *study, const scr_error *error)
{
  return status == LAB_OK ? reply_json(code, study_json(study)) : problem_reply_lab(request, status, error);
}

/* ── checking and submitting ── */

http_reply route_study_check(const http_request *request)
{
  http_reply reply;
  http_request waiting = *request;
  const lab_caller caller = {.gone = http_request_gone, .user = &waiting};
  lab_study_plan plan;
  scr_problems problems = {0};
  scr_error error = {0};
  if (!scene_body_is_json(request, &reply)) return reply;
  lab_status status =
      lab_study_check(request->front->lab, request->body ? request->body : "", request->body_size, &caller, &plan, &problems, &error);
  reply = status == LAB_OK ? reply_json(200, study_plan_json(&plan)) : study_failed(request, status, &problems, &error);
  lab_study_plan_clear(&plan);
  scr_problems_clear(&problems);
  return reply;
}

/* The new study, and what is to be said of its rows. */
static http_reply submitted(const lab_study *study, const lab_study_plan *plan)
{
  json_t *shape = study_json(study);
  if (json_object_set_new(shape, "plan", study_plan_json(plan)) != 0) {
    json_decref(shape);
    shape = NULL;
  }
  return reply_json(201, shape);
}

static bool key_fits(const char *key)
{
  if (!key) return true;
  size_t length = strlen(key);
  for (const char *c = key; *c; c++)
    if (*c < 33 || *c > 126) return false;
  return length >= 1 && length <= LAB_KEY_LIMIT;
}

http_reply route_study_submit(const http_request *request)
{
  http_reply reply;
  lab_study_plan plan;
  lab_study study;
  bool created = false;
  scr_problems problems = {0};
  scr_error error = {0};
  const char *key = http_request_header(request, "Idempotency-Key"), *user = http_request_query(request, "user");
  if (!key_fits(key))
    return problem_reply(request, PROBLEM_BAD_REQUEST, "the header Idempotency-Key must be 1 to 255 printable ASCII characters");
  if (!scene_body_is_json(request, &reply)) return reply;
  const lab_study_request wanted = {request->body ? request->body : "", request->body_size, key, user && *user ? user : NULL};
  lab_status status = lab_study_submit(request->front->lab, &wanted, &plan, &study, &created, &problems, &error);
  if (status != LAB_OK)
    reply = study_failed(request, status, &problems, &error);
  else
    reply = created ? submitted(&study, &plan) : reply_json(200, study_json(&study));
  if (status == LAB_OK) {
    char location[64];
    snprintf(location, sizeof location, "/api/v1/studies/%lld", (long long)study.id);
    reply_header(&reply, MHD_HTTP_HEADER_LOCATION, location);
  }
  lab_study_plan_clear(&plan);
  scr_problems_clear(&problems);
  return reply;
}

/* ── looking ── */

static json_t *study_item(const void *item)
{
  return study_json(item);
}

http_reply route_study_list(const http_request *request)
{
  scr_problems problems = {0};
  scr_error error = {0};
  query_page page = query_page_read(request, &problems);
  if (problems.count > 0) return query_refused(request, &problems);
  size_t count = 0, limit = (size_t)page.limit;
  lab_study *studies = calloc(limit, sizeof *studies);
  if (!studies) return (http_reply){0};
  lab_status status = lab_study_list(request->front->lab, page.before, studies, limit, &count, &error);
  http_reply reply = status != LAB_OK ? problem_reply_lab(request, status, &error)
                                      : reply_page("studies", json_list(studies, count, sizeof *studies, study_item), "next_before",
                                                   count == limit ? studies[count - 1].id : 0);
  free(studies);
  return reply;
}

http_reply route_study_get(const http_request *request)
{
  lab_study study;
  scr_error error = {0};
  lab_status status = lab_study_get(request->front->lab, http_request_job(request), &study, &error);
  return study_reply(request, 200, status, &study, &error);
}

http_reply route_study_document(const http_request *request)
{
  char *text = NULL;
  scr_error error = {0};
  lab_status status = lab_study_document(request->front->lab, http_request_job(request), &text, &error);
  if (status != LAB_OK) return problem_reply_lab(request, status, &error);
  return reply_text(200, "application/json", text, strlen(text));
}

/* The studies that come with Scree, compiled into the program. */
http_reply route_study_gallery(const http_request *request)
{
  size_t count = 0;
  const embedded_file *files = embedded_under("studies/", &count);
  json_t *list = json_array();
  for (size_t i = 0; i < count; i++) {
    json_t *study = json_loadb((const char *)files[i].data, files[i].size, 0, NULL);
    if (!study) return problem_reply(request, PROBLEM_FAILED, "%s of this build is not JSON", files[i].path);
    const char *name = json_string_value(json_object_get(study, "name")), *title = json_string_value(json_object_get(study, "title"));
    const char *description = json_string_value(json_object_get(study, "description"));
    json_t *entry = json_pack("{s:o, s:o, s:o, s:o}", "name", json_text(name), "title", json_text(title), "description",
                              json_text(description), "study", study);
    if (json_array_append_new(list, entry) != 0) break;
  }
  return reply_json(200, json_pack("{s:o}", "studies", list));
}

/* ── steering ── */

static http_reply steer(const http_request *request, lab_status (*action)(lab *, int64_t, lab_study *, scr_error *))
{
  lab_study study;
  scr_error error = {0};
  lab_status status = action(request->front->lab, http_request_job(request), &study, &error);
  return study_reply(request, 202, status, &study, &error);
}

http_reply route_study_stop(const http_request *request)
{
  return steer(request, lab_study_stop);
}

http_reply route_study_resume(const http_request *request)
{
  return steer(request, lab_study_resume);
}

static lab_status retry(lab *the_lab, int64_t id, lab_study *study, scr_error *error)
{
  size_t count;
  return lab_study_retry(the_lab, id, &count, study, error);
}

http_reply route_study_retry(const http_request *request)
{
  return steer(request, retry);
}

http_reply route_study_add(const http_request *request)
{
  lab_study study;
  http_reply reply;
  scr_problems problems = {0};
  scr_error error = {0};
  if (!scene_body_is_json(request, &reply)) return reply;
  lab_status status = lab_study_add(request->front->lab, http_request_job(request), request->body ? request->body : "", request->body_size,
                                    &study, &problems, &error);
  reply = status == LAB_OK ? reply_json(202, study_json(&study)) : study_failed(request, status, &problems, &error);
  scr_problems_clear(&problems);
  return reply;
}

http_reply route_study_delete(const http_request *request)
{
  static const char *const names[] = {"keep", "delete"};
  lab_study study;
  size_t choice = 0;
  scr_problems problems = {0};
  scr_error error = {0};
  query_choice(request, "runs", names, 2, "keep or delete", &choice, &problems);
  if (problems.count > 0) return query_refused(request, &problems);
  lab_status status = lab_study_delete(request->front->lab, http_request_job(request), choice == 1, &study, &error);
  return study_reply(request, 202, status, &study, &error);
}
