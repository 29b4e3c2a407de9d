/* Costs of runs: counts times what one takes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>

#include "sim/cost.h"
#include "tests/support/suites.h"

static double seconds_of(const sim_cost *table, size_t entries, const double *count)
{
  scr_estimate estimate = {0};
  sim_cost_add(table, entries, count, &estimate);
  return estimate.run_seconds;
}

/* Powers of two, so that the sum is exact: each entry is taken by its own count. */
static void test_each_entry_is_taken_as_often_as_it_is_counted(void **state)
{
  (void)state;
  static const sim_cost table[] = {{"a start", 0.5}, {"a bond", 0.25}, {"a node", 8}};
  assert_true(seconds_of(table, 3, (const double[]){1, 6, 2}) == 0.5 + 1.5 + 16);
  assert_true(seconds_of(table, 2, (const double[]){1, 6, 2}) == 2);
  assert_true(seconds_of(table, 0, NULL) == 0);
}

/* A run that never ends shows as one; what does not happen costs nothing, however much one of it would. */
static void test_endless_counts_show_and_what_does_not_happen_is_free(void **state)
{
  (void)state;
  static const sim_cost table[] = {{"a step", 1e-3}, {"what is never done", INFINITY}};
  assert_true(isinf(seconds_of(table, 2, (const double[]){INFINITY, 0})));
  assert_true(seconds_of(table, 2, (const double[]){2000, 0}) == 2);
}

/* Costs of two tables stand one behind the other, and are the parts of the whole; an entry that is not counted is none. */
static void test_costs_of_several_tables_are_the_parts_of_the_run_time(void **state)
{
  (void)state;
  static const sim_cost start = {"a start", 0.5}, table[] = {{"a bond", 0.25}, {"a node", 8}, {"a face", 2}};
  scr_estimate estimate = {0};
  sim_cost_add(&start, 1, (const double[]){1}, &estimate);
  sim_cost_add(table, 3, (const double[]){6, 0, 3}, &estimate);
  assert_int_equal(estimate.cost_count, 3);
  assert_string_equal(estimate.costs[1].what, "a bond");
  assert_true(estimate.costs[1].count == 6 && estimate.costs[1].seconds == 1.5);
  assert_true(estimate.run_seconds == 8 && estimate.costs[0].seconds + estimate.costs[1].seconds + estimate.costs[2].seconds == 8);
}

/* More entries than an estimate has room for count in the time all the same. */
static void test_costs_beyond_the_limit_count_in_the_time_alone(void **state)
{
  (void)state;
  static const sim_cost step = {"a step", 1};
  scr_estimate estimate = {0};
  for (int k = 0; k < SCR_COST_LIMIT + 3; k++) sim_cost_add(&step, 1, (const double[]){1}, &estimate);
  assert_int_equal(estimate.cost_count, SCR_COST_LIMIT);
  assert_true(estimate.run_seconds == SCR_COST_LIMIT + 3);
}

SUITE(test_sim_cost)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_each_entry_is_taken_as_often_as_it_is_counted),
      cmocka_unit_test(test_endless_counts_show_and_what_does_not_happen_is_free),
      cmocka_unit_test(test_costs_of_several_tables_are_the_parts_of_the_run_time),
      cmocka_unit_test(test_costs_beyond_the_limit_count_in_the_time_alone),
  };
  return cmocka_run_group_tests_name("sim: costs", tests, NULL, NULL);
}
