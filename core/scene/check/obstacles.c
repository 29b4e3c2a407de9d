/* Obstacles: names that no other has, directions that point somewhere, programs that can be followed. */
#include <math.h>
#include <stdio.h>

#include "scene/check/check.h"

enum { POINTER_BYTES = 96 };

static scr_status check_direction(scr_vec3 direction, size_t index, const char *key, scr_problems *problems)
{
  char pointer[POINTER_BYTES];
  if (vec3_length(direction) > 0) return SCR_OK;
  snprintf(pointer, sizeof pointer, "/obstacles/%zu/%s", index, key);
  return problem_add_at(problems, pointer, NAN, "three numbers, not all 0",
                        "this vector has length 0 and so no direction: give three numbers that are not all 0, or leave it out");
}

/* An obstacle that moves freely: what nothing else moves, and what has a mass. */
static scr_status check_free(const scr_obstacle *obstacle, size_t index, scr_problems *problems)
{
  char place[POINTER_BYTES];
  const scr_flight *given = &obstacle->free;
  bool plane = obstacle->shape.kind == SCR_OBSTACLE_PLANE, driven = obstacle->program.segment_count + obstacle->turn.segment_count > 0;
  scr_vec3 i = given->inertia;
  snprintf(place, sizeof place, "/obstacles/%zu/free", index);
  if (plane)
    return problem_add_at(problems, place, NAN, "a solid that has an end, or no `free`",
                          "a plane has no end and so no mass: give a box, a sphere, a cylinder or a mesh, or leave `free` out");
  if (driven)
    return problem_add_at(problems, place, NAN, "no program and no turn, or no `free`",
                          "an obstacle is moved by a program or moves freely, not both: leave out `free`, or `program` and `turn`");
  if (isnan(given->mass) == isnan(given->density))
    return problem_add_at(problems, place, NAN, "a mass, in kg, or a density, in kg/m^3",
                          "the mass of a free obstacle is given by either a mass or a density: %s",
                          isnan(given->mass) ? "give `mass` or `density`" : "leave out `mass` or `density`");
  if (isnan(i.x) || (i.x + i.y >= i.z && i.y + i.z >= i.x && i.z + i.x >= i.y)) return SCR_OK;
  snprintf(place, sizeof place, "/obstacles/%zu/free/inertia", index);
  return problem_add_at(problems, place, fmax(i.x, fmax(i.y, i.z)), "moments of which none is above the sum of the others",
                        "no solid has these moments of inertia, as one is larger than the sum of the other two: check their order, which "
                        "is that of the shape's own axes");
}

scr_status check_obstacles(const scene_document *document, scr_problems *problems)
{
  for (size_t i = 0; i < document->obstacle_count; i++) {
    const scr_obstacle *obstacle = &document->obstacles[i];
    char place[POINTER_BYTES];
    bool valid = true;
    snprintf(place, sizeof place, "/obstacles/%zu/program", i);
    SCR_TRY(check_direction(obstacle->rotation.axis, i, "rotation/axis", problems));
    SCR_TRY(check_direction(obstacle->direction, i, "direction", problems));
    SCR_TRY(check_program(&obstacle->program, place, false, &valid, problems));
    snprintf(place, sizeof place, "/obstacles/%zu/turn", i);
    if (!isnan(obstacle->axis.x)) SCR_TRY(check_direction(obstacle->axis, i, "axis", problems));
    SCR_TRY(check_program(&obstacle->turn, place, true, &valid, problems));
    if (obstacle->is_free) SCR_TRY(check_free(obstacle, i, problems));
  }
  if (document->obstacle_count == 0) return SCR_OK;
  return check_unique("obstacles", document->obstacles[0].name, sizeof document->obstacles[0], document->obstacle_count, problems);
}
