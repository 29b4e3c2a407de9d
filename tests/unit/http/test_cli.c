/* Parts of the command line that need neither a file nor a server: reading arguments, numbers for people, the progress line. */
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "api/cli/command.h"
#include "api/cli/progress.h"
#include "tests/support/suites.h"

static const cli_command sample = {
    .name = "sample",
    .words = "SCENE [MORE]",
    .least = 1,
    .most = 2,
    .needs_server = true,
    .options = {{"output", 'o', "DIR", "where"}, {"threads", 't', "N", "how many"}, {"wait", 'w', NULL, "wait"}},
};

#define READ(call, message, ...)                                                                                                           \
  cli_call_read(&sample, (int)(sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *)), (char *[]){__VA_ARGS__}, call, message,            \
                sizeof(message))

static char w_scene[] = "a.json", w_more[] = "b", w_third[] = "c", w_o[] = "-o", w_dir[] = "out", w_joined[] = "-oout",
            w_long[] = "--output", w_equal[] = "--output=out", w_wait[] = "--wait", w_wait_value[] = "--wait=1", w_threads[] = "--threads",
            w_four[] = "4", w_bad[] = "4x", w_json[] = "--json", w_quiet[] = "-q", w_server[] = "--server", w_url[] = "http://h:1",
            w_end[] = "--", w_dash[] = "-", w_unknown[] = "--colour", w_letter[] = "-z", w_empty[] = "--output=";

static void test_options_may_stand_anywhere_and_in_every_form(void **state)
{
  (void)state;
  char message[256];
  cli_call call;
  assert_true(READ(&call, message, w_o, w_dir, w_scene));
  assert_string_equal(cli_text(&call, "output"), "out");
  assert_string_equal(call.words[0], "a.json");
  assert_true(READ(&call, message, w_scene, w_joined));
  assert_string_equal(cli_text(&call, "output"), "out");
  assert_true(READ(&call, message, w_scene, w_long, w_dir, w_more));
  assert_string_equal(cli_text(&call, "output"), "out");
  assert_int_equal(call.word_count, 2);
  assert_true(READ(&call, message, w_scene, w_equal, w_wait, w_json, w_quiet, w_server, w_url));
  assert_string_equal(cli_text(&call, "output"), "out");
  assert_true(cli_given(&call, "wait"));
  assert_false(cli_given(&call, "threads"));
  assert_true(call.json);
  assert_true(call.quiet);
  assert_string_equal(call.server, "http://h:1");
}

static void test_a_dash_is_an_argument_and_two_end_the_options(void **state)
{
  (void)state;
  char message[256];
  cli_call call;
  assert_true(READ(&call, message, w_dash));
  assert_string_equal(call.words[0], "-");
  assert_true(READ(&call, message, w_end, w_json, w_o));
  assert_string_equal(call.words[0], "--json");
  assert_string_equal(call.words[1], "-o");
  assert_false(call.json);
}

static void test_mistakes_are_named(void **state)
{
  (void)state;
  char message[256];
  cli_call call;
  assert_false(READ(&call, message, w_scene, w_unknown));
  assert_non_null(strstr(message, "--colour"));
  assert_false(READ(&call, message, w_scene, w_letter));
  assert_non_null(strstr(message, "-z"));
  assert_false(READ(&call, message, w_json));
  assert_non_null(strstr(message, "SCENE"));
  assert_false(READ(&call, message, w_scene, w_more, w_third));
  assert_non_null(strstr(message, "'c'"));
  assert_false(READ(&call, message, w_scene, w_long));
  assert_non_null(strstr(message, "--output DIR"));
  assert_false(READ(&call, message, w_scene, w_empty));
  assert_false(READ(&call, message, w_scene, w_wait_value));
  assert_non_null(strstr(message, "takes no value"));
}

static void test_numbers_are_checked_against_their_range(void **state)
{
  (void)state;
  char message[256];
  cli_call call;
  long long threads = 7;
  double number = 7;
  assert_true(READ(&call, message, w_scene));
  assert_true(cli_whole(&call, "threads", 1, 8, &threads, message, sizeof message));
  assert_int_equal(threads, 7);
  assert_true(READ(&call, message, w_scene, w_threads, w_four));
  assert_true(cli_whole(&call, "threads", 1, 8, &threads, message, sizeof message));
  assert_int_equal(threads, 4);
  assert_true(cli_number(&call, "threads", 0, 8, &number, message, sizeof message));
  assert_true(number == 4);
  assert_false(cli_whole(&call, "threads", 5, 8, &threads, message, sizeof message));
  assert_non_null(strstr(message, "from 5 to 8, not '4'"));
  assert_true(READ(&call, message, w_scene, w_threads, w_bad));
  assert_false(cli_whole(&call, "threads", 1, 8, &threads, message, sizeof message));
  assert_false(cli_number(&call, "threads", 1, 8, &number, message, sizeof message));
}

static void test_the_progress_line_fits_every_width(void **state)
{
  (void)state;
  progress_state half = {.label = "running",
                         .fraction = 0.5,
                         .sim_time = 3e-5,
                         .duration = 6e-5,
                         .eta_seconds = 4.2,
                         .headline_count = 2,
                         .headlines = {{"f", "Peak force", "N", 46}, {"b", "Broken bonds", "1", 5120}}};
  char line[512];
  for (size_t width = 0; width < 200; width++) {
    progress_line(&half, width, line, sizeof line);
    assert_true(mbstowcs(NULL, line, 0) <= width); /* whole characters, each one column wide */
  }
  assert_non_null(strstr(line, "[####################--------------------]"));
  assert_non_null(strstr(line, " 50 %  30.0 µs of 60.0 µs  peak force 46.0 N  broken bonds 5 120  ETA 4.2 s"));
  half.eta_seconds = half.headlines[0].value = half.headlines[1].value = (double)NAN; /* what is not known is left out */
  progress_line(&half, 120, line, sizeof line);
  assert_string_equal(line + strlen(line) - strlen(" 50 %  30.0 µs of 60.0 µs"), " 50 %  30.0 µs of 60.0 µs");
  assert_null(strstr(line, "peak"));
  assert_null(strstr(line, "ETA"));
  half.fraction = (double)NAN;
  progress_line(&half, 120, line, sizeof line);
  assert_non_null(strstr(line, "  0 %"));
  half.fraction = 1.5;
  progress_line(&half, 120, line, sizeof line);
  assert_non_null(strstr(line, "100 %"));
}

SUITE(test_cli)
{
  setlocale(LC_CTYPE, "C.UTF-8");
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_options_may_stand_anywhere_and_in_every_form),
      cmocka_unit_test(test_a_dash_is_an_argument_and_two_end_the_options),
      cmocka_unit_test(test_mistakes_are_named),
      cmocka_unit_test(test_numbers_are_checked_against_their_range),
      cmocka_unit_test(test_the_progress_line_fits_every_width),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
