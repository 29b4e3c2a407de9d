/* Documents of studies: what is read, what is refused with all reasons at once, which rows they give, and the scenes of the rows. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "server/study/design/design.h"
#include "server/study/design/sobol.h"
#include "server/study/statistics/sample.h"
#include "tests/support/suites.h"

#define HEAD "{\"scree_study\":1,\"name\":\"a\",\"scene\":{\"scree\":1,\"materials\":[{\"name\":\"m\",\"density\":1}],\"a/b\":{\"~\":1}},"

static void read(const char *text, study_document *document)
{
  scr_problems problems = {0};
  if (study_document_read(text, strlen(text), document, &problems) != SCR_OK)
    fail_msg("%s: %s", text, problems.count ? problems.items[0].detail : "no reason");
}

static void refuse(const char *text, const char *pointer)
{
  study_document document;
  scr_problems problems = {0};
  assert_int_equal(study_document_read(text, strlen(text), &document, &problems), SCR_BAD_SCENE);
  bool found = false;
  for (size_t i = 0; i < problems.count; i++) found = found || strcmp(problems.items[i].pointer, pointer) == 0;
  if (!found) fail_msg("%s: no problem at '%s' but at '%s': %s", text, pointer, problems.items[0].pointer, problems.items[0].detail);
  scr_problems_clear(&problems);
}

static double number_in(const design_rows *rows, size_t index, const char *name)
{
  json_t *row = design_row(rows, index);
  assert_non_null(row);
  double value = json_number_value(json_object_get(row, name));
  json_decref(row);
  return value;
}

static void make_rows(const char *text, study_document *document, design_rows *rows)
{
  scr_problems problems = {0};
  read(text, document);
  assert_int_equal(design_rows_make(document, rows, &problems), SCR_OK);
}

static void test_a_grid_crosses_lists_ranges_and_seeds(void **state)
{
  study_document document;
  design_rows rows;
  (void)state;
  make_rows(HEAD "\"factors\":{\"seed\":{\"pointer\":\"/seed\",\"seeds\":2},\"d\":{\"pointer\":\"/materials/0/density\",\"values\":[5,7]},"
                 "\"e\":{\"pointer\":\"/e\",\"range\":{\"from\":1,\"to\":100,\"steps\":3,\"scale\":\"logarithmic\"}}}}",
            &document, &rows);
  static const double wanted[12][3] = {{1, 5, 1}, {2, 5, 1}, {1, 5, 10}, {2, 5, 10}, {1, 5, 100}, {2, 5, 100},
                                       {1, 7, 1}, {2, 7, 1}, {1, 7, 10}, {2, 7, 10}, {1, 7, 100}, {2, 7, 100}};
  assert_int_equal(rows.count, 12);
  for (size_t i = 0; i < 12; i++) {
    assert_true(number_in(&rows, i, "seed") == wanted[i][0]);
    assert_true(number_in(&rows, i, "d") == wanted[i][1]);
    assert_true(fabs(number_in(&rows, i, "e") - wanted[i][2]) < 1e-9);
  }
  design_rows_clear(&rows);
  study_document_clear(&document);
}

/* Each factor's range is cut into as many equal cells as there are runs, and each cell is taken once: the property that names the design.
 */
static void test_a_latin_hypercube_takes_every_cell_of_every_factor_once(void **state)
{
  study_document document;
  design_rows rows;
  enum { RUNS = 64 };
  (void)state;
  make_rows(HEAD "\"factors\":{\"x\":{\"pointer\":\"/x\",\"range\":{\"from\":0,\"to\":64}},\"y\":{\"pointer\":\"/"
                 "y\",\"range\":{\"from\":0,\"to\":64}}},"
                 "\"design\":{\"kind\":\"latin_hypercube\",\"runs\":64,\"seed\":7}}",
            &document, &rows);
  assert_int_equal(rows.count, RUNS);
  static const char *const names[] = {"x", "y"};
  for (int k = 0; k < 2; k++) {
    int taken[RUNS] = {0};
    for (size_t i = 0; i < RUNS; i++) taken[(int)number_in(&rows, i, names[k])]++;
    for (int i = 0; i < RUNS; i++) assert_int_equal(taken[i], 1);
  }
  double correlation = 0;
  for (size_t i = 0; i < RUNS; i++) correlation += (number_in(&rows, i, "x") - 32) * (number_in(&rows, i, "y") - 32);
  assert_true(fabs(correlation / (RUNS * 64.0 * 64.0 / 12)) < 0.5);
  design_rows_clear(&rows);
  study_document_clear(&document);
}

/* Source: Joe and Kuo, the first ten points in three dimensions, as printed with their direction numbers. */
static void test_the_sobol_sequence_has_the_published_points(void **state)
{
  static const double points[10][3] = {{0, 0, 0},
                                       {0.5, 0.5, 0.5},
                                       {0.75, 0.25, 0.25},
                                       {0.25, 0.75, 0.75},
                                       {0.375, 0.375, 0.625},
                                       {0.875, 0.875, 0.125},
                                       {0.625, 0.125, 0.875},
                                       {0.125, 0.625, 0.375},
                                       {0.1875, 0.3125, 0.9375},
                                       {0.6875, 0.8125, 0.4375}};
  (void)state;
  for (uint32_t i = 0; i < 10; i++)
    for (unsigned k = 0; k < 3; k++) assert_true(sobol_fraction(i, k) * 0x1p-32 == points[i][k]);
}

/* In every dimension the first 2^m points take each of 2^m equal cells once; direction numbers that are no odd numbers below 2^i break it.
 */
static void test_every_dimension_of_the_sobol_sequence_is_stratified(void **state)
{
  (void)state;
  for (unsigned k = 0; k < SOBOL_DIMENSIONS; k++) {
    int taken[1024] = {0};
    for (uint32_t i = 0; i < 1024; i++) taken[sobol_fraction(i, k) >> 22]++;
    for (int i = 0; i < 1024; i++) assert_int_equal(taken[i], 1);
  }
}

/* Without a shift the rows are the published points from the second on; with one they are as evenly spread. */
static void test_a_sobol_design_keeps_the_sequence(void **state)
{
  study_document document;
  design_rows rows;
  (void)state;
  make_rows(
      HEAD
      "\"factors\":{\"x\":{\"pointer\":\"/x\",\"range\":{\"from\":0,\"to\":1}},\"y\":{\"pointer\":\"/y\",\"range\":{\"from\":0,\"to\":1}}},"
      "\"design\":{\"kind\":\"sobol\",\"runs\":8,\"seed\":0}}",
      &document, &rows);
  assert_true(number_in(&rows, 1, "x") == 0.75 && number_in(&rows, 1, "y") == 0.25);
  design_rows_clear(&rows);
  document.design.seed = 3;
  document.design.runs = 64;
  assert_int_equal(design_rows_make(&document, &rows, NULL), SCR_OK);
  int taken[64] = {0};
  for (size_t i = 0; i < 64; i++) taken[(int)(number_in(&rows, i, "y") * 64)]++;
  for (int i = 0; i < 64; i++) assert_int_equal(taken[i], 1);
  design_rows_clear(&rows);
  study_document_clear(&document);
}

/* Quantiles: of the normal distribution from tables; of the others by their formulas. */
static void test_distributions_have_their_quantiles(void **state)
{
  (void)state;
  assert_true(fabs(normal_quantile(0.975) - 1.959963984540054) < 1e-12);
  assert_true(fabs(normal_quantile(0.25) + 0.6744897501960817) < 1e-12);
  assert_true(fabs(normal_quantile(1e-10) + 6.361340902404056) < 1e-11);
  assert_true(fabs(normal_quantile(1e-20) + 9.262340089798408) < 1e-11);
  const factor weibull = {.kind = FACTOR_WEIBULL, .shape = 3, .scale = 2},
               lognormal = {.kind = FACTOR_LOG_NORMAL, .mean = log(5), .deviation = 0.5};
  json_t *a = factor_quantile(&weibull, 1 - exp(-8)), *b = factor_quantile(&lognormal, 0.975), *c = factor_quantile(&lognormal, 0.5);
  assert_true(fabs(json_number_value(a) - 4) < 1e-9);
  assert_true(fabs(json_number_value(b) - 5 * exp(0.5 * 1.959963984540054)) < 1e-9);
  assert_true(fabs(json_number_value(c) - 5) < 1e-9);
  json_decref(a), json_decref(b), json_decref(c);
}

static void test_factors_are_put_in_their_places(void **state)
{
  study_document document;
  scr_problems problems = {0};
  json_t *scene, *row = json_pack("{s:f, s:i, s:i}", "d", 2.5, "t", 9, "n", 4);
  (void)state;
  read(HEAD "\"factors\":{\"d\":{\"pointer\":[\"/materials/0/density\",\"/copy\"],\"values\":[1]},\"t\":{\"pointer\":\"/a~1b/"
            "~0\",\"values\":[1]},"
            "\"n\":{\"pointer\":\"/a~1b/new\",\"values\":[1]}}}",
       &document);
  assert_int_equal(study_row_scene(&document, row, &scene, &problems), SCR_OK);
  char *text = json_dumps(scene, JSON_COMPACT);
  assert_string_equal(text, "{\"scree\":1,\"materials\":[{\"name\":\"m\",\"density\":2.5}],\"a/b\":{\"~\":9,\"new\":4},\"copy\":2.5}");
  free(text);
  json_decref(scene);
  json_decref(row);
  study_document_clear(&document);
  read(HEAD "\"factors\":{\"d\":{\"pointer\":\"/materials/1/density\",\"values\":[1]}}}", &document);
  row = json_pack("{s:i}", "d", 1);
  assert_int_equal(study_row_scene(&document, row, &scene, &problems), SCR_BAD_SCENE);
  assert_string_equal(problems.items[0].pointer, "/materials/1/density");
  scr_problems_clear(&problems);
  json_decref(row);
  study_document_clear(&document);
}

static void test_scenes_are_a_factor_of_their_own(void **state)
{
  study_document document;
  design_rows rows;
  scr_problems problems = {0};
  json_t *scene;
  (void)state;
  make_rows("{\"scree_study\":1,\"name\":\"two\",\"scenes\":{\"bend\":{\"k\":1},\"press\":\"gallery:cylinder-press\"},\"factors\":{\"e\":{"
            "\"pointer\":"
            "{\"bend\":\"/k\",\"press\":\"/materials/0/young_modulus\"},\"values\":[2,3]}}}",
            &document, &rows);
  assert_int_equal(rows.count, 4);
  json_t *row = design_row(&rows, 3);
  assert_string_equal(json_string_value(json_object_get(row, "scene")), "press");
  assert_int_equal(study_row_scene(&document, row, &scene, &problems), SCR_OK);
  assert_int_equal(json_integer_value(json_object_get(json_array_get(json_object_get(scene, "materials"), 0), "young_modulus")), 3);
  json_decref(scene);
  json_decref(row);
  design_rows_clear(&rows);
  study_document_clear(&document);
}

static void test_every_problem_is_found_at_its_place(void **state)
{
  (void)state;
  refuse("[]", "");
  refuse("{", "");
  refuse(HEAD "\"factors\":{}}", "/factors");
  refuse(HEAD "\"factors\":{\"1x\":{\"pointer\":\"/x\",\"values\":[1]}}}", "/factors/1x");
  refuse(HEAD "\"factors\":{\"x\":{\"pointer\":\"x\",\"values\":[1]}}}", "/factors/x/pointer");
  refuse(HEAD "\"factors\":{\"x\":{\"pointer\":\"/x\",\"values\":[]}}}", "/factors/x/values");
  refuse(HEAD "\"factors\":{\"x\":{\"pointer\":\"/x\",\"values\":[1],\"seeds\":2}}}", "/factors/x");
  refuse(HEAD "\"factors\":{\"x\":{\"pointer\":\"/x\",\"range\":{\"from\":2,\"to\":1}}}}", "/factors/x/range/to");
  refuse(HEAD "\"factors\":{\"x\":{\"pointer\":\"/x\",\"range\":{\"from\":0,\"to\":1,\"scale\":\"logarithmic\"}}}}",
         "/factors/x/range/from");
  refuse(HEAD "\"factors\":{\"x\":{\"pointer\":\"/x\",\"range\":{\"from\":0,\"to\":1}}}}", "/factors/x");
  refuse(HEAD "\"factors\":{\"x\":{\"pointer\":\"/x\",\"distribution\":{\"kind\":\"weibull\",\"scale\":1}}}}",
         "/factors/x/distribution/modulus");
  refuse(HEAD "\"factors\":{\"x\":{\"pointer\":\"/x\",\"values\":[1]}},\"results\":{\"p\":\"max(\"}}", "/results/p");
  refuse(HEAD "\"factors\":{\"x\":{\"pointer\":\"/x\",\"values\":[1]}},\"design\":{\"kind\":\"sobol\"}}", "/design/runs");
  refuse(HEAD "\"factors\":{\"x\":{\"pointer\":\"/x\"}},\"design\":{\"kind\":\"rows\",\"rows\":[{\"y\":1}]}}", "/design/rows/0/x");
  refuse(HEAD "\"factors\":{\"x\":{\"pointer\":\"/x\",\"values\":[1]}},\"limits\":{\"at_once\":0}}", "/limits/at_once");
  refuse(HEAD "\"factors\":{\"x\":{\"pointer\":\"/x\",\"values\":[1]}},\"wat\":1}", "/wat");
  refuse("{\"scree_study\":1,\"name\":\"a b\",\"scene\":\"gallery:none\",\"factors\":{\"x\":{\"pointer\":\"/x\",\"values\":[1]}}}",
         "/name");
  refuse("{\"scree_study\":1,\"name\":\"a b\",\"scene\":\"gallery:none\",\"factors\":{\"x\":{\"pointer\":\"/x\",\"values\":[1]}}}",
         "/scene");
}

static void test_listed_rows_give_their_factors_the_values(void **state)
{
  study_document document;
  design_rows rows;
  (void)state;
  make_rows(HEAD "\"factors\":{\"d\":{\"pointer\":\"/materials/0/density\"},\"s\":{\"pointer\":\"/seed\",\"seeds\":2}},"
                 "\"design\":{\"kind\":\"rows\",\"rows\":[{\"d\":5},{\"d\":8}]}}",
            &document, &rows);
  assert_int_equal(rows.count, 4);
  assert_true(number_in(&rows, 1, "d") == 5 && number_in(&rows, 2, "d") == 8 && number_in(&rows, 3, "s") == 2);
  design_rows_clear(&rows);
  study_document_clear(&document);
}

/* Objects of lists by their names, and short names, set what their pointers would; a name that two have, or none, is refused with it. */
static void test_places_may_be_given_by_names(void **state)
{
  static const char *const places[] = {"/materials/0/density", "/materials/m/density", "m.density"};
  char text[600];
  (void)state;
  for (size_t i = 0; i < 3; i++) {
    study_document document;
    scr_problems problems = {0};
    json_t *row = json_pack("{s:i}", "d", 7), *scene = NULL;
    snprintf(text, sizeof text, HEAD "\"factors\":{\"d\":{\"pointer\":\"%s\",\"values\":[7]}}}", places[i]);
    read(text, &document);
    assert_int_equal(study_row_scene(&document, row, &scene, &problems), SCR_OK);
    json_t *material = json_array_get(json_object_get(scene, "materials"), 0);
    assert_int_equal(json_integer_value(json_object_get(material, "density")), 7);
    json_decref(scene);
    json_decref(row);
    study_document_clear(&document);
  }
  study_document document;
  scr_problems problems = {0};
  json_t *row = json_pack("{s:i}", "d", 7), *scene = NULL;
  read(HEAD "\"factors\":{\"d\":{\"pointer\":\"n.density\",\"values\":[7]}}}", &document);
  assert_int_equal(study_row_scene(&document, row, &scene, &problems), SCR_BAD_SCENE);
  assert_non_null(strstr(problems.items[0].detail, "none or several"));
  scr_problems_clear(&problems);
  json_decref(row);
  study_document_clear(&document);
  refuse(HEAD "\"factors\":{\"d\":{\"pointer\":\"density\",\"values\":[7]}}}", "/factors/d/pointer");
}

#define AIM "\"targets\":{\"t\":{\"expression\":\"final(x)\",\"value\":1,\"scatter\":0.1}}"
#define UNKNOWN "\"factors\":{\"e\":{\"pointer\":\"/e\",\"range\":{\"from\":1,\"to\":100,\"scale\":\"logarithmic\"}}"

/* Points of Sobol's sequence from the second on, 1/2, 3/4, 1/4, are 10, 31.6 and 3.16 between 1 and 100 by the logarithm; each is a row for
 * each seed. */
static void test_a_calibration_has_unknowns_targets_and_a_start(void **state)
{
  study_document document;
  design_rows rows;
  (void)state;
  make_rows(HEAD UNKNOWN ",\"seed\":{\"pointer\":\"/seed\",\"seeds\":2}},\"design\":{\"kind\":\"calibrate\",\"runs\":21,\"start_points\":3,"
                         "\"method\":\"cobyla\"," AIM "}}",
            &document, &rows);
  const study_calibration *calibration = document.design.calibration;
  assert_int_equal(calibration->unknown_count, 1);
  assert_true(calibration->unknowns[0].logarithmic);
  assert_int_equal(calibration->options.method, OPTIMISER_COBYLA);
  assert_int_equal(calibration->options.point_limit, 10); /* of 21 runs, two for each point */
  assert_int_equal(calibration->run_limit, 20);
  assert_int_equal(calibration_residual_count(calibration, ""), 1);
  assert_int_equal(rows.count, 6);
  assert_true(fabs(number_in(&rows, 0, "e") - 10) < 1e-12 && number_in(&rows, 1, "e") == number_in(&rows, 0, "e"));
  assert_true(number_in(&rows, 0, "seed") == 1 && number_in(&rows, 1, "seed") == 2);
  assert_true(fabs(number_in(&rows, 2, "e") - pow(100, 0.75)) < 1e-12);
  assert_true(fabs(number_in(&rows, 4, "e") - pow(100, 0.25)) < 1e-12);
  design_rows_clear(&rows);
  study_document_clear(&document);
}

static void test_every_problem_of_a_calibration_is_found(void **state)
{
  static const char curve[] = "\"x\":\"time\",\"y\":\"x\"";
  char text[1200];
  (void)state;
  refuse(HEAD "\"factors\":{\"e\":{\"pointer\":\"/e\",\"values\":[1]}},\"design\":{\"kind\":\"calibrate\"," AIM "}}", "/factors/e");
  refuse(HEAD UNKNOWN "},\"design\":{\"kind\":\"calibrate\"}}", "/design/targets");
  refuse(HEAD UNKNOWN "},\"design\":{\"kind\":\"calibrate\",\"runs\":8," AIM "}}", "/design/runs");
  refuse(HEAD UNKNOWN "},\"design\":{\"kind\":\"calibrate\",\"method\":\"best\"," AIM "}}", "/design/method");
  static const char *const seeds[] = {"0", "-1", "1001", "1.5", "\"two\"", "null"}; /* what is read on divides by how many there are */
  for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++) {
    snprintf(text, sizeof text,
             HEAD UNKNOWN ",\"s\":{\"pointer\":\"/seed\",\"seeds\":%s}},\"design\":{\"kind\":\"calibrate\",\"runs\":80," AIM "}}",
             seeds[i]);
    refuse(text, "/factors/s/seeds");
  }
  static const char *const measured[] = {"3", "{\"x\":[1],\"y\":[1]}", "{\"x\":[1,2],\"y\":[1]}", "{\"x\":[1,2],\"y\":[1,\"a\"]}",
                                         "{\"x\":[1,2],\"y\":[1,2],\"scatter\":[1]}"};
  for (size_t i = 0; i < sizeof measured / sizeof *measured; i++) {
    snprintf(text, sizeof text, HEAD UNKNOWN "},\"design\":{\"kind\":\"calibrate\",\"targets\":{\"c\":{%s,\"measured\":%s}}}}", curve,
             measured[i]);
    refuse(text, "/design/targets/c/measured");
  }
  snprintf(text, sizeof text,
           HEAD UNKNOWN
           "},\"design\":{\"kind\":\"calibrate\",\"targets\":{\"c\":{%s,\"window\":[2,1],\"measured\":{\"x\":[0,1],\"y\":[0,1]}}}}}",
           curve);
  refuse(text, "/design/targets/c/window");
  snprintf(text, sizeof text,
           HEAD UNKNOWN "},\"design\":{\"kind\":\"calibrate\",\"targets\":{\"c\":{%s,\"measured\":{\"x\":[0,1,0],\"y\":[0,1,2]}}}}}",
           curve);
  refuse(text, "/design/targets/c"); /* it turns back on the axis */
}

static void test_a_design_of_too_many_rows_is_refused(void **state)
{
  study_document document;
  design_rows rows;
  scr_problems problems = {0};
  (void)state;
  read(HEAD "\"factors\":{\"a\":{\"pointer\":\"/a\",\"seeds\":1000},\"b\":{\"pointer\":\"/b\",\"seeds\":1000},\"c\":{\"pointer\":\"/"
            "c\",\"seeds\":1000}}}",
       &document);
  assert_int_equal(design_rows_make(&document, &rows, &problems), SCR_BAD_SCENE);
  assert_string_equal(problems.items[0].pointer, "/design");
  scr_problems_clear(&problems);
  study_document_clear(&document);
}

SUITE(test_study_document)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_grid_crosses_lists_ranges_and_seeds),
      cmocka_unit_test(test_a_latin_hypercube_takes_every_cell_of_every_factor_once),
      cmocka_unit_test(test_the_sobol_sequence_has_the_published_points),
      cmocka_unit_test(test_every_dimension_of_the_sobol_sequence_is_stratified),
      cmocka_unit_test(test_a_sobol_design_keeps_the_sequence),
      cmocka_unit_test(test_distributions_have_their_quantiles),
      cmocka_unit_test(test_factors_are_put_in_their_places),
      cmocka_unit_test(test_scenes_are_a_factor_of_their_own),
      cmocka_unit_test(test_every_problem_is_found_at_its_place),
      cmocka_unit_test(test_listed_rows_give_their_factors_the_values),
      cmocka_unit_test(test_places_may_be_given_by_names),
      cmocka_unit_test(test_a_calibration_has_unknowns_targets_and_a_start),
      cmocka_unit_test(test_every_problem_of_a_calibration_is_found),
      cmocka_unit_test(test_a_design_of_too_many_rows_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
