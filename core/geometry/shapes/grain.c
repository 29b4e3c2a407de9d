/* Random grains: a ball's directions, pushed out by two random fields, stretched in between. */
#include "geometry/shapes/grain.h"

#include <string.h>

#include "base/memory.h"
#include "geometry/level_set/shell.h"
#include "geometry/mesh/mesh_shapes.h"
#include "geometry/shapes/form.h"
#include "geometry/shapes/harmonics.h"

/* Radii below which a star has waists too thin to be of use. */
static const double least_radius = 0.35;

typedef struct maker {
  const shape_grain *asked;
  geo_mesh *mesh;
  scr_vec3 *direction; /* [vertex_count] of length 1 */
  double *corners;     /* [vertex_count] g */
  double *rough;       /* [vertex_count] f */
  double ellipsoid;    /* m^2, area of the equivalent ellipsoid with the same triangles and the same volume */
} maker;

static scr_status check(const shape_grain *asked, unsigned cuts, scr_error *error)
{
  const struct {
    const char *name;
    double value, low, high;
  } ranges[] = {{"elongation", asked->elongation, 0.1, 1},
                {"flatness", asked->flatness, 0.1, 1},
                {"roundness", asked->roundness, 0.5, 1},
                {"roughness", asked->roughness, 0, 0.1},
                {"cuts", cuts, 4, 128}};
  for (size_t k = 0; k < sizeof ranges / sizeof *ranges; k++)
    if (!(ranges[k].value >= ranges[k].low && ranges[k].value <= ranges[k].high))
      return scr_fail(error, SCR_BAD_USAGE, NULL, "%s of a grain is %g; %g to %g are possible", ranges[k].name, ranges[k].value,
                      ranges[k].low, ranges[k].high);
  if (!(asked->radius > 0)) return scr_fail(error, SCR_BAD_USAGE, NULL, "radius of a grain is %g m; it must be above 0", asked->radius);
  return SCR_OK;
}

static scr_status prepare(maker *m, unsigned cuts, scr_error *error)
{
  double value[HARMONICS_TERMS], corners[HARMONICS_TERMS], rough[HARMONICS_TERMS];
  SCR_TRY(geo_mesh_make_ball(m->mesh, 1, cuts, error));
  size_t n = m->mesh->vertex_count;
  m->direction = mem_array(n, sizeof *m->direction);
  m->corners = mem_array(n, sizeof *m->corners);
  m->rough = mem_array(n, sizeof *m->rough);
  if (!m->direction || !m->corners || !m->rough) return scr_fail_memory(error, "a random grain", n * 5 * sizeof(double));
  memcpy(m->direction, m->mesh->vertex, n * sizeof *m->direction);
  harmonics_draw(m->asked->seed * 2 + 1, 3, SHAPE_SMOOTH_DEGREE, 1.5, corners);
  harmonics_draw(m->asked->seed * 2 + 2, SHAPE_SMOOTH_DEGREE + 1, HARMONICS_DEGREE, 1.5, rough);
  for (size_t v = 0; v < n; v++) {
    harmonics_at(m->direction[v], HARMONICS_DEGREE, value);
    for (int k = 0; k < HARMONICS_TERMS; k++) {
      m->corners[v] += corners[k] * value[k];
      m->rough[v] += rough[k] * value[k];
    }
  }
  shape_stretch_to(m->mesh, m->asked->radius, m->asked->elongation, m->asked->flatness);
  m->ellipsoid = shape_area(m->mesh);
  return SCR_OK;
}

/* The smooth grain of an amplitude. @return its roundness */
static double smooth_grain(maker *m, double amplitude)
{
  for (size_t v = 0; v < m->mesh->vertex_count; v++) m->mesh->vertex[v] = vec3_scale(m->direction[v], 1 + amplitude * m->corners[v]);
  shape_stretch_to(m->mesh, m->asked->radius, m->asked->elongation, m->asked->flatness);
  return m->ellipsoid / shape_area(m->mesh);
}

static scr_status find_roundness(maker *m, scr_error *error)
{
  double lowest = 0, low = 0, asked = m->asked->roundness;
  for (size_t v = 0; v < m->mesh->vertex_count; v++) lowest = fmin(lowest, m->corners[v]);
  double high = (least_radius - 1) / lowest, least = smooth_grain(m, high);
  if (least > asked)
    return scr_fail(
        error, SCR_BAD_USAGE, NULL,
        "a roundness of %g can't be had with this seed, whose grain would get waists: from %.3f on it can; take it or another seed", asked,
        ceil(least * 1000) / 1000);
  if (asked >= 1) {
    smooth_grain(m, 0);
    return SCR_OK;
  }
  for (int k = 0; k < 40; k++) {
    double middle = 0.5 * (low + high);
    if (smooth_grain(m, middle) > asked)
      low = middle;
    else
      high = middle;
  }
  smooth_grain(m, low);
  return SCR_OK;
}

scr_status shape_make_grain(const shape_grain *asked, unsigned cuts, geo_mesh *mesh, scr_error *error)
{
  maker m = {.asked = asked, .mesh = mesh};
  SCR_TRY(check(asked, cuts, error));
  scr_status status = prepare(&m, cuts, error);
  if (status == SCR_OK) status = find_roundness(&m, error);
  if (status == SCR_OK && asked->roughness > 0) {
    for (size_t v = 0; v < mesh->vertex_count; v++) mesh->vertex[v] = vec3_scale(mesh->vertex[v], 1 + asked->roughness * m.rough[v]);
    shape_stretch_to(mesh, asked->radius, asked->elongation, asked->flatness);
  }
  mem_free(m.direction);
  mem_free(m.corners);
  mem_free(m.rough);
  return status;
}
