/* Changes of jobs that users ask for: requests, edits, deletion. The write_ functions run on the writing thread.
 *
 * `job_text` indexes the words of job.name, job.title and job.notes without holding them. It must be told of every change with the old
 * words, so a row's words are taken out before it changes and put in after. */
#include <string.h>

#include "server/store/store_internal.h"

scr_status index_text(store_connection *writer, int64_t id, bool in, scr_error *error)
{
  sqlite3_stmt *statement;
  const char *put = "INSERT INTO job_text (rowid, name, title, notes) SELECT id, name, title, notes FROM job WHERE id = ?";
  const char *take = "INSERT INTO job_text (job_text, rowid, name, title, notes) "
                     "SELECT 'delete', id, name, title, notes FROM job WHERE id = ?";
  SCR_TRY(connection_prepare(writer, in ? STATEMENT_INSERT_TEXT : STATEMENT_DELETE_TEXT, in ? put : take, &statement, error));
  sqlite3_bind_int64(statement, 1, id);
  return connection_run(writer, statement, error);
}

scr_status insert_tags(store_connection *writer, int64_t id, const char *tags, scr_error *error)
{
  sqlite3_stmt *statement;
  const char *sql = "INSERT INTO job_tag (key, value, job) SELECT key, value, ?1 FROM json_each(?2)";
  SCR_TRY(connection_prepare(writer, STATEMENT_INSERT_TAGS, sql, &statement, error));
  sqlite3_bind_int64(statement, 1, id);
  bind_text(statement, 2, tags);
  return connection_run(writer, statement, error);
}

static scr_status run_for_job(store_connection *writer, statement_name name, const char *sql, int64_t id, scr_error *error)
{
  sqlite3_stmt *statement;
  SCR_TRY(connection_prepare(writer, name, sql, &statement, error));
  sqlite3_bind_int64(statement, 1, id);
  return connection_run(writer, statement, error);
}

/* ── requests ─────────────────────────────────────────────────────────────────────────────────────────────────── */

typedef struct request_context {
  int64_t id, now_ms;
  job_request request;
  store_answer *answer;
} request_context;

static scr_status read_token(store_connection *writer, request_context *context, scr_error *error)
{
  sqlite3_stmt *statement;
  bool row;
  SCR_TRY(connection_prepare(writer, STATEMENT_TOKEN, "SELECT token FROM job WHERE id = ?", &statement, error));
  sqlite3_bind_int64(statement, 1, context->id);
  SCR_TRY(connection_step(writer, statement, &row, error));
  context->answer->token = row ? sqlite3_column_int64(statement, 0) : 0;
  connection_done(statement);
  return SCR_OK;
}

static scr_status note_request(store_connection *writer, const request_context *context, lab_job_state before, scr_error *error)
{
  static const char *const types[] = {[JOB_CANCEL] = "cancel", [JOB_PAUSE] = "pause", [JOB_RESUME] = "resume"};
  char text[64] = "while it was ";
  strncat(text, lab_job_state_name(before), sizeof text - 1 - strlen(text));
  return insert_event(writer, context->id, context->now_ms, types[context->request], text, error);
}

static scr_status write_request(store_connection *writer, void *argument, scr_error *error)
{
  request_context *context = argument;
  lab_job *job = &context->answer->job;
  bool pause_requested;
  SCR_TRY(fetch_job(writer, context->id, job, &pause_requested, &context->answer->found, error));
  if (!context->answer->found) return SCR_OK;
  lab_job_state before = job->state;
  job_answer answer = job_after_request(job->state, job->cancel_requested, pause_requested, context->request);
  context->answer->answer = answer;
  if (!answer.allowed) return SCR_OK;
  sqlite3_stmt *statement;
  const char *sql = "UPDATE job SET state = ?2, cancel_requested = ?3, pause_requested = ?4, run_after = 0, "
                    "waiting = iif(?2 = 'queued', waiting, ''), ended = iif(ended = 0 AND ?5 > 0, ?5, ended) WHERE id = ?1";
  SCR_TRY(connection_prepare(writer, STATEMENT_REQUEST, sql, &statement, error));
  sqlite3_bind_int64(statement, 1, context->id);
  bind_text(statement, 2, lab_job_state_name(answer.state));
  sqlite3_bind_int(statement, 3, answer.cancel_requested);
  sqlite3_bind_int(statement, 4, answer.pause_requested);
  sqlite3_bind_int64(statement, 5, lab_job_state_ended(answer.state) ? context->now_ms : 0);
  SCR_TRY(connection_run(writer, statement, error));
  if (before != JOB_CANCELLED) SCR_TRY(note_request(writer, context, before, error));
  SCR_TRY(read_token(writer, context, error));
  return fetch_job(writer, context->id, job, NULL, &context->answer->found, error);
}

scr_status store_request(job_store *store, int64_t id, job_request request, int64_t now_ms, store_answer *answer, scr_error *error)
{
  answer->found = false;
  answer->answer = (job_answer){0};
  answer->token = 0;
  request_context context = {id, now_ms, request, answer};
  return store_write(store, STORE_FULL, write_request, &context, error);
}

/* ── edits ────────────────────────────────────────────────────────────────────────────────────────────────────── */

typedef struct edit_context {
  int64_t id, now_ms;
  const lab_change *change;
  bool *found;
  lab_job *job;
} edit_context;

/* The order of columns in `statement`'s parameters; NULL keeps a value. */
static scr_status edit_row(store_connection *writer, const edit_context *context, scr_error *error)
{
  const lab_change *change = context->change;
  sqlite3_stmt *statement;
  const char *sql = "UPDATE job SET name = ifnull(?2, name), tags = ifnull(?3, tags), notes = ifnull(?4, notes), "
                    "priority = ifnull(?5, priority) WHERE id = ?1";
  SCR_TRY(connection_prepare(writer, STATEMENT_EDIT, sql, &statement, error));
  sqlite3_bind_int64(statement, 1, context->id);
  if (change->name) bind_text(statement, 2, change->name);
  if (change->tags) bind_text(statement, 3, change->tags);
  if (change->notes) bind_text(statement, 4, change->notes);
  if (change->priority) sqlite3_bind_int(statement, 5, *change->priority);
  return connection_run(writer, statement, error);
}

static scr_status note_edit(store_connection *writer, const edit_context *context, scr_error *error)
{
  const lab_change *change = context->change;
  const char *const parts[] = {change->name ? "name" : NULL, change->tags ? "tags" : NULL, change->notes ? "notes" : NULL,
                               change->priority ? "priority" : NULL};
  char text[64] = "";
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    if (!parts[i]) continue;
    if (text[0]) strncat(text, ", ", sizeof text - 1 - strlen(text));
    strncat(text, parts[i], sizeof text - 1 - strlen(text));
  }
  return text[0] ? insert_event(writer, context->id, context->now_ms, "change", text, error) : SCR_OK;
}

static scr_status write_edit(store_connection *writer, void *argument, scr_error *error)
{
  edit_context *context = argument;
  const lab_change *change = context->change;
  SCR_TRY(fetch_job(writer, context->id, context->job, NULL, context->found, error));
  if (!*context->found) return SCR_OK;
  bool words = change->name || change->notes;
  if (words) SCR_TRY(index_text(writer, context->id, false, error));
  SCR_TRY(edit_row(writer, context, error));
  if (words) SCR_TRY(index_text(writer, context->id, true, error));
  if (change->tags) {
    SCR_TRY(run_for_job(writer, STATEMENT_DELETE_TAGS, "DELETE FROM job_tag WHERE job = ?", context->id, error));
    SCR_TRY(insert_tags(writer, context->id, change->tags, error));
  }
  SCR_TRY(note_edit(writer, context, error));
  return fetch_job(writer, context->id, context->job, NULL, context->found, error);
}

scr_status store_edit(job_store *store, int64_t id, const lab_change *change, int64_t now_ms, bool *found, lab_job *job, scr_error *error)
{
  *found = false;
  edit_context context = {id, now_ms, change, found, job};
  return store_write(store, STORE_FULL, write_edit, &context, error);
}

/* ── deletion ─────────────────────────────────────────────────────────────────────────────────────────────────── */

typedef struct delete_context {
  int64_t id, now_ms;
  bool *deleted;
} delete_context;

/* The key stays, with the request it came with, so that a retry that comes late does not run the job again. */
static scr_status keep_key(store_connection *writer, const delete_context *context, scr_error *error)
{
  SCR_TRY(run_for_job(writer, STATEMENT_DELETE_SUBMISSION, "DELETE FROM submission WHERE job = ? AND key IS NULL", context->id, error));
  sqlite3_stmt *statement;
  const char *sql = "UPDATE submission SET deleted = ?2, effective = '' WHERE job = ?1";
  SCR_TRY(connection_prepare(writer, STATEMENT_KEEP_KEY, sql, &statement, error));
  sqlite3_bind_int64(statement, 1, context->id);
  sqlite3_bind_int64(statement, 2, context->now_ms);
  return connection_run(writer, statement, error);
}

static scr_status write_delete(store_connection *writer, void *argument, scr_error *error)
{
  delete_context *context = argument;
  lab_job job;
  bool found;
  *context->deleted = false;
  SCR_TRY(fetch_job(writer, context->id, &job, NULL, &found, error));
  if (!found || job.ended_ms == 0) return SCR_OK;
  SCR_TRY(index_text(writer, context->id, false, error));
  SCR_TRY(release_job_assets(writer, context->id, context->now_ms, error));
  SCR_TRY(run_for_job(writer, STATEMENT_DELETE, "DELETE FROM job WHERE id = ?", context->id, error));
  SCR_TRY(run_for_job(writer, STATEMENT_DELETE_EVENTS, "DELETE FROM event WHERE job = ?", context->id, error));
  SCR_TRY(keep_key(writer, context, error));
  SCR_TRY(insert_event(writer, context->id, context->now_ms, "delete", job.name, error));
  *context->deleted = true;
  return SCR_OK;
}

scr_status store_delete(job_store *store, int64_t id, int64_t now_ms, bool *deleted, scr_error *error)
{
  *deleted = false;
  delete_context context = {id, now_ms, deleted};
  scr_status status = store_write(store, STORE_FULL, write_delete, &context, error);
  if (status != SCR_OK) *deleted = false;
  return status;
}
