/* Programs of a batch engine as the executor runs them: whatever they print, however long they take, and whatever they leave behind. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "server/clock.h"
#include "server/executor/slurm/command.h"
#include "tests/support/suites.h"

enum { LONG_MS = 60000, MANY_BYTES = 1 << 20 };

static command_result run(const char *script, int limit_ms, size_t limit_bytes, const command_waiter *waiter)
{
  const char *arguments[] = {"/bin/sh", "-c", script, "sh", "a b;$(c)", NULL};
  command_result result;
  scr_error error = {0};
  if (command_execute(arguments, 3, limit_ms, limit_bytes, waiter, &result, &error) != SCR_OK) fail_msg("%s", error.message);
  return result;
}

static void test_output_errors_and_code_are_those_of_the_program(void **state)
{
  (void)state;
  command_result r = run("printf 'one\\ntwo'; printf 'bad\\n\\001thing\\n' >&2; exit 7", LONG_MS, MANY_BYTES, NULL);
  assert_string_equal(r.output, "one\ntwo");
  assert_int_equal(r.size, 7);
  assert_string_equal(r.errors, "bad  thing");
  assert_int_equal(r.code, 7);
  assert_false(r.cut || r.timed_out);
  free(r.output);
  r = run("kill -9 $$", LONG_MS, MANY_BYTES, NULL);
  assert_int_equal(r.code, 128 + SIGKILL);
  free(r.output);
}

/* An argument is one, whatever is in it; and nothing of the environment that is not on the list goes on to a job. */
static void test_arguments_are_not_read_by_a_shell_and_the_environment_is_a_short_list(void **state)
{
  (void)state;
  setenv("SCREE_TOKEN", "secret", 1);
  setenv("SLURM_CONF", "/nowhere", 1);
  command_result r = run("printf '%s|%s|%s|%s' \"$1\" \"$SCREE_TOKEN\" \"$SLURM_CONF\" \"$OMP_NUM_THREADS\"", LONG_MS, MANY_BYTES, NULL);
  unsetenv("SLURM_CONF");
  unsetenv("SCREE_TOKEN");
  assert_string_equal(r.output, "a b;$(c)||/nowhere|3");
  free(r.output);
}

static void test_more_output_than_allowed_is_cut_and_errors_keep_their_end(void **state)
{
  (void)state;
  command_result r = run("yes | head -c 300000; yes | head -c 300000 >&2; printf last >&2", LONG_MS, 1000, NULL);
  assert_int_equal(r.size, 1000);
  assert_int_equal(strlen(r.output), 1000);
  assert_true(r.cut);
  assert_true(strlen(r.errors) < COMMAND_ERROR_BYTES);
  assert_string_equal(r.errors + strlen(r.errors) - 4, "last");
  assert_int_equal(r.code, 0);
  free(r.output);
}

static bool process_is_there(const char *output)
{
  long pid = strtol(output, NULL, 10);
  assert_true(pid > 1);
  for (int i = 0; i < 500; i++) { /* its death may take the system a moment */
    if (kill((pid_t)pid, 0) != 0) return false;
    usleep(10000);
  }
  return true;
}

/* A child that keeps the outputs open is in its group and goes with it. */
static void test_a_program_that_takes_too_long_is_killed_with_what_it_started(void **state)
{
  (void)state;
  int64_t begun = clock_monotonic_ms();
  command_result r = run("sleep 600 & echo $!; sleep 600", 300, MANY_BYTES, NULL);
  assert_true(clock_monotonic_ms() - begun < LONG_MS);
  assert_true(r.timed_out);
  assert_false(process_is_there(r.output));
  free(r.output);
}

static bool count_down(void *user)
{
  return --*(int *)user > 0;
}

static void test_its_caller_may_end_it_and_has_turns_meanwhile(void **state)
{
  (void)state;
  int turns = 3;
  const command_waiter waiter = {.wait = count_down, .user = &turns};
  command_result r = run("sleep 600", LONG_MS, MANY_BYTES, &waiter);
  assert_int_equal(turns, 0);
  assert_true(r.timed_out);
  free(r.output);
}

static void test_a_program_that_is_not_there_says_so(void **state)
{
  (void)state;
  const char *arguments[] = {"/nonexistent/squeue", NULL};
  char path[100];
  command_result result;
  scr_error error = {0};
  assert_int_equal(command_execute(arguments, 1, LONG_MS, 100, NULL, &result, &error), SCR_IO);
  assert_non_null(strstr(error.message, "/nonexistent/squeue"));
  assert_false(command_find("no-such-program-anywhere", path, sizeof path));
  assert_true(command_find("sh", path, sizeof path));
  assert_int_equal(path[0], '/');
  assert_false(command_find("sh", path, 3));
}

SUITE(test_command)
{
  (void)argc, (void)argv;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_output_errors_and_code_are_those_of_the_program),
      cmocka_unit_test(test_arguments_are_not_read_by_a_shell_and_the_environment_is_a_short_list),
      cmocka_unit_test(test_more_output_than_allowed_is_cut_and_errors_keep_their_end),
      cmocka_unit_test(test_a_program_that_takes_too_long_is_killed_with_what_it_started),
      cmocka_unit_test(test_its_caller_may_end_it_and_has_turns_meanwhile),
      cmocka_unit_test(test_a_program_that_is_not_there_says_so),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
