/* Newton's steps of a bonded block with every preconditioner: the same end of the step, the same bits for any number of threads. */
#include <setjmp.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "geometry/fill/packing.h"
#include "methods/bdem/implicit/implicit.h"
#include "tests/support/suites.h"

static const double radius = 0.01;

/* A hexagonal close beam of 12 x 5 x 5 spheres, E = 1e7 Pa; the first sphere of every row is held, one more only along x. */
static bdem_body beam(void)
{
  size_t counts[3] = {12, 5, 5}, n = 300, bonds;
  uint32_t(*pairs)[2];
  bdem_elasticity material = {.young_modulus = 1e7, .poisson_ratio = 0.3};
  bdem_body body;
  scr_vec3 *centres = mem_array(n, sizeof *centres);
  assert_non_null(centres);
  geo_packing_block(GEO_PACKING_HEXAGONAL_CLOSE, radius, counts, centres);
  assert_int_equal(geo_packing_pairs(centres, n, 2.02 * radius, &pairs, &bonds, NULL), SCR_OK);
  assert_int_equal(bdem_body_create(n, bonds, &body, NULL), SCR_OK);
  for (size_t k = 0; k < n; ++k) {
    body.position[k] = centres[k];
    body.radius[k] = radius;
    body.mass[k] = 1000.0 * geo_packing_cell_volume(GEO_PACKING_HEXAGONAL_CLOSE, radius);
    body.held[k] = k % 12 == 0 ? BDEM_HELD_ALL : k == 17 ? 1 : 0;
  }
  for (size_t k = 0; k < bonds; ++k) assert_int_equal(bdem_body_bond(&body, k, pairs[k][0], pairs[k][1], &material, NULL), SCR_OK);
  mem_free(centres);
  mem_free(pairs);
  return body;
}

/* Two steps under twenty times its weight; returns the body as it is then. */
static bdem_body two_steps(la_preconditioner_kind kind, double time_step, unsigned threads, size_t *cg_iterations)
{
  bdem_body body = beam();
  bdem_step_solver *solver;
  bdem_implicit_options options = {.time_step = time_step,
                                   .force_scale = 1e7 * radius * radius,
                                   .tolerance = 1e-10,
                                   .iteration_limit = 100,
                                   .execution = execution_of(threads),
                                   .preconditioner = kind};
  scr_vec3 *load = mem_array(body.sphere_count, sizeof *load);
  assert_non_null(load);
  *cg_iterations = 0;
  for (size_t k = 0; k < body.sphere_count; ++k) load[k] = vec3(0, 0, -20 * 9.81 * body.mass[k]);
  assert_int_equal(bdem_implicit_create(&body, &solver, NULL), SCR_OK);
  for (int k = 0; k < 2; ++k) {
    bdem_implicit_report report;
    scr_error error = {0};
    if (bdem_implicit_step(solver, &body, load, &options, &report, &error) != SCR_OK) fail_msg("%s", error.message);
    *cg_iterations += report.cg_iterations;
  }
  bdem_implicit_destroy(solver);
  mem_free(load);
  return body;
}

/* Positions agree to 1e-6 of a radius: residuals of 1e-10 E r^2 move the tip of this beam, some 1e4 times softer than a bond, by that. */
static void test_every_preconditioner_leads_to_the_same_step(void **state)
{
  static const la_preconditioner_kind kinds[] = {LA_BLOCK_CHOLESKY, LA_BLOCK_JACOBI, LA_MULTIGRID, LA_DIRECT, LA_AUTOMATIC};
  static const double time_steps[] = {1.0 / 60.0, INFINITY};
  (void)state;
  for (int t = 0; t < 2; ++t) {
    size_t iterations[5];
    bdem_body reference = two_steps(kinds[0], time_steps[t], 1, &iterations[0]);
    for (int k = 1; k < 5; ++k) {
      bdem_body body = two_steps(kinds[k], time_steps[t], 1, &iterations[k]);
      for (size_t i = 0; i < body.sphere_count; ++i)
        assert_true(vec3_length(vec3_sub(body.position[i], reference.position[i])) < 1e-6 * radius);
      bdem_body_destroy(&body);
    }
    print_message("# iterations of two steps: block Cholesky %zu, block Jacobi %zu, multigrid %zu, direct %zu\n", iterations[0],
                  iterations[1], iterations[2], iterations[3]);
    assert_true(3 * iterations[2] < iterations[0]); /* else the rigid motions it was told are wrong */
    assert_true(iterations[3] < iterations[2]);
    bdem_body_destroy(&reference);
  }
}

/* Same bytes from one, two and three threads. */
static void test_a_multigrid_step_does_not_depend_on_the_threads(void **state)
{
  size_t iterations;
  bdem_body one = two_steps(LA_MULTIGRID, 1.0 / 60.0, 1, &iterations);
  (void)state;
  for (unsigned threads = 2; threads <= 3; ++threads) {
    bdem_body more = two_steps(LA_MULTIGRID, 1.0 / 60.0, threads, &iterations);
    assert_memory_equal(one.position, more.position, one.sphere_count * sizeof *one.position);
    assert_memory_equal(one.spin, more.spin, one.sphere_count * sizeof *one.spin);
    bdem_body_destroy(&more);
  }
  bdem_body_destroy(&one);
}

/* The rule of core/linalg/block6/README.md, whose tables say why. */
static void test_the_default_is_what_the_measurements_say(void **state)
{
  (void)state;
  const double solid = 10.5, yarns = 1.97;
  assert_int_equal(la_preconditioner_choose(5000, solid, 4), LA_BLOCK_CHOLESKY);
  assert_int_equal(la_preconditioner_choose(5000, solid, 20), LA_MULTIGRID);
  assert_int_equal(la_preconditioner_choose(5000, solid, INFINITY), LA_MULTIGRID);
  assert_int_equal(la_preconditioner_choose(100, solid, 20), LA_BLOCK_CHOLESKY);
  assert_int_equal(la_preconditioner_choose(100, solid, INFINITY), LA_DIRECT);
  assert_int_equal(la_preconditioner_choose(5808, yarns, 100), LA_BLOCK_CHOLESKY);
  assert_int_equal(la_preconditioner_choose(5808, yarns, INFINITY), LA_DIRECT);
}

SUITE(test_bdem_preconditioners)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_preconditioner_leads_to_the_same_step),
      cmocka_unit_test(test_a_multigrid_step_does_not_depend_on_the_threads),
      cmocka_unit_test(test_the_default_is_what_the_measurements_say),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
