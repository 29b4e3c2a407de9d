/* A ball with a spherical void at its centre. */
#include "geometry/hexes/blocks.h"
#include "scene/shape/round.h"

static const scr_param params[] = {SHAPE_LENGTH(radius, "outer radius"),
                                   SHAPE_LENGTH(inner_radius, "radius of the void, less than the outer radius")};

static scr_status check(const scr_shape *shape, size_t index, scr_problems *problems)
{
  char pointer[96], allowed[96], radius[NUMBER_TEXT_BYTES];
  if (!(shape->inner_radius >= shape->radius)) return SCR_OK;
  snprintf(pointer, sizeof pointer, "/specimens/%zu/shape/inner_radius", index);
  snprintf(allowed, sizeof allowed, "a number > 0 and < %s, in m", number_text(shape->radius, radius));
  return problem_add_at(problems, pointer, shape->inner_radius, allowed,
                        "inner_radius is %.6g m but the outer radius is %.6g m: give a number > 0 and less than the outer radius",
                        shape->inner_radius, shape->radius);
}

static geo_solid fill(const scr_shape *shape)
{
  return (geo_solid){.kind = GEO_SOLID_SPHERE, .radius = shape->radius, .inner_radius = shape->inner_radius};
}

static double volume(const scr_shape *shape)
{
  double r = shape->radius, inner = shape->inner_radius;
  return 4.0 / 3.0 * M_PI * (r * r * r - inner * inner * inner);
}

static void divide(const scr_shape *shape, double spacing, const double given[3], shape_cells *cells)
{
  double middle = 0.5 * (shape->radius + shape->inner_radius), *n = cells->n;
  (void)given;
  n[0] = n[1] = cells_across(0.5 * M_PI * middle, spacing); /* a quarter of the way round */
  n[2] = cells_along(shape->radius - shape->inner_radius, spacing, 1);
  cells->hexes = 6 * n[0] * n[0] * n[2];
  cells->nodes = (6 * n[0] * n[0] + 2) * (n[2] + 1);
}

static scr_status hexes(const scr_shape *shape, const shape_division *d, geo_hexes *mesh, scr_error *error)
{
  return geo_hexes_hollow_ball(shape->radius, shape->inner_radius, d->cells[0], d->cells[2], mesh, error);
}

static scr_moments moments(const scr_shape *shape)
{
  scr_moments m = scr_moments_of_ball(shape->radius), inner = scr_moments_of_ball(shape->inner_radius);
  scr_moments_add(&m, &inner, -1);
  return m;
}

const scr_shape_form shape_form_hollow_sphere = {
    .section = {.title = "Hollow sphere", .help = "a ball with a spherical void at its centre", PARAMS(params)},
    .ball = true,
    .round = true,
    .curved = true,
    .check = check,
    .reach = ball_reach,
    .half_extents = ball_half_extents,
    .fits_turned = true,
    .extent = ball_reach,
    .volume = volume,
    .fill = fill,
    .divide = divide,
    .hexes = hexes,
    .shell = ball_shell,
    .area = ball_area,
    .distance = ball_distance,
    .pieces = ball_pieces,
    .moments = moments,
    .picture = ball_picture,
    .outline = ball_outline};
