/* Signed distances to placed solids. Everything is computed in the solid's own axes; a box and a cylinder are the same problem in different
 * dimensions: `excess` is how far a point is beyond each pair of faces, negative between them. */
#include "geometry/solid.h"

#include <stdbool.h>

#include "geometry/mesh/mesh_distance.h"

static bool is_size(double value)
{
  return isfinite(value) && value > 0.0;
}

static scr_status check_size(double value, const char *what, scr_error *error)
{
  if (is_size(value)) return SCR_OK;
  return scr_fail(error, SCR_BAD_USAGE, NULL, "the %s of a solid is %g m; it must be a finite length > 0", what, value);
}

scr_status geo_placed_check(const geo_placed_solid *solid, scr_error *error)
{
  scr_vec3 p = solid->position;
  if (!isfinite(p.x) || !isfinite(p.y) || !isfinite(p.z))
    return scr_fail(error, SCR_BAD_USAGE, NULL, "the position of a solid is (%g, %g, %g) m; it must be finite", p.x, p.y, p.z);
  double length = quat_length(solid->rotation);
  if (!(fabs(length - 1.0) <= 1e-9))
    return scr_fail(error, SCR_BAD_USAGE, NULL, "the rotation of a solid is a quaternion of length %g; it must be 1: normalise it", length);
  switch (solid->kind) {
  case GEO_PLACED_PLANE: return SCR_OK;
  case GEO_PLACED_BOX:
    SCR_TRY(check_size(solid->half_size.x, "half size along x", error));
    SCR_TRY(check_size(solid->half_size.y, "half size along y", error));
    return check_size(solid->half_size.z, "half size along z", error);
  case GEO_PLACED_SPHERE: return check_size(solid->radius, "radius", error);
  case GEO_PLACED_CYLINDER:
    SCR_TRY(check_size(solid->radius, "radius", error));
    return check_size(solid->half_height, "half height", error);
  case GEO_PLACED_MESH:
    if (solid->mesh) return SCR_OK;
    return scr_fail(error, SCR_BAD_USAGE, NULL, "a solid bounded by a mesh has none; make one with geo_mesh_tree_create");
  }
  return scr_fail(error, SCR_BAD_USAGE, NULL, "%d is no kind of solid", (int)solid->kind);
}

/* |v|, without overflow or underflow on the way. */
static double length_of(scr_vec3 v)
{
  double largest = fmax(fmax(fabs(v.x), fabs(v.y)), fabs(v.z));
  if (!(largest > 0.0)) return 0.0;
  scr_vec3 unit = vec3(v.x / largest, v.y / largest, v.z / largest);
  return largest * vec3_length(unit);
}

/* v / |v|; +x for a zero vector. Divides twice, so that also the shortest vectors get a direction of length 1. */
static scr_vec3 direction_of(scr_vec3 v)
{
  double largest = fmax(fmax(fabs(v.x), fabs(v.y)), fabs(v.z));
  if (!(largest > 0.0)) return vec3(1.0, 0.0, 0.0);
  scr_vec3 unit = vec3(v.x / largest, v.y / largest, v.z / largest);
  return vec3_scale(unit, 1.0 / vec3_length(unit));
}

/* Distance from what one pair of faces, or a mantle, leaves over: |the positive parts|, or the largest when none is positive. */
static double distance_of_excess(scr_vec3 excess)
{
  double largest = fmax(fmax(excess.x, excess.y), excess.z);
  if (largest <= 0.0) return largest;
  return length_of(vec3(fmax(excess.x, 0.0), fmax(excess.y, 0.0), fmax(excess.z, 0.0)));
}

/* Gradient of distance_of_excess for outward directions along the positive axes; ties inside go to x, then y. */
static scr_vec3 gradient_of_excess(scr_vec3 excess)
{
  if (excess.x > 0.0 || excess.y > 0.0 || excess.z > 0.0)
    return direction_of(vec3(fmax(excess.x, 0.0), fmax(excess.y, 0.0), fmax(excess.z, 0.0)));
  if (excess.x >= excess.y && excess.x >= excess.z) return vec3(1.0, 0.0, 0.0);
  return excess.y >= excess.z ? vec3(0.0, 1.0, 0.0) : vec3(0.0, 0.0, 1.0);
}

static scr_vec3 box_excess(const geo_placed_solid *solid, scr_vec3 p)
{
  return vec3(fabs(p.x) - solid->half_size.x, fabs(p.y) - solid->half_size.y, fabs(p.z) - solid->half_size.z);
}

/* Mantle in x, caps in z; no faces across y. */
static scr_vec3 cylinder_excess(const geo_placed_solid *solid, scr_vec3 p)
{
  return vec3(length_of(vec3(p.x, p.y, 0.0)) - solid->radius, -INFINITY, fabs(p.z) - solid->half_height);
}

static double signed_one(double value)
{
  return value < 0.0 ? -1.0 : 1.0;
}

static scr_vec3 own_point(const geo_placed_solid *solid, scr_vec3 point)
{
  return quat_rotate(quat_conjugate(solid->rotation), vec3_sub(point, solid->position));
}

static double own_distance(const geo_placed_solid *solid, scr_vec3 p)
{
  switch (solid->kind) {
  case GEO_PLACED_PLANE: return p.z;
  case GEO_PLACED_BOX: return distance_of_excess(box_excess(solid, p));
  case GEO_PLACED_SPHERE: return length_of(p) - solid->radius;
  case GEO_PLACED_CYLINDER: return distance_of_excess(cylinder_excess(solid, p));
  case GEO_PLACED_MESH: return geo_mesh_nearest(solid->mesh, p).distance;
  }
  return INFINITY;
}

/* Of the solids with a formula. */
static scr_vec3 own_gradient(const geo_placed_solid *solid, scr_vec3 p)
{
  switch (solid->kind) {
  case GEO_PLACED_PLANE:
  case GEO_PLACED_MESH: break;
  case GEO_PLACED_BOX: {
    scr_vec3 g = gradient_of_excess(box_excess(solid, p));
    return vec3(g.x * signed_one(p.x), g.y * signed_one(p.y), g.z * signed_one(p.z));
  }
  case GEO_PLACED_SPHERE: return direction_of(p);
  case GEO_PLACED_CYLINDER: {
    scr_vec3 g = gradient_of_excess(cylinder_excess(solid, p)), radial = direction_of(vec3(p.x, p.y, 0.0));
    return vec3(g.x * radial.x, g.x * radial.y, g.z * signed_one(p.z));
  }
  }
  return vec3(0.0, 0.0, 1.0);
}

double geo_placed_distance(const geo_placed_solid *solid, scr_vec3 point)
{
  return own_distance(solid, own_point(solid, point));
}

/* From a solid's own axes to where it is. */
static geo_nearest placed(const geo_placed_solid *solid, geo_nearest own)
{
  own.gradient = quat_rotate(solid->rotation, own.gradient);
  own.point = vec3_add(solid->position, quat_rotate(solid->rotation, own.point));
  return own;
}

geo_nearest geo_placed_nearest(const geo_placed_solid *solid, scr_vec3 point)
{
  scr_vec3 p = own_point(solid, point);
  if (solid->kind == GEO_PLACED_MESH) {
    return placed(solid, geo_mesh_nearest(solid->mesh, p)); /* its point and gradient come from one search */
  }
  geo_nearest nearest = {.distance = own_distance(solid, p), .gradient = quat_rotate(solid->rotation, own_gradient(solid, p))};
  nearest.point = vec3_sub(point, vec3_scale(nearest.gradient, nearest.distance));
  return nearest;
}

bool geo_placed_nearest_within(const geo_placed_solid *solid, scr_vec3 point, double reach, geo_nearest *nearest)
{
  if (solid->kind == GEO_PLACED_MESH) {
    geo_nearest own;
    if (!geo_mesh_nearest_within(solid->mesh, own_point(solid, point), reach, &own)) return false;
    *nearest = placed(solid, own);
    return true;
  }
  geo_nearest found = geo_placed_nearest(solid, point);
  if (!(fabs(found.distance) < reach)) return false;
  *nearest = found;
  return true;
}

scr_quat geo_rotation_to_axis(scr_vec3 axis)
{
  scr_vec3 to = direction_of(axis);
  double sine = hypot(to.x, to.y);
  if (!(sine > 0.0)) return to.z < 0.0 ? quat(1.0, 0.0, 0.0, 0.0) : quat_identity();
  /* Half-angle form, exact for small angles and near half a turn alike. */
  double half = 0.5 * atan2(sine, to.z), s = sin(half) / sine;
  return quat(-to.y * s, to.x * s, 0.0, cos(half));
}
