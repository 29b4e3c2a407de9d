/* The solvers of whole contact problems beside Gauss-Seidel: what each finds, threads, starts, and the parts they are made of.
 *
 * Reference: tests/data/dcfp, problems with solutions made by other solvers; finite differences; relations that cones obey. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "contact/local/small_matrix.h"
#include "contact/solvers/interior_cone.h"
#include "contact/solvers/random_normal.h"
#include "tests/support/contact_case.h"
#include "tests/support/suites.h"

/* What each solver is known to solve within 1e-6, and its limit (0: its own). Gradients need many steps on stacks; the interior points find
 * packs harder than the proximal Newton method does. */
static const struct {
  contact_solver solver;
  const char *problems[4];
} strengths[] = {
    {CONTACT_ADMM, {"boxstack_06_r1e6", "wall_4x4", "rods_05", "sph_012_0"}},
    {CONTACT_FIXED_POINT, {"boxstack_03", "wall_4x4", "rods_05", "sph_012_0"}},
    {CONTACT_DESCENT, {"boxstack_03", "wall_4x4", "wedge_mu01", "sph_012_0"}},
    {CONTACT_CONJUGATE, {"boxstack_03", "wall_4x4", "wedge_mu01", "sph_012_0"}},
    {CONTACT_ACCELERATED, {"boxstack_10", "wall_4x4", "rods_05", "sph_030_1"}},
    {CONTACT_SPECTRAL, {"boxstack_10", "wall_4x4", "rods_05", "sph_030_1"}},
    {CONTACT_NEWTON, {"boxstack_06_r1e6", "arch_15_thin", "rods_05", "sph_030_1"}},
    {CONTACT_INTERIOR, {"boxstack_03", "arch_15_thin", "rods_05", "wall_4x4"}},
    {CONTACT_HYBRID, {"boxstack_06_r1e6", "arch_15_thin", "sph_060_0", "sph_030_1"}},
    {CONTACT_AUTO, {"boxstack_06_r1e6", "arch_15_thin", "sph_060_0", "sph_030_1"}},
};

static void test_every_solver_finds_the_velocities_that_others_found(void **state)
{
  (void)state;
  for (size_t k = 0; k < sizeof strengths / sizeof *strengths; k++)
    for (size_t j = 0; j < 4; j++) {
      contact_case c;
      contact_case_open(strengths[k].problems[j], &c);
      c.options.solver = strengths[k].solver;
      contact_case_solve(&c);
      double apart = contact_case_apart(c.relative, c.file.relative, c.rows) / contact_case_speed(&c);
      if (c.result.status != CONTACT_SOLVED || apart > 2e-4)
        fail_msg("%s on %s: residual %.2g, velocities %.2g apart: %s", contact_solver_name(strengths[k].solver), strengths[k].problems[j],
                 c.result.residual, apart, c.result.reason);
      assert_true(c.result.reason[0] != '\0');
      contact_case_close(&c);
    }
}

/* Contacts of a pack on three threads, with every solver: the bits of one thread. */
static void test_no_solver_depends_on_the_number_of_threads(void **state)
{
  (void)state;
  for (unsigned solver = 0; solver < CONTACT_SOLVER_COUNT; solver++) {
    contact_case one, three;
    contact_case_open("sph_012_0", &one);
    contact_case_open("sph_012_0", &three);
    one.options.solver = three.options.solver = (contact_solver)solver;
    one.options.iteration_limit = three.options.iteration_limit = 30;
    three.options.execution = execution_of(3);
    contact_case_solve(&one);
    contact_case_solve(&three);
    assert_memory_equal(one.impulse, three.impulse, one.rows * sizeof *one.impulse);
    assert_true(one.result.factorisations == three.result.factorisations && one.result.iterations == three.result.iterations);
    contact_case_close(&one);
    contact_case_close(&three);
  }
}

static void test_a_solution_as_a_start_needs_no_work(void **state)
{
  (void)state;
  contact_case c;
  contact_case_open("arch_11", &c);
  contact_case_solve(&c);
  assert_true(c.result.status == CONTACT_SOLVED && c.result.factorisations > 0);
  contact_case_solve(&c);
  assert_true(c.result.status == CONTACT_SOLVED && c.result.factorisations == 0 && c.result.iterations == 0);
  contact_case_close(&c);
}

static void test_limits_are_kept_and_the_best_point_comes_back(void **state)
{
  (void)state;
  contact_case c;
  contact_case_open("sph_100b_0", &c);
  c.options.solver = CONTACT_HYBRID;
  c.options.tolerance = 1e-8;
  c.options.factor_limit = 20;
  double residuals[64], nothing = contact_case_measure(&c, c.impulse);
  unsigned iterations[64];
  contact_solver solvers[64];
  contact_history history = {.capacity = 64, .residual = residuals, .iteration = iterations, .solver = solvers};
  c.options.history = &history;
  contact_case_solve(&c);
  assert_true(c.result.status == CONTACT_UNSOLVED && c.result.factorisations <= 20 && c.result.residual < nothing);
  assert_true(history.count > 3);
  double least = residuals[0];
  for (size_t k = 0; k < history.count; k++) least = fmin(least, residuals[k]);
  assert_true(least == c.result.residual);
  for (size_t k = 1; k < history.count; k++) assert_true(iterations[k] >= iterations[k - 1]);
  contact_case_close(&c);
}

/* What an automatic solution does before it factorises keeps to the limit of iterations; what is left is still solved. */
static void test_auto_keeps_to_the_limit_of_iterations(void **state)
{
  (void)state;
  contact_case c;
  contact_case_open("sph_100b_0", &c);
  c.options.solver = CONTACT_AUTO;
  c.options.tolerance = 1e-8;
  c.options.iteration_limit = 3;
  double residuals[64];
  unsigned iterations[64], sweeps = 0;
  contact_solver solvers[64];
  contact_history history = {.capacity = 64, .residual = residuals, .iteration = iterations, .solver = solvers};
  c.options.history = &history;
  contact_case_solve(&c);
  assert_true(history.count > 1 && c.result.status == CONTACT_SOLVED);
  for (size_t k = 0; k < history.count; k++)
    if (solvers[k] == CONTACT_GAUSS_SEIDEL && iterations[k] > sweeps) sweeps = iterations[k];
  assert_int_equal(sweeps, 3);
  contact_case_close(&c);
}

/* A ball squeezed by two walls that close in, friction beyond the wedge's angle: nothing fits, and it must say so. */
static void test_a_blocked_wedge_ends_as_one(void **state)
{
  (void)state;
  contact_case c;
  contact_case_open("wedge_mu01", &c);
  static const double blocked[2] = {0.8, 0.8}, *had;
  had = c.file.problem.friction;
  c.file.problem.friction = blocked;
  for (unsigned solver = 0; solver < CONTACT_SOLVER_COUNT; solver++) {
    c.options.solver = (contact_solver)solver;
    memset(c.impulse, 0, c.rows * sizeof *c.impulse);
    contact_case_solve(&c);
    assert_int_not_equal(c.result.status, CONTACT_SOLVED);
    for (size_t k = 0; k < c.rows; k++) assert_true(isfinite(c.impulse[k]) && isfinite(c.relative[k]));
    if (solver == CONTACT_AUTO || solver == CONTACT_HYBRID) assert_int_equal(c.result.status, CONTACT_INFEASIBLE);
  }
  c.file.problem.friction = had;
  contact_case_close(&c);
}

/* Fixed contacts hold, frictionless ones slide: a bar of two nodes hung by a fixed contact, its other end on a frictionless floor, against
 * what a hand gives. Node 0 (2 kg) is fixed: its impulse is minus its momentum; node 1 (3 kg) keeps its momentum along the floor. */
static void test_fixed_and_frictionless_contacts_stand_beside_the_others(void **state)
{
  (void)state;
  const double mass[18] = {2, 0, 0, 0, 2, 0, 0, 0, 2, 3, 0, 0, 0, 3, 0, 0, 0, 3}, momentum[6] = {1, -2, 0.5, 0.6, 0, -1.5},
               jacobian[18] = {0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0}, offset[6] = {0}, friction[2] = {-1, 0};
  const size_t first[3] = {0, 1, 2};
  const uint32_t block[2] = {0, 1};
  const contact_problem problem = CONTACT_CASE_POINTS(2, 2);
  const double wanted[6] = {-0.5, -1, 2, 1.5, 0, 0}, moving[6] = {0, 0, 0, 0.2, 0, 0};
  for (unsigned solver = 0; solver < CONTACT_SOLVER_COUNT; solver++) {
    contact_options options = contact_options_default();
    double impulse[6] = {0}, velocity[6], relative[6];
    contact_result result;
    options.solver = (contact_solver)solver;
    options.tolerance = 1e-9;
    assert_int_equal(contact_solve(&problem, &options, impulse, velocity, relative, &result, NULL), SCR_OK);
    if (result.status != CONTACT_SOLVED) fail_msg("%s: %s, %g", contact_solver_name(options.solver), result.reason, result.residual);
    assert_true(contact_case_apart(impulse, wanted, 6) < 1e-7 && contact_case_apart(velocity, moving, 6) < 1e-7);
  }
}

/* In the plane and in six dimensions the same code runs: a block pushed along a floor with more than friction holds slides with what is
 * left; the normal impulse is its weight's. In six dimensions the five tangents share the disk. */
static void test_dimensions_two_and_six_slide_as_three_does(void **state)
{
  (void)state;
  static const unsigned dimensions[] = {2, 6};
  for (size_t k = 0; k < 2; k++)
    for (unsigned solver = 0; solver < CONTACT_SOLVER_COUNT; solver++) {
      unsigned d = dimensions[k];
      double mass[36] = {0}, momentum[6] = {-2.0}, jacobian[36] = {0}, offset[6] = {0}, impulse[6] = {0}, velocity[6], relative[6];
      for (unsigned c = 0; c < d; c++) {
        mass[c * d + c] = 2.0;
        jacobian[c * d + c] = 1.0;
        if (c > 0) momentum[c] = 0.5 * c;
      }
      double pushed = 0.0;
      for (unsigned c = 1; c < d; c++) pushed += momentum[c] * momentum[c];
      pushed = sqrt(pushed);
      const size_t first[2] = {0, 1};
      const uint32_t block[1] = {0};
      const double friction[1] = {d == 2 ? 0.1 : 0.4};
      const contact_problem problem = {.dimension = d,
                                       .contact_count = 1,
                                       .block_size = d,
                                       .block_count = 1,
                                       .mass_block = mass,
                                       .momentum = momentum,
                                       .first = first,
                                       .block = block,
                                       .jacobian = jacobian,
                                       .offset = offset,
                                       .friction = friction};
      contact_options options = contact_options_default();
      contact_result result;
      options.solver = (contact_solver)solver;
      options.tolerance = 1e-9;
      assert_int_equal(contact_solve(&problem, &options, impulse, velocity, relative, &result, NULL), SCR_OK);
      if (result.status != CONTACT_SOLVED) fail_msg("%s, d = %u: %g", contact_solver_name(options.solver), d, result.residual);
      assert_int_equal(result.sliding, 1);
      for (unsigned c = 1; c < d; c++)
        assert_true(fabs(velocity[c] - momentum[c] / 2.0 * (1.0 - friction[0] * 2.0 / pushed)) < 1e-7 && fabs(velocity[0]) < 1e-7);
    }
}

/* A loose tolerance is reached without many factorisations: a plane shear box, of which Gauss-Seidel leaves a tenth; the hybrid takes
 * hundreds. */
static void test_a_loose_tolerance_costs_few_factorisations(void **state)
{
  (void)state;
  contact_case c;
  contact_case_open("../shear-box/step_5", &c);
  c.options.tolerance = 1e-2;
  contact_case_solve(&c);
  assert_int_equal(c.result.status, CONTACT_SOLVED);
  assert_true(contact_case_measure(&c, c.impulse) <= 1e-2);
  if (c.result.factorisations > 30 || c.result.iterations > 4000)
    fail_msg("%u factorisations, %u iterations", c.result.factorisations, c.result.iterations);
  contact_case_close(&c);
}

/* Place of a solver's first point in a history; its length when it has none. */
static size_t first_of(const contact_history *history, contact_solver solver)
{
  for (size_t k = 0; k < history->count; k++)
    if (history->solver[k] == solver) return k;
  return history->count;
}

/* Accelerated gradients stand between Gauss-Seidel and ADMM, where the tolerance is 1e-4 or looser and nowhere else; the sentence names
 * them whether they end it (a shear box to 5e-3) or not (six cubes, masses of a million to one). */
static void test_auto_tries_gradients_after_gauss_seidel_at_loose_tolerances(void **state)
{
  (void)state;
  static const struct {
    const char *name;
    double tolerance;
    const char *said; /* NULL: they have no part in it */
    contact_solver by;
  } cases[] = {{"../shear-box/step_5", 5e-3, "accelerated gradients reached the tolerance", CONTACT_ACCELERATED},
               {"boxstack_06_r1e6", 1e-4, "gradients left ", CONTACT_NEWTON},
               {"boxstack_06_r1e6", 1e-5, NULL, CONTACT_NEWTON}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    enum { POINTS = 4096 };
    static double residuals[POINTS];
    static unsigned iterations[POINTS];
    static contact_solver solvers[POINTS];
    contact_history history = {.capacity = POINTS, .residual = residuals, .iteration = iterations, .solver = solvers};
    contact_case c;
    contact_case_open(cases[k].name, &c);
    c.options.tolerance = cases[k].tolerance;
    c.options.history = &history;
    contact_case_solve(&c);
    if (c.result.status != CONTACT_SOLVED || c.result.solver != cases[k].by || strncmp(c.result.reason, "gauss-seidel left ", 18) != 0)
      fail_msg("%s to %g: %s", cases[k].name, cases[k].tolerance, c.result.reason);
    if ((strstr(c.result.reason, cases[k].said ? cases[k].said : "gradients") != NULL) != (cases[k].said != NULL))
      fail_msg("%s to %g: %s", cases[k].name, cases[k].tolerance, c.result.reason);
    size_t sweeps = first_of(&history, CONTACT_GAUSS_SEIDEL), gradients = first_of(&history, CONTACT_ACCELERATED);
    assert_true(sweeps < gradients && (gradients < history.count) == (cases[k].said != NULL));
    assert_true(gradients <= first_of(&history, CONTACT_ADMM) && gradients <= history.count);
    if (cases[k].said && cases[k].by != CONTACT_ACCELERATED) assert_true(gradients < first_of(&history, cases[k].by));
    contact_case_close(&c);
  }
}

/* ── arithmetic of second-order cones ── */

static void random_inside(unsigned d, uint64_t *seed, double *z)
{
  double t = 0.0;
  for (unsigned k = 1; k < d; k++) {
    z[k] = random_normal(seed);
    t += z[k] * z[k];
  }
  z[0] = sqrt(t) * (1.0 + 0.01 * fabs(random_normal(seed))) + 1e-3;
}

/* W x = W^-1 y, W^-1 W = 1, W^-2 = W^-1 W^-1, and L(lambda) undoes its division. */
static void test_the_scaling_takes_a_pair_to_one_point(void **state)
{
  (void)state;
  uint64_t seed = 5;
  static const unsigned dimensions[] = {1, 2, 3, 6};
  for (unsigned turn = 0; turn < 400; turn++) {
    unsigned d = dimensions[turn % 4];
    double x[6], y[6], from_y[6], product[36], square[36], quotient[6], back[6];
    random_inside(d, &seed, x);
    random_inside(d, &seed, y);
    second_order_scaling s;
    second_order_scale(d, x, y, &s);
    small_multiply(d, s.inverse, y, from_y);
    small_product(d, s.inverse, s.scale, product);
    small_product(d, s.inverse, s.inverse, square);
    second_order_divide(d, s.lambda, x, quotient);
    second_order_product(d, s.lambda, quotient, back);
    double size = 0.0;
    for (unsigned k = 0; k < d * d; k++) size = fmax(size, fabs(s.inverse_square[k]));
    for (unsigned k = 0; k < d; k++) {
      assert_true(fabs(s.lambda[k] - from_y[k]) < 1e-8 * (1.0 + fabs(s.lambda[0])));
      assert_true(fabs(back[k] - x[k]) < 1e-7 * (1.0 + fabs(x[0])));
      for (unsigned c = 0; c < d; c++) {
        assert_true(fabs(product[c * d + k] - (c == k)) < 1e-8);
        assert_true(fabs(square[c * d + k] - s.inverse_square[c * d + k]) < 1e-8 * size);
      }
    }
  }
}

/* At the longest step the vector lies on the cone's surface, also for changes along the axis, where a discriminant would vanish. */
static void test_the_longest_step_ends_on_the_cone(void **state)
{
  (void)state;
  uint64_t seed = 9;
  for (unsigned turn = 0; turn < 400; turn++) {
    unsigned d = 2 + turn % 5;
    double z[6], change[6] = {0}, t = 0.0;
    random_inside(d, &seed, z);
    for (unsigned k = 0; k < d && turn % 3; k++) change[k] = random_normal(&seed);
    if (turn % 3 == 0) change[0] = -1.0;
    double reach = second_order_reach(d, z, change);
    if (reach >= 1e30) {
      for (unsigned k = 1; k < d; k++) t += change[k] * change[k];
      assert_true(change[0] >= sqrt(t) * (1.0 - 1e-9)); /* it goes on for ever: the change lies in the cone */
      continue;
    }
    for (unsigned k = 1; k < d; k++) t += (z[k] + reach * change[k]) * (z[k] + reach * change[k]);
    assert_true(reach > 0.0 && fabs(z[0] + reach * change[0] - sqrt(t)) < 1e-9 * (1.0 + reach) * (1.0 + fabs(z[0])));
  }
}

/* A frictionless ball of 1 kg between a fixed plane and one that closes at 1 cm/s. Impulses of 1e16 N s on both sides cancel in M v, and in
 * s r - u~ the velocity is below the spacing of numbers: the natural map alone is 0 there while the surfaces close. Nothing may call that
 * solved, neither as a start nor as a result. */
static void test_impulses_beyond_rounding_are_no_solution(void **state)
{
  (void)state;
  const double offset[4] = {0, 0, -0.01, 0}, friction[2] = {0, 0}, huge = 1e16;
  const contact_problem p = {.dimension = 2,
                             .contact_count = 2,
                             .block_size = 1,
                             .block_count = 1,
                             .mass_block = (double[]){1},
                             .momentum = (double[]){0},
                             .first = (size_t[]){0, 1, 2},
                             .block = (uint32_t[]){0, 0},
                             .jacobian = (double[]){1, 0, -1, 0},
                             .offset = offset,
                             .friction = friction};
  contact_options options = contact_options_default();
  double impulse[4] = {huge, 0, huge, 0}, velocity[1], relative[4], residual;
  assert_int_equal(contact_measure(&p, &options, impulse, velocity, relative, &residual, NULL), SCR_OK);
  assert_true(residual > 0.5);
  for (unsigned solver = 0; solver < CONTACT_SOLVER_COUNT; ++solver) {
    contact_result result;
    options.solver = (contact_solver)solver;
    impulse[0] = impulse[2] = huge;
    assert_int_equal(contact_solve(&p, &options, impulse, velocity, relative, &result, NULL), SCR_OK);
    assert_int_not_equal(result.status, CONTACT_SOLVED);
    assert_true(result.residual > 0.1);
  }
}

/* Two balls under their weight, each on a floor of its own; the start has the first one's impulse, and for the second, which comes new, one
 * that is ten times too large, so that its residual is larger than that of zeros. With no sweep to do the start comes back, not zeros. */
static void test_one_bad_contact_does_not_throw_a_start_away(void **state)
{
  (void)state;
  const contact_problem p = {.dimension = 2,
                             .contact_count = 2,
                             .block_size = 2,
                             .block_count = 2,
                             .mass_block = (double[]){1, 0, 0, 1, 1, 0, 0, 1},
                             .momentum = (double[]){-1, 0, -1, 0},
                             .first = (size_t[]){0, 1, 2},
                             .block = (uint32_t[]){0, 1},
                             .jacobian = (double[]){1, 0, 0, 1, 1, 0, 0, 1},
                             .offset = (double[]){0, 0, 0, 0},
                             .friction = (double[]){0.5, 0.5}};
  double residual[8];
  unsigned iteration[8];
  contact_solver who[8];
  contact_history history = {.capacity = 8, .residual = residual, .iteration = iteration, .solver = who};
  contact_options options = contact_options_default();
  contact_result result;
  double impulse[4] = {1, 0, 10, 0}, velocity[4], relative[4];
  options.solver = CONTACT_GAUSS_SEIDEL;
  options.iteration_limit = 1;
  options.history = &history;
  assert_int_equal(contact_solve(&p, &options, impulse, velocity, relative, &result, NULL), SCR_OK);
  assert_true(history.count >= 3 && residual[0] == 1.0 && residual[1] == 9.0); /* zeros, the start */
  assert_true(residual[2] == 9.0);                                             /* where Gauss-Seidel begins */
}

/* A column of ten balls of 1 kg on a floor, each to be stopped from 1 m/s, and the impulses that do it, but for the top contact's,
 * which is too large by `excess`. One sweep. Velocities come back. @return the residual */
static double sweep_column_once(double excess, double velocity[20])
{
  enum { N = 10 };
  double mass[4 * N], momentum[2 * N], jacobian[4 * (2 * N - 1)] = {0}, offset[2 * N] = {0}, friction[N] = {0}, impulse[2 * N] = {0},
                                                             relative[2 * N];
  size_t first[N + 1] = {0}, entries = 0;
  uint32_t block[2 * N - 1];
  for (unsigned k = 0; k < N; k++) {
    const double unit[4] = {1, 0, 0, 1}, down[2] = {-1, 0};
    memcpy(mass + 4 * k, unit, sizeof unit);
    memcpy(momentum + 2 * k, down, sizeof down);
    for (unsigned other = 0; other <= (k > 0); other++, entries++) {
      block[entries] = k - other;
      jacobian[4 * entries] = jacobian[4 * entries + 3] = other ? -1 : 1;
    }
    first[k + 1] = entries;
    impulse[2 * k] = N - k;
  }
  impulse[2 * N - 2] += excess;
  const contact_problem p = {.dimension = 2,
                             .contact_count = N,
                             .block_size = 2,
                             .block_count = N,
                             .mass_block = mass,
                             .momentum = momentum,
                             .first = first,
                             .block = block,
                             .jacobian = jacobian,
                             .offset = offset,
                             .friction = friction};
  contact_options options = contact_options_default();
  contact_result result;
  options.solver = CONTACT_GAUSS_SEIDEL;
  options.iteration_limit = 1;
  assert_int_equal(contact_solve(&p, &options, impulse, velocity, relative, &result, NULL), SCR_OK);
  return result.residual;
}

/* Without impulses all balls fall together and only the floor's contact is violated, by 1. With an excess of 2.1 the sweep leaves
 * another one violated by half of that, 1.05 by hand (even contacts before odd ones), with the column nearly at rest; zeros must not
 * come back for it. An excess of 30 gives more energy than the column has: that start is worth nothing. */
static void test_zeros_do_not_replace_a_start_that_takes_energy(void **state)
{
  (void)state;
  double velocity[20], fastest = 0;
  assert_true(fabs(sweep_column_once(2.1, velocity) - 1.05) < 1e-12);
  for (int k = 0; k < 20; k++) fastest = fmax(fastest, fabs(velocity[k]));
  assert_true(fabs(fastest - 0.525) < 1e-12);
  assert_true(sweep_column_once(30, velocity) == 1.0);
  for (int k = 0; k < 10; k++) assert_true(velocity[2 * k] == -1.0);
}

SUITE(test_contact_solvers)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_solver_finds_the_velocities_that_others_found),
      cmocka_unit_test(test_no_solver_depends_on_the_number_of_threads),
      cmocka_unit_test(test_a_solution_as_a_start_needs_no_work),
      cmocka_unit_test(test_limits_are_kept_and_the_best_point_comes_back),
      cmocka_unit_test(test_auto_keeps_to_the_limit_of_iterations),
      cmocka_unit_test(test_a_blocked_wedge_ends_as_one),
      cmocka_unit_test(test_fixed_and_frictionless_contacts_stand_beside_the_others),
      cmocka_unit_test(test_dimensions_two_and_six_slide_as_three_does),
      cmocka_unit_test(test_a_loose_tolerance_costs_few_factorisations),
      cmocka_unit_test(test_auto_tries_gradients_after_gauss_seidel_at_loose_tolerances),
      cmocka_unit_test(test_the_scaling_takes_a_pair_to_one_point),
      cmocka_unit_test(test_the_longest_step_ends_on_the_cone),
      cmocka_unit_test(test_impulses_beyond_rounding_are_no_solution),
      cmocka_unit_test(test_one_bad_contact_does_not_throw_a_start_away),
      cmocka_unit_test(test_zeros_do_not_replace_a_start_that_takes_energy),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
