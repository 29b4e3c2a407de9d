/* What method rigid refuses of a scene, and what it warns of: bad input by where it stands, bodies that start in each other. */
#include <stdio.h>

#include "methods/rigid/state/state.h"
#include "tests/support/sim_run.h"
#include "tests/support/suites.h"

#define HEAD "{\"scree\": 1, \"name\": \"t\", \"method\": \"rigid\", \"materials\": [{\"name\": \"m\", \"density\": 1000}], "
#define DOWN "\"gravity\": [0, 0, -9.81]"
#define FLOOR "{\"name\": \"floor\", \"shape\": {\"type\": \"plane\", \"width\": 1}}"
#define TIMES(duration, step)                                                                                                              \
  "\"time\": {\"duration\": " duration ", \"time_step\": " step "}, \"output\": {\"frame_interval\": " duration                            \
  ", \"sample_interval\": " duration "}"
#define CUBE_AT(z)                                                                                                                         \
  "{\"name\": \"cube\", \"material\": \"m\", \"shape\": {\"type\": \"box\", \"size\": [0.1, 0.1, 0.1]}, \"placement\": {\"type\": "        \
  "\"single\", \"position\": [0, 0, " z "]}}"
static void assert_refused(const char *scene, const char *pointer)
{
  scr_scene *parsed = NULL;
  scr_problems problems = {0};
  bool found = false;
  assert_int_equal(scr_scene_parse(scene, strlen(scene), NULL, &parsed, &problems), SCR_BAD_SCENE);
  for (size_t k = 0; k < problems.count; k++) found = found || strcmp(problems.items[k].pointer, pointer) == 0;
  if (!found) fail_msg("no problem at %s, but at %s: %s", pointer, problems.items[0].pointer, problems.items[0].detail);
  scr_problems_clear(&problems);
}

#define WITH(contact, specimen, rig, options)                                                                                              \
  HEAD "\"contact\": {" contact "}, \"specimens\": [" specimen "], \"rig\": " rig ", " TIMES("1", "0.01") ", \"options\": {" options "}}"

/* What can't be is refused with where it stands: section 8 of the specification, as far as scenes can say it. */
static void test_bad_input_is_refused(void **state)
{
  (void)state;
  assert_refused(WITH("\"friction_coefficient\": -0.1", CUBE_AT("1"), "{\"type\": \"none\"}", ""), "/contact/friction_coefficient");
  assert_refused(WITH("\"restitution\": 1.5", CUBE_AT("1"), "{\"type\": \"none\"}", ""), "/contact/restitution");
  assert_refused(WITH("", CUBE_AT("1"), "{\"type\": \"none\"}", "\"tolerance\": 1e-15"), "/options/tolerance");
  assert_refused(WITH("",
                      "{\"name\": \"w\", \"material\": \"m\", \"shape\": {\"type\": \"weave\", \"wefts\": 2, \"warps\": 2, \"pitch\": 1}}",
                      "{\"type\": \"none\"}", ""),
                 "/specimens/0/shape/type");
  assert_refused(WITH("", "{\"name\": \"b\", \"material\": \"m\", \"smallest_scale\": 2, \"shape\": {\"type\": \"sphere\", \"radius\": 1}}",
                      "{\"type\": \"none\"}", ""),
                 "/specimens/0/largest_scale");
  assert_refused(WITH("", CUBE_AT("0.5"),
                      "{\"type\": \"box\", \"minimum\": [-1, -1, 0], \"maximum\": [1, 1, 1], \"walls\": {\"z_max\": {\"program\": "
                      "[{\"type\": \"servo\", \"force\": 1}]}}}",
                      ""),
                 "/rig/walls/z_max/program/0/gain");
  assert_refused(WITH("",
                      "{\"name\": \"b\", \"material\": \"m\", \"shape\": {\"type\": \"sphere\", \"radius\": 1}, \"placement\": {\"type\": "
                      "\"random\", \"minimum\": [0, 0, 0], \"maximum\": [1, 1, 1], \"count\": "
                      "100, \"distance\": 2}}",
                      "{\"type\": \"none\"}", ""),
                 "/specimens/0/placement/count");
}

/* The same for every number of a law, an option, a material and the time that has a range of its own, on both its sides. */
static void test_numbers_out_of_range_are_refused(void **state)
{
  (void)state;
  static const char *const laws[][2] = {{"\"restitution\": -0.01", "/contact/restitution"},
                                        {"\"adhesion\": -1", "/contact/adhesion"},
                                        {"\"rolling_resistance\": -1e-9", "/contact/rolling_resistance"}};
  static const char *const options[][2] = {{"\"tolerance\": 0.1", "/options/tolerance"},
                                           {"\"solver\": \"magic\"", "/options/solver"},
                                           {"\"iterations\": 0", "/options/iterations"},
                                           {"\"margin\": 0", "/options/margin"},
                                           {"\"penetration\": 0", "/options/penetration"},
                                           {"\"restitution_speed\": -1", "/options/restitution_speed"},
                                           {"\"recorded_problems\": -1", "/options/recorded_problems"},
                                           {"\"recorded_every\": 0", "/options/recorded_every"},
                                           {"\"recorded_bytes\": -1", "/options/recorded_bytes"},
                                           {"\"porosity_layers\": -1", "/options/porosity_layers"},
                                           {"\"porosity_layers\": 1001", "/options/porosity_layers"},
                                           {"\"porosity_layers\": 2.5", "/options/porosity_layers"},
                                           {"\"porosity_axis\": \"up\"", "/options/porosity_axis"}};
  static const char *const whole[][3] = {{"0", "0.01", "/materials/0/density"},
                                         {"-1", "0.01", "/materials/0/density"},
                                         {"1000", "0", "/time/time_step"},
                                         {"1000", "-0.01", "/time/time_step"},
                                         {"1000", "1.5", "/time/time_step"}};
  char scene[1500];
  for (size_t k = 0; k < sizeof laws / sizeof *laws; k++) {
    snprintf(scene, sizeof scene, WITH("%s", CUBE_AT("1"), "{\"type\": \"none\"}", ""), laws[k][0]);
    assert_refused(scene, laws[k][1]);
  }
  for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
    snprintf(scene, sizeof scene, WITH("", CUBE_AT("1"), "{\"type\": \"none\"}", "%s"), options[k][0]);
    assert_refused(scene, options[k][1]);
  }
  for (size_t k = 0; k < sizeof whole / sizeof *whole; k++) {
    snprintf(
        scene, sizeof scene,
        "{\"scree\": 1, \"name\": \"t\", \"method\": \"rigid\", \"materials\": [{\"name\": \"m\", \"density\": %s}], \"specimens\": "
        "[" CUBE_AT("1") "], \"rig\": {\"type\": \"none\"}, "
                         "\"time\": {\"duration\": 1, \"time_step\": %s}, \"output\": {\"frame_interval\": 1, \"sample_interval\": 1}}",
        whole[k][0], whole[k][1]);
    assert_refused(scene, whole[k][2]);
  }
}

/* Bodies that start in each other are moved apart without speed, so that nothing else would show it: told beyond a tenth of the smaller
 * one's extent (0.1 sqrt(3) / 2 = 0.0866 m), deep in the floor or in its like, and not for what is put down carelessly. */
static void test_a_start_in_each_other_is_told(void **state)
{
  (void)state;
  const struct {
    const char *cube;
    bool told;
  } cases[] = {{CUBE_AT("0.05"), false},
               {CUBE_AT("0.042"), false},
               {CUBE_AT("0.04"), true},
               {CUBE_AT("0.15") ", {\"name\": \"ball\", \"material\": \"m\", \"shape\": {\"type\": \"sphere\", \"radius\": 0.05}, "
                                "\"placement\": {\"type\": \"single\", \"position\": [0, 0, 0.23]}}",
                true}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    char text[2000];
    snprintf(text, sizeof text,
             HEAD "\"contact\": {\"friction_coefficient\": 0.5}, \"specimens\": [%s], \"rig\": {\"type\": \"none\", " DOWN
                  "}, \"obstacles\": [" FLOOR "], " TIMES("1", "0.005") "}",
             cases[k].cube);
    sim_run r = run_open(text, 1);
    run_steps(&r, 3);
    assert_int_equal(r.sim->doubt_count, cases[k].told);
    assert_int_equal(r.scene->warnings->count, cases[k].told);
    if (cases[k].told) {
      assert_string_equal(r.scene->warnings->items[0].pointer, k == 2 ? "/specimens/0/placement" : "/specimens/1/placement");
      assert_non_null(strstr(r.scene->warnings->items[0].detail, k == 2 ? "body 0 of specimen 'cube' starts 0.01 m deep in obstacle.floor"
                                                                        : "0.02 m deep in body 0 of specimen"));
      assert_string_equal(r.sim->doubts[0].kind, "start_overlap");
      assert_non_null(strstr(r.sim->doubts[0].message, k == 2 ? "is 0.01 m inside" : "is 0.02 m inside"));
    }
    run_close(&r);
  }
}

/* A check stays quick and small whatever it is given: thousands of balls in one place are more pairs than are looked at, ten of which are
 * told; in a grid that two far away have stretched until all others are in one cell, it says that it did not look at all. */
static void test_a_check_of_starts_is_bounded(void **state)
{
  (void)state;
  const char *const scenes[] = {"{\"name\": \"a\", \"material\": \"m\", \"shape\": {\"type\": \"sphere\", \"radius\": 0.05}, "
                                "\"placement\": {\"type\": \"lattice\", \"origin\": [0, 0, 1], "
                                "\"pitch\": [1e-9, 1e-9, 1e-9], \"count\": [15, 15, 15]}}",
                                "{\"name\": \"a\", \"material\": \"m\", \"shape\": {\"type\": \"sphere\", \"radius\": 0.05}, "
                                "\"placement\": {\"type\": \"lattice\", \"origin\": [0, 0, 1], "
                                "\"pitch\": [0.1, 0.1, 0.1], \"count\": [28, 28, 28]}}, {\"name\": \"b\", \"material\": \"m\", \"shape\": "
                                "{\"type\": \"sphere\", \"radius\": 0.05}, "
                                "\"placement\": {\"type\": \"list\", \"positions\": [[1e6, 0, 1], [-1e6, 1e6, 1e6]]}}"};
  for (int k = 0; k < 2; k++) {
    char text[2000];
    scr_scene *scene = NULL;
    scr_problems problems = {0};
    snprintf(text, sizeof text,
             HEAD "\"contact\": {\"friction_coefficient\": 0.5}, \"specimens\": [%s], \"rig\": {\"type\": \"none\", " DOWN
                  "}, " TIMES("1", "0.005") "}",
             scenes[k]);
    assert_int_equal(scr_scene_parse(text, strlen(text), NULL, &scene, &problems), SCR_OK);
    assert_int_equal(scene->warnings->count, k ? 1 : 10);
    assert_non_null(strstr(scene->warnings->items[0].detail, k ? "is not known" : "m deep in body"));
    scr_scene_destroy(scene);
    scr_problems_clear(&problems);
  }
}

SUITE(test_rigid_refusals)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_bad_input_is_refused),
      cmocka_unit_test(test_numbers_out_of_range_are_refused),
      cmocka_unit_test(test_a_start_in_each_other_is_told),
      cmocka_unit_test(test_a_check_of_starts_is_bounded),
  };
  return cmocka_run_group_tests_name("rigid refusals", tests, NULL, NULL);
}
