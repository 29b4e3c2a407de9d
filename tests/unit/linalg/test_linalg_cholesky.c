/* The incomplete Cholesky factor whose parts threads share out: the order of elimination, and what the factor does on chains and sheets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "linalg/block6/elimination.h"
#include "linalg/block6/pcg.h"
#include "linalg/vector.h"
#include "tests/support/suites.h"

enum { WIDTH = 240, HEIGHT = 60, ROWS = WIDTH * HEIGHT };

static double uniform(uint64_t *seed)
{
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) * 0x1p-52 - 1.0;
}

static double *random_array(size_t count, uint64_t seed)
{
  double *a = mem_array(count, sizeof *a);
  assert_non_null(a);
  for (size_t k = 0; k < count; ++k) a[k] = uniform(&seed);
  return a;
}

/* Springs of random stiffness along HEIGHT chains of WIDTH rows; in a sheet also from chain to chain. The diagonal is raised by `ground`.
 * */
static void sheet_matrix(bool sheet, double ground, la_block_matrix *matrix)
{
  uint32_t(*pairs)[2] = mem_array(2 * (size_t)ROWS, sizeof *pairs);
  size_t count = 0;
  uint64_t seed = 7;
  assert_non_null(pairs);
  for (uint32_t k = 0; k < ROWS; ++k) {
    if (k % WIDTH + 1 < WIDTH) memcpy(pairs[count++], (uint32_t[2]){k, k + 1}, 8);
    if (sheet && k / WIDTH + 1 < HEIGHT) memcpy(pairs[count++], (uint32_t[2]){k, k + WIDTH}, 8);
  }
  assert_int_equal(la_block_matrix_create(ROWS, (const uint32_t(*)[2])pairs, count, matrix, NULL), SCR_OK);
  for (size_t p = 0; p < count; ++p) {
    double j[36];
    for (int k = 0; k < 36; ++k) j[k] = 0.3 * uniform(&seed) + (k % 7 == 0);
    for (int a = 0; a < 2; ++a)
      for (int b = 0; b < 2; ++b) {
        double *block = matrix->values + 36 * la_block_matrix_slot(matrix, pairs[p][a], pairs[p][b]);
        for (int r = 0; r < 6; ++r)
          for (int c = 0; c < 6; ++c)
            for (int k = 0; k < 6; ++k) block[6 * r + c] += (a == b ? 1.0 : -1.0) * j[6 * k + r] * j[6 * k + c];
      }
  }
  for (size_t row = 0; row < ROWS; ++row)
    for (int d = 0; d < 6; ++d) matrix->values[36 * matrix->diagonal[row] + (size_t)(7 * d)] += ground;
  mem_free(pairs);
}

static la_preconditioner factor_of(const la_block_matrix *matrix, unsigned threads)
{
  la_preconditioner p;
  assert_int_equal(la_block_cholesky_create(execution_of(threads), &p, NULL), SCR_OK);
  assert_int_equal(p.update(p.state, matrix, NULL), SCR_OK);
  return p;
}

static size_t group_of(const la_elimination *order, uint32_t row)
{
  size_t group = 0;
  while (order->group_first[group + 1] <= order->position[row]) ++group;
  return group;
}

/* Threads rely on it: every row is in one group, and an edge joins two groups only if one is a part and the other a separator. */
static void test_no_edge_joins_two_parts_or_two_separators(void **state)
{
  (void)state;
  for (int sheet = 0; sheet < 2; ++sheet) {
    la_block_matrix matrix;
    la_block_graph graph = {0};
    la_elimination order = {0};
    sheet_matrix(sheet, 0.1, &matrix);
    assert_int_equal(la_block_graph_take(&graph, &matrix, NULL), SCR_OK);
    assert_int_equal(la_elimination_take(&order, &graph, NULL), SCR_OK);
    print_message("# %zu parts, %zu separators\n", order.part_count, order.group_count - order.part_count);
    assert_true(order.part_count >= 4);
    assert_int_equal(order.group_count > order.part_count, sheet);
    assert_int_equal(order.group_first[order.group_count], ROWS);
    for (uint32_t row = 0; row < ROWS; ++row) {
      assert_int_equal(order.row[order.position[row]], row);
      for (size_t k = graph.first[row]; k < graph.first[row + 1]; ++k) {
        size_t a = group_of(&order, row), b = group_of(&order, graph.column[k]);
        assert_true(a == b || (a < order.part_count) != (b < order.part_count));
      }
    }
    la_elimination_clear(&order);
    la_block_graph_clear(&graph);
    la_block_matrix_destroy(&matrix);
  }
}

/* Chains numbered along themselves have no fill, so that the factor is exact: A M^-1 r = r to rounding times the condition, 1e4. */
static void test_chains_are_solved_exactly(void **state)
{
  (void)state;
  la_block_matrix matrix;
  double *r = random_array(6 * ROWS, 3), *z = random_array(6 * ROWS, 4), *az = random_array(6 * ROWS, 5), worst = 0.0;
  sheet_matrix(false, 1e-3, &matrix);
  la_preconditioner p = factor_of(&matrix, 2);
  p.apply(p.state, r, z);
  la_block_matrix_multiply(&matrix, z, az, execution_of(1));
  for (size_t k = 0; k < 6 * ROWS; ++k) worst = fmax(worst, fabs(az[k] - r[k]));
  assert_true(worst < 1e-10);
  la_preconditioner_destroy(&p);
  la_block_matrix_destroy(&matrix);
  mem_free(r);
  mem_free(z);
  mem_free(az);
}

/* x . M^-1 y = y . M^-1 x, across separators too: the backward pass is the forward one's transpose. Tolerance: rounding of 86400 terms. */
static void test_the_factor_of_a_sheet_is_symmetric(void **state)
{
  (void)state;
  la_block_matrix matrix;
  size_t n = 6 * (size_t)ROWS;
  double *x = random_array(n, 3), *y = random_array(n, 4), *z = random_array(n, 5);
  sheet_matrix(true, 0.01, &matrix);
  la_preconditioner p = factor_of(&matrix, 2);
  p.apply(p.state, y, z);
  double one = la_dot(x, z, n, execution_of(1)), size = sqrt(la_dot(z, z, n, execution_of(1)) * la_dot(x, x, n, execution_of(1)));
  p.apply(p.state, x, z);
  assert_true(fabs(la_dot(y, z, n, execution_of(1)) - one) < 1e-12 * size);
  la_preconditioner_destroy(&p);
  la_block_matrix_destroy(&matrix);
  mem_free(x);
  mem_free(y);
  mem_free(z);
}

/* Same bytes from one, two and three threads, and separators cost few iterations: block Jacobi takes more than twice as many. */
static void test_a_sheet_is_solved_alike_by_any_number_of_threads(void **state)
{
  (void)state;
  la_block_matrix matrix;
  double *b = random_array(6 * ROWS, 3), *x = random_array(6 * ROWS, 4), *y = random_array(6 * ROWS, 5),
         *scratch = random_array(la_pcg_scratch(ROWS), 6);
  la_pcg_options options = {.tolerance = 1e-6, .iteration_limit = 2000, .execution = execution_of(1)};
  la_preconditioner jacobi;
  sheet_matrix(true, 0.01, &matrix);
  assert_int_equal(la_block_jacobi_create(execution_of(1), &jacobi, NULL), SCR_OK);
  assert_int_equal(jacobi.update(jacobi.state, &matrix, NULL), SCR_OK);
  la_pcg_report slow = la_pcg(&matrix, &jacobi, &options, b, x, scratch);
  la_preconditioner_destroy(&jacobi);
  const unsigned threads[] = {1, 2, 3};
  for (int k = 0; k < 3; ++k) {
    la_preconditioner p = factor_of(&matrix, threads[k]);
    la_pcg_report report = la_pcg(&matrix, &p, &options, b, k ? y : x, scratch);
    assert_int_equal(report.outcome, LA_PCG_CONVERGED);
    if (k == 0) print_message("# %zu iterations; block Jacobi %zu\n", report.iterations, slow.iterations);
    assert_true(2 * report.iterations < slow.iterations);
    if (k) assert_memory_equal(x, y, 6 * ROWS * sizeof *x);
    la_preconditioner_destroy(&p);
  }
  la_block_matrix_destroy(&matrix);
  mem_free(b);
  mem_free(x);
  mem_free(y);
  mem_free(scratch);
}

/* An indefinite part among definite ones fails the whole factor, which then stands in with a diagonal that is positive. */
static void test_one_indefinite_part_leaves_a_positive_factor(void **state)
{
  (void)state;
  la_block_matrix matrix;
  double *r = random_array(6 * ROWS, 3), *z = random_array(6 * ROWS, 4), sum = 0.0;
  sheet_matrix(true, 0.01, &matrix);
  for (int d = 0; d < 6; ++d) matrix.values[36 * matrix.diagonal[ROWS / 3] + (size_t)(7 * d)] = -1.0;
  la_preconditioner p = factor_of(&matrix, 2);
  p.apply(p.state, r, z);
  for (size_t k = 0; k < 6 * ROWS; ++k) sum += r[k] * z[k];
  assert_true(sum > 0.0);
  la_preconditioner_destroy(&p);
  la_block_matrix_destroy(&matrix);
  mem_free(r);
  mem_free(z);
}

SUITE(test_linalg_cholesky)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_no_edge_joins_two_parts_or_two_separators),
      cmocka_unit_test(test_chains_are_solved_exactly),
      cmocka_unit_test(test_the_factor_of_a_sheet_is_symmetric),
      cmocka_unit_test(test_a_sheet_is_solved_alike_by_any_number_of_threads),
      cmocka_unit_test(test_one_indefinite_part_leaves_a_positive_factor),
  };
  cmocka_set_message_output(CM_OUTPUT_TAP);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
