/* Least squares with inequalities. Reference: the conditions of Karush, Kuhn and Tucker, which make a point of a convex problem the best
 * one. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "linalg/nonnegative.h"
#include "tests/support/suites.h"

enum { MOST = 12 };

static double uniform(uint64_t *seed)
{
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) * 0x1p-52 - 1.0;
}

/* u >= 0; the residual's slope along a column is nowhere downhill, and flat where u > 0. Problems wide and tall, some with columns that are
 * twice others or zero. */
static void test_what_is_found_is_the_best_that_is_not_negative(void **state)
{
  (void)state;
  uint64_t seed = 3;
  int bound = 0, free = 0;
  for (int problem = 0; problem < 300; problem++) {
    const size_t rows = 1 + (size_t)(problem % 8), columns = 1 + (size_t)(problem % MOST);
    double e[MOST * 8], f[8], u[MOST], residual[8];
    for (size_t k = 0; k < rows * columns; k++) e[k] = uniform(&seed);
    for (size_t r = 0; r < rows; r++) {
      f[r] = uniform(&seed);
      if (problem % 5 == 0 && columns > 2) e[2 * rows + r] = 2 * e[r];
      if (problem % 7 == 0) e[(columns - 1) * rows + r] = 0;
    }
    assert_int_equal(la_nonnegative_least_squares(rows, columns, e, f, u, NULL), SCR_OK);
    for (size_t r = 0; r < rows; r++) {
      residual[r] = f[r];
      for (size_t c = 0; c < columns; c++) residual[r] -= e[c * rows + r] * u[c];
    }
    for (size_t c = 0; c < columns; c++) {
      double slope = 0;
      for (size_t r = 0; r < rows; r++) slope += e[c * rows + r] * residual[r];
      assert_true(u[c] >= 0 && slope < 1e-10);
      if (u[c] > 0) assert_true(fabs(slope) < 1e-10);
      bound += u[c] == 0, free += u[c] > 0;
    }
  }
  assert_true(bound > 300 && free > 300);
}

/* Conditions hold; the slope of the squares, R^T (R x - d), is a sum of conditions that hold just so, none with a negative factor: no
 * allowed way goes downhill from x, nor back along x itself (x is the tip of a ray of the cone: x . slope = 0). Ways that are allowed are
 * tried at random, to 1e-10. */
static void test_the_nearest_point_of_a_cone_is_found(void **state)
{
  (void)state;
  enum { N = 5 };
  uint64_t seed = 8;
  int touching = 0;
  for (int problem = 0; problem < 200; problem++) {
    const size_t count = (size_t)(problem % MOST);
    double r[N * N] = {0}, d[N], g[MOST * N], x[N], slope[N], along = 0;
    for (size_t c = 0; c < N; c++) {
      d[c] = uniform(&seed);
      for (size_t k = 0; k < c; k++) r[c * N + k] = uniform(&seed);
      r[c * N + c] = 0.1 + fabs(uniform(&seed));
    }
    for (size_t k = 0; k < count * N; k++) g[k] = uniform(&seed);
    assert_int_equal(la_cone_least_squares(N, r, d, count, g, x, NULL), SCR_OK);
    double off[N];
    for (size_t i = 0; i < N; i++) {
      off[i] = -d[i];
      for (size_t c = i; c < N; c++) off[i] += r[c * N + i] * x[c];
    }
    for (size_t c = 0; c < N; c++) {
      slope[c] = 0;
      for (size_t i = 0; i <= c; i++) slope[c] += r[c * N + i] * off[i];
      along += slope[c] * x[c];
    }
    assert_true(fabs(along) < 1e-10);
    for (size_t k = 0; k < count; k++) {
      double held = 0;
      for (size_t c = 0; c < N; c++) held += g[k * N + c] * x[c];
      assert_true(held > -1e-9);
      touching += held < 1e-9;
    }
    for (int ray = 0; ray < 2000; ray++) { /* slope . y >= 0 for every y of the cone */
      double y[N], down = 0;
      bool allowed = true;
      for (size_t c = 0; c < N; c++) y[c] = uniform(&seed), down += slope[c] * y[c];
      for (size_t k = 0; k < count && allowed; k++) {
        double held = 0;
        for (size_t c = 0; c < N; c++) held += g[k * N + c] * y[c];
        allowed = held >= 0;
      }
      if (allowed) assert_true(down > -1e-10);
    }
  }
  assert_true(touching > 200);
}

static void test_entries_that_are_not_finite_are_refused(void **state)
{
  (void)state;
  const double bad[2] = {1, NAN}, good[2] = {1, 2};
  double u[1];
  assert_int_equal(la_nonnegative_least_squares(2, 1, bad, good, u, NULL), SCR_BAD_USAGE);
  assert_int_equal(la_nonnegative_least_squares(2, 1, good, bad, u, NULL), SCR_BAD_USAGE);
}

SUITE(test_linalg_nonnegative)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_what_is_found_is_the_best_that_is_not_negative),
      cmocka_unit_test(test_the_nearest_point_of_a_cone_is_found),
      cmocka_unit_test(test_entries_that_are_not_finite_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
