/* Messages between a lab and a worker on another machine, by files: what is written is read again, and what is torn, foreign or no file at
 * all is not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "server/worker/control_file.h"
#include "tests/support/folder.h"
#include "tests/support/suites.h"

static int set_up(void **state)
{
  *state = folder_create();
  return 0;
}

static int tear_down(void **state)
{
  folder_remove(*state);
  return 0;
}

static control_sign sign_of(uint64_t number)
{
  control_sign sign = {.token = 7, .number = number, .host = "n1"};
  sign.message = (control_message){.version = CONTROL_VERSION, .kind = CONTROL_HEARTBEAT, .step = 12, .sim_time = 0.5, .last_seq = 3};
  return sign;
}

static void test_what_is_written_is_read(void **state)
{
  const control_order order = {.token = 7, .kind = CONTROL_CANCEL};
  control_order found;
  control_sign sign = sign_of(1), shown;
  assert_false(control_order_read(*state, &found));
  assert_false(control_sign_read(*state, &shown));
  assert_int_equal(control_order_write(*state, &order), 0);
  assert_true(control_order_read(*state, &found));
  assert_int_equal(found.token, 7);
  assert_int_equal(found.kind, CONTROL_CANCEL);
  for (uint64_t number = 1; number < 4; number++) {
    sign = sign_of(number);
    assert_int_equal(control_sign_write(*state, &sign), 0);
    assert_true(control_sign_read(*state, &shown));
    assert_int_equal(shown.number, number);
    assert_int_equal(shown.message.step, 12);
    assert_string_equal(shown.host, "n1");
  }
}

/* Any byte of it, as half a write leaves it. */
static void test_a_record_with_a_changed_byte_is_not_read(void **state)
{
  char *path = folder_path(*state, "signs.worker");
  control_sign sign = sign_of(1), shown;
  assert_int_equal(control_sign_write(*state, &sign), 0);
  struct stat about;
  assert_int_equal(stat(path, &about), 0);
  for (long at = 0; at < about.st_size; at += 37) {
    FILE *file = fopen(path, "r+");
    assert_non_null(file);
    fseek(file, at, SEEK_SET);
    int byte = fgetc(file);
    fseek(file, at, SEEK_SET);
    fputc(byte ^ 0x10, file);
    fclose(file);
    if (control_sign_read(*state, &shown)) fail_msg("read with byte %ld changed", at);
    assert_int_equal(control_sign_write(*state, &sign), 0);
    assert_true(control_sign_read(*state, &shown));
  }
  assert_int_equal(truncate(path, about.st_size - 1), 0);
  assert_false(control_sign_read(*state, &shown));
  free(path);
}

/* The worker may write in its directory: a link there must lead the lab nowhere. */
static void test_links_and_folders_in_place_of_a_file_are_not_followed(void **state)
{
  char *path = folder_path(*state, "orders.lab"), *elsewhere = folder_path(*state, "elsewhere");
  const control_order order = {.token = 7};
  control_order found;
  struct stat about;
  assert_int_equal(symlink(elsewhere, path), 0);
  assert_int_not_equal(control_order_write(*state, &order), 0);
  assert_int_not_equal(stat(elsewhere, &about), 0);
  assert_false(control_order_read(*state, &found));
  assert_int_equal(unlink(path), 0);
  assert_int_equal(mkdir(path, 0700), 0);
  assert_int_not_equal(control_order_write(*state, &order), 0);
  assert_false(control_order_read(*state, &found));
  assert_int_equal(rmdir(path), 0);
  assert_int_equal(mkfifo(path, 0600), 0);
  assert_false(control_order_read(*state, &found)); /* and does not wait */
  free(path);
  free(elsewhere);
}

static void test_texts_are_ended_and_numbers_made_finite(void **state)
{
  control_sign sign = sign_of(1), shown;
  memset(sign.host, 'x', sizeof sign.host);
  memset(sign.message.text, 'x', sizeof sign.message.text);
  memset(sign.message.stage, 'x', sizeof sign.message.stage);
  sign.message.headline_count = 1000000;
  sign.message.sim_time = (double)NAN;
  sign.cpu_seconds = (double)INFINITY;
  assert_int_equal(control_sign_write(*state, &sign), 0);
  assert_true(control_sign_read(*state, &shown));
  assert_true(strnlen(shown.host, sizeof shown.host) < sizeof shown.host);
  assert_true(strnlen(shown.message.text, sizeof shown.message.text) < sizeof shown.message.text);
  assert_true(strnlen(shown.message.stage, sizeof shown.message.stage) < sizeof shown.message.stage);
  assert_true(shown.message.headline_count <= SCR_HEADLINE_LIMIT);
  assert_true(isfinite(shown.message.sim_time) && isfinite(shown.cpu_seconds));
}

SUITE(test_control_file)
{
  (void)argc, (void)argv;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_what_is_written_is_read, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_a_record_with_a_changed_byte_is_not_read, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_links_and_folders_in_place_of_a_file_are_not_followed, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_texts_are_ended_and_numbers_made_finite, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
