/* The plans that SQLite chooses: no statement of the store may walk all jobs, or sort them. The full walk of tests/bench/bench_store.c
 * times what this test asks SQLite for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "server/store/study/store_measured.h"
#include "server/store/study/store_study.h"
#include "tests/support/store_case.h"
#include "tests/support/suites.h"

enum { now = 1000000, job_count = 30 };

static void insert(store_case *f, int64_t id, const char *key)
{
  store_insertion insertion;
  lab_job job;
  store_submission submission = {.id = id,
                                 .name = id % 2 ? "crush" : "bend",
                                 .title = "Crush a grain",
                                 .method = id % 3 ? "peridem" : "bdem",
                                 .request = "{}",
                                 .request_length = 2,
                                 .effective = "{}",
                                 .key = key,
                                 .tags = "{\"study\":\"a\",\"batch\":\"b\"}",
                                 .user = id % 2 ? "ada" : NULL,
                                 .max_attempts = 3,
                                 .estimate = {.memory_bytes = 1, .record_bytes = 1, .time_step = 1, .time_step_rule = "bond"},
                                 .need_bytes = id % 5 ? 1 : 1e12,
                                 .queue_limit = 1000,
                                 .now_ms = now};
  assert_int_equal(store_insert(f->store, &submission, &insertion, &job, NULL), SCR_OK);
}

static void list(store_case *f, lab_query query)
{
  lab_job jobs[3];
  size_t count;
  char cursor[LAB_CURSOR_BYTES], at[LAB_CURSOR_BYTES];
  assert_int_equal(store_list(f->store, &query, jobs, 3, &count, cursor, NULL), SCR_OK);
  if (!cursor[0]) return;
  memcpy(at, cursor, sizeof at);
  query.cursor = at;
  assert_int_equal(store_list(f->store, &query, jobs, 3, &count, cursor, NULL), SCR_OK);
}

typedef struct refusals {
  int statements, walks;
} refusals;

/* "SCAN job_text" is the text index's own walk, of the matches only; a trigger's or a batch's constant rows are no table. */
static bool is_walk(const char *line)
{
  static const char *const own[] = {"SCAN job_text VIRTUAL TABLE", "SCAN json_each VIRTUAL TABLE", "SCAN CONSTANT ROW", "SCAN (subquery"};
  for (size_t i = 0; i < sizeof own / sizeof *own; i++)
    if (strstr(line, own[i])) return false;
  return strstr(line, "SCAN") || strstr(line, "TEMP B-TREE");
}

/* Those that may: lists in another order walk that order's index and end after a few thousand jobs; the counts have six rows; few matches
 * of words are sorted; the list of all events walks events from a number on. */
static bool may_walk(const char *sql, const char *line)
{
  if (strstr(line, "USING COVERING INDEX job_") || strstr(line, "USING INDEX job_name") || strstr(line, "USING INDEX job_priority") ||
      strstr(line, "USING INDEX job_ended"))
    return strstr(line, "SCAN") && strstr(sql, "ORDER BY 2");
  if (strstr(sql, "FROM job_count") || strstr(sql, "sqlite_sequence")) return true;
  if (strstr(sql, "INDEXED BY job_ready") && strstr(line, "USING INDEX job_ready")) return true; /* in its order; the first row is taken */
  if (strstr(sql, "INDEXED BY job_verified") && strstr(line, "USING INDEX job_verified")) return true; /* likewise */
  if (strstr(sql, "INDEXED BY job_waiting") && strstr(line, "USING")) return true;
  if (strstr(sql, "INDEXED BY study_row_ended") && strstr(line, "USING INDEX study_row_ended"))
    return true; /* likewise; those to be read */
  return strstr(sql, "job_text MATCH ?") && strstr(sql, "ORDER BY job.") && strstr(line, "TEMP B-TREE");
}

static void look(void *user, const char *sql, const char *line)
{
  refusals *r = user;
  r->statements++;
  if (!is_walk(line) || may_walk(sql, line)) return;
  r->walks++;
  print_message("# %s\n#   %s\n", line, sql);
}

static scr_status no_file(void *user, const char *digest, scr_error *error)
{
  (void)user;
  (void)digest;
  (void)error;
  return SCR_OK;
}

static char *row_text(void *user, size_t index)
{
  (void)user;
  (void)index;
  return strdup("{\"a\":1}");
}

static scr_status see_residuals(void *user, const store_residuals *row, scr_error *error)
{
  (void)user;
  (void)error;
  assert_int_equal(row->count, row->number == 1 ? 2 : 0);
  if (row->number == 1) assert_true(row->residuals[1] == 2 && row->state == ROW_SUCCEEDED);
  return SCR_OK;
}

static void work_on_studies(store_case *f)
{
  static const char digest[] = "0123456789012345678901234567890123456789012345678901234567890123";
  const store_study wanted = {.name = "a", .title = "A", .document = "{}", .key = "study", .row_count = 4, .row = row_text, .now_ms = now};
  lab_study study;
  lab_study_row rows[4];
  store_study other = wanted;
  store_insertion insertion;
  bool found, changed;
  size_t count;
  char *text;
  int64_t ids[4], number;
  assert_int_equal(store_insert_study(f->store, &wanted, &insertion, &study, NULL), SCR_OK);
  assert_int_equal(insertion, STORE_INSERTED);
  assert_int_equal(store_insert_study(f->store, &wanted, &insertion, &study, NULL), SCR_OK);
  assert_int_equal(insertion, STORE_REPEATED);
  other.document = "[]";
  assert_int_equal(store_insert_study(f->store, &other, &insertion, &study, NULL), SCR_OK);
  assert_int_equal(insertion, STORE_KEY_REUSED);
  store_study_change added;
  assert_int_equal(store_add_rows(f->store, 1, 2, row_text, NULL, &added, NULL), SCR_OK);
  assert_true(added.found && added.changed && added.study.row_count == 6);
  lab_job job;
  const store_submission submission = {.id = job_count + 1,
                                       .name = "row",
                                       .title = "",
                                       .method = "peridem",
                                       .request = "{}",
                                       .effective = "{}",
                                       .max_attempts = 3,
                                       .estimate = {.time_step_rule = "bond"},
                                       .queue_limit = 1000,
                                       .study = 1,
                                       .study_row = 1,
                                       .scene_digest = digest,
                                       .now_ms = now};
  assert_int_equal(store_insert(f->store, &submission, &insertion, &job, NULL), SCR_OK);
  store_answer answer = {0};
  assert_int_equal(store_request(f->store, job_count + 1, JOB_CANCEL, now, &answer, NULL), SCR_OK);
  assert_int_equal(store_study_document(f->store, 1, &text, &found, NULL), SCR_OK);
  free(text);
  assert_int_equal(store_studies(f->store, 0, &study, 1, &count, NULL), SCR_OK);
  for (uint64_t version = 0; version < 2; version++) {
    const study_query query = {.changed = version};
    assert_int_equal(store_study_rows(f->store, 1, &query, rows, 4, &count, NULL), SCR_OK);
    for (size_t i = 0; i < count; i++) lab_study_row_clear(&rows[i]);
  }
  assert_int_equal(store_studies_in(f->store, STUDY_RUNNING, 0, ids, 4, &count, NULL), SCR_OK);
  assert_int_equal(store_first_row(f->store, 1, ROW_WAITING, 0, rows, NULL), SCR_OK);
  lab_study_row_clear(rows);
  assert_int_equal(store_ended_row(f->store, &number, rows, NULL), SCR_OK);
  assert_int_equal(number, 1);
  assert_int_equal(rows->number, 1);
  lab_study_row_clear(rows);
  const store_row_change change = {
      .from = ROW_ENDED, .to = ROW_SUCCEEDED, .job = -1, .results = "{}", .residuals = (const double[]){1, 2}, .residual_count = 2};
  assert_int_equal(store_change_row(f->store, 1, 1, &change, &changed, NULL), SCR_OK);
  assert_true(changed);
  assert_int_equal(store_job_of_digest(f->store, digest, 0, &number, NULL), SCR_OK);
  assert_int_equal(number, job_count + 1);
  assert_int_equal(store_study_finish(f->store, 1, now, &changed, NULL), SCR_OK);
  assert_false(changed);
  assert_int_equal(store_study_retry(f->store, 1, &found, &count, &study, NULL), SCR_OK);
  const store_study_target away = {.from = 1u << STUDY_RUNNING, .to = STUDY_DELETING, .delete_runs = true};
  store_study_change moved;
  assert_int_equal(store_study_residuals(f->store, 1, see_residuals, NULL, NULL), SCR_OK);
  assert_int_equal(store_study_move(f->store, 1, &away, &moved, NULL), SCR_OK);
  assert_true(moved.changed);
  assert_int_equal(store_delete(f->store, job_count + 1, now, &changed, NULL), SCR_OK);
  assert_int_equal(store_study_remove(f->store, 1, NULL), SCR_OK);
  assert_int_equal(store_study_get(f->store, 1, &study, &found, NULL), SCR_OK);
  assert_false(found);
}

static scr_status see_curve(void *user, const double *samples, size_t count, scr_error *error)
{
  (void)error;
  assert_int_equal(count, 2);
  assert_memory_equal(samples, user, 4 * sizeof *samples);
  return SCR_OK;
}

static void work_on_measured(store_case *f)
{
  static const double samples[] = {0, 1, 2, 3};
  const lab_asset asset = {.digest = "0123456789012345678901234567890123456789012345678901234567890123", .bytes = 3};
  const store_specimen specimen = {asset.digest, samples, 2};
  const store_measured wanted = {.name = "m", .title = "M", .about = "{}", .specimens = &specimen, .specimen_count = 1, .now_ms = now};
  store_measured_insertion insertion;
  lab_measured measured;
  store_dropped dropped;
  bool found;
  size_t count;
  int64_t id;
  assert_int_equal(store_insert_measured(f->store, &wanted, &insertion, &measured, NULL), SCR_OK);
  assert_int_equal(insertion, MEASURED_ASSET_GONE);
  assert_int_equal(store_put_asset(f->store, &asset, no_file, NULL, &found, NULL), SCR_OK);
  assert_int_equal(store_insert_measured(f->store, &wanted, &insertion, &measured, NULL), SCR_OK);
  assert_int_equal(measured.specimen_count, 1);
  lab_measured_clear(&measured);
  assert_int_equal(store_insert_measured(f->store, &wanted, &insertion, &measured, NULL), SCR_OK);
  assert_int_equal(insertion, MEASURED_NAME_TAKEN);
  assert_int_equal(store_measured_named(f->store, "m", &id, NULL), SCR_OK);
  assert_int_equal(store_measured_list(f->store, 0, &measured, 1, &count, NULL), SCR_OK);
  lab_measured_clear(&measured);
  assert_int_equal(store_measured_get(f->store, id, &measured, &found, NULL), SCR_OK);
  lab_measured_clear(&measured);
  assert_int_equal(store_measured_curves(f->store, id, see_curve, (void *)(uintptr_t)samples, NULL), SCR_OK);
  assert_int_equal(store_drop_asset(f->store, asset.digest, INT64_MAX, no_file, NULL, &dropped, NULL), SCR_OK);
  assert_false(dropped.gone);
  assert_int_equal(store_remove_measured(f->store, id, now, &found, NULL), SCR_OK);
  assert_int_equal(store_drop_asset(f->store, asset.digest, INT64_MAX, no_file, NULL, &dropped, NULL), SCR_OK);
  assert_true(dropped.gone);
}

static void work(store_case *f)
{
  size_t count, counts[6];
  bool found, held, left, deleted, more;
  int64_t number;
  store_claim claims[8];
  store_outlook outlook;
  lab_job job;
  store_answer answer = {0};
  store_insertion insertion;
  store_capacity room = {.now_ms = now, .threads = 8, .threads_per_job = 1, .memory = 1e9, .memory_per_job = 1, .disk = 1e9};
  for (int64_t id = 1; id <= job_count; id++) insert(f, id, id == 1 ? "key" : NULL);
  work_on_studies(f);
  work_on_measured(f);
  assert_int_equal(store_find_key(f->store, "key", "{}", 2, &insertion, &job, NULL), SCR_OK);
  assert_int_equal(store_claim_jobs(f->store, &room, claims, 8, &count, &outlook, NULL), SCR_OK);
  size_t moved;
  store_claim again;
  assert_int_equal(store_claim_again(f->store, claims[0].id, claims[0].token, &room, &again, &found, NULL), SCR_OK);
  assert_true(found && again.id == claims[0].id && again.attempt == claims[0].attempt);
  assert_int_equal(store_claim_again(f->store, claims[0].id, claims[0].token + 1000, &room, &again, &found, NULL), SCR_OK);
  assert_false(found);
  assert_int_equal(store_move_jobs(f->store, "local", "", &moved, NULL), SCR_OK);
  assert_int_equal(moved, 0);
  assert_int_equal(count, 8);
  assert_true(outlook.held_count > 0);
  assert_int_equal(store_release_disk(f->store, 2, &left, NULL), SCR_OK);
  store_progress(f->store, claims[0].id, claims[0].token, &job);
  store_attempt_handle(f->store, claims[0].id, claims[0].token, "local:1");
  for (size_t i = 0; i < count; i++) {
    store_ending ending = {.outcome = (attempt_outcome)(i % 7), .message = "", .progress = &job, .need_bytes = 1, .now_ms = now};
    assert_int_equal(store_finish(f->store, claims[i].id, claims[i].token, &ending, &held, &job, NULL), SCR_OK);
  }
  assert_int_equal(store_request(f->store, 20, JOB_CANCEL, now, &answer, NULL), SCR_OK);
  assert_int_equal(store_edit(f->store, 21, &(lab_change){.name = "n", .notes = "x", .tags = "{\"a\":\"b\"}"}, now, &found, &job, NULL),
                   SCR_OK);
  assert_int_equal(store_delete(f->store, 20, now, &deleted, NULL), SCR_OK);
  assert_true(deleted);
  assert_int_equal(store_count(f->store, counts, NULL), SCR_OK);
  assert_int_equal(store_last_id(f->store, &number, NULL), SCR_OK);
  char handle[96];
  assert_int_equal(store_abandoned_handle(f->store, 1, handle, sizeof handle, NULL), SCR_OK);
  store_orphan *orphans;
  assert_int_equal(store_running(f->store, &orphans, &count, NULL), SCR_OK);
  free(orphans);
  lab_attempt attempts[2];
  lab_happening events[2];
  char *scene;
  assert_int_equal(store_attempts(f->store, 1, attempts, 2, &count, NULL), SCR_OK);
  assert_int_equal(store_events(f->store, 1, 0, events, 2, &count, &more, NULL), SCR_OK);
  assert_int_equal(store_events(f->store, 0, 0, events, 2, &count, &more, NULL), SCR_OK);
  assert_int_equal(store_scene(f->store, 1, &scene, &count, &found, NULL), SCR_OK);
  free(scene);
  static const char digest[] = "0123456789012345678901234567890123456789012345678901234567890123";
  lab_asset asset = {.bytes = 1, .created_ms = 1, .used_ms = 1};
  lab_digest digests[2];
  int64_t jobs[2];
  memcpy(asset.digest, digest, sizeof digest);
  assert_int_equal(store_put_asset(f->store, &asset, no_file, NULL, &found, NULL), SCR_OK);
  assert_int_equal(store_put_asset(f->store, &asset, no_file, NULL, &found, NULL), SCR_OK);
  assert_int_equal(store_assets(f->store, "", &asset, 1, &count, NULL), SCR_OK);
  assert_int_equal(store_asset_jobs(f->store, digest, jobs, 2, &count, NULL), SCR_OK);
  assert_int_equal(store_job_assets(f->store, 1, digests, 2, &count, NULL), SCR_OK);
  assert_int_equal(store_unneeded_assets(f->store, now, digests, 2, &count, NULL), SCR_OK);
  store_dropped dropped = {0};
  assert_int_equal(store_drop_asset(f->store, digest, now, no_file, NULL, &dropped, NULL), SCR_OK);
  assert_true(dropped.gone);
  store_due_check due;
  assert_int_equal(store_next_check(f->store, &due, NULL), SCR_OK);
  assert_int_equal(store_note_check(f->store, 1, &(lab_damage){.message = "torn"}, now, &found, NULL), SCR_OK);
}

static void test_no_statement_walks_or_sorts_all_jobs(void **state)
{
  store_case *f = *state;
  refusals r = {0, 0};
  work(f);
  assert_int_equal(store_plans(f->store, look, &r, NULL), SCR_OK);
  assert_true(r.statements > 30);
  assert_int_equal(r.walks, 0);
}

static void test_no_list_walks_or_sorts_all_jobs(void **state)
{
  store_case *f = *state;
  refusals r = {0, 0};
  for (int64_t id = 1; id <= job_count; id++) insert(f, id, NULL);
  const unsigned states[] = {0, 1 << JOB_QUEUED, 1 << JOB_FAILED | 1 << JOB_SUCCEEDED | 1 << JOB_QUEUED};
  for (int order = 0; order < LAB_ORDER_COUNT; order++)
    for (int choice = 0; choice < 2 * 3 * 2 * 2 * 2 * 2; choice++) {
      lab_query query = {.order = (lab_order)order,
                         .descending = choice & 1,
                         .states = states[choice / 2 % 3],
                         .method = choice / 6 & 1 ? "peridem" : NULL,
                         .text = choice / 12 & 1 ? "cru gra" : NULL,
                         .tags = {{"study", "a"}, {"batch", "b"}},
                         .tag_count = choice / 24 & 1 ? 2 : 0,
                         .user = choice / 48 & 1 ? "ada" : NULL};
      list(f, query);
      assert_int_equal(store_plans(f->store, look, &r, NULL), SCR_OK);
    }
  assert_true(r.statements > 100);
  assert_int_equal(r.walks, 0);
}

SUITE(test_store_plans)
{
  const struct CMUnitTest tests[] = {
      WITH_STORE(test_no_statement_walks_or_sorts_all_jobs),
      WITH_STORE(test_no_list_walks_or_sorts_all_jobs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
