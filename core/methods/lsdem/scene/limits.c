/* Steps that are stable.
 *
 *   lambda <= 2 k_n A (1/m_eff + sum over axes of r^2/I) + [K + 2 k_n A Phi^2]/M,  A the area of a contact half a grid spacing deep, m_eff half the grain's
 *   mass, r the farthest node from the axis
 *
 * Source: the method's specification, section 3.7. */
#include "methods/lsdem/scene/check.h"

/* The stiffest contact that grains of a material have. */
static double stiffest(const scr_scene *scene, uint32_t material)
{
  double stiffness = 0;
  for (size_t m = 0; m <= scene->material_count; m++) {
    const lsdem_surface *law = lsdem_surface_of(scene, material, m);
    stiffness = fmax(stiffness, lsdem_normal_stiffness(scene, material, m));
    if (m < scene->material_count) stiffness = fmax(stiffness, law->bond_stiffness * fmax(1, law->bond_shear_ratio));
  }
  return stiffness;
}

part_response lsdem_part_response(const scr_scene *scene)
{
  part_response response = {0};
  for (size_t k = 0; k < scene->specimen_count; k++) {
    uint32_t material = scene->specimens[k].material;
    double stiffness = lsdem_normal_stiffness(scene, material, scene->material_count);
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
    double press = 2 * stiffest(s->scene, s->scene->specimens[shape->specimen].material) * shape->contact_area;
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
