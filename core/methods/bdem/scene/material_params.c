/* The tables of what a scene says of materials, contacts and specimens. Help texts appear in forms and on the reference page. */
#include "methods/bdem/scene/material_params.h"

#include "scene/shared_params.h"

#define STRENGTH(key, help)                                                                                                                \
  {                                                                                                                                        \
#key, SCR_PARAM_NUMBER, SCR_PARAM_AUTOMATIC | SCR_PARAM_ABOVE, "Pa", NAN, 0, 1e15, NULL, help, offsetof(bdem_material, key)            \
  }

const scr_param bdem_material_params[BDEM_MATERIAL_PARAMS] = {
    SCR_DENSITY(bdem_material),
    SCR_MODULUS(bdem_material, bulk_modulus, "resistance to compression; used where young_modulus is null; one of the two is needed"),
    SCR_MODULUS(bdem_material, young_modulus, "stiffness in tension; null: from bulk_modulus by the packing's ratio of the two"),
    SCR_POISSON_RATIO(
        bdem_material,
        "sideways strain over lengthwise strain; null: 0.3 for the bonds, and, for the body, what results from their packing"),
    SCR_FRACTURE_ENERGY(bdem_material),
    STRENGTH(tensile_strength, "tensile stress at which it breaks; null: it does not break in tension"),
    STRENGTH(shear_strength, "shear stress at which it breaks; null: it does not break in shear"),
    {"bending_factor", SCR_PARAM_NUMBER, SCR_PARAM_ADVANCED | SCR_PARAM_ABOVE, "1", 1, 0, 1, NULL,
     "bending and twisting stiffness of a bond between spheres over a solid rod's: 1 for solids, about 0.01 for yarns of many fibres",
     offsetof(bdem_material, bending_factor)},
};

const scr_param bdem_surface_params[BDEM_SURFACE_PARAMS] = {SCR_FRICTION_COEFFICIENT(bdem_surface), SCR_DAMPING_RATIO(bdem_surface)};

static const char *const packing_names[] = {[BDEM_PACKING_HEXAGONAL_CLOSE] = "hexagonal_close",
                                            [BDEM_PACKING_BODY_CENTRED] = "body_centred",
                                            [BDEM_PACKING_RANDOM_CLOSE] = "random_close",
                                            NULL};

const scr_param bdem_specimen_params[BDEM_SPECIMEN_PARAMS] = {
    SCR_SPACING(bdem_specimen, "diameter of the packed spheres, and of a weave's yarns"),
    {"packing", SCR_PARAM_CHOICE, SCR_PARAM_ADVANCED, "", BDEM_PACKING_HEXAGONAL_CLOSE, 0, 0, packing_names,
     "how the equal spheres of a solid are stacked; random_close has no direction of its own and depends on the seed",
     offsetof(bdem_specimen, packing)},
};

double bdem_resolution(const void *specimen)
{
  return ((const bdem_specimen *)specimen)->spacing;
}
