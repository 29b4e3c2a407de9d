/* Masses in chains: the same problem with its mass as one sparse matrix must have the same W, the same free velocities and the same
 * solution, by every solver; bands by lanes against one right-hand side at a time. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/memory.h"
#include "contact/chain_mass.h"
#include "contact/system/delassus.h"
#include "tests/support/contact_maker.h"

/* A made problem whose mass is sparse, and the same in chains. */
typedef struct pair {
  contact_maker made;
  chain_mass chains;
  contact_problem sparse, chained;
} pair;

static void make_pair(contact_kind kind, uint64_t seed, pair *p)
{
  contact_maker_make(kind, seed, &p->made);
  p->sparse = contact_maker_problem(&p->made);
  assert_non_null(p->sparse.mass);
  assert_int_equal(chain_mass_from(p->sparse.mass, p->sparse.block_size, 24, &p->chains, NULL), SCR_OK);
  assert_true(p->chains.count > 1);
  p->chained = p->sparse;
  p->chained.mass = NULL;
  p->chained.chain = p->chains.chain, p->chained.chain_count = p->chains.count;
}

static void clear_pair(pair *p)
{
  chain_mass_clear(&p->chains);
  contact_maker_clear(&p->made);
}

static double apart(const double *a, const double *b, size_t n)
{
  double most = 0, size = 0;
  for (size_t k = 0; k < n; k++) most = fmax(most, fabs(a[k] - b[k])), size = fmax(size, fabs(b[k]));
  return most / size;
}

static void test_chains_answer_as_one_sparse_matrix_does(void **state)
{
  (void)state;
  for (uint64_t seed = 1; seed <= 6; seed++) {
    pair p;
    contact_system a, b;
    contact_options options = contact_options_default();
    make_pair(seed % 2 ? CONTACT_KIND_HAIR : CONTACT_KIND_RODS, seed, &p);
    assert_int_equal(contact_system_create(&p.chained, &options, &a, NULL), SCR_OK);
    assert_int_equal(contact_system_create(&p.sparse, &options, &b, NULL), SCR_OK);
    size_t n = p.sparse.contact_count;
    assert_true(apart(a.diagonal, b.diagonal, 9 * n) < 1e-9);
    assert_true(apart(a.scale, b.scale, n) < 1e-9);
    assert_true(apart(a.free_velocity, b.free_velocity, 3 * n) < 1e-9);
    for (size_t k = 0; k < 9 * n; k++) assert_true(a.diagonal[k] == a.diagonal[k / 9 * 9 + k % 9 % 3 * 3 + k % 9 / 3]);
    contact_system_clear(&a);
    contact_system_clear(&b);
    clear_pair(&p);
  }
}

/* v from pushes, one contact after the other, is M^-1 H' r. */
static void test_pushes_add_up_to_the_velocities_of_all_impulses(void **state)
{
  (void)state;
  pair p;
  contact_system s;
  contact_options options = contact_options_default();
  make_pair(CONTACT_KIND_HAIR, 3, &p);
  assert_int_equal(contact_system_create(&p.chained, &options, &s, NULL), SCR_OK);
  const contact_chains *c = &s.chains;
  size_t b = c->size, touched = c->touched_first[c->count];
  double *r = mem_array(s.rows, sizeof *r), *pushed = mem_array(touched * b, sizeof *r), *whole = mem_array(s.size, sizeof *r),
         *picked = mem_array(touched * b, sizeof *r);
  assert_true(r && pushed && whole && picked);
  for (size_t k = 0; k < s.rows; k++) r[k] = sin(1 + 3.7 * (double)k);
  for (size_t i = 0; i < p.chained.contact_count; i++) contact_chains_push(&s, i, r + 3 * i, pushed);
  contact_system_gather(&s, r, whole);
  assert_int_equal(contact_system_accelerate(&s, whole, whole, NULL), SCR_OK);
  for (size_t k = 0; k < touched; k++) memcpy(picked + k * b, whole + c->touched[k] * b, b * sizeof *picked);
  assert_true(apart(pushed, picked, touched * b) < 1e-9);
  memset(pushed, 0, touched * b * sizeof *pushed); /* and without compliances, each chain solved for */
  for (size_t k = 0; k < c->count; k++) c->compliance_first[k] = SIZE_MAX;
  for (size_t i = 0; i < p.chained.contact_count; i++) contact_chains_push(&s, i, r + 3 * i, pushed);
  assert_true(apart(pushed, picked, touched * b) < 1e-9);
  mem_free(r), mem_free(pushed), mem_free(whole), mem_free(picked);
  contact_system_clear(&s);
  clear_pair(&p);
}

static contact_result solve(const contact_problem *problem, const contact_options *options, double **velocity)
{
  contact_result result;
  scr_error error = {0};
  size_t rows = 3 * problem->contact_count, size = problem->block_count * problem->block_size;
  double *impulse = mem_array(rows, sizeof *impulse), *relative = mem_array(rows, sizeof *relative);
  *velocity = mem_array(size, sizeof **velocity);
  assert_true(impulse && relative && *velocity);
  if (contact_solve(problem, options, impulse, *velocity, relative, &result, &error) != SCR_OK) fail_msg("%s", error.message);
  mem_free(impulse), mem_free(relative);
  return result;
}

static void test_every_solver_finds_the_same_velocities_in_either_form(void **state)
{
  (void)state;
  static const contact_solver solvers[] = {CONTACT_AUTO,        CONTACT_GAUSS_SEIDEL, CONTACT_ADMM,
                                           CONTACT_ACCELERATED, CONTACT_NEWTON,       CONTACT_HYBRID};
  for (uint64_t seed = 1; seed <= 3; seed++)
    for (size_t k = 0; k < sizeof solvers / sizeof *solvers; k++) {
      pair p;
      double *a, *b;
      contact_options options = contact_options_default();
      options.tolerance = 1e-9, options.solver = solvers[k];
      make_pair(CONTACT_KIND_RODS, 20 + seed, &p);
      contact_result x = solve(&p.chained, &options, &a), y = solve(&p.sparse, &options, &b);
      assert_int_equal(x.status, y.status);
      if (x.status == CONTACT_SOLVED && apart(a, b, p.sparse.block_count * p.sparse.block_size) > 1e-5)
        fail_msg("%s, seed %d: velocities are %.3g apart", contact_solver_name(solvers[k]), (int)seed,
                 apart(a, b, p.sparse.block_count * p.sparse.block_size));
      mem_free(a), mem_free(b);
      clear_pair(&p);
    }
}

static void test_bits_do_not_depend_on_threads(void **state)
{
  (void)state;
  for (unsigned solver = 0; solver < CONTACT_SOLVER_COUNT; solver++) {
    pair p;
    double *a, *b;
    contact_options options = contact_options_default();
    options.solver = solver, options.iteration_limit = 60, options.factor_limit = 10;
    make_pair(CONTACT_KIND_HAIR, 5, &p);
    (void)solve(&p.chained, &options, &a);
    options.threads = 3;
    (void)solve(&p.chained, &options, &b);
    assert_memory_equal(a, b, p.sparse.block_count * p.sparse.block_size * sizeof *a);
    mem_free(a), mem_free(b);
    clear_pair(&p);
  }
}

/* Eight right-hand sides from some row on. */
static void test_lanes_of_a_band_are_single_solutions(void **state)
{
  (void)state;
  enum { N = 40, WIDTH = 7, FROM = 13, TO = 5 };
  double row[N * (WIDTH + 1)], lanes[N][LA_BAND_LANES] = {{0}}, one[LA_BAND_LANES][N] = {{0}};
  la_band a = {N, WIDTH, row};
  for (size_t i = 0; i < N; i++)
    for (size_t j = 0; j <= WIDTH; j++) row[i * (WIDTH + 1) + j] = j == 0 ? 10 + sin((double)i) : cos((double)(3 * i + j));
  assert_int_equal(la_band_factor(&a), N);
  for (size_t k = 0; k < LA_BAND_LANES; k++)
    for (size_t i = FROM; i < N; i++) lanes[i][k] = one[k][i] = sin((double)(i * 11 + k));
  la_band_solve_lanes(&a, FROM, TO, lanes);
  for (size_t k = 0; k < LA_BAND_LANES; k++) {
    la_band_solve(&a, one[k]);
    for (size_t i = TO; i < N; i++) assert_true(fabs(lanes[i][k] - one[k][i]) < 1e-14);
  }
}

static void test_chains_that_are_none_are_refused(void **state)
{
  (void)state;
  pair p;
  scr_error error = {0};
  contact_options options = contact_options_default();
  contact_result result;
  double impulse[3000] = {0}, velocity[3000], relative[3000];
  make_pair(CONTACT_KIND_RODS, 4, &p);
  assert_true(p.sparse.block_count * 3 < 3000 && p.sparse.contact_count < 1000);
  p.chained.mass = p.sparse.mass;
  assert_int_equal(contact_solve(&p.chained, &options, impulse, velocity, relative, &result, &error), SCR_BAD_USAGE);
  assert_non_null(strstr(error.message, "twice"));
  p.chained.mass = NULL, p.chained.chain_count--;
  assert_int_equal(contact_solve(&p.chained, &options, impulse, velocity, relative, &result, &error), SCR_BAD_USAGE);
  assert_non_null(strstr(error.message, "velocities in all"));
  p.chained.chain_count++;
  double kept = *la_band_at(&p.chains.chain[1], 4, 4);
  *la_band_at(&p.chains.chain[1], 4, 4) = NAN;
  assert_int_equal(contact_solve(&p.chained, &options, impulse, velocity, relative, &result, &error), SCR_BAD_USAGE);
  assert_non_null(strstr(error.message, "chain 1 has"));
  *la_band_at(&p.chains.chain[1], 4, 4) = -kept;
  assert_int_equal(contact_solve(&p.chained, &options, impulse, velocity, relative, &result, &error), SCR_BAD_USAGE);
  assert_non_null(strstr(error.message, "chain 1 is not positive definite"));
  clear_pair(&p);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_chains_answer_as_one_sparse_matrix_does),
      cmocka_unit_test(test_pushes_add_up_to_the_velocities_of_all_impulses),
      cmocka_unit_test(test_every_solver_finds_the_same_velocities_in_either_form),
      cmocka_unit_test(test_bits_do_not_depend_on_threads),
      cmocka_unit_test(test_lanes_of_a_band_are_single_solutions),
      cmocka_unit_test(test_chains_that_are_none_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
