/* The board of job messages and the inbox: what is coalesced, what is dropped when they are full, and in which order the rest comes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "api/stream/board.h"
#include "api/stream/inbox.h"

/* Deletions are written without asking the lab, so the board can be tested without one. */
static const int64_t second = 1000000;

static bool any(const void *user, const board_entry *entry)
{
  (void)user;
  (void)entry;
  return true;
}

static bool is_job(const void *user, const board_entry *entry)
{
  return entry->job == *(const int64_t *)user;
}

static void test_changes_are_read_in_order_and_once(void **state)
{
  (void)state;
  board *b = calloc(1, sizeof *b);
  assert_non_null(b);
  for (int64_t job = 3; job >= 1; job--) board_touch(b, job, true);
  assert_null(board_next(b, 0, any, NULL)); /* touched is not yet published */
  assert_true(board_publish(b, NULL, second) == INT64_MAX);
  uint64_t seen = 0;
  for (int64_t job = 3; job >= 1; job--) {
    const board_entry *entry = board_next(b, seen, any, NULL);
    assert_non_null(entry);
    assert_int_equal(entry->job, job);
    seen = entry->change;
  }
  assert_null(board_next(b, seen, any, NULL));
  int64_t wanted = 2;
  assert_string_equal(board_next(b, 0, is_job, &wanted)->text, "{\"type\":\"deleted\",\"job\":2}");
  board_clear(b);
  free(b);
}

/* openapi.yaml: at most 5 messages a second per job, so one each 200 ms. */
static void test_a_job_is_published_five_times_a_second_at_most(void **state)
{
  (void)state;
  board *b = calloc(1, sizeof *b);
  assert_non_null(b);
  int64_t published = 0, due = 0;
  for (int64_t now = 0; now < 2 * second; now += 1000) {
    uint64_t before = b->changes;
    board_touch(b, 1, true);
    due = board_publish(b, NULL, now);
    published += b->changes != before;
    assert_true(due == INT64_MAX || due - now <= 200000);
  }
  assert_int_equal(published, 10);
  uint64_t before = b->changes;
  (void)board_publish(b, NULL, due); /* the last change is not lost */
  assert_int_equal(b->changes, before + 1);
  board_clear(b);
  free(b);
}

static void test_a_full_board_keeps_the_jobs_that_changed_last(void **state)
{
  (void)state;
  board *b = calloc(1, sizeof *b);
  assert_non_null(b);
  for (int64_t job = 1; job <= BOARD_LIMIT + 10; job++) {
    board_touch(b, job, true);
    (void)board_publish(b, NULL, job * second);
  }
  assert_int_equal(b->count, BOARD_LIMIT);
  int64_t oldest = 10, kept = 11;
  assert_null(board_next(b, 0, is_job, &oldest));
  assert_non_null(board_next(b, 0, is_job, &kept));
  board_clear(b);
  free(b);
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

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_changes_are_read_in_order_and_once),
      cmocka_unit_test(test_a_job_is_published_five_times_a_second_at_most),
      cmocka_unit_test(test_a_full_board_keeps_the_jobs_that_changed_last),
      cmocka_unit_test(test_events_of_one_job_meet_in_the_inbox),
      cmocka_unit_test(test_sockets_are_closed_or_taken_and_none_after_stopping),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
