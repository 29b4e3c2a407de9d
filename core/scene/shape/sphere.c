/* A solid ball. */
#include "geometry/hexes/blocks.h"
#include "scene/shape/round.h"

static const scr_param params[] = {SHAPE_LENGTH(radius, "outer radius")};

static geo_solid fill(const scr_shape *shape)
{
  return (geo_solid){.kind = GEO_SOLID_SPHERE, .radius = shape->radius};
}

static double volume(const scr_shape *shape)
{
  double r = shape->radius;
  return 4.0 / 3.0 * M_PI * (r * r * r);
}

static bool press(const scr_shape *shape, scr_quat turn, scr_vec3 direction, scene_press *press)
{
  (void)turn, (void)direction;
  press->radius = shape->radius;
  press->height = 2 * press->radius;
  return true;
}

static void divide(const scr_shape *shape, double spacing, const double given[3], shape_cells *cells)
{
  (void)given;
  cells->n[0] = cells->n[1] = cells->n[2] = cells_across(cbrt(4 * M_PI / 3) * shape->radius, spacing);
  count_grid(cells);
}

static scr_status hexes(const scr_shape *shape, const shape_division *d, geo_hexes *mesh, scr_error *error)
{
  return geo_hexes_ball(shape->radius, d->cells[0], mesh, error);
}

static scr_moments moments(const scr_shape *shape)
{
  return scr_moments_of_ball(shape->radius);
}

const scr_shape_form shape_form_sphere = {.section = {.title = "Sphere", .help = "a solid ball", PARAMS(params)},
                                          .ball = true,
                                          .round = true,
                                          .curved = true,
                                          .reach = ball_reach,
                                          .half_extents = ball_half_extents,
                                          .fits_turned = true,
                                          .extent = ball_reach,
                                          .press = press,
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
