/* What is wrong with a scene is said completely, at the right place, and without follow-ups. */
#include "tests/unit/scene/test_scene_fake.h"
#include "tests/support/suites.h"

static void test_a_wrong_value_is_reported_with_place_value_and_range(void **state)
{
  (void)state;
  scr_problems problems = problems_after(full_scene, "\"radius\": 1e-3", "\"radius\": -1");
  assert_int_equal(problems.count, 1);
  assert_string_equal(problems.items[0].pointer, "/specimens/0/shape/radius");
  assert_string_equal(problems.items[0].given, "-1");
  assert_string_equal(problems.items[0].allowed, "a number > 0 and <= 1000000, in m");
  assert_string_equal(problems.items[0].detail,
                      "radius is -1, which is not allowed: give a number > 0 and <= 1000000, in m (outer radius).");
  scr_problems_clear(&problems);
}

static void test_values_of_the_wrong_type_or_range_are_refused_each_for_one_reason(void **state)
{
  (void)state;
  assert_refused(full_scene, "\"density\": 1200", "\"density\": \"1200\"", "/materials/0/density", "density is \"1200\"");
  assert_refused(full_scene, "\"density\": 1200", "\"density\": null", "/materials/0/density", "density is null");
  assert_refused(full_scene, "\"density\": 1200", "\"density\": 0", "/materials/0/density", "> 0");
  assert_refused(full_scene, "\"density\": 1200", "\"density\": [1, {\"a\": 2}]", "/materials/0/density", "density is [1, {\"a\": 2}]");
  assert_refused(full_scene, "\"density\": 1200", "\"density\": 123456789012345678901234567890", "/materials/0/density",
                 "1.2345678901234568e+29");
  assert_refused(full_scene, "\"poisson_ratio\": 0.3", "\"poisson_ratio\": 0.5", "/materials/1/poisson_ratio", "> -1 and < 0.5, or null");
  assert_refused(full_scene, "\"layers\": 5", "\"layers\": 1.5", "/options/layers", "a whole number from 1 to 100");
  assert_refused(full_scene, "\"layers\": 5", "\"layers\": 101", "/options/layers", "101");
  assert_refused(full_scene, "\"layers\": 5", "\"breakable\": 1", "/options/breakable", "true or false");
  assert_refused(full_scene, "\"layers\": 5", "\"factor\": 1", "/options/factor", ">= 0 and < 1");
  assert_refused(full_scene, "\"law\": \"exact\"", "\"law\": \"Exact\"", "/options/law", "\"exact\" or \"lumped\"");
  assert_refused(full_scene, "\"drift\": [1, 2, 3]", "\"drift\": [1, 2]", "/options/drift", "three numbers");
  assert_refused(full_scene, "\"drift\": [1, 2, 3]", "\"drift\": [1, 11, 3]", "/options/drift/1", "the y component of drift is 11");
  assert_refused(full_scene, "\"label\": \"x\"", "\"label\": \"seventeen letters\"", "/options/label", "0 to 16 bytes");
  assert_refused(full_scene, "\"label\": \"x\"", "\"label\": \"a\\u001b[2J\"", "/options/label", "control characters");
  assert_refused(full_scene, "\"label\": \"x\"", "\"label\": \"\\u009b2J\"", "/options/label", "control characters");
  assert_refused(full_scene, "\"name\": \"full\"", "\"name\": \"../full\"", "/name", "letters, digits");
  assert_refused(full_scene, "\"count\": [2, 1, 3]", "\"count\": [2, 0, 3]", "/specimens/1/placement/count/1", "item 1 of count is 0");
  assert_refused(full_scene, "\"count\": [2, 1, 3]", "\"count\": [2, 1]", "/specimens/1/placement/count", "has 2 items");
  assert_refused(full_scene, "\"count\": [2, 1, 3]", "\"count\": 6", "/specimens/1/placement/count", "not a list");
  assert_refused(full_scene, "\"rotation\": { \"axis\": [0, 3, 4], \"angle_deg\": 90 }", "\"rotation\": 90", "/specimens/1/rotation",
                 "not an object");
  assert_refused(full_scene, "[[0, 0, 1], [0, 0, 2]]", "[]", "/specimens/2/placement/positions", "has 0 items");
  assert_refused(full_scene, "[[0, 0, 1], [0, 0, 2]]", "[[0, 0, 1], [0, 0, true]]", "/specimens/2/placement/positions/1/2", "z component");
}

static void test_missing_keys_are_reported_where_they_should_be(void **state)
{
  (void)state;
  assert_refused(full_scene, "\"spacing\": 1.25e-4,", "", "/specimens/0/spacing", "spacing is missing");
  assert_refused(full_scene, "\"count\": [2, 1, 3], ", "", "/specimens/1/placement/count", "count is missing");
  assert_refused(full_scene, "\"type\": \"hollow_sphere\", ", "", "/specimens/0/shape/type", "type is missing");
  assert_refused(small_scene, "\"duration\": 1e-5", "", "/time/duration", "duration is missing");
  assert_refused(small_scene, "\"method\": \"fake\", ", "", "/method", "method is missing");
}

static void test_an_empty_scene_lacks_everything_that_is_required(void **state)
{
  (void)state;
  static const char *const wanted[] = {"/name", "/method", "/materials", "/specimens", "/time"};
  scr_problems problems = problems_of("{}");
  assert_int_equal(problems.count, 5);
  for (size_t i = 0; i < 5; i++) assert_string_equal(problem_at(&problems, wanted[i])->given, "");
  scr_problems_clear(&problems);
}

static void test_an_unknown_key_gets_the_nearest_known_one(void **state)
{
  (void)state;
  assert_refused(full_scene, "\"radius\": 1e-3", "\"radius\": 1e-3, \"raduis\": 1", "/specimens/0/shape/raduis",
                 "did you mean \"radius\"?");
  assert_refused(full_scene, "\"title\"", "\"Title\"", "/Title", "did you mean \"title\"?");
  assert_refused(full_scene, "\"fragments\", \"above\": 100", "\"fragment\", \"above\": 100", "/time/stop/1/series",
                 "did you mean \"fragments\"?");
  assert_refused(full_scene, "\"method\": \"fake\"", "\"method\": \"fkae\"", "/method", "did you mean \"fake\"?");
  assert_refused(full_scene, "\"type\": \"hollow_sphere\"", "\"type\": \"hollow_sphera\"", "/specimens/0/shape/type",
                 "did you mean \"hollow_sphere\"?");
  assert_refused(full_scene, "\"material\": \"polymer\"", "\"material\": \"polimer\"", "/specimens/0/material",
                 "did you mean \"polymer\"?");
  assert_refused(full_scene, "\"between\": [\"polymer\", \"wall\"]", "\"between\": [\"polymer\", \"wal\"]", "/contact/pairs/0/between/1",
                 "did you mean \"wall\"?");
}

static void test_a_key_of_another_type_is_named_as_such(void **state)
{
  (void)state;
  assert_refused(full_scene, "\"type\": \"sphere\", \"radius\": 5e-4", "\"type\": \"sphere\", \"radius\": 5e-4, \"inner_radius\": 1e-4",
                 "/specimens/2/shape/inner_radius", "it belongs to type \"hollow_sphere\"");
}

/* RFC 6901, section 3: "~" is ~0 and "/" is ~1. */
static void test_pointers_escape_tilde_and_slash(void **state)
{
  (void)state;
  assert_refused(small_scene, "\"name\": \"small\"", "\"name\": \"small\", \"a/b~c\": 1", "/a~1b~0c", "\"a/b~c\"");
}

static void test_a_key_of_absurd_length_is_reported_at_its_parent(void **state)
{
  (void)state;
  char key[4000], entry[4100];
  memset(key, 'k', sizeof key - 1);
  key[sizeof key - 1] = '\0';
  snprintf(entry, sizeof entry, "\"duration\": 1e-5, \"%s\": 1", key);
  assert_refused(small_scene, "\"duration\": 1e-5", entry, "/time", "kkk...");
}

static void test_all_problems_come_at_once(void **state)
{
  (void)state;
  char *a = edited(full_scene, "\"density\": 1200", "\"density\": -1");
  char *b = edited(a, "\"spacing\": 1.25e-4", "\"spacng\": 1.25e-4");
  char *c = edited(b, "\"angle_deg\": 90", "\"angle_deg\": \"right\"");
  char *d = edited(c, "\"duration\": 6e-5", "\"duration\": 0");
  char *e = edited(d, "\"moving_average\": 5", "\"moving_average\": 0.5");
  scr_problems problems = problems_of(e);
  assert_int_equal(problems.count, 6);
  problem_at(&problems, "/materials/0/density");
  problem_at(&problems, "/specimens/0/spacng");
  problem_at(&problems, "/specimens/0/spacing");
  problem_at(&problems, "/specimens/1/rotation/angle_deg");
  problem_at(&problems, "/time/duration");
  problem_at(&problems, "/output/plots/0/moving_average");
  scr_problems_clear(&problems);
  free(a), free(b), free(c), free(d), free(e);
}

static void test_more_than_100_problems_are_cut_and_said_to_be(void **state)
{
  (void)state;
  size_t size = 40000, length = 0;
  char *list = malloc(size), *text;
  length += (size_t)snprintf(list, size, "\"positions\": [");
  for (int i = 0; i < 1000; i++) length += (size_t)snprintf(list + length, size - length, "%s[0, 0, \"%d\"]", i ? "," : "", i);
  snprintf(list + length, size - length, "]");
  text = edited(full_scene, "\"positions\": [[0, 0, 1], [0, 0, 2]]", list);
  scr_problems problems = problems_of(text);
  assert_int_equal(problems.count, 100);
  assert_true(problems.truncated);
  scr_problems_clear(&problems);
  free(text);
  free(list);
}

/* ── the text itself ────────────────────────────────────────────────────────────────────────────────────────────── */

static void assert_text_refused(const char *text, size_t length, const char *words)
{
  scr_scene *scene = NULL;
  scr_problems problems = {0};
  assert_int_equal(scene_parse(text, length, NULL, fake_methods, &scene, &problems), SCR_BAD_SCENE);
  assert_null(scene);
  assert_int_equal(problems.count, 1);
  assert_string_equal(problems.items[0].pointer, "");
  if (!strstr(problems.items[0].detail, words)) fail_msg("\"%s\" does not say \"%s\"", problems.items[0].detail, words);
  scr_problems_clear(&problems);
}

static void test_text_that_is_no_json_is_refused_with_line_and_column(void **state)
{
  (void)state;
  static const struct {
    const char *text, *words;
  } cases[] = {{"", "line 1"},
               {"{", "line 1"},
               {"{\n  \"name\": oops }", "line 2, column 14"},
               {"{} {}", "line 1"},
               {"{\"a\": 1e999}", "real number overflow"},
               {"{\"a\": NaN}", "line 1"},
               {"{\"a\": \"\xff\"}", "line 1"},
               {"{\"a\": 1,\n\"a\": 2}", "line 2"},
               {"{\"a\": \"\\u0000\"}", "line 1"},
               {"[1]", "a scene is an object"},
               {"7", "line 1"},
               {"{\"a\": -}", "line 1"}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) assert_text_refused(cases[i].text, strlen(cases[i].text), cases[i].words);
  assert_text_refused("{}\0{}", 5, "line 1");
}

static void test_deep_nesting_is_refused_before_parsing(void **state)
{
  (void)state;
  static char text[200001];
  memset(text, '[', sizeof text - 1);
  assert_text_refused(text, sizeof text - 1, "line 1, column 33: the text has more than 32 levels of nesting");
  for (size_t i = 0; i + 5 < sizeof text - 1; i += 5) memcpy(text + i, "{\"a\":", 5);
  assert_text_refused(text, sizeof text - 1, "32 levels");
}

static void test_brackets_inside_strings_do_not_nest(void **state)
{
  (void)state;
  char *text = edited(small_scene, "\"name\": \"small\"",
                      "\"name\": \"small\", \"description\": \"[[[[[[[[[[[[[[[[\\\"[[[[[[[[[[[[[[[[[[[[[[[[[\\\\\"");
  scr_scene_destroy(parsed(text));
  free(text);
}

static void test_too_much_text_is_refused(void **state)
{
  (void)state;
  scr_limits limits = scr_limits_default();
  scr_problems problems = {0};
  limits.text_bytes = 10;
  assert_int_equal(scene_parse(small_scene, strlen(small_scene), &limits, fake_methods, NULL, &problems), SCR_BAD_SCENE);
  assert_non_null(strstr(problems.items[0].detail, "at most 10 are allowed"));
  scr_problems_clear(&problems);
}

static void test_too_many_values_are_refused(void **state)
{
  (void)state;
  size_t size = 2 * 1000002;
  char *text = malloc(size);
  for (size_t i = 0; i < size; i += 2) memcpy(text + i, i ? "0," : "[ ", 2);
  assert_text_refused(text, size, "1000000 values");
  free(text);
}

SUITE(test_scene_problems)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_wrong_value_is_reported_with_place_value_and_range),
      cmocka_unit_test(test_values_of_the_wrong_type_or_range_are_refused_each_for_one_reason),
      cmocka_unit_test(test_missing_keys_are_reported_where_they_should_be),
      cmocka_unit_test(test_an_empty_scene_lacks_everything_that_is_required),
      cmocka_unit_test(test_an_unknown_key_gets_the_nearest_known_one),
      cmocka_unit_test(test_a_key_of_another_type_is_named_as_such),
      cmocka_unit_test(test_pointers_escape_tilde_and_slash),
      cmocka_unit_test(test_a_key_of_absurd_length_is_reported_at_its_parent),
      cmocka_unit_test(test_all_problems_come_at_once),
      cmocka_unit_test(test_more_than_100_problems_are_cut_and_said_to_be),
      cmocka_unit_test(test_text_that_is_no_json_is_refused_with_line_and_column),
      cmocka_unit_test(test_deep_nesting_is_refused_before_parsing),
      cmocka_unit_test(test_brackets_inside_strings_do_not_nest),
      cmocka_unit_test(test_too_much_text_is_refused),
      cmocka_unit_test(test_too_many_values_are_refused),
  };
  return cmocka_run_group_tests_name("scene_problems", tests, NULL, NULL);
}
