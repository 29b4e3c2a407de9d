/* What happened, a line each, written in the transaction that made it happen; and the history of a job's attempts. */
#include "server/store/store_internal.h"

scr_status insert_event(store_connection *writer, int64_t job, int64_t now_ms, const char *type, const char *text, scr_error *error)
{
  sqlite3_stmt *statement;
  const char *sql = "INSERT INTO event (job, time, type, text) VALUES (?, ?, ?, ?)";
  SCR_TRY(connection_prepare(writer, STATEMENT_INSERT_EVENT, sql, &statement, error));
  sqlite3_bind_int64(statement, 1, job);
  sqlite3_bind_int64(statement, 2, now_ms);
  bind_text(statement, 3, type);
  bind_text(statement, 4, text);
  return connection_run(writer, statement, error);
}

static scr_status list_events(store_connection *reader, int64_t job, int64_t after, lab_happening *events, size_t capacity, size_t *count,
                              bool *more, scr_error *error)
{
  sqlite3_stmt *statement;
  if (job > 0) {
    const char *sql = "SELECT id, job, time, type, text FROM event WHERE job = ?3 AND id > ?1 ORDER BY id LIMIT ?2";
    SCR_TRY(connection_prepare(reader, STATEMENT_EVENTS_OF_JOB, sql, &statement, error));
    sqlite3_bind_int64(statement, 3, job);
  } else {
    const char *sql = "SELECT id, job, time, type, text FROM event WHERE id > ?1 ORDER BY id LIMIT ?2";
    SCR_TRY(connection_prepare(reader, STATEMENT_EVENTS, sql, &statement, error));
  }
  sqlite3_bind_int64(statement, 1, after);
  bind_count(statement, 2, (uint64_t)capacity + 1);
  for (bool row = true; row;) {
    SCR_TRY(connection_step(reader, statement, &row, error));
    *more = row && *count == capacity;
    if (!row || *more) break;
    lab_happening *event = &events[(*count)++];
    event->id = sqlite3_column_int64(statement, 0);
    event->job = sqlite3_column_int64(statement, 1);
    event->time_ms = sqlite3_column_int64(statement, 2);
    read_text(statement, 3, event->type, sizeof event->type);
    read_text(statement, 4, event->text, sizeof event->text);
  }
  connection_done(statement);
  return SCR_OK;
}

scr_status store_events(job_store *store, int64_t job, int64_t after, lab_happening *events, size_t capacity, size_t *count, bool *more,
                        scr_error *error)
{
  *count = 0;
  *more = false;
  store_connection *reader = store_take_reader(store);
  scr_status status = list_events(reader, job, after, events, capacity, count, more, error);
  store_return_reader(store, reader);
  return status;
}

static scr_status list_attempts(store_connection *reader, int64_t id, lab_attempt *attempts, size_t capacity, size_t *count,
                                scr_error *error)
{
  sqlite3_stmt *statement;
  const char *sql = "SELECT number, started, ended, outcome, error, peak_memory, cpu_seconds FROM attempt WHERE job = ? "
                    "ORDER BY token DESC LIMIT ?";
  SCR_TRY(connection_prepare(reader, STATEMENT_ATTEMPTS, sql, &statement, error));
  sqlite3_bind_int64(statement, 1, id);
  bind_count(statement, 2, capacity);
  for (bool row = true; row;) {
    SCR_TRY(connection_step(reader, statement, &row, error));
    if (!row) break;
    lab_attempt *attempt = &attempts[(*count)++];
    attempt->number = sqlite3_column_int(statement, 0);
    attempt->started_ms = sqlite3_column_int64(statement, 1);
    attempt->ended_ms = sqlite3_column_int64(statement, 2);
    read_text(statement, 3, attempt->outcome, sizeof attempt->outcome);
    read_text(statement, 4, attempt->error, sizeof attempt->error);
    attempt->peak_memory = (uint64_t)sqlite3_column_int64(statement, 5);
    attempt->cpu_seconds = sqlite3_column_double(statement, 6);
  }
  connection_done(statement);
  for (size_t i = 0; i < *count / 2; i++) { /* oldest first */
    lab_attempt other = attempts[i];
    attempts[i] = attempts[*count - 1 - i];
    attempts[*count - 1 - i] = other;
  }
  return SCR_OK;
}

scr_status store_attempts(job_store *store, int64_t id, lab_attempt *attempts, size_t capacity, size_t *count, scr_error *error)
{
  *count = 0;
  store_connection *reader = store_take_reader(store);
  scr_status status = list_attempts(reader, id, attempts, capacity, count, error);
  store_return_reader(store, reader);
  return status;
}
