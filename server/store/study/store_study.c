/* Reading studies and their rows. */
#include "server/store/study/store_study.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "server/store/study/study_internal.h"

#define STUDY_COLUMNS "id, name, title, state, reason, created, ended, version, rows, priority, record_bytes, delete_runs, user"
#define ROW_COLUMNS "number, state, version, job, own, factors, results, reason"

static study_state state_of(sqlite3_stmt *statement, int column)
{
  const char *text = (const char *)sqlite3_column_text(statement, column);
  for (int i = 0; text && i <= STUDY_DELETING; i++)
    if (strcmp(study_state_name((study_state)i), text) == 0) return (study_state)i;
  return STUDY_STOPPED;
}

static study_row_state row_state_of(const char *text)
{
  for (int i = 0; text && i < ROW_STATE_COUNT; i++)
    if (strcmp(study_row_state_name((study_row_state)i), text) == 0) return (study_row_state)i;
  return ROW_FAILED;
}

static void read_study(sqlite3_stmt *statement, lab_study *study)
{
  int c = 0;
  *study = (lab_study){.id = sqlite3_column_int64(statement, c++)};
  read_text(statement, c++, study->name, sizeof study->name);
  read_text(statement, c++, study->title, sizeof study->title);
  study->state = state_of(statement, c++);
  read_text(statement, c++, study->reason, sizeof study->reason);
  study->created_ms = sqlite3_column_int64(statement, c++);
  study->ended_ms = sqlite3_column_int64(statement, c++);
  study->version = (uint64_t)sqlite3_column_int64(statement, c++);
  study->row_count = (size_t)sqlite3_column_int64(statement, c++);
  study->priority = sqlite3_column_int(statement, c++);
  study->record_bytes = sqlite3_column_double(statement, c++);
  study->delete_runs = sqlite3_column_int(statement, c++) != 0;
  read_text(statement, c++, study->user, sizeof study->user);
}

static scr_status read_counts(store_connection *reader, lab_study *study, scr_error *error)
{
  sqlite3_stmt *statement;
  SCR_TRY(connection_prepare(reader, STATEMENT_STUDY_COUNTS, "SELECT state, count FROM study_count WHERE study = ?", &statement, error));
  sqlite3_bind_int64(statement, 1, study->id);
  for (bool row = true; row;) {
    SCR_TRY(connection_step(reader, statement, &row, error));
    if (row) study->counts[row_state_of((const char *)sqlite3_column_text(statement, 0))] = (size_t)sqlite3_column_int64(statement, 1);
  }
  connection_done(statement);
  return SCR_OK;
}

scr_status fetch_study(store_connection *connection, int64_t id, lab_study *study, bool *found, scr_error *error)
{
  sqlite3_stmt *statement;
  SCR_TRY(connection_prepare(connection, STATEMENT_STUDY, "SELECT " STUDY_COLUMNS " FROM study WHERE id = ?", &statement, error));
  sqlite3_bind_int64(statement, 1, id);
  SCR_TRY(connection_step(connection, statement, found, error));
  if (*found) read_study(statement, study);
  connection_done(statement);
  return *found ? read_counts(connection, study, error) : SCR_OK;
}

scr_status store_study_get(job_store *store, int64_t id, lab_study *study, bool *found, scr_error *error)
{
  store_connection *reader = store_take_reader(store);
  scr_status status = fetch_study(reader, id, study, found, error);
  store_return_reader(store, reader);
  return status;
}

static scr_status copy_text(sqlite3_stmt *statement, int column, char **text, scr_error *error)
{
  const char *from = (const char *)sqlite3_column_text(statement, column);
  *text = strdup(from ? from : "");
  return *text ? SCR_OK : scr_fail_memory(error, "a study", from ? strlen(from) : 1);
}

static scr_status fetch_document(store_connection *reader, int64_t id, char **text, bool *found, scr_error *error)
{
  sqlite3_stmt *statement;
  SCR_TRY(connection_prepare(reader, STATEMENT_STUDY_DOCUMENT, "SELECT document FROM study_document WHERE study = ?", &statement, error));
  sqlite3_bind_int64(statement, 1, id);
  SCR_TRY(connection_step(reader, statement, found, error));
  scr_status status = *found ? copy_text(statement, 0, text, error) : SCR_OK;
  connection_done(statement);
  return status;
}

scr_status store_study_document(job_store *store, int64_t id, char **text, bool *found, scr_error *error)
{
  *text = NULL;
  store_connection *reader = store_take_reader(store);
  scr_status status = fetch_document(reader, id, text, found, error);
  store_return_reader(store, reader);
  return status;
}

static scr_status fetch_list(store_connection *reader, int64_t before, lab_study *studies, size_t capacity, size_t *count, scr_error *error)
{
  sqlite3_stmt *statement;
  const char *sql = "SELECT " STUDY_COLUMNS " FROM study WHERE id < ? ORDER BY id DESC LIMIT ?";
  SCR_TRY(connection_prepare(reader, STATEMENT_STUDIES, sql, &statement, error));
  sqlite3_bind_int64(statement, 1, before > 0 ? before : INT64_MAX);
  bind_count(statement, 2, capacity);
  for (bool row = true; row && *count < capacity;) {
    SCR_TRY(connection_step(reader, statement, &row, error));
    if (row) read_study(statement, &studies[(*count)++]);
  }
  connection_done(statement);
  for (size_t i = 0; i < *count; i++) SCR_TRY(read_counts(reader, &studies[i], error));
  return SCR_OK;
}

scr_status store_studies(job_store *store, int64_t before, lab_study *studies, size_t capacity, size_t *count, scr_error *error)
{
  *count = 0;
  store_connection *reader = store_take_reader(store);
  scr_status status = fetch_list(reader, before, studies, capacity, count, error);
  store_return_reader(store, reader);
  return status;
}

/* ── rows ── */

static scr_status read_row(sqlite3_stmt *statement, lab_study_row *row, scr_error *error)
{
  *row = (lab_study_row){.number = sqlite3_column_int64(statement, 0),
                         .state = row_state_of((const char *)sqlite3_column_text(statement, 1)),
                         .version = (uint64_t)sqlite3_column_int64(statement, 2),
                         .job = sqlite3_column_int64(statement, 3),
                         .own = sqlite3_column_int(statement, 4) != 0};
  read_text(statement, 7, row->reason, sizeof row->reason);
  scr_status status = copy_text(statement, 5, &row->factors, error);
  if (status == SCR_OK && sqlite3_column_bytes(statement, 6) > 0) status = copy_text(statement, 6, &row->results, error);
  if (status != SCR_OK) lab_study_row_clear(row);
  return status;
}

static scr_status step_rows(store_connection *reader, sqlite3_stmt *statement, lab_study_row *rows, size_t capacity, size_t *count,
                            scr_error *error)
{
  scr_status status = SCR_OK;
  for (bool row = true; row && *count < capacity && status == SCR_OK;) {
    SCR_TRY(connection_step(reader, statement, &row, error));
    if (row) status = read_row(statement, &rows[*count], error);
    if (row && status == SCR_OK) (*count)++;
  }
  connection_done(statement);
  return status;
}

static scr_status fetch_rows(store_connection *reader, int64_t id, const study_query *query, lab_study_row *rows, size_t capacity,
                             size_t *count, scr_error *error)
{
  sqlite3_stmt *statement;
  const char *all = "SELECT " ROW_COLUMNS " FROM study_row WHERE study = ?1 AND number > ?2 ORDER BY number LIMIT ?3";
  const char *changed =
      "SELECT " ROW_COLUMNS " FROM study_row INDEXED BY study_row_version WHERE study = ?1 AND (version, number) > (?4, ?2) "
      "ORDER BY version, number LIMIT ?3";
  SCR_TRY(connection_prepare(reader, query->changed ? STATEMENT_STUDY_ROWS_CHANGED : STATEMENT_STUDY_ROWS, query->changed ? changed : all,
                             &statement, error));
  sqlite3_bind_int64(statement, 1, id);
  sqlite3_bind_int64(statement, 2, query->changed && query->after == 0 ? INT64_MAX : query->after);
  bind_count(statement, 3, capacity);
  if (query->changed) bind_count(statement, 4, query->changed);
  return step_rows(reader, statement, rows, capacity, count, error);
}

scr_status store_study_rows(job_store *store, int64_t id, const study_query *query, lab_study_row *rows, size_t capacity, size_t *count,
                            scr_error *error)
{
  *count = 0;
  store_connection *reader = store_take_reader(store);
  scr_status status = fetch_rows(reader, id, query, rows, capacity, count, error);
  store_return_reader(store, reader);
  return status;
}

static scr_status fetch_first_row(store_connection *reader, int64_t id, study_row_state state, int64_t after, lab_study_row *row,
                                  scr_error *error)
{
  sqlite3_stmt *statement;
  size_t count = 0;
  const char *sql = "SELECT " ROW_COLUMNS " FROM study_row INDEXED BY study_row_state WHERE study = ? AND state = ? AND number > ? "
                    "ORDER BY number LIMIT 1";
  SCR_TRY(connection_prepare(reader, STATEMENT_FIRST_ROW, sql, &statement, error));
  sqlite3_bind_int64(statement, 1, id);
  bind_text(statement, 2, study_row_state_name(state));
  sqlite3_bind_int64(statement, 3, after);
  return step_rows(reader, statement, row, 1, &count, error);
}

scr_status store_first_row(job_store *store, int64_t id, study_row_state state, int64_t after, lab_study_row *row, scr_error *error)
{
  *row = (lab_study_row){0};
  store_connection *reader = store_take_reader(store);
  scr_status status = fetch_first_row(reader, id, state, after, row, error);
  store_return_reader(store, reader);
  return status;
}

static scr_status fetch_ended_row(store_connection *reader, int64_t *study, lab_study_row *row, scr_error *error)
{
  sqlite3_stmt *statement;
  bool found;
  const char *sql = "SELECT " ROW_COLUMNS ", study FROM study_row INDEXED BY study_row_ended WHERE state = 'ended' LIMIT 1";
  SCR_TRY(connection_prepare(reader, STATEMENT_ENDED_ROW, sql, &statement, error));
  SCR_TRY(connection_step(reader, statement, &found, error));
  scr_status status = found ? read_row(statement, row, error) : SCR_OK;
  if (found && status == SCR_OK) *study = sqlite3_column_int64(statement, 8);
  connection_done(statement);
  return status;
}

scr_status store_ended_row(job_store *store, int64_t *study, lab_study_row *row, scr_error *error)
{
  *row = (lab_study_row){0};
  *study = 0;
  store_connection *reader = store_take_reader(store);
  scr_status status = fetch_ended_row(reader, study, row, error);
  store_return_reader(store, reader);
  return status;
}

/* ── residuals ── */

static scr_status visit_residuals(sqlite3_stmt *statement, store_residuals_visit visit, void *user, scr_error *error)
{
  size_t count = (size_t)sqlite3_column_bytes(statement, 4) / sizeof(double);
  double *values = NULL; /* copied, so that they are aligned whatever SQLite gives */
  if (count) SCR_TRY(mem_allocate(&values, count, sizeof *values, "residuals of a row", error));
  if (values) memcpy(values, sqlite3_column_blob(statement, 4), count * sizeof *values);
  const store_residuals row = {.number = sqlite3_column_int64(statement, 0),
                               .state = row_state_of((const char *)sqlite3_column_text(statement, 1)),
                               .job = sqlite3_column_int64(statement, 2),
                               .factors = (const char *)sqlite3_column_text(statement, 3),
                               .residuals = values,
                               .count = count};
  scr_status status = visit(user, &row, error);
  mem_free(values);
  return status;
}

static scr_status fetch_residuals(store_connection *reader, int64_t id, store_residuals_visit visit, void *user, scr_error *error)
{
  sqlite3_stmt *statement;
  const char *sql = "SELECT r.number, r.state, r.job, r.factors, d.residuals FROM study_row AS r LEFT JOIN study_residual AS d "
                    "ON d.study = r.study AND d.number = r.number WHERE r.study = ? ORDER BY r.number";
  SCR_TRY(connection_prepare(reader, STATEMENT_RESIDUALS, sql, &statement, error));
  sqlite3_bind_int64(statement, 1, id);
  scr_status status = SCR_OK;
  for (bool row = true; row && status == SCR_OK;) {
    SCR_TRY(connection_step(reader, statement, &row, error));
    if (row) status = visit_residuals(statement, visit, user, error);
  }
  connection_done(statement);
  return status;
}

scr_status store_study_residuals(job_store *store, int64_t id, store_residuals_visit visit, void *user, scr_error *error)
{
  store_connection *reader = store_take_reader(store);
  scr_status status = fetch_residuals(reader, id, visit, user, error);
  store_return_reader(store, reader);
  return status;
}

/* ── numbers ── */

static scr_status fetch_studies_in(store_connection *reader, study_state state, int64_t after, int64_t *ids, size_t capacity, size_t *count,
                                   scr_error *error)
{
  sqlite3_stmt *statement;
  SCR_TRY(connection_prepare(reader, STATEMENT_STUDIES_IN, "SELECT id FROM study WHERE state = ? AND id > ? ORDER BY id LIMIT ?",
                             &statement, error));
  bind_text(statement, 1, study_state_name(state));
  sqlite3_bind_int64(statement, 2, after);
  bind_count(statement, 3, capacity);
  for (bool row = true; row && *count < capacity;) {
    SCR_TRY(connection_step(reader, statement, &row, error));
    if (row) ids[(*count)++] = sqlite3_column_int64(statement, 0);
  }
  connection_done(statement);
  return SCR_OK;
}

scr_status store_studies_in(job_store *store, study_state state, int64_t after, int64_t *ids, size_t capacity, size_t *count,
                            scr_error *error)
{
  *count = 0;
  store_connection *reader = store_take_reader(store);
  scr_status status = fetch_studies_in(reader, state, after, ids, capacity, count, error);
  store_return_reader(store, reader);
  return status;
}

static scr_status fetch_job_of_digest(store_connection *reader, const char *digest, int64_t before, int64_t *job, scr_error *error)
{
  sqlite3_stmt *statement;
  bool row;
  const char *sql =
      "SELECT job FROM study_row INDEXED BY study_row_digest WHERE digest = ? AND job < ? AND digest <> '' AND job > 0 AND own = 1 "
      "AND state = 'succeeded' ORDER BY job DESC LIMIT 1";
  SCR_TRY(connection_prepare(reader, STATEMENT_JOB_OF_DIGEST, sql, &statement, error));
  bind_text(statement, 1, digest);
  sqlite3_bind_int64(statement, 2, before > 0 ? before : INT64_MAX);
  SCR_TRY(connection_step(reader, statement, &row, error));
  *job = row ? sqlite3_column_int64(statement, 0) : 0;
  connection_done(statement);
  return SCR_OK;
}

scr_status store_job_of_digest(job_store *store, const char *digest, int64_t before, int64_t *job, scr_error *error)
{
  store_connection *reader = store_take_reader(store);
  scr_status status = fetch_job_of_digest(reader, digest, before, job, error);
  store_return_reader(store, reader);
  return status;
}
