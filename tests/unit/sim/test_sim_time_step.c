/* The time step of a run is the least bound times the safety factor, never longer than what is asked to be recorded. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "scene/part.h"
#include "sim/time_step.h"
#include "tests/support/suites.h"

static scr_scene scene_of(double given, double sample, double frame)
{
  scr_scene scene = {0};
  scene.time.duration = 2;
  scene.time.time_step = given;
  scene.output.sample_interval = sample, scene.output.sample_automatic = isnan(sample);
  scene.output.frame_interval = frame, scene.output.frame_automatic = isnan(frame);
  return scene;
}

static void assert_step(double given, double sample, double frame, double contact, double travel, double step, const char *rule)
{
  scr_scene scene = scene_of(given, sample, frame);
  scr_estimate estimate = {0};
  const sim_bound bounds[] = {{contact, "contact"}, {travel, "travel"}};
  assert_int_equal(sim_choose_step(&scene, bounds, 2, 0.5, &estimate), !isnan(given));
  assert_true(estimate.time_step == step);
  assert_string_equal(estimate.time_step_rule, rule);
}

static void test_the_step_is_the_least_bound_by_its_name_times_safety(void **state)
{
  (void)state;
  assert_step(NAN, NAN, NAN, 1e-3, 4e-3, 0.5e-3, "contact");
  assert_step(NAN, NAN, NAN, 1e-3, 2e-4, 1e-4, "travel");
  assert_step(NAN, NAN, NAN, 1e-3, 1e-3, 0.5e-3, "contact"); /* the first of equal ones */
  assert_step(NAN, NAN, NAN, INFINITY, INFINITY, 2e-3, "duration");
}

static void test_a_given_step_stands_and_given_intervals_cut_a_chosen_one(void **state)
{
  (void)state;
  assert_step(7, 1e-6, 1e-6, 1e-3, 4e-3, 7, "given");
  assert_step(NAN, 1e-4, NAN, 1e-3, 4e-3, 1e-4, "output");
  assert_step(NAN, NAN, 3e-4, 1e-3, 4e-3, 3e-4, "output");
  assert_step(NAN, 1e-2, 1e-2, 1e-3, 4e-3, 0.5e-3, "contact");
}

/* A part that goes at 3 m/s at most while it turns at 2 rad/s: 3 + 2 r at r from its position. A plane has no farthest point. */
static void test_a_parts_peak_speed_adds_its_turning_as_far_as_its_surface_goes(void **state)
{
  (void)state;
  scr_segment along = {.kind = SCR_SEGMENT_CONSTANT, .velocity = -3, .duration = 1},
              about = {.kind = SCR_SEGMENT_CONSTANT, .velocity = 2, .duration = 1};
  scr_program program = {.segments = &along, .segment_count = 1}, turn = {.segments = &about, .segment_count = 1};
  scr_part part = {.program = &program, .turn = &turn, .extent = 0.5};
  assert_true(fabs(scr_part_peak_speed(&part, 2, INFINITY) - 4) < 1e-12);
  assert_true(fabs(scr_part_peak_speed(&part, 2, 0.25) - 3.5) < 1e-12);
  assert_true(fabs(scr_part_peak_speed(&part, 2, 0) - 3) < 1e-12);
  part.extent = INFINITY;
  assert_true(fabs(scr_part_peak_speed(&part, 2, INFINITY) - 3) < 1e-12);
  assert_true(fabs(scr_part_peak_speed(&part, 2, 10) - 23) < 1e-12);
  scr_part flies = {.initial_speed = 5, .extent = 1};
  assert_true(scr_part_peak_speed(&flies, 2, INFINITY) == 5);
}

SUITE(test_sim_time_step)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_step_is_the_least_bound_by_its_name_times_safety),
      cmocka_unit_test(test_a_given_step_stands_and_given_intervals_cut_a_chosen_one),
      cmocka_unit_test(test_a_parts_peak_speed_adds_its_turning_as_far_as_its_surface_goes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
