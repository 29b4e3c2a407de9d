/* Accept, Content-Type, Host and Origin. Reference: RFC 9110, sections 8.3, 12.5.1; RFC 6454 for origins. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "api/http/parse/accept.h"
#include "api/http/listen/acceptor.h"
#include "api/http/parse/host.h"
#include "tests/support/suites.h"

static int choose(const char *header)
{
  static const char *const types[] = {"application/json", "text/csv", "image/svg+xml"};
  return http_accept_choose(header, types, 3);
}

static void test_the_type_liked_best_is_chosen(void **state)
{
  (void)state;
  assert_int_equal(choose(NULL), 0);
  assert_int_equal(choose("*/*"), 0);
  assert_int_equal(choose("text/csv"), 1);
  assert_int_equal(choose("TEXT/CSV; header=present"), 1);
  assert_int_equal(choose("application/json;q=0.5, text/csv;q=0.6"), 1);
  assert_int_equal(choose("application/json;q=0.15, text/csv;q=0.2"), 1); /* by value, not by digits */
  assert_int_equal(choose("application/json;q=0.3, text/csv;q=0.25"), 0);
  assert_int_equal(choose("application/json;q=0.99, text/csv"), 1);
  assert_int_equal(choose("application/json;q=0.155, text/csv;q=0.156"), 1); /* three digits count */
  assert_int_equal(choose("image/*"), 2);
  assert_int_equal(choose("text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8"), 0);
}

/* 12.5.1: the most specific range that names a type gives its quality, and q=0 means "not this". */
static void test_the_closest_range_decides_and_zero_refuses(void **state)
{
  (void)state;
  assert_int_equal(choose("*/*;q=0.1, text/*;q=0.5, text/csv;q=0"), 0);
  assert_int_equal(choose("application/json;q=0, */*;q=0.1"), 1);
  assert_int_equal(choose("text/csv;q=0.000"), -1);
  assert_int_equal(choose("text/html"), -1);
  assert_int_equal(choose("application/jsonx"), -1);
  assert_int_equal(choose("application/json;q=x"), -1);
  assert_int_equal(choose(",,;;=,"), -1);
  assert_int_equal(choose(""), -1);
}

static void test_a_content_type_may_have_parameters(void **state)
{
  (void)state;
  assert_true(http_content_type_is("application/json", "application/json"));
  assert_true(http_content_type_is(" Application/JSON ; charset=utf-8", "application/json"));
  assert_false(http_content_type_is("application/jsonp", "application/json"));
  assert_false(http_content_type_is("text/plain, application/json", "application/json"));
  assert_false(http_content_type_is("", "application/json"));
  assert_false(http_content_type_is(NULL, "application/json"));
}

/* A name that an attacker lets resolve to 127.0.0.1 stays in the Host header: only our own names may pass. */
static void test_only_names_of_this_server_pass_as_host(void **state)
{
  (void)state;
  http_hosts hosts = {.listen = "127.0.0.1", .names = "lab.example.org,lab"};
  static const char *const good[] = {"localhost", "LocalHost:8080", "127.0.0.1", "127.9.9.9:1",
                                     "[::1]",     "[::1]:8080",     "lab",       "LAB.example.org:443"};
  static const char *const bad[] = {"",    "evil.com", "localhost.evil.com", "127.0.0.1.evil.com", "192.168.0.7", "lab.example", "[::1",
                                    "::1", "[::2]",    "localhost:80x",      "localhost:80:80",    "a,lab",       "lab,",        ","};
  for (size_t i = 0; i < sizeof good / sizeof *good; i++)
    if (!http_host_allowed(&hosts, good[i])) fail_msg("'%s' was refused", good[i]);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    if (http_host_allowed(&hosts, bad[i])) fail_msg("'%s' was taken", bad[i]);
  assert_false(http_host_allowed(&hosts, NULL));
  hosts.any_address = true;
  assert_true(http_host_allowed(&hosts, "192.168.0.7:8080"));
  assert_false(http_host_allowed(&hosts, "evil.com"));
}

static void test_a_page_of_another_origin_is_told_from_ours(void **state)
{
  (void)state;
  assert_true(http_origin_allowed(NULL, "localhost:8080"));
  assert_true(http_origin_allowed("http://localhost:8080", "localhost:8080"));
  assert_true(http_origin_allowed("https://Lab", "lab"));
  assert_false(http_origin_allowed("http://localhost:8081", "localhost:8080"));
  assert_false(http_origin_allowed("http://localhost:8080.evil.com", "localhost:8080"));
  assert_false(http_origin_allowed("null", "localhost:8080"));
  assert_false(http_origin_allowed("file://localhost:8080", "localhost:8080"));
  assert_false(http_origin_allowed("http://localhost:8080", NULL));
}

static void test_loopback_addresses_are_known(void **state)
{
  (void)state;
  assert_true(http_address_is_loopback("127.0.0.1"));
  assert_true(http_address_is_loopback("127.255.0.3"));
  assert_true(http_address_is_loopback("::1"));
  assert_true(http_address_is_loopback("localhost"));
  assert_false(http_address_is_loopback("0.0.0.0"));
  assert_false(http_address_is_loopback("::"));
  assert_false(http_address_is_loopback("10.0.0.1"));
  assert_false(http_address_is_loopback("example.org"));
}

static void test_the_first_eight_bytes_tell_the_stream_from_the_rest(void **state)
{
  (void)state;
  assert_true(acceptor_is_stream("GET /ws/"));
  assert_true(acceptor_is_stream("GET /ws?"));
  assert_true(acceptor_is_stream("GET /ws "));
  assert_false(acceptor_is_stream("GET /wsx"));
  assert_false(acceptor_is_stream("POST /ws"));
  assert_false(acceptor_is_stream("GET / HT"));
}

static void test_gzip_is_sent_to_those_only_who_say_that_they_take_it(void **state)
{
  (void)state;
  static const char *const yes[] = {"gzip", "br, gzip", "GZIP;q=0.1", "x-gzip", "*", "deflate,*;q=0.5", "gzip;q=1.0, *;q=0"};
  static const char *const no[] = {"", "identity", "gzip;q=0", "gzip;q=0, *", "gzipped", "br;q=1", "*;q=0", ",,;"};
  assert_false(http_accept_gzip(NULL));
  for (size_t i = 0; i < sizeof yes / sizeof *yes; i++) assert_true(http_accept_gzip(yes[i]));
  for (size_t i = 0; i < sizeof no / sizeof *no; i++) assert_false(http_accept_gzip(no[i]));
}

SUITE(test_http_headers)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_type_liked_best_is_chosen),
      cmocka_unit_test(test_the_closest_range_decides_and_zero_refuses),
      cmocka_unit_test(test_a_content_type_may_have_parameters),
      cmocka_unit_test(test_only_names_of_this_server_pass_as_host),
      cmocka_unit_test(test_a_page_of_another_origin_is_told_from_ours),
      cmocka_unit_test(test_loopback_addresses_are_known),
      cmocka_unit_test(test_the_first_eight_bytes_tell_the_stream_from_the_rest),
      cmocka_unit_test(test_gzip_is_sent_to_those_only_who_say_that_they_take_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
