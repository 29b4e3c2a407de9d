/* Numbers for people. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/quantity.h"
#include "tests/support/suites.h"

static void test_quantities_have_three_digits_and_a_prefix(void **state)
{
  (void)state;
  static const struct {
    double value;
    const char *text;
  } cases[] = {{2.58e-5, "25.8 µs"},   {46.03, "46.0 s"},      {0, "0 s"},        {-0.0, "0 s"},     {9.1e6, "9.10 Ms"},
               {-3.25e-3, "-3.25 ms"}, {999.6, "1.00 ks"},     {999.4, "999 s"},  {9.996, "10.0 s"}, {2e-8, "20.0 ns"},
               {1e-12, "1.00 ps"},     {1e-18, "0.00 fs"},     {5e12, "5.00 Ts"}, {5e15, "5000 Ts"}, {9.996e-7, "1.00 µs"},
               {(double)NAN, "-"},     {(double)INFINITY, "-"}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char text[32];
    quantity_text(cases[i].value, "s", text, sizeof text);
    assert_string_equal(text, cases[i].text);
  }
}

static void test_a_prefix_stands_only_where_it_means_what_it_seems_to(void **state)
{
  (void)state;
  static const struct {
    double value;
    const char *unit, *text;
  } cases[] = {{2500, "N m", "2.50 kN m"}, {0.02, "m/s", "20.0 mm/s"}, {3e-6, "m^2", "3e-06 m^2"}, {2500, "kg", "2500 kg"},
               {55516, "1", "55516"},      {0.25, "1", "0.25"},        {2500, "mol", "2500 mol"},  {0, "m^2", "0 m^2"},
               {1.5e6, "Pa", "1.50 MPa"},  {9.1e6, "B", "9.10 MB"}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char text[QUANTITY_BYTES];
    quantity_text(cases[i].value, cases[i].unit, text, sizeof text);
    assert_string_equal(text, cases[i].text);
  }
}

static void test_counts_and_spans_read_well(void **state)
{
  (void)state;
  char text[32];
  quantity_count(55516, text, sizeof text);
  assert_string_equal(text, "55 516");
  quantity_count(-1234567, text, sizeof text);
  assert_string_equal(text, "-1 234 567");
  quantity_count(999, text, sizeof text);
  assert_string_equal(text, "999");
  quantity_count((double)NAN, text, sizeof text);
  assert_string_equal(text, "-");
  quantity_span(0.03, text, sizeof text);
  assert_string_equal(text, "under 0.1 s");
  quantity_span(4.62, text, sizeof text);
  assert_string_equal(text, "4.6 s");
  quantity_span(59.6, text, sizeof text);
  assert_string_equal(text, "1 min 00 s");
  quantity_span(7800, text, sizeof text);
  assert_string_equal(text, "2 h 10 min");
  quantity_span((double)NAN, text, sizeof text);
  assert_string_equal(text, "?");
}

SUITE(test_base_quantity)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_quantities_have_three_digits_and_a_prefix),
      cmocka_unit_test(test_a_prefix_stands_only_where_it_means_what_it_seems_to),
      cmocka_unit_test(test_counts_and_spans_read_well),
  };
  return cmocka_run_group_tests_name("base_quantity", tests, NULL, NULL);
}
