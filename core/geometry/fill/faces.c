#include "geometry/fill/faces.h"

#include "geometry/mesh/mesh_distance.h"

/* Faces in the making. */
typedef struct found_faces {
  geo_face *face;
  size_t count;
  double reach;
} found_faces;

static void add_curved(found_faces *found, scr_vec3 normal, double depth, double curvature, scr_vec3 straight)
{
  if (depth < found->reach && found->count < GEO_FACES) found->face[found->count++] = (geo_face){normal, depth, curvature, straight};
}

static void add(found_faces *found, scr_vec3 normal, double depth)
{
  add_curved(found, normal, depth, 0, vec3(0, 0, 0));
}

static void add_notch(found_faces *found, const geo_solid *solid, scr_vec3 p)
{
  double aside = fabs(p.x) - 0.5 * solid->notch_width, above = p.z - (solid->notch_depth - 0.5 * solid->size.z);
  if (aside > 0 && above <= 0) add(found, vec3(p.x < 0 ? 1 : -1, 0, 0), aside);
  if (aside <= 0 && above > 0) add(found, vec3(0, 0, -1), above);
}

static void add_box(found_faces *found, const geo_solid *solid, scr_vec3 p)
{
  add(found, vec3(p.x < 0 ? -1 : 1, 0, 0), 0.5 * solid->size.x - fabs(p.x));
  add(found, vec3(0, p.y < 0 ? -1 : 1, 0), 0.5 * solid->size.y - fabs(p.y));
  add(found, vec3(0, 0, p.z < 0 ? -1 : 1), 0.5 * solid->size.z - fabs(p.z));
  if (solid->notch_width > 0) add_notch(found, solid, p);
}

static void add_cylinder(found_faces *found, const geo_solid *solid, scr_vec3 p)
{
  double across = hypot(p.x, p.y);
  add(found, vec3(0, 0, p.z < 0 ? -1 : 1), 0.5 * solid->size.z - fabs(p.z));
  if (across > 0) add_curved(found, vec3(p.x / across, p.y / across, 0), solid->radius - across, 1 / solid->radius, vec3(0, 0, 1));
}

static void add_sphere(found_faces *found, const geo_solid *solid, scr_vec3 p)
{
  double out = vec3_length(p);
  if (!(out > 0)) return;
  scr_vec3 normal = vec3_scale(p, 1 / out), none = vec3(0, 0, 0);
  add_curved(found, normal, solid->radius - out, 1 / solid->radius, none);
  if (solid->inner_radius > 0) add_curved(found, vec3_scale(normal, -1), out - solid->inner_radius, -1 / solid->inner_radius, none);
}

size_t geo_faces_near(const geo_solid *solid, scr_vec3 point, double reach, geo_face faces[GEO_FACES])
{
  found_faces found = {faces, 0, reach};
  geo_nearest nearest;
  switch (solid->kind) {
  case GEO_SOLID_BOX: add_box(&found, solid, point); break;
  case GEO_SOLID_CYLINDER: add_cylinder(&found, solid, point); break;
  case GEO_SOLID_SPHERE: add_sphere(&found, solid, point); break;
  case GEO_SOLID_MESH:
    if (geo_mesh_nearest_within(solid->mesh, point, reach, &nearest)) add(&found, nearest.gradient, -nearest.distance);
    break;
  }
  return found.count;
}
