/** The method that actors' scenes name, and the parser that knows it alone: the lab's tests need no physics. It takes the place of the
 * parser that knows the real methods in the program of this folder. */
#include "methods/methods.h"
#include "scene/scene.h"

static scr_status act_check(const scr_scene *scene, scr_estimate *estimate, scr_problems *problems)
{
  (void)scene;
  (void)problems;
  estimate->node_count = 1;
  estimate->memory_bytes = 1e6;
  estimate->time_step = 1e-6;
  return SCR_OK;
}

static const scr_method_description *list_act(size_t index)
{
  static const scr_method_description act = {.name = "act",
                                             .title = "Acting",
                                             .summary = "Nothing is computed.",
                                             .default_plot = {.x = "time", .y = "time", .scale = 1, .moving_average = 1},
                                             .check = act_check};
  return index == 0 ? &act : NULL;
}

/* What other test support asks of the registry: without these it would be linked as well, with parsers of its own. */
size_t scr_method_count(void)
{
  return 1;
}

const char *scr_method_name(size_t index)
{
  return index == 0 ? list_act(0)->name : NULL;
}

char *scr_method_json(const char *name)
{
  return scene_method_json(list_act, name);
}

scr_status scr_scene_parse(const char *text, size_t length, const scr_limits *limits, scr_scene **scene, scr_problems *problems)
{
  return scene_parse(text, length, limits, list_act, scene, problems);
}

scr_status scr_scene_parse_with(const char *text, size_t length, const scr_limits *limits, const scr_asset_source *source,
                                scr_scene **scene, scr_problems *problems)
{
  return scene_parse_with(text, length, limits, source, list_act, scene, problems);
}
