/* Distances between curves: values by hand, and what they do not depend on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "server/study/calibration/target.h"
#include "tests/support/suites.h"

#define near(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

static double distance(const distance_curve *measured, const distance_curve *simulated, const distance_options *options)
{
  double residuals[2 * DISTANCE_POINTS], d = NAN;
  assert_int_equal(distance_residuals(measured, simulated, options, residuals, &d, NULL, NULL), SCR_OK);
  return d;
}

/* By hand: y = x and y = 3 x on [0, 2] with a scatter of 1 differ by 2 x, whose mean square is 4 * 4/3. Of K points of the trapezoidal rule
 * the error is (2/(K-1))^2 / 12 * (f'(2) - f'(0)) / 2, f = 4 x^2: 2 h^2 / 3. */
static void test_the_distance_on_the_axis_is_the_mean_square_by_hand(void **state)
{
  (void)state;
  double x[] = {0, 2}, y[] = {0, 2}, steep[] = {0, 6};
  distance_curve measured = {.x = x, .y = y, .count = 2}, simulated = {.x = x, .y = steep, .count = 2};
  for (size_t points = 3; points <= 201; points += 198) {
    distance_options options = {.scatter = 1, .points = points};
    double h = 2.0 / (double)(points - 1);
    near(distance(&measured, &simulated, &options), sqrt(16.0 / 3 + 2 * h * h / 3), 1e-12);
  }
  double scatter[] = {2, 2}; /* at samples: it goes before the number, and halves the distance */
  measured.scatter = scatter;
  distance_options options = {.scatter = 1};
  near(distance(&measured, &simulated, &options), sqrt(16.0 / 3) / 2, 1e-4);
  measured.scatter = NULL; /* not known: 0.05 of the range of 2 */
  options.scatter = 0;
  near(distance(&measured, &simulated, &options), sqrt(16.0 / 3) / 0.1, 2e-3);
  options = (distance_options){.scatter = 1, .low = 1, .high = 2}; /* 4 x^2 on [1, 2]: 28/3 */
  near(distance(&measured, &simulated, &options), sqrt(28.0 / 3), 1e-4);
}

static void test_where_a_run_did_not_reach_its_curve_is_zero(void **state)
{
  (void)state;
  double x[] = {0, 1, 4}, y[] = {2, 2, 2}, residuals[200], d, covered;
  distance_curve measured = {.x = x, .y = y, .count = 3}, simulated = {.x = x, .y = y, .count = 2};
  distance_options options = {.scatter = 1};
  assert_int_equal(distance_residuals(&measured, &simulated, &options, residuals, &d, &covered, NULL), SCR_OK);
  near(d, sqrt(4 * 0.75), 0.01);
  near(covered, 0.25, 1e-12);
}

/* A residual stands for (simulated - measured) / step at its point: on the axis with y, along the path with x and y. */
static void test_a_curve_comes_back_from_its_residuals(void **state)
{
  (void)state;
  enum { POINTS = 9 };
  double x[] = {0, 1, 3}, y[] = {0, 2, 1}, other[] = {1, 4, 5}, residuals[2 * POINTS];
  distance_curve measured = {.x = x, .y = y, .count = 3}, simulated = {.x = x, .y = other, .count = 3};
  distance_point points[POINTS];
  for (int kind = 0; kind < 2; kind++) {
    distance_options options = {.kind = kind ? DISTANCE_BY_PATH : DISTANCE_BY_AXIS, .points = POINTS, .scatter = 0.3};
    assert_int_equal(distance_points_make(&measured, &options, points, NULL), SCR_OK);
    assert_int_equal(distance_residuals(&measured, &simulated, &options, residuals, NULL, NULL, NULL), SCR_OK);
    for (size_t k = 0; k < POINTS; k++) {
      double at = points[k].x + (kind ? residuals[k] * points[k].x_step : 0);
      double height = points[k].y + residuals[kind ? POINTS + k : k] * points[k].y_step;
      near(height, at <= 1 ? 1 + 3 * at : 4 + 0.5 * (at - 1), 1e-12); /* on the simulated polyline */
    }
    near(points[POINTS - 1].x, 3, 1e-12);
    near(points[POINTS - 1].y, 1, 1e-12);
  }
}

/* By hand: a straight path from (0, 0) to (1, 1) and one from (0, 0) to (1, 3), both walked evenly: y differs by 2 t, x not, so the mean
 * square is 4/3. */
static void test_the_distance_along_the_path_is_the_mean_square_by_hand(void **state)
{
  (void)state;
  double x[] = {0, 1}, y[] = {0, 1}, high[] = {0, 3};
  distance_curve measured = {.x = x, .y = y, .count = 2}, simulated = {.x = x, .y = high, .count = 2};
  distance_options options = {.kind = DISTANCE_BY_PATH, .scatter = 1};
  near(distance(&measured, &simulated, &options), sqrt(4.0 / 3), 1e-4);
  double shifted[] = {0.5, 1.5}; /* x differs by 0.5 everywhere, in scatters of 0.1 of its range */
  simulated = (distance_curve){.x = shifted, .y = y, .count = 2};
  options.scatter = 0.1;
  near(distance(&measured, &simulated, &options), 5, 1e-12);
}

/* A curve that snaps back is 0 from itself, and a twin that snaps back later is not. */
static void test_curves_that_snap_back_have_a_distance_along_the_path(void **state)
{
  (void)state;
  double x[] = {0, 1, 0.6, 1.2}, y[] = {0, 2, 1, 1.5}, later[] = {0, 1.1, 0.66, 1.32};
  distance_curve measured = {.x = x, .y = y, .count = 4}, same = measured, other = {.x = later, .y = y, .count = 4};
  distance_options options = {.kind = DISTANCE_BY_PATH};
  near(distance(&measured, &same, &options), 0, 0);
  assert_true(distance(&measured, &other, &options) > 0.5);
  options.kind = DISTANCE_BY_AXIS;
  double residuals[200];
  scr_error error;
  assert_int_equal(distance_residuals(&measured, &same, &options, residuals, NULL, NULL, &error), SCR_BAD_USAGE);
  assert_non_null(strstr(error.message, "the measured curve turns back"));
}

/* More samples on the same lines, millimetres and kilonewtons, samples from last to first, the two curves exchanged: the same distance. */
static void test_distances_do_not_depend_on_sampling_units_and_order(void **state)
{
  (void)state;
  enum { COARSE = 5, FINE = 4 * 8 + 1 };
  double x[COARSE] = {0, 1, 2, 3, 4}, a[COARSE] = {0, 3, 4, 4.5, 2}, b[COARSE] = {0, 2, 5, 4, 4.5};
  double fine_x[FINE], fine_a[FINE], milli[COARSE], kilo_a[COARSE], kilo_b[COARSE], back_x[COARSE], back_a[COARSE];
  for (size_t i = 0; i < FINE; i++) {
    size_t k = i / 8 < 3 ? i / 8 : 3;
    double share = (double)(i - 8 * k) / 8;
    fine_x[i] = x[k] + share * (x[k + 1] - x[k]);
    fine_a[i] = a[k] + share * (a[k + 1] - a[k]);
  }
  for (size_t i = 0; i < COARSE; i++) {
    milli[i] = 1e3 * x[i];
    kilo_a[i] = 1e-3 * a[i];
    kilo_b[i] = 1e-3 * b[i];
    back_x[i] = x[COARSE - 1 - i];
    back_a[i] = a[COARSE - 1 - i];
  }
  distance_curve measured = {.x = x, .y = b, .count = COARSE}, simulated = {.x = x, .y = a, .count = COARSE};
  distance_curve fine = {.x = fine_x, .y = fine_a, .count = FINE}, back = {.x = back_x, .y = back_a, .count = COARSE};
  distance_curve other_m = {.x = milli, .y = kilo_b, .count = COARSE}, other_s = {.x = milli, .y = kilo_a, .count = COARSE};
  for (int kind = DISTANCE_BY_AXIS; kind <= DISTANCE_BY_PATH; kind++) {
    distance_options options = {.kind = (distance_kind)kind}, exchanged = {.kind = (distance_kind)kind, .scatter = 0.25};
    double d = distance(&measured, &simulated, &options);
    assert_true(d > 1);
    near(distance(&measured, &fine, &options), d, 1e-12 * d);
    near(distance(&other_m, &other_s, &options), d, 1e-12 * d);
    if (kind == DISTANCE_BY_AXIS) {
      near(distance(&measured, &back, &options), d, 1e-12 * d);
      near(distance(&simulated, &measured, &exchanged), distance(&measured, &simulated, &exchanged), 1e-12 * d);
    }
  }
}

/* By hand: two numbers (3 - 1) / 0.5 and (10 - 14) / 4 with weights 1 and 9: 16 + 9. And a curve one scatter off everywhere adds its
 * weight. */
static void test_targets_add_up_by_their_weights(void **state)
{
  (void)state;
  double x[] = {0, 1}, y[] = {1, 2}, off[] = {1.1, 2.1}, residuals[202], value;
  target targets[] = {{.number = 1, .scatter = 0.5},
                      {.number = 14, .scatter = 4, .weight = 9},
                      {.is_curve = true, .weight = 2, .curve = {.x = x, .y = y, .count = 2}, .options = {.scatter = 0.1}}};
  target_result results[] = {{.number = 3}, {.number = 10}, {.curve = {.x = x, .y = off, .count = 2}}};
  assert_int_equal(target_residual_count(targets, 3), 202);
  assert_int_equal(target_residuals(targets, results, 3, residuals, &value, NULL), SCR_OK);
  near(value, 16 + 9 + 2, 1e-10);
  near(residuals[1], -3, 1e-14);
  results[0].number = NAN;
  assert_int_equal(target_residuals(targets, results, 3, residuals, &value, NULL), SCR_OK);
  assert_true(isnan(value));
  scr_error error;
  results[2].curve.count = 1;
  assert_int_equal(target_residuals(targets, results, 3, residuals, &value, &error), SCR_BAD_USAGE);
  assert_non_null(strstr(error.message, "target 3: curves of 2 and 1 samples"));
}

SUITE(test_calibration_distance)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_distance_on_the_axis_is_the_mean_square_by_hand),
      cmocka_unit_test(test_where_a_run_did_not_reach_its_curve_is_zero),
      cmocka_unit_test(test_a_curve_comes_back_from_its_residuals),
      cmocka_unit_test(test_the_distance_along_the_path_is_the_mean_square_by_hand),
      cmocka_unit_test(test_curves_that_snap_back_have_a_distance_along_the_path),
      cmocka_unit_test(test_distances_do_not_depend_on_sampling_units_and_order),
      cmocka_unit_test(test_targets_add_up_by_their_weights),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
