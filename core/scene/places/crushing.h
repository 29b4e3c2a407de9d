/** A disc pressed across between jaws or platens that crush it below them before it splits. Called by the checks of methods whose bodies
 *  break at their largest strain. */
#ifndef SCREE_SCENE_CRUSHING_H
#define SCREE_SCENE_CRUSHING_H

#include "scene/check/checker.h"

/** How a body breaks: isotropic, elastic up to a largest tensile strain. */
typedef struct crushing_body {
  double young_modulus, poisson_ratio; /**< Pa, 1: in plane stress */
  double strain;                       /**< at which it breaks; INFINITY: never */
} crushing_body;

/** Of a disc across two jaws: both forces are those of the jaws, N. */
typedef struct crushing_forces {
  double crushes;   /**< from which on the pressure below the jaws is E strain / nu, where what is pressed breaks sideways */
  double splits;    /**< at which the strain across the middle of the loaded diameter is `strain` */
  double curvature; /**< 1/m, 1/R - 1/R_jaw of jaws between which it splits as it begins to be crushed */
} crushing_forces;

/** Hertz's pressure of a line contact, its largest value p = sqrt(E F (1/R - 1/R_jaw) / (pi t)), against E strain / nu; and s = F / (pi R
 * t) across and -3 s along in the middle of the disc (Timoshenko and Goodier, art. 41): (1 + 3 nu) s = E strain.
 *  @param radius,thickness of the disc, m   @param jaw_radius m, of hollow jaws; INFINITY: flat */
crushing_forces crushing_forces_of(const crushing_body *body, double radius, double thickness, double jaw_radius);

/** Warns where specimen k is a solid cylinder that lies across flat or hollow jaws, or platens, is crushed before it splits, and the rig
 *  goes far enough for it; with both forces and the jaw_radius that would do. */
void check_crushing(const scr_checker *c, size_t k, const crushing_body *body);

#endif
