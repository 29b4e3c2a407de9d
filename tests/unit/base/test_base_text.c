/* Growing text, cuts that respect UTF-8, numbers in their shortest faithful form, and JSON layout. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/error.h"
#include "base/json_writer.h"
#include "tests/support/suites.h"

static void test_numbers_print_as_short_as_they_were_written(void **state)
{
  (void)state;
  static const char *const texts[] = {
      "0", "-0", "0.9", "0.1", "1e-07", "1.25e-05", "1200", "2000000000", "1e+300", "0.30000000000000004", "1.7976931348623157e+308"};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    char buffer[NUMBER_TEXT_BYTES];
    assert_string_equal(number_text(strtod(texts[i], NULL), buffer), texts[i]);
  }
}

/* Doubles of random bits, of all sizes: the text must give back every bit. Seed fixed. */
static void test_numbers_read_back_to_the_same_double(void **state)
{
  (void)state;
  uint64_t bits = 1;
  for (int i = 0; i < 100000; i++) {
    char buffer[NUMBER_TEXT_BYTES];
    double value, again;
    bits = bits * 6364136223846793005u + 1442695040888963407u;
    uint64_t mixed = bits ^ bits >> 29;
    memcpy(&value, &mixed, sizeof value);
    if (!isfinite(value)) continue;
    again = strtod(number_text(value, buffer), NULL);
    if (memcmp(&again, &value, sizeof value) != 0) fail_msg("%s is not %.17g", buffer, value);
  }
}

static void test_cuts_keep_characters_whole(void **state)
{
  (void)state;
  static const char text[] = "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x8c\x8a"; /* a, e acute (2 bytes), euro (3), wave (4) */
  static const size_t expected[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 10};
  for (size_t limit = 0; limit < sizeof expected / sizeof expected[0]; limit++)
    assert_int_equal(text_cut(text, strlen(text), limit), expected[limit]);
}

static void test_text_grows_piece_by_piece(void **state)
{
  (void)state;
  text_builder text = {0};
  for (int i = 0; i < 1000; i++) text_add_format(&text, "%03d", i);
  text_add_character(&text, '!');
  text_add_string(&text, "");
  assert_int_equal(text.length, 3001);
  char *whole = text_take(&text);
  assert_int_equal(strlen(whole), 3001);
  assert_memory_equal(whole + 2997, "999!", 5);
  assert_null(text.data);
  free(whole);
  whole = text_take(&text);
  assert_string_equal(whole, "");
  free(whole);
}

static void test_text_that_failed_once_stays_failed(void **state)
{
  (void)state;
  text_builder text = {0};
  text_add_string(&text, "a");
  text.failed = true;
  text_add_string(&text, "b");
  assert_int_equal(text.length, 1);
  assert_null(text_take(&text));
}

static void test_json_is_laid_out_for_people(void **state)
{
  (void)state;
  json_writer writer = {0};
  jw_begin_object(&writer);
  jw_key(&writer, "empty"), jw_begin_object(&writer), jw_end_object(&writer);
  jw_key(&writer, "row"), jw_begin_row(&writer), jw_number(&writer, 0.5), jw_integer(&writer, -3), jw_null(&writer), jw_end_row(&writer);
  jw_key(&writer, "list"), jw_begin_list(&writer), jw_boolean(&writer, true), jw_number(&writer, NAN), jw_end_list(&writer);
  jw_end_object(&writer);
  char *text = jw_take(&writer);
  assert_string_equal(text, "{\n  \"empty\": {},\n  \"row\": [0.5, -3, null],\n  \"list\": [\n    true,\n    null\n  ]\n}");
  free(text);
}

static void test_json_escapes_quotes_and_every_control_character(void **state)
{
  (void)state;
  json_writer writer = {0};
  jw_string(&writer, "\"\\/\n\t\x1b\x7f\xc2\x9b\xc2\xa0\xc3\xa9");
  char *text = jw_take(&writer);
  assert_string_equal(text, "\"\\\"\\\\/\\n\\u0009\\u001b\\u007f\\u009b\xc2\xa0\xc3\xa9\"");
  free(text);
}

static void test_errors_are_cut_to_fit(void **state)
{
  (void)state;
  char long_text[2000];
  scr_error error;
  memset(long_text, 'x', sizeof long_text - 1);
  long_text[sizeof long_text - 1] = '\0';
  assert_int_equal(scr_fail(&error, SCR_IO, long_text, "%s", long_text), SCR_IO);
  assert_int_equal(strlen(error.message), sizeof error.message - 1);
  assert_int_equal(strlen(error.pointer), sizeof error.pointer - 1);
  assert_int_equal(scr_fail(NULL, SCR_BUSY, NULL, "nobody listens"), SCR_BUSY);
}

/* The vectors of RFC 4648, section 10; then groups that follow a padded one, white space, and what ends the reading. */
static void test_base64_is_read_as_its_standard_says(void **state)
{
  (void)state;
  static const char *const cases[][2] = {{"", ""},
                                         {"Zg==", "f"},
                                         {"Zm8=", "fo"},
                                         {"Zm9v", "foo"},
                                         {"Zm9vYg==", "foob"},
                                         {"Zm9vYmE=", "fooba"},
                                         {"Zm9vYmFy", "foobar"},
                                         {"Zg==\nZm 8=", "ffo"}};
  unsigned char bytes[16];
  size_t read;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    assert_int_equal(base64_decode(cases[k][0], strlen(cases[k][0]), bytes, sizeof bytes, &read), strlen(cases[k][1]));
    assert_memory_equal(bytes, cases[k][1], strlen(cases[k][1]));
    assert_int_equal(read, strlen(cases[k][0]));
  }
  assert_int_equal(base64_decode("Zm9v*mFy", 8, bytes, sizeof bytes, &read), 3);
  assert_int_equal(read, 4);
  assert_int_equal(base64_decode("Zm9vYmFy", 8, bytes, 4, &read), 4);
  assert_int_equal(base64_decode("//79", 4, bytes, sizeof bytes, NULL), 3);
  assert_true(bytes[0] == 0xff && bytes[1] == 0xfe && bytes[2] == 0xfd);
}

SUITE(test_base_text)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_numbers_print_as_short_as_they_were_written),
      cmocka_unit_test(test_numbers_read_back_to_the_same_double),
      cmocka_unit_test(test_cuts_keep_characters_whole),
      cmocka_unit_test(test_text_grows_piece_by_piece),
      cmocka_unit_test(test_text_that_failed_once_stays_failed),
      cmocka_unit_test(test_json_is_laid_out_for_people),
      cmocka_unit_test(test_json_escapes_quotes_and_every_control_character),
      cmocka_unit_test(test_errors_are_cut_to_fit),
      cmocka_unit_test(test_base64_is_read_as_its_standard_says),
  };
  return cmocka_run_group_tests_name("base_text", tests, NULL, NULL);
}
