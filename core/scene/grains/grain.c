/* A random grain. */
#include "geometry/shapes/form.h"
#include "geometry/shapes/grain.h"
#include "geometry/shapes/simple.h"
#include "scene/shape/keys.h"

static const scr_param params[] = {
    {"radius", SCR_PARAM_NUMBER, ABOVE_REQUIRED, "m", 0, 0, LENGTH_MAX, NULL, "of the ball of the grain's volume, the void's included",
     offsetof(scr_shape, radius)},
    {"elongation", SCR_PARAM_NUMBER, 0, "1", 0.8, 0.1, 1, NULL,
     "middle over longest semi-axis of the ellipsoid of the same second moments; the longest lies along x before rotation",
     MADE(elongation)},
    {"flatness", SCR_PARAM_NUMBER, 0, "1", 0.8, 0.1, 1, NULL, "shortest over middle semi-axis; the shortest lies along z", MADE(flatness)},
    {"roundness", SCR_PARAM_NUMBER, 0, "1", 0.92, 0.5, 1, NULL,
     "area of that ellipsoid over the smooth surface's, degrees 3 to 8 of its harmonics: 1 without corners, about 0.85 very angular",
     MADE(roundness)},
    {"roughness", SCR_PARAM_NUMBER, 0, "1", 0.01, 0, 0.1, NULL, "root mean square of what degrees 9 to 20 add to the radius, over it",
     MADE(roughness)},
    {"number", SCR_PARAM_INTEGER, 0, "1", 1, 0, 1e9, NULL, "which of the random grains: another number, another grain of the same form",
     MADE(number)},
    SHAPE_HOLLOW,
    SHAPE_CUTS,
};

static scr_status generate(const scr_shape *shape, int64_t seed, geo_mesh *surface, scr_error *error)
{
  const scr_generated_shape *made = &shape->made;
  uint64_t own_seed = (uint64_t)seed * 0x9E3779B97F4A7C15u + (uint64_t)made->number;
  const shape_grain asked = {shape->radius, made->elongation, made->flatness, made->roundness, made->roughness, own_seed};
  SCR_TRY(shape_make_grain(&asked, (unsigned)made->cuts, surface, error));
  return made->hollow > 0 ? shape_add_void(made->hollow, surface, error) : SCR_OK;
}

const scr_shape_form shape_form_grain = {
    .section = {.title = "Grain",
                .help = "a random grain of spherical harmonics whose form is asked for, drawn by its number and the scene's seed",
                PARAMS(params)},
    .source = SHAPE_BY_NUMBERS,
    .numbered = true,
    .generate = generate,
    .doubtful_key = "/roundness"};
