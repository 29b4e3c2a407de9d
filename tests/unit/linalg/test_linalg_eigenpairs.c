/* The smallest eigenpairs of sparse matrices, against chains and membranes whose eigenvalues are known. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "linalg/eigenpairs.h"
#include "tests/support/suites.h"

static const double pi = 3.14159265358979323846, stiffness = 50.0, mass = 0.02;

static double *zeros(size_t count)
{
  double *a = mem_array(count, sizeof *a);
  assert_non_null(a);
  return a;
}

/* n equal masses in a row, joined by equal springs, and to walls at both ends unless `loose`. */
static void chain(size_t n, bool loose, la_sparse *k, la_sparse *m)
{
  la_triplet *all = mem_array(3 * n, sizeof *all);
  size_t count = 0;
  assert_non_null(all);
  for (uint32_t i = 0; i < n; ++i) {
    bool end = i == 0 || i + 1 == n;
    all[count++] = (la_triplet){i, i, loose && end ? stiffness : 2 * stiffness};
    if (i + 1 == n) continue;
    all[count++] = (la_triplet){i, i + 1, -stiffness};
    all[count++] = (la_triplet){i + 1, i, -stiffness};
  }
  assert_int_equal(la_sparse_from_triplets(n, n, all, count, k, NULL), SCR_OK);
  for (uint32_t i = 0; i < n; ++i) all[i] = (la_triplet){i, i, mass};
  assert_int_equal(la_sparse_from_triplets(n, n, all, n, m, NULL), SCR_OK);
  mem_free(all);
}

/* v^T M w - (1 if the same), and the largest residual of K v - lambda M v over lambda M v: at most. */
static double worst_of(const la_sparse *k, const la_sparse *m, size_t count, const double *values, const double *vectors)
{
  size_t n = k->column_count;
  double worst = 0, *kv = zeros(n), *mv = zeros(n);
  for (size_t a = 0; a < count; ++a) {
    la_sparse_multiply(k, vectors + a * n, kv);
    la_sparse_multiply(m, vectors + a * n, mv);
    double off = 0, size = 0;
    for (size_t i = 0; i < n; ++i) {
      off += (kv[i] - values[a] * mv[i]) * (kv[i] - values[a] * mv[i]);
      size += 4 * stiffness * stiffness * vectors[a * n + i] * vectors[a * n + i];
    }
    worst = fmax(worst, sqrt(off / size));
    for (size_t b = 0; b <= a; ++b) {
      double product = 0;
      for (size_t i = 0; i < n; ++i) product += vectors[b * n + i] * mv[i];
      worst = fmax(worst, fabs(product - (a == b)));
    }
  }
  mem_free(kv), mem_free(mv);
  return worst;
}

/* omega_j^2 = 4 k/m sin^2(j pi / (2 (n + 1))), the text-book chain between walls; both the dense way (50) and Lanczos (2000), whose
 * smallest eigenvalue is 6e-7 of the largest. */
static void test_a_chain_between_walls_has_its_frequencies(void **state)
{
  (void)state;
  static const size_t sizes[] = {50, 2000};
  for (size_t s = 0; s < 2; ++s) {
    size_t n = sizes[s];
    enum { WANTED = 12 };
    la_sparse k, m;
    double values[WANTED], *vectors = zeros(WANTED * n);
    chain(n, false, &k, &m);
    assert_int_equal(la_eigenpairs(&k, &m, &(la_eigen_options){.count = WANTED}, values, vectors, NULL), SCR_OK);
    for (int j = 1; j <= WANTED; ++j) {
      double sine = sin(0.5 * pi * j / (double)(n + 1)), wanted = 4 * stiffness / mass * sine * sine;
      if (!(fabs(values[j - 1] / wanted - 1) < 1e-9)) fail_msg("mode %d of %zu: %.12g, not %.12g", j, n, values[j - 1], wanted);
    }
    assert_true(worst_of(&k, &m, WANTED, values, vectors) < 1e-9);
    la_sparse_clear(&k), la_sparse_clear(&m);
    mem_free(vectors);
  }
}

/* A loose chain moves as a whole at no frequency: with a shift below 0 that is the first mode. With a shift above it the matrix has no
 * factor, which is said with the column. */
static void test_a_loose_chain_needs_a_shift_below_zero(void **state)
{
  (void)state;
  enum { N = 600, WANTED = 5 };
  la_sparse k, m;
  scr_error error = {0};
  double values[WANTED], *vectors = zeros(WANTED * N);
  chain(N, true, &k, &m);
  assert_int_equal(la_eigenpairs(&k, &m, &(la_eigen_options){.count = WANTED, .shift = -0.01}, values, vectors, NULL), SCR_OK);
  assert_true(fabs(values[0]) < 1e-9);
  for (int j = 1; j < WANTED; ++j) {
    double sine = sin(0.5 * pi * j / N);
    assert_true(fabs(values[j] / (4 * stiffness / mass * sine * sine) - 1) < 1e-8);
  }
  for (size_t i = 0; i < N; ++i) assert_true(fabs(vectors[i] * sqrt(N * mass) - 1) < 1e-6);
  assert_int_equal(la_eigenpairs(&k, &m, &(la_eigen_options){.count = WANTED, .shift = 1}, values, vectors, &error), SCR_DIVERGED);
  assert_non_null(strstr(error.message, "unknown"));
  la_sparse_clear(&k), la_sparse_clear(&m);
  mem_free(vectors);
}

/* A square membrane of 40 x 40 points has its second and third eigenvalue in common, and its fifth and sixth: both are found. Without a
 * mass matrix, and the same bits every time. */
static void test_a_square_membrane_has_double_eigenvalues(void **state)
{
  (void)state;
  enum { SIDE = 40, N = SIDE * SIDE, WANTED = 8 };
  static const int modes[WANTED][2] = {{1, 1}, {1, 2}, {2, 1}, {2, 2}, {1, 3}, {3, 1}, {2, 3}, {3, 2}};
  la_triplet *all = mem_array(5 * N, sizeof *all);
  size_t count = 0;
  la_sparse k;
  double values[2][WANTED], *vectors[2] = {zeros(WANTED * N), zeros(WANTED * N)};
  assert_non_null(all);
  for (uint32_t i = 0; i < N; ++i) {
    all[count++] = (la_triplet){i, i, 4};
    if (i % SIDE) all[count++] = (la_triplet){i, i - 1, -1}, all[count++] = (la_triplet){i - 1, i, -1};
    if (i / SIDE) all[count++] = (la_triplet){i, i - SIDE, -1}, all[count++] = (la_triplet){i - SIDE, i, -1};
  }
  assert_int_equal(la_sparse_from_triplets(N, N, all, count, &k, NULL), SCR_OK);
  for (int run = 0; run < 2; ++run)
    assert_int_equal(la_eigenpairs(&k, NULL, &(la_eigen_options){.count = WANTED}, values[run], vectors[run], NULL), SCR_OK);
  for (size_t j = 0; j < WANTED; ++j) {
    double a = sin(0.5 * pi * modes[j][0] / (SIDE + 1)), b = sin(0.5 * pi * modes[j][1] / (SIDE + 1));
    assert_true(fabs(values[0][j] / (4 * a * a + 4 * b * b) - 1) < 1e-10);
  }
  assert_memory_equal(values[0], values[1], sizeof values[0]);
  assert_memory_equal(vectors[0], vectors[1], WANTED * N * sizeof *vectors[0]);
  la_sparse_clear(&k);
  mem_free(all), mem_free(vectors[0]), mem_free(vectors[1]);
}

/* What can't be asked for. */
static void test_bad_questions_are_refused(void **state)
{
  (void)state;
  la_sparse k, m, small, none;
  scr_error error = {0};
  double values[20], vectors[200];
  chain(10, false, &k, &m);
  chain(9, false, &small, &none);
  assert_int_equal(la_eigenpairs(&k, &m, &(la_eigen_options){.count = 11}, values, vectors, &error), SCR_BAD_USAGE);
  assert_non_null(strstr(error.message, "1 to 10"));
  assert_int_equal(la_eigenpairs(&k, &m, &(la_eigen_options){.count = 0}, values, vectors, NULL), SCR_BAD_USAGE);
  assert_int_equal(la_eigenpairs(&k, &m, &(la_eigen_options){.count = 1, .shift = NAN}, values, vectors, NULL), SCR_BAD_USAGE);
  assert_int_equal(la_eigenpairs(&k, &small, &(la_eigen_options){.count = 1}, values, vectors, NULL), SCR_BAD_USAGE);
  assert_int_equal(la_eigenpairs(&k, &m, &(la_eigen_options){.count = 10}, values, vectors, NULL), SCR_OK);
  la_sparse_clear(&k), la_sparse_clear(&m), la_sparse_clear(&small), la_sparse_clear(&none);
}

SUITE(test_linalg_eigenpairs)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_chain_between_walls_has_its_frequencies),
      cmocka_unit_test(test_a_loose_chain_needs_a_shift_below_zero),
      cmocka_unit_test(test_a_square_membrane_has_double_eigenvalues),
      cmocka_unit_test(test_bad_questions_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
