/** Inside the store: connections, cached statements, and actions for the writing thread. Included by files of this folder only. */
#ifndef SCREE_SERVER_STORE_INTERNAL_H
#define SCREE_SERVER_STORE_INTERNAL_H

#include <pthread.h>
#include <sqlite3.h>
#include <stdatomic.h>

#include "base/error.h"
#include "server/store/store.h"

/** Names of the cached statements; their text stands where they are used. */
typedef enum statement_name {
  STATEMENT_GET,
  STATEMENT_SCENE,
  STATEMENT_COUNTS,
  STATEMENT_LAST_ID,
  STATEMENT_FIND_KEY,
  STATEMENT_INSERT_JOB,
  STATEMENT_INSERT_SUBMISSION,
  STATEMENT_INSERT_TEXT,
  STATEMENT_INSERT_TAGS,
  STATEMENT_INSERT_EVENT,
  STATEMENT_DELETE_TEXT,
  STATEMENT_DELETE_TAGS,
  STATEMENT_REQUEST,
  STATEMENT_DELETE,
  STATEMENT_DELETE_EVENTS,
  STATEMENT_DELETE_SUBMISSION,
  STATEMENT_KEEP_KEY,
  STATEMENT_DROP_KEYS,
  STATEMENT_EDIT,
  STATEMENT_EVENTS,
  STATEMENT_EVENTS_OF_JOB,
  STATEMENT_ATTEMPTS,
  STATEMENT_NEXT,
  STATEMENT_NEXT_DUE,
  STATEMENT_PROMOTE,
  STATEMENT_INSERT_ATTEMPT,
  STATEMENT_CLAIM,
  STATEMENT_CLAIM_AGAIN,
  STATEMENT_MOVE_JOBS,
  STATEMENT_HOLD,
  STATEMENT_RELEASE,
  STATEMENT_HELD_LEFT,
  STATEMENT_ATTEMPT_HANDLE,
  STATEMENT_ABANDONED,
  STATEMENT_PROGRESS,
  STATEMENT_HELD,
  STATEMENT_FINISH_JOB,
  STATEMENT_FINISH_DOUBTS,
  STATEMENT_FINISH_ATTEMPT,
  STATEMENT_FORGET_ATTEMPT,
  STATEMENT_RUNNING,
  STATEMENT_TOKEN,
  STATEMENT_NEXT_CHECK,
  STATEMENT_NOTE_CHECK,
  STATEMENT_ASSET,
  STATEMENT_ASSETS,
  STATEMENT_ASSET_JOBS,
  STATEMENT_JOB_ASSETS,
  STATEMENT_UNNEEDED,
  STATEMENT_ASSET_BYTES,
  STATEMENT_TOUCH_ASSET,
  STATEMENT_INSERT_ASSET,
  STATEMENT_DROP_ASSET,
  STATEMENT_INSERT_JOB_ASSET,
  STATEMENT_RELEASE_ASSETS,
  STATEMENT_STUDY,
  STATEMENT_STUDY_DOCUMENT,
  STATEMENT_STUDIES,
  STATEMENT_STUDY_COUNTS,
  STATEMENT_STUDY_ROWS,
  STATEMENT_STUDY_ROWS_CHANGED,
  STATEMENT_STUDIES_IN,
  STATEMENT_FIRST_ROW,
  STATEMENT_ENDED_ROW,
  STATEMENT_JOB_OF_DIGEST,
  STATEMENT_STUDY_KEY,
  STATEMENT_INSERT_STUDY,
  STATEMENT_INSERT_STUDY_DOCUMENT,
  STATEMENT_INSERT_STUDY_ROW,
  STATEMENT_CLAIM_ROW,
  STATEMENT_STUDY_NEED,
  STATEMENT_MOVE_STUDY,
  STATEMENT_SETTLE_STUDY,
  STATEMENT_RETRY_ROWS,
  STATEMENT_REMOVE_STUDY,
  STATEMENT_REMOVE_STUDY_ROWS,
  STATEMENT_REMOVE_STUDY_COUNTS,
  STATEMENT_REMOVE_STUDY_DOCUMENT,
  STATEMENT_CHANGE_ROW,
  STATEMENT_MEASURED,
  STATEMENT_MEASURED_LIST,
  STATEMENT_MEASURED_NAME,
  STATEMENT_MEASURED_CURVES,
  STATEMENT_INSERT_MEASURED,
  STATEMENT_INSERT_SPECIMEN,
  STATEMENT_REMOVE_MEASURED,
  STATEMENT_RELEASE_SPECIMENS,
  STATEMENT_PUT_RESIDUALS,
  STATEMENT_RESIDUALS,
  STATEMENT_NAME_COUNT
} statement_name;

enum { CONNECTION_QUERIES = 12 };

/** One connection, used by one thread at a time. */
typedef struct store_connection {
  sqlite3 *db;
  sqlite3_stmt *statements[STATEMENT_NAME_COUNT]; /**< prepared at first use */
  sqlite3_stmt *queries[CONNECTION_QUERIES];      /**< lists asked for lately, whose text is made */
  size_t next_query;                              /**< of them, the one to go next */
  bool disk_full;                                 /**< a statement failed for that */
} store_connection;

enum { STORE_READERS = 4, STORE_BUSY_MS = 5000 };

typedef enum store_durability { STORE_NORMAL, STORE_FULL } store_durability;

/** What the writing thread runs, inside a transaction of its own savepoint. Returning a failure undoes it alone.
 *  @param context the caller's; results written to it count only when the commit succeeded too */
typedef scr_status (*store_action)(store_connection *writer, void *context, scr_error *error);

typedef struct store_command store_command;

struct job_store {
  /* Owned by the writing thread. */
  store_connection writer;
  store_durability durability;   /* what `PRAGMA synchronous` is set to */
  char *reserve_path, *log_path; /* the latter of SQLite's write-ahead log */
  uint64_t reserve_wanted;
  int64_t reserve_at;          /* when to look again whether it can be made, monotonic */
  atomic_ullong reserve_bytes; /* there now; written by the writing thread */

  /* Guarded by `mutex`. */
  pthread_mutex_t mutex;
  pthread_cond_t arrived;   /* a command, or `closing` */
  pthread_cond_t completed; /* commands were done */
  pthread_cond_t returned;  /* a reader came back */
  store_command *first, *last;
  size_t posted; /* commands without a waiting caller */
  bool closing;
  store_connection *idle[STORE_READERS];
  size_t idle_count;

  store_connection readers[STORE_READERS]; /* each owned by whoever took it */
  pthread_t thread;
  bool thread_started;
  atomic_llong busy_since_ms; /* monotonic; 0: the writing thread waits for work */
};

/* ── store_connection.c ── */
scr_status connection_open(store_connection *connection, const char *path, bool writing, scr_error *error);
void connection_close(store_connection *connection);
/** Runs SQL without results. */
scr_status connection_execute(store_connection *connection, const char *sql, const char *doing, scr_error *error);
/** The cached statement, ready to bind. */
scr_status connection_prepare(store_connection *connection, statement_name name, const char *sql, sqlite3_stmt **statement,
                              scr_error *error);
/** A statement of this text, kept for a while, ready to bind. */
scr_status connection_query(store_connection *connection, const char *sql, sqlite3_stmt **statement, scr_error *error);
/** One step. `row` may be NULL when no row is expected. */
scr_status connection_step(store_connection *connection, sqlite3_stmt *statement, bool *row, scr_error *error);
/** Steps a statement that returns nothing to its end and resets it. */
scr_status connection_run(store_connection *connection, sqlite3_stmt *statement, scr_error *error);
/** Ends a statement: no read stays open, no borrowed text stays bound. */
void connection_done(sqlite3_stmt *statement);
scr_status connection_fail(store_connection *connection, const char *doing, int code, scr_error *error);
/** Binds a count, at most INT64_MAX. */
void bind_count(sqlite3_stmt *statement, int index, uint64_t value);
/** Binds a number; what is not finite becomes NULL. */
void bind_number(sqlite3_stmt *statement, int index, double value);
void bind_text(sqlite3_stmt *statement, int index, const char *text);

/* ── store_migrate.c ── */
scr_status store_migrate(store_connection *writer, const char *path, scr_error *error);

/* ── store_writer.c ── */
scr_status store_writer_start(job_store *store, scr_error *error);
void store_writer_stop(job_store *store);
/** Has the writing thread run `action` and waits for its commit. */
scr_status store_write(job_store *store, store_durability durability, store_action action, void *context, scr_error *error);
enum { STORE_TOGETHER = 16 };
/** One of several writes that are waited for together. */
typedef struct store_written {
  void *context;
  scr_status status; /**< receives how it went */
  scr_error error;   /**< receives why it failed */
} store_written;
/** The same for several contexts in one commit; one that fails undoes itself alone. */
void store_write_each(job_store *store, store_durability durability, store_action action, store_written *each, size_t count);
/** The same without waiting: `context` (malloc'ed) is freed after, failures are dropped. */
void store_post(job_store *store, store_action action, void *context);

/* ── store_reserve.c ── */
/** Gives the reserve's file up. False when there is none. */
bool reserve_release(job_store *store);
/** Makes it when it is wanted, missing, and there is room; looks at most once a second. */
void reserve_renew(job_store *store);

/* ── store_job.c ── */
/** Reads one job. @param pause_requested receives the mark that lab_job does not carry; may be NULL */
scr_status fetch_job(store_connection *connection, int64_t id, lab_job *job, bool *pause_requested, bool *found, scr_error *error);
/** Reads the single number of a statement without parameters; 0 when there is no row. */
scr_status fetch_number(store_connection *connection, statement_name name, const char *sql, int64_t *number, scr_error *error);
/** The kept counts of jobs by state, indexed by lab_job_state. */
scr_status count_states(store_connection *connection, size_t *counts, scr_error *error);
/** Copies a column's text, cut to fit. */
void read_text(sqlite3_stmt *statement, int column, char *text, size_t capacity);
void read_executor_options(sqlite3_stmt *statement, int column, executor_options *options);

/* ── store_change.c ── */
/** Puts the words of a job's row into the text index, or takes them out; before the row changes, or after it was made. */
scr_status index_text(store_connection *writer, int64_t id, bool in, scr_error *error);
scr_status insert_tags(store_connection *writer, int64_t id, const char *tags, scr_error *error);

/* ── store_event.c ── */
scr_status insert_event(store_connection *writer, int64_t job, int64_t now_ms, const char *type, const char *text, scr_error *error);

/* ── store_asset.c ── */
scr_status fetch_asset(store_connection *connection, const char *digest, lab_asset *asset, bool *found, scr_error *error);
/** Notes that a new job needs these. @param missing receives whether one of them is not there (any more) */
scr_status insert_job_assets(store_connection *writer, int64_t id, const lab_digest *digests, size_t count, bool *missing,
                             scr_error *error);
/** Before a job's row goes: from now on it does not need them. */
scr_status release_job_assets(store_connection *writer, int64_t id, int64_t now_ms, scr_error *error);

/* ── study/store_study_change.c ── */
/** Gives a new job to the row of a study that it is made for. @param taken receives whether the row waits for one, and its study runs */
scr_status claim_study_row(store_connection *writer, const store_submission *submission, bool *taken, scr_error *error);

/* ── store.c ── */
store_connection *store_take_reader(job_store *store);
void store_return_reader(job_store *store, store_connection *reader);

#endif
