/* What every method of the table refuses, on its scenes of tests/data/contract: no number of a scene may be infinite, no number or huge
 * without being noticed before work starts. Every number of every scene is replaced in turn; another method needs a scene there, and
 * nothing here. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "scene/scene.h"
#include "tests/support/contract_scene.h"
#include "tests/support/suites.h"

/* Where the next number of a JSON text begins, and its length; 0: there is none. Digits in strings are none. */
static size_t next_number(const char *text, size_t *at)
{
  bool quoted = false;
  for (; text[*at]; ++*at) {
    if (text[*at] == '"') quoted = !quoted; /* these scenes escape no quotes */
    if (!quoted && strchr("-0123456789", text[*at])) return strspn(text + *at, "+-.eE0123456789");
  }
  return 0;
}

/* The scene with the number of `length` at `at` replaced, checked: SCR_OK, or SCR_BAD_SCENE with a reason for everything. */
static scr_status check_with(const contract_scene *about, size_t at, size_t length, const char *number, double *memory, double *step)
{
  size_t size = about->length + strlen(number) + 1;
  char *text = malloc(size);
  scr_scene *scene = NULL;
  scr_problems problems = {0};
  assert_non_null(text);
  int written = snprintf(text, size, "%.*s%s%s", (int)at, about->text, number, about->text + at + length);
  scr_status status = scr_scene_parse(text, (size_t)written, NULL, &scene, &problems);
  if (status == SCR_BAD_SCENE && problems.count == 0)
    fail_msg("%s with %s at byte %zu is refused without a reason", about->name, number, at);
  for (size_t k = 0; k < problems.count; k++)
    if (problems.items[k].detail[0] == '\0') fail_msg("%s with %s at byte %zu: problem %zu says nothing", about->name, number, at, k);
  if (status == SCR_OK) *memory = scene->estimate.memory_bytes, *step = scene->estimate.time_step;
  scr_problems_clear(&problems);
  scr_scene_destroy(scene);
  free(text);
  return status;
}

/* How many numbers a scene has, each of which was replaced by `number`. @param refused it must never be accepted */
static size_t for_every_number(const contract_scene *about, const char *number, bool refused)
{
  size_t count = 0, at = 0, length;
  for (; (length = next_number(about->text, &at)) > 0; at += length, count++) {
    double memory = 0, step = 1;
    scr_status status = check_with(about, at, length, number, &memory, &step);
    if (status != SCR_OK && status != SCR_BAD_SCENE)
      fail_msg("%s with %s at byte %zu ends with status %d", about->name, number, at, (int)status);
    if (refused && status == SCR_OK) fail_msg("%s with %s at byte %zu is accepted: %.30s", about->name, number, at, about->text + at);
    if (!isfinite(memory) || !isfinite(step) || !(step > 0) || memory > (double)scr_limits_default().memory_bytes)
      fail_msg("%s with %s at byte %zu is accepted with %g bytes and steps of %g s", about->name, number, at, memory, step);
  }
  return count;
}

/* JSON has no infinity and no NaN; a number beyond the range of doubles is the way to one. */
static void test_numbers_that_are_not_finite_are_refused(void **state)
{
  static const char *const numbers[] = {"1e999", "-1e999", "NaN", "Infinity"};
  (void)state;
  contract_scenes scenes = contract_scenes_read();
  for (size_t k = 0; k < scenes.count; k++)
    for (size_t n = 0; n < sizeof numbers / sizeof *numbers; n++) assert_true(for_every_number(&scenes.list[k], numbers[n], true) > 10);
  contract_scenes_clear(&scenes);
}

/* Huge, tiny, negative and zero numbers: refused with a reason, or accepted with memory within the limit and a step above 0. */
static void test_extreme_numbers_are_refused_or_bounded(void **state)
{
  static const char *const numbers[] = {"1e308", "-1e308", "1e-308", "0", "-1"};
  (void)state;
  contract_scenes scenes = contract_scenes_read();
  for (size_t k = 0; k < scenes.count; k++)
    for (size_t n = 0; n < sizeof numbers / sizeof *numbers; n++) assert_true(for_every_number(&scenes.list[k], numbers[n], false) > 10);
  contract_scenes_clear(&scenes);
}

SUITE(test_contract_input)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_numbers_that_are_not_finite_are_refused),
      cmocka_unit_test(test_extreme_numbers_are_refused_or_bounded),
  };
  return cmocka_run_group_tests_name("contract_input", tests, NULL, NULL);
}
