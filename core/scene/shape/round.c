/* Balls and rods. */
#include "scene/shape/round.h"

#include "geometry/level_set/shell.h"
#include "geometry/mesh/mesh_shapes.h"
#include "geometry/solid.h"

double ball_reach(const scr_shape *shape)
{
  return shape->radius;
}

scr_vec3 ball_half_extents(const scr_shape *shape, double resolution)
{
  (void)resolution;
  return vec3(shape->radius, shape->radius, shape->radius);
}

scr_status ball_shell(const scr_shape *shape, double spacing, geo_mesh *mesh, scr_error *error)
{
  return shell_make_ball(mesh, shape->radius, spacing, error);
}

double ball_area(const scr_shape *shape)
{
  return 4 * M_PI * shape->radius * shape->radius;
}

double ball_distance(const scr_shape *shape, scr_vec3 point)
{
  const geo_placed_solid solid = {.kind = GEO_PLACED_SPHERE, .rotation = quat_identity(), .radius = shape->radius};
  return geo_placed_distance(&solid, point);
}

scr_status ball_pieces(const scr_shape *shape, geo_piece *pieces, scr_error *error)
{
  (void)error;
  *pieces = (geo_piece){.kind = GEO_PIECE_BALL, .turn = quat_identity(), .radius = shape->radius};
  geo_piece_set_extent(pieces, shape->radius);
  return SCR_OK;
}

scr_status ball_picture(const scr_shape *shape, geo_mesh *mesh, scr_error *error)
{
  enum { CUTS = 6 };
  geo_mesh ball = {0};
  scr_status status = geo_mesh_make_ball(&ball, shape->radius, CUTS, error);
  if (status == SCR_OK) status = geo_mesh_append(&ball, quat_identity(), vec3(0, 0, 0), mesh, error);
  geo_mesh_clear(&ball);
  return status;
}

scr_status ball_outline(const scr_shape *shape, geo_mesh *mesh, scr_error *error)
{
  enum { CUTS = 16 };
  return geo_mesh_make_ball(mesh, OUTLINE_OF_ROUND * shape->radius, CUTS, error);
}

double rod_extent(const scr_shape *shape)
{
  return shape->radius + 0.5 * shape->length;
}
