/* Steps that are stable.
 *
 *   of a rigid grain      lambda <= 2 k (1/m_eff + sum over axes of r^2/I),  k of a contact half a grid spacing deep, m_eff half the
 *   grain's mass, r the farthest node from the axis of one with modes     lambda <= 4 lambda_c of moving and turning, w^2 + 4 lambda_c with
 *   the modes,  lambda_c of such a contact with a fixed wall (lsdem_patch_frequency), w the highest frequency of the
 *                         modes alone
 *
 * Two such contacts count, on opposite sides, and each may be with a grain alike, which moves against it: (u - u')^2 <= 2 u^2 + 2 u'^2.
 * Dashpots of contacts are not in them: of a contact so deep they would rule all steps, while those that come are far smaller. The run
 * looks at those, see lsdem_step_ratio.
 *
 * Source: the method's specification, section 3.7. */
#include "methods/lsdem/scene/check.h"
#include "methods/lsdem/scene/patch.h"

/* A law at least as stiff as any contact that grains of a specimen have, at every overlap. */
static lsdem_law stiffest(const scr_scene *scene, size_t specimen)
{
  lsdem_law most = {.knee = INFINITY};
  for (size_t m = 0; m <= scene->specimen_count; m++) {
    const lsdem_surface *surface = lsdem_surface_of(scene, scene->specimens[specimen].material,
                                                    m < scene->specimen_count ? scene->specimens[m].material : scene->material_count);
    bool given = !isnan(surface->contact_stiffness), slides = surface->friction_coefficient > 0 || surface->friction_before > 0;
    lsdem_law law = {.normal = surface->contact_stiffness,
                     .automatic = surface->automatic_stiffness,
                     .shear = slides ? surface->shear_ratio * (given ? surface->contact_stiffness : 1) : 0};
    if (!given) lsdem_law_by_bodies(&law, lsdem_body_of(scene, specimen), lsdem_body_of(scene, m));
    most.normal = fmax(most.normal, law.normal);
    most.shear = fmax(most.shear, law.shear);
    most.root = fmax(most.root, law.root);
    if (law.root > 0) most.knee = fmin(most.knee, law.knee);
    if (m < scene->specimen_count) most.normal = fmax(most.normal, surface->bond_stiffness * fmax(1, surface->bond_shear_ratio));
  }
  return most;
}

part_response lsdem_part_response(const scr_scene *scene)
{
  part_response response = {0};
  for (size_t k = 0; k < scene->specimen_count; k++) {
    uint32_t material = scene->specimens[k].material;
    lsdem_law law = stiffest(scene, k);
    double stiffness = lsdem_law_slope(&law, 0);
    response.stiffness = fmax(response.stiffness, stiffness);
    response.impedance =
        fmax(response.impedance, sqrt(stiffness * lsdem_material_of(scene, material)->density * lsdem_specimen_of(scene, k)->spacing));
  }
  return response;
}

double lsdem_fastest(const lsdem_state *s)
{
  double speed = 0, duration = s->scene->time.duration;
  for (size_t i = 0; i < s->grain_count; i++) {
    const lsdem_grain *g = &s->grains[i];
    speed = fmax(speed, vec3_length(g->velocity) + vec3_length(lsdem_spin(s, g)) * s->templates[g->shape].reach);
  }
  for (size_t p = 0; p < s->parts->count; p++) speed = fmax(speed, scr_part_peak_speed(&s->parts->form[p], duration, INFINITY));
  return speed;
}

double lsdem_step_travel(const lsdem_state *s)
{
  double travel = INFINITY;
  for (size_t k = 0; k < s->template_count; k++) travel = fmin(travel, 0.5 * s->templates[k].field.spacing);
  for (size_t p = 0; p < s->parts->count; p++) travel = fmin(travel, 0.15 * s->thickness[p]);
  return travel;
}

/* sum over the axes of r^2/I, 1/kg: how easily a push at the surface turns a grain. */
static double turning_inverse_mass(const lsdem_template *shape)
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

scr_status lsdem_step_limits(const lsdem_state *s, lsdem_limits *limits, scr_error *error)
{
  double rigid = INFINITY, modal = INFINITY, alone = 0, grid = INFINITY, speed = lsdem_fastest(s);
  for (size_t k = 0; k < s->template_count; k++) {
    const lsdem_template *shape = &s->templates[k];
    lsdem_law law = stiffest(s->scene, shape->specimen);
    double deep = 0.5 * shape->field.spacing, moving, bending;
    grid = fmin(grid, shape->field.spacing);
    if (shape->mode_count == 0) {
      double press = 2 * (law.root > 0 ? lsdem_patch_stiffness(shape, &law, deep) : fmax(law.normal, law.shear) * shape->contact_area);
      double square = press * (2 / shape->mass + turning_inverse_mass(shape));
      rigid = fmin(rigid, 2 / sqrt(square));
      continue;
    }
    alone = fmax(alone, shape->frequency);
    SCR_TRY(lsdem_patch_frequency(shape, &law, deep, &moving, &bending, error));
    rigid = fmin(rigid, 2 / sqrt(4 * moving));
    double square = shape->frequency * shape->frequency + 4 * bending;
    modal = fmin(modal, 2 / sqrt(square));
  }
  *limits = (lsdem_limits){.rigid = rigid,
                           .modal = modal,

                           .alone = alone > 0 ? 2 / alone : INFINITY,
                           .travel = speed > 0 ? 0.1 * grid / speed : INFINITY};
  return SCR_OK;
}
