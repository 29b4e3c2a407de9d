/* The state machine of a job, without a store. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "server/job_state.h"
#include "tests/support/suites.h"

enum { outcome_count = ATTEMPT_DISK_FULL + 1, state_count = JOB_CANCELLED + 1 };

/* A recording that says how its run ended is the truth, whatever was asked for while it ended. */
static void test_a_verdict_in_the_recording_stands_against_every_request(void **state)
{
  (void)state;
  for (int asked = 0; asked < 4; asked++) {
    bool cancel = asked & 1, pause = asked & 2;
    assert_int_equal(job_after_attempt(ATTEMPT_SUCCEEDED, 1, 3, cancel, pause).state, JOB_SUCCEEDED);
    assert_int_equal(job_after_attempt(ATTEMPT_FAILED, 1, 3, cancel, pause).state, JOB_FAILED);
    assert_int_equal(job_after_attempt(ATTEMPT_CANCELLED, 1, 3, cancel, pause).state, JOB_CANCELLED);
  }
}

static void test_only_a_death_counts_against_the_attempts_and_the_last_one_fails_the_job(void **state)
{
  (void)state;
  for (int attempt = 1; attempt <= 5; attempt++) {
    job_transition died = job_after_attempt(ATTEMPT_DIED, attempt, 3, false, false);
    assert_true(died.counts);
    assert_int_equal(died.state, attempt < 3 ? JOB_QUEUED : JOB_FAILED);
    job_transition stopped = job_after_attempt(ATTEMPT_STOPPED, attempt, 3, false, false);
    assert_false(stopped.counts);
    assert_int_equal(stopped.state, JOB_QUEUED);
    job_transition blocked = job_after_attempt(ATTEMPT_BLOCKED, attempt, 3, false, false);
    assert_false(blocked.counts);
    assert_int_equal(blocked.state, JOB_QUEUED);
    assert_true(blocked.delay_ms > 0);
  }
}

static void test_an_attempt_without_a_verdict_ends_as_cancelled_when_that_was_asked_for(void **state)
{
  (void)state;
  static const attempt_outcome outcomes[] = {ATTEMPT_STOPPED, ATTEMPT_BLOCKED, ATTEMPT_DIED, ATTEMPT_REFUSED};
  for (size_t i = 0; i < sizeof outcomes / sizeof *outcomes; i++)
    for (int attempt = 1; attempt <= 3; attempt++) {
      assert_int_equal(job_after_attempt(outcomes[i], attempt, 3, true, false).state, JOB_CANCELLED);
      assert_int_equal(job_after_attempt(outcomes[i], attempt, 3, true, true).state, JOB_CANCELLED);
    }
}

static void test_a_stopped_or_dead_attempt_of_a_job_to_be_paused_leaves_it_paused_unless_attempts_are_used_up(void **state)
{
  (void)state;
  assert_int_equal(job_after_attempt(ATTEMPT_STOPPED, 3, 3, false, true).state, JOB_PAUSED);
  assert_int_equal(job_after_attempt(ATTEMPT_DIED, 2, 3, false, true).state, JOB_PAUSED);
  assert_int_equal(job_after_attempt(ATTEMPT_DIED, 3, 3, false, true).state, JOB_FAILED);
}

static void test_waits_between_attempts_grow_and_stay_below_the_limit(void **state)
{
  (void)state;
  int64_t before = 0;
  for (int attempt = 1; attempt < 1000; attempt++) {
    int64_t delay = job_after_attempt(ATTEMPT_DIED, attempt, 1000, false, false).delay_ms;
    assert_true(delay >= before && delay > 0 && delay <= JOB_DELAY_LIMIT_MS);
    before = delay;
  }
  assert_int_equal(before, JOB_DELAY_LIMIT_MS);
}

static void test_damaged_files_are_not_tried_again(void **state)
{
  (void)state;
  assert_int_equal(job_after_attempt(ATTEMPT_REFUSED, 1, 3, false, false).state, JOB_FAILED);
}

/* Each row: what the request leads to from queued, running, paused, succeeded, failed, cancelled; -1: refused. */
static void test_requests_lead_where_the_table_says(void **state)
{
  (void)state;
  static const int expected[3][state_count] = {
      [JOB_CANCEL] = {JOB_CANCELLED, JOB_RUNNING, JOB_CANCELLED, -1, -1, JOB_CANCELLED},
      [JOB_PAUSE] = {JOB_PAUSED, JOB_RUNNING, JOB_PAUSED, -1, -1, -1},
      [JOB_RESUME] = {-1, -1, JOB_QUEUED, -1, -1, -1},
  };
  for (int request = 0; request < 3; request++)
    for (int from = 0; from < state_count; from++) {
      job_answer answer = job_after_request((lab_job_state)from, false, false, (job_request)request);
      assert_int_equal(answer.allowed, expected[request][from] >= 0);
      if (answer.allowed)
        assert_int_equal(answer.state, expected[request][from]);
      else
        assert_non_null(answer.need);
    }
}

static void test_a_running_job_keeps_the_mark_of_a_request_and_cancel_beats_pause(void **state)
{
  (void)state;
  assert_true(job_after_request(JOB_RUNNING, false, false, JOB_CANCEL).cancel_requested);
  assert_true(job_after_request(JOB_RUNNING, false, false, JOB_PAUSE).pause_requested);
  assert_true(job_after_request(JOB_RUNNING, false, true, JOB_CANCEL).cancel_requested);
  assert_false(job_after_request(JOB_RUNNING, true, false, JOB_PAUSE).allowed);
  assert_false(job_after_request(JOB_RUNNING, true, true, JOB_RESUME).allowed);
  job_answer resumed = job_after_request(JOB_RUNNING, false, true, JOB_RESUME);
  assert_true(resumed.allowed);
  assert_false(resumed.pause_requested);
}

/* Whatever happened, an attempt's end never leaves its job running: the next attempt is a new claim. */
static void test_no_outcome_leaves_a_job_running(void **state)
{
  (void)state;
  for (int outcome = 0; outcome < outcome_count; outcome++)
    for (int attempt = 1; attempt <= 4; attempt++)
      for (int asked = 0; asked < 4; asked++)
        assert_int_not_equal(job_after_attempt((attempt_outcome)outcome, attempt, 3, asked & 1, asked & 2).state, JOB_RUNNING);
}

static void test_states_have_names_and_three_of_them_are_ends(void **state)
{
  (void)state;
  static const char *const names[] = {"queued", "running", "paused", "succeeded", "failed", "cancelled"};
  for (int s = 0; s < state_count; s++) {
    assert_string_equal(lab_job_state_name((lab_job_state)s), names[s]);
    assert_int_equal(lab_job_state_ended((lab_job_state)s), s >= JOB_SUCCEEDED);
  }
}

SUITE(test_lab_states)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_verdict_in_the_recording_stands_against_every_request),
      cmocka_unit_test(test_only_a_death_counts_against_the_attempts_and_the_last_one_fails_the_job),
      cmocka_unit_test(test_an_attempt_without_a_verdict_ends_as_cancelled_when_that_was_asked_for),
      cmocka_unit_test(test_a_stopped_or_dead_attempt_of_a_job_to_be_paused_leaves_it_paused_unless_attempts_are_used_up),
      cmocka_unit_test(test_waits_between_attempts_grow_and_stay_below_the_limit),
      cmocka_unit_test(test_damaged_files_are_not_tried_again),
      cmocka_unit_test(test_requests_lead_where_the_table_says),
      cmocka_unit_test(test_a_running_job_keeps_the_mark_of_a_request_and_cancel_beats_pause),
      cmocka_unit_test(test_no_outcome_leaves_a_job_running),
      cmocka_unit_test(test_states_have_names_and_three_of_them_are_ends),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
