/* What a scene of bonded spheres may ask for and probably does not mean: warnings, never refusals (spec 8). */
#include <math.h>
#include <stdio.h>

#include "methods/bdem/scene/check.h"
#include "scene/places/crushing.h"

static void warn_of_step(const scr_checker *c, double T, double dt)
{
  const scr_scene *scene = c->scene;
  const bdem_options *options = scene->options;
  if (options->integrator == BDEM_INTEGRATOR_EXPLICIT && dt > 0.9 * T && dt <= T)
    check_warn(c, check_at("/time/time_step"), dt, "at most 0.9 T, in s",
               "time step %.4g s is %.3g of the stable bound T of %.4g s: debris that is pressed together can make it unstable; at most "
               "%.4g s is usual",
               dt, dt / T, T, 0.9 * T);
  if (options->integrator != BDEM_INTEGRATOR_EXPLICIT && dt > 1000 * T * (1 + 1e-12)) {
    check_warn(c, check_at("/time/time_step"), dt, "at most 1000 stable explicit steps, in s",
               "time step %.4g s is %.4g times the stable explicit step T of %.4g s: all but the slowest motion is damped away; at most "
               "1000 times, %.4g s, is usual",
               dt, dt / T, T, 1000 * T);
  }
}

/* The contact search's cells are as wide as the largest spheres: many small ones share one. */
static void warn_of_radii(const scr_checker *c, const bdem_filling *fillings)
{
  const scr_scene *scene = c->scene;
  size_t large = 0, small = 0;
  for (size_t k = 1; k < scene->specimen_count; ++k) {
    if (fillings[k].radius > fillings[large].radius) large = k;
    if (fillings[k].radius < fillings[small].radius) small = k;
  }
  double ratio = fillings[large].radius / fillings[small].radius;
  if (!(ratio > 10)) return;
  check_warn(c, check_at("/specimens/%zu/spacing", large), bdem_specimen_of(&scene->specimens[large])->spacing,
             "spacings within a factor of 10",
             "spheres of specimen '%s' are %.3g times as large as those of '%s': the contact search becomes slow; up to 10 times is usual",
             scene->specimens[large].name, ratio, scene->specimens[small].name);
}

static void warn_of_contacts(const scr_checker *c)
{
  const scr_scene *scene = c->scene;
  double factor = ((const bdem_options *)scene->options)->contact_stiffness_factor;
  if (factor >= 0.01 && factor <= 100) return;
  check_warn(c, check_at("/options/contact_stiffness_factor"), factor, "a number from 0.01 to 100",
             "contact_stiffness_factor %.4g: contacts %s; 0.01 to 100 are usual", factor,
             factor < 1 ? "so soft let spheres sink into each other" : "so stiff shorten the stable step");
}

/* A body a few spheres wide: its lattice cells are not its volume. */
static void warn_of_cells(const scr_checker *c, const bdem_filling *filling, size_t k)
{
  const scr_scene *scene = c->scene;
  const scr_specimen *specimen = &scene->specimens[k];
  const bdem_options *options = scene->options;
  bool ball = options->sphere_mass == BDEM_MASS_BALL, bonds = options->constants_of == BDEM_CONSTANTS_OF_BONDS;
  if (filling->sphere_count < 2 || fabs(filling->cells - 1) <= 0.05) return;
  check_warn(c, check_at("/specimens/%zu/spacing", k), bdem_specimen_of(specimen)->spacing, "cells within 5 % of the shape's volume",
             "specimen '%s' is only a few spheres wide: the lattice cells of its %zu spheres take %.3g of its shape's volume, so %s; a "
             "smaller spacing represents the body better",
             specimen->name, filling->sphere_count, filling->cells,
             ball    ? "it is smaller and lighter than its shape"
             : bonds ? "each sphere is made heavier by that to give the body its mass, and it is softer and weaker"
                     : "spheres are made heavier and bonds stiffer and stronger, to give the body its mass, stiffness and strength");
}

/* A body of few layers between flat faces: its lattice is far from regular. */
static void warn_of_stretch(const scr_checker *c, const bdem_filling *filling, size_t k)
{
  const double usual = 1.2, *f = filling->stretch;
  const scr_specimen *specimen = &c->scene->specimens[k];
  double spacing = bdem_specimen_of(specimen)->spacing, most = fmax(f[0], fmax(f[1], f[2])), least = fmin(f[0], fmin(f[1], f[2]));
  if (!(most > usual * least)) return;
  check_warn(
      c, check_at("/specimens/%zu/spacing", k), spacing, "distances between spheres within 20 % of one another",
      "specimen '%s' has so few layers of spheres that its lattice is stretched by %.3g along one axis and %.3g along another to end "
      "at its faces: its stiffness and strength differ more by direction; a spacing below %.3g m makes it truer",
      specimen->name, most, least, 0.5 * spacing);
}

/* What a virtual test could not reach. */
static void warn_of_bonds(const scr_checker *c, const bdem_calibrated *found, size_t k)
{
  const scr_scene *scene = c->scene;
  const scr_specimen *specimen = &scene->specimens[k];
  const bdem_material *material = bdem_material_of(scene, specimen->material);
  double poisson = material->poisson_ratio, shear = material->shear_strength;
  if (((const bdem_options *)scene->options)->constants_of == BDEM_CONSTANTS_OF_BONDS || !(found->body.young_modulus > 0)) return;
  if (fabs(poisson - found->body.poisson_ratio) > 1e-3)
    check_warn(c, check_at("/materials/%zu/poisson_ratio", (size_t)specimen->material), poisson, "a ratio that the packing can have",
               "the packing of specimen '%s' can't have a Poisson ratio of %.3g: it reaches %.3f to %.3f by bonds of -0.5 to 0.5; the body "
               "gets %.3g",
               specimen->name, poisson, found->poisson_low, found->poisson_high, found->body.poisson_ratio);
  if (isfinite(found->body.shear_strength) && fabs(shear / found->body.shear_strength - 1) > 0.02) {
    check_warn(
        c, check_at("/materials/%zu/shear_strength", (size_t)specimen->material), shear, "a strength that the packing can have",
        "the packing of specimen '%s' can't have a shear strength of %.4g Pa beside its tensile strength of %.4g Pa: the body gets %.4g Pa",
        specimen->name, shear, found->body.tensile_strength, found->body.shear_strength);
  }
}

/* A fracture energy alone: strengths are made of it, which the scene did not say. Yarns can't have them made. */
static void warn_of_fracture_energy(const scr_checker *c, const bdem_filling *filling, const bdem_calibrated *found, size_t k)
{
  const scr_scene *scene = c->scene;
  const scr_specimen *specimen = &scene->specimens[k];
  const bdem_options *options = scene->options;
  const bdem_material *material = bdem_material_of(scene, specimen->material);
  const char *name = scene->materials[specimen->material].name;
  bool strong = !isnan(material->tensile_strength) || !isnan(material->shear_strength);
  if (isnan(material->fracture_energy) || strong || !options->breakable || options->strength != BDEM_STRENGTH_GIVEN) return;
  if (filling->pair_count == 0) return;
  check_place place = check_at("/materials/%zu/fracture_energy", (size_t)specimen->material);
  if (bdem_is_weave(&specimen->shape))
    check_warn(c, place, material->fracture_energy, "null, and a tensile_strength",
               "material '%s' has a fracture_energy of %.4g J/m^2 but no strength: a crack through the yarns of specimen '%s' has no area, "
               "so they never break; give tensile_strength",
               name, material->fracture_energy, specimen->name);
  else
    check_warn(
        c, place, material->fracture_energy, "the option strength \"energy-scaled\", or a tensile_strength",
        "material '%s' has a fracture_energy of %.4g J/m^2 and no strength: bonds of specimen '%s' break at %.4g Pa, made from it by "
        "the option strength \"energy-scaled\", so that a crack grows at K = sqrt(E Gc); a body without a crack breaks at a load "
        "that goes with 1/sqrt(spacing), unless tensile_strength is given",
        name, material->fracture_energy, specimen->name, found->bonds.tensile_strength);
}

/* Tabs are for grips, and leave something free between them. */
static void warn_of_tabs(const scr_checker *c)
{
  const scr_scene *scene = c->scene;
  double tab = ((const bdem_options *)scene->options)->tab_length, between = scene->rig.high_start - scene->rig.low_end;
  bool grips = scene->rig.kind == SCR_RIG_GRIPS;
  if (!(tab > 0) || (grips && !(2 * tab >= between))) return;
  check_place place = check_at("/options/tab_length");
  if (grips)
    check_warn(c, place, tab, "less than half the distance between the grips, in m",
               "tabs of %.4g m cover all of the %.4g m between the grips, so no bond can break: make tab_length less than %.4g m", tab,
               between, 0.5 * between);
  else
    check_warn(c, place, tab, "0 without grips", "tab_length is %.4g m, but the rig has no grips that tabs could be under: leave it out",
               tab);
}

/* Local damping knows no rest frame but the laboratory's: what flies is slowed as what vibrates. */
static void warn_of_local_damping(const scr_checker *c)
{
  const scr_scene *scene = c->scene;
  const bdem_options *options = scene->options;
  double alpha = options->local_damping;
  scr_vec3 g = scene->rig.gravity;
  bool moving = false;
  for (size_t k = 0; k < scene->specimen_count; ++k) {
    const scr_specimen *specimen = &scene->specimens[k];
    moving =
        moving || vec3_dot(specimen->velocity, specimen->velocity) + vec3_dot(specimen->angular_velocity, specimen->angular_velocity) > 0;
  }
  bool implicit = options->integrator != BDEM_INTEGRATOR_EXPLICIT, heavy = vec3_dot(g, g) > 0;
  if (!(alpha > 0) || (!implicit && !heavy && !moving)) return;
  check_place place = check_at("/options/local_damping");
  if (implicit)
    check_warn(c, place, alpha, "0, or the integrator explicit",
               "local_damping %.3g acts in explicit runs only: this one's steps are not explicit", alpha);
  else
    check_warn(c, place, alpha, "0 where bodies fall or fly",
               "local_damping %.3g slows flying bodies too: what falls freely gets %.3g of gravity%s; use 0 unless all that matters rests "
               "on the rig",
               alpha, 1 - alpha, moving ? ", and specimens that start with a velocity lose it as they vibrate" : "");
}

/* An implicit Euler step puts a rigid body that turned by a = w dt in the last one where 2 x1 - x0 is, brought back to its shape: it turns
 * by atan(sin a/(2 - cos a)) = a - a^3 + ..., so w falls by w^3 dt per time and is w/sqrt(1 + 2 w^2 dt t) after t. Single spheres keep
 * their spin. */
static void warn_of_spin(const scr_checker *c, const bdem_filling *filling, size_t k, double dt)
{
  const scr_scene *scene = c->scene;
  const scr_specimen *specimen = &scene->specimens[k];
  double spin = vec3_length(specimen->angular_velocity), kept = 1 / sqrt(1 + 2 * spin * spin * dt * scene->time.duration);
  if (((const bdem_options *)scene->options)->integrator != BDEM_INTEGRATOR_IMPLICIT_EULER || filling->sphere_count < 2 || kept > 0.99)
    return;
  check_warn(c, check_at("/specimens/%zu/angular_velocity", k), spin, "a spin that the steps keep",
             "specimen '%s' spins at %.4g rad/s; implicit Euler steps of %.3g s leave it %.3g of that after %.4g s (1/sqrt(1 + 2 w^2 dt "
             "t)): use steps of at most %.2g s to keep 99 %%, or the integrator variational or explicit",
             specimen->name, spin, dt, kept, scene->time.duration, 0.5 * (1 / (0.99 * 0.99) - 1) / (spin * spin * scene->time.duration));
}

/* Bonds along the pull are stretched as the body is. */
static void warn_of_crushing(const scr_checker *c, const bdem_calibrated *found, size_t k)
{
  if (!((const bdem_options *)c->scene->options)->breakable || !(found->body.young_modulus > 0)) return;
  const crushing_body body = {found->body.young_modulus, found->body.poisson_ratio,
                              found->bonds.tensile_strength / found->bonds.young_modulus};
  check_crushing(c, k, &body);
}

void bdem_warn(const scr_checker *c, const bdem_filling *fillings, const bdem_calibrated *bonds, double stable_step, double time_step)
{
  const scr_scene *scene = c->scene;
  warn_of_step(c, stable_step, time_step);
  warn_of_radii(c, fillings);
  warn_of_contacts(c);
  warn_of_tabs(c);
  warn_of_local_damping(c);
  for (size_t k = 0; k < scene->specimen_count; ++k) {
    warn_of_cells(c, &fillings[k], k);
    warn_of_stretch(c, &fillings[k], k);
    warn_of_bonds(c, &bonds[k], k);
    warn_of_fracture_energy(c, &fillings[k], &bonds[k], k);
    warn_of_spin(c, &fillings[k], k, time_step);
    warn_of_crushing(c, &bonds[k], k);
  }
}
