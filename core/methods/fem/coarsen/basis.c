/* Making a mode basis. */
#include "methods/fem/coarsen/basis.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/quat.h"
#include "linalg/dense.h"

/* What the making works on: fields in the world's axes. */
typedef struct maker {
  const fem_basis_request *request;
  size_t size;    /* 3 nodes */
  double *field;  /* [modes][size] */
  double *heavy;  /* [6][size] M times rigid motions, or scratch */
  double *rigid;  /* [6][size] */
  double *mode;   /* [hexes][9] of incompatible modes */
  double *block;  /* K at rest */
  double *result; /* [size] */
} maker;

static double product(const double *a, const double *b, size_t size)
{
  double sum = 0;
  for (size_t k = 0; k < size; k++) sum += a[k] * b[k];
  return sum;
}

static void clear(maker *m)
{
  double *all[] = {m->field, m->heavy, m->rigid, m->mode, m->block, m->result};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) mem_free(all[k]);
}

static scr_status allocate(maker *m, scr_error *error)
{
  const fem_system *s = m->request->system;
  m->size = 3 * s->node_count;
  m->field = mem_array(m->request->mode_count * m->size, sizeof(double));
  m->heavy = mem_array(6 * m->size, sizeof(double));
  m->rigid = mem_array(6 * m->size, sizeof(double));
  m->mode = mem_array(s->hex_count, FEM_MODE_UNKNOWNS * sizeof(double));
  m->block = mem_array(s->block_count, 9 * sizeof(double));
  m->result = mem_array(m->size, sizeof(double));
  bool memory = m->field && m->heavy && m->rigid && m->mode && m->block && m->result;
  return memory ? SCR_OK : scr_fail_memory(error, "a mode basis", (m->request->mode_count + 13) * m->size * sizeof(double));
}

/* ── fields ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Rigid motions about the centroid of the nodes, over the size of the body so that their matrix is well conditioned. */
static void fill_rigid(maker *m)
{
  const fem_system *s = m->request->system;
  double centre[3] = {0, 0, 0}, span = 0;
  for (size_t k = 0; k < m->size; k++) centre[k % 3] += s->rest[k] / (double)s->node_count;
  for (size_t k = 0; k < m->size; k++) span = fmax(span, fabs(s->rest[k] - centre[k % 3]));
  for (size_t n = 0; n < s->node_count; n++) {
    double arm[3];
    for (size_t i = 0; i < 3; i++) arm[i] = (s->rest[3 * n + i] - centre[i]) / span;
    for (size_t i = 0; i < 3; i++) {
      size_t j = (i + 1) % 3, k = (i + 2) % 3;
      m->rigid[i * m->size + 3 * n + i] = 1;
      m->rigid[(3 + i) * m->size + 3 * n + j] = -arm[k];
      m->rigid[(3 + i) * m->size + 3 * n + k] = arm[j];
    }
  }
  for (size_t a = 0; a < 6; a++) fem_mass_multiply(s, m->rigid + a * m->size, m->heavy + a * m->size, m->request->execution);
}

/* Least squares in the metric of M: takes the combination of rigid motions off the field that has its momenta. The matrix is
 * orthonormalised once: rigid motions become M-orthogonal eigenvectors of their own mass matrix. */
static scr_status make_rigid_normal(maker *m, scr_error *error)
{
  double gram[36], values[6];
  for (size_t a = 0; a < 6; a++)
    for (size_t b = 0; b < 6; b++) gram[a * 6 + b] = product(m->rigid + a * m->size, m->heavy + b * m->size, m->size);
  SCR_TRY(la_dense_symmetric_eigen(6, gram, values, error));
  for (size_t k = 0; k < m->size; k++) {
    double old[6], weight[6];
    for (size_t a = 0; a < 6; a++) old[a] = m->rigid[a * m->size + k], weight[a] = m->heavy[a * m->size + k];
    for (size_t a = 0; a < 6; a++) {
      double sum = 0, heavy = 0;
      for (size_t b = 0; b < 6; b++) sum += gram[a * 6 + b] * old[b], heavy += gram[a * 6 + b] * weight[b];
      m->rigid[a * m->size + k] = sum / sqrt(values[a]);
      m->heavy[a * m->size + k] = heavy / sqrt(values[a]);
    }
  }
  return SCR_OK;
}

/* Twice: what rounding leaves of the first time goes with the second. */
static void take_rigid(const maker *m, double *field)
{
  for (int round = 0; round < 2; round++)
    for (size_t a = 0; a < 6; a++) {
      double share = product(m->heavy + a * m->size, field, m->size);
      for (size_t k = 0; k < m->size; k++) field[k] -= share * m->rigid[a * m->size + k];
    }
}

static void normalise(double *field, size_t size)
{
  double most = 0;
  for (size_t n = 0; n < size; n += 3) most = fmax(most, product(field + n, field + n, 3));
  for (size_t k = 0; k < size; k++) field[k] /= sqrt(most);
}

static scr_status make_fields(maker *m, scr_error *error)
{
  fill_rigid(m);
  SCR_TRY(make_rigid_normal(m, error));
  memcpy(m->field, m->request->modes->shape, m->request->mode_count * m->size * sizeof *m->field);
  for (size_t a = 0; a < m->request->mode_count; a++) {
    take_rigid(m, m->field + a * m->size);
    normalise(m->field + a * m->size, m->size);
  }
  return SCR_OK;
}

/* ── matrices and levels ────────────────────────────────────────────────────────────────────────────────────────── */

static void reduce(maker *m, geo_basis *basis)
{
  const fem_system *s = m->request->system;
  size_t count = basis->mode_count, bad;
  memset(m->result, 0, m->size * sizeof *m->result);
  memset(m->mode, 0, s->hex_count * FEM_MODE_UNKNOWNS * sizeof *m->mode);
  (void)fem_system_evaluate(s, m->result, m->mode, false, NULL, m->block, m->request->execution, &bad);
  for (size_t a = 0; a < count; a++) {
    fem_block_multiply(s, m->block, m->field + a * m->size, m->heavy, m->request->execution);
    for (size_t b = 0; b < count; b++) basis->stiffness[b * count + a] = product(m->field + b * m->size, m->heavy, m->size);
    fem_mass_multiply(s, m->field + a * m->size, m->heavy, m->request->execution);
    for (size_t b = 0; b < count; b++) basis->mass[b * count + a] = product(m->field + b * m->size, m->heavy, m->size);
  }
  for (size_t a = 0; a < count; a++) /* rounding apart they are symmetric */
    for (size_t b = 0; b < a; b++) {
      basis->stiffness[a * count + b] = basis->stiffness[b * count + a];
      basis->mass[a * count + b] = basis->mass[b * count + a];
    }
}

/* One level: amplitude `eps` of mode a alone. */
static scr_status evaluate_level(maker *m, size_t a, double eps, size_t level, geo_basis *basis, scr_error *error)
{
  size_t count = basis->mode_count, bad;
  double *displacement = m->heavy, *gradient = m->result;
  for (size_t k = 0; k < m->size; k++) displacement[k] = eps * m->field[a * m->size + k];
  memset(m->mode, 0, m->request->system->hex_count * FEM_MODE_UNKNOWNS * sizeof *m->mode);
  double energy = fem_system_evaluate(m->request->system, displacement, m->mode, false, gradient, NULL, m->request->execution, &bad);
  if (!isfinite(energy))
    return scr_fail(error, SCR_DIVERGED, NULL,
                    "an amplitude of %.4g m of mode %zu folds element %zu: use a smaller amplitude, of which levels are shares", eps, a + 1,
                    bad);
  basis->amplitude[level * count + a] = eps;
  basis->energy[level] = fmax(energy, 0);
  for (size_t b = 0; b < count; b++) basis->force[level * count + b] = product(gradient, m->field + b * m->size, m->size);
  scr_report_alive(&m->request->liveness);
  return SCR_OK;
}

/* A x = b of a small symmetric positive definite matrix, by Cholesky.  @param x [n] b, becomes x */
static void solve_small(size_t n, const double *matrix, double *x)
{
  double factor[GEO_BASIS_MODE_LIMIT][GEO_BASIS_MODE_LIMIT];
  for (size_t a = 0; a < n; a++)
    for (size_t b = 0; b <= a; b++) {
      double sum = matrix[a * n + b];
      for (size_t k = 0; k < b; k++) sum -= factor[a][k] * factor[b][k];
      factor[a][b] = a == b ? sqrt(sum) : sum / factor[b][b];
    }
  for (size_t a = 0; a < n; a++) {
    for (size_t k = 0; k < a; k++) x[a] -= factor[a][k] * x[k];
    x[a] /= factor[a][a];
  }
  for (size_t a = n; a-- > 0;) {
    for (size_t k = a + 1; k < n; k++) x[a] -= factor[k][a] * x[k];
    x[a] /= factor[a][a];
  }
}

/* ── snapshots along one load ───────────────────────────────────────────────────────────────────────────────────── */

/* How far each snapshot moved the place where the only mode is largest, along it. Before `reduce`, while M times rigid motions is there. */
static scr_status measure_travel(maker *m, geo_basis *basis, scr_error *error)
{
  size_t top = 0;
  for (size_t n = 0; n < m->size; n += 3)
    if (product(m->field + n, m->field + n, 3) > product(m->field + top, m->field + top, 3)) top = n;
  for (size_t l = 0; l < m->request->snapshot_count; l++) {
    double before = l ? basis->amplitude[l - 1] : 0;
    memcpy(m->result, m->request->snapshots + l * m->size, m->size * sizeof *m->result);
    take_rigid(m, m->result);
    basis->amplitude[l] = product(m->result + top, m->field + top, 3);
    if (!(basis->amplitude[l] > before))
      return scr_fail(
          error, SCR_DIVERGED, NULL,
          "snapshot %zu has moved the outermost place of its mode by %.4g m, the one before by %.4g m: the table of one mode needs a load "
          "that grows from snapshot to snapshot; load in one direction, or take other snapshot_modes",
          l + 1, basis->amplitude[l], before);
  }
  return SCR_OK;
}

/* Derivative, at x[at], of the parabola that is 1 at x[k] and 0 at the two others (Lagrange). */
static double parabola_slope(const double x[3], int at, int k)
{
  if (k == at) return 1 / (x[k] - x[(k + 1) % 3]) + 1 / (x[k] - x[(k + 2) % 3]);
  int other = 3 - at - k;
  return (x[at] - x[other]) / ((x[k] - x[at]) * (x[k] - x[other]));
}

/* dW/du . du/deps at a snapshot. @param gradient [size] dW/du */
static double force_along(const maker *m, const geo_basis *basis, const double *gradient, size_t level)
{
  size_t count = m->request->snapshot_count;
  if (count == 1) return product(gradient, m->request->snapshots, m->size) / basis->amplitude[0];
  size_t middle = level + 1 < count ? level : level - 1; /* snapshots middle - 1, middle, middle + 1; the one before the first is rest */
  double x[3], sum = 0;
  for (size_t k = 0; k < 3; k++) x[k] = middle + k ? basis->amplitude[middle + k - 1] : 0;
  for (size_t k = 0; k < 3; k++)
    if (middle + k)
      sum += parabola_slope(x, (int)(level + 1 - middle), (int)k) *
             product(gradient, m->request->snapshots + (middle + k - 1) * m->size, m->size);
  return sum;
}

/* Level `level` from a snapshot. */
static scr_status evaluate_snapshot(maker *m, const double *snapshot, size_t level, geo_basis *basis, scr_error *error)
{
  size_t count = basis->mode_count, bad;
  double *amplitude = basis->amplitude + level * count;
  if (!m->request->travel) {
    fem_mass_multiply(m->request->system, snapshot, m->heavy, m->request->execution);
    for (size_t a = 0; a < count; a++) amplitude[a] = product(m->heavy, m->field + a * m->size, m->size);
    solve_small(count, basis->mass, amplitude);
  }
  memset(m->mode, 0, m->request->system->hex_count * FEM_MODE_UNKNOWNS * sizeof *m->mode);
  double energy = fem_system_evaluate(m->request->system, snapshot, m->mode, false, m->result, NULL, m->request->execution, &bad);
  if (!isfinite(energy))
    return scr_fail(error, SCR_DIVERGED, NULL, "element %zu of snapshot %zu is folded: the motion is too violent for this mesh", bad,
                    level + 1);
  basis->energy[level] = fmax(energy, 0);
  for (size_t b = 0; b < count; b++)
    basis->force[level * count + b] =
        m->request->travel ? force_along(m, basis, m->result, level) : product(m->result, m->field + b * m->size, m->size);
  scr_report_alive(&m->request->liveness);
  return SCR_OK;
}

static scr_status make_levels(maker *m, geo_basis *basis, scr_error *error)
{
  size_t level = 0, levels = m->request->levels;
  for (size_t k = 0; k < m->request->snapshot_count; k++)
    SCR_TRY(evaluate_snapshot(m, m->request->snapshots + k * m->size, level++, basis, error));
  for (size_t a = 0; a < basis->mode_count; a++)
    for (size_t k = 0; k <= 2 * levels; k++)
      if (k != levels) {
        double eps = m->request->amplitude * ((double)k - (double)levels) / (double)levels;
        SCR_TRY(evaluate_level(m, a, eps, level++, basis, error));
      }
  return SCR_OK;
}

/* Fields in the shape's own axes. */
static void turn_back(const maker *m, geo_basis *basis)
{
  const scr_specimen *specimen = m->request->specimen;
  scr_quat back = quat_exp(vec3_scale(specimen->rotation_axis, -specimen->rotation_angle));
  memcpy(basis->field, m->field, basis->mode_count * m->size * sizeof *basis->field);
  if (specimen->rotation_angle == 0) return;
  for (size_t k = 0; k < basis->mode_count * m->size; k += 3) {
    scr_vec3 u = quat_rotate(back, vec3(m->field[k], m->field[k + 1], m->field[k + 2]));
    basis->field[k] = u.x, basis->field[k + 1] = u.y, basis->field[k + 2] = u.z;
  }
}

static scr_status copy_mesh(const geo_hexes *from, geo_hexes *to, scr_error *error)
{
  SCR_TRY(geo_hexes_create(from->node_count, from->hex_count, to, error));
  memcpy(to->node, from->node, from->node_count * sizeof *to->node);
  memcpy(to->hex, from->hex, from->hex_count * sizeof *to->hex);
  return SCR_OK;
}

scr_status fem_basis_make(const fem_basis_request *request, geo_basis *basis, scr_error *error)
{
  maker m = {.request = request};
  size_t levels = 2 * request->levels * request->mode_count + request->snapshot_count;
  if (request->mode_count > GEO_BASIS_MODE_LIMIT || request->mode_count > request->modes->count || levels > GEO_BASIS_LEVEL_LIMIT)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "a basis has at most %d modes and %d levels, not %zu and %zu: ask for fewer",
                    GEO_BASIS_MODE_LIMIT, GEO_BASIS_LEVEL_LIMIT, request->mode_count, levels);
  if (request->travel && (request->mode_count != 1 || request->snapshot_count == 0))
    return scr_fail(error, SCR_BAD_USAGE, NULL,
                    "amplitudes along a load are of one mode with snapshots, not of %zu modes and %zu snapshots", request->mode_count,
                    request->snapshot_count);
  *basis = (geo_basis){.density = request->system->density[0],
                       .young_modulus = request->young_modulus,
                       .poisson_ratio = request->poisson_ratio,
                       .mode_count = request->mode_count,
                       .level_count = levels};
  scr_status status = copy_mesh(request->mesh, &basis->mesh, error);
  if (status == SCR_OK) status = geo_basis_allocate(basis, error);
  if (status == SCR_OK) status = allocate(&m, error);
  if (status == SCR_OK) status = make_fields(&m, error);
  if (status == SCR_OK && request->travel) status = measure_travel(&m, basis, error);
  if (status == SCR_OK) {
    reduce(&m, basis);
    turn_back(&m, basis);
    status = make_levels(&m, basis, error);
  }
  if (status == SCR_OK) status = geo_basis_check(basis, error);
  clear(&m);
  if (status != SCR_OK) geo_basis_clear(basis);
  return status;
}
