/* Which modes a grain has, and their matrices. */
#include "methods/lsdem/grain/modes_of_shape.h"

#include <string.h>

#include "base/memory.h"
#include "linalg/dense.h"
#include "methods/lsdem/grain/mode_basis.h"
#include "scene/shape/shape.h"

size_t lsdem_mode_set_count(int set, size_t of_basis)
{
  switch ((lsdem_mode_set)set) {
  case LSDEM_MODES_NONE: return 0;
  case LSDEM_MODES_ISOTROPIC:
  case LSDEM_MODES_BENDING: return 1;
  case LSDEM_MODES_STRETCH: return 3;
  case LSDEM_MODES_BASIS: return of_basis;
  case LSDEM_MODES_AFFINE: break;
  }
  return 6;
}

int lsdem_mode_sort(const lsdem_template *grain, size_t a)
{
  if (grain->modes[a].kind == LSDEM_MODE_BENDING) return LSDEM_SORT_BENDING;
  if (grain->modes[a].kind == LSDEM_MODE_FIELD) return LSDEM_SORT_BASIS;
  if (grain->mode_count == 1) return LSDEM_SORT_ISOTROPIC; /* sets of affine modes: one; three stretches; these and three shears */
  return a < 3 ? LSDEM_SORT_STRETCH : LSDEM_SORT_SHEAR;
}

/* ── fields ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

static void half_sizes(const lsdem_template *grain, double half[3])
{
  half[0] = half[1] = half[2] = 0;
  for (size_t k = 0; k < grain->node_count; k++) {
    scr_vec3 p = grain->surface.vertex[k];
    half[0] = fmax(half[0], fabs(p.x)), half[1] = fmax(half[1], fabs(p.y)), half[2] = fmax(half[2], fabs(p.z));
  }
}

static lsdem_mode affine(int i, int j, double value)
{
  lsdem_mode mode = {.kind = LSDEM_MODE_AFFINE};
  mode.gradient.m[i][j] = mode.gradient.m[j][i] = value;
  return mode;
}

static void choose_fields(lsdem_template *grain, const lsdem_recipe *recipe)
{
  double half[3], radius = cbrt(0.75 * grain->volume / M_PI);
  half_sizes(grain, half);
  int longest = half[0] >= half[1] && half[0] >= half[2] ? 0 : half[1] >= half[2] ? 1 : 2;
  grain->mode_count = lsdem_mode_set_count(recipe->modes, recipe->basis_modes);
  switch ((lsdem_mode_set)recipe->modes) {
  case LSDEM_MODES_NONE:
  case LSDEM_MODES_BASIS: break;
  case LSDEM_MODES_ISOTROPIC:
    if (shape_entry(recipe->shape->kind)->ball) radius = recipe->shape->radius;
    grain->modes[0] = affine(0, 0, -1 / radius);
    grain->modes[0].gradient.m[1][1] = grain->modes[0].gradient.m[2][2] = -1 / radius;
    break;
  case LSDEM_MODES_STRETCH:
  case LSDEM_MODES_AFFINE:
    for (int a = 0; a < 3; a++) grain->modes[a] = affine(a, a, 1 / half[a]);
    for (int a = 0; a < 3 && recipe->modes == LSDEM_MODES_AFFINE; a++) {
      int b = (a + 1) % 3, c = (a + 2) % 3;
      grain->modes[3 + a] = affine(b, c, 1 / (half[b] + half[c]));
    }
    break;
  case LSDEM_MODES_BENDING:
    grain->modes[0] =
        (lsdem_mode){.kind = LSDEM_MODE_BENDING, .axis = longest, .length = 2 * half[longest], .contraction = recipe->contraction};
    break;
  }
}

/* ── quadrature ──────────────────────────────────────────────────────────────────────────────────────────────────── */

enum { RAY_POINTS = 8 };
/* Gauss-Legendre on [-1, 1]; Abramowitz and Stegun, table 25.4. */
static const double ray_at[RAY_POINTS / 2] = {0.1834346424956498, 0.5255324099163290, 0.7966664774136267, 0.9602898564975363};
static const double ray_weight[RAY_POINTS / 2] = {0.3626837833783620, 0.3137066458778873, 0.2223810344533745, 0.1012285362903763};

scr_status lsdem_quadrature_make(lsdem_quadrature *volume, const geo_mesh *surface, double inner, double whole, scr_error *error)
{
  double sum = 0;
  size_t count = surface->triangle_count * 3 * RAY_POINTS, at = 0;
  volume->point = mem_array(count, sizeof *volume->point);
  volume->weight = mem_array(count, sizeof *volume->weight);
  if (!volume->point || !volume->weight) return scr_fail_memory(error, "the points of an integral over a grain", count * 32);
  volume->count = count;
  for (size_t t = 0; t < surface->triangle_count; t++) {
    scr_vec3 p[3];
    for (int k = 0; k < 3; k++) p[k] = surface->vertex[surface->triangle[t][k]];
    double six = vec3_dot(p[0], vec3_cross(p[1], p[2]));
    for (int k = 0; k < 3; k++) {
      scr_vec3 middle = vec3_scale(vec3_add(p[k], p[(k + 1) % 3]), 0.5);
      for (int r = 0; r < RAY_POINTS; r++, at++) {
        double x = r % 2 ? ray_at[r / 2] : -ray_at[r / 2], s = inner + (1 - inner) * 0.5 * (1 + x);
        volume->point[at] = vec3_scale(middle, s);
        volume->weight[at] = six / 6 * s * s * (1 - inner) * 0.5 * ray_weight[r / 2]; /* a triangle of area 1/2 by three points of 1/6 */
        sum += volume->weight[at];
      }
    }
  }
  for (size_t k = 0; k < count; k++) volume->weight[k] *= whole / sum;
  return SCR_OK;
}

void lsdem_quadrature_clear(lsdem_quadrature *volume)
{
  mem_free(volume->point);
  mem_free(volume->weight);
  *volume = (lsdem_quadrature){0};
}

/* ── what follows from them ──────────────────────────────────────────────────────────────────────────────────────── */

static scr_status put_at_nodes(lsdem_template *grain, scr_error *error)
{
  size_t n = grain->node_count, count = n * grain->mode_count;
  grain->mode_at_node = mem_array(count, sizeof *grain->mode_at_node);
  grain->mode_at_tile = mem_array(grain->mode_count * grain->tile_count, sizeof *grain->mode_at_tile);
  if (!grain->mode_at_node || !grain->mode_at_tile) return scr_fail_memory(error, "a grain's modes", count * sizeof *grain->mode_at_node);
  for (size_t a = 0; a < grain->mode_count; a++)
    for (size_t t = 0; t < grain->tile_count; t++)
      grain->mode_at_tile[a * grain->tile_count + t] = lsdem_mode_at(&grain->modes[a], grain->tiles[t].centre);
  for (size_t a = 0; a < grain->mode_count; a++)
    for (size_t k = 0; k < n; k++) {
      scr_matrix3 g;
      scr_vec3 phi = lsdem_mode_gradient(&grain->modes[a], grain->surface.vertex[k], &g);
      grain->mode_at_node[a * n + k] = phi;
      grain->mode_peak[a] = fmax(grain->mode_peak[a], vec3_length(phi));
      for (int i = 0; i < 3; i++) grain->mode_slope[a] = fmax(grain->mode_slope[a], fabs(g.m[i][0]) + fabs(g.m[i][1]) + fabs(g.m[i][2]));
    }
  return SCR_OK;
}

/* The inverse of M by its eigenvectors, and that modes are independent: the Gram matrix's condition. */
static scr_status invert_mass(lsdem_template *grain, scr_error *error)
{
  size_t n = grain->mode_count;
  double a[LSDEM_MODE_LIMIT * LSDEM_MODE_LIMIT], values[LSDEM_MODE_LIMIT];
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) a[i * n + j] = grain->modal.mass[i][j];
  SCR_TRY(la_dense_symmetric_eigen(n, a, values, error));
  if (!(values[0] > 1e-10 * values[n - 1]))
    return scr_fail(
        error, SCR_BAD_SCENE, NULL,
        "the modes of a grain depend on each other: the condition of their mass matrix is %.3g; at most 1e10 is possible: leave modes out",
        values[n - 1] / values[0]);
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) {
      double sum = 0;
      for (size_t k = 0; k < n; k++) sum += a[k * n + i] * a[k * n + j] / values[k];
      grain->mass_inverse[i * n + j] = sum;
    }
  return SCR_OK;
}

/* The highest frequency of K v = w^2 M v, K the steepest there is. At rest it must be positive semi-definite; entries' sizes of a fitted
 * energy need not be. */
static scr_status find_frequency(lsdem_template *grain, scr_error *error)
{
  size_t n = grain->mode_count;
  double a[LSDEM_MODE_LIMIT * LSDEM_MODE_LIMIT], b[LSDEM_MODE_LIMIT * LSDEM_MODE_LIMIT], values[LSDEM_MODE_LIMIT];
  lsdem_energy_steepest(&grain->energy, &grain->modal, a);
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) b[i * n + j] = grain->modal.mass[i][j];
  SCR_TRY(la_dense_pencil_eigen(n, a, b, values, error));
  if (grain->energy.fit.term_count == 0 && !(values[0] > -1e-9 * fabs(values[n - 1])))
    return scr_fail(error, SCR_BAD_SCENE, NULL,
                    "the stiffness of a grain's modes is not positive definite: its lowest eigenvalue over the mass is %.4g 1/s^2",
                    values[0]);
  grain->frequency = sqrt(fmax(values[n - 1], 0));
  return SCR_OK;
}

static scr_status integrate(lsdem_template *grain, const lsdem_recipe *recipe, const lsdem_quadrature *volume, scr_error *error)
{
  size_t n = grain->mode_count;
  bool found = recipe->modes == LSDEM_MODES_BASIS; /* its fields have no momenta, in the measure of its own mass */
  if (!found) lsdem_modes_free(grain->modes, n, volume);
  lsdem_modal_integrate(&grain->modal, grain->modes, n, volume, recipe->density);
  if (found)
    lsdem_basis_matrices(grain);
  else
    lsdem_modal_stiffness(&grain->modal, grain->modes, volume, recipe->young, recipe->poisson);
  if (!isnan(recipe->stiffness)) grain->modal.stiffness[0][0] = recipe->stiffness;
  if (!isnan(recipe->modal_mass)) grain->modal.mass[0][0] = recipe->modal_mass;
  if (recipe->table[0]) SCR_TRY(lsdem_energy_read(&grain->energy, recipe->table, recipe->table_factor, error));
  SCR_TRY(invert_mass(grain, error));
  for (size_t a = 0; a < n; a++) {
    double k = lsdem_energy_secant(&grain->energy, &grain->modal, a);
    if (!(k > 0)) return scr_fail(error, SCR_BAD_SCENE, NULL, "mode %zu of a grain has a stiffness of %.4g N/m; it must be > 0", a + 1, k);
    grain->damping[a] = 2 * recipe->damping_ratio * sqrt(k / grain->modal.mass[a][a]);
  }
  SCR_TRY(find_frequency(grain, error));
  return found ? SCR_OK : put_at_nodes(grain, error);
}

scr_status lsdem_modes_make(lsdem_template *grain, const lsdem_recipe *recipe, scr_error *error)
{
  lsdem_quadrature volume = {0};
  double inner = shape_entry(recipe->shape->kind)->ball ? recipe->shape->inner_radius / recipe->shape->radius : 0;
  choose_fields(grain, recipe);
  if (grain->mode_count == 0) return SCR_OK;
  if (recipe->modes == LSDEM_MODES_BASIS) SCR_TRY(lsdem_basis_modes(grain, recipe, error));
  scr_status status = lsdem_quadrature_make(&volume, &grain->surface, inner, grain->volume, error);
  if (status == SCR_OK) status = integrate(grain, recipe, &volume, error);
  lsdem_quadrature_clear(&volume);
  return status;
}
