/* Bars of bonded spheres whose grip turns: torque, work and balance, in both integrators. */
#include "tests/support/bdem_run.h"
#include "tests/support/suites.h"

static const double pi = 3.14159265358979323846, young = 1e7, poisson = 0.3, spacing = 0.02;

/* A bar along x of the given size, centred; `rig`: what the rig's object holds but its type and axis; `rest`: more of the specimen. */
static bdem_run open_bar(const char *size, const char *rest, const char *rig, const char *time, const char *options)
{
  char text[1400];
  snprintf(text, sizeof text,
           "{\"scree\":1,\"name\":\"bar\",\"method\":\"bdem\","
           "\"materials\":[{\"name\":\"soft\",\"density\":1000,\"young_modulus\":%g,\"poisson_ratio\":%g}],"
           "\"specimens\":[{\"name\":\"bar\",\"material\":\"soft\",\"spacing\":%g,\"shape\":{\"type\":\"box\",\"size\":%s},%s"
           "\"placement\":{\"type\":\"single\",\"position\":[0,0,0]}}],"
           "\"rig\":{\"type\":\"grips\",\"axis\":\"x\",%s},\"time\":{\"duration\":1%s},\"options\":{\"constants_of\":\"bonds\",%s}}",
           young, poisson, spacing, size, rest, rig, time, options);
  return run_open(text, 1);
}

/* Mean of the torque that both grips feel, over a stretch of time: vibrations drop out. */
static double mean_torque(bdem_run *b, double from, double to, double every)
{
  double sum = 0, count = 0;
  for (double t = from; t < to; t += every, ++count) {
    run_until(b, t);
    sum += 0.5 * (run_curve(b, "grip.low.torque_x") - run_curve(b, "grip.high.torque_x"));
  }
  return sum / count;
}

/* A chain of 9 spheres, its first and last in the grips, turned slowly by 0.8 rad and held: each of its 8 bonds is twisted by 0.1 rad and
 * carries kw sin(0.1), kw = G J / l0 (spec, check A5), which beam theory gives as G J phi / L up to the sine. The mean over the vibration
 * left in an explicit run, and implicit steps, agree with it to 1e-3 and 1e-6. The balance closes to 1e-6 at rest, but for the variational
 * integrator, which books the work of grips to first order in its step only. */
static void test_a_twisted_chain_is_a_beam_in_torsion_for_all_integrators(void **state)
{
  (void)state;
  const char *options[] = {"\"integrator\":\"explicit\"", "\"integrator\":\"implicit-euler\"", "\"integrator\":\"variational\""};
  const char *labels[] = {"explicit", "implicit Euler", "variational"};
  const double r = 0.5 * spacing, stiffness = young / (2 * (1 + poisson)) * (0.5 * pi * r * r * r * r) / spacing;
  const double tolerances[] = {1e-3, 1e-6, 1e-3};
  for (int k = 0; k < 3; ++k) {
    bdem_run b = open_bar("[0.18,0.021,0.021]", "",
                          "\"low_end\":-0.075,\"high_start\":0.075,\"turn\":[{\"type\":\"ramp\",\"angular_velocity\":8,\"duration\":0.1},"
                          "{\"type\":\"ramp\",\"angular_velocity\":0,\"duration\":0.1}]",
                          "", options[k]);
    char name[64];
    snprintf(name, sizeof name, "twisted chain, %s: torque, N m", labels[k]);
    double torque = mean_torque(&b, 0.202, 0.302, 0.0002), expected = stiffness * sin(0.1);
    claim_relative(name, torque, expected, tolerances[k], "a beam in torsion");
    assert_true(fabs(run_curve(&b, "grip.high.rotation") - 0.8) < 1e-12);
    if (k < 2)
      claim_absolute("twisted chain: balance", run_curve(&b, "energy.balance_error"), 0, 1e-6, "conservation of energy");
    else
      claim_shown("twisted chain: balance", run_curve(&b, "energy.balance_error"));
    run_close(&b);
  }
}

/* Torsion constant of a rectangle with sides a >= b: a b^3 (1/3 - 64/pi^5 b/a sum tanh(n pi a / 2 b) / n^5), odd n (Saint-Venant). */
static double torsion_constant(double a, double b)
{
  double sum = 0;
  for (int n = 1; n < 40; n += 2) sum += tanh(0.5 * n * pi * a / b) / pow(n, 5);
  return a * b * b * b * (1.0 / 3 - 64 / pow(pi, 5) * b / a * sum);
}

/* Shear modulus of a body-centred packing for shear along its cube's edges: 4 bonds along the cube's diagonals per sphere, of which shear
 * gamma stretches each by gamma/3 and turns it by gamma/sqrt(18): c44 = 3 sqrt(3) pi/4 (E/9 + G/18). */
static double packing_shear_modulus(void)
{
  return 0.75 * sqrt(3) * pi * (young / 9 + young / (2 * (1 + poisson)) / 18);
}

/* Torque over Saint-Venant's of a square bar of n cubes of a body-centred packing across and 4 n along, twisted by 0.01 rad and held. The
 * side is that between the outermost spheres' centres, half a cube less than n cubes. */
static double torque_ratio(int n)
{
  const double pitch = 2 * spacing / sqrt(3), width = n * pitch, length = 4 * width, side = width - 0.5 * pitch;
  char size[96], rig[256], name[64];
  snprintf(size, sizeof size, "[%.9g,%.9g,%.9g]", length + 2.001 * pitch, 1.0001 * width, 1.0001 * width);
  snprintf(rig, sizeof rig, "\"low_end\":%.9g,\"high_start\":%.9g,\"turn\":[{\"type\":\"move\",\"angle\":0.01,\"angular_velocity\":0.1}]",
           -0.5 * length, 0.5 * length);
  bdem_run b = open_bar(size, "\"packing\":\"body_centred\",", rig, "", "\"integrator\":\"implicit-euler\",\"step_ratio\":200");
  double torque = mean_torque(&b, 0.2, 0.24, 0.02), expected = packing_shear_modulus() * torsion_constant(side, side) * 0.01 / length;
  snprintf(name, sizeof name, "twisted bar of %d cubes across: torque, N m", n);
  claim_relative(name, torque, expected, 0.05 * 36 / (n * n), "Saint-Venant, 5 % at 6 cubes");
  claim_absolute("twisted bar: balance", run_curve(&b, "energy.balance_error"), 0, 1e-5, "conservation of energy");
  run_close(&b);
  return torque / expected;
}

/* Bars of ever more spheres go to Saint-Venant's torque G J phi / L with the packing's own shear modulus. What is left is of second order
 * in the spheres' size, as the spheres' own stiffness against twist is; extrapolated so from 4 and 6 cubes across it is 1 to 1 %. */
static void test_a_twisted_bar_goes_to_saint_venants_torque(void **state)
{
  (void)state;
  double coarse = torque_ratio(4), fine = torque_ratio(6), limit = (36 * fine - 16 * coarse) / 20;
  claim_relative("twisted bar of 6 cubes: torque over Saint-Venant's", fine, 1, 0.05, "Timoshenko and Goodier, art. 109");
  claim_relative("twisted bar: extrapolated torque over Saint-Venant's", limit, 1, 0.01, "Timoshenko and Goodier, art. 109");
}

/* While a bar is being twisted ever faster, kinetic and elastic energy grow as the torque's work does, up to the square of the explicit
 * step: half the step leaves about a quarter of the largest imbalance. */
static void test_the_torques_work_is_booked_to_second_order(void **state)
{
  (void)state;
  double error[2];
  for (int k = 0; k < 2; ++k) {
    bdem_run b = open_bar("[0.24,0.0693,0.0654]", "",
                          "\"low_end\":-0.1,\"high_start\":0.1,\"turn\":[{\"type\":\"ramp\",\"angular_velocity\":20,\"duration\":0.05}]",
                          k ? ",\"time_step\":2.5e-5" : ",\"time_step\":5e-5", "\"integrator\":\"explicit\"");
    error[k] = 0;
    for (int sample = 1; sample <= 80; ++sample) {
      run_until(&b, 5e-4 * sample);
      error[k] = fmax(error[k], fabs(run_curve(&b, "energy.balance_error")) * run_curve(&b, "energy.external"));
    }
    claim_shown(k ? "turning grip, half the step: largest imbalance, J" : "turning grip: largest imbalance, J", error[k]);
    run_close(&b);
  }
  claim_absolute("turning grip: imbalance, whole over half step", error[0] / error[1], 4, 1, "second order");
}

SUITE(validate_bdem_twist)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_twisted_chain_is_a_beam_in_torsion_for_all_integrators),
      cmocka_unit_test(test_a_twisted_bar_goes_to_saint_venants_torque),
      cmocka_unit_test(test_the_torques_work_is_booked_to_second_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
