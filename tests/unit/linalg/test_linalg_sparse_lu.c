/* Sparse factors L U of matrices that are not symmetric, by both libraries.
 *
 * Reference: residuals of the systems themselves; sizes and patterns of the kind that M + H' B H has, values far from symmetric. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "linalg/sparse_lu.h"
#include "tests/support/suites.h"

enum { side = 12, size = side * side };
static const la_lu_kind kinds[] = {LA_LU_KLU, LA_LU_UMFPACK};

static double uniform(uint64_t *seed)
{
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return ((double)(*seed >> 11) + 0.5) * 0x1p-53;
}

/* A grid's pattern with random values of either sign and a weak diagonal, so that pivoting has something to do. */
static la_sparse random_grid(uint64_t seed)
{
  static la_triplet entry[5 * size];
  size_t count = 0;
  for (uint32_t k = 0; k < size; k++) {
    const uint32_t others[] = {k, k >= side ? k - side : k, k + side < size ? k + side : k, k % side ? k - 1 : k,
                               k % side + 1 < side ? k + 1 : k};
    for (size_t j = 0; j < 5; j++)
      if (j == 0 || others[j] != k) entry[count++] = (la_triplet){k, others[j], (uniform(&seed) - 0.5) * (j == 0 ? 0.5 : 1.0)};
  }
  la_sparse matrix;
  assert_int_equal(la_sparse_from_triplets(size, size, entry, count, &matrix, NULL), SCR_OK);
  return matrix;
}

static double residual_of(const la_sparse *matrix, const double *x, const double *b)
{
  double product[size], largest = 0.0;
  la_sparse_multiply(matrix, x, product);
  for (size_t k = 0; k < size; k++) largest = fmax(largest, fabs(product[k] - b[k]));
  return largest;
}

static void test_solutions_satisfy_their_systems(void **state)
{
  (void)state;
  for (size_t kind = 0; kind < 2; kind++) {
    la_lu *lu;
    double b[size], x[size];
    assert_int_equal(la_lu_create(kinds[kind], &lu, NULL), SCR_OK);
    for (uint64_t seed = 1; seed <= 20; seed++) {
      la_sparse matrix = random_grid(seed);
      uint64_t other = seed + 100;
      for (size_t k = 0; k < size; k++) b[k] = uniform(&other);
      assert_int_equal(la_lu_make(lu, &matrix, NULL), SCR_OK);
      assert_int_equal(la_lu_solve(lu, b, x, NULL), SCR_OK);
      if (residual_of(&matrix, x, b) > 1e-9) fail_msg("seed %u: %g left", (unsigned)seed, residual_of(&matrix, x, b));
      assert_true(la_lu_fill(lu) >= matrix.first[size]);
      la_sparse_clear(&matrix);
    }
    assert_int_equal(la_lu_analysis_count(lu), 1); /* one pattern, analysed once */
    la_lu_destroy(lu);
  }
}

static void test_the_same_matrix_gives_the_same_bits(void **state)
{
  (void)state;
  for (size_t kind = 0; kind < 2; kind++) {
    double b[size], first[size], again[size];
    la_sparse matrix = random_grid(7);
    for (size_t k = 0; k < size; k++) b[k] = 1.0 / (double)(k + 1);
    for (int turn = 0; turn < 2; turn++) {
      la_lu *lu;
      assert_int_equal(la_lu_create(kinds[kind], &lu, NULL), SCR_OK);
      assert_int_equal(la_lu_make(lu, &matrix, NULL), SCR_OK);
      assert_int_equal(la_lu_solve(lu, b, turn ? again : first, NULL), SCR_OK);
      la_lu_destroy(lu);
    }
    assert_memory_equal(first, again, sizeof first);
    la_sparse_clear(&matrix);
  }
}

static void test_what_has_no_factor_is_refused_and_can_be_followed_by_one_that_has(void **state)
{
  (void)state;
  for (size_t kind = 0; kind < 2; kind++) {
    la_lu *lu;
    scr_error error;
    double b[size] = {1.0}, x[size];
    la_sparse matrix = random_grid(3), oblong, good = random_grid(4);
    assert_int_equal(la_lu_create(kinds[kind], &lu, NULL), SCR_OK);
    assert_int_equal(la_lu_solve(lu, b, x, &error), SCR_BAD_USAGE);
    for (size_t k = matrix.first[5]; k < matrix.first[6]; k++) matrix.value[k] = 0.0; /* a column of zeros */
    assert_int_equal(la_lu_make(lu, &matrix, &error), SCR_DIVERGED);
    assert_non_null(strstr(error.message, "singular"));
    assert_int_equal(la_lu_solve(lu, b, x, &error), SCR_BAD_USAGE);
    assert_int_equal(la_lu_fill(lu), 0);
    matrix.value[matrix.first[5]] = NAN;
    assert_int_equal(la_lu_make(lu, &matrix, &error), SCR_DIVERGED);
    assert_int_equal(la_lu_make(lu, &good, NULL), SCR_OK);
    assert_int_equal(la_lu_solve(lu, b, x, NULL), SCR_OK);
    assert_true(residual_of(&good, x, b) < 1e-9);
    const la_triplet one = {0, 0, 1.0};
    assert_int_equal(la_sparse_from_triplets(2, 1, &one, 1, &oblong, NULL), SCR_OK);
    assert_int_equal(la_lu_make(lu, &oblong, &error), SCR_BAD_USAGE);
    la_sparse_clear(&oblong);
    la_sparse_clear(&matrix);
    la_sparse_clear(&good);
    la_lu_destroy(lu);
  }
  la_lu_destroy(NULL);
}

SUITE(test_linalg_sparse_lu)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_solutions_satisfy_their_systems),
      cmocka_unit_test(test_the_same_matrix_gives_the_same_bits),
      cmocka_unit_test(test_what_has_no_factor_is_refused_and_can_be_followed_by_one_that_has),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
