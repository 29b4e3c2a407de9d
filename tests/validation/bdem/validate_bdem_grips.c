/* Bars of bonded spheres in grips: both integrators, forces, work and balance. */
#include "tests/support/bdem_run.h"
#include "tests/support/suites.h"

/* A bar along x of 16 x 4 x 4 spheres of 2 cm; `rig`: what the rig's object holds but its type; `options`: of the method. */
static bdem_run open_bar(const char *rig, const char *options)
{
  char text[1024];
  snprintf(
      text, sizeof text,
      "{\"scree\":1,\"name\":\"bar\",\"method\":\"bdem\","
      "\"materials\":[{\"name\":\"soft\",\"density\":1000,\"young_modulus\":1e7,\"poisson_ratio\":0.3}],"
      "\"specimens\":[{\"name\":\"bar\",\"material\":\"soft\",\"spacing\":0.02,\"shape\":{\"type\":\"box\",\"size\":[0.32,0.0693,0.0654]},"
      "\"placement\":{\"type\":\"single\",\"position\":[0,0,0]}}],"
      "\"rig\":{\"type\":\"grips\",\"axis\":\"x\",%s},\"time\":{\"duration\":0.2},\"options\":{\"constants_of\":\"bonds\",%s}}",
      rig, options);
  return run_open(text, 1);
}

/* Pulled slowly with grips that let it slide, a bar takes the same force in the mean over a vibration explicitly and in steps of 20 T, the
 * balance closes to 1e-5, and half of the work is not lost: a spring's work is F u / 2. */
static void test_a_pulled_bar_is_a_spring_for_both_integrators(void **state)
{
  (void)state;
  const char *rig = "\"low_end\":-0.14,\"high_start\":0.14,\"slide\":true,\"program\":[{\"type\":\"constant\",\"velocity\":0.05}]";
  bdem_run bars[2] = {open_bar(rig, "\"integrator\":\"explicit\""), open_bar(rig, "\"integrator\":\"implicit-euler\"")};
  double stiffness[2], section = 4 * sqrt(3.0) * 0.01 * 4 * sqrt(8.0 / 3.0) * 0.01; /* m^2, of four rows and four layers */
  for (int k = 0; k < 2; ++k) {
    run_until(&bars[k], 0.08);
    double sum = 0, count = 0;
    for (double t = 0.0802; t < 0.1; t += 0.0002, ++count) {
      run_until(&bars[k], t);
      sum += 0.5 * (run_curve(&bars[k], "grip.low.force_x") - run_curve(&bars[k], "grip.high.force_x")) /
             run_curve(&bars[k], "grip.high.displacement");
    }
    stiffness[k] = sum / count;
    double u = run_curve(&bars[k], "grip.high.displacement"), stored = run_curve(&bars[k], "energy.elastic");
    claim_relative(k ? "implicit bar: stiffness, N/m" : "explicit bar: stiffness, N/m", stiffness[k], section * 1.5269e7 / 0.3, 0.005,
                   "prototype in numpy, check A8: bar of 16 x 4 x 4 spheres");
    claim_relative(k ? "implicit bar: energy over k u^2 / 2" : "explicit bar: energy over k u^2 / 2", stored / (0.5 * stiffness[k] * u * u),
                   1, 0.01, "a spring's");
    claim_absolute(k ? "implicit bar: balance" : "explicit bar: balance", run_curve(&bars[k], "energy.balance_error"), 0, 1e-5,
                   "conservation of energy");
    run_close(&bars[k]);
  }
  assert_true(fabs(stiffness[1] / stiffness[0] - 1) < 0.005);
}

/* A beam clamped at one end comes to rest under implicit steps of 200 T; its clamp then carries its weight, upward force minus gravity
 * times mass, and the balance closes to 1e-5 although half of the work of gravity went into numerical damping, as it must for a load put on
 * at once. */
static void test_a_clamp_carries_the_weight_of_a_beam_at_rest(void **state)
{
  (void)state;
  bdem_run b = open_bar("\"low_end\":-0.14,\"gravity\":[0,0,-9.81]", "\"integrator\":\"implicit-euler\",\"step_ratio\":200");
  const bdem_state *s = b.sim->state;
  double weight = 0;
  for (size_t i = 0; i < s->body.sphere_count; ++i) weight += 9.81 * s->body.mass[i];
  run_until(&b, 1);
  claim_relative("clamped beam: force on the clamp, N", run_curve(&b, "grip.low.force_z"), -weight, 1e-3, "its weight");
  claim_absolute("clamped beam: elastic over gravity's energy", run_curve(&b, "energy.elastic") / run_curve(&b, "energy.external"), 0.5,
                 0.01, "Clapeyron's theorem");
  claim_absolute("clamped beam: balance", run_curve(&b, "energy.balance_error"), 0, 1e-5, "conservation of energy");
  run_close(&b);
}

SUITE(validate_bdem_grips)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_pulled_bar_is_a_spring_for_both_integrators),
      cmocka_unit_test(test_a_clamp_carries_the_weight_of_a_beam_at_rest),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
