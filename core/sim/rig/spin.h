/** The spin of a solid over a step by the implicit midpoint rule, gyroscopic term and all.
 *
 *  What is kept between steps is the angular momentum L. The spin of a step is that for which turning by half the step and then taking the
 *  moments there gives L back:
 *
 *      w = I(exp(dt w / 2) q)^-1 L,    q' = exp(dt w) q
 *
 *  Free of torque L is constant to the last bit, however long the step; the energy w . L / 2 has no drift, as the rule is symmetric.
 *  Impulses of the step change w by I(exp(dt w / 2) q)^-1 times their angular impulse, with the moments of the middle held fixed, so a step
 *  is linear in impulses.
 *  Source: Simo, Wong, Unconditionally stable algorithms for rigid body dynamics that exactly preserve energy and momentum, IJNME 31 (1991)
 *  19. */
#ifndef SCREE_SIM_SPIN_H
#define SCREE_SIM_SPIN_H

#include "base/quat.h"

/** A step in which no impulse acts. */
typedef struct solid_spin {
  scr_vec3 spin;        /**< rad/s, of the middle of the step */
  double inertia[3][3]; /**< kg m^2, moments in the middle of the step, in the world; symmetric */
} solid_spin;

/** @param moments kg m^2, principal    @param attitude unit, own principal axes to the world's    @param momentum L, kg m^2/s */
solid_spin spin_free(scr_vec3 moments, scr_quat attitude, scr_vec3 momentum, double dt);

/** The angular impulse, N m s, that changes the spin of the step by `change`, rad/s; and the other way round. */
scr_vec3 spin_impulse(scr_vec3 moments, scr_quat attitude, const solid_spin *step, scr_vec3 change, double dt);
scr_vec3 spin_change(scr_vec3 moments, scr_quat attitude, const solid_spin *step, scr_vec3 impulse, double dt);

/** The attitude after a step at a spin. */
scr_quat spin_turned(scr_quat attitude, scr_vec3 spin, double dt);

#endif
