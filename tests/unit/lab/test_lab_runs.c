/* A lab with acting workers (tests/support/actor.h): every way a run can go, and every request in every state. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "server/lab/lab.h"
#include "tests/support/actor_lab.h"
#include "tests/support/folder.h"
#include "tests/support/suites.h"

/* ── how runs end ─────────────────────────────────────────────────────────────────────────────────────────────── */

static void test_a_job_runs_to_its_verdict_with_the_recordings_numbers(void **state)
{
  actor_lab *f = *state;
  actor_lab_open(f, 10);
  lab_job job = actor_lab_submit(f, "succeed");
  assert_int_equal(job.id, 1);
  assert_int_equal(job.state, JOB_QUEUED);
  job = actor_lab_wait(f, 1, JOB_SUCCEEDED);
  assert_int_equal(job.attempt, 1);
  assert_string_equal(job.error, "");
  assert_true(job.started_ms >= job.created_ms && job.ended_ms >= job.started_ms);
  assert_int_equal(job.progress.step, 77);
  assert_int_equal(job.progress.last_seq, 2);
  assert_true(job.progress.sim_time == 1.5 && job.progress.headline_count == 1 && job.progress.headlines[0].value == 2 &&
              strcmp(job.progress.headlines[0].label, "Force") == 0);
}

static void test_a_run_that_failed_ends_the_job_with_the_recordings_reason_and_no_second_try(void **state)
{
  actor_lab *f = *state;
  lab_job job = actor_lab_run(f, 10, "fail", JOB_FAILED);
  assert_int_equal(job.attempt, 1);
  assert_string_equal(job.error, "as the play has it");
}

static void test_a_worker_that_keeps_dying_fails_its_job_with_signal_and_last_log_line(void **state)
{
  actor_lab *f = *state;
  lab_job job = actor_lab_run(f, 10, "die", JOB_FAILED);
  assert_int_equal(job.attempt, 2);
  assert_non_null(strstr(job.error, "SIGKILL"));
  assert_non_null(strstr(job.error, "the stage is on fire"));
  assert_null(strchr(job.error, '\xff')); /* what a log holds is not taken for text */
}

static void test_a_worker_that_dies_once_is_started_again(void **state)
{
  actor_lab *f = *state;
  assert_int_equal(actor_lab_run(f, 10, "die-once", JOB_SUCCEEDED).attempt, 2);
}

/* Killed between its verdict and its exit: the recording is the truth, so there is no second attempt. */
static void test_a_verdict_in_the_recording_counts_however_the_worker_ended(void **state)
{
  actor_lab *f = *state;
  assert_int_equal(actor_lab_run(f, 10, "last-gasp", JOB_SUCCEEDED).attempt, 1);
}

static void test_success_without_a_recording_is_not_believed(void **state)
{
  actor_lab *f = *state;
  lab_job job = actor_lab_run(f, 10, "liar", JOB_FAILED);
  assert_int_equal(job.attempt, 2);
  assert_non_null(strstr(job.error, "without an end"));
}

static void test_damaged_input_fails_at_once_with_the_workers_words(void **state)
{
  actor_lab *f = *state;
  lab_job job = actor_lab_run(f, 10, "refuse", JOB_FAILED);
  assert_int_equal(job.attempt, 1);
  assert_string_equal(job.error, "the checkpoint is damaged");
}

static void test_a_worker_that_hangs_is_killed_when_its_lease_ends(void **state)
{
  actor_lab *f = *state;
  lab_job job = actor_lab_run(f, 0.3, "hang", JOB_FAILED);
  assert_int_equal(job.attempt, 2);
  assert_non_null(strstr(job.error, "did not respond for 0.3 s"));
}

/* ── requests ─────────────────────────────────────────────────────────────────────────────────────────────────── */

static void test_a_running_job_is_cancelled_by_its_own_worker(void **state)
{
  actor_lab *f = *state;
  lab_job job;
  actor_lab_open(f, 10);
  actor_lab_submit(f, "beat");
  actor_lab_wait_alive(f, 1);
  assert_int_equal(lab_cancel(f->lab, 1, &job, NULL), LAB_OK);
  assert_true(job.cancel_requested);
  assert_int_equal(actor_lab_wait(f, 1, JOB_CANCELLED).progress.last_seq, 2); /* the recording got its end */
  assert_int_equal(lab_cancel(f->lab, 1, &job, NULL), LAB_OK);
}

/* Message, then SIGTERM, then SIGKILL, each after a lease's time: here 2 s, longer than a loaded machine holds up a beat, which would end
 * the job as silent. */
static void test_a_worker_that_minds_nothing_is_killed_and_its_job_cancelled(void **state)
{
  actor_lab *f = *state;
  lab_job job;
  actor_lab_open(f, 2);
  actor_lab_submit(f, "deaf");
  actor_lab_wait_alive(f, 1);
  assert_int_equal(lab_cancel(f->lab, 1, &job, NULL), LAB_OK);
  actor_lab_wait(f, 1, JOB_CANCELLED);
}

static void test_cancelling_works_in_every_state_but_the_other_ends(void **state)
{
  actor_lab *f = *state;
  lab_job job;
  scr_error error = {0};
  actor_lab_open(f, 10);
  for (int i = 0; i < 2; i++) actor_lab_wait_alive(f, actor_lab_submit(f, "beat").id);
  int64_t queued = actor_lab_submit(f, "beat").id, paused = actor_lab_submit(f, "beat").id;
  assert_int_equal(lab_pause(f->lab, paused, &job, NULL), LAB_OK);
  assert_int_equal(job.state, JOB_PAUSED);
  assert_int_equal(lab_cancel(f->lab, queued, &job, NULL), LAB_OK);
  assert_int_equal(job.state, JOB_CANCELLED);
  assert_int_equal(lab_cancel(f->lab, paused, &job, NULL), LAB_OK);
  assert_int_equal(job.state, JOB_CANCELLED);
  assert_int_equal(lab_cancel(f->lab, 1, &job, NULL), LAB_OK);
  actor_lab_wait(f, 1, JOB_CANCELLED);
  int64_t done = actor_lab_submit(f, "succeed").id;
  actor_lab_wait(f, done, JOB_SUCCEEDED);
  assert_int_equal(lab_cancel(f->lab, done, &job, &error), LAB_CONFLICT);
  assert_non_null(strstr(error.message, "succeeded"));
  assert_int_equal(lab_cancel(f->lab, 99, &job, &error), LAB_NOT_FOUND);
}

static void test_a_paused_job_lets_go_of_its_worker_and_goes_on_when_resumed(void **state)
{
  actor_lab *f = *state;
  lab_job job;
  scr_error error = {0};
  actor_lab_open(f, 10);
  actor_lab_submit(f, "beat-once");
  actor_lab_wait_alive(f, 1);
  assert_int_equal(lab_resume(f->lab, 1, &job, &error), LAB_CONFLICT);
  assert_int_equal(lab_pause(f->lab, 1, &job, NULL), LAB_OK);
  job = actor_lab_wait(f, 1, JOB_PAUSED);
  assert_int_equal(job.attempt, 0); /* being paused uses up no attempt */
  assert_int_equal(lab_pause(f->lab, 1, &job, NULL), LAB_OK);
  assert_int_equal(lab_resume(f->lab, 1, &job, NULL), LAB_OK);
  assert_int_equal(actor_lab_wait(f, 1, JOB_SUCCEEDED).attempt, 1);
}

static void test_deleting_takes_row_and_files_and_only_of_ended_jobs(void **state)
{
  actor_lab *f = *state;
  lab_job job;
  scr_error error = {0};
  char path[4200];
  actor_lab_open(f, 10);
  actor_lab_submit(f, "beat");
  actor_lab_wait_alive(f, 1);
  assert_int_equal(lab_delete(f->lab, 1, &error), LAB_CONFLICT);
  assert_int_equal(lab_cancel(f->lab, 1, &job, NULL), LAB_OK);
  actor_lab_wait(f, 1, JOB_CANCELLED);
  assert_int_equal(lab_job_file(f->lab, 1, "recording.scree", path, sizeof path, NULL), LAB_OK);
  assert_int_equal(access(path, F_OK), 0);
  assert_int_equal(lab_delete(f->lab, 1, NULL), LAB_OK);
  assert_int_not_equal(access(path, F_OK), 0);
  assert_int_equal(lab_get(f->lab, 1, &job, NULL), LAB_NOT_FOUND);
  assert_int_equal(lab_delete(f->lab, 1, NULL), LAB_NOT_FOUND);
  assert_int_equal(lab_job_file(f->lab, 1, "recording.scree", path, sizeof path, NULL), LAB_NOT_FOUND);
  assert_int_equal(actor_lab_submit(f, "succeed").id, 2);
}

static void test_no_file_outside_a_jobs_directory_can_be_named(void **state)
{
  actor_lab *f = *state;
  char path[4200];
  actor_lab_open(f, 10);
  actor_lab_submit(f, "succeed");
  static const char *const names[] = {"", ".", "..", "../scree.db", "a/b", "/etc/passwd", ".hidden"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    assert_int_equal(lab_job_file(f->lab, 1, names[i], path, sizeof path, NULL), LAB_FAILED);
}

static lab_status submit(actor_lab *f, const char *scene, const char *key, lab_job *job, bool *created, scr_problems *problems,
                         scr_error *error)
{
  lab_submission submission = {.scene = scene, .scene_length = strlen(scene), .key = key};
  return lab_submit(f->lab, &submission, job, created, problems, error);
}

/* ── submitting ───────────────────────────────────────────────────────────────────────────────────────────────── */

static void test_a_refused_scene_leaves_no_job_and_says_why(void **state)
{
  actor_lab *f = *state;
  lab_job job;
  bool created;
  scr_problems problems = {0};
  scr_error error = {0};
  actor_lab_open(f, 10);
  assert_int_equal(submit(f, "{\"scree\":1}", NULL, &job, &created, &problems, &error), LAB_REFUSED);
  assert_true(problems.count > 0);
  scr_problems_clear(&problems);
  assert_int_equal(lab_get(f->lab, 1, &job, NULL), LAB_NOT_FOUND);
  assert_int_equal(actor_lab_submit(f, "succeed").id, 1);
}

static void test_a_key_used_again_gives_the_first_job_even_while_draining(void **state)
{
  actor_lab *f = *state;
  lab_job job;
  bool created;
  scr_problems problems = {0};
  scr_error error = {0};
  actor_lab_open(f, 10);
  char *scene = actor_scene("succeed"), *other = actor_scene("fail");
  assert_int_equal(submit(f, scene, "k", &job, &created, &problems, NULL), LAB_OK);
  assert_true(created);
  assert_int_equal(submit(f, scene, "k", &job, &created, &problems, NULL), LAB_OK);
  assert_false(created);
  assert_int_equal(job.id, 1);
  assert_int_equal(submit(f, other, "k", &job, &created, &problems, &error), LAB_KEY_REUSED);
  lab_drain(f->lab);
  assert_int_equal(submit(f, scene, "k", &job, &created, &problems, NULL), LAB_OK);
  assert_int_equal(submit(f, scene, "new", &job, &created, &problems, &error), LAB_DRAINING);
  char reason[200];
  assert_false(lab_ready(f->lab, reason, sizeof reason));
  free(scene);
  free(other);
}

/* ── events ───────────────────────────────────────────────────────────────────────────────────────────────────── */

typedef struct tally {
  atomic_int job, recorded, deleted;
} tally;

static void count_event(void *user, int64_t id, lab_event event)
{
  tally *t = user;
  if (id != 1) return;
  atomic_fetch_add(event == LAB_EVENT_JOB ? &t->job : event == LAB_EVENT_RECORDED ? &t->recorded : &t->deleted, 1);
}

static void test_a_listener_hears_of_states_records_and_deletion_until_it_is_taken_away(void **state)
{
  actor_lab *f = *state;
  tally t = {0};
  actor_lab_open(f, 10);
  lab_listen(f->lab, count_event, &t);
  actor_lab_submit(f, "succeed");
  actor_lab_wait(f, 1, JOB_SUCCEEDED);
  assert_int_equal(lab_delete(f->lab, 1, NULL), LAB_OK);
  for (int i = 0; i < 12000 && atomic_load(&t.deleted) == 0; i++) usleep(5000);
  assert_int_equal(atomic_load(&t.deleted), 1);
  assert_true(atomic_load(&t.job) >= 3); /* queued, running, succeeded */
  assert_true(atomic_load(&t.recorded) >= 1);
  lab_listen(f->lab, NULL, NULL);
  int before = atomic_load(&t.job);
  actor_lab_submit(f, "succeed");
  actor_lab_wait(f, 2, JOB_SUCCEEDED);
  assert_int_equal(atomic_load(&t.job), before);
}

/* ── many threads ─────────────────────────────────────────────────────────────────────────────────────────────── */

enum { thread_count = 3, operations = 12 };

typedef struct gambler {
  actor_lab *f;
  unsigned seed;
} gambler;

static void *gamble(void *argument)
{
  static const char *const parts[] = {"succeed", "beat", "die-once", "fail", "beat-once", "last-gasp"};
  gambler *g = argument;
  lab_job job;
  for (int i = 0; i < operations; i++) {
    int64_t id = 1 + rand_r(&g->seed) % (thread_count * operations);
    switch (rand_r(&g->seed) % 5) {
    case 0: lab_cancel(g->f->lab, id, &job, NULL); break;
    case 1: lab_pause(g->f->lab, id, &job, NULL); break;
    case 2: lab_resume(g->f->lab, id, &job, NULL); break;
    default: actor_lab_submit(g->f, parts[rand_r(&g->seed) % 6]); break;
    }
    usleep(rand_r(&g->seed) % 20000);
  }
  return NULL;
}

/* Random operations by three threads, seeds 1 to 3. Invariant: every job ends, exactly once (its state and its time of end do not change
 * any more), and no worker ever met another one in its directory. */
static void test_random_requests_by_several_threads_end_every_job_exactly_once(void **state)
{
  actor_lab *f = *state;
  gambler gamblers[thread_count];
  pthread_t threads[thread_count];
  lab_job jobs[thread_count * operations], job;
  size_t count;
  char cursor[LAB_CURSOR_BYTES];
  actor_lab_open(f, 10);
  for (int i = 0; i < thread_count; i++) {
    gamblers[i] = (gambler){f, (unsigned)i + 1};
    assert_int_equal(pthread_create(&threads[i], NULL, gamble, &gamblers[i]), 0);
  }
  for (int i = 0; i < thread_count; i++) pthread_join(threads[i], NULL);
  assert_int_equal(lab_list(f->lab, &(lab_query){.descending = true}, jobs, thread_count * operations, &count, cursor, NULL), LAB_OK);
  assert_true(count > 0);
  for (size_t i = 0; i < count; i++) { /* whoever beats for ever, or is paused, is cancelled now */
    lab_job_state now = actor_lab_get(f, jobs[i].id).state;
    if (!lab_job_state_ended(now)) lab_cancel(f->lab, jobs[i].id, &job, NULL);
  }
  for (size_t i = 0; i < count; i++)
    for (int wait = 0; !lab_job_state_ended((jobs[i] = actor_lab_get(f, jobs[i].id)).state); wait++) {
      assert_true(wait < 4000);
      usleep(5000);
    }
  usleep(100000);
  for (size_t i = 0; i < count; i++) {
    char path[4200];
    job = actor_lab_get(f, jobs[i].id);
    assert_int_equal(job.state, jobs[i].state);
    assert_int_equal(job.ended_ms, jobs[i].ended_ms);
    assert_int_equal(lab_job_file(f->lab, job.id, "met-another", path, sizeof path, NULL), LAB_OK);
    assert_int_not_equal(access(path, F_OK), 0);
  }
}

SUITE(test_lab_runs)
{
  ACTOR_MAIN(argc, argv);
  const struct CMUnitTest tests[] = {
      WITH_ACTOR_LAB(test_a_job_runs_to_its_verdict_with_the_recordings_numbers),
      WITH_ACTOR_LAB(test_a_run_that_failed_ends_the_job_with_the_recordings_reason_and_no_second_try),
      WITH_ACTOR_LAB(test_a_worker_that_keeps_dying_fails_its_job_with_signal_and_last_log_line),
      WITH_ACTOR_LAB(test_a_worker_that_dies_once_is_started_again),
      WITH_ACTOR_LAB(test_a_verdict_in_the_recording_counts_however_the_worker_ended),
      WITH_ACTOR_LAB(test_success_without_a_recording_is_not_believed),
      WITH_ACTOR_LAB(test_damaged_input_fails_at_once_with_the_workers_words),
      WITH_ACTOR_LAB(test_a_worker_that_hangs_is_killed_when_its_lease_ends),
      WITH_ACTOR_LAB(test_a_running_job_is_cancelled_by_its_own_worker),
      WITH_ACTOR_LAB(test_a_worker_that_minds_nothing_is_killed_and_its_job_cancelled),
      WITH_ACTOR_LAB(test_cancelling_works_in_every_state_but_the_other_ends),
      WITH_ACTOR_LAB(test_a_paused_job_lets_go_of_its_worker_and_goes_on_when_resumed),
      WITH_ACTOR_LAB(test_deleting_takes_row_and_files_and_only_of_ended_jobs),
      WITH_ACTOR_LAB(test_no_file_outside_a_jobs_directory_can_be_named),
      WITH_ACTOR_LAB(test_a_refused_scene_leaves_no_job_and_says_why),
      WITH_ACTOR_LAB(test_a_key_used_again_gives_the_first_job_even_while_draining),
      WITH_ACTOR_LAB(test_a_listener_hears_of_states_records_and_deletion_until_it_is_taken_away),
      WITH_ACTOR_LAB(test_random_requests_by_several_threads_end_every_job_exactly_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
