/* Peridem's contact laws: two single nodes, the wall's cap integrals, friction on a floor, and what must not interact. */
#include "tests/validation/peridem/peridem_case.h"
#include "tests/support/suites.h"

static double uniform(uint64_t *seed)
{
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) * 0x1p-53;
}

/* Two grains of two nodes each, volumes 2e-12 and 1e-12 m^3, spacing as wide as the law asks: their bonds are taken out and one node of
 * each is put aside, so that node 0 and node 2 are a pair of free particles at a distance of Rc, approaching at 10 m/s along x. */
static sim_run open_pair(double damping_ratio, double friction, double sideways, const char *contact)
{
  char text[2048];
  snprintf(text, sizeof text,
           "{\"scree\":1,\"name\":\"pair\",\"method\":\"peridem\","
           "\"materials\":[{\"name\":\"polymer\",\"density\":1200,\"bulk_modulus\":2e9}],"
           "\"contact\":{\"friction_coefficient\":%g,\"damping_ratio\":%g},"
           "\"specimens\":[{\"name\":\"heavy\",\"material\":\"polymer\",\"spacing\":%.17g,"
           "\"shape\":{\"type\":\"box\",\"size\":[1.26e-4,2.52e-4,1.26e-4]},\"placement\":{\"type\":\"single\",\"position\":[0,0,0]}},"
           "{\"name\":\"light\",\"material\":\"polymer\",\"spacing\":%.17g,"
           "\"shape\":{\"type\":\"box\",\"size\":[1e-4,2e-4,1e-4]},\"placement\":{\"type\":\"single\",\"position\":[2e-3,0,0]}}],"
           "\"rig\":{\"type\":\"none\"},\"time\":{\"duration\":1e-6,\"time_step\":1e-11},"
           "\"options\":{\"horizon\":3e-4,\"contact_radius\":2e-4,\"self_contact\":false,%s}}",
           friction, damping_ratio, cbrt(2e-12), 1e-4, contact);
  sim_run c = run_open(text, 1);
  pd_state *s = run_state(&c);
  assert_int_equal(s->node_count, 4);
  for (int b = 0; b < 2; b++)
    for (int k = 0; k < 2; k++) s->bodies[b].bonds.count[k] = 0;
  const double x[4] = {0, 0, 2e-4, 2e-3}, y[4] = {0, 2e-3, 0, 2e-3};
  for (int i = 0; i < 4; i++) {
    s->host->reference.x[i] = s->host->position.x[i] = x[i];
    s->host->reference.y[i] = s->host->position.y[i] = y[i];
    s->host->reference.z[i] = s->host->position.z[i] = 0;
  }
  s->host->velocity.x[0] = 10, s->host->velocity.y[0] = sideways;
  s->host->near.stale = true;
  return c;
}

/* The paper's range of contact with damping as it is by default, and all of the paper's contact. */
static const char *const contacts[2] = {PAPER_NODES, PAPER_CONTACT};

/* Steps until the pair has parted to Rc again. @return the duration, s, interpolated within the last step */
static double collide(sim_run *c)
{
  const pd_state *s = run_state(c);
  double before = 0, now = 0;
  for (int k = 0; k < 100000; k++) {
    run_steps(c, 1);
    double dx = s->host->position.x[2] - s->host->position.x[0], dy = s->host->position.y[2] - s->host->position.y[0];
    before = now;
    now = sqrt(dx * dx + dy * dy) - 2e-4;
    if (k > 0 && now >= 0) return scr_sim_time(c->sim) - scr_sim_time_step(c->sim) * now / (now - before);
  }
  return NAN;
}

/* A linear spring of Kn V1 V2 on the reduced mass: duration pi / w (check 6: within 1e-3), restitution 1. The motion is a sine, which
 * 33000 steps of Verlet resolve to 1e-8: the restitution must be 1 within 1e-6. */
static void test_an_undamped_pair_bounces_like_a_spring(void **state)
{
  (void)state;
  sim_run c = open_pair(0, 0, 0, PAPER_CONTACT);
  const pd_state *s = run_state(&c);
  double m1 = 2.4e-9, m2 = 1.2e-9, Kn = 18 * 2e9 / (M_PI * pow(2e-4, 5)), w = sqrt(Kn * 2e-24 * (1 / m1 + 1 / m2));
  double duration = collide(&c);
  check_relative("pair: duration of contact, s", duration, M_PI / w, 1e-3);
  check_relative("pair: duration of contact as in the published value, s", duration, 3.320e-7, 1e-3);
  check_relative("pair: restitution without damping", (s->host->velocity.x[2] - s->host->velocity.x[0]) / 10, 1, 1e-6);
  run_close(&c);
}

/* With zeta = 0.2 the pair's own damping ratio is z = sqrt(2) zeta: restitution exp(-pi z / sqrt(1 - z^2)) = 0.3960 (check 6). Damping
 * takes the old velocity, an error of the order of w dt = 1e-4: hence 1e-3 of the closed form. */
static void test_a_damped_pair_has_the_restitution_of_its_damping_ratio(void **state)
{
  (void)state;
  for (int k = 0; k < 2; k++) {
    sim_run c = open_pair(0.2, 0, 0, contacts[k]);
    const pd_state *s = run_state(&c);
    double z = sqrt(2) * 0.2;
    assert_true(isfinite(collide(&c)));
    check_relative(k ? "pair: restitution at zeta 0.2, explicit damping" : "pair: restitution at zeta 0.2, limited damping",
                   (s->host->velocity.x[2] - s->host->velocity.x[0]) / 10, exp(-M_PI * z / sqrt(1 - z * z)), 1e-3);
    run_close(&c);
  }
}

/* Repulsion, damping and friction act equally on nodes of unequal volume (check 6): total momentum stays to round-off, which is 1e-16 per
 * step of 33000; 1e-13 is far above what adds up and far below any wrong factor. */
static void test_unequal_nodes_keep_their_momentum_in_an_oblique_impact(void **state)
{
  (void)state;
  for (int k = 0; k < 2; k++) {
    sim_run c = open_pair(0.2, 0.5, 3, contacts[k]);
    const pd_state *s = run_state(&c);
    const double m[4] = {2.4e-9, 2.4e-9, 1.2e-9, 1.2e-9};
    assert_true(isfinite(collide(&c)));
    double px = 0, py = 0;
    for (int i = 0; i < 4; i++) px += m[i] * s->host->velocity.x[i], py += m[i] * s->host->velocity.y[i];
    check_relative("pair: momentum along x, kg m/s", px, 2.4e-8, 1e-13);
    check_relative("pair: momentum along y, kg m/s", py, 7.2e-9, 1e-13);
    assert_true(fabs(s->host->velocity.y[0] - 3) > 1e-3); /* friction did act */
    run_close(&c);
  }
}

/* An oblique impact without damping whose nodes slide all along: friction's impulse is mu times the normal one, 2 m v, and acts across the
 * pair alone, so that they part as fast as they met. Of 3 m/s across 3 - 2 mu 10 are left. 5 %: the pair turns by 0.005 rad while it
 * touches. */
static void test_friction_of_a_pair_acts_across_it_alone(void **state)
{
  (void)state;
  for (int k = 0; k < 2; k++) {
    sim_run c = open_pair(0, 0.05, 3, contacts[k]);
    const pd_state *s = run_state(&c);
    assert_true(isfinite(collide(&c)));
    check_relative("oblique pair: speed at which it parts over that at which it met",
                   (s->host->velocity.x[2] - s->host->velocity.x[0]) / 10, 1, 0.01);
    check_relative("oblique pair: speed across that is left, m/s", s->host->velocity.y[0] - s->host->velocity.y[2], 3 - 2 * 0.05 * 10,
                   0.05);
    run_close(&c);
  }
}

/* Cap of the unit ball behind a plane: volume, centroid and the integral of the pair law (check 7), 1e6 random points in the cap's own
 * box, within 1 %: their standard error is 0.2 % or less. */
static void test_cap_integrals_agree_with_random_points(void **state)
{
  static const double distances[] = {0.0, 0.3, 0.7, 0.9};
  (void)state;
  uint64_t seed = 11;
  for (int k = 0; k < 4; k++) {
    double d = distances[k], half = sqrt(1 - d * d), count = 0, moment = 0, force = 0;
    for (int n = 0; n < 1000000; n++) {
      double x = half * (2 * uniform(&seed) - 1), y = half * (2 * uniform(&seed) - 1), z = d + (1 - d) * uniform(&seed);
      double r = sqrt(x * x + y * y + z * z);
      if (r > 1) continue;
      count += 1;
      moment += z;
      force += (1 - r) * z / r;
    }
    double cell = 4 * half * half * (1 - d) / 1e6, volume = pd_cap_volume(1, d);
    double centroid = 1 - pd_wall_repulsion(PD_WALL_LUMPED, 1, d) / volume;
    print_message("# plane at %.1f Rc\n", d);
    check_relative("cap: volume / Rc^3, against random points", volume, count * cell, 0.01);
    check_relative("cap: centroid / Rc, against random points", centroid, moment / count, 0.01);
    check_relative("cap: exact force / (Kn V Rc^4), against random points", pd_wall_repulsion(PD_WALL_EXACT, 1, d), force * cell, 0.01);
  }
  /* the closed forms' values printed with check 7, to their last digit */
  assert_true(fabs(pd_cap_volume(1, 0.3) - 1.1802) < 5e-5);
  assert_true(fabs(pd_wall_repulsion(PD_WALL_EXACT, 1, 0.3) - 0.1706) < 5e-5);
}

/* Two bare nodes at rest on the floor, in equilibrium with their weight. The push P is a horizontal part of gravity, in units of mu m g. */
static sim_run open_floor(double push)
{
  const double mu = 0.5, g = 9.81;
  char text[2048];
  snprintf(text, sizeof text,
           "{\"scree\":1,\"name\":\"floor\",\"method\":\"peridem\","
           "\"materials\":[{\"name\":\"soft\",\"density\":1200,\"bulk_modulus\":2e5}],"
           "\"contact\":{\"friction_coefficient\":%g,\"damping_ratio\":0.2},"
           "\"specimens\":[{\"name\":\"nodes\",\"material\":\"soft\",\"spacing\":1e-4,"
           "\"shape\":{\"type\":\"box\",\"size\":[1e-4,2e-4,1e-4]},\"placement\":{\"type\":\"single\",\"position\":[0,0,3e-4]}}],"
           "\"rig\":{\"type\":\"box\",\"minimum\":[-1e-2,-1e-2,0],\"maximum\":[1e-2,1e-2,2e-2],\"gravity\":[%.17g,0,%.17g]},"
           "\"time\":{\"duration\":2e-2,\"time_step\":1e-6},"
           "\"options\":{\"horizon\":3e-4,\"contact_radius\":2e-4,\"self_contact\":false," PAPER_CONTACT "}}",
           mu, push * mu * g, -g);
  sim_run c = run_open(text, 1);
  pd_state *s = run_state(&c);
  double Rc = 2e-4, Kn = 18 * 2e5 / (M_PI * pow(Rc, 5)), low = 0, high = Rc; /* height at which Kn V f(d) = m g */
  for (int k = 0; k < 200; k++) {
    double d = 0.5 * (low + high);
    if (Kn * pd_wall_repulsion(PD_WALL_EXACT, Rc, d) > 1200 * g)
      low = d;
    else
      high = d;
  }
  for (size_t i = 0; i < s->node_count; i++) {
    s->bodies[0].bonds.count[i] = 0;
    s->host->reference.z[i] = s->host->position.z[i] = low;
    s->host->acceleration.z[i] = 0;
  }
  return c;
}

/* Below the friction limit the paper's law is viscous: the node creeps at P dt / m and does not get faster (check 12, 4.4145e-6 m/s). The
 * fixed point is exact; 1e-4 covers the digits printed. */
static void test_a_node_pushed_below_the_friction_limit_only_creeps(void **state)
{
  (void)state;
  sim_run c = open_floor(0.9);
  run_steps(&c, 100);
  check_relative("floor: creep speed after 0.1 ms, m/s", run_state(&c)->host->velocity.x[0], 4.4145e-6, 1e-4);
  run_steps(&c, 19900);
  check_relative("floor: creep speed after 20 ms, m/s", run_state(&c)->host->velocity.x[0], 4.4145e-6, 1e-4);
  run_close(&c);
}

/* Above it the rest accelerates: 0.1 mu g t = 9.810e-3 m/s after 20 ms, within 1 % (check 12). */
static void test_a_node_pushed_beyond_the_friction_limit_slides(void **state)
{
  (void)state;
  sim_run c = open_floor(1.1);
  run_steps(&c, 20000);
  check_relative("floor: sliding speed after 20 ms, m/s", run_state(&c)->host->velocity.x[0], 9.810e-3, 0.01);
  run_close(&c);
}

static sim_run open_spheres(bool both)
{
  char text[2048];
  snprintf(
      text, sizeof text,
      "{\"scree\":1,\"name\":\"apart\",\"method\":\"peridem\","
      "\"materials\":[{\"name\":\"polymer\",\"density\":1200,\"bulk_modulus\":2e9,\"fracture_energy\":135}],"
      "\"specimens\":[{\"name\":\"first\",\"material\":\"polymer\",\"spacing\":1.25e-4,\"shape\":{\"type\":\"sphere\",\"radius\":5e-4},"
      "\"placement\":{\"type\":\"single\",\"position\":[0,0,0]},\"angular_velocity\":[0,0,1e5]}%s],"
      "\"rig\":{\"type\":\"none\"},\"time\":{\"duration\":2e-5,\"time_step\":2e-8},"
      "\"options\":{\"horizon\":3.75e-4,\"contact_radius\":2e-4,\"breakable\":false}}",
      both ? ",{\"name\":\"second\",\"material\":\"polymer\",\"spacing\":1.25e-4,\"shape\":{\"type\":\"sphere\",\"radius\":5e-4},"
             "\"placement\":{\"type\":\"single\",\"position\":[1.3e-3,0,0]},\"angular_velocity\":[0,3e4,0]}"
           : "");
  return run_open(text, 1);
}

/* A spinning sphere moves to the last bit as if the other one, beyond the contact radius, were not there (check 15). */
static void test_separated_grains_never_interact(void **state)
{
  (void)state;
  sim_run one = open_spheres(false), two = open_spheres(true);
  const pd_state *a = run_state(&one), *b = run_state(&two);
  assert_int_equal(b->node_count, 2 * a->node_count);
  run_steps(&one, 500);
  run_steps(&two, 500);
  assert_true(fabs(a->host->moved.x[0]) > 1e-6);
  for (int axis = 0; axis < 3; axis++) {
    assert_memory_equal(pd_axis(&a->host->position, axis), pd_axis(&b->host->position, axis), a->node_count * sizeof(double));
    assert_memory_equal(pd_axis(&a->host->velocity, axis), pd_axis(&b->host->velocity, axis), a->node_count * sizeof(double));
  }
  run_observe(&two);
  assert_true(run_value(&two, "energy.contact") == 0);
  run_close(&one);
  run_close(&two);
}

/* Whether an intact bond joins nodes i and j of one grain. */
static bool bonded(const pd_grain *grain, size_t i, size_t j)
{
  const pd_bonds *bonds = grain->bonds;
  size_t row = i - grain->first;
  for (uint32_t k = 0; k < bonds->count[row]; k++)
    if (bonds->other[bonds->first[row] + k] == (uint32_t)(j - grain->first)) return true;
  return false;
}

/* A pair of nodes of the one grain, joined by no bond, nearer than the contact radius. */
static bool has_self_contact(const pd_state *s)
{
  double limit = s->contact_radius * s->contact_radius;
  for (size_t i = 0; i < s->node_count; i++)
    for (size_t j = i + 1; j < s->node_count; j++) {
      double dx = s->host->position.x[j] - s->host->position.x[i], dy = s->host->position.y[j] - s->host->position.y[i],
             dz = s->host->position.z[j] - s->host->position.z[i];
      if (dx * dx + dy * dy + dz * dz < limit && !bonded(&s->host->grains[0], i, j)) return true;
    }
  return false;
}

static bool same_positions(const pd_state *a, const pd_state *b)
{
  for (int axis = 0; axis < 3; axis++)
    if (memcmp(pd_axis(&a->host->position, axis), pd_axis(&b->host->position, axis), a->node_count * sizeof(double)) != 0) return false;
  return true;
}

/* Self-contact on or off makes no difference, to the last bit, until a pair without a bond comes within Rc; later it does (check 15). The
 * forces of a step act on the positions of the next, so those of the step that finds the first pair still agree. */
static void test_self_contact_changes_nothing_until_a_pair_is_near(void **state)
{
  (void)state;
  const reference_scene scene = {7.5e-4, "lumped", 2e-8, 0.9, true};
  char text[2048];
  reference_text(text, sizeof text, &scene);
  reference_limit_damping(text);
  sim_run off = run_open(text, 1);
  char *flag = strstr(text, "\"self_contact\":false");
  assert_non_null(flag);
  memcpy(flag, "\"self_contact\": true", strlen("\"self_contact\":false"));
  sim_run on = run_open(text, 1);
  const pd_state *a = run_state(&off), *b = run_state(&on);
  bool near = false;
  for (int step = 1; step <= 1500 && !near; step++) {
    run_steps(&off, 1);
    run_steps(&on, 1);
    assert_true(same_positions(a, b));
    if (a->broken_bonds > 0 || step % 50 == 0) near = has_self_contact(a);
  }
  assert_true(near);
  claim_shown("self-contact: first pair within Rc at, us", scr_sim_time(off.sim) * 1e6);
  run_steps(&off, 500);
  run_steps(&on, 500);
  assert_false(same_positions(a, b));
  run_close(&off);
  run_close(&on);
}

SUITE(validate_peridem_contact)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_an_undamped_pair_bounces_like_a_spring),
      cmocka_unit_test(test_a_damped_pair_has_the_restitution_of_its_damping_ratio),
      cmocka_unit_test(test_unequal_nodes_keep_their_momentum_in_an_oblique_impact),
      cmocka_unit_test(test_friction_of_a_pair_acts_across_it_alone),
      cmocka_unit_test(test_cap_integrals_agree_with_random_points),
      cmocka_unit_test(test_a_node_pushed_below_the_friction_limit_only_creeps),
      cmocka_unit_test(test_a_node_pushed_beyond_the_friction_limit_slides),
      cmocka_unit_test(test_separated_grains_never_interact),
      cmocka_unit_test(test_self_contact_changes_nothing_until_a_pair_is_near),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
