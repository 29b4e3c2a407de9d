/* Three bars that cross. */
#include "geometry/shapes/simple.h"
#include "scene/shape/keys.h"

static const scr_param params[] = {
    {"radius", SCR_PARAM_NUMBER, ABOVE_REQUIRED, "m", 0, 0, LENGTH_MAX, NULL, "from the centre to the end of an arm",
     offsetof(scr_shape, radius)},
    {"width", SCR_PARAM_NUMBER, ABOVE_REQUIRED, "m", 0, 0, LENGTH_MAX, NULL, "of the arms' square section, less than twice the radius",
     MADE(width)},
};

static scr_status generate(const scr_shape *shape, int64_t seed, geo_mesh *surface, scr_error *error)
{
  (void)seed;
  return shape_make_jack(shape->radius, shape->made.width, surface, error);
}

const scr_shape_form shape_form_jack = {
    .section = {.title = "Jack", .help = "three bars that cross at right angles: six arms along the axes", PARAMS(params)},
    .source = SHAPE_BY_NUMBERS,
    .generate = generate,
    .doubtful_key = "/width"};
