/* Contacts and motion of lsdem's grains against closed forms. References: the method's specification, section 6, whose numbers these are.
 * */
#include <math.h>

#include "tests/support/lsdem_run.h"
#include "tests/support/suites.h"

#define SPEC "specification, section 6"

/* Overlap of two balls of radius 1 whose centres are `apart`, pressed by k_n per area of one's surface: k_n times the integral of depth cos
 * over the cap, by 20000 rings. */
static double cap_force(double stiffness, double apart)
{
  enum { RINGS = 20000 };
  double sum = 0, edge = acos(0.5 * apart);
  for (int k = 0; k < RINGS; k++) {
    double angle = edge * (k + 0.5) / RINGS, z = cos(angle), r = sin(angle), way = hypot(r, apart - z), depth = 1 - way;
    sum += depth * ((apart - z) / way) * 2 * M_PI * sin(angle) * edge / RINGS; /* along the line of centres */
  }
  return stiffness * sum;
}

static double mean_ratio(double grid, bool fixed, double *scatter)
{
  enum { TURNS = 20 };
  char specimens[900], options[200];
  snprintf(specimens, sizeof specimens,
           "[{\"name\": \"balls\", \"material\": \"stone\", \"spacing\": 0.04, \"grid_spacing\": %.17g, \"shape\": {\"type\": \"sphere\", "
           "\"radius\": 1}, \"placement\": "
           "{\"type\": \"list\", \"positions\": [[0, 0, 0], [0, 0, 1.98]]}}]",
           grid);
  snprintf(options, sizeof options, "\"passes\": \"one_sided\", \"energy_exact\": false, \"bias_fix\": %s", fixed ? "true" : "false");
  sim_run r = lsdem_open(LSDEM_STONE, "{\"contact_stiffness\": 1e6}", specimens, LSDEM_NO_RIG, "[]", "{\"duration\": 1}", options, 1);
  lsdem_state *s = lsdem_of(&r);
  double mean = 0, square = 0, exact = cap_force(1e6, 1.98);
  for (int k = 0; k < TURNS; k++) {
    lsdem_place(s, 0, vec3(0, 0, 0), quat_exp(vec3(2.1 * sin(k), 1.7 * cos(2 * k), 2.5 * sin(3 * k + 1))));
    lsdem_place(s, 1, vec3(0, 0, 1.98), quat_exp(vec3(1.3 * cos(3 * k), 2.2 * sin(k + 2), 1.1 * cos(k))));
    lsdem_forces(s);
    double ratio = s->grains[1].force.z / exact;
    mean += ratio / TURNS;
    square += ratio * ratio / TURNS;
  }
  *scatter = sqrt(fmax(0, square - mean * mean));
  run_close(&r);
  return mean;
}

/* Check 2: a ball of nodes against a ball's level set. Interpolation adds h^2/(6R) to the distance, so the force is (1 - h^2/(6 R d))^2 of
 * the true one without the correction; with it, within 1 % on average over 20 orientations. */
static void test_balls_press_each_other_by_the_true_distance(void **state)
{
  (void)state;
  const double grids[] = {0.2, 0.1, 0.05, 0.025};
  for (int k = 0; k < 4; k++) {
    double h = grids[k], scatter, biased = mean_ratio(h, false, &scatter), fixed = mean_ratio(h, true, &scatter),
           spared = 1 - h * h / (6 * 0.02);
    char what[96];
    snprintf(what, sizeof what, "force of balls at h = R/%g over the exact one, uncorrected", 1 / h);
    claim_absolute(what, biased, spared * spared, 0.01, "(1 - h^2/(6 R d))^2, " SPEC ".2");
    snprintf(what, sizeof what, "force of balls at h = R/%g over the exact one, corrected", 1 / h);
    claim_absolute(what, fixed, 1, 0.01, "integral over the cap, " SPEC ".2");
    snprintf(what, sizeof what, "its scatter with orientation at h = R/%g", 1 / h);
    claim_shown(what, scatter);
  }
}

/* Check 9: a free top of moments 1, 2, 3 turning about its middle axis, w = (0.01, 1, 0.01), to t = 100: angular momentum is kept by
 * construction, the energy's error stays below 1e-4 at dt = 0.02 and falls with dt^2. */
static double top_error(double dt)
{
  scr_vec3 inertia = vec3(1, 2, 3), angular = vec3(0.01, 2, 0.03);
  scr_quat q = quat_identity();
  double start = 0.5 * (1e-4 + 2 + 3e-4), worst = 0;
  for (long k = 0; k < lround(100 / dt); k++) {
    q = lsdem_turn(q, angular, inertia, dt);
    scr_vec3 own = quat_rotate(quat_conjugate(q), angular);
    worst = fmax(worst, fabs(0.5 * (own.x * own.x + own.y * own.y / 2 + own.z * own.z / 3) - start) / start);
  }
  return worst;
}

static void test_a_free_top_keeps_its_energy(void **state)
{
  (void)state;
  double coarse = top_error(0.02), fine = top_error(0.005);
  claim_between("largest error of a top's energy at dt = 0.02", coarse, 0, 1e-4, SPEC ".9: 3.3e-5");
  claim_between("its fall for a quarter of the step", coarse / fine, 12, 40, "second order, 16; " SPEC ".9: 25");
}

/* A brick that lies on a plane, gravity turned by 30 degrees, as deep in it as it is at rest. */
static sim_run brick_on_slope(double stiffness, double friction, double damping_time, double duration)
{
  const double g = 9.81, angle = M_PI / 6, depth = 1000 * 0.05 * g * cos(angle) / stiffness;
  char contact[200], rig[200], specimens[400], time[100];
  snprintf(contact, sizeof contact, "{\"contact_stiffness\": %g, \"friction_coefficient\": %g, \"damping_time\": %g}", stiffness, friction,
           damping_time);
  snprintf(rig, sizeof rig, "{\"type\": \"none\", \"gravity\": [%.17g, 0, %.17g]}", g * sin(angle), -g * cos(angle));
  snprintf(specimens, sizeof specimens,
           "[{\"name\": \"brick\", \"material\": \"stone\", \"spacing\": 0.02, \"grid_spacing\": 0.0125, \"shape\": {\"type\": \"box\", "
           "\"size\": [0.1, 0.1, 0.05]}, \"placement\": {\"type\": "
           "\"single\", \"position\": [0, 0, %.17g]}}]",
           0.025 - depth);
  snprintf(time, sizeof time, "{\"duration\": %g}", duration);
  return lsdem_open(LSDEM_STONE, contact, specimens, rig, "[{\"name\": \"floor\", \"shape\": {\"type\": \"plane\"}}]", time, "", 1);
}

/* Check 16: a brick slides down a plane at 30 degrees with mu = 0.3: after 1 s its speed is g (sin - mu cos) t = 2.3563 m/s, a little more
 * by what the shear springs take up at first (k_n high: 0.2 %), which falls as their stiffness grows: the time until they slip does as its
 * root. At mu = 0.6 it stays where it stuck. Gravity is turned instead of the plane. */
static void test_a_brick_slides_and_sticks_on_a_slope(void **state)
{
  (void)state;
  const double g = 9.81, angle = M_PI / 6;
  double excess[2];
  for (int k = 0; k < 2; k++) {
    sim_run r = brick_on_slope(k ? 1e7 : 1e8, 0.3, k ? 6e-4 : 2e-4, 1);
    run_until(&r, 1);
    excess[k] = lsdem_of(&r)->grains[0].velocity.x / (g * (sin(angle) - 0.3 * cos(angle)) * r.sim->time) - 1;
    run_close(&r);
  }
  claim_between("what a brick is too fast by after 1 s, springs of 1e8 over those of a tenth", excess[0] / excess[1], 0.2, 0.45,
                "root of 0.1, 0.32; " SPEC ".16: to 0 with k_t");
  if (claim_slow_part("ten seconds at rest on a slope")) {
    sim_run r = brick_on_slope(1e8, 0.6, 2e-4, 11);
    run_until(&r, 1);
    double at = lsdem_of(&r)->grains[0].position.x;
    run_until(&r, 11);
    claim_absolute("way of a brick in ten seconds on 30 degrees, mu = 0.6, in m", lsdem_of(&r)->grains[0].position.x - at, 0, 1e-6,
                   "it sticks; " SPEC ".16");
    run_close(&r);
  }
  for (int sticks = 0; sticks < 2; sticks++) {
    sim_run r = brick_on_slope(1e8, sticks ? 0.6 : 0.3, 2e-4, sticks ? 2 : 1);
    lsdem_state *s = lsdem_of(&r);
    if (!sticks) {
      run_until(&r, 1);
      claim_relative("speed of a brick after 1 s down 30 degrees, mu = 0.3", s->grains[0].velocity.x,
                     g * (sin(angle) - 0.3 * cos(angle)) * r.sim->time, 5e-3, "Coulomb; " SPEC ".16: 0.3 % above");
      claim_absolute("balance of energy of the sliding brick", run_curve(&r, "energy.balance_error"), 0, 1e-3, SPEC ".15");
    } else {
      run_until(&r, 1);
      double at = s->grains[0].position.x;
      run_until(&r, 2);
      claim_absolute("way of a brick in a second on 30 degrees, mu = 0.6, in m", s->grains[0].position.x - at, 0, 1e-7,
                     "it sticks; " SPEC ".16: 1e-6 m in 10 s");
    }
    run_close(&r);
  }
}

/* Check 15: twenty grains poured into a box, with dashpots, friction and soft modes. The balance closes to 1e-3
 * of the largest energy at any time: what is left are nodes that come into contact within a step. */
static void test_the_ledger_of_a_pour_closes(void **state)
{
  (void)state;
  sim_run r =
      lsdem_open("[{\"name\": \"stone\", \"density\": 2600, \"young_modulus\": 1e7, \"poisson_ratio\": 0.2}]",
                 "{\"contact_stiffness\": 1e9, \"friction_coefficient\": 0.4, \"damping_time\": 3e-4}",
                 "[{\"name\": \"balls\", \"material\": \"stone\", \"spacing\": 2.5e-3, \"grid_spacing\": 1e-3, \"modes\": \"stretch\", "
                 "\"shape\": {\"type\": \"sphere\", \"radius\": 0.01}, \"placement\": {\"type\": "
                 "\"lattice\", \"origin\": [-0.024, -0.012, 0.012], \"pitch\": [0.024, 0.024, 0.024], \"count\": [3, 2, 2]}}, "
                 "{\"name\": \"pebbles\", \"material\": \"stone\", \"spacing\": 2.5e-3, \"grid_spacing\": 1e-3, \"elongation\": 0.7, "
                 "\"roughness\": 0.04, \"variants\": 2, \"random_rotation\": true, \"shape\": {\"type\": "
                 "\"sphere\", \"radius\": 0.01}, \"placement\": {\"type\": \"lattice\", \"origin\": [-0.013, -0.013, 0.064], \"pitch\": "
                 "[0.027, 0.027, 0.027], \"count\": [2, 2, 2]}}]",
                 "{\"type\": \"box\", \"minimum\": [-0.04, -0.028, 0], \"maximum\": [0.04, 0.028, 0.12], \"gravity\": [0, 0, -9.81]}", "[]",
                 "{\"duration\": 0.1, \"safety_factor\": 0.5}", "", 1);
  double worst = 0;
  while (r.sim->time < 0.1) {
    run_steps(&r, 40);
    worst = fmax(worst, fabs(run_curve(&r, "energy.balance_error")));
  }
  claim_between("contacts at the end of a pour of 20 grains", run_value(&r, "contacts"), 10, 200, "they came to rest on each other");
  claim_between("largest error of the balance of energy of that pour", worst, 0, 1e-3, "nodes that come and go within a step; " SPEC ".15");
  claim_absolute("balance of energy at its end", run_curve(&r, "energy.balance_error"), 0, 1e-3, SPEC ".15");
  run_close(&r);
}

SUITE(validate_lsdem_contact)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_balls_press_each_other_by_the_true_distance),
      cmocka_unit_test(test_a_free_top_keeps_its_energy),
      cmocka_unit_test(test_a_brick_slides_and_sticks_on_a_slope),
      cmocka_unit_test(test_the_ledger_of_a_pour_closes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
