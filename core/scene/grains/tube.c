/* A hollow cylinder. */
#include "geometry/shapes/simple.h"
#include "scene/shape/keys.h"

static const scr_param params[] = {
    {"radius", SCR_PARAM_NUMBER, ABOVE_REQUIRED, "m", 0, 0, LENGTH_MAX, NULL, "outer radius", offsetof(scr_shape, radius)},
    {"inner_radius", SCR_PARAM_NUMBER, ABOVE_REQUIRED, "m", 0, 0, LENGTH_MAX, NULL, "radius of the bore, less than the outer radius",
     offsetof(scr_shape, inner_radius)},
    {"length", SCR_PARAM_NUMBER, ABOVE_REQUIRED, "m", 0, 0, LENGTH_MAX, NULL, "length along the axis, z before rotation",
     offsetof(scr_shape, length)},
    {"sides", SCR_PARAM_INTEGER, SCR_PARAM_ADVANCED, "1", 64, 8, 1024, NULL, "flat sides that stand for the circles, of their area",
     MADE(sides)},
};

static scr_status generate(const scr_shape *shape, int64_t seed, geo_mesh *surface, scr_error *error)
{
  (void)seed;
  return shape_make_tube(shape->radius, shape->inner_radius, shape->length, (unsigned)shape->made.sides, surface, error);
}

const scr_shape_form shape_form_tube = {.section = {.title = "Tube", .help = "a hollow cylinder, open at both ends", PARAMS(params)},
                                        .source = SHAPE_BY_NUMBERS,
                                        .generate = generate,
                                        .doubtful_key = "/inner_radius"};
