/* Between ellipsoid, box, cylinder and octahedron. */
#include "geometry/shapes/form.h"
#include "geometry/shapes/simple.h"
#include "scene/shape/keys.h"

static const scr_param params[] = {
    {"size", SCR_PARAM_VECTOR, ABOVE_REQUIRED, "m", 0, 0, LENGTH_MAX, NULL, "full extents along x, y, z before rotation",
     offsetof(scr_shape, size)},
    {"exponent_across", SCR_PARAM_NUMBER, 0, "1", 2, 1, 20, NULL,
     "exponent p of the section across z, |x/a|^p + |y/b|^p: 2 is an ellipse, 1 a rhomb, more is boxier", MADE(exponent_across)},
    {"exponent_along", SCR_PARAM_NUMBER, 0, "1", 2, 1, 20, NULL,
     "exponent q along z, (|x/a|^p + |y/b|^p)^(q/p) + |z/c|^q = 1: with p = 2 and a large q it is a cylinder", MADE(exponent_along)},
    SHAPE_HOLLOW,
    SHAPE_CUTS,
};

static scr_status generate(const scr_shape *shape, int64_t seed, geo_mesh *surface, scr_error *error)
{
  const shape_superellipsoid asked = {vec3_scale(shape->size, 0.5), shape->made.exponent_across, shape->made.exponent_along};
  (void)seed;
  SCR_TRY(shape_make_superellipsoid(&asked, (unsigned)shape->made.cuts, surface, error));
  return shape->made.hollow > 0 ? shape_add_void(shape->made.hollow, surface, error) : SCR_OK;
}

const scr_shape_form shape_form_superellipsoid = {
    .section = {.title = "Superellipsoid", .help = "between ellipsoid, box, cylinder and octahedron, by two exponents", PARAMS(params)},
    .source = SHAPE_BY_NUMBERS,
    .generate = generate};
