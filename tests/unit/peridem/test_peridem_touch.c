/* Nodes of method peridem that touch the rig or each other, in closed forms: a wall's potential, friction's springs and what they hold,
 * the work of a wall that comes, torques of dampers, the materials of a pair, and where a bond broke. */
#include "methods/peridem/host/contact/pair_law.h"
#include "sim/pieces/breaks.h"
#include "tests/validation/peridem/peridem_case.h"
#include "tests/support/suites.h"

/* The repulsion of a wall is the slope of its potential, in front of the plane and behind it, by both laws: central differences of 1e-5
 * of the radius, off by their square. */
static void test_a_walls_repulsion_is_the_slope_of_its_potential(void **state)
{
  (void)state;
  const double Rc = 2e-4, h = 1e-5 * Rc;
  static const pd_wall_law laws[] = {PD_WALL_EXACT, PD_WALL_LUMPED};
  static const double places[] = {-0.9, -0.5, -0.1, 0.1, 0.5, 0.9};
  for (int k = 0; k < 2; k++)
    for (int n = 0; n < 6; n++) {
      double d = places[n] * Rc, slope = (pd_wall_potential(laws[k], Rc, d - h) - pd_wall_potential(laws[k], Rc, d + h)) / (2 * h);
      claim_relative("wall: slope of its potential", slope, pd_wall_repulsion(laws[k], Rc, d), 1e-6, "repulsion");
    }
}

/* Two bare nodes 1e-4 m apart along y, high above a floor or on it; contact by nodes. @param more keys of options */
static sim_run open_nodes(double height, double step, const char *contact, const char *rig, const char *obstacles, const char *more)
{
  char text[2048];
  snprintf(text, sizeof text,
           "{\"scree\":1,\"name\":\"nodes\",\"method\":\"peridem\",\"materials\":[{\"name\":\"m\",\"density\":1200,\"bulk_modulus\":2e5}],"
           "\"contact\":{%s},\"specimens\":[{\"name\":\"a\",\"material\":\"m\",\"spacing\":1e-4,\"shape\":{\"type\":\"box\",\"size\":"
           "[1e-4,2e-4,1e-4]},\"placement\":{\"type\":\"single\",\"position\":[0,0,%g]}}],\"rig\":%s,\"obstacles\":[%s],"
           "\"time\":{\"duration\":1,\"time_step\":%g},\"options\":{\"horizon\":3e-4,\"contact_radius\":2e-4,\"self_contact\":false,"
           "\"contact_surface\":\"nodes\"%s}}",
           contact, height, rig, obstacles, step, more);
  sim_run c = run_open(text, 1);
  pd_state *s = run_state(&c);
  assert_int_equal(s->node_count, 2);
  for (size_t i = 0; i < 2; i++) s->bodies[0].bonds.count[i] = 0;
  return c;
}

#define NO_RIG "{\"type\":\"none\"}"
#define WEIGHT "{\"type\":\"none\",\"gravity\":[0,0,-9.81]}"
#define FLOOR "{\"name\":\"floor\",\"shape\":{\"type\":\"plane\"}}"

/* Puts both nodes where the floor carries their weight, and lets the contacts be known. @return that height, m */
static double rest_on_floor(sim_run *c)
{
  pd_state *s = run_state(c);
  double Rc = 2e-4, Kn = 18 * 2e5 / (M_PI * pow(Rc, 5)), low = 0, high = Rc;
  for (int k = 0; k < 200; k++) {
    double d = 0.5 * (low + high);
    if (Kn * pd_wall_repulsion(PD_WALL_EXACT, Rc, d) > 1200 * 9.81)
      low = d;
    else
      high = d;
  }
  for (size_t i = 0; i < s->node_count; i++) s->host->reference.z[i] = s->host->position.z[i] = low, s->host->acceleration.z[i] = 0;
  run_steps(c, 2);
  return low;
}

static double energies(sim_run *c)
{
  run_observe(c);
  return run_value(c, "energy.kinetic") + run_value(c, "energy.wall") + run_value(c, "energy.friction");
}

/* Two nodes that lie on a floor and are thrown along it onto springs that hold swing: no heat comes of it, and kinetic energy, the
 * wall's and that of springs stay the same in sum, where half of it is in springs at times. 1e-3: second order of a step of 1/300 of
 * the swing. */
static void test_springs_that_hold_keep_energy(void **state)
{
  (void)state;
  sim_run c = open_nodes(3e-4, 1e-7, "\"friction_coefficient\":0.5,\"damping_ratio\":0", WEIGHT, FLOOR, ",\"friction_law\":\"spring\"");
  const pd_state *s = run_state(&c);
  rest_on_floor(&c);
  double rest = energies(&c), heat = run_value(&c, "energy.friction"), most = 0, hot = 0, off = 0;
  for (size_t i = 0; i < 2; i++) s->host->velocity.x[i] = 1e-7;
  double thrown = energies(&c) - rest;
  claim_relative("nodes thrown along a floor: energy.kinetic, J", thrown, 1.2e-9 * 1e-14, 1e-6, "m v^2 / 2 of both");
  for (int k = 0; k < 4000; k++) {
    run_steps(&c, 1);
    off = fmax(off, fabs(energies(&c) - rest - thrown));
    hot = fmax(hot, fabs(run_value(&c, "energy.friction") - heat));
    most = fmax(most, thrown - run_value(&c, "energy.kinetic"));
  }
  claim_between("nodes thrown along a floor: share that springs took", most / thrown, 0.9, 1.01, "they swing");
  claim_absolute("nodes thrown along a floor: heat over what they had", hot / thrown, 0, 1e-6, "springs that hold");
  claim_absolute("nodes thrown along a floor: energy lost over what they had", off / thrown, 0, 1e-3, "conservation");
  run_close(&c);
}

/* The same nodes thrown upwards by little: they swing across the floor, and springs of friction, which lie along it, stay without a
 * stretch. */
static void test_springs_lie_along_the_floor(void **state)
{
  (void)state;
  sim_run c = open_nodes(3e-4, 1e-7, "\"friction_coefficient\":0.5,\"damping_ratio\":0", WEIGHT, FLOOR, ",\"friction_law\":\"spring\"");
  const pd_state *s = run_state(&c);
  double height = rest_on_floor(&c), way = 0, stretch = 0;
  for (size_t i = 0; i < 2; i++) s->host->velocity.z[i] = 1e-6;
  for (int k = 0; k < 2000; k++) {
    run_steps(&c, 1);
    way = fmax(way, fabs(s->host->position.z[0] - height));
    assert_int_equal(s->host->rig_blocks[0].count, 2);
    for (int n = 0; n < 2; n++) stretch = fmax(stretch, vec3_length(s->host->rig_blocks[0].now[n].spring));
  }
  assert_true(way > 1e-10);
  claim_absolute("nodes that swing across a floor: stretch of friction's springs over their way", stretch / way, 0, 1e-9,
                 "they lie along it");
  run_close(&c);
}

/* A wall that comes at v meets two nodes at rest, without damping: they leave at 2 v, and it has put in 2 m v^2 for each. In steps of
 * 1/40 of the contact, where the mean of the forces at a step's ends is 10 % off at times; 1e-3 for Verlet's own. */
static void test_a_wall_that_comes_does_its_work(void **state)
{
  (void)state;
  sim_run c = open_nodes(2.001e-4, 4e-6, "\"friction_coefficient\":0,\"damping_ratio\":0", NO_RIG,
                         "{\"name\":\"floor\",\"shape\":{\"type\":\"plane\"},\"direction\":[0,0,1],\"program\":[{\"type\":\"constant\","
                         "\"velocity\":0.1}]}",
                         "");
  const pd_state *s = run_state(&c);
  const double v = 0.1, m = 1.2e-9;
  double most = 0;
  int steps = 0;
  for (int k = 0; k < 4000 && !(s->host->velocity.z[0] > 1.5 * v && run_curve(&c, "obstacle.floor.force_z") == 0); k++) {
    run_steps(&c, 1);
    most = fmax(most, run_curve(&c, "energy.wall"));
    steps += run_value(&c, "obstacle.floor.force_z") != 0;
  }
  claim_shown("nodes that a wall meets: steps in contact", steps);
  claim_relative("nodes that a wall meets: speed that they leave with, m/s", s->host->velocity.z[0], 2 * v, 2e-3, "twice the wall's");
  double gained = 2 * 0.5 * m * pow(s->host->velocity.z[0], 2);
  claim_relative("nodes that a wall meets: energy.external, J", run_curve(&c, "energy.external"), gained, 1e-3, "what they gained");
  run_close(&c);
}

/* Dampers push a part where they push the node: two nodes that fall on a floor off its middle, by limited damping. The floor's torque
 * is r x f of what each node feels, at any time. */
static void test_dampers_push_a_part_at_the_node(void **state)
{
  (void)state;
  sim_run c =
      open_nodes(2.5e-4, 1e-6, "\"friction_coefficient\":0.5,\"damping_ratio\":0.5", NO_RIG,
                 "{\"name\":\"floor\",\"shape\":{\"type\":\"plane\"},\"position\":[0.01,-0.02,0]}", ",\"damping_step\":\"limited\"");
  const pd_state *s = run_state(&c);
  for (size_t i = 0; i < 2; i++) s->host->velocity.z[i] = -0.2, s->host->velocity.x[i] = 0.05;
  double off = 0, most = 0, damped = 0;
  for (int k = 0; k < 600; k++) {
    run_steps(&c, 1);
    run_observe(&c);
    const double y = 0.5 * (s->host->position.y[0] + s->host->position.y[1]) + 0.02, x = s->host->position.x[0] - 0.01;
    const double fx = run_value(&c, "obstacle.floor.force_x"), fz = run_value(&c, "obstacle.floor.force_z");
    const double z = s->host->position.z[0];
    off = fmax(off, fmax(fabs(run_value(&c, "obstacle.floor.torque_x") - y * fz),
                         fabs(run_value(&c, "obstacle.floor.torque_y") - (z * fx - x * fz))));
    most = fmax(most, fabs(0.02 * fz));
  }
  damped = run_value(&c, "energy.damping");
  assert_true(most > 0 && damped > 0);
  claim_absolute("nodes that fall on a floor: torque off over the largest", off / most, 0, 1e-6, "r x f");
  run_close(&c);
}

/* Two bodies of two materials whose nodes touch: what acts is the law of both, Kn = 18 k / (pi Rc^5), k the harmonic mean of their bulk
 * moduli, and the friction of the pair's own entry; either of both as the first. Friction stops what slips within a step at most, m_r u
 * / dt, and mu N below that. */
static void test_a_pair_has_the_law_of_both_materials(void **state)
{
  (void)state;
  sim_run c = run_open(
      "{\"scree\":1,\"name\":\"pair\",\"method\":\"peridem\",\"materials\":[{\"name\":\"soft\",\"density\":1200,\"bulk_modulus\":2e5},"
      "{\"name\":\"hard\",\"density\":2400,\"bulk_modulus\":6e5}],\"contact\":{\"friction_coefficient\":0.1,\"damping_ratio\":0,\"pairs\":"
      "[{\"between\":[\"soft\",\"hard\"],\"friction_coefficient\":0.7}]},\"specimens\":[{\"name\":\"a\",\"material\":\"soft\",\"spacing\":"
      "1e-4,\"shape\":{\"type\":\"box\",\"size\":[1e-4,2e-4,1e-4]},\"placement\":{\"type\":\"single\",\"position\":[0,0,0]}},"
      "{\"name\":\"b\",\"material\":\"hard\",\"spacing\":1e-4,\"shape\":{\"type\":\"box\",\"size\":[1e-4,2e-4,1e-4]},\"placement\":{"
      "\"type\":\"single\",\"position\":[0,0,2.5e-4]}}],\"rig\":{\"type\":\"none\"},\"time\":{\"duration\":1,\"time_step\":1e-7},"
      "\"options\":{\"horizon\":3e-4,\"contact_radius\":2e-4,\"self_contact\":false,\"contact_surface\":\"nodes\"}}",
      1);
  pd_state *s = run_state(&c);
  assert_int_equal(s->node_count, 4);
  for (int i = 2; i < 4; i++) s->host->position.z[i] -= 1e-4; /* 1.5e-4 above those of the other */
  const double Rc = 2e-4, k = 2 * 2e5 * 6e5 / 8e5, Kn = 18 * k / (M_PI * pow(Rc, 5)), force = Kn * 1e-24 * (Rc - 1.5e-4);
  for (int order = 0; order < 2; order++) {
    pd_pair pair;
    size_t i = order ? 2 : 0, j = order ? 0 : 2;
    assert_true(pd_pair_touches(s, i, j, &pair));
    claim_relative("nodes of two materials: force, N", pair.force, force, 1e-9, "18 k / (pi Rc^5), harmonic mean");
    claim_relative("nodes of two materials: friction coefficient", pair.law->friction_coefficient, 0.7, 1e-12, "the pair's");
    claim_relative("nodes of two materials: reduced mass, kg", pair.reduced, 1.2e-9 * 2.4e-9 / 3.6e-9, 1e-9, "of both");
    double normal, sliding, stops = pair.reduced / s->time_step, fast = 10 * 0.7 * force / stops;
    pd_pair_dampers(s, &pair, 0, 1e-3 * fast, &normal, &sliding);
    claim_relative("nodes of two materials that slip slowly: friction over slip, kg/s", sliding, stops, 1e-9, "stops it in a step");
    pd_pair_dampers(s, &pair, 0, fast, &normal, &sliding);
    claim_relative("nodes of two materials that slip fast: friction, N", sliding * fast, 0.7 * force, 1e-9, "mu N");
  }
  run_close(&c);
}

/* A bond along y of two nodes that fly apart breaks in its middle, which moves with them. */
static void test_a_bond_breaks_in_its_middle(void **state)
{
  (void)state;
  sim_run c = run_open(
      "{\"scree\":1,\"name\":\"bond\",\"method\":\"peridem\",\"materials\":[{\"name\":\"m\",\"density\":1200,\"bulk_modulus\":2e9,"
      "\"fracture_energy\":50}],\"specimens\":[{\"name\":\"a\",\"material\":\"m\",\"spacing\":1e-4,\"shape\":{\"type\":\"box\",\"size\":"
      "[1e-4,2e-4,1e-4]},\"placement\":{\"type\":\"single\",\"position\":[1e-3,2e-3,3e-3]}}],\"rig\":{\"type\":\"none\"},"
      "\"time\":{\"duration\":1e-5,\"time_step\":1e-11},\"options\":{\"horizon\":3e-4,\"contact_radius\":2e-4," PAPER_BONDS "}}",
      1);
  const pd_state *s = run_state(&c);
  for (int i = 0; i < 2; i++) {
    s->host->velocity.y[i] = (s->host->position.y[i] > 2e-3 ? 300 : -100);
    s->host->velocity.x[i] = 50, s->host->velocity.z[i] = i ? 20 : 0;
  }
  for (int k = 0; k < 20000 && s->log->table.row_count == 0; k++) run_steps(&c, 1);
  assert_int_equal(s->log->table.row_count, 1);
  break_entry entry = breaks_entry(&s->log->table, 0);
  double v[3] = {50, 100, 10}, start[3] = {1e-3, 2e-3, 3e-3};
  for (int a = 0; a < 3; a++)
    claim_absolute("bond that breaks: place over its length", (entry.position[a] - start[a] - v[a] * entry.time) / 1e-4, 0, 1e-3,
                   "middle of both nodes");
  run_close(&c);
}

/* Energy of all pairs of the nodes of two grains, J. @param pull N, by which the second is pushed */
static double energy_between(const pd_state *s, scr_vec3 *pull)
{
  const size_t first = s->host->grains[1].first;
  double sum = 0;
  *pull = vec3(0, 0, 0);
  for (size_t i = 0; i < first; i++)
    for (size_t j = first; j < s->node_count; j++) {
      pd_pair pair;
      if (!pd_pair_touches(s, i, j, &pair)) continue;
      sum += pair.potential;
      *pull = vec3_add(*pull, vec3_scale(vec3(pair.toward[0], pair.toward[1], pair.toward[2]), pair.force));
    }
  return sum;
}

/* Brings the second of two equal grains to the first along u, `way` by `way`, until they hold 0.02 J. @param most J, of all so far
 *  @return the largest change of the energy beside the work of the forces, J */
static double bring_together(pd_state *s, scr_vec3 u, double way, double *most)
{
  scr_vec3 was = vec3(0, 0, 0), now;
  double before = -1, worst = 0;
  for (double far = 2.6e-3; far > 1.4e-3 && before < 0.02; far -= way) {
    for (size_t j = s->host->grains[1].first; j < s->node_count; j++) {
      s->host->position.x[j] = s->host->reference.x[j] - 4e-3 + far * u.x;
      s->host->position.y[j] = s->host->reference.y[j] + far * u.y;
      s->host->position.z[j] = s->host->reference.z[j] + far * u.z;
    }
    double energy = energy_between(s, &now);
    if (before >= 0) worst = fmax(worst, fabs(energy - before - 0.5 * way * vec3_dot(vec3_add(was, now), u)));
    before = energy, was = now;
  }
  *most = fmax(*most, before);
  return worst;
}

/* Irregular grains, whose nodes lie up to a spacing below their faces, are brought together in 80 ways: the energy of their faces changes
 * by the work of their forces. The trapezoidal rule is off by the square of the way, a 250th of a spacing. A pair that began to press
 * within its reach would bring its energy at once, as few do: so no two nodes may press from beyond where they are looked for. */
static void test_faces_of_irregular_grains_begin_to_press_at_nothing(void **state)
{
  (void)state;
  double worst = 0, most = 0;
  char text[1024];
  for (int seed = 1; seed <= 2; seed++) {
    snprintf(text, sizeof text,
             "{\"scree\":1,\"name\":\"grains\",\"method\":\"peridem\",\"seed\":%d,\"materials\":[{\"name\":\"m\",\"density\":1200,"
             "\"bulk_modulus\":2e9}],\"specimens\":[{\"name\":\"a\",\"material\":\"m\",\"spacing\":4e-4,\"shape\":{\"type\":\"grain\","
             "\"radius\":1e-3,"
             "\"elongation\":0.85,\"flatness\":0.85,\"roundness\":0.93,\"cuts\":8},\"placement\":{\"type\":\"list\",\"positions\":"
             "[[0,0,0],[4e-3,0,0]]}}],\"rig\":{\"type\":\"none\"},\"time\":{\"duration\":1e-6},\"options\":{\"horizon\":9.6e-4}}",
             seed);
    sim_run c = run_open(text, 1);
    for (int n = 0; n < 40; n++)
      worst =
          fmax(worst, bring_together(run_state(&c), quat_rotate(quat_exp(vec3(0.3 * n, 0.5 * n, 0.9 * n)), vec3(1, 0, 0)), 1.6e-6, &most));
    const pd_state *s = run_state(&c);
    double deepest = 0;
    for (size_t i = 0; i < s->bodies[0].node_count; i++)
      for (unsigned p = 0; p < s->bodies[0].face_count[i]; p++) deepest = fmax(deepest, s->bodies[0].face[i][p].depth);
    assert_true(deepest > 0.8 * 4e-4);
    claim_between("irregular grains: farthest nodes that press over where they are looked for",
                  hypot(1.5 * 4e-4, 2 * deepest) / s->host->touch, 0.5, 1, "a width aside, both depths along");
    run_close(&c);
  }
  assert_true(most > 0.02);
  claim_between("irregular grains: change of the energy beside the work of the force, over the largest", worst / most, 0, 1e-4,
                "a continuous potential");
}

SUITE(test_peridem_touch)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_walls_repulsion_is_the_slope_of_its_potential),
      cmocka_unit_test(test_springs_that_hold_keep_energy),
      cmocka_unit_test(test_springs_lie_along_the_floor),
      cmocka_unit_test(test_a_wall_that_comes_does_its_work),
      cmocka_unit_test(test_dampers_push_a_part_at_the_node),
      cmocka_unit_test(test_a_pair_has_the_law_of_both_materials),
      cmocka_unit_test(test_a_bond_breaks_in_its_middle),
      cmocka_unit_test(test_faces_of_irregular_grains_begin_to_press_at_nothing),
  };
  return cmocka_run_group_tests_name("peridem touch", tests, NULL, NULL);
}
