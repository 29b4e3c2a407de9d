/* Measured curves. The write_ functions run on the writing thread. */
#include "server/store/study/store_measured.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "server/store/study/study_internal.h"

#define MEASURED_COLUMNS_READ "id, name, title, created, about, (SELECT count(*) FROM measured_specimen WHERE measured = id)"

static scr_status read_measured(sqlite3_stmt *statement, lab_measured *measured, scr_error *error)
{
  const char *about = (const char *)sqlite3_column_text(statement, 4);
  *measured = (lab_measured){.id = sqlite3_column_int64(statement, 0),
                             .created_ms = sqlite3_column_int64(statement, 3),
                             .specimen_count = (size_t)sqlite3_column_int64(statement, 5),
                             .about = strdup(about ? about : "{}")};
  read_text(statement, 1, measured->name, sizeof measured->name);
  read_text(statement, 2, measured->title, sizeof measured->title);
  return measured->about ? SCR_OK : scr_fail_memory(error, "a measured curve", 1);
}

/* ── reading ── */

static scr_status fetch_measured(store_connection *reader, int64_t id, lab_measured *measured, bool *found, scr_error *error)
{
  sqlite3_stmt *statement;
  SCR_TRY(connection_prepare(reader, STATEMENT_MEASURED, "SELECT " MEASURED_COLUMNS_READ " FROM measured WHERE id = ?", &statement, error));
  sqlite3_bind_int64(statement, 1, id);
  SCR_TRY(connection_step(reader, statement, found, error));
  scr_status status = *found ? read_measured(statement, measured, error) : SCR_OK;
  connection_done(statement);
  return status;
}

scr_status store_measured_get(job_store *store, int64_t id, lab_measured *measured, bool *found, scr_error *error)
{
  *measured = (lab_measured){0};
  *found = false;
  store_connection *reader = store_take_reader(store);
  scr_status status = fetch_measured(reader, id, measured, found, error);
  store_return_reader(store, reader);
  return status;
}

static scr_status fetch_named(store_connection *reader, const char *name, int64_t *id, scr_error *error)
{
  sqlite3_stmt *statement;
  bool row;
  SCR_TRY(connection_prepare(reader, STATEMENT_MEASURED_NAME, "SELECT id FROM measured WHERE name = ?", &statement, error));
  bind_text(statement, 1, name);
  SCR_TRY(connection_step(reader, statement, &row, error));
  *id = row ? sqlite3_column_int64(statement, 0) : 0;
  connection_done(statement);
  return SCR_OK;
}

scr_status store_measured_named(job_store *store, const char *name, int64_t *id, scr_error *error)
{
  store_connection *reader = store_take_reader(store);
  scr_status status = fetch_named(reader, name, id, error);
  store_return_reader(store, reader);
  return status;
}

static scr_status fetch_list(store_connection *reader, int64_t before, lab_measured *measured, size_t capacity, size_t *count,
                             scr_error *error)
{
  sqlite3_stmt *statement;
  const char *sql = "SELECT " MEASURED_COLUMNS_READ " FROM measured WHERE id < ? ORDER BY id DESC LIMIT ?";
  SCR_TRY(connection_prepare(reader, STATEMENT_MEASURED_LIST, sql, &statement, error));
  sqlite3_bind_int64(statement, 1, before > 0 ? before : INT64_MAX);
  bind_count(statement, 2, capacity);
  scr_status status = SCR_OK;
  for (bool row = true; row && *count < capacity && status == SCR_OK;) {
    SCR_TRY(connection_step(reader, statement, &row, error));
    if (row) status = read_measured(statement, &measured[*count], error);
    if (row && status == SCR_OK) (*count)++;
  }
  connection_done(statement);
  return status;
}

scr_status store_measured_list(job_store *store, int64_t before, lab_measured *measured, size_t capacity, size_t *count, scr_error *error)
{
  *count = 0;
  store_connection *reader = store_take_reader(store);
  scr_status status = fetch_list(reader, before, measured, capacity, count, error);
  store_return_reader(store, reader);
  return status;
}

/* A blob of doubles is copied, so that it is aligned whatever SQLite gives. */
static scr_status visit_blob(sqlite3_stmt *statement, store_curve_visit visit, void *user, scr_error *error)
{
  size_t count = (size_t)sqlite3_column_bytes(statement, 0) / (2 * sizeof(double));
  double *samples;
  SCR_TRY(mem_allocate(&samples, 2 * count, sizeof *samples, "a measured curve", error));
  if (count) memcpy(samples, sqlite3_column_blob(statement, 0), 2 * count * sizeof *samples);
  scr_status status = visit(user, samples, count, error);
  mem_free(samples);
  return status;
}

static scr_status fetch_curves(store_connection *reader, int64_t id, store_curve_visit visit, void *user, scr_error *error)
{
  sqlite3_stmt *statement;
  const char *sql = "SELECT curve FROM measured_specimen WHERE measured = ? ORDER BY number";
  SCR_TRY(connection_prepare(reader, STATEMENT_MEASURED_CURVES, sql, &statement, error));
  sqlite3_bind_int64(statement, 1, id);
  scr_status status = SCR_OK;
  for (bool row = true; row && status == SCR_OK;) {
    SCR_TRY(connection_step(reader, statement, &row, error));
    if (row) status = visit_blob(statement, visit, user, error);
  }
  connection_done(statement);
  return status;
}

scr_status store_measured_curves(job_store *store, int64_t id, store_curve_visit visit, void *user, scr_error *error)
{
  store_connection *reader = store_take_reader(store);
  scr_status status = fetch_curves(reader, id, visit, user, error);
  store_return_reader(store, reader);
  return status;
}

/* ── changes ── */

typedef struct insert_context {
  const store_measured *wanted;
  store_measured_insertion *insertion;
  lab_measured *measured;
} insert_context;

static scr_status insert_specimens(store_connection *writer, int64_t id, const store_measured *wanted, scr_error *error)
{
  sqlite3_stmt *statement;
  const char *sql = "INSERT INTO measured_specimen (measured, number, asset, curve) VALUES (?, ?, ?, ?)";
  SCR_TRY(connection_prepare(writer, STATEMENT_INSERT_SPECIMEN, sql, &statement, error));
  for (size_t i = 0; i < wanted->specimen_count; i++) {
    const store_specimen *of = &wanted->specimens[i];
    sqlite3_bind_int64(statement, 1, id);
    bind_count(statement, 2, i + 1);
    bind_text(statement, 3, of->asset);
    sqlite3_bind_blob64(statement, 4, of->samples, 2 * of->count * sizeof(double), SQLITE_STATIC);
    SCR_TRY(connection_run(writer, statement, error));
  }
  return SCR_OK;
}

static scr_status write_insert(store_connection *writer, void *argument, scr_error *error)
{
  insert_context *context = argument;
  const store_measured *wanted = context->wanted;
  sqlite3_stmt *statement;
  int64_t id;
  bool found = true;
  SCR_TRY(fetch_named(writer, wanted->name, &id, error));
  *context->insertion = id ? MEASURED_NAME_TAKEN : MEASURED_INSERTED;
  if (id) return SCR_OK;
  for (size_t i = 0; i < wanted->specimen_count && found; i++) {
    lab_asset asset;
    SCR_TRY(fetch_asset(writer, wanted->specimens[i].asset, &asset, &found, error));
  }
  if (!found) *context->insertion = MEASURED_ASSET_GONE;
  if (!found) return SCR_OK;
  const char *sql = "INSERT INTO measured (name, title, created, about) VALUES (?, ?, ?, ?)";
  SCR_TRY(connection_prepare(writer, STATEMENT_INSERT_MEASURED, sql, &statement, error));
  bind_text(statement, 1, wanted->name);
  bind_text(statement, 2, wanted->title);
  sqlite3_bind_int64(statement, 3, wanted->now_ms);
  bind_text(statement, 4, wanted->about);
  SCR_TRY(connection_run(writer, statement, error));
  id = sqlite3_last_insert_rowid(writer->db);
  SCR_TRY(insert_specimens(writer, id, wanted, error));
  return fetch_measured(writer, id, context->measured, &found, error);
}

/* NOLINTNEXTLINE(readability-non-const-parameter): write_insert writes it, by the context */
scr_status store_insert_measured(job_store *store, const store_measured *wanted, store_measured_insertion *insertion,
                                 lab_measured *measured, scr_error *error)
{
  *measured = (lab_measured){0};
  insert_context context = {wanted, insertion, measured};
  scr_status status = store_write(store, STORE_FULL, write_insert, &context, error);
  if (status != SCR_OK) lab_measured_clear(measured);
  return status;
}

typedef struct remove_context {
  int64_t id, now_ms;
  bool *found;
} remove_context;

static scr_status write_remove(store_connection *writer, void *argument, scr_error *error)
{
  remove_context *context = argument;
  sqlite3_stmt *statement;
  const char *release = "UPDATE asset SET used = ?2 WHERE digest IN (SELECT asset FROM measured_specimen WHERE measured = ?1)";
  SCR_TRY(connection_prepare(writer, STATEMENT_RELEASE_SPECIMENS, release, &statement, error));
  sqlite3_bind_int64(statement, 1, context->id);
  sqlite3_bind_int64(statement, 2, context->now_ms);
  SCR_TRY(connection_run(writer, statement, error));
  SCR_TRY(connection_prepare(writer, STATEMENT_REMOVE_MEASURED, "DELETE FROM measured WHERE id = ?", &statement, error));
  sqlite3_bind_int64(statement, 1, context->id);
  SCR_TRY(connection_run(writer, statement, error));
  *context->found = sqlite3_changes(writer->db) == 1;
  return SCR_OK;
}

scr_status store_remove_measured(job_store *store, int64_t id, int64_t now_ms, bool *found, scr_error *error)
{
  *found = false;
  remove_context context = {id, now_ms, found};
  return store_write(store, STORE_FULL, write_remove, &context, error);
}
