/* The store: claims, fencing, keys, migrations, and many threads at once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sqlite3.h>
#include <unistd.h>
#include <cmocka.h>

#include "tests/support/store_case.h"
#include "tests/support/suites.h"

enum { now = 1000000 };

static void reopen(store_case *f)
{
  store_close(f->store);
  assert_int_equal(store_open(f->path, &f->store, NULL), SCR_OK);
}

static store_submission submission_of(int64_t id, const char *scene, const char *key)
{
  return (store_submission){.id = id,
                            .name = "crush",
                            .title = "Crush a grain",
                            .method = "peridem",
                            .request = scene,
                            .request_length = strlen(scene),
                            .effective = "{}",
                            .key = key,
                            .max_attempts = 3,
                            .duration = 1e-3,
                            .estimate = {.node_count = 7,
                                         .count_count = 1,
                                         .counts = {{"grains", "Grains", 5}},
                                         .time_step = 1e-6,
                                         .step_count = 1000,
                                         .memory_bytes = NAN,
                                         .time_step_rule = "bond"},
                            .queue_limit = 1000,
                            .now_ms = now};
}

static lab_job insert(store_case *f, int64_t id)
{
  store_insertion insertion;
  lab_job job;
  store_submission submission = submission_of(id, "{}", NULL);
  assert_int_equal(store_insert(f->store, &submission, &insertion, &job, NULL), SCR_OK);
  assert_int_equal(insertion, STORE_INSERTED);
  return job;
}

static lab_job get(store_case *f, int64_t id)
{
  lab_job job;
  bool found;
  assert_int_equal(store_get(f->store, id, &job, &found, NULL), SCR_OK);
  assert_true(found);
  return job;
}

/* Room for everything. */
static store_capacity room_at(int64_t time)
{
  return (store_capacity){.now_ms = time, .threads = 64, .threads_per_job = 1, .memory = 1e15, .memory_per_job = 1, .disk = 1e15};
}

static scr_status claim_one(job_store *store, int64_t time, store_claim *claim, bool *claimed)
{
  size_t count;
  store_outlook outlook;
  store_capacity room = room_at(time);
  scr_status status = store_claim_jobs(store, &room, claim, 1, &count, &outlook, NULL);
  *claimed = count == 1;
  return status;
}

static bool claim_at(store_case *f, int64_t time, store_claim *claim)
{
  bool claimed;
  assert_int_equal(claim_one(f->store, time, claim, &claimed), SCR_OK);
  return claimed;
}

static int64_t next_due(store_case *f)
{
  size_t count;
  store_claim claim;
  store_outlook outlook;
  store_capacity room = room_at(now);
  assert_int_equal(store_claim_jobs(f->store, &room, &claim, 1, &count, &outlook, NULL), SCR_OK);
  assert_int_equal(count, 0);
  return outlook.next_due_ms;
}

static bool finish(store_case *f, const store_claim *claim, attempt_outcome outcome, const char *message, lab_job *job)
{
  bool held;
  store_ending ending = {.outcome = outcome, .message = message, .need_bytes = -1, .now_ms = now};
  assert_int_equal(store_finish(f->store, claim->id, claim->token, &ending, &held, job, NULL), SCR_OK);
  return held;
}

/* As many as were asked for; else, by work, those that its steps are worth; else all that a job may have. */
static void test_a_job_that_asks_for_no_threads_gets_those_that_its_steps_are_worth(void **state)
{
  store_case *f = *state;
  static const struct {
    unsigned asked, most;
    bool by_work;
    double seconds;
    unsigned threads;
  } cases[] = {{0, 8, true, 2.2, 4}, {0, 3, true, 2.2, 3},  {0, 8, true, 0.1, 1},
               {0, 8, true, NAN, 8}, {0, 8, false, 0.1, 8}, {2, 8, true, 0.1, 2}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    store_submission submission = submission_of((int64_t)k + 1, "{}", NULL);
    store_insertion insertion;
    lab_job job;
    submission.threads = cases[k].asked;
    submission.estimate.run_seconds = cases[k].seconds;
    assert_int_equal(store_insert(f->store, &submission, &insertion, &job, NULL), SCR_OK);
    store_capacity room = room_at(now);
    room.threads_per_job = cases[k].most, room.by_work = cases[k].by_work;
    store_claim claim;
    store_outlook outlook;
    size_t count;
    assert_int_equal(store_claim_jobs(f->store, &room, &claim, 1, &count, &outlook, NULL), SCR_OK);
    assert_int_equal(count, 1);
    assert_int_equal(claim.threads, cases[k].threads);
  }
}

static void test_a_job_survives_closing_and_opening_with_all_its_numbers(void **state)
{
  store_case *f = *state;
  lab_job inserted = insert(f, 1);
  reopen(f);
  lab_job job = get(f, 1);
  assert_int_equal(job.state, JOB_QUEUED);
  assert_string_equal(job.name, "crush");
  assert_string_equal(job.title, "Crush a grain");
  assert_string_equal(job.method, "peridem");
  assert_int_equal(job.created_ms, now);
  assert_int_equal(job.max_attempts, 3);
  assert_int_equal(job.estimate.node_count, 7);
  assert_int_equal(job.estimate.count_count, 1);
  assert_string_equal(job.estimate.counts[0].label, "Grains");
  assert_int_equal(job.estimate.counts[0].value, 5);
  assert_true(job.estimate.time_step == 1e-6);
  assert_true(isnan(job.estimate.memory_bytes));
  assert_string_equal(job.estimate.time_step_rule, "bond");
  assert_int_equal(job.progress.step_count, inserted.progress.step_count);
  assert_true(job.progress.duration == 1e-3);
}

static void test_claims_go_by_priority_then_by_age_and_not_before_their_time(void **state)
{
  store_case *f = *state;
  store_claim claim;
  for (int64_t id = 1; id <= 4; id++) {
    store_submission submission = submission_of(id, "{}", NULL);
    submission.priority = id == 3 ? 5 : 0;
    store_insertion insertion;
    lab_job job;
    assert_int_equal(store_insert(f->store, &submission, &insertion, &job, NULL), SCR_OK);
  }
  static const int64_t expected[] = {3, 1, 2, 4};
  for (int i = 0; i < 4; i++) {
    assert_true(claim_at(f, now, &claim));
    assert_int_equal(claim.id, expected[i]);
  }
  assert_false(claim_at(f, now, &claim));
  lab_job job;
  claim = (store_claim){.id = 3, .token = 1};
  assert_true(finish(f, &claim, ATTEMPT_DIED, "killed", &job));
  assert_int_equal(job.state, JOB_QUEUED);
  assert_false(claim_at(f, now, &claim));
  assert_int_equal(next_due(f), now + 250);
  assert_true(claim_at(f, now + 250, &claim));
  assert_int_equal(claim.attempt, 2);
}

/* A clock set back by a day must not make a job wait for a day. */
static void test_a_clock_set_back_does_not_hold_a_retry_for_long(void **state)
{
  store_case *f = *state;
  store_claim claim;
  lab_job job;
  insert(f, 1);
  assert_true(claim_at(f, now + 86400000, &claim));
  bool held;
  store_ending ending = {.outcome = ATTEMPT_DIED, .message = "", .need_bytes = -1, .now_ms = now + 86400000};
  assert_int_equal(store_finish(f->store, 1, claim.token, &ending, &held, &job, NULL), SCR_OK);
  assert_true(claim_at(f, now, &claim));
}

/* The bug class that fencing exists for: an attempt that was given up writes after another one has begun. */
static void test_the_late_writes_of_an_old_attempt_change_nothing(void **state)
{
  store_case *f = *state;
  store_claim old, current;
  lab_job job;
  insert(f, 1);
  assert_true(claim_at(f, now, &old));
  assert_true(finish(f, &old, ATTEMPT_STOPPED, "", &job));
  assert_true(claim_at(f, now, &current));
  assert_true(current.token > old.token);
  assert_false(finish(f, &old, ATTEMPT_SUCCEEDED, "", &job));
  assert_int_equal(get(f, 1).state, JOB_RUNNING);
  lab_job progress = {.progress = {.step = 999}};
  store_progress(f->store, 1, old.token, &progress);
  assert_true(finish(f, &current, ATTEMPT_FAILED, "diverged", &job));
  assert_int_equal(job.state, JOB_FAILED);
  assert_int_equal(job.progress.step, 0);
  assert_string_equal(job.error, "diverged");
  assert_false(finish(f, &current, ATTEMPT_SUCCEEDED, "", &job));
  assert_int_equal(get(f, 1).state, JOB_FAILED);
}

/* Commits in the store's write-ahead log: frames that tell the size of the database after them. The format is SQLite's (fileformat2.html,
 * 4.1). */
static int commits_of(const store_case *f)
{
  char path[4200];
  unsigned char head[32], frame[24];
  int commits = 0;
  snprintf(path, sizeof path, "%s-wal", f->path);
  FILE *file = fopen(path, "rbe");
  assert_non_null(file);
  assert_int_equal(fread(head, sizeof head, 1, file), 1);
  long page = (long)head[8] << 24 | head[9] << 16 | head[10] << 8 | head[11];
  while (fread(frame, sizeof frame, 1, file) == 1 && memcmp(frame + 8, head + 16, 8) == 0) {
    commits += (frame[4] | frame[5] | frame[6] | frame[7]) != 0;
    assert_int_equal(fseek(file, page, SEEK_CUR), 0);
  }
  (void)fclose(file);
  return commits;
}

static void test_attempts_that_end_together_share_one_commit_and_fail_alone(void **state)
{
  enum { many = 16, stale = 5 };
  store_case *f = *state;
  store_finishing *ends = calloc(many, sizeof *ends);
  for (int64_t id = 1; id <= many; id++) insert(f, id);
  for (int i = 0; i < many; i++) {
    store_claim claim;
    assert_true(claim_at(f, 1000000, &claim));
    ends[i] =
        (store_finishing){.id = claim.id,
                          .token = claim.token + (i == stale ? 1000 : 0),
                          .ending = {.outcome = i % 2 ? ATTEMPT_SUCCEEDED : ATTEMPT_FAILED, .message = "", .need_bytes = -1, .now_ms = 7}};
  }
  int before = commits_of(f);
  store_finish_all(f->store, ends, many);
  assert_int_equal(commits_of(f), before + 1);
  for (int i = 0; i < many; i++) {
    lab_job_state wanted = i == stale ? JOB_RUNNING : i % 2 ? JOB_SUCCEEDED : JOB_FAILED;
    assert_int_equal(ends[i].status, SCR_OK);
    assert_int_equal(ends[i].held, i != stale);
    assert_int_equal(get(f, ends[i].id).state, wanted);
    if (ends[i].held) assert_int_equal(ends[i].job.state, wanted);
  }
  free(ends);
}

static void test_progress_is_kept_with_what_is_not_finite_as_zero(void **state)
{
  store_case *f = *state;
  store_claim claim;
  insert(f, 1);
  assert_true(claim_at(f, now, &claim));
  lab_job progress = {.progress = {.step = 12,
                                   .step_count = 1000,
                                   .sim_time = 1.5,
                                   .headline_count = 1,
                                   .headlines = {{"f", "Force", "N", NAN}},
                                   .run_seconds = INFINITY,
                                   .last_seq = 44}};
  store_progress(f->store, 1, claim.token, &progress);
  reopen(f); /* closing does what was still waiting */
  lab_job job = get(f, 1);
  assert_int_equal(job.progress.step, 12);
  assert_int_equal(job.progress.last_seq, 44);
  assert_true(job.progress.sim_time == 1.5 && job.progress.headline_count == 1 && isnan(job.progress.headlines[0].value) &&
              job.progress.run_seconds == 0);
}

static void test_only_deaths_use_up_attempts_and_the_last_death_fails_the_job_with_its_reason(void **state)
{
  store_case *f = *state;
  store_claim claim;
  lab_job job;
  int64_t time = now;
  insert(f, 1);
  static const attempt_outcome outcomes[] = {ATTEMPT_STOPPED, ATTEMPT_DIED,    ATTEMPT_BLOCKED, ATTEMPT_STOPPED,
                                             ATTEMPT_DIED,    ATTEMPT_STOPPED, ATTEMPT_DIED};
  static const int numbers[] = {1, 1, 2, 2, 2, 3, 3};
  for (size_t i = 0; i < 7; i++) {
    assert_true(claim_at(f, time, &claim));
    assert_int_equal(claim.attempt, numbers[i]);
    assert_true(finish(f, &claim, outcomes[i], "signal 9", &job));
    time += 10000;
  }
  assert_int_equal(job.state, JOB_FAILED);
  assert_int_equal(job.attempt, 3);
  assert_string_equal(job.error, "signal 9");
  assert_true(job.ended_ms > 0);
  assert_false(claim_at(f, time, &claim));
}

static void test_a_key_used_again_gives_the_first_job_or_is_refused_with_another_scene(void **state)
{
  store_case *f = *state;
  store_insertion insertion;
  lab_job job;
  store_submission first = submission_of(1, "{\"a\":1}", "key"), same = submission_of(2, "{\"a\":1}", "key"),
                   other = submission_of(3, "{\"a\":2}", "key");
  assert_int_equal(store_insert(f->store, &first, &insertion, &job, NULL), SCR_OK);
  assert_int_equal(insertion, STORE_INSERTED);
  assert_int_equal(store_insert(f->store, &same, &insertion, &job, NULL), SCR_OK);
  assert_int_equal(insertion, STORE_REPEATED);
  assert_int_equal(job.id, 1);
  assert_int_equal(store_insert(f->store, &other, &insertion, &job, NULL), SCR_OK);
  assert_int_equal(insertion, STORE_KEY_REUSED);
  assert_int_equal(store_find_key(f->store, "key", "{\"a\":1}", 7, &insertion, &job, NULL), SCR_OK);
  assert_int_equal(insertion, STORE_REPEATED);
  assert_int_equal(store_find_key(f->store, "new", "{}", 2, &insertion, &job, NULL), SCR_OK);
  assert_int_equal(insertion, STORE_INSERTED);
  size_t counts[6];
  assert_int_equal(store_count(f->store, counts, NULL), SCR_OK);
  assert_int_equal(counts[JOB_QUEUED], 1);
}

static void test_a_full_queue_takes_no_more(void **state)
{
  store_case *f = *state;
  store_insertion insertion;
  lab_job job;
  store_submission submission = submission_of(2, "{}", NULL);
  insert(f, 1);
  submission.queue_limit = 1;
  assert_int_equal(store_insert(f->store, &submission, &insertion, &job, NULL), SCR_OK);
  assert_int_equal(insertion, STORE_QUEUE_FULL);
}

static void test_a_deleted_id_is_never_given_again_and_only_ended_jobs_are_deleted(void **state)
{
  store_case *f = *state;
  bool deleted;
  store_answer answer = {0};
  insert(f, 1);
  insert(f, 2);
  assert_int_equal(store_delete(f->store, 2, now, &deleted, NULL), SCR_OK);
  assert_false(deleted);
  assert_int_equal(store_request(f->store, 2, JOB_CANCEL, now, &answer, NULL), SCR_OK);
  assert_true(answer.found && answer.answer.allowed);
  assert_int_equal(answer.job.state, JOB_CANCELLED);
  assert_int_equal(answer.job.ended_ms, now);
  assert_int_equal(store_delete(f->store, 2, now, &deleted, NULL), SCR_OK);
  assert_true(deleted);
  reopen(f);
  int64_t last;
  bool found;
  lab_job job;
  assert_int_equal(store_last_id(f->store, &last, NULL), SCR_OK);
  assert_int_equal(last, 2);
  assert_int_equal(store_get(f->store, 2, &job, &found, NULL), SCR_OK);
  assert_false(found);
}

static size_t list(store_case *f, lab_query query, lab_job *jobs, size_t capacity, char cursor[LAB_CURSOR_BYTES])
{
  size_t count;
  assert_int_equal(store_list(f->store, &query, jobs, capacity, &count, cursor, NULL), SCR_OK);
  return count;
}

static void test_lists_are_newest_first_in_pages_and_by_state(void **state)
{
  store_case *f = *state;
  lab_job jobs[4];
  char cursor[LAB_CURSOR_BYTES];
  store_claim claim;
  for (int64_t id = 1; id <= 5; id++) insert(f, id);
  assert_true(claim_at(f, now, &claim));
  assert_int_equal(list(f, (lab_query){.descending = true}, jobs, 4, cursor), 4);
  assert_true(cursor[0]);
  for (int i = 0; i < 4; i++) assert_int_equal(jobs[i].id, 5 - i);
  char at[LAB_CURSOR_BYTES];
  memcpy(at, cursor, sizeof at);
  assert_int_equal(list(f, (lab_query){.descending = true, .cursor = at}, jobs, 4, cursor), 1);
  assert_int_equal(jobs[0].id, 1);
  assert_false(cursor[0]);
  assert_int_equal(list(f, (lab_query){.descending = true, .before = 2}, jobs, 4, cursor), 1);
  assert_int_equal(list(f, (lab_query){.descending = true, .states = 1 << JOB_QUEUED}, jobs, 4, cursor), 4);
  assert_false(cursor[0]);
  assert_int_equal(list(f, (lab_query){.descending = true, .states = 1 << JOB_RUNNING}, jobs, 4, cursor), 1);
  assert_int_equal(jobs[0].id, 1);
  assert_int_equal(list(f, (lab_query){.states = 1 << JOB_RUNNING | 1 << JOB_QUEUED}, jobs, 4, cursor), 4);
  for (int i = 0; i < 4; i++) assert_int_equal(jobs[i].id, i + 1);
}

/* ── threads ──────────────────────────────────────────────────────────────────────────────────────────────────── */

enum { thread_count = 4, job_count = 200 };

typedef struct crowd {
  store_case *f;
  atomic_int *claims; /* [job_count + 1] */
} crowd;

static void *claim_until_empty(void *argument)
{
  crowd *c = argument;
  for (;;) {
    store_claim claim;
    bool claimed;
    if (claim_one(c->f->store, now, &claim, &claimed) != SCR_OK || !claimed) return NULL;
    atomic_fetch_add(&c->claims[claim.id], 1);
  }
}

static void test_threads_that_claim_at_once_get_each_job_once(void **state)
{
  store_case *f = *state;
  for (int64_t id = 1; id <= job_count; id++) insert(f, id);
  atomic_int claims[job_count + 1] = {0};
  crowd c = {f, claims};
  pthread_t threads[thread_count];
  for (int i = 0; i < thread_count; i++) assert_int_equal(pthread_create(&threads[i], NULL, claim_until_empty, &c), 0);
  for (int i = 0; i < thread_count; i++) pthread_join(threads[i], NULL);
  for (int id = 1; id <= job_count; id++) assert_int_equal(atomic_load(&claims[id]), 1);
}

typedef struct gambler {
  store_case *f;
  unsigned seed;
  atomic_int *ends; /* [job_count + 1]: how often a job was ended */
} gambler;

/* One random operation; counts every transition into an ended state that the store confirmed. */
static void gamble(gambler *g)
{
  store_claim claim;
  bool claimed, held, found;
  lab_job job, before;
  int64_t id = 1 + rand_r(&g->seed) % 40;
  switch (rand_r(&g->seed) % 5) {
  case 0: {
    job_request request = (job_request)(rand_r(&g->seed) % 3);
    if (store_get(g->f->store, id, &before, &found, NULL) != SCR_OK || !found) return;
    store_answer answer = {0};
    if (store_request(g->f->store, id, request, now, &answer, NULL) != SCR_OK || !answer.found || !answer.answer.allowed) return;
    /* Another thread may cancel in between: cancels are counted generously, finishes exactly. */
    if (lab_job_state_ended(answer.job.state) && !lab_job_state_ended(before.state)) atomic_fetch_add(&g->ends[id], 1 << 16);
    return;
  }
  default:
    if (claim_one(g->f->store, now + 1000000, &claim, &claimed) != SCR_OK || !claimed) return;
    attempt_outcome outcome = (attempt_outcome)(rand_r(&g->seed) % (ATTEMPT_REFUSED + 1));
    store_ending ending = {.outcome = outcome, .message = "", .need_bytes = -1, .now_ms = now};
    for (int i = 0; i < 2; i++) /* the second finish is late and must not be taken */
      if (store_finish(g->f->store, claim.id, claim.token, &ending, &held, &job, NULL) == SCR_OK && held) {
        if (i == 1) atomic_fetch_add(&g->ends[claim.id], 100);
        if (lab_job_state_ended(job.state)) atomic_fetch_add(&g->ends[claim.id], 1);
      }
  }
}

static void *gamble_on(void *argument)
{
  gambler *g = argument;
  for (int i = 0; i < 60; i++) gamble(g);
  return NULL;
}

/* Random operations by several threads with fixed seeds (0 to 3; the interleaving is the machine's). Invariant: a finish is taken at most
 * once per claim, a job is ended by a finish at most once, and one that is ended stays as it is. */
static void test_random_operations_by_several_threads_end_each_job_at_most_once(void **state)
{
  store_case *f = *state;
  for (int64_t id = 1; id <= 40; id++) insert(f, id);
  atomic_int ends[job_count + 1] = {0};
  gambler gamblers[thread_count];
  pthread_t threads[thread_count];
  for (int i = 0; i < thread_count; i++) {
    gamblers[i] = (gambler){f, (unsigned)i, ends};
    assert_int_equal(pthread_create(&threads[i], NULL, gamble_on, &gamblers[i]), 0);
  }
  for (int i = 0; i < thread_count; i++) pthread_join(threads[i], NULL);
  for (int64_t id = 1; id <= 40; id++) {
    int by_finish = atomic_load(&ends[id]) & 0xffff, by_cancel = atomic_load(&ends[id]) >> 16;
    lab_job job = get(f, id);
    assert_true(by_finish <= 1);
    if (by_finish == 1) assert_true(lab_job_state_ended(job.state));
    if (by_finish == 0 && by_cancel == 0) assert_false(lab_job_state_ended(job.state));
    if (by_finish == 0 && by_cancel > 0) assert_int_equal(job.state, JOB_CANCELLED);
    assert_int_not_equal(job.state, JOB_RUNNING);
  }
}

/* ── files ────────────────────────────────────────────────────────────────────────────────────────────────────── */

static void execute(const char *path, const char *sql)
{
  sqlite3 *db;
  assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
  assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
  sqlite3_close(db);
}

static int version_of(const char *path)
{
  sqlite3 *db;
  sqlite3_stmt *statement;
  assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
  assert_int_equal(sqlite3_prepare_v2(db, "PRAGMA user_version", -1, &statement, NULL), SQLITE_OK);
  assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
  int version = sqlite3_column_int(statement, 0);
  sqlite3_finalize(statement);
  sqlite3_close(db);
  return version;
}

static scr_status open_fails(store_case *f, scr_error *error)
{
  scr_status status = store_open(f->path, &f->store, error);
  assert_null(f->store);
  return status;
}

static void test_a_store_of_a_newer_program_is_refused_and_left_alone(void **state)
{
  store_case *f = *state;
  scr_error error = {0};
  insert(f, 1);
  store_close(f->store);
  int before = version_of(f->path);
  execute(f->path, "PRAGMA user_version = 9999");
  assert_int_equal(open_fails(f, &error), SCR_BAD_FILE);
  assert_non_null(strstr(error.message, "newer"));
  assert_non_null(strstr(error.message, "9999"));
  char as_it_was[40];
  snprintf(as_it_was, sizeof as_it_was, "PRAGMA user_version = %d", before);
  execute(f->path, as_it_was);
  assert_int_equal(store_open(f->path, &f->store, NULL), SCR_OK);
  assert_int_equal(get(f, 1).id, 1);
}

static void test_the_database_of_another_program_is_refused(void **state)
{
  store_case *f = *state;
  scr_error error = {0};
  store_close(f->store);
  unlink(f->path);
  execute(f->path, "CREATE TABLE recipe (name TEXT)");
  assert_int_equal(open_fails(f, &error), SCR_BAD_FILE);
  assert_non_null(strstr(error.message, "other program"));
}

static void test_a_file_that_is_no_database_is_refused(void **state)
{
  store_case *f = *state;
  scr_error error = {0};
  store_close(f->store);
  FILE *file = fopen(f->path, "wb");
  assert_non_null(file);
  for (int i = 0; i < 1000; i++) fputs("not a database ", file);
  fclose(file);
  assert_int_equal(open_fails(f, &error), SCR_BAD_FILE);
  assert_non_null(strstr(error.message, "scree.db"));
}

SUITE(test_store)
{
  const struct CMUnitTest tests[] = {
      WITH_STORE(test_a_job_survives_closing_and_opening_with_all_its_numbers),
      WITH_STORE(test_a_job_that_asks_for_no_threads_gets_those_that_its_steps_are_worth),
      WITH_STORE(test_claims_go_by_priority_then_by_age_and_not_before_their_time),
      WITH_STORE(test_a_clock_set_back_does_not_hold_a_retry_for_long),
      WITH_STORE(test_the_late_writes_of_an_old_attempt_change_nothing),
      WITH_STORE(test_attempts_that_end_together_share_one_commit_and_fail_alone),
      WITH_STORE(test_progress_is_kept_with_what_is_not_finite_as_zero),
      WITH_STORE(test_only_deaths_use_up_attempts_and_the_last_death_fails_the_job_with_its_reason),
      WITH_STORE(test_a_key_used_again_gives_the_first_job_or_is_refused_with_another_scene),
      WITH_STORE(test_a_full_queue_takes_no_more),
      WITH_STORE(test_a_deleted_id_is_never_given_again_and_only_ended_jobs_are_deleted),
      WITH_STORE(test_lists_are_newest_first_in_pages_and_by_state),
      WITH_STORE(test_threads_that_claim_at_once_get_each_job_once),
      WITH_STORE(test_random_operations_by_several_threads_end_each_job_at_most_once),
      WITH_STORE(test_a_store_of_a_newer_program_is_refused_and_left_alone),
      WITH_STORE(test_the_database_of_another_program_is_refused),
      WITH_STORE(test_a_file_that_is_no_database_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
