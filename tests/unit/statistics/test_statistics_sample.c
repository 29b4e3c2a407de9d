/* Samples and bands: against values by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "server/study/statistics/band.h"
#include "server/study/statistics/sample.h"

#include "tests/support/suites.h"

#define near(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

/* By hand: type 7 of {1, 2, 4, 8}: h = 3 p, so the quartile is 1.75, the median 3, the 90 % quantile 4 + 0.7 * 4. */
static void test_a_quantile_lies_between_the_values_beside_it(void **state)
{
  (void)state;
  double values[] = {8, NAN, 2, 1, INFINITY, 4}, sorted[6];
  assert_int_equal(sample_sort(values, 6, sorted), 4);
  near(sample_quantile(sorted, 4, 0.25), 1.75, 1e-15);
  near(sample_quantile(sorted, 4, 0.5), 3, 1e-15);
  near(sample_quantile(sorted, 4, 0.9), 6.8, 1e-14);
  near(sample_quantile(sorted, 4, 1), 8, 0);
  assert_true(isnan(sample_quantile(sorted, 0, 0.5)));
}

/* By hand: {2, 4, 4, 4, 5, 5, 7, 9} has mean 5 and squares of 32 about it, so sqrt(32/7). */
static void test_mean_and_deviation_are_those_of_a_sample_by_hand(void **state)
{
  (void)state;
  double values[] = {2, 4, 4, 4, NAN, 5, 5, 7, 9};
  near(sample_mean(values, 9), 5, 1e-15);
  near(sample_deviation(values, 9), sqrt(32.0 / 7), 1e-14);
  assert_true(isnan(sample_deviation(values, 1)));
}

/* By hand: x = 1, 2, 3, y = 1, 3, 2: sums of squares 2 and 2, of products 1. */
static void test_correlation_is_half_for_three_points_by_hand(void **state)
{
  (void)state;
  double x[] = {1, 2, NAN, 3}, y[] = {1, 3, 9, 2}, same[] = {4.1, 4.1, 4.1, 4.1};
  near(sample_correlation(x, y, 4), 0.5, 1e-15);
  assert_true(isnan(sample_correlation(x, same, 4)));
}

/* Published: the 97.5 % and 99.9 % quantiles of the standard normal distribution. */
static void test_normal_quantiles_are_the_published_ones(void **state)
{
  (void)state;
  near(normal_quantile(0.975), 1.959963984540054, 1e-12);
  near(normal_quantile(0.05), -1.644853626951473, 1e-12);
  near(normal_quantile(0.999), 3.090232306167813, 1e-12);
  near(normal_quantile(1e-12), -7.034483825, 1e-8);
}

static void test_a_band_counts_curves_where_they_reach(void **state)
{
  (void)state;
  double long_x[] = {0, 4}, long_y[] = {0, 8}, short_x[] = {0, 1, 2}, short_y[] = {2, 4, 6}, late_x[] = {1, 3}, late_y[] = {0, 0};
  band_curve curves[] = {{long_x, long_y, 2}, {short_x, short_y, 3}, {late_x, late_y, 2}};
  double levels[] = {0, 0.5, 1};
  band out;
  assert_int_equal(band_make(curves, 3, levels, 3, 5, &out, NULL), SCR_OK);
  size_t reached[] = {2, 3, 3, 2, 1};
  double mean[] = {1, 2, 10.0 / 3, 3, 8}, median[] = {1, 2, 4, 3, 8}, high[] = {2, 4, 6, 6, 8};
  for (size_t p = 0; p < 5; p++) {
    near(out.x[p], (double)p, 1e-15);
    assert_int_equal(out.reached[p], reached[p]);
    near(out.mean[p], mean[p], 1e-14);
    near(out.quantile[5 + p], median[p], 1e-14);
    near(out.quantile[10 + p], high[p], 1e-14);
  }
  near(out.deviation[1], 2, 1e-14); /* of 2, 4, 0 */
  assert_true(isnan(out.deviation[4]));
  band_clear(&out);
}

/* Samples between others on the same straight lines change nothing. */
static void test_a_band_does_not_depend_on_the_sampling(void **state)
{
  (void)state;
  double x[] = {0, 1, 3}, y[] = {0, 2, 1}, fine_x[61], fine_y[61], levels[] = {0.5};
  for (size_t i = 0; i <= 60; i++) {
    fine_x[i] = 0.05 * (double)i;
    fine_y[i] = i <= 20 ? 0.1 * (double)i : 2 - 0.025 * (double)(i - 20);
  }
  band_curve coarse = {x, y, 3}, fine = {fine_x, fine_y, 61};
  band a, b;
  assert_int_equal(band_make(&coarse, 1, levels, 1, 100, &a, NULL), SCR_OK);
  assert_int_equal(band_make(&fine, 1, levels, 1, 100, &b, NULL), SCR_OK);
  for (size_t p = 0; p < 100; p++) near(a.mean[p], b.mean[p], 1e-12);
  band_clear(&a);
  band_clear(&b);
}

static void test_a_curve_that_turns_back_is_refused_and_noise_is_not(void **state)
{
  (void)state;
  double x[] = {0, 1, 0.5, 2}, y[] = {0, 1, 2, 3}, noisy_x[] = {0, 1, 0.999, 2}, levels[] = {0.5};
  band_curve curves[] = {{noisy_x, y, 4}, {x, y, 4}};
  band out;
  scr_error error;
  assert_int_equal(band_make(curves, 1, levels, 1, 3, &out, &error), SCR_OK);
  near(out.mean[2], 3, 0);
  band_clear(&out);
  assert_int_equal(band_make(curves, 2, levels, 1, 3, &out, &error), SCR_BAD_USAGE);
  assert_non_null(strstr(error.message, "curve 2 turns back from x = 1 by 0.5"));
  assert_int_equal(band_make(curves, 0, levels, 1, 3, &out, &error), SCR_BAD_USAGE);
  assert_int_equal(band_make(curves, 1, levels, 1, 1, &out, &error), SCR_BAD_USAGE);
}

SUITE(test_statistics_sample)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_quantile_lies_between_the_values_beside_it),
      cmocka_unit_test(test_mean_and_deviation_are_those_of_a_sample_by_hand),
      cmocka_unit_test(test_correlation_is_half_for_three_points_by_hand),
      cmocka_unit_test(test_normal_quantiles_are_the_published_ones),
      cmocka_unit_test(test_a_band_counts_curves_where_they_reach),
      cmocka_unit_test(test_a_band_does_not_depend_on_the_sampling),
      cmocka_unit_test(test_a_curve_that_turns_back_is_refused_and_noise_is_not),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
