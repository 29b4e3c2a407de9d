/* Local damping of explicit runs (Cundall 1987): on a spring, on a hanging chain, in free fall, and what the ledger books of it.
 *
 * Theory: a force of which alpha always acts against the motion makes a spring of stiffness k one of (1 - alpha) k on the way to its rest
 * and of (1 + alpha) k on the way from there. Energy at rest is kept in between, so amplitudes go by the factor q = sqrt((1 - alpha)/(1 +
 * alpha)) from one turn to the next, whatever stiffness, mass and amplitude are. */
#include "tests/support/bdem_run.h"
#include "tests/support/suites.h"

static const double alpha = 0.5;

/* A chain of so many spheres along x, the first held. */
static bdem_run open_chain(int spheres, double young, double damping)
{
  char text[1024];
  snprintf(text, sizeof text,
           "{\"scree\":1,\"name\":\"chain\",\"method\":\"bdem\",\"materials\":[{\"name\":\"m\",\"density\":1000,\"young_modulus\":%g}],"
           "\"specimens\":[{\"name\":\"s\",\"material\":\"m\",\"spacing\":0.02,\"shape\":{\"type\":\"box\",\"size\":[%g,0.02,0.02]}}],"
           "\"time\":{\"duration\":1,\"safety_factor\":0.05},\"options\":{\"constants_of\":\"bonds\",\"local_damping\":%g}}",
           young, 0.02 * spheres, damping);
  bdem_run run = run_open(text, 1);
  bdem_body *body = &run_state(&run)->body;
  assert_int_equal(body->sphere_count, (size_t)spheres);
  body->held[0] = BDEM_HELD_ALL;
  return run;
}

/* One step. Fails when the booked dissipation falls. */
static void step_once(bdem_run *run)
{
  double before = run_state(run)->ledger->damping;
  run_steps(run, 1);
  if (run_state(run)->ledger->damping < before) run_fail("local damping", "gave energy back");
}

/* A load put on at once overshoots its static deflection by q, undershoots by q^2, comes to rest there, and half of its work is dissipated:
 * in the same number of steps at 1e5 Pa and 1e11 Pa. Tolerance: 400 steps a period find a turn and the passage through rest to their own
 * length,
 * 1.6 % of the time, which is second order in the deflection: 0.1 %. */
static void test_a_loaded_spring_comes_to_its_static_deflection_at_any_stiffness(void **state)
{
  static const double young[] = {1e5, 1e11};
  (void)state;
  uint64_t first_turn[2];
  double q = sqrt((1 - alpha) / (1 + alpha));
  for (int k = 0; k < 2; ++k) {
    bdem_run run = open_chain(2, young[k], alpha);
    bdem_state *s = run_state(&run);
    double stiffness = s->body.bonds[0].stretch, start = s->body.position[1].x, rest = 1e-4, most = 0, least = INFINITY;
    s->model.load[1].x = rest * s->body.radius[1] * stiffness;
    double unit = s->model.load[1].x / stiffness;
    while (s->body.velocity[1].x >= 0) step_once(&run);
    most = (s->body.position[1].x - start) / unit;
    first_turn[k] = scr_sim_steps(run.sim);
    while (s->body.velocity[1].x < 0) step_once(&run);
    least = (s->body.position[1].x - start) / unit;
    for (int n = 0; n < 20000; ++n) step_once(&run);
    claim_relative("largest deflection over the static one", most, 1 + q, 1e-3, "1 + q");
    claim_relative("least deflection after it over the static one", least, 1 - q * q, 1e-3, "1 - q^2");
    claim_relative("deflection at rest over the static one", (s->body.position[1].x - start) / unit, 1, 1e-6, "load over stiffness");
    claim_relative("dissipated over half the load's work", s->ledger->damping / (0.5 * s->model.load[1].x * unit), 1, 1e-3,
                   "conservation of energy");
    claim_absolute("energy balance error", run_curve(&run, "energy.balance_error"), 0, 1e-3, "conservation of energy");
    run_close(&run);
  }
  double turn = 0.5 * acos(-1) * (1 / sqrt(1 - alpha) + 1 / sqrt(1 + alpha)); /* over sqrt(m/k) */
  claim_absolute("steps to the first turn at 1e11 Pa, less those at 1e5 Pa", (double)first_turn[1] - (double)first_turn[0], 0, 0,
                 "same motion in other units");
  bdem_run run = open_chain(2, young[0], alpha);
  const bdem_state *s = run_state(&run);
  claim_relative("time of the first turn", (double)first_turn[0] * s->model.time_step,
                 turn * sqrt(s->body.mass[1] / s->body.bonds[0].stretch), 0.01, "quarter periods with (1 - alpha) k and (1 + alpha) k");
  run_close(&run);
}

/* A hanging chain of n spheres under its weight stretches by n (n + 1)/2 m g/k in the end; without damping it swings between 0 and about
 * twice that for ever. All its modes come to rest. */
static void test_a_hanging_chain_comes_to_rest_at_its_static_length(void **state)
{
  enum { SPHERES = 10 };
  (void)state;
  for (int damped = 0; damped < 2; ++damped) {
    bdem_run run = open_chain(SPHERES + 1, 1e7, damped ? 0.7 : 0);
    bdem_state *s = run_state(&run);
    double weight = 1e-4 * s->body.bonds[0].stretch * s->body.radius[0] / SPHERES / SPHERES, start = s->body.position[SPHERES].x;
    double length = 0.5 * SPHERES * (SPHERES + 1) * weight / s->body.bonds[0].stretch, low = INFINITY, high = 0;
    for (int k = 1; k <= SPHERES; ++k) s->model.load[k].x = weight;
    for (int n = 0; n < 40000; ++n) {
      step_once(&run);
      double stretched = (s->body.position[SPHERES].x - start) / length;
      if (n >= 30000) low = fmin(low, stretched), high = fmax(high, stretched);
    }
    if (damped) {
      claim_absolute("damped chain, last quarter: least length over the static one", low, 1, 1e-5, "n (n + 1)/2 m g/k");
      claim_absolute("damped chain, last quarter: largest length over the static one", high, 1, 1e-5, "n (n + 1)/2 m g/k");
    } else
      claim_between("undamped chain: range of its length over the static one", high - low, 1.5, 2.2, "it swings from 0 to about 2");
    run_close(&run);
  }
}

/* A body in free fall gets (1 - alpha) g: what the check warns of, exactly. */
static void test_a_falling_body_is_slowed_as_the_warning_says(void **state)
{
  (void)state;
  bdem_run run = open_chain(2, 1e7, 0.7);
  bdem_state *s = run_state(&run);
  s->body.held[0] = 0;
  for (int k = 0; k < 2; ++k) s->model.load[k].x = 9.81 * s->body.mass[k];
  for (int n = 0; n < 1000; ++n) step_once(&run);
  double first = 0.5 * 9.81 * s->model.time_step; /* the first half step begins at rest: there is no motion to act against */
  claim_relative("speed of fall, m/s", s->body.velocity[0].x, first + 0.3 * 9.81 * (scr_sim_time(run.sim) - 0.5 * s->model.time_step), 1e-6,
                 "(1 - alpha) g t");
  run_close(&run);
}

SUITE(validate_bdem_damping)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_loaded_spring_comes_to_its_static_deflection_at_any_stiffness),
      cmocka_unit_test(test_a_hanging_chain_comes_to_rest_at_its_static_length),
      cmocka_unit_test(test_a_falling_body_is_slowed_as_the_warning_says),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
