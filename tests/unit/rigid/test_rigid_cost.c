/* What a run of method rigid is likely to take: each part of the estimate by itself, against what it is derived from. Whether the whole is
 * right is measured: `make study-gallery`. */
#include <math.h>

#include "methods/rigid/scene/cost.h"
#include "tests/support/sim_run.h"
#include "tests/support/suites.h"

/* cmocka's own compares floats. */
static void assert_near(double value, double expected, double tolerance)
{
  if (!(fabs(value - expected) <= tolerance)) fail_msg("%.12g is not %.12g to %g", value, expected, tolerance);
}

#define HEAD "{\"scree\": 1, \"name\": \"t\", \"method\": \"rigid\", \"materials\": [{\"name\": \"m\", \"density\": 1000}], "

/* 100 balls of 2 cm around z = 1 in a box whose floor is at `floor` and which is `wide` m long and broad; an obstacle far below that
 * `turns` or does not; for 2 s in steps of 1 ms. */
static scr_scene *open_balls(double floor, double wide, const char *turns)
{
  char text[2000];
  scr_scene *scene = NULL;
  scr_problems problems = {0};
  snprintf(text, sizeof text,
           HEAD "\"specimens\": [{\"name\": \"b\", \"material\": \"m\", \"shape\": {\"type\": \"sphere\", \"radius\": 0.01}, "
                "\"placement\": {\"type\": \"lattice\", \"origin\": [-0.135, -0.135, 1], \"pitch\": [0.03, 0.03, "
                "0.03], \"count\": [10, 10, 1]}}], \"rig\": {\"type\": \"box\", \"minimum\": [%.9g, %.9g, %.9g], \"maximum\": [%.9g, %.9g, "
                "2], \"gravity\": [0, 0, -9.81]}, \"obstacles\": [{\"name\": \"o\", \"shape\": {\"type\": "
                "\"box\", \"size\": [0.1, 0.1, 0.1]}, \"position\": [0, 0, -9]%s}], \"time\": {\"duration\": 2, \"time_step\": 0.001}, "
                "\"output\": {\"frame_interval\": 2, \"sample_interval\": 2}}",
           -wide / 2, -wide / 2, floor, wide / 2, wide / 2, turns);
  if (scr_scene_parse(text, strlen(text), NULL, &scene, &problems) != SCR_OK)
    fail_msg("%s", problems.count ? problems.items[0].detail : "no memory");
  scr_problems_clear(&problems);
  return scene;
}

static const char *const turns = ", \"turn\": [{\"type\": \"constant\", \"angular_velocity\": 1}]";

/* Seconds that the balls' solver takes: what is left of the estimate without start and detection. */
static double solver_seconds(double floor, double wide, const char *moves)
{
  scr_scene *scene = open_balls(floor, wide, moves);
  double seconds = scr_scene_estimate(scene)->run_seconds - 0.03 - 2000 * 2e-6 * 100;
  scr_scene_destroy(scene);
  assert_true(seconds > 0);
  return seconds;
}

/* Balls in the air meet nothing: h above where they lie (a radius above the floor) they fall for sqrt(2 h / g) of the 2 s. */
static void test_falling_takes_no_time(void **state)
{
  (void)state;
  double lying = solver_seconds(0.99, 0.4, "");
  for (int k = 0; k < 6; k++) {
    double fall = 0.1 * (1 << k);
    assert_near(solver_seconds(0.99 - fall, 0.4, "") / lying, 1 - sqrt(2 * fall / 9.81) / 2, 1e-9);
  }
  assert_near(solver_seconds(0.995, 0.4, ""), lying, 1e-12 * lying);
}

/* On a floor with room for more than one layer (100 disks of 2 cm at 0.84 of it: 3.7 dm^2, 19.34 cm square) they lie beside each other:
 * half of the work where there is twice the room. In a narrower box there is all of it, with a lower bed. */
static void test_balls_beside_each_other_are_no_pile(void **state)
{
  (void)state;
  double room = sqrt(100 * M_PI / 4 * 4e-4 / 0.84), one = solver_seconds(0.99, 1.5 * room, "");
  assert_near(solver_seconds(0.99, 3 * room, "") / one, 0.25, 1e-7);
  assert_near(solver_seconds(0.99, 0.9 * room, "") / one, 2.25, 1e-7);
  assert_near(solver_seconds(0.99, 0.8 * room, "") / one, 2.25, 1e-7);
}

/* What a part drives neither falls once nor lies: the same wherever the floor is and however wide. */
static void test_what_is_stirred_has_no_rest(void **state)
{
  (void)state;
  double narrow = solver_seconds(0.99, 0.15, "");
  assert_near(solver_seconds(-1, 1, turns), narrow, 1e-9 * narrow);
  assert_near(solver_seconds(-1, 1, ", \"program\": [{\"type\": \"constant\", \"velocity\": 1}]"), narrow, 1e-9 * narrow);
}

/* Gravity to one side: the box is seen from there. */
static void test_the_floor_is_where_gravity_points(void **state)
{
  (void)state;
  scr_scene *scene = open_balls(0.9, 0.5, "");
  rigid_findings found = {.bodies = 1000, .balls = 1000, .ball_square = 1000 * 4e-4, .ball_volume = 1000 * 4.18879e-6};
  scene->rig.gravity = vec3(-10, 0, 0);
  double wall = 0.5 * 1.1, bed = found.ball_volume / (0.6 * wall), radius = 0.01; /* 0.5 m broad, 1.1 m high: x_min at -0.25 */
  assert_near(rigid_covered_share(scene, &found), M_PI / 4 * 0.4 / (0.84 * wall), 1e-12);
  assert_near(rigid_resting_share(scene, &found), 1 - sqrt(2 * (0.25 - fmax(radius, bed / 2)) / 10) / 2, 1e-12);
  scr_scene_destroy(scene);
}

/* Digits: those of the tolerance of 1e-6, and the tenfold of a speed is one more, until a thousandth of it is the measure. */
static void test_fast_things_take_more_digits(void **state)
{
  (void)state;
  scr_scene *scene = open_balls(0.9, 0.5, "");
  rigid_findings found = {.bodies = 1};
  double measure = 9.81 * 1e-3;
  assert_near(rigid_digits(scene, &found, 1e-3), 6, 1e-12);
  found.speed = 0.5 * measure;
  assert_near(rigid_digits(scene, &found, 1e-3), 6, 1e-12);
  found.speed = 10 * measure;
  assert_near(rigid_digits(scene, &found, 1e-3), 7, 1e-12);
  found.speed = 1e6 * measure;
  assert_near(rigid_digits(scene, &found, 1e-3), 9, 1e-12);
  scr_scene_destroy(scene);
}

/* Time step of cubes of 0.1 m, or balls of that size, in a place, above a floor and so long a run. */
static double chosen_step(const char *shape, const char *places, double floor, double duration)
{
  char text[1600];
  scr_scene *scene = NULL;
  scr_problems problems = {0};
  snprintf(text, sizeof text,
           HEAD "\"specimens\": [{\"name\": \"b\", \"material\": \"m\", \"shape\": %s, \"placement\": {\"type\": \"list\", \"positions\": "
                "[%s]}}], \"rig\": {\"type\": \"none\", \"gravity\": [0, 0, -9.81]}, \"obstacles\": [{\"name\": \"floor\", \"shape\": "
                "{\"type\": \"plane\", \"width\": 9}, \"position\": [0, 0, %g]}], \"time\": {\"duration\": %g, \"safety_factor\": 1}, "
                "\"output\": {\"frame_interval\": %g, \"sample_interval\": %g}}",
           shape, places, floor, duration, duration, duration);
  if (scr_scene_parse(text, strlen(text), NULL, &scene, &problems) != SCR_OK)
    fail_msg("%s", problems.count ? problems.items[0].detail : "no memory");
  double step = scr_scene_estimate(scene)->time_step;
  scr_problems_clear(&problems);
  scr_scene_destroy(scene);
  return step;
}

/* Cubes that can fall on each other go by a tenth of their extent in a step at most, 0.1 sqrt(3) / 2 of 0.1 m: from 2 m above the floor
 * they come at (2 g h)^1/2, in a short run at g t. One cube alone and balls have only the step in which gravity moves them by a hundredth
 * of their thickness. Steps divide the run, so 1 %. */
static void test_tumbling_bodies_have_smaller_steps(void **state)
{
  (void)state;
  const char *const cube = "{\"type\": \"box\", \"size\": [0.1, 0.1, 0.1]}", *const ball = "{\"type\": \"sphere\", \"radius\": 0.05}",
                    *const two = "[0, 0, 1], [1, 0, 2]";
  const double extent = 0.05 * sqrt(3), fall = sqrt(0.02 * 0.1 / 9.81);
  assert_near(chosen_step(cube, two, 0, 9) / (0.1 * extent / sqrt(2 * 9.81 * 2)), 1, 0.01);
  assert_near(chosen_step(cube, two, 1, 9) / (0.1 * extent / sqrt(2 * 9.81 * 1)), 1, 0.01);
  assert_near(chosen_step(cube, two, 0, 0.3) / (0.1 * extent / (9.81 * 0.3)), 1, 0.01);
  assert_near(chosen_step(cube, "[0, 0, 1]", 0, 9) / fall, 1, 0.01);
  assert_near(chosen_step(ball, two, 0, 9) / fall, 1, 0.01);
}

SUITE(test_rigid_cost)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_falling_takes_no_time),        cmocka_unit_test(test_balls_beside_each_other_are_no_pile),
      cmocka_unit_test(test_what_is_stirred_has_no_rest),  cmocka_unit_test(test_the_floor_is_where_gravity_points),
      cmocka_unit_test(test_fast_things_take_more_digits), cmocka_unit_test(test_tumbling_bodies_have_smaller_steps),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
