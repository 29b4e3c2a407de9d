/* A rod with half balls for ends. */
#include "geometry/level_set/shell.h"
#include "geometry/mesh/mesh_shapes.h"
#include "scene/shape/round.h"

static const scr_param params[] = {SHAPE_LENGTH(radius, "radius of the rod and of its round ends"),
                                   SHAPE_LENGTH(length, "distance between the centres of the round ends")};

static scr_vec3 half_extents(const scr_shape *shape, double resolution)
{
  (void)resolution;
  return vec3(shape->radius, shape->radius, shape->radius + 0.5 * shape->length);
}

static double volume(const scr_shape *shape)
{
  return M_PI * shape->radius * shape->radius * (shape->length + 4.0 / 3.0 * shape->radius);
}

/* How far its surface is from the centre in a direction: that of its mantle, or of the ball at its end. */
static double surface_at(const void *user, scr_vec3 direction)
{
  const scr_shape *shape = user;
  double across = sqrt(direction.x * direction.x + direction.y * direction.y), half = 0.5 * shape->length, r = shape->radius;
  if (across > 0 && fabs(direction.z) * r <= half * across) return r / across;
  double along = half * fabs(direction.z); /* t^2 - 2 t along + half^2 = r^2 */
  return along + sqrt(along * along - half * half + r * r);
}

static scr_status shell(const scr_shape *shape, double spacing, geo_mesh *mesh, scr_error *error)
{
  return shell_make_star(mesh, surface_at, shape, rod_extent(shape), spacing, error);
}

static double area(const scr_shape *shape)
{
  return 2 * M_PI * shape->radius * (2 * shape->radius + shape->length);
}

static double distance(const scr_shape *shape, scr_vec3 point)
{
  double above = fmax(fabs(point.z) - 0.5 * shape->length, 0);
  return sqrt(point.x * point.x + point.y * point.y + above * above) - shape->radius;
}

static scr_status pieces(const scr_shape *shape, geo_piece *pieces, scr_error *error)
{
  (void)error;
  *pieces = (geo_piece){.kind = GEO_PIECE_CAPSULE, .turn = quat_identity(), .radius = shape->radius, .half_length = 0.5 * shape->length};
  geo_piece_set_extent(pieces, shape->radius + pieces->half_length);
  return SCR_OK;
}

/* A rod between two half balls: each half ball's centre of mass lies 3/8 r from its flat side. */
static scr_moments moments(const scr_shape *shape)
{
  scr_moments sum = scr_moments_of_cylinder(shape->radius, shape->length), ball = scr_moments_of_ball(shape->radius), half = ball;
  double offset = 0.375 * shape->radius;
  half.volume = 0.5 * ball.volume;
  for (int a = 0; a < 3; a++) half.second[a][a] = 0.5 * ball.second[a][a];
  half.second[2][2] -= half.volume * offset * offset;
  for (int side = -1; side <= 1; side += 2) {
    half.centre = vec3(0, 0, side * (0.5 * shape->length + offset));
    scr_moments_add(&sum, &half, 1);
  }
  return sum;
}

static scr_status picture(const scr_shape *shape, geo_mesh *mesh, scr_error *error)
{
  enum { CAP_RINGS = 4 };
  double ring[2 * CAP_RINGS][2];
  for (int k = 0; k < CAP_RINGS; k++) {
    double angle = 0.5 * M_PI * (k + 1) / CAP_RINGS; /* from the pole to the rim */
    ring[k][0] = ring[2 * CAP_RINGS - 1 - k][0] = shape->radius * sin(angle);
    ring[k][1] = -0.5 * shape->length - shape->radius * cos(angle);
    ring[2 * CAP_RINGS - 1 - k][1] = -ring[k][1];
  }
  return geo_mesh_add_turned(mesh, ring, 2 * CAP_RINGS, -0.5 * shape->length - shape->radius, 0.5 * shape->length + shape->radius, error);
}

const scr_shape_form shape_form_capsule = {
    .section = {.title = "Capsule", .help = "a rod with half balls for ends, its axis along z before rotation", PARAMS(params)},
    .reach = rod_extent,
    .half_extents = half_extents,
    .extent = rod_extent,
    .volume = volume,
    .shell = shell,
    .area = area,
    .distance = distance,
    .pieces = pieces,
    .moments = moments,
    .picture = picture};
