/* What checks of scenes say goes to the right list, whole, and is never lost without a trace. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "scene/check/checker.h"
#include "scene/problem.h"
#include "tests/support/suites.h"

static void test_refusals_and_warnings_go_to_their_lists_with_place_value_and_range(void **state)
{
  (void)state;
  scr_problems problems = {0}, warnings = {0};
  scr_scene scene = {.warnings = &warnings};
  scr_checker c = check_begin(&scene, &problems);
  check_warn(&c, check_at("/materials/%d/density", 2), NAN, "a number", "density of '%s' is odd: look at it", "ice");
  assert_true(check_is_clean(&c));
  check_refuse(&c, check_at("/specimens/%zu/spacing", (size_t)7), 0.1 + 0.2, "at most 0.2, in m", "spacing is %g m: use at most 0.2 m",
               0.3);
  assert_false(check_is_clean(&c));
  check_refuse_words(&c, check_at("/options/%s", "flight"), "3 pieces", "one piece", "there are %d pieces", 3);
  check_report(&c, false, check_at("/a"), 1, "", "soft");
  check_report(&c, true, check_at("/b"), INFINITY, "", "hard");
  assert_int_equal(problems.count, 3);
  assert_int_equal(warnings.count, 2);
  assert_string_equal(warnings.items[0].pointer, "/materials/2/density");
  assert_string_equal(warnings.items[0].given, "");
  assert_string_equal(warnings.items[0].detail, "density of 'ice' is odd: look at it.");
  assert_string_equal(problems.items[0].pointer, "/specimens/7/spacing");
  assert_string_equal(problems.items[0].given, "0.3"); /* not 0.30000000000000004 */
  assert_string_equal(problems.items[0].allowed, "at most 0.2, in m");
  assert_string_equal(problems.items[1].given, "3 pieces");
  assert_string_equal(problems.items[2].given, "");
  scr_problems_clear(&problems);
  scr_problems_clear(&warnings);
}

/* Problems of an earlier stage are not those of this check. */
static void test_a_check_is_clean_until_it_refuses_something_itself(void **state)
{
  (void)state;
  scr_problems problems = {0}, warnings = {0};
  scr_scene scene = {.warnings = &warnings};
  assert_int_equal(scr_problems_add(&problems, "/name", "", "", "earlier"), SCR_OK);
  scr_checker c = check_begin(&scene, &problems);
  assert_true(check_is_clean(&c));
  scr_problems_clear(&problems);
}

/* A list ends at its limit and says so; what was cut for its length was not lost for want of memory. */
static void test_a_list_of_problems_stops_at_its_limit(void **state)
{
  (void)state;
  scr_problems problems = {0}, warnings = {0};
  scr_scene scene = {.warnings = &warnings};
  scr_checker c = check_begin(&scene, &problems);
  for (int k = 0; k < SCR_PROBLEM_LIMIT + 5; k++) check_refuse(&c, check_at("/%d", k), k, "", "number %d", k);
  assert_int_equal(problems.count, SCR_PROBLEM_LIMIT);
  assert_true(problems.truncated);
  assert_false(problems_were_lost(&problems));
  scr_problems cut = {.truncated = true};
  assert_true(problems_were_lost(&cut));
  scr_problems_clear(&problems);
}

static void test_memory_is_refused_above_the_limit_alone(void **state)
{
  (void)state;
  scr_problems problems = {0};
  scr_scene scene = {.limits = {.memory_bytes = 1000}};
  scr_checker c = check_begin(&scene, &problems);
  assert_true(check_fits_memory(&c, 1000, "use less"));
  assert_int_equal(problems.count, 0);
  assert_false(check_fits_memory(&c, 1001, "use less"));
  assert_false(check_fits_memory(&c, NAN, "use less"));
  assert_int_equal(problems.count, 2);
  assert_non_null(strstr(problems.items[0].detail, "use less"));
  scr_problems_clear(&problems);
}

SUITE(test_scene_checker)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_refusals_and_warnings_go_to_their_lists_with_place_value_and_range),
      cmocka_unit_test(test_a_check_is_clean_until_it_refuses_something_itself),
      cmocka_unit_test(test_a_list_of_problems_stops_at_its_limit),
      cmocka_unit_test(test_memory_is_refused_above_the_limit_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
