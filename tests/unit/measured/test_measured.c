/* Measured curves: files as testing machines of each style write them (tests/data/measured), and what is refused. All hold the same curve:
 * a force of 41.5 u (1 + 0.15 u) kN over u = 0 ... 0.59 mm, 60 samples. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/study/measured/measured.h"
#include "tests/support/suites.h"

#define near(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))
enum { SAMPLES = 60 };

static scr_status read_file(const char *name, const measured_reading *reading, measured_table *table, scr_error *error)
{
  char path[128];
  snprintf(path, sizeof path, "tests/data/measured/%s", name);
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  char *bytes = malloc(1 << 20);
  size_t size = fread(bytes, 1, 1 << 20, file);
  fclose(file);
  scr_status status = measured_read(bytes, size, reading, table, error);
  free(bytes);
  return status;
}

static scr_status read_text(const char *text, measured_table *table, scr_error *error)
{
  return measured_read(text, strlen(text), NULL, table, error);
}

static double force(double u)
{
  return 41.5e6 * u * (1 + 150 * u);
}

/* The columns are displacement and force of the curve above, with these names and factors. */
static void must_hold_the_curve(const measured_table *table, size_t x, size_t y, double sign, const char *x_name, const char *y_name)
{
  assert_int_equal(table->row_count, SAMPLES);
  assert_string_equal(table->columns[x].name, x_name);
  assert_string_equal(table->columns[y].name, y_name);
  assert_string_equal(table->columns[x].unit, "m");
  assert_string_equal(table->columns[y].unit, "N");
  for (size_t r = 0; r < SAMPLES; r++) {
    double u = 1e-5 * (double)r;
    near(sign * table->values[r * table->column_count + x], u, 1e-12);
    near(sign * table->values[r * table->column_count + y], force(u), 0.02);
  }
  near(fmax(-table->columns[x].low, table->columns[x].high), 5.9e-4, 1e-12);
  assert_int_equal(table->columns[y].count, SAMPLES);
}

static void test_each_style_of_testing_machine_is_read(void **state)
{
  (void)state;
  measured_table table;
  scr_error error = {0};
  assert_int_equal(read_file("instron.csv", NULL, &table, &error), SCR_OK);
  must_hold_the_curve(&table, 1, 2, 1, "Compressive extension", "Compressive load");
  assert_string_equal(table.columns[0].unit, "s");
  assert_int_equal(table.first_line, 8);
  assert_int_equal(table.unit_line, 7);
  measured_clear(&table);
  assert_int_equal(read_file("zwick.csv", NULL, &table, &error), SCR_OK);
  must_hold_the_curve(&table, 1, 2, 1, "Standardweg", "Standardkraft");
  assert_int_equal(table.separator, ';');
  assert_int_equal(table.decimal, ',');
  assert_non_null(strstr(table.how, "UTF-8, cells between semicolons, decimal comma, names of columns in line 6"));
  measured_clear(&table);
  assert_int_equal(read_file("mts.txt", NULL, &table, &error), SCR_OK);
  must_hold_the_curve(&table, 1, 2, -1, "Axial Displacement", "Axial Force");
  assert_int_equal(table.separator, '\t');
  measured_clear(&table);
  assert_int_equal(read_file("plain_latin1.dat", NULL, &table, &error), SCR_OK);
  must_hold_the_curve(&table, 0, 1, 1, "Weg", "Kraft");
  assert_non_null(strstr(table.how, "Latin-1"));
  measured_clear(&table);
}

static void test_utf16_and_units_beside_names_are_read(void **state)
{
  (void)state;
  measured_table table;
  assert_int_equal(read_file("spreadsheet_utf16.txt", NULL, &table, NULL), SCR_OK);
  assert_int_equal(table.row_count, SAMPLES);
  assert_string_equal(table.columns[0].name, "Displacement");
  near(table.columns[0].high, 5.9e-4, 1e-15);
  assert_string_equal(table.columns[1].unit, "Pa");
  near(table.columns[1].high, 41.5e6 * 0.59 * (1 + 0.15 * 0.59), 100);
  assert_string_equal(table.columns[2].unit, "1");
  near(table.columns[2].high, 0.0118, 1e-15);
  measured_clear(&table);
}

static void test_empty_cells_and_a_second_table_leave_the_first_as_it_is(void **state)
{
  (void)state;
  measured_table table;
  assert_int_equal(read_file("gaps.csv", NULL, &table, NULL), SCR_OK);
  assert_int_equal(table.row_count, SAMPLES);
  assert_int_equal(table.columns[1].count, SAMPLES - 9);
  assert_true(isnan(table.values[table.column_count * 7 + 1]));
  assert_non_null(strstr(table.how, "1 shorter tables"));
  measured_choice choice = {.x = 2, .y = 1};
  measured_curve curve;
  assert_int_equal(measured_take(&table, &choice, &curve, NULL), SCR_OK);
  assert_int_equal(curve.count, SAMPLES - 9);
  near(curve.y[0], force(1e-5), 0.02);
  measured_curve_clear(&curve);
  measured_clear(&table);
}

static void test_numbers_that_can_be_read_in_two_ways_are_refused(void **state)
{
  (void)state;
  measured_table table;
  scr_error error;
  assert_int_equal(read_file("thousands.csv", NULL, &table, &error), SCR_BAD_FILE);
  assert_non_null(strstr(error.message, "line 6, column 2: '1.250,6'"));
  assert_int_equal(read_file("either_decimal.csv", NULL, &table, &error), SCR_BAD_FILE);
  assert_non_null(strstr(error.message, "have three digits behind it"));
  measured_reading reading = {.decimal = ','};
  assert_int_equal(read_file("either_decimal.csv", &reading, &table, &error), SCR_OK);
  near(table.values[0], 1e-3, 1e-15);
  measured_clear(&table);
}

static void test_what_holds_no_table_is_refused(void **state)
{
  (void)state;
  measured_table table;
  scr_error error;
  assert_int_equal(read_text("", &table, &error), SCR_BAD_FILE);
  assert_int_equal(read_text("Force;Displacement\n1;2\n", &table, &error), SCR_BAD_FILE);
  assert_non_null(strstr(error.message, "there is no table"));
  assert_int_equal(measured_read("1,2\n3,\0004\n", 9, NULL, &table, &error), SCR_BAD_FILE);
  assert_non_null(strstr(error.message, "binary"));
  measured_reading odd = {.separator = '|'};
  assert_int_equal(measured_read("1|2\n3|4\n", 8, &odd, &table, &error), SCR_BAD_USAGE);
  const char *units[] = {"mm", "furlong"};
  measured_reading unknown = {.units = units, .unit_count = 2};
  assert_int_equal(measured_read("1;2\n3;4\n", 8, &unknown, &table, &error), SCR_BAD_USAGE);
  assert_non_null(strstr(error.message, "'furlong' is not known"));
  assert_null(table.values);
}

static void test_units_are_turned_into_si(void **state)
{
  (void)state;
  static const struct {
    const char *written, *unit;
    double factor;
  } known[] = {{"kN", "N", 1e3},
               {"mm", "m", 1e-3},
               {"\u00b5m", "m", 1e-6},
               {"MPa", "Pa", 1e6},
               {"N/mm\u00b2", "Pa", 1e6},
               {"N/mm^2", "Pa", 1e6},
               {"%", "1", 0.01},
               {"sec", "s", 1},
               {"min", "s", 60},
               {"mm/min", "m/s", 1e-3 / 60},
               {"lbf", "N", 4.4482216152605},
               {"J", "J", 1}};
  char unit[MEASURED_UNIT_BYTES];
  double factor;
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    assert_true(measured_unit(known[i].written, unit, &factor));
    assert_string_equal(unit, known[i].unit);
    near(factor / known[i].factor, 1, 1e-12);
  }
  assert_false(measured_unit("V", unit, &factor));
  assert_false(measured_unit("", unit, &factor));
}

/* By hand: force 2 u per mm: machine of 0.01 mm/N, zero of 1 N, preload of 3 N. Samples u = 0 ... 4 mm, F = 1, 3, 5, 7, 9 N as measured. */
static void test_corrections_are_applied_beside_the_raw_curve(void **state)
{
  (void)state;
  measured_table table;
  assert_int_equal(read_text("u (mm);F (N)\n0;1\n1;3\n2;5\n3;7\n4;9\n", &table, NULL), SCR_OK);
  measured_choice choice = {.x = 0, .y = 1, .y_zero = 1, .preload = 3, .compliance = 1e-5};
  measured_curve curve;
  assert_int_equal(measured_take(&table, &choice, &curve, NULL), SCR_OK);
  assert_int_equal(curve.count, 3);
  double x[] = {0 - 4e-5, 1e-3 - 6e-5, 2e-3 - 8e-5}, y[] = {4, 6, 8};
  for (size_t i = 0; i < 3; i++) {
    near(curve.x[i], x[i], 1e-15);
    near(curve.y[i], y[i], 1e-12);
    near(curve.x_raw[i], 1e-3 * (double)(i + 2), 1e-15);
    near(curve.y_raw[i], y[i] + 1, 1e-12);
  }
  near(curve.x_moved, 2e-3, 1e-15);
  measured_curve_clear(&curve);
  scr_error error;
  choice = (measured_choice){.x = 1, .y = 0, .compliance = 1e-5};
  assert_int_equal(measured_take(&table, &choice, &curve, &error), SCR_BAD_USAGE);
  assert_non_null(strstr(error.message, "displacement in m by a force in N"));
  choice = (measured_choice){.x = 0, .y = 0};
  assert_int_equal(measured_take(&table, &choice, &curve, &error), SCR_BAD_USAGE);
  choice = (measured_choice){.x = 0, .y = 1, .preload = 100};
  assert_int_equal(measured_take(&table, &choice, &curve, &error), SCR_BAD_USAGE);
  assert_null(curve.x);
  measured_clear(&table);
}

SUITE(test_measured)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_each_style_of_testing_machine_is_read),
      cmocka_unit_test(test_utf16_and_units_beside_names_are_read),
      cmocka_unit_test(test_empty_cells_and_a_second_table_leave_the_first_as_it_is),
      cmocka_unit_test(test_numbers_that_can_be_read_in_two_ways_are_refused),
      cmocka_unit_test(test_what_holds_no_table_is_refused),
      cmocka_unit_test(test_units_are_turned_into_si),
      cmocka_unit_test(test_corrections_are_applied_beside_the_raw_curve),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
