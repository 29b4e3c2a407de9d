/* Costs of runs: counts times what one takes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>

#include "sim/cost.h"
#include "tests/support/suites.h"

/* Powers of two, so that the sum is exact: each entry is taken by its own count. */
static void test_each_entry_is_taken_as_often_as_it_is_counted(void **state)
{
  (void)state;
  static const sim_cost table[] = {{"a start", 0.5}, {"a bond", 0.25}, {"a node", 8}};
  assert_true(sim_cost_sum(table, 3, (const double[]){1, 6, 2}) == 0.5 + 1.5 + 16);
  assert_true(sim_cost_sum(table, 2, (const double[]){1, 6, 2}) == 2);
  assert_true(sim_cost_sum(table, 0, NULL) == 0);
}

/* A run that never ends shows as one; what does not happen costs nothing, however much one of it would. */
static void test_endless_counts_show_and_what_does_not_happen_is_free(void **state)
{
  (void)state;
  static const sim_cost table[] = {{"a step", 1e-3}, {"what is never done", INFINITY}};
  assert_true(isinf(sim_cost_sum(table, 2, (const double[]){INFINITY, 0})));
  assert_true(sim_cost_sum(table, 2, (const double[]){2000, 0}) == 2);
}

SUITE(test_sim_cost)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_each_entry_is_taken_as_often_as_it_is_counted),
      cmocka_unit_test(test_endless_counts_show_and_what_does_not_happen_is_free),
  };
  return cmocka_run_group_tests_name("sim: costs", tests, NULL, NULL);
}
