/* Mistakes that no single value shows: names, references, geometry, programs, costs; and when the method is asked at all. */
#include "tests/unit/scene/test_scene_fake.h"
#include "tests/support/suites.h"

static void test_names_are_unique_and_references_lead_somewhere(void **state)
{
  (void)state;
  assert_refused(full_scene, "\"name\": \"bricks\"", "\"name\": \"grain\"", "/specimens/1/name", "taken by /specimens/0");
  assert_refused(full_scene, "\"material\": \"polymer\"", "\"material\": \"wood\"", "/specimens/0/material",
                 "give one of \"polymer\", \"steel\"");
  assert_refused(full_scene, "\"material\": \"polymer\"", "\"material\": \"wall\"", "/specimens/0/material", "no material \"wall\"");
  assert_refused(full_scene, "\"between\": [\"polymer\", \"wall\"]", "\"between\": [\"wall\", \"wall\"]", "/contact/pairs/0/between",
                 "walls do not touch");
  assert_refused(full_scene, "\"friction_coefficient\": 0.2 }", "\"friction_coefficient\": 0.2 }, { \"between\": [\"wall\", \"polymer\"] }",
                 "/contact/pairs/1/between", "already");
  scr_problems problems = problems_after(full_scene, "\"name\": \"steel\"", "\"name\": \"polymer\"");
  problem_at(&problems, "/materials/1/name");
  scr_problems_clear(&problems);
}

static void test_wall_is_no_name_for_a_material(void **state)
{
  (void)state;
  scr_problems problems = problems_after(small_scene, "\"name\": \"m\"", "\"name\": \"wall\"");
  assert_non_null(strstr(problem_at(&problems, "/materials/0/name")->detail, "stands for the rig's walls"));
  scr_problems_clear(&problems);
}

static void test_shapes_and_boxes_have_an_inside(void **state)
{
  (void)state;
  assert_refused(full_scene, "\"inner_radius\": 5e-4", "\"inner_radius\": 1e-3", "/specimens/0/shape/inner_radius",
                 "outer radius is 0.001 m");
  assert_refused(full_scene, "\"axis\": [0, 3, 4]", "\"axis\": [0, 0, 0]", "/specimens/1/rotation/axis", "length 0");
  assert_refused(full_scene, "\"maximum\": [1, 1, 1]", "\"maximum\": [1, -1, 1]", "/rig/maximum/1", "the box ends at y = -1 m");
}

static void test_a_lattice_of_too_many_grains_is_refused_without_counting_them(void **state)
{
  (void)state;
  assert_refused(full_scene, "\"count\": [2, 1, 3]", "\"count\": [1000000, 1000000, 1000000]", "/specimens/1/placement", "1e+18");
  assert_refused(full_scene, "\"count\": [2, 1, 3]", "\"count\": [1000, 1000, 1]", "/specimens/1/placement", "1000001");
}

static void test_a_program_must_be_one_that_can_be_followed(void **state)
{
  (void)state;
  assert_refused(full_scene, "\"displacement\": -1e-4, \"velocity\": 10", "\"displacement\": -1e-4, \"velocity\": 0",
                 "/rig/walls/z_max/program/3/velocity", "would never end");
  assert_refused(full_scene, "\"displacement\": -1e-4, \"velocity\": 10", "\"displacement\": 0, \"velocity\": 10",
                 "/rig/walls/z_max/program/3/displacement", "nothing to move");
  assert_refused(full_scene, "\"velocity\": -10, \"duration\": 1e-5", "\"velocity\": -10", "/rig/walls/z_max/program/2/duration",
                 "the 2 after it");
  assert_refused(full_scene, "\"velocity\": -10, \"duration\": 1e-6", "\"velocity\": -10, \"duration\": 0",
                 "/rig/walls/z_max/program/1/duration", "duration is 0");
}

/* The walls are 2 m apart at the start. Moving by 2 m and back, they meet in mid-run only: ends of segments must be looked at. A ramp
 * that turns round inside a segment (v = -3e5 m/s to +3e5 m/s in 4e-5 s moves by -3 m at its middle) must be caught there. */
static void test_walls_that_would_meet_are_refused(void **state)
{
  (void)state;
  static const char program[] = "{ \"type\": \"hold\", \"duration\": 1e-5 }";
  assert_refused(
      full_scene, program,
      "{ \"type\": \"move\", \"displacement\": -2, \"velocity\": 2e5 }, { \"type\": \"move\", \"displacement\": 1, \"velocity\": 1e8 }",
      "/rig/walls/z_max/program", "wall z_max would have met wall z_min");
  assert_refused(
      full_scene, program,
      "{ \"type\": \"ramp\", \"velocity\": -3e5, \"duration\": 1e-12 }, { \"type\": \"ramp\", \"velocity\": 3e5, \"duration\": 4e-5 }",
      "/rig/walls/z_max/program", "wall z_max would have met");
  char *text = edited(
      full_scene, program,
      "{ \"type\": \"move\", \"displacement\": -1.99, \"velocity\": 2e8 }, { \"type\": \"move\", \"displacement\": 1, \"velocity\": 1e8 }");
  scr_scene_destroy(parsed(text));
  free(text);
}

static void test_curves_of_plots_and_stop_rules_must_exist(void **state)
{
  (void)state;
  assert_refused(full_scene, "\"x\": \"time\"", "\"x\": \"tim\"", "/output/plots/0/x", "did you mean \"time\"?");
  assert_refused(full_scene, "\"series\": \"wall.z_max.force_z\"", "\"series\": \"wall.z_mx.force_z\"", "/time/stop/0/series",
                 "did you mean \"wall.z_max.force_z\"?");
  assert_refused(full_scene, "\"x\": \"time\"", "\"x\": \"\"", "/output/plots/0/x", "1 to 63 bytes");
  /* Without a box there are no walls to have curves. */
  assert_refused(small_scene, "\"duration\": 1e-5",
                 "\"duration\": 1e-5, \"stop\": [ { \"type\": \"above\", \"series\": \"wall.z_max.force_z\", \"above\": 1 } ]",
                 "/time/stop/0/series", "no curve");
}

static void assert_over_limit(const char *text, const scr_limits *limits, const char *pointer, const char *words)
{
  scr_problems problems = {0};
  assert_int_equal(scene_parse(text, strlen(text), limits, fake_methods, NULL, &problems), SCR_BAD_SCENE);
  assert_int_equal(problems.count, 1);
  assert_string_equal(problems.items[0].pointer, pointer);
  if (!strstr(problems.items[0].detail, words)) fail_msg("\"%s\" does not say \"%s\"", problems.items[0].detail, words);
  scr_problems_clear(&problems);
}

/* small_scene: one grain of 1000 nodes of 100 bytes, 1000 steps of 1e-8 s. To the nodes' memory comes what every run takes: the program and
 * its libraries, some 16.5 MB, and room for frames, samples and rows. */
static void test_costs_above_the_limits_are_refused(void **state)
{
  (void)state;
  scr_scene *scene = NULL;
  assert_int_equal(scene_parse(small_scene, strlen(small_scene), NULL, fake_methods, &scene, NULL), SCR_OK);
  double memory = scr_scene_estimate(scene)->memory_bytes;
  scr_scene_destroy(scene);
  assert_true(memory > 17e6 + 1e5 && memory < 18e6);
  scr_limits limits = scr_limits_default();
  limits.memory_bytes = (size_t)memory - 1;
  assert_over_limit(small_scene, &limits, "/specimens", "bytes of memory");
  limits = scr_limits_default();
  limits.step_count = 999;
  assert_over_limit(small_scene, &limits, "/time/duration", "1000 steps");
  limits = scr_limits_default();
  limits.record_bytes = 1000000;
  assert_over_limit(small_scene, &limits, "/output/frame_interval", "bytes of recording");
  limits = scr_limits_default();
  limits.step_count = 1000;
  limits.memory_bytes = (size_t)memory + 1;
  assert_int_equal(scene_parse(small_scene, strlen(small_scene), &limits, fake_methods, NULL, NULL), SCR_OK);
}

/* A run knows nothing between its steps: an interval that is given is at least one long, one that is not becomes so. */
static void test_nothing_is_recorded_between_two_steps(void **state)
{
  (void)state;
  assert_refused(full_scene, "\"frame_interval\": 1e-6", "\"frame_interval\": 1e-6, \"sample_interval\": 4e-9", "/output/sample_interval",
                 "time steps are 1e-08 s long");
  assert_refused(full_scene, "\"frame_interval\": 1e-6", "\"frame_interval\": 9e-9", "/output/frame_interval", "nothing is known between");
  char *text = edited(full_scene, "\"frame_interval\": 1e-6", "\"frame_interval\": 5e-8");
  scr_scene *scene = parsed(text);
  assert_true(scene->output.sample_interval == 1e-8); /* and not a tenth of the frames' */
  char *written = scr_scene_json(scene);
  assert_non_null(strstr(written, "\"sample_interval\": 1e-08"));
  scr_free(written);
  scr_scene_destroy(scene);
  free(text);
}

static void test_absurdly_many_steps_do_not_overflow(void **state)
{
  (void)state;
  char *text = edited(small_scene, "\"duration\": 1e-5", "\"duration\": 1e9, \"time_step\": 1e-300");
  assert_over_limit(text, &(scr_limits){1000000, 1000000000, UINT64_MAX, UINT64_MAX, 0}, "/time/duration", "steps");
  free(text);
}

static void test_the_estimate_counts_steps_frames_and_bytes(void **state)
{
  (void)state;
  scr_scene *scene = parsed(small_scene);
  const scr_estimate *estimate = scr_scene_estimate(scene);
  assert_int_equal(estimate->node_count, 1000);
  assert_int_equal(estimate->step_count, 1000);
  assert_int_equal(estimate->frame_count, 101);
  /* 101 frames of 1000 nodes of 6 + 8 to 14 bytes; headers and 1001 samples add some, but not as much again */
  assert_true(estimate->record_bytes > 101 * 14000.0 && estimate->record_bytes < 2 * 101 * 14000.0);
  scr_scene_destroy(scene);
}

static void test_the_method_is_asked_only_about_a_sound_scene(void **state)
{
  (void)state;
  char *odd = edited(small_scene, "\"density\": 1000", "\"density\": 666");
  assert_refused(odd, "666", "666", "/materials/0/density", "does not like 666");
  /* A plot's problem is none of the method's business: both are reported. */
  char *plot = edited(odd, "\"time\"", "\"output\": { \"plots\": [ {} ] }, \"time\"");
  scr_problems problems = problems_of(plot);
  problem_at(&problems, "/materials/0/density");
  problem_at(&problems, "/output/plots/0/x");
  scr_problems_clear(&problems);
  /* A specimen without a shape is: the method is not asked. */
  char *shape = edited(odd, "\"type\": \"sphere\", ", "");
  problems = problems_of(shape);
  assert_int_equal(problems.count, 1);
  assert_string_equal(problems.items[0].pointer, "/specimens/0/shape/type");
  scr_problems_clear(&problems);
  free(odd), free(plot), free(shape);
}

static void test_null_arguments_are_harmless(void **state)
{
  (void)state;
  scr_problems problems = {0};
  assert_int_equal(scene_parse(NULL, 0, NULL, fake_methods, NULL, NULL), SCR_BAD_SCENE);
  assert_int_equal(scene_parse(NULL, 5, NULL, fake_methods, NULL, &problems), SCR_BAD_SCENE);
  scr_problems_clear(&problems);
  scr_problems_clear(NULL);
  scr_scene_destroy(NULL);
  assert_null(scr_scene_json(NULL));
  assert_string_equal(scr_scene_name(NULL), "");
  assert_string_equal(scr_scene_title(NULL), "");
  assert_string_equal(scr_scene_method(NULL), "");
  assert_null(scr_scene_estimate(NULL));
  scr_free(NULL);
}

SUITE(test_scene_checks)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_names_are_unique_and_references_lead_somewhere),
      cmocka_unit_test(test_wall_is_no_name_for_a_material),
      cmocka_unit_test(test_shapes_and_boxes_have_an_inside),
      cmocka_unit_test(test_a_lattice_of_too_many_grains_is_refused_without_counting_them),
      cmocka_unit_test(test_a_program_must_be_one_that_can_be_followed),
      cmocka_unit_test(test_walls_that_would_meet_are_refused),
      cmocka_unit_test(test_curves_of_plots_and_stop_rules_must_exist),
      cmocka_unit_test(test_costs_above_the_limits_are_refused),
      cmocka_unit_test(test_nothing_is_recorded_between_two_steps),
      cmocka_unit_test(test_absurdly_many_steps_do_not_overflow),
      cmocka_unit_test(test_the_estimate_counts_steps_frames_and_bytes),
      cmocka_unit_test(test_the_method_is_asked_only_about_a_sound_scene),
      cmocka_unit_test(test_null_arguments_are_harmless),
  };
  return cmocka_run_group_tests_name("scene_checks", tests, NULL, NULL);
}
