/* The direct solver: against conjugate gradients, when it may be reused, and on matrices that have no Cholesky factor. */
#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "linalg/block6/direct.h"
#include "linalg/block6/pcg.h"
#include "linalg/vector.h"
#include "tests/support/cantilever.h"
#include "tests/support/failing_memory.h"
#include "tests/support/suites.h"

static const size_t counts[3] = {16, 4, 4};

static cantilever make(double steps)
{
  cantilever c;
  assert_true(cantilever_create(counts, steps * cantilever_stable_step(counts[0]), &c));
  return c;
}

static double *zeros(size_t count)
{
  double *a = mem_array(count, sizeof *a);
  assert_non_null(a);
  return a;
}

/* |b - A x| / |b|, from the matrix itself. */
static double residual(const cantilever *c, const double *x)
{
  double *ax = zeros(6 * c->count);
  la_block_matrix_multiply(&c->matrix, x, ax, execution_of(1));
  for (size_t k = 0; k < 6 * c->count; ++k) ax[k] -= c->right[k];
  double size = sqrt(la_dot(ax, ax, 6 * c->count, execution_of(1)) / la_dot(c->right, c->right, 6 * c->count, execution_of(1)));
  mem_free(ax);
  return size;
}

/* The static cantilever, whose condition number is about 1e6: the factor leaves a residual near rounding, and conjugate gradients with
 * block Jacobi to 1e-12 give the same displacements to 1e-12 times that condition number. */
static void test_the_factor_solves_what_conjugate_gradients_solve(void **state)
{
  cantilever c = make(INFINITY);
  la_direct *direct;
  la_preconditioner jacobi;
  double *x = zeros(6 * c.count), *y = zeros(6 * c.count), *scratch = zeros(la_pcg_scratch(c.count));
  la_pcg_options options = {.tolerance = 1e-12, .iteration_limit = 10000, .execution = execution_of(1)};
  (void)state;
  assert_int_equal(la_direct_create(&direct, NULL), SCR_OK);
  assert_int_equal(la_direct_factor(direct, &c.matrix, 0.0, NULL), SCR_OK);
  assert_int_equal(la_direct_solve(direct, c.right, x, NULL), SCR_OK);
  assert_true(residual(&c, x) < 1e-10);
  assert_int_equal(la_block_jacobi_create(execution_of(1), &jacobi, NULL), SCR_OK);
  assert_int_equal(jacobi.update(jacobi.state, &c.matrix, NULL), SCR_OK);
  assert_int_equal(la_pcg(&c.matrix, &jacobi, &options, c.right, y, scratch).outcome, LA_PCG_CONVERGED);
  double largest = la_largest(x, 6 * c.count, execution_of(1));
  for (size_t k = 0; k < 6 * c.count; ++k) assert_true(fabs(x[k] - y[k]) < 1e-6 * largest);
  la_preconditioner_destroy(&jacobi);
  la_direct_destroy(direct);
  cantilever_destroy(&c);
  mem_free(x);
  mem_free(y);
  mem_free(scratch);
}

/* As a preconditioner it leaves one iteration, for a finite step and a static solve. */
static void test_it_leaves_conjugate_gradients_one_iteration(void **state)
{
  static const double steps[] = {20, 100, INFINITY};
  (void)state;
  for (int k = 0; k < 3; ++k) {
    cantilever c = make(steps[k]);
    la_preconditioner direct;
    double *x = zeros(6 * c.count), *scratch = zeros(la_pcg_scratch(c.count));
    la_pcg_options options = {.tolerance = 1e-8, .iteration_limit = 10, .execution = execution_of(1)};
    assert_int_equal(la_direct_preconditioner_create(&direct, NULL), SCR_OK);
    assert_int_equal(direct.update(direct.state, &c.matrix, NULL), SCR_OK);
    la_pcg_report report = la_pcg(&c.matrix, &direct, &options, c.right, x, scratch);
    assert_int_equal(report.outcome, LA_PCG_CONVERGED);
    assert_int_equal(report.iterations, 1);
    assert_true(residual(&c, x) < 1e-8);
    la_preconditioner_destroy(&direct);
    cantilever_destroy(&c);
    mem_free(x);
    mem_free(scratch);
  }
}

/* New values on the same graph need no new analysis; a bond that breaks (zero blocks) does, and a solver that saw the whole body before
 * gives the same bits as a fresh one. */
static void test_the_analysis_is_kept_while_the_graph_is_unchanged(void **state)
{
  cantilever c = make(100);
  la_direct *used, *fresh;
  double *x = zeros(6 * c.count), *y = zeros(6 * c.count);
  (void)state;
  assert_int_equal(la_direct_create(&used, NULL), SCR_OK);
  assert_int_equal(la_direct_create(&fresh, NULL), SCR_OK);
  assert_int_equal(la_direct_factor(used, &c.matrix, 0.0, NULL), SCR_OK);
  for (size_t k = 0; k < 36 * c.matrix.block_count; ++k) c.matrix.values[k] *= 1.5;
  assert_int_equal(la_direct_factor(used, &c.matrix, 0.0, NULL), SCR_OK);
  assert_int_equal(la_direct_analysis_count(used), 1);
  uint32_t i = 5, j = 6;
  memset(c.matrix.values + 36 * la_block_matrix_slot(&c.matrix, i, j), 0, 36 * sizeof(double));
  memset(c.matrix.values + 36 * la_block_matrix_slot(&c.matrix, j, i), 0, 36 * sizeof(double));
  assert_int_equal(la_direct_factor(used, &c.matrix, 0.0, NULL), SCR_OK);
  assert_int_equal(la_direct_analysis_count(used), 2);
  assert_int_equal(la_direct_factor(fresh, &c.matrix, 0.0, NULL), SCR_OK);
  assert_int_equal(la_direct_solve(used, c.right, x, NULL), SCR_OK);
  assert_int_equal(la_direct_solve(fresh, c.right, y, NULL), SCR_OK);
  assert_memory_equal(x, y, 6 * c.count * sizeof *x);
  assert_true(residual(&c, x) < 1e-10);
  la_direct_destroy(used);
  la_direct_destroy(fresh);
  cantilever_destroy(&c);
  mem_free(x);
  mem_free(y);
}

enum { INDEFINITE, SINGULAR, NOT_A_NUMBER, DAMAGES };

/* One matrix of each kind that has no factor: a node too weak for the bonds on it; two unknowns that differ by rounding only; a value
 * that is not a number. */
static void damage(la_block_matrix *matrix, int kind)
{
  double *block = matrix->values + 36 * matrix->diagonal[100];
  if (kind == INDEFINITE)
    for (int d = 0; d < 6; ++d) block[7 * d] *= 0.1;
  if (kind == SINGULAR) {
    block = matrix->values + 36 * matrix->diagonal[0];
    block[1] = block[6] = nextafter(1.0, 0.0);
  }
  if (kind == NOT_A_NUMBER) block[1] = block[6] = NAN;
}

/* They are refused with an error that says what to do, and a good matrix is solved after them. */
static void test_a_matrix_without_a_factor_is_refused(void **state)
{
  (void)state;
  for (int kind = 0; kind < DAMAGES; ++kind) {
    cantilever c = make(100), good = make(100);
    la_direct *direct;
    scr_error error = {0};
    double *x = zeros(6 * c.count);
    assert_int_equal(la_direct_create(&direct, NULL), SCR_OK);
    assert_int_equal(la_direct_solve(direct, c.right, x, &error), SCR_BAD_USAGE);
    damage(&c.matrix, kind);
    assert_int_equal(la_direct_factor(direct, &c.matrix, 0.0, &error), SCR_DIVERGED);
    assert_non_null(strstr(error.message, kind == SINGULAR ? "is singular" : kind == INDEFINITE ? "not positive definite" : "matrix"));
    assert_int_equal(la_direct_solve(direct, c.right, x, NULL), SCR_BAD_USAGE);
    assert_int_equal(la_direct_factor(direct, &good.matrix, 0.0, NULL), SCR_OK);
    assert_int_equal(la_direct_solve(direct, good.right, x, NULL), SCR_OK);
    assert_true(residual(&good, x) < 1e-10);
    la_direct_destroy(direct);
    cantilever_destroy(&c);
    cantilever_destroy(&good);
    mem_free(x);
  }
}

/* As a preconditioner it stays usable on such matrices: an indefinite one is reported as negative curvature, not solved. */
static void test_conjugate_gradients_report_an_indefinite_matrix(void **state)
{
  cantilever c = make(100);
  la_preconditioner direct;
  double *x = zeros(6 * c.count), *scratch = zeros(la_pcg_scratch(c.count));
  la_pcg_options options = {.tolerance = 1e-8, .iteration_limit = 2000, .execution = execution_of(1)};
  (void)state;
  damage(&c.matrix, INDEFINITE);
  assert_int_equal(la_direct_preconditioner_create(&direct, NULL), SCR_OK);
  assert_int_equal(direct.update(direct.state, &c.matrix, NULL), SCR_OK);
  assert_int_equal(la_pcg(&c.matrix, &direct, &options, c.right, x, scratch).outcome, LA_PCG_NEGATIVE_CURVATURE);
  for (size_t k = 0; k < 6 * c.count; ++k) assert_true(isfinite(x[k]));
  la_preconditioner_destroy(&direct);
  cantilever_destroy(&c);
  mem_free(x);
  mem_free(scratch);
}

/* A matrix of no rows is solved by doing nothing. */
static void test_an_empty_matrix_is_solved(void **state)
{
  la_block_matrix matrix;
  la_direct *direct;
  double nothing = 0.0;
  (void)state;
  assert_int_equal(la_block_matrix_create(0, NULL, 0, &matrix, NULL), SCR_OK);
  assert_int_equal(la_direct_create(&direct, NULL), SCR_OK);
  assert_int_equal(la_direct_factor(direct, &matrix, 0.0, NULL), SCR_OK);
  assert_int_equal(la_direct_solve(direct, &nothing, &nothing, NULL), SCR_OK);
  la_direct_destroy(direct);
  la_block_matrix_destroy(&matrix);
}

/* ── failing memory ─────────────────────────────────────────────────────────────────────────────────────────────── */

/* CHOLMOD makes sure that METIS will find its memory before it calls it, because METIS does not survive a failed allocation: here too it
 * always gets what it asks for. */
int METIS_NodeND(int32_t *, int32_t *, int32_t *, int32_t *, int32_t *, int32_t *, int32_t *);
int METIS_NodeND(int32_t *count, int32_t *first, int32_t *other, int32_t *weight, int32_t *options, int32_t *order, int32_t *inverse)
{
  int (*metis)(int32_t *, int32_t *, int32_t *, int32_t *, int32_t *, int32_t *, int32_t *);
  void *symbol = dlsym(RTLD_NEXT, "METIS_NodeND");
  memcpy(&metis, &symbol, sizeof metis);
  failing_memory_pause(true);
  int status = metis(count, first, other, weight, options, order, inverse);
  failing_memory_pause(false);
  return status;
}

static scr_status factor_with(const cantilever *c, double *x)
{
  la_direct *direct = NULL;
  scr_status status = la_direct_create(&direct, NULL);
  if (status == SCR_OK) status = la_direct_factor(direct, &c->matrix, 0.0, NULL);
  if (status == SCR_OK) status = la_direct_solve(direct, c->right, x, NULL);
  la_direct_destroy(direct);
  return status;
}

/* Whichever allocation fails, CHOLMOD's among them, the answer is SCR_NO_MEMORY and nothing leaks. */
static void test_lack_of_memory_is_an_error(void **state)
{
  (void)state;
  if (!failing_memory_works()) skip();
  cantilever c = make(100);
  double *x = zeros(6 * c.count);
  scr_status status = SCR_NO_MEMORY;
  size_t allowed = 0;
  factor_with(&c, x); /* BLAS keeps what it allocates the first time */
  for (; status != SCR_OK && allowed < 5000; ++allowed) {
    failing_memory_begin(allowed);
    status = factor_with(&c, x);
    long live = failing_memory_end();
    if (live != 0) fail_msg("%ld allocations were not freed when %zu were allowed", live, allowed);
    if (status != SCR_OK && status != SCR_NO_MEMORY) fail_msg("status %d when %zu allocations were allowed", (int)status, allowed);
  }
  print_message("# %zu allocations\n", allowed);
  assert_int_equal(status, SCR_OK);
  cantilever_destroy(&c);
  mem_free(x);
}

SUITE(test_linalg_direct)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_factor_solves_what_conjugate_gradients_solve),
      cmocka_unit_test(test_it_leaves_conjugate_gradients_one_iteration),
      cmocka_unit_test(test_the_analysis_is_kept_while_the_graph_is_unchanged),
      cmocka_unit_test(test_a_matrix_without_a_factor_is_refused),
      cmocka_unit_test(test_conjugate_gradients_report_an_indefinite_matrix),
      cmocka_unit_test(test_an_empty_matrix_is_solved),
      cmocka_unit_test(test_lack_of_memory_is_an_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
