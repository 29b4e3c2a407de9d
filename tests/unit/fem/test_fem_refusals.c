/* What the method fem refuses or warns of: the specification's section 8, row by row (tests/validation/fem/CHECKS.md has the table). */
#include "tests/support/fem_scene.h"
#include "tests/support/suites.h"

#include <math.h>

#include "geometry/hexes/hexes.h"
#include "methods/fem/dynamics/spin.h"
#include "methods/fem/state/state.h"
#include "methods/fem/system/held.h"

static bool refused(const char *from, const char *to, const char *pointer)
{
  static const char base[] =
      "{ \"scree\": 1, \"name\": \"bad\", \"method\": \"fem\", \"materials\": [ { \"name\": \"m\", \"density\": 1000, \"young_modulus\": "
      "1e6, \"poisson_ratio\": 0.3,"
      " \"stiffness_damping\": 0 } ], \"contact\": { \"friction_coefficient\": 0.1 }, \"specimens\": [ { \"name\": \"body\", \"material\": "
      "\"m\", \"spacing\": 0.01,"
      " \"shape\": { \"type\": \"box\", \"size\": [0.02, 0.02, 0.02] }, \"placement\": { \"type\": \"single\", \"position\": [0, 0, "
      "0.0101] }, \"load_side\": \"z_max\" } ],"
      " \"rig\": { \"type\": \"none\" }, \"obstacles\": [ " FEM_FLOOR " ], \"time\": { \"duration\": 1, \"time_step\": 1e-3 } }";
  char text[4000];
  const char *at = strstr(base, from);
  assert_non_null(at);
  snprintf(text, sizeof text, "%.*s%s%s", (int)(at - base), base, to, at + strlen(from));
  scr_scene *scene = NULL;
  scr_problems problems = {0};
  bool found = false, ok = scr_scene_parse(text, strlen(text), NULL, &scene, &problems) == SCR_OK;
  for (size_t k = 0; k < problems.count; k++) found = found || strcmp(problems.items[k].pointer, pointer) == 0;
  if (!ok && !found) print_message("# %s -> %s: %s\n", from, problems.items[0].pointer, problems.items[0].detail);
  scr_problems_clear(&problems);
  scr_scene_destroy(scene);
  return !ok && found;
}

/* The spec's section 8, as far as a scene can say it: each is refused at its place. */
static void test_wrong_scenes_are_refused_at_their_place(void **state)
{
  (void)state;
  assert_true(refused("\"young_modulus\": 1e6", "\"young_modulus\": 0", "/materials/0/young_modulus"));
  assert_true(refused(", \"young_modulus\": 1e6", "", "/materials/0/young_modulus"));
  assert_true(refused("\"density\": 1000", "\"density\": -1", "/materials/0/density"));
  assert_true(refused("\"poisson_ratio\": 0.3", "\"poisson_ratio\": -1", "/materials/0/poisson_ratio"));
  assert_true(refused("\"density\": 1000", "\"density\": 0", "/materials/0/density"));
  assert_true(refused("\"stiffness_damping\": 0", "\"stiffness_damping\": 0, \"mass_damping\": -1", "/materials/0/mass_damping"));
  assert_true(refused("\"duration\": 1, \"time_step\": 1e-3 }",
                      "\"duration\": 1, \"time_step\": 1e-3 }, \"options\": { \"newton_limit\": 0 }", "/options/newton_limit"));
  assert_true(refused("\"poisson_ratio\": 0.3", "\"poisson_ratio\": 0.5", "/materials/0/poisson_ratio"));
  assert_true(refused("\"stiffness_damping\": 0", "\"stiffness_damping\": -1", "/materials/0/stiffness_damping"));
  assert_true(refused("\"friction_coefficient\": 0.1", "\"friction_coefficient\": -0.1", "/contact/friction_coefficient"));
  assert_true(refused("\"time_step\": 1e-3", "\"time_step\": 0", "/time/time_step"));
  assert_true(refused("\"density\": 1000", "\"density\": 1e999", "")); /* no finite number: not JSON's */
  assert_true(refused("\"size\": [0.02, 0.02, 0.02]", "\"size\": [0.02, null, 0.02]", "/specimens/0/shape/size/1"));
  assert_true(refused("\"width\": 1 }", "\"width\": 1 }, \"free\": true, \"density\": 1000", "/obstacles/0/free"));
  assert_true(refused("\"spacing\": 0.01,", "", "/specimens/0/spacing"));
  assert_true(refused("\"spacing\": 0.01", "\"spacing\": 1e-6", "/specimens/0/spacing"));
  assert_true(refused("\"spacing\": 0.01", "\"divisions\": [200, 200, 200]", "/specimens"));
  assert_true(refused("[0, 0, 0.0101]", "[0, 0, 0.009]", "/specimens/0/placement")); /* a tenth of an element inside the floor */
  assert_true(refused("\"type\": \"box\", \"size\": [0.02, 0.02, 0.02]", "\"type\": \"weave\", \"pitch\": 0.01, \"wefts\": 4, \"warps\": 4",
                      "/specimens/0/shape/type"));
  assert_true(
      refused("\"type\": \"box\", \"size\": [0.02, 0.02, 0.02]", "\"type\": \"sphere\", \"radius\": 0.01", "/specimens/0/load_side"));
  assert_true(refused("\"load_side\": \"z_max\"", "\"load\": [0, 0, 1]", "/specimens/0/load_side"));
  /* two bodies: half an element in each other, and one within the other; static loading, which does not see their contact */
  static const char single[] = "\"type\": \"single\", \"position\": [0, 0, 0.0101]";
  assert_true(refused(single, "\"type\": \"list\", \"positions\": [[0, 0, 0.0101], [0.015, 0, 0.0101]]", "/specimens/0/placement"));
  assert_false(refused(single, "\"type\": \"list\", \"positions\": [[0, 0, 0.0101], [0.02, 0, 0.0101]]", "/specimens/0/placement"));
  /* whole elements in each other, so that every node of the one's surface is at a node of the other, and all of it */
  assert_true(refused(single, "\"type\": \"list\", \"positions\": [[0, 0, 0.0101], [0.01, 0, 0.0101]]", "/specimens/0/placement"));
  assert_true(refused(single, "\"type\": \"list\", \"positions\": [[0, 0, 0.0101], [0, 0, 0.0101]]", "/specimens/0/placement"));
  assert_true(refused(
      "\"load_side\": \"z_max\" } ]",
      "\"load_side\": \"z_max\" }, { \"name\": \"seed\", \"material\": \"m\", \"spacing\": 0.004, \"shape\": { \"type\": \"sphere\", "
      "\"radius\": 0.006 }, \"placement\": { \"type\": \"single\", \"position\": [0, 0, 0.0101] } } ]",
      "/specimens/1/placement"));
  static const char rest[] = " }, \"load_side\": \"z_max\" } ], \"rig\": { \"type\": \"none\" }, \"obstacles\": [ " FEM_FLOOR
                             " ], \"time\": { \"duration\": 1, \"time_step\": 1e-3 }";
  char from[600], to[700];
  snprintf(from, sizeof from, "%s%s", single, rest);
  snprintf(to, sizeof to, "%s%s, \"options\": { \"loading\": \"static\" }",
           "\"type\": \"list\", \"positions\": [[0, 0, 0.0101], [0.03, 0, 0.0101]]", rest);
  assert_true(refused(from, to, "/options/loading"));
}

/* A word of the scene replaced that every scene has. */
static const char material_end[] = "\"stiffness_damping\": 0", time_on[] = "\"time_step\": 1e-3 }";

static void test_flight_is_for_one_body_that_nothing_brakes(void **state)
{
  (void)state;
  static const char body[] = "\"specimens\": [ { \"name\": \"body\", \"material\": \"m\", \"spacing\": 0.01, \"shape\": { \"type\": "
                             "\"box\", \"size\": [0.02, 0.02, 0.02] }, "
                             "\"placement\": { %s }, \"load_side\": \"z_max\" } ]";
  char from[500], to[700];
  assert_true(
      refused(time_on, "\"time_step\": 1e-3 }, \"options\": { \"flight\": 1 }", "/options/flight")); /* true or false, not a number */
  snprintf(from, sizeof from, "%s } ], \"contact\"", material_end);
  snprintf(to, sizeof to, "%s, \"mass_damping\": 0.1 } ], \"options\": { \"flight\": true }, \"contact\"", material_end);
  assert_true(refused(from, to, "/materials/0/mass_damping"));
  snprintf(from, sizeof from, body, "\"type\": \"single\", \"position\": [0, 0, 0.0101]");
  (void)snprintf(to, sizeof to, body, "\"type\": \"list\", \"positions\": [[0, 0, 0.0101], [0.03, 0, 0.0101]]");
  strcat(to, ", \"options\": { \"flight\": true }");
  assert_true(refused(from, to, "/options/flight"));
}

/* Two cubes that touch at nothing, as one file: it may fall, but not fly as a rigid body, and each has to be held by itself. */
static void test_a_body_of_two_pieces_does_not_fly(void **state)
{
  (void)state;
  static const char box[] = "\"type\": \"box\", \"size\": [0.02, 0.02, 0.02]";
  char shape[1600] = "\"type\": \"mesh\", \"text\": \"*NODE\\n";
  for (int n = 0; n < 16; n++) {
    int k = n % 8, side = n / 8;
    snprintf(shape + strlen(shape), sizeof shape - strlen(shape), "%d, %g, %g, %g\\n", n + 1,
             0.01 * ((k % 4 == 1 || k % 4 == 2) + 2 * side), 0.01 * (k % 4 > 1), 0.01 * (k > 3));
  }
  strcat(shape, "*ELEMENT, TYPE=C3D8\\n1, 1,2,3,4,5,6,7,8\\n2, 9,10,11,12,13,14,15,16\\n\"");
  static const char rest[] = " }, \"placement\": { \"type\": \"single\", \"position\": [0, 0, 0.0101] }, \"load_side\": \"z_max\" } ], "
                             "\"rig\": { \"type\": \"none\" }, ";
  char from[600], to[2400];
  snprintf(from, sizeof from, "\"spacing\": 0.01, \"shape\": { %s%s", box, rest);
  snprintf(to, sizeof to, "\"shape\": { %s%s\"options\": { \"flight\": true }, ", shape, rest);
  assert_true(refused(from, to, "/specimens/0/shape"));
  snprintf(to, sizeof to, "\"shape\": { %s%s", shape, rest);
  assert_false(refused(from, to, "/specimens/0/shape"));
}

/* Static loading of what can move as a whole: refused where it starts so, and told where the loads make it so. */
static void test_a_free_body_has_no_equilibrium(void **state)
{
  (void)state;
  assert_true(refused(time_on, "\"time_step\": 1e-3 }, \"options\": { \"loading\": \"static\" }",
                      "/options/loading")); /* a tenth of a millimetre above the floor */
  fem_scene scene = {.young = 1e6,
                     .density = 1000,
                     .size = {0.02, 0.02, 0.02},
                     .cells = {2, 2, 2},
                     .place = {0, 0, 0.01},
                     .gravity = {0, 0, -9.81},
                     .step = 1e-3,
                     .duration = 1,
                     .obstacles = FEM_FLOOR,
                     .load = ", \"load_side\": \"z_max\", \"load\": [0, 0, 1]", /* its weight is 0.08 N */
                     .options = ", \"loading\": \"static\""};
  char text[FEM_SCENE_BYTES];
  scr_scene *parsed = NULL;
  scr_problems problems = {0};
  scr_error error = {0};
  scr_sim *sim = NULL;
  fem_scene_text(&scene, text);
  assert_int_equal(scr_scene_parse(text, strlen(text), NULL, &parsed, &problems), SCR_OK);
  assert_int_equal(scr_sim_create(parsed, 1, &sim, &error), SCR_DIVERGED);
  assert_non_null(strstr(error.message, "nothing holds body 0 from moving along"));
  scr_sim_destroy(sim);
  scr_scene_destroy(parsed);
  scr_problems_clear(&problems);
}

/* Motions that are left to the corners of a cube: all six, the three turns about a corner that is held, one turn about an edge that is
 * held, none, a shift where only two components are held. */
static void test_free_motions_are_counted_and_named(void **state)
{
  (void)state;
  static const struct {
    unsigned held; /* a bit a corner */
    unsigned components;
    size_t left;
    const char *name;
  } cases[] = {
      {0, 7, 6, "moving along (1, 0, 0)"},   {1, 7, 3, "turning about"}, {3, 7, 1, "turning about (1, 0, 0)"}, {11, 7, 0, ""},
      {255, 3, 1, "moving along (0, 0, 1)"},
  };
  double place[24];
  for (size_t n = 0; n < 8; n++)
    for (size_t k = 0; k < 3; k++) place[3 * n + k] = (double)(n >> k & 1);
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    unsigned char fixed[24] = {0};
    char text[FEM_HELD_TEXT];
    for (unsigned n = 0; n < 8; n++)
      for (unsigned k = 0; k < 3; k++) fixed[3 * n + k] = (cases[c].held >> n & 1) && (cases[c].components >> k & 1);
    size_t left = fem_free_motions(place, 8, fixed, text);
    if (left != cases[c].left || strncmp(text, cases[c].name, strlen(cases[c].name)) != 0 || (left == 0) != (text[0] == '\0'))
      fail_msg("case %zu: %zu, %s", c, left, text);
  }
}

/* A step against the first vibration of what is launched: a bar of 80 mm, E = 1e7 Pa, whose first mode is at some 1000 rad/s, in steps of 2
 * ms and of 0.2 ms. */
static void test_steps_too_long_for_a_launch_are_doubted(void **state)
{
  (void)state;
  for (int k = 0; k < 2; k++) {
    fem_scene scene = {.young = 1e7,
                       .density = 1000,
                       .size = {0.02, 0.01, 0.08},
                       .cells = {2, 1, 8},
                       .velocity = {1, 0, 2},
                       .step = k ? 2e-4 : 2e-3,
                       .duration = 1,
                       .element = "incompatible-modes",
                       .options = ", \"flight\": true"};
    sim_run r = fem_open(&scene, 1);
    bool found = false;
    for (size_t d = 0; d < r.sim->doubt_count; d++) found = found || strcmp(r.sim->doubts[d].kind, "coarse_steps") == 0;
    assert_int_equal(found, !k);
    run_close(&r);
  }
}

/* A scene that is accepted, with a warning at the pointer. */
static bool warned(const fem_scene *scene, const char *pointer)
{
  sim_run r = fem_open(scene, 1);
  const scr_problems *warnings = scr_scene_warnings(r.scene);
  bool found = false;
  for (size_t n = 0; n < warnings->count; n++) found = found || strcmp(warnings->items[n].pointer, pointer) == 0;
  run_close(&r);
  return found;
}

static void test_what_is_only_warned_of(void **state)
{
  (void)state;
  fem_scene scene = {.young = 1e6,
                     .nu = 0.47,
                     .density = 1000,
                     .size = {0.02, 0.02, 0.02},
                     .cells = {2, 2, 2},
                     .place = {0, 0, 0.0101},
                     .step = 1e-4,
                     .duration = 1,
                     .obstacles = FEM_FLOOR};
  assert_true(warned(&scene, "/materials/0/poisson_ratio")); /* elements lock in volume */
  assert_false(warned(&scene, "/time/time_step"));
  scene.element = "b-bar", scene.nu = 0.3;
  assert_false(warned(&scene, "/materials/0/poisson_ratio"));
  scene.step = 1e-3; /* a wave goes 37 mm in it */
  assert_true(warned(&scene, "/time/time_step"));
  scene.impact = "mass";
  assert_false(warned(&scene, "/time/time_step"));
}

/* Law linear takes turns for strains. A block that spins at 1 rad/s is fine for 0.09 s; by 0.15 s it is doubted, with how far it turned.
 * The check foresees that of what spins from the start and of grips that turn, and says nothing of it under neo-Hookean matter. */
static void test_turns_of_linear_matter_are_doubted_and_foreseen(void **state)
{
  (void)state;
  static const char *const laws[2] = {"linear", "neo-hookean"};
  for (int k = 0; k < 2; k++) {
    fem_scene scene = {.young = 1e6,
                       .nu = 0.3,
                       .density = 1000,
                       .size = {0.02, 0.02, 0.02},
                       .cells = {2, 2, 2},
                       .spin = {0, 0, 1},
                       .step = 1e-3,
                       .duration = 0.15,
                       .law = laws[k]};
    assert_int_equal(warned(&scene, "/specimens/0/angular_velocity"), k == 0);
    sim_run r = fem_open(&scene, 1);
    const fem_state *s = r.sim->state;
    run_steps(&r, 90);
    assert_int_equal(r.sim->doubt_count, 0);
    run_steps(&r, 60);
    assert_int_equal(r.sim->doubt_count, k == 0);
    if (k == 0) {
      assert_string_equal(r.sim->doubts[0].kind, "large_rotation");
      assert_true(fabs(s->totals.turn - 0.15) < 0.15 * 0.15 * 0.15); /* the law's own error is of second order */
    }
    run_close(&r);
    scene.duration = 0.09;
    assert_false(warned(&scene, "/specimens/0/angular_velocity"));
  }
  fem_scene twisted = {.young = 1e6,
                       .nu = 0.3,
                       .density = 1000,
                       .size = {0.08, 0.02, 0.02},
                       .cells = {4, 2, 2},
                       .place = {0.04, 0, 0},
                       .step = 1e-3,
                       .duration = 1,
                       .law = "linear"};
  twisted.rig = "\"type\": \"grips\", \"axis\": \"x\", \"low_end\": 1e-6, \"high_start\": 0.079999, \"turn\": [ { \"type\": \"move\", "
                "\"angle\": 1, \"angular_velocity\": 0.2 } ]";
  assert_true(warned(&twisted, "/options/law"));
  twisted.duration = 0.4;
  assert_false(warned(&twisted, "/options/law"));
}

/* A turn by 5e4 rad in a step: not even parts of it are followed. */
static void test_a_spin_beyond_all_steps_is_refused(void **state)
{
  (void)state;
  fem_spin spin = {.mass = 1, .moments = {1, 1, 1}, .axes = {0, 0, 0, 1}, .attitude = {0, 0, 0, 1}, .momentum = {0, 0, 6e4}};
  scr_error error = {0};
  assert_int_equal(fem_spin_step(&spin, vec3(0, 0, 0), 1, &error), SCR_DIVERGED);
  assert_non_null(strstr(error.message, "turns by 6e+04 rad in a step of 1 s"));
}

/* Two cubes side by side, damaged in one way each. */
static void test_unsound_meshes_are_refused_with_the_reason(void **state)
{
  (void)state;
  static const char *const reasons[8] = {"has node 99, but there are only 13 nodes",
                                         "has node 3 twice",
                                         "belongs to no element",
                                         "are both at",
                                         "give it finite coordinates",
                                         "folded or inside out",
                                         "belongs to three elements",
                                         "touch along an edge only"};
  for (int c = 0; c < 8; c++) {
    geo_hexes mesh;
    scr_error error = {0};
    size_t nodes = c == 2 ? 13 : c == 6 ? 20 : c == 7 ? 14 : 12, hexes = c == 6 ? 3 : 2;
    assert_int_equal(geo_hexes_create(nodes, hexes, &mesh, NULL), SCR_OK);
    static const uint32_t first[8] = {0, 1, 3, 2, 4, 5, 7, 6}, second[8] = {1, 8, 9, 3, 5, 10, 11, 7},
                          beside[8] = {3, 8, 9, 12, 7, 10, 11, 13};
    static const double place[14][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1},
                                        {1, 1, 1}, {2, 0, 0}, {2, 1, 0}, {2, 0, 1}, {2, 1, 1}, {5, 5, 5}, {6, 6, 6}};
    for (size_t n = 0; n < nodes; n++)
      for (size_t k = 0; k < 3; k++) mesh.node[n][k] = n < 14 ? place[n][k] : 10 + (double)n + (double)k;
    memcpy(mesh.hex[0], first, sizeof first);
    memcpy(mesh.hex[1], c == 7 ? beside : second, sizeof second);
    if (c == 0) mesh.hex[1][7] = 99;
    if (c == 1) mesh.hex[1][7] = 3;
    if (c == 3) memcpy(mesh.node[9], mesh.node[11], sizeof mesh.node[9]);
    if (c == 4) mesh.node[9][1] = NAN;
    if (c == 5) mesh.node[11][0] = -2;
    if (c == 6) { /* a third one on the face 1, 3, 7, 5, bent aside */
      static const uint32_t third[8] = {1, 12, 13, 3, 5, 14, 15, 7};
      static const double far[4][3] = {{1.9, -0.4, 0.1}, {1.9, 0.7, 0.1}, {1.9, -0.4, 1.2}, {1.9, 0.7, 1.2}};
      memcpy(mesh.hex[2], third, sizeof third);
      memcpy(mesh.node[12], far, sizeof far);
      mesh.node_count = 16;
    }
    if (c == 7) { /* one that shares an edge with the first alone */
      static const double shifted[6][3] = {{2, 1, 0}, {2, 2, 0}, {2, 1, 1}, {2, 2, 1}, {1, 2, 0}, {1, 2, 1}};
      memcpy(mesh.node[8], shifted, sizeof shifted);
    }
    assert_int_equal(geo_hexes_check(&mesh, &error), SCR_BAD_FILE);
    const char *reason = c == 0 ? "has node 99, but there are only 12 nodes" : reasons[c];
    if (!strstr(error.message, reason)) fail_msg("case %d: %s", c, error.message);
    geo_hexes_clear(&mesh);
  }
}

SUITE(test_fem_refusals)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_wrong_scenes_are_refused_at_their_place),
      cmocka_unit_test(test_flight_is_for_one_body_that_nothing_brakes),
      cmocka_unit_test(test_a_body_of_two_pieces_does_not_fly),
      cmocka_unit_test(test_a_free_body_has_no_equilibrium),
      cmocka_unit_test(test_free_motions_are_counted_and_named),
      cmocka_unit_test(test_steps_too_long_for_a_launch_are_doubted),
      cmocka_unit_test(test_what_is_only_warned_of),
      cmocka_unit_test(test_turns_of_linear_matter_are_doubted_and_foreseen),
      cmocka_unit_test(test_a_spin_beyond_all_steps_is_refused),
      cmocka_unit_test(test_unsound_meshes_are_refused_with_the_reason),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
