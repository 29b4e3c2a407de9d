/* Method rigid where many balls flow and come to rest: discharge through openings, a heap that was poured. */
#include <stdio.h>

#include "methods/rigid/state.h"
#include "tests/support/sim_run.h"

#define HEAD "{\"scree\": 1, \"name\": \"flow\", \"method\": \"rigid\", \"materials\": [{\"name\": \"stone\", \"density\": 2400}], "

/* ── Beverloo ───────────────────────────────────────────────────────────────────────────────────────────────────── */

static const double diameter = 0.01, filled_by = 0.4, counted_from = 0.5, counted_to = 0.9;

/* 800 balls of 9 to 11 mm in a box of 10 diameters, whose floor of four plates leaves a square opening of side D; a plug below it holds them until they lie,
 * then drops faster than they do. */
static sim_run open_hopper(double opening)
{
  char text[4000];
  double side = opening * diameter, wide = 0.07, arm = wide - side / 2, middle = side / 2 + arm / 2;
  int length = snprintf(
      text, sizeof text,
      HEAD "\"contact\": {\"friction_coefficient\": 0.4}, \"specimens\": [{\"name\": \"balls\", \"material\": \"stone\", \"shape\": {\"type\": \"sphere\", \"radius\": 0.005}, \"smallest_scale\": 0.9, "
           "\"largest_scale\": 1.1, \"placement\": {\"type\": \"random\", \"minimum\": [-0.044, -0.044, 0.006], \"maximum\": [0.044, 0.044, 0.36], \"count\": 800, \"distance\": 0.0115}}], "
           "\"rig\": {\"type\": \"box\", \"minimum\": [-0.05, -0.05, -9], \"maximum\": [0.05, 0.05, 1], \"gravity\": [0, 0, -9.81]}, \"obstacles\": ["
           "{\"name\": \"east\", \"shape\": {\"type\": \"box\", \"size\": [%.6f, 0.14, 0.01]}, \"position\": [%.6f, 0, -0.005]},"
           "{\"name\": \"west\", \"shape\": {\"type\": \"box\", \"size\": [%.6f, 0.14, 0.01]}, \"position\": [%.6f, 0, -0.005]},"
           "{\"name\": \"north\", \"shape\": {\"type\": \"box\", \"size\": [%.6f, %.6f, 0.01]}, \"position\": [0, %.6f, -0.005]},"
           "{\"name\": \"south\", \"shape\": {\"type\": \"box\", \"size\": [%.6f, %.6f, 0.01]}, \"position\": [0, %.6f, -0.005]},"
           "{\"name\": \"plug\", \"shape\": {\"type\": \"box\", \"size\": [0.12, 0.12, 0.01]}, \"position\": [0, 0, -0.0151], \"direction\": [0, 0, -1], "
           "\"program\": [{\"type\": \"hold\", \"duration\": %.3f}, {\"type\": \"constant\", \"velocity\": 8}]}], "
           "\"time\": {\"duration\": %.3f, \"time_step\": 0.004}, \"output\": {\"frame_interval\": 0.4, \"sample_interval\": 0.02}, \"options\": {\"tolerance\": 0.01}}",
      arm, middle, arm, -middle, side, arm, middle, side, arm, -middle, filled_by, counted_to);
  assert_true(length > 0 && (size_t)length < sizeof text);
  return run_open(text, 1);
}

static double count_below(const sim_run *r)
{
  const rigid_state *s = r->sim->state;
  double count = 0;
  for (size_t i = 0; i < s->specimen_bodies; i++) count += s->bodies[i].centre.z < -0.005;
  return count;
}

/* Balls a second through an opening, by a line through their number, and how straight it is: 1 - r^2. */
static double measure_rate(double opening, double *bent)
{
  sim_run r = open_hopper(opening);
  double n = 0, t = 0, c = 0, tt = 0, tc = 0, cc = 0;
  while (scr_sim_time(r.sim) < counted_to - 1e-9) {
    run_steps(&r, 5);
    double time = scr_sim_time(r.sim) - counted_from, count = count_below(&r);
    if (time < -1e-9) continue;
    n++, t += time, c += count, tt += time * time, tc += time * count, cc += count * count;
  }
  assert_int_equal(((const rigid_state *)r.sim->state)->report.unsolved, 0);
  run_close(&r);
  double stt = tt - t * t / n, stc = tc - t * c / n, scc = cc - c * c / n;
  *bent = 1 - stc * stc / (stt * scc);
  return stc / stt;
}

/* Rates do not depend on how much is left above, and grow as (D - k d)^(5/2) sqrt(g) with k = 1.4. Reference: Beverloo, Leniger, van de Velde 1961, by Nedderman 1992: C of 0.58 for round openings, so 4/pi
 * times that for square ones, of a packing with 0.6 of solids. Tolerances: a tenth for the exponent's constant over openings of 4 to 5.5 diameters, a fifth for C, which the packing's density and
 * friction change by as much. */
static void test_openings_discharge_as_beverloo_found(void **state)
{
  (void)state;
  const double opening[3] = {4, 4.75, 5.5};
  double constant[3], mean = 0;
  claim_slow();
  for (int k = 0; k < 3; k++) {
    char what[120];
    double bent, rate = measure_rate(opening[k], &bent), volume = M_PI / 6 * pow(diameter, 3) * 1.01; /* mean of the cubes of 0.9 to 1.1 */
    constant[k] = rate * volume / (0.6 * sqrt(9.81) * pow(diameter * (opening[k] - 1.4), 2.5));
    mean += constant[k] / 3;
    snprintf(what, sizeof what, "balls a second through an opening of %.1f diameters", opening[k]);
    claim_shown(what, rate);
    claim_between("what the line through their number leaves of its variance", bent, 0, 0.03, "a constant rate");
  }
  for (int k = 0; k < 3; k++) claim_relative("constant of the rate over its mean", constant[k] / mean, 1, 0.1, "Beverloo, Leniger, van de Velde 1961");
  claim_relative("Beverloo's constant for square openings", mean, 0.58 * 4 / M_PI, 0.2, "Nedderman 1992, section 10.2");
}

/* ── rest ───────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Balls poured into a box come to rest, once rolling is resisted: by Coulomb's law alone one of them would roll on for ever. Tolerance: that of the issue, 1e-6 m in half a second. */
static void test_a_poured_heap_comes_to_rest(void **state)
{
  (void)state;
  sim_run r = run_open(HEAD "\"contact\": {\"friction_coefficient\": 0.5, \"rolling_resistance\": 2e-4}, \"specimens\": [{\"name\": \"balls\", \"material\": \"stone\", \"shape\": {\"type\": \"sphere\", \"radius\": "
                            "0.01}, \"smallest_scale\": 0.8, \"largest_scale\": 1.1, \"placement\": {\"type\": \"random\", \"minimum\": [-0.013, -0.013, 0.012], \"maximum\": [0.013, 0.013, 0.3], \"count\": 20, "
                            "\"distance\": 0.0225}}], \"rig\": {\"type\": \"box\", \"minimum\": [-0.025, -0.025, 0], \"maximum\": [0.025, 0.025, 1], \"gravity\": [0, 0, -9.81]}, \"time\": {\"duration\": 2, "
                            "\"time_step\": 0.004}, \"output\": {\"frame_interval\": 2, \"sample_interval\": 2}, \"options\": {\"tolerance\": 1e-6}}", 1);
  const rigid_state *s = r.sim->state;
  scr_vec3 before[20];
  double way = 0;
  run_until(&r, 1);
  for (size_t i = 0; i < 20; i++) before[i] = s->bodies[i].centre;
  run_until(&r, 1.5);
  for (size_t i = 0; i < 20; i++) way = fmax(way, vec3_length(vec3_sub(s->bodies[i].centre, before[i])));
  claim_absolute("way of a poured ball in the half second behind the first, m", way, 0, 1e-6, "rest");
  claim_absolute("steps that were not solved", (double)s->report.unsolved, 0, 0.5, "the tolerance is reached");
  run_close(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_openings_discharge_as_beverloo_found),
      cmocka_unit_test(test_a_poured_heap_comes_to_rest),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
