/* A strip bent to half an ellipse on two straight legs with feet. */
#include <stdio.h>

#include "geometry/hexes/blocks.h"
#include "scene/problem.h"
#include "scene/shape/keys.h"

static const scr_param params[] = {
    SHAPE_LENGTH(span, "distance between the middles of the legs"),
    SHAPE_LENGTH(rise, "height of the middle of the strip at the crown, more than that of the legs"),
    SHAPE_LENGTH(thickness, "thickness of the strip, less than half of the span"),
    SHAPE_LENGTH(width, "width of the strip along y"),
    {"leg", SCR_PARAM_NUMBER, 0, "m", 0, 0, LENGTH_MAX, NULL, "height of the straight legs, over which feet grow wider towards the ground",
     offsetof(scr_shape, leg)},
    {"foot", SCR_PARAM_NUMBER, SCR_PARAM_AUTOMATIC | SCR_PARAM_ABOVE, "m", NAN, 0, LENGTH_MAX, NULL,
     "length of the soles along x, at least the thickness; null: the thickness", offsetof(scr_shape, foot)},
    {"heel", SCR_PARAM_NUMBER, 0, "m", 0, 0, LENGTH_MAX, NULL, "how much farther outwards the sole at x < 0 goes",
     offsetof(scr_shape, heel)},
};

static double foot_of(const scr_shape *shape)
{
  return isnan(shape->foot) ? shape->thickness : shape->foot;
}

static scr_status check(const scr_shape *shape, size_t index, scr_problems *problems)
{
  double foot = foot_of(shape);
  const struct {
    bool wrong;
    const char *key, *allowed, *why;
    double given;
  } rules[] = {
      {shape->leg >= shape->rise, "leg", "a number >= 0 and < rise, in m",
       "the legs are as high as the arch: give lower legs, or a higher rise", shape->leg},
      {shape->thickness >= 0.5 * shape->span || shape->thickness >= shape->rise, "thickness", "a number > 0, < span / 2 and < rise, in m",
       "the strip is so thick that it fills the arch: give a thinner one", shape->thickness},
      {foot < shape->thickness || foot >= shape->span, "foot", "null, or at least the thickness and < span, in m",
       "soles are narrower than the strip, or meet in the middle: give a length between", foot},
      {(foot > shape->thickness || shape->heel > 0) && !(shape->leg > 0), "leg",
       "a number > 0 where feet or a heel are wider than the strip, in m",
       "feet grow wider over the height of the legs, and there are none: give legs", shape->leg},
  };
  for (size_t k = 0; k < sizeof rules / sizeof *rules; k++) {
    char pointer[96];
    if (!rules[k].wrong) continue;
    snprintf(pointer, sizeof pointer, "/specimens/%zu/shape/%s", index, rules[k].key);
    SCR_TRY(problem_add_at(problems, pointer, rules[k].given, rules[k].allowed, "%s", rules[k].why));
  }
  return SCR_OK;
}

static double reach(const scr_shape *shape)
{
  return fmax(0.5 * shape->span + fmax(shape->thickness, shape->foot) + shape->heel, shape->rise + shape->thickness);
}

static scr_vec3 half_extents(const scr_shape *shape, double resolution)
{
  (void)resolution;
  return vec3(0.5 * shape->span + fmax(shape->thickness, isnan(shape->foot) ? 0 : shape->foot) + shape->heel, 0.5 * shape->width,
              shape->rise + shape->thickness);
}

/* Half the perimeter of the ellipse, about, and the legs, times the strip's section; feet and heel left out. */
static double volume(const scr_shape *shape)
{
  double a = 0.5 * shape->span, b = shape->rise - shape->leg;
  return (M_PI * sqrt(0.5 * (a * a + b * b)) + 2 * shape->leg) * shape->thickness * shape->width;
}

static void divide(const scr_shape *shape, double spacing, const double given[3], shape_cells *cells)
{
  double a = 0.5 * shape->span, b = shape->rise - shape->leg, *n = cells->n, *slot = cells->slot;
  (void)given;
  n[0] = 2 * round(0.5 * (M_PI * sqrt(0.5 * (a * a + b * b)) / spacing - 1)) + 1; /* odd: the one at the crown is level */
  n[0] = fmax(3, n[0]);
  n[1] = cells_along(shape->width, spacing, 1);
  n[2] = cells_along(shape->thickness, spacing, 1);
  slot[0] = shape->leg > 0 ? cells_along(shape->leg, spacing, 1) : 0;
  cells->hexes = (n[0] + 2 * slot[0]) * n[1] * n[2];
  cells->nodes = (n[0] + 2 * slot[0] + 1) * (n[1] + 1) * (n[2] + 1);
}

static scr_status hexes(const scr_shape *shape, const shape_division *d, geo_hexes *mesh, scr_error *error)
{
  const geo_arch arch = {shape->span, shape->rise, shape->thickness, shape->width, shape->leg, foot_of(shape), shape->heel};
  return geo_hexes_arch(&arch, d->cells[0], d->slot[0], d->cells + 1, mesh, error);
}

const scr_shape_form shape_form_arch = {
    .section = {.title = "Arch",
                .help = "a strip bent to half an ellipse on two straight legs with feet, in the plane y = 0; its "
                        "origin is on the ground, midway between the legs",
                PARAMS(params)},
    .check = check,
    .reach = reach,
    .half_extents = half_extents,
    .volume = volume,
    .divide = divide,
    .hexes = hexes};
