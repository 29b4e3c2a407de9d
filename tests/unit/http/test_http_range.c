/* Ranges and validators. Reference: RFC 9110, sections 13.1 and 14.1. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "api/http/parse/range.h"
#include "tests/support/suites.h"

static void test_one_range_is_cut_to_the_file(void **state)
{
  (void)state;
  static const struct {
    const char *header;
    uint64_t first, last;
  } cases[] = {{"bytes=0-499", 0, 499}, {"bytes=500-", 500, 999},    {"bytes=-1", 999, 999},
               {"bytes=-5000", 0, 999}, {"bytes=999-999", 999, 999}, {"bytes=0-99999999999999999999999", 0, 999},
               {" Bytes = 3-4 ", 3, 4}, {"bytes=0-1000", 0, 999}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    http_range range = {0};
    assert_int_equal(http_range_parse(cases[i].header, 1000, &range), HTTP_RANGE_PART);
    assert_int_equal(range.first, cases[i].first);
    assert_int_equal(range.last, cases[i].last);
  }
}

static void test_a_range_behind_the_end_can_not_be_satisfied(void **state)
{
  (void)state;
  http_range range;
  assert_int_equal(http_range_parse("bytes=1000-", 1000, &range), HTTP_RANGE_UNSATISFIABLE);
  assert_int_equal(http_range_parse("bytes=99999999999999999999999-", 1000, &range), HTTP_RANGE_UNSATISFIABLE);
  assert_int_equal(http_range_parse("bytes=-0", 1000, &range), HTTP_RANGE_UNSATISFIABLE);
  assert_int_equal(http_range_parse("bytes=0-", 0, &range), HTTP_RANGE_UNSATISFIABLE);
  assert_int_equal(http_range_parse("bytes=-1", 0, &range), HTTP_RANGE_UNSATISFIABLE);
}

/* 14.2: a server may ignore a Range it does not understand, and several ranges at once. */
static void test_what_is_not_one_range_is_ignored(void **state)
{
  (void)state;
  static const char *const headers[] = {"bytes",     "bytes=",  "bytes=-",   "bytes=a-b",  "bytes=5-3", "bytes=0-1,4-5",
                                        "lines=1-2", "bytes=1", "bytes 1-2", "bytes=1-2x", "bytes=--1", ""};
  http_range range;
  for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
    assert_int_equal(http_range_parse(headers[i], 1000, &range), HTTP_RANGE_ALL);
  assert_int_equal(http_range_parse(NULL, 1000, &range), HTTP_RANGE_ALL);
}

static void test_entity_tags_are_compared_whole(void **state)
{
  (void)state;
  assert_true(http_etag_listed("\"5-100\"", "\"5-100\""));
  assert_true(http_etag_listed("\"x\", W/\"5-100\" , \"y\"", "\"5-100\""));
  assert_true(http_etag_listed("*", "\"5-100\""));
  assert_false(http_etag_listed("\"5-1000\"", "\"5-100\""));
  assert_false(http_etag_listed("5-100", "\"5-100\""));
  assert_false(http_etag_listed("\"5-100", "\"5-100\""));
  assert_false(http_etag_listed("\"x\" \"5-100\"", "\"5-100\""));
  assert_false(http_etag_listed("", "\"5-100\""));
  assert_false(http_etag_listed(NULL, "\"5-100\""));
}

/* 13.1.5: If-Range takes one strong tag; a weak one or a date must not let a part through. */
static void test_if_range_needs_exactly_the_strong_tag(void **state)
{
  (void)state;
  assert_true(http_if_range_holds(NULL, "\"a\""));
  assert_true(http_if_range_holds("\"a\" ", "\"a\""));
  assert_false(http_if_range_holds("W/\"a\"", "\"a\""));
  assert_false(http_if_range_holds("\"ab\"", "\"a\""));
  assert_false(http_if_range_holds("Sat, 21 Nov 2026 02:56:01 GMT", "\"a\""));
}

SUITE(test_http_range)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_one_range_is_cut_to_the_file),          cmocka_unit_test(test_a_range_behind_the_end_can_not_be_satisfied),
      cmocka_unit_test(test_what_is_not_one_range_is_ignored),      cmocka_unit_test(test_entity_tags_are_compared_whole),
      cmocka_unit_test(test_if_range_needs_exactly_the_strong_tag),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
