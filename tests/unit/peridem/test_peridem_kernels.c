/* The hot loops of method peridem: every set of instructions gives the forces of the formula, and the same bits as the others; bonds in
 * runs (host/bonds/bond_runs.h) give what rows give, for lattices, weighted bonds, nodes anywhere, eight grains at once, and broken bonds.
 * */
#include "methods/peridem/host/host.h"
#include "tests/validation/peridem/peridem_case.h"
#include "tests/support/suites.h"

static const char *const names[] = {"avx512", "avx2", "portable"};
enum { KERNELS = 3 };

/* Whether `portable` rounds as the others do. */
#if defined(__FP_FAST_FMA) || !defined(__x86_64__)
enum { PORTABLE_FUSES = 1 };
#else
enum { PORTABLE_FUSES = 0 };
#endif

/* A scene of lattice cubes and hollow spheres that break, in which all kinds of groups occur: one grain, eight in lanes with one left over,
 * rows. */
static const char several[] =
    "{\"scree\":1,\"name\":\"kernels\",\"method\":\"peridem\",\"materials\":[{\"name\":\"m\",\"density\":1200,\"bulk_modulus\":2e9,"
    "\"fracture_energy\":135},{\"name\":\"hard\",\"density\":2400,\"bulk_modulus\":5e9,\"fracture_energy\":50}],"
    "\"contact\":{\"friction_coefficient\":0.4,\"damping_ratio\":0.3},\"specimens\":["
    "{\"name\":\"ball\",\"material\":\"m\",\"spacing\":2.5e-4,\"shape\":{\"type\":\"sphere\",\"radius\":1e-3},"
    "\"placement\":{\"type\":\"lattice\",\"origin\":[-2.1e-3,-2.1e-3,1.05e-3],\"count\":[3,3,1],\"pitch\":[2.1e-3,2.1e-3,2.1e-3]},"
    "\"velocity\":[0,0,-30]},"
    "{\"name\":\"slab\",\"material\":\"hard\",\"spacing\":3e-4,\"shape\":{\"type\":\"box\",\"size\":[3e-3,3e-3,4.5e-3]},"
    "\"placement\":{\"type\":\"single\",\"position\":[0,0,-2.26e-3]},\"rotation\":{\"axis\":[0,0,1],\"angle_deg\":20}}],"
    "\"rig\":{\"type\":\"none\"},\"time\":{\"duration\":1e-4},\"options\":{\"horizon\":7.6e-4,\"contact_radius\":2.5e-4%s}}";

static sim_run open_several(const char *options, const char *kernels, unsigned threads)
{
  char text[2048];
  snprintf(text, sizeof text, several, options);
  sim_run r = run_open(text, threads);
  pd_state *s = r.sim->state;
  s->host->kernels = pd_kernels_named(kernels);
  assert_non_null(s->host->kernels);
  return r;
}

/* Forces of the formula from the rows, one bond after the other. */
static void formula(const pd_state *s, size_t i, double force[3], double *scale)
{
  const pd_host *h = s->host;
  const pd_grain *grain = &h->grains[h->grain_of[i]];
  const pd_bonds *bonds = grain->bonds;
  size_t row = i - grain->first;
  force[0] = force[1] = force[2] = *scale = 0;
  for (uint32_t k = bonds->first[row]; k < bonds->first[row] + bonds->count[row]; k++) {
    size_t j = grain->first + bonds->other[k];
    double d[3] = {h->position.x[j] - h->position.x[i], h->position.y[j] - h->position.y[i], h->position.z[j] - h->position.z[i]};
    double r = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]), w = bonds->weight ? bonds->weight[k] : 1;
    double f = s->bodies[grain->body].stiffness * w * (r * bonds->inverse_length[k] - 1) / r;
    for (int a = 0; a < 3; a++) force[a] += f * d[a];
    *scale += s->bodies[grain->body].stiffness * w; /* of what the rounding of positions may do to a bond: 1e-16 of its k w, times few */
  }
}

static void assert_forces(sim_run *r)
{
  pd_state *s = r->sim->state;
  double worst = 0;
  s->backend->bond_forces(s);
  memset(s->host->torn, 0, s->node_count);
  for (size_t i = 0; i < s->node_count; i++) {
    double force[3], scale;
    formula(s, i, force, &scale);
    for (int a = 0; a < 3; a++) worst = fmax(worst, fabs(pd_axis(&s->host->force, a)[i] - force[a]) / (scale + 1e-300));
  }
  print_message("# %s: forces differ from the formula by %.2g of a bond's stiffness\n", s->host->kernels->name, worst);
  assert_true(worst < 1e-15);
}

/* All sets of instructions of this processor, whole runs through impact and fracture; tolerance: rounding of 1 / L - 1 / r. */
static void check_forces(const char *options)
{
  for (int k = 0; k < KERNELS; k++) {
    if (!pd_kernels_named(names[k])) continue;
    sim_run r = open_several(options, names[k], 1);
    assert_forces(&r);
    run_steps(&r, 150);
    run_observe(&r);
    assert_true(run_value(&r, "broken_bonds") > 0);
    assert_forces(&r);
    run_close(&r);
  }
}

static void test_forces_are_those_of_the_formula(void **state)
{
  (void)state;
  check_forces("");
  check_forces("," PAPER_BODY);
}

static void test_forces_of_weighted_bonds_are_those_of_the_formula(void **state)
{
  (void)state;
  check_forces(",\"micromodulus\":\"conic\",\"horizon_weight\":\"partial_volume\"");
}

/* One grain a group, eight grains a group: the scene has both, and tiles. */
static void test_grains_go_into_lanes_by_eights(void **state)
{
  (void)state;
  sim_run r = open_several("," PAPER_BODY, "portable", 1);
  const pd_runs *runs = &((pd_state *)r.sim->state)->host->runs;
  assert_int_equal(runs->group_count, 3);
  assert_int_equal(runs->group[0].plan->lanes, PD_LANES);
  assert_int_equal(runs->group[1].plan->lanes, 1);
  assert_int_equal(runs->group[1].grain, 8);
  assert_true(runs->tile_count > runs->group_count);
  run_close(&r);
}

/* A body whose bonds have weights of their own, as by the default's surface correction, is taken eight bonds at a time too: equal sets of
 * weights are kept once, and no bond is left out. */
static void test_corrected_bodies_go_into_runs(void **state)
{
  (void)state;
  sim_run r = open_several("", "portable", 1);
  const pd_state *s = r.sim->state;
  const pd_run_plan *plan = s->host->runs.group[s->host->runs.group_of[9]].plan;
  size_t bonds = 0, weights = 0;
  assert_int_equal(s->host->grains[9].body, 1);
  assert_non_null(plan->lane_kind);
  for (size_t k = 0; k < plan->entry_count; k++) {
    const pd_lane_class *kind = &plan->lane_kind[plan->entry[k].kind >> 8];
    bonds += (size_t)__builtin_popcount(plan->entry[k].kind & 0xff);
    for (int c = 0; c < PD_LANES; c++) weights += kind->weight[c] > 0;
    for (int c = 0; c < PD_LANES; c++) assert_true((kind->weight[c] > 0) == (plan->entry[k].kind >> c & 1));
  }
  print_message("# %zu bonds in %zu entries of %zu classes\n", bonds, plan->entry_count, plan->kind_count);
  assert_int_equal(bonds, s->bodies[1].bonds.slot_count / 2);
  assert_int_equal(bonds, weights);
  assert_true((double)bonds > 5 * (double)plan->entry_count);
  assert_true(2 * plan->kind_count < plan->entry_count);
  run_close(&r);
}

static void assert_same_nodes(const sim_run *one, const sim_run *other)
{
  const pd_state *a = one->sim->state, *b = other->sim->state;
  assert_int_equal(a->node_count, b->node_count);
  for (int axis = 0; axis < 3; axis++) {
    assert_memory_equal(pd_axis(&a->host->position, axis), pd_axis(&b->host->position, axis), a->node_count * sizeof(double));
    assert_memory_equal(pd_axis(&a->host->velocity, axis), pd_axis(&b->host->velocity, axis), a->node_count * sizeof(double));
  }
  assert_int_equal(a->broken_bonds, b->broken_bonds);
}

/* Eight lanes in the same order everywhere, fused operations, an integer estimate of roots: the same bits for two sets of instructions, and
 * two numbers of threads at once. */
static void test_sets_of_instructions_and_threads_give_the_same_bits(void **state)
{
  (void)state;
  const pd_kernels *best = pd_kernels_best();
  for (int k = 0; k < KERNELS; k++) {
    if (!pd_kernels_named(names[k]) || (k == KERNELS - 1 && !PORTABLE_FUSES)) continue;
    sim_run one = open_several("", best->name, 1), other = open_several("", names[k], k ? 1 : 2);
    run_steps(&one, 150);
    run_steps(&other, 150);
    assert_true(((const pd_state *)one.sim->state)->broken_bonds > 0);
    assert_same_nodes(&one, &other);
    run_close(&one);
    run_close(&other);
  }
}

/* Entries that a run has cleared and squeezed out, and those made anew from a checkpoint's rows, give the same bits. */
static void test_a_loaded_checkpoint_gives_the_same_bits(void **state)
{
  (void)state;
  scr_blob blob = {0};
  scr_error error = {0};
  sim_run one = open_several("", pd_kernels_best()->name, 1), other = open_several("", pd_kernels_best()->name, 1);
  run_steps(&one, 250);
  assert_true(((const pd_state *)one.sim->state)->broken_bonds > 20);
  assert_int_equal(sim_save(one.sim, &blob, &error), SCR_OK);
  assert_int_equal(sim_load(other.sim, &blob, &error), SCR_OK);
  assert_int_equal(sim_load(other.sim, &(scr_blob){.data = blob.data, .size = blob.size}, &error), SCR_OK); /* over what was there */
  run_steps(&one, 100);
  run_steps(&other, 100);
  assert_same_nodes(&one, &other);
  scr_blob_destroy(&blob);
  run_close(&one);
  run_close(&other);
}

SUITE(test_peridem_kernels)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_forces_are_those_of_the_formula),
      cmocka_unit_test(test_forces_of_weighted_bonds_are_those_of_the_formula),
      cmocka_unit_test(test_grains_go_into_lanes_by_eights),
      cmocka_unit_test(test_corrected_bodies_go_into_runs),
      cmocka_unit_test(test_sets_of_instructions_and_threads_give_the_same_bits),
      cmocka_unit_test(test_a_loaded_checkpoint_gives_the_same_bits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
