/* The rig: lengths that fit together, programs that can be followed, walls and jaws that never meet. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scene/check/check.h"
#include "scene/places/reach.h"

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

/* A move by nothing, or at no speed, has no end. */
static scr_status check_move(const scr_segment *segment, const char *place, size_t index, bool turns, scr_problems *problems)
{
  char pointer[POINTER_BYTES];
  bool still = segment->velocity == 0;
  const char *key = still ? (turns ? "angular_velocity" : "velocity") : (turns ? "angle" : "displacement"),
             *unit = still ? (turns ? "rad/s" : "m/s") : (turns ? "rad" : "m");
  char allowed[POINTER_BYTES];
  snprintf(pointer, sizeof pointer, "%s/%zu/%s", place, index, key);
  snprintf(allowed, sizeof allowed, "any number but 0, in %s", unit);
  return problem_add_at(problems, pointer, 0, allowed, "%s is 0 %s, so %s", key, unit,
                        still   ? "the move would never end: give the speed to move at"
                        : turns ? "there is nothing to turn: give an angle, or use a segment of type \"hold\""
                                : "there is nothing to move: give a distance, or use a segment of type \"hold\"");
}

scr_status check_program(const scr_program *program, const char *place, bool turns, bool *valid, scr_problems *problems)
{
  for (size_t i = 0; i < program->segment_count; i++) {
    const scr_segment *segment = &program->segments[i];
    char pointer[POINTER_BYTES];
    if (segment->kind == SCR_SEGMENT_MOVE && (segment->velocity == 0 || segment->displacement == 0)) {
      *valid = false;
      SCR_TRY(check_move(segment, place, i, turns, problems));
    } else if (isinf(segment->duration) && segment->kind != SCR_SEGMENT_MOVE && i + 1 < program->segment_count) {
      *valid = false;
      snprintf(pointer, sizeof pointer, "%s/%zu/duration", place, i);
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
  for (size_t i = 0; program->segments && i < program->segment_count; i++) {
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
static bool walls_collide(const facing_walls *walls, double duration, double *when, double *gap)
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
  if (!(walls.gap > 0) || !walls_collide(&walls, document->time.duration, &when, &gap)) return SCR_OK;
  double high_moved = fabs(scr_program_displacement(walls.high, when)), low_moved = fabs(scr_program_displacement(walls.low, when));
  size_t culprit = high_moved >= low_moved ? 2 * axis + 1 : 2 * axis, other = culprit ^ 1u;
  char pointer[POINTER_BYTES];
  snprintf(pointer, sizeof pointer, "/rig/walls/%s/program", scr_wall_names[culprit]);
  return problem_add_at(problems, pointer, NAN, "a program that keeps the walls apart",
                        "by %.6g s wall %s would have met wall %s: the two are %.6g m apart at the start and would overlap by %.6g m; "
                        "move less, more slowly or for a shorter time",
                        when, scr_wall_names[culprit], scr_wall_names[other], walls.gap, -gap);
}

static scr_status check_box(const scene_document *document, scr_problems *problems)
{
  const scr_rig *rig = &document->rig;
  SCR_TRY(check_corners(rig, problems));
  bool valid[SCR_WALL_COUNT];
  for (size_t i = 0; i < SCR_WALL_COUNT; i++) {
    char place[POINTER_BYTES];
    snprintf(place, sizeof place, "/rig/walls/%s/program", scr_wall_names[i]);
    valid[i] = true;
    SCR_TRY(check_program(&rig->walls[i], place, false, &valid[i], problems));
  }
  for (size_t axis = 0; axis < 3; axis++)
    if (valid[2 * axis] && valid[2 * axis + 1]) SCR_TRY(check_gap(document, axis, problems));
  return SCR_OK;
}

/* ── the other rigs ─────────────────────────────────────────────────────────────────────────────────────────────── */

static scr_status check_bend(const scr_rig *rig, scr_problems *problems)
{
  if (!(rig->span <= 2 * rig->support_radius)) return SCR_OK;
  char allowed[POINTER_BYTES], number[NUMBER_TEXT_BYTES];
  snprintf(allowed, sizeof allowed, "a number > %s, in m", number_text(2 * rig->support_radius, number));
  return problem_add_at(problems, "/rig/span", rig->span, allowed,
                        "span is %.6g m but each support is %.6g m thick, so the two would overlap: give a larger span or a smaller "
                        "support_radius",
                        rig->span, 2 * rig->support_radius);
}

static scr_status check_jaws(const scr_rig *rig, scr_problems *problems)
{
  if (rig->jaw != SCR_JAW_CURVED || !(rig->jaw_radius <= 0.5 * rig->opening)) return SCR_OK;
  char allowed[POINTER_BYTES], number[NUMBER_TEXT_BYTES];
  snprintf(allowed, sizeof allowed, "a number > %s, in m", number_text(0.5 * rig->opening, number));
  return problem_add_at(problems, "/rig/jaw_radius", rig->jaw_radius, allowed,
                        "jaw_radius is %.6g m, no more than half the opening of %.6g m: a disc would touch the jaws' rims and not their "
                        "middle; 3/4 of the opening is usual",
                        rig->jaw_radius, rig->opening);
}

static scr_status check_grips(const scr_rig *rig, scr_problems *problems)
{
  if (isnan(rig->high_start) && rig->load.segment_count > 0)
    return problem_add_at(problems, "/rig/program", NAN, "no program, or a high grip",
                          "the program moves the high grip, but there is none: give high_start, or leave the program out");
  if (isnan(rig->high_start) && rig->turn.segment_count > 0)
    return problem_add_at(problems, "/rig/turn", NAN, "no turn, or a high grip",
                          "the high grip is to turn, but there is none: give high_start, or leave turn out");
  if (rig->slide && rig->turn.segment_count > 0)
    SCR_TRY(problem_add_at(problems, "/rig/slide", NAN, "false, or no turn",
                           "grips that let the specimen slide across the axis can't turn it: leave slide out, or turn"));
  if (!(rig->high_start <= rig->low_end)) return SCR_OK;
  char allowed[POINTER_BYTES], number[NUMBER_TEXT_BYTES];
  snprintf(allowed, sizeof allowed, "a number > %s, in m", number_text(rig->low_end, number));
  return problem_add_at(problems, "/rig/high_start", rig->high_start, allowed,
                        "the high grip begins at %.6g m but the low one ends at %.6g m, so both would hold the same part of the specimen: "
                        "leave a part of it free between them",
                        rig->high_start, rig->low_end);
}

/* Two parts that face each other along z are walls that could meet. */
static scr_status check_closing(const scene_document *document, scr_problems *problems)
{
  static const scr_program still = {0};
  const scr_rig *rig = &document->rig;
  facing_walls walls = {&still, &rig->load, rig->opening};
  double when, gap;
  if (!walls_collide(&walls, document->time.duration, &when, &gap)) return SCR_OK;
  return problem_add_at(problems, "/rig/program", NAN, "a program that keeps the two sides apart",
                        "by %.6g s the upper part would have reached the lower one: the opening is %.6g m at the start and would be %.6g "
                        "m; move less, more slowly or for a shorter time",
                        when, rig->opening, gap);
}

scr_status check_rig(const scene_document *document, scr_problems *problems)
{
  const scr_rig *rig = &document->rig;
  bool valid = true;
  if (rig->kind == SCR_RIG_NONE) return SCR_OK;
  if (rig->kind == SCR_RIG_BOX) return check_box(document, problems);
  SCR_TRY(check_program(&rig->load, "/rig/program", false, &valid, problems));
  if (rig->kind == SCR_RIG_GRIPS) SCR_TRY(check_program(&rig->turn, "/rig/turn", true, &valid, problems));
  if (rig->kind == SCR_RIG_GRIPS) return check_grips(rig, problems);
  SCR_TRY(rig->kind == SCR_RIG_THREE_POINT_BEND ? check_bend(rig, problems) : check_jaws(rig, problems));
  return valid ? check_closing(document, problems) : SCR_OK;
}

/* ── the rig and the specimens ──────────────────────────────────────────────────────────────────────────────────── */

scr_status check_rig_fit(const scr_scene *scene, scr_problems *problems)
{
  const scr_rig *rig = &scene->rig;
  if (rig->kind != SCR_RIG_THREE_POINT_BEND) return SCR_OK;
  double low = INFINITY, high = -INFINITY;
  for (size_t i = 0; i < scene->specimen_count; i++) {
    double half = scene_half_extents(scene, i).x;
    for (size_t k = 0; k < scene->specimens[i].position_count; k++) {
      low = fmin(low, scene->specimens[i].positions[k].x - half);
      high = fmax(high, scene->specimens[i].positions[k].x + half);
    }
  }
  double left = rig->position.x - 0.5 * rig->span, right = rig->position.x + 0.5 * rig->span;
  if (left >= low && right <= high) return SCR_OK;
  return problem_add_at(problems, "/rig/span", rig->span, "a span with specimen above both supports, in m",
                        "the supports stand at x = %.6g m and x = %.6g m but the specimens reach from %.6g m to %.6g m only: use a smaller "
                        "span, a longer specimen, or move one of them",
                        left, right, low, high);
}
