/** One rigid body in motion: Newton's and Euler's equations, the gyroscopic term by the implicit midpoint rule (sim/rig/spin.h). */
#ifndef SCREE_RIGID_BODY_H
#define SCREE_RIGID_BODY_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/rig/spin.h"

typedef struct rigid_body {
  uint32_t shape;    /**< number of its shape */
  uint32_t material; /**< index; material_count: a free part */
  double scale;      /**< 1, of its shape's lengths */
  double mass;       /**< kg, > 0 */
  scr_vec3 moments;  /**< kg m^2, principal, > 0 */
  scr_vec3 centre;   /**< m, of mass */
  scr_quat attitude; /**< unit, own principal axes to the world's */
  scr_vec3 velocity; /**< m/s, of the step before */
  scr_vec3 spin;     /**< rad/s, of the step before */
  scr_vec3 momentum; /**< kg m^2/s, angular, about the centre */
} rigid_body;

/** What a body does in a step when nothing touches it, and how impulses change that. */
typedef struct rigid_free {
  scr_vec3 velocity;  /**< m/s, with gravity */
  solid_spin turning; /**< spin and moments of the middle of the step */
  bool untouched; /**< contacts give it no impulse in the step: places follow with the mean of the velocities before and after, exact under
                     gravity */
} rigid_free;

rigid_free rigid_body_free(const rigid_body *body, scr_vec3 gravity, double dt);

/** Ends a step: takes the velocities that contacts left, and moves. */
void rigid_body_move(rigid_body *body, const rigid_free *step, scr_vec3 velocity, scr_vec3 spin, double dt);

/** Angular momentum of a body that spins at w, in its present attitude. */
scr_vec3 rigid_body_momentum(const rigid_body *body, scr_vec3 spin);

/** Kinetic energy of the step before, J. */
double rigid_body_kinetic(const rigid_body *body);

#endif
