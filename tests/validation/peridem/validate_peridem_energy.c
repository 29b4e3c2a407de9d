/* Peridem's conservation: energy under Verlet, the ledger of a crush, momentum, wall reactions, and an elastic impact. */
#include "tests/validation/peridem/peridem_case.h"
#include "tests/support/suites.h"

static double uniform(uint64_t *seed)
{
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return ((double)(*seed >> 11) + 0.5) * 0x1p-53;
}

static double normal(uint64_t *seed)
{
  double u = uniform(seed), v = uniform(seed);
  return sqrt(-2 * log(u)) * cos(2 * M_PI * v);
}

/* The thick hollow sphere alone, elastic, every node at a normal velocity of 1 m/s. */
static sim_run open_shaken(double time_step, uint64_t seed)
{
  char text[1024];
  snprintf(text, sizeof text,
           "{\"scree\":1,\"name\":\"shaken\",\"method\":\"peridem\","
           "\"materials\":[{\"name\":\"polymer\",\"density\":1200,\"bulk_modulus\":2e9}],"
           "\"specimens\":[{\"name\":\"grain\",\"material\":\"polymer\",\"spacing\":1.25e-4,"
           "\"shape\":{\"type\":\"hollow_sphere\",\"radius\":1e-3,\"inner_radius\":5e-4},"
           "\"placement\":{\"type\":\"single\",\"position\":[0,0,0]}}],\"rig\":{\"type\":\"none\"},"
           "\"time\":{\"duration\":2e-5,\"time_step\":%.17g},\"options\":{\"horizon\":3.333333333333333e-4,\"contact_radius\":2e-4,"
           "\"self_contact\":false,\"breakable\":false," PAPER_BONDS "}}",
           time_step);
  sim_run c = run_open(text, 1);
  pd_state *s = run_state(&c);
  for (int axis = 0; axis < 3; axis++)
    for (size_t i = 0; i < s->node_count; i++) pd_axis(&s->host->velocity, axis)[i] = normal(&seed);
  return c;
}

/* Linear and angular momentum of all nodes, kg m/s and kg m^2/s. */
static void momentum(const pd_state *s, scr_vec3 *linear, scr_vec3 *angular)
{
  *linear = *angular = vec3(0, 0, 0);
  for (size_t i = 0; i < s->node_count; i++) {
    double m = s->bodies[s->host->grains[s->host->grain_of[i]].body].node_mass;
    scr_vec3 p = vec3_scale(vec3(s->host->velocity.x[i], s->host->velocity.y[i], s->host->velocity.z[i]), m);
    *linear = vec3_add(*linear, p);
    *angular = vec3_add(*angular, vec3_cross(vec3(s->host->position.x[i], s->host->position.y[i], s->host->position.z[i]), p));
  }
}

/* Largest |dE / E| over 20 us; `drift` receives the mean of the last quarter over that of the second, minus 1. */
static double energy_error(double time_step, double *drift)
{
  sim_run c = open_shaken(time_step, 1);
  const pd_state *s = run_state(&c);
  double first = pd_energy_kinetic(s), worst = 0, early = 0, late = 0;
  int steps = (int)lround(2e-5 / time_step);
  for (int k = 1; k <= steps; k++) {
    run_steps(&c, 1);
    double energy = pd_energy_kinetic(s) + pd_energy_elastic(s);
    worst = fmax(worst, fabs(energy / first - 1));
    if (k > steps / 4 && k <= steps / 2) early += energy;
    if (k > 3 * (steps / 4)) late += energy;
  }
  *drift = late / early - 1;
  run_close(&c);
  return worst;
}

/* White noise on every node, the worst case for Verlet: the energy error is second order (1.23e-2 at 2e-8 s, 3.07e-3 at 1e-8 s, ratio
 * 4.0 +- 0.3) and does not grow (check 5). The noise of the reference is another draw of 5688 numbers, whose energies vary by 2 %: 5 %. */
static void test_verlets_energy_error_is_second_order_and_does_not_grow(void **state)
{
  (void)state;
  double drift[2], coarse = energy_error(2e-8, &drift[0]), fine = energy_error(1e-8, &drift[1]);
  check_relative("sphere: largest |dE/E| at 2e-8 s", coarse, 1.23e-2, 0.05);
  check_relative("sphere: largest |dE/E| at 1e-8 s", fine, 3.07e-3, 0.05);
  claim_absolute("sphere: ratio of the two", coarse / fine, 4, 0.3, "second order");
  claim_absolute("sphere: drift of the mean energy, relative", drift[0], 0, 0.1 * coarse, "Verlet's error is bounded");
}

/* Bond forces are equal and opposite and along the line between the nodes: momentum and angular momentum stay to 1e-13 of the sum of
 * magnitudes (check 5). */
static void test_a_free_grain_keeps_its_momentum_to_round_off(void **state)
{
  (void)state;
  sim_run c = open_shaken(2e-8, 1);
  const pd_state *s = run_state(&c);
  scr_vec3 p0, l0, p1, l1;
  double total = 0;
  for (size_t i = 0; i < s->node_count; i++)
    total += s->bodies[0].node_mass * vec3_length(vec3(s->host->velocity.x[i], s->host->velocity.y[i], s->host->velocity.z[i]));
  momentum(s, &p0, &l0);
  run_steps(&c, 1000);
  momentum(s, &p1, &l1);
  double dp = vec3_length(vec3_sub(p1, p0)) / total, dl = vec3_length(vec3_sub(l1, l0)) / (total * 1e-3);
  claim_absolute("sphere: change of momentum over 20 us, relative", dp, 0, 1e-13, "conservation of momentum");
  claim_absolute("sphere: change of angular momentum over 20 us, relative", dl, 0, 1e-13, "conservation of angular momentum");
  run_close(&c);
}

/* Work of the top wall over its first 16 us, and what of it is not accounted for. Walls move after the force pass, so the wall acts from
 * where its n-th move took it in force pass n + 1: the ledger covers 800 moves of 2e-8 s after 801 steps. */
static double elastic_crush(double time_step, double *missing)
{
  const reference_scene scene = {5e-4, "exact", time_step, 0, false};
  sim_run c = reference_open(&scene, 1);
  run_steps(&c, (uint64_t)lround(16e-6 / time_step) + 1);
  assert_true(fabs(run_state(&c)->parts[SCR_WALL_Z_MAX].acted.pose.position.z - (1.2e-3 - 160e-6)) < 1e-15);
  run_observe(&c);
  double work = run_value(&c, "energy.external");
  *missing = fabs(work - run_value(&c, "energy.kinetic") - run_value(&c, "energy.elastic") - run_value(&c, "energy.wall")) / work;
  run_close(&c);
  return work;
}

/* Without friction, damping and breaking what the top wall puts in within 16 us is 8.40742e-4 J within 1e-4, and is found again as kinetic,
 * elastic and wall energy within 1e-5 (check 11; the work is a trapezoidal sum in both codes). */
static void test_wall_work_is_the_energy_of_an_elastic_crush(void **state)
{
  (void)state;
  double missing;
  check_relative("crush: work of the wall by 16 us, J", elastic_crush(2e-8, &missing), 8.40742e-4, 1e-4);
  claim_absolute("crush: work minus K + U + wall potential at 2e-8 s, relative", missing, 0, 1e-5, "conservation of energy");
  double half;
  elastic_crush(1e-8, &half);
  claim_absolute("crush: work minus K + U + wall potential at 1e-8 s, relative", half, 0, 1e-5, "conservation of energy");
  claim_absolute("crush: ratio of the two", missing / half, 4, 0.3, "second order");
}

static void check_ledger(const char *name, double inner_radius, const char *wall_law)
{
  const reference_scene scene = {inner_radius, wall_law, 2e-8, 0.9, true};
  sim_run c = reference_open(&scene, 1);
  double worst = 0;
  for (int k = 0; k < 15; k++) {
    run_steps(&c, 100);
    run_observe(&c);
    if (k >= 4) worst = fmax(worst, fabs(run_value(&c, "energy.balance_error"))); /* from 10 us on there is energy to speak of */
  }
  double work = run_value(&c, "energy.external"), rest = work;
  static const char *const parts[] = {"kinetic", "elastic", "contact", "wall", "damping", "friction", "fracture"};
  for (int k = 0; k < 7; k++) {
    char curve[32];
    snprintf(curve, sizeof curve, "energy.%s", parts[k]);
    rest -= run_value(&c, curve);
  }
  print_message("# %s\n", name);
  claim_absolute("crush with everything on: energy not accounted for at 30 us, relative", rest / work, 0, 0.01, "conservation of energy");
  claim_absolute("crush with everything on: largest from 10 to 30 us", worst, 0, 0.01, "conservation of energy");
  assert_true(run_value(&c, "energy.fracture") > 0 && run_value(&c, "energy.damping") > 0 && run_value(&c, "energy.friction") > 0);
  run_close(&c);
}

/* With damping, friction and breaking the ledger closes within 1 % through fracture (check 11, second part). */
static void test_the_ledger_of_a_crush_with_fracture_closes(void **state)
{
  (void)state;
  check_ledger("thin, exact", 7.5e-4, "exact");
  check_ledger("thin, lumped", 7.5e-4, "lumped");
}

/* Pieces pressed into a heap rub with friction that changes sign from step to step; what it takes is booked over the path that the
 * kinetic energy sees, so that the ledger still closes within 1 % when half the grain's height is gone (booked over the displacements it
 * missed 27 %). Half the step leaves a quarter of the error. */
static void test_the_ledger_of_a_heap_of_debris_closes(void **state)
{
  (void)state;
  double worst[2] = {0};
  const bool slow = claim_slow_part("half the step");
  for (int k = 0; k < (slow ? 2 : 1); k++) {
    reference_scene scene = {6e-4, "lumped", k ? 1e-8 : 2e-8, 0.9, true};
    char text[2048];
    reference_text(text, sizeof text, &scene);
    reference_limit_damping(text);
    char *self = strstr(text, "\"self_contact\":false");
    memcpy(self, "\"self_contact\":true ", strlen("\"self_contact\":true "));
    char *duration = strstr(text, "\"duration\":5e-5");
    memcpy(duration, "\"duration\":2e-4", strlen("\"duration\":2e-4"));
    sim_run c = run_open(text, 1);
    for (int n = 0; n < 10; n++) {
      run_steps(&c, k ? 1100 : 550);
      run_observe(&c);
      if (n >= 2) worst[k] = fmax(worst[k], fabs(run_value(&c, "energy.balance_error")));
    }
    run_close(&c);
  }
  claim_absolute("crush by 1.1 mm: largest energy not accounted for, 2e-8 s", worst[0], 0, 0.01, "conservation of energy");
  if (slow) claim_between("crush by 1.1 mm: the same at 1e-8 s over that", worst[1] / worst[0], 0, 0.5, "second order: 1/4");
}

/* What the walls feel is minus what they do to the nodes: the sum of the wall curves against the nodes' change of momentum, the only
 * external force, on one thread and on two (check 14). The sum over 1264 nodes rounds at 1e-15 of the largest node force. */
static void test_wall_forces_are_minus_the_force_on_the_nodes(void **state)
{
  (void)state;
  const reference_scene scene = {7.5e-4, "lumped", 2e-8, 0.9, true};
  for (unsigned threads = 1; threads <= 2; threads++) {
    sim_run c = reference_open(&scene, threads);
    const pd_state *s = run_state(&c);
    double worst = 0, largest = 0;
    for (int k = 0; k < 10; k++) {
      run_steps(&c, 100);
      run_observe(&c);
      for (int axis = 0; axis < 3; axis++) {
        double nodes = 0, walls = 0;
        for (size_t i = 0; i < s->node_count; i++) nodes += s->bodies[0].node_mass * pd_axis(&s->host->acceleration, axis)[i];
        for (int w = 0; w < SCR_WALL_COUNT; w++) {
          char curve[64];
          snprintf(curve, sizeof curve, "wall.%s.force_%c", scr_wall_names[w], "xyz"[axis]);
          walls += run_value(&c, curve);
          largest = fmax(largest, fabs(run_value(&c, curve)));
        }
        worst = fmax(worst, fabs(nodes + walls));
      }
    }
    print_message("# %u threads\n", threads);
    claim_absolute("walls: sum of wall forces and node forces over the largest", worst / largest, 0, 1e-12, "action and reaction");
    assert_true(largest > 1);
    run_close(&c);
  }
}

/* Two elastic spheres meet at 10 m/s, off centre, without damping and friction: K + U + contact energy stays within 1 % of the start, and
 * momentum and angular momentum to round-off (1e-12 of the momentum of one sphere). */
static void test_an_elastic_impact_keeps_energy_and_momentum(void **state)
{
  (void)state;
  sim_run c = run_open(
      "{\"scree\":1,\"name\":\"impact\",\"method\":\"peridem\","
      "\"materials\":[{\"name\":\"polymer\",\"density\":1200,\"bulk_modulus\":2e9}],"
      "\"contact\":{\"friction_coefficient\":0,\"damping_ratio\":0},"
      "\"specimens\":[{\"name\":\"left\",\"material\":\"polymer\",\"spacing\":1.25e-4,\"shape\":{\"type\":\"sphere\",\"radius\":5e-4},"
      "\"placement\":{\"type\":\"single\",\"position\":[0,0,0]},\"velocity\":[10,0,0]},"
      "{\"name\":\"right\",\"material\":\"polymer\",\"spacing\":1e-4,\"shape\":{\"type\":\"sphere\",\"radius\":5e-4},"
      "\"placement\":{\"type\":\"single\",\"position\":[1.2e-3,2e-4,0]}}],"
      "\"rig\":{\"type\":\"none\"},\"time\":{\"duration\":5e-5,\"time_step\":1e-8},"
      "\"options\":{\"horizon\":3.75e-4,\"contact_radius\":2e-4,\"breakable\":false}}",
      1);
  const pd_state *s = run_state(&c);
  scr_vec3 p0, l0, p1, l1;
  double first = pd_energy_kinetic(s), worst = 0, contact = 0;
  momentum(s, &p0, &l0);
  for (int k = 0; k < 300; k++) {
    run_steps(&c, 10);
    run_observe(&c);
    contact = fmax(contact, run_value(&c, "energy.contact"));
    double energy = run_value(&c, "energy.kinetic") + run_value(&c, "energy.elastic") + run_value(&c, "energy.contact");
    worst = fmax(worst, fabs(energy / first - 1));
  }
  momentum(s, &p1, &l1);
  claim_between("impact: largest contact energy over the start's", contact / first, 0.01, 1, "they meet");
  claim_between("impact: contact energy at the end over the start's", run_value(&c, "energy.contact") / first, 0, 1e-9, "they part");
  claim_absolute("impact: largest |dE/E|", worst, 0, 0.01, "conservation of energy");
  claim_absolute("impact: change of momentum, relative", vec3_length(vec3_sub(p1, p0)) / vec3_length(p0), 0, 1e-12,
                 "conservation of momentum");
  claim_absolute("impact: change of angular momentum, relative", vec3_length(vec3_sub(l1, l0)) / (vec3_length(p0) * 1e-3), 0, 1e-12,
                 "conservation of angular momentum");
  run_close(&c);
}

SUITE(validate_peridem_energy)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_verlets_energy_error_is_second_order_and_does_not_grow),
      cmocka_unit_test(test_a_free_grain_keeps_its_momentum_to_round_off),
      cmocka_unit_test(test_wall_work_is_the_energy_of_an_elastic_crush),
      cmocka_unit_test(test_the_ledger_of_a_crush_with_fracture_closes),
      cmocka_unit_test(test_the_ledger_of_a_heap_of_debris_closes),
      cmocka_unit_test(test_wall_forces_are_minus_the_force_on_the_nodes),
      cmocka_unit_test(test_an_elastic_impact_keeps_energy_and_momentum),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
