/* The writing thread. It owns store.writer; others queue commands and wait on `completed`.
 *
 * All commands found waiting are done in one transaction, each in its own savepoint: under load many submissions share one fsync, and a
 * command that fails undoes itself alone. A failed COMMIT fails them all. The mutex is never held while SQL runs. */
#include <signal.h>
#include <stdlib.h>

#include "server/clock.h"
#include "server/store/store_internal.h"

struct store_command {
  store_command *next;
  store_action action;
  void *context;
  store_durability durability;
  bool posted; /* nobody waits: the thread frees it */
  /* written by the thread before `done`, read by the caller after */
  bool done;
  scr_status status;
  scr_error error;
};

/* More than this many progress notes waiting means the disk can't keep up; the next ones are dropped, newer ones follow anyway. */
enum { post_limit = 256 };

static scr_status set_durability(job_store *store, store_durability durability, scr_error *error)
{
  if (store->durability == durability) return SCR_OK;
  const char *sql = durability == STORE_FULL ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL";
  SCR_TRY(connection_execute(&store->writer, sql, "be set up", error));
  store->durability = durability;
  return SCR_OK;
}

/* Runs one command in a savepoint. SQLite undoes the whole transaction by itself after some errors (disk full): then autocommit is on. */
static void run_command(job_store *store, store_command *command)
{
  command->status = connection_execute(&store->writer, "SAVEPOINT command", "begin a write", &command->error);
  if (command->status != SCR_OK) return;
  command->status = command->action(&store->writer, command->context, &command->error);
  if (sqlite3_get_autocommit(store->writer.db)) return;
  const char *end = command->status == SCR_OK ? "RELEASE command" : "ROLLBACK TO command; RELEASE command";
  scr_error ending = {0};
  scr_status ended = connection_execute(&store->writer, end, "end a write", &ending);
  if (ended == SCR_OK || command->status != SCR_OK) return;
  command->status = ended;
  command->error = ending;
}

static void fail_those_done(store_command *first, const store_command *end, scr_status status, const scr_error *error)
{
  for (store_command *c = first; c != end; c = c->next) {
    if (c->status != SCR_OK) continue;
    c->status = status;
    c->error = *error;
  }
}

/* Runs commands from `first` on in one transaction. Returns the first one not run, NULL when all were. */
static store_command *try_transaction(job_store *store, store_command *first)
{
  scr_error error = {0};
  store_durability durability = STORE_NORMAL;
  for (store_command *c = first; c; c = c->next)
    if (c->durability == STORE_FULL) durability = STORE_FULL;
  scr_status status = set_durability(store, durability, &error);
  if (status == SCR_OK) status = connection_execute(&store->writer, "BEGIN IMMEDIATE", "begin a write", &error);
  if (status != SCR_OK) {
    fail_those_done(first, NULL, status, &error);
    return NULL;
  }
  for (store_command *c = first; c; c = c->next) {
    run_command(store, c);
    if (sqlite3_get_autocommit(store->writer.db)) { /* all is undone: this command and those before it have failed */
      scr_error lost = c->error;
      fail_those_done(first, c->next, c->status != SCR_OK ? c->status : SCR_IO, &lost);
      return c->next;
    }
  }
  status = connection_execute(&store->writer, "COMMIT", "commit a write", &error);
  if (status != SCR_OK) {
    if (!sqlite3_get_autocommit(store->writer.db)) sqlite3_exec(store->writer.db, "ROLLBACK", NULL, NULL, NULL);
    fail_those_done(first, NULL, status, &error);
  }
  return NULL;
}

/* The same; what met a full disk is done again, each command by itself, without the reserve's file. */
static store_command *run_transaction(job_store *store, store_command *first)
{
  store->writer.disk_full = false;
  store_command *rest = try_transaction(store, first);
  if (!store->writer.disk_full || !reserve_release(store)) return rest;
  for (store_command *c = first, *next; c != rest; c = next) {
    next = c->next;
    if (c->status == SCR_OK) continue;
    c->next = NULL;
    c->status = SCR_OK;
    try_transaction(store, c);
    c->next = next;
  }
  return rest;
}

/* Tells the callers. A waiting caller's command lies on its stack and is gone once `done` is set and the mutex released. */
static void complete(job_store *store, store_command *first)
{
  pthread_mutex_lock(&store->mutex);
  for (store_command *c = first, *next; c; c = next) {
    next = c->next;
    if (c->posted) {
      store->posted--;
      free(c->context);
      free(c);
    } else
      c->done = true;
  }
  pthread_cond_broadcast(&store->completed);
  pthread_mutex_unlock(&store->mutex);
}

static void *writer_main(void *argument)
{
  job_store *store = argument;
  for (;;) {
    pthread_mutex_lock(&store->mutex);
    while (!store->first && !store->closing) pthread_cond_wait(&store->arrived, &store->mutex);
    store_command *batch = store->first;
    store->first = store->last = NULL;
    pthread_mutex_unlock(&store->mutex);
    if (!batch) return NULL;
    atomic_store(&store->busy_since_ms, clock_monotonic_ms());
    for (store_command *left = batch; left;) left = run_transaction(store, left);
    reserve_renew(store);
    atomic_store(&store->busy_since_ms, 0);
    complete(store, batch);
  }
}

/* Call with the mutex held. */
static void append(job_store *store, store_command *command)
{
  if (store->last)
    store->last->next = command;
  else
    store->first = command;
  store->last = command;
  pthread_cond_signal(&store->arrived);
}

scr_status store_write(job_store *store, store_durability durability, store_action action, void *context, scr_error *error)
{
  store_command command = {.action = action, .context = context, .durability = durability};
  pthread_mutex_lock(&store->mutex);
  append(store, &command);
  while (!command.done) pthread_cond_wait(&store->completed, &store->mutex);
  pthread_mutex_unlock(&store->mutex);
  if (command.status != SCR_OK && error) *error = command.error;
  return command.status;
}

/* Waits for all of them at once, so that they share a commit; each is in its own savepoint. */
void store_write_each(job_store *store, store_durability durability, store_action action, store_written *each, size_t count)
{
  store_command commands[STORE_TOGETHER];
  for (size_t from = 0; from < count; from += STORE_TOGETHER) {
    size_t many = count - from < STORE_TOGETHER ? count - from : STORE_TOGETHER;
    for (size_t i = 0; i < many; i++)
      commands[i] = (store_command){.action = action, .context = each[from + i].context, .durability = durability};
    pthread_mutex_lock(&store->mutex);
    for (size_t i = 0; i < many; i++) append(store, &commands[i]);
    for (size_t i = 0; i < many; i++)
      while (!commands[i].done) pthread_cond_wait(&store->completed, &store->mutex);
    pthread_mutex_unlock(&store->mutex);
    for (size_t i = 0; i < many; i++) {
      each[from + i].status = commands[i].status;
      each[from + i].error = commands[i].error;
    }
  }
}

void store_post(job_store *store, store_action action, void *context)
{
  store_command *command = calloc(1, sizeof *command);
  pthread_mutex_lock(&store->mutex);
  if (command && store->posted < post_limit) {
    *command = (store_command){.action = action, .context = context, .durability = STORE_NORMAL, .posted = true};
    store->posted++;
    append(store, command);
    command = NULL;
    context = NULL;
  }
  pthread_mutex_unlock(&store->mutex);
  free(command);
  free(context);
}

scr_status store_writer_start(job_store *store, scr_error *error)
{
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are the main program's */
  int code = pthread_create(&store->thread, NULL, writer_main, store);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (code != 0) return scr_fail_io(error, "start", "the store's thread", code);
  store->thread_started = true;
  return SCR_OK;
}

void store_writer_stop(job_store *store)
{
  if (!store->thread_started) return;
  pthread_mutex_lock(&store->mutex);
  store->closing = true;
  pthread_cond_signal(&store->arrived);
  pthread_mutex_unlock(&store->mutex);
  pthread_join(store->thread, NULL);
  store->thread_started = false;
}

/* ── the disk reserve, which the writing thread keeps ─────────────────────────────────────────────────────────────── */

typedef struct reserve_context {
  job_store *store;
  uint64_t bytes;
} reserve_context;

static scr_status want_reserve(store_connection *writer, void *argument, scr_error *error)
{
  (void)writer;
  (void)error;
  const reserve_context *context = argument;
  context->store->reserve_wanted = context->bytes;
  context->store->reserve_at = 0;
  return SCR_OK;
}

void store_keep_reserve(job_store *store, uint64_t bytes)
{
  reserve_context context = {store, bytes};
  (void)store_write(store, STORE_NORMAL, want_reserve, &context, NULL);
}
