/* Changing studies and their rows. The write_ functions run on the writing thread. Counts and versions are kept by triggers. */
#include <stdlib.h>
#include <string.h>

#include "server/store/study/study_internal.h"

/* ── inserting ── */

static scr_status insert_rows(store_connection *writer, int64_t study, size_t from, size_t count, store_row_text row, void *user,
                              scr_error *error)
{
  sqlite3_stmt *statement;
  const char *sql = "INSERT INTO study_row (study, number, state, factors) VALUES (?, ?, 'waiting', ?)";
  SCR_TRY(connection_prepare(writer, STATEMENT_INSERT_STUDY_ROW, sql, &statement, error));
  for (size_t i = 0; i < count; i++) {
    char *text = row(user, i);
    if (!text) return scr_fail_memory(error, "the rows of a study", count);
    sqlite3_bind_int64(statement, 1, study);
    sqlite3_bind_int64(statement, 2, (int64_t)(from + i + 1));
    bind_text(statement, 3, text);
    scr_status status = connection_run(writer, statement, error);
    free(text);
    SCR_TRY(status);
  }
  return SCR_OK;
}

typedef struct insert_context {
  const store_study *wanted;
  store_insertion *insertion;
  lab_study *study;
} insert_context;

static scr_status find_key(store_connection *writer, const store_study *wanted, int64_t *id, store_insertion *insertion, scr_error *error)
{
  sqlite3_stmt *statement;
  bool row;
  const char *sql = "SELECT id, document = ?2 FROM study JOIN study_document ON study = id WHERE key = ?1";
  SCR_TRY(connection_prepare(writer, STATEMENT_STUDY_KEY, sql, &statement, error));
  bind_text(statement, 1, wanted->key);
  bind_text(statement, 2, wanted->document);
  SCR_TRY(connection_step(writer, statement, &row, error));
  *id = row ? sqlite3_column_int64(statement, 0) : 0;
  if (row) *insertion = sqlite3_column_int(statement, 1) ? STORE_REPEATED : STORE_KEY_REUSED;
  connection_done(statement);
  return SCR_OK;
}

static scr_status insert_study_row(store_connection *writer, const store_study *wanted, int64_t *id, scr_error *error)
{
  sqlite3_stmt *statement;
  const char *sql = "INSERT INTO study (name, title, state, key, created, priority, user) VALUES (?, ?, 'running', ?, ?, ?, ?)";
  SCR_TRY(connection_prepare(writer, STATEMENT_INSERT_STUDY, sql, &statement, error));
  bind_text(statement, 1, wanted->name);
  bind_text(statement, 2, wanted->title);
  if (wanted->key) bind_text(statement, 3, wanted->key);
  sqlite3_bind_int64(statement, 4, wanted->now_ms);
  sqlite3_bind_int(statement, 5, wanted->priority);
  bind_text(statement, 6, wanted->submitter ? wanted->submitter : "");
  SCR_TRY(connection_run(writer, statement, error));
  *id = sqlite3_last_insert_rowid(writer->db);
  SCR_TRY(connection_prepare(writer, STATEMENT_INSERT_STUDY_DOCUMENT, "INSERT INTO study_document (study, document) VALUES (?, ?)",
                             &statement, error));
  sqlite3_bind_int64(statement, 1, *id);
  bind_text(statement, 2, wanted->document);
  return connection_run(writer, statement, error);
}

static scr_status write_insert(store_connection *writer, void *argument, scr_error *error)
{
  insert_context *context = argument;
  const store_study *wanted = context->wanted;
  int64_t id = 0;
  bool found;
  *context->insertion = STORE_INSERTED;
  if (wanted->key) SCR_TRY(find_key(writer, wanted, &id, context->insertion, error));
  if (id == 0) {
    SCR_TRY(insert_study_row(writer, wanted, &id, error));
    SCR_TRY(insert_rows(writer, id, 0, wanted->row_count, wanted->row, wanted->user, error));
  }
  return fetch_study(writer, id, context->study, &found, error);
}

scr_status store_insert_study(job_store *store, const store_study *wanted, store_insertion *insertion, lab_study *study, scr_error *error)
{
  insert_context context = {wanted, insertion, study};
  *insertion = STORE_INSERTED;
  return store_write(store, STORE_FULL, write_insert, &context, error);
}

/* ── states ── */

static scr_status set_state(store_connection *writer, int64_t id, study_state to, const char *reason, bool delete_runs, int64_t ended,
                            scr_error *error)
{
  sqlite3_stmt *statement;
  const char *sql = "UPDATE study SET state = ?2, reason = ?3, delete_runs = ?4, ended = ?5, version = version + 1 WHERE id = ?1";
  SCR_TRY(connection_prepare(writer, STATEMENT_MOVE_STUDY, sql, &statement, error));
  sqlite3_bind_int64(statement, 1, id);
  bind_text(statement, 2, study_state_name(to));
  bind_text(statement, 3, reason);
  sqlite3_bind_int(statement, 4, delete_runs);
  sqlite3_bind_int64(statement, 5, ended);
  return connection_run(writer, statement, error);
}

typedef struct rows_context {
  int64_t id;
  size_t count;
  store_row_text row;
  void *user;
  store_study_change *change;
} rows_context;

static scr_status write_rows(store_connection *writer, void *argument, scr_error *error)
{
  rows_context *context = argument;
  store_study_change *change = context->change;
  lab_study *study = &change->study;
  SCR_TRY(fetch_study(writer, context->id, study, &change->found, error));
  if (!change->found || study->state == STUDY_DELETING || study->row_count + context->count > STUDY_ROW_LIMIT) return SCR_OK;
  SCR_TRY(insert_rows(writer, context->id, study->row_count, context->count, context->row, context->user, error));
  SCR_TRY(set_state(writer, context->id, study->state == STUDY_FINISHED ? STUDY_RUNNING : study->state, study->reason, false, 0, error));
  change->changed = true;
  return fetch_study(writer, context->id, study, &change->found, error);
}

scr_status store_add_rows(job_store *store, int64_t id, size_t count, store_row_text row, void *user, store_study_change *change,
                          scr_error *error)
{
  *change = (store_study_change){0};
  rows_context context = {id, count, row, user, change};
  scr_status status = store_write(store, STORE_FULL, write_rows, &context, error);
  if (status != SCR_OK) change->changed = false;
  return status;
}

typedef struct move_context {
  int64_t id;
  const store_study_target *wanted;
  store_study_change *change;
} move_context;

static scr_status write_move(store_connection *writer, void *argument, scr_error *error)
{
  move_context *context = argument;
  const store_study_target *wanted = context->wanted;
  store_study_change *change = context->change;
  SCR_TRY(fetch_study(writer, context->id, &change->study, &change->found, error));
  change->changed = change->found && (wanted->from >> change->study.state & 1);
  if (!change->changed) return SCR_OK;
  SCR_TRY(set_state(writer, context->id, wanted->to, wanted->reason ? wanted->reason : "", wanted->delete_runs, 0, error));
  return fetch_study(writer, context->id, &change->study, &change->found, error);
}

scr_status store_study_move(job_store *store, int64_t id, const store_study_target *wanted, store_study_change *change, scr_error *error)
{
  *change = (store_study_change){0};
  move_context context = {id, wanted, change};
  return store_write(store, STORE_FULL, write_move, &context, error);
}

typedef struct settle_context {
  int64_t id, now_ms;
  bool *finished;
} settle_context;

static scr_status write_settle(store_connection *writer, void *argument, scr_error *error)
{
  settle_context *context = argument;
  lab_study study;
  bool found;
  *context->finished = false;
  SCR_TRY(fetch_study(writer, context->id, &study, &found, error));
  size_t open = study.counts[ROW_WAITING] + study.counts[ROW_RUNNING] + study.counts[ROW_ENDED];
  if (!found || study.state != STUDY_RUNNING || open > 0) return SCR_OK;
  *context->finished = true;
  return set_state(writer, context->id, STUDY_FINISHED, "", false, context->now_ms, error);
}

scr_status store_study_finish(job_store *store, int64_t id, int64_t now_ms, bool *finished, scr_error *error)
{
  settle_context context = {id, now_ms, finished};
  *finished = false;
  return store_write(store, STORE_FULL, write_settle, &context, error);
}

typedef struct retry_context {
  int64_t id;
  bool *found;
  size_t *count;
  lab_study *study;
} retry_context;

static scr_status write_retry(store_connection *writer, void *argument, scr_error *error)
{
  retry_context *context = argument;
  sqlite3_stmt *statement;
  *context->count = 0;
  SCR_TRY(fetch_study(writer, context->id, context->study, context->found, error));
  if (!*context->found || context->study->state == STUDY_DELETING) return SCR_OK;
  const char *sql = "UPDATE study_row SET state = 'waiting', job = 0, own = 0, results = '', reason = '' "
                    "WHERE study = ? AND state IN ('failed', 'cancelled', 'refused')";
  SCR_TRY(connection_prepare(writer, STATEMENT_RETRY_ROWS, sql, &statement, error));
  sqlite3_bind_int64(statement, 1, context->id);
  SCR_TRY(connection_run(writer, statement, error));
  *context->count = (size_t)sqlite3_changes(writer->db);
  if (*context->count > 0 && context->study->state == STUDY_FINISHED)
    SCR_TRY(set_state(writer, context->id, STUDY_RUNNING, "", false, 0, error));
  return fetch_study(writer, context->id, context->study, context->found, error);
}

scr_status store_study_retry(job_store *store, int64_t id, bool *found, size_t *count, lab_study *study, scr_error *error)
{
  retry_context context = {id, found, count, study};
  *found = false, *count = 0;
  return store_write(store, STORE_FULL, write_retry, &context, error);
}

static scr_status run_for_study(store_connection *writer, statement_name name, const char *sql, int64_t id, scr_error *error)
{
  sqlite3_stmt *statement;
  SCR_TRY(connection_prepare(writer, name, sql, &statement, error));
  sqlite3_bind_int64(statement, 1, id);
  return connection_run(writer, statement, error);
}

static scr_status write_remove(store_connection *writer, void *argument, scr_error *error)
{
  const int64_t *id = argument;
  SCR_TRY(run_for_study(writer, STATEMENT_REMOVE_STUDY_ROWS, "DELETE FROM study_row WHERE study = ?", *id, error));
  SCR_TRY(run_for_study(writer, STATEMENT_REMOVE_STUDY_COUNTS, "DELETE FROM study_count WHERE study = ?", *id, error));
  SCR_TRY(run_for_study(writer, STATEMENT_REMOVE_STUDY_DOCUMENT, "DELETE FROM study_document WHERE study = ?", *id, error));
  return run_for_study(writer, STATEMENT_REMOVE_STUDY, "DELETE FROM study WHERE id = ? AND state = 'deleting'", *id, error);
}

scr_status store_study_remove(job_store *store, int64_t id, scr_error *error)
{
  return store_write(store, STORE_FULL, write_remove, &id, error);
}

/* ── rows ── */

scr_status claim_study_row(store_connection *writer, const store_submission *submission, bool *taken, scr_error *error)
{
  sqlite3_stmt *statement;
  const char *sql =
      "UPDATE study_row SET state = 'running', job = ?3, own = 1, digest = ?4, results = '', reason = '' WHERE study = ?1 AND "
      "number = ?2 AND state = 'waiting' AND (SELECT state FROM study WHERE id = ?1) = 'running'";
  SCR_TRY(connection_prepare(writer, STATEMENT_CLAIM_ROW, sql, &statement, error));
  sqlite3_bind_int64(statement, 1, submission->study);
  sqlite3_bind_int64(statement, 2, submission->study_row);
  sqlite3_bind_int64(statement, 3, submission->id);
  bind_text(statement, 4, submission->scene_digest);
  SCR_TRY(connection_run(writer, statement, error));
  *taken = sqlite3_changes(writer->db) == 1;
  if (!*taken) return SCR_OK;
  SCR_TRY(connection_prepare(writer, STATEMENT_STUDY_NEED, "UPDATE study SET record_bytes = record_bytes + ifnull(?2, 0) WHERE id = ?1",
                             &statement, error));
  sqlite3_bind_int64(statement, 1, submission->study);
  bind_number(statement, 2, submission->estimate.record_bytes);
  return connection_run(writer, statement, error);
}

typedef struct change_context {
  int64_t study, number;
  const store_row_change *change;
  bool *changed;
} change_context;

static void bind_or_keep(sqlite3_stmt *statement, int index, const char *text)
{
  if (text) bind_text(statement, index, text);
}

static scr_status put_residuals(store_connection *writer, const change_context *context, scr_error *error)
{
  sqlite3_stmt *statement;
  const char *sql = "INSERT INTO study_residual (study, number, residuals) VALUES (?, ?, ?) "
                    "ON CONFLICT (study, number) DO UPDATE SET residuals = excluded.residuals";
  SCR_TRY(connection_prepare(writer, STATEMENT_PUT_RESIDUALS, sql, &statement, error));
  sqlite3_bind_int64(statement, 1, context->study);
  sqlite3_bind_int64(statement, 2, context->number);
  const store_row_change *change = context->change;
  sqlite3_bind_blob64(statement, 3, change->residuals, change->residual_count * sizeof *change->residuals, SQLITE_STATIC);
  return connection_run(writer, statement, error);
}

static scr_status write_change(store_connection *writer, void *argument, scr_error *error)
{
  change_context *context = argument;
  const store_row_change *change = context->change;
  sqlite3_stmt *statement;
  const char *sql = "UPDATE study_row SET state = ?4, job = ifnull(?5, job), digest = ifnull(?6, digest), results = ifnull(?7, results), "
                    "reason = ifnull(?8, reason) WHERE study = ?1 AND number = ?2 AND state = ?3";
  SCR_TRY(connection_prepare(writer, STATEMENT_CHANGE_ROW, sql, &statement, error));
  sqlite3_bind_int64(statement, 1, context->study);
  sqlite3_bind_int64(statement, 2, context->number);
  bind_text(statement, 3, study_row_state_name(change->from));
  bind_text(statement, 4, study_row_state_name(change->to));
  if (change->job >= 0) sqlite3_bind_int64(statement, 5, change->job);
  bind_or_keep(statement, 6, change->digest);
  bind_or_keep(statement, 7, change->results);
  bind_or_keep(statement, 8, change->reason);
  SCR_TRY(connection_run(writer, statement, error));
  *context->changed = sqlite3_changes(writer->db) == 1;
  return *context->changed && change->residuals ? put_residuals(writer, context, error) : SCR_OK;
}

scr_status store_change_row(job_store *store, int64_t study, int64_t number, const store_row_change *change, bool *changed,
                            scr_error *error)
{
  *changed = false;
  change_context context = {study, number, change, changed};
  return store_write(store, STORE_FULL, write_change, &context, error);
}
