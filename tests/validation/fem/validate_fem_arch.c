/* The method fem: the arch that jumps (the spec's scenes 5.1 to 5.3 and its check 17). The paper tells neither the arch nor its matter, so
 * this is the spec's stand-in: 60 mm of span, 30 mm high, 6 mm thick, feet of 10 x 20 mm, a heel of 10 mm; 0.1 GPa, nu = 0.35, 1100 kg/m^3.
 * References: conservation of energy, halved steps, elements all the way, and the paper's claims. */
#include "tests/support/sim_run.h"
#include "tests/support/suites.h"

#include "methods/fem/coarsen/modes.h"
#include "methods/fem/state/state.h"

typedef struct arch {
  double spacing, damping, friction, load, rise, step; /* m, s, 1, N downwards on the crown, s, s */
  const char *options;
} arch;

static sim_run open_arch(const arch *a)
{
  char text[2000];
  snprintf(text, sizeof text,
           "{ \"scree\": 1, \"name\": \"arch\", \"method\": \"fem\", \"materials\": [ { \"name\": \"m\", \"density\": 1100, "
           "\"young_modulus\": 1e8, "
           "\"poisson_ratio\": 0.35, \"stiffness_damping\": %.17g } ], \"contact\": { \"friction_coefficient\": %g }, \"specimens\": [ { "
           "\"name\": \"arch\", "
           "\"material\": \"m\", \"spacing\": %.17g, \"shape\": { \"type\": \"arch\", \"span\": 0.06, \"rise\": 0.03, \"thickness\": "
           "0.006, \"width\": 0.02, "
           "\"leg\": 0.008, \"foot\": 0.01, \"heel\": 0.01 }, \"load_side\": \"z_max\", \"load\": [0, 0, %.17g], \"load_rise_time\": %.17g "
           "} ], \"rig\": { \"type\": "
           "\"none\", \"gravity\": [0, 0, -9.81] }, \"obstacles\": [ { \"name\": \"floor\", \"shape\": { \"type\": \"plane\", \"width\": 1 "
           "}, \"position\": [0, 0, 0] } "
           "], \"time\": { \"duration\": 5, \"time_step\": %.17g }, \"options\": { \"impact\": \"mass\" %s } }",
           a->damping, a->friction, a->spacing, -a->load, a->rise, a->step, a->options);
  return run_open(text, 1);
}

/* Angular frequency of the first mode with the soles held, rad/s. */
static double first_mode(const fem_system *system)
{
  unsigned char *fixed = calloc(3 * system->node_count, 1);
  fem_modes modes = {0};
  scr_error error = {0};
  assert_non_null(fixed);
  for (size_t n = 0; n < system->node_count; n++)
    for (size_t k = 0; k < 3; k++) fixed[3 * n + k] = system->rest[3 * n + 2] < 1e-9;
  if (fem_modes_find(system, fixed, 1, &modes, &error) != SCR_OK) fail_msg("%s", error.message);
  double omega = 2 * 3.14159265358979323846 * fem_mode_frequency(&modes, 0);
  fem_modes_clear(&modes);
  free(fixed);
  return omega;
}

/* How far the crown is down, m: the largest height lost by a node of the topmost face. */
static double crown_down(const fem_state *s)
{
  double top = 0, down = 0;
  for (size_t n = 0; n < s->system.node_count; n++) top = fmax(top, s->system.rest[3 * n + 2]);
  for (size_t n = 0; n < s->system.node_count; n++)
    if (s->system.rest[3 * n + 2] > top - 1e-9) down = fmax(down, -s->motion.displacement[3 * n + 2]);
  return down;
}

/* The load that presses the crown down by so much, statically: by the secant. */
static double load_for(arch a, double down)
{
  double load[2] = {100, 200}, got[2] = {0, 0};
  a.options = ", \"loading\": \"static\"";
  for (int k = 0; k < 12; k++) {
    a.load = load[k % 2];
    sim_run r = open_arch(&a);
    got[k % 2] = crown_down(r.sim->state);
    run_close(&r);
    if (fabs(got[k % 2] / down - 1) < 1e-6) return load[k % 2];
    if (k > 0) load[(k + 1) % 2] = load[k % 2] + (down - got[k % 2]) * (load[k % 2] - load[(k + 1) % 2]) / (got[k % 2] - got[(k + 1) % 2]);
  }
  fail_msg("no load presses the crown down by %g m", down);
  return 0;
}

/* ── loading ────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Loading by statics against a load that grows over 20 periods of the first mode on a floor of friction 5, damped by 0.3 of the critical
 * rate (scene 5.3). The paper's: Hausdorff distance
 * 0.2 %, elastic energy 0.4 %, 15 times faster. Distances are of the same nodes here, which is stricter. How much faster is told by
 * factorisations, which are most of either's time and do not depend on the machine. */
static void test_static_loading_is_dynamic_loading(void **state)
{
  (void)state;
  arch a = {.spacing = 6e-3, .friction = 5, .load = 150, .step = 1, .options = ", \"loading\": \"static\", \"release\": false"};
  sim_run fixed = open_arch(&a);
  const fem_state *s = fixed.sim->state;
  double omega = first_mode(&s->system), period = 6.283185307 / omega;
  unsigned long factorisations = 0;
  a.damping = 2 * 0.3 / omega, a.rise = 20 * period, a.step = period / 20, a.options = "";
  sim_run slow = open_arch(&a);
  const fem_state *d = slow.sim->state;
  for (int k = 0; k < 30 * 20; k++) {
    run_steps(&slow, 1);
    factorisations += (unsigned long)d->totals.iterations;
  }
  double worst = 0, low[3] = {1, 1, 1}, high[3] = {-1, -1, -1}, diagonal = 0;
  for (size_t n = 0; n < s->system.node_count; n++) {
    double off = 0;
    for (size_t k = 0; k < 3; k++) {
      off += pow(s->motion.displacement[3 * n + k] - d->motion.displacement[3 * n + k], 2);
      low[k] = fmin(low[k], s->system.rest[3 * n + k]), high[k] = fmax(high[k], s->system.rest[3 * n + k]);
    }
    worst = fmax(worst, sqrt(off));
  }
  for (int k = 0; k < 3; k++) diagonal += pow(high[k] - low[k], 2);
  claim_shown("first period with the soles held, s", period);
  claim_between("largest distance of a node over the diagonal of the box around", worst / sqrt(diagonal), 0, 2e-3, "paper: 0.2 %");
  claim_relative("elastic energy, J", run_curve(&fixed, "energy.elastic"), run_curve(&slow, "energy.elastic"), 4e-3, "paper: 0.4 %");
  claim_between("factorisations of slow loading over those of statics", (double)factorisations / s->loading.iterations, 15, INFINITY,
                "paper: 15 times faster");
  run_close(&fixed);
  run_close(&slow);
}

/* ── launch ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

typedef struct launch {
  double stored, time, speed[3], angular, lost, balance;
} launch;

/* From the pressed state until nothing touches for five steps. */
static launch launch_of(const arch *a)
{
  launch l = {0};
  sim_run r = open_arch(a);
  const fem_state *s = r.sim->state;
  int calm = 0;
  l.stored = run_curve(&r, "energy.elastic");
  for (int k = 0; k < 2000 && calm < 5; k++) {
    run_steps(&r, 1);
    calm = s->solver.touches.count ? 0 : calm + 1;
  }
  assert_int_equal(calm, 5);
  run_observe(&r);
  static const char *const names[3] = {"momentum.x", "momentum.y", "momentum.z"};
  l.time = scr_sim_time(r.sim);
  for (int k = 0; k < 3; k++) l.speed[k] = run_value(&r, names[k]) / s->system.total_mass;
  l.angular = run_value(&r, "angular_momentum.y");
  l.lost = run_value(&r, "energy.damping") + run_value(&r, "energy.friction") + run_value(&r, "energy.impact");
  l.balance = run_value(&r, "energy.balance_error");
  run_close(&r);
  return l;
}

/* The crown pressed down by 12 mm and let go, with 0.02 of the critical damping. Nobody has published these numbers: they are right as far
 * as energy is kept, as steps of half the length give them again, and as nothing moves across the plane of symmetry. */
static void test_a_pressed_arch_takes_off(void **state)
{
  (void)state;
  arch a = {.spacing = 6e-3, .friction = 0.5, .load = 100, .step = 1e-4, .options = ", \"loading\": \"static\""};
  sim_run r = open_arch(&a);
  a.damping = 2 * 0.02 / first_mode(&((const fem_state *)r.sim->state)->system);
  run_close(&r);
  a.load = load_for(a, 0.012);
  a.step = 2.5e-5;
  launch whole = launch_of(&a);
  a.step = 1.25e-5;
  launch half = launch_of(&a);
  claim_guard("load that presses the crown down by 12 mm, N", a.load, 296.642, 0.01);
  claim_shown("elastic energy of the loaded arch, J", half.stored);
  claim_shown("time of take-off, s", half.time);
  claim_shown("speed of take-off along x, m/s", half.speed[0]);
  claim_shown("speed of take-off along z, m/s", half.speed[2]);
  claim_shown("angular momentum at take-off about y, kg m^2/s", half.angular);
  claim_shown("lost by damping, friction and impact, J", half.lost);
  claim_between("balance of energy", fabs(half.balance), 0, 1e-2, "conservation of energy");
  claim_relative("speed of take-off along z in steps of 25 us over that in 12.5 us", whole.speed[2] / half.speed[2], 1, 0.01,
                 "convergence");
  claim_relative("speed of take-off along x, the same", whole.speed[0] / half.speed[0], 1, 0.03, "convergence");
  claim_between("speed across the plane of symmetry over that along z", fabs(half.speed[1] / half.speed[2]), 0, 1e-6, "symmetry");
}

/* ── flight ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* The whole jump of some 20 cm with rigid flight against elements all the way (scene 5.2): the paper's differences are 0.63 mm of the
 * centre and 0.02 rad. The stages come in their order and both land at the same time. Flight begins once vibrations hold less than 1e-4 of
 * the kinetic energy, elastic and kinetic: while there are more of them, damping takes some of the spin of elements (2 % from
 * 0.03 s on), which a rigid body keeps. */
static void test_flight_by_projection_follows_elements(void **state)
{
  (void)state;
  claim_slow();
  arch a = {.spacing = 6e-3,
            .friction = 0.5,
            .load = 160,
            .damping = 5e-5,
            .step = 5e-5,
            .options = ", \"loading\": \"static\", \"flight\": true"};
  sim_run rigid = open_arch(&a);
  a.options = ", \"loading\": \"static\"";
  sim_run nodes = open_arch(&a);
  const fem_state *s = rigid.sim->state;
  static const char *const names[3] = {"centre.x", "centre.y", "centre.z"};
  const fem_state *n = nodes.sim->state;
  double centre = 0, turned = 0, apex = 0, began = 0, spin = 0, landed = 0;
  size_t last = rigid.sim->stage, order = 0;
  for (int k = 0; k < 8000 && rigid.sim->stage != FEM_STAGE_LANDING; k++) {
    run_steps(&rigid, 1);
    run_steps(&nodes, 1);
    order += rigid.sim->stage == last + 1;
    last = rigid.sim->stage;
    if (began > 0 && landed == 0 && n->solver.touches.count) landed = scr_sim_time(nodes.sim);
    if (!s->flight.flying || k % 20) continue;
    if (began == 0) began = scr_sim_time(rigid.sim);
    run_observe(&rigid);
    run_observe(&nodes);
    for (int i = 0; i < 3; i++) centre = fmax(centre, fabs(run_value(&rigid, names[i]) - run_value(&nodes, names[i])));
    turned = fmax(turned, fabs(run_value(&rigid, "rotation") - run_value(&nodes, "rotation")));
    apex = fmax(apex, run_value(&rigid, "centre.z"));
    spin = run_value(&nodes, "angular_momentum.y") / run_value(&rigid, "angular_momentum.y");
  }
  claim_between("stages entered in order", (double)order, 3, 3, "launch, flight, landing");
  claim_shown("time at which rigid flight begins, s", began);
  claim_shown("time at which it ends, s", scr_sim_time(rigid.sim));
  claim_between("highest that the centre goes, m", apex, 0.1, 0.3, "the paper's flight is of some 20 cm");
  claim_between("largest distance of the centres, m", centre, 0, 6.3e-4, "paper: 0.63 mm");
  claim_between("largest difference of the angles turned, rad", turned, 0, 0.02, "paper: 0.02 rad");
  claim_relative("spin of the elements over that of the rigid body, last in flight", spin, 1, 0.005, "nothing turns a body in flight");
  for (int k = 0; k < 200 && landed == 0; k++) {
    run_steps(&nodes, 1);
    if (n->solver.touches.count) landed = scr_sim_time(nodes.sim);
  }
  claim_absolute("time at which the elements land, s", landed, scr_sim_time(rigid.sim), 1e-3, "the other's time");
  run_close(&rigid);
  run_close(&nodes);
}

SUITE(validate_fem_arch)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_static_loading_is_dynamic_loading),
      cmocka_unit_test(test_a_pressed_arch_takes_off),
      cmocka_unit_test(test_flight_by_projection_follows_elements),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
