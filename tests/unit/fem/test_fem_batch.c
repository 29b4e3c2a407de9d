/* Elements side by side in batches. References: the elements by themselves (whose formulas test_fem_element holds against finite
 * differences), and finite differences. */
#include <math.h>

#include "tests/support/claim.h"
#include "tests/support/fem_blocks.h"
#include "tests/support/suites.h"

static const fem_law laws[2] = {FEM_LINEAR, FEM_NEO_HOOKEAN};
static const fem_formulation formulations[2] = {FEM_PLAIN, FEM_INCOMPATIBLE_MODES};

/* Elements of a batch and how they are displaced. */
typedef struct elements {
  fem_hex hex[FEM_LANES];
  fem_constitutive matter[FEM_LANES];
  double u[FEM_LANES][8][3], mode[FEM_LANES][9], x[FEM_LANES][24];
} elements;

/* Distorted elements of different matter. @param strain of the displacements, without the size of a turn */
static void random_elements(uint64_t *seed, fem_law law, fem_formulation formulation, double strain, elements *e)
{
  for (int l = 0; l < FEM_LANES; l++) {
    double corner[8][3];
    for (int a = 0; a < 8; a++)
      for (int k = 0; k < 3; k++) {
        corner[a][k] = 0.5 * geo_hex_sign[a][k] + 0.1 * fem_random(seed);
        e->u[l][a][k] = strain * fem_random(seed);
        e->x[l][3 * a + k] = fem_random(seed);
      }
    for (int r = 0; r < 9; r++) e->mode[l][r] = 0.01 * fem_random(seed);
    fem_hex_prepare((const double(*)[3])corner, &e->hex[l]);
    e->matter[l] = fem_test_matter(law, formulation, 1 + l, 0.3 - 0.1 * l);
  }
}

static void make_batch(const elements *e, fem_batch *batch, fem_batch_values *values)
{
  const fem_hex *shape[FEM_LANES];
  const fem_constitutive *matter[FEM_LANES];
  for (int l = 0; l < FEM_LANES; l++) {
    shape[l] = &e->hex[l], matter[l] = &e->matter[l];
    for (int r = 0; r < 24; r++) values->displacement[r][l] = e->u[l][r / 3][r % 3];
    for (int r = 0; r < 9; r++) values->mode[r][l] = e->mode[l][r];
  }
  fem_batch_prepare(shape, matter, FEM_LANES, batch);
}

/* Displaced by 0.02 and by 0.2 of an edge: the logarithm's series, and what it does not reach. Modes end where forces on them are 1e-14 of
 * what they are sums of, so all agree to rounding. */
static void test_a_batch_is_its_elements(void **state)
{
  static const double strains[2] = {0.02, 0.2};
  (void)state;
  uint64_t seed = 3;
  double worst[3] = {0};
  int far = 0;
  for (int c = 0; c < 8; c++)
    for (int trial = 0; trial < 6; trial++) {
      elements e;
      fem_batch batch;
      fem_batch_values v;
      random_elements(&seed, laws[c & 1], formulations[c >> 1 & 1], strains[c >> 2], &e);
      make_batch(&e, &batch, &v);
      unsigned good = fem_batch_evaluate(&batch, &v);
      for (int l = 0; l < FEM_LANES; l++) {
        double energy, gradient[24];
        const fem_element_out out = {&energy, gradient, NULL};
        if (!(good >> l & 1)) continue;
        far += c >= 4;
        assert_true(fem_element_evaluate(&e.hex[l], &e.matter[l], (const double(*)[3])e.u[l], e.mode[l], false, &out));
        worst[0] = fmax(worst[0], fabs(v.energy[l] / energy - 1));
        for (int r = 0; r < 24; r++) worst[1] = fmax(worst[1], fabs(v.gradient[r][l] - gradient[r]));
        for (int r = 0; r < 9 && formulations[c >> 1 & 1] == FEM_INCOMPATIBLE_MODES; r++)
          worst[2] = fmax(worst[2], fabs(v.mode[r][l] - e.mode[l][r]));
      }
      assert_true(c >= 4 || good == (1u << FEM_LANES) - 1);
    }
  claim_absolute("energy of elements in batches, the largest relative difference", worst[0], 0, 1e-13, "the elements by themselves");
  claim_absolute("forces of elements in batches, the largest difference over their modulus", worst[1], 0, 1e-14, "the same");
  claim_absolute("modes of elements in batches, the largest difference over an edge", worst[2], 0, 1e-14, "the same");
  assert_true(far > 24); /* most of the strongly displaced ones are no exceptions */
}

/* A product with the stiffness is that with the element's own, modes condensed. */
static void test_a_product_is_that_of_the_stiffness(void **state)
{
  (void)state;
  double worst = 0;
  uint64_t seed = 7;
  for (int c = 0; c < 4; c++)
    for (int trial = 0; trial < 6; trial++) {
      elements e;
      fem_batch batch;
      fem_batch_values v;
      fem_batch_product p;
      random_elements(&seed, laws[c & 1], formulations[c >> 1], 0.08, &e);
      make_batch(&e, &batch, &v);
      assert_int_equal(fem_batch_evaluate(&batch, &v), (1 << FEM_LANES) - 1);
      memcpy(p.displacement, v.displacement, sizeof p.displacement);
      memcpy(p.mode, v.mode, sizeof p.mode);
      for (int l = 0; l < FEM_LANES; l++)
        for (int r = 0; r < 24; r++) p.x[r][l] = e.x[l][r];
      assert_int_equal(fem_batch_multiply(&batch, &p), (1 << FEM_LANES) - 1);
      for (int l = 0; l < FEM_LANES; l++) {
        double stiffness[576];
        const fem_element_out out = {NULL, NULL, stiffness};
        assert_true(fem_element_evaluate(&e.hex[l], &e.matter[l], (const double(*)[3])e.u[l], e.mode[l], false, &out));
        for (int r = 0; r < 24; r++) {
          double sum = 0;
          for (int k = 0; k < 24; k++) sum += stiffness[24 * r + k] * e.x[l][k];
          worst = fmax(worst, fabs(p.y[r][l] - sum));
        }
      }
    }
  claim_absolute("stiffness times a vector, the largest difference over the modulus", worst, 0, 1e-13, "the matrix times the vector");
}

/* What an element gets has the same bits whatever stands beside it, in any lane. */
static void test_bits_do_not_depend_on_neighbours(void **state)
{
  (void)state;
  uint64_t seed = 11;
  for (int c = 0; c < 4; c++) {
    elements e, other;
    fem_batch batch;
    fem_batch_values v, w;
    random_elements(&seed, laws[c & 1], formulations[c >> 1], 0.08, &e);
    random_elements(&seed, laws[c & 1], formulations[c >> 1], 0.001, &other);
    const int to = FEM_LANES - 1;
    other.hex[to] = e.hex[0], other.matter[to] = e.matter[0];
    memcpy(other.u[to], e.u[0], sizeof e.u[0]), memcpy(other.mode[to], e.mode[0], sizeof e.mode[0]);
    make_batch(&e, &batch, &v);
    (void)fem_batch_evaluate(&batch, &v);
    make_batch(&other, &batch, &w);
    (void)fem_batch_evaluate(&batch, &w);
    assert_true(v.energy[0] == w.energy[to]);
    for (int r = 0; r < 24; r++) assert_true(v.gradient[r][0] == w.gradient[r][to]);
    for (int r = 0; r < 9; r++) assert_true(v.mode[r][0] == w.mode[r][to]);
  }
}

/* One element folded, one pressed to 0.6 of its height, where modes are braced: these two are refused, the others are not, and a system of
 * such elements has the energy of the elements by themselves, its forces the gradient and its products the change of them (central
 * differences of 1e-6: 1e-8 of the largest). */
static void test_what_a_batch_refuses_is_evaluated_alone(void **state)
{
  (void)state;
  const double size[3] = {4, 1, 1}, h = 1e-6;
  const uint32_t cells[3] = {4, 1, 1};
  elements e;
  fem_batch batch;
  fem_batch_values v;
  uint64_t seed = 5;
  random_elements(&seed, FEM_NEO_HOOKEAN, FEM_INCOMPATIBLE_MODES, 0.01, &e);
  for (int a = 0; a < 8; a++) e.u[1][a][2] -= 0.4 * 0.5 * geo_hex_sign[a][2], e.u[2][a][0] -= 1.5 * 0.5 * geo_hex_sign[a][0];
  make_batch(&e, &batch, &v);
  assert_int_equal(fem_batch_evaluate(&batch, &v), (1 << FEM_LANES) - 1 - 2 - 4);
  for (int l = 0; l < FEM_LANES; l++) e.matter[l].formulation = FEM_PLAIN; /* which has no modes to brace */
  make_batch(&e, &batch, &v);
  assert_int_equal(fem_batch_evaluate(&batch, &v), (1 << FEM_LANES) - 1 - 4);

  geo_hexes mesh = fem_test_box(size, cells, 0.05, false);
  fem_system system = fem_test_system(&mesh, fem_test_matter(FEM_NEO_HOOKEAN, FEM_INCOMPATIBLE_MODES, 1, 0.3), 1);
  double u[60], x[60], y[60], gradient[60], high[60], low[60], mode[36] = {0}, alone = 0, most = 0;
  size_t bad;
  assert_int_equal(system.node_count, 20);
  for (int k = 0; k < 60; k++) {
    double along = system.rest[k - k % 3];
    u[k] = 0.02 * fem_random(&seed) + (k % 3 == 2 && along < 0 ? -0.45 * system.rest[k] : 0), x[k] = fem_random(&seed);
  }
  double energy = fem_system_evaluate(&system, u, mode, false, gradient, NULL, execution_of(1), &bad);
  assert_int_equal(bad, SIZE_MAX);
  for (size_t n = 0; n < system.hex_count; n++) {
    double corners[8][3], own[9] = {0}, part;
    const fem_element_out out = {&part, NULL, NULL};
    for (int a = 0; a < 8; a++) memcpy(corners[a], u + 3 * system.hex[n][a], sizeof corners[a]);
    assert_true(fem_element_evaluate(&system.shape[n], system.constitutive, (const double(*)[3])corners, own, false, &out));
    alone += part;
  }
  claim_relative("energy of elements, one of them braced", energy, alone, 1e-13, "the elements by themselves");
  fem_system_multiply(&system, u, mode, x, y, execution_of(2));
  for (int k = 0; k < 60; k++) u[k] += h * x[k];
  double up = fem_system_evaluate(&system, u, mode, false, high, NULL, execution_of(2), &bad);
  for (int k = 0; k < 60; k++) u[k] -= 2 * h * x[k];
  double down = fem_system_evaluate(&system, u, mode, false, low, NULL, execution_of(1), &bad), along = 0;
  for (int k = 0; k < 60; k++) along += gradient[k] * x[k], most = fmax(most, fabs(y[k]));
  claim_relative("forces of elements, one of them braced, along a motion", along, (up - down) / (2 * h), 1e-7, "change of the energy");
  for (int k = 0; k < 60; k++) assert_true(fabs(y[k] - (high[k] - low[k]) / (2 * h)) < 1e-7 * most);
  fem_system_clear(&system);
  geo_hexes_clear(&mesh);
}

SUITE(test_fem_batch)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_batch_is_its_elements),
      cmocka_unit_test(test_a_product_is_that_of_the_stiffness),
      cmocka_unit_test(test_bits_do_not_depend_on_neighbours),
      cmocka_unit_test(test_what_a_batch_refuses_is_evaluated_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
