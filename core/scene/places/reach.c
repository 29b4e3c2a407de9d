/* What lies in the way of a rig's parts, by shapes alone. */
#include "scene/places/reach.h"

#include <math.h>
#include <stddef.h>

#include "base/quat.h"
#include "scene/bind/section.h"
#include "scene/shape/shape.h"

/* ── extents ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

static scr_quat turn_of(const scr_specimen *specimen)
{
  return quat_exp(vec3_scale(specimen->rotation_axis, specimen->rotation_angle));
}

scr_vec3 scene_half_extents(const scr_scene *scene, size_t index)
{
  const scr_specimen *specimen = &scene->specimens[index];
  const scr_shape *shape = &specimen->shape;
  const scr_shape_form *form = shape_entry(shape->kind);
  scr_vec3 half = form->half_extents(shape, scr_scene_resolution(scene, index));
  if (form->fits_turned) return half;
  scr_quat turn = turn_of(specimen);
  scr_vec3 x = quat_rotate(turn, vec3(half.x, 0, 0)), y = quat_rotate(turn, vec3(0, half.y, 0)), z = quat_rotate(turn, vec3(0, 0, half.z));
  return vec3(fabs(x.x) + fabs(y.x) + fabs(z.x), fabs(x.y) + fabs(y.y) + fabs(z.y), fabs(x.z) + fabs(y.z) + fabs(z.z));
}

/* A number, or 1 and 0 for true and false, that a method's struct holds by the key that methods share; NaN where it has no such key, or
 * the scene gives none. */
static double number_of(const scr_block *table, const void *values, const char *key)
{
  const scr_param *param = section_table_param(table, key);
  const char *at = param ? (const char *)values + param->offset : NULL;
  if (param && param->kind == SCR_PARAM_NUMBER) return *(const double *)(const void *)at;
  return param && param->kind == SCR_PARAM_BOOLEAN ? *(const bool *)(const void *)at : (double)NAN;
}

/* The same of the bodies that a method makes of the shape: of several sizes, or turned anyhow. */
static scr_vec3 body_extents(const scr_scene *scene, size_t index)
{
  scr_vec3 half = scene_half_extents(scene, index);
  double scale = scene_specimen_number(scene, index, "largest_scale");
  if (scene_specimen_number(scene, index, "random_rotation") == 1) {
    double reach = vec3_length(half);
    half = vec3(reach, reach, reach);
  }
  return vec3_scale(half, isnan(scale) ? 1 : scale);
}

/* ── gaps and travels ────────────────────────────────────────────────────────────────────────────────────────────── */

static double along_program(const scr_part *part, double time)
{
  return part->sign * scr_program_displacement(part->program, time);
}

/* Velocities are linear within a segment: the farthest place is at an end of one, or where its velocity passes through 0. */
double scene_travel(const scr_part *part, double duration)
{
  double farthest = 0, from = 0;
  if (!part->program) return 0;
  for (size_t k = 0; k < part->program->segment_count && from < duration; k++) {
    double to = fmin(duration, from + part->program->segments[k].duration), a = from + 0.25 * (to - from), b = from + 0.75 * (to - from);
    double va = scr_program_velocity(part->program, a), vb = scr_program_velocity(part->program, b);
    double turn = va == vb ? to : a - va * (b - a) / (vb - va);
    farthest = fmax(farthest, along_program(part, to));
    if (turn > from && turn < to) farthest = fmax(farthest, along_program(part, turn));
    from = to;
  }
  return farthest;
}

/* The direction in which a part loads. */
static scr_vec3 forward(const scr_part *part)
{
  return vec3_scale(part->axis, part->sign);
}

/* Half of a box's extent along a unit direction. */
static double half_along(scr_vec3 half, scr_vec3 direction)
{
  return fabs(direction.x) * half.x + fabs(direction.y) * half.y + fabs(direction.z) * half.z;
}

/* How far the rims of a hollow jaw stand out before its bottom: nothing for a disc that fits into it, which meets the bottom first. */
static double rim_of(const scr_part *part, const scr_shape *shape)
{
  if (part->kind != SCR_PART_TROUGH || (shape_entry(shape->kind)->round && shape->radius <= part->radius)) return 0;
  return part->radius * (1 - cos(part->arc));
}

/* From a part to the box around one body, along the part's way; INFINITY when it would go past. */
static double gap_to(const scr_part *part, scr_vec3 middle, scr_vec3 half, double rim)
{
  scr_vec3 displacement = forward(part), from = vec3_sub(middle, part->start);
  double ahead = vec3_dot(from, displacement) - half_along(half, displacement);
  if (part->kind != SCR_PART_CYLINDER) return ahead - rim;
  scr_vec3 across = vec3_cross(part->along, displacement);
  if (fabs(vec3_dot(from, across)) > part->radius + half_along(half, across)) return INFINITY;
  if (fabs(vec3_dot(from, part->along)) > part->half_length + half_along(half, part->along)) return INFINITY;
  if (vec3_dot(from, displacement) + half_along(half, displacement) < -part->radius) return INFINITY; /* behind it */
  return ahead - part->radius;
}

scene_distance scene_nearest(const scr_scene *scene, const scr_part *part)
{
  scene_distance found = {.gap = INFINITY};
  if (part->obstacle || part->kind == SCR_PART_GRIP || part->kind == SCR_PART_SOLID) return (scene_distance){.gap = NAN};
  for (size_t i = 0; i < scene->specimen_count; i++) {
    const scr_specimen *line = &scene->specimens[i];
    scr_vec3 half = body_extents(scene, i);
    double rim = rim_of(part, &line->shape);
    for (size_t k = 0; k < line->position_count; k++) {
      double gap = gap_to(part, line->positions[k], half, rim);
      if (!(gap < found.gap)) continue;
      found.gap = gap;
      found.specimen = i;
      found.to = vec3_sub(line->positions[k], vec3_scale(forward(part), half_along(half, forward(part))));
      if (part->kind == SCR_PART_PLANE) continue;
      double ahead = vec3_dot(vec3_sub(found.to, part->start), forward(part));
      found.to = vec3_add(part->start, vec3_scale(forward(part), ahead)); /* before the middle of what is round */
    }
  }
  found.from = isfinite(found.gap) ? vec3_sub(found.to, vec3_scale(forward(part), found.gap)) : vec3(0, 0, 0);
  return found;
}

bool scene_needed_displacement(const scr_scene *scene, const scr_part *part, scr_vec3 *displacement, size_t *specimen)
{
  double shortest = INFINITY;
  if (part->obstacle || part->kind == SCR_PART_GRIP || part->kind == SCR_PART_SOLID) return false;
  for (size_t i = 0; i < scene->specimen_count; i++) {
    const scr_specimen *line = &scene->specimens[i];
    double half = half_along(body_extents(scene, i), forward(part));
    for (size_t k = 0; k < line->position_count; k++) {
      scr_vec3 from = vec3_sub(line->positions[k], part->start);
      double ahead = vec3_dot(from, forward(part)), back = fmin(0, ahead - half - part->radius);
      scr_vec3 needed = vec3_add(vec3_sub(from, vec3_scale(forward(part), ahead)), vec3_scale(forward(part), back));
      if (!(vec3_length(needed) < shortest)) continue;
      shortest = vec3_length(needed);
      *displacement = needed;
      *specimen = i;
    }
  }
  return isfinite(shortest);
}

double scene_gap(const scr_scene *scene, const scr_part *part, size_t *specimen)
{
  scene_distance found = scene_nearest(scene, part);
  if (specimen && isfinite(found.gap)) *specimen = found.specimen;
  return found.gap;
}

/* ── a body between two faces ────────────────────────────────────────────────────────────────────────────────────── */

double scene_material_number(const scr_scene *scene, uint32_t material, const char *key)
{
  return number_of(&scene->method->material, scr_scene_material(scene, material), key);
}

double scene_specimen_number(const scr_scene *scene, size_t specimen, const char *key)
{
  return number_of(&scene->method->specimen, scr_scene_specimen(scene, specimen), key);
}

/* Young's modulus, or by bulk modulus and Poisson's ratio, which is 1/4 in bonds that say nothing of it. */
static double modulus_of(const scr_scene *scene, uint32_t material)
{
  double young = scene_material_number(scene, material, "young_modulus"), bulk = scene_material_number(scene, material, "bulk_modulus");
  double ratio = scene_material_number(scene, material, "poisson_ratio");
  return isnan(young) ? 3 * bulk * (1 - 2 * (isnan(ratio) ? 0.25 : ratio)) : young;
}

static bool press_shape(const scr_specimen *specimen, scr_vec3 displacement, scene_press *press)
{
  const scr_shape_form *form = shape_entry(specimen->shape.kind);
  return form->press && form->press(&specimen->shape, turn_of(specimen), displacement, press);
}

/* Whether nothing but the rig moves the one body, and that only along `way`. */
static bool lies_still(const scr_scene *scene, scr_vec3 displacement)
{
  const scr_specimen *body = &scene->specimens[0];
  scr_vec3 gravity = scene->rig.gravity;
  bool alone = scene->specimen_count == 1 && body->position_count == 1 && scene->rig.obstacle_count == 0;
  bool at_rest = alone && vec3_length(body->velocity) == 0 && vec3_length(body->angular_velocity) == 0;
  return at_rest && (vec3_length(gravity) == 0 || vec3_is_along(vec3_scale(gravity, 1 / vec3_length(gravity)), displacement));
}

bool scene_pressed(const scr_scene *scene, const scr_part *parts, size_t count, size_t p, scene_press *press)
{
  scr_vec3 displacement = forward(&parts[p]);
  *press = (scene_press){.against = count};
  if (parts[p].kind != SCR_PART_PLANE || parts[p].obstacle || !lies_still(scene, displacement)) return false;
  for (size_t q = 0; q < count; q++)
    if (q != p && parts[q].kind == SCR_PART_PLANE && vec3_dot(parts[q].normal, displacement) < -1 + 1e-12) press->against = q;
  press->modulus = modulus_of(scene, scene->specimens[0].material);
  if (press->against == count || !(press->modulus > 0) || !press_shape(&scene->specimens[0], displacement, press)) return false;
  press->slack = vec3_dot(vec3_sub(parts[press->against].start, parts[p].start), displacement) - press->height;
  return true;
}

double scene_press_force(const scene_press *press, double closure)
{
  if (press->section > 0) return press->modulus * press->section / press->height * closure;
  if (press->line > 0) return 0.2 * press->modulus * press->line * closure;
  return 4.0 / 3.0 * press->modulus * sqrt(press->radius) * pow(0.5 * closure, 1.5);
}
