/* Fragments by mass: classes, dust, and their table in a recording's topology. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "record/topology.h"
#include "sim/pieces/fragments.h"
#include "tests/support/suites.h"

/* Class k holds masses above M 2^-(k+1) up to M 2^-k, whatever sums round to; what is lighter than all classes is in the last. */
static void test_classes_halve_from_the_heaviest_body(void **state)
{
  static const struct {
    double mass;
    int class;
  } cases[] = {{3, 0},    {3 * (1 + 1e-12), 0}, {3 * (1 - 1e-12), 0}, {1.6, 0}, {1.5, 1}, {1.5 * (1 + 1e-12), 1}, {1.51, 0}, {0.76, 1},
               {0.75, 2}, {3e-30, 63}};
  (void)state;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    fragment_summary summary = {.whole = 3};
    fragments_add(&summary, cases[k].mass, false);
    assert_true(summary.classes[cases[k].class].count == 1 && summary.classes[cases[k].class].mass == cases[k].mass);
    assert_true(summary.count == 1 && summary.largest == cases[k].mass && summary.dust.count == 0);
  }
}

/* A body of six points in pieces of 3, 1, 1 and 1: three are dust; a body of one point is none. The masses are all accounted for. */
static void test_single_points_of_larger_bodies_are_dust(void **state)
{
  static const uint32_t piece[6] = {4, 5, 4, 6, 4, 7};
  static const double mass[6] = {1, 2, 3, 4, 5, 6};
  double sum[6], points[6];
  (void)state;
  for (int uniform = 0; uniform < 2; uniform++) {
    fragment_summary summary = {.whole = 21};
    fragments_add_body(&summary, 6, piece, mass, uniform, sum, points);
    assert_true(summary.count == 4 && summary.dust.count == 3 && summary.dust.mass == (uniform ? 3 : 12) &&
                summary.grit == (uniform ? 1 : 6));
    assert_true(summary.largest == (uniform ? 3 : 9) && summary.classes[uniform ? 2 : 1].count == 1);
    fragments_add_body(&summary, 1, piece, mass, uniform, sum, points);
    assert_true(summary.count == 5 && summary.dust.count == 3);
  }
}

/* A topology without tables, as recordings from before there were any have, is read; one with a table reads back as it was written; damaged
 * ones are refused. */
static void test_topologies_with_and_without_tables_are_read(void **state)
{
  static const char *const damaged[] = {
      "\"tables\":[{\"name\":\"t\",\"label\":\"l\",\"columns\":[]}]",
      "\"tables\":[{\"name\":\"t\",\"columns\":[{\"name\":\"a\",\"unit\":\"1\",\"label\":\"\"}]}]",
      "\"tables\":[{\"name\":\"t\",\"label\":\"l\",\"columns\":[{\"name\":3}]}]",
      "\"tables\":[7]",
      "\"tables\":[{\"name\":\"t\\\"\",\"label\":\"l\",\"columns\":[{\"name\":\"a\",\"unit\":\"1\",\"label\":\"\"}]}]",
      "\"tables\":[{\"name\":\"t\",\"label\":\"l\",\"columns\":[{\"name\":\"a\",\"unit\":\"1\",\"label\":\"\",\"values\":[7]}]}]"};
  char text[512];
  scr_topology topology;
  (void)state;
  static const char form[] = "{\"drawables\":[],\"series\":[],\"plots\":[],\"bounds\":{\"minimum\":[0,0,0],\"maximum\":[1,1,1]}%s%s}";
  snprintf(text, sizeof text, form, "", "");
  assert_int_equal(topology_parse(text, strlen(text), &topology, NULL), SCR_OK);
  assert_int_equal(topology.table_count, 0);
  scr_column columns[] = {{.name = "time", .unit = "s", .label = "Time"},
                          {.name = "mode", .unit = "1", .label = "Mode", .value_count = 2, .values = {"split", "chipped"}}};
  scr_table table = {.name = "t", .label = "l", .column_count = 2, .columns = columns};
  topology_clear(&topology);
  topology = (scr_topology){.tables = &table, .table_count = 1};
  char *written = topology_json(&topology);
  assert_non_null(written);
  assert_int_equal(topology_parse(written, strlen(written), &topology, NULL), SCR_OK);
  assert_true(topology.table_count == 1 && topology.tables[0].column_count == 2 && strcmp(topology.tables[0].columns[0].unit, "s") == 0 &&
              topology.tables[0].columns[0].value_count == 0);
  const scr_column *mode = &topology.tables[0].columns[1];
  assert_true(mode->value_count == 2 && strcmp(mode->values[0], "split") == 0 && strcmp(mode->values[1], "chipped") == 0);
  topology_clear(&topology);
  free(written);
  for (size_t k = 0; k < sizeof damaged / sizeof *damaged; k++) {
    snprintf(text, sizeof text, form, ",", damaged[k]);
    assert_int_equal(topology_parse(text, strlen(text), &topology, NULL), SCR_BAD_FILE);
  }
}

SUITE(test_fragments)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_classes_halve_from_the_heaviest_body),
      cmocka_unit_test(test_single_points_of_larger_bodies_are_dust),
      cmocka_unit_test(test_topologies_with_and_without_tables_are_read),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
