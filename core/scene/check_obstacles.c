/* Obstacles: names that no other has, directions that point somewhere, programs that can be followed. */
#include <math.h>
#include <stdio.h>

#include "scene/check.h"

enum { POINTER_BYTES = 96 };

static scr_status check_direction(scr_vec3 direction, size_t index, const char *key, scr_problems *problems)
{
  char pointer[POINTER_BYTES];
  if (vec3_length(direction) > 0) return SCR_OK;
  snprintf(pointer, sizeof pointer, "/obstacles/%zu/%s", index, key);
  return problem_add_at(problems, pointer, NAN, "three numbers, not all 0",
                        "this vector has length 0 and so no direction: give three numbers that are not all 0, or leave it out");
}

scr_status check_obstacles(const scene_document *document, scr_problems *problems)
{
  for (size_t i = 0; i < document->obstacle_count; i++) {
    const scr_obstacle *obstacle = &document->obstacles[i];
    char place[POINTER_BYTES];
    bool sound = true;
    snprintf(place, sizeof place, "/obstacles/%zu/program", i);
    SCR_TRY(check_direction(obstacle->rotation.axis, i, "rotation/axis", problems));
    SCR_TRY(check_direction(obstacle->direction, i, "direction", problems));
    SCR_TRY(check_program(&obstacle->program, place, false, &sound, problems));
    snprintf(place, sizeof place, "/obstacles/%zu/turn", i);
    if (!isnan(obstacle->axis.x)) SCR_TRY(check_direction(obstacle->axis, i, "axis", problems));
    SCR_TRY(check_program(&obstacle->turn, place, true, &sound, problems));
  }
  if (document->obstacle_count == 0) return SCR_OK;
  return check_unique("obstacles", document->obstacles[0].name, sizeof document->obstacles[0], document->obstacle_count, problems);
}
