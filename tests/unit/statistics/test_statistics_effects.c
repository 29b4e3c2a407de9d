/* Effects of factors: grids by hand, and the published shares of a function that is tried everywhere. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "server/study/statistics/effects.h"

#include "tests/support/suites.h"

#define near(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

/* By hand: y = 3 a + b + 2 a b on levels -1, 1 twice each, with +-0.5 between the two: squares 9, 1, 4 and 0.25 of 14.25. */
static void test_a_grid_is_taken_apart_exactly(void **state)
{
  (void)state;
  double factors[8][2], result[8];
  for (int r = 0; r < 8; r++) {
    double a = r & 1 ? 1 : -1, b = r & 2 ? 1 : -1;
    factors[r][0] = a;
    factors[r][1] = b;
    result[r] = 100 + 3 * a + b + 2 * a * b + (r & 4 ? 0.5 : -0.5);
  }
  effects out;
  assert_int_equal(effects_make(factors[0], 2, result, 8, &out, NULL), SCR_OK);
  assert_int_equal(out.method, EFFECTS_OF_GRID);
  near(out.main[0], 9 / 14.25, 1e-12);
  near(out.main[1], 1 / 14.25, 1e-12);
  near(out.pair[0][1], 4 / 14.25, 1e-12);
  near(out.rest, 0.25 / 14.25, 1e-12);
  near(out.mean, 100, 1e-12);
  near(out.deviation, sqrt(14.25 * 8 / 7), 1e-12);
  effects_level levels[8];
  size_t count;
  assert_int_equal(effects_levels(factors[0], 2, 0, result, 8, levels, &count), SCR_OK);
  assert_int_equal(count, 2);
  assert_int_equal(levels[1].rows, 4);
  assert_true(levels[0].value == -1 && levels[1].value == 1);
  near(levels[1].mean - levels[0].mean, 6, 1e-12);
  result[5] = NAN; /* no longer balanced: a fit of what is left */
  assert_int_equal(effects_make(factors[0], 2, result, 8, &out, NULL), SCR_OK);
  assert_int_equal(out.method, EFFECTS_OF_FIT);
  assert_int_equal(out.row_count, 7);
}

/* y = 4 x1 + 2 x2 + 6 x1 x2 + z^2 terms on independent even factors: variances by integration on [0, 1]. With u = 2 x - 1:
 * y = 7 u1/2 ... : x1 = (1 + u1) / 2, so 6 x1 x2 = 1.5 (1 + u1 + u2 + u1 u2): u1: 2 + 1.5 = 3.5, u2: 1 + 1.5 = 2.5, u1 u2: 1.5.
 * Variances: 3.5^2 / 3, 2.5^2 / 3, 1.5^2 / 9: shares 0.6494, 0.3313, 0.0398 (over 6.4167) . The third factor does nothing. */
static void test_a_sampled_design_gives_the_shares_of_the_integrals(void **state)
{
  (void)state;
  enum { ROWS = 2000 };
  static double factors[ROWS][3], result[ROWS];
  uint64_t seed = 11;
  for (int r = 0; r < ROWS; r++) {
    for (int f = 0; f < 3; f++) factors[r][f] = random_uniform(&seed);
    double *x = factors[r];
    result[r] = 4 * x[0] + 2 * x[1] + 6 * x[0] * x[1];
    x[0] = exp(5 * x[0]); /* effects of ranks: another scale of a factor changes nothing */
  }
  double total = 3.5 * 3.5 / 3 + 2.5 * 2.5 / 3 + 1.5 * 1.5 / 9;
  effects out;
  assert_int_equal(effects_make(factors[0], 3, result, ROWS, &out, NULL), SCR_OK);
  assert_int_equal(out.method, EFFECTS_OF_FIT);
  near(out.main[0], 3.5 * 3.5 / 3 / total, 0.02);
  near(out.main[1], 2.5 * 2.5 / 3 / total, 0.02);
  near(out.pair[1][0], 1.5 * 1.5 / 9 / total, 0.01);
  near(out.main[2], 0, 0.002);
  assert_true(out.predicted > 0.99);
}

/* A result of chance alone is explained by no factor: what a fit of 6 terms predicts of rows left out is nothing. */
static void test_a_fit_says_when_it_predicts_nothing(void **state)
{
  (void)state;
  double factors[40][2], result[40];
  uint64_t seed = 5;
  for (int r = 0; r < 40; r++) {
    factors[r][0] = random_uniform(&seed);
    factors[r][1] = random_uniform(&seed);
    result[r] = random_uniform(&seed);
  }
  effects out;
  assert_int_equal(effects_make(factors[0], 2, result, 40, &out, NULL), SCR_OK);
  assert_true(out.predicted < 0.2);
}

enum { LEFT_OUT_ROWS = 14, LEFT_OUT_COLUMNS = 6 };

/* Prediction of one row by least squares over all the others, from their normal equations. */
static double predicted_without(double columns[][LEFT_OUT_COLUMNS], const double *y, int row)
{
  double a[LEFT_OUT_COLUMNS][LEFT_OUT_COLUMNS + 1] = {{0}}, sum = 0;
  for (int r = 0; r < LEFT_OUT_ROWS; r++)
    for (int i = 0; r != row && i < LEFT_OUT_COLUMNS; i++) {
      for (int j = 0; j < LEFT_OUT_COLUMNS; j++) a[i][j] += columns[r][i] * columns[r][j];
      a[i][LEFT_OUT_COLUMNS] += columns[r][i] * y[r];
    }
  for (int i = 0; i < LEFT_OUT_COLUMNS; i++)
    for (int j = 0; j < LEFT_OUT_COLUMNS; j++) {
      double factor = a[j][i] / a[i][i];
      for (int k = 0; j != i && k <= LEFT_OUT_COLUMNS; k++) a[j][k] -= factor * a[i][k];
    }
  for (int i = 0; i < LEFT_OUT_COLUMNS; i++) sum += a[i][LEFT_OUT_COLUMNS] / a[i][i] * columns[row][i];
  return sum;
}

/* What a fit predicts of rows left out, against fits without each of the rows, one after the other. The ranks of these factors are their
 * values; polynomials of degree 2 of them span what Legendre's do. */
static void test_what_a_fit_predicts_is_what_fits_without_each_row_predict(void **state)
{
  (void)state;
  double factors[LEFT_OUT_ROWS][2], result[LEFT_OUT_ROWS], columns[LEFT_OUT_ROWS][LEFT_OUT_COLUMNS], mean = 0, total = 0, press = 0;
  for (int r = 0; r < LEFT_OUT_ROWS; r++) {
    double u = r, v = 5 * r % LEFT_OUT_ROWS, x = u / 6.5 - 1, z = v / 6.5 - 1;
    factors[r][0] = u, factors[r][1] = v;
    result[r] = 2 * x - z + x * z + 0.5 * sin(3.0 * r);
    const double terms[LEFT_OUT_COLUMNS] = {1, x, z, x * x, z * z, x * z};
    memcpy(columns[r], terms, sizeof terms);
    mean += result[r] / LEFT_OUT_ROWS;
  }
  for (int r = 0; r < LEFT_OUT_ROWS; r++) {
    total += (result[r] - mean) * (result[r] - mean);
    press += pow(result[r] - predicted_without(columns, result, r), 2);
  }
  effects out;
  assert_int_equal(effects_make(factors[0], 2, result, LEFT_OUT_ROWS, &out, NULL), SCR_OK);
  assert_int_equal(out.method, EFFECTS_OF_FIT);
  assert_true(press / total > 0.02);
  near(out.predicted, 1 - press / total, 1e-9);
}

static void test_too_few_rows_and_results_that_do_not_vary_are_refused(void **state)
{
  (void)state;
  double factors[6] = {1, 2, 3, 5, 8, 13}, flat[6] = {7.7, 7.7, 7.7, 7.7, 7.7, 7.7}, result[3] = {1, 2, 4};
  effects out;
  scr_error error;
  assert_int_equal(effects_make(factors, 1, flat, 6, &out, &error), SCR_BAD_USAGE);
  assert_non_null(strstr(error.message, "does not vary"));
  assert_int_equal(effects_make(factors, 2, result, 3, &out, &error), SCR_BAD_USAGE);
  assert_non_null(strstr(error.message, "need 5 at least"));
  assert_int_equal(effects_make(factors, 0, result, 3, &out, &error), SCR_BAD_USAGE);
}

SUITE(test_statistics_effects)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_grid_is_taken_apart_exactly),
      cmocka_unit_test(test_a_sampled_design_gives_the_shares_of_the_integrals),
      cmocka_unit_test(test_a_fit_says_when_it_predicts_nothing),
      cmocka_unit_test(test_what_a_fit_predicts_is_what_fits_without_each_row_predict),
      cmocka_unit_test(test_too_few_rows_and_results_that_do_not_vary_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
