/* Attempts in the store: claim, progress, finish. The write_ functions run on the writing thread.
 *
 * Fencing: a claim gives the job a token no attempt had before. Every later write of that attempt names job and token; when the job has
 * since been finished or claimed again the token no longer matches, and the write changes nothing. So a job is ended exactly once. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "server/store_internal.h"

/* Delays are never longer than JOB_DELAY_LIMIT_MS: a job that seems to wait longer was written before the clock was set back. */
#define MAY_RUN "(run_after <= ?1 OR run_after > ?1 + 2 * 30000)"
static_assert(JOB_DELAY_LIMIT_MS == 30000, "MAY_RUN says it in SQL");

typedef struct claim_context {
  int64_t now_ms;
  store_claim *claim;
  bool *claimed;
} claim_context;

static scr_status find_next(store_connection *writer, claim_context *context, bool *found, scr_error *error)
{
  sqlite3_stmt *statement;
  store_claim *claim = context->claim;
  const char *sql = "SELECT id, attempt, memory_bytes FROM job WHERE state = 'queued' AND " MAY_RUN " ORDER BY priority DESC, id LIMIT 1";
  SCR_TRY(connection_prepare(writer, STATEMENT_NEXT, sql, &statement, error));
  sqlite3_bind_int64(statement, 1, context->now_ms);
  SCR_TRY(connection_step(writer, statement, found, error));
  if (*found) {
    claim->id = sqlite3_column_int64(statement, 0);
    claim->attempt = sqlite3_column_int(statement, 1) + 1;
    claim->memory_bytes = sqlite3_column_type(statement, 2) == SQLITE_NULL ? (double)NAN : sqlite3_column_double(statement, 2);
  }
  connection_done(statement);
  return SCR_OK;
}

static scr_status find_next_due(store_connection *writer, store_claim *claim, scr_error *error)
{
  sqlite3_stmt *statement;
  bool row;
  SCR_TRY(connection_prepare(writer, STATEMENT_NEXT_DUE, "SELECT min(run_after) FROM job WHERE state = 'queued'", &statement, error));
  SCR_TRY(connection_step(writer, statement, &row, error));
  if (row) claim->next_due_ms = sqlite3_column_int64(statement, 0);
  connection_done(statement);
  return SCR_OK;
}

static scr_status insert_attempt(store_connection *writer, const claim_context *context, scr_error *error)
{
  sqlite3_stmt *statement;
  SCR_TRY(connection_prepare(writer, STATEMENT_INSERT_ATTEMPT, "INSERT INTO attempt (job, number, started) VALUES (?, ?, ?)", &statement,
                             error));
  sqlite3_bind_int64(statement, 1, context->claim->id);
  sqlite3_bind_int(statement, 2, context->claim->attempt);
  sqlite3_bind_int64(statement, 3, context->now_ms);
  SCR_TRY(connection_run(writer, statement, error));
  context->claim->token = sqlite3_last_insert_rowid(writer->db);
  return SCR_OK;
}

static scr_status write_claim(store_connection *writer, void *argument, scr_error *error)
{
  claim_context *context = argument;
  store_claim *claim = context->claim;
  bool found;
  SCR_TRY(find_next(writer, context, &found, error));
  if (!found) return find_next_due(writer, claim, error);
  SCR_TRY(insert_attempt(writer, context, error));
  sqlite3_stmt *statement;
  const char *sql = "UPDATE job SET state = 'running', token = ?2, attempt = ?3, started = iif(started = 0, ?4, started), "
                    "cancel_requested = 0, pause_requested = 0 WHERE id = ?1 AND state = 'queued'";
  SCR_TRY(connection_prepare(writer, STATEMENT_CLAIM, sql, &statement, error));
  sqlite3_bind_int64(statement, 1, claim->id);
  sqlite3_bind_int64(statement, 2, claim->token);
  sqlite3_bind_int(statement, 3, claim->attempt);
  sqlite3_bind_int64(statement, 4, context->now_ms);
  SCR_TRY(connection_run(writer, statement, error));
  if (sqlite3_changes(writer->db) != 1)
    return scr_fail(error, SCR_IO, NULL, "job %lld was no longer queued when it was claimed", (long long)claim->id);
  *context->claimed = true;
  return SCR_OK;
}

scr_status store_claim_next(job_store *store, int64_t now_ms, store_claim *claim, bool *claimed, scr_error *error)
{
  *claim = (store_claim){0};
  *claimed = false;
  claim_context context = {now_ms, claim, claimed};
  scr_status status = store_write(store, STORE_FULL, write_claim, &context, error);
  if (status != SCR_OK) *claimed = false;
  return status;
}

typedef struct pid_context {
  int64_t id, token, pid;
} pid_context;

static scr_status write_pid(store_connection *writer, void *argument, scr_error *error)
{
  const pid_context *context = argument;
  sqlite3_stmt *statement;
  SCR_TRY(connection_prepare(writer, STATEMENT_ATTEMPT_PID, "UPDATE attempt SET pid = ? WHERE token = ? AND job = ? AND ended = 0",
                             &statement, error));
  sqlite3_bind_int64(statement, 1, context->pid);
  sqlite3_bind_int64(statement, 2, context->token);
  sqlite3_bind_int64(statement, 3, context->id);
  return connection_run(writer, statement, error);
}

scr_status store_attempt_pid(job_store *store, int64_t id, int64_t token, int64_t pid, scr_error *error)
{
  pid_context context = {id, token, pid};
  return store_write(store, STORE_NORMAL, write_pid, &context, error);
}

static scr_status fetch_abandoned(store_connection *reader, int64_t id, int64_t *pid, scr_error *error)
{
  sqlite3_stmt *statement;
  bool row;
  const char *sql = "SELECT pid FROM attempt WHERE job = ? AND outcome = 'stopped' AND pid > 0 ORDER BY token DESC LIMIT 1";
  SCR_TRY(connection_prepare(reader, STATEMENT_ABANDONED, sql, &statement, error));
  sqlite3_bind_int64(statement, 1, id);
  SCR_TRY(connection_step(reader, statement, &row, error));
  *pid = row ? sqlite3_column_int64(statement, 0) : 0;
  connection_done(statement);
  return SCR_OK;
}

scr_status store_abandoned_pid(job_store *store, int64_t id, int64_t *pid, scr_error *error)
{
  store_connection *reader = store_take_reader(store);
  scr_status status = fetch_abandoned(reader, id, pid, error);
  store_return_reader(store, reader);
  return status;
}

/* ── progress ─────────────────────────────────────────────────────────────────────────────────────────────────── */

typedef struct progress_context {
  int64_t id, token;
  lab_job job;
} progress_context;

static scr_status update_progress(store_connection *writer, int64_t id, int64_t token, const lab_job *job, scr_error *error)
{
  sqlite3_stmt *statement;
  const char *sql =
      "UPDATE job SET step = ?, step_count = ?, sim_time = ?, duration = ?, peak_force = ?, broken_bonds = ?, run_seconds = ?, "
      "last_seq = ? WHERE id = ? AND token = ? AND state = 'running'";
  SCR_TRY(connection_prepare(writer, STATEMENT_PROGRESS, sql, &statement, error));
  int c = 1;
  bind_count(statement, c++, job->progress.step);
  bind_count(statement, c++, job->progress.step_count);
  const double numbers[] = {job->progress.sim_time, job->progress.duration, job->progress.peak_force, job->progress.broken_bonds,
                            job->progress.run_seconds};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) sqlite3_bind_double(statement, c++, isfinite(numbers[i]) ? numbers[i] : 0);
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
  int64_t id, token, now_ms;
  attempt_outcome outcome;
  const char *message;
  const lab_job *progress;
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
  if (context->outcome == ATTEMPT_BLOCKED) {
    SCR_TRY(connection_prepare(writer, STATEMENT_FORGET_ATTEMPT, "DELETE FROM attempt WHERE token = ?", &statement, error));
    sqlite3_bind_int64(statement, 1, context->token);
    return connection_run(writer, statement, error);
  }
  SCR_TRY(connection_prepare(writer, STATEMENT_FINISH_ATTEMPT, "UPDATE attempt SET ended = ?, outcome = ?, error = ? WHERE token = ?",
                             &statement, error));
  sqlite3_bind_int64(statement, 1, context->now_ms);
  bind_text(statement, 2, attempt_outcome_name(context->outcome));
  bind_text(statement, 3, context->message);
  sqlite3_bind_int64(statement, 4, context->token);
  return connection_run(writer, statement, error);
}

static scr_status finish_job(store_connection *writer, const finish_context *context, const lab_job *job, job_transition next,
                             scr_error *error)
{
  sqlite3_stmt *statement;
  const char *sql = "UPDATE job SET state = ?, ended = ?, token = 0, attempt = ?, run_after = ?, pause_requested = 0, error = ? "
                    "WHERE id = ? AND token = ? AND state = 'running'";
  SCR_TRY(connection_prepare(writer, STATEMENT_FINISH_JOB, sql, &statement, error));
  bind_text(statement, 1, lab_job_state_name(next.state));
  sqlite3_bind_int64(statement, 2, lab_job_state_ended(next.state) ? context->now_ms : 0);
  sqlite3_bind_int(statement, 3, next.counts ? job->attempt : job->attempt - 1);
  sqlite3_bind_int64(statement, 4, next.delay_ms > 0 ? context->now_ms + next.delay_ms : 0);
  bind_text(statement, 5, context->message);
  sqlite3_bind_int64(statement, 6, context->id);
  sqlite3_bind_int64(statement, 7, context->token);
  return connection_run(writer, statement, error);
}

static scr_status write_finish(store_connection *writer, void *argument, scr_error *error)
{
  finish_context *context = argument;
  SCR_TRY(check_held(writer, context, error));
  if (!*context->held) return SCR_OK;
  bool pause_requested, found;
  SCR_TRY(fetch_job(writer, context->id, context->job, &pause_requested, &found, error));
  const lab_job *job = context->job;
  job_transition next = job_after_attempt(context->outcome, job->attempt, job->max_attempts, job->cancel_requested, pause_requested);
  if (context->progress) SCR_TRY(update_progress(writer, context->id, context->token, context->progress, error));
  SCR_TRY(finish_attempt(writer, context, error));
  SCR_TRY(finish_job(writer, context, job, next, error));
  return fetch_job(writer, context->id, context->job, NULL, &found, error);
}

scr_status store_finish(job_store *store, int64_t id, int64_t token, attempt_outcome outcome, const char *message, const lab_job *progress,
                        int64_t now_ms, bool *held, lab_job *job, scr_error *error)
{
  *held = false;
  finish_context context = {id, token, now_ms, outcome, message, progress, held, job};
  return store_write(store, STORE_FULL, write_finish, &context, error);
}

/* ── recovery ─────────────────────────────────────────────────────────────────────────────────────────────────── */

static scr_status list_running(store_connection *reader, store_orphan **orphans, size_t *count, scr_error *error)
{
  sqlite3_stmt *statement;
  size_t capacity = 0;
  SCR_TRY(
      connection_prepare(reader, STATEMENT_RUNNING, "SELECT id, token FROM job WHERE state = 'running' ORDER BY id", &statement, error));
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
    (*orphans)[(*count)++] = (store_orphan){sqlite3_column_int64(statement, 0), sqlite3_column_int64(statement, 1)};
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
