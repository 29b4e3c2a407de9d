/* The tables of what a scene says of materials, contacts and specimens. Help texts appear in forms and on the reference page. */
#include "methods/peridem/matter.h"

#include "scene/shared_params.h"

const scr_param pd_material_params[PD_MATERIAL_PARAMS] = {
    SCR_DENSITY(pd_material),
    SCR_MODULUS(pd_material, bulk_modulus,
                "resistance to compression; null: from young_modulus and poisson_ratio; one of the two moduli is needed"),
    SCR_MODULUS(pd_material, young_modulus, "stiffness in tension; null: it follows from bulk_modulus"),
    SCR_POISSON_RATIO(pd_material, "sideways strain over lengthwise strain; null: 1/4, which bonds in three dimensions have"),
    SCR_FRACTURE_ENERGY(pd_material),
};

const scr_param pd_surface_params[PD_SURFACE_PARAMS] = {SCR_FRICTION_COEFFICIENT(pd_surface), SCR_DAMPING_RATIO(pd_surface)};

const scr_param pd_specimen_params[PD_SPECIMEN_PARAMS] = {SCR_SPACING(pd_specimen, "distance between neighbouring nodes")};

double pd_resolution(const void *specimen)
{
  return ((const pd_specimen *)specimen)->spacing;
}
