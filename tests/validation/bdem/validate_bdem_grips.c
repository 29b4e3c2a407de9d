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

/* The largest error of the balance of a bar in variational steps of `ratio` T. */
static double largest_error(const char *rig, int ratio)
{
  char text[2048];
  snprintf(text, sizeof text,
           "{\"scree\":1,\"name\":\"bar\",\"method\":\"bdem\",\"materials\":[{\"name\":\"m\",\"density\":1000,\"young_modulus\":1e8}],"
           "\"contact\":{\"friction_coefficient\":0,"
           "\"damping_ratio\":0},\"specimens\":[{\"name\":\"s\",\"material\":\"m\",\"spacing\":0.005,\"shape\":{\"type\":\"box\",\"size\":["
           "0.02,0.02,0.06]}}],\"rig\":%s,"
           "\"time\":{\"duration\":0.002},\"options\":{\"integrator\":\"variational\",\"step_ratio\":%d}}",
           rig, ratio);
  bdem_run r = run_open(text, 1);
  double worst = 0;
  while (scr_sim_time(r.sim) < 0.00199) {
    run_steps(&r, 1);
    worst = fmax(worst, fabs(run_curve(&r, "energy.balance_error")));
  }
  assert_true(run_value(&r, "energy.external") > 0);
  run_close(&r);
  return worst;
}

/* What the rig does in a variational step is the mean of its forces at both ends times its displacement: to second order, as the step is.
 * (By the force at the end alone the error was of first order: of a bar that a platen begins to press in steps of 2 T 2.2 %, a doubt, and
 * of one that grips pull 1.3 %.) */
static void test_variational_steps_book_the_work_of_the_rig(void **state)
{
  (void)state;
  static const char *const
      grips = "{\"type\":\"grips\",\"axis\":\"z\",\"low_end\":-0.024,\"high_start\":0.024,\"program\":[{\"type\":\"constant\",\"velocity\":"
              "1}]}",
      *const platens = "{\"type\":\"platens\",\"opening\":0.06,\"program\":[{\"type\":\"ramp\",\"velocity\":-0.02,\"duration\":0.002}]}";
  claim_absolute("bar pulled by grips in variational steps of 5 T: largest error of the balance", largest_error(grips, 5), 0, 5e-4,
                 "conservation of energy");
  double twice = largest_error(platens, 2), once = largest_error(platens, 1);
  claim_absolute("bar that platens begin to press in variational steps of 2 T: largest error of the balance", twice, 0, 6e-3,
                 "conservation of energy");
  claim_between("the same over that in steps of T", twice / once, 3, 6, "second order: 4");
}

SUITE(validate_bdem_grips)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_pulled_bar_is_a_spring_for_both_integrators),
      cmocka_unit_test(test_a_clamp_carries_the_weight_of_a_beam_at_rest),
      cmocka_unit_test(test_variational_steps_book_the_work_of_the_rig),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
