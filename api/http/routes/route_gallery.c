/* The scenes that come with Scree, compiled into the program. */
#include "api/http/answer/reply.h"
#include "api/http/router.h"
#include "api/shapes/json_text.h"
#include "server/embedded.h"

static const char *text_of(const json_t *scene, const char *key)
{
  return json_string_value(json_object_get(scene, key));
}

http_reply route_gallery(const http_request *request)
{
  size_t count = 0;
  const embedded_file *assets = embedded_under("gallery/", &count);
  json_t *scenes = json_array();
  for (size_t i = 0; i < count; i++) {
    json_t *scene = json_loadb((const char *)assets[i].data, assets[i].size, 0, NULL);
    if (!scene) return problem_reply(request, PROBLEM_FAILED, "%s of this build is not JSON", assets[i].path);
    json_t *entry =
        json_pack("{s:o, s:o, s:o, s:o, s:O}", "name", json_text(text_of(scene, "name")), "title", json_text(text_of(scene, "title")),
                  "description", json_text(text_of(scene, "description")), "method", json_text(text_of(scene, "method")), "scene", scene);
    json_decref(scene);
    if (json_array_append_new(scenes, entry) != 0) break;
  }
  return reply_json(200, json_pack("{s:o}", "scenes", scenes));
}
