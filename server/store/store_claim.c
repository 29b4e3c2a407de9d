/* Claiming: the first queued jobs there is room for. Runs on the writing thread.
 *
 * `job_ready` holds the jobs that may run at once, in their order, so a claim reads its first row. A job that waits for its time after a
 * death comes into it when that time has come (promote), one that waits for room on the disk when there is some (store_release_disk). */
#include <assert.h>
#include <math.h>

#include "scene/counts.h"
#include "server/store/store_internal.h"

/* Delays are never longer than JOB_DELAY_LIMIT_MS: a job that seems to wait longer was written before the clock was set back. */
static_assert(JOB_DELAY_LIMIT_MS == 30000, "promote() takes twice that");
enum { RELEASE_LIMIT = 64 };

typedef struct claim_context {
  const store_capacity *free;
  store_claim *claims;
  size_t capacity, *count;
  store_outlook *outlook;
} claim_context;

static scr_status promote_between(store_connection *writer, int64_t after, int64_t until, scr_error *error)
{
  sqlite3_stmt *statement;
  const char *sql = "UPDATE job INDEXED BY job_delayed SET run_after = 0 WHERE state = 'queued' AND run_after > 0 AND run_after > ?1 "
                    "AND run_after <= ?2";
  SCR_TRY(connection_prepare(writer, STATEMENT_PROMOTE, sql, &statement, error));
  sqlite3_bind_int64(statement, 1, after);
  sqlite3_bind_int64(statement, 2, until);
  return connection_run(writer, statement, error);
}

static double read_double(sqlite3_stmt *statement, int column)
{
  return sqlite3_column_type(statement, column) == SQLITE_NULL ? (double)NAN : sqlite3_column_double(statement, column);
}

static void read_claim(sqlite3_stmt *statement, const store_capacity *usual, store_claim *claim)
{
  int threads = sqlite3_column_int(statement, 2);
  uint64_t steps = (uint64_t)sqlite3_column_int64(statement, 8);
  *claim = (store_claim){.id = sqlite3_column_int64(statement, 0),
                         .attempt = sqlite3_column_int(statement, 1),
                         .threads = threads > 0 ? (unsigned)threads : usual->threads_per_job,
                         .memory_bytes = read_double(statement, 3),
                         .need_bytes = read_double(statement, 4),
                         .seconds = read_double(statement, 5),
                         .record_bytes = read_double(statement, 6)};
  if (threads == 0 && usual->by_work) claim->threads = scr_threads_worth(claim->seconds, steps, usual->threads_per_job);
  read_executor_options(statement, 7, &claim->options);
}

static scr_status find_next(store_connection *writer, const store_capacity *free, store_claim *claim, bool *found, scr_error *error)
{
  sqlite3_stmt *statement;
  const char *sql = "SELECT id, attempt, threads, memory_bytes, need_bytes, estimated_seconds, record_bytes, executor_options, total_steps "
                    "FROM job INDEXED BY job_ready WHERE executor = ? AND state = 'queued' AND run_after = 0 AND waiting = '' ORDER BY "
                    "priority DESC, id LIMIT 1";
  SCR_TRY(connection_prepare(writer, STATEMENT_NEXT, sql, &statement, error));
  bind_text(statement, 1, free->executor ? free->executor : "local");
  SCR_TRY(connection_step(writer, statement, found, error));
  if (*found) {
    read_claim(statement, free, claim);
    claim->attempt++;
  }
  connection_done(statement);
  return SCR_OK;
}

static scr_status find_next_due(store_connection *writer, int64_t *next_due_ms, scr_error *error)
{
  return fetch_number(writer, STATEMENT_NEXT_DUE,
                      "SELECT min(run_after) FROM job INDEXED BY job_delayed WHERE state = 'queued' AND run_after > 0", next_due_ms, error);
}

static scr_status insert_attempt(store_connection *writer, store_claim *claim, int64_t now_ms, scr_error *error)
{
  sqlite3_stmt *statement;
  const char *sql = "INSERT INTO attempt (job, number, started) VALUES (?, ?, ?)";
  SCR_TRY(connection_prepare(writer, STATEMENT_INSERT_ATTEMPT, sql, &statement, error));
  sqlite3_bind_int64(statement, 1, claim->id);
  sqlite3_bind_int(statement, 2, claim->attempt);
  sqlite3_bind_int64(statement, 3, now_ms);
  SCR_TRY(connection_run(writer, statement, error));
  claim->token = sqlite3_last_insert_rowid(writer->db);
  return SCR_OK;
}

static scr_status take(store_connection *writer, store_claim *claim, int64_t now_ms, scr_error *error)
{
  sqlite3_stmt *statement;
  SCR_TRY(insert_attempt(writer, claim, now_ms, error));
  const char *sql = "UPDATE job SET state = 'running', token = ?2, attempt = ?3, started = iif(started = 0, max(?4, created), started), "
                    "cancel_requested = 0, pause_requested = 0 WHERE id = ?1 AND state = 'queued'";
  SCR_TRY(connection_prepare(writer, STATEMENT_CLAIM, sql, &statement, error));
  sqlite3_bind_int64(statement, 1, claim->id);
  sqlite3_bind_int64(statement, 2, claim->token);
  sqlite3_bind_int(statement, 3, claim->attempt);
  sqlite3_bind_int64(statement, 4, now_ms);
  SCR_TRY(connection_run(writer, statement, error));
  if (sqlite3_changes(writer->db) == 1) return insert_event(writer, claim->id, now_ms, "started", "", error);
  return scr_fail(error, SCR_IO, NULL, "job %lld was no longer queued when it was claimed", (long long)claim->id);
}

static scr_status hold(store_connection *writer, int64_t id, scr_error *error)
{
  sqlite3_stmt *statement;
  SCR_TRY(connection_prepare(writer, STATEMENT_HOLD, "UPDATE job SET waiting = 'disk' WHERE id = ?", &statement, error));
  sqlite3_bind_int64(statement, 1, id);
  return connection_run(writer, statement, error);
}

static scr_status write_claims(store_connection *writer, void *argument, scr_error *error)
{
  claim_context *context = argument;
  const store_capacity *given = context->free;
  store_capacity free = *given;
  *context->count = 0;
  *context->outlook = (store_outlook){0};
  SCR_TRY(promote_between(writer, 0, given->now_ms, error));
  SCR_TRY(promote_between(writer, given->now_ms + 2 * (int64_t)JOB_DELAY_LIMIT_MS, INT64_MAX, error));
  while (*context->count < context->capacity && context->outlook->held_count < STORE_HOLD_LIMIT) {
    store_claim claim;
    bool found;
    SCR_TRY(find_next(writer, given, &claim, &found, error));
    if (!found) break;
    if (claim.need_bytes > free.disk) {
      SCR_TRY(hold(writer, claim.id, error));
      context->outlook->held[context->outlook->held_count++] = (store_held){claim.id, claim.need_bytes};
      continue;
    }
    double memory = isfinite(claim.memory_bytes) ? claim.memory_bytes : given->memory_per_job;
    bool alone = given->idle && *context->count == 0;
    if (!alone && (claim.threads > free.threads || memory > free.memory)) return SCR_OK;
    SCR_TRY(take(writer, &claim, given->now_ms, error));
    context->claims[(*context->count)++] = claim;
    free.threads -= claim.threads < free.threads ? claim.threads : free.threads;
    free.memory -= memory;
    free.disk -= claim.need_bytes;
  }
  return *context->count > 0 ? SCR_OK : find_next_due(writer, &context->outlook->next_due_ms, error);
}

scr_status store_claim_jobs(job_store *store, const store_capacity *free, store_claim *claims, size_t capacity, size_t *count,
                            store_outlook *outlook, scr_error *error)
{
  claim_context context = {free, claims, capacity, count, outlook};
  scr_status status = store_write(store, STORE_FULL, write_claims, &context, error);
  if (status != SCR_OK) *count = 0;
  return status;
}

/* ── taking up what an earlier lab left ────────────────────────────────────────────────────────────────────────────── */

static scr_status fetch_claim(store_connection *reader, int64_t id, int64_t token, const store_capacity *usual, store_claim *claim,
                              bool *found, scr_error *error)
{
  sqlite3_stmt *statement;
  const char *sql =
      "SELECT id, attempt, threads, memory_bytes, need_bytes, estimated_seconds, record_bytes, executor_options, total_steps FROM job "
      "WHERE id = ? AND token = ? AND state = 'running'";
  SCR_TRY(connection_prepare(reader, STATEMENT_CLAIM_AGAIN, sql, &statement, error));
  sqlite3_bind_int64(statement, 1, id);
  sqlite3_bind_int64(statement, 2, token);
  SCR_TRY(connection_step(reader, statement, found, error));
  if (*found) {
    read_claim(statement, usual, claim);
    claim->token = token;
  }
  connection_done(statement);
  return SCR_OK;
}

scr_status store_claim_again(job_store *store, int64_t id, int64_t token, const store_capacity *usual, store_claim *claim, bool *found,
                             scr_error *error)
{
  *found = false;
  store_connection *reader = store_take_reader(store);
  scr_status status = fetch_claim(reader, id, token, usual, claim, found, error);
  store_return_reader(store, reader);
  return status;
}

typedef struct move_context {
  const char *first, *second;
  size_t *moved;
} move_context;

static scr_status move_in_state(store_connection *writer, const move_context *context, const char *state, scr_error *error)
{
  sqlite3_stmt *statement;
  const char *sql = "UPDATE job SET executor = ?1 WHERE state = ?3 AND executor <> ?1 AND executor <> ?2";
  SCR_TRY(connection_prepare(writer, STATEMENT_MOVE_JOBS, sql, &statement, error));
  bind_text(statement, 1, context->first);
  bind_text(statement, 2, context->second);
  bind_text(statement, 3, state);
  SCR_TRY(connection_run(writer, statement, error));
  *context->moved += (size_t)sqlite3_changes(writer->db);
  return SCR_OK;
}

static scr_status write_move(store_connection *writer, void *argument, scr_error *error)
{
  const move_context *context = argument;
  SCR_TRY(move_in_state(writer, context, "queued", error));
  return move_in_state(writer, context, "paused", error);
}

scr_status store_move_jobs(job_store *store, const char *first, const char *second, size_t *moved, scr_error *error)
{
  *moved = 0;
  move_context context = {first, second, moved};
  return store_write(store, STORE_FULL, write_move, &context, error);
}

/* ── waiting for the disk ─────────────────────────────────────────────────────────────────────────────────────── */

typedef struct release_context {
  double bytes;
  bool *left;
} release_context;

static scr_status write_release(store_connection *writer, void *argument, scr_error *error)
{
  const release_context *context = argument;
  sqlite3_stmt *statement;
  const char *sql = "UPDATE job SET waiting = '' WHERE id IN (SELECT id FROM job INDEXED BY job_waiting "
                    "WHERE waiting <> '' AND waiting = 'disk' AND need_bytes <= ?1 ORDER BY need_bytes LIMIT ?2)";
  SCR_TRY(connection_prepare(writer, STATEMENT_RELEASE, sql, &statement, error));
  sqlite3_bind_double(statement, 1, context->bytes);
  sqlite3_bind_int(statement, 2, RELEASE_LIMIT);
  SCR_TRY(connection_run(writer, statement, error));
  int64_t left;
  const char *rest = "SELECT 1 FROM job INDEXED BY job_waiting WHERE waiting <> '' AND waiting = 'disk' LIMIT 1";
  SCR_TRY(fetch_number(writer, STATEMENT_HELD_LEFT, rest, &left, error));
  *context->left = left != 0;
  return SCR_OK;
}

scr_status store_release_disk(job_store *store, double bytes, bool *left, scr_error *error)
{
  *left = false;
  release_context context = {bytes, left};
  return store_write(store, STORE_NORMAL, write_release, &context, error);
}
