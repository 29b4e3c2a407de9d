/* Smoothed-aggregation multigrid: its parts against dense algebra, its convergence, its bits, and matrices it can't be right for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "linalg/block6/multigrid/multigrid_level.h"
#include "linalg/block6/pcg.h"
#include "linalg/vector.h"
#include "tests/support/cantilever.h"
#include "tests/support/failing_memory.h"
#include "tests/support/suites.h"

static const size_t small[3] = {10, 3, 3}, medium[3] = {24, 6, 7};

static cantilever make(const size_t counts[3], double time_step)
{
  cantilever c;
  assert_true(cantilever_create(counts, time_step, &c));
  return c;
}

static double *zeros(size_t count)
{
  double *a = mem_array(count, sizeof *a);
  assert_non_null(a);
  return a;
}

/* Two levels of the cantilever, all numbers in place. */
typedef struct pair {
  la_level fine, coarse;
} pair;

static pair two_levels(const cantilever *c)
{
  pair p = {.fine = {.matrix = &c->matrix}};
  assert_int_equal(la_block_graph_take(&p.fine.graph, &c->matrix, NULL), SCR_OK);
  assert_int_equal(la_level_allocate(&p.fine, execution_of(1), NULL), SCR_OK);
  assert_int_equal(la_level_coarsen(&p.fine, &p.coarse, NULL), SCR_OK);
  assert_int_equal(la_level_allocate(&p.coarse, execution_of(1), NULL), SCR_OK);
  p.coarse.matrix = &p.coarse.own; /* it has moved with its level */
  memcpy(p.fine.modes, c->modes, c->count * 36 * sizeof(double));
  la_level_values(&p.fine, execution_of(1));
  la_level_tentative(&p.fine, &p.coarse, execution_of(1));
  la_level_galerkin(&p.fine, &p.coarse, execution_of(1));
  return p;
}

static void clear(pair *p)
{
  la_level_clear(&p->fine);
  la_level_clear(&p->coarse);
}

/* Every sphere with a bond is in one aggregate and every aggregate has a member; the held spheres, whose blocks are zero, are in none. */
static void test_aggregates_cover_every_coupled_row_once(void **state)
{
  cantilever c = make(medium, 0.01);
  la_block_graph graph = {0};
  uint32_t *aggregate = mem_array(c.count, sizeof *aggregate);
  size_t sizes[1000] = {0}, covered = 0;
  (void)state;
  assert_non_null(aggregate);
  assert_int_equal(la_block_graph_take(&graph, &c.matrix, NULL), SCR_OK);
  size_t count = la_aggregate(&graph, aggregate);
  assert_in_range(count, c.free_count / 20, c.free_count / 5);
  for (size_t k = 0; k < c.count; ++k) {
    if (k % medium[0] == 0) {
      assert_true(aggregate[k] == LA_NO_AGGREGATE);
      continue;
    }
    assert_true(aggregate[k] < count);
    sizes[aggregate[k]]++;
    ++covered;
  }
  assert_int_equal(covered, c.free_count);
  for (size_t a = 0; a < count; ++a) assert_true(sizes[a] > 0);
  la_block_graph_clear(&graph);
  cantilever_destroy(&c);
  mem_free(aggregate);
}

/* P0 times the coarse modes gives back the six rigid motions on every sphere that is in an aggregate: they are in P0's range. Rounding of
 * the QR factors: 1e-13 of the largest entry. */
static void test_the_tentative_prolongator_holds_the_rigid_modes(void **state)
{
  cantilever c = make(small, 0.01);
  pair p = two_levels(&c);
  (void)state;
  for (size_t k = 0; k < c.count; ++k) {
    double product[36] = {0};
    if (p.fine.aggregate[k] == LA_NO_AGGREGATE) continue;
    block6_add_product(p.fine.tentative + 36 * k, p.coarse.modes + (size_t)36 * p.fine.aggregate[k], product);
    for (int e = 0; e < 36; ++e) assert_true(fabs(product[e] - c.modes[36 * k + (size_t)e]) < 1e-13);
  }
  clear(&p);
  cantilever_destroy(&c);
}

/* A P and P^T A P against the same products of dense matrices, entry by entry, to 1e-13 of the largest; and the smoothed prolongator
 * against (I - omega D^-1 A) P0 in the energy it leaves: P0's columns cost more than P's. */
static void test_the_coarse_matrix_is_the_galerkin_product(void **state)
{
  cantilever c = make(small, INFINITY);
  pair p = two_levels(&c);
  size_t n = 6 * c.count, m = 6 * p.fine.coarse_count;
  double *dense = zeros(n * m), *product = zeros(n * m), largest = 0.0, smoothed_energy = 0.0, tentative_energy = 0.0;
  (void)state;
  for (size_t row = 0; row < c.count; ++row)
    for (size_t k = p.fine.smoothed.first[row]; k < p.fine.smoothed.first[row + 1]; ++k)
      for (size_t e = 0; e < 36; ++e)
        dense[(6 * row + e / 6) * m + 6 * p.fine.smoothed.column[k] + e % 6] = p.fine.smoothed.values[36 * k + e];
  for (size_t row = 0; row < c.count; ++row)
    for (size_t k = c.matrix.first[row]; k < c.matrix.first[row + 1]; ++k)
      for (size_t e = 0; e < 36; ++e)
        for (size_t j = 0; j < m; ++j)
          product[(6 * row + e / 6) * m + j] += c.matrix.values[36 * k + e] * dense[(6 * (size_t)c.matrix.column[k] + e % 6) * m + j];
  largest = la_largest(p.coarse.own.values, 36 * p.coarse.own.block_count, execution_of(1));
  for (size_t row = 0; row < p.fine.coarse_count; ++row)
    for (size_t column = 0; column < p.fine.coarse_count; ++column) {
      size_t slot = la_block_matrix_slot(&p.coarse.own, (uint32_t)row, (uint32_t)column);
      for (size_t e = 0; e < 36; ++e) {
        double sum = 0.0;
        for (size_t i = 0; i < n; ++i) sum += dense[i * m + 6 * row + e / 6] * product[i * m + 6 * column + e % 6];
        double have = slot == SIZE_MAX ? 0.0 : p.coarse.own.values[36 * slot + e];
        assert_true(fabs(have - sum) < 1e-13 * largest);
        if (row == column && e % 7 == 0) smoothed_energy += sum;
      }
    }
  for (size_t row = 0; row < c.count; ++row)
    for (size_t k = c.matrix.first[row]; k < c.matrix.first[row + 1]; ++k) {
      size_t other = c.matrix.column[k];
      double block[36] = {0}, full[36] = {0};
      if (p.fine.aggregate[row] == LA_NO_AGGREGATE || p.fine.aggregate[row] != p.fine.aggregate[other]) continue;
      block6_add_product(c.matrix.values + 36 * k, p.fine.tentative + 36 * other, block);
      block6_add_transposed_product(p.fine.tentative + 36 * row, block, full);
      for (size_t e = 0; e < 36; e += 7) tentative_energy += full[e];
    }
  assert_true(smoothed_energy < 0.8 * tentative_energy);
  clear(&p);
  cantilever_destroy(&c);
  mem_free(dense);
  mem_free(product);
}

static la_pcg_report solve(la_preconditioner *preconditioner, const cantilever *c, double *x, unsigned threads)
{
  double *scratch = zeros(la_pcg_scratch(c->count));
  la_pcg_options options = {.tolerance = 1e-6, .iteration_limit = 3000, .execution = execution_of(threads)};
  assert_int_equal(preconditioner->update(preconditioner->state, &c->matrix, NULL), SCR_OK);
  la_pcg_report report = la_pcg(&c->matrix, preconditioner, &options, c->right, x, scratch);
  mem_free(scratch);
  return report;
}

static la_preconditioner multigrid(const cantilever *c, unsigned threads)
{
  la_preconditioner m;
  assert_int_equal(la_multigrid_create(execution_of(threads), &m, NULL), SCR_OK);
  la_multigrid_set_modes(&m, c->modes);
  return m;
}

/* Iterations to 1e-6 for a step of 1/60 s hardly grow with the body (check A15, where an independent prototype needed 7 and 11 with damped
 * block Jacobi as its smoother; block Jacobi alone needed 113 and 158). Larger bodies: tests/validation/shared/validate_linalg.c. */
static void test_iterations_hardly_grow_with_the_body(void **state)
{
  static const size_t counts[2][3] = {{16, 4, 4}, {24, 6, 7}}, most[2] = {8, 12};
  (void)state;
  for (int k = 0; k < 2; ++k) {
    cantilever c = make(counts[k], 1.0 / 60.0);
    la_preconditioner m = multigrid(&c, 1);
    double *x = zeros(6 * c.count);
    la_pcg_report report = solve(&m, &c, x, 1);
    print_message("# %zu free spheres: %zu iterations\n", c.free_count, report.iterations);
    assert_int_equal(report.outcome, LA_PCG_CONVERGED);
    assert_in_range(report.iterations, 1, most[k]);
    la_preconditioner_destroy(&m);
    cantilever_destroy(&c);
    mem_free(x);
  }
}

/* Same bytes from one, two and three threads. */
static void test_the_solution_does_not_depend_on_the_threads(void **state)
{
  cantilever c = make(medium, 1.0 / 60.0);
  double *x = zeros(6 * c.count), *y = zeros(6 * c.count);
  (void)state;
  for (unsigned threads = 1; threads <= 3; ++threads) {
    la_preconditioner m = multigrid(&c, threads);
    solve(&m, &c, threads == 1 ? x : y, threads);
    if (threads > 1) assert_memory_equal(x, y, 6 * c.count * sizeof *x);
    la_preconditioner_destroy(&m);
  }
  cantilever_destroy(&c);
  mem_free(x);
  mem_free(y);
}

/* A hierarchy that saw another matrix before, of the same graph or with one bond more, gives the same bits as a fresh one. */
static void test_a_used_hierarchy_gives_the_bits_of_a_fresh_one(void **state)
{
  cantilever c = make(medium, 1.0 / 60.0), other = make(medium, INFINITY);
  la_preconditioner used = multigrid(&c, 1), fresh = multigrid(&c, 1);
  double *x = zeros(6 * c.count), *y = zeros(6 * c.count);
  (void)state;
  solve(&used, &other, x, 1);
  memset(c.matrix.values + 36 * la_block_matrix_slot(&c.matrix, 100, 101), 0, 36 * sizeof(double));
  memset(c.matrix.values + 36 * la_block_matrix_slot(&c.matrix, 101, 100), 0, 36 * sizeof(double));
  solve(&used, &c, x, 1);
  solve(&used, &other, y, 1);
  solve(&used, &c, x, 1);
  assert_int_equal(solve(&fresh, &c, y, 1).outcome, LA_PCG_CONVERGED);
  assert_memory_equal(x, y, 6 * c.count * sizeof *x);
  la_preconditioner_destroy(&used);
  la_preconditioner_destroy(&fresh);
  cantilever_destroy(&c);
  cantilever_destroy(&other);
  mem_free(x);
  mem_free(y);
}

/* Nothing crashes and no number is lost on: an indefinite matrix, which is reported as such; a static body that nothing holds, singular,
 * under a load that it can't balance; values that are no numbers; rows without neighbours; no rows. */
static void test_matrices_it_is_not_made_for_do_no_harm(void **state)
{
  cantilever c = make(medium, 1.0 / 60.0);
  double *x = zeros(6 * c.count);
  (void)state;
  la_preconditioner m = multigrid(&c, 1);
  for (size_t k = 300; k < 600; ++k)
    for (size_t d = 0; d < 6; ++d) c.matrix.values[36 * c.matrix.diagonal[k] + 7 * d] *= 0.3;
  assert_int_equal(solve(&m, &c, x, 1).outcome, LA_PCG_NEGATIVE_CURVATURE);
  for (size_t k = 0; k < 6 * c.count; ++k) assert_true(isfinite(x[k]));
  for (size_t k = 0; k < 36 * c.matrix.block_count; k += 11) c.matrix.values[k] = NAN;
  assert_true(solve(&m, &c, x, 1).outcome != LA_PCG_CONVERGED);
  la_preconditioner_destroy(&m);
  cantilever_destroy(&c);

  c = make(medium, INFINITY);
  m = multigrid(&c, 1);
  for (size_t row = 0; row < c.count; ++row) { /* cut through the middle: the outer half floats */
    for (size_t k = c.matrix.first[row]; k < c.matrix.first[row + 1]; ++k)
      if ((row % medium[0] < 12) != (c.matrix.column[k] % medium[0] < 12)) memset(c.matrix.values + 36 * k, 0, 36 * sizeof(double));
  }
  solve(&m, &c, x, 1);
  for (size_t k = 0; k < 6 * c.count; ++k) assert_true(isfinite(x[k]));
  la_preconditioner_destroy(&m);
  cantilever_destroy(&c);
  mem_free(x);

  static const size_t loose[3] = {100, 1, 1};
  c = make(loose, 1.0 / 60.0);
  m = multigrid(&c, 1);
  x = zeros(6 * c.count);
  for (size_t row = 0; row < c.count; ++row)
    for (size_t k = c.matrix.first[row]; k < c.matrix.first[row + 1]; ++k)
      if (k != c.matrix.diagonal[row]) memset(c.matrix.values + 36 * k, 0, 36 * sizeof(double));
  assert_int_equal(solve(&m, &c, x, 1).outcome, LA_PCG_CONVERGED);
  la_preconditioner_destroy(&m);
  cantilever_destroy(&c);

  la_block_matrix empty;
  assert_int_equal(la_block_matrix_create(0, NULL, 0, &empty, NULL), SCR_OK);
  assert_int_equal(la_multigrid_create(execution_of(1), &m, NULL), SCR_OK);
  assert_int_equal(m.update(m.state, &empty, NULL), SCR_OK);
  m.apply(m.state, x, x);
  la_preconditioner_destroy(&m);
  la_block_matrix_destroy(&empty);
  mem_free(x);
}

/* Without modes it is still a preconditioner, only a worse one: more iterations than with them. */
static void test_rigid_modes_are_what_makes_it_good(void **state)
{
  cantilever c = make(medium, 1.0 / 60.0);
  la_preconditioner with = multigrid(&c, 1), without = multigrid(&c, 1);
  double *x = zeros(6 * c.count);
  (void)state;
  la_multigrid_set_modes(&without, NULL);
  la_pcg_report plain = solve(&without, &c, x, 1);
  assert_int_equal(plain.outcome, LA_PCG_CONVERGED);
  assert_true(plain.iterations > solve(&with, &c, x, 1).iterations);
  la_preconditioner_destroy(&with);
  la_preconditioner_destroy(&without);
  cantilever_destroy(&c);
  mem_free(x);
}

/* Whichever allocation fails, the answer is SCR_NO_MEMORY, nothing leaks, and the next update goes well. */
static void test_lack_of_memory_is_an_error(void **state)
{
  (void)state;
  if (!failing_memory_works()) skip();
  cantilever c = make(medium, 1.0 / 60.0);
  scr_status status = SCR_NO_MEMORY;
  size_t allowed = 0;
  for (; status != SCR_OK && allowed < 5000; ++allowed) {
    la_preconditioner m = {0};
    failing_memory_begin(allowed);
    status = la_multigrid_create(execution_of(1), &m, NULL);
    if (status == SCR_OK) status = m.update(m.state, &c.matrix, NULL);
    long live = failing_memory_end();
    if (status == SCR_NO_MEMORY && live != (m.state ? 1 : 0)) fail_msg("%ld allocations live when %zu were allowed", live, allowed);
    if (m.state) assert_int_equal(m.update(m.state, &c.matrix, NULL), SCR_OK);
    la_preconditioner_destroy(&m);
    if (status != SCR_OK && status != SCR_NO_MEMORY) fail_msg("status %d when %zu allocations were allowed", (int)status, allowed);
  }
  print_message("# %zu allocations\n", allowed);
  assert_int_equal(status, SCR_OK);
  cantilever_destroy(&c);
}

SUITE(test_linalg_multigrid)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_aggregates_cover_every_coupled_row_once),
      cmocka_unit_test(test_the_tentative_prolongator_holds_the_rigid_modes),
      cmocka_unit_test(test_the_coarse_matrix_is_the_galerkin_product),
      cmocka_unit_test(test_iterations_hardly_grow_with_the_body),
      cmocka_unit_test(test_the_solution_does_not_depend_on_the_threads),
      cmocka_unit_test(test_a_used_hierarchy_gives_the_bits_of_a_fresh_one),
      cmocka_unit_test(test_matrices_it_is_not_made_for_do_no_harm),
      cmocka_unit_test(test_rigid_modes_are_what_makes_it_good),
      cmocka_unit_test(test_lack_of_memory_is_an_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
