/* One SQLite connection: how it is set up, its cached statements, and how its failures read. A connection is used by one thread at a
 * time; who that is, is the business of store.c (readers) and store_writer.c (the writer). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "server/store/store_internal.h"

scr_status connection_fail(store_connection *connection, const char *doing, int code, scr_error *error)
{
  if ((code & 0xff) == SQLITE_FULL) connection->disk_full = true;
  const char *text = connection->db ? sqlite3_errmsg(connection->db) : sqlite3_errstr(code);
  switch (code & 0xff) {
  case SQLITE_NOMEM: return scr_fail(error, SCR_NO_MEMORY, NULL, "the store could not %s: out of memory", doing);
  case SQLITE_FULL: return scr_fail(error, SCR_IO, NULL, "the store could not %s: the disk is full; free some space", doing);
  case SQLITE_BUSY:
  case SQLITE_LOCKED:
    return scr_fail(error, SCR_IO, NULL, "the store could not %s: another program has been writing to it for %d s; close that program",
                    doing, STORE_BUSY_MS / 1000);
  case SQLITE_READONLY:
  case SQLITE_CANTOPEN:
  case SQLITE_PERM:
    return scr_fail(error, SCR_IO, NULL, "the store could not %s: %s; check the data directory's owner and permissions", doing, text);
  case SQLITE_CORRUPT:
  case SQLITE_NOTADB:
    return scr_fail(error, SCR_BAD_FILE, NULL, "the store could not %s: %s; restore scree.db from a backup, or move it away to start anew",
                    doing, text);
  default: return scr_fail(error, SCR_IO, NULL, "the store could not %s: %s", doing, text);
  }
}

scr_status connection_execute(store_connection *connection, const char *sql, const char *doing, scr_error *error)
{
  int code = sqlite3_exec(connection->db, sql, NULL, NULL, NULL);
  return code == SQLITE_OK ? SCR_OK : connection_fail(connection, doing, code, error);
}

scr_status connection_open(store_connection *connection, const char *path, bool writing, scr_error *error)
{
  int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | (writing ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY);
  int code = sqlite3_open_v2(path, &connection->db, flags, NULL);
  if (code != SQLITE_OK) return connection_fail(connection, "be opened", code, error);
  sqlite3_busy_timeout(connection->db, STORE_BUSY_MS);
  sqlite3_db_config(connection->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
  SCR_TRY(connection_execute(connection, "PRAGMA trusted_schema = OFF; PRAGMA foreign_keys = ON; PRAGMA cache_size = -16384", "be set up",
                             error));
  if (!writing) return connection_execute(connection, "PRAGMA query_only = ON", "be set up", error);
  return connection_execute(connection, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL", "be set up", error);
}

void connection_close(store_connection *connection)
{
  for (size_t i = 0; i < STATEMENT_NAME_COUNT; i++) {
    sqlite3_finalize(connection->statements[i]);
    connection->statements[i] = NULL;
  }
  for (size_t i = 0; i < CONNECTION_QUERIES; i++) {
    sqlite3_finalize(connection->queries[i]);
    connection->queries[i] = NULL;
  }
  sqlite3_close(connection->db);
  connection->db = NULL;
}

scr_status connection_prepare(store_connection *connection, statement_name name, const char *sql, sqlite3_stmt **statement,
                              scr_error *error)
{
  sqlite3_stmt **cached = &connection->statements[name];
  if (!*cached) {
    int code = sqlite3_prepare_v3(connection->db, sql, -1, SQLITE_PREPARE_PERSISTENT, cached, NULL);
    if (code != SQLITE_OK) return connection_fail(connection, "prepare a statement", code, error);
  }
  *statement = *cached;
  return SCR_OK;
}

scr_status connection_query(store_connection *connection, const char *sql, sqlite3_stmt **statement, scr_error *error)
{
  for (size_t i = 0; i < CONNECTION_QUERIES; i++) {
    *statement = connection->queries[i];
    if (*statement && strcmp(sqlite3_sql(*statement), sql) == 0) return SCR_OK;
  }
  sqlite3_stmt **place = &connection->queries[connection->next_query];
  connection->next_query = (connection->next_query + 1) % CONNECTION_QUERIES;
  sqlite3_finalize(*place);
  *place = NULL;
  int code = sqlite3_prepare_v3(connection->db, sql, -1, SQLITE_PREPARE_PERSISTENT, place, NULL);
  *statement = *place;
  return code == SQLITE_OK ? SCR_OK : connection_fail(connection, "prepare a statement", code, error);
}

scr_status connection_step(store_connection *connection, sqlite3_stmt *statement, bool *row, scr_error *error)
{
  int code = sqlite3_step(statement);
  if (row) *row = code == SQLITE_ROW;
  if (code == SQLITE_ROW || code == SQLITE_DONE) return SCR_OK;
  scr_status status = connection_fail(connection, sqlite3_stmt_readonly(statement) ? "be read" : "be written", code, error);
  connection_done(statement);
  return status;
}

scr_status connection_run(store_connection *connection, sqlite3_stmt *statement, scr_error *error)
{
  SCR_TRY(connection_step(connection, statement, NULL, error));
  connection_done(statement);
  return SCR_OK;
}

void connection_done(sqlite3_stmt *statement)
{
  sqlite3_reset(statement);
  sqlite3_clear_bindings(statement);
}

void bind_count(sqlite3_stmt *statement, int index, uint64_t value)
{
  sqlite3_bind_int64(statement, index, value > INT64_MAX ? INT64_MAX : (int64_t)value);
}

void bind_number(sqlite3_stmt *statement, int index, double value)
{
  if (isfinite(value))
    sqlite3_bind_double(statement, index, value);
  else
    sqlite3_bind_null(statement, index);
}

void bind_text(sqlite3_stmt *statement, int index, const char *text)
{
  sqlite3_bind_text(statement, index, text, -1, SQLITE_STATIC);
}

store_connection *store_take_reader(job_store *store)
{
  pthread_mutex_lock(&store->mutex);
  while (store->idle_count == 0) pthread_cond_wait(&store->returned, &store->mutex);
  store_connection *reader = store->idle[--store->idle_count];
  pthread_mutex_unlock(&store->mutex);
  return reader;
}

void store_return_reader(job_store *store, store_connection *reader)
{
  pthread_mutex_lock(&store->mutex);
  store->idle[store->idle_count++] = reader;
  pthread_cond_signal(&store->returned);
  pthread_mutex_unlock(&store->mutex);
}
