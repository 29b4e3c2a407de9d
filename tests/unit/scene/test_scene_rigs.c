/* Rigs as scenes say them: the parts they consist of, how far points are from them, how they move, and what is refused. */
#include "tests/unit/scene/test_scene_fake.h"

#include "scene/part.h"
#include "tests/support/suites.h"

#define BEND                                                                                                                               \
  "\"rig\": { \"type\": \"three_point_bend\", \"span\": 1.2, \"support_radius\": 0.1, \"position\": [0, 0, -1.1], \"opening\": 2.2, "      \
  "\"program\": [ { \"type\": \"constant\", \"velocity\": -2 } ] }, "
#define JAWS                                                                                                                               \
  "\"rig\": { \"type\": \"brazilian\", \"opening\": 2.2, \"jaw\": \"curved\", \"program\": [ { \"type\": \"constant\", \"velocity\": -2 "  \
  "} ] }, "
#define GRIPS                                                                                                                              \
  "\"rig\": { \"type\": \"grips\", \"axis\": \"z\", \"low_end\": -0.8, \"high_start\": 0.8, \"program\": [ { \"type\": \"constant\", "     \
  "\"velocity\": 2 } ] "                                                                                                                   \
  "}, "
#define TWIST                                                                                                                              \
  "\"rig\": { \"type\": \"grips\", \"axis\": \"z\", \"low_end\": -0.8, \"high_start\": 0.8, \"turn\": [ { \"type\": \"ramp\", "            \
  "\"angular_velocity\": 2, \"duration\": 1 }, { \"type\": \"constant\", \"angular_velocity\": 2, \"duration\": 0.5 }, { \"type\": "       \
  "\"move\", \"angle\": -3, \"angular_velocity\": 6 } ] }, "

/* The small scene, a ball of radius 1 m, in a rig. To be freed. */
static char *in_rig(const char *rig)
{
  char both[600];
  snprintf(both, sizeof both, "%s\"time\":", rig);
  return edited(small_scene, "\"time\":", both);
}

static scr_scene *scene_in(const char *rig)
{
  char *text = in_rig(rig);
  scr_scene *scene = parsed(text);
  free(text);
  return scene;
}

static void assert_rig_refused(const char *rig, const char *old, const char *new, const char *pointer, const char *words)
{
  char *text = in_rig(rig);
  assert_refused(text, old, new, pointer, words);
  free(text);
}

static void assert_near(double value, double expected)
{
  if (!(fabs(value - expected) <= 1e-12)) fail_msg("%.17g is not %.17g", value, expected);
}

/* Supports at x = -0.6 and 0.6, tops at z = -1.1; the loading roller's lowest line at z = 1.1, coming down at 2 m/s. */
static void test_a_three_point_bend_is_two_supports_and_a_moving_roller(void **state)
{
  (void)state;
  scr_scene *scene = scene_in(BEND);
  scr_part parts[SCR_PART_LIMIT];
  assert_int_equal(scr_rig_parts(&scene->rig, parts), 3);
  assert_string_equal(parts[0].name, "roller.left");
  assert_string_equal(parts[1].name, "roller.right");
  assert_string_equal(parts[2].name, "roller.load");
  scr_vec3 now = scr_part_position(&parts[2], 0.25);
  assert_near(scr_part_velocity(&parts[2], 0.25).z, -2);
  assert_near(scr_part_velocity(&parts[0], 0.25).z, 0);
  scr_part_distance load = scr_part_distance_at(&parts[2], now, vec3(0, 0.3, 0));
  assert_near(load.distance, 1.1 - 0.5);
  assert_near(load.normal.z, -1);
  scr_part_distance left = scr_part_distance_at(&parts[0], parts[0].start, vec3(-0.6 - 0.3, 0, -1.2));
  assert_near(left.distance, 0.2);
  assert_near(left.normal.x, -1);
  assert_near(scene->rig.load_radius, 0.1); /* as the supports */
  assert_near(scene->rig.roller_length, 1.2);
  scr_scene_destroy(scene);
}

/* A trough of radius 3/4 of 2.2 m whose lowest point lies at z = -1.1: from its middle outward 1.65 m to the arc in every direction it
 * covers, and to the rim in the others. */
static void test_a_curved_jaw_is_an_arc_about_its_own_centre(void **state)
{
  (void)state;
  scr_scene *scene = scene_in(JAWS);
  scr_part parts[SCR_PART_LIMIT];
  const double R = 1.65, arc = 40 * (3.14159265358979323846 / 180);
  assert_int_equal(scr_rig_parts(&scene->rig, parts), 2);
  scr_vec3 centre = vec3(0, 0, -1.1 + R);
  for (int k = -3; k <= 3; k++) {
    double angle = k * arc / 3.001, rho = 1.5;
    scr_vec3 at = vec3(centre.x + rho * sin(angle), 0.7 * k, centre.z - rho * cos(angle));
    scr_part_distance found = scr_part_distance_at(&parts[0], parts[0].start, at);
    assert_near(found.distance, R - rho);
    assert_near(found.normal.x, -sin(angle));
    assert_near(found.normal.z, cos(angle));
  }
  scr_vec3 rim = vec3(R * sin(arc), 0, centre.z - R * cos(arc));
  scr_part_distance beside = scr_part_distance_at(&parts[0], parts[0].start, vec3(rim.x + 0.3, 0, rim.z + 0.4));
  assert_near(beside.distance, 0.5);
  assert_near(beside.normal.x, 0.6);
  assert_near(beside.normal.z, 0.8);
  assert_near(scr_part_distance_at(&parts[1], parts[1].start, vec3(0, 0, 1)).distance, 0.1);
  scr_scene_destroy(scene);
}

/* The distance of every part is 1-Lipschitz with its normal as gradient: central differences over 1e-6 m, away from the kinks of the medial
 * axes, agree to the differences' own error of about 1e-9. */
static void test_the_normal_of_a_part_is_the_gradient_of_its_distance(void **state)
{
  (void)state;
  const char *rigs[] = {BEND, JAWS};
  uint64_t seed = 12345;
  for (size_t r = 0; r < 2; r++) {
    scr_scene *scene = scene_in(rigs[r]);
    scr_part parts[SCR_PART_LIMIT];
    size_t count = scr_rig_parts(&scene->rig, parts);
    for (int k = 0; k < 300; k++) {
      double at[3];
      for (int a = 0; a < 3; a++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        at[a] = ((double)(seed >> 11) * 0x1p-53 - 0.5) * (a == 1 ? 0.8 : 1.6);
      }
      for (size_t p = 0; p < count; p++) {
        scr_part_distance d = scr_part_distance_at(&parts[p], parts[p].start, vec3(at[0], at[1], at[2]));
        const double normal[3] = {d.normal.x, d.normal.y, d.normal.z}, e = 1e-6;
        for (int a = 0; a < 3; a++) {
          double up[3] = {at[0], at[1], at[2]}, down[3] = {at[0], at[1], at[2]};
          up[a] += e, down[a] -= e;
          double slope = (scr_part_distance_at(&parts[p], parts[p].start, vec3(up[0], up[1], up[2])).distance -
                          scr_part_distance_at(&parts[p], parts[p].start, vec3(down[0], down[1], down[2])).distance) /
                         (2 * e);
          if (!(fabs(slope - normal[a]) < 1e-6))
            fail_msg("%s at (%g, %g, %g): slope %g, normal %g along axis %d", parts[p].name, at[0], at[1], at[2], slope, normal[a], a);
        }
      }
    }
    scr_scene_destroy(scene);
  }
}

static void test_grips_hold_what_lies_in_them_at_the_start(void **state)
{
  (void)state;
  scr_scene *scene = scene_in(GRIPS);
  scr_part parts[SCR_PART_LIMIT];
  assert_int_equal(scr_rig_parts(&scene->rig, parts), 2);
  assert_true(scr_part_holds(&parts[0], vec3(5, 5, -0.8)) && scr_part_holds(&parts[0], vec3(0, 0, -0.9)));
  assert_false(scr_part_holds(&parts[0], vec3(0, 0, -0.79)) || scr_part_holds(&parts[0], vec3(0, 0, 0.9)));
  assert_true(scr_part_holds(&parts[1], vec3(0, 0, 0.8)));
  assert_false(scr_part_holds(&parts[1], vec3(0, 0, 0.79)));
  assert_true(isinf(scr_part_distance_at(&parts[0], parts[0].start, vec3(0, 0, -0.9)).distance)); /* it pushes nothing */
  scr_scene_destroy(scene);
}

/* A ramp to 2 rad/s in 1 s is 1 rad, half a second at 2 rad/s another, and -3 rad at 6 rad/s end at -1 rad after 2 s. */
static void test_a_grip_turns_as_its_program_says(void **state)
{
  (void)state;
  scr_scene *scene = scene_in(TWIST);
  scr_part parts[SCR_PART_LIMIT];
  assert_int_equal(scr_rig_parts(&scene->rig, parts), 2);
  assert_null(parts[0].turn);
  assert_near(scr_part_angle(&parts[0], 1), 0);
  assert_near(scr_part_angle(&parts[1], 0.5), 0.25);
  assert_near(scr_part_angular_velocity(&parts[1], 0.5), 1);
  assert_near(scr_part_angle(&parts[1], 1.5), 2);
  assert_near(scr_part_angular_velocity(&parts[1], 1.75), -6);
  assert_near(scr_part_angle(&parts[1], 3), -1);
  assert_near(scr_part_position(&parts[1], 3).z, 0.8);
  scr_scene_destroy(scene);
}

static void test_a_rig_without_the_methods_own_plot_shows_the_part_that_moves(void **state)
{
  (void)state;
  scr_scene *scene = scene_in(BEND);
  assert_int_equal(scene->output.plot_count, 1);
  assert_string_equal(scene->output.plots[0].x, "roller.load.displacement");
  assert_string_equal(scene->output.plots[0].y, "roller.load.force_z");
  assert_string_equal(scene->output.plots[0].title, "Loading roller: force over displacement");
  assert_true(scene->output.plots[0].scale == 1);
  scr_scene_destroy(scene);
  scene = scene_in(GRIPS);
  assert_string_equal(scene->output.plots[0].y, "grip.high.force_z");
  assert_true(scene->output.plots[0].scale == -1); /* a specimen in tension pulls the grip back */
  scr_scene_destroy(scene);
}

static void test_an_effective_rig_reads_back_as_itself(void **state)
{
  (void)state;
  const char *rigs[] = {BEND, JAWS, GRIPS, TWIST, "\"rig\": { \"type\": \"platens\", \"opening\": 3 }, "};
  for (size_t r = 0; r < sizeof rigs / sizeof *rigs; r++) {
    scr_scene *scene = scene_in(rigs[r]);
    char *first = scr_scene_json(scene);
    scr_scene *again = parsed(first);
    char *second = scr_scene_json(again);
    assert_string_equal(first, second);
    free(first);
    free(second);
    scr_scene_destroy(scene);
    scr_scene_destroy(again);
  }
}

static void test_rigs_that_do_not_fit_are_refused(void **state)
{
  (void)state;
  assert_rig_refused(BEND, "\"span\": 1.2", "\"span\": 0.2", "/rig/span", "would overlap");
  assert_rig_refused(BEND, "\"span\": 1.2", "\"span\": 2.2", "/rig/span", "specimens reach from -1 m to 1 m only");
  assert_rig_refused(BEND, "\"velocity\": -2", "\"velocity\": -3e5", "/rig/program", "would have reached");
  assert_rig_refused(BEND, "{ \"type\": \"constant\", \"velocity\": -2 }", "{ \"type\": \"move\", \"velocity\": 0, \"displacement\": 1 }",
                     "/rig/program/0/velocity", "would never end");
  assert_rig_refused(BEND, "\"opening\": 2.2", "\"opening\": 0", "/rig/opening", "not allowed");
  assert_rig_refused(BEND, "\"opening\": 2.2, ", "", "/rig/opening", "missing");
  assert_rig_refused(BEND, "\"opening\"", "\"minimum\": [0, 0, 0], \"opening\"", "/rig/minimum", "belongs to type \"box\"");
  assert_rig_refused(GRIPS,
                     "[ { \"name\": \"s\", \"material\": \"m\", \"spacing\": 0.1, \"shape\": { \"type\": \"sphere\", \"radius\": 1 } } ]",
                     "[]", "/specimens", "has 0 items"); /* and so no spacing to size the grips by */
  assert_rig_refused(JAWS, "\"jaw\": \"curved\"", "\"jaw\": \"curved\", \"jaw_radius\": 1", "/rig/jaw_radius", "rims");
  assert_rig_refused(GRIPS, "\"high_start\": 0.8", "\"high_start\": -0.9", "/rig/high_start", "hold the same");
  assert_rig_refused(TWIST, "\"high_start\": 0.8", "\"high_start\": null", "/rig/turn", "there is none");
  assert_rig_refused(TWIST, "\"low_end\"", "\"slide\": true, \"low_end\"", "/rig/slide", "can't turn it");
  assert_rig_refused(TWIST, "\"angle\": -3", "\"angle\": 0", "/rig/turn/2/angle", "nothing to turn");
  assert_rig_refused(TWIST, "\"angular_velocity\": 6", "\"angular_velocity\": 0", "/rig/turn/2/angular_velocity", "never end");
}

/* A rod turned by 90 degrees about x lies along y; a notch that is as deep as the block is refused, as is one as wide. */
static void test_cylinders_and_notched_boxes_are_shapes(void **state)
{
  (void)state;
  char *text = edited(small_scene, "{ \"type\": \"sphere\", \"radius\": 1 }", "{ \"type\": \"cylinder\", \"radius\": 1, \"length\": 0.5 }");
  scr_scene *scene = parsed(text);
  assert_int_equal(scene->specimens[0].shape.kind, SCR_SHAPE_CYLINDER);
  assert_true(scene->specimens[0].shape.length == 0.5);
  scr_scene_destroy(scene);
  free(text);
  text = edited(small_scene, "{ \"type\": \"sphere\", \"radius\": 1 }",
                "{ \"type\": \"notched_box\", \"size\": [4, 1, 2], \"notch_depth\": 0.5, \"notch_width\": 0.1 }");
  scene = parsed(text);
  assert_true(scene->specimens[0].shape.notch_depth == 0.5);
  assert_refused(text, "\"notch_depth\": 0.5", "\"notch_depth\": 2", "/specimens/0/shape/notch_depth", "cut it in two");
  assert_refused(text, "\"notch_width\": 0.1", "\"notch_width\": 4", "/specimens/0/shape/notch_width", "cut it in two");
  scr_scene_destroy(scene);
  free(text);
}

SUITE(test_scene_rigs)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_three_point_bend_is_two_supports_and_a_moving_roller),
      cmocka_unit_test(test_a_curved_jaw_is_an_arc_about_its_own_centre),
      cmocka_unit_test(test_the_normal_of_a_part_is_the_gradient_of_its_distance),
      cmocka_unit_test(test_grips_hold_what_lies_in_them_at_the_start),
      cmocka_unit_test(test_a_grip_turns_as_its_program_says),
      cmocka_unit_test(test_a_rig_without_the_methods_own_plot_shows_the_part_that_moves),
      cmocka_unit_test(test_an_effective_rig_reads_back_as_itself),
      cmocka_unit_test(test_rigs_that_do_not_fit_are_refused),
      cmocka_unit_test(test_cylinders_and_notched_boxes_are_shapes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
