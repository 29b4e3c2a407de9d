/* The start of every method's check: what its table says it can do is held against the scene first. */
#include "scene/check/abilities.h"
#include "scene/check/checker.h"

scr_checker check_begin(const scr_scene *scene, scr_problems *problems)
{
  scr_checker c = {scene, problems, problems->count};
  if (scene->method) check_abilities(&c);
  return c;
}
