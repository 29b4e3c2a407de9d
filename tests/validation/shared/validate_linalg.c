/* Preconditioners on the cantilever of the bonded solids' checks: iterations against an independent prototype's, and at a size it could not
 * reach (check A15). The slow case takes 100 000 spheres and some 2 GB. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "linalg/block6/pcg.h"
#include "linalg/block6/preconditioner_choice.h"
#include "tests/support/cantilever.h"
#include "tests/support/claim.h"
#include "tests/support/suites.h"

/* Iterations to 1e-6 for a time step. */
static size_t iterations_of(la_preconditioner_kind kind, const size_t counts[3], double time_step)
{
  cantilever c;
  la_preconditioner p;
  la_pcg_options options = {.tolerance = 1e-6, .iteration_limit = 20000, .execution = execution_of(1)};
  assert_true(cantilever_create(counts, time_step, &c));
  double *x = mem_array(6 * c.count, sizeof *x), *scratch = mem_array(la_pcg_scratch(c.count), sizeof *scratch);
  assert_true(x && scratch);
  assert_int_equal(la_preconditioner_create(kind, execution_of(1), &p, NULL), SCR_OK);
  la_multigrid_set_modes(&p, c.modes);
  assert_int_equal(p.update(p.state, &c.matrix, NULL), SCR_OK);
  la_pcg_report report = la_pcg(&c.matrix, &p, &options, c.right, x, scratch);
  assert_int_equal(report.outcome, LA_PCG_CONVERGED);
  print_message("# %zu free spheres, %s, %s: %zu iterations, %.1f MB\n", c.free_count, isfinite(time_step) ? "dt 1/60 s" : "static", p.name,
                report.iterations, 1e-6 * (double)p.bytes(p.state));
  la_preconditioner_destroy(&p);
  cantilever_destroy(&c);
  mem_free(x);
  mem_free(scratch);
  return report.iterations;
}

/* The prototype's two smallest beams, whose packing the numbers of spheres fix: block Jacobi needed 113 and 158 iterations; the same here
 * to one, which says that the matrices are the same. */
static void test_block_jacobi_needs_what_the_prototype_needed(void **state)
{
  static const size_t counts[2][3] = {{16, 4, 4}, {24, 6, 7}};
  (void)state;
  assert_in_range(iterations_of(LA_BLOCK_JACOBI, counts[0], 1.0 / 60.0), 112, 114);
  assert_in_range(iterations_of(LA_BLOCK_JACOBI, counts[1], 1.0 / 60.0), 157, 159);
}

/* Multigrid: the prototype's 7, 11, 11 and 12 iterations, give or take one for another smoother and other aggregates; for a static solve,
 * at most a half more. */
static void test_multigrid_hardly_minds_the_size(void **state)
{
  static const size_t counts[4][3] = {{16, 4, 4}, {24, 6, 7}, {32, 7, 11}, {37, 11, 13}}, most[4] = {8, 12, 12, 13};
  (void)state;
  for (int k = 0; k < 4; ++k) {
    assert_in_range(iterations_of(LA_MULTIGRID, counts[k], 1.0 / 60.0), 1, most[k]);
    assert_in_range(iterations_of(LA_MULTIGRID, counts[k], INFINITY), 1, most[k] + most[k] / 2);
  }
}

/* At 98 880 free spheres it takes at most 20 iterations, less than twice those at 5148 (the check's own bounds). */
static void test_multigrid_holds_at_a_hundred_thousand_spheres(void **state)
{
  static const size_t medium[3] = {37, 11, 13}, large[3] = {104, 30, 32};
  (void)state;
  claim_slow();
  size_t here = iterations_of(LA_MULTIGRID, large, 1.0 / 60.0);
  assert_in_range(here, 1, 20);
  assert_true(here < 2 * iterations_of(LA_MULTIGRID, medium, 1.0 / 60.0));
}

SUITE(validate_linalg)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_block_jacobi_needs_what_the_prototype_needed),
      cmocka_unit_test(test_multigrid_hardly_minds_the_size),
      cmocka_unit_test(test_multigrid_holds_at_a_hundred_thousand_spheres),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
