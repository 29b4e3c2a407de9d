/* The Weibull fit: published data, the likelihood itself, and how often its intervals cover what samples were made with. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "server/study/statistics/weibull.h"

#include "tests/support/suites.h"

#define near(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

/* Millions of revolutions of 23 ball bearings: Lieblein and Zelen 1956. Their fit as often published (Lawless 1982, among others): modulus
 * 2.10, scale 81.9, log likelihood -113.69. */
static const double bearings[] = {17.88, 28.92, 33.00, 41.52, 42.12, 45.60, 48.40,  51.84,  51.96,  54.12,  55.56, 67.80,
                                  68.64, 68.64, 68.88, 84.12, 93.12, 98.64, 105.12, 105.84, 127.92, 128.04, 173.40};
enum { BEARINGS = sizeof bearings / sizeof *bearings };

static void test_ball_bearings_have_the_published_modulus_and_scale(void **state)
{
  (void)state;
  weibull_fit fit;
  assert_int_equal(weibull_estimate(bearings, NULL, BEARINGS, 0.9, NULL, &fit, NULL), SCR_OK);
  near(fit.modulus, 2.102, 0.002);
  near(fit.scale, 81.88, 0.03);
  near(fit.log_likelihood, -113.691, 0.005);
  assert_int_equal(fit.method, WEIBULL_BY_PIVOTS);
  assert_int_equal(fit.broken, BEARINGS);
}

/* The log likelihood from its definition, row by row. */
static double log_likelihood(const double *values, const bool *censored, size_t count, double modulus, double scale)
{
  double sum = 0;
  for (size_t i = 0; i < count; i++) {
    double power = pow(values[i] / scale, modulus);
    sum -= power;
    if (!censored[i]) sum += log(modulus / values[i] * power);
  }
  return sum;
}

/* The fit is where the likelihood's derivatives vanish (central differences); bounds of the interval of the modulus are where the greatest
 * likelihood over all scales, (sum v^m / r)^(1/m), is 1.3528 less: half the 90 % quantile of chi squared, 2.7055. */
static void test_censored_rows_count_in_the_likelihood(void **state)
{
  (void)state;
  bool censored[BEARINGS] = {[3] = true, [10] = true, [21] = true, [22] = true};
  weibull_fit fit;
  assert_int_equal(weibull_estimate(bearings, censored, BEARINGS, 0.9, NULL, &fit, NULL), SCR_OK);
  assert_int_equal(fit.method, WEIBULL_BY_PROFILE);
  assert_int_equal(fit.censored, 4);
  double h = 1e-4, top = log_likelihood(bearings, censored, BEARINGS, fit.modulus, fit.scale);
  near(top, fit.log_likelihood, 1e-9);
  for (int side = -1; side <= 1; side += 2) {
    assert_true(log_likelihood(bearings, censored, BEARINGS, fit.modulus * (1 + side * h), fit.scale) < top);
    assert_true(log_likelihood(bearings, censored, BEARINGS, fit.modulus, fit.scale * (1 + side * h)) < top);
    double m = side < 0 ? fit.modulus_low : fit.modulus_high, sum = 0;
    for (size_t i = 0; i < BEARINGS; i++) sum += pow(bearings[i], m);
    near(log_likelihood(bearings, censored, BEARINGS, m, pow(sum / 19, 1 / m)), top - 1.35277, 1e-4);
    double best = -INFINITY, scale = side < 0 ? fit.scale_low : fit.scale_high;
    for (double k = 0.5; k < 6; k += 0.001) best = fmax(best, log_likelihood(bearings, censored, BEARINGS, k, scale));
    near(best, top - 1.35277, 1e-4);
  }
  assert_true(fit.modulus_low < fit.modulus && fit.modulus < fit.modulus_high);
  assert_true(fit.scale_low < fit.scale && fit.scale < fit.scale_high);
}

/* Thoman, Bain and Antle 1969 (and ASTM C1239): unbiasing factors 0.859, 0.931, 0.955 of n = 10, 20, 30 and 90 % limits of the modulus over
 * its fit. */
static void test_pivots_are_the_published_ones(void **state)
{
  (void)state;
  static const struct {
    size_t n;
    double unbias, low, high;
  } published[] = {{10, 0.859, 0.738, 1.807}, {20, 0.931, 0.791, 1.449}};
  for (size_t k = 0; k < 2; k++) {
    weibull_pivots pivots;
    assert_int_equal(weibull_make_pivots(published[k].n, 0.9, &pivots, NULL), SCR_OK);
    near(1 / pivots.modulus_mean, published[k].unbias, 0.006);
    near(pivots.modulus_low, published[k].low, 0.01 * published[k].low);
    near(pivots.modulus_high, published[k].high, 0.02 * published[k].high);
  }
}

static double made_strength(uint64_t *state, double modulus, double scale)
{
  return scale * pow(-log1p(-random_uniform(state) - 0x1p-54), 1 / modulus);
}

/* Of 1,000 samples the 90 % interval covers the truth in 850 to 950; rows above `limit` are censored. */
static void must_cover(size_t rows, double limit, uint64_t seed)
{
  double values[100];
  bool censored[100];
  int modulus = 0, scale = 0;
  double mean = 0;
  weibull_pivots pivots;
  assert_int_equal(weibull_make_pivots(rows, 0.9, &pivots, NULL), SCR_OK);
  for (int k = 0; k < 1000; k++) {
    for (size_t i = 0; i < rows; i++) {
      values[i] = made_strength(&seed, 6, 2e7);
      censored[i] = values[i] > limit;
      if (censored[i]) values[i] = limit;
    }
    weibull_fit fit;
    assert_int_equal(weibull_estimate(values, censored, rows, 0.9, &pivots, &fit, NULL), SCR_OK);
    modulus += fit.modulus_low <= 6 && 6 <= fit.modulus_high;
    scale += fit.scale_low <= 2e7 && 2e7 <= fit.scale_high;
    mean += fit.modulus_unbiased / 1000;
  }
  print_message("# %zu rows: 90 %% intervals cover %d moduli and %d scales of 1000; mean unbiased modulus %.3f of 6\n", rows, modulus,
                scale, mean);
  assert_in_range(modulus, 850, 950);
  assert_in_range(scale, 850, 950);
  near(mean, 6, isinf(limit) ? 0.2 : 0.5);
}

static void test_intervals_of_complete_samples_cover_the_truth(void **state)
{
  (void)state;
  must_cover(10, INFINITY, 1);
  must_cover(30, INFINITY, 2);
  must_cover(100, INFINITY, 3);
}

/* A fifth of the rows has not broken at its end. */
static void test_intervals_of_censored_samples_cover_the_truth(void **state)
{
  (void)state;
  double limit = 2e7 * pow(-log(0.2), 1.0 / 6);
  must_cover(10, limit, 4);
  must_cover(30, limit, 5);
}

/* The normal limit of many rows: ln(modulus) has a deviation of 0.78 / sqrt(n), so a width w needs about (2 * 1.645 * 0.78 / w)^2 rows. Of
 * a few rows: the answer's width is narrow enough, one row less is not. */
static void test_rows_needed_give_the_wanted_width(void **state)
{
  (void)state;
  size_t rows;
  assert_int_equal(weibull_rows_needed(0.08, 0.9, &rows, NULL), SCR_OK);
  near((double)rows, pow(2 * 1.64485 * 0.7797 / 0.08, 2), 3);
  assert_int_equal(weibull_rows_needed(0.6, 0.9, &rows, NULL), SCR_OK);
  for (size_t less = 0; less < 2; less++) {
    weibull_pivots pivots;
    assert_int_equal(weibull_make_pivots(rows - less, 0.9, &pivots, NULL), SCR_OK);
    double width = 1 / pivots.modulus_low - 1 / pivots.modulus_high;
    assert_true(less ? width > 0.6 : width <= 0.6);
  }
  assert_int_equal(weibull_rows_needed(1e-6, 0.9, &rows, NULL), SCR_OK);
  assert_int_equal(rows, WEIBULL_ROWS + 1);
}

/* By hand: of 4 rows with the second censored, ranks move on by 5/4 * ... : 1, then (5 - 1) / (1 + 2) = 4/3 more, 4/3 more. */
static void test_the_plot_moves_ranks_past_censored_rows(void **state)
{
  (void)state;
  double values[] = {30, 10, 20, 40}, value[4], y[4];
  bool censored[] = {false, false, true, false};
  size_t points;
  assert_int_equal(weibull_plot(values, censored, 4, value, y, &points, NULL), SCR_OK);
  assert_int_equal(points, 3);
  double ranks[] = {1, 1 + 4.0 / 3, 1 + 8.0 / 3};
  for (size_t i = 0; i < 3; i++) near(y[i], log(-log(1 - (ranks[i] - 0.5) / 4)), 1e-12);
  near(value[1], 30, 0);
}

static void test_what_is_no_sample_of_strengths_is_refused(void **state)
{
  (void)state;
  weibull_fit fit;
  scr_error error;
  double negative[] = {1, 2, -3}, same[] = {2, 2, 2}, good[] = {1, 2, 3};
  bool all[] = {true, true, false};
  assert_int_equal(weibull_estimate(negative, NULL, 3, 0.9, NULL, &fit, &error), SCR_BAD_USAGE);
  assert_non_null(strstr(error.message, "row 3 has the value -3"));
  assert_int_equal(weibull_estimate(same, NULL, 3, 0.9, NULL, &fit, &error), SCR_BAD_USAGE);
  assert_int_equal(weibull_estimate(good, all, 3, 0.9, NULL, &fit, &error), SCR_BAD_USAGE);
  assert_non_null(strstr(error.message, "1 of 3 rows broke"));
  assert_int_equal(weibull_estimate(good, NULL, 3, 1, NULL, &fit, &error), SCR_BAD_USAGE);
  assert_int_equal(weibull_estimate(good, NULL, 1, 0.9, NULL, &fit, &error), SCR_BAD_USAGE);
}

SUITE(test_statistics_weibull)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_ball_bearings_have_the_published_modulus_and_scale),
      cmocka_unit_test(test_censored_rows_count_in_the_likelihood),
      cmocka_unit_test(test_pivots_are_the_published_ones),
      cmocka_unit_test(test_intervals_of_complete_samples_cover_the_truth),
      cmocka_unit_test(test_intervals_of_censored_samples_cover_the_truth),
      cmocka_unit_test(test_rows_needed_give_the_wanted_width),
      cmocka_unit_test(test_the_plot_moves_ranks_past_censored_rows),
      cmocka_unit_test(test_what_is_no_sample_of_strengths_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
