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
#include "contact/files/fclib.h"
#include "contact/system/compliance.h"
#include "contact/system/delassus.h"
#include "contact/system/stripes.h"
#include "tests/support/contact_maker.h"
#include "tests/support/folder.h"
#include "tests/support/suites.h"

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
  for (uint64_t seed = 1; seed <= 12; seed++) { /* with W, then with compliances alone */
    pair p;
    contact_system a, b;
    contact_options options = contact_options_default();
    options.form = seed > 6 ? CONTACT_FORM_MATRIX_FREE : CONTACT_FORM_AUTO;
    make_pair(seed % 2 ? CONTACT_KIND_HAIR : CONTACT_KIND_RODS, seed, &p);
    assert_int_equal(contact_system_create(&p.chained, &options, &a, NULL), SCR_OK);
    assert_int_equal(contact_system_create(&p.sparse, &options, &b, NULL), SCR_OK);
    size_t n = p.sparse.contact_count;
    assert_int_equal(a.w != NULL, seed <= 6);
    assert_true(apart(a.diagonal, b.diagonal, 9 * n) < 1e-9);
    assert_true(apart(a.scale, b.scale, n) < 1e-9);
    assert_true(apart(a.free_velocity, b.free_velocity, 3 * n) < 1e-9);
    for (size_t k = 0; k < 9 * n; k++) assert_true(a.diagonal[k] == a.diagonal[k / 9 * 9 + k % 9 % 3 * 3 + k % 9 / 3]);
    contact_system_clear(&a);
    contact_system_clear(&b);
    clear_pair(&p);
  }
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
    options.execution = execution_of(3);
    (void)solve(&p.chained, &options, &b);
    assert_memory_equal(a, b, p.sparse.block_count * p.sparse.block_size * sizeof *a);
    mem_free(a), mem_free(b);
    clear_pair(&p);
  }
}

/* 300 chains of six blocks of four; 2000 contacts, each between one and another up to 60 further on: enough for stripes of all kinds. */
enum { CHAINS = 300, BLOCKS = 6, B = 4, CONTACTS = 2000, WIDTH = 7, UNKNOWNS = CHAINS * BLOCKS * B };
typedef struct crowd {
  la_band chain[CHAINS];
  double row[UNKNOWNS * (WIDTH + 1)], momentum[UNKNOWNS], jacobian[2 * CONTACTS * B * 3], offset[3 * CONTACTS], friction[CONTACTS];
  size_t first[CONTACTS + 1];
  uint32_t block[2 * CONTACTS];
} crowd;

static double draw(uint64_t *seed)
{
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) * 0x1p-52 - 1;
}

static contact_problem make_crowd(crowd *c)
{
  uint64_t seed = 5;
  for (size_t k = 0; k < CHAINS; k++) c->chain[k] = (la_band){BLOCKS * B, WIDTH, c->row + k * BLOCKS * B * (WIDTH + 1)};
  for (size_t k = 0; k < UNKNOWNS; k++)
    for (size_t j = 0; j <= WIDTH; j++) c->row[k * (WIDTH + 1) + j] = j == 0 ? 6 + draw(&seed) : 0.4 * draw(&seed);
  for (size_t k = 0; k < UNKNOWNS; k++) c->momentum[k] = 0.1 * draw(&seed);
  for (size_t i = 0; i < CONTACTS; i++) {
    uint32_t one = (uint32_t)(i % CHAINS), other = (one + 1 + (uint32_t)(30 + 30 * draw(&seed))) % CHAINS,
             at = (uint32_t)(i / CHAINS) % BLOCKS;
    c->block[2 * i] = one * BLOCKS + at, c->block[2 * i + 1] = other * BLOCKS + (at + 2) % BLOCKS;
    c->first[i + 1] = 2 * i + 2;
    for (size_t k = 0; k < (size_t)2 * B * 3; k++) c->jacobian[i * 2 * B * 3 + k] = draw(&seed);
    for (size_t k = 0; k < 3; k++) c->offset[3 * i + k] = draw(&seed) - (k == 0);
    c->friction[i] = 0.4;
  }
  return (contact_problem){.dimension = 3,
                           .contact_count = CONTACTS,
                           .block_size = B,
                           .block_count = CHAINS * BLOCKS,
                           .chain = c->chain,
                           .chain_count = CHAINS,
                           .momentum = c->momentum,
                           .first = c->first,
                           .block = c->block,
                           .jacobian = c->jacobian,
                           .offset = c->offset,
                           .friction = c->friction};
}

/* v from pushes, one contact after the other, is M^-1 H' r. */
static void check_pushes(const contact_problem *p)
{
  contact_system s;
  contact_options options = contact_options_default();
  assert_int_equal(contact_system_create(p, &options, &s, NULL), SCR_OK);
  size_t b = p->block_size;
  double *r = mem_array(s.rows, sizeof *r), *pushed = mem_array(s.size, sizeof *r), *whole = mem_array(s.size, sizeof *r),
         *picked = mem_array(s.size, sizeof *r);
  assert_true(r && pushed && whole && picked);
  for (size_t k = 0; k < s.rows; k++) r[k] = sin(1 + 3.7 * (double)k);
  contact_system_gather(&s, r, whole);
  assert_int_equal(contact_system_accelerate(&s, whole, whole, NULL), SCR_OK);
  for (size_t widest = 0; widest < 2; widest++) { /* by compliances, then each chain solved for */
    chain_compliance g;
    assert_int_equal(chain_compliance_create(&s, widest, &g, NULL), SCR_OK);
    assert_int_equal(g.solves, widest == 1);
    size_t touched = g.touched_first[s.chains.count];
    assert_true(touched > 0 && touched <= p->block_count);
    memset(pushed, 0, touched * b * sizeof *pushed);
    for (size_t i = 0; i < p->contact_count; i++) chain_compliance_push(&g, i, r + 3 * i, pushed);
    for (size_t k = 0; k < touched; k++) memcpy(picked + k * b, whole + g.touched[k] * b, b * sizeof *picked);
    assert_true(apart(pushed, picked, touched * b) < 1e-9);
    chain_compliance_clear(&g);
  }
  mem_free(r), mem_free(pushed), mem_free(whole), mem_free(picked);
  contact_system_clear(&s);
}

/* Where W is worth having (of the crowd below it is not): u = W r + q by the rows of W is that of v = M^-1 (f + H' r); W is symmetric, and
 * the same on three threads, to the last bit. */
static void check_rows(const contact_problem *p)
{
  contact_system s, threads;
  contact_options options = contact_options_default();
  assert_int_equal(contact_system_create(p, &options, &s, NULL), SCR_OK);
  options.execution = execution_of(3);
  assert_int_equal(contact_system_create(p, &options, &threads, NULL), SCR_OK);
  assert_non_null(s.w);
  double *r = mem_array(s.rows, sizeof *r), *v = mem_array(s.size, sizeof *v), *u = mem_array(s.rows, sizeof *u),
         *speeds = mem_array(s.rows, sizeof *u);
  assert_true(r && v && u && speeds);
  for (size_t k = 0; k < s.rows; k++) r[k] = sin(2 + 2.3 * (double)k);
  assert_int_equal(contact_system_velocity(&s, r, v, u, NULL), SCR_OK);
  assert_int_equal(contact_system_speeds(&s, r, v, speeds, NULL), SCR_OK);
  assert_true(apart(speeds, u, s.rows) < 1e-9);
  assert_int_equal(s.w->block_count, threads.w->block_count);
  assert_memory_equal(s.w->block, threads.w->block, 9 * s.w->block_count * sizeof *r);
  size_t pairs = 0;
  for (size_t i = 0; i < s.w->contact_count; i++)
    for (size_t k = 0; k < s.w->first[i + 1] - s.w->first[i]; k++) {
      size_t j = s.w->column[s.w->begin[i] + k], l = 0;
      while (s.w->column[s.w->begin[j] + l] != i) assert_true(++l < s.w->first[j + 1] - s.w->first[j]);
      const double *a = s.w->block + 9 * (s.w->begin[i] + k), *b = s.w->block + 9 * (s.w->begin[j] + l);
      for (size_t c = 0; c < 9; c++) assert_true(a[c] == b[c % 3 * 3 + c / 3]);
      pairs += i != j;
    }
  assert_true(pairs > 0);
  mem_free(r), mem_free(v), mem_free(u), mem_free(speeds);
  contact_system_clear(&s), contact_system_clear(&threads);
}

static void test_rows_of_w_are_what_impulses_do(void **state)
{
  (void)state;
  pair p;
  for (uint64_t seed = 3; seed < 7; seed++) {
    make_pair(seed % 2 ? CONTACT_KIND_HAIR : CONTACT_KIND_RODS, seed, &p);
    check_rows(&p.chained);
    clear_pair(&p);
  }
}

/* @return whether W built with a memory is to the last bit that built without */
static bool is_the_same_with(contact_chain_memory *memory, contact_problem p, const bool *same)
{
  contact_system a, b;
  contact_options options = contact_options_default();
  assert_int_equal(contact_system_create(&p, &options, &a, NULL), SCR_OK);
  p.chain_memory = memory, p.chain_same = same;
  options.execution = execution_of(2);
  assert_int_equal(contact_system_create(&p, &options, &b, NULL), SCR_OK);
  assert_true(a.w && b.w && a.w != b.w);
  size_t n = p.contact_count, blocks = a.w->block_count;
  assert_int_equal(b.w->block_count, blocks);
  assert_memory_equal(a.w->first, b.w->first, (n + 1) * sizeof *a.w->first);
  assert_memory_equal(a.w->column, b.w->column, blocks * sizeof *a.w->column);
  assert_memory_equal(a.w->order, b.w->order, n * sizeof *a.w->order);
  assert_memory_equal(a.w->begin, b.w->begin, n * sizeof *a.w->begin);
  assert_memory_equal(a.w->diagonal, b.w->diagonal, n * sizeof *a.w->diagonal);
  bool found = memcmp(a.w->block, b.w->block, 9 * blocks * sizeof *a.w->block) == 0 &&
               memcmp(a.w->scale, b.w->scale, n * sizeof *a.w->scale) == 0 &&
               memcmp(a.diagonal, b.diagonal, 9 * n * sizeof *a.diagonal) == 0;
  contact_system_clear(&a), contact_system_clear(&b);
  return found;
}

/* Solves one after the other: some chains change, contacts are added, and taken away. What is said to be the same is taken from before. */
static void test_what_is_kept_of_w_changes_no_bit(void **state)
{
  (void)state;
  pair p;
  make_pair(CONTACT_KIND_HAIR, 3, &p);
  size_t chains = p.chained.chain_count, all = p.chained.contact_count;
  bool *same = mem_array(chains, sizeof *same);
  contact_chain_memory *memory = contact_chain_memory_create();
  assert_true(same && memory && chains > 2 && all > 20);
  assert_true(is_the_same_with(memory, p.chained, NULL));
  for (size_t k = 0; k < chains; k++) same[k] = true;
  assert_true(is_the_same_with(memory, p.chained, same));
  la_band *changed = &p.chains.chain[1];
  for (size_t k = 0; k < changed->size * (changed->width + 1); k++) changed->row[k] *= 1.5;
  assert_false(is_the_same_with(memory, p.chained, same)); /* as it was told */
  same[1] = false;
  assert_true(is_the_same_with(memory, p.chained, same));
  same[1] = true;
  p.chained.contact_count = all - 7;
  assert_true(is_the_same_with(memory, p.chained, same));
  p.chained.contact_count = all;
  assert_true(is_the_same_with(memory, p.chained, same));
  contact_chain_memory_destroy(memory);
  mem_free(same);
  clear_pair(&p);
}

/* Blocks of three, then of four, whose columns go together: sweeps would hide an error of these, as they begin anew from what is exact. */
static void test_pushes_add_up_to_the_velocities_of_all_impulses(void **state)
{
  (void)state;
  static crowd c;
  pair p;
  make_pair(CONTACT_KIND_HAIR, 3, &p);
  check_pushes(&p.chained);
  clear_pair(&p);
  contact_problem four = make_crowd(&c);
  check_pushes(&four);
}

static void test_stripes_sweep_as_one_thread_does_and_solve(void **state)
{
  (void)state;
  static crowd c;
  contact_problem p = make_crowd(&c);
  contact_system s;
  contact_stripes stripes;
  contact_options options = contact_options_default();
  assert_int_equal(contact_system_create(&p, &options, &s, NULL), SCR_OK);
  assert_int_equal(contact_stripes_create(&s, &stripes, NULL), SCR_OK);
  assert_int_equal(stripes.phase_count, CONTACT_STRIPE_PHASES);
  assert_int_equal(stripes.first[2 * CONTACT_STRIPES - 1], CONTACTS);
  uint8_t seen[CONTACTS] = {0};
  for (size_t k = 0; k < CONTACTS; k++) assert_int_equal(seen[stripes.order[k]]++, 0);
  for (unsigned phase = 0; phase < CONTACT_STRIPE_PHASES; phase++) { /* no phase is empty, and no chain is in two items of one */
    size_t owner[CHAINS] = {0}, count = 0;
    for (size_t item = stripes.phase[phase]; item < stripes.phase[phase + 1]; item++)
      for (size_t k = stripes.first[item]; k < stripes.first[item + 1]; k++, count++)
        for (size_t e = 0; e < 2; e++) {
          size_t *of = &owner[p.block[2 * stripes.order[k] + e] / BLOCKS];
          assert_true(*of == 0 || *of == item + 1);
          *of = item + 1;
        }
    assert_true(count > 0);
  }
  contact_stripes_clear(&stripes);
  contact_system_clear(&s);
  double *one, *three, *rows;
  options.solver = CONTACT_GAUSS_SEIDEL, options.tolerance = 1e-8, options.form = CONTACT_FORM_MATRIX_FREE;
  contact_result a = solve(&p, &options, &one);
  options.execution = execution_of(3);
  contact_result b = solve(&p, &options, &three);
  assert_int_equal(a.status, CONTACT_SOLVED);
  assert_int_equal(a.iterations, b.iterations);
  assert_memory_equal(one, three, UNKNOWNS * sizeof *one);
  options.form = CONTACT_FORM_EXPLICIT, options.execution = execution_of(1);
  assert_int_equal(solve(&p, &options, &rows).status, CONTACT_SOLVED);
  assert_true(apart(one, rows, UNKNOWNS) < 1e-6);
  mem_free(one), mem_free(three), mem_free(rows);
}

/* A solution of which one chain of 300 is pushed is mended by sweeps over the contacts that violate the law and those that share a chain
 * with them: they end at the solution that sweeps over all find without W, from nothing, and no bit depends on threads. */
static void test_few_contacts_that_are_left_are_swept_alone(void **state)
{
  (void)state;
  static crowd c;
  contact_problem p = make_crowd(&c);
  contact_options options = contact_options_default();
  contact_result result[2];
  double *swept[2], *whole;
  options.solver = CONTACT_GAUSS_SEIDEL, options.tolerance = 1e-8, options.momentum = true, options.form = CONTACT_FORM_EXPLICIT;
  double *impulse = mem_array(3 * CONTACTS, sizeof *impulse), *start = mem_array(3 * CONTACTS, sizeof *impulse),
         *relative = mem_array(3 * CONTACTS, sizeof *relative);
  double *velocity = mem_array(UNKNOWNS, sizeof *velocity);
  assert_true(impulse && start && relative && velocity);
  assert_int_equal(contact_solve(&p, &options, start, velocity, relative, &result[0], NULL), SCR_OK);
  for (size_t k = 0; k < BLOCKS * B; k++) c.momentum[7 * BLOCKS * B + k] += 0.5;
  for (int k = 0; k < 2; k++) {
    options.execution = execution_of(k ? 3 : 1);
    swept[k] = mem_array(UNKNOWNS, sizeof *velocity);
    memcpy(impulse, start, 3 * CONTACTS * sizeof *impulse);
    assert_int_equal(contact_solve(&p, &options, impulse, swept[k], relative, &result[k], NULL), SCR_OK);
  }
  assert_int_equal(result[0].status, CONTACT_SOLVED);
  assert_int_equal(result[0].iterations, result[1].iterations);
  assert_memory_equal(swept[0], swept[1], UNKNOWNS * sizeof *velocity);
  options = contact_options_default();
  options.solver = CONTACT_GAUSS_SEIDEL, options.tolerance = 1e-9, options.form = CONTACT_FORM_MATRIX_FREE;
  assert_int_equal(solve(&p, &options, &whole).status, CONTACT_SOLVED);
  assert_true(apart(swept[0], whole, UNKNOWNS) < 1e-6);
  mem_free(swept[0]), mem_free(swept[1]), mem_free(whole), mem_free(impulse), mem_free(start), mem_free(relative), mem_free(velocity);
}

/* A stiff chain of points that lies on a floor and is drawn along by its end; beside its contact each point has one that stays 1 mm open.
 * Factors of what touches parts alone are as narrow as its mass: sweeps, which pass a pull from point to point, are given up after 90. What
 * stays open has no impulse at all. */
static void test_a_chain_on_a_floor_is_solved_by_its_factors(void **state)
{
  (void)state;
  enum { N = 40, D = 3, ROW = D + 1 };
  static double row[N * D * ROW], momentum[N * D], jacobian[2 * N * D * D], offset[2 * N * D], friction[2 * N], impulse[2 * N * D],
      velocity[2][N * D], relative[2 * N * D];
  static size_t first[2 * N + 1];
  static uint32_t block[2 * N];
  const double stiffness = 1e4;
  for (size_t k = 0; k < N; k++) {
    momentum[k * D + 2] = -0.1;
    for (size_t a = 0; a < D; a++) {
      row[(k * D + a) * ROW] = 1 + stiffness * (k == 0 || k == N - 1 ? 1 : 2);
      row[(k * D + a) * ROW + D] = k > 0 ? -stiffness : 0;
    }
  }
  momentum[(N - 1) * D] = 0.03 * N + 2; /* friction of 0.3 takes away the first part, as all slide */
  for (size_t i = 0; i < 2 * N; i++) {
    block[i] = (uint32_t)(i / 2), first[i + 1] = i + 1, friction[i] = 0.3;
    offset[i * D] = i % 2 ? 1e-3 : 0;
    jacobian[i * D * D + 1] = jacobian[i * D * D + 5] = jacobian[i * D * D + 6] = 1; /* n = z, t = x and y */
  }
  const la_band chain = {N * D, D, row};
  contact_problem p = {.dimension = D,
                       .contact_count = 2 * N,
                       .block_size = D,
                       .block_count = N,
                       .chain = &chain,
                       .chain_count = 1,
                       .momentum = momentum,
                       .first = first,
                       .block = block,
                       .jacobian = jacobian,
                       .offset = offset,
                       .friction = friction};
  contact_options options = contact_options_default();
  contact_result result;
  options.tolerance = 1e-8;
  for (int by_sweeps = 0; by_sweeps < 2; by_sweeps++) {
    options.solver = by_sweeps ? CONTACT_GAUSS_SEIDEL : CONTACT_AUTO;
    options.iteration_limit = by_sweeps ? 1000000 : 0;
    memset(impulse, 0, sizeof impulse);
    assert_int_equal(contact_solve(&p, &options, impulse, velocity[by_sweeps], relative, &result, NULL), SCR_OK);
    print_message("# %u iterations, %u factorisations: %s\n", result.iterations, result.factorisations, result.reason);
    assert_int_equal(result.status, CONTACT_SOLVED);
    if (!by_sweeps) assert_true(result.iterations <= 90 && result.factorisations > 0 && result.factorisations < 40);
    assert_int_equal(result.open, N);
    for (size_t k = 0; k < N; k++) assert_true(impulse[(2 * k + 1) * D] == 0 && impulse[2 * k * D] > 0);
  }
  double drawn = 0;
  for (size_t k = 0; k < N; k++) drawn += velocity[0][k * D]; /* each point has the mass 1 */
  assert_true(fabs(drawn - 2) < 1e-7);
  assert_true(apart(velocity[0], velocity[1], N * D) < 1e-6);
}

/* Eight right-hand sides from some row on. */
static void test_lanes_of_a_band_are_single_solutions(void **state)
{
  (void)state;
  enum { N = 40, FROM = 13, TO = 5 };
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

/* The band of the inverse against columns of it. */
static void test_the_band_of_an_inverse(void **state)
{
  (void)state;
  enum { N = 23 };
  double row[N * (WIDTH + 1)], inverse[N * (WIDTH + 1)] = {0};
  la_band a = {N, WIDTH, row}, z = {N, WIDTH, inverse};
  for (size_t i = 0; i < N; i++)
    for (size_t j = 0; j <= WIDTH; j++) row[i * (WIDTH + 1) + j] = j == 0 ? 8 + sin((double)i) : cos((double)(3 * i + j));
  assert_int_equal(la_band_factor(&a), N);
  la_band_inverse(&a, &z);
  for (size_t j = 0; j < N; j++) {
    double column[N] = {0};
    column[j] = 1;
    la_band_solve(&a, column);
    for (size_t i = j; i < N && i <= j + WIDTH; i++) assert_true(fabs(*la_band_at(&z, i, j) - column[i]) < 1e-15);
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

/* A problem in chains goes into a file with its whole mass: both triangles, at their places; the made one's differ by rounding. */
static void test_a_file_has_the_whole_mass_of_chains(void **state)
{
  (void)state;
  pair p;
  contact_file read;
  scr_error error = {0};
  char *folder = folder_create(), *path = folder_path(folder, "chains.hdf5");
  make_pair(CONTACT_KIND_HAIR, 3, &p);
  assert_int_equal(fclib_write(path, &p.chained, NULL, NULL, NULL, "hair", &error), SCR_OK);
  assert_int_equal(fclib_read(path, &read, &error), SCR_OK);
  const la_sparse *mass = p.sparse.mass, *found = &read.mass;
  assert_int_equal(found->column_count, mass->column_count);
  for (size_t c = 0; c < mass->column_count; c++)
    for (size_t k = mass->first[c]; k < mass->first[c + 1]; k++) {
      size_t at = mass->value[k] == 0 ? SIZE_MAX : la_sparse_slot(found, mass->row[k], (uint32_t)c);
      if (mass->value[k] != 0) assert_true(at != SIZE_MAX && fabs(found->value[at] - mass->value[k]) <= 1e-14 * fabs(mass->value[k]));
    }
  assert_int_equal(read.problem.contact_count, p.sparse.contact_count);
  contact_file_clear(&read);
  clear_pair(&p);
  free(path);
  folder_remove(folder);
}

SUITE(test_contact_chains)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_chains_answer_as_one_sparse_matrix_does),
      cmocka_unit_test(test_rows_of_w_are_what_impulses_do),
      cmocka_unit_test(test_what_is_kept_of_w_changes_no_bit),
      cmocka_unit_test(test_pushes_add_up_to_the_velocities_of_all_impulses),
      cmocka_unit_test(test_every_solver_finds_the_same_velocities_in_either_form),
      cmocka_unit_test(test_bits_do_not_depend_on_threads),
      cmocka_unit_test(test_few_contacts_that_are_left_are_swept_alone),
      cmocka_unit_test(test_stripes_sweep_as_one_thread_does_and_solve),
      cmocka_unit_test(test_a_chain_on_a_floor_is_solved_by_its_factors),
      cmocka_unit_test(test_lanes_of_a_band_are_single_solutions),
      cmocka_unit_test(test_the_band_of_an_inverse),
      cmocka_unit_test(test_a_file_has_the_whole_mass_of_chains),
      cmocka_unit_test(test_chains_that_are_none_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
