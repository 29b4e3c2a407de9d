/** Friction that grows with the inertial number (Jop, Forterre, Pouliquen 2006, Nature 441, 727):
 *
 *      I = rate d_g/sqrt(p/rho_g),   mu(I) = mu_s + dmu/(1 + I0/I),   rate = 2 |Dev D|: the shear rate of simple shear */
#ifndef SCREE_GRANULAR_INERTIAL_H
#define SCREE_GRANULAR_INERTIAL_H

#include <math.h>

/** @param rate 1/s, >= 0    @param pressure Pa, > 0    @param diameter m    @param density kg/m^3, of the grains */
static inline double inertial_number(double rate, double pressure, double diameter, double density)
{
  return rate * diameter / sqrt(pressure / density);
}

/** @param increment dmu, 0: the friction is constant    @param constant I0, > 0 where dmu is */
static inline double inertial_friction(double static_friction, double increment, double constant, double number)
{
  return number > 0 ? static_friction + increment / (1 + constant / number) : static_friction;
}

#endif
