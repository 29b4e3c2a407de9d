/* Submitting: a scene alone, or {"scene", "name", "tags", "priority", "threads", "user", "executor", "executor_options"} around it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/http/parse/query.h"
#include "api/http/answer/reply.h"
#include "api/http/router.h"
#include "api/shapes/job_json.h"
#include "base/error.h"
#include "base/json_reader.h"

/* Whether an idempotency key is absent or one that can be used. */
static void check_key(const char *key, scr_problems *problems)
{
  if (!key) return;
  size_t length = strlen(key);
  bool fine = length >= 1 && length <= LAB_KEY_LIMIT;
  for (size_t i = 0; i < length && fine; i++) fine = key[i] >= 0x20 && key[i] < 0x7f;
  if (!fine)
    (void)scr_problems_add(problems, "Idempotency-Key", "", "1 to 255 printable ASCII characters",
                           "the header Idempotency-Key has %zu bytes; it must be 1 to %d printable ASCII characters", length,
                           (int)LAB_KEY_LIMIT);
}

/* What the body holds; texts are the reader's own. */
typedef struct envelope {
  bool wrapped;
  char *scene, *tags;
  json_t *body; /* owns the name */
  lab_submission submission;
} envelope;

static void clear_envelope(envelope *e)
{
  free(e->scene);
  free(e->tags);
  json_decref(e->body);
}

static void take_whole_number(const json_t *value, const char *pointer, long long low, long long high, long long *number,
                              scr_problems *problems)
{
  char allowed[80];
  snprintf(allowed, sizeof allowed, "a whole number from %lld to %lld", low, high);
  if (json_is_integer(value) && json_integer_value(value) >= low && json_integer_value(value) <= high)
    *number = json_integer_value(value);
  else
    (void)scr_problems_add(problems, pointer, "", allowed, "%s must be %s", pointer, allowed);
}

static void take_word(const json_t *value, const char *pointer, char *word, size_t capacity, scr_problems *problems)
{
  const char *text = json_string_value(value);
  if (text && strlen(text) < capacity)
    snprintf(word, capacity, "%s", text);
  else
    (void)scr_problems_add(problems, pointer, "", "a text", "%s must be a text of at most %zu bytes", pointer, capacity - 1);
}

/* @return whether the key is one of an option that is a word */
static bool take_option_word(executor_options *options, const char *key, const json_t *value, scr_problems *problems)
{
  char pointer[64];
  for (size_t i = 0; i < EXECUTOR_WORDS; i++) {
    if (strcmp(key, executor_words[i].name) != 0) continue;
    snprintf(pointer, sizeof pointer, "/executor_options/%s", key);
    take_word(value, pointer, executor_word_of(options, i), executor_words[i].bytes, problems);
    return true;
  }
  return false;
}

/* How a batch engine is to run it; whether that is allowed is the lab's to say. */
static void take_options(executor_options *options, const json_t *object, scr_problems *problems)
{
  if (!json_is_object(object)) {
    (void)scr_problems_add(problems, "/executor_options", "", "an object", "/executor_options must be an object");
    return;
  }
  for (void *at = json_object_iter((json_t *)(uintptr_t)object); at; at = json_object_iter_next((json_t *)(uintptr_t)object, at)) {
    const char *key = json_object_iter_key(at);
    const json_t *value = json_object_iter_value(at);
    if (take_option_word(options, key, value, problems)) continue;
    if (strcmp(key, "time_limit") == 0 && json_is_number(value))
      options->time_limit = json_number_value(value);
    else if (strcmp(key, "time_limit") == 0)
      (void)scr_problems_add(problems, "/executor_options/time_limit", "", "seconds", "/executor_options/time_limit must be a number");
    else
      (void)scr_problems_add(problems, "/executor_options", "", "partition, account, constraint, gres, time_limit",
                             "'%.60s' is not an option of an executor; the options are partition, account, constraint, gres and time_limit",
                             key);
  }
}

static void take_member(envelope *e, const char *key, json_t *value, scr_problems *problems)
{
  long long number = 0;
  char pointer[64];
  if (strcmp(key, "scene") == 0) {
    e->scene = json_dumps(value, JSON_COMPACT | JSON_REAL_PRECISION(17) | JSON_ENCODE_ANY);
  } else if (strcmp(key, "name") == 0) {
    e->submission.name = json_string_value(value);
    if (!e->submission.name) (void)scr_problems_add(problems, "/name", "", "a text", "/name must be a text");
  } else if (strcmp(key, "tags") == 0) {
    e->tags = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
  } else if (strcmp(key, "priority") == 0) {
    take_whole_number(value, "/priority", -LAB_PRIORITY_LIMIT, LAB_PRIORITY_LIMIT, &number, problems);
    e->submission.priority = (int)number;
  } else if (strcmp(key, "threads") == 0) {
    take_whole_number(value, "/threads", 0, 1024, &number, problems);
    e->submission.threads = (unsigned)number;
  } else if (strcmp(key, "user") == 0) {
    e->submission.user = json_string_value(value);
    if (!e->submission.user) (void)scr_problems_add(problems, "/user", "", "a text", "/user must be a text");
  } else if (strcmp(key, "executor") == 0) {
    e->submission.executor = json_string_value(value);
    if (!e->submission.executor) (void)scr_problems_add(problems, "/executor", "", "a text", "/executor must be a text");
  } else if (strcmp(key, "executor_options") == 0) {
    take_options(&e->submission.options, value, problems);
  } else {
    snprintf(pointer, sizeof pointer, "/%.60s", key);
    (void)scr_problems_add(
        problems, pointer, "", "scene, name, tags, priority, threads, user, executor, executor_options",
        "'%.60s' is not a part of a submission; it has scene, name, tags, priority, threads, user, executor and executor_options", key);
  }
}

/* A scene has `scree`; a submission around one has `scene` instead. What is neither is left to the checker of scenes. False: no memory. */
static bool open_envelope(const http_request *request, envelope *e, scr_problems *problems)
{
  const char *key;
  json_t *value;
  e->submission.scene = e->submission.request = request->body;
  e->submission.scene_length = e->submission.request_length = request->body_size;
  json_error_t where;
  if (!request->body || !strstr(request->body, "\"scene\"")) return true;
  if (json_read(request->body, request->body_size, 0, &e->body, &where) != SCR_OK) return true;
  e->wrapped = json_is_object(e->body) && json_object_get(e->body, "scene") && !json_object_get(e->body, "scree");
  if (!e->wrapped) return true;
  json_object_foreach(e->body, key, value)
  {
    take_member(e, key, value, problems);
  }
  if (!e->scene || (json_object_get(e->body, "tags") && !e->tags)) return false;
  e->submission.scene = e->scene;
  e->submission.scene_length = strlen(e->scene);
  e->submission.tags = e->tags;
  return true;
}

/* Where the scene is in the body. */
static http_reply scene_refused(const http_request *request, const scr_problems *problems, bool wrapped)
{
  scr_problems moved = {0};
  char pointer[512];
  for (size_t i = 0; i < problems->count && wrapped; i++) {
    const scr_problem *p = &problems->items[i];
    snprintf(pointer, sizeof pointer, "/scene%s", p->pointer);
    (void)scr_problems_add(&moved, pointer, p->given, p->allowed, "%s", p->detail);
  }
  http_reply reply =
      problem_reply_list(request, PROBLEM_SCENE_REFUSED, wrapped ? &moved : problems, "the scene can't run, for the reasons in `errors`");
  scr_problems_clear(&moved);
  return reply;
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

static http_reply submit(const http_request *request, const envelope *e)
{
  scr_problems problems = {0};
  scr_error error = {0};
  lab_job job;
  bool created = false;
  http_reply reply;
  lab_status status = lab_submit(request->front->lab, &e->submission, &job, &created, &problems, &error);
  if (status == LAB_REFUSED)
    reply = scene_refused(request, &problems, e->wrapped);
  else if (status == LAB_BAD_REQUEST)
    reply = problem_reply_list(request, PROBLEM_BAD_REQUEST, &problems, "the submission is not understood, for the reasons in `errors`");
  else if (status != LAB_OK)
    reply = problem_reply_lab(request, status, &error);
  else
    reply = created ? submitted_reply(&job, &problems) : reply_json(200, job_json(&job));
  if (status == LAB_OK) {
    char location[64];
    snprintf(location, sizeof location, "/api/v1/jobs/%lld", (long long)job.id);
    reply_header(&reply, MHD_HTTP_HEADER_LOCATION, location);
  }
  scr_problems_clear(&problems);
  return reply;
}

http_reply route_job_submit(const http_request *request)
{
  scr_problems problems = {0};
  long long priority = 0;
  const char *user = http_request_query(request, "user");
  http_reply reply;
  envelope e = {.submission = {.key = http_request_header(request, "Idempotency-Key")}};
  query_number(request, "priority", -LAB_PRIORITY_LIMIT, LAB_PRIORITY_LIMIT, &priority, &problems);
  check_key(e.submission.key, &problems);
  if (problems.count > 0) return query_refused(request, &problems);
  if (!scene_body_is_json(request, &reply)) return reply;
  e.submission.priority = (int)priority;
  e.submission.user = user && *user ? user : NULL;
  bool memory = open_envelope(request, &e, &problems);
  if (!memory) {
    scr_problems_clear(&problems);
    reply = (http_reply){0};
  } else if (problems.count > 0) {
    reply = query_refused(request, &problems);
  } else
    reply = submit(request, &e);
  clear_envelope(&e);
  return reply;
}
