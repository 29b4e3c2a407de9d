/* Bringing a store up to this program's version. The SQL files of migrations/ are compiled in; number NNNN takes the store from version
 * NNNN - 1 to NNNN. Each runs in one transaction together with the new version number, so a store is never between two versions. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/embedded.h"
#include "server/store/store_internal.h"

/* "SCRE": tells a Scree store from any other SQLite file. */
enum { store_application_id = 0x53435245 };

static scr_status read_number(store_connection *writer, const char *sql, int64_t *number, scr_error *error)
{
  sqlite3_stmt *statement = NULL;
  int code = sqlite3_prepare_v2(writer->db, sql, -1, &statement, NULL);
  if (code == SQLITE_OK) code = sqlite3_step(statement);
  if (code == SQLITE_ROW) *number = sqlite3_column_int64(statement, 0);
  scr_status status = code == SQLITE_ROW ? SCR_OK : connection_fail(writer, "be read", code, error);
  sqlite3_finalize(statement);
  return status;
}

static scr_status apply(store_connection *writer, const embedded_file *migration, long number, scr_error *error)
{
  char version[120];
  snprintf(version, sizeof version, "PRAGMA application_id = %d; PRAGMA user_version = %ld; COMMIT", store_application_id, number);
  SCR_TRY(connection_execute(writer, "BEGIN IMMEDIATE", "begin a migration", error));
  scr_status status = connection_execute(writer, (const char *)migration->data, "apply a migration", error);
  if (status == SCR_OK) status = connection_execute(writer, version, "finish a migration", error);
  if (status != SCR_OK && !sqlite3_get_autocommit(writer->db)) sqlite3_exec(writer->db, "ROLLBACK", NULL, NULL, NULL);
  return status;
}

static scr_status check_identity(store_connection *writer, const char *path, int64_t version, int64_t newest, scr_error *error)
{
  int64_t application = 0, tables = 0;
  SCR_TRY(read_number(writer, "PRAGMA application_id", &application, error));
  SCR_TRY(read_number(writer, "SELECT count(*) FROM sqlite_schema", &tables, error));
  if (tables > 0 && application != store_application_id)
    return scr_fail(error, SCR_BAD_FILE, NULL, "%s is a database of some other program; choose another data directory", path);
  if (version > newest)
    return scr_fail(
        error, SCR_BAD_FILE, NULL,
        "%s was written by a newer Scree: it has version %lld and this program knows up to %lld; run the newer program, or choose "
        "another data directory",
        path, (long long)version, (long long)newest);
  return SCR_OK;
}

scr_status store_migrate(store_connection *writer, const char *path, scr_error *error)
{
  size_t count = 0;
  const embedded_file *migrations = embedded_under("migrations/", &count);
  int64_t version = 0;
  SCR_TRY(read_number(writer, "PRAGMA user_version", &version, error));
  SCR_TRY(check_identity(writer, path, version, (int64_t)count, error));
  for (size_t i = 0; i < count; i++) {
    long number = strtol(migrations[i].path + strlen("migrations/"), NULL, 10);
    if (number != (long)i + 1)
      return scr_fail(error, SCR_BAD_USAGE, NULL, "migration %s is out of order: number %zu is expected", migrations[i].path, i + 1);
    if (number > version) SCR_TRY(apply(writer, &migrations[i], number, error));
  }
  return SCR_OK;
}
