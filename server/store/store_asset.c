/* Assets in the store: which there are, and which jobs need them. The write_ functions run on the writing thread, and so does what they do
 * to files: a row and its file come and go together, whoever asks at once. */
#include <string.h>

#include "server/store/store_internal.h"

static void read_asset(sqlite3_stmt *statement, lab_asset *asset)
{
  *asset = (lab_asset){0};
  read_text(statement, 0, asset->digest, sizeof asset->digest);
  asset->bytes = (uint64_t)sqlite3_column_int64(statement, 1);
  read_text(statement, 2, asset->name, sizeof asset->name);
  read_text(statement, 3, asset->media, sizeof asset->media);
  asset->created_ms = sqlite3_column_int64(statement, 4);
  asset->used_ms = sqlite3_column_int64(statement, 5);
  asset->job_count = (size_t)sqlite3_column_int64(statement, 6);
  asset->measured_count = (size_t)sqlite3_column_int64(statement, 7);
}

#define ASSET_COLUMNS                                                                                                                      \
  "digest, bytes, name, media, created, used, (SELECT count(*) FROM job_asset WHERE job_asset.digest = asset.digest), "                    \
  "(SELECT count(*) FROM measured_specimen WHERE measured_specimen.asset = asset.digest)"

scr_status fetch_asset(store_connection *connection, const char *digest, lab_asset *asset, bool *found, scr_error *error)
{
  sqlite3_stmt *statement;
  SCR_TRY(connection_prepare(connection, STATEMENT_ASSET, "SELECT " ASSET_COLUMNS " FROM asset WHERE digest = ?", &statement, error));
  bind_text(statement, 1, digest);
  SCR_TRY(connection_step(connection, statement, found, error));
  if (*found) read_asset(statement, asset);
  connection_done(statement);
  return SCR_OK;
}

scr_status store_asset(job_store *store, const char *digest, lab_asset *asset, bool *found, scr_error *error)
{
  store_connection *reader = store_take_reader(store);
  scr_status status = fetch_asset(reader, digest, asset, found, error);
  store_return_reader(store, reader);
  return status;
}

static scr_status fetch_list(store_connection *reader, const char *after, lab_asset *assets, size_t capacity, size_t *count,
                             scr_error *error)
{
  sqlite3_stmt *statement;
  SCR_TRY(connection_prepare(reader, STATEMENT_ASSETS, "SELECT " ASSET_COLUMNS " FROM asset WHERE digest > ? ORDER BY digest LIMIT ?",
                             &statement, error));
  bind_text(statement, 1, after);
  bind_count(statement, 2, capacity);
  for (bool row = true; row && *count < capacity;) {
    SCR_TRY(connection_step(reader, statement, &row, error));
    if (row) read_asset(statement, &assets[(*count)++]);
  }
  connection_done(statement);
  return SCR_OK;
}

scr_status store_assets(job_store *store, const char *after, lab_asset *assets, size_t capacity, size_t *count, scr_error *error)
{
  *count = 0;
  store_connection *reader = store_take_reader(store);
  scr_status status = fetch_list(reader, after, assets, capacity, count, error);
  store_return_reader(store, reader);
  return status;
}

static scr_status fetch_jobs(store_connection *reader, const char *digest, int64_t *jobs, size_t capacity, size_t *count, scr_error *error)
{
  sqlite3_stmt *statement;
  SCR_TRY(connection_prepare(reader, STATEMENT_ASSET_JOBS, "SELECT job FROM job_asset WHERE digest = ? ORDER BY job LIMIT ?", &statement,
                             error));
  bind_text(statement, 1, digest);
  bind_count(statement, 2, capacity);
  for (bool row = true; row && *count < capacity;) {
    SCR_TRY(connection_step(reader, statement, &row, error));
    if (row) jobs[(*count)++] = sqlite3_column_int64(statement, 0);
  }
  connection_done(statement);
  return SCR_OK;
}

scr_status store_asset_jobs(job_store *store, const char *digest, int64_t *jobs, size_t capacity, size_t *count, scr_error *error)
{
  *count = 0;
  store_connection *reader = store_take_reader(store);
  scr_status status = fetch_jobs(reader, digest, jobs, capacity, count, error);
  store_return_reader(store, reader);
  return status;
}

/* Reads a column of digests. @param digests [capacity] */
static scr_status read_digests(store_connection *reader, sqlite3_stmt *statement, lab_digest *digests, size_t capacity, size_t *count,
                               scr_error *error)
{
  for (bool row = true; row && *count < capacity;) {
    SCR_TRY(connection_step(reader, statement, &row, error));
    if (row) read_text(statement, 0, digests[*count].text, sizeof digests->text), (*count)++;
  }
  connection_done(statement);
  return SCR_OK;
}

static scr_status fetch_of_job(store_connection *reader, int64_t id, lab_digest *digests, size_t capacity, size_t *count, scr_error *error)
{
  sqlite3_stmt *statement;
  SCR_TRY(
      connection_prepare(reader, STATEMENT_JOB_ASSETS, "SELECT digest FROM job_asset WHERE job = ? ORDER BY digest", &statement, error));
  sqlite3_bind_int64(statement, 1, id);
  return read_digests(reader, statement, digests, capacity, count, error);
}

scr_status store_job_assets(job_store *store, int64_t id, lab_digest *digests, size_t capacity, size_t *count, scr_error *error)
{
  *count = 0;
  store_connection *reader = store_take_reader(store);
  scr_status status = fetch_of_job(reader, id, digests, capacity, count, error);
  store_return_reader(store, reader);
  return status;
}

static scr_status fetch_unneeded(store_connection *reader, int64_t before_ms, lab_digest *digests, size_t capacity, size_t *count,
                                 scr_error *error)
{
  sqlite3_stmt *statement;
  const char *sql =
      "SELECT digest FROM asset WHERE used < ? AND NOT EXISTS (SELECT 1 FROM job_asset WHERE job_asset.digest = asset.digest) "
      "AND NOT EXISTS (SELECT 1 FROM measured_specimen WHERE measured_specimen.asset = asset.digest) ORDER BY used LIMIT ?";
  SCR_TRY(connection_prepare(reader, STATEMENT_UNNEEDED, sql, &statement, error));
  sqlite3_bind_int64(statement, 1, before_ms);
  bind_count(statement, 2, capacity);
  return read_digests(reader, statement, digests, capacity, count, error);
}

scr_status store_unneeded_assets(job_store *store, int64_t before_ms, lab_digest *digests, size_t capacity, size_t *count, scr_error *error)
{
  *count = 0;
  store_connection *reader = store_take_reader(store);
  scr_status status = fetch_unneeded(reader, before_ms, digests, capacity, count, error);
  store_return_reader(store, reader);
  return status;
}

static scr_status fetch_bytes(store_connection *reader, int64_t *bytes, scr_error *error)
{
  return fetch_number(reader, STATEMENT_ASSET_BYTES, "SELECT ifnull(sum(bytes), 0) FROM asset", bytes, error);
}

scr_status store_asset_bytes(job_store *store, int64_t *bytes, scr_error *error)
{
  store_connection *reader = store_take_reader(store);
  scr_status status = fetch_bytes(reader, bytes, error);
  store_return_reader(store, reader);
  return status;
}

/* ── changes ──────────────────────────────────────────────────────────────────────────────────────────────────── */

typedef struct put_context {
  const lab_asset *asset;
  store_file_change place;
  void *user;
  bool *created;
} put_context;

static scr_status write_put(store_connection *writer, void *argument, scr_error *error)
{
  put_context *context = argument;
  const lab_asset *asset = context->asset;
  sqlite3_stmt *statement;
  lab_asset before;
  bool found;
  SCR_TRY(fetch_asset(writer, asset->digest, &before, &found, error));
  if (found) {
    SCR_TRY(connection_prepare(writer, STATEMENT_TOUCH_ASSET, "UPDATE asset SET used = ? WHERE digest = ?", &statement, error));
    sqlite3_bind_int64(statement, 1, asset->used_ms);
    bind_text(statement, 2, asset->digest);
  } else {
    const char *sql = "INSERT INTO asset (digest, bytes, name, media, created, used) VALUES (?, ?, ?, ?, ?, ?)";
    SCR_TRY(connection_prepare(writer, STATEMENT_INSERT_ASSET, sql, &statement, error));
    bind_text(statement, 1, asset->digest);
    bind_count(statement, 2, asset->bytes);
    bind_text(statement, 3, asset->name);
    bind_text(statement, 4, asset->media);
    sqlite3_bind_int64(statement, 5, asset->created_ms);
    sqlite3_bind_int64(statement, 6, asset->used_ms);
  }
  SCR_TRY(connection_run(writer, statement, error));
  *context->created = !found;
  return context->place(context->user, asset->digest, error);
}

scr_status store_put_asset(job_store *store, const lab_asset *asset, store_file_change place, void *user, bool *created, scr_error *error)
{
  *created = false;
  put_context context = {asset, place, user, created};
  return store_write(store, STORE_FULL, write_put, &context, error);
}

typedef struct drop_context {
  const char *digest;
  int64_t before_ms;
  store_file_change remove;
  void *user;
  store_dropped *dropped;
} drop_context;

static scr_status write_drop(store_connection *writer, void *argument, scr_error *error)
{
  drop_context *context = argument;
  sqlite3_stmt *statement;
  SCR_TRY(fetch_asset(writer, context->digest, &context->dropped->asset, &context->dropped->found, error));
  const lab_asset *asset = &context->dropped->asset;
  if (!context->dropped->found || asset->job_count + asset->measured_count > 0 || asset->used_ms >= context->before_ms) return SCR_OK;
  SCR_TRY(connection_prepare(writer, STATEMENT_DROP_ASSET, "DELETE FROM asset WHERE digest = ?", &statement, error));
  bind_text(statement, 1, context->digest);
  SCR_TRY(connection_run(writer, statement, error));
  context->dropped->gone = true;
  return context->remove(context->user, context->digest, error);
}

scr_status store_drop_asset(job_store *store, const char *digest, int64_t before_ms, store_file_change remove, void *user,
                            store_dropped *dropped, scr_error *error)
{
  dropped->found = dropped->gone = false;
  drop_context context = {digest, before_ms, remove, user, dropped};
  scr_status status = store_write(store, STORE_FULL, write_drop, &context, error);
  if (status != SCR_OK) dropped->gone = false;
  return status;
}

/* ── jobs ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

scr_status insert_job_assets(store_connection *writer, int64_t id, const lab_digest *digests, size_t count, bool *missing, scr_error *error)
{
  for (size_t i = 0; i < count && !*missing; i++) {
    sqlite3_stmt *statement;
    lab_asset asset;
    bool found;
    SCR_TRY(fetch_asset(writer, digests[i].text, &asset, &found, error));
    *missing = !found;
    if (!found) break;
    SCR_TRY(connection_prepare(writer, STATEMENT_INSERT_JOB_ASSET, "INSERT INTO job_asset (job, digest) VALUES (?, ?)", &statement, error));
    sqlite3_bind_int64(statement, 1, id);
    bind_text(statement, 2, digests[i].text);
    SCR_TRY(connection_run(writer, statement, error));
  }
  return SCR_OK;
}

scr_status release_job_assets(store_connection *writer, int64_t id, int64_t now_ms, scr_error *error)
{
  sqlite3_stmt *statement;
  const char *sql = "UPDATE asset SET used = ?2 WHERE digest IN (SELECT digest FROM job_asset WHERE job = ?1)";
  SCR_TRY(connection_prepare(writer, STATEMENT_RELEASE_ASSETS, sql, &statement, error));
  sqlite3_bind_int64(statement, 1, id);
  sqlite3_bind_int64(statement, 2, now_ms);
  return connection_run(writer, statement, error);
}
