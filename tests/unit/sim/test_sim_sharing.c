/* What ranks gain: the model, its fit, its warning. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "server/machine.h"
#include "tests/support/folder.h"
#include "tests/support/suites.h"

static const sharing_model known = {.unevenness = 1.25, .message_seconds = 40e-6};

/* By hand: a step of 1 ms on 4 ranks takes 1.25 * 1000 / 4 + 2 * 40 = 392.5 us; on 3 as many doublings as on 4. */
static void test_a_step_is_divided_work_and_messages_of_a_tree(void **state)
{
  (void)state;
  assert_float_equal(sharing_gain(&known, 1e-3, 4), 1000 / 392.5, 1e-12);
  assert_float_equal(sharing_gain(&known, 1e-3, 3), 1000 / (1250. / 3 + 80), 1e-12);
  assert_float_equal(sharing_gain(&known, 1e-3, 1), 1, 0);
  const sharing_model usual = sharing_usual();
  assert_float_equal(sharing_gain(&usual, 1e9, 64), 64, 1e-6); /* messages are nothing beside such a step */
}

/* Times that the model itself gives are fitted to its own numbers, whatever the order and the sizes. */
static void test_the_fit_finds_the_model_that_made_the_times(void **state)
{
  (void)state;
  sharing_point points[9];
  sharing_model found;
  double error;
  size_t count = 0;
  for (unsigned ranks = 2; ranks <= 8; ranks *= 2)
    for (double one = 1e-4; one < 0.05; one *= 10) points[count++] = (sharing_point){ranks, one, one / sharing_gain(&known, one, ranks)};
  assert_int_equal(count, 9);
  assert_true(sharing_fit(points, count, &found, &error));
  assert_float_equal(found.unevenness, known.unevenness, 1e-9);
  assert_float_equal(found.message_seconds, known.message_seconds, 1e-12);
  assert_true(error < 1e-9);
  points[0].several *= 1.5; /* one that was disturbed */
  assert_true(sharing_fit(points, count, &found, &error));
  assert_true(error > 0.2 && error < 0.5);
}

/* Where ranks of small bodies gain more than those of large ones, as in a memory they share, messages are none rather than less than none.
 */
static void test_messages_never_take_less_than_no_time(void **state)
{
  (void)state;
  const sharing_point points[] = {{2, 1e-4, 0.5e-4}, {2, 1e-2, 0.9e-2}};
  sharing_model found;
  double error;
  assert_true(sharing_fit(points, 2, &found, &error));
  assert_true(found.message_seconds == 0);
  assert_float_equal(found.unevenness, (1 + 1 / 1.8) / (1 + 1 / 3.24), 1e-12); /* sum a / sum a^2 of a = 1, 1 / 1.8 */
}

/* One size on one number of ranks could be all work or all messages. */
static void test_points_that_do_not_tell_work_from_messages_fit_nothing(void **state)
{
  (void)state;
  const sharing_point alike[] = {{2, 1e-3, 6e-4}, {2, 1e-3, 6e-4}};
  sharing_model found;
  double error;
  assert_false(sharing_fit(alike, 1, &found, &error));
  assert_false(sharing_fit(alike, 2, &found, &error));
}

/* Of 16 ranks 0.6 of 16 is enough: 9.6. */
static void test_ranks_that_gain_little_are_warned_of_with_the_source(void **state)
{
  (void)state;
  const sharing_model even = {.unevenness = 1, .message_seconds = 1e-6};
  scr_problems warnings = {0};
  scr_estimate quick = {.run_seconds = 9e-3, .step_count = 100}; /* 90 us: 5.6 + 4 us on 16, 9.35 times */
  scr_estimate slow = {.run_seconds = 11e-3, .step_count = 100}; /* 110 us: 10.1 times */
  sharing_warn(&even, "as told", &slow, 16, &warnings);
  assert_int_equal(warnings.count, 0);
  sharing_warn(&even, "as told", &quick, 16, &warnings);
  assert_int_equal(warnings.count, 1);
  assert_string_equal(warnings.items[0].pointer, "/run/ranks");
  assert_string_equal(warnings.items[0].detail,
                      "run.ranks is 16, but a step of about 0.09 ms on one is 9.4 times as quick on them, as told: take "
                      "fewer, or threads alone");
  sharing_warn(&even, "as told", &(scr_estimate){.run_seconds = 1}, 16, &warnings); /* steps that nobody knows */
  assert_int_equal(warnings.count, 1);
  scr_problems_clear(&warnings);
}

static void test_what_was_measured_is_kept_and_read(void **state)
{
  (void)state;
  char *folder = folder_create(), *path = folder_path(folder, "deeper/machine.json"), source[MACHINE_SOURCE_BYTES];
  machine kept = {.sharing = known, .measured = "2026-11-27", .processors = 8, .largest_error = 0.125}, read;
  machine_read(path, &read);
  assert_string_equal(read.measured, "");
  assert_float_equal(read.sharing.message_seconds, sharing_usual().message_seconds, 0);
  machine_source(&read, source);
  assert_non_null(strstr(source, "usually"));
  assert_int_equal(machine_write(path, &kept, NULL), SCR_OK);
  machine_read(path, &read);
  assert_string_equal(read.measured, "2026-11-27");
  assert_float_equal(read.sharing.unevenness, 1.25, 1e-12);
  assert_float_equal(read.sharing.message_seconds, 40e-6, 1e-15);
  assert_float_equal(read.largest_error, 0.125, 1e-12);
  assert_int_equal(read.processors, 8);
  machine_source(&read, source);
  assert_non_null(strstr(source, "measured here on 2026-11-27"));
  kept.sharing.unevenness = -1; /* no file that makes no sense is believed */
  assert_int_equal(machine_write(path, &kept, NULL), SCR_OK);
  machine_read(path, &read);
  assert_string_equal(read.measured, "");
  free(path);
  folder_remove(folder);
}

SUITE(test_sim_sharing)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_a_step_is_divided_work_and_messages_of_a_tree),
                                     cmocka_unit_test(test_the_fit_finds_the_model_that_made_the_times),
                                     cmocka_unit_test(test_messages_never_take_less_than_no_time),
                                     cmocka_unit_test(test_points_that_do_not_tell_work_from_messages_fit_nothing),
                                     cmocka_unit_test(test_ranks_that_gain_little_are_warned_of_with_the_source),
                                     cmocka_unit_test(test_what_was_measured_is_kept_and_read)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
