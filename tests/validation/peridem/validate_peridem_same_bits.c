/* Peridem gives the same bits: for any number of threads, and after an interruption. Equality is exact, so there is no tolerance. */
#include "tests/validation/peridem/peridem_case.h"
#include "tests/support/suites.h"

static const reference_scene thin = {7.5e-4, "lumped", 2e-8, 0.9, true};

/* Two thin spheres one above the other: two grains, contact between them, walls, self-contact. */
static sim_run open_stack(unsigned threads)
{
  return run_open(
      "{\"scree\":1,\"name\":\"stack\",\"method\":\"peridem\","
      "\"materials\":[{\"name\":\"polymer\",\"density\":1200,\"bulk_modulus\":2e9,\"fracture_energy\":135}],"
      "\"contact\":{\"friction_coefficient\":0.9,\"damping_ratio\":0.9},"
      "\"specimens\":[{\"name\":\"grain\",\"material\":\"polymer\",\"spacing\":1.25e-4,"
      "\"shape\":{\"type\":\"hollow_sphere\",\"radius\":1e-3,\"inner_radius\":7.5e-4},"
      "\"placement\":{\"type\":\"list\",\"positions\":[[0,0,-1.1e-3],[1e-4,0,1.1e-3]]}}],"
      "\"rig\":{\"type\":\"box\",\"minimum\":[-1.2e-3,-1.2e-3,-2.2e-3],\"maximum\":[1.3e-3,1.2e-3,2.2e-3],\"gravity\":[0,0,-9.81],"
      "\"walls\":{\"z_max\":{\"program\":[{\"type\":\"constant\",\"velocity\":-20}]}}},"
      "\"time\":{\"duration\":5e-5,\"time_step\":2e-8},"
      "\"options\":{\"horizon\":3.333333333333333e-4,\"contact_radius\":2e-4,\"self_contact\":true}}",
      threads);
}

/* Every observed curve and every node's motion, compared byte for byte. */
static void assert_same(sim_run *one, sim_run *other)
{
  const pd_state *a = run_state(one), *b = run_state(other);
  run_observe(one);
  run_observe(other);
  assert_memory_equal(one->values, other->values, scr_sim_series_count(one->sim) * sizeof(double));
  const pd_vectors of_a[3] = {a->host->position, a->host->velocity, a->host->acceleration},
                   of_b[3] = {b->host->position, b->host->velocity, b->host->acceleration};
  for (int k = 0; k < 3; k++)
    for (int axis = 0; axis < 3; axis++)
      assert_memory_equal(pd_axis(&of_a[k], axis), pd_axis(&of_b[k], axis), a->node_count * sizeof(double));
}

/* Threads share out whole nodes and sums run over fixed blocks: the same bits through fracture (check 13 asks 1e-9 up to the first break).
 * */
static void check_threads(unsigned threads, uint64_t steps)
{
  sim_run one = open_stack(1), many = open_stack(threads);
  for (int k = 0; k < 4; k++) {
    run_steps(&one, steps / 4);
    run_steps(&many, steps / 4);
    assert_same(&one, &many);
  }
  print_message("# %u threads against 1: %g bonds broken by step %llu\n", threads, run_value(&one, "broken_bonds"),
                (unsigned long long)steps);
  assert_true(run_value(&one, "broken_bonds") > 0);
  assert_true(run_value(&one, "energy.damping") > 0);
  run_close(&one);
  run_close(&many);
}

static void test_two_threads_give_the_bits_of_one(void **state)
{
  (void)state;
  check_threads(2, 600);
}

static void test_four_threads_give_the_bits_of_one(void **state)
{
  (void)state;
  claim_slow();
  check_threads(4, 1200);
}

/* The order of the nodes changes only the order of summation: forces up to the first break agree to 1e-9 of the largest (check 13). Turning
 * the thin sphere by a quarter about z, with its load, maps the lattice on itself in another order. */
static void test_the_order_of_nodes_changes_forces_by_round_off_only(void **state)
{
  (void)state;
  char text[2048];
  reference_text(text, sizeof text, &thin);
  sim_run straight = run_open(text, 1);
  static const char was[] = "\"placement\":{\"type\":\"single\",\"position\":[0,0,0]}";
  char *at = strstr(text, was), turned[2304];
  assert_non_null(at);
  snprintf(turned, sizeof turned, "%.*s%s,\"rotation\":{\"axis\":[0,0,1],\"angle_deg\":90}%s", (int)(at - text), text, was,
           at + strlen(was));
  sim_run other = run_open(turned, 1);
  double worst = 0, largest = 0;
  for (int k = 0; k < 44; k++) { /* 17.6 us, before the first break */
    run_steps(&straight, 20);
    run_steps(&other, 20);
    double a = run_state(&straight)->rig->load[SCR_WALL_Z_MAX].force.z, b = run_state(&other)->rig->load[SCR_WALL_Z_MAX].force.z;
    worst = fmax(worst, fabs(a - b));
    largest = fmax(largest, fabs(a));
  }
  assert_true(largest > 1);
  claim_absolute("node order: difference of the top force over its largest", worst / largest, 0, 1e-9, "round-off");
  run_close(&straight);
  run_close(&other);
}

/* Saved at `before` steps and loaded into a fresh simulation, it goes on with the same bits (check 16). */
static void check_restart(uint64_t before, uint64_t after, bool broken)
{
  sim_run through = open_stack(1), resumed = open_stack(2);
  scr_blob blob = {0};
  scr_error error = {0};
  run_steps(&through, before);
  if (sim_save(through.sim, &blob, &error) != SCR_OK) run_fail("save", error.message);
  if (sim_load(resumed.sim, &blob, &error) != SCR_OK) run_fail("load", error.message);
  assert_true(scr_sim_steps(resumed.sim) == before);
  assert_same(&through, &resumed);
  assert_true((run_value(&through, "broken_bonds") > 0) == broken);
  run_steps(&through, after);
  run_steps(&resumed, after);
  assert_same(&through, &resumed);
  print_message("# saved at step %llu; %g bonds broken by the end\n", (unsigned long long)before, run_value(&through, "broken_bonds"));
  scr_blob_destroy(&blob);
  run_close(&through);
  run_close(&resumed);
}

static void test_a_restart_before_fracture_gives_the_same_bits(void **state)
{
  (void)state;
  check_restart(20, 480, false);
}

static void test_a_restart_amid_fracture_gives_the_same_bits(void **state)
{
  (void)state;
  check_restart(601, 150, true);
}

SUITE(validate_peridem_same_bits)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_two_threads_give_the_bits_of_one),
      cmocka_unit_test(test_the_order_of_nodes_changes_forces_by_round_off_only),
      cmocka_unit_test(test_a_restart_before_fracture_gives_the_same_bits),
      cmocka_unit_test(test_a_restart_amid_fracture_gives_the_same_bits),
      cmocka_unit_test(test_four_threads_give_the_bits_of_one),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
