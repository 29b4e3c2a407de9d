/* screed's options: the command line wins over the environment, and what is wrong is said with what would be right. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "api/daemon/options.h"
#include "server/lab/lab.h"
#include "tests/support/suites.h"

enum { argument_limit = 8 };

static scr_status read_options(daemon_options *options, scr_error *error, const char *const *arguments)
{
  char *argv[argument_limit + 1] = {strdup("screed")};
  int argc = 1;
  for (; arguments[argc - 1]; argc++) argv[argc] = strdup(arguments[argc - 1]);
  scr_status status = daemon_options_read(argc, argv, options, error);
  /* Texts point into argv: they are read before it goes. */
  if (status == SCR_OK) {
    static char data[64];
    strncpy(data, options->data, sizeof data - 1);
    options->data = data;
  }
  for (int i = 0; i < argc; i++) free(argv[i]);
  return status;
}

static void test_defaults_listen_on_loopback_only(void **state)
{
  (void)state;
  daemon_options o;
  assert_int_equal(read_options(&o, NULL, (const char *const[]){NULL}), SCR_OK);
  assert_string_equal(o.listen, "127.0.0.1");
  assert_int_equal(o.port, 8080);
  assert_int_equal(o.slots, 1);
  assert_string_equal(o.data, "data");
  assert_false(o.allow_remote);
}

static void test_options_are_read_in_both_spellings(void **state)
{
  (void)state;
  daemon_options o;
  assert_int_equal(
      read_options(&o, NULL,
                   (const char *const[]){"--port=0", "--data", "d", "--memory", "2G", "--recording=50G", "--checkpoint-seconds=0.5", NULL}),
      SCR_OK);
  assert_int_equal(o.port, 0);
  assert_string_equal(o.data, "d");
  assert_true(o.memory == (uint64_t)2 << 30);
  assert_true(o.recording == (uint64_t)50 << 30);
  assert_true(o.checkpoint_seconds == 0.5);
}

/* The defaults are the lab's own: server/SETTINGS.md lists them with their ranges. */
static void test_the_lease_and_the_disk_reserve_can_be_set_within_their_ranges(void **state)
{
  (void)state;
  daemon_options o;
  assert_int_equal(read_options(&o, NULL, (const char *const[]){NULL}), SCR_OK);
  assert_true(o.lease_seconds == lab_config_default().lease_seconds);
  assert_true(o.disk_reserve == lab_config_default().disk_reserve_bytes);
  assert_int_equal(read_options(&o, NULL, (const char *const[]){"--lease-seconds", "0.1", "--disk-reserve=0", NULL}), SCR_OK);
  assert_true(o.lease_seconds == 0.1 && o.disk_reserve == 0);
  assert_int_equal(read_options(&o, NULL, (const char *const[]){"--lease-seconds", "86400", "--disk-reserve=3M", NULL}), SCR_OK);
  assert_true(o.lease_seconds == 86400.0 && o.disk_reserve == (uint64_t)3 << 20);
}

static void test_all_problems_are_told_at_once_each_with_its_range(void **state)
{
  (void)state;
  daemon_options o;
  scr_error error = {0};
  setenv("SCREE_SLOTS", "none", 1);
  scr_status status =
      read_options(&o, &error, (const char *const[]){"--lease-seconds", "0.05", "--bogus", "3", "--disk-reserve", "2e15", NULL});
  unsetenv("SCREE_SLOTS");
  assert_int_equal(status, SCR_BAD_USAGE);
  assert_string_equal(error.message, "SCREE_SLOTS is 'none'; it must be a whole number from 1 to 1024\n"
                                     "--lease-seconds is '0.05'; it must be a number from 0.1 to 86400\n"
                                     "unknown option '--bogus'; screed --help lists them\n"
                                     "--disk-reserve is '2e15'; it must be a whole number from 0 to 1e+15");
}

static void test_the_command_line_wins_over_the_environment(void **state)
{
  (void)state;
  daemon_options o;
  setenv("SCREE_MAX_ATTEMPTS", "7", 1);
  setenv("SCREE_SLOTS", "2", 1);
  assert_int_equal(read_options(&o, NULL, (const char *const[]){"--slots", "3", NULL}), SCR_OK);
  assert_int_equal(o.max_attempts, 7);
  assert_int_equal(o.slots, 3);
  setenv("SCREE_SLOTS", "none", 1);
  scr_error error = {0};
  assert_int_equal(read_options(&o, &error, (const char *const[]){NULL}), SCR_BAD_USAGE);
  assert_non_null(strstr(error.message, "SCREE_SLOTS"));
  unsetenv("SCREE_MAX_ATTEMPTS");
  unsetenv("SCREE_SLOTS");
}

static void test_what_can_not_be_meant_is_refused(void **state)
{
  (void)state;
  static const char *const bad[][3] = {{"--port", "65536", NULL},
                                       {"--port", "-1", NULL},
                                       {"--port", "80a", NULL},
                                       {"--slots", "0", NULL},
                                       {"--slots", "1.5", NULL},
                                       {"--memory", "2X", NULL},
                                       {"--memory", "nan", NULL},
                                       {"--memory", "2GB", NULL},
                                       {"--data", "", NULL},
                                       {"--data", NULL, NULL},
                                       {"--bogus", NULL, NULL},
                                       {"-p", "1", NULL},
                                       {"data", NULL, NULL},
                                       {"--", NULL, NULL},
                                       {"--checkpoint-seconds", "inf", NULL},
                                       {"--lease-seconds", "0", NULL},
                                       {"--lease-seconds", "86401", NULL},
                                       {"--lease-seconds", "1M", NULL},
                                       {"--disk-reserve", "-1", NULL},
                                       {"--disk-reserve", "2000T", NULL}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    daemon_options o;
    scr_error error = {0};
    if (read_options(&o, &error, bad[i]) != SCR_BAD_USAGE) fail_msg("%s %s was taken", bad[i][0], bad[i][1] ? bad[i][1] : "");
    assert_true(error.message[0] != '\0');
  }
}

/* There is no log-in yet, so reaching beyond this machine must be asked for. */
static void test_an_address_others_can_reach_needs_the_flag(void **state)
{
  (void)state;
  daemon_options o;
  scr_error error = {0};
  assert_int_equal(read_options(&o, &error, (const char *const[]){"--listen", "0.0.0.0", NULL}), SCR_BAD_USAGE);
  assert_non_null(strstr(error.message, "--allow-remote"));
  assert_int_equal(read_options(&o, NULL, (const char *const[]){"--listen", "0.0.0.0", "--allow-remote", NULL}), SCR_OK);
  assert_int_equal(read_options(&o, NULL, (const char *const[]){"--listen=::1", NULL}), SCR_OK);
}

SUITE(test_http_options)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_defaults_listen_on_loopback_only),
      cmocka_unit_test(test_options_are_read_in_both_spellings),
      cmocka_unit_test(test_the_command_line_wins_over_the_environment),
      cmocka_unit_test(test_what_can_not_be_meant_is_refused),
      cmocka_unit_test(test_the_lease_and_the_disk_reserve_can_be_set_within_their_ranges),
      cmocka_unit_test(test_all_problems_are_told_at_once_each_with_its_range),
      cmocka_unit_test(test_an_address_others_can_reach_needs_the_flag),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
