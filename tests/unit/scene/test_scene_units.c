/* Quantities in scenes: a scene written with units is the scene written in SI units, and a unit of the wrong kind is a problem of its own.
 * */
#include "tests/unit/scene/test_scene_fake.h"
#include "tests/support/suites.h"

static const char si_scene[] =
    "{ \"name\": \"units\", \"method\": \"fake\", \"materials\": [ { \"name\": \"m\", \"density\": 2500, \"young_modulus\": 2e9,\n"
    "    \"fracture_energy\": 135 } ],\n"
    "  \"specimens\": [ { \"name\": \"s\", \"material\": \"m\", \"spacing\": 1e-4, \"shape\": { \"type\": \"box\", \"size\": [0.04, 0.01, "
    "3e-3] },\n"
    "    \"velocity\": [0, 0, -0.01], \"rotation\": { \"angle_deg\": 30 }, \"placement\": { \"type\": \"list\", \"positions\": [[0, 0, "
    "0.1]] } } ],\n"
    "  \"time\": { \"duration\": 2e-5 }, \"options\": { \"horizon\": 4e-4, \"drift\": [0, 2, 0] } }";
static const char unit_scene[] =
    "{ \"name\": \"units\", \"method\": \"fake\", \"materials\": [ { \"name\": \"m\", \"density\": \"2.5 g/cm^3\", \"young_modulus\": \"2 "
    "GPa\",\n"
    "    \"fracture_energy\": \"0.135 kJ/m^2\" } ],\n"
    "  \"specimens\": [ { \"name\": \"s\", \"material\": \"m\", \"spacing\": \"0.1 mm\", \"shape\": { \"type\": \"box\", \"size\": [\"40 "
    "mm\", \"1 cm\", 3e-3] "
    "},\n"
    "    \"velocity\": [0, 0, \"-10 mm/s\"], \"rotation\": { \"angle_deg\": \"30 deg\" },\n"
    "    \"placement\": { \"type\": \"list\", \"positions\": [[0, 0, \"10 cm\"]] } } ],\n"
    "  \"time\": { \"duration\": \"20 us\" }, \"options\": { \"horizon\": \"400 um\", \"drift\": [0, \"2 m/s\", 0] } }";

static void test_a_scene_with_units_is_kept_as_the_same_scene_in_si_units(void **state)
{
  (void)state;
  scr_scene *si = parsed(si_scene), *units = parsed(unit_scene);
  char *expected = scr_scene_json(si), *got = scr_scene_json(units);
  assert_non_null(expected);
  assert_string_equal(got, expected);
  free(expected);
  free(got);
  scr_scene_destroy(si);
  scr_scene_destroy(units);
}

/* The problem's detail, given one edit of the scene. */
static void assert_detail(const char *old, const char *new, const char *pointer, const char *part)
{
  char *text = edited(unit_scene, old, new);
  scr_problems problems = {0};
  assert_int_equal(scene_parse(text, strlen(text), NULL, fake_methods, NULL, &problems), SCR_BAD_SCENE);
  assert_int_equal(problems.count, 1);
  assert_string_equal(problems.items[0].pointer, pointer);
  if (!strstr(problems.items[0].detail, part)) fail_msg("\"%s\" lacks \"%s\"", problems.items[0].detail, part);
  scr_problems_clear(&problems);
  free(text);
}

static void test_a_unit_that_does_not_fit_is_a_problem_that_says_so(void **state)
{
  (void)state;
  assert_detail("2.5 g/cm^3", "2.5 mm", "/materials/0/density", "density is \"2.5 mm\", whose unit is of another kind: give a number");
  assert_detail("2.5 g/cm^3", "2.5 mm", "/materials/0/density", "or text with a unit, such as \"2.5 g/cm^3\"");
  assert_detail("2 GPa", "2 Gpa", "/materials/0/young_modulus", "whose unit Scree does not know");
  assert_detail("0.1 mm", "0.1", "/specimens/0/spacing", "a text without a unit");
  assert_detail("0.1 mm", "fine", "/specimens/0/spacing", "\"fine\", which is not allowed");
  assert_detail("0.1 mm", "-0.1 mm", "/specimens/0/spacing", "\"-0.1 mm\", which is not allowed: give a number > 0");
  assert_detail("40 mm", "40 kg", "/specimens/0/shape/size/0", "the x component of size is \"40 kg\", whose unit is of another kind");
  assert_detail("\"drift\"", "\"factor\": \"0.1 m\", \"drift\"", "/options/factor", "\"0.1 m\", which is not allowed");
  assert_detail("\"drift\"", "\"layers\": \"3 m\", \"drift\"", "/options/layers", "\"3 m\", which is not allowed");
}

static void test_a_byte_order_mark_is_skipped_and_utf_16_is_refused_by_name(void **state)
{
  (void)state;
  char marked[sizeof unit_scene + 3];
  snprintf(marked, sizeof marked, "\xEF\xBB\xBF%s", unit_scene);
  scr_scene_destroy(parsed(marked));
  static const char *const wide[] = {"\xFF\xFE{\0}\0", "\xFE\xFF\0{\0}"};
  for (size_t i = 0; i < 2; i++) {
    scr_problems problems = {0};
    assert_int_equal(scene_parse(wide[i], 6, NULL, fake_methods, NULL, &problems), SCR_BAD_SCENE);
    assert_int_equal(problems.count, 1);
    assert_non_null(strstr(problems.items[0].detail, "UTF-16"));
    scr_problems_clear(&problems);
  }
}

SUITE(test_scene_units)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_scene_with_units_is_kept_as_the_same_scene_in_si_units),
      cmocka_unit_test(test_a_unit_that_does_not_fit_is_a_problem_that_says_so),
      cmocka_unit_test(test_a_byte_order_mark_is_skipped_and_utf_16_is_refused_by_name),
  };
  return cmocka_run_group_tests_name("scene_units", tests, NULL, NULL);
}
