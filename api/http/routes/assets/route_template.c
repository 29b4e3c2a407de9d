/* What a scene's specimens are made into, before any run: triangles and modes for the dashboard, numbers for everyone. */
#include "api/http/answer/reply.h"
#include "api/http/router.h"
#include "api/shapes/json_text.h"

enum { numbers_limit = 300000 }; /* of vertices and fields together: some 3 MB of text */

static json_t *fields_json(const scr_template_shape *shape)
{
  json_t *list = json_array();
  for (size_t m = 0; list && m < shape->mode_count; m++)
    (void)json_array_append_new(list, json_floats(shape->fields + m * 3 * shape->vertex_count, 3 * shape->vertex_count));
  return list;
}

/* The picture, or null where it would be too long. */
static json_t *shape_json(const scr_template_shape *shape)
{
  if (3 * shape->vertex_count * (1 + shape->mode_count) > numbers_limit) return json_null();
  return json_pack("{s:o, s:o, s:o}", "vertices", json_floats(shape->vertices, 3 * shape->vertex_count), "triangles",
                   json_indices(shape->triangles, 3 * shape->triangle_count), "fields", fields_json(shape));
}

static http_reply show(const http_request *request, const scr_scene *scene, const char *specimen)
{
  scr_template_shape shape;
  scr_error error = {0};
  char *text = NULL;
  scr_status status = scr_template_json(scene, specimen, &text, &error);
  json_t *numbers = status == SCR_OK ? json_loads(text, 0, NULL) : NULL;
  scr_free(text);
  if (status == SCR_OK) status = scr_template_shape_of(scene, specimen, &shape, &error);
  if (status == SCR_OK) {
    http_reply reply = reply_json(200, json_pack("{s:o, s:o}", "template", numbers, "shape", shape_json(&shape)));
    scr_template_shape_clear(&shape);
    return reply;
  }
  json_decref(numbers);
  return problem_reply(request, status == SCR_BAD_USAGE ? PROBLEM_NO_TEMPLATE : PROBLEM_FAILED, "%s", error.message);
}

http_reply route_scene_template(const http_request *request)
{
  http_reply reply;
  scr_scene *scene;
  if (!scene_of_body(request, &scene, &reply)) return reply;
  reply = show(request, scene, http_request_query(request, "specimen"));
  scr_scene_destroy(scene);
  return reply;
}
