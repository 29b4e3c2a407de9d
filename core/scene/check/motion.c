/* A rig that begins by moving away from what it is to load. */
#include "scene/check/check.h"
#include "scene/part.h"
#include "scene/problem.h"

/* Displacement along the part's axis at the end of the program's first motion, and when that is. 0: it never moves. */
static double first_motion(const scr_program *program, double duration, double *when)
{
  double end = 0;
  for (size_t k = 0; k < program->segment_count && end < duration; k++) {
    end = fmin(duration, end + program->segments[k].duration);
    double moved = scr_program_displacement(program, end);
    *when = end;
    if (moved != 0) return moved;
  }
  return 0;
}

scr_status check_motion(const scr_scene *scene)
{
  scr_part parts[SCR_PART_LIMIT];
  size_t count = scr_rig_parts(&scene->rig, parts), away = count;
  double moved = 0, when = 0;
  for (size_t p = 0; p < count; p++) {
    if (parts[p].obstacle || parts[p].kind == SCR_PART_GRIP || !parts[p].program) continue;
    double at = 0, motion = first_motion(parts[p].program, scene->time.duration, &at) * parts[p].sign;
    if (motion > 0 || parts[p].steers) return SCR_OK; /* something loads: what gives way beside it is meant */
    if (motion < 0 && away == count) away = p, moved = -motion, when = at;
  }
  if (away == count) return SCR_OK;
  return problem_add_at(
      scene->warnings, parts[away].program_pointer, NAN, "a motion towards the specimens",
      "%.47s moves away from the specimens from the start, by %.4g m until %.4g s, and nothing else of the rig moves towards "
      "them: change the sign of its velocity if it is to load them",
      parts[away].name, moved, when);
}
