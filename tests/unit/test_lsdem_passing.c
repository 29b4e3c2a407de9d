/* Bodies do not pass each other unseen: fast ones, in long steps, through thin plates. Reference: a ball that fell on a plate is above it, or the run has failed and named the plate. */
#include "tests/support/lsdem_run.h"

/* A ball of 10 mm above a plate 2 mm thick, whose top is at 0, until it would be far below it. @return its height, m; NAN: the run failed, `message` says why */
static double falls(const char *modulus, double height, double speed, double gravity, const char *step, double duration, char message[static 700])
{
  char materials[200], specimens[400], rig[120], time[120];
  snprintf(materials, sizeof materials, "[{\"name\": \"stone\", \"density\": 1000, \"young_modulus\": %s, \"poisson_ratio\": 0.25}]", modulus);
  snprintf(specimens, sizeof specimens,
           "[{\"name\": \"ball\", \"material\": \"stone\", \"spacing\": 0.002, \"shape\": {\"type\": \"sphere\", \"radius\": 0.01}, \"velocity\": [0, 0, %g], "
           "\"placement\": {\"type\": \"single\", \"position\": [0, 0, %g]}}]",
           -speed, 0.01 + height);
  snprintf(rig, sizeof rig, "{\"type\": \"none\", \"gravity\": [0, 0, %g]}", -gravity);
  snprintf(time, sizeof time, "{\"duration\": %g%s}", duration, step);
  sim_run r = lsdem_open(materials, "{\"friction_coefficient\": 0}", specimens, rig,
                         "[{\"name\": \"plate\", \"shape\": {\"type\": \"box\", \"size\": [0.1, 0.1, 0.002]}, \"position\": [0, 0, -0.001]}]", time, "", 1);
  scr_error error = {0};
  scr_status status = SCR_OK;
  while (status == SCR_OK && r.sim->time < duration * (1 - 1e-9)) status = sim_method(r.sim)->step(r.sim, &error);
  double at = status == SCR_OK ? lsdem_of(&r)->grains[0].position.z : NAN;
  snprintf(message, 700, "%s", error.message);
  run_close(&r);
  return at;
}

/* At rest at first, so that the step knows of no speed; 9.9 m/s at the plate. Contacts too soft to stop it within the plate are refused where they are. */
static void test_a_soft_ball_that_falls_does_not_pass_a_plate(void **state)
{
  (void)state;
  char message[700];
  assert_true(isnan(falls("1e6", 0.005, 0, 9810, "", 0.004, message)));
  if (!strstr(message, "deep in obstacle.plate")) fail_msg("'%s'", message);
}

/* A step in which the ball goes 2 mm, as much as the plate is thick, is divided: it rebounds. */
static void test_a_long_step_does_not_carry_a_ball_past_a_plate(void **state)
{
  (void)state;
  char message[700];
  double at = falls("3e8", 0.004, 2, 0, ", \"time_step\": 1e-3", 0.02, message);
  if (!(at > 0.01)) fail_msg("the ball is at %g m: '%s'", at, message);
}

/* Nodes 2 mm apart do not feel a blade of 1 mm: the check refuses it with both numbers. */
static void test_a_part_thinner_than_nodes_are_apart_is_refused(void **state)
{
  (void)state;
  static const char text[] =
      "{\"scree\": 1, \"name\": \"blade\", \"method\": \"lsdem\", \"materials\": [{\"name\": \"stone\", \"density\": 1000, \"young_modulus\": 1e6}], \"contact\": {}, \"specimens\": [{\"name\": \"ball\", "
      "\"material\": \"stone\", \"spacing\": 0.002, \"shape\": {\"type\": \"sphere\", \"radius\": 0.01}, \"placement\": {\"type\": \"single\", \"position\": [0, 0, 0.1]}}], \"rig\": {\"type\": \"none\"}, "
      "\"obstacles\": [{\"name\": \"blade\", \"shape\": {\"type\": \"box\", \"size\": [0.1, 0.001, 0.02]}, \"position\": [0, 0, 0]}], \"time\": {\"duration\": 0.001}}";
  scr_scene *scene = NULL;
  scr_problems problems = {0};
  assert_int_not_equal(scr_scene_parse(text, strlen(text), NULL, &scene, &problems), SCR_OK);
  assert_int_equal(problems.count, 1);
  assert_string_equal(problems.items[0].pointer, "/obstacles/0");
  assert_non_null(strstr(problems.items[0].detail, "0.001 m thick and nodes of grains are up to 0.002 m apart"));
  scr_problems_clear(&problems);
  scr_scene_destroy(scene);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_soft_ball_that_falls_does_not_pass_a_plate),
      cmocka_unit_test(test_a_part_thinner_than_nodes_are_apart_is_refused),
      cmocka_unit_test(test_a_long_step_does_not_carry_a_ball_past_a_plate),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
