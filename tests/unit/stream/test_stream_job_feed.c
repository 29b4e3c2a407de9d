/* The feed of job messages and the inbox: what is coalesced, in which order it comes, and that nothing is dropped in silence when they
 * are full. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "api/stream/job_feed.h"
#include "api/stream/inbox.h"
#include "tests/support/suites.h"

/* Deletions are written without asking the lab, so the feed can be tested without one. */
static const int64_t second = 1000000;

static bool any(const void *user, const job_feed_entry *entry)
{
  (void)user;
  (void)entry;
  return true;
}

static bool is_job(const void *user, const job_feed_entry *entry)
{
  return entry->job == *(const int64_t *)user;
}

static job_feed *new_feed(void)
{
  job_feed *b = calloc(1, sizeof *b);
  assert_non_null(b);
  return b;
}

static void drop_feed(job_feed *b)
{
  job_feed_clear(b);
  free(b);
}

/* Puts up what is due, as the stream does; jobs that are not deleted get a message that only names them. @return how many were asked for */
static size_t publish(job_feed *b, int64_t now_us, int64_t *next)
{
  int64_t jobs[64];
  size_t all = 0, count;
  while ((count = job_feed_due(b, now_us, jobs, 64, next)) > 0) {
    for (size_t i = 0; i < count; i++) {
      char text[32];
      snprintf(text, sizeof text, "job %lld", (long long)jobs[i]);
      job_feed_answer(b, jobs[i], strdup(text), false, now_us);
    }
    all += count;
  }
  return all;
}

static void test_changes_are_read_in_order_and_once(void **state)
{
  (void)state;
  job_feed *b = new_feed();
  uint64_t seen = 0;
  int64_t next = 0;
  for (int64_t job = 3; job >= 1; job--) job_feed_touch(b, job, job == 2);
  assert_null(job_feed_next(b, &seen, any, NULL)); /* touched is not yet published */
  assert_int_equal(publish(b, second, &next), 2);
  assert_true(next == INT64_MAX);
  int64_t wanted = 2;
  uint64_t from = 0;
  assert_string_equal(job_feed_next(b, &from, is_job, &wanted)->text, "{\"type\":\"deleted\",\"job\":2}");
  bool met[4] = {false};
  for (uint64_t last = 0; seen < b->changes; last = seen) {
    const job_feed_entry *entry = job_feed_next(b, &seen, any, NULL);
    assert_non_null(entry);
    assert_true(entry->change > last && !met[entry->job]);
    met[entry->job] = true;
  }
  assert_true(met[1] && met[2] && met[3]);
  assert_null(job_feed_next(b, &seen, any, NULL));
  drop_feed(b);
}

/* openapi.yaml: at most 5 messages a second per job, so one each 200 ms. */
static void test_a_job_is_published_five_times_a_second_at_most(void **state)
{
  (void)state;
  job_feed *b = new_feed();
  int64_t published = 0, due = 0;
  for (int64_t now = 0; now < 2 * second; now += 1000) {
    uint64_t before = b->changes;
    job_feed_touch(b, 1, false);
    (void)publish(b, now, &due);
    published += b->changes != before;
    assert_true(due == INT64_MAX || due - now <= 200000);
  }
  assert_int_equal(published, 10);
  uint64_t before = b->changes;
  (void)publish(b, due, &due); /* the last change is not lost */
  assert_int_equal(b->changes, before + 1);
  drop_feed(b);
}

/* What happens between question and answer is told by another question; a lab that failed is asked again, not forgotten. */
static void test_a_change_while_the_lab_is_asked_is_told_later(void **state)
{
  (void)state;
  job_feed *b = new_feed();
  int64_t job = 0, next = 0;
  job_feed_touch(b, 7, false);
  assert_int_equal(job_feed_due(b, second, &job, 1, &next), 1);
  job_feed_touch(b, 7, false);
  assert_int_equal(job_feed_due(b, 2 * second, &job, 1, &next), 0); /* one question at a time: answers can't overtake each other */
  job_feed_answer(b, 7, NULL, true, 2 * second);
  assert_int_equal(job_feed_due(b, 2 * second, &job, 1, &next), 0);
  assert_true(next == 2 * second + 200000);
  assert_int_equal(job_feed_due(b, next, &job, 1, &next), 1);
  job_feed_answer(b, 7, strdup("now"), false, 3 * second);
  uint64_t seen = 0;
  assert_string_equal(job_feed_next(b, &seen, any, NULL)->text, "now");
  drop_feed(b);
}

static void test_600_jobs_that_change_at_once_are_all_told(void **state)
{
  (void)state;
  job_feed *b = new_feed();
  int64_t next = 0;
  for (int64_t job = 1; job <= 600; job++) job_feed_touch(b, job, false);
  assert_int_equal(publish(b, second, &next), 600);
  uint64_t seen = 0;
  size_t told = 0;
  assert_false(job_feed_missed(b, seen));
  while (job_feed_next(b, &seen, any, NULL)) told++;
  assert_int_equal(told, 600);
  drop_feed(b);
}

/* Whoever reads it all has missed nothing; whoever read nothing finds out. Never both silent and short. */
static void test_a_full_board_gives_up_what_is_out_and_says_so(void **state)
{
  (void)state;
  job_feed *b = new_feed();
  int64_t next = 0;
  uint64_t keen = 0;
  size_t told = 0;
  const int64_t jobs = 3 * JOB_FEED_LOG;
  for (int64_t job = 1; job <= jobs; job++) {
    job_feed_touch(b, job, job % 3 == 0);
    (void)publish(b, job * second, &next);
    assert_false(job_feed_missed(b, keen));
    while (job_feed_next(b, &keen, any, NULL)) told++;
  }
  assert_int_equal(told, jobs);
  assert_true(b->count <= JOB_FEED_LIMIT);
  assert_true(job_feed_missed(b, 0));
  drop_feed(b);
}

static void test_what_is_still_to_be_told_is_never_dropped(void **state)
{
  (void)state;
  job_feed *b = new_feed();
  int64_t next = 0;
  for (int64_t job = 1; job <= JOB_FEED_LIMIT; job++) job_feed_touch(b, job, false);
  assert_false(job_feed_missed(b, 0));
  job_feed_touch(b, JOB_FEED_LIMIT + 1, false);
  assert_true(job_feed_missed(b, 0)); /* one too many: everybody asks anew */
  uint64_t seen = b->changes;
  assert_int_equal(publish(b, second, &next), JOB_FEED_LIMIT);
  size_t told = 0;
  while (job_feed_next(b, &seen, any, NULL)) told++;
  assert_int_equal(told, JOB_FEED_LIMIT);
  drop_feed(b);
}

/* One job that changes for ever wears the log out under a job that rests. */
static void test_a_viewer_far_behind_finds_out(void **state)
{
  (void)state;
  job_feed *b = new_feed();
  int64_t next = 0;
  job_feed_touch(b, 1, false);
  (void)publish(b, second, &next);
  for (int64_t i = 2; i <= JOB_FEED_LOG; i++) {
    job_feed_touch(b, 2, false);
    (void)publish(b, i * second, &next);
  }
  assert_false(job_feed_missed(b, 0));
  job_feed_touch(b, 2, false);
  (void)publish(b, (JOB_FEED_LOG + 1) * second, &next);
  assert_true(job_feed_missed(b, 0));
  assert_false(job_feed_missed(b, 1));
  assert_int_equal(b->count, 1); /* nobody would find the other one any more */
  job_feed_forget(b);
  assert_true(job_feed_missed(b, b->changes - 1));
  assert_false(job_feed_missed(b, b->changes));
  drop_feed(b);
}

/* A full feed drops the message that was written longest ago: whoever has not read it misses something, whoever read it and nothing
 * after it does not. */
static void test_who_has_not_read_what_was_dropped_finds_out(void **state)
{
  (void)state;
  job_feed *b = new_feed();
  int64_t next = 0;
  for (int64_t job = 1; job <= JOB_FEED_LIMIT; job++) {
    job_feed_touch(b, job, false);
    (void)publish(b, job * second, &next);
  }
  assert_false(job_feed_missed(b, 0));
  for (int64_t more = 1; more <= 3; more++) {
    job_feed_touch(b, JOB_FEED_LIMIT + more, false);
    assert_true(job_feed_missed(b, (uint64_t)more - 1));
    assert_false(job_feed_missed(b, (uint64_t)more));
    (void)publish(b, (JOB_FEED_LIMIT + more) * second, &next);
  }
  drop_feed(b);
}

/* A message that is being written anew has no place in the log while another job's changes go round it: it is kept, and who has not
 * read its last one finds out to the number. */
static void test_changes_that_the_log_went_round_are_missed(void **state)
{
  (void)state;
  job_feed *b = new_feed();
  int64_t next = 0, job = 0;
  job_feed_touch(b, 1, false);
  (void)publish(b, second, &next);
  job_feed_touch(b, 1, false);
  assert_int_equal(job_feed_due(b, 2 * second, &job, 1, &next), 1); /* the lab is asked, and answers at the very end */
  for (int64_t i = 1; i <= JOB_FEED_LOG + 2; i++) {
    job_feed_touch(b, 2, false);
    (void)publish(b, (2 + i) * second, &next);
  }
  assert_int_equal(b->changes, JOB_FEED_LOG + 3);
  assert_int_equal(b->count, 2);
  for (uint64_t seen = 0; seen < 6; seen++) assert_int_equal(job_feed_missed(b, seen), seen < 3);
  job_feed_answer(b, 1, strdup("at last"), false, (JOB_FEED_LOG + 5) * second);
  uint64_t seen = b->changes - 1;
  assert_string_equal(job_feed_next(b, &seen, any, NULL)->text, "at last");
  drop_feed(b);
}

static void test_events_of_one_job_meet_in_the_inbox(void **state)
{
  (void)state;
  inbox *in = calloc(1, sizeof *in);
  inbox_content *content = calloc(1, sizeof *content);
  assert_true(in && content);
  inbox_init(in);
  for (int i = 0; i < 1000; i++) inbox_put_job(in, 7, i % 2 ? LAB_EVENT_JOB : LAB_EVENT_RECORDED);
  inbox_take(in, content);
  assert_int_equal(content->job_count, 1);
  assert_int_equal(content->jobs[0].events, 1u << LAB_EVENT_JOB | 1u << LAB_EVENT_RECORDED);
  assert_false(content->overflow);
  inbox_take(in, content);
  assert_int_equal(content->job_count, 0);
  for (int64_t job = 1; job <= INBOX_JOBS + 1; job++) inbox_put_job(in, job, LAB_EVENT_JOB);
  inbox_take(in, content);
  assert_true(content->overflow); /* whoever takes it looks at every job that is followed */
  inbox_take(in, content);
  assert_false(content->overflow);
  inbox_destroy(in);
  free(in);
  free(content);
}

static void test_sockets_are_closed_or_taken_and_none_after_stopping(void **state)
{
  (void)state;
  int pair[2];
  char byte;
  inbox *in = calloc(1, sizeof *in);
  assert_non_null(in);
  inbox_init(in);
  assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
  assert_true(inbox_put_socket(in, pair[0]));
  inbox_put_stop(in);
  assert_false(inbox_put_socket(in, pair[0]));
  inbox_destroy(in);
  assert_int_equal(read(pair[1], &byte, 1), 0); /* the other end was closed */
  close(pair[1]);
  free(in);
}

SUITE(test_stream_job_feed)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_changes_are_read_in_order_and_once),
      cmocka_unit_test(test_a_job_is_published_five_times_a_second_at_most),
      cmocka_unit_test(test_a_change_while_the_lab_is_asked_is_told_later),
      cmocka_unit_test(test_600_jobs_that_change_at_once_are_all_told),
      cmocka_unit_test(test_a_full_board_gives_up_what_is_out_and_says_so),
      cmocka_unit_test(test_what_is_still_to_be_told_is_never_dropped),
      cmocka_unit_test(test_a_viewer_far_behind_finds_out),
      cmocka_unit_test(test_who_has_not_read_what_was_dropped_finds_out),
      cmocka_unit_test(test_changes_that_the_log_went_round_are_missed),
      cmocka_unit_test(test_events_of_one_job_meet_in_the_inbox),
      cmocka_unit_test(test_sockets_are_closed_or_taken_and_none_after_stopping),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
