/* Fuzzes the making of templates by the method lsdem: a scene is whatever the bytes say (most often one of the corpus with something
 * changed), within small limits, and where it can run every specimen's template is made.
 *
 * Beyond not crashing it must hold that what the check of a scene has taken can be made, described and drawn: the description is JSON with
 * positive volume, mass and depth, triangles refer to vertices there are, all numbers of the picture are finite, and every mode has a
 * field. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scree.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(int holds)
{
  if (!holds) abort();
}

static void check_numbers(const char *text, size_t modes)
{
  json_t *shown = json_loads(text, 0, NULL);
  demand(shown != NULL);
  static const char *const positive[] = {"nodes", "volume", "mass", "reach", "depth", "grid_spacing"};
  for (size_t k = 0; k < sizeof positive / sizeof *positive; k++) demand(json_number_value(json_object_get(shown, positive[k])) > 0);
  demand(json_array_size(json_object_get(shown, "modes")) == modes);
  json_decref(shown);
}

static void check_picture(const scr_preview_shape *shape)
{
  for (size_t k = 0; k < 3 * shape->triangle_count; k++) demand(shape->triangles[k] < shape->vertex_count);
  for (size_t k = 0; k < 3 * shape->vertex_count; k++) demand(isfinite(shape->vertices[k]));
  for (size_t k = 0; k < 3 * shape->vertex_count * shape->mode_count; k++) demand(isfinite(shape->fields[k]));
}

static void check_template(const scr_scene *scene)
{
  scr_preview_shape shape;
  scr_error error = {0};
  char *text = NULL;
  scr_status status = scr_specimen_preview_shape(scene, NULL, &shape, &error);
  if (status == SCR_BAD_USAGE) return; /* a method that makes none */
  demand(status == SCR_OK);
  demand(scr_specimen_preview_json(scene, NULL, &text, &error) == SCR_OK);
  check_numbers(text, shape.mode_count);
  check_picture(&shape);
  scr_free(text);
  scr_preview_shape_clear(&shape);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  scr_limits limits = scr_limits_default();
  scr_scene *scene = NULL;
  scr_problems problems = {0};
  limits.memory_bytes =
      (size_t)24 << 20; /* of which the program itself counts 14: templates of some thousand nodes, built in milliseconds */
  limits.text_bytes = 65536;
  if (scr_scene_parse((const char *)data, size, &limits, &scene, &problems) == SCR_OK) check_template(scene);
  scr_scene_destroy(scene);
  scr_problems_clear(&problems);
  return 0;
}
