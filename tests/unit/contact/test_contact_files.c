/* Files of contact problems: FCLIB's HDF5 in both forms, text; what is written reads back as it was; what is damaged is refused with its
 * place.
 *
 * Reference: the same numbers. tests/data/dcfp holds every problem in both of FCLIB's forms, which must have the same solutions. */
#include <hdf5.h>
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

#include "contact/files/fclib.h"
#include "contact/files/text_problem.h"
#include "tests/support/contact_case.h"
#include "tests/support/folder.h"
#include "tests/support/suites.h"

static int set_up(void **state)
{
  *state = folder_create();
  return 0;
}

static int tear_down(void **state)
{
  folder_remove(*state);
  return 0;
}

static void path_in(const char *folder, const char *name, char path[256])
{
  snprintf(path, 256, "%s/%s", folder, name);
}

/* Both problems have the same numbers, up to what a solver can see of them: v, u and the residual of one impulse. */
static void must_be_the_same(contact_case *a, contact_case *b)
{
  assert_true(a->rows == b->rows && a->size == b->size);
  double of_a = contact_case_measure(a, a->impulse), of_b = contact_case_measure(b, a->impulse);
  assert_true(of_a == of_b || fabs(of_a - of_b) < 1e-12 * of_a);
  assert_true(contact_case_apart(a->velocity, b->velocity, a->size) == 0.0);
  assert_true(contact_case_apart(a->relative, b->relative, a->rows) == 0.0);
}

static void test_what_is_written_reads_back_as_it_was(void **state)
{
  static const char *const names[] = {"boxstack_05_tilt", "rods_05", "sph_012_0"}, *const endings[] = {"p.txt", "p.hdf5", "copy.hdf5"};
  const char *folder = *state;
  for (size_t k = 0; k < 3; k++)
    for (size_t form = 0; form < 3; form++) {
      contact_case c, back;
      char path[256], from[128];
      contact_case_open(names[k], &c);
      contact_case_solve(&c);
      path_in(folder, endings[form], path);
      snprintf(from, sizeof from, "tests/data/dcfp/%s.hdf5", names[k]);
      const contact_problem *p = &c.file.problem;
      scr_status status = form == 0   ? text_problem_write(path, p, c.velocity, c.relative, c.impulse, NULL)
                          : form == 1 ? fclib_write(path, p, c.velocity, c.relative, c.impulse, "test", NULL)
                                      : fclib_copy(from, path, p, c.velocity, c.relative, c.impulse, NULL);
      assert_int_equal(status, SCR_OK);
      assert_int_equal(contact_file_read(path, &back.file, NULL), SCR_OK);
      contact_case_make_room(&back);
      assert_memory_equal(back.file.impulse, c.impulse, c.rows * sizeof *c.impulse);
      assert_memory_equal(back.file.relative, c.relative, c.rows * sizeof *c.relative);
      assert_memory_equal(back.file.velocity, c.velocity, c.size * sizeof *c.velocity);
      must_be_the_same(&c, &back);
      contact_case_close(&c);
      contact_case_close(&back);
    }
}

/* A copy of a file without one of its groups. */
static void copy_without(const char *name, const char *left_out, const char *path)
{
  static const char *const groups[] = {"fclib_global", "fclib_local", "solution"};
  char from[128];
  snprintf(from, sizeof from, "tests/data/dcfp/%s.hdf5", name);
  hid_t in = H5Fopen(from, H5F_ACC_RDONLY, H5P_DEFAULT), out = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  for (size_t k = 0; k < 3; k++)
    if (strcmp(groups[k], left_out) != 0 && H5Lexists(in, groups[k], H5P_DEFAULT) > 0)
      assert_true(H5Ocopy(in, groups[k], out, groups[k], H5P_DEFAULT, H5P_DEFAULT) >= 0);
  H5Fclose(in);
  H5Fclose(out);
}

/* From W alone, its factor taken by pivoted Cholesky: the stored solution is one to the same digits, and the velocities found are the same.
 * The rank of rods_05 is 60 (table of tests/data/dcfp/README.md's source); of sph_012_0 71. */
static void test_the_dual_form_alone_has_the_same_solutions(void **state)
{
  static const struct {
    const char *name;
    size_t rank;
  } cases[] = {{"rods_05", 60}, {"sph_012_0", 71}, {"boxstack_03", 18}};
  for (size_t k = 0; k < 3; k++) {
    contact_case whole, dual;
    char path[256];
    path_in(*state, "dual.hdf5", path);
    copy_without(cases[k].name, "fclib_global", path);
    contact_case_open(cases[k].name, &whole);
    assert_int_equal(contact_file_read(path, &dual.file, NULL), SCR_OK);
    contact_case_make_room(&dual);
    assert_true(dual.file.dual);
    assert_int_equal(dual.size, cases[k].rank);
    assert_true(contact_case_measure(&dual, whole.file.impulse) < 1e-6);
    contact_case_solve(&dual);
    assert_int_equal(dual.result.status, CONTACT_SOLVED);
    assert_true(contact_case_apart(dual.relative, whole.file.relative, whole.rows) < 1e-4 * contact_case_speed(&whole));
    contact_case_close(&whole);
    contact_case_close(&dual);
  }
}

/* The whole of a dataset; the caller frees. */
static double *numbers_of(hid_t file, const char *dataset, size_t *count)
{
  hid_t set = H5Dopen2(file, dataset, H5P_DEFAULT), space = H5Dget_space(set);
  *count = (size_t)H5Sget_simple_extent_npoints(space);
  double *numbers = calloc(*count, sizeof *numbers);
  assert_true(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers) >= 0);
  H5Sclose(space);
  H5Dclose(set);
  return numbers;
}

/* Overwrites the number at that place before the end (1: the last). */
static void change(hid_t file, const char *dataset, size_t before_end, double value)
{
  size_t count;
  double *numbers = numbers_of(file, dataset, &count);
  hid_t set = H5Dopen2(file, dataset, H5P_DEFAULT);
  numbers[count - before_end] = value;
  assert_true(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers) >= 0);
  free(numbers);
  H5Dclose(set);
}

/* Overwrites the last number of one dataset of a copy, or removes it. */
static void damage(const char *path, const char *dataset, double value, bool remove)
{
  copy_without("wedge_mu01", "fclib_local", path);
  hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
  if (remove)
    assert_true(H5Ldelete(file, dataset, H5P_DEFAULT) >= 0);
  else
    change(file, dataset, 1, value);
  H5Fclose(file);
}

/* Rows that begin before the one above ends, and a W that is not symmetric. */
static void test_falling_places_and_lopsided_operators_are_refused(void **state)
{
  static const struct {
    const char *dataset, *without, *wanted;
    size_t before_end;
    double value;
  } cases[] = {{"fclib_global/M/p", "fclib_local", "it must rise from 0", 3, 1},
               {"fclib_global/M/p", "fclib_local", "it must rise from 0", 7, 2},
               {"fclib_local/W/p", "fclib_global", "it must rise from 0", 3, 1},
               {"fclib_local/W/x", "fclib_global", "not symmetric", 2, 1e3}};
  char path[256];
  path_in(*state, "falling.hdf5", path);
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    contact_file file;
    scr_error error = {0};
    copy_without("wedge_mu01", cases[k].without, path);
    hid_t copy = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    change(copy, cases[k].dataset, cases[k].before_end, cases[k].value);
    H5Fclose(copy);
    scr_status status = contact_file_read(path, &file, &error);
    if (status == SCR_OK) fail_msg("%s was read", cases[k].dataset);
    if (!strstr(error.message, cases[k].wanted)) fail_msg("%s: \"%s\" lacks \"%s\"", cases[k].dataset, error.message, cases[k].wanted);
  }
}

static void replace(hid_t file, const char *dataset, hid_t type, const double *numbers, size_t count)
{
  hsize_t size = count;
  hid_t space = H5Screate_simple(1, &size, NULL);
  assert_true(H5Ldelete(file, dataset, H5P_DEFAULT) >= 0);
  hid_t set = H5Dcreate2(file, dataset, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  assert_true(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers) >= 0);
  H5Dclose(set);
  H5Sclose(space);
}

/* W as old files have it: all its numbers, and places that are all zero. */
static void make_dense(hid_t file)
{
  size_t rows, entries, columns;
  double *p = numbers_of(file, "fclib_local/W/p", &rows), *i = numbers_of(file, "fclib_local/W/i", &columns),
         *x = numbers_of(file, "fclib_local/W/x", &entries);
  size_t side = rows - 1;
  double *dense = calloc(side * side, sizeof *dense);
  for (size_t row = 0; row < side; row++)
    for (size_t k = (size_t)p[row]; k < (size_t)p[row + 1]; k++) dense[row * side + (size_t)i[k]] = x[k];
  replace(file, "fclib_local/W/x", H5T_NATIVE_DOUBLE, dense, side * side);
  memset(dense, 0, side * side * sizeof *dense);
  replace(file, "fclib_local/W/p", H5T_NATIVE_INT, dense, rows);
  replace(file, "fclib_local/W/i", H5T_NATIVE_INT, dense, side * side);
  free(p);
  free(i);
  free(x);
  free(dense);
}

static void test_a_dense_operator_of_an_old_file_is_the_same_problem(void **state)
{
  contact_case sparse, dense;
  char path[256], old[256];
  path_in(*state, "sparse.hdf5", path);
  path_in(*state, "old.hdf5", old);
  copy_without("boxstack_03", "fclib_global", path);
  copy_without("boxstack_03", "fclib_global", old);
  hid_t file = H5Fopen(old, H5F_ACC_RDWR, H5P_DEFAULT);
  make_dense(file);
  H5Fclose(file);
  assert_int_equal(contact_file_read(path, &sparse.file, NULL), SCR_OK);
  assert_int_equal(contact_file_read(old, &dense.file, NULL), SCR_OK);
  contact_case_make_room(&sparse);
  contact_case_make_room(&dense);
  contact_case_solve(&sparse);
  contact_case_solve(&dense);
  assert_int_equal(dense.result.status, CONTACT_SOLVED);
  assert_int_equal(dense.rows, sparse.rows);
  assert_true(contact_case_apart(sparse.relative, dense.relative, sparse.rows) < 1e-6 * contact_case_speed(&sparse));
  contact_case_close(&sparse);
  contact_case_close(&dense);
}

static void test_damaged_fclib_files_are_refused_with_the_field(void **state)
{
  static const struct {
    const char *dataset;
    double value;
    bool remove;
    const char *wanted;
  } cases[] = {{"fclib_global/M/p", 0, true, "fclib_global/M/p is missing"},
               {"fclib_global/M/p", 99, false, "do not fit"},
               {"fclib_global/M/i", 7, false, "outside of its 6 rows"},
               {"fclib_global/H/x", NAN, false, "fclib_global/H/x"},
               {"fclib_global/H/m", 5, false, "outside"},
               {"fclib_global/H/n", 5, false, "do not fit"},
               {"fclib_global/vectors/f", INFINITY, false, "fclib_global/vectors/f[5]"},
               {"fclib_global/vectors/mu", NAN, false, "fclib_global/vectors/mu"},
               {"fclib_global/vectors/w", 0, true, "fclib_global/vectors/w is missing"},
               {"fclib_global/spacedim", 4, false, "from 2 to 3"},
               {"fclib_global/spacedim", 2, false, "mu has 2 numbers"},
               {"fclib_global/M/nz", -3, false, "from -2"},
               {"solution/r", NAN, false, "solution/r"}};
  char path[256];
  path_in(*state, "damaged.hdf5", path);
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    contact_file file;
    scr_error error = {0};
    damage(path, cases[k].dataset, cases[k].value, cases[k].remove);
    scr_status status = contact_file_read(path, &file, &error);
    if (status != SCR_BAD_FILE || !strstr(error.message, cases[k].wanted))
      fail_msg("%s: status %d, \"%s\" lacks \"%s\"", cases[k].dataset, (int)status, error.message, cases[k].wanted);
  }
}

/* Cut short at any length, a file is refused or read whole, never a crash. */
/* Found by fuzzing: HDF5 1.10 reads such a dataset from address 0. */
static void test_a_dataset_with_fewer_bytes_than_its_extent_asks_for_is_refused(void **state)
{
  contact_file file;
  scr_error error = {0};
  (void)state;
  assert_int_equal(fclib_read("tests/fuzz/corpus/contact_fclib/fewer_bytes_than_extent", &file, &error), SCR_BAD_FILE);
  assert_non_null(strstr(error.message, "by its extent, and fewer in the file"));
}

static void test_files_cut_short_are_refused(void **state)
{
  static unsigned char bytes[65536];
  char path[256];
  contact_file file;
  scr_error error;
  FILE *in = fopen("tests/data/dcfp/wedge_mu01.hdf5", "rb");
  size_t size = fread(bytes, 1, sizeof bytes, in);
  fclose(in);
  path_in(*state, "cut.hdf5", path);
  for (size_t length = 0; length < size; length += 997) {
    FILE *out = fopen(path, "wb");
    assert_int_equal(fwrite(bytes, 1, length, out), length);
    fclose(out);
    if (contact_file_read(path, &file, &error) == SCR_OK) contact_file_clear(&file);
  }
  assert_int_equal(contact_file_read("tests/data/dcfp/README.md", &file, &error), SCR_BAD_FILE);
  assert_int_equal(contact_file_read("tests/data/dcfp/no-such-file", &file, &error), SCR_IO);
}

static const char good_text[] =
    "scree contact problem 1\ndimension 2 # plane\nvelocities 2\ncontacts 1\nmass 2\n0 0 1\n1 1 1\nmomentum\n0.5 -1\n"
    "jacobian 2\n0 1 1\n1 0 1\noffset\n0 0\nfriction\n0.2\nend\n";

static void refused_text(const char *from, const char *to, const char *wanted)
{
  char text[1024];
  contact_file file;
  scr_error error = {0};
  const char *at = strstr(good_text, from);
  assert_non_null(at);
  snprintf(text, sizeof text, "%.*s%s%s", (int)(at - good_text), good_text, to, at + strlen(from));
  scr_status status = text_problem_parse(text, strlen(text), &file, &error);
  if (status != SCR_BAD_FILE || !strstr(error.message, wanted))
    fail_msg("\"%s\": status %d, \"%s\" lacks \"%s\"", to, (int)status, error.message, wanted);
}

/* By hand: the point of 1 kg stops at the ground, 0.2 N s of its 0.5 N s along it go into friction. */
static void test_a_problem_typed_by_hand_is_solved(void **state)
{
  (void)state;
  contact_case c;
  assert_int_equal(text_problem_parse(good_text, strlen(good_text), &c.file, NULL), SCR_OK);
  contact_case_make_room(&c);
  contact_case_solve(&c);
  assert_int_equal(c.result.status, CONTACT_SOLVED);
  assert_true(fabs(c.impulse[0] - 1.0) < 1e-6 && fabs(c.impulse[1] + 0.2) < 1e-6 && fabs(c.velocity[0] - 0.3) < 1e-6);
  contact_case_close(&c);
}

static void test_mistakes_in_a_text_are_refused_with_their_line(void **state)
{
  (void)state;
  refused_text("problem 1", "problem 2", "line 1");
  refused_text("dimension 2", "dimension 7", "2 to 6");
  refused_text("dimension 2", "dimension 4", "line 2: dimension 4");
  refused_text("velocities 2", "velocities x", "line 3: \"x\" is no number of velocities");
  refused_text("velocities 2", "velocities 20000000", "ends before");
  refused_text("mass 2", "mass 9999", "ends before");
  refused_text("1 1 1\nmom", "0 0 1\nmom", "twice");
  refused_text("1 1 1\nmom", "1 2 1\nmom", "line 7");
  refused_text("0.5 -1", "0.5 nan", "line 9: \"nan\" is not a finite number");
  refused_text("0.5 -1", "0.5 0x1p3", "not a finite number");
  refused_text("0.5 -1", "0.5", "\"jacobian\" is not a finite number");
  refused_text("offset\n0 0", "offset\n0 1e999", "not a finite number");
  refused_text("friction\n0.2", "friction", "\"end\" is not a finite number");
  refused_text("\nend\n", "\nend\nmore", "follows the end");
  refused_text("\nend\n", "\n", "where \"solution\" or \"end\" belongs");
  refused_text("jacobian 2\n0 1 1", "jacobian 2\n0 1 1 1", "line 12");
}

/* A solution that was made room for and never written: HDF5 stores no byte of it and reads its fill value. FCLIB's own files have such. */
static void test_a_solution_that_was_never_written_reads_as_its_fill_value(void **state)
{
  const double mass[1] = {2}, momentum[1] = {-1}, jacobian[2] = {1, 0}, offset[2] = {0}, friction[1] = {0.5}, some[2] = {1, 0};
  const contact_problem p = {.dimension = 2,
                             .contact_count = 1,
                             .block_size = 1,
                             .block_count = 1,
                             .mass_block = mass,
                             .momentum = momentum,
                             .first = (size_t[]){0, 1},
                             .block = (uint32_t[]){0},
                             .jacobian = jacobian,
                             .offset = offset,
                             .friction = friction};
  char path[256];
  contact_file back;
  scr_error error;
  path_in(*state, "unwritten.hdf5", path);
  assert_int_equal(fclib_write(path, &p, some, some, some, "unwritten", &error), SCR_OK);
  hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT), space = H5Screate_simple(1, (hsize_t[]){2}, NULL);
  assert_true(H5Ldelete(file, "solution/r", H5P_DEFAULT) >= 0);
  hid_t set = H5Dcreate2(file, "solution/r", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  H5Dclose(set);
  H5Sclose(space);
  H5Fclose(file);
  if (contact_file_read(path, &back, &error) != SCR_OK) fail_msg("%s", error.message);
  assert_true(back.impulse && back.impulse[0] == 0 && back.impulse[1] == 0 && back.relative[0] == 1);
  contact_file_clear(&back);
}

/* d = 6 goes into text only. */
static void test_six_dimensions_are_text_only(void **state)
{
  double one[6] = {1, 1, 1, 1, 1, 1}, jacobian[36] = {0}, zeros[6] = {0};
  for (int k = 0; k < 6; k++) jacobian[7 * k] = 1.0;
  const contact_problem p = {.dimension = 6,
                             .contact_count = 1,
                             .block_size = 1,
                             .block_count = 6,
                             .mass_block = one,
                             .momentum = one,
                             .first = (size_t[]){0, 6},
                             .block = (uint32_t[]){0, 1, 2, 3, 4, 5},
                             .jacobian = jacobian,
                             .offset = zeros,
                             .friction = (double[]){0.5}};
  char path[256];
  contact_file back;
  scr_error error;
  path_in(*state, "six.hdf5", path);
  assert_int_equal(fclib_write(path, &p, NULL, NULL, NULL, "six", &error), SCR_BAD_USAGE);
  assert_non_null(strstr(error.message, "text"));
  assert_true(access(path, F_OK) != 0);
  assert_int_equal(text_problem_write(path, &p, NULL, NULL, NULL, NULL), SCR_OK);
  assert_int_equal(contact_file_read(path, &back, NULL), SCR_OK);
  assert_true(back.problem.dimension == 6 && !back.impulse);
  contact_file_clear(&back);
}

SUITE(test_contact_files)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_what_is_written_reads_back_as_it_was, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_the_dual_form_alone_has_the_same_solutions, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_damaged_fclib_files_are_refused_with_the_field, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_falling_places_and_lopsided_operators_are_refused, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_a_dense_operator_of_an_old_file_is_the_same_problem, set_up, tear_down),
      cmocka_unit_test(test_a_dataset_with_fewer_bytes_than_its_extent_asks_for_is_refused),
      cmocka_unit_test_setup_teardown(test_files_cut_short_are_refused, set_up, tear_down),
      cmocka_unit_test(test_a_problem_typed_by_hand_is_solved),
      cmocka_unit_test(test_mistakes_in_a_text_are_refused_with_their_line),
      cmocka_unit_test_setup_teardown(test_a_solution_that_was_never_written_reads_as_its_fill_value, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_six_dimensions_are_text_only, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
