/* Moments by sums over tetrahedra; bands by projecting the stretched surface's radii on harmonics. */
#include "geometry/shapes/form.h"

#include "base/memory.h"
#include "geometry/level_set/shell.h"
#include "geometry/shapes/harmonics.h"
#include "linalg/symmetric_eigen.h"

enum { SMOOTH_TERMS = (SHAPE_SMOOTH_DEGREE + 1) * (SHAPE_SMOOTH_DEGREE + 1) };

double shape_area(const geo_mesh *mesh)
{
  double sum = 0;
  for (size_t t = 0; t < mesh->triangle_count; t++) sum += 0.5 * vec3_length(geo_mesh_area_normal(mesh, t));
  return sum;
}

/* ── moments ────────────────────────────────────────────────────────────────────────────────────────────────────── */

shape_moments shape_moments_of(const geo_mesh *mesh)
{
  shell_solid solid = shell_solid_of(mesh);
  shape_moments m = {.volume = solid.volume, .centroid = solid.centroid};
  double a[3][3], value[3], axis[3][3];
  int order[3] = {0, 1, 2};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) a[i][j] = solid.second[i][j] / solid.volume;
  la_symmetric_eigen(3, a[0], value, axis[0]);
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2 - i; j++)
      if (value[order[j]] < value[order[j + 1]]) {
        int other = order[j];
        order[j] = order[j + 1], order[j + 1] = other;
      }
  for (int i = 0; i < 3; i++) {
    m.value[i] = value[order[i]];
    for (int k = 0; k < 3; k++) m.axis[i][k] = axis[order[i]][k];
  }
  for (int k = 0; k < 3; k++) /* right-handed */
    m.axis[2][k] = m.axis[0][(k + 1) % 3] * m.axis[1][(k + 2) % 3] - m.axis[0][(k + 2) % 3] * m.axis[1][(k + 1) % 3];
  return m;
}

static double along(const double axis[3], scr_vec3 p)
{
  return axis[0] * p.x + axis[1] * p.y + axis[2] * p.z;
}

void shape_stretch_to(geo_mesh *mesh, double radius, double elongation, double flatness)
{
  shape_moments m = shape_moments_of(mesh);
  const double wanted[3] = {1, elongation, elongation * flatness};
  double factor[3], stretched = m.volume;
  for (int k = 0; k < 3; k++) stretched *= factor[k] = wanted[k] / sqrt(m.value[k]);
  double scale = cbrt(4 * M_PI / 3 * radius * radius * radius / stretched);
  for (size_t v = 0; v < mesh->vertex_count; v++) {
    scr_vec3 p = vec3_sub(mesh->vertex[v], m.centroid);
    mesh->vertex[v] =
        vec3(scale * factor[0] * along(m.axis[0], p), scale * factor[1] * along(m.axis[1], p), scale * factor[2] * along(m.axis[2], p));
  }
}

/* ── bands ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* The surface after the stretch that makes its equivalent ellipsoid a ball of radius 1: directions, radii, and how much of the sphere's
 * directions each corner stands for. */
typedef struct unfolded {
  size_t count;
  scr_vec3 *direction; /* [count] */
  double *radius;      /* [count] */
  double *share;       /* [count] steradian */
  double *smooth;      /* [count] radius of degrees 0 ... 8 */
} unfolded;

static scr_status unfold(const geo_mesh *mesh, const shape_form *form, unfolded *u, scr_error *error)
{
  u->count = mesh->vertex_count;
  u->direction = mem_array(u->count, sizeof *u->direction);
  u->radius = mem_array(u->count, sizeof *u->radius);
  u->share = mem_array(u->count, sizeof *u->share);
  u->smooth = mem_array(u->count, sizeof *u->smooth);
  if (!u->direction || !u->radius || !u->share || !u->smooth)
    return scr_fail_memory(error, "measuring a grain", u->count * 6 * sizeof(double));
  for (size_t v = 0; v < u->count; v++) {
    scr_vec3 p = vec3_sub(mesh->vertex[v], form->centroid);
    scr_vec3 q =
        vec3(along(form->axis[0], p) / form->half[0], along(form->axis[1], p) / form->half[1], along(form->axis[2], p) / form->half[2]);
    u->radius[v] = vec3_length(q);
    u->direction[v] = vec3_scale(q, 1 / u->radius[v]);
  }
  return SCR_OK;
}

/* The solid angle of each triangle (van Oosterom, Strackee 1983), a third to each corner. @return whether all are seen from outside */
static bool share_out(const geo_mesh *mesh, unfolded *u)
{
  bool star = true;
  for (size_t t = 0; t < mesh->triangle_count; t++) {
    const uint32_t *c = mesh->triangle[t];
    scr_vec3 a = u->direction[c[0]], b = u->direction[c[1]], d = u->direction[c[2]];
    double volume = vec3_dot(a, vec3_cross(b, d)), angle = 2 * atan2(volume, 1 + vec3_dot(a, b) + vec3_dot(b, d) + vec3_dot(d, a));
    star = star && volume > 0;
    for (int k = 0; k < 3; k++) u->share[c[k]] += angle / 3;
  }
  return star;
}

static void smooth_radii(unfolded *u)
{
  double value[HARMONICS_TERMS], factor[SMOOTH_TERMS] = {0};
  for (int pass = 0; pass < 4; pass++) { /* once more on what is left, as sums over corners are no exact integrals */
    double more[SMOOTH_TERMS] = {0};
    for (size_t v = 0; v < u->count; v++) {
      harmonics_at(u->direction[v], SHAPE_SMOOTH_DEGREE, value);
      double here = 0;
      for (int k = 0; k < SMOOTH_TERMS; k++) here += factor[k] * value[k];
      u->smooth[v] = here;
      for (int k = 0; k < SMOOTH_TERMS; k++) more[k] += (u->radius[v] - here) * u->share[v] / (4 * M_PI) * value[k];
    }
    for (int k = 0; k < SMOOTH_TERMS; k++) factor[k] += more[k];
  }
}

/* The mesh with other radii, back in its own stretch. Area of it when its volume is made that of the grain. */
static scr_status area_of(const geo_mesh *mesh, const shape_form *form, const unfolded *u, bool ball, double *area, scr_error *error)
{
  geo_mesh other = *mesh;
  SCR_TRY(mem_allocate(&other.vertex, u->count, sizeof *other.vertex, "measuring a grain", error));
  for (size_t v = 0; v < u->count; v++) {
    scr_vec3 q = vec3_scale(u->direction[v], ball ? 1 : u->smooth[v]);
    other.vertex[v] = vec3(q.x * form->half[0], q.y * form->half[1], q.z * form->half[2]);
  }
  double volume = shell_solid_of(&other).volume;
  *area = shape_area(&other) * pow(form->volume / volume, 2.0 / 3);
  mem_free(other.vertex);
  return SCR_OK;
}

static scr_status measure_bands(const geo_mesh *mesh, shape_form *form, unfolded *u, scr_error *error)
{
  double ellipsoid = 0, smooth = 1, square = 0, all = 0;
  SCR_TRY(unfold(mesh, form, u, error));
  form->is_star = share_out(mesh, u);
  if (!form->is_star) return SCR_OK;
  smooth_radii(u);
  SCR_TRY(area_of(mesh, form, u, true, &ellipsoid, error));
  SCR_TRY(area_of(mesh, form, u, false, &smooth, error));
  for (size_t v = 0; v < u->count; v++) {
    double off = u->radius[v] / u->smooth[v] - 1;
    square += u->share[v] * off * off;
    all += u->share[v];
  }
  form->roundness = ellipsoid / smooth;
  form->roughness = sqrt(square / all);
  return SCR_OK;
}

scr_status shape_measure_form(const geo_mesh *mesh, shape_form *form, scr_error *error)
{
  shape_moments m = shape_moments_of(mesh);
  unfolded u = {0};
  if (!(m.volume > 0))
    return scr_fail(error, SCR_BAD_USAGE, NULL, "a form is measured of a solid; the mesh has a volume of %g m^3", m.volume);
  *form = (shape_form){.volume = m.volume, .area = shape_area(mesh), .centroid = m.centroid, .roundness = NAN, .roughness = NAN};
  form->radius = cbrt(m.volume * 3 / (4 * M_PI));
  double mean = cbrt(sqrt(m.value[0] * m.value[1] * m.value[2]));
  for (int k = 0; k < 3; k++) {
    form->half[k] = form->radius * sqrt(m.value[k]) / mean;
    for (int a = 0; a < 3; a++) form->axis[k][a] = m.axis[k][a];
  }
  form->elongation = form->half[1] / form->half[0];
  form->flatness = form->half[2] / form->half[1];
  form->sphericity = 4 * M_PI * form->radius * form->radius / form->area;
  scr_status status = measure_bands(mesh, form, &u, error);
  mem_free(u.direction);
  mem_free(u.radius);
  mem_free(u.share);
  mem_free(u.smooth);
  return status;
}
