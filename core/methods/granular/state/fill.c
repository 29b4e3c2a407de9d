/* Points that fill the scene's specimens: a lattice of the whole domain, as fine as the specimen's points per cell, of which those
 * inside its shapes
 * are taken, and no parts at the start. Cells inside a shape are full exactly. */
#include <math.h>

#include "base/memory.h"
#include "methods/granular/state/state.h"
#include "scene/shape/shape.h"

int granular_points_per_cell(const scr_scene *scene, size_t k)
{
  const granular_specimen *specimen = scr_scene_specimen(scene, k);
  const granular_options *options = scene->options;
  return specimen->points_per_cell > 0 ? (int)specimen->points_per_cell : options->dimension == GRANULAR_PLANE ? 3 : 2;
}

/* Radius of a ball about a shape's origin that holds it. */
static double reach_of(const scr_specimen *specimen, const geo_solid *solid)
{
  if (solid->kind == GEO_SOLID_SPHERE) return solid->radius;
  if (solid->kind == GEO_SOLID_CYLINDER) return hypot(solid->radius, 0.5 * solid->size.z);
  if (solid->kind == GEO_SOLID_BOX) return 0.5 * vec3_length(solid->size);
  scr_vec3 low = solid->box.low, high = solid->box.high;
  (void)specimen;
  return vec3_length(vec3(fmax(fabs(low.x), fabs(high.x)), fmax(fabs(low.y), fabs(high.y)), fmax(fabs(low.z), fabs(high.z))));
}

/* Lattice numbers along an axis that a ball about `middle` holds, from one layer outside of the domain to one. */
static void range_of(const granular_state *s, int a, int per, double middle, double reach, int64_t *first, int64_t *last)
{
  double step = s->domain.h / per, low = (middle - reach - s->domain.origin[a]) / step,
         high = (middle + reach - s->domain.origin[a]) / step;
  *first = (int64_t)fmax(-1, floor(low) - 1);
  *last = (int64_t)fmin((double)s->domain.cells[a] * per, ceil(high) + 1);
}

static bool is_inside(const granular_state *s, const int64_t at[3], int per)
{
  for (int a = 0; a < s->d; a++)
    if (at[a] < 0 || at[a] >= (int64_t)s->domain.cells[a] * per) return false;
  return true;
}

/* Parts as they are at t = 0. */
static bool is_inside_parts(const scr_part *parts, size_t count, scr_vec3 place)
{
  for (size_t p = 0; p < count; p++)
    if (!scr_part_is_far(&parts[p], parts[p].start, place, 0) && scr_part_distance_at(&parts[p], parts[p].start, place).distance < 0)
      return true;
  return false;
}

static scr_status add_point(granular_state *s, const scr_specimen *specimen, scr_vec3 centre, const double x[3], double volume,
                            scr_error *error)
{
  const granular_material *material = scr_scene_material(s->scene, specimen->material);
  granular_point p = {.volume = volume, .cohesion = material->cohesion, .packing = 1, .material = specimen->material, .number = s->born};
  scr_vec3 spin = specimen->angular_velocity, arm = vec3_sub(granular_place(s, x), centre);
  const scr_vec3 axes[3] = {vec3(1, 0, 0), s->d == 2 ? vec3(0, 0, 1) : vec3(0, 1, 0), vec3(0, 0, s->d == 2 ? 0 : 1)};
  granular_to_grid(s, vec3_add(specimen->velocity, vec3_cross(spin, arm)), p.u);
  for (int a = 0; a < 3; a++) {
    p.x[a] = x[a];
    double along[3];
    granular_to_grid(s, vec3_cross(spin, axes[a]), along);
    for (int i = 0; i < 3; i++) p.c[a][i] = (float)along[i];
  }
  SCR_TRY(mem_reserve(&s->points, &s->point_capacity, s->point_count + 1, sizeof p, "points", error));
  s->points[s->point_count++] = p;
  s->born++;
  return SCR_OK;
}

static scr_status fill_place(granular_state *s, size_t k, scr_vec3 centre, double *outside, scr_error *error)
{
  const scr_specimen *specimen = &s->scene->specimens[k];
  geo_solid solid = scr_shape_solid(&specimen->shape);
  scr_part parts[SCR_PART_LIMIT];
  size_t part_count = scr_rig_parts(&s->scene->rig, parts);
  scr_quat back = quat_exp(vec3_scale(specimen->rotation_axis, -specimen->rotation_angle));
  int per = granular_points_per_cell(s->scene, k);
  double step = s->domain.h / per, reach = reach_of(specimen, &solid), middle[3] = {0};
  int64_t first[3] = {0}, last[3] = {0}, at[3];
  granular_to_grid(s, centre, middle);
  for (int a = 0; a < s->d; a++) range_of(s, a, per, middle[a], reach, &first[a], &last[a]);
  double volume = s->d == 2 ? step * step * s->thickness : step * step * step;
  for (at[2] = first[2]; at[2] <= last[2]; at[2]++)
    for (at[1] = first[1]; at[1] <= last[1]; at[1]++)
      for (at[0] = first[0]; at[0] <= last[0]; at[0]++) {
        double x[3] = {0};
        for (int a = 0; a < s->d; a++) x[a] = s->domain.origin[a] + ((double)at[a] + 0.5) * step;
        scr_vec3 own = quat_rotate(back, vec3_sub(granular_place(s, x), centre));
        if (!(geo_solid_depth(&solid, own) > 0)) continue;
        if (!is_inside(s, at, per))
          *outside += 1;
        else if (!is_inside_parts(parts, part_count, granular_place(s, x)))
          SCR_TRY(add_point(s, specimen, centre, x, volume, error));
      }
  return SCR_OK;
}

scr_status granular_fill_count(granular_state *s, size_t k, double *outside, scr_error *error)
{
  const scr_specimen *specimen = &s->scene->specimens[k];
  for (size_t i = 0; i < specimen->position_count; i++) SCR_TRY(fill_place(s, k, specimen->positions[i], outside, error));
  return SCR_OK;
}

scr_status granular_fill(granular_state *s, size_t k, scr_error *error)
{
  double outside = 0;
  return granular_fill_count(s, k, &outside, error);
}

double granular_fill_bound(const scr_scene *scene, size_t k)
{
  const scr_specimen *specimen = &scene->specimens[k];
  granular_state s = {0};
  granular_lay_out(&s, scene);
  geo_solid solid = scr_shape_solid(&specimen->shape);
  int per = granular_points_per_cell(scene, k);
  double total = 0, reach = reach_of(specimen, &solid);
  for (size_t i = 0; i < specimen->position_count; i++) {
    double middle[3] = {0}, count = 1;
    granular_to_grid(&s, specimen->positions[i], middle);
    for (int a = 0; a < s.d; a++) {
      int64_t first, last;
      range_of(&s, a, per, middle[a], reach, &first, &last);
      count *= (double)(last >= first ? last - first + 1 : 0);
    }
    total += count;
  }
  return total;
}
