/* Steps that are stable.
 *
 *   lambda <= 2 k_n A (1/m_eff + sum over axes of r^2/I) + [K + 2 k_n A Phi^2]/M,  A the area of a contact half a grid spacing deep, m_eff half the grain's
 *   mass, r the farthest node from the axis
 *
 * Source: the method's specification, section 3.7. */
#include "methods/lsdem/scene/check.h"

/* The stiffest contact that grains of a specimen have. */
static double stiffest(const scr_scene *scene, size_t specimen)
{
  double stiffness = 0;
  for (size_t m = 0; m <= scene->specimen_count; m++) {
    const lsdem_surface *law = lsdem_surface_of(scene, scene->specimens[specimen].material, m < scene->specimen_count ? scene->specimens[m].material : scene->material_count);
    stiffness = fmax(stiffness, lsdem_normal_stiffness(scene, specimen, m));
    if (m < scene->specimen_count) stiffness = fmax(stiffness, law->bond_stiffness * fmax(1, law->bond_shear_ratio));
  }
  return stiffness;
}

part_response lsdem_part_response(const scr_scene *scene)
{
  part_response response = {0};
  for (size_t k = 0; k < scene->specimen_count; k++) {
    uint32_t material = scene->specimens[k].material;
    double stiffness = lsdem_normal_stiffness(scene, k, scene->specimen_count);
    response.stiffness = fmax(response.stiffness, stiffness);
    response.impedance = fmax(response.impedance, sqrt(stiffness * lsdem_material_of(scene, material)->density * lsdem_specimen_of(scene, k)->spacing));
  }
  return response;
}

static double fastest(const lsdem_state *s)
{
  double speed = 0, duration = s->scene->time.duration;
  for (size_t i = 0; i < s->grain_count; i++) {
    const lsdem_grain *g = &s->grains[i];
    speed = fmax(speed, vec3_length(g->velocity) + vec3_length(lsdem_spin(s, g)) * s->templates[g->shape].reach);
  }
  for (size_t p = 0; p < s->parts->count; p++) {
    const scr_part *form = &s->parts->form[p];
    double way = (form->program ? scr_program_peak_velocity(form->program, duration) : 0) + form->initial_speed;
    if (form->turn && isfinite(form->extent)) way += scr_program_peak_velocity(form->turn, duration) * form->extent;
    speed = fmax(speed, way);
  }
  return speed;
}

double lsdem_part_thickness(const scr_part *form)
{
  scr_vec3 half = form->solid.half_size;
  if (form->kind == SCR_PART_CYLINDER) return 2 * fmin(form->radius, form->half_length);
  if (form->kind != SCR_PART_SOLID) return INFINITY;
  switch (form->solid.kind) {
  case GEO_PLACED_BOX: return 2 * fmin(half.x, fmin(half.y, half.z));
  case GEO_PLACED_SPHERE: return 2 * form->solid.radius;
  case GEO_PLACED_CYLINDER: return 2 * fmin(form->solid.radius, form->solid.half_height);
  case GEO_PLACED_PLANE:
  case GEO_PLACED_MESH: break;
  }
  return INFINITY;
}

double lsdem_step_travel(const lsdem_state *s)
{
  double travel = INFINITY;
  for (size_t k = 0; k < s->template_count; k++) travel = fmin(travel, 0.5 * s->templates[k].field.spacing);
  for (size_t p = 0; p < s->parts->count; p++) travel = fmin(travel, 0.15 * lsdem_part_thickness(&s->parts->form[p]));
  return travel;
}

/* sum over the axes of r^2/I, 1/kg: how easily a push at the surface turns a grain. */
static double turning_ease(const lsdem_template *shape)
{
  scr_vec3 farthest = vec3(0, 0, 0);
  for (size_t k = 0; k < shape->node_count; k++) {
    scr_vec3 p = shape->surface.vertex[k];
    farthest.x = fmax(farthest.x, p.y * p.y + p.z * p.z);
    farthest.y = fmax(farthest.y, p.z * p.z + p.x * p.x);
    farthest.z = fmax(farthest.z, p.x * p.x + p.y * p.y);
  }
  return farthest.x / shape->inertia.x + farthest.y / shape->inertia.y + farthest.z / shape->inertia.z;
}

lsdem_limits lsdem_step_limits(const lsdem_state *s)
{
  double rigid = 0, modal = 0, alone = 0, grid = INFINITY, speed = fastest(s);
  for (size_t k = 0; k < s->template_count; k++) {
    const lsdem_template *shape = &s->templates[k];
    double press = 2 * stiffest(s->scene, shape->specimen) * shape->contact_area;
    double moving = press * (2 / shape->mass + turning_ease(shape));
    rigid = fmax(rigid, moving);
    grid = fmin(grid, shape->field.spacing);
    if (!shape->mode_count) continue;
    alone = fmax(alone, shape->frequency);
    double pressed = 0;
    for (size_t a = 0; a < shape->mode_count; a++) pressed += press * shape->mode_peak[a] * shape->mode_peak[a] / shape->modal.mass[a][a];
    modal = fmax(modal, shape->frequency * shape->frequency + pressed + moving);
  }
  return (lsdem_limits){.rigid = 2 / sqrt(rigid), .modal = modal > 0 ? 2 / sqrt(modal) : INFINITY,
                        .alone = alone > 0 ? 2 / alone : INFINITY,
                         .travel = speed > 0 ? 0.1 * grid / speed : INFINITY};
}
