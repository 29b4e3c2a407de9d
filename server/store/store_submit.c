/* Submissions: the idempotency key, the row of a new job, its words, tags and first event, all in one transaction of the writing thread. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scene/counts.h"
#include "server/store/store_internal.h"

static const int64_t day_ms = 86400000;

static scr_status find_key(store_connection *connection, const char *key, const char *request, size_t length, store_insertion *insertion,
                           lab_job *job, scr_error *error)
{
  sqlite3_stmt *statement;
  bool found, gone = false;
  const char *sql = "SELECT job, scene, deleted FROM submission WHERE key = ?";
  SCR_TRY(connection_prepare(connection, STATEMENT_FIND_KEY, sql, &statement, error));
  bind_text(statement, 1, key);
  SCR_TRY(connection_step(connection, statement, &found, error));
  *insertion = STORE_INSERTED;
  int64_t id = 0;
  if (found) {
    id = sqlite3_column_int64(statement, 0);
    const void *text = sqlite3_column_text(statement, 1);
    bool same = text && (size_t)sqlite3_column_bytes(statement, 1) == length && memcmp(text, request, length) == 0;
    gone = sqlite3_column_int64(statement, 2) > 0;
    *insertion = !same ? STORE_KEY_REUSED : gone ? STORE_KEY_GONE : STORE_REPEATED;
  }
  connection_done(statement);
  return *insertion == STORE_REPEATED ? fetch_job(connection, id, job, NULL, &found, error) : SCR_OK;
}

scr_status store_find_key(job_store *store, const char *key, const char *request, size_t length, store_insertion *insertion, lab_job *job,
                          scr_error *error)
{
  store_connection *reader = store_take_reader(store);
  scr_status status = find_key(reader, key, request, length, insertion, job, error);
  store_return_reader(store, reader);
  return status;
}

static void bind_counts(sqlite3_stmt *statement, int column, const scr_estimate *estimate)
{
  json_t *list = scr_counts_json(estimate);
  char *text = list ? json_dumps(list, JSON_COMPACT) : NULL;
  sqlite3_bind_text(statement, column, text ? text : "[]", -1, SQLITE_TRANSIENT);
  free(text);
  json_decref(list);
}

/* Those that are given. */
static void bind_executor_options(sqlite3_stmt *statement, int column, const executor_options *options)
{
  json_t *object = json_object();
  for (size_t i = 0; i < EXECUTOR_WORDS; i++)
    if (executor_word_in(options, i)[0]) json_object_set_new(object, executor_words[i].name, json_string(executor_word_in(options, i)));
  if (options->time_limit > 0) json_object_set_new(object, "time_limit", json_real(options->time_limit));
  char *text = object ? json_dumps(object, JSON_COMPACT) : NULL;
  sqlite3_bind_text(statement, column, text ? text : "{}", -1, SQLITE_TRANSIENT);
  free(text);
  json_decref(object);
}

static scr_status insert_row(store_connection *writer, const store_submission *s, scr_error *error)
{
  sqlite3_stmt *statement;
  const char *sql =
      "INSERT INTO job (id, name, title, method, priority, state, created, max_attempts, node_count, counts, memory_bytes, time_step, "
      "time_step_rule, total_steps, frame_count, record_bytes, estimated_seconds, step_count, duration, threads, need_bytes, tags, "
      "executor, executor_options, user, ranks, device) "
      "VALUES (?, ?, ?, ?, ?, 'queued', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
  SCR_TRY(connection_prepare(writer, STATEMENT_INSERT_JOB, sql, &statement, error));
  int c = 1;
  sqlite3_bind_int64(statement, c++, s->id);
  bind_text(statement, c++, s->name);
  bind_text(statement, c++, s->title);
  bind_text(statement, c++, s->method);
  sqlite3_bind_int(statement, c++, s->priority);
  sqlite3_bind_int64(statement, c++, s->now_ms);
  sqlite3_bind_int(statement, c++, s->max_attempts);
  bind_count(statement, c++, s->estimate.node_count);
  bind_counts(statement, c++, &s->estimate);
  bind_number(statement, c++, s->estimate.memory_bytes);
  bind_number(statement, c++, s->estimate.time_step);
  bind_text(statement, c++, s->estimate.time_step_rule);
  bind_count(statement, c++, s->estimate.step_count);
  bind_count(statement, c++, s->estimate.frame_count);
  bind_number(statement, c++, s->estimate.record_bytes);
  bind_number(statement, c++, s->estimate.run_seconds);
  bind_count(statement, c++, s->estimate.step_count);
  sqlite3_bind_double(statement, c++, isfinite(s->duration) ? s->duration : 0);
  sqlite3_bind_int64(statement, c++, s->threads);
  sqlite3_bind_double(statement, c++, isfinite(s->need_bytes) ? s->need_bytes : 0);
  bind_text(statement, c++, s->tags ? s->tags : "{}");
  bind_text(statement, c++, s->executor ? s->executor : "local");
  bind_executor_options(statement, c++, &s->options);
  bind_text(statement, c++, s->user ? s->user : "");
  sqlite3_bind_int64(statement, c++, s->ranks > 1 ? s->ranks : 1);
  bind_text(statement, c++, s->device && s->device[0] ? s->device : "cpu");
  return connection_run(writer, statement, error);
}

static scr_status insert_submission(store_connection *writer, const store_submission *s, scr_error *error)
{
  sqlite3_stmt *statement;
  const char *sql = "INSERT INTO submission (job, key, scene, effective) VALUES (?, ?, ?, ?)";
  SCR_TRY(connection_prepare(writer, STATEMENT_INSERT_SUBMISSION, sql, &statement, error));
  sqlite3_bind_int64(statement, 1, s->id);
  if (s->key) bind_text(statement, 2, s->key);
  /* Without a key nothing is ever compared with it, and the effective scene says what is to be run. */
  sqlite3_bind_text64(statement, 3, s->key ? s->request : "", s->key ? s->request_length : 0, SQLITE_STATIC, SQLITE_UTF8);
  bind_text(statement, 4, s->effective);
  return connection_run(writer, statement, error);
}

/* Keys of jobs that were deleted long ago may be used again. */
static scr_status drop_old_keys(store_connection *writer, int64_t now_ms, scr_error *error)
{
  sqlite3_stmt *statement;
  const char *sql = "DELETE FROM submission WHERE deleted > 0 AND deleted < ?";
  SCR_TRY(connection_prepare(writer, STATEMENT_DROP_KEYS, sql, &statement, error));
  sqlite3_bind_int64(statement, 1, now_ms - STORE_KEY_DAYS * day_ms);
  return connection_run(writer, statement, error);
}

typedef struct insert_context {
  const store_submission *submission;
  store_insertion *insertion;
  lab_job *job;
} insert_context;

static scr_status write_insert(store_connection *writer, void *argument, scr_error *error)
{
  insert_context *context = argument;
  const store_submission *submission = context->submission;
  *context->insertion = STORE_INSERTED;
  if (submission->key) {
    SCR_TRY(drop_old_keys(writer, submission->now_ms, error));
    SCR_TRY(find_key(writer, submission->key, submission->request, submission->request_length, context->insertion, context->job, error));
  }
  if (*context->insertion != STORE_INSERTED) return SCR_OK;
  size_t counts[JOB_CANCELLED + 1];
  SCR_TRY(count_states(writer, counts, error));
  if (counts[JOB_QUEUED] >= submission->queue_limit) {
    *context->insertion = STORE_QUEUE_FULL;
    return SCR_OK;
  }
  SCR_TRY(insert_row(writer, submission, error));
  SCR_TRY(insert_submission(writer, submission, error));
  SCR_TRY(index_text(writer, submission->id, true, error));
  bool missing = false;
  SCR_TRY(insert_job_assets(writer, submission->id, submission->assets, submission->asset_count, &missing, error));
  if (missing) {
    *context->insertion = STORE_ASSET_GONE;
    return scr_fail(error, SCR_BAD_USAGE, NULL, "an asset of the scene was removed meanwhile: upload it again");
  }
  if (submission->tags) SCR_TRY(insert_tags(writer, submission->id, submission->tags, error));
  if (submission->study) {
    bool taken = false;
    SCR_TRY(claim_study_row(writer, submission, &taken, error));
    if (!taken) {
      *context->insertion = STORE_ROW_GONE;
      return scr_fail(error, SCR_BUSY, NULL, "the row no longer waits for a job");
    }
  }
  SCR_TRY(insert_event(writer, submission->id, submission->now_ms, "submitted", "", error));
  bool found;
  return fetch_job(writer, submission->id, context->job, NULL, &found, error);
}

scr_status store_insert(job_store *store, const store_submission *submission, store_insertion *insertion, lab_job *job, scr_error *error)
{
  *insertion = STORE_INSERTED;
  insert_context context = {submission, insertion, job};
  return store_write(store, STORE_FULL, write_insert, &context, error);
}
