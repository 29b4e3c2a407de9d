/* The gallery's scenes for two methods: `method` is the one word to change. That both break, and alike: validate_shared_scenes.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/shared_scene.h"
#include "tests/support/suites.h"

static void test_each_scene_of_both_methods_is_accepted_under_either_word(void **state)
{
  (void)state;
  for (size_t k = 0; k < SHARED_SCENES; k++)
    for (size_t m = 0; m < 2; m++) {
      scr_scene *scene = shared_scene(shared_scenes[k].name, shared_methods[m], NULL, NULL);
      assert_string_equal(scr_scene_method(scene), shared_methods[m]);
      assert_true(scr_scene_estimate(scene)->run_seconds < 120);
      scr_scene_destroy(scene);
    }
}

SUITE(test_shared_scenes)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_each_scene_of_both_methods_is_accepted_under_either_word),
  };
  return cmocka_run_group_tests_name("shared_scenes", tests, NULL, NULL);
}
