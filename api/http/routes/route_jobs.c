/* Jobs: listing, looking at one, steering, deleting. Each handler parses, asks the lab, and answers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/http/parse/query.h"
#include "api/http/readers.h"
#include "api/http/answer/reply.h"
#include "api/http/router.h"
#include "api/shapes/job_json.h"
#include "api/shapes/json_text.h"
#include "base/error.h"

enum { words_limit = 200, tag_text_bytes = LAB_TAG_KEY_BYTES + LAB_TAG_VALUE_BYTES };

/* ── listing ── */

static json_t *job_item(const void *item)
{
  return job_json(item);
}

/* The query with room for the parts of tags that it points to. */
typedef struct list_request {
  lab_query query;
  size_t limit;
  char tags[LAB_QUERY_TAGS][tag_text_bytes];
  scr_problems *problems;
} list_request;

/* Each `tag=key:value`: all of them must fit. */
static enum MHD_Result take_tag(void *user, enum MHD_ValueKind kind, const char *key, const char *value)
{
  static const char allowed[] = "KEY:VALUE, at most 4 times";
  (void)kind;
  list_request *list = user;
  if (strcmp(key, "tag") != 0) return MHD_YES;
  const char *colon = value ? strchr(value, ':') : NULL;
  if (!colon || colon == value || strlen(value) >= tag_text_bytes || list->query.tag_count == LAB_QUERY_TAGS) {
    (void)scr_problems_add(list->problems, "tag", value ? value : "", allowed, "the parameter tag is '%.60s'; it must be %s",
                           value ? value : "", allowed);
    return MHD_YES;
  }
  char *text = list->tags[list->query.tag_count];
  snprintf(text, tag_text_bytes, "%s", value);
  text[colon - value] = 0;
  list->query.tags[list->query.tag_count].key = text;
  list->query.tags[list->query.tag_count++].value = text + (colon - value) + 1;
  return MHD_YES;
}

static void take_order(const http_request *request, lab_query *query, scr_problems *problems)
{
  static const char *const names[] = {"created", "-created", "name", "-name", "priority", "-priority", "ended", "-ended"};
  static const lab_order orders[] = {LAB_BY_NUMBER, LAB_BY_NAME, LAB_BY_PRIORITY, LAB_BY_END};
  size_t choice = 1;
  query_choice(request, "sort", names, sizeof names / sizeof *names, "created, name, priority or ended, with - before for descending order",
               &choice, problems);
  query->order = orders[choice / 2];
  query->descending = choice % 2 == 1;
}

static void read_list_request(const http_request *request, list_request *list)
{
  query_page page = query_page_read(request, list->problems);
  query_states(request, &list->query.states, list->problems);
  take_order(request, &list->query, list->problems);
  MHD_get_connection_values(request->connection, MHD_GET_ARGUMENT_KIND, take_tag, list);
  list->limit = (size_t)page.limit;
  list->query.before = page.before;
  list->query.method = http_request_query(request, "method");
  list->query.user = http_request_query(request, "user");
  list->query.text = http_request_query(request, "q");
  list->query.cursor = http_request_query(request, "cursor");
  if (list->query.user && (!*list->query.user || strlen(list->query.user) >= LAB_USER_BYTES))
    (void)scr_problems_add(list->problems, "user", "", "1 to 64 characters",
                           "the parameter user has %zu bytes; it must be 1 to 64 characters", strlen(list->query.user));
  if (list->query.text && strlen(list->query.text) > words_limit)
    (void)scr_problems_add(list->problems, "q", "", "at most 200 bytes", "the parameter q has %zu bytes; at most %d are allowed",
                           strlen(list->query.text), words_limit);
  if (page.before && (list->query.cursor || list->query.order != LAB_BY_NUMBER || !list->query.descending))
    (void)scr_problems_add(list->problems, "before", "", "alone, in the order of -created",
                           "the parameter before goes with the order -created and without a cursor: use `cursor` with the answer's `next`");
}

static http_reply list_reply(const http_request *request, list_request *list, lab_job *jobs)
{
  scr_error error = {0};
  lab_totals totals;
  size_t count = 0;
  char cursor[LAB_CURSOR_BYTES];
  lab_status status = lab_list(request->front->lab, &list->query, jobs, list->limit, &count, cursor, &error);
  if (status == LAB_OK) status = lab_count(request->front->lab, &totals, &error);
  if (status != LAB_OK) return problem_reply_lab(request, status, &error);
  bool numbered = cursor[0] && list->query.order == LAB_BY_NUMBER && list->query.descending && count > 0;
  return reply_json(200, json_pack("{s:o, s:o, s:o, s:o}", "jobs", json_list(jobs, count, sizeof *jobs, job_item), "next_before",
                                   numbered ? json_integer((json_int_t)jobs[count - 1].id) : json_null(), "next",
                                   cursor[0] ? json_text(cursor) : json_null(), "totals", totals_json(&totals)));
}

http_reply route_job_list(const http_request *request)
{
  scr_problems problems = {0};
  list_request list = {.problems = &problems};
  read_list_request(request, &list);
  if (problems.count > 0) return query_refused(request, &problems);
  lab_job *jobs = calloc(list.limit, sizeof *jobs);
  if (!jobs) return (http_reply){0};
  http_reply reply = list_reply(request, &list, jobs);
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
