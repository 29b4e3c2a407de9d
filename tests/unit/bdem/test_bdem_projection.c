/* Positive semi-definite projection of small matrices and of a bond's Hessian. Matrices are drawn from a fixed seed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "linalg/symmetric_eigen.h"
#include "methods/bdem/bonds/bond.h"
#include "tests/support/suites.h"

static double uniform(uint64_t *seed)
{
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) * 0x1p-52 - 1.0;
}

static scr_vec3 random_vector(uint64_t *seed, double size)
{
  double x = uniform(seed), y = uniform(seed), z = uniform(seed);
  return vec3_scale(vec3(x, y, z), size);
}

static void random_symmetric(int n, uint64_t *seed, double *a)
{
  for (int r = 0; r < n; ++r)
    for (int c = 0; c <= r; ++c) a[n * r + c] = a[n * c + r] = uniform(seed);
}

static double largest(const double *a, int count)
{
  double m = 0.0;
  for (int k = 0; k < count; ++k) m = fmax(m, fabs(a[k]));
  return m;
}

/* A = V^T diag(values) V and V V^T = I to rounding, for every size up to 12, also when eigenvalues coincide (every third matrix is
 * the identity plus a rank-one part). 1e-13 is about 100 roundings of entries of size 1. */
static void test_eigenvectors_rebuild_the_matrix(void **state)
{
  uint64_t seed = 3;
  (void)state;
  for (int n = 1; n <= LA_EIGEN_LARGEST; ++n)
    for (int try = 0; try < 20; ++try) {
      double a[144], work[144], values[12], v[144], u[12];
      random_symmetric(n, &seed, a);
      for (int k = 0; k < n; ++k) u[k] = uniform(&seed);
      for (int k = 0; try % 3 == 0 && k < n * n; ++k) a[k] = (k / n == k % n) + u[k / n] * u[k % n];
      memcpy(work, a, sizeof work);
      la_symmetric_eigen(n, work, values, v);
      for (int r = 0; r < n; ++r)
        for (int c = 0; c < n; ++c) {
          double rebuilt = 0.0, dot = 0.0;
          for (int k = 0; k < n; ++k) {
            rebuilt += values[k] * v[n * k + r] * v[n * k + c];
            dot += v[n * r + k] * v[n * c + k];
          }
          assert_true(fabs(rebuilt - a[n * r + c]) < 1e-13 * (1.0 + largest(a, n * n)));
          assert_true(fabs(dot - (r == c)) < 1e-13);
        }
    }
}

/* The chain of n unit springs with both ends fixed has the eigenvalues 2 - 2 cos(k pi/(n + 1)), k = 1 ... n. Closed form. */
static void test_a_spring_chain_has_its_known_eigenvalues(void **state)
{
  double a[81] = {0}, values[9], v[81], pi = 3.14159265358979323846;
  (void)state;
  for (int k = 0; k < 9; ++k) {
    a[10 * k] = 2.0;
    if (k > 0) a[10 * k - 1] = a[10 * k - 9] = -1.0;
  }
  la_symmetric_eigen(9, a, values, v);
  for (int k = 1; k <= 9; ++k) {
    double wanted = 2.0 - 2.0 * cos(k * pi / 10.0), nearest = 1.0;
    for (int m = 0; m < 9; ++m) nearest = fmin(nearest, fabs(values[m] - wanted));
    assert_true(nearest < 1e-14 * 10);
  }
}

/* P is the nearest positive semi-definite matrix to A exactly when P >= 0, P - A >= 0 and P (P - A) = 0 (Moreau's decomposition in
 * the cone of such matrices): a test that needs no eigen-decomposition. x^T M x is tried on 50 random vectors. */
static void assert_nearest_semidefinite(int n, const double *a, const double *p)
{
  uint64_t seed = 5;
  double scale = largest(a, n * n);
  for (int try = 0; try < 50; ++try) {
    double x[12], kept = 0.0, removed = 0.0;
    for (int k = 0; k < n; ++k) x[k] = uniform(&seed);
    for (int r = 0; r < n; ++r)
      for (int c = 0; c < n; ++c) {
        kept += x[r] * p[n * r + c] * x[c];
        removed += x[r] * (p[n * r + c] - a[n * r + c]) * x[c];
      }
    assert_true(kept >= -1e-12 * scale && removed >= -1e-12 * scale);
  }
  for (int r = 0; r < n; ++r)
    for (int c = 0; c < n; ++c) {
      double product = 0.0;
      for (int k = 0; k < n; ++k) product += p[n * r + k] * (p[n * k + c] - a[n * k + c]);
      assert_true(fabs(product) <= 1e-12 * scale * scale * n);
    }
}

static void test_clipping_gives_the_nearest_semidefinite_matrix(void **state)
{
  uint64_t seed = 4;
  (void)state;
  for (int try = 0; try < 50; ++try) {
    double a[81], p[81];
    random_symmetric(9, &seed, a);
    memcpy(p, a, sizeof p);
    assert_true(la_symmetric_clip(9, p));
    assert_nearest_semidefinite(9, a, p);
    assert_false(la_symmetric_clip(9, memcpy(a, (double[81]){1.0}, sizeof a))); /* semi-definite: left alone */
  }
}

/* The Hessian as one matrix in (e, l0 y_i, l0 y_j), all in N/m. */
static void matrix_of(const bdem_bond *bond, const bdem_bond_hessian *h, double full[81])
{
  const double *blocks[3][3] = {{h->ee, h->ei, h->ej}, {h->ei, h->ii, h->ij}, {h->ej, h->ij, h->jj}};
  for (int r = 0; r < 9; ++r)
    for (int c = 0; c < 9; ++c) {
      double entry = r / 3 <= c / 3 ? blocks[r / 3][c / 3][3 * (r % 3) + c % 3] : blocks[r / 3][c / 3][3 * (c % 3) + r % 3];
      full[9 * r + c] = entry * (r < 3 ? 1.0 : 1.0 / bond->length) * (c < 3 ? 1.0 : 1.0 / bond->length);
    }
}

/* A bond's clipped Hessian is the nearest positive semi-definite one in the scaled unknowns, for bonds of 2 cm in random states with
 * turns up to about 1.5 rad and stretches of +-15 %, and the same to the last digit for stretched bonds without
 * turns, where it is semi-definite already. */
static void test_a_bonds_clipped_hessian_is_the_nearest_semidefinite_one(void **state)
{
  uint64_t seed = 6;
  bdem_elasticity material = {.young_modulus = 1e7, .poisson_ratio = 0.3};
  (void)state;
  for (int try = 0; try < 200; ++try) {
    double turn = try < 150 ? 1.5 : 0.0, exact[81], clipped[81];
    bdem_bond_hessian h;
    scr_vec3 axis = vec3_add(vec3(0.02, 0.004, 0), random_vector(&seed, 0.005));
    bdem_bond bond = bdem_bond_make(&material, 0.01, axis);
    scr_vec3 e = try < 150 ? vec3_add(axis, random_vector(&seed, 0.003)) : vec3_scale(axis, 1.1);
    scr_quat qi = quat_exp(random_vector(&seed, 0.5 * turn)), qj = quat_exp(random_vector(&seed, 0.5 * turn));
    bdem_bond_hessian_of(&bond, e, qi, qj, BDEM_CURVATURE_EXACT, &h);
    matrix_of(&bond, &h, exact);
    bdem_bond_hessian_of(&bond, e, qi, qj, BDEM_CURVATURE_CLIPPED, &h);
    matrix_of(&bond, &h, clipped);
    assert_nearest_semidefinite(9, exact, clipped);
    bool same = memcmp(exact, clipped, sizeof exact) == 0;
    assert_true(same == (try >= 150));
  }
}

SUITE(test_bdem_projection)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_eigenvectors_rebuild_the_matrix),
      cmocka_unit_test(test_a_spring_chain_has_its_known_eigenvalues),
      cmocka_unit_test(test_clipping_gives_the_nearest_semidefinite_matrix),
      cmocka_unit_test(test_a_bonds_clipped_hessian_is_the_nearest_semidefinite_one),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
