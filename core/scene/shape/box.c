/* A block with edges along the axes. */
#include "geometry/hexes/blocks.h"
#include "geometry/level_set/shell.h"
#include "geometry/mesh/mesh_shapes.h"
#include "geometry/solid.h"
#include "scene/places/reach.h"
#include "scene/shape/box.h"
#include "scene/shape/keys.h"

static const scr_param params[] = {SHAPE_SIZE("full edge lengths")};

double box_reach(const scr_shape *shape)
{
  return 0.5 * fmax(shape->size.x, fmax(shape->size.y, shape->size.z));
}

scr_vec3 box_half_extents(const scr_shape *shape, double resolution)
{
  (void)resolution;
  return vec3_scale(shape->size, 0.5);
}

static double extent(const scr_shape *shape)
{
  return 0.5 * vec3_length(shape->size);
}

static bool press(const scr_shape *shape, scr_quat turn, scr_vec3 direction, scene_press *press)
{
  const double size[3] = {shape->size.x, shape->size.y, shape->size.z};
  for (int k = 0; k < 3; k++) {
    if (!vec3_is_along(quat_rotate(turn, vec3(k == 0, k == 1, k == 2)), direction)) continue;
    press->height = size[k];
    press->section = size[(k + 1) % 3] * size[(k + 2) % 3];
    return true;
  }
  return false;
}

static double volume(const scr_shape *shape)
{
  return shape->size.x * shape->size.y * shape->size.z;
}

static geo_solid fill(const scr_shape *shape)
{
  return (geo_solid){.kind = GEO_SOLID_BOX, .size = shape->size};
}

static void divide(const scr_shape *shape, double spacing, const double given[3], shape_cells *cells)
{
  const double size[3] = {shape->size.x, shape->size.y, shape->size.z};
  for (int k = 0; k < 3; k++) cells->n[k] = isnan(given[k]) ? cells_along(size[k], spacing, 1) : given[k];
  count_grid(cells);
}

static scr_status hexes(const scr_shape *shape, const shape_division *d, geo_hexes *mesh, scr_error *error)
{
  const double size[3] = {shape->size.x, shape->size.y, shape->size.z};
  return geo_hexes_box(size, d->cells, mesh, error);
}

static scr_status shell(const scr_shape *shape, double spacing, geo_mesh *mesh, scr_error *error)
{
  return shell_make_box(mesh, vec3_scale(shape->size, 0.5), spacing, error);
}

static double area(const scr_shape *shape)
{
  scr_vec3 s = shape->size;
  return 2 * (s.x * s.y + s.y * s.z + s.z * s.x);
}

static double distance(const scr_shape *shape, scr_vec3 point)
{
  const geo_placed_solid solid = {.kind = GEO_PLACED_BOX, .rotation = quat_identity(), .half_size = vec3_scale(shape->size, 0.5)};
  return geo_placed_distance(&solid, point);
}

static scr_status pieces(const scr_shape *shape, geo_piece *pieces, scr_error *error)
{
  return geo_piece_make_box(vec3_scale(shape->size, -0.5), vec3_scale(shape->size, 0.5), pieces, error);
}

static scr_moments moments(const scr_shape *shape)
{
  return scr_moments_of_box(shape->size);
}

static scr_status picture(const scr_shape *shape, geo_mesh *mesh, scr_error *error)
{
  return geo_mesh_add_box_at(mesh, vec3_scale(shape->size, -0.5), vec3_scale(shape->size, 0.5), error);
}

static scr_status outline(const scr_shape *shape, geo_mesh *mesh, scr_error *error)
{
  return geo_mesh_add_box(mesh, vec3_scale(shape->size, 0.5), error);
}

const scr_shape_form shape_form_box = {
    .section = {.title = "Box", .help = "a block with edges along the axes before rotation", PARAMS(params)},
    .divisible = true,
    .reach = box_reach,
    .half_extents = box_half_extents,
    .extent = extent,
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
