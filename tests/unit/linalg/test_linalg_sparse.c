/* General sparse matrices and their factors: against a plate whose eigenvectors are known, against factors made anew, and where there is
 * none. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "linalg/sparse.h"
#include "tests/support/failing_memory.h"
#include "tests/support/suites.h"

static const double pi = 3.14159265358979323846;

enum { SIDE = 24, COUNT = SIDE * SIDE };

static double *zeros(size_t count)
{
  double *a = mem_array(count, sizeof *a);
  assert_non_null(a);
  return a;
}

static double uniform(uint64_t *seed)
{
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) * 0x1p-52 - 1.0;
}

/* The five-point Laplacian of a square of SIDE x SIDE points, zero around it, minus `shift`; its entries in an order that is not sorted. */
static la_sparse laplacian(double shift)
{
  la_triplet all[5 * COUNT];
  size_t count = 0;
  la_sparse matrix;
  for (uint32_t i = COUNT; i-- > 0;) {
    uint32_t x = i % SIDE, y = i / SIDE;
    if (x + 1 < SIDE) all[count++] = (la_triplet){i, i + 1, -1.0};
    all[count++] = (la_triplet){i, i, 4.0 - shift};
    if (x > 0) all[count++] = (la_triplet){i, i - 1, -1.0};
    if (y > 0) all[count++] = (la_triplet){i, i - SIDE, -1.0};
    if (y + 1 < SIDE) all[count++] = (la_triplet){i, i + SIDE, -1.0};
  }
  assert_int_equal(la_sparse_from_triplets(COUNT, COUNT, all, count, &matrix, NULL), SCR_OK);
  return matrix;
}

static double eigenvalue(int a, int b)
{
  double sa = sin(0.5 * pi * a / (SIDE + 1)), sb = sin(0.5 * pi * b / (SIDE + 1));
  return 4.0 * (sa * sa + sb * sb);
}

static double worst_difference(const double *a, const double *b, size_t count)
{
  double worst = 0.0;
  for (size_t k = 0; k < count; ++k) worst = fmax(worst, fabs(a[k] - b[k]));
  return worst;
}

/* Entries of one place are summed, whatever the order; places that the pattern lacks have no slot; places outside are refused. */
static void test_triplets_become_sorted_columns(void **state)
{
  (void)state;
  const la_triplet given[] = {{2, 1, 5.0}, {0, 0, 1.0}, {1, 1, 3.0}, {2, 1, -1.5}, {0, 2, 7.0}, {2, 0, 2.0}};
  const uint32_t places[][2] = {{2, 1}, {0, 0}, {1, 1}, {0, 2}, {2, 0}, {0, 0}};
  const size_t first[] = {0, 2, 4, 5};
  const uint32_t rows[] = {0, 2, 1, 2, 0};
  const double values[] = {1.0, 2.0, 3.0, 3.5, 7.0}, x[] = {1.0, 10.0, 100.0}, product[] = {701.0, 30.0, 37.0};
  double y[3];
  la_sparse matrix, pattern;
  scr_error error;
  assert_int_equal(la_sparse_from_triplets(3, 3, given, 6, &matrix, NULL), SCR_OK);
  assert_int_equal(la_sparse_from_pattern(3, 3, places, 6, &pattern, NULL), SCR_OK);
  assert_memory_equal(matrix.first, first, sizeof first);
  assert_memory_equal(matrix.row, rows, sizeof rows);
  assert_memory_equal(matrix.value, values, sizeof values);
  assert_memory_equal(pattern.first, first, sizeof first);
  assert_memory_equal(pattern.row, rows, sizeof rows);
  for (size_t k = 0; k < 6; ++k) pattern.value[la_sparse_slot(&pattern, given[k].row, given[k].column)] += given[k].value;
  assert_memory_equal(pattern.value, values, sizeof values);
  assert_true(la_sparse_slot(&matrix, 1, 0) == SIZE_MAX && la_sparse_slot(&matrix, 0, 9) == SIZE_MAX);
  la_sparse_multiply(&matrix, x, y);
  assert_memory_equal(y, product, sizeof y);
  la_sparse_clear(&matrix);
  la_sparse_clear(&pattern);
  assert_int_equal(la_sparse_from_triplets(2, 3, given, 6, &matrix, &error), SCR_BAD_USAGE);
  assert_non_null(strstr(error.message, "row 2"));
  assert_null(matrix.first);
}

/* Of a symmetric matrix both products are the same, to rounding; by columns they have the same bits for any threads. */
static void test_products_agree(void **state)
{
  (void)state;
  enum { LONG = 9000 };
  la_triplet *all = mem_array(3 * LONG, sizeof *all);
  double *x = zeros(LONG), *y = zeros(LONG), *one = zeros(LONG), *two = zeros(LONG);
  size_t count = 0;
  uint64_t seed = 7;
  la_sparse matrix;
  assert_non_null(all);
  for (uint32_t i = 0; i < LONG; ++i) {
    double far = uniform(&seed);
    all[count++] = (la_triplet){i, i, 3.0 + uniform(&seed)};
    if (i + 7 >= LONG) continue;
    all[count++] = (la_triplet){i, i + 7, far};
    all[count++] = (la_triplet){i + 7, i, far};
  }
  for (size_t k = 0; k < LONG; ++k) x[k] = uniform(&seed);
  assert_int_equal(la_sparse_from_triplets(LONG, LONG, all, count, &matrix, NULL), SCR_OK);
  la_sparse_multiply(&matrix, x, y);
  la_sparse_multiply_transposed(&matrix, x, one, execution_of(1));
  la_sparse_multiply_transposed(&matrix, x, two, execution_of(2));
  assert_true(worst_difference(y, one, LONG) < 1e-14);
  assert_memory_equal(one, two, LONG * sizeof *one);
  la_sparse_clear(&matrix);
  mem_free(all), mem_free(x), mem_free(y), mem_free(one), mem_free(two);
}

/* A v = lambda v for v = sin(a pi x) sin(b pi y): solved for several right-hand sides at once, by factors of either kind, with one analysis
 * for all shifts. The condition number is 4e2 and 1e3. */
static void test_eigenvectors_of_a_plate_are_solved_for(void **state)
{
  (void)state;
  for (int kind = 0; kind < 2; ++kind) {
    la_factor *factor;
    double *b = zeros(3 * COUNT), *x = zeros(3 * COUNT), *wanted = zeros(3 * COUNT);
    assert_int_equal(la_factor_create((la_factor_kind)kind, &factor, NULL), SCR_OK);
    assert_int_equal(la_factor_solve(factor, b, 1, x, NULL), SCR_BAD_USAGE);
    for (int round = 0; round < 2; ++round) {
      double shift = round * 0.02;
      la_sparse matrix = laplacian(shift);
      for (int k = 0; k < 3; ++k)
        for (int i = 0; i < COUNT; ++i) {
          double v = sin(pi * (k + 1) * (i % SIDE + 1) / (SIDE + 1)) * sin(pi * (3 - k) * (double)(i / SIDE + 1) / (SIDE + 1));
          b[k * COUNT + i] = v;
          wanted[k * COUNT + i] = v / (eigenvalue(k + 1, 3 - k) - shift);
        }
      assert_int_equal(la_factor_make(factor, &matrix, NULL), SCR_OK);
      assert_int_equal(la_factor_solve(factor, b, 3, x, NULL), SCR_OK);
      assert_true(worst_difference(x, wanted, 3 * COUNT) < 1e-11);
      assert_true(la_factor_condition(factor) > 1e-4 && la_factor_condition(factor) <= 1.0);
      la_sparse_clear(&matrix);
    }
    assert_int_equal(la_factor_analysis_count(factor), 1);
    la_factor_destroy(factor);
    mem_free(b), mem_free(x), mem_free(wanted);
  }
}

/* C of rank three that touches a few unknowns, as a broken or added tie does. */
static la_sparse change(void)
{
  const la_triplet entries[] = {{5, 0, 1.0}, {6, 0, -1.0}, {300, 1, 0.7}, {17, 1, 0.4}, {COUNT - 1, 2, 2.0}};
  la_sparse c;
  assert_int_equal(la_sparse_from_triplets(COUNT, 3, entries, 5, &c, NULL), SCR_OK);
  return c;
}

/* A + C C^T. */
static la_sparse changed(const la_sparse *matrix, const la_sparse *c)
{
  la_triplet *all = mem_array(matrix->first[COUNT] + 100, sizeof *all);
  size_t count = 0;
  la_sparse sum;
  assert_non_null(all);
  for (uint32_t column = 0; column < COUNT; ++column)
    for (size_t k = matrix->first[column]; k < matrix->first[column + 1]; ++k)
      all[count++] = (la_triplet){matrix->row[k], column, matrix->value[k]};
  for (size_t column = 0; column < 3; ++column)
    for (size_t a = c->first[column]; a < c->first[column + 1]; ++a)
      for (size_t b = c->first[column]; b < c->first[column + 1]; ++b)
        all[count++] = (la_triplet){c->row[a], c->row[b], c->value[a] * c->value[b]};
  assert_int_equal(la_sparse_from_triplets(COUNT, COUNT, all, count, &sum, NULL), SCR_OK);
  mem_free(all);
  return sum;
}

/* One right-hand side by itself, in place, goes through the panels of the factor by our own code: A x = b to rounding, also of one entry
 * alone, which most panels on the way down don't meet, and the same as CHOLMOD solves three at once. */
static void test_one_side_is_solved_as_several_are(void **state)
{
  (void)state;
  la_factor *factor;
  la_sparse matrix = laplacian(0);
  double *b = zeros(3 * COUNT), *x = zeros(3 * COUNT), *alone = zeros(COUNT), *product = zeros(COUNT);
  uint64_t seed = 5;
  for (size_t k = 0; k < COUNT; ++k) b[k] = uniform(&seed);
  b[COUNT + 7] = 1, b[3 * COUNT - 1] = -2;
  assert_int_equal(la_factor_create(LA_FACTOR_CHOLESKY, &factor, NULL), SCR_OK);
  assert_int_equal(la_factor_make(factor, &matrix, NULL), SCR_OK);
  assert_int_equal(la_factor_solve(factor, b, 3, x, NULL), SCR_OK);
  for (size_t k = 0; k < 3; ++k) {
    memcpy(alone, b + k * COUNT, COUNT * sizeof *alone);
    assert_int_equal(la_factor_solve(factor, alone, 1, alone, NULL), SCR_OK);
    la_sparse_multiply(&matrix, alone, product);
    assert_true(worst_difference(product, b + k * COUNT, COUNT) < 1e-12);
    assert_true(worst_difference(alone, x + k * COUNT, COUNT) < 1e-11);
  }
  la_factor_destroy(factor);
  la_sparse_clear(&matrix);
  mem_free(b), mem_free(x), mem_free(alone), mem_free(product);
}

/* An updated factor solves what one made anew does, an update taken back what was before, and it can still be made anew. */
static void test_updates_are_as_good_as_new_factors(void **state)
{
  (void)state;
  for (int kind = 0; kind < 2; ++kind) {
    la_factor *factor, *anew;
    la_sparse matrix = laplacian(0), c = change(), sum = changed(&matrix, &c);
    double *b = zeros(COUNT), *x = zeros(COUNT), *wanted = zeros(COUNT), *before = zeros(COUNT);
    uint64_t seed = 3;
    for (size_t k = 0; k < COUNT; ++k) b[k] = uniform(&seed);
    assert_int_equal(la_factor_create((la_factor_kind)kind, &factor, NULL), SCR_OK);
    assert_int_equal(la_factor_create((la_factor_kind)kind, &anew, NULL), SCR_OK);
    assert_int_equal(la_factor_update(factor, &c, false, NULL), SCR_BAD_USAGE);
    assert_int_equal(la_factor_make(factor, &matrix, NULL), SCR_OK);
    assert_int_equal(la_factor_make(anew, &sum, NULL), SCR_OK);
    assert_int_equal(la_factor_solve(factor, b, 1, before, NULL), SCR_OK);
    assert_int_equal(la_factor_update(factor, &c, false, NULL), SCR_OK);
    assert_int_equal(la_factor_solve(factor, b, 1, x, NULL), SCR_OK);
    assert_int_equal(la_factor_solve(anew, b, 1, wanted, NULL), SCR_OK);
    assert_true(worst_difference(x, wanted, COUNT) < 1e-11 && worst_difference(x, before, COUNT) > 1e-3);
    assert_int_equal(la_factor_update(factor, &c, true, NULL), SCR_OK);
    assert_int_equal(la_factor_solve(factor, b, 1, x, NULL), SCR_OK);
    assert_true(worst_difference(x, before, COUNT) < 1e-11);
    assert_int_equal(la_factor_make(factor, &matrix, NULL), SCR_OK);
    assert_int_equal(la_factor_solve(factor, b, 1, x, NULL), SCR_OK);
    assert_true(worst_difference(x, before, COUNT) < 1e-11);
    assert_int_equal(la_factor_analysis_count(factor), 1);
    la_factor_destroy(factor), la_factor_destroy(anew);
    la_sparse_clear(&matrix), la_sparse_clear(&c), la_sparse_clear(&sum);
    mem_free(b), mem_free(x), mem_free(wanted), mem_free(before);
  }
}

/* A matrix that is positive definite but for one unknown, which no other is joined to: the failure names it. Less a change that is too
 * large there is no factor either. */
static void test_indefinite_matrices_are_told_with_their_column(void **state)
{
  (void)state;
  la_triplet all[3 * 50];
  size_t count = 0;
  la_factor *factor;
  la_sparse matrix, c = {0};
  scr_error error;
  double b[50] = {0}, x[50];
  for (uint32_t i = 0; i < 50; ++i) {
    all[count++] = (la_triplet){i, i, i == 31 ? -1e-3 : 2.5};
    if (i + 1 == 50 || i == 31 || i + 1 == 31) continue;
    all[count++] = (la_triplet){i, i + 1, -1.0};
    all[count++] = (la_triplet){i + 1, i, -1.0};
  }
  assert_int_equal(la_sparse_from_triplets(50, 50, all, count, &matrix, NULL), SCR_OK);
  assert_int_equal(la_factor_create(LA_FACTOR_CHOLESKY, &factor, NULL), SCR_OK);
  assert_int_equal(la_factor_make(factor, &matrix, &error), SCR_DIVERGED);
  assert_int_equal(la_factor_column(factor), 31);
  assert_non_null(strstr(error.message, "unknown 31"));
  assert_int_equal(la_factor_solve(factor, b, 1, x, NULL), SCR_BAD_USAGE);
  matrix.value[la_sparse_slot(&matrix, 31, 31)] = 1.0;
  assert_int_equal(la_factor_make(factor, &matrix, NULL), SCR_OK);
  assert_true(la_factor_column(factor) == SIZE_MAX);
  assert_int_equal(la_sparse_from_triplets(50, 1, &(la_triplet){31, 0, 1.5}, 1, &c, NULL), SCR_OK);
  assert_int_equal(la_factor_update(factor, &c, true, &error), SCR_DIVERGED);
  assert_int_equal(la_factor_column(factor), 31);
  assert_int_equal(la_factor_solve(factor, b, 1, x, NULL), SCR_BAD_USAGE);
  la_sparse_clear(&c);
  assert_int_equal(la_sparse_from_triplets(49, 1, NULL, 0, &c, NULL), SCR_OK);
  assert_int_equal(la_factor_make(factor, &matrix, NULL), SCR_OK);
  assert_int_equal(la_factor_update(factor, &c, false, NULL), SCR_BAD_USAGE);
  assert_int_equal(la_factor_make(factor, &c, NULL), SCR_BAD_USAGE);
  la_factor_destroy(factor);
  la_sparse_clear(&matrix), la_sparse_clear(&c);
}

/* Sylvester's law: a signed factor of A - s has as many negative pivots as A has eigenvalues below s. */
static void test_signed_factors_count_eigenvalues(void **state)
{
  (void)state;
  la_factor *factor;
  assert_int_equal(la_factor_create(LA_FACTOR_SIGNED, &factor, NULL), SCR_OK);
  for (int k = 1; k <= 5; ++k) {
    double shift = 0.37 * k * k;
    size_t below = 0;
    la_sparse matrix = laplacian(shift);
    for (int a = 1; a <= SIDE; ++a)
      for (int b = 1; b <= SIDE; ++b) below += eigenvalue(a, b) < shift;
    assert_int_equal(la_factor_make(factor, &matrix, NULL), SCR_OK);
    assert_int_equal(la_factor_negative_count(factor), below);
    la_sparse_clear(&matrix);
  }
  la_factor_destroy(factor);
}

static la_triplet lower_entry(uint32_t a, uint32_t b, double value)
{
  return (la_triplet){a > b ? a : b, a > b ? b : a, value};
}

/* Pressures of a plane grid of cells, and velocities of a column of sand's nodes in it, coupled through the faces between cells as
 * methods/granular/wet/saddle.c does. AMD takes 9e7 operations for it, nested dissection 6e6; by itself CHOLMOD goes by AMD here. */
static void test_saddles_of_a_grid_are_dissected(void **state)
{
  (void)state;
  enum { WIDE = 128, HIGH = 32, SAND_WIDE = 33, SAND_HIGH = 25, NODES = SAND_WIDE * SAND_HIGH, CELLS = WIDE * HIGH, ENTRIES = 14 * CELLS };
  la_triplet *all = mem_array(ENTRIES, sizeof *all);
  la_factor *factor;
  la_sparse matrix = {0};
  size_t count = 0;
  assert_non_null(all);
  for (uint32_t k = 0; k < 2 * NODES; k++) all[count++] = lower_entry(k, k, 1);
  for (int axis = 0; axis < 2; axis++)
    for (int i = 1 - axis; i < WIDE; i++)
      for (int j = axis; j < HIGH; j++) { /* the face below cell (i, j) along the axis: its nodes lie across */
        const uint32_t high = 2 * NODES + (uint32_t)(i * HIGH + j), low = high - (axis ? 1 : HIGH);
        const int node[2][2] = {{i, j}, {i + axis, j + 1 - axis}};
        uint32_t own[2];
        int there = 0;
        for (int e = 0; e < 2; e++)
          if (node[e][0] < SAND_WIDE && node[e][1] < SAND_HIGH)
            own[there++] = 2 * (uint32_t)(node[e][0] * SAND_HIGH + node[e][1]) + (uint32_t)axis;
        for (int e = 0; e < there; e++) {
          all[count++] = lower_entry(own[e], own[e], 0.25);
          all[count++] = lower_entry(own[e], low, -0.5);
          all[count++] = lower_entry(own[e], high, 0.5);
        }
        if (there == 2) all[count++] = lower_entry(own[0], own[1], 0.25);
        all[count++] = lower_entry(low, low, -1);
        all[count++] = lower_entry(high, high, -1);
        all[count++] = lower_entry(low, high, 1);
      }
  all[count++] = lower_entry(2 * NODES, 2 * NODES, -1);
  assert_true(count <= ENTRIES);
  assert_int_equal(la_sparse_from_triplets(2 * NODES + CELLS, 2 * NODES + CELLS, all, count, &matrix, NULL), SCR_OK);
  assert_int_equal(la_factor_create(LA_FACTOR_SIGNED, &factor, NULL), SCR_OK);
  assert_int_equal(la_factor_make(factor, &matrix, NULL), SCR_OK);
  la_factor_cost cost = la_factor_estimate(factor);
  print_message("# %s: %.3g operations, %.3g entries\n", cost.order, cost.operations, cost.entries);
  assert_true(cost.operations < 1.5e7);
  assert_int_equal(la_factor_negative_count(factor), CELLS);
  la_factor_destroy(factor);
  la_sparse_clear(&matrix);
  mem_free(all);
}

/* Everything at once: a matrix, a factor, a solution, an update and another one. */
static scr_status whole_life(la_factor_kind kind, const la_triplet *triplets, size_t count, const la_sparse *c, double *x)
{
  la_factor *factor = NULL;
  la_sparse matrix = {0};
  scr_error error;
  scr_status status = la_sparse_from_triplets(COUNT, COUNT, triplets, count, &matrix, &error);
  if (status == SCR_OK) status = la_factor_create(kind, &factor, &error);
  if (status == SCR_OK) status = la_factor_make(factor, &matrix, &error);
  if (status == SCR_OK) status = la_factor_solve(factor, x, 1, x, &error);
  if (status == SCR_OK) status = la_factor_update(factor, c, false, &error);
  if (status == SCR_OK) status = la_factor_solve(factor, x, 1, x, &error);
  if (status == SCR_OK) status = la_factor_make(factor, &matrix, &error);
  la_factor_destroy(factor);
  la_sparse_clear(&matrix);
  return status;
}

/* Whichever allocation fails, the status says so, and all memory is freed. */
static void test_lack_of_memory_is_an_error(void **state)
{
  (void)state;
  if (!failing_memory_works()) skip();
  la_triplet all[5 * COUNT];
  size_t count = 0;
  la_sparse matrix = laplacian(0), c = change();
  double *x = zeros(COUNT);
  for (uint32_t column = 0; column < COUNT; ++column)
    for (size_t k = matrix.first[column]; k < matrix.first[column + 1]; ++k)
      all[count++] = (la_triplet){matrix.row[k], column, matrix.value[k]};
  for (int kind = 0; kind < 2; ++kind) {
    size_t allowed = 0;
    scr_status status = SCR_NO_MEMORY;
    whole_life((la_factor_kind)kind, all, count, &c, x); /* BLAS keeps what it allocates the first time */
    for (; status != SCR_OK && allowed < 3000; ++allowed) {
      failing_memory_begin(allowed);
      status = whole_life((la_factor_kind)kind, all, count, &c, x);
      long live = failing_memory_end();
      if (live != 0) fail_msg("%ld allocations were not freed when %zu were allowed", live, allowed);
      if (status != SCR_OK && status != SCR_NO_MEMORY) fail_msg("status %d when %zu allocations were allowed", (int)status, allowed);
    }
    print_message("# %zu allocations\n", allowed);
    assert_int_equal(status, SCR_OK);
  }
  la_sparse_clear(&matrix);
  la_sparse_clear(&c);
  mem_free(x);
}

SUITE(test_linalg_sparse)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_triplets_become_sorted_columns),         cmocka_unit_test(test_products_agree),
      cmocka_unit_test(test_eigenvectors_of_a_plate_are_solved_for), cmocka_unit_test(test_one_side_is_solved_as_several_are),
      cmocka_unit_test(test_updates_are_as_good_as_new_factors),     cmocka_unit_test(test_indefinite_matrices_are_told_with_their_column),
      cmocka_unit_test(test_signed_factors_count_eigenvalues),       cmocka_unit_test(test_lack_of_memory_is_an_error),
      cmocka_unit_test(test_saddles_of_a_grid_are_dissected),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
