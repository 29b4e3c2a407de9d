/* What lies between the rig and the specimens, and what a run waits for in vain. */
#include <jansson.h>
#include <math.h>

#include "tests/unit/scene/test_scene_fake.h"
#include "tests/support/suites.h"

/* A ball of 1 mm radius about the origin; the lid begins at 1.2 mm and goes down by 1 mm/s for a second, so that a gap of 0.2 mm is a fifth
 * of its travel of 1 mm. */
static const char press[] =
    "{ \"name\": \"press\", \"method\": \"fake\", \"materials\": [ { \"name\": \"m\", \"density\": 1000, \"fracture_energy\": 10 } ],\n"
    "  \"specimens\": [ { \"name\": \"ball\", \"material\": \"m\", \"spacing\": 1e-4, \"shape\": { \"type\": \"sphere\", \"radius\": 1e-3 "
    "}, "
    "\"placement\": { \"type\": \"single\", \"position\": [3e-4, 0, 0] } } ],\n"
    "  \"rig\": { \"type\": \"box\", \"minimum\": [-1e-2, -1e-2, -1e-3], \"maximum\": [1e-2, 1e-2, 1.2e-3],\n"
    "    \"walls\": { \"z_max\": { \"program\": [ { \"type\": \"constant\", \"velocity\": -1e-3 } ] } } },\n"
    "  \"time\": { \"duration\": 1, \"time_step\": 1e-3, \"stop\": [ { \"type\": \"above\", \"series\": \"fragments\", \"above\": 2 } ] } "
    "}";

static const scr_problem *warned(const scr_scene *scene, const char *allowed)
{
  const scr_problems *warnings = scr_scene_warnings(scene);
  for (size_t i = 0; i < warnings->count; i++)
    if (strcmp(warnings->items[i].allowed, allowed) == 0) return &warnings->items[i];
  return NULL;
}

static const char *const gap_allowed = "a gap of at most a tenth of the travel, in m", *const break_allowed = "a material that can break";

static void test_a_gap_of_a_fifth_of_the_travel_is_warned_of_with_its_length(void **state)
{
  (void)state;
  scr_scene *scene = parsed(press);
  const scr_problem *warning = warned(scene, gap_allowed);
  assert_non_null(warning);
  assert_string_equal(warning->pointer, "/rig/walls/z_max/program");
  assert_true(fabs(strtod(warning->given, NULL) - 2e-4) < 1e-15);
  assert_non_null(strstr(warning->detail, "20 %, are a gap before 'ball'"));
  scr_scene_destroy(scene);
}

/* 0.09 mm of 1 mm, and a lid that ends before the ball, which has a warning of its own. */
static void test_a_small_gap_and_one_that_is_never_passed_are_not_called_wasted(void **state)
{
  (void)state;
  static const char *const heights[] = {"1.09e-3]", "2.1e-3]"};
  for (size_t i = 0; i < 2; i++) {
    char *text = edited(press, "1.2e-3]", heights[i]);
    scr_scene *scene = parsed(text);
    assert_null(warned(scene, gap_allowed));
    assert_true((warned(scene, "a travel beyond the gap to the nearest specimen, in m") != NULL) == (i == 1));
    scr_scene_destroy(scene);
    free(text);
  }
}

/* By hand: the lid's gap ends at the ball's top, and lies over its middle; the floor at -1 mm touches and is left out. */
static void test_the_gaps_of_a_scene_are_those_of_its_geometry(void **state)
{
  (void)state;
  scr_scene *scene = parsed(press);
  char *text = scr_scene_gaps_json(scene);
  json_t *gaps = json_loads(text, 0, NULL), *lid = NULL, *gap;
  size_t i;
  json_array_foreach(gaps, i, gap)
  {
    const char *part = json_string_value(json_object_get(gap, "part"));
    assert_string_not_equal(part, "wall.z_min");
    if (strcmp(part, "wall.z_max") == 0) lid = gap;
  }
  assert_int_equal(json_array_size(gaps), 5);
  assert_non_null(lid);
  assert_string_equal(json_string_value(json_object_get(lid, "specimen")), "ball");
  assert_true(fabs(json_number_value(json_object_get(lid, "gap")) - 2e-4) < 1e-12);
  assert_true(fabs(json_number_value(json_object_get(lid, "travel")) - 1e-3) < 1e-12);
  static const double from[] = {3e-4, 0, 1.2e-3}, to[] = {3e-4, 0, 1e-3};
  for (size_t axis = 0; axis < 3; axis++) {
    assert_true(fabs(json_number_value(json_array_get(json_object_get(lid, "from"), axis)) - from[axis]) < 1e-12);
    assert_true(fabs(json_number_value(json_array_get(json_object_get(lid, "to"), axis)) - to[axis]) < 1e-12);
  }
  json_decref(gaps);
  scr_free(text);
  scr_scene_destroy(scene);
}

static void test_a_run_that_waits_for_fragments_of_what_cannot_break_is_warned_of(void **state)
{
  (void)state;
  scr_scene *scene = parsed(press);
  assert_null(warned(scene, break_allowed));
  scr_scene_destroy(scene);
  char *text = edited(press, ", \"fracture_energy\": 10", ""), *quiet = edited(text, "\"series\": \"fragments\"", "\"series\": \"time\"");
  scene = parsed(text);
  const scr_problem *warning = warned(scene, break_allowed);
  assert_non_null(warning);
  assert_string_equal(warning->pointer, "/materials/0/fracture_energy");
  assert_non_null(strstr(warning->detail, "fragments is asked for"));
  scr_scene_destroy(scene);
  scene = parsed(quiet);
  assert_null(warned(scene, break_allowed));
  scr_scene_destroy(scene);
  free(text), free(quiet);
}

/* A factor of 1 leaves newtons newtons. */
static void test_a_unit_counts_only_beside_a_factor(void **state)
{
  (void)state;
  static const char plots[] = "\"title\": \"Pieces\",", unit[] = "\"title\": \"Pieces\", \"unit\": \"%\",";
  char *plain = edited(full_scene, plots, unit), *scaled = edited(plain, "\"unit\": \"%\",", "\"unit\": \"%\", \"scale\": 100,");
  scr_scene *scene = parsed(plain);
  assert_string_equal(warned(scene, "a key that counts")->pointer, "/output/plots/0/unit");
  scr_scene_destroy(scene);
  scene = parsed(scaled);
  assert_null(warned(scene, "a key that counts"));
  assert_string_equal(scene->output.plots[0].unit, "%");
  scr_scene_destroy(scene);
  free(plain), free(scaled);
}

SUITE(test_scene_gaps)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_gap_of_a_fifth_of_the_travel_is_warned_of_with_its_length),
      cmocka_unit_test(test_a_small_gap_and_one_that_is_never_passed_are_not_called_wasted),
      cmocka_unit_test(test_the_gaps_of_a_scene_are_those_of_its_geometry),
      cmocka_unit_test(test_a_run_that_waits_for_fragments_of_what_cannot_break_is_warned_of),
      cmocka_unit_test(test_a_unit_counts_only_beside_a_factor),
  };
  return cmocka_run_group_tests_name("scene_gaps", tests, NULL, NULL);
}
