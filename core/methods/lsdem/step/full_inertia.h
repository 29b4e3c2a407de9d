/** The motion of a grain whose inertia follows its shape (option `inertia` "full"), exact for fixed fields of modes of any amplitude:
 *
 *      I(eps) = I0 + eps_a I1_a + eps_a eps_b I2_ab,   G_b = eps_a g_ab            tensors of lsdem_modal
 *      L = I w + eta_b G_b,   p_b = M_bc eta_c + G_b . w                            momenta, own axes
 *      L stays in the world's axes, p' = dT/deps at fixed w and eta, where no force acts
 *
 *  A step's drift is the implicit midpoint rule in these, so angular momentum is kept to rounding and energy to the second order of the
 *  step. Kicks act on L and p. The velocities of both follow from the momenta by one dense system of 3 + modes unknowns.
 *  Source: the method's specification, section 3.3 (its equations of motion are the Euler-Lagrange form of this). */
#ifndef SCREE_LSDEM_MOTION_FULL_INERTIA_H
#define SCREE_LSDEM_MOTION_FULL_INERTIA_H

#include "methods/lsdem/grain/template.h"

/** I(eps), kg m^2, own axes. @param amplitude [modes] m */
void lsdem_full_inertia(const lsdem_template *shape, const double *amplitude, double inertia[3][3]);

/** w, rad/s, of a grain with that angular momentum, both in own axes. @param rate [modes] m/s */
scr_vec3 lsdem_full_spin(const lsdem_template *shape, const double *amplitude, const double *rate, scr_vec3 angular);

/** p, kg m/s. @param momentum [modes] out */
void lsdem_full_momentum(const lsdem_template *shape, const double *amplitude, const double *rate, scr_vec3 spin, double *momentum);

/** w and eta that have these momenta, own axes. @param damped s: p is that of M + damped M diag(damping) instead of M, which makes damping
 *  implicit; 0: of M
 *  @param spin,rate out */
void lsdem_full_rates(const lsdem_template *shape, const double *amplitude, scr_vec3 angular, const double *momentum, double damped,
                      scr_vec3 *spin, double *rate);

/** A free step of dt, s: rotation, amplitudes and rates change, the angular momentum stays. @param angular kg m^2/s, the world's axes */
void lsdem_full_drift(const lsdem_template *shape, scr_vec3 angular, double dt, scr_quat *rotation, double *amplitude, double *rate);

#endif
