/* The rig: a box that is one, programs that can be followed, walls that never meet. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scene/check.h"

enum { POINTER_BYTES = 96 };

static scr_status check_corners(const scr_rig *rig, scr_problems *problems)
{
  const double low[3] = {rig->minimum.x, rig->minimum.y, rig->minimum.z}, high[3] = {rig->maximum.x, rig->maximum.y, rig->maximum.z};
  for (size_t i = 0; i < 3; i++) {
    if (!(low[i] >= high[i])) continue;
    char pointer[POINTER_BYTES], allowed[POINTER_BYTES], number[NUMBER_TEXT_BYTES];
    snprintf(pointer, sizeof pointer, "/rig/maximum/%zu", i);
    snprintf(allowed, sizeof allowed, "a number > %s, in m", number_text(low[i], number));
    SCR_TRY(problem_add_at(problems, pointer, high[i], allowed,
                           "the box ends at %c = %.6g m but begins at %.6g m: give a maximum larger than the minimum", "xyz"[i], high[i],
                           low[i]));
  }
  return SCR_OK;
}

static scr_status check_program(const scr_program *program, const char *wall, bool *sound, scr_problems *problems)
{
  for (size_t i = 0; i < program->segment_count; i++) {
    const scr_segment *segment = &program->segments[i];
    char pointer[POINTER_BYTES];
    if (segment->kind == SCR_SEGMENT_MOVE && (segment->velocity == 0 || segment->displacement == 0)) {
      *sound = false;
      bool still = segment->velocity == 0;
      snprintf(pointer, sizeof pointer, "/rig/walls/%s/program/%zu/%s", wall, i, still ? "velocity" : "displacement");
      SCR_TRY(problem_add_at(problems, pointer, 0, still ? "any number but 0, in m/s" : "any number but 0, in m", "%s",
                             still
                                 ? "velocity is 0 m/s, so the move would never end: give the speed to move at"
                                 : "displacement is 0 m, so there is nothing to move: give a distance, or use a segment of type \"hold\""));
    } else if (isinf(segment->duration) && segment->kind != SCR_SEGMENT_MOVE && i + 1 < program->segment_count) {
      *sound = false;
      snprintf(pointer, sizeof pointer, "/rig/walls/%s/program/%zu/duration", wall, i);
      SCR_TRY(problem_add_at(
          problems, pointer, NAN, "a number > 0, in s",
          "a segment without a duration goes on to the end of the run, so the %zu after it would never come: give it a duration",
          program->segment_count - i - 1));
    }
  }
  return SCR_OK;
}

/* ── walls that meet ────────────────────────────────────────────────────────────────────────────────────────────── */

/* Two facing walls; `gap` is the distance between them. */
typedef struct facing_walls {
  const scr_program *low, *high;
  double gap; /* m, at the start */
} facing_walls;

static double gap_at(const facing_walls *walls, double time)
{
  return walls->gap + scr_program_displacement(walls->high, time) - scr_program_displacement(walls->low, time);
}

/* End of the first segment of a program that ends after `time`; INFINITY when none does. Moving on through the ends is what
 *  splits the run into stretches of linear velocity. */
static double next_end(const scr_program *program, double time)
{
  double end = 0;
  for (size_t i = 0; i < program->segment_count; i++) {
    end += program->segments[i].duration;
    if (end > time) return end;
  }
  return INFINITY;
}

/* Smallest gap in [from, to], a stretch of linear velocities: at an end, or where the relative velocity passes through 0. */
static double least_gap_in(const facing_walls *walls, double from, double to, double *when)
{
  double least = gap_at(walls, to);
  *when = to;
  /* Velocities at two inner points tell the whole line, whatever jumps at the stretch's ends. */
  double a = from + 0.25 * (to - from), b = from + 0.75 * (to - from);
  double va = scr_program_velocity(walls->high, a) - scr_program_velocity(walls->low, a);
  double vb = scr_program_velocity(walls->high, b) - scr_program_velocity(walls->low, b);
  if (va == vb) return least;
  double turn = a - va * (b - a) / (vb - va);
  if (!(turn > from && turn < to)) return least;
  double gap = gap_at(walls, turn);
  if (gap < least) {
    least = gap;
    *when = turn;
  }
  return least;
}

/* First stretch of the run in which the walls meet. */
static bool walls_meet(const facing_walls *walls, double duration, double *when, double *gap)
{
  double from = 0;
  while (from < duration) {
    double to = fmin(duration, fmin(next_end(walls->low, from), next_end(walls->high, from)));
    *gap = least_gap_in(walls, from, to, when);
    if (*gap <= 0) return true;
    from = to;
  }
  return false;
}

static scr_status check_gap(const scene_document *document, size_t axis, scr_problems *problems)
{
  const scr_rig *rig = &document->rig;
  const double gaps[3] = {rig->maximum.x - rig->minimum.x, rig->maximum.y - rig->minimum.y, rig->maximum.z - rig->minimum.z};
  facing_walls walls = {&rig->walls[2 * axis], &rig->walls[2 * axis + 1], gaps[axis]};
  double when, gap;
  if (!(walls.gap > 0) || !walls_meet(&walls, document->time.duration, &when, &gap)) return SCR_OK;
  double high_moved = fabs(scr_program_displacement(walls.high, when)), low_moved = fabs(scr_program_displacement(walls.low, when));
  size_t culprit = high_moved >= low_moved ? 2 * axis + 1 : 2 * axis, other = culprit ^ 1u;
  char pointer[POINTER_BYTES];
  snprintf(pointer, sizeof pointer, "/rig/walls/%s/program", scr_wall_names[culprit]);
  return problem_add_at(problems, pointer, NAN, "a program that keeps the walls apart",
                        "by %.6g s wall %s would have met wall %s: the two are %.6g m apart at the start and would overlap by %.6g m; "
                        "move less, more slowly or for a shorter time",
                        when, scr_wall_names[culprit], scr_wall_names[other], walls.gap, -gap);
}

scr_status check_rig(const scene_document *document, scr_problems *problems)
{
  const scr_rig *rig = &document->rig;
  if (rig->kind != SCR_RIG_BOX) return SCR_OK;
  SCR_TRY(check_corners(rig, problems));
  bool sound[SCR_WALL_COUNT];
  for (size_t i = 0; i < SCR_WALL_COUNT; i++) {
    sound[i] = true;
    SCR_TRY(check_program(&rig->walls[i], scr_wall_names[i], &sound[i], problems));
  }
  for (size_t axis = 0; axis < 3; axis++)
    if (sound[2 * axis] && sound[2 * axis + 1]) SCR_TRY(check_gap(document, axis, problems));
  return SCR_OK;
}
