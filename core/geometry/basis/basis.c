/* What a mode basis must be, and what follows from its fields. */
#include "geometry/basis/basis.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

void geo_basis_clear(geo_basis *basis)
{
  geo_hexes_clear(&basis->mesh);
  mem_free(basis->field);
  mem_free(basis->mass);
  mem_free(basis->stiffness);
  mem_free(basis->amplitude);
  mem_free(basis->energy);
  mem_free(basis->force);
  *basis = (geo_basis){0};
}

scr_status geo_basis_allocate(geo_basis *basis, scr_error *error)
{
  size_t modes = basis->mode_count, levels = basis->level_count, values = modes * basis->mesh.node_count;
  basis->field = mem_array(values, 3 * sizeof *basis->field);
  basis->mass = mem_array(modes * modes, sizeof *basis->mass);
  basis->stiffness = mem_array(modes * modes, sizeof *basis->stiffness);
  basis->amplitude = mem_array(levels * modes, sizeof *basis->amplitude);
  basis->energy = mem_array(levels, sizeof *basis->energy);
  basis->force = mem_array(levels * modes, sizeof *basis->force);
  if (basis->field && basis->mass && basis->stiffness && basis->amplitude && basis->energy && basis->force) return SCR_OK;
  geo_basis_clear(basis);
  return scr_fail_memory(error, "a mode basis", values * 3 * sizeof *basis->field);
}

/* ── integrals ──────────────────────────────────────────────────────────────────────────────────────────────────── */

/* A Gauss point of an element: volume, m^3, and shape functions. */
static double gauss_point(const geo_hexes *mesh, size_t element, int g, double shape[GEO_HEX_CORNERS])
{
  const double at = 1 / sqrt(3.0), *s = geo_hex_sign[g], xi[3] = {at * s[0], at * s[1], at * s[2]};
  double corner[GEO_HEX_CORNERS][3], jacobian[3][3], inverse[3][3];
  for (int a = 0; a < GEO_HEX_CORNERS; a++) memcpy(corner[a], mesh->node[mesh->hex[element][a]], sizeof corner[a]);
  geo_hex_jacobian((const double(*)[3])corner, xi, jacobian);
  geo_hex_shape(xi, shape);
  return geo_hex_invert(jacobian, inverse);
}

/* A field at a Gauss point. */
static void value_at(const geo_hexes *mesh, size_t element, const double shape[GEO_HEX_CORNERS], const double *field, double value[3])
{
  for (int i = 0; i < 3; i++) value[i] = 0;
  for (int a = 0; a < GEO_HEX_CORNERS; a++)
    for (int i = 0; i < 3; i++) value[i] += shape[a] * field[3 * (size_t)mesh->hex[element][a] + (size_t)i];
}

void geo_basis_integrate_mass(const geo_hexes *mesh, double density, const double *field, size_t count, double *mass)
{
  double value[GEO_BASIS_MODE_LIMIT][3];
  memset(mass, 0, count * count * sizeof *mass);
  for (size_t e = 0; e < mesh->hex_count; e++)
    for (int g = 0; g < GEO_HEX_CORNERS; g++) {
      double shape[GEO_HEX_CORNERS], weight = density * gauss_point(mesh, e, g, shape);
      for (size_t m = 0; m < count; m++) value_at(mesh, e, shape, field + m * 3 * mesh->node_count, value[m]);
      for (size_t a = 0; a < count; a++)
        for (size_t b = 0; b < count; b++)
          mass[a * count + b] += weight * (value[a][0] * value[b][0] + value[a][1] * value[b][1] + value[a][2] * value[b][2]);
    }
}

double geo_basis_centroid(const geo_hexes *mesh, double centroid[3])
{
  double volume = 0, moment[3] = {0, 0, 0};
  for (size_t e = 0; e < mesh->hex_count; e++)
    for (int g = 0; g < GEO_HEX_CORNERS; g++) {
      double shape[GEO_HEX_CORNERS], place[3], weight = gauss_point(mesh, e, g, shape);
      value_at(mesh, e, shape, &mesh->node[0][0], place);
      volume += weight;
      for (int i = 0; i < 3; i++) moment[i] += weight * place[i];
    }
  for (int i = 0; i < 3; i++) centroid[i] = moment[i] / volume;
  return volume;
}

void geo_basis_second_moments(const geo_hexes *mesh, double second[3])
{
  double centroid[3], volume = geo_basis_centroid(mesh, centroid), sum[3] = {0, 0, 0};
  for (size_t e = 0; e < mesh->hex_count; e++)
    for (int g = 0; g < GEO_HEX_CORNERS; g++) {
      double shape[GEO_HEX_CORNERS], place[3], weight = gauss_point(mesh, e, g, shape);
      value_at(mesh, e, shape, &mesh->node[0][0], place);
      for (int i = 0; i < 3; i++) sum[i] += weight * (place[i] - centroid[i]) * (place[i] - centroid[i]);
    }
  for (int i = 0; i < 3; i++) second[i] = sum[i] / volume;
}

/* The six rigid motions of a mesh about a place: three shifts and three turns.  @param field [6][node_count][3] */
static void rigid_fields(const geo_hexes *mesh, const double centre[3], double *field)
{
  memset(field, 0, 18 * mesh->node_count * sizeof *field);
  for (size_t n = 0; n < mesh->node_count; n++)
    for (int i = 0; i < 3; i++) {
      int j = (i + 1) % 3, k = (i + 2) % 3;
      double *turn = field + 3 * ((3 + (size_t)i) * mesh->node_count + n);
      field[3 * ((size_t)i * mesh->node_count + n) + (size_t)i] = 1;
      turn[k] = mesh->node[n][j] - centre[j], turn[j] = -(mesh->node[n][k] - centre[k]);
    }
}

/* Solves a system of 6 positive definite equations in place. */
static void solve_six(double matrix[6][6], double right[6])
{
  for (int p = 0; p < 6; p++)
    for (int r = p + 1; r < 6; r++) {
      double factor = matrix[r][p] / matrix[p][p];
      for (int c = p; c < 6; c++) matrix[r][c] -= factor * matrix[p][c];
      right[r] -= factor * right[p];
    }
  for (int p = 5; p >= 0; p--) {
    for (int c = p + 1; c < 6; c++) right[p] -= matrix[p][c] * right[c];
    right[p] /= matrix[p][p];
  }
}

scr_status geo_basis_free_of_rigid_motion(geo_basis *basis, scr_error *error)
{
  enum { RIGID = 6, ALL = RIGID + 1 };
  const size_t numbers = 3 * basis->mesh.node_count;
  double centre[3], mass[ALL * ALL], *field = mem_array(ALL * numbers, sizeof *field);
  if (!field) return scr_fail_memory(error, "rigid motions of a mode basis", ALL * numbers * sizeof *field);
  bool changed = false;
  (void)geo_basis_centroid(&basis->mesh, centre);
  rigid_fields(&basis->mesh, centre, field);
  for (size_t a = 0; a < basis->mode_count; a++) {
    double matrix[6][6], share[6], held = 0, *mode = basis->field + a * numbers;
    memcpy(field + RIGID * numbers, mode, numbers * sizeof *mode);
    geo_basis_integrate_mass(&basis->mesh, basis->density, field, ALL, mass);
    for (int i = 0; i < RIGID; i++) {
      for (int j = 0; j < RIGID; j++) matrix[i][j] = mass[i * ALL + j];
      share[i] = mass[i * ALL + RIGID];
      held = fmax(held, share[i] * share[i] / mass[i * ALL + i]);
    }
    if (held <= 1e-12 * mass[ALL * ALL - 1]) continue;
    solve_six(matrix, share);
    for (size_t k = 0; k < numbers; k++)
      for (size_t i = 0; i < RIGID; i++) mode[k] -= share[i] * field[i * numbers + k];
    changed = true;
  }
  mem_free(field);
  if (changed) geo_basis_integrate_mass(&basis->mesh, basis->density, basis->field, basis->mode_count, basis->mass);
  return SCR_OK;
}

/* ── soundness ──────────────────────────────────────────────────────────────────────────────────────────────────── */

static scr_status check_number(double value, double least, double most, const char *what, const char *unit, scr_error *error)
{
  if (value > least && value < most) return SCR_OK;
  return scr_fail(error, SCR_BAD_FILE, NULL,
                  "the basis has a %s of %g %s, which must be above %g and below %g: was it written in SI units?", what, value, unit, least,
                  most);
}

/* Symmetric to 1e-9 of the diagonal, and positive definite: Cholesky's factor is real. */
static scr_status check_matrix(const double *matrix, size_t n, const char *what, scr_error *error)
{
  double factor[GEO_BASIS_MODE_LIMIT][GEO_BASIS_MODE_LIMIT];
  for (size_t a = 0; a < n; a++)
    for (size_t b = 0; b < n; b++) {
      double scale = sqrt(fabs(matrix[a * n + a] * matrix[b * n + b])), value = matrix[a * n + b];
      if (fabs(value - matrix[b * n + a]) <= 1e-9 * scale) continue;
      return scr_fail(error, SCR_BAD_FILE, NULL, "the %s matrix of the basis is not symmetric: entry (%zu, %zu) is %g and (%zu, %zu) is %g",
                      what, a, b, value, b, a, matrix[b * n + a]);
    }
  for (size_t a = 0; a < n; a++)
    for (size_t b = 0; b <= a; b++) {
      double sum = matrix[a * n + b];
      for (size_t k = 0; k < b; k++) sum -= factor[a][k] * factor[b][k];
      if (b < a) {
        factor[a][b] = sum / factor[b][b];
      } else if (sum > 1e-12 * matrix[a * n + a] && isfinite(sum)) {
        factor[a][a] = sqrt(sum);
      } else {
        return scr_fail(
            error, SCR_BAD_FILE, NULL,
            "the %s matrix of the basis is not positive definite: mode %zu, counted from 0, depends on those before it, or is a "
            "rigid motion; leave it out",
            what, a);
      }
    }
  return SCR_OK;
}

static scr_status check_mass(const geo_basis *basis, scr_error *error)
{
  size_t n = basis->mode_count;
  double *mass = mem_array(n * n, sizeof *mass);
  if (!mass) return scr_fail_memory(error, "a modal mass", n * n * sizeof *mass);
  geo_basis_integrate_mass(&basis->mesh, basis->density, basis->field, n, mass);
  scr_status status = SCR_OK;
  for (size_t k = 0; k < n * n && status == SCR_OK; k++) {
    double scale = sqrt(fabs(mass[k / n * (n + 1)] * mass[k % n * (n + 1)]));
    if (fabs(mass[k] - basis->mass[k]) <= 1e-6 * scale) continue;
    status =
        scr_fail(error, SCR_BAD_FILE, NULL,
                 "the mass matrix of the basis does not belong to its fields: entry (%zu, %zu) is %g kg, the fields and the density give "
                 "%g kg",
                 k / n, k % n, basis->mass[k], mass[k]);
  }
  mem_free(mass);
  return status;
}

scr_status geo_basis_check(const geo_basis *basis, scr_error *error)
{
  SCR_TRY(check_number(basis->density, 0, 1e30, "density", "kg/m^3", error));
  SCR_TRY(check_number(basis->young_modulus, 0, 1e30, "Young's modulus", "Pa", error));
  SCR_TRY(check_number(basis->poisson_ratio, -1, 0.5, "Poisson's ratio", "", error));
  if (basis->mode_count < 1 || basis->mode_count > GEO_BASIS_MODE_LIMIT)
    return scr_fail(error, SCR_BAD_FILE, NULL, "the basis has %zu modes; 1 to %d are allowed", basis->mode_count, GEO_BASIS_MODE_LIMIT);
  SCR_TRY(geo_hexes_check(&basis->mesh, error));
  for (size_t l = 0; l < basis->level_count; l++)
    if (!(basis->energy[l] >= 0))
      return scr_fail(error, SCR_BAD_FILE, NULL, "level %zu of the basis, counted from 0, has an energy of %g J; it is at least 0", l,
                      basis->energy[l]);
  SCR_TRY(check_matrix(basis->mass, basis->mode_count, "mass", error));
  SCR_TRY(check_matrix(basis->stiffness, basis->mode_count, "stiffness", error));
  return check_mass(basis, error);
}
