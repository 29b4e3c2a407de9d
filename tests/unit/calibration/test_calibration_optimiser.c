/* Optimisers: known functions, restarts, slots. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "server/study/calibration/estimate.h"
#include "server/study/calibration/optimiser.h"
#include "server/study/calibration/search.h"
#include "tests/support/suites.h"

#define PI 3.14159265358979323846
#define near(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))
enum { POINTS = 1000, SLOTS = 4 };

typedef double (*function)(const double *x);

/* Least 0 at (1, 1). Rosenbrock 1960. */
static double rosenbrock(const double *x)
{
  return 100 * pow(x[1] - x[0] * x[0], 2) + pow(1 - x[0], 2);
}

/* Least 0.397887 at (-pi, 12.275), (pi, 2.275), (9.42478, 2.475). Branin 1972. */
static double branin(const double *x)
{
  return pow(x[1] - 5.1 / (4 * PI * PI) * x[0] * x[0] + 5 / PI * x[0] - 6, 2) + 10 * (1 - 1 / (8 * PI)) * cos(x[0]) + 10;
}

/* Least 0 at (3e9, 0.3), of very different sizes. */
static double bowl(const double *x)
{
  double a = log(x[0] / 3e9), b = x[1] - 0.3;
  return a * a + 4 * b * b + a * b;
}

static const optimiser_unknown box[] = {{"a", -2, 2, false}, {"b", -1, 3, false}};
static const optimiser_unknown branin_box[] = {{"a", -5, 10, false}, {"b", 0, 15, false}};
static const optimiser_unknown matter_box[] = {{"modulus", 1e8, 1e11, true}, {"friction", 0, 1, false}};

static optimiser *create(const optimiser_unknown *unknowns, optimiser_options options)
{
  optimiser *made;
  assert_int_equal(optimiser_create(unknowns, 2, &options, &made, NULL), SCR_OK);
  return made;
}

/* Runs a search to its end with slots that each take a point at a time; returns the best value. */
static double search_for(function of, const optimiser_unknown *unknowns, optimiser_options options, size_t slots, size_t *points,
                         double *best)
{
  optimiser *made = create(unknowns, options);
  double value = INFINITY;
  char why[160];
  for (;;) {
    double asked[SLOTS * 2];
    size_t count;
    assert_int_equal(optimiser_ask(made, slots, asked, &count, NULL), SCR_OK);
    if (count == 0) break;
    for (size_t k = 0; k < count; k++) assert_int_equal(optimiser_tell(made, asked + 2 * k, of(asked + 2 * k), 0, NULL), SCR_OK);
  }
  assert_true(optimiser_ended(made, why));
  assert_true(strlen(why) > 0);
  assert_true(optimiser_best(made, best, &value));
  *points = optimiser_known_count(made);
  optimiser_destroy(made);
  return value;
}

static void test_each_method_finds_the_least_of_known_functions(void **state)
{
  (void)state;
  static const struct {
    function of;
    const optimiser_unknown *unknowns;
    optimiser_options options;
    double least, over;
  } cases[] = {
      {rosenbrock, box, {.method = OPTIMISER_BOBYQA, .point_limit = 200, .tolerance = 1e-5}, 0, 1e-3},
      {bowl, matter_box, {.method = OPTIMISER_BOBYQA, .point_limit = 60}, 0, 1e-4},
      {bowl, matter_box, {.method = OPTIMISER_COBYLA, .point_limit = 100}, 0, 1e-4},
      {bowl, matter_box, {.start = OPTIMISER_DIRECT, .start_points = 30, .method = OPTIMISER_BOBYQA, .point_limit = 80}, 0, 1e-4},
      {branin, branin_box, {.start = OPTIMISER_DIRECT, .start_points = 40, .method = OPTIMISER_BOBYQA, .point_limit = 100}, 0.397887, 1e-3},
      {branin, branin_box, {.method = OPTIMISER_CRS2, .point_limit = 800, .seed = 3}, 0.397887, 1e-2},
      {branin, branin_box, {.method = OPTIMISER_GAUSSIAN, .point_limit = 40}, 0.397887, 1e-2},
      {bowl, matter_box, {.method = OPTIMISER_GAUSSIAN, .point_limit = 35}, 0, 2e-3},
  };
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    double best[2];
    size_t points;
    double value = search_for(cases[c].of, cases[c].unknowns, cases[c].options, 1, &points, best);
    print_message("# case %zu, %s after %s: %.3g over the least, %zu points\n", c, optimiser_method_name(cases[c].options.method),
                  optimiser_start_name(cases[c].options.start), value - cases[c].least, points);
    assert_true(value - cases[c].least < cases[c].over);
    assert_true(points <= cases[c].options.point_limit);
  }
}

/* A valley turned by 30 degrees, a thousand times as long as it is wide, bent: residuals 100 (v - u^2 / 4) and u / 10 with u along and v
 * across it. Least 0 where u = v = 0, at (0.55, 0.45). */
static void valley_residuals(const double *x, double *residuals)
{
  double a = x[0] - 0.55, b = x[1] - 0.45, u = cos(PI / 6) * a + sin(PI / 6) * b, v = cos(PI / 6) * b - sin(PI / 6) * a;
  residuals[0] = 100 * (v - u * u / 4);
  residuals[1] = u / 10;
}

static double valley(const double *x)
{
  double residuals[2];
  valley_residuals(x, residuals);
  return residuals[0] * residuals[0] + residuals[1] * residuals[1];
}

typedef struct valley_runs {
  size_t count;
  double points[POINTS][2], residuals[POINTS][2];
} valley_runs;

static const optimiser_unknown unit_box[] = {{"a", 0, 1, false}, {"b", 0, 1, false}};

/* The least place of the fit of all runs, as a calibration has it. */
static bool valley_fit(void *data, double *point)
{
  const valley_runs *of = data;
  estimate found;
  const estimate_runs runs = {.unknowns = unit_box,
                              .unknown_count = 2,
                              .run_count = of->count,
                              .residual_count = 2,
                              .points = of->points[0],
                              .residuals = of->residuals[0]};
  if (estimate_make(&runs, 0.9, &found, NULL) != SCR_OK) return false;
  for (size_t u = 0; u < 2; u++) point[u] = found.parameters[u].best;
  return true;
}

/* Along the valley BOBYQA alone leaves 30 points far from the least; with the fit of the residuals as a model it is reached to a
 * thousandth, and no more than a third of the points is the model's. */
static void test_a_fit_of_the_residuals_leads_along_a_narrow_valley(void **state)
{
  (void)state;
  for (int with_model = 0; with_model < 2; with_model++) {
    valley_runs *runs = calloc(1, sizeof *runs);
    optimiser *made;
    double asked[2], best[2], value;
    size_t count;
    assert_non_null(runs);
    optimiser_options options = {.method = OPTIMISER_BOBYQA, .point_limit = 30};
    assert_int_equal(optimiser_create(unit_box, 2, &options, &made, NULL), SCR_OK);
    if (with_model) optimiser_set_model(made, valley_fit, runs);
    while (optimiser_ask(made, 1, asked, &count, NULL) == SCR_OK && count > 0) {
      memcpy(runs->points[runs->count], asked, sizeof asked);
      valley_residuals(asked, runs->residuals[runs->count++]);
      assert_int_equal(optimiser_tell(made, asked, valley(asked), 0, NULL), SCR_OK);
    }
    assert_true(optimiser_best(made, best, &value));
    double apart = hypot(best[0] - 0.55, best[1] - 0.45);
    print_message("# %s a model: %.3g from the least after %zu points\n", with_model ? "with" : "without", apart, runs->count);
    if (with_model)
      assert_true(apart < 1e-3);
    else
      assert_true(apart > 1e-2);
    assert_in_range(runs->count, 13, 30);
    optimiser_destroy(made);
    free(runs);
  }
}

/* Slots find the same least, and those of an algorithm that goes step by step are the points that one slot finds, besides some more at the
 * end. */
static void test_slots_find_it_as_well(void **state)
{
  (void)state;
  double best[2];
  size_t points;
  optimiser_options bobyqa = {.method = OPTIMISER_BOBYQA, .point_limit = 80}, gaussian = {.method = OPTIMISER_GAUSSIAN, .point_limit = 44};
  assert_true(search_for(bowl, matter_box, bobyqa, SLOTS, &points, best) < 1e-4);
  assert_true(search_for(branin, branin_box, gaussian, SLOTS, &points, best) < 0.397887 + 0.05);
}

/* After Sobol's 12 points BOBYQA of two unknowns begins with five points that depend on no value: the best of the start is known, four are
 * new. */
static void test_points_that_depend_on_no_value_are_asked_together(void **state)
{
  (void)state;
  optimiser *made = create(matter_box, (optimiser_options){.method = OPTIMISER_BOBYQA, .point_limit = 80});
  double asked[20 * 2];
  size_t count;
  assert_int_equal(optimiser_ask(made, 20, asked, &count, NULL), SCR_OK);
  assert_int_equal(count, 12);
  size_t more;
  assert_int_equal(optimiser_ask(made, 20, asked + 2 * count, &more, NULL), SCR_OK);
  assert_int_equal(more, 0); /* all of the start is out */
  for (size_t k = 0; k < count; k++) assert_int_equal(optimiser_tell(made, asked + 2 * k, bowl(asked + 2 * k), 0, NULL), SCR_OK);
  assert_int_equal(optimiser_ask(made, 20, asked, &count, NULL), SCR_OK);
  assert_int_equal(count, 4);
  optimiser_destroy(made);
}

/* Tells are repeated to a new search after every point, with one point out: it asks for the same points as one that was never restarted. */
static void test_a_search_goes_on_after_restarts(void **state)
{
  (void)state;
  for (int method = 0; method < 4; method++) {
    optimiser_options options = {.method = (optimiser_method)method, .point_limit = 40, .start_points = 6, .seed = 9};
    optimiser *whole = create(matter_box, options);
    double told[POINTS][2], asked[2 * 2], again[2 * 2];
    size_t count, known = 0, same;
    for (;;) {
      optimiser *restarted = create(matter_box, options);
      for (size_t k = 0; k < known; k++) assert_int_equal(optimiser_tell(restarted, told[k], bowl(told[k]), 0, NULL), SCR_OK);
      assert_int_equal(optimiser_ask(restarted, 2, again, &same, NULL), SCR_OK);
      assert_int_equal(optimiser_ask(whole, 2, asked, &count, NULL), SCR_OK);
      assert_int_equal(count, same);
      assert_memory_equal(asked, again, count * sizeof told[0]);
      optimiser_destroy(restarted);
      if (count == 0) break;
      for (size_t k = 0; k < count; k++) {
        memcpy(told[known], asked + 2 * k, sizeof told[0]);
        assert_int_equal(optimiser_tell(whole, told[known], bowl(told[known]), 0, NULL), SCR_OK);
        known++;
      }
    }
    optimiser_destroy(whole);
    assert_true(known > 6);
  }
}

static void test_points_that_are_out_are_not_asked_again_unless_forgotten(void **state)
{
  (void)state;
  optimiser_options options = {.method = OPTIMISER_NONE, .start_points = 3, .point_limit = 3};
  optimiser *made = create(box, options), *after = create(box, options);
  double asked[3 * 2], next[3 * 2];
  size_t count;
  assert_int_equal(optimiser_ask(made, 3, asked, &count, NULL), SCR_OK);
  assert_int_equal(count, 3);
  assert_int_equal(optimiser_expect(after, asked, NULL), SCR_OK);
  assert_int_equal(optimiser_ask(after, 3, next, &count, NULL), SCR_OK);
  assert_int_equal(count, 2);
  assert_memory_equal(next, asked + 2, 4 * sizeof *asked);
  optimiser_forget(after, asked);
  assert_int_equal(optimiser_ask(after, 3, next, &count, NULL), SCR_OK);
  assert_int_equal(count, 1);
  assert_memory_equal(next, asked, 2 * sizeof *asked);
  optimiser_destroy(made);
  optimiser_destroy(after);
}

/* Ten searches of 30 points with a noise of 0.02 that is told: the best point is below three noises in 9 at least. */
static void test_a_gaussian_process_takes_noise(void **state)
{
  (void)state;
  size_t near_enough = 0;
  for (uint64_t seed = 1; seed <= 10; seed++) {
    uint64_t noise = seed;
    optimiser *made =
        create(matter_box, (optimiser_options){.method = OPTIMISER_GAUSSIAN, .point_limit = 30, .seed = seed, .tolerance = 1e-6});
    double asked[2 * 2], best[2], value;
    size_t count;
    while (optimiser_ask(made, 2, asked, &count, NULL) == SCR_OK && count > 0)
      for (size_t k = 0; k < count; k++) {
        double error = 0.02 * sqrt(12) * (random_uniform(&noise) - 0.5);
        assert_int_equal(optimiser_tell(made, asked + 2 * k, bowl(asked + 2 * k) + error, 0.02, NULL), SCR_OK);
      }
    assert_true(optimiser_best(made, best, &value));
    near_enough += bowl(best) < 0.06;
    optimiser_destroy(made);
  }
  assert_in_range(near_enough, 9, 10);
}

/* Nine known values of a wave, its troughs among them, and nothing beyond: a mean that lies above the best improves nothing there, what may
 * lie to both sides of it does. Expected improvement grows with the deviation (Jones, Schonlau and Welch 1998, section 4.1). */
static void test_improvement_is_expected_where_nothing_is_known(void **state)
{
  (void)state;
  search_point points[9] = {0};
  search_state known = {.unknown_count = 1, .options = {.seed = 1}, .points = points, .count = 9, .capacity = 9};
  for (size_t k = 0; k < 9; k++) {
    points[k].z[0] = 0.05 * (double)k;
    points[k].value = cos(10 * PI * points[k].z[0]);
    points[k].known = true;
  }
  double proposed[1][OPTIMISER_UNKNOWNS] = {0}, improvement = 0;
  assert_int_equal(gaussian_propose(&known, 1, proposed, &improvement, NULL), SCR_OK);
  print_message("# proposed at %.3f, improvement %.3g of the spread\n", proposed[0][0], improvement);
  assert_true(proposed[0][0] > 0.45);
  assert_true(improvement > 0 && improvement < 1);
}

static void test_failed_runs_do_not_stop_a_search(void **state)
{
  (void)state;
  for (int method = 0; method < 4; method++) {
    optimiser *made = create(matter_box, (optimiser_options){.method = (optimiser_method)method, .point_limit = 60, .seed = 2});
    double asked[2], best[2], value;
    size_t count;
    while (optimiser_ask(made, 1, asked, &count, NULL) == SCR_OK && count > 0)
      assert_int_equal(optimiser_tell(made, asked, asked[1] > 0.8 ? NAN : bowl(asked), 0, NULL), SCR_OK);
    assert_true(optimiser_best(made, best, &value));
    assert_true(value < 0.3);
    optimiser_destroy(made);
  }
}

static void test_what_is_no_search_is_refused(void **state)
{
  (void)state;
  optimiser *made;
  scr_error error;
  optimiser_options options = {.point_limit = 50};
  optimiser_unknown empty = {"gap", 2, 2, false}, below = {"modulus", 0, 1, true};
  assert_int_equal(optimiser_create(&empty, 1, &options, &made, &error), SCR_BAD_USAGE);
  assert_non_null(strstr(error.message, "gap goes from 2 to 2"));
  assert_int_equal(optimiser_create(&below, 1, &options, &made, &error), SCR_BAD_USAGE);
  assert_non_null(strstr(error.message, "logarithmic"));
  options.start_points = 51;
  assert_int_equal(optimiser_create(box, 2, &options, &made, &error), SCR_BAD_USAGE);
  assert_null(made);
  made = create(box, (optimiser_options){.point_limit = 50});
  double outside[] = {0, 4};
  assert_int_equal(optimiser_tell(made, outside, 1, 0, &error), SCR_BAD_USAGE);
  assert_non_null(strstr(error.message, "b = 4; it must be -1 to 3"));
  optimiser_destroy(made);
}

SUITE(test_calibration_optimiser)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_each_method_finds_the_least_of_known_functions),
      cmocka_unit_test(test_a_fit_of_the_residuals_leads_along_a_narrow_valley),
      cmocka_unit_test(test_slots_find_it_as_well),
      cmocka_unit_test(test_points_that_depend_on_no_value_are_asked_together),
      cmocka_unit_test(test_a_search_goes_on_after_restarts),
      cmocka_unit_test(test_points_that_are_out_are_not_asked_again_unless_forgotten),
      cmocka_unit_test(test_a_gaussian_process_takes_noise),
      cmocka_unit_test(test_improvement_is_expected_where_nothing_is_known),
      cmocka_unit_test(test_failed_runs_do_not_stop_a_search),
      cmocka_unit_test(test_what_is_no_search_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
