/* A rig that begins by moving away from what it is to load, or that never gets there. */
#include "base/quantity.h"
#include "scene/check/check.h"
#include "scene/places/reach.h"
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

static scr_status check_direction(const scr_scene *scene, const scr_part *parts, size_t count)
{
  size_t away = count;
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

/* ── travels that end too early ─────────────────────────────────────────────────────────────────────────────────── */

/* How far specimens may come towards a part by themselves or pushed by others, INFINITY: not known. What a part that faces it gives is
 * known. */
static double coming(const scr_scene *scene, const scr_part *parts, size_t count, size_t p)
{
  scr_vec3 displacement = vec3_scale(parts[p].axis, parts[p].sign);
  double met = 0, pull = vec3_length(scene->rig.gravity);
  if (pull > 0 && vec3_dot(scene->rig.gravity, displacement) < 0.5 * pull) return INFINITY;
  for (size_t i = 0; i < scene->specimen_count; i++)
    if (vec3_length(scene->specimens[i].velocity) > 0 || vec3_length(scene->specimens[i].angular_velocity) > 0) return INFINITY;
  for (size_t q = 0; q < count; q++) {
    const scr_part *other = &parts[q];
    bool moves = other->program && other->program->segment_count > 0;
    if (q == p || !(moves || other->turns || other->is_free)) continue;
    bool faces = !other->obstacle && vec3_dot(vec3_scale(other->axis, other->sign), displacement) < -1 + 1e-12;
    if (!faces || other->turns || other->steers) return INFINITY;
    met += scene_travel(other, scene->time.duration);
  }
  return met;
}

/* Elements may stand out of the faces of their shape, spheres of a lattice by up to about this share of their diameter. */
static double standing_out(const scr_scene *scene, size_t specimen)
{
  double resolution = scr_scene_resolution(scene, specimen);
  return isfinite(resolution) ? 0.25 * resolution : 0;
}

bool check_misses(const scr_scene *scene, const scr_part *parts, size_t count, size_t p)
{
  size_t nearest = 0;
  double travel = scene_travel(&parts[p], scene->time.duration), gap = scene_gap(scene, &parts[p], &nearest);
  if (parts[p].steers || !(travel > 0) || !(gap > 0)) return false;
  return travel + coming(scene, parts, count, p) + standing_out(scene, nearest) < gap;
}

/* The texts of the dashboard read the displacement (web/src/compose/mend.ts). */
static scr_status report_missed_side(const scr_scene *scene, const scr_part *part, double travel, const char *gone)
{
  size_t nearest = 0;
  scr_vec3 by = {0, 0, 0};
  if (!scene_needed_displacement(scene, part, &by, &nearest)) return SCR_OK;
  return problem_add_at(
      scene->warnings, part->program_pointer, travel, "a part with a specimen in its way",
      "%.47s goes %s towards the specimens, and none lies in its way: it will carry no force; move the rig by (%.9g, %.9g, %.9g) m, "
      "which puts '%.63s' in its way, or move that specimen to it",
      part->name, gone, by.x, by.y, by.z, scene->specimens[nearest].name);
}

static scr_status report_miss(const scr_scene *scene, const scr_part *part)
{
  size_t nearest = 0;
  char gone[QUANTITY_BYTES], distance[QUANTITY_BYTES];
  double travel = scene_travel(part, scene->time.duration), gap = scene_gap(scene, part, &nearest);
  quantity_text(travel, "m", gone, sizeof gone);
  if (isinf(gap)) return report_missed_side(scene, part, travel, gone);
  quantity_text(gap, "m", distance, sizeof distance);
  return problem_add_at(
      scene->warnings, part->program_pointer, travel, "a travel beyond the gap to the nearest specimen, in m",
      "%.47s goes %s in the whole run, but the nearest specimen, '%.63s', begins %s away from it: it will carry no force; let it go "
      "farther or longer, or begin with a smaller gap",
      part->name, gone, scene->specimens[nearest].name, distance);
}

/* A gap that takes a good share of what the part goes is time of the run in which nothing happens. */
static scr_status check_waste(const scr_scene *scene, const scr_part *parts, size_t count, size_t p)
{
  static const double most = 0.1; /* of the travel */
  const scr_part *part = &parts[p];
  scene_distance found = scene_nearest(scene, part);
  double travel = scene_travel(part, scene->time.duration);
  if (part->steers || !(travel > 0) || !isfinite(found.gap)) return SCR_OK;
  if (coming(scene, parts, count, p) > 0) return SCR_OK; /* the specimen may be brought to it sooner */
  if (!(found.gap - standing_out(scene, found.specimen) > most * travel)) return SCR_OK;
  char gone[QUANTITY_BYTES], distance[QUANTITY_BYTES];
  quantity_text(travel, "m", gone, sizeof gone);
  quantity_text(found.gap, "m", distance, sizeof distance);
  return problem_add_at(
      scene->warnings, part->program_pointer, found.gap, "a gap of at most a tenth of the travel, in m",
      "%.47s goes %s, and the first %s of it, %.0f %%, are a gap before '%.63s': nothing happens until then; begin with a "
      "smaller gap",
      part->name, gone, distance, 100 * found.gap / travel, scene->specimens[found.specimen].name);
}

scr_status check_motion(const scr_scene *scene)
{
  scr_part parts[SCR_PART_LIMIT];
  size_t count = scr_rig_parts(&scene->rig, parts);
  SCR_TRY(check_direction(scene, parts, count));
  for (size_t p = 0; p < count; p++)
    SCR_TRY(check_misses(scene, parts, count, p) ? report_miss(scene, &parts[p]) : check_waste(scene, parts, count, p));
  return SCR_OK;
}
