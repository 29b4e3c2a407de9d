/* What holds and what touches bodies of method fem: forces and places of grips, friction of each material, forces of all contacts, in
 * closed forms. */
#include "methods/fem/state/state.h"
#include "tests/support/fem_scene.h"
#include "tests/support/suites.h"

/* A bar of 8 free elements of 10 mm between two grips, without a contraction across, pulled by 1e-3 of its length and held: each grip
 * feels E A strain, and what they put in is half of that times the way, and what damping took on the way. The neo-Hookean law differs
 * from the linear one by the strain. */
static void test_grips_feel_what_the_bar_holds(void **state)
{
  (void)state;
  fem_scene scene = {.young = 1e6,
                     .nu = 0,
                     .density = 1000,
                     .damping = 5e-3,
                     .size = {0.1, 0.02, 0.02},
                     .cells = {10, 2, 2},
                     .step = 2e-3,
                     .duration = 1,
                     .rig = "\"type\": \"grips\", \"axis\": \"x\", \"low_end\": -0.035, \"high_start\": 0.035, \"slide\": false, "
                            "\"program\": [ { \"type\": \"constant\", \"velocity\": 1e-3, \"duration\": 0.08 }, { \"type\": \"hold\" } ]"};
  sim_run r = fem_open(&scene, 1);
  run_until(&r, 0.3);
  run_observe(&r);
  const double force = 1e6 * 4e-4 * 1e-3, way = 8e-5;
  claim_relative("bar between grips: force on the high one, N", run_value(&r, "grip.high.force_x"), -force, 5e-3, "E A strain");
  claim_relative("bar between grips: force on the low one, N", run_value(&r, "grip.low.force_x"), force, 5e-3, "E A strain");
  claim_relative("bar between grips: energy.elastic, J", run_value(&r, "energy.elastic"), 0.5 * force * way, 5e-3, "F u / 2");
  claim_relative("bar between grips: energy.external less energy.damping, J",
                 run_value(&r, "energy.external") - run_value(&r, "energy.damping"), 0.5 * force * way, 5e-3, "F u / 2");
  run_close(&r);
}

/* A grip that turns by 0.2 rad takes what it holds with it: x stays, (y, z) turns about the axis; the other grip's nodes stay. */
static void test_a_grip_that_turns_takes_its_nodes_round(void **state)
{
  (void)state;
  fem_scene scene = {.young = 1e6,
                     .nu = 0.3,
                     .density = 1000,
                     .damping = 1e-3,
                     .size = {0.1, 0.02, 0.02},
                     .cells = {10, 2, 2},
                     .step = 5e-3,
                     .duration = 1,
                     .rig = "\"type\": \"grips\", \"axis\": \"x\", \"low_end\": -0.035, \"high_start\": 0.035, \"turn\": [ { \"type\": "
                            "\"constant\", \"angular_velocity\": 2 } ]"};
  sim_run r = fem_open(&scene, 1);
  run_until(&r, 0.1);
  const fem_state *s = r.sim->state;
  size_t held = 0;
  for (size_t n = 0; n < s->system.node_count; n++) {
    const double *x = s->system.rest + 3 * n, *u = s->motion.displacement + 3 * n;
    if (!s->hold.fixed[3 * n] && !s->hold.fixed[3 * n + 1]) continue;
    double angle = x[0] > 0 ? 0.2 : 0, y = x[1] * cos(angle) - x[2] * sin(angle), z = x[1] * sin(angle) + x[2] * cos(angle);
    assert_float_equal(x[1] + u[1], y, 1e-9);
    assert_float_equal(x[2] + u[2], z, 1e-9);
    held += x[0] > 0;
  }
  claim_absolute("grip that turns: nodes that it takes round", (double)held, 18, 0, "two layers of 3 x 3");
  run_close(&r);
}

/* Two blocks of two materials slide on one floor: the first without friction, the second with 0.3, of which it loses mu g t. The
 * blocks' own friction on each other, 0.8, does not matter. To 1 %: its first steps, in which the weight is not on the floor yet. */
static void test_each_body_has_its_own_friction_with_parts(void **state)
{
  (void)state;
  sim_run r = run_open(
      "{ \"scree\": 1, \"name\": \"two\", \"method\": \"fem\", \"materials\": [ { \"name\": \"ice\", \"density\": 1000, \"young_modulus\": "
      "1e6, \"stiffness_damping\": 1e-3 }, { \"name\": \"rubber\", \"density\": 1000, \"young_modulus\": 1e6, \"stiffness_damping\": 1e-3 "
      "} "
      "], \"contact\": { \"friction_coefficient\": 0, \"pairs\": [ { \"between\": [\"rubber\", \"wall\"], \"friction_coefficient\": 0.3 }, "
      "{ \"between\": [\"rubber\", \"ice\"], \"friction_coefficient\": 0.8 } ] },"
      " \"specimens\": [ { \"name\": \"a\", \"material\": \"ice\", \"divisions\": [2, 2, 1], \"velocity\": [1, 0, 0], \"shape\": { "
      "\"type\": \"box\", \"size\": [0.04, 0.04, 0.01] }, \"placement\": { \"type\": \"single\", \"position\": [0, 0, 0.005] } },"
      " { \"name\": \"b\", \"material\": \"rubber\", \"divisions\": [2, 2, 1], \"velocity\": [1, 0, 0], \"shape\": { \"type\": \"box\", "
      "\"size\": [0.04, 0.04, 0.01] }, \"placement\": { \"type\": \"single\", \"position\": [0, 0.1, 0.005] } } ],"
      " \"rig\": { \"type\": \"none\", \"gravity\": [0, 0, -9.81] }, \"obstacles\": [ " FEM_FLOOR
      " ], \"time\": { \"duration\": 1, \"time_step\": 1e-3 } }",
      1);
  run_until(&r, 0.1);
  run_observe(&r);
  const double m = 0.016, lost = m * 0.3 * 9.81 * 0.1;
  claim_relative("two blocks on a floor: momentum lost, N s", 2 * m - run_value(&r, "momentum.x"), lost, 0.01, "mu m g t of the second");
  run_close(&r);
}

/* A soft block falls on a floor and on a ball and stays: at any time what the two have pushed so far is what the block's momentum
 * gained, with Newton's iterations ended early, too, where contacts that carry are not closed to rounding. A curve's force is the mean
 * of its step, so the sum is exact, also of steps that are done in halves, of which the first case has five. */
static void test_forces_of_contacts_are_the_momentum_gained(void **state)
{
  (void)state;
  static const char *const options[] = {"", ", \"newton_tolerance\": 1e-3"};
  for (int k = 0; k < 2; k++) {
    fem_scene scene = {.young = 5e5,
                       .nu = 0.3,
                       .density = 1000,
                       .damping = 1e-2,
                       .size = {0.1, 0.1, 0.05},
                       .cells = {4, 4, 2},
                       .place = {0.01, 0.005, 0.0461},
                       .gravity = {0, 0, -9.81},
                       .step = 1e-3,
                       .duration = 1,
                       .impact = "none",
                       .options = options[k],
                       .obstacles =
                           "{ \"name\": \"ball\", \"shape\": { \"type\": \"sphere\", \"radius\": 0.02 }, \"position\": [0, 0, 0] }, "
                           "{ \"name\": \"floor\", \"shape\": { \"type\": \"plane\", \"width\": 1 }, \"position\": [0, 0, 0] }"};
    sim_run r = fem_open(&scene, 1);
    double pushed = 0, most = 0, off = 0;
    for (int n = 0; n < 400; n++) {
      run_steps(&r, 1);
      run_observe(&r);
      double force = run_value(&r, "obstacle.ball.force_z") + run_value(&r, "obstacle.floor.force_z"), t = scr_sim_time(r.sim);
      pushed -= force * scr_sim_time_step(r.sim);
      most = fmax(most, pushed);
      off = fmax(off, fabs(pushed - (run_value(&r, "momentum.z") + 0.5 * 9.81 * t)));
    }
    assert_true(most > 0.1);
    assert_true(k == 1 || run_value(&r, "halved_steps") > 3);
    claim_absolute(k ? "block that falls, ended early: momentum not accounted for" : "block that falls: momentum not accounted for",
                   off / most, 0, 1e-6, "sum of forces over time");
    run_close(&r);
  }
}

SUITE(test_fem_grips)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_grips_feel_what_the_bar_holds),
      cmocka_unit_test(test_a_grip_that_turns_takes_its_nodes_round),
      cmocka_unit_test(test_each_body_has_its_own_friction_with_parts),
      cmocka_unit_test(test_forces_of_contacts_are_the_momentum_gained),
  };
  return cmocka_run_group_tests_name("fem grips", tests, NULL, NULL);
}
