/* Routes: which paths and methods there are. Reference: RFC 9110, section 15.5.6. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "api/http/router.h"
#include "tests/support/suites.h"

/* RFC 9110, 15.5.6: a 405 lists the methods the path has. HEAD goes wherever GET does. */
static void test_the_router_tells_no_route_from_no_such_method(void **state)
{
  (void)state;
  char allow[64];
  http_path path;
  http_parameters found;
  assert_true(http_path_parse(&path, "/api/v1/jobs/3"));
  assert_non_null(router_find("GET", &path, &found, allow));
  assert_ptr_equal(router_find("HEAD", &path, &found, allow), router_find("GET", &path, &found, allow));
  assert_null(router_find("PUT", &path, &found, allow));
  assert_string_equal(allow, "GET, HEAD, PATCH, DELETE");
  assert_true(http_path_parse(&path, "/api/v1/job"));
  assert_null(router_find("GET", &path, &found, allow));
  assert_string_equal(allow, "");
}

SUITE(test_http_router)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_the_router_tells_no_route_from_no_such_method)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
