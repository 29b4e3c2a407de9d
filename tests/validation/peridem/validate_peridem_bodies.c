/* Peridem's bodies on bodies by contact_surface "faces": a stack is as stiff as its bodies, and what friction's springs hold is part of the
 * state. */
#include "tests/validation/peridem/peridem_case.h"
#include "tests/support/suites.h"

/* Two cubes of 20 mm, E = 100 MPa, on each other between platens; the upper one shifted along x, turned about z. */
typedef struct stack {
  double low, high;   /* cells of the cubes */
  double shift, turn; /* m, degrees */
  double friction;    /* of the platens, and in time of the cubes on each other */
  const char *options;
} stack;

static sim_run open_stack(const stack *k, unsigned threads)
{
  char text[2048];
  snprintf(text, sizeof text,
           "{\"scree\":1,\"name\":\"stack\",\"method\":\"peridem\",\"materials\":[{\"name\":\"m\",\"density\":1000,\"young_modulus\":1e8}],"
           "\"contact\":{\"friction_coefficient\":%g,\"damping_ratio\":0},\"specimens\":["
           "{\"name\":\"a\",\"material\":\"m\",\"spacing\":%.17g,\"shape\":{\"type\":\"box\",\"size\":[0.02,0.02,0.02]},"
           "\"placement\":{\"type\":\"single\",\"position\":[0,0,-0.01]}},"
           "{\"name\":\"b\",\"material\":\"m\",\"spacing\":%.17g,\"shape\":{\"type\":\"box\",\"size\":[0.02,0.02,0.02]},"
           "\"placement\":{\"type\":\"single\",\"position\":[%.17g,0,0.01]},\"rotation\":{\"axis\":[0,0,1],\"angle_deg\":%g}}],"
           "\"rig\":{\"type\":\"platens\",\"opening\":0.04,\"program\":[{\"type\":\"constant\",\"velocity\":-0.16}]},"
           "\"time\":{\"duration\":1e-3},\"options\":{%s}}",
           k->friction, 0.02 / k->low, 0.02 / k->high, k->shift, k->turn, k->options);
  return run_open(text, threads);
}

#define EQUILIBRIA "\"loading\":\"quasi_static\",\"load_steps\":4,\"relaxation_tolerance\":1e-4"

/* Secant slopes after one and four load steps of 0.1 % each. Reference: E A / 2 L of the stack, 2 %, as of a specimen that a rig measures;
 * by contact_surface "body" it is 0.001. A turned cube's corners overhang, so that the stack is softer, by 0 to 5 %. Platens hold what is
 * shifted or turned by friction (see below). What the balance misses at the end is rounding where springs hold, and what 1e-4 of the loads
 * out of balance hide. */
static void test_a_stack_is_as_stiff_as_its_cubes(void **state)
{
  (void)state;
  static const stack stacks[] = {{8, 10.4, 0, 0, 0, EQUILIBRIA},  {8, 8, 1.25e-3, 0, 0.3, EQUILIBRIA},   {8, 8, 0, 30, 0.3, EQUILIBRIA},
                                 {8, 8, 0, 0, 0, EQUILIBRIA},     {10, 10, 0, 0, 0, EQUILIBRIA},         {10, 10, 1e-3, 0, 0.3, EQUILIBRIA},
                                 {10, 13, 0, 0, 0, EQUILIBRIA},   {12, 12, 8.33e-4, 0, 0.3, EQUILIBRIA}, {10, 10, 0, 30, 0.3, EQUILIBRIA},
                                 {12, 12, 0, 30, 0.3, EQUILIBRIA}};
  size_t count = claim_slow_part("seven stacks of other lattices") ? sizeof stacks / sizeof *stacks : 3;
  for (size_t k = 0; k < count; k++) {
    char name[160];
    double slope[2] = {0, 0};
    sim_run c = open_stack(&stacks[k], 1);
    for (int step = 0; step < 4; step++) {
      run_steps(&c, 1);
      run_observe(&c);
      slope[step > 0] = fabs(run_value(&c, "platen.top.force_z")) / (1e8 * 4e-4 / 0.04 * 4e-5 * (step + 1));
    }
    snprintf(name, sizeof name, "cubes of %g and %g cells, shifted by %g mm, turned by %g degrees: slope over E A / 2 L", stacks[k].low,
             stacks[k].high, stacks[k].shift * 1e3, stacks[k].turn);
    claim_absolute(name, slope[1], stacks[k].turn > 0 ? 0.975 : 1, stacks[k].turn > 0 ? 0.025 : 0.02, "E A / 2 L");
    claim_relative("the same: slope of the first load step over the last", slope[0] / slope[1], 1, 0.005, "no dead travel");
    claim_absolute("the same: energy.balance_error", run_value(&c, "energy.balance_error"), 0, 1e-4, "forces with a potential");
    assert_int_equal(c.sim->doubt_count, 0);
    run_close(&c);
  }
}

/* A shifted stack between smooth platens has no equilibrium: pressed by u it holds u^2 k / 2, and k falls as the cubes leave each other, so
 * they are pushed apart and nothing bears it. The run says so. What pushes is what the platens' friction bears in the stack that it holds,
 * and that is
 * -d(u^2 k / 2) / ds: it rises with the square of the load, whatever the lattice. Tolerance: differences of slopes over 0.5 mm. */
static void test_a_shifted_stack_is_pushed_aside(void **state)
{
  (void)state;
  const stack slips = {8, 8, 1.25e-3,
                       0, 0, "\"loading\":\"quasi_static\",\"load_steps\":4,\"relaxation_limit\":1500,\"relaxation_tolerance\":1e-4"};
  sim_run c = open_stack(&slips, 1);
  (void)scr_sim_step(c.sim, NULL);
  bool told = false;
  for (size_t k = 0; k < c.sim->doubt_count; k++) told = told || strcmp(c.sim->doubts[k].kind, "unheld") == 0;
  assert_true(told);
  run_close(&c);
  double side[2] = {0, 0}, force[3];
  for (int k = 0; k < 3; k++) {
    const stack held = {10, 10, 2e-3 + 5e-4 * (k - 1), 0, 0.3, EQUILIBRIA};
    c = open_stack(&held, 1);
    for (int step = 0; step < 4; step++) {
      run_steps(&c, 1);
      if (k == 1 && step % 2) side[step / 2] = run_curve(&c, "platen.top.force_x");
    }
    force[k] = fabs(run_curve(&c, "platen.top.force_z"));
    run_close(&c);
  }
  claim_relative("sideways force of a shifted stack over -u^2/2 dk/ds", side[1] / (0.5 * 1.6e-4 * (force[0] - force[2]) / 1e-3), 1, 0.1,
                 "energy");
  claim_relative("the same at twice the load", side[1] / side[0], 4, 0.15, "the square of the load");
}

/* What lattices feel of each other's cells: a cube of 8 cells pressed by a hundredth of a spacing into a wider slab is carried along it by
 * two of the slab's cells and, across, by a fifth of that. Reference: plane faces, which push along their normal alone; the root mean
 * square sideways is below 1 % of the load. */
static void test_lattices_slide_smoothly(void **state)
{
  (void)state;
  static const double pairs[][2] = {{2.5e-3, 0}, {1.9e-3, 0}, {3.25e-3, 0}, {2.5e-3, 30}}; /* m, spacing of the slab; degrees */
  for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
    enum { PLACES = 40 };
    char text[1600], name[120];
    snprintf(
        text, sizeof text,
        "{\"scree\":1,\"name\":\"slide\",\"method\":\"peridem\",\"materials\":[{\"name\":\"m\",\"density\":1000,\"young_modulus\":1e8}],"
        "\"contact\":{\"friction_coefficient\":0,\"damping_ratio\":0},\"specimens\":["
        "{\"name\":\"slab\",\"material\":\"m\",\"spacing\":%.17g,\"shape\":{\"type\":\"box\",\"size\":[0.05,0.05,%.17g]},"
        "\"placement\":{\"type\":\"single\",\"position\":[0,0,%.17g]},\"rotation\":{\"axis\":[0,0,1],\"angle_deg\":%g}},"
        "{\"name\":\"cube\",\"material\":\"m\",\"spacing\":2.5e-3,\"shape\":{\"type\":\"box\",\"size\":[0.02,0.02,0.02]},"
        "\"placement\":{\"type\":\"single\",\"position\":[-2e-3,-1e-3,0.01]}}],"
        "\"rig\":{\"type\":\"none\"},\"time\":{\"duration\":1e-3},\"options\":{}}",
        pairs[k][0], 4 * pairs[k][0], -2 * pairs[k][0], pairs[k][1]);
    sim_run c = run_open(text, 1);
    pd_state *s = run_state(&c);
    pd_host *h = s->host;
    const pd_grain *cube = &h->grains[1];
    double along = 0, across = 0, load = 0, heat = 0;
    for (int place = 0; place < PLACES; place++) {
      scr_vec3 way = vec3(2 * pairs[k][0] * place / PLACES, 0.4 * pairs[k][0] * place / PLACES, -0.01 * 2.5e-3), sum = vec3(0, 0, 0);
      for (size_t i = cube->first; i < s->node_count; i++) {
        h->position.x[i] = h->reference.x[i] + way.x;
        h->position.y[i] = h->reference.y[i] + way.y;
        h->position.z[i] = h->reference.z[i] + way.z;
      }
      s->backend->bond_forces(s); /* sets forces, those of contacts are added */
      for (size_t i = 0; i < s->node_count; i++) h->force.x[i] = h->force.y[i] = h->force.z[i] = 0;
      assert_int_equal(s->backend->contact_forces(s, &heat, NULL), SCR_OK);
      for (size_t i = cube->first; i < s->node_count; i++) sum = vec3_add(sum, vec3(h->force.x[i], h->force.y[i], h->force.z[i]));
      along += sum.x * sum.x / PLACES;
      across += sum.y * sum.y / PLACES;
      load += sum.z / PLACES;
    }
    snprintf(name, sizeof name, "cube of 2.5 mm cells along %g mm cells turned by %g degrees: sideways force, rms over load",
             pairs[k][0] * 1e3, pairs[k][1]);
    claim_absolute(name, sqrt(along + across) / load, 0, 0.01, "flat faces");
    assert_true(load > 1);
    run_close(&c);
  }
}

/* Springs between bodies and turned faces: over threads and a restart the same bits. */
static void test_an_interruption_keeps_the_bits(void **state)
{
  (void)state;
  const stack rubs = {8, 10, 0, 0, 0.5, ""};
  sim_run one = open_stack(&rubs, 1), two = open_stack(&rubs, 2), resumed = open_stack(&rubs, 2);
  scr_blob blob = {0};
  run_steps(&one, 60);
  assert_int_equal(sim_save(one.sim, &blob, NULL), SCR_OK);
  assert_int_equal(sim_load(resumed.sim, &blob, NULL), SCR_OK);
  scr_blob_destroy(&blob);
  run_steps(&one, 60);
  run_steps(&resumed, 60);
  run_steps(&two, 120);
  run_observe(&one);
  assert_true(run_value(&one, "energy.contact") > 0);
  assert_same_state(one.sim, resumed.sim);
  assert_same_state(one.sim, two.sim);
  run_close(&one);
  run_close(&two);
  run_close(&resumed);
}

/* Nodes of an irregular grain lie anywhere below its faces, some by a tenth of a spacing; where these lose bonds they lose their faces,
 * and what is left of their contacts reaches as far as the faces did; when it reached half a spacing, 14 crushed grains got 1.2 times the
 * work that was put in, and 400 three times. Largest energy: of any curve in J so far. */
static void test_breaking_takes_energy_from_irregular_grains(void **state)
{
  (void)state;
  static const char scene[] =
      "{\"scree\":1,\"name\":\"grains\",\"method\":\"peridem\",\"seed\":1,\"materials\":[{\"name\":\"polymer\",\"density\":1200,"
      "\"bulk_modulus\":2e9,\"fracture_energy\":135}],\"contact\":{\"friction_coefficient\":0.5,\"damping_ratio\":0.5},\"specimens\":[{"
      "\"name\":\"grains\",\"material\":\"polymer\",\"spacing\":4e-4,\"shape\":{\"type\":\"grain\",\"radius\":1e-3,\"elongation\":0.85,"
      "\"flatness\":0.85,\"roundness\":0.93,\"cuts\":8},\"placement\":{\"type\":\"packed\",\"count\":14,\"variants\":16,\"gap\":2e-5,"
      "\"minimum\":[-0.00273,-0.00273,-0.00273],\"maximum\":[0.00273,0.00273,0.00273]}}],\"rig\":{\"type\":\"box\",\"walls\":{\"z_max\":{"
      "\"program\":[{\"type\":\"constant\",\"velocity\":-10}]}},\"minimum\":[-0.00273,-0.00273,-0.00273],\"maximum\":[0.00273,0.00273,"
      "0.00273]},\"time\":{\"duration\":2.6e-4},\"options\":{\"horizon\":9.6e-4}}";
  sim_run c = run_open(scene, 1);
  double largest = 0, most = 0, returned = 0;
  for (int k = 1; k <= 255; k++) {
    run_until(&c, 1e-6 * k);
    double fracture = run_curve(&c, "energy.fracture");
    largest = fmax(fmax(largest, fabs(run_value(&c, "energy.external"))), fabs(fracture));
    most = fmax(most, fracture);
    returned = fmax(returned, (most - fracture) / largest);
  }
  claim_between("bonds that broke", run_value(&c, "broken_bonds"), 1000, 5000, "of 14 grains of some 60 nodes: they crush");
  claim_absolute("most that breaking gave back, of the largest energy", returned, 0, 1e-3, "breaking can only take: energy's balance");
  run_close(&c);
}

SUITE(validate_peridem_bodies)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_stack_is_as_stiff_as_its_cubes),
      cmocka_unit_test(test_a_shifted_stack_is_pushed_aside),
      cmocka_unit_test(test_lattices_slide_smoothly),
      cmocka_unit_test(test_an_interruption_keeps_the_bits),
      cmocka_unit_test(test_breaking_takes_energy_from_irregular_grains),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
