/* Where a scene's sand and its grid lie. */
#include <math.h>
#include <string.h>

#include "methods/granular/state/state.h"

/* Corner of the domain along an axis of the scene. */
static double corner(const scr_scene *scene, bool high, int axis)
{
  const granular_options *o = scene->options;
  const scr_rig *rig = &scene->rig;
  if (rig->kind == SCR_RIG_BOX) return granular_component(high ? rig->maximum : rig->minimum, axis);
  return granular_component(high ? o->domain_maximum : o->domain_minimum, axis);
}

/* Whether a part is a wall of the box that never moves. */
static bool stands(const scr_part *part)
{
  return part->kind == SCR_PART_PLANE && !part->obstacle && (!part->program || part->program->segment_count == 0);
}

void granular_lay_out(granular_state *s, const scr_scene *scene)
{
  const granular_options *o = scene->options;
  scr_part parts[SCR_PART_LIMIT];
  s->scene = scene;
  s->options = o;
  s->d = o->dimension == GRANULAR_PLANE ? 2 : 3;
  s->thickness = s->d == 2 ? corner(scene, true, 1) - corner(scene, false, 1) : 1;
  s->middle = 0.5 * (corner(scene, true, 1) + corner(scene, false, 1));
  granular_to_grid(s, scene->rig.gravity, s->gravity);
  s->periodic[0] = o->periodic_x;
  s->periodic[1] = s->d == 3 && o->periodic_y;
  s->domain = (geo_grid_domain){.dimension = s->d, .h = o->cell, .cells = {1, 1, 1}};
  for (int a = 0; a < s->d; a++) {
    double low = corner(scene, false, granular_axis(s, a)), high = corner(scene, true, granular_axis(s, a));
    s->domain.origin[a] = low;
    s->domain.cells[a] = (uint32_t)fmin(fmax(round((high - low) / o->cell), 1), 1e9);
  }
  for (int a = 0; a < 2; a++) s->lone_cells = s->lone_cells || (s->periodic[a] && s->domain.cells[a] <= (s->d == 2 ? 8u : 4u));
  for (size_t k = 0; k < scene->material_count; k++) {
    const granular_material *m = scr_scene_material(scene, k);
    s->cohesive = s->cohesive || m->cohesion > 0;
  }
  s->single =
      o->tolerance >= GRANULAR_SINGLE_TOLERANCE && isnan(o->fluid_density); /* grains that close in a fluid need more: wet/solve.c */
  s->longest_step = scene->estimate.time_step;
  s->walls_stand = true;
  for (size_t p = 0, count = scr_rig_parts(&scene->rig, parts); p < count; p++) s->walls_stand = s->walls_stand && stands(&parts[p]);
}

scr_grid_shape granular_grid(const granular_state *s)
{
  double h = s->domain.h;
  const uint32_t *n = s->domain.cells;
  if (s->d == 2)
    return (scr_grid_shape){
        .origin = vec3(s->domain.origin[0], s->middle, s->domain.origin[1]), .spacing = vec3(h, 0, h), .counts = {n[0], 1, n[1]}};
  return (scr_grid_shape){.origin = vec3(s->domain.origin[0], s->domain.origin[1], s->domain.origin[2]),
                          .spacing = vec3(h, h, h),
                          .counts = {n[0], n[1], n[2]}};
}
