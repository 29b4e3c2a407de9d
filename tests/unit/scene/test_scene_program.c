/* Loading programs: velocity, displacement and peak velocity against numbers and against integration. */
#include <math.h>

#include "tests/unit/scene/test_scene_fake.h"
#include "tests/support/suites.h"

/* hold, ramp to -10 in 2 s, constant, move by +6 at 3 (2 s), ramp from 3 to 1 in 4 s, hold to the end */
static scr_segment segments[] = {
    {.kind = SCR_SEGMENT_HOLD, .duration = 1},
    {.kind = SCR_SEGMENT_RAMP, .velocity = -10, .duration = 2},
    {.kind = SCR_SEGMENT_CONSTANT, .velocity = -10, .duration = 0.5},
    {.kind = SCR_SEGMENT_MOVE, .velocity = -3, .displacement = 6, .duration = 2},
    {.kind = SCR_SEGMENT_RAMP, .velocity = 1, .duration = 4},
    {.kind = SCR_SEGMENT_HOLD, .duration = INFINITY},
};
static const scr_program program = {segments, sizeof segments / sizeof segments[0]};
static const double ends[] = {0, 1, 3, 3.5, 5.5, 9.5};

static void test_velocity_follows_the_segments(void **state)
{
  (void)state;
  static const double expected[][2] = {{0, 0}, {0.5, 0}, {2, -5}, {3.2, -10}, {4, 3}, {5.5, 3}, {7.5, 2}, {9.4999, 1}, {9.5, 0}, {1e9, 0}};
  for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
    double velocity = scr_program_velocity(&program, expected[i][0]);
    if (fabs(velocity - expected[i][1]) > 1e-4) fail_msg("%g m/s at %g s, not %g", velocity, expected[i][0], expected[i][1]);
  }
}

/* Midpoint rule on a fine grid whose points never straddle a segment's end: exact for linear velocity but for rounding, 1e-12. */
static void test_displacement_is_the_integral_of_velocity(void **state)
{
  (void)state;
  double sum = 0;
  for (size_t stretch = 0; stretch + 1 < sizeof ends / sizeof ends[0]; stretch++) {
    double step = (ends[stretch + 1] - ends[stretch]) / 64;
    for (int i = 0; i < 64; i++) {
      double middle = ends[stretch] + (i + 0.5) * step;
      sum += step * scr_program_velocity(&program, middle);
      double displacement = scr_program_displacement(&program, ends[stretch] + (i + 1) * step);
      if (fabs(displacement - sum) > 1e-12)
        fail_msg("%.17g m at %g s, but the integral is %.17g", displacement, ends[stretch] + (i + 1) * step, sum);
    }
  }
  assert_true(fabs(sum - (-10 - 5 + 6 + 8)) < 1e-12);
  assert_true(scr_program_displacement(&program, 1e6) == scr_program_displacement(&program, 9.5));
}

static void test_peak_velocity_is_that_of_the_time_asked_for(void **state)
{
  (void)state;
  static const double expected[][2] = {{0.5, 0}, {1, 0}, {2, 5}, {3, 10}, {100, 10}};
  for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++)
    assert_true(fabs(scr_program_peak_velocity(&program, expected[i][0]) - expected[i][1]) < 1e-12);
}

static void test_a_move_ends_exactly_at_its_displacement(void **state)
{
  (void)state;
  scr_segment move = {.kind = SCR_SEGMENT_MOVE, .velocity = 7, .displacement = -0.1, .duration = 0.1 / 7};
  scr_program only = {&move, 1};
  assert_true(scr_program_displacement(&only, 1) == -0.1);
  assert_true(scr_program_velocity(&only, 0.01) == -7);
}

static void test_a_program_without_segments_never_moves(void **state)
{
  (void)state;
  scr_program none = {0};
  assert_true(scr_program_velocity(&none, 1) == 0 && scr_program_displacement(&none, 1) == 0 && scr_program_peak_velocity(&none, 1) == 0);
}

static void test_an_open_constant_segment_goes_on_for_ever(void **state)
{
  (void)state;
  scr_segment forever = {.kind = SCR_SEGMENT_CONSTANT, .velocity = 2, .duration = INFINITY};
  scr_program only = {&forever, 1};
  assert_true(scr_program_velocity(&only, 1e8) == 2 && scr_program_displacement(&only, 1e8) == 2e8 &&
              scr_program_peak_velocity(&only, 5) == 2);
}

SUITE(test_scene_program)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_velocity_follows_the_segments),
      cmocka_unit_test(test_displacement_is_the_integral_of_velocity),
      cmocka_unit_test(test_peak_velocity_is_that_of_the_time_asked_for),
      cmocka_unit_test(test_a_move_ends_exactly_at_its_displacement),
      cmocka_unit_test(test_a_program_without_segments_never_moves),
      cmocka_unit_test(test_an_open_constant_segment_goes_on_for_ever),
  };
  return cmocka_run_group_tests_name("scene_program", tests, NULL, NULL);
}
