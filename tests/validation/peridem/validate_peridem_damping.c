/* Peridem's damping and friction: what is taken never comes back, at any ratio, and the balance of energy closes in violent contacts. */
#include "tests/validation/peridem/peridem_case.h"
#include "tests/support/suites.h"

/* Two boxes of 8^3 nodes, one shifted by half a spacing across, meet at 10 m/s. */
static sim_run open_boxes(double damping_ratio, const char *options)
{
  char text[2048];
  snprintf(text, sizeof text,
           "{\"scree\":1,\"name\":\"boxes\",\"method\":\"peridem\",\"materials\":[{\"name\":\"m\",\"density\":1200,\"bulk_modulus\":2e9}],"
           "\"contact\":{\"friction_coefficient\":0.5,\"damping_ratio\":%g},\"specimens\":["
           "{\"name\":\"a\",\"material\":\"m\",\"spacing\":1e-4,\"shape\":{\"type\":\"box\",\"size\":[8e-4,8e-4,8e-4]},"
           "\"placement\":{\"type\":\"single\",\"position\":[0,0,0]},\"velocity\":[10,0,0]},"
           "{\"name\":\"b\",\"material\":\"m\",\"spacing\":1e-4,\"shape\":{\"type\":\"box\",\"size\":[8e-4,8e-4,8e-4]},"
           "\"placement\":{\"type\":\"single\",\"position\":[9.95e-4,5e-5,5e-5]}}],"
           "\"rig\":{\"type\":\"none\"},\"time\":{\"duration\":2e-5},\"options\":{\"contact_radius\":3e-4,%s}}",
           damping_ratio, options);
  return run_open(text, 1);
}

/* Steps a run and looks at every step. @return the largest fall of a dissipated energy; `gain`: the largest rise of kinetic, elastic and
 * contact energy together over what there was at the start, relative */
static double watch(sim_run *c, size_t steps, double *gain, double *balance)
{
  double most[2] = {0, 0}, fall = 0, start = 0;
  *gain = *balance = 0;
  for (size_t k = 0; k <= steps; k++) {
    run_observe(c);
    double taken[2] = {run_value(c, "energy.damping"), run_value(c, "energy.friction")};
    double held = run_value(c, "energy.kinetic") + run_value(c, "energy.elastic") + run_value(c, "energy.contact");
    if (k == 0) start = held;
    *gain = fmax(*gain, held / start - 1);
    *balance = fmax(*balance, fabs(run_value(c, "energy.balance_error")));
    for (int a = 0; a < 2; a++) {
      fall = fmax(fall, most[a] - taken[a]);
      most[a] = fmax(most[a], taken[a]);
    }
    if (k < steps) run_steps(c, 1);
  }
  return fall / start;
}

/* At the step that bonds and contacts allow, at every damping ratio there is, by both laws of friction and both ranges of contact: damping
 * and friction never fall by more than rounding (1e-12 of the energy), and the boxes never get more energetic than 1 % (Verlet's own error;
 * 2e-3 undamped). Explicit damping at this step, which the check used to choose, makes 1e6 times the energy at a ratio of 2. */
static void test_damping_between_nodes_never_gives_energy_back(void **state)
{
  (void)state;
  static const double ratios[] = {0, 0.3, 0.9, 2};
  static const char *const options[] = {PAPER_NODES, PAPER_BODY ",\"friction_law\":\"viscous\"", PAPER_NODES ",\"no_tension\":true"};
  const bool slow = claim_slow_part("every ratio by every option");
  for (size_t o = 0; o < 3; o++)
    for (size_t k = 0; k < sizeof ratios / sizeof *ratios; k++) {
      if (!slow && k != 3 - o) continue;
      sim_run c = open_boxes(ratios[k], options[o]);
      double gain, balance, fall = watch(&c, 600, &gain, &balance);
      print_message("# damping ratio %g, %s\n", ratios[k], options[o]);
      claim_absolute("two boxes: largest fall of damping and friction over the energy", fall, 0, 1e-12, "a damper gives nothing back");
      claim_between("two boxes: largest rise of the energy", gain, -1, 0.01, "conservation of energy");
      claim_absolute("two boxes: energy not accounted for", balance, 0, 0.01, "conservation of energy");
      assert_true(ratios[k] == 0 || run_value(&c, "energy.damping") > 1e-3 * run_value(&c, "energy.kinetic"));
      run_close(&c);
    }
}

/* With explicit damping the step must be a part of that: the check chooses it from the dampers between nodes too, and refuses the other. */
static void test_explicit_damping_gets_the_step_it_needs(void **state)
{
  (void)state;
  for (int k = claim_slow_part("the paper's ratio") ? 0 : 1; k < 2; k++) {
    sim_run c = open_boxes(k ? 2 : 0.9, PAPER_CONTACT), free = open_boxes(k ? 2 : 0.9, PAPER_NODES);
    double gain, balance, fall = watch(&c, 2000, &gain, &balance);
    assert_string_equal(c.scene->estimate.time_step_rule, "damping between nodes");
    claim_between("two boxes, explicit damping: step over that of limited damping", scr_sim_time_step(c.sim) / scr_sim_time_step(free.sim),
                  0.01, 0.2, "row sums of the dampers");
    claim_absolute("two boxes, explicit damping: largest fall of damping and friction over the energy", fall, 0, 1e-3,
                   "a damper gives nothing back");
    claim_between("two boxes, explicit damping: largest rise of the energy", gain, -1, 0.01, "conservation of energy");
    run_close(&c);
    run_close(&free);
  }
}

/* The limited law is the printed one in the limit of small steps: what two boxes have lost to damping at the end of their contact, against
 * a run by explicit damping at a fiftieth of the step. First order: half the step, half the difference. Here the contact radius is three
 * spacings, so that 50 dampers act on a node of the surface: at the bonds' step the limit takes a fifth from what the law asks. */
static void test_limited_damping_tends_to_the_printed_law(void **state)
{
  (void)state;
  double lost[4];
  static const double parts[4] = {1, 0.25, 0.125, 0.02};
  for (int k = 0; k < 4; k++) {
    sim_run probe = open_boxes(0.2, PAPER_NODES);
    double step = scr_sim_time_step(probe.sim) * parts[k];
    run_close(&probe);
    sim_run c = open_boxes(0.2, k < 3 ? PAPER_NODES ",\"friction_law\":\"viscous\"" : PAPER_CONTACT);
    /* the scene is checked for its own step; a shorter one is stable as well */
    c.sim->time_step = run_state(&c)->time_step = step;
    run_until(&c, 3e-6);
    run_observe(&c);
    lost[k] = run_value(&c, "energy.damping");
    run_close(&c);
  }
  claim_between("two boxes: lost to damping at the bonds' step over the printed law's", lost[0] / lost[3], 0.7, 1.1,
                "explicit damping, 1/50 of the step");
  claim_relative("two boxes: at a quarter of the step", lost[1] / lost[3], 1, 0.15, "explicit damping, 1/50 of the step");
  claim_relative("two boxes: at an eighth of it", lost[2] / lost[3], 1, 0.08, "explicit damping, 1/50 of the step");
  assert_true(fabs(lost[2] - lost[3]) < 0.7 * fabs(lost[1] - lost[3]));
}

/* A ball is crushed to debris between walls, with self-contact, at the paper's ratio: kinetic energy at the bonds' step is that of half the
 * step within a quarter, as a fifth of a thousand pieces fly another way after another step (30 times with explicit damping), and the
 * balance closes. */
static void test_a_crush_with_self_contact_keeps_its_energy(void **state)
{
  (void)state;
  claim_slow();
  double kinetic[2];
  for (int k = 0; k < 2; k++) {
    char text[2048];
    snprintf(text, sizeof text,
             "{\"scree\":1,\"name\":\"crush\",\"method\":\"peridem\","
             "\"materials\":[{\"name\":\"m\",\"density\":1200,\"bulk_modulus\":2e9,\"fracture_energy\":135}],"
             "\"contact\":{\"friction_coefficient\":0.9,\"damping_ratio\":0.9},\"specimens\":[{\"name\":\"a\",\"material\":\"m\","
             "\"spacing\":1.6e-4,"
             "\"shape\":{\"type\":\"sphere\",\"radius\":1e-3}}],\"rig\":{\"type\":\"box\",\"minimum\":[-1.2e-3,-1.2e-3,-1.2e-3],"
             "\"maximum\":[1.2e-3,1.2e-3,1.2e-3],\"walls\":{\"z_max\":{\"program\":[{\"type\":\"constant\",\"velocity\":-10}]}}},"
             "\"time\":{\"duration\":1.2e-4,\"time_step\":%s},\"options\":{\"horizon\":4.8e-4,\"contact_radius\":2.56e-4,\"contact_"
             "surface\":\"nodes\"}}",
             k ? "1.6e-8" : "3.2e-8");
    sim_run c = run_open(text, 1);
    double balance = 0, energy = 0;
    for (int n = 0; n < 24; n++) {
      run_until(&c, 5e-6 * (n + 1));
      run_observe(&c);
      balance = fmax(balance, fabs(run_value(&c, "energy.balance_error")));
      if (n >= 20) energy += run_value(&c, "energy.kinetic") / 4;
    }
    kinetic[k] = energy;
    claim_absolute(k ? "crush: energy not accounted for, half the step" : "crush: energy not accounted for", balance, 0, 0.01,
                   "conservation of energy");
    run_close(&c);
  }
  claim_between("crush: kinetic energy of the debris over that at half the step", kinetic[0] / kinetic[1], 0.75, 1.25,
                "convergence in the step");
}

/* The balance is relative to the largest energy so far: a body at rest without forces has none, and what rounding makes is not an error. */
static void test_round_off_is_no_error_of_the_balance(void **state)
{
  (void)state;
  sim_run c = run_open(
      "{\"scree\":1,\"name\":\"still\",\"method\":\"peridem\",\"materials\":[{\"name\":\"m\",\"density\":1200,\"bulk_modulus\":2e9}],"
      "\"specimens\":[{\"name\":\"a\",\"material\":\"m\",\"spacing\":1e-4,\"shape\":{\"type\":\"sphere\",\"radius\":5e-4},"
      "\"placement\":{\"type\":\"single\",\"position\":[0.3,0.1,0.7]}}],\"rig\":{\"type\":\"none\"},\"time\":{\"duration\":1e-5}}",
      1);
  double worst = 0;
  for (int k = 0; k < 20; k++) {
    run_steps(&c, 10);
    run_observe(&c);
    worst = fmax(worst, fabs(run_value(&c, "energy.balance_error")));
  }
  claim_absolute("body at rest: energy.balance_error", worst, 0, 1e-3, "nothing happens");
  run_close(&c);
}

SUITE(validate_peridem_damping)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_damping_between_nodes_never_gives_energy_back), cmocka_unit_test(test_explicit_damping_gets_the_step_it_needs),
      cmocka_unit_test(test_limited_damping_tends_to_the_printed_law),      cmocka_unit_test(test_round_off_is_no_error_of_the_balance),
      cmocka_unit_test(test_a_crush_with_self_contact_keeps_its_energy),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
