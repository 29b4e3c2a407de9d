/* Request paths: decoding, matching and numbers. Reference: RFC 3986, sections 2.1 and 3.3, and what a router must not let through. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "api/http/parse/path.h"
#include "tests/support/suites.h"

static void test_a_path_becomes_decoded_segments(void **state)
{
  (void)state;
  http_path path;
  assert_true(http_path_parse(&path, "/api/v1/jobs/3?state=running"));
  assert_int_equal(path.count, 4);
  assert_string_equal(path.segments[3], "3");
  assert_true(http_path_parse(&path, "/a%20b/%41"));
  assert_string_equal(path.segments[0], "a b");
  assert_string_equal(path.segments[1], "A");
  assert_true(http_path_parse(&path, "/"));
  assert_int_equal(path.count, 1);
  assert_string_equal(path.segments[0], "");
}

/* Each of these has led some server to a file or a route it did not mean. */
static void test_paths_that_could_lead_elsewhere_are_refused(void **state)
{
  (void)state;
  static const char *const bad[] = {
      "",       "a",      "*",  "http://h/a", "/..",  "/a/../b", "/.",    "/%2e%2e/a", "/a%2fb", "/a%5cb",
      "/a%00b", "/a%0ab", "/%", "/%4",        "/%4g", "/a\\b",   "/a\tb", "/\xc3\xa9", "/a%7f",  "/1/2/3/4/5/6/7/8/9"};
  http_path path;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    if (http_path_parse(&path, bad[i])) fail_msg("'%s' was taken", bad[i]);
}

static void test_a_path_longer_than_the_limit_is_refused(void **state)
{
  (void)state;
  char target[HTTP_PATH_BYTES * 2];
  http_path path;
  memset(target, 'a', sizeof target);
  target[0] = '/';
  target[HTTP_PATH_BYTES + 1] = '\0'; /* '/', as many bytes as fit with their zero byte, and one more */
  assert_false(http_path_parse(&path, target));
  target[HTTP_PATH_BYTES] = '\0';
  assert_true(http_path_parse(&path, target));
}

static void test_patterns_match_whole_segments_only(void **state)
{
  (void)state;
  http_path path;
  http_parameters found;
  assert_true(http_path_parse(&path, "/api/v1/jobs/12/records/7"));
  assert_true(http_path_match(&path, "/api/v1/jobs/{id}/records/{seq}", &found));
  assert_int_equal(found.count, 2);
  assert_string_equal(found.values[0], "12");
  assert_string_equal(found.values[1], "7");
  assert_false(http_path_match(&path, "/api/v1/jobs/{id}", &found));
  assert_false(http_path_match(&path, "/api/v1/jobs/{id}/records/{seq}/x", &found));
  assert_true(http_path_parse(&path, "/api/v1/jobs/"));
  assert_false(http_path_match(&path, "/api/v1/jobs/{id}", NULL));
  assert_false(http_path_match(&path, "/api/v1/jobs", NULL));
  assert_true(http_path_parse(&path, "/assets/a/b.js"));
  assert_true(http_path_match(&path, "/assets/{file...}", &found));
  assert_int_equal(found.tail, 1);
  char joined[16];
  assert_true(http_path_join(&path, 1, joined, sizeof joined));
  assert_string_equal(joined, "a/b.js");
  assert_false(http_path_join(&path, 0, joined, 6));
}

static void test_ids_are_plain_whole_numbers(void **state)
{
  (void)state;
  long long number;
  assert_true(http_number_parse("0", &number));
  assert_true(http_number_parse("9223372036854775807", &number));
  assert_true(number == LLONG_MAX);
  static const char *const bad[] = {"", "01", "+1", "-1", " 1", "1 ", "1.0", "1e3", "0x1", "9223372036854775808", "99999999999999999999"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) assert_false(http_number_parse(bad[i], &number));
}

SUITE(test_http_path)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_path_becomes_decoded_segments),
      cmocka_unit_test(test_paths_that_could_lead_elsewhere_are_refused),
      cmocka_unit_test(test_a_path_longer_than_the_limit_is_refused),
      cmocka_unit_test(test_patterns_match_whole_segments_only),
      cmocka_unit_test(test_ids_are_plain_whole_numbers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
