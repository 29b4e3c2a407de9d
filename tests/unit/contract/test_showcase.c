/* The made-up method that uses everything a method can (tests/showcase): its physics. What it shares with all methods is in
 * test_contract.c, what the rest of Scree makes of it is in tests/integration/test_showcase.py. */
#include "tests/unit/run/test_run_toy.h"
#include "tests/support/suites.h"

/* One thread of 1 m without air, drawn aside by 1 rad for 0.5 s; `duration` in s. */
static scr_scene *pendulum(double duration, const char *material, const char *obstacles)
{
  char text[2048];
  snprintf(
      text, sizeof text,
      "{ \"scree\": 1, \"name\": \"pendulum\", \"method\": \"showcase\", \"materials\": [ { \"name\": \"brass\", \"density\": 8500 %s } ],"
      "  \"contact\": { \"fan_coupling\": 0.3 },"
      "  \"specimens\": [ { \"name\": \"bob\", \"material\": \"brass\", \"thread_length\": 1, \"start_angle\": 1,"
      "    \"shape\": { \"type\": \"sphere\", \"radius\": 0.05 } } ],"
      "  \"rig\": { \"type\": \"none\", \"gravity\": [0, 0, -9.81] }, \"obstacles\": [ %s ],"
      "  \"time\": { \"duration\": %.17g }, \"output\": { \"frame_interval\": 0.1, \"sample_interval\": 0.01 },"
      "  \"options\": { \"pull_time\": 0.5, \"membrane_centre\": [0, 0, -2], \"membrane_stiffness\": 1000 } }",
      material, obstacles, duration);
  scr_scene *scene = NULL;
  scr_problems problems = {0};
  if (scr_scene_parse(text, strlen(text), NULL, &scene, &problems) != SCR_OK)
    fail_msg("%s: %s", problems.count ? problems.items[0].pointer : "", problems.count ? problems.items[0].detail : "");
  return scene;
}

/* The curve of that name: its last value, or with `largest` the largest magnitude. */
static double read_curve(const lab *l, const char *name, bool largest)
{
  scr_recording *recording;
  scr_curves *curves;
  assert_int_equal(scr_recording_open(file_in(l->first, "recording.scree"), &recording, NULL), SCR_OK);
  assert_int_equal(scr_curves_read(recording, 0, &curves, NULL), SCR_OK);
  size_t c = 0;
  while (c < curves->series_count && strcmp(curves->series[c].name, name) != 0) c++;
  assert_true(c < curves->series_count);
  double value = 0;
  for (size_t k = 0; k < curves->sample_count; k++) {
    double now = curves->values[k * curves->series_count + c];
    value = largest ? fmax(value, fabs(now)) : now;
  }
  scr_curves_destroy(curves);
  scr_recording_close(recording);
  return value;
}

/* The period of a pendulum is 2 pi sqrt(L / g) / agm(1, cos(a / 2)) (Gauss): after ten of them it is where it was let go. Steps of 0.02
 * sqrt(L / g) by a method of order 4 are off by less than 1e-5 of the angle. */
static void test_a_pendulum_keeps_its_period(void **state)
{
  const lab *l = *state;
  double a = 1, b = cos(0.5);
  for (int k = 0; k < 8; k++) {
    double mean = 0.5 * (a + b);
    b = sqrt(a * b);
    a = mean;
  }
  scr_scene *scene = pendulum(0.5 + 10 * 2 * 3.14159265358979323846 * sqrt(1 / 9.81) / a, "", "");
  run_whole(scene, l->first);
  assert_true(fabs(read_curve(l, "first_angle", false) - 1) < 1e-5);
  assert_true(read_curve(l, "energy.balance_error", true) < 1e-8);
  scr_scene_destroy(scene);
}

/* What air and fan take and give is booked: the balance holds to the order of the steps, and dissipation only grows. */
static void test_the_balance_holds_with_air_and_fan(void **state)
{
  const lab *l = *state;
  scr_scene *scene = pendulum(6, ", \"drag_rate\": 0.2",
                              "{ \"name\": \"fan\", \"shape\": { \"type\": \"box\", \"size\": [1, 0.1, 0.1] }, \"position\": [0, 1, -0.5],"
                              "  \"axis\": [0, 1, 0], \"turn\": [ { \"type\": \"constant\", \"angular_velocity\": 5 } ] }");
  run_whole(scene, l->first);
  assert_true(read_curve(l, "energy.friction", false) > 1 && read_curve(l, "energy.damping", false) > 1);
  assert_true(read_curve(l, "energy.balance_error", true) < 1e-8);
  assert_true(fabs(read_curve(l, "obstacle.fan.torque_y", true)) > 0.1);
  assert_newest_says(l->first, SCR_RECORD_END, "\"succeeded\"");
  scr_scene_destroy(scene);
}

/* A press under 25 N dents the membrane of 1000 N/m by 25 mm, whatever it has to go for that. The rest decays by exp(-gain k t). */
static void test_a_press_under_load_finds_its_place(void **state)
{
  const lab *l = *state;
  scr_scene *scene = pendulum(2, "",
                              "{ \"name\": \"press\", \"shape\": { \"type\": \"sphere\", \"radius\": 0.1 }, \"position\": [0, 0, -1.88],"
                              "  \"direction\": [0, 0, -1], \"program\": [ { \"type\": \"servo\", \"force\": 25, \"gain\": 0.02 } ] }");
  run_whole(scene, l->first);
  assert_true(fabs(read_curve(l, "dent", false) - 0.025) < 1e-9);
  assert_true(fabs(read_curve(l, "obstacle.press.force_z", false) - 25) < 1e-6);
  assert_true(read_curve(l, "energy.balance_error", true) < 1e-8);
  scr_scene_destroy(scene);
}

/* A press that moves by 60 mm from 20 mm above dents the membrane by 40 mm, against 1000 N/m. */
static void test_a_press_feels_the_membrane(void **state)
{
  const lab *l = *state;
  scr_scene *scene =
      pendulum(2, "",
               "{ \"name\": \"press\", \"shape\": { \"type\": \"sphere\", \"radius\": 0.1 }, \"position\": [0, 0, -1.88],"
               "  \"direction\": [0, 0, -1], \"program\": [ { \"type\": \"move\", \"displacement\": 0.06, \"velocity\": 0.05 } ] }");
  run_whole(scene, l->first);
  assert_true(fabs(read_curve(l, "dent", false) - 0.04) < 1e-12);
  assert_true(fabs(read_curve(l, "obstacle.press.force_z", false) - 40) < 1e-9);
  scr_scene_destroy(scene);
}

SUITE(test_showcase)
{
  const struct CMUnitTest tests[] = {
      IN_LAB(test_a_pendulum_keeps_its_period),
      IN_LAB(test_the_balance_holds_with_air_and_fan),
      IN_LAB(test_a_press_feels_the_membrane),
      IN_LAB(test_a_press_under_load_finds_its_place),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
