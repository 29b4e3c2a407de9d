/* The method lsdem as a whole: restart, what is refused, memory. */
#include "tests/support/lsdem_run.h"
#include "tests/support/suites.h"

#define SLIDING                                                                                                                            \
  lsdem_open("[{\"name\": \"stone\", \"density\": 2600, \"young_modulus\": 1e6, \"poisson_ratio\": 0.2}]",                                 \
             "{\"contact_stiffness\": 1e8, \"friction_coefficient\": 0.4, \"damping_time\": 1e-4}",                                        \
             "[{\"name\": \"bricks\", \"material\": \"stone\", \"spacing\": 3e-3, \"modes\": \"stretch\", \"velocity\": [1, 0.3, -0.5], "  \
             "\"shape\": {\"type\": \"box\", \"size\": [0.02, 0.014, "                                                                     \
             "0.01]}, \"placement\": {\"type\": \"lattice\", \"origin\": [-0.013, -0.013, 0.0055], \"pitch\": [0.026, 0.026, 0.0105], "    \
             "\"count\": [2, 2, 2]}}]",                                                                                                    \
             "{\"type\": \"box\", \"minimum\": [-0.05, -0.05, 0], \"maximum\": [0.05, 0.05, 0.1], \"gravity\": [0, 0, -9.81], \"walls\": " \
             "{\"z_max\": {\"program\": "                                                                                                  \
             "[{\"type\": \"servo\", \"force\": 1}]}}}",                                                                                   \
             "[]", "{\"duration\": 0.05}", "", 1)

/* A run taken up in the middle of sliding goes on with the same bits. */
static void test_a_restart_in_the_middle_of_sliding_gives_the_same_bits(void **state)
{
  (void)state;
  sim_run whole = SLIDING, again = SLIDING;
  scr_blob blob = {0};
  run_steps(&whole, 75);
  lsdem_state *s = lsdem_of(&whole);
  size_t stretched = 0;
  for (size_t d = 0; d < s->near.count; d++)
    for (size_t k = 0; k < s->near.list[d].touch_count; k++) stretched += vec3_length(s->near.list[d].touches[k].slip) > 0;
  assert_true(stretched > 20);
  assert_true(s->ledger->friction > 0);
  assert_int_equal(sim_save(whole.sim, &blob, NULL), SCR_OK);
  run_steps(&again, 7); /* what is loaded replaces it */
  assert_int_equal(sim_load(again.sim, &blob, NULL), SCR_OK);
  run_steps(&whole, 150);
  run_steps(&again, 150);
  lsdem_state *t = lsdem_of(&again); /* how far tiles are known to be clear is no state: it is found anew */
  for (size_t i = 0; i < s->grain_count; i++)
    t->grains[i].travel = s->grains[i].travel, t->grains[i].turned = s->grains[i].turned, t->grains[i].bent = s->grains[i].bent;
  assert_same_state(whole.sim, again.sim);
  scr_blob_destroy(&blob);
  run_close(&whole);
  run_close(&again);
}

static void check_refused(const char *contact, const char *material, const char *specimen, const char *rig, const char *time,
                          const char *pointer, const char *says)
{
  char text[4000];
  snprintf(text, sizeof text,
           "{\"scree\": 1, \"name\": \"bad\", \"method\": \"lsdem\", \"materials\": [{\"name\": \"stone\", \"density\": 1000%s}], "
           "\"contact\": {%s}, \"specimens\": "
           "[{\"name\": \"a\", \"material\": \"stone\", %s}], \"rig\": {%s}, \"time\": {\"duration\": 1%s}}",
           material, contact, specimen, rig, time);
  scr_scene *scene = NULL;
  scr_problems problems = {0};
  assert_int_equal(scr_scene_parse(text, strlen(text), NULL, &scene, &problems), SCR_BAD_SCENE);
  bool found = false;
  for (size_t k = 0; k < problems.count; k++)
    found = found || (strcmp(problems.items[k].pointer, pointer) == 0 && strstr(problems.items[k].detail, says));
  if (!found)
    fail_msg("%s: no problem at %s that says '%s', but: %s %s", specimen, pointer, says, problems.items[0].pointer,
             problems.items[0].detail);
  scr_problems_clear(&problems);
}

#define BALL "\"shape\": {\"type\": \"sphere\", \"radius\": 0.1}"
#define STIFF "\"contact_stiffness\": 1e6"
#define NONE "\"type\": \"none\""
/* A tetrahedron without one of its faces, and two that cross each other. */
#define OPEN                                                                                                                               \
  "\"shape\": {\"type\": \"mesh\", \"vertices\": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], \"triangles\": [[0, 2, 1], [0, 1, 3], [1, " \
  "2, 3]]}"
#define CROSSED                                                                                                                            \
  "\"shape\": {\"type\": \"mesh\", \"vertices\": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [0.2, 0.2, 0.2], [1.2, 0.2, 0.2], [0.2, "    \
  "1.2, 0.2], [0.2, 0.2, 1.2]], \"triangles\": [[0, 2, 1], [0, 1, 3], "                                                                    \
  "[1, 2, 3], [2, 0, 3], [4, 6, 5], [4, 5, 7], [5, 6, 7], [6, 4, 7]]}"

/* Bad input of the specification's section 8, as far as it applies: refused with the place and the reason. */
static void test_what_cannot_run_is_refused_with_the_reason(void **state)
{
  (void)state;
  check_refused(STIFF, "", "\"spacing\": 0.1, " BALL, NONE, "", "/specimens/0", "a third of the grain's thickness");
  check_refused("", "", "\"spacing\": 0.02, " BALL, NONE, "", "/contact/contact_stiffness", "young_modulus");
  check_refused("\"contact_stiffness\": -1", "", "\"spacing\": 0.02, " BALL, NONE, "", "/contact/contact_stiffness", "contact_stiffness");
  check_refused(STIFF ", \"friction_coefficient\": -0.1", "", "\"spacing\": 0.02, " BALL, NONE, "", "/contact/friction_coefficient",
                "friction_coefficient");
  check_refused(STIFF, "", "\"spacing\": 0.02, \"modes\": \"affine\", " BALL, NONE, "", "/materials/0/young_modulus", "young_modulus");
  check_refused(STIFF, ", \"young_modulus\": 1e6", "\"spacing\": 0.02, \"modes\": \"affine\", \"mode_table\": \"0 0 1 1\", " BALL, NONE, "",
                "/specimens/0/modes", "with one");
  check_refused(STIFF, ", \"young_modulus\": 1e6", "\"spacing\": 0.02, \"modes\": \"isotropic\", \"mode_table\": \"0 0, 1 2, 2 1\", " BALL,
                NONE, "", "/specimens/0", "below the one before");
  check_refused(STIFF, ", \"young_modulus\": 1e6",
                "\"spacing\": 0.02, \"modes\": \"isotropic\", \"mode_table\": \"0 0 1 1\", \"mode_stiffness\": 1, " BALL, NONE, "",
                "/specimens/0/mode_stiffness", "leave one");
  check_refused(STIFF, "", "\"spacing\": 0.02, \"roughness\": 0.1, \"shape\": {\"type\": \"box\", \"size\": [0.1, 0.1, 0.1]}", NONE, "",
                "/specimens/0/shape/type", "pebbles of spheres");
  check_refused(STIFF, "", "\"spacing\": 0.002, \"shape\": {\"type\": \"weave\", \"wefts\": 4, \"warps\": 4, \"pitch\": 0.01}", NONE, "",
                "/specimens/0/shape/type", "which method lsdem does not take: use another shape, or method bdem");
  check_refused(STIFF, ", \"young_modulus\": 1e6", "\"spacing\": 0.02, \"modes\": \"isotropic\", " BALL, NONE, ", \"time_step\": 1",
                "/time/time_step", "modes");
  check_refused(STIFF, "", "\"spacing\": 0.02, " BALL ", \"placement\": {\"type\": \"list\", \"positions\": [[0, 0, 0], [0, 0, 0.1]]}",
                NONE, "", "/specimens", "deep in");
  check_refused(STIFF, "", "\"spacing\": 0.02, " BALL ", \"placement\": {\"type\": \"list\", \"positions\": [[0, 0, 0], [0, 0, 0]]}", NONE,
                "", "/specimens", "its middle in grain 1: move them apart");
  check_refused(STIFF, "", "\"spacing\": 1e-5, " BALL, NONE, "", "/specimens", "memory");
  check_refused(STIFF, "", "\"spacing\": 1e-7, " BALL, NONE, "", "/specimens", "lengths are in metres"); /* so far off that it is a unit */
  check_refused(STIFF ", \"damping_time\": -1", "", "\"spacing\": 0.02, " BALL, NONE, "", "/contact/damping_time", "damping_time");
  check_refused(STIFF, ", \"young_modulus\": 1e6", "\"spacing\": 0.02, \"modes\": \"isotropic\", \"mode_damping_ratio\": -0.1, " BALL, NONE,
                "", "/specimens/0/mode_damping_ratio", "mode_damping_ratio");
  check_refused(STIFF, ", \"young_modulus\": 1e6", "\"spacing\": 0.02, \"modes\": \"isotropic\", \"mode_mass\": -1, " BALL, NONE, "",
                "/specimens/0/mode_mass", "mode_mass");
  check_refused(STIFF, ", \"young_modulus\": 1e6", "\"spacing\": 0.02, \"modes\": \"isotropic\", \"mode_stiffness\": 0, " BALL, NONE, "",
                "/specimens/0/mode_stiffness", "mode_stiffness");
  check_refused(STIFF, ", \"young_modulus\": 1e6", "\"spacing\": 0.02, \"modes\": \"isotropic\", \"mode_table\": \"0 0.1, 1 2\", " BALL,
                NONE, "", "/specimens/0", "begin with that point");
  check_refused(STIFF, ", \"young_modulus\": 1e6", "\"spacing\": 0.02, \"modes\": \"isotropic\", \"mode_table\": \"0 0, 1 2, 1 3\", " BALL,
                NONE, "", "/specimens/0", "sort the points");
  check_refused(STIFF, "", "\"spacing\": 0.02, \"modes\": \"basis\", " BALL, NONE, "", "/specimens/0/modes", "belong together");
  check_refused(STIFF ", \"bond_stiffness\": 1e6, \"bond_reach\": 0.1", "", "\"spacing\": 0.02, " BALL, NONE, "", "/contact/bond_reach",
                "two grid spacings");
  check_refused(STIFF, "", "\"spacing\": 0.02, " BALL, "\"type\": \"box\", \"minimum\": [-0.05, -1, -1], \"maximum\": [1, 1, 1]", "",
                "/specimens", "deep in");
#define SERVO_BOX(servo)                                                                                                                   \
  "\"type\": \"box\", \"minimum\": [-1, -1, -1], \"maximum\": [1, 1, 1], \"walls\": {\"z_max\": {\"program\": [{\"type\": \"servo\", "     \
  "\"present_area\": true, " servo "}]}}"
  check_refused(STIFF, "", "\"spacing\": 0.02, " BALL, SERVO_BOX("\"force\": 3"), "", "/rig/walls/z_max/program/0/present_area",
                "it is given a force");
  check_refused(STIFF, "", "\"spacing\": 0.02, " BALL, SERVO_BOX("\"stress\": 3, \"area\": 1"), "",
                "/rig/walls/z_max/program/0/present_area", "its area is given");
  check_refused(STIFF, "", "\"spacing\": 0.02, " BALL,
                "\"type\": \"platens\", \"opening\": 1, \"program\": [{\"type\": \"servo\", \"present_area\": true, \"stress\": 3}]", "",
                "/rig/program/0/present_area", "no wall");
  check_refused(STIFF ", \"friction_before\": -0.1", "", "\"spacing\": 0.02, " BALL, NONE, "", "/contact/friction_before",
                "friction_before");
  check_refused(STIFF ", \"friction_since\": 0.5", "", "\"spacing\": 0.02, " BALL, NONE, "", "/contact/friction_since", "none is given");
  check_refused(STIFF ", \"friction_before\": 0.1", "", "\"spacing\": 0.02, " BALL, NONE, "", "/contact/friction_before", "give that time");
  check_refused(STIFF ", \"pairs\": [{\"between\": [\"stone\", \"wall\"], \"friction_since\": 0.5}]", "", "\"spacing\": 0.02, " BALL, NONE,
                "", "/contact/friction_since", "none is given");
  check_refused(STIFF, "", "\"spacing\": 0.02, " OPEN, NONE, "", "/specimens/0/shape/triangles/0", "not closed");
  check_refused(STIFF, "", "\"spacing\": 0.02, " CROSSED, NONE, "", "/specimens/0/shape/triangles/2", "pass through each other");
}

/* A friction that changes only after the end of the run is what somebody may want for the first part of a test: a warning, and none where
 * it changes. */
static void test_a_friction_that_never_holds_is_warned_of(void **state)
{
  (void)state;
  for (int late = 0; late < 2; late++) {
    char text[1000];
    snprintf(text, sizeof text,
             "{\"scree\": 1, \"name\": \"late\", \"method\": \"lsdem\", \"materials\": [{\"name\": \"stone\", \"density\": 1000}], "
             "\"contact\": {" STIFF ", \"friction_coefficient\": 0.5, \"friction_before\": 0.1, \"friction_since\": %s}, \"specimens\": "
             "[{\"name\": \"a\", \"material\": \"stone\", \"spacing\": 0.02, " BALL "}], \"rig\": {" NONE "}, \"time\": {\"duration\": 1}}",
             late ? "1" : "0.999");
    scr_scene *scene = NULL;
    scr_problems problems = {0};
    assert_int_equal(scr_scene_parse(text, strlen(text), NULL, &scene, &problems), SCR_OK);
    const scr_problems *warnings = scr_scene_warnings(scene);
    size_t told = 0;
    for (size_t k = 0; k < warnings->count; k++) told += strcmp(warnings->items[k].pointer, "/contact/friction_since") == 0;
    assert_int_equal(told, late);
    if (late) assert_non_null(strstr(warnings->items[0].detail, "the run ends after 1 s"));
    scr_scene_destroy(scene);
    scr_problems_clear(&problems);
  }
}

/* Steps until one fails. @return what it says */
static void check_stops(sim_run *r, const char *says)
{
  scr_error error = {0};
  scr_status status = SCR_OK;
  for (int k = 0; k < 4000 && status == SCR_OK; k++) status = scr_sim_step(r->sim, &error);
  assert_int_equal(status, SCR_DIVERGED);
  if (!strstr(error.message, says)) fail_msg("no '%s' in: %s", says, error.message);
  run_close(r);
}

/* What only a run can tell stops it: a grain that goes through another, one that is strained beyond what modes mean, one beyond its table,
 * and what is not finite. */
static void test_a_run_that_means_nothing_is_stopped(void **state)
{
  (void)state;
  const char *two = "[{\"name\": \"balls\", \"material\": \"stone\", \"spacing\": 0.1, \"shape\": {\"type\": \"sphere\", \"radius\": 0.5}, "
                    "\"placement\": {\"type\": \"list\", \"positions\": [[0, 0, 0], [0, "
                    "0, 1.05]]}}]";
  sim_run r =
      lsdem_open(LSDEM_STONE, "{\"contact_stiffness\": 1e3}", two, LSDEM_NO_RIG, "[]", "{\"duration\": 10, \"time_step\": 1e-3}", "", 1);
  lsdem_of(&r)->grains[1].velocity = vec3(0, 0, -1);
  check_stops(&r, "deep in grain");
#define SOFT(more)                                                                                                                         \
  "[{\"name\": \"ball\", \"material\": \"stone\", \"spacing\": 0.1, \"modes\": \"isotropic\", " more                                       \
  "\"shape\": {\"type\": \"sphere\", \"radius\": 0.5}, \"placement\": {\"type\": \"single\"}}]"
  r = lsdem_open(LSDEM_STONE, "{\"contact_stiffness\": 1e6}", SOFT(""), LSDEM_NO_RIG, "[]", "{\"duration\": 10, \"time_step\": 1e-4}", "",
                 1);
  lsdem_of(&r)->rate[0] = 1e3;
  check_stops(&r, "strained by");
  r = lsdem_open(LSDEM_STONE, "{\"contact_stiffness\": 1e6}", SOFT("\"mode_table\": \"0 0, 0.01 1, 0.02 3\", "), LSDEM_NO_RIG, "[]",
                 "{\"duration\": 10, \"time_step\": 1e-4}", "", 1);
  lsdem_of(&r)->rate[0] = 10;
  check_stops(&r, "give a longer table");
  r = lsdem_open(LSDEM_STONE, "{\"contact_stiffness\": 1e3}", two, LSDEM_NO_RIG, "[]", "{\"duration\": 10, \"time_step\": 1e-3}", "", 1);
  lsdem_of(&r)->grains[1].velocity.x = NAN;
  check_stops(&r, "is not finite after a step");
}

SUITE(test_lsdem_method)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_restart_in_the_middle_of_sliding_gives_the_same_bits),
      cmocka_unit_test(test_what_cannot_run_is_refused_with_the_reason),
      cmocka_unit_test(test_a_friction_that_never_holds_is_warned_of),
      cmocka_unit_test(test_a_run_that_means_nothing_is_stopped),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
