/* The expressions of studies, against values computed by hand, and what they refuse. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "server/study/expression/expression.h"
#include "tests/support/suites.h"

/* A run of six samples: force rises to 8 N over 4 mm and falls, two bonds break. */
static const double times[] = {0, 1, 2, 3, 4, 5};
static const double travels[] = {0, 0.001, 0.002, 0.003, 0.004, 0.005};
static const double forces[] = {0, -2, -4, -6, -8, -1};
static const double breaks[] = {0, 0, 0, 1, 1, 2};

static expression_found find(void *user, expression_name_kind kind, const char *name, double *number, const double **curve,
                             const char **text)
{
  static const struct {
    const char *name;
    const double *values;
  } curves[] = {{"time", times}, {"wall.travel", travels}, {"wall.force", forces}, {"broken_bonds", breaks}, {"odd-name", travels}};
  (void)user;
  if (kind == EXPRESSION_TABLE && strcmp(name, "breaks") == 0) return *number = 7, EXPRESSION_NUMBER;
  if (kind == EXPRESSION_HEADLINE && strcmp(name, "Peak force") == 0) return *number = 8.5, EXPRESSION_NUMBER;
  if (kind != EXPRESSION_VALUE) return EXPRESSION_UNKNOWN;
  for (size_t i = 0; i < sizeof curves / sizeof *curves; i++)
    if (strcmp(curves[i].name, name) == 0) return *curve = curves[i].values, EXPRESSION_CURVE;
  if (strcmp(name, "thickness") == 0) return *number = 0.5, EXPRESSION_NUMBER;
  if (strcmp(name, "stop_reason") == 0) return *text = "the duration", EXPRESSION_TEXT;
  return EXPRESSION_UNKNOWN;
}

static void suggest(void *user, expression_name_kind kind, const char *name, char *text, size_t capacity)
{
  (void)user, (void)kind, (void)name;
  snprintf(text, capacity, "there are time, wall.force");
}

static scr_status evaluate(const char *text, expression_value *value, scr_error *error)
{
  const expression_source source = {.sample_count = 6, .time = times, .find = find, .suggest = suggest};
  expression *made;
  *error = (scr_error){0};
  scr_status status = expression_parse(text, &made, error);
  if (status == SCR_OK) status = expression_evaluate(made, &source, value, error);
  expression_destroy(made);
  return status;
}

static void check_value(const char *text, double wanted)
{
  expression_value value;
  scr_error error;
  if (evaluate(text, &value, &error) != SCR_OK) fail_msg("%s: %s", text, error.message);
  if (!(fabs(value.number - wanted) <= 1e-12 * fmax(1, fabs(wanted)))) fail_msg("%s gives %.17g, not %.17g", text, value.number, wanted);
}

static void check_refusal(const char *text, const char *message)
{
  expression_value value;
  scr_error error;
  if (evaluate(text, &value, &error) == SCR_OK) fail_msg("%s gives %g", text, value.number);
  if (!strstr(error.message, message)) fail_msg("%s: '%s' has no '%s'", text, error.message, message);
}

static void test_arithmetic_follows_the_usual_precedence(void **state)
{
  (void)state;
  check_value("1 + 2 * 3 ^ 2", 19);
  check_value("(1 + 2) * 3", 9);
  check_value("-2 ^ 2", -4);
  check_value("2 ^ 3 ^ 2", 512);
  check_value("2 ^ -1", 0.5);
  check_value("8 / 4 / 2 - 1 - 1", -1);
  check_value("1e-3 * 1.5E+3 + .5", 2);
  check_value("1 + 1 == 2 and not 3 < 2 or 0", 1);
  check_value("2 >= 2 and 1 != 1", 0);
  check_value("sqrt(16) + abs(-2) + exp(0) + log(exp(2)) + log10(1000)", 12);
  check_value("sin(0) + cos(0) + tan(0) + 4 * atan(1)", 1 + 3.14159265358979323846);
  check_value("max(1, 3, 2) - min(4, 5)", -1);
}

static void test_curves_are_reduced_as_by_hand(void **state)
{
  (void)state;
  check_value("max(wall.force)", 0);
  check_value("min(wall.force)", -8);
  check_value("peak(wall.force)", -8);
  check_value("max(abs(wall.force)) / thickness", 16);
  check_value("mean(wall.force)", -3.5);
  check_value("mean(wall.force, time >= 3)", -5);
  check_value("deviation(wall.travel)", sqrt(3.5) * 1e-3);
  check_value("initial(broken_bonds) + final(broken_bonds) + last(broken_bonds)", 4);
  check_value("count(broken_bonds > 0)", 3);
  check_value("max(max(wall.force + 3, 0))", 3);
  check_value("max(max(-wall.force, 4 * broken_bonds))", 8);
  check_value("max(\"odd-name\")", 0.005);
}

static void test_places_are_found_by_condition_time_and_value(void **state)
{
  (void)state;
  check_value("first(broken_bonds > 0)", 3);
  check_value("at(wall.travel, first(broken_bonds > 0))", 0.003);
  check_value("at(wall.travel, broken_bonds > 1)", 0.005);
  check_value("at(wall.force, 2.5)", -5);
  check_value("at(wall.force, wall.travel, 0.0035)", -7);
  check_value("at(time, wall.force, -1)", 0.5);
}

/* Before the peak force = -2 N per mm. A slope over all samples would count the fall. */
static void test_slopes_and_integrals_follow_least_squares_and_trapezoids(void **state)
{
  (void)state;
  check_value("slope(wall.force, wall.travel, 0.1..1 of peak)", -2000);
  check_value("slope(wall.force, wall.travel, 0..0.002)", -2000);
  check_value("slope(wall.force, time)", -12.5 / 17.5);
  check_value("slope(wall.force, wall.travel, -1..1)", 1000 * -12.5 / 17.5);
  check_value("integral(wall.force, wall.travel)", -0.0205);
  check_value("integral(wall.force)", -20.5);
  check_value("integral(2 * wall.force, wall.travel / 2)", -0.0205);
}

static void test_names_of_other_kinds_are_found(void **state)
{
  expression_value value;
  scr_error error;
  (void)state;
  check_value("rows(breaks)", 7);
  check_value("headline(\"Peak force\") * 2", 17);
  assert_int_equal(evaluate("stop_reason", &value, &error), SCR_OK);
  assert_true(value.is_text);
  assert_string_equal(value.text, "the duration");
  check_refusal("stop_reason + 1", "is a text");
}

static void test_what_is_no_expression_is_refused_at_its_place(void **state)
{
  (void)state;
  check_refusal("1 +", "character 4: the expression ends");
  check_refusal("", "character 1: the expression ends");
  check_refusal("1 2", "character 3: '2' is not understood");
  check_refusal("system(\"ls\")", "character 1: there is no function 'system'");
  check_refusal("(1", "character 3: a ')' is missing");
  check_refusal("max(1", "a ',' or the ')'");
  check_refusal("max()", "max needs 1 argument");
  check_refusal("at(time)", "at needs 2 arguments");
  check_refusal("abs(1, 2)", "abs takes at most 1 argument");
  check_refusal("1 < 2 < 3", "character 7: comparisons can't be chained");
  check_refusal("a = 3", "'=' is not understood");
  check_refusal("\"open", "character 1: the quotes");
  check_refusal("slope(time, time, 0.4..0.1)", "smaller to a larger");
  check_refusal("slope(time, time, 0..2 of peak)", "within 0..1");
  check_refusal("slope(time, time, 0..1 of top)", "followed by 'peak'");
  check_refusal("max(0..1)", "a ',' or the");
  check_refusal("1e999", "too large");
  check_refusal("1; 2", "character 2: ';'");
}

static void test_what_can_not_be_computed_is_refused_with_the_reason(void **state)
{
  (void)state;
  check_refusal("max(wall.forc)", "character 5: this run has no curve or factor 'wall.forc'; there are time, wall.force");
  check_refusal("rows(nothing)", "no table 'nothing'");
  check_refusal("wall.force", "this is a curve");
  check_refusal("1 / 0", "not a finite number");
  check_refusal("log(0)", "not a finite number");
  check_refusal("sqrt(-1)", "not a finite number");
  check_refusal("first(wall.travel > 1)", "never holds");
  check_refusal("mean(time, time > 9)", "never holds");
  check_refusal("at(time, wall.force, 100)", "never reaches 100");
  check_refusal("max(3)", "must be a curve");
  check_refusal("at(time, wall.force, time)", "must be a number");
  check_refusal("slope(time, time, 0.05..0.1 of peak)", "0 samples lie in its range");
  check_refusal("slope(time, 0 * time)", "x is the same");
}

static void test_length_depth_and_size_are_bounded(void **state)
{
  char text[2200] = "";
  (void)state;
  for (int i = 0; i < 60; i++) strcat(text, "(");
  check_refusal(text, "nested more than 48 deep");
  memset(text, '-', 80);
  strcpy(text + 80, "1");
  check_refusal(text, "nested more than 48 deep");
  text[0] = '\0';
  for (int i = 0; i < 200; i++) strcat(text, "1+");
  strcat(text, "1");
  check_refusal(text, "more than 256 operations");
  memset(text, ' ', 1001);
  text[1001] = '\0';
  check_refusal(text, "at most 1000 are read");
  memset(text, 'a', 70);
  text[70] = '\0';
  check_refusal(text, "names have at most 63");
}

static const char *unit_of_curve(void *user, const char *name)
{
  static const char *const units[][2] = {{"force", "N"}, {"way", "m"}, {"strain", "1"}, {"time", "s"}, {"pieces", ""}, {"stress", "Pa"}};
  (void)user;
  for (size_t i = 0; i < sizeof units / sizeof *units; i++)
    if (strcmp(units[i][0], name) == 0) return units[i][1];
  return NULL;
}

/* Each by hand; "" where no rule is plain: a number that is written out may turn millimetres into metres. */
static void test_units_follow_from_the_curves(void **state)
{
  (void)state;
  static const char *const cases[][2] = {{"force", "N"},
                                         {"-force - initial(force)", "N"},
                                         {"max(force)", "N"},
                                         {"max(force, 0)", "N"},
                                         {"first(force > 2)", "s"},
                                         {"slope(force, way, 0.1..0.4 of peak)", "N/m"},
                                         {"slope(force, strain)", "N"},
                                         {"force / force", "1"},
                                         {"at(way, force, 3)", "m"},
                                         {"pieces", "1"},
                                         {"count(force > 1)", "1"},
                                         {"1e3 * way", ""},
                                         {"force * way", ""},
                                         {"force + way", ""},
                                         {"nowhere", ""},
                                         {"2", ""}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    expression *made;
    char unit[EXPRESSION_UNIT_BYTES];
    assert_int_equal(expression_parse(cases[i][0], &made, NULL), SCR_OK);
    assert_int_equal(expression_unit(made, unit_of_curve, NULL, unit), cases[i][1][0] != 0);
    assert_string_equal(unit, cases[i][1]);
    expression_destroy(made);
  }
  assert_true(expression_units_agree("N m", "J"));
  assert_true(expression_units_agree("", "Pa"));
  assert_true(expression_units_agree("bananas", "Pa"));
  assert_false(expression_units_agree("N", "Pa"));
  assert_false(expression_units_agree("1", "m"));
}

SUITE(test_study_expression)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_arithmetic_follows_the_usual_precedence),
      cmocka_unit_test(test_curves_are_reduced_as_by_hand),
      cmocka_unit_test(test_places_are_found_by_condition_time_and_value),
      cmocka_unit_test(test_slopes_and_integrals_follow_least_squares_and_trapezoids),
      cmocka_unit_test(test_names_of_other_kinds_are_found),
      cmocka_unit_test(test_what_is_no_expression_is_refused_at_its_place),
      cmocka_unit_test(test_what_can_not_be_computed_is_refused_with_the_reason),
      cmocka_unit_test(test_length_depth_and_size_are_bounded),
      cmocka_unit_test(test_units_follow_from_the_curves),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
