/* What scenes with a fluid must have besides. */
#include "methods/granular/wet/check.h"

#include <math.h>

#include "methods/granular/scene/options.h"
#include "methods/granular/state/state.h"
#include "methods/granular/wet/closure.h"

#define DENSEST 0.74  /* of equal balls */
#define STIFFEST 1e10 /* drag in a step over the fluid's inertia: what double precision bears with WET_TOLERANCE */

static void check_rig(const scr_checker *c)
{
  granular_state s = {0};
  granular_lay_out(&s, c->scene);
  if (s.d != 2)
    check_refuse_words(c, check_at("/options/dimension"), "space", "plane",
                       "sand in a fluid is solved in the plane alone: use the dimension 'plane', or leave fluid_density out");
  if (c->scene->rig.kind != SCR_RIG_BOX)
    check_refuse_words(c, check_at("/rig/type"), "none", "box",
                       "the fluid fills a box: give the rig type 'box', or leave fluid_density out");
  if (c->scene->rig.obstacle_count > 0)
    check_refuse_words(c, check_at("/obstacles"), "obstacles", "none",
                       "a fluid flows through the box alone, not around obstacles: remove them, or leave fluid_density out");
  else if (!s.walls_stand)
    check_refuse_words(
        c, check_at("/rig"), "walls that move", "walls that stand",
        "the fluid does not compress, so the walls of its box must stand: remove their programs, or leave fluid_density out");
  if (!isnan(s.options->outlet_minimum.x))
    check_refuse_words(
        c, check_at("/options/outlet_minimum"), "an outlet", "null",
        "the fluid does not compress, so no sand may be taken out of its box: remove the outlet, or leave fluid_density out");
}

static void check_grains(const scr_checker *c, size_t m)
{
  const granular_material *one = scr_scene_material(c->scene, 0), *material = scr_scene_material(c->scene, m);
  const char *name = c->scene->materials[m].name;
  if (isnan(material->grain_diameter))
    check_refuse(c, check_at("/materials/%zu/grain_diameter", m), NAN, "a number > 0, in m",
                 "the fluid drags grains of '%s' by their diameter: give grain_diameter", name);
  else if (m > 0 && material->grain_diameter != one->grain_diameter)
    check_refuse(c, check_at("/materials/%zu/grain_diameter", m), material->grain_diameter, "that of the first material",
                 "in a fluid all grains have one diameter; that of '%s' is %.6g m, not %.6g m", name, material->grain_diameter,
                 one->grain_diameter);
  if (m > 0 && material->density != one->density)
    check_refuse(c, check_at("/materials/%zu/density", m), material->density, "that of the first material",
                 "in a fluid all grains have one density; that of '%s' is %.6g kg/m^3, not %.6g kg/m^3", name, material->density,
                 one->density);
  if (material->packing_fraction > DENSEST)
    check_refuse(c, check_at("/materials/%zu/packing_fraction", m), material->packing_fraction, "at most 0.74, of equal balls",
                 "packing of '%s', %.6g, leaves the fluid too little room: use that of the grains, about 0.6", name,
                 material->packing_fraction);
}

void wet_check(const scr_checker *c)
{
  const granular_options *o = c->scene->options;
  if (isnan(o->fluid_density)) return;
  if (isnan(o->fluid_viscosity))
    check_refuse(c, check_at("/options/fluid_viscosity"), NAN, "a number > 0, in Pa s",
                 "a fluid drags grains by its viscosity: give fluid_viscosity, of water 0.001 Pa s");
  check_rig(c);
  for (size_t m = 0; m < c->scene->material_count; m++) check_grains(c, m);
  for (size_t k = 0; k < c->scene->specimen_count; k++) {
    const granular_specimen *specimen = scr_scene_specimen(c->scene, k);
    if (!isnan(specimen->pour_interval))
      check_refuse(c, check_at("/specimens/%zu/pour_interval", k), specimen->pour_interval, "null",
                   "the fluid does not compress, so no sand may be poured into its box: leave pour_interval of '%s' out, or fluid_density",
                   c->scene->specimens[k].name);
  }
}

void wet_check_drag(const scr_checker *c, double step)
{
  const granular_options *o = c->scene->options;
  if (isnan(o->fluid_density)) return;
  for (size_t m = 0; m < c->scene->material_count; m++) {
    const granular_material *material = scr_scene_material(c->scene, m);
    double phi = material->packing_fraction, drag = wet_drag(o->fluid_viscosity, material->grain_diameter, o->drag_exponent, phi);
    double ratio = drag * step / (o->fluid_density * (1 - phi));
    if (ratio <= STIFFEST) continue;
    check_refuse(c, check_at("/options/fluid_viscosity"), o->fluid_viscosity, "a viscosity that drags less",
                 "drag on grains of '%s', %.6g m in diameter, would stop the fluid within %.3g of a step, beyond what numbers resolve: use "
                 "larger grains, or a thinner fluid",
                 c->scene->materials[m].name, material->grain_diameter, 1 / ratio);
  }
}

double wet_viscous_step(const scr_scene *scene)
{
  const granular_options *o = scene->options;
  double least = o->fluid_density;
  if (isnan(o->fluid_density)) return INFINITY;
  for (size_t m = 0; m < scene->material_count; m++)
    least = fmin(least, ((const granular_material *)scr_scene_material(scene, m))->density);
  return 0.1 * least * o->cell * o->cell / o->fluid_viscosity; /* Gershgorin: 10 eta/(rho h^2) beside two walls */
}
