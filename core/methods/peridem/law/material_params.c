/* The tables of what a scene says of materials, contacts and specimens. Help texts appear in forms and on the reference page. */
#include "methods/peridem/law/material_params.h"

#include "scene/shared_params.h"

static const char *const scope_names[] = {"bond", "grain", NULL};

const scr_param pd_material_params[PD_MATERIAL_PARAMS] = {
    SCR_DENSITY(pd_material),
    SCR_MODULUS(pd_material, bulk_modulus,
                "resistance to compression; null: from young_modulus and poisson_ratio; one of the two moduli is needed"),
    SCR_MODULUS(pd_material, young_modulus, "stiffness in tension; null: it follows from bulk_modulus"),
    SCR_POISSON_RATIO(pd_material, "sideways strain over lengthwise strain; null: 1/4, which bonds in three dimensions have"),
    SCR_FRACTURE_ENERGY(pd_material),
    {"weibull_modulus", SCR_PARAM_NUMBER, SCR_PARAM_AUTOMATIC | SCR_PARAM_ADVANCED, "1", NAN, 1, 1000, NULL,
     "Makes strength scatter: critical stretches are multiplied by random factors of mean 1 by Weibull's law with this modulus, widely "
     "below 5, hardly "
     "above 50; null: all are equal",
     offsetof(pd_material, weibull_modulus)},
    {"weibull_scope", SCR_PARAM_CHOICE, SCR_PARAM_ADVANCED, "", PD_WEIBULL_BOND, 0, 0, scope_names,
     "Whether every bond has a factor of its own, or all bonds of a grain have one", offsetof(pd_material, weibull_scope)},
    {"weibull_seed", SCR_PARAM_INTEGER, SCR_PARAM_AUTOMATIC | SCR_PARAM_ADVANCED, "1", -1, 0, 9007199254740991.0, NULL,
     "Where the random factors start from; null: the scene's seed", offsetof(pd_material, weibull_seed)},
};

const scr_param pd_surface_params[PD_SURFACE_PARAMS] = {SCR_FRICTION_COEFFICIENT(pd_surface), SCR_DAMPING_RATIO(pd_surface)};

static const char *const form_names[] = {"rectangle", "triangle", "disc", NULL};

#define CRACK(field, help)                                                                                                                 \
  {                                                                                                                                        \
#field, SCR_PARAM_VECTOR, SCR_PARAM_AUTOMATIC | SCR_PARAM_ADVANCED, "m", NAN, -1e6, 1e6, NULL, help, offsetof(pd_specimen, field)      \
  }

const scr_param pd_specimen_params[PD_SPECIMEN_PARAMS] = {
    SCR_SPACING(pd_specimen, "distance between neighbouring nodes"),
    CRACK(crack_corner, "a flat crack that every grain has from the start, in its own axes: the corner between its two edges; null: none"),
    CRACK(crack_along, "the crack's first edge from that corner, as a vector"),
    CRACK(crack_across, "the crack's second edge from that corner, not along the first"),
    {"crack_form", SCR_PARAM_CHOICE, SCR_PARAM_ADVANCED, "", PD_CRACK_RECTANGLE, 0, 0, form_names,
     "What is cracked: all between the two edges, the triangle that they are two sides of, or the disc that touches the four sides",
     offsetof(pd_specimen, crack_form)},
};

double pd_resolution(const void *specimen)
{
  return ((const pd_specimen *)specimen)->spacing;
}
