/* The method fem: how coarse a mesh may be, and what its stiffness must be scaled by. References: the spec's prototype in numpy (check 12),
 * the closed form for one layer in bending. */
#include <math.h>
#include <stdio.h>

#include "methods/fem/coarsen/modes.h"
#include "tests/support/claim.h"
#include "tests/support/fem_blocks.h"
#include "tests/support/suites.h"

/* A beam of 100 x 10 x 10 mm, E = 0.1 GPa, nu = 0.3, 1000 kg/m^3, clamped at x = 0, with its lowest modes. */
typedef struct beam {
  geo_hexes mesh;
  fem_system system;
  fem_modes modes;
} beam;

static beam make_beam(uint32_t n, uint32_t layers, size_t count)
{
  const double size[3] = {0.1, 0.01, 0.01};
  const uint32_t cells[3] = {n, layers, layers};
  beam b = {.mesh = fem_test_box(size, cells, 0, true)};
  scr_error error = {0};
  for (size_t k = 0; k < b.mesh.node_count; k++) b.mesh.node[k][0] += 0.05;
  b.system = fem_test_system(&b.mesh, fem_test_matter(FEM_LINEAR, FEM_PLAIN, 1e8, 0.3), 1000);
  unsigned char *fixed = calloc(3, b.system.node_count);
  assert_non_null(fixed);
  size_t free_count = 0;
  for (size_t k = 0; k < 3 * b.system.node_count; k++) fixed[k] = b.system.rest[k - k % 3] < 1e-9, free_count += !fixed[k];
  if (fem_modes_find(&b.system, fixed, count < free_count ? count : free_count, &b.modes, &error) != SCR_OK) fail_msg("%s", error.message);
  free(fixed);
  return b;
}

static void clear_beam(beam *b)
{
  fem_modes_clear(&b->modes);
  fem_system_clear(&b->system);
  geo_hexes_clear(&b->mesh);
}

/* Coarse meshes against 60 x 6 x 6 elements (51.363 and 308.28 Hz in bending, 456.5 Hz in torsion, 790.6 in stretch): stiffness scale s to
 * 0.002, match of the first and second pair of bending modes, frequencies after scaling; the coarsest mesh that matches both pairs to 0.99
 * is 4 x 1 x 1 (check 12). */
static void test_coarse_beams_against_a_fine_one(void **state)
{
  static const struct {
    uint32_t n, layers;
    double s, mac1, mac2, bending,
        torsion; /* second pair's frequency and that of torsion over the fine ones after scaling; 0: not resolved */
  } cases[] = {{2, 1, .0994, .9952, .974, 1.121, 0},     {4, 1, .2875, .9996, .993, 1.062, .580}, {5, 1, .3780, .9999, .997, 1.042, .663},
               {10, 1, .6588, 1.0, .9998, 1.0105, .873}, {20, 1, .8127, 1.0, 1.0, 1.0022, .968},  {40, 1, .8638, 1.0, 1.0, 1.0001, .998},
               {20, 2, .8888, 1, 1, 1.0051, 1.013},      {40, 2, .9527, 1, 1, 1.0031, 1.048}};
  static const double fine_frequency[3] = {51.363, 308.28, 456.5};
  (void)state;
  beam fine = make_beam(60, 6, 8);
  uint32_t chosen = 0;
  claim_relative("first bending, Hz", fem_mode_frequency(&fine.modes, 0), fine_frequency[0], 1e-4, "prototype, check 12");
  claim_relative("second bending, Hz", fem_mode_frequency(&fine.modes, 2), fine_frequency[1], 1e-4, "prototype, check 12");
  claim_relative("torsion, Hz", fem_mode_frequency(&fine.modes, 4), fine_frequency[2], 1e-3, "prototype, check 12");
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    beam coarse = make_beam(cases[k].n, cases[k].layers, 10);
    fem_prolongation p;
    fem_match match[8];
    size_t count;
    char name[96];
    scr_error error = {0};
    if (fem_prolong_find(&fine.system, &coarse.system, &p, &error) != SCR_OK) fail_msg("%s", error.message);
    if (fem_match_modes(&fine.system, &fine.modes, &coarse.modes, &p, match, &count, &error) != SCR_OK) fail_msg("%s", error.message);
    double s = fine.modes.value[0] / coarse.modes.value[0];
    snprintf(name, sizeof name, "stiffness scale, %u x %u x %u", cases[k].n, cases[k].layers, cases[k].layers);
    claim_absolute(name, s, cases[k].s, 2e-3, "prototype, check 12");
    snprintf(name, sizeof name, "match of the first pair, %u x %u x %u", cases[k].n, cases[k].layers, cases[k].layers);
    claim_absolute(name, match[0].mac, cases[k].mac1, 1e-3, "prototype, check 12");
    snprintf(name, sizeof name, "match of the second pair, %u x %u x %u", cases[k].n, cases[k].layers, cases[k].layers);
    claim_absolute(name, match[1].mac, cases[k].mac2, 1e-3, "prototype, check 12");
    snprintf(name, sizeof name, "second bending after scaling over the fine one, %u x %u x %u", cases[k].n, cases[k].layers,
             cases[k].layers);
    claim_absolute(name, match[1].ratio * sqrt(s), cases[k].bending, 2e-3, "prototype, check 12");
    snprintf(name, sizeof name, "torsion after scaling over the fine one, %u x %u x %u", cases[k].n, cases[k].layers, cases[k].layers);
    if (cases[k].torsion > 0) claim_absolute(name, match[2].ratio * sqrt(s), cases[k].torsion, 2e-3, "prototype, check 12");
    if (!chosen && match[0].mac >= 0.99 && match[1].mac >= 0.99) chosen = cases[k].n;
    if (cases[k].layers == 1 && cases[k].n >= 4) {
      double a = 0.1 / cases[k].n, h = 0.01, mu = 1e8 / 2.6, lambda = 1e8 * 0.3 / (1.3 * 0.4), stiff = lambda + 2 * mu;
      snprintf(name, sizeof name, "stiffness scale over the closed form, %u x 1 x 1", cases[k].n);
      claim_relative(name, s * (stiff - lambda * lambda / (stiff + mu) + mu * a * a / (h * h)) / 1e8, 1, 0.03,
                     "derived for bending, spec 3.9");
    }
    fem_prolong_clear(&p);
    clear_beam(&coarse);
  }
  claim_between("elements of the coarsest mesh that matches both pairs to 0.99", chosen, 4, 4, "check 12: 4 x 1 x 1");
  clear_beam(&fine);
}

/* A mesh matches itself exactly, and a mesh beside it is refused. */
static void test_a_mesh_matches_itself(void **state)
{
  (void)state;
  beam one = make_beam(10, 1, 6), other = make_beam(10, 1, 6);
  fem_prolongation p;
  fem_match match[6];
  size_t count;
  assert_int_equal(fem_prolong_find(&one.system, &other.system, &p, NULL), SCR_OK);
  assert_int_equal(fem_match_modes(&one.system, &one.modes, &other.modes, &p, match, &count, NULL), SCR_OK);
  assert_true(count >= 2);
  for (size_t k = 0; k < count; k++) assert_true(fabs(match[k].mac - 1) < 1e-9 && fabs(match[k].ratio - 1) < 1e-12);
  fem_prolong_clear(&p);
  for (size_t k = 0; k < one.system.node_count; k++) one.system.rest[3 * k] += 0.02;
  assert_int_equal(fem_prolong_find(&one.system, &other.system, &p, NULL), SCR_BAD_USAGE);
  clear_beam(&one);
  clear_beam(&other);
}

SUITE(validate_fem_coarsening)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_coarse_beams_against_a_fine_one),
      cmocka_unit_test(test_a_mesh_matches_itself),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
