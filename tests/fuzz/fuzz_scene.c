/* Any bytes as a scene: a scene comes out, or problems do. Memory is limited so that an accepted scene stays small. */
#include <stdint.h>
#include <stdlib.h>

#include "scree.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  scr_limits limits = scr_limits_default();
  limits.memory_bytes = 16u << 20;
  scr_scene *scene = NULL;
  scr_problems problems = {0};
  scr_status status = scr_scene_parse((const char *)data, size, &limits, &scene, &problems);
  if ((status == SCR_OK) != (scene != NULL) || (status == SCR_BAD_SCENE && problems.count == 0)) abort();
  scr_free(scene ? scr_scene_json(scene) : NULL);
  scr_scene_destroy(scene);
  scr_problems_clear(&problems);
  return 0;
}
