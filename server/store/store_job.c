/* Reading jobs from the store, on the caller's thread with a connection of its own or inside a write. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/headlines.h"
#include "scene/counts.h"
#include "server/store/store_internal.h"

#define JOB_COLUMNS                                                                                                                        \
  "id, name, title, method, state, created, started, ended, attempt, max_attempts, cancel_requested, pause_requested, error, node_count, " \
  "counts, memory_bytes, time_step, time_step_rule, total_steps, frame_count, record_bytes, estimated_seconds, step, step_count, "         \
  "sim_time, duration, headlines, run_seconds, last_seq, priority, threads, waiting, tags, notes, doubts, record_count, "                  \
  "record_digest, damage, damage_found, damage_sound, damage_expected, "                                                                   \
  "executor, executor_options, user, ranks, device"

static const char get_sql[] = "SELECT " JOB_COLUMNS " FROM job WHERE id = ?";

void read_text(sqlite3_stmt *statement, int column, char *text, size_t capacity)
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

/* What is no list of doubts reads as none; the store writes them itself. */
static void read_doubts(sqlite3_stmt *statement, int column, lab_job *job)
{
  const char *text = (const char *)sqlite3_column_text(statement, column);
  if (!text || strcmp(text, "[]") == 0) return;
  json_t *list = json_loads(text, 0, NULL), *item;
  size_t i;
  json_array_foreach(list, i, item)
  {
    const char *kind = json_string_value(json_object_get(item, "kind")), *message = json_string_value(json_object_get(item, "message"));
    if (!kind || !message || job->doubt_count == SCR_DOUBT_LIMIT) continue;
    scr_doubt *doubt = &job->doubts[job->doubt_count++];
    snprintf(doubt->kind, sizeof doubt->kind, "%s", kind);
    snprintf(doubt->message, sizeof doubt->message, "%s", message);
  }
  json_decref(list);
}

static void take_text(const json_t *object, const char *key, char *text, size_t capacity)
{
  const char *value = json_string_value(json_object_get(object, key));
  snprintf(text, capacity, "%s", value ? value : "");
}

void read_executor_options(sqlite3_stmt *statement, int column, executor_options *options)
{
  const char *text = (const char *)sqlite3_column_text(statement, column);
  *options = (executor_options){.time_limit = 0};
  if (!text || strcmp(text, "{}") == 0) return;
  json_t *object = json_loads(text, 0, NULL);
  for (size_t i = 0; i < EXECUTOR_WORDS; i++)
    take_text(object, executor_words[i].name, executor_word_of(options, i), executor_words[i].bytes);
  options->time_limit = json_number_value(json_object_get(object, "time_limit"));
  json_decref(object);
}

static void read_counts(sqlite3_stmt *statement, int column, scr_estimate *estimate)
{
  const char *text = (const char *)sqlite3_column_text(statement, column);
  json_t *list = text ? json_loads(text, 0, NULL) : NULL;
  scr_counts_take(list, estimate);
  json_decref(list);
}

static void read_headlines(sqlite3_stmt *statement, int column, lab_job *job)
{
  const char *text = (const char *)sqlite3_column_text(statement, column);
  json_t *list = text ? json_loads(text, 0, NULL) : NULL;
  job->progress.headline_count = headlines_take_list(list, job->progress.headlines);
  json_decref(list);
}

static lab_job_state read_state(sqlite3_stmt *statement, int column)
{
  const char *name = (const char *)sqlite3_column_text(statement, column);
  for (int state = JOB_QUEUED; state <= JOB_CANCELLED; state++)
    if (name && strcmp(name, lab_job_state_name((lab_job_state)state)) == 0) return (lab_job_state)state;
  return JOB_FAILED; /* the schema's CHECK allows no other name */
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
  read_counts(statement, c++, estimate);
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
  read_headlines(statement, c++, job);
  job->progress.run_seconds = read_number(statement, c++);
  job->progress.last_seq = read_count(statement, c++);
  job->progress.eta_seconds = (double)NAN;
  job->priority = sqlite3_column_int(statement, c++);
  job->threads = (unsigned)sqlite3_column_int(statement, c++);
  read_text(statement, c++, job->waiting, sizeof job->waiting);
  read_text(statement, c++, job->tags, sizeof job->tags);
  read_text(statement, c++, job->notes, sizeof job->notes);
  read_doubts(statement, c++, job);
  job->record_count = read_count(statement, c++);
  read_text(statement, c++, job->record_digest, sizeof job->record_digest);
  read_text(statement, c++, job->damage.message, sizeof job->damage.message);
  job->damage.found_ms = sqlite3_column_int64(statement, c++);
  job->damage.intact = read_count(statement, c++);
  job->damage.expected = read_count(statement, c++);
  read_text(statement, c++, job->executor, sizeof job->executor);
  read_executor_options(statement, c++, &job->options);
  read_text(statement, c++, job->user, sizeof job->user);
  job->ranks = (unsigned)sqlite3_column_int(statement, c++);
  read_text(statement, c++, job->device, sizeof job->device);
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

scr_status count_states(store_connection *connection, size_t *counts, scr_error *error)
{
  sqlite3_stmt *statement;
  SCR_TRY(connection_prepare(connection, STATEMENT_COUNTS, "SELECT state, count FROM job_count", &statement, error));
  for (bool row = true; row;) {
    SCR_TRY(connection_step(connection, statement, &row, error));
    if (row) counts[read_state(statement, 0)] = (size_t)sqlite3_column_int64(statement, 1);
  }
  connection_done(statement);
  return SCR_OK;
}

scr_status store_count(job_store *store, size_t *counts, scr_error *error)
{
  for (int state = JOB_QUEUED; state <= JOB_CANCELLED; state++) counts[state] = 0;
  store_connection *reader = store_take_reader(store);
  scr_status status = count_states(reader, counts, error);
  store_return_reader(store, reader);
  return status;
}

scr_status fetch_number(store_connection *connection, statement_name name, const char *sql, int64_t *number, scr_error *error)
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

static scr_status fetch_scene(store_connection *reader, int64_t id, char **text, size_t *length, bool *found, scr_error *error)
{
  sqlite3_stmt *statement;
  const char *sql = "SELECT effective FROM submission WHERE job = ? AND deleted = 0";
  SCR_TRY(connection_prepare(reader, STATEMENT_SCENE, sql, &statement, error));
  sqlite3_bind_int64(statement, 1, id);
  SCR_TRY(connection_step(reader, statement, found, error));
  const char *scene = *found ? (const char *)sqlite3_column_text(statement, 0) : NULL;
  size_t size = scene ? (size_t)sqlite3_column_bytes(statement, 0) : 0;
  if (size > 0) *text = malloc(size + 1);
  if (scene && *text) memcpy(*text, scene, size + 1);
  *length = *text ? size : 0;
  connection_done(statement);
  return size > 0 && !*text ? scr_fail_memory(error, "a scene", size) : SCR_OK;
}

scr_status store_scene(job_store *store, int64_t id, char **text, size_t *length, bool *found, scr_error *error)
{
  *text = NULL;
  store_connection *reader = store_take_reader(store);
  scr_status status = fetch_scene(reader, id, text, length, found, error);
  store_return_reader(store, reader);
  return status;
}

/* ── plans ────────────────────────────────────────────────────────────────────────────────────────────────────── */

typedef struct plans_context {
  void (*visit)(void *user, const char *sql, const char *line);
  void *user;
} plans_context;

static scr_status show_plans(store_connection *connection, void *argument, scr_error *error)
{
  const plans_context *context = argument;
  for (sqlite3_stmt *statement = sqlite3_next_stmt(connection->db, NULL); statement;) {
    const char *sql = sqlite3_sql(statement);
    sqlite3_stmt *next = sqlite3_next_stmt(connection->db, statement), *plan = NULL;
    if (strstr(sql, "job_text_")) { /* the text index's own, on tables that are nobody else's to touch */
      statement = next;
      continue;
    }
    char *explain = sqlite3_mprintf("EXPLAIN QUERY PLAN %s", sql);
    int code = explain ? sqlite3_prepare_v2(connection->db, explain, -1, &plan, NULL) : SQLITE_NOMEM;
    while (code == SQLITE_OK && sqlite3_step(plan) == SQLITE_ROW)
      context->visit(context->user, sql, (const char *)sqlite3_column_text(plan, 3));
    sqlite3_finalize(plan);
    sqlite3_free(explain);
    if (code != SQLITE_OK) return connection_fail(connection, "explain a statement", code, error);
    statement = next;
  }
  return SCR_OK;
}

scr_status store_plans(job_store *store, void (*visit)(void *user, const char *sql, const char *line), void *user, scr_error *error)
{
  plans_context context = {visit, user};
  SCR_TRY(store_write(store, STORE_NORMAL, show_plans, &context, error));
  scr_status status = SCR_OK;
  for (size_t i = 0; i < STORE_READERS && status == SCR_OK; i++) status = show_plans(&store->readers[i], &context, error);
  return status;
}
