/* What the public header asks of the methods there are: their names, and scenes checked against them. */
#include "methods/methods.h"

static const scr_method_description *description(size_t index)
{
  return index < scr_method_count() ? &scr_methods[index]->about : NULL;
}

size_t scr_method_count(void)
{
  size_t count = 0;
  while (scr_methods[count]) count++;
  return count;
}

const char *scr_method_name(size_t index)
{
  return index < scr_method_count() ? scr_methods[index]->about.name : NULL;
}

scr_status scr_scene_parse(const char *text, size_t length, const scr_limits *limits, scr_scene **scene, scr_problems *problems)
{
  return scene_parse(text, length, limits, description, scene, problems);
}

scr_status scr_scene_parse_with(const char *text, size_t length, const scr_limits *limits, const scr_asset_source *source,
                                scr_scene **scene, scr_problems *problems)
{
  return scene_parse_with(text, length, limits, source, description, scene, problems);
}

char *scr_scene_schema(const char *method)
{
  return scene_schema(description, method);
}

char *scr_reference_json(void)
{
  return scene_reference(description);
}

char *scr_method_json(const char *name)
{
  return scene_method_json(description, name);
}
