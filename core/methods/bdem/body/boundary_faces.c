/* Two passes over the spheres: how near the outermost ones come to every flat face and how many there are, then the faces themselves. */
#include "methods/bdem/body/boundary_faces.h"

#include "base/memory.h"
#include "base/quat.h"
#include "geometry/fill/faces.h"
#include "methods/bdem/body/curved_areas.h"
#include "methods/bdem/contact/friction.h"
#include "scene/shape/shape.h"

static const double pi = 3.14159265358979323846;
static const double zigzag = 1.05, curved_depth = 1.66, search_depth = 2.7, piece = 0.4; /* radii */
static const double stiffest = 8; /* radii, largest A / s below a curved face: what stands alone on top of a row would shorten all steps */
static const double layer = 1.6329931618554521; /* radii, between close-packed layers: sqrt(8/3) */

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
  double *place[3]; /* [curved_count] m, of the spheres below curved faces, in their order, in the solid's own axes */
  bool *outward;    /* [curved_count] whether below the outer one */
  double *area;     /* [curved_count] m^2, of it that each stands for */
  size_t curved_count, curved_next;
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

/* Looks for the curved faces again. @param keep whether there is room for them; else they are counted */
static void visit_curved(search *s, bool keep)
{
  s->curved_count = 0;
  for (size_t k = 0; k < s->filling->sphere_count; ++k) {
    geo_face face[GEO_FACES];
    scr_vec3 at;
    size_t count = faces_of(s, k, &at, face);
    for (size_t f = 0; f < count; ++f) {
      if (plane_of(s, at, &face[f]) || !is_outermost(s, NULL, face[f].depth)) continue;
      size_t n = s->curved_count++;
      if (!keep) continue;
      s->place[0][n] = at.x, s->place[1][n] = at.y, s->place[2][n] = at.z;
      s->outward[n] = !(face[f].curvature < 0);
    }
  }
}

/* What each sphere below a curved face has of it. Of a mesh, whose faces are of any form: an even share of a close-packed layer. */
static scr_status share_curved(search *s, double layer_area, scr_error *error)
{
  double r = s->filling->radius;
  visit_curved(s, false);
  for (int a = 0; a < 3; ++a) SCR_TRY(mem_allocate(&s->place[a], s->curved_count, sizeof *s->place[a], "the faces of a specimen", error));
  SCR_TRY(mem_allocate(&s->outward, s->curved_count, sizeof *s->outward, "the faces of a specimen", error));
  SCR_TRY(mem_allocate(&s->area, s->curved_count, sizeof *s->area, "the faces of a specimen", error));
  visit_curved(s, true);
  if (s->solid.kind != GEO_SOLID_MESH)
    return bdem_share_curved_faces(&s->solid, piece * r, search_depth * r, s->place, s->outward, s->curved_count, s->area, error);
  for (size_t k = 0; k < s->curved_count; ++k) s->area[k] = layer_area;
  return SCR_OK;
}

static void clear_search(search *s)
{
  for (int a = 0; a < 3; ++a) mem_free(s->place[a]);
  mem_free(s->outward);
  mem_free(s->area);
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
      double depth = fmax(face[f].depth, least);
      double area = p ? plane_area(s, p) / (double)p->count : fmin(s->area[s->curved_next++], stiffest * r * depth);
      if (!(area > 0)) continue; /* spheres beside it are nearer to all of its face */
      faces->face[total++] =
          (bdem_face){quat_rotate(s->turned, face[f].normal), depth, area, face[f].curvature, quat_rotate(s->turned, face[f].straight)};
      faces->deepest = fmax(faces->deepest, depth);
      faces->per_depth = fmax(faces->per_depth, area / depth);
      double tilts = p ? 0 : 2.5 / 12 * area / (r * r), rolls = BDEM_FACE_TANGENTIAL_RATIO * (1 + 2.5 * depth * depth / (r * r));
      faces->rolling = fmax(faces->rolling, area / depth * (rolls + tilts));
      faces->tilting = fmax(faces->tilting, area / depth * tilts);
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
  search s = {
      .filling = filling, .solid = scr_shape_solid(&specimen->shape), .turned = quat_exp(turn), .back = quat_exp(vec3_scale(turn, -1))};
  size_t total = find_planes(&s);
  faces->first = mem_array(n + 1, sizeof *faces->first);
  faces->face = mem_array(total > 0 ? total : 1, sizeof *faces->face);
  if (!faces->first || !faces->face) return scr_fail_memory(error, "the faces of a specimen", n * 4 + total * sizeof *faces->face);
  scr_status status = share_curved(&s, scr_shape_volume(&specimen->shape) / (double)n / (layer * filling->radius), error);
  if (status == SCR_OK) list_faces(&s, total, faces);
  clear_search(&s);
  return status;
}

void bdem_faces_clear(bdem_faces *faces)
{
  mem_free(faces->first);
  mem_free(faces->face);
  *faces = (bdem_faces){0};
}
