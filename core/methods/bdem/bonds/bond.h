/** One elastic bond between two spheres: a short beam that stretches, shears, bends and twists.
 *
 *  Sphere i has centre p_i and unit quaternion q_i. With e = p_j - p_i, l = |e|, n = e/l, d = R(c) d0, where c is the mean of
 *  both orientations, and u the vector part of conj(q_j) q_i (|u| = sine of half the relative turn):
 *    stretch  1/2 kn (l - l0)^2            shear  1/2 kt theta^2, theta the angle between n and d
 *    bend and twist  1/2 u^T A u,  A = kb I + (kw - kb) d0 d0^T
 *  Orientations enter as rotations y: q(y) = exp(2 y) q, y HALF the world rotation vector. Torques are about world axes.
 *  Source: bonded DEM with manifold optimisation (2025), with the corrections listed in README.md. */
#ifndef SCREE_METHODS_BDEM_BOND_H
#define SCREE_METHODS_BDEM_BOND_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/quat.h"
#include "base/vec3.h"

typedef enum bdem_calibration {
  BDEM_CALIBRATION_PHYSICAL, /**< bending energy K (1 - cos phi), as a beam's */
  BDEM_CALIBRATION_PAPER     /**< K (1 - cos phi) / 4: four times softer, as printed */
} bdem_calibration;

typedef enum bdem_shear {
  BDEM_SHEAR_SIMPLE, /**< kt = G S l0 */
  BDEM_SHEAR_EXACT   /**< 1/kt = 1/(G S l0) + l0/(12 E I): chains match Timoshenko's cantilever at every length */
} bdem_shear;

/** What never changes of a bond: one cache line, streamed by the force kernel. */
typedef struct bdem_bond {
  double direction[3]; /**< d0, unit, from i to j at creation, world axes */
  double length;       /**< l0, m */
  double stretch;      /**< kn, N/m */
  double shear;        /**< kt, N m */
  double bend;         /**< eigenvalue of A across d0, N m */
  double twist;        /**< eigenvalue of A along d0, N m */
} bdem_bond;

static_assert(sizeof(bdem_bond) == 64, "one cache line per bond");

/** Cross-section and strength shared by many bonds. */
typedef struct bdem_section {
  double area_inverse; /**< 1/S, 1/m^2 */
  double bend_stress;  /**< stress of bending per |u across d0|, Pa per (N m of A): moment factor r0/I over the energy factor */
  double twist_stress; /**< the same for |u along d0| with r0/J */
  double tensile_strength, shear_strength; /**< Pa; INFINITY = unbreakable */
} bdem_section;

/** Elastic constants of a bond's material: modulus Pa, Poisson's ratio. */
typedef struct bdem_elasticity {
  double young_modulus, poisson_ratio;
  bdem_calibration calibration;
  bdem_shear shear;
} bdem_elasticity;

/** A bond of beam radius `radius` along `axis` (p_j - p_i at creation, not zero).
 *  kn = E S/l0, kt = G S l0, bending E I/l0, twist G J/l0, S = pi r^2, I = pi r^4/4, J = pi r^4/2. */
bdem_bond bdem_bond_make(const bdem_elasticity *elasticity, double radius, scr_vec3 axis);

/** The section of beams of radius `radius`. */
bdem_section bdem_section_make(bdem_calibration calibration, double radius, double tensile_strength, double shear_strength);

/** Energies, J. */
typedef struct bdem_bond_energy {
  double stretch, shear, bend_twist;
} bdem_bond_energy;

/** Force on j (i gets the opposite), N, and torques about world axes, N m. */
typedef struct bdem_bond_force {
  scr_vec3 force_j, torque_i, torque_j;
} bdem_bond_force;

/** Largest tensile (signed) and shear stress at the bond's middle, Pa. */
typedef struct bdem_bond_stress {
  double tension, shear;
} bdem_bond_stress;

bdem_bond_energy bdem_bond_energy_of(const bdem_bond *bond, scr_vec3 e, scr_quat qi, scr_quat qj);

/** tension = kn (l - l0)/S + bending moment r0/I, shear = kt theta/(l S) + twisting moment r0/J. */
bdem_bond_stress bdem_bond_stress_of(const bdem_bond *bond, const bdem_section *section, scr_vec3 e, scr_quat qi, scr_quat qj);

/** Second derivatives along geodesics in (e, y_i, y_j), row-major, symmetric: N/m, N, N m. */
typedef struct bdem_bond_hessian {
  double ee[9], ei[9], ej[9], ii[9], ij[9], jj[9];
} bdem_bond_hessian;

typedef enum bdem_curvature {
  BDEM_CURVATURE_EXACT,        /**< the Riemannian Hessian; may be indefinite */
  BDEM_CURVATURE_GAUSS_NEWTON, /**< positive semi-definite; equal to the exact one in the unloaded state */
  BDEM_CURVATURE_CLIPPED       /**< the exact one with its negative eigenvalues set to zero, y scaled by 1/l0 so that units match */
} bdem_curvature;

void bdem_bond_hessian_of(const bdem_bond *bond, scr_vec3 e, scr_quat qi, scr_quat qj, bdem_curvature curvature,
                          bdem_bond_hessian *hessian);

/** -theta/sin(theta) from x = cos theta and y = sin theta >= 0; smooth at y = 0 for x > 0. At y = 0, x < 0 (a bond turned
 *  over) it is infinite: such a bond has long broken, and the caller's finiteness check catches it otherwise. */
static inline double bdem_shear_slope(double x, double y)
{
  double t = y * y;
  if (x > 0.0 && t < 1e-3) /* asin(y)/y; the next term, 0.0224 t^5, is below 1e-16 */
    return -(1.0 + t * (1.0 / 6.0 + t * (3.0 / 40.0 + t * (5.0 / 112.0 + t * (35.0 / 1152.0)))));
  return -atan2(y, x) / y;
}

/** Force and torques; inline because the time loop lives on it. About 200 flops.
 *  With rel = s q_j conj(q_i) = (rho, sigma), s making sigma >= 0, h = d x n, f1 = -theta/sin(theta), P = q_j (A u) conj(q_i):
 *    dV/de = kn (l - l0) n + kt f1/l (d - x n)
 *    torque_i = -kt f1/2 (h + h x rho/(1 + sigma)) - vec(P)/2,   torque_j = -kt f1/2 (h - h x rho/(1 + sigma)) + vec(P)/2 */
static inline bdem_bond_force bdem_bond_force_of(const bdem_bond *bond, scr_vec3 e, scr_quat qi, scr_quat qj)
{
  scr_vec3 d0 = vec3(bond->direction[0], bond->direction[1], bond->direction[2]);
  double length = vec3_length(e);
  scr_vec3 n = vec3_scale(e, 1.0 / length);
  double sigma = quat_dot(qi, qj), s = sigma < 0.0 ? -1.0 : 1.0;
  scr_quat rel = quat_multiply(qj, quat_conjugate(qi));
  scr_vec3 rho = vec3_scale(quat_vector(rel), s);
  sigma *= s;
  scr_quat c = quat_scale(quat_add(qi, quat_scale(qj, s)), 1.0 / sqrt(2.0 + 2.0 * sigma));
  scr_vec3 d = quat_rotate(c, d0), h = vec3_cross(d, n);
  double x = vec3_dot(n, d), y = vec3_length(h), kf = bond->shear * bdem_shear_slope(x, y);
  scr_vec3 gradient =
      vec3_add(vec3_scale(n, bond->stretch * (length - bond->length)), vec3_scale(vec3_sub(d, vec3_scale(n, x)), kf / length));
  scr_vec3 twist = vec3_scale(vec3_cross(h, rho), 0.5 * kf / (1.0 + sigma)), half = vec3_scale(h, 0.5 * kf);

  scr_vec3 u = quat_vector(quat_multiply(quat_conjugate(qj), qi));
  scr_vec3 w = vec3_add(vec3_scale(u, bond->bend), vec3_scale(d0, (bond->twist - bond->bend) * vec3_dot(u, d0)));
  scr_quat p = quat_multiply(quat_multiply(qj, quat_pure(w)), quat_conjugate(qi));
  scr_vec3 bending = vec3_scale(quat_vector(p), 0.5);
  return (bdem_bond_force){.force_j = vec3_scale(gradient, -1.0),
                           .torque_i = vec3_scale(vec3_add(vec3_add(half, twist), bending), -1.0),
                           .torque_j = vec3_add(vec3_sub(twist, half), bending)};
}

#endif
