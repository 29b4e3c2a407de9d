/* Bodies do not pass each other unseen: fast ones, in long steps, through thin plates. Reference: a ball that fell on a plate is above it,
 * or the run has failed and named the plate. */
#include "tests/support/lsdem_run.h"
#include "tests/support/suites.h"

/* A ball of 10 mm above a plate 2 mm thick, whose top is at 0, until it would be far below it. @return its height, m; NAN: the run failed,
 * `message` says why */
static double falls(const char *modulus, double height, double speed, double gravity, const char *step, double duration,
                    char message[static 700])
{
  char materials[200], specimens[400], rig[120], time[120];
  snprintf(materials, sizeof materials, "[{\"name\": \"stone\", \"density\": 1000, \"young_modulus\": %s, \"poisson_ratio\": 0.25}]",
           modulus);
  snprintf(specimens, sizeof specimens,
           "[{\"name\": \"ball\", \"material\": \"stone\", \"spacing\": 0.002, \"shape\": {\"type\": \"sphere\", \"radius\": 0.01}, "
           "\"velocity\": [0, 0, %g], "
           "\"placement\": {\"type\": \"single\", \"position\": [0, 0, %g]}}]",
           -speed, 0.01 + height);
  snprintf(rig, sizeof rig, "{\"type\": \"none\", \"gravity\": [0, 0, %g]}", -gravity);
  snprintf(time, sizeof time, "{\"duration\": %g%s}", duration, step);
  sim_run r = lsdem_open(
      materials, "{\"friction_coefficient\": 0}", specimens, rig,
      "[{\"name\": \"plate\", \"shape\": {\"type\": \"box\", \"size\": [0.1, 0.1, 0.002]}, \"position\": [0, 0, -0.001]}]", time, "", 1);
  scr_error error = {0};
  scr_status status = SCR_OK;
  while (status == SCR_OK && r.sim->time < duration * (1 - 1e-9)) status = sim_method(r.sim)->step(r.sim, &error);
  double at = status == SCR_OK ? lsdem_of(&r)->grains[0].position.z : NAN;
  snprintf(message, 700, "%s", error.message);
  run_close(&r);
  return at;
}

/* At rest at first, so that the step knows of no speed; 9.9 m/s at the plate. Contacts too soft to stop it within the plate are refused
 * where they are. */
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
  static const char text[] = "{\"scree\": 1, \"name\": \"blade\", \"method\": \"lsdem\", \"materials\": [{\"name\": \"stone\", "
                             "\"density\": 1000, \"young_modulus\": 1e6}], \"contact\": {}, \"specimens\": [{\"name\": \"ball\", "
                             "\"material\": \"stone\", \"spacing\": 0.002, \"shape\": {\"type\": \"sphere\", \"radius\": 0.01}, "
                             "\"placement\": {\"type\": \"single\", \"position\": [0, 0, 0.1]}}], \"rig\": {\"type\": \"none\"}, "
                             "\"obstacles\": [{\"name\": \"blade\", \"shape\": {\"type\": \"box\", \"size\": [0.1, 0.001, 0.02]}, "
                             "\"position\": [0, 0, 0]}], \"time\": {\"duration\": 0.001}}";
  scr_scene *scene = NULL;
  scr_problems problems = {0};
  assert_int_not_equal(scr_scene_parse(text, strlen(text), NULL, &scene, &problems), SCR_OK);
  assert_int_equal(problems.count, 1);
  assert_string_equal(problems.items[0].pointer, "/obstacles/0");
  assert_non_null(strstr(problems.items[0].detail, "0.001 m thick and nodes of grains are up to 0.002 m apart"));
  scr_problems_clear(&problems);
  scr_scene_destroy(scene);
}

/* A closed box as the scene's inline mesh of 12 triangles. */
static const char *box_mesh(double x, double y, double z)
{
  static char text[1200];
  snprintf(text, sizeof text,
           "{\"type\": \"mesh\", \"vertices\": [[%g, %g, %g], [%g, %g, %g], [%g, %g, %g], [%g, %g, %g], [%g, %g, %g], [%g, %g, %g], [%g, "
           "%g, %g], [%g, %g, %g]], \"triangles\": "
           "[[0, 2, 1], [0, 3, 2], [4, 5, 6], [4, 6, 7], [0, 1, 5], [0, 5, 4], [1, 2, 6], [1, 6, 5], [2, 3, 7], [2, 7, 6], [3, 0, 4], [3, "
           "4, 7]]}",
           -x, -y, -z, x, -y, -z, x, y, -z, -x, y, -z, -x, -y, z, x, -y, z, x, y, z, -x, y, z);
  return text;
}

/* What the check says of a ball of 10 mm with nodes 2 mm apart and an obstacle, or of a grain of that shape. @return false: it is taken */
static bool refused(const char *shape, bool obstacle, const char *expected, char message[static 1000])
{
  char text[3000];
  snprintf(text, sizeof text,
           "{\"scree\": 1, \"name\": \"thin\", \"method\": \"lsdem\", \"materials\": [{\"name\": \"stone\", \"density\": 1000, "
           "\"young_modulus\": 1e6}], \"contact\": {}, \"specimens\": [{\"name\": \"grain\", "
           "\"material\": \"stone\", \"spacing\": 0.002, \"shape\": %s, \"placement\": {\"type\": \"single\", \"position\": [0, 0, "
           "0.1]}}], \"rig\": {\"type\": \"none\"}, "
           "\"obstacles\": [%s%s%s], \"time\": {\"duration\": 0.001}}",
           obstacle ? "{\"type\": \"sphere\", \"radius\": 0.01}" : shape, obstacle ? "{\"name\": \"blade\", \"shape\": " : "",
           obstacle ? shape : "", obstacle ? ", \"position\": [0, 0, 0]}" : "");
  scr_scene *scene = NULL;
  scr_problems problems = {0};
  bool bad = scr_scene_parse(text, strlen(text), NULL, &scene, &problems) != SCR_OK;
  snprintf(message, 1000, "%s", problems.count ? problems.items[0].detail : "");
  if (bad && !strstr(message, expected)) fail_msg("'%s'", message);
  scr_problems_clear(&problems);
  scr_scene_destroy(scene);
  return bad;
}

/* Of a mesh the thickness is from a place to the other side. The ball passes a mesh of 1 mm between its nodes, 2 mm apart, and not one of 3
 * mm. */
static void test_a_mesh_thinner_than_nodes_are_apart_is_refused(void **state)
{
  (void)state;
  char message[1000];
  assert_true(refused(box_mesh(0.05, 0.0005, 0.01), true, "0.001 m thick and nodes of grains are up to 0.002 m apart", message));
  if (refused(box_mesh(0.05, 0.0015, 0.01), true, "", message)) fail_msg("'%s'", message);
}

/* A cube of 20 mm with a fin of 2 mm around its middle, 4 mm out: of the whole grain's thickness a grid of 2 mm is a tenth, of the fin's it
 * is all. */
static void test_a_fin_thinner_than_the_grid_is_refused(void **state)
{
  (void)state;
  static const double high[6] = {-0.01, -0.001, -0.001, 0.001, 0.001, 0.01}, wide[6] = {0.01, 0.01, 0.014, 0.014, 0.01, 0.01};
  char text[3000], message[1000];
  int used = snprintf(text, sizeof text, "{\"type\": \"mesh\", \"vertices\": [");
  for (int ring = 0; ring < 6; ring++)
    for (int c = 0; c < 4; c++)
      used += snprintf(text + used, sizeof text - (size_t)used, "%s[%g, %g, %g]", ring + c ? ", " : "",
                       c == 0 || c == 3 ? -wide[ring] : wide[ring], c < 2 ? -wide[ring] : wide[ring], high[ring]);
  used += snprintf(text + used, sizeof text - (size_t)used, "], \"triangles\": [[0, 2, 1], [0, 3, 2], [20, 21, 22], [20, 22, 23]");
  for (int ring = 0; ring < 5; ring++)
    for (int c = 0; c < 4; c++) {
      int a = 4 * ring + c, b = 4 * ring + (c + 1) % 4;
      used += snprintf(text + used, sizeof text - (size_t)used, ", [%d, %d, %d], [%d, %d, %d]", a, b, b + 4, a, b + 4, a + 4);
    }
  snprintf(text + used, sizeof text - (size_t)used, "]}");
  assert_true(refused(text, false, "a fin of 0.002 m", message));
}

/* A step that a thousand parts are too few for is told: 10 m in a step, 0.3 mm allowed by a plate of 2 mm, nothing near. */
static void test_a_step_divided_too_little_is_a_doubt(void **state)
{
  (void)state;
  sim_run r = lsdem_open(
      "[{\"name\": \"stone\", \"density\": 1000, \"young_modulus\": 1e3, \"poisson_ratio\": 0.25}]", "{\"friction_coefficient\": 0}",
      "[{\"name\": \"ball\", \"material\": \"stone\", \"spacing\": 0.002, \"shape\": {\"type\": \"sphere\", \"radius\": 0.01}, "
      "\"velocity\": [0, 0, 1000], "
      "\"placement\": {\"type\": \"single\", \"position\": [0, 0, 0.1]}}]",
      LSDEM_NO_RIG, "[{\"name\": \"plate\", \"shape\": {\"type\": \"box\", \"size\": [0.1, 0.1, 0.002]}, \"position\": [0, 0, -0.001]}]",
      "{\"duration\": 200, \"time_step\": 0.01}", "", 1);
  run_steps(&r, 1);
  assert_int_equal(r.sim->doubt_count, 1);
  assert_string_equal(r.sim->doubts[0].kind, "travel");
  double estimated = r.scene->estimate.run_seconds;
  run_close(&r);
  r = lsdem_open(
      "[{\"name\": \"stone\", \"density\": 1000, \"young_modulus\": 1e3, \"poisson_ratio\": 0.25}]", "{\"friction_coefficient\": 0}",
      "[{\"name\": \"ball\", \"material\": \"stone\", \"spacing\": 0.002, \"shape\": {\"type\": \"sphere\", \"radius\": 0.01}, "
      "\"placement\": {\"type\": \"single\", \"position\": [0, 0, 0.1]}}]",
      LSDEM_NO_RIG, "[{\"name\": \"plate\", \"shape\": {\"type\": \"box\", \"size\": [0.1, 0.1, 0.002]}, \"position\": [0, 0, -0.001]}]",
      "{\"duration\": 200, \"time_step\": 0.01}", "", 1);
  assert_true(estimated > 100 * r.scene->estimate.run_seconds);
  run_close(&r);
}

SUITE(test_lsdem_passing)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_soft_ball_that_falls_does_not_pass_a_plate),
      cmocka_unit_test(test_a_part_thinner_than_nodes_are_apart_is_refused),
      cmocka_unit_test(test_a_mesh_thinner_than_nodes_are_apart_is_refused),
      cmocka_unit_test(test_a_fin_thinner_than_the_grid_is_refused),
      cmocka_unit_test(test_a_step_divided_too_little_is_a_doubt),
      cmocka_unit_test(test_a_long_step_does_not_carry_a_ball_past_a_plate),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
