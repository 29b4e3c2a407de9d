/** Parameters that several methods declare in their blocks, so that a scene means the same under each: the key, its type and its unit are
 *  written once. `type` is the method's struct, which has a field of the key's name. */
#ifndef SCREE_SCENE_SHARED_PARAMS_H
#define SCREE_SCENE_SHARED_PARAMS_H

#include <math.h>

#include "scene/param.h"

/** kg/m^3 */
#define SCR_DENSITY(type)                                                                                                                  \
  {                                                                                                                                        \
    "density", SCR_PARAM_NUMBER, SCR_PARAM_ABOVE | SCR_PARAM_REQUIRED, "kg/m^3", 0, 0, 1e6, NULL, "mass per volume",                       \
        offsetof(type, density)                                                                                                            \
  }
/** A modulus that may be left out: Pa, NaN. `key` is bulk_modulus or young_modulus. */
#define SCR_MODULUS(type, key, help)                                                                                                       \
  {                                                                                                                                        \
#key, SCR_PARAM_NUMBER, SCR_PARAM_AUTOMATIC | SCR_PARAM_ABOVE, "Pa", NAN, 0, 1e15, NULL, help, offsetof(type, key)                     \
  }
/** 1, or NaN */
#define SCR_POISSON_RATIO(type, help)                                                                                                      \
  {                                                                                                                                        \
    "poisson_ratio", SCR_PARAM_NUMBER, SCR_PARAM_AUTOMATIC | SCR_PARAM_ABOVE | SCR_PARAM_BELOW, "1", NAN, -1, 0.5, NULL, help,             \
        offsetof(type, poisson_ratio)                                                                                                      \
  }
/** J/m^2, or NaN */
#define SCR_FRACTURE_ENERGY(type)                                                                                                          \
  {                                                                                                                                        \
    "fracture_energy", SCR_PARAM_NUMBER, SCR_PARAM_AUTOMATIC | SCR_PARAM_ABOVE, "J/m^2", NAN, 0, 1e12, NULL,                               \
        "energy that a unit area of crack takes; null: the material does not break", offsetof(type, fracture_energy)                       \
  }
/** Coulomb's coefficient of two surfaces. 1, default 0 */
#define SCR_FRICTION_COEFFICIENT(type)                                                                                                     \
  {                                                                                                                                        \
    "friction_coefficient", SCR_PARAM_NUMBER, 0, "1", 0, 0, 1000, NULL, "Coulomb friction of the two surfaces",                            \
        offsetof(type, friction_coefficient)                                                                                               \
  }
/** 1, default 0 */
#define SCR_DAMPING_RATIO(type)                                                                                                            \
  {                                                                                                                                        \
    "damping_ratio", SCR_PARAM_NUMBER, 0, "1", 0, 0, 2, NULL, "share of critical damping in the contact", offsetof(type, damping_ratio)    \
  }
/** m, > 0: the length of the method's discretisation, which is also its `resolution` */
#define SCR_SPACING(type, help)                                                                                                            \
  {                                                                                                                                        \
    "spacing", SCR_PARAM_NUMBER, SCR_PARAM_ABOVE | SCR_PARAM_REQUIRED, "m", 0, 0, 1e6, NULL, help, offsetof(type, spacing)                 \
  }

#endif
