/* How far a calibration has come, made of its rows: values and noise by hand, the same search whatever the order in which runs ended, the
 * hidden parameter of residuals that are a line. */
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
#include "server/study/calibration_progress.h"
#include "tests/support/suites.h"

static const char text[] =
    "{\"scree_study\":1,\"name\":\"a\",\"scene\":{\"scree\":1},\"factors\":{\"e\":{\"pointer\":\"/e\",\"range\":{\"from\":0,\"to\":10}},"
    "\"seed\":{\"pointer\":\"/seed\",\"seeds\":2}},\"design\":{\"kind\":\"calibrate\",\"runs\":40,\"start_points\":4,\"targets\":{"
    "\"t\":{\"expression\":\"final(x)\",\"value\":6,\"scatter\":0.5,\"weight\":4}}}}";

static int set_up(void **state)
{
  scr_problems problems = {0};
  study_document *document = calloc(1, sizeof *document);
  *state = document;
  return document && study_document_read(text, strlen(text), document, &problems) == SCR_OK ? 0 : 1;
}

static int tear_down(void **state)
{
  study_document_clear(*state);
  free(*state);
  return 0;
}

/* A row of the point e; NaN: its run failed. Residuals are roots of the weight times (simulated - 6) / 0.5. */
static void add(calibration_progress *of, int64_t number, double e, bool ended, double residual)
{
  char factors[80];
  snprintf(factors, sizeof factors, "{\"e\":%.17g,\"seed\":%d}", e, number % 2 ? 1 : 2);
  const progress_row row = {.number = number,
                            .ended = ended,
                            .succeeded = ended && isfinite(residual),
                            .factors = factors,
                            .residuals = ended && isfinite(residual) ? &residual : NULL,
                            .count = 1};
  assert_int_equal(calibration_progress_add(of, &row, NULL), SCR_OK);
}

static json_t *shape(const calibration_progress *of)
{
  json_t *json;
  assert_int_equal(calibration_json(of, 0.9, &json, NULL), SCR_OK);
  return json;
}

static double in_history(const json_t *json, size_t point, const char *key)
{
  const json_t *value = json_object_get(json_array_get(json_object_get(json, "history"), point), key);
  return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

/* Residuals 3 and 4 of two seeds: sums of squares 9 and 16, mean 12.5, deviation of the mean |16 - 9| / 2; distance sqrt(12.5 / weight). */
static void test_values_and_noise_of_repeated_points_by_hand(void **state)
{
  calibration_progress *of = calibration_progress_create(*state);
  size_t known, valued;
  add(of, 1, 5, true, 3);
  add(of, 2, 5, true, 4);
  add(of, 3, 7, true, NAN);
  add(of, 4, 7, true, 2);
  add(of, 5, 8, true, NAN);
  add(of, 6, 8, true, NAN);
  add(of, 7, 9, true, 1);
  add(of, 8, 9, false, 0);
  json_t *json = shape(of);
  assert_float_equal(in_history(json, 0, "value"), 12.5, 1e-12);
  assert_float_equal(in_history(json, 0, "noise"), 3.5, 1e-12);
  json_t *distances = json_object_get(json_array_get(json_object_get(json, "history"), 0), "distances");
  assert_float_equal(json_number_value(json_object_get(distances, "t")), sqrt(12.5 / 4), 1e-12);
  assert_float_equal(in_history(json, 1, "value"), 4, 1e-12); /* of the run that has one */
  assert_true(isnan(in_history(json, 2, "value")));           /* failed */
  assert_true(isnan(in_history(json, 3, "value")));           /* not ended */
  calibration_counts(of, &known, &valued);
  assert_int_equal(known, 3);
  assert_int_equal(valued, 2);
  assert_int_equal(json_integer_value(json_object_get(json_object_get(json, "best"), "point")), 2);
  json_decref(json);
  calibration_progress_destroy(of);
}

/* A run of e gives e; what is measured is 6. Seeds scatter by a tenth to both sides, so that their mean lies on the line. */
static void run_all(const study_document *document, bool one_by_one, json_t **json)
{
  double asked[40], *points;
  size_t count = 0, more;
  bool ended = false;
  char why[160];
  while (!ended) {
    calibration_progress *of = calibration_progress_create(document);
    for (size_t p = 0; p < count; p++)
      for (int r = 0; r < 2; r++) add(of, (int64_t)(2 * p) + r + 1, asked[p], true, 2 * (asked[p] + (r ? 0.1 : -0.1) - 6) / 0.5);
    assert_int_equal(calibration_next(of, one_by_one ? 1 : 4, &points, &more, &ended, why, NULL), SCR_OK);
    assert_true(ended || more > 0);
    for (size_t k = 0; k < more; k++) asked[count++] = points[k];
    mem_free(points);
    if (ended) *json = shape(of);
    calibration_progress_destroy(of);
  }
}

static void test_a_hidden_parameter_is_found_from_the_rows_alone(void **state)
{
  for (int one_by_one = 0; one_by_one < 2; one_by_one++) {
    json_t *json;
    run_all(*state, one_by_one, &json);
    json_t *parameter = json_array_get(json_object_get(json_object_get(json, "estimate"), "parameters"), 0);
    double best = json_number_value(json_object_get(parameter, "best")), low = json_number_value(json_object_get(parameter, "low")),
           high = json_number_value(json_object_get(parameter, "high"));
    assert_float_equal(best, 6, 1e-6);
    assert_true(low < 6 && high > 6);
    /* What is measured is e itself, with a deviation of 0.5: 1.645 of them to both sides, whatever its weight is; less 1.5 % for the even
     * prior over the range of 10, whose variance is 100 / 12. */
    assert_float_equal((high - low) / 2, 1.645 * 0.5 / sqrt(1 + 0.25 * 12 / 100), 0.002);
    json_decref(json);
  }
}

static void test_the_overlay_gives_back_what_was_simulated(void **state)
{
  calibration_progress *of = calibration_progress_create(*state);
  json_t *json;
  add(of, 1, 5, true, 2 * (5.0 - 6) / 0.5);
  add(of, 2, 5, true, 2 * (5.5 - 6) / 0.5);
  assert_int_equal(calibration_overlay(of, 0.9, &json, NULL), SCR_OK);
  json_t *best = json_object_get(json_array_get(json_object_get(json, "targets"), 0), "best");
  assert_float_equal(json_number_value(json_array_get(best, 0)), 5, 1e-12);
  assert_float_equal(json_number_value(json_array_get(best, 1)), 5.5, 1e-12);
  json_decref(json);
  calibration_progress_destroy(of);
}

SUITE(test_study_calibration)
{
  (void)argc, (void)argv;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_values_and_noise_of_repeated_points_by_hand, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_a_hidden_parameter_is_found_from_the_rows_alone, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_the_overlay_gives_back_what_was_simulated, set_up, tear_down),
  };
  return cmocka_run_group_tests_name("study calibration", tests, NULL, NULL);
}
