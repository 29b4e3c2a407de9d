/* Scenes that are not run: checking one, and the schema they follow. */
#include <stdlib.h>

#include "api/http/answer/reply.h"
#include "api/http/router.h"
#include "api/shapes/job_json.h"
#include "api/shapes/sharing_json.h"
#include "base/json_reader.h"

enum { syntax_token_limit = 400000 };

/* Values and brackets a JSON text could hold at most. Bounds what parsing it can allocate. */
static size_t token_bound(const char *text, size_t length)
{
  size_t count = 0;
  for (size_t i = 0; i < length; i++) count += text[i] == ',' || text[i] == '[' || text[i] == '{';
  return count;
}

bool scene_body_is_json(const http_request *request, http_reply *reply)
{
  /* A text with more tokens than any sensible scene is left to the scene checker, which refuses it without building a tree. */
  if (token_bound(request->body ? request->body : "", request->body_size) > syntax_token_limit) return true;
  json_error_t where;
  json_t *value = NULL;
  scr_status status = json_read(request->body ? request->body : "", request->body_size, JSON_DECODE_ANY, &value, &where);
  if (status == SCR_NO_MEMORY)
    *reply = problem_reply(request, PROBLEM_FAILED, "checking the scene failed: %s", scr_status_name(status));
  else if (status != SCR_OK)
    *reply = problem_reply(request, PROBLEM_BAD_JSON, "line %d, column %d: %s", where.line, where.column, where.text);
  json_decref(value);
  return status == SCR_OK;
}

http_reply scene_failed(const http_request *request, lab_status status, problem_kind unfit, const scr_problems *problems,
                        const scr_error *error)
{
  if (status == LAB_REFUSED)
    return problem_reply_list(request, PROBLEM_SCENE_REFUSED, problems, "the scene can't run, for the reasons in `errors`");
  if (status == LAB_BAD_REQUEST) return problem_reply(request, unfit, "%s", error->message);
  return problem_reply_lab(request, status, error);
}

static http_reply checked_reply(const lab_scene_facts *facts)
{
  return reply_json(200, json_pack("{s:b, s:o, s:o, s:o, s:o, s:o}", "valid", 1, "scene", json_loads(facts->effective, 0, NULL), "estimate",
                                   estimate_json(&facts->estimate), "warnings", problems_json(&facts->warnings), "gaps",
                                   json_loads(facts->gaps, 0, NULL), "sharing",
                                   sharing_json(&facts->machine, &facts->estimate, facts->most_ranks)));
}

http_reply route_scene_check(const http_request *request)
{
  http_reply reply;
  http_request waiting = *request;
  const lab_caller caller = {.gone = http_request_gone, .user = &waiting};
  lab_scene_facts facts;
  scr_problems problems = {0};
  scr_error error = {0};
  if (!scene_body_is_json(request, &reply)) return reply;
  lab *where = request->front->lab;
  lab_status status = lab_check_scene(where, request->body ? request->body : "", request->body_size, &caller, &facts, &problems, &error);
  if (status == LAB_OK) status = lab_check_place(where, http_request_query(request, "executor"), 0, &facts, &problems, &error);
  reply = status == LAB_OK ? checked_reply(&facts) : scene_failed(request, status, PROBLEM_BAD_REQUEST, &problems, &error);
  lab_scene_facts_clear(&facts);
  scr_problems_clear(&problems);
  return reply;
}

http_reply route_scene_schema(const http_request *request)
{
  const char *method = http_request_query(request, "method");
  char *text = scr_scene_schema(method);
  if (!text && method) return problem_reply(request, PROBLEM_NOT_FOUND, "there is no method '%.100s'; /api/v1/methods lists them", method);
  json_t *schema = text ? json_loads(text, 0, NULL) : NULL;
  scr_free(text);
  return reply_json(200, schema);
}
