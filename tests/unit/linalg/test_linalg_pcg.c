/* The sparse solver: products, preconditioners and conjugate gradients on matrices built like a bonded solid's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "linalg/block6/pcg.h"
#include "linalg/vector.h"
#include "tests/support/suites.h"

enum { SIDE = 12, ROWS = SIDE * SIDE * SIDE };

static double uniform(uint64_t *seed)
{
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) * 0x1p-52 - 1.0;
}

/* Springs of random full 6 x 6 stiffness J^T J between the neighbours of a cubic grid, plus `ground` on the diagonal. */
static void grid_matrix(double ground, la_block_matrix *matrix)
{
  static uint32_t pairs[3 * ROWS][2];
  size_t count = 0;
  uint64_t seed = 5;
  for (uint32_t k = 0; k < ROWS; ++k) {
    if (k % SIDE + 1 < SIDE) memcpy(pairs[count++], (uint32_t[2]){k, k + 1}, 8);
    if (k / SIDE % SIDE + 1 < SIDE) memcpy(pairs[count++], (uint32_t[2]){k + SIDE, k}, 8);
    if (k / (SIDE * SIDE) + 1 < SIDE) memcpy(pairs[count++], (uint32_t[2]){k, k + SIDE * SIDE}, 8);
  }
  assert_int_equal(la_block_matrix_create(ROWS, (const uint32_t(*)[2])pairs, count, matrix, NULL), SCR_OK);
  for (size_t p = 0; p < count; ++p) {
    double j[36], *blocks[2][2];
    for (int k = 0; k < 36; ++k) j[k] = 0.3 * uniform(&seed) + (k % 7 == 0);
    for (int a = 0; a < 2; ++a)
      for (int b = 0; b < 2; ++b) blocks[a][b] = matrix->values + 36 * la_block_matrix_slot(matrix, pairs[p][a], pairs[p][b]);
    for (int r = 0; r < 6; ++r)
      for (int c = 0; c < 6; ++c) {
        double s = 0.0;
        for (int k = 0; k < 6; ++k) s += j[6 * k + r] * j[6 * k + c];
        for (int a = 0; a < 2; ++a)
          for (int b = 0; b < 2; ++b) blocks[a][b][6 * r + c] += a == b ? s : -s;
      }
  }
  for (size_t row = 0; row < ROWS; ++row)
    for (int d = 0; d < 6; ++d) matrix->values[36 * matrix->diagonal[row] + (size_t)(7 * d)] += ground;
}

static double *random_array(size_t count, uint64_t seed)
{
  double *a = mem_array(count, sizeof *a);
  assert_non_null(a);
  for (size_t k = 0; k < count; ++k) a[k] = uniform(&seed);
  return a;
}

static size_t solve(la_preconditioner *preconditioner, const la_block_matrix *matrix, const double *b, double *x, unsigned threads)
{
  la_pcg_options options = {.tolerance = 1e-10, .iteration_limit = 2000, .execution = execution_of(threads)};
  double *scratch = mem_array(la_pcg_scratch(ROWS), sizeof *scratch);
  assert_non_null(scratch);
  assert_int_equal(preconditioner->update(preconditioner->state, matrix, NULL), SCR_OK);
  la_pcg_report report = la_pcg(matrix, preconditioner, &options, b, x, scratch);
  assert_int_equal(report.outcome, LA_PCG_CONVERGED);
  mem_free(scratch);
  return report.iterations;
}

/* The true residual, not only the recurrence's, reaches the tolerance (10x for rounding), and incomplete Cholesky saves iterations. */
static void test_both_preconditioners_solve_to_the_tolerance(void **state)
{
  la_block_matrix matrix;
  double *b = random_array(6 * ROWS, 3), *x = random_array(6 * ROWS, 4), *ax = random_array(6 * ROWS, 5);
  size_t iterations[2];
  (void)state;
  grid_matrix(0.01, &matrix);
  for (int kind = 0; kind < 2; ++kind) {
    la_preconditioner preconditioner;
    assert_int_equal(kind ? la_block_cholesky_create(execution_of(1), &preconditioner, NULL)
                          : la_block_jacobi_create(execution_of(1), &preconditioner, NULL),
                     SCR_OK);
    iterations[kind] = solve(&preconditioner, &matrix, b, x, 1);
    la_block_matrix_multiply(&matrix, x, ax, execution_of(1));
    for (size_t k = 0; k < 6 * ROWS; ++k) ax[k] -= b[k];
    assert_true(sqrt(la_dot(ax, ax, 6 * ROWS, execution_of(1))) < 1e-9 * sqrt(la_dot(b, b, 6 * ROWS, execution_of(1))));
    la_preconditioner_destroy(&preconditioner);
  }
  assert_true(2 * iterations[1] < iterations[0]);
  la_block_matrix_destroy(&matrix);
  mem_free(b);
  mem_free(x);
  mem_free(ax);
}

/* Same bytes from one, two and three threads. */
static void test_the_solution_does_not_depend_on_the_threads(void **state)
{
  la_block_matrix matrix;
  double *b = random_array(6 * ROWS, 3), *x = random_array(6 * ROWS, 4), *y = random_array(6 * ROWS, 5);
  (void)state;
  grid_matrix(0.1, &matrix);
  for (unsigned threads = 1; threads <= 3; ++threads) {
    la_preconditioner preconditioner;
    assert_int_equal(la_block_jacobi_create(execution_of(threads), &preconditioner, NULL), SCR_OK);
    solve(&preconditioner, &matrix, b, threads == 1 ? x : y, threads);
    if (threads > 1) assert_memory_equal(x, y, 6 * ROWS * sizeof *x);
    la_preconditioner_destroy(&preconditioner);
  }
  la_block_matrix_destroy(&matrix);
  mem_free(b);
  mem_free(x);
  mem_free(y);
}

/* An indefinite matrix is reported, not solved as if it were definite; preconditioners stay usable. */
static void test_negative_curvature_is_reported(void **state)
{
  la_block_matrix matrix;
  double *b = random_array(6 * ROWS, 3), *x = random_array(6 * ROWS, 4), *scratch = random_array(la_pcg_scratch(ROWS), 5);
  la_pcg_options options = {.tolerance = 1e-10, .iteration_limit = 2000, .execution = execution_of(1)};
  (void)state;
  grid_matrix(-3.0, &matrix);
  for (int kind = 0; kind < 2; ++kind) {
    la_preconditioner preconditioner;
    assert_int_equal(kind ? la_block_cholesky_create(execution_of(1), &preconditioner, NULL)
                          : la_block_jacobi_create(execution_of(1), &preconditioner, NULL),
                     SCR_OK);
    assert_int_equal(preconditioner.update(preconditioner.state, &matrix, NULL), SCR_OK);
    la_pcg_report report = la_pcg(&matrix, &preconditioner, &options, b, x, scratch);
    assert_int_equal(report.outcome, LA_PCG_NEGATIVE_CURVATURE);
    for (size_t k = 0; k < 6 * ROWS; ++k) assert_true(isfinite(x[k]));
    la_preconditioner_destroy(&preconditioner);
  }
  la_block_matrix_destroy(&matrix);
  mem_free(b);
  mem_free(x);
  mem_free(scratch);
}

/* Pairs given twice or in either order share a block; a pair of a row with itself adds none. */
static void test_repeated_pairs_share_a_block(void **state)
{
  const uint32_t pairs[][2] = {{0, 2}, {2, 0}, {1, 1}, {0, 2}};
  la_block_matrix matrix;
  (void)state;
  assert_int_equal(la_block_matrix_create(3, pairs, 4, &matrix, NULL), SCR_OK);
  assert_int_equal(matrix.block_count, 5);
  assert_true(la_block_matrix_slot(&matrix, 0, 1) == SIZE_MAX);
  assert_true(la_block_matrix_slot(&matrix, 2, 0) != SIZE_MAX);
  assert_true(la_block_matrix_slot(&matrix, 1, 1) == matrix.diagonal[1]);
  la_block_matrix_destroy(&matrix);
}

/* Where a sum cancels in one triangle and leaves rounding in the other, rows are coupled all the same: the preconditioner is made, and
 * solves. */
static void test_a_block_that_is_zero_in_one_triangle_only_is_an_edge(void **state)
{
  const uint32_t pairs[][2] = {{0, 1}, {1, 2}};
  double b[18] = {1}, x[18] = {0};
  la_block_matrix matrix;
  la_preconditioner preconditioner;
  (void)state;
  assert_int_equal(la_block_matrix_create(3, pairs, 2, &matrix, NULL), SCR_OK);
  la_block_matrix_clear(&matrix);
  for (size_t row = 0; row < 3; ++row)
    for (size_t d = 0; d < 6; ++d) matrix.values[LA_BLOCK_SIZE * matrix.diagonal[row] + 7 * d] = 2.0;
  matrix.values[LA_BLOCK_SIZE * la_block_matrix_slot(&matrix, 2, 1)] = 1e-17;
  assert_int_equal(la_block_cholesky_create(execution_of(1), &preconditioner, NULL), SCR_OK);
  assert_int_equal(preconditioner.update(preconditioner.state, &matrix, NULL), SCR_OK);
  preconditioner.apply(preconditioner.state, b, x);
  assert_true(fabs(x[0] - 0.5) < 1e-15);
  la_preconditioner_destroy(&preconditioner);
  la_block_matrix_destroy(&matrix);
}

SUITE(test_linalg_pcg)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_both_preconditioners_solve_to_the_tolerance),
      cmocka_unit_test(test_the_solution_does_not_depend_on_the_threads),
      cmocka_unit_test(test_negative_curvature_is_reported),
      cmocka_unit_test(test_repeated_pairs_share_a_block),
      cmocka_unit_test(test_a_block_that_is_zero_in_one_triangle_only_is_an_edge),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
