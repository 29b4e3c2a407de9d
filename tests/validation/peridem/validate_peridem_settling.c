/* Energy of bodies that fall and come to rest. */
#include "tests/validation/peridem/peridem_case.h"
#include "tests/support/suites.h"

/* Soft cubes of 4^3 nodes above a floor, turned, the second above the first. */
static sim_run open_cubes(double height, const char *options)
{
  char text[1600];
  snprintf(
      text, sizeof text,
      "{\"scree\":1,\"name\":\"cubes\",\"method\":\"peridem\",\"materials\":[{\"name\":\"gel\",\"density\":1200,\"bulk_modulus\":2e6}],"
      "\"contact\":{\"friction_coefficient\":0.5,\"damping_ratio\":0.5},\"specimens\":[{\"name\":\"c\",\"material\":\"gel\","
      "\"spacing\":2.5e-4,\"shape\":{\"type\":\"box\",\"size\":[1e-3,1e-3,1e-3]},\"placement\":{\"type\":\"list\",\"positions\":"
      "[[0,0,%.17g],[3e-4,1e-4,%.17g]]},\"rotation\":{\"axis\":[1,2,3],\"angle_deg\":35}}],"
      "\"rig\":{\"type\":\"box\",\"minimum\":[-3e-3,-3e-3,0],\"maximum\":[3e-3,3e-3,2e-2],\"gravity\":[0,0,-9.81]},"
      "\"time\":{\"duration\":0.2},\"options\":{%s}}",
      height, height + 1.8e-3, options);
  return run_open(text, 1);
}

/* Verlet is exact under a constant force: the kinetic energy is m g^2 t^2 / 2, and nothing else holds energy. Tolerance: rounding of some
 * thousand steps. */
static void test_free_fall_is_exact(void **state)
{
  (void)state;
  sim_run run = open_cubes(1e-2, "");
  run_steps(&run, 2000);
  double t = scr_sim_time(run.sim), mass = 1200 * 2 * 1e-9;
  claim_relative("kinetic energy of falling cubes, J", run_curve(&run, "energy.kinetic"), 0.5 * mass * 9.81 * 9.81 * t * t, 1e-9,
                 "free fall");
  claim_absolute("energy balance error", run_value(&run, "energy.balance_error"), 0, 1e-9, "conservation of energy");
  claim_absolute("contact and elastic energy over kinetic",
                 (run_value(&run, "energy.elastic") + run_value(&run, "energy.contact")) / run_value(&run, "energy.kinetic"), 0, 1e-9,
                 "a rigid motion");
  run_close(&run);
}

/* Two cubes fall 1 mm, hit the floor and each other, and come to rest. All along the ledger must add up: limited damping and springs of
 * friction are booked exactly, Verlet's error is of second order in the step (README of the method): 1e-3 of the largest energy. By faces a
 * pair whose nodes have several presses by those two that look at each other most; which these are changes while cubes tumble on their
 * edges, and the pair's potential jumps by what they differ in: 1e-2 in these two impacts, shown here, and doubted in a run. */
static void settle(const char *law, const char *options, bool balances)
{
  char name[80];
  sim_run run = open_cubes(2e-3, options);
  double worst = 0, fastest = 0;
  for (int milli = 1; milli <= 150; milli++) {
    run_until(&run, milli * 1e-3);
    run_observe(&run);
    worst = fmax(worst, fabs(run_value(&run, "energy.balance_error")));
    fastest = fmax(fastest, run_value(&run, "energy.kinetic"));
  }
  snprintf(name, sizeof name, "%s: largest energy balance error", law);
  if (balances)
    claim_absolute(name, worst, 0, 1e-3, "conservation of energy");
  else
    claim_shown(name, worst);
  claim_between("kinetic energy at 150 ms over the largest", run_value(&run, "energy.kinetic") / fastest, 0, 0.02, "they rest, all but");
  claim_between("dissipated over external work",
                (run_value(&run, "energy.damping") + run_value(&run, "energy.friction")) / run_value(&run, "energy.external"), 0.9, 1,
                "what fell and rests has lost it");
  run_close(&run);
}

static void test_settling_keeps_the_balance(void **state)
{
  (void)state;
  settle("by faces", "", false);
  settle("by half a spacing", PAPER_BODY, true);
}

SUITE(validate_peridem_settling)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_free_fall_is_exact),
      cmocka_unit_test(test_settling_keeps_the_balance),
  };
  return cmocka_run_group_tests_name("peridem settling", tests, NULL, NULL);
}
