/* Laws of contacts between materials, grains and the rig. */
#include <math.h>

#include "methods/lsdem/state/state.h"

static lsdem_glue glue_of(const lsdem_state *s, const lsdem_surface *surface)
{
  double grid = INFINITY;
  for (size_t k = 0; k < s->template_count; k++) grid = fmin(grid, s->templates[k].field.spacing);
  return (lsdem_glue){.normal = surface->bond_stiffness,
                      .shear = surface->bond_shear_ratio * surface->bond_stiffness,
                      .reach = isnan(surface->bond_reach) ? 0.5 * grid : surface->bond_reach,
                      .strength = surface->bond_strength,
                      .shear_strength = isnan(surface->bond_shear_strength) ? surface->bond_strength : surface->bond_shear_strength,
                      .energy = surface->bond_energy,
                      .damping = surface->bond_damping_time * surface->bond_stiffness};
}

void lsdem_make_laws(lsdem_state *s)
{
  size_t n = s->scene->material_count + 1;
  for (size_t a = 0; a < n; a++)
    for (size_t b = 0; b < n; b++) {
      const lsdem_surface *surface = lsdem_surface_of(s->scene, a, b);
      double stiffness = surface->contact_stiffness, share = isnan(stiffness) ? 1 : stiffness; /* automatic ones by the bodies that touch */
      s->laws[a * n + b] = (lsdem_law){.normal = stiffness,
                                       .automatic = surface->automatic_stiffness,
                                       .shear = surface->shear_ratio * share,
                                       .damping = surface->damping_time * share,
                                       .glue = glue_of(s, surface)};
    }
}

lsdem_law lsdem_law_between(const lsdem_state *s, size_t grain, size_t master)
{
  const size_t materials = s->scene->material_count;
  const lsdem_body rig = {.modulus = INFINITY, .radius = INFINITY};
  bool other = master < s->grain_count;
  lsdem_law law = s->laws[s->grains[grain].material * (materials + 1) + (other ? s->grains[master].material : materials)];
  if (!isnan(law.normal)) return law;
  lsdem_law_by_bodies(&law, s->templates[s->grains[grain].shape].body, other ? s->templates[s->grains[master].shape].body : rig);
  return law;
}

double lsdem_damping_time(const scr_scene *scene, size_t material)
{
  double longest = 0;
  for (size_t m = 0; m <= scene->material_count; m++) {
    const lsdem_surface *surface = lsdem_surface_of(scene, material, m);
    longest = fmax(longest, fmax(surface->damping_time, surface->bond_stiffness > 0 ? surface->bond_damping_time : 0));
  }
  return longest;
}

double lsdem_dashpot_factor(double damping_time, double contacts, double whole)
{
  if (!(damping_time > 0) || !(whole > 0)) return 1;
  double zeta = 0.5 * damping_time * contacts / sqrt(whole);
  return 1 / (sqrt(1 + zeta * zeta) + zeta); /* sqrt(1 + zeta^2) - zeta, without the difference of large numbers */
}

void lsdem_laws_at(lsdem_state *s, double time)
{
  size_t n = s->scene->material_count + 1;
  for (size_t a = 0; a < n; a++)
    for (size_t b = 0; b < n; b++) {
      const lsdem_surface *surface = lsdem_surface_of(s->scene, a, b);
      bool early = !isnan(surface->friction_before) && time < surface->friction_since;
      s->laws[a * n + b].friction = early ? surface->friction_before : surface->friction_coefficient;
    }
}

size_t lsdem_most_modes(const lsdem_state *s)
{
  size_t most = 0;
  for (size_t k = 0; k < s->template_count; k++) most = s->templates[k].mode_count > most ? s->templates[k].mode_count : most;
  return most;
}
