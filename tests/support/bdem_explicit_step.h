/** An explicit step of bonded spheres without contacts, rig or loads of its own: what the passes of a step are compared with. */
#ifndef SCREE_SUPPORT_BDEM_EXPLICIT_STEP_H
#define SCREE_SUPPORT_BDEM_EXPLICIT_STEP_H

#include "methods/bdem/step/explicit.h"

/** One step of length `dt`:  v += dt F/m, w += dt tau/I, p += dt v, q = exp(dt w) q; held components stay.
 *  Runs on the batches' threads; results never depend on their number.
 *  @param bonds         made from this body
 *  @param load          [n] N, or NULL
 *  @param force,torque  [n] receive the bonds' forces and torques at the step's start, N and N m; NULL when nobody asks */
void bdem_explicit_step(bdem_body *body, bdem_batches *bonds, double dt, const scr_vec3 *load, scr_vec3 *force, scr_vec3 *torque);

#endif
