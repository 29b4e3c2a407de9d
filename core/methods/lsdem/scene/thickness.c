/* Thickness of parts and meshes. */
#include "methods/lsdem/scene/thickness.h"

#include <stdlib.h>

#include "base/memory.h"

enum { PLACES = 3000, STEPS = 60 };

typedef struct place {
  double thickness; /* m */
  double area;      /* m^2 that it stands for */
} place;

static int by_thickness(const void *a, const void *b)
{
  double p = ((const place *)a)->thickness, q = ((const place *)b)->thickness;
  return p < q ? -1 : p > q;
}

/* From a place of the surface inward: each step goes as far as the surface is away. INFINITY: the other side does not face the other way.
 * */
static double across(const geo_mesh_tree *tree, scr_vec3 from, scr_vec3 normal, double size)
{
  double travel = 1e-6 * size;
  for (int k = 0; k < STEPS; k++) {
    geo_nearest nearest = geo_mesh_nearest(tree, vec3_sub(from, vec3_scale(normal, travel)));
    if (nearest.distance < -1e-7 * size) {
      travel += fmax(-nearest.distance, 1e-6 * size);
      continue;
    }
    return vec3_dot(nearest.gradient, normal) < -0.8 ? travel : INFINITY;
  }
  return INFINITY; /* along a face: no other side */
}

double lsdem_mesh_thickness(const geo_mesh *surface, const geo_mesh_tree *tree)
{
  const double share = 0.05;
  geo_box box = geo_mesh_tree_box(tree);
  double size = vec3_length(vec3_sub(box.high, box.low)), whole = 0, sum = 0, found = INFINITY;
  size_t stride = 1 + surface->triangle_count / PLACES, count = 0;
  place *places = mem_array(surface->triangle_count / stride + 1, sizeof *places);
  if (!places) return INFINITY;
  for (size_t t = 0; t < surface->triangle_count; t += stride) {
    const uint32_t *corner = surface->triangle[t];
    scr_vec3 a = surface->vertex[corner[0]], b = surface->vertex[corner[1]], c = surface->vertex[corner[2]];
    scr_vec3 twice = vec3_cross(vec3_sub(b, a), vec3_sub(c, a));
    double area = 0.5 * vec3_length(twice);
    if (!(area > 0)) continue;
    scr_vec3 middle = vec3_scale(vec3_add(a, vec3_add(b, c)), 1.0 / 3);
    places[count++] = (place){across(tree, middle, vec3_scale(twice, 0.5 / area), size), area};
    whole += area;
  }
  qsort(places, count, sizeof *places, by_thickness);
  for (size_t k = 0; k < count && isinf(found); k++) {
    sum += places[k].area;
    if (sum > share * whole) found = places[k].thickness;
    if (sum > share * whole) break;
  }
  mem_free(places);
  return found;
}

double lsdem_part_thickness(const scr_part *form)
{
  scr_vec3 half = form->solid.half_size;
  if (form->kind == SCR_PART_CYLINDER) return 2 * fmin(form->radius, form->half_length);
  if (form->kind != SCR_PART_SOLID) return INFINITY;
  switch (form->solid.kind) {
  case GEO_PLACED_BOX: return 2 * fmin(half.x, fmin(half.y, half.z));
  case GEO_PLACED_SPHERE: return 2 * form->solid.radius;
  case GEO_PLACED_CYLINDER: return 2 * fmin(form->solid.radius, form->solid.half_height);
  case GEO_PLACED_MESH: return form->surface ? lsdem_mesh_thickness(form->surface, form->solid.mesh) : INFINITY;
  case GEO_PLACED_PLANE: break;
  }
  return INFINITY;
}
