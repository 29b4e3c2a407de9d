/* Servo segments: one target, and an area where it is a stress. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scene/check/check.h"
#include "scene/part.h"

enum { POINTER_BYTES = 96 };

static scr_status check_servo(const scr_part *part, size_t index, const scr_servo *servo, scr_problems *problems)
{
  char pointer[POINTER_BYTES];
  bool by_force = !isnan(servo->force), by_stress = !isnan(servo->stress);
  snprintf(pointer, sizeof pointer, "%s/%zu/%s", part->program_pointer, index, by_stress ? "stress" : "force");
  if (by_force && by_stress)
    return problem_add_at(problems, pointer, servo->stress, "a force or a stress, not both",
                          "the servo is to hold a force of %.6g N and a stress of %.6g Pa, which can't both be its target: leave one out",
                          servo->force, servo->stress);
  if (!by_force && !by_stress)
    return problem_add_at(problems, pointer, NAN, "a number, in N, or a stress, in Pa",
                          "a servo holds a force or a stress, and neither is given: give `force` or `stress`");
  if (servo->present_area && (!by_stress || !isnan(servo->area) || strncmp(part->name, "wall.", 5) != 0)) {
    snprintf(pointer, sizeof pointer, "%s/%zu/present_area", part->program_pointer, index);
    return problem_add_at(problems, pointer, true, "a stress of a wall of a box, without area",
                          "the servo of %.47s is to hold a stress over the present face of a box, but %s: give a stress to a wall of a "
                          "box, or leave present_area out",
                          part->name,
                          !by_stress            ? "it is given a force"
                          : !isnan(servo->area) ? "its area is given"
                                                : "it is no wall of one");
  }
  if (!by_stress || !isnan(servo->area) || isfinite(scr_part_area(part))) return SCR_OK;
  snprintf(pointer, sizeof pointer, "%s/%zu/area", part->program_pointer, index);
  return problem_add_at(problems, pointer, NAN, "a number > 0, in m^2",
                        "%.47s has no rectangle from which the area of its stress could follow: give `area`, or `force` instead",
                        part->name);
}

scr_status check_servos(const scene_document *document, scr_problems *problems)
{
  scr_part parts[SCR_PART_LIMIT];
  for (size_t p = 0, count = scr_rig_parts(&document->rig, parts); p < count; p++)
    for (size_t i = 0; parts[p].steers && i < parts[p].program->segment_count; i++) {
      const scr_segment *segment = &parts[p].program->segments[i];
      if (segment->kind == SCR_SEGMENT_SERVO) SCR_TRY(check_servo(&parts[p], i, &segment->servo, problems));
    }
  return SCR_OK;
}
