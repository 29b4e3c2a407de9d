/** The elastic disc between two jaws, plane stress: half of the contact's width by Hertz, the approach by Johnson, the field on the loaded
 *  diameter as the sum of the known fields of pairs of line loads. References of what Brazilian tests measure. */
#ifndef SCREE_SUPPORT_PRESSED_DISC_H
#define SCREE_SUPPORT_PRESSED_DISC_H

#include <math.h>

typedef struct pressed_disc {
  double radius, thickness, jaw_radius; /**< m; jaw_radius: of the hollow, INFINITY: flat */
  double young_modulus, poisson_ratio;  /**< Pa, 1 */
} pressed_disc;

/** Half of the contact's width under a force, m: Hertz, a^2 = 4 P' R* / (pi E), 1/R* = 1/R - 1/R_jaw. */
static inline double disc_half_width(const pressed_disc *disc, double force)
{
  double curvature = 1 / disc->radius - 1 / disc->jaw_radius;
  return sqrt(4 * force / disc->thickness / (M_PI * disc->young_modulus * curvature));
}

/** How far the jaws have come together under a force, m: Johnson, Contact Mechanics, 5.6, of both contacts. */
static inline double disc_approach(const pressed_disc *disc, double force)
{
  double load = force / disc->thickness;
  return 4 * load / (M_PI * disc->young_modulus) * (log(4 * disc->radius / disc_half_width(disc, force)) - 0.5);
}

/** Force at an approach of the jaws, N. */
static inline double disc_force(const pressed_disc *disc, double approach)
{
  double low = 0, high = approach * disc->young_modulus * disc->thickness;
  for (int k = 0; k < 60; k++) {
    double middle = 0.5 * (low + high);
    if (disc_approach(disc, middle) < approach)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* Stresses across (x) and along (z) the loaded diameter at a height z, of line loads P' of both contacts by Hertz's half ellipse: each load
 * 2 P'/(pi rho) cos(theta) along rho, and of each pair of opposite ones P'/(pi R) in all directions (Timoshenko and Goodier, art. 41). */
static inline void disc_stress(const pressed_disc *disc, double force, double z, double *across, double *along)
{
  enum { LOADS = 401 };
  double a = disc_half_width(disc, force), total = 0;
  *across = *along = 0;
  for (int k = 0; k < LOADS; k++) {
    double x = a * ((k + 0.5) * 2.0 / LOADS - 1), share = sqrt(1 - x * x / (a * a));
    total += share;
    for (int side = -1; side <= 1; side += 2) {
      double at = side * sqrt(disc->radius * disc->radius - x * x), rx = -x, rz = z - at, square = rx * rx + rz * rz;
      double inward = -(rx * x + rz * at) / disc->radius; /* rho cos(theta) */
      double radial = -2 / M_PI * inward / square;
      *across += share * radial * rx * rx / square;
      *along += share * radial * rz * rz / square;
    }
    *across += share / (M_PI * disc->radius);
    *along += share / (M_PI * disc->radius);
  }
  *across *= force / disc->thickness / total;
  *along *= force / disc->thickness / total;
}

/** Strain across the loaded diameter at a height z above the middle. */
static inline double disc_strain(const pressed_disc *disc, double force, double z)
{
  double across, along;
  disc_stress(disc, force, z, &across, &along);
  return (across - disc->poisson_ratio * along) / disc->young_modulus;
}

/** Strain of the outer fibre of a bond of `bond_radius` that lies across the loaded diameter: its own and what it is bent by, as its ends
 *  turn with the disc: the rotation's gradient across is that of the sum of stresses along, over E (plane elasticity). */
static inline double disc_fibre_strain(const pressed_disc *disc, double force, double z, double bond_radius)
{
  double across[2], along[2], step = 1e-3 * disc->radius;
  for (int k = 0; k < 2; k++) disc_stress(disc, force, z + (k - 0.5) * step, &across[k], &along[k]);
  double bend = fabs(across[1] + along[1] - across[0] - along[0]) / (step * disc->young_modulus);
  return disc_strain(disc, force, z) + bond_radius * bend;
}

/** Force at which the largest fibre strain on the loaded diameter reaches `strain`, N. */
static inline double disc_splitting_force(const pressed_disc *disc, double strain, double bond_radius)
{
  double low = 0, high = 10 * strain * disc->young_modulus * disc->radius * disc->thickness;
  for (int k = 0; k < 40; k++) {
    double middle = 0.5 * (low + high), largest = 0;
    for (double z = 0; z < 0.95 * disc->radius; z += 0.02 * disc->radius)
      largest = fmax(largest, disc_fibre_strain(disc, middle, z, bond_radius));
    if (largest < strain)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/** Height above the middle up to which the loaded diameter is in tension, m. */
static inline double disc_tension_height(const pressed_disc *disc, double force)
{
  double z = 0;
  while (z < disc->radius && disc_strain(disc, force, z) > 0) z += 1e-3 * disc->radius;
  return z;
}

#endif
