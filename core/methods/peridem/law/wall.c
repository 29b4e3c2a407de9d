/* The laws between a node and a part of the rig (spec 3.4, walls). */
#include "methods/peridem/law/wall.h"

#include <math.h>

double pd_cap_volume(double contact_radius, double distance)
{
  const double Rc = contact_radius, d = distance;
  return M_PI / 3 * (Rc - d) * (Rc - d) * (2 * Rc + d);
}

/* Behind the plane (d < 0) the force of d = 0 goes on. */
double pd_wall_repulsion(pd_wall_law law, double contact_radius, double distance)
{
  const double Rc = contact_radius, d = fmax(distance, 0), y = Rc - d;
  if (!(y > 0)) return 0;
  if (law == PD_WALL_EXACT) return M_PI * y * y * y * (Rc + 3 * d) / 12;
  double volume = pd_cap_volume(Rc, d), centroid = 3 * (Rc + d) * (Rc + d) / (4 * (2 * Rc + d));
  return (Rc - centroid) * volume;
}

/* Integral of the repulsion from d to Rc. With y = Rc - d: exact pi y^4 (2 Rc + 3 d) / 60; the lumped law's is a polynomial too. */
double pd_wall_potential(pd_wall_law law, double contact_radius, double distance)
{
  const double Rc = contact_radius, d = fmax(distance, 0), y = Rc - d;
  if (!(y > 0)) return 0;
  double beyond = distance < 0 ? -distance * pd_wall_repulsion(law, Rc, 0) : 0;
  if (law == PD_WALL_EXACT) return M_PI * y * y * y * y * (2 * Rc + 3 * d) / 60 + beyond;
  double y3 = y * y * y, volume_part = Rc / 3 * (Rc * y3 - y3 * y / 4),
         centroid_part = (4 * Rc * Rc * y3 / 3 - Rc * y3 * y + y3 * y * y / 5) / 4;
  return M_PI * (volume_part - centroid_part) + beyond;
}

double pd_face_modulus(double bulk_modulus, double shear_modulus)
{
  return 1.25 * (bulk_modulus + 4.0 / 3 * shear_modulus);
}

double pd_rig_zero(const pd_options *options, double contact_radius, double spacing)
{
  if (pd_contact_begins(options) == PD_SURFACE_FACES) return 1.1 * spacing; /* faces lie less than h above, and facets reach aside */
  return pd_contact_begins(options) == PD_SURFACE_NODES ? contact_radius : fmin(contact_radius, 0.5 * spacing);
}

double pd_pair_zero(const pd_options *options, double contact_radius, double spacing_1, double spacing_2)
{
  return pd_contact_begins(options) == PD_SURFACE_NODES ? contact_radius : fmin(contact_radius, 0.5 * (spacing_1 + spacing_2));
}

double pd_touch_radius(const pd_options *options, double contact_radius, double spacing, bool several)
{
  if (pd_contact_begins(options) == PD_SURFACE_FACES && several)
    return 1.85 * spacing; /* 1.5 aside and nearly 1.1 along, as far as a lattice that is fitted to its faces has them */
  return pd_contact_begins(options) == PD_SURFACE_NODES ? contact_radius : fmin(contact_radius, spacing);
}

double pd_face_touch_radius(double spacing, double deepest)
{
  return hypot(1.5 * spacing, 2 * deepest) * (1 + 1e-9);
}

/* 0.8 of the greatest stiffness of the exact law, pi y^2 (Rc - y) Kn V at y = 2 Rc / 3. */
double pd_friction_stiffness(double contact_stiffness, double node_volume, double contact_radius)
{
  return 0.8 * contact_stiffness * node_volume * 4 * M_PI / 27 * contact_radius * contact_radius * contact_radius;
}
