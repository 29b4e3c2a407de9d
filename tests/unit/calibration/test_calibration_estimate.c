/* What a calibration ends with: twin experiments on models in closed form. Measured curves are made by the model with hidden parameters and
 * noise; the calibration finds them within its own intervals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "server/study/calibration/target.h"
#include "tests/support/suites.h"

#define near(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))
enum { SAMPLES = 150, RESIDUALS = 200, MOST_RUNS = 130, TRIES = 10 };

/* A model: its curve over SAMPLES points. */
typedef struct model {
  void (*curve)(const double *parameters, double *x, double *y);
  size_t count;
  const optimiser_unknown *unknowns;
  size_t runs;  /* at most */
  double noise; /* of a measured sample */
  double own;   /* of a whole curve: a scale that differs from run to run and of the measured one, as with other seeds */
} model;

/* A mass on a spring with a dashpot, let go at 1 m: stiffness k over mass, damping c over mass, and a third, which moves the rest position.
 */
static void spring(const double *of, double *x, double *y)
{
  double rate = sqrt(of[0] - of[1] * of[1] / 4);
  for (size_t i = 0; i < SAMPLES; i++) {
    x[i] = 6.0 * (double)i / (SAMPLES - 1);
    y[i] = exp(-of[1] * x[i] / 2) * (cos(rate * x[i]) + of[1] / (2 * rate) * sin(rate * x[i]));
  }
}

static void spring_with_rest(const double *of, double *x, double *y)
{
  spring(of, x, y);
  for (size_t i = 0; i < SAMPLES; i++) y[i] += of[2] * (1 - y[i]);
}

static void spring_with_idle(const double *of, double *x, double *y)
{
  spring(of, x, y); /* of[2] has no effect */
}

/* A bar: stiffness is modulus times area. */
static void bar(const double *of, double *x, double *y)
{
  for (size_t i = 0; i < SAMPLES; i++) {
    x[i] = (double)i / (SAMPLES - 1);
    y[i] = of[0] * of[1] * (x[i] + of[2] * x[i] * x[i]);
  }
}

static const optimiser_unknown spring_unknowns[] = {{"stiffness", 4, 40, true}, {"damping", 0.05, 2, false}, {"rest", -0.5, 0.5, false}};
static const optimiser_unknown bar_unknowns[] = {{"modulus", 1, 10, true}, {"area", 0.1, 1, true}, {"bend", 0, 2, false}};

/* Even noise of a deviation. */
static double noise(uint64_t *seed, double deviation)
{
  return deviation * sqrt(3) * (2 * random_uniform(seed) - 1);
}

typedef struct twin {
  double truth[OPTIMISER_UNKNOWNS];
  estimate found;
  size_t runs;
} twin;

static void must_run(const model *of, uint64_t seed, twin *out)
{
  static double points[MOST_RUNS][OPTIMISER_UNKNOWNS], residuals[MOST_RUNS][RESIDUALS], packed[MOST_RUNS * OPTIMISER_UNKNOWNS];
  double x[SAMPLES], y[SAMPLES], scatter[SAMPLES], sx[SAMPLES], sy[SAMPLES];
  for (size_t i = 0; i < of->count; i++) {
    const optimiser_unknown *u = &of->unknowns[i];
    double z = 0.2 + 0.6 * random_uniform(&seed);
    out->truth[i] = u->logarithmic ? u->low * pow(u->high / u->low, z) : u->low + z * (u->high - u->low);
  }
  of->curve(out->truth, x, y);
  double measured_scale = 1 + noise(&seed, of->own);
  for (size_t i = 0; i < SAMPLES; i++) {
    y[i] = measured_scale * y[i] + noise(&seed, of->noise);
    scatter[i] = of->noise;
  }
  target measured = {.is_curve = true, .curve = {.x = x, .y = y, .scatter = scatter, .count = SAMPLES}};
  optimiser_options options = {
      .method = OPTIMISER_BOBYQA,
      .point_limit = of->runs,
  };
  optimiser *search;
  double asked[4 * OPTIMISER_UNKNOWNS];
  size_t count;
  assert_int_equal(optimiser_create(of->unknowns, of->count, &options, &search, NULL), SCR_OK);
  out->runs = 0;
  while (optimiser_ask(search, 4, asked, &count, NULL) == SCR_OK && count > 0) {
    for (size_t k = 0; k < count; k++) {
      double *point = asked + k * of->count, value;
      of->curve(point, sx, sy);
      double scale = 1 + noise(&seed, of->own);
      for (size_t i = 0; i < SAMPLES; i++) sy[i] *= scale;
      target_result result = {.curve = {.x = sx, .y = sy, .count = SAMPLES}};
      assert_int_equal(target_residuals(&measured, &result, 1, residuals[out->runs], &value, NULL), SCR_OK);
      assert_int_equal(optimiser_tell(search, point, value, 0, NULL), SCR_OK);
      memcpy(points[out->runs++], point, of->count * sizeof *point);
    }
  }
  optimiser_destroy(search);
  for (size_t r = 0; r < out->runs; r++) memcpy(packed + r * of->count, points[r], of->count * sizeof *packed);
  estimate_block block;
  target_blocks(&measured, 1, &block);
  estimate_runs runs = {.unknowns = of->unknowns,
                        .unknown_count = of->count,
                        .run_count = out->runs,
                        .residual_count = RESIDUALS,
                        .blocks = &block,
                        .block_count = 1,
                        .points = packed,
                        .residuals = residuals[0]};
  scr_error error = {0};
  scr_status status = estimate_make(&runs, 0.95, &out->found, &error);
  if (status != SCR_OK) print_message("# %s\n", error.message);
  assert_int_equal(status, SCR_OK);
}

/* Tries in which all parameters lie in their intervals; and the mean deviation, as a share of the range's. */
static size_t tries_that_cover(const model *of, double *mean)
{
  size_t covered = 0;
  *mean = 0;
  for (uint64_t seed = 1; seed <= TRIES; seed++) {
    twin one;
    must_run(of, 100 * seed, &one);
    bool all = true;
    for (size_t i = 0; i < of->count; i++) {
      const estimate_parameter *found = &one.found.parameters[i];
      all &= found->low <= one.truth[i] && one.truth[i] <= found->high;
      *mean += found->share / (double)(TRIES * of->count);
    }
    if (!all) print_message("# seed %d, %zu runs: %s\n", (int)seed, one.runs, one.found.words);
    for (size_t i = 0; !all && i < of->count; i++) print_message("#   truth %g\n", one.truth[i]);
    covered += all;
  }
  return covered;
}

static void test_hidden_parameters_lie_in_their_intervals(void **state)
{
  (void)state;
  const model models[] = {{spring, 2, spring_unknowns, 60, 0.05, 0},
                          {spring_with_rest, 3, spring_unknowns, 120, 0.05, 0},
                          {spring, 2, spring_unknowns, 60, 0.05, 0.02}};
  for (size_t k = 0; k < 3; k++) {
    double mean;
    size_t covered = tries_that_cover(&models[k], &mean);
    print_message("# model %zu: %zu of 10 tries cover, mean deviation %.3f of the range's\n", k, covered, mean);
    assert_in_range(covered, 9, 10);
    assert_true(mean < 0.1); /* an interval that says nothing would cover as well */
  }
}

/* With noise of the measured curve alone, and with runs that scatter too. */
static void test_a_parameter_without_effect_is_undetermined(void **state)
{
  (void)state;
  for (int scatters = 0; scatters < 2; scatters++) {
    model of = {spring_with_idle, 3, spring_unknowns, 120, 0.05, scatters ? 0.02 : 0};
    for (uint64_t seed = 1; seed <= TRIES; seed++) {
      twin one;
      must_run(&of, 100 * seed, &one);
      if (!one.found.parameters[2].undetermined)
        print_message("# scatter %d, seed %d, %zu runs: %s\n", scatters, (int)seed, one.runs, one.found.words);
      assert_true(one.found.parameters[2].undetermined);
      assert_false(one.found.parameters[0].undetermined);
      assert_false(one.found.parameters[1].undetermined);
      assert_non_null(strstr(one.found.words, "The data does not determine rest:"));
    }
  }
}

static void test_two_that_act_as_a_product_are_called_so(void **state)
{
  (void)state;
  model of = {bar, 3, bar_unknowns, 120, 0.02, 0};
  for (uint64_t seed = 1; seed <= TRIES; seed++) {
    twin one;
    must_run(&of, 100 * seed, &one);
    if (!(one.found.correlation[0][1] < -0.95)) print_message("# seed %d: %s\n", (int)seed, one.found.words);
    assert_true(one.found.correlation[0][1] < -0.95);
    assert_non_null(strstr(one.found.words, "modulus and area go together (correlation -"));
    assert_non_null(strstr(one.found.words, "about their product"));
    assert_true(one.found.parameters[0].undetermined && one.found.parameters[1].undetermined);
    assert_false(one.found.parameters[2].undetermined);
  }
}

/* By hand: two numbers a = 3 +- 0.1 and a + b = 5 +- 0.2 as residuals of a straight model: a = 3 with 0.1, b = 2 with sqrt(0.1^2 + 0.2^2),
 * correlation -0.1 / 0.2236, the intervals 1.96 deviations, and the ranges of 10 add 1/100 of a variance of 8.33 each. */
static void test_intervals_of_a_straight_model_are_those_by_hand(void **state)
{
  (void)state;
  optimiser_unknown unknowns[] = {{"a", 0, 10, false}, {"b", -5, 5, false}};
  enum { RUNS = 25 };
  double points[RUNS][2], residuals[RUNS][2];
  for (size_t r = 0; r < RUNS; r++) {
    points[r][0] = (double)(r / 5) * 2.1 + 0.4;
    points[r][1] = (double)(r % 5) * 2 - 4;
    residuals[r][0] = (points[r][0] - 3) / 0.1;
    residuals[r][1] = (points[r][0] + points[r][1] - 5) / 0.2;
  }
  estimate_block blocks[] = {{1, 1}, {1, 1}};
  estimate_runs runs = {unknowns, 2, RUNS, 2, blocks, 2, points[0], residuals[0]};
  estimate found;
  assert_int_equal(estimate_make(&runs, 0.95, &found, NULL), SCR_OK);
  near(found.parameters[0].best, 3, 1e-6);
  near(found.parameters[1].best, 2, 1e-6);
  near(found.value, 0, 1e-6);
  near(found.parameters[0].high - 3, 1.96 * 0.1, 1e-3);
  near(found.parameters[1].low - 2, -1.96 * sqrt(0.05), 2e-3);
  near(found.correlation[0][1], -0.1 / sqrt(0.05), 2e-3);
}

static void test_too_few_runs_are_refused(void **state)
{
  (void)state;
  double points[] = {1, 2, 3}, residuals[] = {NAN, 1, 2};
  optimiser_unknown unknown = {"a", 0, 10, false};
  estimate_runs runs = {
      .unknowns = &unknown, .unknown_count = 1, .run_count = 3, .residual_count = 1, .points = points, .residuals = residuals};
  estimate found;
  scr_error error;
  assert_int_equal(estimate_make(&runs, 0.95, &found, &error), SCR_BAD_USAGE);
  assert_non_null(strstr(error.message, "2 runs gave residuals: an estimate of 1 parameters needs 3 at least"));
}

SUITE(test_calibration_estimate)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_hidden_parameters_lie_in_their_intervals),
      cmocka_unit_test(test_a_parameter_without_effect_is_undetermined),
      cmocka_unit_test(test_two_that_act_as_a_product_are_called_so),
      cmocka_unit_test(test_intervals_of_a_straight_model_are_those_by_hand),
      cmocka_unit_test(test_too_few_runs_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
