/* Pressure on flat parts of a rig, and its exponential moving average. */
#include "tests/support/sim_run.h"
#include "tests/support/suites.h"

/* A ball of 57 nodes between walls, of which the upper one comes down at once. %s: the rest of `output`. */
static const char squeeze[] =
    "{\"scree\":1,\"name\":\"squeeze\",\"method\":\"%s\",\"materials\":[{\"name\":\"m\",\"density\":1000,\"bulk_modulus\":1e9}],"
    "\"contact\":{\"friction_coefficient\":0.3,\"damping_ratio\":0.3},"
    "\"specimens\":[{\"name\":\"ball\",\"material\":\"m\",\"spacing\":4e-4,\"shape\":{\"type\":\"sphere\",\"radius\":1e-3}}],"
    "\"rig\":{\"type\":\"box\",\"minimum\":[-2e-3,-1.5e-3,-8e-4],\"maximum\":[2e-3,1.5e-3,8e-4],"
    "\"walls\":{\"z_max\":{\"program\":[{\"type\":\"constant\",\"velocity\":-5}]}}},"
    "\"time\":{\"duration\":1e-4},\"output\":{%s}}";

static const double area = 4e-3 * 3e-3, constant = 2e-6; /* m^2, s */

static sim_run open_squeeze(const char *output)
{
  char text[1200];
  snprintf(text, sizeof text, squeeze, "peridem", output);
  return run_open(text, 1);
}

/* Reference: the definition, p = F / A, and the filter's equation da/dt = (p - a) / T solved over each step with p of its end. */
static void test_averages_follow_the_filter_of_their_constant(void **state)
{
  (void)state;
  sim_run run = open_squeeze("\"pressure_time\":2e-6,\"plots\":[{\"x\":\"time\",\"y\":\"wall.z_max.pressure_average\"}]");
  double average = run_curve(&run, "wall.z_max.pressure"), keeps = exp(-scr_sim_time_step(run.sim) / constant), peak = 0;
  for (int k = 0; k < 200; k++) {
    run_steps(&run, 1);
    double pressure = run_curve(&run, "wall.z_max.pressure");
    average = keeps * average + (1 - keeps) * pressure;
    assert_float_equal(pressure, run_value(&run, "wall.z_max.force_z") / area, 1e-12 * fabs(pressure));
    assert_float_equal(run_value(&run, "wall.z_max.pressure_average"), average, 1e-12 * (1 + fabs(average)));
    peak = fmax(peak, pressure);
  }
  assert_true(peak > 1e4); /* it was pressed: pushing outwards is positive */
  assert_true(run_value(&run, "wall.z_min.pressure") >= 0);
  run_close(&run);
}

static void test_checkpoints_hold_the_averages(void **state)
{
  (void)state;
  sim_run whole = open_squeeze("\"pressure_time\":2e-6"), again = open_squeeze("\"pressure_time\":2e-6");
  scr_blob blob = {0};
  run_steps(&whole, 100);
  assert_int_equal(sim_save(whole.sim, &blob, NULL), SCR_OK);
  assert_int_equal(sim_load(again.sim, &blob, NULL), SCR_OK);
  run_steps(&whole, 50);
  run_steps(&again, 50);
  assert_same_state(whole.sim, again.sim);
  assert_true(run_curve(&whole, "wall.z_max.pressure_average") == run_curve(&again, "wall.z_max.pressure_average"));
  blob.size -= 8; /* a blob cut short is refused, not read beyond */
  blob.cursor = 0;
  assert_int_not_equal(sim_load(again.sim, &blob, NULL), SCR_OK);
  scr_blob_destroy(&blob);
  run_close(&whole);
  run_close(&again);
}

static void test_only_scenes_that_ask_have_the_curves(void **state)
{
  (void)state;
  char text[1200];
  scr_scene *scene = NULL;
  scr_problems problems = {0};
  sim_run run = open_squeeze("");
  assert_int_equal(sim_find_series(run.sim, "wall.z_max.pressure"), -1);
  run_close(&run);
  snprintf(text, sizeof text, squeeze, "peridem", "\"plots\":[{\"x\":\"time\",\"y\":\"wall.z_max.pressure\"}]");
  assert_int_not_equal(scr_scene_parse(text, strlen(text), NULL, &scene, &problems), SCR_OK);
  assert_string_equal(problems.items[0].pointer, "/output/plots/0/y");
  scr_problems_clear(&problems);
  scr_scene_destroy(scene);
}

SUITE(test_sim_pressure)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_averages_follow_the_filter_of_their_constant),
      cmocka_unit_test(test_checkpoints_hold_the_averages),
      cmocka_unit_test(test_only_scenes_that_ask_have_the_curves),
  };
  return cmocka_run_group_tests_name("pressure on parts", tests, NULL, NULL);
}
