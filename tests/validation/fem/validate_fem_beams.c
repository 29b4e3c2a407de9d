/* Beams of the method fem by linear statics and modes, for each formulation. References: the spec's prototype in numpy and CalculiX 2.20
 * (checks 4, 5, 6), beam theory. */
#include <math.h>
#include <stdio.h>

#include "linalg/eigenpairs.h"
#include "tests/support/claim.h"
#include "tests/support/fem_blocks.h"
#include "tests/support/suites.h"

/* A beam along x from x = 0, clamped there. */
typedef struct beam {
  geo_hexes mesh;
  fem_system system;
  geo_hexes_surface surface;
  la_sparse stiffness, mass;
  bool *fixed;
} beam;

static const double young = 1e8, nu = 0.3, density = 1000;

/* Scalar matrix of blocks, or of masses where `block` is NULL; clamped unknowns have `diagonal` on the diagonal alone. */
static void fill(const fem_system *s, const bool *fixed, const double *block, double diagonal, la_sparse *matrix)
{
  assert_int_equal(fem_system_matrix(s, matrix, NULL), SCR_OK);
  for (size_t c = 0; c < s->node_count; c++)
    for (size_t k = s->first[c]; k < s->first[c + 1]; k++)
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
          size_t row = 3 * (size_t)s->row[k] + (size_t)i, column = 3 * c + (size_t)j;
          double value = block ? block[9 * k + (size_t)(3 * i + j)] : i == j ? s->mass[k] : 0;
          if (fixed[row] || fixed[column]) value = row == column ? diagonal : 0;
          matrix->value[fem_matrix_slot(s, c, k, i, j)] = value;
        }
}

static beam make_beam(const double size[3], uint32_t nx, uint32_t ny, uint32_t nz, fem_formulation formulation, double poisson)
{
  beam b = {0};
  const uint32_t cells[3] = {nx, ny, nz};
  b.mesh = fem_test_box(size, cells, 0, true);
  for (size_t n = 0; n < b.mesh.node_count; n++) b.mesh.node[n][0] += 0.5 * size[0];
  b.system = fem_test_system(&b.mesh, fem_test_matter(FEM_LINEAR, formulation, young, poisson), density);
  b.fixed = calloc(3 * b.system.node_count, sizeof *b.fixed);
  double *u = mem_array(3 * b.system.node_count, sizeof *u), *mode = mem_array(9 * b.system.hex_count, sizeof *mode);
  double *gradient = mem_array(3 * b.system.node_count, sizeof *gradient), *block = mem_array(9 * b.system.block_count, sizeof *block);
  assert_true(b.fixed && u && mode && gradient && block);
  size_t bad;
  for (size_t n = 0; n < b.system.node_count; n++)
    for (size_t k = 0; k < 3; k++) b.fixed[3 * n + k] = b.system.rest[3 * n] < 1e-9;
  (void)fem_system_evaluate(&b.system, u, mode, false, gradient, block, execution_of(1), &bad);
  fill(&b.system, b.fixed, block, young * size[2], &b.stiffness);
  mem_free(u), mem_free(mode), mem_free(gradient), mem_free(block);
  return b;
}

static void clear_beam(beam *b)
{
  free(b->fixed);
  la_sparse_clear(&b->stiffness);
  la_sparse_clear(&b->mass);
  fem_system_clear(&b->system);
  geo_hexes_clear(&b->mesh);
}

/* Deflection of the tip, mean over the end's face, under a load of 10 mN spread evenly over it, over Timoshenko's for kappa =
 * 10(1+nu)/(12+11nu). */
static double tip(const double size[3], uint32_t nx, uint32_t ny, uint32_t nz, fem_formulation formulation, double poisson)
{
  beam b = make_beam(size, nx, ny, nz, formulation, poisson);
  size_t n = 3 * b.system.node_count;
  double *load = mem_array(n, sizeof *load), *share = mem_array(n, sizeof *share), cell = 0.25 / (ny * nz), sum = 0;
  la_factor *factor;
  assert_true(load && share);
  for (size_t e = 0; e < b.system.hex_count; e++)
    for (int a = 0; a < 8; a++)
      if (b.system.rest[3 * (size_t)b.system.hex[e][a]] > size[0] * (1 - 1e-9)) load[3 * (size_t)b.system.hex[e][a] + 2] += -0.01 * cell;
  memcpy(share, load, n * sizeof *load);
  assert_int_equal(la_factor_create(LA_FACTOR_CHOLESKY, &factor, NULL), SCR_OK);
  assert_int_equal(la_factor_make(factor, &b.stiffness, NULL), SCR_OK);
  assert_int_equal(la_factor_solve(factor, load, 1, load, NULL), SCR_OK);
  for (size_t k = 2; k < n; k += 3) sum += load[k] * share[k] / -0.01;
  double inertia = size[1] * pow(size[2], 3) / 12, kappa = 10 * (1 + poisson) / (12 + 11 * poisson), shear = young / (2 * (1 + poisson));
  double exact = 0.01 * pow(size[0], 3) / (3 * young * inertia) + 0.01 * size[0] / (kappa * shear * size[1] * size[2]);
  la_factor_destroy(factor);
  mem_free(load);
  mem_free(share);
  clear_beam(&b);
  return -sum / exact;
}

static const double cantilever[3] = {0.1, 0.01, 0.01};

/* 100 x 10 x 10 mm, E = 0.1 GPa, nu = 0.3 (check 4). Plain elements lock in bending: at a fixed number of layers they converge to a wrong
 * value, at a fixed aspect from below to 0.99 of beam theory, the clamped end being three-dimensional. CalculiX's C3D8 agrees on four of
 * them to 6e-8. The numbers have four to six digits. */
static void test_a_cantilever_deflects_as_in_other_programs(void **state)
{
  static const struct {
    uint32_t n, layers;
    double tip, tolerance;
    const char *source;
  } plain[] = {{5, 1, .3671, 1e-4, "prototype, check 4"},
               {10, 1, .642879, 2e-6, "CalculiX 2.20 C3D8, check 4"},
               {20, 1, .7933, 1e-4, "prototype, check 4"},
               {40, 1, .8431, 1e-4, "prototype, check 4"},
               {80, 1, .8566, 1e-4, "prototype, check 4"},
               {20, 2, .869141, 2e-6, "CalculiX 2.20 C3D8, check 4"},
               {40, 2, .9310, 1e-4, "prototype, check 4"},
               {40, 4, .957534, 2e-6, "CalculiX 2.20 C3D8, check 4"},
               {60, 6, .976599, 2e-6, "CalculiX 2.20 C3D8, check 4"},
               {80, 8, .9836, 1e-4, "prototype, check 4"}};
  static const struct {
    uint32_t n, layers;
    double tip;
  } modes[] = {{10, 1, .9856}, {20, 2, .9868}, {40, 4, .9905}, {60, 6, .9917}};
  char name[96];
  (void)state;
  for (size_t k = 0; k < sizeof plain / sizeof *plain; k++) {
    snprintf(name, sizeof name, "tip over Timoshenko's, plain, %u x %u x %u", plain[k].n, plain[k].layers, plain[k].layers);
    claim_absolute(name, tip(cantilever, plain[k].n, plain[k].layers, plain[k].layers, FEM_PLAIN, nu), plain[k].tip, plain[k].tolerance,
                   plain[k].source);
  }
  for (size_t k = 0; k < sizeof modes / sizeof *modes; k++) {
    snprintf(name, sizeof name, "tip over Timoshenko's, incompatible modes, %u x %u x %u", modes[k].n, modes[k].layers, modes[k].layers);
    claim_absolute(name, tip(cantilever, modes[k].n, modes[k].layers, modes[k].layers, FEM_INCOMPATIBLE_MODES, nu), modes[k].tip, 1e-4,
                   "CalculiX 2.20 C3D8I, check 4");
  }
}

/* One layer of elements of length a and height h with nu = 0 deflects by 1/(1 + (a/h)^2/2) of beam theory (check 5, derived). */
static void test_one_layer_locks_by_its_formula(void **state)
{
  static const uint32_t n[4] = {5, 10, 20, 40};
  char name[96];
  (void)state;
  for (int k = 0; k < 4; k++) {
    double aspect = 10.0 / n[k];
    snprintf(name, sizeof name, "tip over Timoshenko's, nu = 0, a/h = %g", aspect);
    claim_relative(name, tip(cantilever, n[k], 1, 1, FEM_PLAIN, 0), 1 / (1 + 0.5 * aspect * aspect), 0.01, "1/(1 + (a/h)^2/2), check 5");
  }
}

/* Nearly incompressible beams: plain elements lock in volume, b-bar ones do not, which shows where bending alone does not lock: in a beam
 * of many layers. */
static void test_b_bar_does_not_lock_in_volume(void **state)
{
  (void)state;
  double stiff = tip(cantilever, 40, 4, 4, FEM_PLAIN, 0.4999), soft = tip(cantilever, 40, 4, 4, FEM_B_BAR, 0.4999);
  claim_between("tip over Timoshenko's, plain, nu = 0.4999", stiff, 0, 0.6, "locks");
  claim_between("tip over Timoshenko's, b-bar, nu = 0.4999", soft, 0.93, 1, "as plain ones at nu = 0.3 (.9575), not locked in volume");
}

/* First frequency over Euler and Bernoulli's 51.0835 Hz with the consistent mass (check 6). */
static void test_a_cantilever_rings_as_in_other_programs(void **state)
{
  static const struct {
    uint32_t n, layers;
    double ratio;
  } cases[] = {{10, 1, 1.2387}, {20, 2, 1.0665}, {40, 4, 1.0156}, {60, 6, 1.0055}, {80, 8, 1.0018}};
  char name[96];
  (void)state;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    if (cases[k].n == 80 && !claim_slow_part("the frequency of 80 x 8 x 8 elements")) break;
    beam b = make_beam(cantilever, cases[k].n, cases[k].layers, cases[k].layers, FEM_PLAIN, nu);
    fill(&b.system, b.fixed, NULL, 1e-12, &b.mass); /* clamped unknowns ring at a frequency far above */
    double values[2], *vectors = mem_array(2 * 3 * b.system.node_count, sizeof *vectors);
    const la_eigen_options options = {.count = 2};
    scr_error error = {0};
    if (la_eigenpairs(&b.stiffness, &b.mass, &options, values, vectors, &error) != SCR_OK) fail_msg("%s", error.message);
    snprintf(name, sizeof name, "first frequency over Euler-Bernoulli's, %u x %u x %u", cases[k].n, cases[k].layers, cases[k].layers);
    claim_absolute(name, sqrt(values[0]) / (2 * M_PI) / 51.0835, cases[k].ratio, 2e-4, "prototype, check 6");
    mem_free(vectors);
    clear_beam(&b);
  }
}

/* The order in which the matrix is eliminated: METIS' on a cube, where it saves most. The spec's runs of CHOLMOD on 24^3 have 29.5 million
 * entries in METIS' order and 48.4 in AMD's, 37 and 121 Gflop (section 7): the fill itself shows which one is in use. Another release of
 * METIS cuts a little differently. */
static void test_metis_orders_cubes(void **state)
{
  const double size[3] = {1, 1, 1};
  (void)state;
  beam b = make_beam(size, 24, 24, 24, FEM_PLAIN, nu);
  la_factor *factor;
  assert_int_equal(la_factor_create(LA_FACTOR_CHOLESKY, &factor, NULL), SCR_OK);
  assert_int_equal(la_factor_analyse(factor, &b.stiffness, NULL), SCR_OK);
  la_factor_cost foreseen = la_factor_estimate(factor);
  assert_string_equal(foreseen.order, "METIS");
  claim_relative("entries of the factor of 24 x 24 x 24 elements, millions", foreseen.entries / 1e6, 29.5, 0.12,
                 "CHOLMOD with METIS; with AMD 48.4");
  claim_relative("operations to make it, Gflop", foreseen.operations / 1e9, 37, 0.25, "CHOLMOD with METIS; with AMD 121");
  la_factor_destroy(factor);
  clear_beam(&b);
}

SUITE(validate_fem_beams)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_cantilever_deflects_as_in_other_programs),
      cmocka_unit_test(test_one_layer_locks_by_its_formula),
      cmocka_unit_test(test_b_bar_does_not_lock_in_volume),
      cmocka_unit_test(test_a_cantilever_rings_as_in_other_programs),
      cmocka_unit_test(test_metis_orders_cubes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
