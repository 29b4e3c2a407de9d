/* Rods of method fibre at rest against closed forms and published numbers, with the numbers of the specification (3.11b.5 and 7). */
#include "tests/support/claim.h"
#include "tests/support/rod_cases.h"
#include "tests/support/suites.h"

/* Tip of a clamped elastica under a force 3 and 5 EI/L^2 and a weight 10 and 25 EI/L^3, by shooting. Of 40 edges within 6e-4 of the length,
 * and of second order: extrapolated with 80 by 2e-5 at most. */
static void test_a_clamped_rod_sags_as_the_elastica(void **state)
{
  (void)state;
  const double tip[] = {3, 5, 0, 0}, weight[] = {0, 0, 10, 25}, along[] = {0.745580, 0.612372, 0.656354, 0.386160},
               drop[] = {0.603253, 0.713792, 0.700200, 0.855900};
  for (int c = 0; c < 4; c++) {
    double x[2], y[2];
    for (int k = 0; k < 2; k++) rod_case_sag(40u << k, tip[c], weight[c], &x[k], &y[k]);
    claim_absolute("elastica of 40 edges: along", x[0], along[c], 6e-4, "Euler's elastica by shooting");
    claim_absolute("elastica of 40 edges: drop", y[0], drop[c], 6e-4, "Euler's elastica by shooting");
    claim_absolute("elastica, extrapolated: along", (4 * x[1] - x[0]) / 3, along[c], 2e-5, "the same, second order");
    claim_absolute("elastica, extrapolated: drop", (4 * y[1] - y[0]) / 3, drop[c], 2e-5, "the same, second order");
  }
}

/* A small weight: 1.0099, 1.0024, 1.0005 of q L^4 / (8 EI) for 10, 20, 40 edges; the clamp bends over half an edge. */
static void test_small_loads_bend_as_beams_do(void **state)
{
  (void)state;
  const double expected[] = {1.0099, 1.0024, 1.0005};
  double x, drop[3];
  for (int k = 0; k < 3; k++) {
    rod_case_sag(10u << k, 0, 0.1, &x, &drop[k]);
    claim_absolute("clamped rod of 10, 20, 40 edges: over q L^4 / 8 EI", drop[k] * 80, expected[k], 2e-4, "the prototype");
  }
  claim_between("error of 10 edges over that of 20", (drop[0] * 80 - 1) / (drop[1] * 80 - 1), 3.7, 4.5, "second order");
  claim_absolute("extrapolated from 20 and 40", (4 * drop[2] - drop[1]) / 3 * 80, 1, 3e-4, "Euler and Bernoulli's beam, small load");
}

/* A helix (kappa 1, tau 0.3) stretched to (0.9, 0.45), held at both ends: +1.0, +0.25, +0.06 % of Kirchhoff's wrench for 100, 200, 400
 * edges. */
static void test_a_stretched_helix_pulls_with_kirchhoffs_wrench(void **state)
{
  (void)state;
  double force[3], torque[3];
  for (int k = 0; k < 3; k++) rod_case_wrench(100u << k, &force[k], &torque[k]);
  claim_relative("helix of 100 edges: force along its axis", force[0], 0.171059, 1.2e-2, "Kirchhoff 1859");
  claim_relative("helix of 200 edges: force along its axis", force[1], 0.171059, 3e-3, "Kirchhoff 1859");
  claim_relative("helix of 400 edges: force along its axis", force[2], 0.171059, 1e-3, "Kirchhoff 1859");
  claim_relative("helix of 400 edges: torque about its axis", torque[2], -0.035777, 1.5e-3, "Kirchhoff 1859");
}

/* A flat ring that is naturally straight buckles at 2 pi sqrt 3 EI/GJ of twist: +5.1, +1.26, +0.31 % of 25, 50, 100 edges. One that is
 * naturally a circle at 2.455, 1.736, 1.345 turns for GJ/EI 0.5, 0.75, 1, and not at Michell's 3.46, 2.31, 1.73. */
static void test_a_twisted_ring_buckles_at_michells_threshold(void **state)
{
  (void)state;
  const double above[] = {0.051, 0.0126, 0.0031}, within[] = {2e-3, 5e-4, 2e-4}, ratio[] = {0.5, 0.75, 1}, turns[] = {2.455, 1.736, 1.345};
  for (int k = 0; k < 3; k++)
    claim_absolute("straight rod bent to a ring of 25, 50, 100 edges: threshold over Michell's, less 1",
                   rod_case_threshold(25u << k, 0.75, false) / (sqrt(3) / 0.75) - 1, above[k], within[k], "Michell 1889; the prototype");
  for (int k = 0; k < 3; k++)
    claim_relative("naturally circular ring, GJ/EI 0.5, 0.75, 1: turns at which it buckles", rod_case_threshold(100, ratio[k], true),
                   turns[k], 6e-3, "the prototype");
}

SUITE(validate_fibre_statics)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_clamped_rod_sags_as_the_elastica),
      cmocka_unit_test(test_small_loads_bend_as_beams_do),
      cmocka_unit_test(test_a_stretched_helix_pulls_with_kirchhoffs_wrench),
      cmocka_unit_test(test_a_twisted_ring_buckles_at_michells_threshold),
  };
  return cmocka_run_group_tests_name("fibres at rest against theory", tests, NULL, NULL);
}
