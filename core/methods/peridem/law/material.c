/* Closed forms of the material constants. Derivation: a uniform stretch must store 9 k s^2 / 2 per volume, and separating
 * a plane must cost Gc per area (checked by quadrature in tests/unit/test_peridem_material.c). */
#include "methods/peridem/law/material.h"

#include <math.h>

static double fourth(double a)
{
  return a * a * a * a;
}

double pd_micromodulus_at(pd_micromodulus kind, double bulk_modulus, double horizon, double length)
{
  if (kind == PD_CONSTANT) return 18.0 * bulk_modulus / (M_PI * fourth(horizon));
  return fmax(0.0, 90.0 * bulk_modulus / (M_PI * fourth(horizon)) * (1.0 - length / horizon));
}

double pd_critical_stretch(pd_micromodulus kind, double bulk_modulus, double fracture_energy, double horizon)
{
  if (kind == PD_CONSTANT) return sqrt(5.0 * fracture_energy / (9.0 * bulk_modulus * horizon));
  return sqrt(fracture_energy / (1.5 * bulk_modulus * horizon));
}

double pd_critical_stretch_state(double bulk_modulus, double shear_modulus, double fracture_energy, double horizon)
{
  double modulus = 3 * shear_modulus + fourth(0.75) * (bulk_modulus - 5 * shear_modulus / 3);
  return sqrt(fracture_energy / (modulus * horizon));
}

double pd_partial_volume(double horizon, double spacing, double length)
{
  double part = (horizon + 0.5 * spacing - length) / spacing;
  return part < 0 ? 0 : part > 1 ? 1 : part;
}

double pd_contact_stiffness(double bulk_modulus_1, double bulk_modulus_2, double contact_radius)
{
  double effective = 2 * bulk_modulus_1 * bulk_modulus_2 / (bulk_modulus_1 + bulk_modulus_2);
  return 18.0 * effective / (M_PI * fourth(contact_radius) * contact_radius);
}

double pd_step_bound_bond(double density, double row_sum)
{
  return row_sum > 0 ? sqrt(2.0 * density / row_sum) : INFINITY;
}

static double ball(double radius)
{
  return 4.0 / 3.0 * M_PI * radius * radius * radius;
}

double pd_step_bound_contact(double density, double contact_stiffness, double contact_radius)
{
  return 2.0 / sqrt(2.0 * contact_stiffness * ball(contact_radius) / density);
}

double pd_step_bound_damping(double density, double contact_stiffness, double contact_radius, double damping_ratio)
{
  if (!(damping_ratio > 0)) return INFINITY;
  return 1.0 / (2.0 * damping_ratio * sqrt(contact_stiffness * 0.5 * ball(contact_radius) / density));
}

double pd_step_bound_pairs(double density, double contact_stiffness, double contact_radius, double spacing, double part,
                           double damping_ratio)
{
  if (!(damping_ratio > 0)) return INFINITY;
  double volume = spacing * spacing * spacing, neighbours = fmax(1, part * ball(contact_radius) / volume);
  return 1.0 / (2.0 * neighbours * 2.0 * damping_ratio * sqrt(contact_stiffness * volume / density));
}
