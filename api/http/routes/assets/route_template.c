/* What a scene's specimens are made into, before any run: triangles and modes for the dashboard, numbers for everyone. */
#include <stdlib.h>

#include "api/http/answer/reply.h"
#include "api/http/router.h"
#include "api/shapes/json_text.h"

enum { numbers_limit = 300000 }; /* of vertices and fields together: some 3 MB of text */

static json_t *fields_json(const scr_preview_shape *shape)
{
  json_t *list = json_array();
  for (size_t m = 0; list && m < shape->mode_count; m++)
    (void)json_array_append_new(list, json_floats(shape->fields + m * 3 * shape->vertex_count, 3 * shape->vertex_count));
  return list;
}

/* The picture, or null where it would be too long. */
static json_t *shape_json(const scr_preview_shape *shape)
{
  if (3 * shape->vertex_count * (1 + shape->mode_count) > numbers_limit) return json_null();
  return json_pack("{s:o, s:o, s:o}", "vertices", json_floats(shape->vertices, 3 * shape->vertex_count), "triangles",
                   json_indices(shape->triangles, 3 * shape->triangle_count), "fields", fields_json(shape));
}

http_reply route_scene_template(const http_request *request)
{
  http_reply reply;
  http_request waiting = *request;
  const lab_caller caller = {.gone = http_request_gone, .user = &waiting};
  const char *specimen = http_request_query(request, "specimen");
  lab_preview preview = {0};
  scr_problems problems = {0};
  scr_error error = {0};
  if (!scene_body_is_json(request, &reply)) return reply;
  lab_status status = lab_template(request->front->lab, request->body ? request->body : "", request->body_size, specimen, &caller, &preview,
                                   &problems, &error);
  if (status == LAB_OK)
    reply = reply_json(200, json_pack("{s:o, s:o}", "template", json_loads(preview.json, 0, NULL), "shape", shape_json(&preview.shape)));
  else
    reply = scene_failed(request, status, PROBLEM_NO_TEMPLATE, &problems, &error);
  lab_preview_clear(&preview);
  scr_problems_clear(&problems);
  return reply;
}
