/* Grains of as many modes as there may be, of a mode basis written for the test. Reference: oscillators, and conservation. */
#include "tests/support/lsdem_run.h"

#include "geometry/basis/basis.h"
#include "geometry/hexes/blocks.h"
#include "tests/support/folder.h"
#include "tests/support/suites.h"

static const double edge = 0.1, frequency = 1000; /* m, rad/s */

/* 64 standing waves in a cube: along each axis the product of cos(pi i x'/L) cos(pi j y'/L) cos(pi k z'/L) with x' from a corner, i, j, k
 * in 0, 2, 4, not all 0: these have neither momentum nor angular momentum. With K = w^2 M all of them, and all their sums, swing at w. */
static char *write_basis(const char *folder)
{
  const double size[3] = {edge, edge, edge};
  const uint32_t cells[3] = {8, 8, 8};
  geo_basis basis = {.density = 1000, .young_modulus = 1e6, .poisson_ratio = 0.25, .mode_count = LSDEM_MODE_LIMIT};
  assert_int_equal(LSDEM_MODE_LIMIT, 64);
  assert_int_equal(geo_hexes_box(size, cells, &basis.mesh, NULL), SCR_OK);
  assert_int_equal(geo_basis_allocate(&basis, NULL), SCR_OK);
  for (size_t a = 0; a < LSDEM_MODE_LIMIT; a++) {
    size_t wave = a / 3 + 1;
    for (size_t n = 0; n < basis.mesh.node_count; n++) {
      double product = 1;
      size_t digits = wave;
      for (int d = 0; d < 3; d++, digits /= 3) product *= cos(2 * M_PI * (double)(digits % 3) * (basis.mesh.node[n][d] / edge + 0.5));
      basis.field[3 * (a * basis.mesh.node_count + n) + a % 3] = product;
    }
  }
  geo_basis_integrate_mass(&basis.mesh, basis.density, basis.field, LSDEM_MODE_LIMIT, basis.mass);
  for (size_t k = 0; k < (size_t)LSDEM_MODE_LIMIT * LSDEM_MODE_LIMIT; k++) basis.stiffness[k] = frequency * frequency * basis.mass[k];
  text_builder text = {0};
  geo_basis_write(&basis, &text);
  size_t length = text.length;
  char *bytes = text_take(&text), *path = folder_path(folder, "waves.basis");
  assert_int_equal(scr_write_file(path, bytes, length, NULL), SCR_OK);
  scr_free(bytes);
  geo_basis_clear(&basis);
  return path;
}

static sim_run open_cubes(const char *folder, const char *more)
{
  char text[2000];
  snprintf(text, sizeof text,
           "{\"scree\": 1, \"name\": \"waves\", \"method\": \"lsdem\", \"materials\": [{\"name\": \"stone\", \"density\": 1000, "
           "\"young_modulus\": 1e6, \"poisson_ratio\": 0.25}], \"contact\": "
           "{\"contact_stiffness\": 1e7}, \"specimens\": [{\"name\": \"cube\", \"material\": \"stone\", \"spacing\": 0.025, "
           "\"grid_spacing\": 0.02, \"modes\": \"basis\", \"mode_basis\": \"waves.basis\", "
           "\"mode_count\": 64, \"mode_damping_ratio\": 0, \"shape\": {\"type\": \"box\", \"size\": [0.1, 0.1, 0.1]}%s}], \"rig\": "
           "{\"type\": \"none\"}, \"time\": {\"duration\": 1, "
           "\"time_step\": 2e-5}}",
           more);
  return run_open_with(text, 1, &(scr_asset_source){.beside = folder});
}

/* Any amplitudes: eps(t) = eps(0) cos(w t), for a time step of a fiftieth of 1/w to 1e-4 of it; central differences are w dt/24 too quick
 * in the square. */
static void test_sixty_four_modes_swing_as_oscillators(void **state)
{
  (void)state;
  char *folder = folder_create(), *path = write_basis(folder);
  sim_run r = open_cubes(folder, "");
  lsdem_state *s = lsdem_of(&r);
  double start[LSDEM_MODE_LIMIT], largest = 0;
  assert_int_equal(s->amplitude_count, 64);
  for (size_t a = 0; a < 64; a++) s->amplitude[a] = start[a] = 2e-6 * sin(1.7 * (double)a + 0.3);
  run_until(&r, 0.004);
  double phase = frequency * r.sim->time;
  for (size_t a = 0; a < 64; a++) largest = fmax(largest, fabs(s->amplitude[a] - start[a] * cos(phase)));
  if (!(largest < 2e-6 * 3e-4)) fail_msg("a mode is off by %.3g m of 2e-6 m", largest);
  run_close(&r);
  free(path);
  folder_remove(folder);
}

/* Two cubes of 64 modes that strike each other: momentum to rounding, energy to 1e-3 of what they had, and modes that have taken a part of
 * it. What contacts keep for modes is by how many there are. */
static void test_grains_of_sixty_four_modes_collide_without_loss(void **state)
{
  (void)state;
  char *folder = folder_create(), *path = write_basis(folder);
  sim_run r = open_cubes(folder, ", \"placement\": {\"type\": \"list\", \"positions\": [[0, 0, 0], [0.1005, 0.003, 0.002]]}");
  lsdem_state *s = lsdem_of(&r);
  s->grains[0].velocity = vec3(0.1, 0, 0), s->grains[1].velocity = vec3(-0.1, 0, 0);
  s->ledger->start = lsdem_kinetic(s);
  run_until(&r, 0.03);
  assert_true(fabs(run_curve(&r, "energy.balance_error")) < 1e-3);
  assert_true(s->grains[0].velocity.x < 0 && s->grains[1].velocity.x > 0);
  assert_true(fabs(s->grains[0].velocity.x + s->grains[1].velocity.x) < 1e-13);
  assert_true(run_value(&r, "energy.modal") + run_value(&r, "energy.elastic") > 1e-4 * s->ledger->start);
  assert_int_equal(s->near.modes, 64);
  run_close(&r);
  free(path);
  folder_remove(folder);
}

SUITE(test_lsdem_many_modes)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sixty_four_modes_swing_as_oscillators),
      cmocka_unit_test(test_grains_of_sixty_four_modes_collide_without_loss),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
