/* Recordings that are read over: which is next, and what was found. */
#include <stdio.h>
#include <string.h>

#include "server/store/store_internal.h"

static scr_status fetch_next(store_connection *reader, store_due_check *due, scr_error *error)
{
  sqlite3_stmt *statement;
  bool row;
  const char *sql = "SELECT id, verified FROM job INDEXED BY job_verified WHERE ended > 0 AND last_seq > 0 ORDER BY verified, id LIMIT 1";
  SCR_TRY(connection_prepare(reader, STATEMENT_NEXT_CHECK, sql, &statement, error));
  SCR_TRY(connection_step(reader, statement, &row, error));
  *due = row ? (store_due_check){.id = sqlite3_column_int64(statement, 0), .verified_ms = sqlite3_column_int64(statement, 1)}
             : (store_due_check){0};
  connection_done(statement);
  return SCR_OK;
}

scr_status store_next_check(job_store *store, store_due_check *due, scr_error *error)
{
  store_connection *reader = store_take_reader(store);
  scr_status status = fetch_next(reader, due, error);
  store_return_reader(store, reader);
  return status;
}

typedef struct note_context {
  int64_t id, now_ms;
  const lab_damage *damage;
  bool *changed;
} note_context;

static scr_status update_damage(store_connection *writer, const note_context *context, const lab_job *job, scr_error *error)
{
  sqlite3_stmt *statement;
  const lab_damage *damage = context->damage;
  bool known = damage->message[0] && job->damage.message[0];
  const char *sql = "UPDATE job SET verified = ?, damage = ?, damage_found = ?, damage_sound = ?, damage_expected = ? WHERE id = ?";
  SCR_TRY(connection_prepare(writer, STATEMENT_NOTE_CHECK, sql, &statement, error));
  sqlite3_bind_int64(statement, 1, context->now_ms);
  bind_text(statement, 2, damage->message);
  sqlite3_bind_int64(statement, 3, known ? job->damage.found_ms : damage->message[0] ? context->now_ms : 0);
  bind_count(statement, 4, damage->intact);
  bind_count(statement, 5, damage->expected);
  sqlite3_bind_int64(statement, 6, context->id);
  return connection_run(writer, statement, error);
}

static scr_status write_check(store_connection *writer, void *argument, scr_error *error)
{
  const note_context *context = argument;
  lab_job job;
  bool found;
  SCR_TRY(fetch_job(writer, context->id, &job, NULL, &found, error));
  if (!found || !lab_job_state_ended(job.state)) return SCR_OK;
  *context->changed = strcmp(job.damage.message, context->damage->message) != 0;
  SCR_TRY(update_damage(writer, context, &job, error));
  if (!*context->changed) return SCR_OK;
  bool damaged = context->damage->message[0] != '\0';
  return insert_event(writer, context->id, context->now_ms, damaged ? "recording_damaged" : "recording_sound",
                      damaged ? context->damage->message : "all its records are present again", error);
}

scr_status store_note_check(job_store *store, int64_t id, const lab_damage *damage, int64_t now_ms, bool *changed, scr_error *error)
{
  *changed = false;
  note_context context = {id, now_ms, damage, changed};
  return store_write(store, STORE_NORMAL, write_check, &context, error);
}
