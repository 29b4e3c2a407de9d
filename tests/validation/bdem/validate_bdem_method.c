/* Method bdem in whole runs: conservation, objectivity, strength, friction, breaking in large steps. Numbers A13 ... are the spec's checks.
 * */
#include "tests/support/bdem_run.h"
#include "tests/support/suites.h"

/* ── conservation ───────────────────────────────────────────────────────────────────────────────────────────────── */

/* A free block of 6 x 6 x 6 spheres that spins so fast that it rings: its only energy at the start is kinetic. */
static bdem_run open_ringing_block(const char *integrator)
{
  char text[1024];
  snprintf(
      text, sizeof text,
      "{\"scree\":1,\"name\":\"block\",\"method\":\"bdem\",\"materials\":[{\"name\":\"m\",\"density\":1000,\"young_modulus\":1e6}],"
      "\"specimens\":[{\"name\":\"block\",\"material\":\"m\",\"spacing\":0.02,\"shape\":{\"type\":\"box\",\"size\":[0.12,0.104,0.098]},"
      "\"placement\":{\"type\":\"single\",\"position\":[0.1,0.2,0.3]},\"velocity\":[0.3,-0.2,0.1],\"angular_velocity\":[20,-30,40]}],"
      "\"time\":{\"duration\":100},\"options\":{\"constants_of\":\"bonds\",\"integrator\":\"%s\",\"step_ratio\":5,\"tolerance\":1e-12}}",
      integrator);
  return run_open(text, 1);
}

static double apart(scr_vec3 a, scr_vec3 b)
{
  return vec3_length(vec3_sub(a, b)) / vec3_length(b);
}

/* Forces come in pairs and bonds' forces and torques balance, so momenta stay to round-off (check A16); leapfrog's energy error at
 * 0.7 T is bounded: the ringing is half a percent of all energy, and slow against T. */
static void test_a_free_ringing_body_keeps_energy_and_momentum(void **state)
{
  (void)state;
  bdem_run r = open_ringing_block("explicit");
  scr_vec3 linear, angular, p, l;
  double worst = 0, elastic = 0;
  run_momenta(&r, &linear, &angular);
  for (int k = 0; k < 40; k++) {
    run_steps(&r, 50);
    run_observe(&r);
    worst = fmax(worst, fabs(run_value(&r, "energy.balance_error")));
    elastic = fmax(elastic, run_value(&r, "energy.elastic"));
  }
  run_momenta(&r, &p, &l);
  run_observe(&r);
  print_message("# elastic energy up to %.3g J of %.3g J\n", elastic, run_value(&r, "energy.kinetic") + run_value(&r, "energy.elastic"));
  assert_true(elastic > 0.005 * run_value(&r, "energy.kinetic"));
  claim_absolute("explicit, 2000 steps: energy balance error", worst, 0, 1e-4, "conservation of energy");
  claim_absolute("explicit: momentum", apart(p, linear), 0, 1e-12, "conservation of momentum");
  claim_absolute("explicit: angular momentum", apart(l, angular), 0, 1e-11, "conservation of angular momentum");
  run_close(&r);
}

/* Implicit Euler keeps momentum to its tolerance and loses energy only as its ledger says; angular momentum decays by O(dt)
 * (checks A16, A17). */
static void test_implicit_steps_keep_momentum_and_account_for_energy(void **state)
{
  (void)state;
  bdem_run r = open_ringing_block("implicit-euler");
  scr_vec3 linear, angular, p, l;
  double worst = 0, last = 0;
  run_momenta(&r, &linear, &angular);
  for (int k = 0; k < 40; k++) {
    run_steps(&r, 1);
    run_observe(&r);
    worst = fmax(worst, fabs(run_value(&r, "energy.balance_error")));
    assert_true(run_value(&r, "energy.numerical") >= last);
    last = run_value(&r, "energy.numerical");
  }
  run_momenta(&r, &p, &l);
  claim_absolute("implicit-euler, 40 steps of 5 T: energy balance error", worst, 0, 1e-5, "conservation of energy");
  claim_absolute("implicit-euler: momentum", apart(p, linear), 0, 1e-9, "conservation of momentum");
  claim_absolute("implicit-euler: angular momentum lost", apart(l, angular), 0, 0.2, "first order in the step: loses some");
  claim_shown("implicit-euler: share of energy damped", last / (last + run_value(&r, "energy.kinetic") + run_value(&r, "energy.elastic")));
  assert_true(last > 0);
  run_close(&r);
}

/* The variational integrator keeps both, at steps five times longer than the explicit ones. */
static void test_variational_steps_keep_energy_and_momenta(void **state)
{
  (void)state;
  bdem_run r = open_ringing_block("variational");
  scr_vec3 linear, angular, p, l;
  double worst = 0;
  run_momenta(&r, &linear, &angular);
  for (int k = 0; k < 40; k++) {
    run_steps(&r, 1);
    run_observe(&r);
    worst = fmax(worst, fabs(run_value(&r, "energy.balance_error")));
  }
  run_momenta(&r, &p, &l);
  claim_absolute("variational, 40 steps of 5 T: energy balance error", worst, 0, 0.02, "conservation of energy");
  claim_absolute("variational: momentum", apart(p, linear), 0, 1e-9, "conservation of momentum");
  claim_absolute("variational: angular momentum", apart(l, angular), 0, 1e-7, "conservation of angular momentum");
  run_close(&r);
}

/* ── objectivity ────────────────────────────────────────────────────────────────────────────────────────────────── */

static const double turn_axis[3] = {0.48, -0.6, 0.64}; /* unit */
static const double turn_degrees = 73;

static scr_vec3 turned(scr_vec3 v, bool turn)
{
  double angle = turn_degrees * 3.14159265358979323846 / 180;
  return turn ? quat_rotate(quat_exp(vec3_scale(vec3(turn_axis[0], turn_axis[1], turn_axis[2]), angle)), v) : v;
}

/* Two brittle blocks fly into each other under gravity; the whole scene may be turned. */
static bdem_run open_collision(const char *integrator, bool turn)
{
  char text[2048];
  scr_vec3 a = turned(vec3(-0.07, 0.011, 0.004), turn), b = turned(vec3(0.07, 0, 0), turn), v = turned(vec3(2, 0.1, 0), turn);
  scr_vec3 w = turned(vec3(3, 8, -5), turn), g = turned(vec3(0, 0, -9.81), turn);
  snprintf(
      text, sizeof text,
      "{\"scree\":1,\"name\":\"meet\",\"method\":\"bdem\",\"materials\":[{\"name\":\"m\",\"density\":1000,\"young_modulus\":1e6,"
      "\"tensile_strength\":1e4,\"shear_strength\":1e4}],\"contact\":{\"friction_coefficient\":0.3,\"damping_ratio\":0.1},"
      "\"specimens\":[{\"name\":\"a\",\"material\":\"m\",\"spacing\":0.02,\"shape\":{\"type\":\"box\",\"size\":[0.1,0.07,0.05]},"
      "\"placement\":{\"type\":\"single\",\"position\":[%.17g,%.17g,%.17g]},\"velocity\":[%.17g,%.17g,%.17g],"
      "\"angular_velocity\":[%.17g,%.17g,%.17g],\"rotation\":{\"axis\":[%.17g,%.17g,%.17g],\"angle_deg\":%g}},"
      "{\"name\":\"b\",\"material\":\"m\",\"spacing\":0.02,\"shape\":{\"type\":\"box\",\"size\":[0.08,0.07,0.07]},"
      "\"placement\":{\"type\":\"single\",\"position\":[%.17g,%.17g,%.17g]},"
      "\"rotation\":{\"axis\":[%.17g,%.17g,%.17g],\"angle_deg\":%g}}],"
      "\"rig\":{\"type\":\"none\",\"gravity\":[%.17g,%.17g,%.17g]},\"time\":{\"duration\":1},"
      "\"options\":{\"constants_of\":\"bonds\",\"integrator\":\"%s\",\"step_ratio\":10,\"fracture_step_ratio\":10,\"tolerance\":1e-12}}",
      a.x, a.y, a.z, v.x, v.y, v.z, w.x, w.y, w.z, turn_axis[0], turn_axis[1], turn_axis[2], turn ? turn_degrees : 0, b.x, b.y, b.z,
      turn_axis[0], turn_axis[1], turn_axis[2], turn ? turn_degrees : 0, g.x, g.y, g.z, integrator);
  return run_open(text, 1);
}

/* Turning the whole scene turns its result: positions agree to 1e-9 of a sphere's radius through contact and breaking (issue: 1e-9). */
static void check_objectivity(const char *integrator, size_t steps)
{
  bdem_run straight = open_collision(integrator, false), other = open_collision(integrator, true);
  double worst = 0;
  run_steps(&straight, steps);
  run_steps(&other, steps);
  run_observe(&straight);
  run_observe(&other);
  const bdem_body *a = &run_state(&straight)->body, *b = &run_state(&other)->body;
  for (size_t i = 0; i < a->sphere_count; i++)
    worst = fmax(worst, vec3_length(vec3_sub(turned(a->position[i], true), b->position[i])) / a->radius[i]);
  char name[96];
  snprintf(name, sizeof name, "%s: distance between turned results over a radius", integrator);
  claim_absolute(name, worst, 0, 1e-9, "objectivity");
  print_message("# %g bonds broken, contact energy %.3g J\n", run_value(&straight, "broken_bonds"), run_value(&straight, "energy.contact"));
  assert_true(run_value(&straight, "broken_bonds") > 0);
  assert_true(run_value(&straight, "broken_bonds") == run_value(&other, "broken_bonds"));
  run_close(&straight);
  run_close(&other);
}

static void test_a_turned_scene_gives_the_turned_result(void **state)
{
  (void)state;
  check_objectivity("explicit", 150);
  check_objectivity("implicit-euler", 14);
}

/* ── strength ───────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Two bonded spheres the first held by a grip, the other hanging by `gravity` along x: tension (> 0) or compression of weight / S.
 * Steps of 300 T creep up to the static load without passing it. @return broken bonds after 30 steps */
static double hang(double gravity, double tensile_strength, double *weight_stress)
{
  char text[1024];
  const double r = 0.01, density = 1000, pi = 3.14159265358979323846;
  *weight_stress = density * 0.5 * (0.04 * 0.02 * 0.02) * fabs(gravity) / (pi * r * r); /* spheres share the box' mass */
  snprintf(text, sizeof text,
           "{\"scree\":1,\"name\":\"pair\",\"method\":\"bdem\",\"materials\":[{\"name\":\"m\",\"density\":%g,\"young_modulus\":1e7,"
           "\"tensile_strength\":%.17g}],\"specimens\":[{\"name\":\"pair\",\"material\":\"m\",\"spacing\":0.02,"
           "\"shape\":{\"type\":\"box\",\"size\":[0.04,0.02,0.02]},\"placement\":{\"type\":\"single\",\"position\":[0.01,0,0]}}],"
           "\"rig\":{\"type\":\"grips\",\"axis\":\"x\",\"low_end\":0.001,\"gravity\":[%g,0,0]},\"time\":{\"duration\":1000},"
           "\"options\":{\"constants_of\":\"bonds\",\"integrator\":\"implicit-euler\",\"step_ratio\":300,\"breaking\":\"simultaneous\"}}",
           density, tensile_strength, gravity);
  bdem_run r2 = run_open(text, 1);
  run_steps(&r2, 30);
  run_observe(&r2);
  double broken = run_value(&r2, "broken_bonds");
  run_close(&r2);
  return broken;
}

/* A bond breaks in a run when the pull on it passes its strength: at 0.999 of the stress it breaks, at 1.001 it holds, and compression
 * alone never breaks it (check A14). */
static void test_bonds_break_at_their_strength_in_a_run(void **state)
{
  (void)state;
  double stress;
  hang(9.81, 1e9, &stress);
  print_message("# tensile stress %.6g Pa\n", stress);
  assert_true(hang(9.81, 0.999 * stress, &stress) == 1);
  assert_true(hang(9.81, 1.001 * stress, &stress) == 0);
  assert_true(hang(-9.81, 1e-3 * stress, &stress) == 0);
}

/* ── friction ───────────────────────────────────────────────────────────────────────────────────────────────────── */

/* A ball of r = 0.1 m is set down on the floor, as deep as its weight presses it, with 2 m/s. Damping calms the spring by which friction
 * holds it once it rolls: undamped it would swing by mu m g/sqrt(kt m) = 0.25 % of v0 for ever. */
static void check_rolling(const char *integrator, double dt)
{
  char text[1024], name[96];
  const double r = 0.1, E = 1e7, g = 9.81, mass = 1000 * 4.0 / 3.0 * 3.14159265358979323846 * r * r * r, mu = 0.3, v0 = 2;
  snprintf(text, sizeof text,
           "{\"scree\":1,\"name\":\"ball\",\"method\":\"bdem\",\"materials\":[{\"name\":\"m\",\"density\":1000,\"young_modulus\":%g}],"
           "\"contact\":{\"friction_coefficient\":%g,\"damping_ratio\":0.3},\"specimens\":[{\"name\":\"ball\",\"material\":\"m\","
           "\"spacing\":0.2,"
           "\"shape\":{\"type\":\"sphere\",\"radius\":0.1},\"placement\":{\"type\":\"single\",\"position\":[0,0,%.17g]},"
           "\"velocity\":[2,0,0]}],\"rig\":{\"type\":\"box\",\"minimum\":[-1,-1,0],\"maximum\":[3,1,1],\"gravity\":[0,0,-9.81]},"
           "\"time\":{\"duration\":1,\"time_step\":%g},\"options\":{\"constants_of\":\"bonds\",\"integrator\":\"%s\"}}",
           E, mu, r - mass * g / (E * r), dt, integrator);
  bdem_run ball = run_open(text, 1);
  const bdem_body *body = &run_state(&ball)->body;
  double rolls = 0;
  while (rolls == 0 && scr_sim_time(ball.sim) < 0.5) {
    run_steps(&ball, 1);
    double slip = body->velocity[0].x - r * body->spin[0].y, sliding = v0 - mu * g * scr_sim_time(ball.sim);
    if (slip > 0.01 * v0) assert_true(fabs(body->velocity[0].x - sliding) < 2e-3 * v0 + mu * g * dt);
    if (slip < 1e-3 * v0) rolls = scr_sim_time(ball.sim);
  }
  run_until(&ball, 0.5);
  run_observe(&ball);
  snprintf(name, sizeof name, "%s, dt %g s: speed of rolling, m/s", integrator, dt);
  claim_absolute(name, body->velocity[0].x, 5 * v0 / 7, 1e-3 * v0, "5 v0 / 7");
  snprintf(name, sizeof name, "%s, dt %g s: rolls after, s", integrator, dt);
  claim_absolute(name, rolls, 2 * v0 / (7 * mu * g), 2 * dt + 1e-3, "2 v0 / (7 mu g)");
  double lost = run_value(&ball, "energy.friction") + run_value(&ball, "energy.numerical"); /* of sliding in large steps */
  snprintf(name, sizeof name, "%s, dt %g s: energy lost, J", integrator, dt);
  claim_relative(name, lost, mass * v0 * v0 / 7, 2e-3, "m v0^2 / 7");
  run_close(&ball);
}

/* Sliding friction spins the ball up until it rolls at 5/7 of its first speed after 2 v0/(7 mu g), having lost m v0^2/7, for any step
 * (check A13). Tolerances: the contact's depth of 0.04 % of r shortens the lever, and time is known to a step. */
static void test_a_sliding_ball_comes_to_roll_at_five_sevenths(void **state)
{
  (void)state;
  check_rolling("explicit", 1e-4);
  check_rolling("explicit", 5e-4);
  check_rolling("implicit-euler", 1e-4);
  check_rolling("implicit-euler", 1e-3);
  check_rolling("implicit-euler", 1e-2);
}

/* ── breaking ───────────────────────────────────────────────────────────────────────────────────────────────────── */

typedef struct outcome {
  double broken, fragments, largest, released, balance;
} outcome;

/* A brittle bar of 0.3 x 0.07 x 0.065 m falls with its end first on the floor at 3 m/s. */
static outcome drop_bar(const char *options, double duration, double time_step)
{
  char text[2048], step[64] = "";
  if (time_step > 0) snprintf(step, sizeof step, ",\"time_step\":%.17g", time_step);
  snprintf(text, sizeof text,
           "{\"scree\":1,\"name\":\"bar\",\"method\":\"bdem\",\"materials\":[{\"name\":\"m\",\"density\":1000,\"young_modulus\":1e8,"
           "\"tensile_strength\":6e5,\"shear_strength\":6e5}],\"contact\":{\"friction_coefficient\":0.3,\"damping_ratio\":0.2},"
           "\"specimens\":[{\"name\":\"bar\",\"material\":\"m\",\"spacing\":0.02,\"shape\":{\"type\":\"box\",\"size\":[0.3,0.07,0.066]},"
           "\"placement\":{\"type\":\"single\",\"position\":[0,0,0.107]},\"rotation\":{\"axis\":[0.1,1,0],\"angle_deg\":25},"
           "\"velocity\":[0,0,-4]}],\"rig\":{\"type\":\"box\",\"minimum\":[-0.3,-0.2,0],\"maximum\":[0.3,0.2,0.4],\"gravity\":[0,0,-9.81]},"
           "\"time\":{\"duration\":%g%s},\"options\":{\"constants_of\":\"bonds\",%s}}",
           duration, step, options);
  bdem_run r = run_open(text, 1);
  run_until(&r, duration);
  run_observe(&r);
  outcome o = {run_value(&r, "broken_bonds"), run_value(&r, "fragments"), run_value(&r, "largest_fragment_mass"),
               run_value(&r, "energy.fracture"), run_value(&r, "energy.balance_error")};
  print_message("# %-58s %4g bonds, %3g pieces, heaviest %.3f kg, released %.4f J, balance %.2g\n", options, o.broken, o.fragments,
                o.largest, o.released, o.balance);
  run_close(&r);
  return o;
}

/* Large steps break what small ones do, because a step in which something breaks, or jolts enough to, is done by explicit steps. The bar's
 * breaking is chaotic in detail: explicit runs at 0.7, 0.5 and 0.35 T release 1.32, 1.32 and 1.14 J from 128, 136 and 94 bonds, so 30 %
 * is as near as any two runs come. Steps of 20 T halved to 5 T (staged) damp the impact before bonds feel it and release a quarter. */
static void test_large_steps_break_as_much_as_explicit_ones(void **state)
{
  (void)state;
  static const int ratios[] = {20, 100, 500};
  outcome small = drop_bar("\"integrator\":\"explicit\"", 0.012, 0);
  assert_true(small.broken > 50 && small.fragments > 1);
  for (int k = 0; k < 3; k++) {
    char options[96], name[96];
    snprintf(options, sizeof options, "\"integrator\":\"implicit-euler\",\"step_ratio\":%d", ratios[k]);
    outcome large = drop_bar(options, 0.012, 0);
    snprintf(name, sizeof name, "energy released in steps of %d T over that in explicit ones", ratios[k]);
    claim_relative(name, large.released / small.released, 1, 0.3, "explicit steps of the same scene");
  }
}

/* Impacts are done by explicit steps whatever the breaking: each way of breaking, of both kinds of large steps, releases what explicit runs
 * do, within the 30 % by which these differ among themselves. Before, simultaneous and worst-first breaking in steps of 100 T broke next to
 * nothing. */
static void test_an_impact_breaks_alike_with_every_breaking(void **state)
{
  (void)state;
  static const char *const breaking[] = {"staged", "simultaneous", "worst-first", "simultaneous"};
  outcome small = drop_bar("\"integrator\":\"explicit\"", 0.012, 0);
  for (int k = 0; k < 4; k++) {
    char options[96], name[120];
    const char *integrator = k < 3 ? "implicit-euler" : "variational";
    snprintf(options, sizeof options, "\"integrator\":\"%s\",\"breaking\":\"%s\",\"step_ratio\":100", integrator, breaking[k]);
    outcome large = drop_bar(options, 0.012, 0);
    snprintf(name, sizeof name, "%s, %s 100 T: energy released over that in explicit steps", integrator, breaking[k]);
    claim_relative(name, large.released / small.released, 1, 0.3, "explicit steps of 0.7 T");
  }
}

/* Staged breaking depends on the length of its parts only: steps of 50 T and of 100 T, both halved to 3.125 T, agree within 5 %. */
static void test_staged_breaking_depends_on_its_parts_only(void **state)
{
  (void)state;
  outcome fifty = drop_bar("\"integrator\":\"implicit-euler\",\"breaking\":\"staged\",\"impacts\":\"implicit\",\"contact_surface\":"
                           "\"spheres\",\"step_ratio\":50",
                           0.012, 0);
  outcome hundred = drop_bar("\"integrator\":\"implicit-euler\",\"breaking\":\"staged\",\"impacts\":\"implicit\",\"contact_surface\":"
                             "\"spheres\",\"step_ratio\":100",
                             0.012, 0);
  assert_true(fifty.broken > 20);
  claim_relative("staged: energy released at 100 T over that at 50 T", hundred.released / fifty.released, 1, 0.05,
                 "the same parts in half the steps");
}

/* What the explicit ledger misses in a breaking run falls with the time step: taking a bond out changes leapfrog's own energy by a share
 * (omega dt)^2 of the bond's. */
static void test_the_energy_balance_of_breaking_falls_with_the_step(void **state)
{
  (void)state;
  outcome long_steps = drop_bar("\"integrator\":\"explicit\"", 0.012, 2.2e-5),
          short_steps = drop_bar("\"integrator\":\"explicit\"", 0.012, 5.5e-6);
  claim_absolute("balance error at 22 us", long_steps.balance, 0, 0.01, "conservation of energy");
  claim_between("balance error at 5.5 us over that at 22 us", fabs(short_steps.balance / long_steps.balance), 0, 0.25,
                "second order: 1/16");
}

SUITE(validate_bdem_method)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_free_ringing_body_keeps_energy_and_momentum),
      cmocka_unit_test(test_implicit_steps_keep_momentum_and_account_for_energy),
      cmocka_unit_test(test_variational_steps_keep_energy_and_momenta),
      cmocka_unit_test(test_a_turned_scene_gives_the_turned_result),
      cmocka_unit_test(test_bonds_break_at_their_strength_in_a_run),
      cmocka_unit_test(test_a_sliding_ball_comes_to_roll_at_five_sevenths),
      cmocka_unit_test(test_large_steps_break_as_much_as_explicit_ones),
      cmocka_unit_test(test_an_impact_breaks_alike_with_every_breaking),
      cmocka_unit_test(test_staged_breaking_depends_on_its_parts_only),
      cmocka_unit_test(test_the_energy_balance_of_breaking_falls_with_the_step),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
