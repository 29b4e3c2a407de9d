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

/* The warning of a disc that is crushed below its jaws, NULL: none. @param jaw,radius what the gallery's has in their places */
static char *crushing_warning(const char *method, const char *jaw, const char *radius)
{
  const char *const changes[2][2] = {{"\"jaw\": \"curved\"", jaw}, {"\"jaw_radius\": 0.0105", radius}};
  scr_scene *scene = shared_scene_changed("brazilian-disc", method, changes, 2);
  const scr_problems *warnings = scr_scene_warnings(scene);
  char *found = NULL;
  for (size_t k = 0; k < warnings->count; k++)
    if (strstr(warnings->items[k].detail, "crushed there")) found = strdup(warnings->items[k].detail);
  scr_scene_destroy(scene);
  return found;
}

static double number_after(const char *text, const char *words)
{
  const char *at = strstr(text, words);
  if (!at) fail_msg("no '%s' in: %s", words, text);
  return strtod(at + strlen(words), NULL);
}

/* Flat jaws crush the gallery's disc, under every method whose bodies break at their largest strain; its own don't. Half of the contact's
 * width at the force of the warning, by Hertz, gives the pressure 2 F / (pi a t), which is E strain / nu; at the radius that it names, that
 * is so at the force that splits the disc. The close packing's ratio beside a pull along x is 0.156 within a layer and 0.109 across layers.
 * Numbers have three digits. */
static void test_jaws_that_crush_a_disc_before_it_splits_are_warned_of(void **state)
{
  (void)state;
  static const double young = 3e9, poisson[2] = {0.25, 0.133}, radius = 0.01, thickness = 0.002542;
  for (size_t m = 0; m < 2; m++) {
    assert_null(crushing_warning(shared_methods[m], "\"jaw\": \"curved\"", "\"jaw_radius\": 0.0105"));
    char *wide = crushing_warning(shared_methods[m], "\"jaw\": \"curved\"", "\"jaw_radius\": 0.014");
    assert_non_null(wide);
    free(wide);
    char *flat = crushing_warning(shared_methods[m], "\"jaw\": \"flat\"", "\"jaw_radius\": null");
    assert_non_null(flat);
    print_message("# %s: %s\n", shared_methods[m], flat);
    double strain = number_after(flat, "its largest strain, "), crushes = number_after(flat, "from about "),
           splits = number_after(flat, "splits at "), jaw = 1e-3 * number_after(flat, "of at most ");
    double pressure = young * strain / poisson[m], half = sqrt(4 * crushes * radius / (M_PI * young * thickness));
    assert_true(fabs(2 * crushes / (M_PI * half * thickness) / pressure - 1) < 0.01);
    half = sqrt(4 * splits / thickness / (M_PI * young * (1 / radius - 1 / jaw)));
    assert_true(fabs(2 * splits / (M_PI * half * thickness) / pressure - 1) < 0.03);
    double middle = 2 * splits / (M_PI * 2 * radius * thickness); /* across; -3 of it along */
    assert_true(fabs((middle + poisson[m] * 3 * middle) / young / strain - 1) < 0.01);
    free(flat);
  }
}

SUITE(test_shared_scenes)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_each_scene_of_both_methods_is_accepted_under_either_word),
      cmocka_unit_test(test_jaws_that_crush_a_disc_before_it_splits_are_warned_of),
  };
  return cmocka_run_group_tests_name("shared_scenes", tests, NULL, NULL);
}
