/* Jobs in the store: reading them, inserting, users' requests, deleting. Reads run on the caller's thread with a connection of its own;
 * the write_ functions run on the writing thread. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "server/store_internal.h"

#define JOB_COLUMNS                                                                                                                        \
  "id, name, title, method, state, created, started, ended, attempt, max_attempts, cancel_requested, pause_requested, error, node_count, " \
  "bond_count, memory_bytes, time_step, time_step_rule, total_steps, frame_count, record_bytes, estimated_seconds, step, step_count, "     \
  "sim_time, duration, peak_force, broken_bonds, run_seconds, last_seq"

static const char get_sql[] = "SELECT " JOB_COLUMNS " FROM job WHERE id = ?";

static void read_text(sqlite3_stmt *statement, int column, char *text, size_t capacity)
{
  const unsigned char *value = sqlite3_column_text(statement, column);
  snprintf(text, capacity, "%s", value ? (const char *)value : "");
}

static uint64_t read_count(sqlite3_stmt *statement, int column)
{
  return (uint64_t)sqlite3_column_int64(statement, column);
}

static double read_number(sqlite3_stmt *statement, int column)
{
  return sqlite3_column_type(statement, column) == SQLITE_NULL ? (double)NAN : sqlite3_column_double(statement, column);
}

static lab_job_state read_state(sqlite3_stmt *statement, int column)
{
  const char *name = (const char *)sqlite3_column_text(statement, column);
  for (int state = LAB_QUEUED; state <= LAB_CANCELLED; state++)
    if (name && strcmp(name, lab_job_state_name((lab_job_state)state)) == 0) return (lab_job_state)state;
  return LAB_FAILED_JOB; /* the schema's CHECK allows no other name */
}

/* Reads the row of JOB_COLUMNS. */
static void read_job(sqlite3_stmt *statement, lab_job *job, bool *pause_requested)
{
  int c = 0;
  *job = (lab_job){.id = sqlite3_column_int64(statement, c++)};
  read_text(statement, c++, job->name, sizeof job->name);
  read_text(statement, c++, job->title, sizeof job->title);
  read_text(statement, c++, job->method, sizeof job->method);
  job->state = read_state(statement, c++);
  job->created_ms = sqlite3_column_int64(statement, c++);
  job->started_ms = sqlite3_column_int64(statement, c++);
  job->ended_ms = sqlite3_column_int64(statement, c++);
  job->attempt = sqlite3_column_int(statement, c++);
  job->max_attempts = sqlite3_column_int(statement, c++);
  job->cancel_requested = sqlite3_column_int(statement, c++) != 0;
  bool pausing = sqlite3_column_int(statement, c++) != 0;
  if (pause_requested) *pause_requested = pausing;
  read_text(statement, c++, job->error, sizeof job->error);
  scr_estimate *estimate = &job->estimate;
  estimate->node_count = read_count(statement, c++);
  estimate->bond_count = read_count(statement, c++);
  estimate->memory_bytes = read_number(statement, c++);
  estimate->time_step = read_number(statement, c++);
  read_text(statement, c++, estimate->time_step_rule, sizeof estimate->time_step_rule);
  estimate->step_count = read_count(statement, c++);
  estimate->frame_count = read_count(statement, c++);
  estimate->record_bytes = read_number(statement, c++);
  estimate->run_seconds = read_number(statement, c++);
  job->progress.step = read_count(statement, c++);
  job->progress.step_count = read_count(statement, c++);
  job->progress.sim_time = read_number(statement, c++);
  job->progress.duration = read_number(statement, c++);
  job->progress.peak_force = read_number(statement, c++);
  job->progress.broken_bonds = read_number(statement, c++);
  job->progress.run_seconds = read_number(statement, c++);
  job->progress.last_seq = read_count(statement, c++);
  job->progress.eta_seconds = (double)NAN;
}

scr_status fetch_job(store_connection *connection, int64_t id, lab_job *job, bool *pause_requested, bool *found, scr_error *error)
{
  sqlite3_stmt *statement;
  SCR_TRY(connection_prepare(connection, STATEMENT_GET, get_sql, &statement, error));
  sqlite3_bind_int64(statement, 1, id);
  SCR_TRY(connection_step(connection, statement, found, error));
  if (*found) read_job(statement, job, pause_requested);
  connection_done(statement);
  return SCR_OK;
}

scr_status store_get(job_store *store, int64_t id, lab_job *job, bool *found, scr_error *error)
{
  store_connection *reader = store_take_reader(store);
  scr_status status = fetch_job(reader, id, job, NULL, found, error);
  store_return_reader(store, reader);
  return status;
}

static scr_status list_jobs(store_connection *reader, int64_t before, int state, lab_job *jobs, size_t capacity, size_t *count, bool *more,
                            scr_error *error)
{
  sqlite3_stmt *statement;
  if (state < 0) {
    const char *sql = "SELECT " JOB_COLUMNS " FROM job WHERE id < ?1 ORDER BY id DESC LIMIT ?2";
    SCR_TRY(connection_prepare(reader, STATEMENT_LIST, sql, &statement, error));
  } else {
    const char *sql = "SELECT " JOB_COLUMNS " FROM job WHERE id < ?1 AND state = ?3 ORDER BY id DESC LIMIT ?2";
    SCR_TRY(connection_prepare(reader, STATEMENT_LIST_STATE, sql, &statement, error));
    bind_text(statement, 3, lab_job_state_name((lab_job_state)state));
  }
  sqlite3_bind_int64(statement, 1, before > 0 ? before : INT64_MAX);
  bind_count(statement, 2, (uint64_t)capacity + 1);
  for (bool row = true; row;) {
    SCR_TRY(connection_step(reader, statement, &row, error));
    if (!row) break;
    if (*count == capacity) {
      *more = true;
      break;
    }
    read_job(statement, &jobs[(*count)++], NULL);
  }
  connection_done(statement);
  return SCR_OK;
}

scr_status store_list(job_store *store, int64_t before, int state, lab_job *jobs, size_t capacity, size_t *count, bool *more,
                      scr_error *error)
{
  *count = 0;
  *more = false;
  store_connection *reader = store_take_reader(store);
  scr_status status = list_jobs(reader, before, state, jobs, capacity, count, more, error);
  store_return_reader(store, reader);
  return status;
}

static scr_status count_states(store_connection *reader, size_t *counts, scr_error *error)
{
  sqlite3_stmt *statement;
  SCR_TRY(connection_prepare(reader, STATEMENT_COUNT_STATES, "SELECT state, count(*) FROM job GROUP BY state", &statement, error));
  for (bool row = true; row;) {
    SCR_TRY(connection_step(reader, statement, &row, error));
    if (row) counts[read_state(statement, 0)] = (size_t)sqlite3_column_int64(statement, 1);
  }
  connection_done(statement);
  return SCR_OK;
}

scr_status store_count(job_store *store, size_t *counts, scr_error *error)
{
  for (int state = LAB_QUEUED; state <= LAB_CANCELLED; state++) counts[state] = 0;
  store_connection *reader = store_take_reader(store);
  scr_status status = count_states(reader, counts, error);
  store_return_reader(store, reader);
  return status;
}

/* Reads the single number of a statement without parameters; 0 when there is no row. */
static scr_status fetch_number(store_connection *connection, statement_name name, const char *sql, int64_t *number, scr_error *error)
{
  sqlite3_stmt *statement;
  bool row;
  SCR_TRY(connection_prepare(connection, name, sql, &statement, error));
  SCR_TRY(connection_step(connection, statement, &row, error));
  *number = row ? sqlite3_column_int64(statement, 0) : 0;
  connection_done(statement);
  return SCR_OK;
}

scr_status store_last_id(job_store *store, int64_t *id, scr_error *error)
{
  store_connection *reader = store_take_reader(store);
  scr_status status = fetch_number(reader, STATEMENT_LAST_ID, "SELECT seq FROM sqlite_sequence WHERE name = 'job'", id, error);
  store_return_reader(store, reader);
  return status;
}

/* ── inserting ────────────────────────────────────────────────────────────────────────────────────────────────── */

static scr_status find_key(store_connection *connection, const char *key, const char *scene, size_t length, store_insertion *insertion,
                           lab_job *job, scr_error *error)
{
  sqlite3_stmt *statement;
  bool found;
  SCR_TRY(connection_prepare(connection, STATEMENT_FIND_KEY, "SELECT job, scene FROM submission WHERE key = ?", &statement, error));
  bind_text(statement, 1, key);
  SCR_TRY(connection_step(connection, statement, &found, error));
  *insertion = STORE_INSERTED;
  int64_t id = 0;
  if (found) {
    id = sqlite3_column_int64(statement, 0);
    const void *text = sqlite3_column_text(statement, 1);
    bool same = text && (size_t)sqlite3_column_bytes(statement, 1) == length && memcmp(text, scene, length) == 0;
    *insertion = same ? STORE_REPEATED : STORE_KEY_REUSED;
  }
  connection_done(statement);
  return *insertion == STORE_REPEATED ? fetch_job(connection, id, job, NULL, &found, error) : SCR_OK;
}

scr_status store_find_key(job_store *store, const char *key, const char *scene, size_t length, store_insertion *insertion, lab_job *job,
                          scr_error *error)
{
  store_connection *reader = store_take_reader(store);
  scr_status status = find_key(reader, key, scene, length, insertion, job, error);
  store_return_reader(store, reader);
  return status;
}

static scr_status insert_row(store_connection *writer, const store_submission *s, scr_error *error)
{
  sqlite3_stmt *statement;
  const char *sql =
      "INSERT INTO job (id, name, title, method, priority, state, created, max_attempts, node_count, bond_count, memory_bytes, time_step, "
      "time_step_rule, total_steps, frame_count, record_bytes, estimated_seconds, step_count, duration) "
      "VALUES (?, ?, ?, ?, ?, 'queued', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
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
  bind_count(statement, c++, s->estimate.bond_count);
  bind_number(statement, c++, s->estimate.memory_bytes);
  bind_number(statement, c++, s->estimate.time_step);
  bind_text(statement, c++, s->estimate.time_step_rule);
  bind_count(statement, c++, s->estimate.step_count);
  bind_count(statement, c++, s->estimate.frame_count);
  bind_number(statement, c++, s->estimate.record_bytes);
  bind_number(statement, c++, s->estimate.run_seconds);
  bind_count(statement, c++, s->estimate.step_count);
  sqlite3_bind_double(statement, c++, isfinite(s->duration) ? s->duration : 0);
  return connection_run(writer, statement, error);
}

static scr_status insert_submission(store_connection *writer, const store_submission *s, scr_error *error)
{
  sqlite3_stmt *statement;
  SCR_TRY(connection_prepare(writer, STATEMENT_INSERT_SUBMISSION, "INSERT INTO submission (job, key, scene) VALUES (?, ?, ?)", &statement,
                             error));
  sqlite3_bind_int64(statement, 1, s->id);
  if (s->key) bind_text(statement, 2, s->key);
  sqlite3_bind_text64(statement, 3, s->scene, s->scene_length, SQLITE_STATIC, SQLITE_UTF8);
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
  if (submission->key)
    SCR_TRY(find_key(writer, submission->key, submission->scene, submission->scene_length, context->insertion, context->job, error));
  if (*context->insertion != STORE_INSERTED) return SCR_OK;
  int64_t queued;
  SCR_TRY(fetch_number(writer, STATEMENT_COUNT_QUEUED, "SELECT count(*) FROM job WHERE state = 'queued'", &queued, error));
  if ((uint64_t)queued >= submission->queue_limit) {
    *context->insertion = STORE_QUEUE_FULL;
    return SCR_OK;
  }
  SCR_TRY(insert_row(writer, submission, error));
  SCR_TRY(insert_submission(writer, submission, error));
  bool found;
  return fetch_job(writer, submission->id, context->job, NULL, &found, error);
}

scr_status store_insert(job_store *store, const store_submission *submission, store_insertion *insertion, lab_job *job, scr_error *error)
{
  *insertion = STORE_INSERTED;
  insert_context context = {submission, insertion, job};
  return store_write(store, STORE_FULL, write_insert, &context, error);
}

/* ── requests ─────────────────────────────────────────────────────────────────────────────────────────────────── */

typedef struct request_context {
  int64_t id, now_ms;
  job_request request;
  bool *found;
  job_answer *answer;
  lab_job *job;
} request_context;

static scr_status write_request(store_connection *writer, void *argument, scr_error *error)
{
  request_context *context = argument;
  lab_job *job = context->job;
  bool pause_requested;
  SCR_TRY(fetch_job(writer, context->id, job, &pause_requested, context->found, error));
  if (!*context->found) return SCR_OK;
  job_answer answer = job_after_request(job->state, job->cancel_requested, pause_requested, context->request);
  *context->answer = answer;
  if (!answer.allowed) return SCR_OK;
  sqlite3_stmt *statement;
  const char *sql = "UPDATE job SET state = ?2, cancel_requested = ?3, pause_requested = ?4, run_after = 0, "
                    "ended = iif(ended = 0 AND ?5 > 0, ?5, ended) WHERE id = ?1";
  SCR_TRY(connection_prepare(writer, STATEMENT_REQUEST, sql, &statement, error));
  sqlite3_bind_int64(statement, 1, context->id);
  bind_text(statement, 2, lab_job_state_name(answer.state));
  sqlite3_bind_int(statement, 3, answer.cancel_requested);
  sqlite3_bind_int(statement, 4, answer.pause_requested);
  sqlite3_bind_int64(statement, 5, lab_job_state_ended(answer.state) ? context->now_ms : 0);
  SCR_TRY(connection_run(writer, statement, error));
  return fetch_job(writer, context->id, job, NULL, context->found, error);
}

scr_status store_request(job_store *store, int64_t id, job_request request, int64_t now_ms, bool *found, job_answer *answer, lab_job *job,
                         scr_error *error)
{
  *found = false;
  *answer = (job_answer){0};
  request_context context = {id, now_ms, request, found, answer, job};
  return store_write(store, STORE_FULL, write_request, &context, error);
}

typedef struct delete_context {
  int64_t id;
  bool *deleted;
} delete_context;

static scr_status write_delete(store_connection *writer, void *argument, scr_error *error)
{
  delete_context *context = argument;
  sqlite3_stmt *statement;
  SCR_TRY(connection_prepare(writer, STATEMENT_DELETE, "DELETE FROM job WHERE id = ? AND ended > 0", &statement, error));
  sqlite3_bind_int64(statement, 1, context->id);
  SCR_TRY(connection_run(writer, statement, error));
  *context->deleted = sqlite3_changes(writer->db) == 1;
  if (!*context->deleted) return SCR_OK;
  SCR_TRY(connection_prepare(writer, STATEMENT_DELETE_SUBMISSION, "DELETE FROM submission WHERE job = ?", &statement, error));
  sqlite3_bind_int64(statement, 1, context->id);
  return connection_run(writer, statement, error);
}

scr_status store_delete(job_store *store, int64_t id, bool *deleted, scr_error *error)
{
  *deleted = false;
  delete_context context = {id, deleted};
  return store_write(store, STORE_FULL, write_delete, &context, error);
}
