/* Attempts in the store: progress and finish (store_claim.c begins them). The write_ functions run on the writing thread.
 *
 * Fencing: a claim gives the job a token no attempt had before. Every later write of that attempt names job and token; when the job has
 * since been finished or claimed again the token no longer matches, and the write changes nothing. So a job is ended exactly once. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "record/headlines.h"
#include "server/executor/executor.h"
#include "server/store/store_internal.h"

typedef struct handle_context {
  int64_t id, token;
  char handle[EXECUTOR_HANDLE_BYTES];
} handle_context;

static scr_status write_handle(store_connection *writer, void *argument, scr_error *error)
{
  const handle_context *context = argument;
  sqlite3_stmt *statement;
  SCR_TRY(connection_prepare(writer, STATEMENT_ATTEMPT_HANDLE, "UPDATE attempt SET handle = ? WHERE token = ? AND job = ? AND ended = 0",
                             &statement, error));
  sqlite3_bind_text(statement, 1, context->handle, -1, SQLITE_STATIC);
  sqlite3_bind_int64(statement, 2, context->token);
  sqlite3_bind_int64(statement, 3, context->id);
  return connection_run(writer, statement, error);
}

void store_attempt_handle(job_store *store, int64_t id, int64_t token, const char *handle)
{
  handle_context *context = malloc(sizeof *context);
  if (!context) return;
  *context = (handle_context){.id = id, .token = token};
  snprintf(context->handle, sizeof context->handle, "%s", handle);
  store_post(store, write_handle, context);
}

static scr_status fetch_abandoned(store_connection *reader, int64_t id, char *handle, size_t capacity, scr_error *error)
{
  sqlite3_stmt *statement;
  bool row;
  const char *sql = "SELECT handle FROM attempt WHERE job = ? AND outcome = 'stopped' AND handle <> '' ORDER BY token DESC LIMIT 1";
  SCR_TRY(connection_prepare(reader, STATEMENT_ABANDONED, sql, &statement, error));
  sqlite3_bind_int64(statement, 1, id);
  SCR_TRY(connection_step(reader, statement, &row, error));
  snprintf(handle, capacity, "%s", row ? (const char *)sqlite3_column_text(statement, 0) : "");
  connection_done(statement);
  return SCR_OK;
}

scr_status store_abandoned_handle(job_store *store, int64_t id, char *handle, size_t capacity, scr_error *error)
{
  store_connection *reader = store_take_reader(store);
  scr_status status = fetch_abandoned(reader, id, handle, capacity, error);
  store_return_reader(store, reader);
  return status;
}

/* ── progress ─────────────────────────────────────────────────────────────────────────────────────────────────── */

typedef struct progress_context {
  int64_t id, token;
  lab_job job;
} progress_context;

static void bind_finite(sqlite3_stmt *statement, int column, double number)
{
  sqlite3_bind_double(statement, column, isfinite(number) ? number : 0);
}

static scr_status update_progress(store_connection *writer, int64_t id, int64_t token, const lab_job *job, scr_error *error)
{
  sqlite3_stmt *statement;
  const char *sql = "UPDATE job SET step = ?, step_count = ?, sim_time = ?, duration = ?, headlines = ?, run_seconds = ?, "
                    "last_seq = ? WHERE id = ? AND token = ? AND state = 'running'";
  SCR_TRY(connection_prepare(writer, STATEMENT_PROGRESS, sql, &statement, error));
  int c = 1;
  bind_count(statement, c++, job->progress.step);
  bind_count(statement, c++, job->progress.step_count);
  bind_finite(statement, c++, job->progress.sim_time);
  bind_finite(statement, c++, job->progress.duration);
  json_t *list = headlines_json(job->progress.headlines, job->progress.headline_count);
  char *headlines = list ? json_dumps(list, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
  json_decref(list);
  sqlite3_bind_text(statement, c++, headlines ? headlines : "[]", -1, SQLITE_TRANSIENT);
  free(headlines);
  bind_finite(statement, c++, job->progress.run_seconds);
  bind_count(statement, c++, job->progress.last_seq);
  sqlite3_bind_int64(statement, c++, id);
  sqlite3_bind_int64(statement, c++, token);
  return connection_run(writer, statement, error);
}

static scr_status write_progress(store_connection *writer, void *argument, scr_error *error)
{
  const progress_context *context = argument;
  return update_progress(writer, context->id, context->token, &context->job, error);
}

void store_progress(job_store *store, int64_t id, int64_t token, const lab_job *progress)
{
  progress_context *context = malloc(sizeof *context);
  if (!context) return;
  *context = (progress_context){.id = id, .token = token, .job = *progress};
  store_post(store, write_progress, context);
}

/* ── finish ───────────────────────────────────────────────────────────────────────────────────────────────────── */

typedef struct finish_context {
  int64_t id, token;
  const store_ending *ending;
  bool *held;
  lab_job *job;
} finish_context;

static scr_status check_held(store_connection *writer, const finish_context *context, scr_error *error)
{
  sqlite3_stmt *statement;
  SCR_TRY(
      connection_prepare(writer, STATEMENT_HELD, "SELECT 1 FROM job WHERE id = ? AND token = ? AND state = 'running'", &statement, error));
  sqlite3_bind_int64(statement, 1, context->id);
  sqlite3_bind_int64(statement, 2, context->token);
  SCR_TRY(connection_step(writer, statement, context->held, error));
  connection_done(statement);
  return SCR_OK;
}

/* An attempt that could not begin leaves no trace: a job may wait for its directory for long, trying once a second. */
static scr_status finish_attempt(store_connection *writer, const finish_context *context, scr_error *error)
{
  sqlite3_stmt *statement;
  const store_ending *ending = context->ending;
  if (ending->outcome == ATTEMPT_BLOCKED) {
    SCR_TRY(connection_prepare(writer, STATEMENT_FORGET_ATTEMPT, "DELETE FROM attempt WHERE token = ?", &statement, error));
    sqlite3_bind_int64(statement, 1, context->token);
    return connection_run(writer, statement, error);
  }
  SCR_TRY(connection_prepare(writer, STATEMENT_FINISH_ATTEMPT,
                             "UPDATE attempt SET ended = ?, outcome = ?, error = ?, peak_memory = ?, cpu_seconds = ? WHERE token = ?",
                             &statement, error));
  sqlite3_bind_int64(statement, 1, ending->now_ms);
  bind_text(statement, 2, attempt_outcome_name(ending->outcome));
  bind_text(statement, 3, ending->message);
  bind_count(statement, 4, ending->peak_memory);
  sqlite3_bind_double(statement, 5, isfinite(ending->cpu_seconds) ? ending->cpu_seconds : 0);
  sqlite3_bind_int64(statement, 6, context->token);
  return connection_run(writer, statement, error);
}

static scr_status finish_job(store_connection *writer, const finish_context *context, const lab_job *job, job_transition next,
                             scr_error *error)
{
  sqlite3_stmt *statement;
  const store_ending *ending = context->ending;
  const char *sql =
      "UPDATE job SET state = ?, ended = ?, token = 0, attempt = ?, run_after = ?, pause_requested = 0, error = ?, waiting = ?, "
      "need_bytes = ifnull(?, need_bytes) WHERE id = ? AND token = ? AND state = 'running'";
  SCR_TRY(connection_prepare(writer, STATEMENT_FINISH_JOB, sql, &statement, error));
  bool for_disk = next.state == JOB_QUEUED && ending->outcome == ATTEMPT_DISK_FULL;
  bind_text(statement, 1, lab_job_state_name(next.state));
  sqlite3_bind_int64(statement, 2, lab_job_state_ended(next.state) ? ending->now_ms : 0);
  sqlite3_bind_int(statement, 3, next.counts ? job->attempt : job->attempt - 1);
  sqlite3_bind_int64(statement, 4, next.delay_ms > 0 ? ending->now_ms + next.delay_ms : 0);
  bind_text(statement, 5, ending->message);
  bind_text(statement, 6, for_disk ? "disk" : "");
  if (ending->need_bytes >= 0) sqlite3_bind_double(statement, 7, ending->need_bytes);
  sqlite3_bind_int64(statement, 8, context->id);
  sqlite3_bind_int64(statement, 9, context->token);
  return connection_run(writer, statement, error);
}

/* The doubts as JSON text to free(); NULL: no memory. */
static char *doubts_text(const lab_job *job)
{
  json_t *list = json_array();
  for (size_t i = 0; i < job->doubt_count; i++)
    json_array_append_new(list, json_pack("{s:s, s:s}", "kind", job->doubts[i].kind, "message", job->doubts[i].message));
  char *text = list && json_array_size(list) == job->doubt_count ? json_dumps(list, JSON_COMPACT) : NULL;
  json_decref(list);
  return text;
}

/* What the end of the recording says, besides the progress. */
static scr_status finish_recording(store_connection *writer, const finish_context *context, scr_error *error)
{
  const lab_job *said = context->ending->progress;
  sqlite3_stmt *statement;
  const char *sql = "UPDATE job SET doubts = ?, record_count = ?, record_digest = ?, verified = ? WHERE id = ?";
  SCR_TRY(connection_prepare(writer, STATEMENT_FINISH_DOUBTS, sql, &statement, error));
  char *doubts = doubts_text(said);
  if (!doubts) return scr_fail_memory(error, "the doubts of a job", sizeof said->doubts);
  bind_text(statement, 1, doubts);
  bind_count(statement, 2, said->record_count);
  bind_text(statement, 3, said->record_digest);
  sqlite3_bind_int64(statement, 4, context->ending->now_ms);
  sqlite3_bind_int64(statement, 5, context->id);
  scr_status status = connection_run(writer, statement, error);
  free(doubts);
  for (size_t i = 0; i < said->doubt_count && status == SCR_OK; i++)
    status = insert_event(writer, context->id, context->ending->now_ms, "doubt", said->doubts[i].message, error);
  return status;
}

static scr_status write_finish(store_connection *writer, void *argument, scr_error *error)
{
  finish_context *context = argument;
  const store_ending *ending = context->ending;
  SCR_TRY(check_held(writer, context, error));
  if (!*context->held) return SCR_OK;
  bool pause_requested, found;
  SCR_TRY(fetch_job(writer, context->id, context->job, &pause_requested, &found, error));
  const lab_job *job = context->job;
  job_transition next = job_after_attempt(ending->outcome, job->attempt, job->max_attempts, job->cancel_requested, pause_requested);
  if (ending->progress) SCR_TRY(update_progress(writer, context->id, context->token, ending->progress, error));
  if (ending->progress && lab_job_state_ended(next.state)) SCR_TRY(finish_recording(writer, context, error));
  SCR_TRY(finish_attempt(writer, context, error));
  SCR_TRY(finish_job(writer, context, job, next, error));
  if (ending->outcome != ATTEMPT_BLOCKED)
    SCR_TRY(insert_event(writer, context->id, ending->now_ms, attempt_outcome_name(ending->outcome), ending->message, error));
  return fetch_job(writer, context->id, context->job, NULL, &found, error);
}

scr_status store_finish(job_store *store, int64_t id, int64_t token, const store_ending *ending, bool *held, lab_job *job, scr_error *error)
{
  *held = false;
  finish_context context = {id, token, ending, held, job};
  scr_status status = store_write(store, STORE_FULL, write_finish, &context, error);
  if (status != SCR_OK) *held = false;
  return status;
}

void store_finish_all(job_store *store, store_finishing *attempts, size_t count)
{
  finish_context contexts[STORE_TOGETHER];
  store_written each[STORE_TOGETHER];
  for (size_t from = 0; from < count; from += STORE_TOGETHER) {
    size_t many = count - from < STORE_TOGETHER ? count - from : STORE_TOGETHER;
    for (size_t i = 0; i < many; i++) {
      store_finishing *a = &attempts[from + i];
      a->held = false;
      contexts[i] = (finish_context){a->id, a->token, &a->ending, &a->held, &a->job};
      each[i].context = &contexts[i];
    }
    store_write_each(store, STORE_FULL, write_finish, each, many);
    for (size_t i = 0; i < many; i++) {
      store_finishing *a = &attempts[from + i];
      a->status = each[i].status;
      a->error = each[i].error;
      if (a->status != SCR_OK) a->held = false;
    }
  }
}

/* ── recovery ─────────────────────────────────────────────────────────────────────────────────────────────────── */

static scr_status list_running(store_connection *reader, store_orphan **orphans, size_t *count, scr_error *error)
{
  sqlite3_stmt *statement;
  size_t capacity = 0;
  SCR_TRY(connection_prepare(
      reader, STATEMENT_RUNNING,
      "SELECT id, token, attempt, executor, cancel_requested, pause_requested FROM job WHERE state = 'running' ORDER BY id", &statement,
      error));
  for (bool row = true; row;) {
    SCR_TRY(connection_step(reader, statement, &row, error));
    if (!row) break;
    if (*count == capacity) {
      capacity = capacity ? capacity * 2 : 16;
      store_orphan *grown = realloc(*orphans, capacity * sizeof *grown);
      if (!grown) {
        connection_done(statement);
        return scr_fail_memory(error, "the list of running jobs", capacity * sizeof *grown);
      }
      *orphans = grown;
    }
    store_orphan *orphan = &(*orphans)[(*count)++];
    *orphan = (store_orphan){.id = sqlite3_column_int64(statement, 0),
                             .token = sqlite3_column_int64(statement, 1),
                             .attempt = sqlite3_column_int(statement, 2),
                             .cancel_requested = sqlite3_column_int(statement, 4) != 0,
                             .pause_requested = sqlite3_column_int(statement, 5) != 0};
    read_text(statement, 3, orphan->executor, sizeof orphan->executor);
  }
  connection_done(statement);
  return SCR_OK;
}

scr_status store_running(job_store *store, store_orphan **orphans, size_t *count, scr_error *error)
{
  *orphans = NULL;
  *count = 0;
  store_connection *reader = store_take_reader(store);
  scr_status status = list_running(reader, orphans, count, error);
  store_return_reader(store, reader);
  return status;
}
