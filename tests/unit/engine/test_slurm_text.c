/* What Slurm's programs print, as read by the Slurm executor: lines of Slurm 22.05, and lines that nobody should send. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "server/executor/slurm/slurm_text.h"
#include "tests/support/suites.h"

#define LAB "0123456789abcdef"

static bool read_entry(const char *line, slurm_entry *entry)
{
  return slurm_entry_read(line, strlen(line), entry);
}

static void test_a_name_is_read_as_it_was_written_and_nothing_else_is(void **state)
{
  (void)state;
  static const char *const wrong[] = {"",
                                      "scree",
                                      "scree-" LAB,
                                      "scree-" LAB "-",
                                      "scree-" LAB "-1",
                                      "scree-" LAB "-1-",
                                      "scree-" LAB "-1-2x",
                                      "scree-" LAB "-1-2 ",
                                      "scree-" LAB "-x-2",
                                      "scree-" LAB "--1-2",
                                      "scree-" LAB "-0-2",
                                      "scree-" LAB "-1-0",
                                      "scree-0123456789ABCDEF-1-2",
                                      "scree-0123456789abcde-1-2",
                                      "Scree-" LAB "-1-2",
                                      "scree-" LAB "-99999999999999999999-2",
                                      "scree-" LAB "-1-9223372036854775808"};
  slurm_name name = {.lab = LAB, .job = 12, .token = INT64_MAX / 10 - 1}, again;
  char text[SLURM_NAME_BYTES];
  slurm_name_write(&name, text);
  assert_true(slurm_name_read(text, strlen(text), &again));
  assert_string_equal(again.lab, LAB);
  assert_int_equal(again.job, 12);
  assert_int_equal(again.token, name.token);
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    if (slurm_name_read(wrong[i], strlen(wrong[i]), &again)) fail_msg("'%s' was taken", wrong[i]);
}

/* As `squeue -h -t all -r -o SLURM_QUEUE_FORMAT` of Slurm 22.05.8 printed them. */
static void test_lines_of_the_queue_are_read(void **state)
{
  (void)state;
  slurm_entry entry;
  assert_true(read_entry("7|RUNNING|n1|None|scree-" LAB "-1-3|(null)", &entry));
  assert_int_equal(entry.id, 7);
  assert_int_equal(entry.phase, SLURM_RUNNING);
  assert_string_equal(entry.node, "n1");
  assert_int_equal(entry.name.job, 1);
  assert_int_equal(entry.name.token, 3);
  assert_true(read_entry("3|PENDING||ReqNodeNotAvail, UnavailableNodes:n1|scree-" LAB "-2-4|scree-" LAB "-2-4", &entry));
  assert_int_equal(entry.phase, SLURM_WAITING);
  assert_string_equal(entry.reason, "ReqNodeNotAvail, UnavailableNodes:n1");
  assert_true(read_entry("9|COMPLETED|n1|None|renamed by a site|scree-" LAB "-2-4", &entry));
  assert_int_equal(entry.phase, SLURM_OVER);
  assert_false(read_entry("4|FAILED||BadConstraints|s.sh|(null)", &entry));
  assert_false(read_entry("4|FAILED||BadConstraints|a|b|scree-" LAB "-2-4", &entry));
}

static void test_phases_and_ends_follow_the_engines_states(void **state)
{
  (void)state;
  static const struct {
    const char *name;
    slurm_phase phase;
    executor_cause cause;
  } states[] = {{"PENDING", SLURM_WAITING, 0},
                {"CONFIGURING", SLURM_WAITING, 0},
                {"SUSPENDED", SLURM_WAITING, 0},
                {"REQUEUE_HOLD", SLURM_WAITING, 0},
                {"A_STATE_OF_LATER_VERSIONS", SLURM_WAITING, 0},
                {"RUNNING", SLURM_RUNNING, 0},
                {"COMPLETING", SLURM_ENDING, 0},
                {"COMPLETED", SLURM_OVER, EXECUTOR_DIED},
                {"FAILED", SLURM_OVER, EXECUTOR_DIED},
                {"OUT_OF_MEMORY", SLURM_OVER, EXECUTOR_DIED},
                {"CANCELLED", SLURM_OVER, EXECUTOR_CANCELLED},
                {"TIMEOUT", SLURM_OVER, EXECUTOR_INTERRUPTED},
                {"NODE_FAIL", SLURM_OVER, EXECUTOR_INTERRUPTED},
                {"PREEMPTED", SLURM_OVER, EXECUTOR_INTERRUPTED}};
  for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
    char line[200], why[EXECUTOR_WHY_BYTES] = "";
    slurm_entry entry;
    snprintf(line, sizeof line, "1|%s|n1|None|scree-" LAB "-2-4|", states[i].name);
    assert_true(read_entry(line, &entry));
    if (entry.phase != states[i].phase) fail_msg("%s is phase %d", states[i].name, (int)entry.phase);
    if (entry.phase == SLURM_OVER && slurm_end_of(&entry, why) != states[i].cause) fail_msg("%s: %s", states[i].name, why);
    if (entry.phase == SLURM_OVER) assert_true(strlen(why) > 10);
  }
}

static bool waits_for_ever(const char *phase, const char *reason, char words[EXECUTOR_REASON_BYTES])
{
  char line[300];
  slurm_entry entry;
  snprintf(line, sizeof line, "1|%s||%s|scree-" LAB "-2-4|", phase, reason);
  assert_true(read_entry(line, &entry));
  return slurm_waiting_reason(&entry, words);
}

static void test_what_waits_for_ever_is_told_from_what_waits_its_turn(void **state)
{
  (void)state;
  static const char *const ever[] = {"PartitionConfig", "PartitionTimeLimit",     "BadConstraints",     "InvalidAccount",
                                     "JobHeldAdmin",    "AssocMaxCpuPerJobLimit", "QOSMaxMemoryPerJob", "QOSNotAllowed"};
  static const char *const turn[] = {
      "None", "Priority", "Resources", "ReqNodeNotAvail, UnavailableNodes:n1", "PartitionDown", "QOSMaxJobsPerUserLimit", "A new reason"};
  char words[EXECUTOR_REASON_BYTES];
  for (size_t i = 0; i < sizeof ever / sizeof *ever; i++)
    if (!waits_for_ever("PENDING", ever[i], words)) fail_msg("%s: %s", ever[i], words);
  for (size_t i = 0; i < sizeof turn / sizeof *turn; i++)
    if (waits_for_ever("PENDING", turn[i], words) || !words[0]) fail_msg("%s: %s", turn[i], words);
  assert_false(waits_for_ever("SUSPENDED", "", words));
}

/* As sbatch of Slurm 22.05.8 printed them. */
static void test_failures_of_sbatch_are_told_apart(void **state)
{
  (void)state;
  assert_int_equal(slurm_refusal_of("sbatch: error: Batch job submission failed: Unable to contact slurm controller (connect failure)"),
                   SLURM_AWAY);
  assert_int_equal(slurm_refusal_of("sbatch: error: Batch job submission failed: Socket timed out on send/recv operation"), SLURM_AWAY);
  assert_int_equal(slurm_refusal_of(""), SLURM_AWAY);
  assert_int_equal(slurm_refusal_of("sbatch: error: AssocMaxSubmitJobLimit sbatch: error: Batch job submission failed: Job violates "
                                    "accounting/QOS policy (job submit limit, user's size and/or time limits)"),
                   SLURM_LATER);
  assert_int_equal(slurm_refusal_of("sbatch: error: invalid partition specified: nope sbatch: error: Batch job submission failed: Invalid "
                                    "partition name specified"),
                   SLURM_REFUSED);
  assert_int_equal(slurm_refusal_of("sbatch: error: Memory specification can not be satisfied"), SLURM_REFUSED);
  assert_int_equal(slurm_number_read("17\n"), 17);
  assert_int_equal(slurm_number_read("17;cluster\n"), 17);
  assert_int_equal(slurm_number_read("Submitted batch job 17"), 0);
  assert_int_equal(slurm_number_read("-17"), 0);
  assert_int_equal(slurm_number_read("99999999999999999999"), 0);
}

static void test_lines_of_partitions_are_read(void **state)
{
  (void)state;
  static const struct {
    const char *limit;
    double seconds;
  } limits[] = {{"1:00:00", 3600}, {"1:00", 60}, {"30", 1800}, {"infinite", 0}, {"3-12:30:05", 3 * 86400 + 12 * 3600 + 1805},
                {"2-0", 172800}};
  executor_partition p;
  for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
    char line[100];
    snprintf(line, sizeof line, "main*|up|%s|0/6/2/8|1|4000+", limits[i].limit);
    assert_true(slurm_partition_read(line, strlen(line), &p));
    if (p.time_limit != limits[i].seconds) fail_msg("%s is read as %g s", limits[i].limit, p.time_limit);
  }
  assert_string_equal(p.name, "main");
  assert_true(p.is_default && p.up);
  assert_int_equal(p.idle_processors, 6);
  assert_int_equal(p.processors, 8);
  assert_int_equal(p.nodes, 1);
  assert_true(p.memory_bytes == 4000 * 1048576.0);
  static const char *const wrong[] = {"",
                                      "*|up|1:00|0/6/2/8|1|4000",
                                      "main|up|1:00|0/6/2|1|4000",
                                      "main|up|x|0/6/2/8|1|4000",
                                      "main|up|1:00|0/6/2/8|1",
                                      "main|up|1:00|0/6/2/8|-1|4000",
                                      "main|up|1:00|0/99999999999/2/8|1|4000"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    if (slurm_partition_read(wrong[i], strlen(wrong[i]), &p)) fail_msg("'%s' was taken", wrong[i]);
}

static void assert_plain(const char *text, size_t capacity)
{
  size_t length = strnlen(text, capacity);
  assert_true(length < capacity);
  for (size_t i = 0; i < length; i++) assert_true((unsigned char)text[i] >= 32 && (unsigned char)text[i] < 127);
}

/* Lines with bytes changed, cut, doubled at random, also in blocks without a terminating zero: what is taken is plain text within its
 * bounds. */
static void test_damaged_lines_are_passed_over_or_read_as_plain_text(void **state)
{
  (void)state;
  static const char *const lines[] = {"7|RUNNING|n1|None|scree-" LAB "-1-3|scree-" LAB "-1-3", "main*|up|3-12:30:05|0/6/2/8|1|4000+"};
  uint64_t random = 20261126;
  size_t taken = 0;
  for (int i = 0; i < 40000; i++) {
    size_t length = strlen(lines[i % 2]);
    char *line = malloc(length + 1); /* exactly as long as it is: the sanitizers see what reads beyond */
    memcpy(line, lines[i % 2], length);
    int changes = (int)(random_uniform(&random) * 4);
    for (int k = 0; k < changes; k++) line[(size_t)(random_uniform(&random) * (double)length)] = (char)(random_uniform(&random) * 256);
    if (i % 3 == 0) length = (size_t)(random_uniform(&random) * (double)length);
    line = realloc(line, length ? length : 1);
    slurm_entry entry;
    executor_partition partition;
    char words[EXECUTOR_REASON_BYTES], why[EXECUTOR_WHY_BYTES];
    if (slurm_entry_read(line, length, &entry)) {
      taken++;
      assert_plain(entry.state, sizeof entry.state);
      assert_plain(entry.node, sizeof entry.node);
      assert_plain(entry.reason, sizeof entry.reason);
      slurm_waiting_reason(&entry, words);
      assert_plain(words, sizeof words);
      slurm_end_of(&entry, why);
      assert_plain(why, sizeof why);
    }
    if (slurm_partition_read(line, length, &partition)) {
      taken++;
      assert_plain(partition.name, sizeof partition.name);
      assert_true(partition.time_limit >= 0);
    }
    free(line);
  }
  assert_in_range(taken, 8000, 39000);
}

static void test_words_for_the_engine_are_no_options(void **state)
{
  (void)state;
  assert_true(slurm_word_is_plain("", false));
  assert_true(slurm_word_is_plain("long,short", false));
  assert_false(slurm_word_is_plain("-p", false));
  assert_false(slurm_word_is_plain("a b", false));
  assert_false(slurm_word_is_plain("a;b", false));
  assert_false(slurm_word_is_plain("a&b", false));
  assert_false(slurm_word_is_plain("\xc3\xa4", false));
  assert_true(slurm_word_is_plain("[rack1*2&rack2*4]", true));
  assert_false(slurm_word_is_plain("$(x)", true));
}

SUITE(test_slurm_text)
{
  (void)argc, (void)argv;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_name_is_read_as_it_was_written_and_nothing_else_is),
      cmocka_unit_test(test_lines_of_the_queue_are_read),
      cmocka_unit_test(test_phases_and_ends_follow_the_engines_states),
      cmocka_unit_test(test_what_waits_for_ever_is_told_from_what_waits_its_turn),
      cmocka_unit_test(test_failures_of_sbatch_are_told_apart),
      cmocka_unit_test(test_lines_of_partitions_are_read),
      cmocka_unit_test(test_damaged_lines_are_passed_over_or_read_as_plain_text),
      cmocka_unit_test(test_words_for_the_engine_are_no_options),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
