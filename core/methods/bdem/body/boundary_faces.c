/* Two passes over the spheres: how near the outermost ones come to every flat face and how many there are, then the faces themselves. */
#include "methods/bdem/body/boundary_faces.h"

#include "base/memory.h"
#include "base/quat.h"
#include "geometry/fill/faces.h"
#include "scene/shape/shape.h"

static const double pi = 3.14159265358979323846;
static const double zigzag = 1.05, curved_depth = 1.66, search_depth = 2.7; /* radii */
static const double layer = 1.6329931618554521;                             /* radii, between close-packed layers: sqrt(8/3) */

enum { PLANES = 16 }; /* flat faces of a solid: at most six and three of a notch */

/* A flat face of a solid. */
typedef struct plane {
  scr_vec3 normal;
  double offset;  /* m, of the solid's origin below it */
  double nearest; /* m, least depth of a sphere */
  size_t count;   /* spheres that it is shared by */
} plane;

/* The search. */
typedef struct search {
  const bdem_filling *filling;
  geo_solid solid;
  scr_quat turned, back;
  double curved_area; /* m^2, of a sphere below a curved face: of a close-packed layer */
  plane plane[PLANES];
  size_t plane_count;
} search;

static bool is_flat(const search *s, scr_vec3 normal)
{
  if (s->solid.kind == GEO_SOLID_CYLINDER) return fabs(normal.z) > 0.5;
  return s->solid.kind == GEO_SOLID_BOX;
}

/* The plane of a flat face above a point, listed when it is new; NULL: curved. */
static plane *plane_of(search *s, scr_vec3 at, const geo_face *face)
{
  if (!is_flat(s, face->normal)) return NULL;
  double offset = vec3_dot(at, face->normal) + face->depth;
  for (size_t k = 0; k < s->plane_count; ++k)
    if (vec3_dot(s->plane[k].normal, face->normal) > 0.5 && fabs(s->plane[k].offset - offset) < 1e-6 * s->filling->radius)
      return &s->plane[k];
  if (s->plane_count == PLANES) return NULL;
  s->plane[s->plane_count] = (plane){face->normal, offset, INFINITY, 0};
  return &s->plane[s->plane_count++];
}

/* Area of a flat face, m^2. */
static double plane_area(const search *s, const plane *p)
{
  const geo_solid *solid = &s->solid;
  double x = solid->size.x, y = solid->size.y, z = solid->size.z, slot = solid->notch_width, cut = solid->notch_depth;
  if (solid->kind == GEO_SOLID_CYLINDER) return pi * solid->radius * solid->radius;
  bool outer_x = fabs(p->offset - 0.5 * x) < 1e-6 * x;
  if (fabs(p->normal.x) > 0.5) return outer_x ? y * z : y * cut;
  if (fabs(p->normal.y) > 0.5) return x * z - (slot > 0 ? slot * cut : 0);
  bool outer_z = fabs(p->offset - 0.5 * z) < 1e-6 * z;
  if (!outer_z) return slot * y; /* the end of the slot */
  return p->normal.z < 0 && slot > 0 ? (x - slot) * y : x * y;
}

/* Where sphere k is in the solid's own axes, and its faces there. */
static size_t faces_of(const search *s, size_t k, scr_vec3 *at, geo_face face[GEO_FACES])
{
  *at = quat_rotate(s->back, s->filling->centre[k]);
  const double *stretch = s->filling->stretch;
  double most = fmax(stretch[0], fmax(stretch[1], stretch[2]));
  return geo_faces_near(&s->solid, *at, search_depth * most * s->filling->radius, face);
}

static bool is_outermost(const search *s, const plane *p, double depth)
{
  const double *stretch = s->filling->stretch;
  if (!p) return depth <= curved_depth * s->filling->radius;
  scr_vec3 along = vec3(p->normal.x * stretch[0], p->normal.y * stretch[1], p->normal.z * stretch[2]);
  return depth <= p->nearest + zigzag * s->filling->radius * vec3_length(along);
}

/* How near spheres come to each plane, then how many share it. @return faces of all spheres */
static size_t find_planes(search *s)
{
  size_t total = 0;
  for (int pass = 0; pass < 2; ++pass)
    for (size_t k = 0; k < s->filling->sphere_count; ++k) {
      geo_face face[GEO_FACES];
      scr_vec3 at;
      size_t count = faces_of(s, k, &at, face);
      for (size_t f = 0; f < count; ++f) {
        plane *p = plane_of(s, at, &face[f]);
        if (p && pass == 0) p->nearest = fmin(p->nearest, face[f].depth);
        if (pass == 0 || !is_outermost(s, p, face[f].depth)) continue;
        if (p) ++p->count;
        ++total;
      }
    }
  return total;
}

static void list_faces(search *s, size_t total_faces, bdem_faces *faces)
{
  double r = s->filling->radius, least = 0.25 * r; /* what lies nearer, of a rough mesh, counts as that deep */
  uint32_t total = 0;
  faces->shallowest = total_faces > 0 ? INFINITY : 0;
  for (size_t k = 0; k < s->filling->sphere_count; ++k) {
    geo_face face[GEO_FACES];
    scr_vec3 at;
    size_t count = faces_of(s, k, &at, face);
    faces->first[k] = total;
    for (size_t f = 0; f < count; ++f) {
      plane *p = plane_of(s, at, &face[f]);
      if (!is_outermost(s, p, face[f].depth)) continue;
      double depth = fmax(face[f].depth, least), area = p ? plane_area(s, p) / (double)p->count : s->curved_area;
      faces->face[total++] = (bdem_face){quat_rotate(s->turned, face[f].normal), depth, area};
      faces->deepest = fmax(faces->deepest, depth);
      faces->per_depth = fmax(faces->per_depth, area / depth);
      faces->rolling = fmax(faces->rolling, area / depth * (1 + 2.5 * depth * depth / (r * r)));
      faces->shallowest = fmin(faces->shallowest, depth);
    }
  }
  faces->first[s->filling->sphere_count] = total;
}

scr_status bdem_faces_find(const bdem_filling *filling, const scr_specimen *specimen, bdem_faces *faces, scr_error *error)
{
  size_t n = filling->sphere_count;
  if (filling->pair_count == 0 || bdem_is_weave(&specimen->shape)) return SCR_OK;
  scr_vec3 turn = vec3_scale(specimen->rotation_axis, specimen->rotation_angle);
  search s = {.filling = filling,
              .solid = scr_shape_solid(&specimen->shape),
              .turned = quat_exp(turn),
              .back = quat_exp(vec3_scale(turn, -1)),
              .curved_area = scr_shape_volume(&specimen->shape) / (double)n / (layer * filling->radius)};
  size_t total = find_planes(&s);
  faces->first = mem_array(n + 1, sizeof *faces->first);
  faces->face = mem_array(total > 0 ? total : 1, sizeof *faces->face);
  if (!faces->first || !faces->face) return scr_fail_memory(error, "the faces of a specimen", n * 4 + total * sizeof *faces->face);
  list_faces(&s, total, faces);
  return SCR_OK;
}

void bdem_faces_clear(bdem_faces *faces)
{
  mem_free(faces->first);
  mem_free(faces->face);
  *faces = (bdem_faces){0};
}
