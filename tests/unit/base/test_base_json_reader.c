/* JSON text to a tree: what is no JSON and what found no memory are told apart. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/json_reader.h"
#include "tests/support/suites.h"

/* The allocation that fails, counted from 0, and how many were asked for; jansson calls these. */
static size_t failing = SIZE_MAX, asked;

static void *count_malloc(size_t size)
{
  return asked++ == failing ? NULL : malloc(size);
}

/* Words short enough for jansson's first buffer: one that has to grow and can't loses a character without a word. */
static const char sound[] = "{\"name\": \"grain\", \"sizes\": [1.5, 2, \"\", \"x\\n\"], \"on\": true, \"rig\": {\"a\": null}}";

static void test_every_allocation_that_fails_is_no_memory_and_never_bad_text(void **state)
{
  (void)state;
  json_t *value;
  json_set_alloc_funcs(count_malloc, free);
  scr_status status = SCR_NO_MEMORY;
  for (failing = 0; status != SCR_OK; failing++) {
    asked = 0;
    json_error_t where;
    status = json_read(sound, sizeof sound - 1, JSON_REJECT_DUPLICATES, &value, &where);
    if (status == SCR_BAD_FILE) fail_msg("allocation %zu failed, and the answer was: %s", failing, where.text);
    assert_true((status == SCR_OK) == (value != NULL));
  }
  assert_in_range(failing, 10, 200); /* it got through in the end, after many failures */
  json_decref(value);
  json_set_alloc_funcs(malloc, free);
}

static void test_text_that_is_no_json_is_told_with_its_place(void **state)
{
  (void)state;
  static const struct {
    const char *text;
    int line;
  } bad[] = {{"", 1},
             {"{", 1},
             {"[1,\n tru]", 2},
             {"[\"a\",\n\n'b']", 3},
             {"[\"a]", 1},
             {"{\"a\": 1, \"a\": 2}", 1},
             {"[\"\\x\"]", 1},
             {"[\"\\u12\"]", 1},
             {"[\"\\ud800\"]", 1},
             {"[01]", 1},
             {"[1 \"two\"]", 1},
             {"{\"a\" \"b\"}", 1},
             {"[\"a\nb\"]", 1},
             {"\"a\" \"b\"", 1},
             {"[\"\xff\"]", 1},
             {"[-\"a\"]", 1},
             {"[nul\"a\"]", 1}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    json_t *value;
    json_error_t where;
    scr_status status = json_read(bad[i].text, strlen(bad[i].text), JSON_REJECT_DUPLICATES, &value, &where);
    if (status != SCR_BAD_FILE || where.line != bad[i].line) fail_msg("'%s' gave status %d, line %d", bad[i].text, status, where.line);
    assert_null(value);
    assert_true(where.text[0] != '\0');
  }
}

SUITE(test_base_json_reader)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_allocation_that_fails_is_no_memory_and_never_bad_text),
                                     cmocka_unit_test(test_text_that_is_no_json_is_told_with_its_place)};
  return cmocka_run_group_tests_name("base_json_reader", tests, NULL, NULL);
}
