/* Thousands of contacts of loose spheres: the same bits for any number of threads and after a restart, momenta kept, no pair missed. */
#include "tests/support/bdem_run.h"
#include "tests/support/suites.h"

/* Two heaps of 12 x 12 x 6 loose balls a hair apart run into each other, spinning, off centre; with a box round them or in free space. */
static const char heaps[] =
    "{\"scree\":1,\"name\":\"heaps\",\"method\":\"bdem\","
    "\"materials\":[{\"name\":\"glass\",\"density\":1000,\"young_modulus\":1e7}],"
    "\"contact\":{\"friction_coefficient\":0.4,\"damping_ratio\":0.1},"
    "\"specimens\":[{\"name\":\"low\",\"material\":\"glass\",\"spacing\":0.02,\"shape\":{\"type\":\"sphere\",\"radius\":0.01},"
    "\"placement\":{\"type\":\"lattice\",\"origin\":[0.0107,0.0107,0.0107],\"count\":[12,12,6],\"pitch\":[0.0202,0.0202,0.0202]},"
    "\"velocity\":[0.1,0,4],\"angular_velocity\":[20,0,5]},"
    "{\"name\":\"high\",\"material\":\"glass\",\"spacing\":0.02,\"shape\":{\"type\":\"sphere\",\"radius\":0.01},"
    "\"placement\":{\"type\":\"lattice\",\"origin\":[0.0152,0.0137,0.1324],\"count\":[12,12,6],\"pitch\":[0.0202,0.0203,0.0202]},"
    "\"velocity\":[-0.3,0.2,-4],\"angular_velocity\":[0,-30,0]}],"
    "\"rig\":%s,\"time\":{\"duration\":0.03,\"time_step\":%s},"
    "\"options\":{\"constants_of\":\"bonds\",\"integrator\":\"%s\",\"impacts\":\"%s\",\"rolling_friction\":0.05}}";

static const char box[] = "{\"type\":\"box\",\"minimum\":[0,0,0],\"maximum\":[0.26,0.26,0.26],\"gravity\":[0,0,-9.81],"
                          "\"walls\":{\"z_min\":{\"program\":[{\"type\":\"constant\",\"velocity\":2}]},"
                          "\"x_max\":{\"program\":[{\"type\":\"constant\",\"velocity\":-4}]}}}";
static const char space[] = "{\"type\":\"box\",\"minimum\":[-1,-1,-1],\"maximum\":[1,1,1],\"gravity\":[0,0,0]}";

static bdem_run open_heaps_with(const char *rig, const char *integrator, const char *impacts, unsigned threads)
{
  char text[4096];
  snprintf(text, sizeof text, heaps, rig, strcmp(integrator, "explicit") == 0 ? "null" : "2e-4", integrator, impacts);
  return run_open(text, threads);
}

static bdem_run open_heaps(const char *rig, const char *integrator, unsigned threads)
{
  return open_heaps_with(rig, integrator, "explicit-bursts", threads);
}

static size_t active_pairs(const bdem_state *s)
{
  size_t count = 0;
  scr_vec3 normal;
  for (size_t k = 0; k < s->contacts.pair_count; ++k) count += bdem_pair_overlap(&s->contacts.pairs[k], &s->body, &normal) > 0.0;
  return count;
}

/* Listing, forces, loads on walls, impulses and their sums: equality is exact. */
static void check_threads(const char *integrator, const char *impacts, size_t pairs, size_t steps)
{
  bdem_run one = open_heaps_with(box, integrator, impacts, 1);
  run_steps(&one, steps);
  const bdem_state *s = run_state(&one);
  print_message("# %s: %zu pairs, %zu in contact, %zu near walls; friction took %.3g J\n", integrator, s->contacts.pair_count,
                active_pairs(s), s->contacts.touch_count, s->ledger->friction);
  assert_true(s->contacts.rows.made && active_pairs(s) > pairs && s->contacts.touch_count > 200 && s->ledger->friction > 0.0);
  for (unsigned threads = 2; threads <= 3; ++threads) {
    bdem_run more = open_heaps_with(box, integrator, impacts, threads);
    run_steps(&more, steps);
    assert_true(bdem_contacts_are_many(&run_state(&more)->contacts));
    assert_same_state(one.sim, more.sim);
    run_close(&more);
  }
  run_close(&one);
}

static void test_many_contacts_give_the_same_bits_for_any_number_of_threads(void **state)
{
  (void)state;
  check_threads("explicit", "explicit-bursts", 1000, 40);
  check_threads("implicit-euler", "implicit", 1000, 4);
  check_threads("implicit-euler", "explicit-bursts", 500, 4);
}

/* The lists and rows of a resumed run are made again at the places of the last search. */
static void test_many_contacts_survive_a_restart(void **state)
{
  (void)state;
  scr_blob blob = {0};
  bdem_run one = open_heaps(box, "explicit", 2), two = open_heaps(box, "explicit", 3);
  run_steps(&one, 25);
  assert_int_equal(sim_save(one.sim, &blob, NULL), SCR_OK);
  assert_int_equal(sim_load(two.sim, &blob, NULL), SCR_OK);
  run_steps(&one, 15);
  run_steps(&two, 15);
  assert_same_state(one.sim, two.sim);
  scr_blob_destroy(&blob);
  run_close(&one);
  run_close(&two);
}

/* Contacts push, damp, rub and roll in pairs, equal and opposite, at one point: what 1728 spheres have of momentum in all stays, to
 * rounding of what one heap of 3.6 kg carries at 4 m/s (14 N s and, about the origin, 1.6 N m s). */
static void test_colliding_heaps_keep_their_momenta(void **state)
{
  (void)state;
  bdem_run r = open_heaps(space, "explicit", 2);
  scr_vec3 linear[2], angular[2];
  run_momenta(&r, &linear[0], &angular[0]);
  run_steps(&r, 45);
  run_momenta(&r, &linear[1], &angular[1]);
  double p = vec3_length(vec3_sub(linear[1], linear[0])), l = vec3_length(vec3_sub(angular[1], angular[0]));
  const sim_ledger *ledger = run_state(&r)->ledger;
  print_message("# %zu in contact, lost %.3g J; momenta changed by %.2g N s, %.2g N m s\n", active_pairs(run_state(&r)),
                ledger->damping + ledger->friction, p, l);
  assert_true(active_pairs(run_state(&r)) > 256 && ledger->damping > 0.0 && ledger->friction > 0.0);
  assert_true(p < 1e-13 * 14 && l < 1e-13 * 1.6);
  run_close(&r);
}

/* All pairs of spheres against the list: what overlaps is a candidate, exactly once, in order. */
static void test_the_search_by_pieces_misses_no_pair(void **state)
{
  (void)state;
  bdem_run r = open_heaps(box, "explicit", 3);
  run_steps(&r, 30);
  const bdem_state *s = run_state(&r);
  size_t at = 0, overlapping = 0;
  for (uint32_t i = 0; i < s->body.sphere_count; ++i)
    for (uint32_t j = i + 1; j < s->body.sphere_count; ++j) {
      double reach = s->body.radius[i] + s->body.radius[j];
      bool listed = at < s->contacts.pair_count && s->contacts.pairs[at].i == i && s->contacts.pairs[at].j == j;
      bool overlap = vec3_length(vec3_sub(s->body.position[j], s->body.position[i])) < reach;
      at += listed;
      overlapping += overlap;
      assert_true(listed || !overlap);
    }
  assert_int_equal(at, s->contacts.pair_count);
  assert_true(overlapping > 1000);
  run_close(&r);
}

SUITE(test_bdem_contacts)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_many_contacts_give_the_same_bits_for_any_number_of_threads),
      cmocka_unit_test(test_many_contacts_survive_a_restart),
      cmocka_unit_test(test_colliding_heaps_keep_their_momenta),
      cmocka_unit_test(test_the_search_by_pieces_misses_no_pair),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
