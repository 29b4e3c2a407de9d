/** What grains and fluid do to each other, by volume of the mixture.
 *
 *  Drag pushes grains by xi (u2 - u1) and the fluid back:
 *
 *      xi = 18 eta phi/d^2 (1 - phi)^-n
 *
 *  18 eta phi/d^2 is Stokes' drag 3 pi eta d on phi/(pi d^3/6) spheres; the power is what neighbours hinder. Source: shared specification
 *  "granular", section 3.10. */
#ifndef SCREE_GRANULAR_WET_CLOSURE_H
#define SCREE_GRANULAR_WET_CLOSURE_H

#include <math.h>

#define WET_LEAST_SHARE 0.05 /* of fluid, that drag and masses stay finite */

/** xi, kg/(m^3 s). @param viscosity Pa s    @param diameter m    @param exponent n    @param fraction 1, phi, of grains, in 0 .. 1 */
static inline double wet_drag(double viscosity, double diameter, double exponent, double fraction)
{
  double share = fmax(1 - fraction, WET_LEAST_SHARE);
  return 18 * viscosity * fraction / (diameter * diameter) * pow(share, -exponent);
}

#endif
