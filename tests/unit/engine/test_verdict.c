/* How an attempt at a batch engine ended, and why: what the engine did to it is no fault of its job as long as the run gets on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <signal.h>
#include <string.h>

#include "server/supervisor/verdict.h"
#include "tests/support/suites.h"

static const recording_end unended = {.ended = false};

static attempt_facts facts_of(executor_cause cause)
{
  attempt_facts facts = {.ended = {.by_signal = true, .code = SIGKILL, .cause = cause, .why = "the engine's words"},
                         .recording = &unended,
                         .text = "",
                         .directory = "/nonexistent"};
  return facts;
}

static void assert_judged(attempt_facts facts, attempt_outcome outcome, const char *part)
{
  char message[700];
  attempt_outcome judged = attempt_judge(&facts, message, sizeof message);
  if (judged != outcome) fail_msg("%s instead of %s: %s", attempt_outcome_name(judged), attempt_outcome_name(outcome), message);
  if (!strstr(message, part)) fail_msg("'%s' is not in '%s'", part, message);
}

static void test_an_interruption_counts_only_when_the_run_got_no_further(void **state)
{
  (void)state;
  attempt_facts facts = facts_of(EXECUTOR_INTERRUPTED);
  assert_judged(facts, ATTEMPT_DIED, "this attempt made no progress");
  facts.progressed = true;
  assert_judged(facts, ATTEMPT_STOPPED, "the engine's words");
  facts.progressed = false;
  facts.asked = true;
  assert_judged(facts, ATTEMPT_STOPPED, "");
  facts = facts_of(EXECUTOR_INTERRUPTED); /* with a checkpoint saved at the engine's warning */
  facts.ended.by_signal = false;
  facts.ended.code = WORKER_STOPPED;
  assert_judged(facts, ATTEMPT_DIED, "this attempt made no progress");
}

static void test_other_ends_at_an_engine_follow_their_cause(void **state)
{
  (void)state;
  assert_judged(facts_of(EXECUTOR_REFUSED), ATTEMPT_REFUSED, "the engine's words");
  assert_judged(facts_of(EXECUTOR_CANCELLED), ATTEMPT_CANCELLED, "the engine's words");
  assert_judged(facts_of(EXECUTOR_DIED), ATTEMPT_DIED, "the engine's words");
  assert_judged(facts_of(EXECUTOR_LOST), ATTEMPT_STOPPED, "the engine's words");
  assert_judged(facts_of(EXECUTOR_ITSELF), ATTEMPT_DIED, "SIGKILL");
  attempt_facts facts = facts_of(EXECUTOR_CANCELLED);
  facts.asked = true; /* by this lab, for a pause or a shutdown */
  assert_judged(facts, ATTEMPT_STOPPED, "");
}

static void test_an_end_in_the_recording_stands_whatever_the_engine_says(void **state)
{
  (void)state;
  const recording_end succeeded = {.ended = true, .outcome = ATTEMPT_SUCCEEDED};
  for (int cause = EXECUTOR_ITSELF; cause <= EXECUTOR_LOST; cause++) {
    attempt_facts facts = facts_of((executor_cause)cause);
    facts.recording = &succeeded;
    assert_judged(facts, ATTEMPT_SUCCEEDED, "");
  }
}

SUITE(test_verdict)
{
  (void)argc, (void)argv;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_an_interruption_counts_only_when_the_run_got_no_further),
      cmocka_unit_test(test_other_ends_at_an_engine_follow_their_cause),
      cmocka_unit_test(test_an_end_in_the_recording_stands_whatever_the_engine_says),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
