/* Whole contact problems: reading FCLIB's files, the Delassus operator, Gauss-Seidel.
 *
 * Reference: tests/data/dcfp, problems with solutions made by other solvers. Where Gauss-Seidel converges its velocities must be those; on stacks with a
 * mass ratio of 1e6 it must not, and must say so: independent implementations stay at a residual of 5e-2 there after 20 000 sweeps. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "contact/cone.h"
#include "contact/fclib.h"

static void read_problem(const char *name, fclib_problem *problem)
{
  char path[128];
  scr_error error = {0};
  snprintf(path, sizeof path, "tests/data/dcfp/%s.hdf5", name);
  if (fclib_read(path, problem, &error) != SCR_OK) fail_msg("%s: %s", path, error.message);
}

static contact_problem problem_of(const fclib_problem *file)
{
  return (contact_problem){&file->w, file->free_velocity, file->friction};
}

/* Largest difference of two velocities over the largest free one. */
static double apart(const fclib_problem *file, const double *a, const double *b)
{
  double gap = 0.0, size = 0.0;
  for (size_t k = 0; k < file->w.contact_count * file->w.dimension; k++) {
    gap = fmax(gap, fabs(a[k] - b[k]));
    size = fmax(size, fabs(file->free_velocity[k]));
  }
  return gap / size;
}

static void test_stored_solutions_obey_coulombs_law_by_our_residual(void **state)
{
  (void)state;
  static const char *const names[] = {"boxstack_03", "boxstack_05_tilt", "boxstack_06_r1e6", "boxstack_10", "boxstack_10_r1em4",
                                      "wall_4x4",    "arch_11",          "arch_15_thin",     "wedge_mu01",  "sph_012_0",
                                      "sph_030_1",   "sph_060_0",        "rods_05",          "rods_40"};
  static const size_t contacts[] = {12, 20, 24, 40, 40, 128, 48, 64, 2, 30, 78, 148, 20, 136};
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
    fclib_problem file;
    read_problem(names[k], &file);
    assert_int_equal(file.w.contact_count, contacts[k]);
    assert_non_null(file.impulse);
    double *velocity = calloc(contacts[k] * 3, sizeof *velocity);
    const contact_problem problem = problem_of(&file);
    double residual = contact_residual(&problem, file.impulse, velocity);
    if (residual > 1e-6) fail_msg("%s: the stored solution has a residual of %.2g", names[k], residual);
    assert_true(apart(&file, velocity, file.velocity) < 1e-5);
    assert_true(fclib_merit(&problem, file.impulse, false, velocity) <=
                    fclib_merit(&problem, file.impulse, true, velocity) * (1.0 + 1e-12) ||
                fclib_merit(&problem, file.impulse, false, velocity) < 1e-3);
    free(velocity);
    fclib_clear(&file);
  }
}

/* One relative residual of 1e-7; velocities are unique up to what that leaves, hence 1e-4. */
static void test_gauss_seidel_finds_the_velocities_that_other_solvers_found(void **state)
{
  (void)state;
  static const char *const names[] = {"boxstack_03",  "boxstack_05_tilt", "boxstack_10_r1em4", "wall_4x4",  "arch_11",
                                      "arch_15_thin", "wedge_mu01",       "sph_012_0",         "sph_030_1", "rods_05"};
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
    fclib_problem file;
    read_problem(names[k], &file);
    size_t size = file.w.contact_count * 3;
    double *impulse = calloc(size, sizeof *impulse), *velocity = calloc(size, sizeof *velocity);
    const contact_problem problem = problem_of(&file);
    contact_options options = contact_options_default();
    options.tolerance = 1e-7;
    options.sweep_limit = 20000;
    contact_result result;
    assert_int_equal(contact_gauss_seidel(&problem, &options, impulse, &result, NULL), SCR_OK);
    contact_residual(&problem, impulse, velocity);
    print_message("# %-18s %4zu contacts, %2u colours, %5u sweeps, residual %.1e, velocities within %.1e\n", names[k], file.w.contact_count,
                  (unsigned)file.w.colour_count, result.sweeps, result.residual, apart(&file, velocity, file.velocity));
    if (!result.solved || result.local_failures) fail_msg("%s: residual %.2g after %u sweeps", names[k], result.residual, result.sweeps);
    assert_true(apart(&file, velocity, file.velocity) < 1e-4);
    free(impulse);
    free(velocity);
    fclib_clear(&file);
  }
}

static void test_what_is_not_solved_says_so_and_keeps_the_best_point(void **state)
{
  (void)state;
  fclib_problem file;
  read_problem("boxstack_06_r1e6", &file);
  double impulse[24 * 3] = {0}, velocity[24 * 3];
  const contact_problem problem = problem_of(&file);
  contact_options options = contact_options_default();
  contact_result result;
  double nothing = contact_residual(&problem, impulse, velocity);
  impulse[5] = NAN; /* a warm start gone bad does no harm */
  assert_int_equal(contact_gauss_seidel(&problem, &options, impulse, &result, NULL), SCR_OK);
  assert_false(result.solved);
  print_message("# boxstack_06_r1e6: residual %.2g after %u sweeps, %.2g without impulses\n", result.residual, result.sweeps, nothing);
  assert_true(result.residual > 1e-3 && result.residual <= nothing);
  assert_true(fabs(contact_residual(&problem, impulse, velocity) - result.residual) <= 1e-12 * result.residual);
  fclib_clear(&file);
}

static void test_any_number_of_threads_gives_the_same_bits(void **state)
{
  (void)state;
  fclib_problem file;
  read_problem("sph_100b_0", &file);
  size_t size = file.w.contact_count * 3;
  double *one = calloc(size, sizeof *one), *many = calloc(size, sizeof *many);
  const contact_problem problem = problem_of(&file);
  contact_options options = contact_options_default();
  contact_result result;
  options.sweep_limit = 200;
  assert_int_equal(contact_gauss_seidel(&problem, &options, one, &result, NULL), SCR_OK);
  for (unsigned threads = 2; threads <= 8; threads *= 2) {
    memset(many, 0, size * sizeof *many);
    options.threads = threads;
    assert_int_equal(contact_gauss_seidel(&problem, &options, many, &result, NULL), SCR_OK);
    assert_memory_equal(one, many, size * sizeof *one);
  }
  free(one);
  free(many);
  fclib_clear(&file);
}

static void test_contacts_of_one_colour_share_no_block(void **state)
{
  (void)state;
  fclib_problem file;
  read_problem("wall_4x4", &file);
  const delassus *w = &file.w;
  uint32_t *colours = calloc(w->contact_count, sizeof *colours);
  size_t seen = 0;
  for (uint32_t c = 0; c < w->colour_count; c++)
    for (size_t k = w->colour_first[c]; k < w->colour_first[c + 1]; k++, seen++) colours[w->order[k]] = c + 1;
  assert_int_equal(seen, w->contact_count);
  for (size_t i = 0; i < w->contact_count; i++)
    for (size_t k = w->first[i]; k < w->first[i + 1]; k++)
      if (w->column[k] != i) assert_true(colours[i] && colours[i] != colours[w->column[k]]);
  free(colours);
  fclib_clear(&file);
}

/* The solution as a start needs no sweep. */
static void test_a_warm_start_saves_sweeps(void **state)
{
  (void)state;
  fclib_problem file;
  read_problem("sph_030_1", &file);
  double impulse[78 * 3] = {0};
  const contact_problem problem = problem_of(&file);
  contact_options options = contact_options_default();
  contact_result cold, warm;
  options.sweep_limit = 20000;
  assert_int_equal(contact_gauss_seidel(&problem, &options, impulse, &cold, NULL), SCR_OK);
  assert_true(cold.solved && cold.sweeps > 0);
  assert_int_equal(contact_gauss_seidel(&problem, &options, impulse, &warm, NULL), SCR_OK);
  assert_true(warm.solved && warm.sweeps == 0);
  fclib_clear(&file);
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

static void test_files_that_are_no_problems_are_refused(void **state)
{
  (void)state;
  fclib_problem file;
  scr_error error;
  assert_int_equal(fclib_read("tests/data/dcfp/README.md", &file, &error), SCR_BAD_FILE);
  assert_int_equal(fclib_read("tests/data/dcfp/no-such-file", &file, &error), SCR_BAD_FILE);
  /* Cut short at any length, a file is refused or read whole, never a crash. */
  FILE *in = fopen("tests/data/dcfp/wedge_mu01.hdf5", "rb");
  static unsigned char bytes[65536];
  size_t size = fread(bytes, 1, sizeof bytes, in);
  fclose(in);
  char path[] = "/tmp/scree-fclib-XXXXXX";
  int out = mkstemp(path);
  for (size_t length = 0; length < size; length += 997) {
    assert_int_equal(ftruncate(out, 0), 0);
    assert_int_equal(pwrite(out, bytes, length, 0), (ssize_t)length);
    if (fclib_read(path, &file, &error) == SCR_OK) fclib_clear(&file);
  }
  close(out);
  unlink(path);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_stored_solutions_obey_coulombs_law_by_our_residual),
      cmocka_unit_test(test_gauss_seidel_finds_the_velocities_that_other_solvers_found),
      cmocka_unit_test(test_what_is_not_solved_says_so_and_keeps_the_best_point),
      cmocka_unit_test(test_any_number_of_threads_gives_the_same_bits),
      cmocka_unit_test(test_contacts_of_one_colour_share_no_block),
      cmocka_unit_test(test_a_warm_start_saves_sweeps),
      cmocka_unit_test(test_a_damaged_operator_is_refused_with_its_place),
      cmocka_unit_test(test_files_that_are_no_problems_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
