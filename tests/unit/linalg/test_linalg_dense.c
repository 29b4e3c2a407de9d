/* Dense decompositions: against matrices whose values are known, and by putting them together again. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "linalg/dense.h"
#include "linalg/pivoted_cholesky.h"
#include "tests/support/suites.h"

static const double pi = 3.14159265358979323846;

static double uniform(uint64_t *seed)
{
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) * 0x1p-52 - 1.0;
}

/* The singular values of the Hilbert matrix, 1/(i + j - 1), which is symmetric positive definite: their sum is its trace, their product its
 * determinant c_n^4 / c_2n, c_n = 1! 2! ... (n - 1)!. With n = 6 the smallest is 1e-7, so its relative error is 1e-9 at rounding. */
static void test_the_hilbert_matrix_has_its_singular_values(void **state)
{
  (void)state;
  enum { N = 6 };
  double a[N * N], values[N], alone[N], left[N * N], right[N * N], trace = 0, sum = 0, product = 1, determinant = 1;
  for (int pass = 0; pass < 2; ++pass) {
    for (int c = 0; c < N; ++c)
      for (int r = 0; r < N; ++r) a[c * N + r] = 1.0 / (r + c + 1);
    assert_int_equal(la_dense_svd(N, N, a, pass ? alone : values, pass ? NULL : left, pass ? NULL : right, NULL), SCR_OK);
  }
  double factorial = 1;
  for (int k = 1; k < 2 * N; ++k) {
    factorial *= k;
    determinant /= factorial;
    if (k < N) determinant *= pow(factorial, 4);
  }
  for (int k = 0; k < N; ++k) {
    trace += 1.0 / (2 * k + 1);
    sum += values[k];
    product *= values[k];
    assert_true(k == 0 || values[k] <= values[k - 1]);
    assert_true(fabs(values[k] - alone[k]) < 1e-15 * values[0] * N);
  }
  assert_true(fabs(sum / trace - 1) < 1e-14 && fabs(product / determinant - 1) < 1e-7);
  for (int c = 0; c < N; ++c)
    for (int r = 0; r < N; ++r) {
      double again = 0;
      for (int k = 0; k < N; ++k) again += left[k * N + r] * values[k] * right[c * N + k];
      assert_true(fabs(again - 1.0 / (r + c + 1)) < 1e-14);
    }
}

/* Rows more than columns and the other way round: U diag V^T is the matrix. */
static void test_oblong_matrices_are_put_together_again(void **state)
{
  (void)state;
  static const size_t sizes[2][2] = {{7, 4}, {3, 5}};
  for (int s = 0; s < 2; ++s) {
    size_t rows = sizes[s][0], columns = sizes[s][1], k = rows < columns ? rows : columns;
    double a[28], kept[28], values[4], left[28], right[28];
    uint64_t seed = 11;
    for (size_t i = 0; i < rows * columns; ++i) a[i] = kept[i] = uniform(&seed);
    assert_int_equal(la_dense_svd(rows, columns, a, values, left, right, NULL), SCR_OK);
    for (size_t c = 0; c < columns; ++c)
      for (size_t r = 0; r < rows; ++r) {
        double again = 0;
        for (size_t i = 0; i < k; ++i) again += left[i * rows + r] * values[i] * right[c * k + i];
        assert_true(fabs(again - kept[c * rows + r]) < 1e-14);
      }
  }
}

/* A parabola through noisy-free points: Q R is the matrix, Q^T Q = 1, R's diagonal is not negative, and R x = Q^T y finds the coefficients.
 * */
static void test_least_squares_find_a_parabola(void **state)
{
  (void)state;
  enum { ROWS = 9, COLUMNS = 3 };
  double a[ROWS * COLUMNS], kept[ROWS * COLUMNS], r[COLUMNS * COLUMNS], y[ROWS], x[COLUMNS];
  for (int i = 0; i < ROWS; ++i) {
    double t = 0.3 * i - 1;
    for (int c = 0; c < COLUMNS; ++c) a[c * ROWS + i] = kept[c * ROWS + i] = pow(t, c);
    y[i] = 2 - 3 * t + 0.5 * t * t;
  }
  assert_int_equal(la_dense_qr(ROWS, COLUMNS, a, r, NULL), SCR_OK);
  for (int c = 0; c < COLUMNS; ++c) {
    assert_true(r[c * COLUMNS + c] > 0);
    for (int k = c + 1; k < COLUMNS; ++k) assert_true(r[c * COLUMNS + k] == 0);
    for (int i = 0; i < ROWS; ++i) {
      double again = 0;
      for (int k = 0; k < COLUMNS; ++k) again += a[k * ROWS + i] * r[c * COLUMNS + k];
      assert_true(fabs(again - kept[c * ROWS + i]) < 1e-14);
    }
    for (int k = 0; k < COLUMNS; ++k) {
      double product = 0;
      for (int i = 0; i < ROWS; ++i) product += a[c * ROWS + i] * a[k * ROWS + i];
      assert_true(fabs(product - (c == k)) < 1e-14);
    }
  }
  for (int c = COLUMNS; c-- > 0;) {
    x[c] = 0;
    for (int i = 0; i < ROWS; ++i) x[c] += a[c * ROWS + i] * y[i];
    for (int k = c + 1; k < COLUMNS; ++k) x[c] -= r[k * COLUMNS + c] * x[k];
    x[c] /= r[c * COLUMNS + c];
  }
  assert_true(fabs(x[0] - 2) < 1e-13 && fabs(x[1] + 3) < 1e-13 && fabs(x[2] - 0.5) < 1e-13);
}

/* The second difference has the eigenvalues 2 - 2 cos(k pi/(n + 1)); with masses of 4 a quarter of them, and vectors of length 1/2. */
static void test_second_differences_have_their_eigenvalues(void **state)
{
  (void)state;
  enum { N = 30 };
  double a[N * N], b[N * N], values[N];
  for (int masses = 0; masses < 2; ++masses) {
    memset(a, 0, sizeof a);
    memset(b, 0, sizeof b);
    for (int k = 0; k < N; ++k) {
      a[k * N + k] = 2;
      b[k * N + k] = 4;
      if (k + 1 < N) a[k * N + k + 1] = -1;
    }
    assert_int_equal(masses ? la_dense_pencil_eigen(N, a, b, values, NULL) : la_dense_symmetric_eigen(N, a, values, NULL), SCR_OK);
    for (int k = 0; k < N; ++k) {
      double size = 0;
      for (int i = 0; i < N; ++i) size += a[k * N + i] * a[k * N + i];
      assert_true(fabs(values[k] - (2 - 2 * cos(pi * (k + 1) / (N + 1))) / (masses ? 4 : 1)) < 1e-14);
      assert_true(fabs(size - (masses ? 0.25 : 1)) < 1e-13);
    }
  }
}

/* The inverse of the second difference is known: min(i, j) (n + 1 - max(i, j))/(n + 1), i, j from 1. Only the lower triangle is looked at.
 * */
static void test_second_differences_have_their_inverse(void **state)
{
  (void)state;
  enum { N = 20 };
  double a[N * N] = {0};
  for (int k = 0; k < N; ++k) {
    a[k * N + k] = 2;
    if (k + 1 < N) a[k * N + k + 1] = -1, a[(k + 1) * N + k] = NAN;
  }
  assert_int_equal(la_dense_positive_inverse(N, a, NULL), SCR_OK);
  for (int i = 1; i <= N; ++i)
    for (int j = 1; j <= N; ++j) {
      double low = i < j ? i : j, high = i < j ? j : i;
      assert_true(fabs(a[(i - 1) * N + j - 1] - low * (N + 1 - high) / (N + 1)) < 1e-13);
    }
}

/* A x of a known x is solved for x, with rows that need to trade places; a matrix of rank 2 is refused. */
static void test_equations_are_solved(void **state)
{
  (void)state;
  double a[9] = {0, 3, 1, 2, 1, 0, 4, -1, 2}, x[3] = {0};
  const double wanted[3] = {1, -2, 0.5};
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++) x[r] += a[3 * c + r] * wanted[c];
  int32_t pivot[3];
  assert_int_equal(la_dense_factor(3, a, pivot, NULL), SCR_OK);
  assert_int_equal(la_dense_solve(3, a, pivot, x, NULL), SCR_OK);
  for (int r = 0; r < 3; r++) assert_true(fabs(x[r] - wanted[r]) < 1e-14);
  double flat[4] = {1, 2, 2, 4};
  scr_error error = {0};
  assert_int_equal(la_dense_factor(2, flat, pivot, &error), SCR_DIVERGED);
  assert_non_null(strstr(error.message, "singular"));
}

/* The same of second differences, whose lower triangle alone is looked at; what is not positive definite is refused.
 */
static void test_positive_equations_are_solved(void **state)
{
  (void)state;
  double a[9] = {2, -1, 0, NAN, 2, -1, NAN, NAN, 2}, x[3] = {0, 0, 4}; /* of 1, 2, 3 */
  assert_int_equal(la_dense_positive_factor(3, a, NULL), SCR_OK);
  assert_int_equal(la_dense_positive_solve(3, a, x, NULL), SCR_OK);
  for (int r = 0; r < 3; r++) assert_true(fabs(x[r] - (r + 1)) < 1e-14);
  double saddle[4] = {1, 2, 2, 1};
  assert_int_equal(la_dense_positive_factor(2, saddle, NULL), SCR_DIVERGED);
}

/* Numbers that are none, shapes that don't fit and masses that are not positive are refused with a reason. */
static void test_what_has_no_decomposition_is_refused(void **state)
{
  (void)state;
  double a[6] = {1, 2, NAN, 4, 5, 6}, r[9], values[3], k[4] = {1, 0, 0, 1}, m[4] = {1, 0, 0, -1};
  scr_error error = {0};
  assert_int_equal(la_dense_svd(3, 2, a, values, NULL, NULL, &error), SCR_BAD_USAGE);
  assert_non_null(strstr(error.message, "not finite"));
  assert_int_equal(la_dense_qr(2, 3, a, r, &error), SCR_BAD_USAGE);
  assert_non_null(strstr(error.message, "as many rows"));
  assert_int_equal(la_dense_symmetric_eigen((size_t)1 << 40, a, values, NULL), SCR_BAD_USAGE);
  assert_int_equal(la_dense_pencil_eigen(2, k, m, values, &error), SCR_DIVERGED);
  assert_non_null(strstr(error.message, "not positive definite"));
  double none[4] = {1, 0, 0, -1};
  assert_int_equal(la_dense_positive_inverse(2, none, &error), SCR_DIVERGED);
  assert_non_null(strstr(error.message, "not positive definite"));
}

/* Of six vectors in four dimensions, two of which are sums of others: rank 4 (3 where one of the four is left out), L L^T is the matrix,
 * and the normal basis that the header's recurrence gives is orthonormal. The first pivot is the longest vector. */
static void test_pivots_find_what_is_new(void **state)
{
  (void)state;
  enum { N = 6, D = 4 };
  uint64_t seed = 3;
  double vector[N][D], gram[N * N], factor[N * N], basis[D][D];
  size_t order[N];
  for (int i = 0; i < N; i++)
    for (int k = 0; k < D; k++) vector[i][k] = uniform(&seed) * (i == 2 ? 3 : 1);
  for (int k = 0; k < D; k++) vector[1][k] = vector[0][k] - 2 * vector[3][k], vector[5][k] = 0.5 * vector[2][k];
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      gram[i * N + j] = 0;
      for (int k = 0; k < D; k++) gram[i * N + j] += vector[i][k] * vector[j][k];
      factor[i * N + j] = gram[i * N + j];
    }
  assert_int_equal(la_pivoted_cholesky(N, factor, 1e-12, order), D);
  assert_int_equal(order[0], 2);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      double sum = 0;
      for (int k = 0; k < N; k++) sum += factor[i * N + k] * factor[j * N + k];
      assert_true(fabs(sum - gram[order[i] * N + order[j]]) < 1e-13 * gram[2 * N + 2]);
    }
  for (int a = 0; a < D; a++)
    for (int k = 0; k < D; k++) {
      basis[a][k] = vector[order[a]][k];
      for (int b = 0; b < a; b++) basis[a][k] -= factor[a * N + b] * basis[b][k];
      basis[a][k] /= factor[a * N + a];
    }
  for (int a = 0; a < D; a++)
    for (int b = 0; b < D; b++) {
      double dot = 0;
      for (int k = 0; k < D; k++) dot += basis[a][k] * basis[b][k];
      assert_true(fabs(dot - (a == b)) < 1e-12);
    }
  double flat[4] = {1, 1, 1, 1 + 1e-7}, none[4] = {0, 0, 0, NAN};
  assert_int_equal(la_pivoted_cholesky(2, flat, 1e-6, order), 1); /* new by less than a thousandth of its length */
  assert_int_equal(la_pivoted_cholesky(2, none, 1e-6, order), 0);
}

SUITE(test_linalg_dense)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_hilbert_matrix_has_its_singular_values),
      cmocka_unit_test(test_oblong_matrices_are_put_together_again),
      cmocka_unit_test(test_least_squares_find_a_parabola),
      cmocka_unit_test(test_second_differences_have_their_eigenvalues),
      cmocka_unit_test(test_second_differences_have_their_inverse),
      cmocka_unit_test(test_equations_are_solved),
      cmocka_unit_test(test_positive_equations_are_solved),
      cmocka_unit_test(test_what_has_no_decomposition_is_refused),
      cmocka_unit_test(test_pivots_find_what_is_new),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
