/** Strengths of a specimen's bonds: as the material gives them, or made from its fracture energy; see strength.c for how. */
#ifndef SCREE_METHODS_BDEM_STRENGTH_H
#define SCREE_METHODS_BDEM_STRENGTH_H

#include "methods/bdem/scene/material_params.h"
#include "methods/bdem/scene/options.h"
#include "scene/scene.h"

/** Strength at which pulling every bond across a plane to it takes the fracture energy Gc per area, Pa. `packing`: bdem_packing. */
double bdem_cutting_strength(int packing, double young_modulus, double fracture_energy, double radius);
/** Strength at which an edge crack across a pull grows at K = sqrt(E Gc), E of the body, Pa.
 *  @param pull unit, in the packing's axes; zero: the mean over x, y, z    @param young_modulus of the bonds */
double bdem_energy_strength(int packing, scr_vec3 pull, double young_modulus, double fracture_energy, double radius);
/** Whether strengths of bonds are made from the material's fracture energy: where the option `strength` says so, and in a packed body
 *  whose material gives a fracture energy and no strength, which would never break else. @param packed false: yarns, spheres alone */
bool bdem_strength_is_generated(const bdem_options *options, const bdem_material *material, bool packed);
typedef struct bdem_strengths {
  double tensile, shear; /**< Pa; INFINITY: unbreakable */
} bdem_strengths;

/** Strengths of a specimen's bonds, made (see above) or as the material gives them.
 *  `pull`, `young_modulus`: as for bdem_energy_strength. */
bdem_strengths bdem_bond_strengths(const bdem_options *options, const bdem_material *material, bool made, int packing, scr_vec3 pull,
                                   double young_modulus, double radius);

#endif
