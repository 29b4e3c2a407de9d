/* A round rod or disc with flat ends. */
#include "geometry/hexes/blocks.h"
#include "geometry/level_set/shell.h"
#include "geometry/mesh/mesh_shapes.h"
#include "geometry/solid.h"
#include "scene/shape/round.h"

static const scr_param params[] = {SHAPE_LENGTH(radius, "outer radius"),
                                   SHAPE_LENGTH(length, "length along the axis: the thickness of a disc")};

static double reach(const scr_shape *shape)
{
  return fmax(shape->radius, 0.5 * shape->length);
}

static scr_vec3 half_extents(const scr_shape *shape, double resolution)
{
  (void)resolution;
  return vec3(shape->radius, shape->radius, 0.5 * shape->length);
}

static bool press(const scr_shape *shape, scr_quat turn, scr_vec3 direction, scene_press *press)
{
  const double aligned = 1e-6;
  scr_vec3 own = quat_rotate(turn, vec3(0, 0, 1));
  if (vec3_is_along(own, direction)) {
    press->height = shape->length;
    press->section = M_PI * shape->radius * shape->radius;
    return true;
  }
  if (fabs(vec3_dot(own, direction)) > aligned) return false;
  press->height = 2 * shape->radius;
  press->line = shape->length;
  return true;
}

static double volume(const scr_shape *shape)
{
  return M_PI * shape->radius * shape->radius * shape->length;
}

static geo_solid fill(const scr_shape *shape)
{
  return (geo_solid){.kind = GEO_SOLID_CYLINDER, .radius = shape->radius, .size = {.z = shape->length}};
}

static void divide(const scr_shape *shape, double spacing, const double given[3], shape_cells *cells)
{
  (void)given;
  cells->n[0] = cells->n[1] = cells_across(sqrt(M_PI) * shape->radius, spacing); /* as many elements as the section's area has squares */
  cells->n[2] = cells_along(shape->length, spacing, 1);
  count_grid(cells);
}

static scr_status hexes(const scr_shape *shape, const shape_division *d, geo_hexes *mesh, scr_error *error)
{
  return geo_hexes_cylinder(shape->radius, shape->length, d->cells[0], d->cells[2], mesh, error);
}

static scr_status shell(const scr_shape *shape, double spacing, geo_mesh *mesh, scr_error *error)
{
  return shell_make_cylinder(mesh, shape->radius, 0.5 * shape->length, spacing, error);
}

static double area(const scr_shape *shape)
{
  return 2 * M_PI * shape->radius * (shape->radius + shape->length);
}

static double distance(const scr_shape *shape, scr_vec3 point)
{
  const geo_placed_solid solid = {
      .kind = GEO_PLACED_CYLINDER, .rotation = quat_identity(), .radius = shape->radius, .half_height = 0.5 * shape->length};
  return geo_placed_distance(&solid, point);
}

static scr_status pieces(const scr_shape *shape, geo_piece *pieces, scr_error *error)
{
  (void)error;
  *pieces = (geo_piece){.kind = GEO_PIECE_CYLINDER, .turn = quat_identity(), .radius = shape->radius, .half_length = 0.5 * shape->length};
  geo_piece_set_extent(pieces, hypot(shape->radius, pieces->half_length));
  return SCR_OK;
}

static scr_moments moments(const scr_shape *shape)
{
  return scr_moments_of_cylinder(shape->radius, shape->length);
}

static scr_status picture(const scr_shape *shape, geo_mesh *mesh, scr_error *error)
{
  double ring[2][2] = {{shape->radius, -0.5 * shape->length}, {shape->radius, 0.5 * shape->length}};
  return geo_mesh_add_turned(mesh, ring, 2, -0.5 * shape->length, 0.5 * shape->length, error);
}

static scr_status outline(const scr_shape *shape, geo_mesh *mesh, scr_error *error)
{
  double half = 0.5 * shape->length;
  return shell_make_cylinder(mesh, OUTLINE_OF_ROUND * shape->radius, half, fmin(shape->radius, half) / 4, error);
}

const scr_shape_form shape_form_cylinder = {
    .section = {.title = "Cylinder", .help = "a round rod or disc with its axis along z before rotation", PARAMS(params)},
    .round = true,
    .curved = true,
    .reach = reach,
    .half_extents = half_extents,
    .extent = rod_extent,
    .press = press,
    .volume = volume,
    .fill = fill,
    .divide = divide,
    .hexes = hexes,
    .shell = shell,
    .area = area,
    .distance = distance,
    .pieces = pieces,
    .moments = moments,
    .picture = picture,
    .outline = outline};
