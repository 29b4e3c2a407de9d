/* Curves of lsdem: the fabric tensor of contacts, and elastic energies by kinds of modes. */
#include "methods/lsdem/view/traction.h"
#include "tests/support/lsdem_run.h"
#include "tests/support/suites.h"

static void read_fabric(sim_run *r, double fabric[6])
{
  const char *const names[6] = {"fabric.xx", "fabric.yy", "fabric.zz", "fabric.xy", "fabric.yz", "fabric.zx"};
  lsdem_forces(lsdem_of(r));
  for (int k = 0; k < 6; k++) fabric[k] = run_curve(r, names[k]);
}

/* Two balls that overlap along d have one contact, whose fabric is d (x) d but for the cap's opening: of a cap of depth h/R = 0.01 normals
 * lean by at most sqrt(0.01), in the mean of squares by half of that at most. Its trace is 1 to rounding. Both passes tell the same
 * contact. A floor below one of them is a second contact, which counts as much. */
static void test_the_fabric_is_the_mean_of_contacts_normals(void **state)
{
  (void)state;
  const scr_vec3 d = {1.0 / 3, 2.0 / 3, 2.0 / 3};
  const double along[6] = {d.x * d.x, d.y * d.y, d.z * d.z, d.x * d.y, d.y * d.z, d.z * d.x};
  for (int one_sided = 0; one_sided < 2; one_sided++) {
    sim_run r = lsdem_open(LSDEM_STONE, "{\"contact_stiffness\": 1e5}",
                           "[{\"name\": \"balls\", \"material\": \"stone\", \"spacing\": 0.05, \"grid_spacing\": 0.1, \"shape\": "
                           "{\"type\": \"sphere\", \"radius\": 1}, \"placement\": "
                           "{\"type\": \"list\", \"positions\": [[0, 0, 1.2], [0.67, 1.34, 2.54]]}}]",
                           LSDEM_NO_RIG, "[{\"name\": \"floor\", \"shape\": {\"type\": \"plane\"}, \"position\": [0, 0, 0]}]",
                           "{\"duration\": 1, \"time_step\": 1e-4}", one_sided ? "\"passes\": \"one_sided\"" : "", 1);
    lsdem_state *s = lsdem_of(&r);
    double fabric[6];
    read_fabric(&r, fabric);
    for (int k = 0; k < 6; k++) assert_true(fabric[k] == 0); /* nothing touches yet */
    lsdem_place(s, 1, vec3_add(s->grains[0].position, vec3_scale(d, 1.98)), quat_identity());
    read_fabric(&r, fabric);
    assert_true(run_value(&r, "contacts") == 1);
    assert_float_equal(fabric[0] + fabric[1] + fabric[2], 1, 1e-12);
    for (int k = 0; k < 6; k++)
      if (fabs(fabric[k] - along[k]) > 0.01) fail_msg("passes %d, fabric %d: %.6g instead of %.6g", one_sided, k, fabric[k], along[k]);
    s->grains[0].position.z -= 0.21;
    s->grains[1].position.z -= 0.21;
    read_fabric(&r, fabric);
    assert_true(run_value(&r, "contacts") == 2);
    for (int k = 0; k < 6; k++) assert_float_equal(fabric[k], 0.5 * (along[k] + (k == 2 ? 1 : 0)), 0.01);
    run_close(&r);
  }
}

/* Even strains e have the energy V (lambda/2 tr(e)^2 + mu e:e) of Hooke's law: stretches and their Poisson coupling are told apart from
 * shears, and a ball that shrinks has 9/2 V K (eps/R)^2. */
static void test_energies_are_told_apart_by_kinds_of_modes(void **state)
{
  (void)state;
  const double young = 1e6, nu = 0.25, mu = young / (2 * (1 + nu)), lambda = young * nu / ((1 + nu) * (1 - 2 * nu)),
               half[3] = {0.5, 0.4, 0.6};
  const double eps[6] = {0.02, -0.01, 0.015, 0.01, -0.02, 0.012};
  sim_run r = lsdem_open(LSDEM_STONE, "{\"contact_stiffness\": 1e5}",
                         "[{\"name\": \"box\", \"material\": \"stone\", \"spacing\": 0.1, \"modes\": \"affine\", \"shape\": {\"type\": "
                         "\"box\", \"size\": [1, 0.8, 1.2]}, \"placement\": {\"type\": "
                         "\"single\", \"position\": [0, 0, 5]}}, {\"name\": \"ball\", \"material\": \"stone\", \"spacing\": 0.2, "
                         "\"modes\": \"isotropic\", \"shape\": {\"type\": \"sphere\", \"radius\": 1}, "
                         "\"placement\": {\"type\": \"single\"}}]",
                         LSDEM_NO_RIG, "[]", "{\"duration\": 1, \"time_step\": 1e-4}", "", 1);
  lsdem_state *s = lsdem_of(&r);
  assert_int_equal(s->amplitude_count, 7);
  for (int a = 0; a < 6; a++) s->amplitude[a] = eps[a];
  s->amplitude[6] = 0.03;
  const double shear_sum[3] = {half[1] + half[2], half[2] + half[0], half[0] + half[1]};
  double trace = 0, squares = 0, shears = 0;
  for (int a = 0; a < 3; a++) {
    double e = eps[a] / half[a], g = eps[3 + a] / shear_sum[a];
    trace += e, squares += e * e, shears += 2 * g * g;
  }
  const double volume = 0.96, ball = s->templates[1].volume, bulk = lambda + 2 * mu / 3;
  const double stretch = volume * (0.5 * lambda * trace * trace + mu * squares), shear = volume * mu * shears,
               shrink = 4.5 * ball * bulk * 9e-4;
  assert_float_equal(run_curve(&r, "energy.mode.stretch"), stretch, 1e-3 * stretch);
  assert_float_equal(run_curve(&r, "energy.mode.shear"), shear, 1e-3 * shear);
  assert_float_equal(run_curve(&r, "energy.mode.isotropic"), shrink, 1e-3 * shrink);
  assert_true(run_value(&r, "energy.mode.bending") == 0 && run_value(&r, "energy.mode.basis") == 0);
  double sum = run_value(&r, "energy.mode.stretch") + run_value(&r, "energy.mode.shear") + run_value(&r, "energy.mode.isotropic");
  assert_float_equal(run_value(&r, "energy.elastic"), sum, 1e-12 * sum);
  run_close(&r);
}

/* A bent bar has all of its energy in bending. */
static void test_a_bent_bar_has_its_energy_in_bending(void **state)
{
  (void)state;
  sim_run r = lsdem_open(LSDEM_STONE, "{\"contact_stiffness\": 1e5}",
                         "[{\"name\": \"bar\", \"material\": \"stone\", \"spacing\": 0.1, \"modes\": \"bending\", \"shape\": {\"type\": "
                         "\"box\", \"size\": [4, 0.5, 0.5]}, \"placement\": {\"type\": \"single\"}}]",
                         LSDEM_NO_RIG, "[]", "{\"duration\": 1, \"time_step\": 1e-4}", "", 1);
  lsdem_of(&r)->amplitude[0] = 0.02;
  double bent = run_curve(&r, "energy.mode.bending");
  assert_true(bent > 0 && bent == run_value(&r, "energy.elastic"));
  run_close(&r);
}

/* A ball pressed a fiftieth of its radius into a plane, without dashpots: each node's pressure is k_n times how far it lies below;
 * pressures times areas are the plane's force. It slides: what crosses is mu times the pressure. Its largest pressure is what colours it.
 * */
static void test_tractions_are_told_at_nodes(void **state)
{
  (void)state;
  sim_run r = lsdem_open(LSDEM_STONE, "{\"contact_stiffness\": 1e6, \"friction_coefficient\": 0.25}",
                         "[{\"name\": \"balls\", \"material\": \"stone\", \"spacing\": 0.1, \"velocity\": [3, 0, 0], \"shape\": {\"type\": "
                         "\"sphere\", \"radius\": 1}, \"placement\": {\"type\": \"list\", "
                         "\"positions\": [[0, 0, 0.98], [5, 0, 1.5]]}}]",
                         LSDEM_NO_RIG, "[{\"name\": \"floor\", \"shape\": {\"type\": \"plane\"}}]",
                         "{\"duration\": 1, \"time_step\": 1e-3}", "\"traction_table\": true", 1);
  lsdem_state *s = lsdem_of(&r);
  scr_error error = {0};
  run_steps(&r, 20);
  assert_int_equal(r.sim->table_count, 1);
  assert_int_equal(sim_method(r.sim)->tabulate(r.sim, &error), SCR_OK);
  const scr_table *table = &r.sim->tables[0].table;
  double force = 0, across = 0, most = 0;
  assert_true(table->row_count > 5);
  for (size_t k = 0; k < table->row_count; k++) {
    const double *row = table->values + k * table->column_count;
    assert_true(row[1] == 0 && isnan(row[2]) && row[3] == 0); /* of ball 0 in part 0 */
    assert_float_equal(row[9], -1e6 * row[7], 1e-6 * 2e4);
    assert_float_equal(row[10], 0.25 * row[9], 1e-6 * 2e4);
    force += row[8] * row[9], across += row[8] * row[10], most = fmax(most, row[9]);
  }
  assert_float_equal(force, s->grains[0].force.z, 1e-6 * force);
  assert_float_equal(across, -s->grains[0].force.x, 1e-5 * force);
  double largest[2];
  lsdem_largest_pressures(s, largest);
  assert_true(largest[0] == most && largest[1] == 0);
  run_close(&r);
}

/* A pressed pair: the one that has no nodes asked is coloured by what presses on it. */
static void test_both_of_a_pair_are_coloured(void **state)
{
  (void)state;
  sim_run r = lsdem_open(LSDEM_STONE, "{\"contact_stiffness\": 1e6}",
                         "[{\"name\": \"balls\", \"material\": \"stone\", \"spacing\": 0.1, \"shape\": {\"type\": \"sphere\", \"radius\": "
                         "1}, \"placement\": {\"type\": \"list\", \"positions\": [[0, 0, 0], "
                         "[0, 0, 1.96]]}}]",
                         LSDEM_NO_RIG, "[]", "{\"duration\": 1}", "\"passes\": \"one_sided\"", 1);
  double largest[2];
  lsdem_forces(lsdem_of(&r));
  lsdem_largest_pressures(lsdem_of(&r), largest);
  assert_true(largest[0] > 1e4 && largest[0] == largest[1]);
  run_close(&r);
}

SUITE(test_lsdem_curves)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_fabric_is_the_mean_of_contacts_normals),
      cmocka_unit_test(test_energies_are_told_apart_by_kinds_of_modes),
      cmocka_unit_test(test_tractions_are_told_at_nodes),
      cmocka_unit_test(test_both_of_a_pair_are_coloured),
      cmocka_unit_test(test_a_bent_bar_has_its_energy_in_bending),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
