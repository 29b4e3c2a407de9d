/* The automatic stiffness of lsdem's contacts, and what runs say where it is not enough. */
#include "methods/lsdem/scene/options.h"
#include "tests/support/lsdem_run.h"
#include "tests/support/suites.h"

#define RUBBER "[{\"name\": \"rubber\", \"density\": 1000, \"young_modulus\": 1e6, \"poisson_ratio\": 0.4}]"

/* Force on a platen that came to `way` mm on each side of a soft ball of 10 mm with affine modes, N. Platens go slowly against the ball's
 * own vibrations. */
static double pressed_ball(double travel, const char *contact, const char **doubt)
{
  char rig[300], time[60];
  const double duration = 0.2;
  snprintf(rig, sizeof rig, "{\"type\": \"platens\", \"opening\": 0.02, \"program\": [{\"type\": \"constant\", \"velocity\": %.17g}]}",
           -2e-3 * travel / duration);
  snprintf(time, sizeof time, "{\"duration\": %g}", duration);
  sim_run r = lsdem_open(RUBBER, contact,
                         "[{\"name\": \"ball\", \"material\": \"rubber\", \"spacing\": 0.0007, \"modes\": \"affine\", "
                         "\"mode_damping_ratio\": 1, \"shape\": {\"type\": \"sphere\", \"radius\": 0.01}, "
                         "\"placement\": {\"type\": \"single\"}}]",
                         rig, "[]", time, "", 1);
  run_until(&r, duration);
  run_observe(&r);
  double force = 0.5 * (fabs(run_value(&r, "platen.top.force_z")) + fabs(run_value(&r, "platen.bottom.force_z")));
  static char kept[64];
  kept[0] = 0;
  for (size_t k = 0; k < r.sim->doubt_count; k++) snprintf(kept, sizeof kept, "%s", r.sim->doubts[k].kind);
  *doubt = kept;
  run_close(&r);
  return force;
}

/* Reference: a ball of finite elements between frictionless platens, E 1 MPa, nu 0.4 (the specification of contact, section 4). Tolerance:
 * the specification's 20 %, from platens that went 0.01 R each on. The linear law is as it was, and has half of the force at 0.01 R. */
static void test_a_soft_ball_carries_what_finite_elements_do(void **state)
{
  (void)state;
  const double travel[] = {0.1, 0.25, 0.5, 1.0, 1.5, 1.9}, force[] = {0.178, 0.694, 1.63, 5.55, 10.5, 16.3},
               linear[] = {0.0838, 0, 1.666, 0, 10.33, 0};
  bool slow = claim_slow_part("six ways, not three");
  for (int k = 0; k < 6; k += slow ? 1 : 2) {
    const char *doubt;
    double found = pressed_ball(travel[k], "{\"friction_coefficient\": 0}", &doubt);
    print_message("%g mm a side: %.4g N, finite elements %.4g N, doubt '%s'\n", travel[k], found, force[k], doubt);
    assert_true(fabs(found / force[k] - 1) < 0.2);
    if (travel[k] < 1) assert_string_equal(doubt, "");
    if (!(linear[k] > 0)) continue;
    found = pressed_ball(travel[k], "{\"friction_coefficient\": 0, \"automatic_stiffness\": \"linear\"}", &doubt);
    assert_true(fabs(found / linear[k] - 1) < 5e-3);
  }
}

/* A ball of 10 mm at rest, and what is below it: nothing, or another ball of that size at z = -0.01. */
#define BALL                                                                                                                               \
  "{\"name\": \"ball\", \"material\": \"rubber\", \"spacing\": 0.0005, \"shape\": {\"type\": \"sphere\", \"radius\": 0.01}, "              \
  "\"placement\": {\"type\": \"single\", \"position\": [0, 0, 0.05]}%s}"
#define OTHER                                                                                                                              \
  ", {\"name\": \"other\", \"material\": \"rubber\", \"spacing\": 0.0005, \"shape\": {\"type\": \"sphere\", \"radius\": 0.01}, "           \
  "\"placement\": {\"type\": \"single\", \"position\": [0, 0, -0.01]}}"
#define FLOOR "[{\"name\": \"floor\", \"shape\": {\"type\": \"box\", \"size\": [0.1, 0.1, 0.02]}, \"position\": [0, 0, -0.01]}]"

static sim_run open_ball(const char *more, const char *others, const char *obstacles)
{
  char specimens[1200], ball[600];
  snprintf(ball, sizeof ball, BALL, more);
  snprintf(specimens, sizeof specimens, "[%s%s]", ball, others);
  return lsdem_open(RUBBER, "{\"friction_coefficient\": 0}", specimens, LSDEM_NO_RIG, obstacles, "{\"duration\": 1}", "", 1);
}

/* The force that lifts a grain whose lowest place is `overlap` below z = 0, N: the mean over turns about a slanted axis, as nodes lie
 * otherwise each time. Turned by none where `turns` is 1. */
static double lift(sim_run *r, double half, double overlap, int turns)
{
  lsdem_state *s = lsdem_of(r);
  double sum = 0;
  for (int k = 0; k < turns; k++) {
    lsdem_place(s, 0, vec3(0, 0, half - overlap), quat_exp(vec3(0.7 * k, 0.4 * k, 0.3 * k)));
    lsdem_forces(s);
    sum += s->grains[0].force.z;
  }
  return sum / turns;
}

/* Rigid balls on a floor and on each other: Hertz, 4/3 E sqrt(R) d^(3/2), E of one and of two moduli, R of one and of two radii. Tolerance:
 * of the knee at 0.001 R 0.8 % at 0.01 R; 2 % for what nodes a twentieth of R apart tell of a contact four of them wide, and for level sets
 * between their points. */
static void test_balls_press_by_hertz(void **state)
{
  (void)state;
  const double modulus = 1e6 / (1 - 0.16);
  sim_run on_floor = open_ball("", "", FLOOR), on_ball = open_ball("", OTHER, "[]");
  for (int k = 0; k < 3; k++) {
    double overlap = (const double[]){0.1e-3, 0.3e-3, 0.9e-3}[k];
    double floor = lift(&on_floor, 0.01, overlap, 12) / (4.0 / 3 * modulus * sqrt(0.01) * pow(overlap, 1.5));
    double ball = lift(&on_ball, 0.01, overlap, 12) / (4.0 / 3 * (modulus / 2) * sqrt(0.005) * pow(overlap, 1.5));
    print_message("overlap %.3g mm: on a floor %.4f, on a ball %.4f of Hertz\n", 1e3 * overlap, floor, ball);
    assert_float_equal(floor, 1, 0.03);
    assert_float_equal(ball, 1, 0.06); /* the spheres' distance off their axis is the parabola's to an order of d/R, 0.09 */
  }
  run_close(&on_floor);
  run_close(&on_ball);
}

/* The law knows a grain's volume alone; the areas that it meets bring the curvature of where it touches: a spheroid of axes a, a, c = 0.8 a
 * on its flat side, where both radii of curvature are r = a^2/c, presses by Hertz's force times sqrt(r/R). */
static void test_a_spheroid_is_within_the_root_of_its_curvature(void **state)
{
  (void)state;
  const double modulus = 1e6 / (1 - 0.16), flat = 0.8, a = 0.01 * pow(flat, -1.0 / 3), c = flat * a, r = a * a / c, overlap = 0.2e-3;
  sim_run run = open_ball(", \"flatness\": 0.8", "", FLOOR);
  assert_float_equal(lsdem_of(&run)->templates[0].reach, a, 0.01 * a);
  double found = lift(&run, c, overlap, 1) / (4.0 / 3 * modulus * sqrt(r) * pow(overlap, 1.5));
  print_message("%.4f of Hertz, sqrt(r/R) %.4f\n", found, sqrt(r / 0.01));
  assert_float_equal(found, sqrt(r / 0.01), 0.04);
  run_close(&run);
}

/* The elastic energy of a node is what its force does: central differences, above, at and below the knee; and dp/dd. */
static void test_the_force_is_the_gradient_of_the_energy(void **state)
{
  (void)state;
  lsdem_law law = {.normal = NAN, .automatic = LSDEM_HERTZ};
  lsdem_law_by_bodies(&law, (lsdem_body){8e6, 0.01, true}, (lsdem_body){INFINITY, INFINITY, false});
  assert_float_equal(law.knee, 1e-5, 1e-12);
  for (double depth = 1e-6; depth < 1e-3; depth *= 1.5) {
    double value[3], h = 1e-4 * depth, force = 0;
    for (int k = 0; k < 3; k++) {
      scr_vec3 slip = vec3(0, 0, 0);
      lsdem_contact_kinematics kinematics = {
          .area = 1e-6, .depth = depth + (k - 1) * h, .push = depth + (k - 1) * h, .normal = vec3(0, 0, 1)};
      lsdem_push push = lsdem_contact(&law, &kinematics, 0, &slip);
      value[k] = push.elastic;
      if (k == 1) force = push.force.z;
    }
    assert_float_equal((value[2] - value[0]) / (2 * h), force, 1e-6 * force);
    double steep = (lsdem_root_pressure(&law, depth + h) - lsdem_root_pressure(&law, depth - h)) / (2 * h) + law.normal;
    if (fabs(depth - law.knee) > 2 * h) assert_float_equal(lsdem_law_slope(&law, depth), steep, 1e-6 * steep);
  }
}

/* An overlap beyond a tenth of the radius is not the material's any more, and is told. */
static void test_a_deep_overlap_is_a_doubt(void **state)
{
  (void)state;
  const char *doubt;
  (void)pressed_ball(1.5, "{\"friction_coefficient\": 0, \"contact_stiffness\": 1e8}", &doubt);
  assert_string_equal(doubt, "overlap");
}

/* The linear law, 2.5 E* / R: of a body on the rig, of two alike ones half as much, of a small one on a large one by the small one's
 * radius, and the same both ways. A body without a modulus is as hard as the rig. */
static void test_the_stiffness_is_of_both_bodies(void **state)
{
  (void)state;
  const lsdem_body rig = {INFINITY, INFINITY, false}, small = {8e6, 0.01, false}, large = {8e6, 1, false}, hard = {INFINITY, 0.02, false};
  assert_float_equal(lsdem_automatic_stiffness(small, rig), 2.5 * 8e6 / 0.01, 1);
  assert_float_equal(lsdem_automatic_stiffness(small, small), 1.25 * 8e6 / 0.01, 1);
  assert_float_equal(lsdem_automatic_stiffness(small, large), 1.25 * 8e6 / 0.01, 1);
  assert_float_equal(lsdem_automatic_stiffness(large, small), 1.25 * 8e6 / 0.01, 1);
  assert_float_equal(lsdem_automatic_stiffness(small, hard), 2.5 * 8e6 / 0.01, 1);
  assert_true(isnan(lsdem_automatic_stiffness(hard, rig)));
}

SUITE(test_lsdem_stiffness)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_soft_ball_carries_what_finite_elements_do),
      cmocka_unit_test(test_balls_press_by_hertz),
      cmocka_unit_test(test_a_spheroid_is_within_the_root_of_its_curvature),
      cmocka_unit_test(test_the_force_is_the_gradient_of_the_energy),
      cmocka_unit_test(test_a_deep_overlap_is_a_doubt),
      cmocka_unit_test(test_the_stiffness_is_of_both_bodies),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
