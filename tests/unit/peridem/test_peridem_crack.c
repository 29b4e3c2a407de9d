/* Cracks that grains have from the start: the number of bonds cut against counts on the lattice, what they do to a pulled bar, what is
 * refused. */
#include "tests/validation/peridem/peridem_case.h"
#include "tests/support/suites.h"

/* A cube of 6 x 6 x 6 nodes 1 mm apart whose horizon of 1.5 mm joins each to 18 others, along the axes and the diagonals of faces. */
static const char cube[] =
    "{\"scree\":1,\"name\":\"cube\",\"method\":\"peridem\",\"materials\":[{\"name\":\"m\",\"density\":1000,\"bulk_modulus\":1e9}],"
    "\"specimens\":[{\"name\":\"b\",\"material\":\"m\",\"spacing\":1e-3,\"shape\":{\"type\":\"box\",\"size\":[6e-3,6e-3,6e-3]},"
    "\"rotation\":{\"axis\":[1,2,3],\"angle_deg\":%g}%s}],\"rig\":{\"type\":\"grips\",\"axis\":\"x\",\"low_end\":-1.9e-3,\"high_start\":1."
    "9e-3,"
    "\"program\":[{\"type\":\"constant\",\"velocity\":1e-6}]},\"time\":{\"duration\":1},"
    "\"options\":{\"horizon\":1.5e-3,\"contact_radius\":1e-3,\"loading\":\"quasi_static\",\"load_steps\":1," PAPER_BONDS "}}";

static sim_run open_cube(double turn, const char *crack)
{
  char text[1400];
  snprintf(text, sizeof text, cube, turn, crack);
  return run_open(text, 1);
}

/* Bonds that a crack cuts: those an uncracked cube has more. */
static size_t cut_by(double turn, const char *crack)
{
  sim_run whole = open_cube(turn, ""), cracked = open_cube(turn, crack);
  size_t all = run_state(&whole)->bodies[0].bonds.slot_count, left = run_state(&cracked)->bodies[0].bonds.slot_count,
         cut = run_state(&cracked)->bodies[0].cut_bonds;
  assert_int_equal(run_state(&whole)->bodies[0].cut_bonds, 0);
  assert_int_equal(all - left, 2 * cut);
  run_close(&whole);
  run_close(&cracked);
  return cut;
}

#define CRACK(corner, along, across, form)                                                                                                 \
  ",\"crack_corner\":" corner ",\"crack_along\":" along ",\"crack_across\":" across ",\"crack_form\":\"" form "\""

/* In the plane x = 0, up to y = 0.2 mm: 3 x 6 bonds along x meet it at y = -2.5, -1.5, -0.5; two diagonals each at y = -2, -1, 0 in 6
 * layers, 36; two in 3 columns between 6 layers, 30: 84. The same in a grain that is turned, the crack with it. */
static void test_a_rectangle_cuts_the_bonds_of_half_a_plane(void **state)
{
  (void)state;
  static const char half[] = CRACK("[0,-5e-3,-5e-3]", "[0,5.2e-3,0]", "[0,0,1e-2]", "rectangle");
  assert_int_equal(cut_by(0, half), 84);
  assert_int_equal(cut_by(90, half), 84);
}

/* A disc of radius 0.6 mm about y = z = 0.5 mm in that plane: one bond along x, and diagonals that meet it half a spacing away: two at each
 * of four places. A triangle whose long side is y + z = -0.4 mm: bonds along x meet the plane at nodes' y and z, diagonals, two at each
 * place, halfway between nodes along y or along z; counted are the places below that side. */
static void test_discs_and_triangles_cut_what_meets_them(void **state)
{
  (void)state;
  assert_int_equal(cut_by(0, CRACK("[0,-1e-4,-1e-4]", "[0,1.2e-3,0]", "[0,0,1.2e-3]", "disc")), 9);
  size_t expected = 0;
  for (int y = -5; y <= 5; y += 2) /* twice the coordinates, mm */
    for (int z = -5; z <= 5; z += 2) expected += y + z <= -0.8 ? 1 : 0;
  for (int k = -4; k <= 4; k += 2)
    for (int z = -5; z <= 5; z += 2) expected += k + z <= -0.8 ? 4 : 0;
  assert_int_equal(cut_by(0, CRACK("[0,-1e-2,-1e-2]", "[0,1.96e-2,0]", "[0,0,1.96e-2]", "triangle")), expected);
}

/* Half of the section is cracked, so a cube that is pulled across the crack is weaker, and not along it. */
static void test_a_crack_weakens_what_is_pulled_across(void **state)
{
  (void)state;
  sim_run whole = open_cube(0, ""), across = open_cube(0, CRACK("[0,-5e-3,-5e-3]", "[0,5.2e-3,0]", "[0,0,1e-2]", "rectangle")),
          along = open_cube(0, CRACK("[-1e-3,0,-5e-3]", "[2e-3,0,0]", "[0,0,1e-2]", "rectangle"));
  run_steps(&whole, 1);
  run_steps(&across, 1);
  run_steps(&along, 1);
  double force = run_curve(&whole, "grip.high.force_x");
  double weak = run_curve(&across, "grip.high.force_x") / force, same = run_curve(&along, "grip.high.force_x") / force;
  assert_true(weak > 0.3 && weak < 0.8);
  assert_true(same > 0.9 && same < 1);
  run_close(&whole);
  run_close(&across);
  run_close(&along);
}

static void assert_refused(const char *crack, const char *pointer)
{
  char text[1400];
  scr_scene *scene = NULL;
  scr_problems problems = {0};
  snprintf(text, sizeof text, cube, 0.0, crack);
  assert_int_not_equal(scr_scene_parse(text, strlen(text), NULL, &scene, &problems), SCR_OK);
  assert_int_equal(problems.count, 1);
  assert_string_equal(problems.items[0].pointer, pointer);
  scr_problems_clear(&problems);
  scr_scene_destroy(scene);
}

static void test_cracks_that_are_none_are_refused(void **state)
{
  (void)state;
  assert_refused(",\"crack_corner\":[0,0,0],\"crack_along\":[0,1,0]", "/specimens/0/crack_across");
  assert_refused(",\"crack_along\":[0,1,0],\"crack_across\":[1,0,0]", "/specimens/0/crack_corner");
  assert_refused(CRACK("[0,0,0]", "[0,1,0]", "[0,2,0]", "rectangle"), "/specimens/0/crack_across");
  assert_refused(CRACK("[0,0,0]", "[0,0,0]", "[0,2,0]", "rectangle"), "/specimens/0/crack_across");
  assert_refused(CRACK("[1,0,0]", "[0,1e-3,0]", "[0,0,1e-3]", "rectangle"), "/specimens/0/crack_corner");         /* far away */
  assert_refused(CRACK("[0,-1e-2,-1e-2]", "[0,2e-2,0]", "[0,0,2e-2]", "rectangle"), "/specimens/0/crack_corner"); /* in two */
  assert_refused(CRACK("[0,0,0]", "[0,1,0]", "[0,0,1]", "star"), "/specimens/0/crack_form");
}

SUITE(test_peridem_crack)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_rectangle_cuts_the_bonds_of_half_a_plane),
      cmocka_unit_test(test_discs_and_triangles_cut_what_meets_them),
      cmocka_unit_test(test_a_crack_weakens_what_is_pulled_across),
      cmocka_unit_test(test_cracks_that_are_none_are_refused),
  };
  return cmocka_run_group_tests_name("peridem crack", tests, NULL, NULL);
}
