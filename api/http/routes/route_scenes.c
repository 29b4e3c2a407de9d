/* Scenes that are not run: checking one, and the schema they follow. */
#include <stdlib.h>

#include "api/http/answer/reply.h"
#include "api/http/router.h"
#include "api/shapes/job_json.h"
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

bool scene_of_body(const http_request *request, scr_scene **scene, http_reply *reply)
{
  *scene = NULL;
  if (lab_draining(request->front->lab)) { /* checks that wait their turn must not hold up the end */
    *reply = problem_reply(request, PROBLEM_DRAINING, "Scree is shutting down and checks no more scenes: send it again when it is back");
    return false;
  }
  if (!scene_body_is_json(request, reply)) return false;
  scr_problems problems = {0};
  scr_asset_source source = lab_asset_source(request->front->lab);
  scr_status status = scr_scene_parse_with(request->body, request->body_size, lab_limits(request->front->lab), &source, scene, &problems);
  if (status == SCR_BAD_SCENE)
    *reply = problem_reply_list(request, PROBLEM_SCENE_REFUSED, &problems, "the scene can't run, for the reasons in `errors`");
  else if (status != SCR_OK)
    *reply = problem_reply(request, PROBLEM_FAILED, "checking the scene failed: %s", scr_status_name(status));
  scr_problems_clear(&problems);
  return status == SCR_OK;
}

http_reply route_scene_check(const http_request *request)
{
  http_reply reply;
  scr_scene *scene;
  if (!scene_of_body(request, &scene, &reply)) return reply;
  char *text = scr_scene_json(scene);
  json_t *effective = text ? json_loads(text, 0, NULL) : NULL;
  scr_free(text);
  reply = reply_json(200, json_pack("{s:b, s:o, s:o, s:o}", "valid", 1, "scene", effective, "estimate",
                                    estimate_json(scr_scene_estimate(scene)), "warnings", problems_json(scr_scene_warnings(scene))));
  scr_scene_destroy(scene);
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
