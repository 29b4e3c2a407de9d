/* The methods there are. A new one is one line in the table below. */
#include "methods/bdem/bdem.h"
#include "methods/method.h"
#include "methods/peridem/peridem.h"

#include <string.h>

static const scr_method *const methods[] = {&scr_method_peridem, &scr_method_bdem};

static const scr_method_description *description(size_t index)
{
  return index < scr_method_count() ? &methods[index]->about : NULL;
}

size_t scr_method_count(void)
{
  return sizeof methods / sizeof *methods;
}

const char *scr_method_name(size_t index)
{
  return index < scr_method_count() ? methods[index]->about.name : NULL;
}

const scr_method *scr_method_find(const char *name)
{
  for (size_t i = 0; i < scr_method_count(); i++)
    if (strcmp(methods[i]->about.name, name) == 0) return methods[i];
  return NULL;
}

scr_status scr_scene_parse(const char *text, size_t length, const scr_limits *limits, scr_scene **scene, scr_problems *problems)
{
  return scene_parse(text, length, limits, description, scene, problems);
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
