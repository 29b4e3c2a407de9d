/* Quantities with units. References: the SI brochure (9th edition, 2019), tables 4, 7 and 8; 1 bar = 1e5 Pa, 1 t = 1000 kg. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/unit.h"
#include "tests/support/suites.h"

typedef struct quantity_case {
  const char *text, *unit;
  double value;
} quantity_case;

/* Exactly the double that the number written out in the wanted unit would be. */
static void test_powers_of_ten_are_converted_without_an_error_of_rounding(void **state)
{
  (void)state;
  static const quantity_case cases[] = {{"1 mm", "m", 1e-3},
                                        {"20 us", "s", 20e-6},
                                        {"20 \u00b5s", "s", 2e-5},
                                        {"2 GPa", "Pa", 2e9},
                                        {"0.3mm", "m", 0.3e-3},
                                        {"-.5 cm", "m", -0.5e-2},
                                        {"+7. m", "m", 7},
                                        {"1e3 nm", "m", 1e-6},
                                        {"2.5 g/cm^3", "kg/m^3", 2500},
                                        {"7.85 t/m3", "kg/m^3", 7850},
                                        {"1200 kg/m\u00b3", "kg/m^3", 1200},
                                        {"3 N/mm^2", "Pa", 3e6},
                                        {"135 J/m^2", "J/m^2", 135},
                                        {"0.135 kJ/m\u00b2", "J/m^2", 135},
                                        {"135 N/m", "J/m^2", 135},
                                        {"5 Hz", "1/s", 5},
                                        {"5 1/s", "1/s", 5},
                                        {"5 /s", "1/s", 5},
                                        {"5 s^-1", "1/s", 5},
                                        {"5 s\u207b\u00b9", "1/s", 5},
                                        {"1 bar", "Pa", 1e5},
                                        {"10 mm/s", "m/s", 1e-2},
                                        {"9.81 m/s^2", "m/s^2", 9.81},
                                        {"9.81 m s^-2", "m/s^2", 9.81},
                                        {"1\u202fmm", "m", 1e-3},
                                        {" 1 mm ", "m", 1e-3},
                                        {"\u22121 mm", "m", -1e-3},
                                        {"30 deg", "deg", 30},
                                        {"30\u00b0", "deg", 30},
                                        {"0.1 MN\u00b7m", "J", 1e5},
                                        {"1 hPa", "Pa", 100},
                                        {"1e400 m", "m", (double)INFINITY}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    double value = NAN;
    if (unit_read(cases[i].text, cases[i].unit, &value) != UNIT_READ) fail_msg("'%s' was not read", cases[i].text);
    if (value != cases[i].value) fail_msg("'%s' is %.17g %s", cases[i].text, value, cases[i].unit);
  }
}

static void test_minutes_and_angles_are_converted_to_the_last_places(void **state)
{
  (void)state;
  static const quantity_case cases[] = {{"2 min", "s", 120},
                                        {"1.5 h", "s", 5400},
                                        {"180 deg", "rad", 3.14159265358979323846},
                                        {"1 rad", "deg", 57.29577951308232},
                                        {"60 rpm", "rad/s", 6.283185307179586},
                                        {"36 km/h", "m/s", 10},
                                        {"90 deg/s", "rad/s", 1.5707963267948966}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    double value = NAN;
    assert_int_equal(unit_read(cases[i].text, cases[i].unit, &value), UNIT_READ);
    if (fabs(value / cases[i].value - 1) > 4e-16) fail_msg("'%s' is %.17g %s", cases[i].text, value, cases[i].unit);
  }
}

static void test_what_is_no_quantity_is_told_apart(void **state)
{
  (void)state;
  static const struct {
    const char *text, *unit;
    unit_reading reading;
  } cases[] = {{"", "m", UNIT_NO_NUMBER},
               {"far", "m", UNIT_NO_NUMBER},
               {"-", "m", UNIT_NO_NUMBER},
               {". mm", "m", UNIT_NO_NUMBER},
               {"inf m", "m", UNIT_NO_NUMBER},
               {"nan m", "m", UNIT_NO_NUMBER},
               {"1", "m", UNIT_MISSING},
               {"1e3 ", "m", UNIT_MISSING},
               {"0x10 m", "m", UNIT_UNKNOWN},
               {"1 mn", "m", UNIT_UNKNOWN},
               {"1 MM", "m", UNIT_UNKNOWN},
               {"1 mm mm^", "m", UNIT_UNKNOWN},
               {"1 mm 2", "m", UNIT_UNKNOWN},
               {"1 2 mm", "m", UNIT_UNKNOWN},
               {"1 mm/", "m", UNIT_UNKNOWN},
               {"1 mm^0", "m", UNIT_UNKNOWN},
               {"1 kmin", "s", UNIT_UNKNOWN},
               {"1 mm^99", "m", UNIT_UNKNOWN},
               {"1 mmm", "m", UNIT_UNKNOWN},
               {"1,5 mm", "m", UNIT_UNKNOWN},
               {"1 kg", "m", UNIT_OF_OTHER_KIND},
               {"1 mm^2", "m", UNIT_OF_OTHER_KIND},
               {"1 Hz", "rad/s", UNIT_OF_OTHER_KIND},
               {"1 m/m", "m", UNIT_OF_OTHER_KIND},
               {"1 MPa", "J/m^2", UNIT_OF_OTHER_KIND},
               {"1e99999 m", "m", UNIT_NO_NUMBER},
               {"1 m m m m m m m m m m m m m m m m m", "m", UNIT_UNKNOWN},
               {"1111111111111111111111111111111111111111111111111111111111111111111111 m", "m", UNIT_NO_NUMBER}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    double value = 7;
    if (unit_read(cases[i].text, cases[i].unit, &value) != cases[i].reading) fail_msg("'%s' was read otherwise", cases[i].text);
    assert_true(value == 7);
  }
}

static void test_units_with_a_dimension_can_be_given_and_have_an_example_that_fits(void **state)
{
  (void)state;
  static const char *const yes[] = {"m",     "s",     "Pa",  "kg/m^3", "m/s", "deg",  "rad",  "rad/s",
                                    "J/m^2", "m/s^2", "1/s", "N",      "N m", "kg/s", "N s/m"};
  static const char *const no[] = {"1", "", "unit of the series", "m/m", "?"};
  for (size_t i = 0; i < sizeof yes / sizeof *yes; i++) {
    char buffer[40];
    double value;
    assert_true(unit_can_be_given(yes[i]));
    assert_int_equal(unit_read(unit_example(yes[i], buffer), yes[i], &value), UNIT_READ);
  }
  for (size_t i = 0; i < sizeof no / sizeof *no; i++) assert_false(unit_can_be_given(no[i]));
}

SUITE(test_base_unit)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_powers_of_ten_are_converted_without_an_error_of_rounding),
      cmocka_unit_test(test_minutes_and_angles_are_converted_to_the_last_places),
      cmocka_unit_test(test_what_is_no_quantity_is_told_apart),
      cmocka_unit_test(test_units_with_a_dimension_can_be_given_and_have_an_example_that_fits),
  };
  return cmocka_run_group_tests_name("base_unit", tests, NULL, NULL);
}
