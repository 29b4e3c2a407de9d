/** Pebbles: balls made into grains of a given form, different ones by number. All are stars about their middle.
 *
 *      r(n) = s r_e(n) (1 + roughness f(n)),   |n_x/a|^p + |n_y/b|^p + |n_z/c|^p = r_e^-p
 *
 *  a : b : c = 1 : elongation : elongation flatness; p = 2 is an ellipsoid, more is boxier, less more like an octahedron. f is a sum of
 *  real spherical harmonics of degrees 3 to PEBBLE_DEGREE with random factors that fall as degree^-1.5, of mean square 1 over the sphere.
 *  The factor s gives the volume of the ball.
 *  Source: forms by elongation and flatness as Zingg (1935); random harmonic surfaces as in Grigoriu, Garboczi, Kafali, Powder Technology
 *  166 (2006) 123. */
#ifndef SCREE_GEOMETRY_PEBBLE_H
#define SCREE_GEOMETRY_PEBBLE_H

#include <stdint.h>

#include "base/vec3.h"
#include "geometry/level_set/shell.h"

enum { PEBBLE_DEGREE = 8, PEBBLE_TERMS = (PEBBLE_DEGREE + 1) * (PEBBLE_DEGREE + 1) };

typedef struct pebble {
  scr_vec3 half;               /**< m, a, b, c, times s */
  double power;                /**< p */
  double factor[PEBBLE_TERMS]; /**< of harmonic (l, m) at l^2 + l + m, roughness and the norm included */
  double reach;                /**< m, above the largest radius */
} pebble;

/** Makes pebble number `number` of a seed.
 *  @param radius of the ball of its volume, m    @param elongation,flatness above 0, at most 1    @param roughness 0 ... 0.3 */
pebble pebble_make(double radius, double elongation, double flatness, double power, double roughness, uint64_t seed, uint64_t number);

/** Volume, centroid and second moments of a pebble as it is meant, not of triangles with their corners on it: those enclose a percent less
 *  where they are a third of the radius long. Integrals of r^3/3, r^4/4 n and r^5/5 n n over directions, to about 1e-4. */
void pebble_measure(const pebble *made, shell_solid *solid);

/** r(n), m: a shell_radius with the pebble as its user. */
double pebble_radius(const void *made, scr_vec3 direction);

#endif
