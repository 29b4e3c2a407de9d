/* Laws of method peridem that no other case holds to a number of its own: self-contact's stiffness, the dashpot beside friction's spring,
 * and the work of gravity where loads are applied quasi-statically. */
#include "tests/validation/peridem/peridem_case.h"
#include "tests/support/suites.h"

/* One grain of two nodes 1e-4 m apart whose bond is taken out: what was one body and broke. */
static sim_run open_broken_pair(void)
{
  sim_run c = run_open(
      "{\"scree\":1,\"name\":\"halves\",\"method\":\"peridem\",\"materials\":[{\"name\":\"m\",\"density\":1200,\"bulk_modulus\":2e9}],"
      "\"contact\":{\"friction_coefficient\":0,\"damping_ratio\":0},\"specimens\":[{\"name\":\"a\",\"material\":\"m\",\"spacing\":1e-4,"
      "\"shape\":{\"type\":\"box\",\"size\":[2e-4,1e-4,1e-4]},\"placement\":{\"type\":\"single\",\"position\":[0,0,0]}}],"
      "\"rig\":{\"type\":\"none\"},\"time\":{\"duration\":1e-6,\"time_step\":1e-10},"
      "\"options\":{\"horizon\":3e-4,\"contact_radius\":2e-4,\"self_contact\":true}}",
      1);
  pd_state *s = run_state(&c);
  assert_int_equal(s->node_count, 2);
  for (int k = 0; k < 2; k++) s->bodies[0].bonds.count[k] = 0;
  s->host->velocity.x[0] = 1;
  s->host->near.stale = true;
  return c;
}

/* Nodes that a bond joined repel each other as its compressed half did: c V^2 / L for each metre, c = 18 k / (pi horizon^4) (the paper's
 * eq. for the constant micromodulus). Two equal masses then part after half a period, pi / w, w^2 = 2 c V^2 / (L m), having changed
 * velocities; halfway all kinetic energy of their approach, m v^2 / 4, is in the contact. A sine that 6500 steps of Verlet follow to 1e-7:
 * 1e-4 is for the end's interpolation. */
static void test_broken_halves_repel_each_other_as_their_bond_did(void **state)
{
  (void)state;
  sim_run c = open_broken_pair();
  const pd_state *s = run_state(&c);
  double V = 1e-12, m = 1200 * V, L = 1e-4, micromodulus = 18 * 2e9 / (M_PI * pow(3e-4, 4)), w = sqrt(2 * micromodulus * V * V / (L * m));
  double before = 0, now = 0, most = 0, parted = NAN;
  for (int k = 0; k < 20000 && !isfinite(parted); k++) {
    run_steps(&c, 1);
    before = now;
    now = s->host->position.x[1] - s->host->position.x[0] - L;
    most = fmax(most, run_curve(&c, "energy.contact"));
    if (k > 0 && now >= 0) parted = scr_sim_time(c.sim) - scr_sim_time_step(c.sim) * now / (now - before);
  }
  claim_relative("self-contact of two nodes: duration, s", parted, M_PI / w, 1e-4, "half a period of c V^2 / L");
  claim_relative("self-contact: energy.contact at its most, J", most, 0.25 * m, 1e-4, "energy of the approach");
  claim_relative("self-contact: velocity handed on, m/s", s->host->velocity.x[1], 1, 1e-4, "equal masses");
  run_close(&c);
}

/* Two nodes and one bond, which are pulled apart at 1 m/s until it breaks: at its critical stretch s, where it held c V^2 L s^2 / 2, all of
 * which is fracture's. Then there are two pieces of one node. The step is short: it breaks within 1 % of s. */
static void test_a_bond_that_breaks_gives_its_energy(void **state)
{
  (void)state;
  sim_run c =
      run_open("{\"scree\":1,\"name\":\"bond\",\"method\":\"peridem\",\"materials\":[{\"name\":\"m\",\"density\":1200,\"bulk_modulus\":2e9,"
               "\"fracture_energy\":50}],"
               "\"specimens\":[{\"name\":\"a\",\"material\":\"m\",\"spacing\":1e-4,\"shape\":{\"type\":\"box\",\"size\":[2e-4,1e-4,1e-4]},"
               "\"placement\":{\"type\":\"single\",\"position\":[0,0,0]}}],\"rig\":{\"type\":\"none\"},\"time\":{\"duration\":1e-5,\"time_"
               "step\":1e-11},"
               "\"options\":{\"horizon\":3e-4,\"contact_radius\":2e-4," PAPER_BONDS "}}",
               1);
  const pd_state *s = run_state(&c);
  double L = 1e-4, stretch = s->bodies[0].critical_stretch, weight = s->bodies[0].bonds.weight ? s->bodies[0].bonds.weight[0] : 1;
  claim_relative("critical stretch", stretch, sqrt(5 * 50 / (9 * 2e9 * 3e-4)), 1e-9, "sqrt(5 G / (9 k horizon))");
  s->host->velocity.x[0] = -200, s->host->velocity.x[1] = 200;
  for (int k = 0; k < 20000 && run_curve(&c, "broken_bonds") == 0; k++) run_steps(&c, 1);
  run_observe(&c);
  double held = 0.5 * weight * 18 * 2e9 / (M_PI * pow(3e-4, 4)) * 1e-24 * L * stretch * stretch;
  claim_relative("a bond that broke: energy.fracture, J", run_value(&c, "energy.fracture"), held, 0.03, "c V^2 L s^2 / 2");
  claim_absolute("a bond that broke: broken_bonds", run_value(&c, "broken_bonds"), 1, 0, "the only one");
  claim_absolute("a bond that broke: fragments", run_value(&c, "fragments"), 2, 0, "both nodes");
  claim_relative("a bond that broke: largest_fragment_mass, kg", run_value(&c, "largest_fragment_mass"), 1.2e-9, 1e-12, "one node");
  claim_absolute("a bond that broke: energy.elastic, J", run_value(&c, "energy.elastic"), 0, 0, "none is left");
  run_close(&c);
}

/* A block in flight that is dragged at the rate c: its kinetic energy falls as exp(-2 c t), and what is gone is damping's. */
static void test_drag_takes_kinetic_energy(void **state)
{
  (void)state;
  sim_run c = run_open(
      "{\"scree\":1,\"name\":\"drag\",\"method\":\"peridem\",\"materials\":[{\"name\":\"m\",\"density\":1000,\"bulk_modulus\":1e6}],"
      "\"specimens\":[{\"name\":\"a\",\"material\":\"m\",\"spacing\":0.05,\"shape\":{\"type\":\"box\",\"size\":[0.2,0.2,0.2]},\"velocity\":"
      "[0,3,0]}],"
      "\"rig\":{\"type\":\"none\"},\"time\":{\"duration\":1},\"options\":{\"damping_rate\":20}}",
      1);
  run_steps(&c, 60);
  double left = exp(-2 * 20 * scr_sim_time(c.sim));
  claim_relative("dragged block: energy.kinetic, J", run_curve(&c, "energy.kinetic"), 36 * left, 1e-3, "exp(-2 c t)");
  claim_relative("dragged block: energy.damping, J", run_value(&c, "energy.damping"), 36 * (1 - left), 1e-3, "what is gone");
  run_close(&c);
}

/* Two bare nodes on the floor in equilibrium with their weight, on friction's springs; they never reach Coulomb's limit. */
static sim_run open_on_floor(const char *damping_step, double ratio)
{
  char text[2048];
  snprintf(
      text, sizeof text,
      "{\"scree\":1,\"name\":\"floor\",\"method\":\"peridem\",\"materials\":[{\"name\":\"m\",\"density\":1200,\"bulk_modulus\":2e5}],"
      "\"contact\":{\"friction_coefficient\":0.5,\"damping_ratio\":%g},\"specimens\":[{\"name\":\"a\",\"material\":\"m\",\"spacing\":1e-4,"
      "\"shape\":{\"type\":\"box\",\"size\":[1e-4,2e-4,1e-4]},\"placement\":{\"type\":\"single\",\"position\":[0,0,3e-4]}}],"
      "\"rig\":{\"type\":\"box\",\"minimum\":[-1e-2,-1e-2,0],\"maximum\":[1e-2,1e-2,2e-2],\"gravity\":[0,0,-9.81]},"
      "\"time\":{\"duration\":1,\"time_step\":1e-7},\"options\":{\"horizon\":3e-4,\"contact_radius\":2e-4,\"self_contact\":false,"
      "\"contact_surface\":\"nodes\",\"friction_law\":\"spring\",\"damping_step\":\"%s\"}}",
      ratio, damping_step);
  sim_run c = run_open(text, 1);
  pd_state *s = run_state(&c);
  double Rc = 2e-4, Kn = 18 * 2e5 / (M_PI * pow(Rc, 5)), low = 0, high = Rc;
  for (int k = 0; k < 200; k++) {
    double d = 0.5 * (low + high);
    if (Kn * pd_wall_repulsion(PD_WALL_EXACT, Rc, d) > 1200 * 9.81)
      low = d;
    else
      high = d;
  }
  for (size_t i = 0; i < s->node_count; i++) {
    s->bodies[0].bonds.count[i] = 0;
    s->host->reference.z[i] = s->host->position.z[i] = low;
    s->host->acceleration.z[i] = 0;
  }
  run_steps(&c, 2);     /* the contact is known and its spring begins */
  double potential = 0; /* of one node: integral of its repulsion up to where contact begins, by the midpoint rule */
  for (int k = 0; k < 10000; k++)
    potential += Kn * 1e-12 * pd_wall_repulsion(PD_WALL_EXACT, Rc, low + (Rc - low) * (k + 0.5) / 1e4) * (Rc - low) / 1e4;
  claim_relative("two nodes on a floor: energy.wall, J", run_curve(&c, "energy.wall"), 2 * potential, 1e-4, "integral of the repulsion");
  for (size_t i = 0; i < s->node_count; i++) s->host->velocity.x[i] = 1e-7;
  return c;
}

/* A node on friction's spring is an oscillator of k_t = 0.8 x 4 pi / 27 Kn V Rc^3 with the dashpot 2 zeta sqrt(k_t m): it swings with w
 * sqrt(1 - zeta^2) and each maximum of its way is exp(-2 pi zeta / sqrt(1 - zeta^2)) of the one before, by either rule for the damping.
 * First order in the step: w dt is 3e-3, hence 1 % of the logarithm. */
static void test_friction_springs_swing_with_their_damping_ratio(void **state)
{
  (void)state;
  static const char *const rules[] = {"limited", "explicit"};
  for (int k = 0; k < 2; k++) {
    const double zeta = 0.1, Rc = 2e-4, V = 1e-12, Kn = 18 * 2e5 / (M_PI * pow(Rc, 5)), root = sqrt(1 - zeta * zeta);
    const double w = sqrt(0.8 * 4 * M_PI / 27 * Kn * V * Rc * Rc * Rc / (1200 * V));
    sim_run c = open_on_floor(rules[k], zeta);
    const pd_state *s = run_state(&c);
    double way[2] = {0, 0}, start = s->host->moved.x[0], peak[2] = {0, 0}, when[2] = {0, 0};
    for (int n = 0, found = 0; n < 200000 && found < 2; n++) {
      double now, last = way[1];
      run_steps(&c, 1);
      now = s->host->moved.x[0] - start;
      if (last > 0 && last >= way[0] && last > now) peak[found] = last, when[found++] = scr_sim_time(c.sim);
      way[0] = last, way[1] = now;
    }
    print_message("# damping_step %s\n", rules[k]);
    claim_relative("friction's spring: period, s", when[1] - when[0], 2 * M_PI / (w * root), 0.01, "oscillator of k_t and m");
    claim_relative("friction's spring: logarithm of successive maxima", log(peak[0] / peak[1]), 2 * M_PI * zeta / root, 0.01,
                   "damped oscillator");
    run_close(&c);
  }
}

/* A bar between two grips under its weight, 1e4 m/s^2 along it. While it comes to its first equilibrium gravity does twice the work that
 * bonds then hold (a linear body loaded at once), which is also the sum of m g u over its nodes. Then one grip moves with what it holds:
 * grips and gravity together do the work that bonds take up, to the second order of a load step's mean force, 1e-3; gravity's part of it is
 * a fifth. */
static void test_the_work_of_gravity_is_in_the_quasi_static_ledger(void **state)
{
  (void)state;
  sim_run c = run_open(
      "{\"scree\":1,\"name\":\"bar\",\"method\":\"peridem\",\"materials\":[{\"name\":\"m\",\"density\":1000,\"bulk_modulus\":1e9}],"
      "\"specimens\":[{\"name\":\"b\",\"material\":\"m\",\"spacing\":1e-3,\"shape\":{\"type\":\"box\",\"size\":[1.2e-2,4e-3,4e-3]}}],"
      "\"rig\":{\"type\":\"grips\",\"axis\":\"x\",\"low_end\":-4e-3,\"high_start\":4e-3,\"slide\":false,\"gravity\":[1e4,0,0],"
      "\"program\":[{\"type\":\"hold\",\"duration\":1},{\"type\":\"constant\",\"velocity\":1e-6}]},\"time\":{\"duration\":11},"
      "\"options\":{\"loading\":\"quasi_static\",\"load_steps\":11,\"relaxation_tolerance\":1e-7}}",
      1);
  const pd_state *s = run_state(&c);
  run_steps(&c, 1);
  double fallen = 0, first = run_curve(&c, "energy.external"), held = run_value(&c, "energy.elastic");
  for (size_t i = 0; i < s->node_count; i++) fallen += 1000 * 1e-9 * 1e4 * s->host->moved.x[i];
  assert_true(fallen > 0);
  claim_relative("bar under its weight: energy.external, J", first, fallen, 1e-9, "sum of m g u");
  claim_relative("bar under its weight: energy.external over energy.elastic", first / held, 2, 1e-3, "a linear body loaded at once");
  run_steps(&c, 10);
  double put_in = run_curve(&c, "energy.external") - first, taken = run_value(&c, "energy.elastic") - held, after = -fallen;
  for (size_t i = 0; i < s->node_count; i++) after += 1000 * 1e-9 * 1e4 * s->host->moved.x[i];
  claim_relative("bar pulled along its weight: energy.external, J", put_in, taken, 1e-3, "what bonds take up");
  claim_shown("bar pulled along its weight: gravity's part of it", after / put_in);
  assert_true(after > 0.01 * put_in);
  run_close(&c);
}

SUITE(test_peridem_laws)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_broken_halves_repel_each_other_as_their_bond_did),
      cmocka_unit_test(test_a_bond_that_breaks_gives_its_energy),
      cmocka_unit_test(test_drag_takes_kinetic_energy),
      cmocka_unit_test(test_friction_springs_swing_with_their_damping_ratio),
      cmocka_unit_test(test_the_work_of_gravity_is_in_the_quasi_static_ledger),
  };
  return cmocka_run_group_tests_name("peridem laws", tests, NULL, NULL);
}
