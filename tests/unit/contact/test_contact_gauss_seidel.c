/* Whole contact problems by Gauss-Seidel: reading FCLIB's files, both forms of the operator, warm starts.
 *
 * Reference: tests/data/dcfp, problems with solutions made by other solvers. Where Gauss-Seidel converges its velocities must be those; on
 * stacks with a mass ratio of 1e6 it must not, and must say so: independent implementations stay at a residual of 5e-2 there after 20 000
 * sweeps. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "contact/system/colours.h"
#include "contact/system/delassus.h"
#include "contact/warm_start.h"
#include "tests/support/contact_case.h"
#include "tests/support/suites.h"

static void open_problem(const char *name, contact_case *c)
{
  contact_case_open(name, c);
  c->options.solver = CONTACT_GAUSS_SEIDEL;
}

static void test_stored_solutions_obey_coulombs_law_by_our_residual(void **state)
{
  (void)state;
  static const char *const names[] = {"boxstack_03", "boxstack_05_tilt", "boxstack_06_r1e6", "boxstack_10", "boxstack_10_r1em4",
                                      "wall_4x4",    "arch_11",          "arch_15_thin",     "wedge_mu01",  "sph_012_0",
                                      "sph_030_1",   "sph_060_0",        "rods_05",          "rods_40"};
  static const size_t contacts[] = {12, 20, 24, 40, 40, 128, 48, 64, 2, 30, 78, 148, 20, 136};
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
    contact_case s;
    open_problem(names[k], &s);
    assert_int_equal(s.file.problem.contact_count, contacts[k]);
    assert_non_null(s.file.impulse);
    double residual = contact_case_measure(&s, s.file.impulse), speed = contact_case_speed(&s);
    if (residual > 1e-6) fail_msg("%s: the stored solution has a residual of %.2g", names[k], residual);
    assert_true(contact_case_apart(s.relative, s.file.relative, s.rows) < 1e-5 * speed);
    assert_true(contact_case_apart(s.velocity, s.file.velocity, s.size) < 1e-4 * speed);
    contact_case_close(&s);
  }
}

/* The mass falls into blocks of six where bodies are rigid, and is sparse where they are rods. */
static void test_masses_are_taken_in_the_blocks_they_fall_into(void **state)
{
  (void)state;
  static const struct {
    const char *name;
    unsigned block;
    bool sparse;
  } cases[] = {{"boxstack_03", 6, false}, {"wedge_mu01", 6, false}, {"rods_05", 1, true}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    contact_case s;
    open_problem(cases[k].name, &s);
    assert_int_equal(s.file.problem.block_size, cases[k].block);
    assert_true((s.file.problem.mass != NULL) == cases[k].sparse);
    contact_case_close(&s);
  }
}

/* One relative residual of 1e-6; velocities are unique up to what that leaves, hence 1e-4. Slower ones are the validation's. */
static void test_gauss_seidel_finds_the_velocities_that_other_solvers_found(void **state)
{
  (void)state;
  static const char *const names[] = {"boxstack_03", "boxstack_10_r1em4", "wall_4x4", "wedge_mu01", "sph_012_0", "rods_05"};
  for (size_t k = 0; k < sizeof names / sizeof *names; k++)
    for (int form = CONTACT_FORM_MATRIX_FREE; form <= CONTACT_FORM_EXPLICIT; form++) {
      contact_case s;
      open_problem(names[k], &s);
      s.options.tolerance = 1e-6;
      s.options.iteration_limit = 20000;
      s.options.form = (contact_form)form;
      contact_case_solve(&s);
      double apart = contact_case_apart(s.relative, s.file.relative, s.rows) / contact_case_speed(&s);
      print_message("# %-18s %s: %4zu contacts, %5u sweeps, residual %.1e, velocities within %.1e\n", names[k],
                    form == CONTACT_FORM_EXPLICIT ? "explicit" : "matrix-free", s.file.problem.contact_count, s.result.iterations,
                    s.result.residual, apart);
      if (s.result.status != CONTACT_SOLVED || s.result.local_failures)
        fail_msg("%s: residual %.2g after %u sweeps", names[k], s.result.residual, s.result.iterations);
      assert_true(apart < 1e-4);
      assert_int_equal(s.result.open + s.result.sticking + s.result.sliding, s.file.problem.contact_count);
      contact_case_close(&s);
    }
}

static void test_what_is_not_solved_says_so_and_keeps_the_best_point(void **state)
{
  (void)state;
  contact_case s;
  open_problem("boxstack_06_r1e6", &s);
  double nothing = contact_case_measure(&s, s.impulse);
  s.impulse[5] = NAN; /* a warm start gone bad does no harm */
  contact_case_solve(&s);
  assert_int_equal(s.result.status, CONTACT_UNSOLVED);
  print_message("# boxstack_06_r1e6: residual %.2g after %u sweeps, %.2g without impulses: %s\n", s.result.residual, s.result.iterations,
                nothing, s.result.reason);
  assert_true(s.result.residual > 1e-3 && s.result.residual <= nothing);
  assert_true(fabs(contact_case_measure(&s, s.impulse) - s.result.residual) <= 1e-12 * s.result.residual);
  contact_case_close(&s);
}

static contact_result sweep_with(const char *name, bool momentum, double tolerance, unsigned limit)
{
  contact_case s;
  open_problem(name, &s);
  s.options.tolerance = tolerance;
  s.options.momentum = momentum;
  s.options.iteration_limit = limit;
  contact_case_solve(&s);
  contact_result result = s.result;
  contact_case_close(&s);
  return result;
}

/* Recorded steps of packs of balls, to 1e-3 of the speeds. */
static void test_momentum_halves_the_sweeps_of_packs(void **state)
{
  (void)state;
  static const char *const names[] = {"sph_012_0", "sph_030_1", "sph_060_0", "sph_100b_0"};
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
    contact_result with = sweep_with(names[k], true, 1e-3, 2000), without = sweep_with(names[k], false, 1e-3, 2000);
    print_message("# %-18s %u sweeps with momentum, %u without\n", names[k], with.iterations, without.iterations);
    assert_true(with.status == CONTACT_SOLVED && without.status == CONTACT_SOLVED);
    assert_true(2 * with.iterations <= without.iterations);
  }
}

/* Columns, arches and packs whose sweeps creep: without leaps the first two are not solved in 6000 sweeps (4e-5 and 2e-4 are left), the
 * third takes 640. */
static void test_sweeps_leap_where_they_creep(void **state)
{
  (void)state;
  static const struct {
    const char *name;
    unsigned most;
  } cases[] = {{"boxstack_10", 1800}, {"sph_060_0", 2000}, {"arch_15_thin", 400}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    contact_result found = sweep_with(cases[k].name, true, 1e-6, cases[k].most);
    print_message("# %-18s %u sweeps, %.1e\n", cases[k].name, found.iterations, found.residual);
    assert_int_equal(found.status, CONTACT_SOLVED);
  }
}

/* Also where sweeps do next to nothing: mass ratios of 1e4 and 1e6, columns, blocked wedges. On the way it may be worse than plain
 * sweeps by what the guard allows (a column after 20 sweeps: 4 times), but never than where it began; after 500 sweeps it isn't by more
 * than a tenth. */
static void test_momentum_never_diverges(void **state)
{
  (void)state;
  static const char *const names[] = {"sph_012_0",      "sph_030_1",   "sph_060_0",         "sph_100b_0",
                                      "sph_060_r1e4_0", "boxstack_03", "boxstack_05_tilt",  "boxstack_06_r1e6",
                                      "boxstack_10",    "wall_4x4",    "boxstack_10_r1em4", "arch_11",
                                      "arch_15_thin",   "wedge_mu01",  "rods_05",           "rods_40"};
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
    for (unsigned limit = 10; limit < 100; limit += 20) assert_true(sweep_with(names[k], true, 1e-6, limit).residual <= 1.0 + 1e-12);
    contact_result with = sweep_with(names[k], true, 1e-6, 500), without = sweep_with(names[k], false, 1e-6, 500);
    print_message("# %-18s after %3u sweeps: %.1e with momentum, %.1e without\n", names[k], with.iterations, with.residual,
                  without.residual);
    assert_true(with.status == CONTACT_SOLVED || with.residual <= 1.1 * without.residual);
  }
}

static void test_any_number_of_threads_gives_the_same_bits(void **state)
{
  (void)state;
  for (int run = 0; run < 4; run++) {
    contact_case one, many;
    open_problem("sph_100b_0", &one);
    one.options.iteration_limit = 40;
    one.options.form = run % 2 ? CONTACT_FORM_EXPLICIT : CONTACT_FORM_MATRIX_FREE;
    one.options.momentum = run >= 2;
    contact_case_solve(&one);
    for (unsigned threads = 2; threads <= 8; threads *= 2) {
      open_problem("sph_100b_0", &many);
      many.options = one.options;
      many.options.execution = execution_of(threads);
      contact_case_solve(&many);
      assert_memory_equal(one.impulse, many.impulse, one.rows * sizeof *one.impulse);
      assert_memory_equal(one.velocity, many.velocity, one.size * sizeof *one.velocity);
      contact_case_close(&many);
    }
    contact_case_close(&one);
  }
}

static void test_contacts_of_one_colour_act_on_different_blocks(void **state)
{
  (void)state;
  contact_case s;
  contact_system system;
  contact_colours colours;
  open_problem("wall_4x4", &s);
  const contact_problem *p = &s.file.problem;
  assert_int_equal(contact_system_create(p, &s.options, &system, NULL), SCR_OK);
  assert_int_equal(contact_colours_create(&system, &colours, NULL), SCR_OK);
  size_t *colour_of_block = calloc(p->block_count, sizeof *colour_of_block), seen = 0;
  assert_int_equal(colours.serial, p->contact_count);
  for (uint32_t c = 0; c < colours.count; c++)
    for (size_t k = colours.first[c]; k < colours.first[c + 1]; k++, seen++)
      for (size_t e = p->first[colours.order[k]]; e < p->first[colours.order[k] + 1]; e++) {
        assert_int_not_equal(colour_of_block[p->block[e]], c + 1);
        colour_of_block[p->block[e]] = c + 1;
      }
  assert_int_equal(seen, p->contact_count);
  free(colour_of_block);
  contact_colours_clear(&colours);
  contact_system_clear(&system);
  contact_case_close(&s);
}

/* One body that 100 others lie on: colours run out, the rest is done one after the other, and it is solved all the same. */
static void test_a_body_with_more_contacts_than_colours_is_solved(void **state)
{
  (void)state;
  enum { n = 100 };
  static double mass[(n + 1) * 9], momentum[(n + 1) * 3], jacobian[(2 * n + 1) * 9], offset[(n + 1) * 3], friction[n + 1];
  static size_t first[n + 2];
  static uint32_t block[2 * n + 1];
  for (size_t k = 0; k <= n; k++) {
    for (size_t c = 0; c < 3; c++) mass[k * 9 + c * 4] = k == n ? 50.0 : 1.0;
    momentum[k * 3 + 2] = -0.1 * mass[k * 9];
    friction[k] = 0.5;
  }
  momentum[0] = 0.02; /* one slides and drags the plate's friction along */
  for (size_t i = 0; i <= n; i++) {
    size_t at = 2 * i;
    first[i + 1] = i < n ? at + 2 : at + 1;
    for (size_t side = 0; side < (i < n ? 2 : 1); side++) {
      double sign = side ? -1.0 : 1.0, *h = jacobian + (at + side) * 9;
      block[at + side] = side || i == n ? n : (uint32_t)i;
      h[2 * 3 + 0] = h[0 * 3 + 1] = h[1 * 3 + 2] = sign;
    }
  }
  const contact_problem problem = CONTACT_CASE_POINTS(n + 1, n + 1);
  double impulse[(n + 1) * 3] = {0}, velocity[(n + 1) * 3], relative[(n + 1) * 3];
  contact_options options = contact_options_default();
  contact_result result;
  scr_error error = {0};
  options.solver = CONTACT_GAUSS_SEIDEL;
  options.iteration_limit = 5000;
  options.tolerance = 1e-9;
  if (contact_solve(&problem, &options, impulse, velocity, relative, &result, &error) != SCR_OK) fail_msg("%s", error.message);
  assert_int_equal(result.status, CONTACT_SOLVED);
  assert_true(fabs(impulse[n * 3] - 0.1 * (n + 50.0)) < 1e-6); /* the ground carries everything */
}

/* The solution as a start needs no sweep. */
static void test_a_warm_start_saves_sweeps(void **state)
{
  (void)state;
  contact_case s;
  open_problem("sph_030_1", &s);
  s.options.iteration_limit = 20000;
  contact_case_solve(&s);
  assert_true(s.result.status == CONTACT_SOLVED && s.result.iterations > 0);
  contact_case_solve(&s);
  assert_true(s.result.status == CONTACT_SOLVED && s.result.iterations == 0);
  contact_case_close(&s);
}

/* A ball of 1 kg thrown at the ground at 1 m/s down and 0.5 m/s along: r_N = 1 N s, friction takes mu r_N = 0.3 N s of the 0.5, 0.2 m/s are
 * left. */
static void test_the_headers_example_gives_what_a_hand_gives(void **state)
{
  (void)state;
  const double mass[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, momentum[3] = {0.5, 0, -1}, jacobian[9] = {0, 1, 0, 0, 0, 1, 1, 0, 0},
               offset[3] = {0}, friction[1] = {0.3};
  const size_t first[2] = {0, 1};
  const uint32_t block[1] = {0};
  const contact_problem problem = CONTACT_CASE_POINTS(1, 1);
  contact_options options = contact_options_default();
  double impulse[3] = {0}, velocity[3], relative[3];
  contact_result result;
  assert_int_equal(contact_solve(&problem, &options, impulse, velocity, relative, &result, NULL), SCR_OK);
  assert_int_equal(result.status, CONTACT_SOLVED);
  assert_int_equal(result.sliding, 1);
  assert_true(fabs(impulse[0] - 1.0) < 1e-9 && fabs(impulse[1] + 0.3) < 1e-9 && fabs(velocity[0] - 0.2) < 1e-9);
}

/* The same ball measured by 0.1 m/s: without impulses it closes at 1 m/s, ten times that; relative to q it is 1, whatever the reference
 * below 1 m/s. */
static void test_absolute_residuals_do_not_look_at_free_velocities(void **state)
{
  (void)state;
  const contact_problem problem = {.dimension = 3,
                                   .contact_count = 1,
                                   .block_size = 3,
                                   .block_count = 1,
                                   .mass_block = (double[]){1, 0, 0, 0, 1, 0, 0, 0, 1},
                                   .momentum = (double[]){0, 0, -1},
                                   .first = (size_t[]){0, 1},
                                   .block = (uint32_t[]){0},
                                   .jacobian = (double[]){0, 1, 0, 0, 0, 1, 1, 0, 0},
                                   .offset = (double[]){0, 0, 0},
                                   .friction = (double[]){0}};
  contact_options options = contact_options_default();
  double impulse[3] = {0}, velocity[3], relative[3], residual;
  options.reference_speed = 0.1;
  assert_int_equal(contact_measure(&problem, &options, impulse, velocity, relative, &residual, NULL), SCR_OK);
  assert_true(fabs(residual - 1) < 1e-12);
  options.absolute = true;
  assert_int_equal(contact_measure(&problem, &options, impulse, velocity, relative, &residual, NULL), SCR_OK);
  assert_true(fabs(residual - 10) < 1e-12);
}

static void refused(contact_problem problem, const contact_options *options, const char *wanted)
{
  double impulse[6] = {0}, velocity[6], relative[6];
  contact_result result;
  scr_error error = {0};
  assert_int_equal(contact_solve(&problem, options, impulse, velocity, relative, &result, &error), SCR_BAD_USAGE);
  if (!strstr(error.message, wanted)) fail_msg("\"%s\" lacks \"%s\"", error.message, wanted);
}

static void test_problems_that_make_no_sense_are_refused_with_their_place(void **state)
{
  (void)state;
  const contact_problem good = {.dimension = 3,
                                .contact_count = 1,
                                .block_size = 3,
                                .block_count = 2,
                                .mass_block = (double[]){1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 1},
                                .momentum = (double[]){0, 0, -1, 0, 0, 0},
                                .first = (size_t[]){0, 1},
                                .block = (uint32_t[]){0},
                                .jacobian = (double[]){0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
                                .offset = (double[]){0, 0, 0},
                                .friction = (double[]){0.3}};
  contact_options options = contact_options_default(), loose = options;
  contact_problem bad = good;
  bad.dimension = 4;
  refused(bad, &options, "dimension 4");
  bad = good;
  bad.mass_block = (double[]){1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 0, -1, 0, 0, 0, 1};
  refused(bad, &options, "block 1 is not positive definite");
  bad = good;
  bad.friction = (double[]){NAN};
  refused(bad, &options, "friction");
  bad = good;
  bad.block = (uint32_t[]){7};
  refused(bad, &options, "block 7 of 2");
  bad = good;
  bad.first = (size_t[]){0, 2};
  bad.block = (uint32_t[]){1, 1};
  refused(bad, &options, "twice");
  bad = good;
  bad.jacobian = (double[]){0, 0, 0, 0, 0, 0, 0, 0, 0};
  refused(bad, &options, "contact 0 can't be moved");
  bad = good;
  bad.first = (size_t[]){0, 0};
  refused(bad, &options, "nothing that moves");
  bad = good;
  bad.mass_block = NULL;
  refused(bad, &options, "nowhere");
  bad = good;
  bad.mass_block = (double[]){1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  refused(bad, &options, "block 0 is not positive definite");
  bad = good;
  bad.mass_block = (double[]){1, 0, 0, 0, 1, 0.5, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  refused(bad, &options, "block 0 is not symmetric");
  bad = good;
  bad.momentum = (double[]){0, 0, INFINITY, 0, 0, 0};
  refused(bad, &options, "momentum has inf at place 2");
  bad = good;
  bad.offset = (double[]){0, NAN, 0};
  refused(bad, &options, "offset");
  bad = good;
  bad.jacobian = (double[]){0, 1, 0, 0, 0, 1, 1, 0, -INFINITY, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  refused(bad, &options, "jacobian has -inf at place 8");
  bad = good;
  bad.first = (size_t[]){1, 2};
  refused(bad, &options, "begin at 1");
  bad = good;
  bad.block_size = 7;
  refused(bad, &options, "blocks of 7");
  bad = good;
  bad.block_count = 0;
  refused(bad, &options, "nothing moves");
  loose.tolerance = 1e-15;
  refused(good, &loose, "tolerance");
  loose = options;
  loose.tolerance = NAN;
  refused(good, &loose, "tolerance");
  loose = options;
  loose.reference_speed = -1.0;
  refused(good, &loose, "reference speed");
  loose = options;
  loose.absolute = true;
  refused(good, &loose, "absolute residuals");
  loose = options;
  loose.local = LOCAL_SOLVER_COUNT;
  refused(good, &loose, "no contact solver");
}

/* A mass given as one matrix: too small, with a pivot below zero, and not symmetric. */
static void test_sparse_masses_that_make_no_sense_are_refused(void **state)
{
  (void)state;
  contact_problem p = {.dimension = 3,
                       .contact_count = 1,
                       .block_size = 3,
                       .block_count = 1,
                       .momentum = (double[]){0, 0, -1},
                       .first = (size_t[]){0, 1},
                       .block = (uint32_t[]){0},
                       .jacobian = (double[]){0, 1, 0, 0, 0, 1, 1, 0, 0},
                       .offset = (double[]){0, 0, 0},
                       .friction = (double[]){0.3}};
  contact_options options = contact_options_default();
  la_sparse mass = {.row_count = 3, .column_count = 3, .first = (size_t[]){0, 2, 4, 5}, .row = (uint32_t[]){0, 1, 0, 1, 2}};
  p.mass = &mass;
  mass.value = (double[]){1, 2, 2, 1, 1};
  refused(p, &options, "velocity 1 is not above 0");
  mass.value = (double[]){2, 1, 0.5, 2, 1};
  refused(p, &options, "not symmetric");
  mass.value = (double[]){1, 0, 0, NAN, 1};
  refused(p, &options, "mass has nan");
  p.block_count = 2;
  p.momentum = (double[]){0, 0, 0, 0, 0, 0};
  refused(p, &options, "3 x 3 for 6");
}

/* A contact seen from axes turned by 30 degrees starts with the impulse it had, turned; half the time step, half the impulse. */
static void test_kept_impulses_come_back_turned_and_scaled(void **state)
{
  (void)state;
  warm_start kept = {0};
  const contact_key keys[3] = {{7, 1}, {2, 9}, {2, 3}};
  double axes[3][9], turned[3][9], c = cos(0.5), s = sin(0.5), out[9];
  const double impulse[9] = {1, 0.25, 0.5, 2, 0, 0, 3, 0, 1};
  for (size_t k = 0; k < 3; k++) {
    const double e[9] = {0, 0, 1, 1, 0, 0, 0, 1, 0}, t[9] = {0, 0, 1, c, s, 0, -s, c, 0};
    memcpy(axes[k], e, sizeof e);
    memcpy(turned[k], t, sizeof t);
  }
  assert_int_equal(warm_start_recall(&kept, 3, 3, keys, axes[0], 0.01, out), 0);
  assert_int_equal(warm_start_keep(&kept, 3, 3, keys, axes[0], impulse, 0.01, NULL), SCR_OK);
  const contact_key asked[3] = {{2, 3}, {5, 5}, {7, 1}};
  assert_int_equal(warm_start_recall(&kept, 3, 3, asked, turned[0], 0.005, out), 2);
  const double wanted[9] = {1.5, 0.5 * s, 0.5 * c, 0, 0, 0, 0.5, 0.5 * (0.25 * c + 0.5 * s), 0.5 * (-0.25 * s + 0.5 * c)};
  assert_true(contact_case_apart(out, wanted, 9) < 1e-15);
  assert_int_equal(kept.count, 3);
  assert_true(kept.entry[0].key.first == 2 && kept.entry[0].key.second == 3);
  warm_start_clear(&kept);
  assert_true(contact_restitution(0.5, -2.0, 0.1) == -1.0 && contact_restitution(0.5, -0.05, 0.1) == 0.0);
}

static void test_a_damaged_operator_is_refused_with_its_place(void **state)
{
  (void)state;
  delassus w;
  scr_error error;
  const size_t first[] = {0, 2, 4};
  const uint32_t column[] = {0, 1, 0, 1};
  assert_int_equal(delassus_from_rows(2, 2, first, column, (const double[]){1, 0.5, 0.4, 1}, &w, &error), SCR_BAD_FILE);
  assert_non_null(strstr(error.message, "not symmetric"));
  assert_int_equal(delassus_from_rows(2, 2, first, column, (const double[]){0, 0, 0, 0}, &w, &error), SCR_BAD_FILE);
  assert_non_null(strstr(error.message, "contact 0"));
  assert_int_equal(delassus_from_rows(2, 2, first, (const uint32_t[]){0, 1, 0, 7}, (const double[]){1, 0, 0, 1}, &w, &error), SCR_BAD_FILE);
  assert_non_null(strstr(error.message, "column 7 of 2"));
  assert_int_equal(delassus_from_rows(2, 2, first, column, (const double[]){1, 0, 0, INFINITY}, &w, &error), SCR_BAD_FILE);
  assert_int_equal(delassus_from_rows(4, 4, first, column, (const double[]){1, 0, 0, 1}, &w, &error), SCR_BAD_FILE);
}

/* In space rows are multiplied by whole columns; there are rows with and without blocks on both sides of the diagonal. */
static void test_a_row_adds_the_products_of_its_blocks_with_and_without_its_own(void **state)
{
  (void)state;
  enum { N = 5, MOST = 6 * N };
  for (unsigned d = 2; d <= 6; d += d == 2 ? 1 : 3) {
    size_t rows = (size_t)N * d, first[MOST + 1] = {0}, entries = 0;
    uint32_t column[MOST * MOST];
    double value[MOST * MOST], impulse[MOST];
    for (size_t i = 0; i < rows; i++, first[i] = entries)
      for (size_t j = 0; j < rows; j++) {
        if (i / d + j / d == N) continue; /* contacts 1 and 4, 2 and 3 see nothing of each other */
        column[entries] = (uint32_t)j;
        value[entries++] = i == j ? 9 : 1.0 / (double)(1 + i + j);
      }
    for (size_t j = 0; j < rows; j++) impulse[j] = 0.3 * (double)j - 1;
    delassus w;
    assert_int_equal(delassus_from_rows(d, rows, first, column, value, &w, NULL), SCR_OK);
    for (size_t i = 0; i < N; i++)
      for (int own = 0; own <= 1; own++) {
        double wanted[6], found[6];
        for (size_t r = 0; r < d; r++) {
          wanted[r] = found[r] = 0.5 * (double)r;
          for (size_t k = first[i * d + r]; k < first[i * d + r + 1]; k++)
            if (own || column[k] / d != i) wanted[r] += value[k] * impulse[column[k]];
        }
        delassus_add_row(&w, i, own, impulse, found);
        assert_true(contact_case_apart(found, wanted, d) < 1e-14);
      }
    delassus_clear(&w);
  }
}

SUITE(test_contact_gauss_seidel)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_stored_solutions_obey_coulombs_law_by_our_residual),
      cmocka_unit_test(test_masses_are_taken_in_the_blocks_they_fall_into),
      cmocka_unit_test(test_gauss_seidel_finds_the_velocities_that_other_solvers_found),
      cmocka_unit_test(test_what_is_not_solved_says_so_and_keeps_the_best_point),
      cmocka_unit_test(test_any_number_of_threads_gives_the_same_bits),
      cmocka_unit_test(test_contacts_of_one_colour_act_on_different_blocks),
      cmocka_unit_test(test_a_body_with_more_contacts_than_colours_is_solved),
      cmocka_unit_test(test_a_warm_start_saves_sweeps),
      cmocka_unit_test(test_momentum_halves_the_sweeps_of_packs),
      cmocka_unit_test(test_sweeps_leap_where_they_creep),
      cmocka_unit_test(test_momentum_never_diverges),
      cmocka_unit_test(test_the_headers_example_gives_what_a_hand_gives),
      cmocka_unit_test(test_absolute_residuals_do_not_look_at_free_velocities),
      cmocka_unit_test(test_problems_that_make_no_sense_are_refused_with_their_place),
      cmocka_unit_test(test_sparse_masses_that_make_no_sense_are_refused),
      cmocka_unit_test(test_kept_impulses_come_back_turned_and_scaled),
      cmocka_unit_test(test_a_damaged_operator_is_refused_with_its_place),
      cmocka_unit_test(test_a_row_adds_the_products_of_its_blocks_with_and_without_its_own),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
