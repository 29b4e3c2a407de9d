/** The store: jobs and their attempts in one SQLite file. The only place with SQL is server/store/.
 *
 *  Threads: any thread may call anything here. Writes are handed to the store's own thread, the only one that touches the writing
 *  connection; the caller waits for the commit. Reads take one of a few reading connections. No lock is held while SQL runs.
 *  Durability: what changes a job's state is on the disk when the call returns (synchronous=FULL); progress is not (NORMAL).
 *  Times are passed in, milliseconds since 1970 UTC. */
#ifndef SCREE_SERVER_STORE_H
#define SCREE_SERVER_STORE_H

#include "server/job_state.h"

typedef struct job_store job_store;

/** Opens or creates the store, applies the migrations that are missing and starts its thread.
 *  @return SCR_OK, SCR_BAD_FILE (not a store, damaged, or written by a newer Scree), SCR_IO, SCR_NO_MEMORY */
scr_status store_open(const char *path, job_store **out, scr_error *error);

/** Keeps a file of `bytes` beside the store, PATH-reserve, that is given up when the disk is full, so that there is room for what must be
 *  written then; made anew when at least twice as much is free. Without it the store works as well, but can't write on a full disk. */
void store_keep_reserve(job_store *store, uint64_t bytes);

/** Bytes of the reserve's file that are there now. */
uint64_t store_reserve_bytes(const job_store *store);

/** Ends the thread and closes the file. Nobody else may be inside a store function. */
void store_close(job_store *store);

/** Whether a read works and the writing thread is not stuck for longer than five seconds. */
bool store_answers(job_store *store);

/* ── jobs ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

/** A job to insert. Strings are borrowed. */
typedef struct store_submission {
  int64_t id; /**< unused so far, above every id ever given */
  const char *name, *title, *method;
  const char *request; /**< [request_length] as sent: what a repeated request is compared with */
  size_t request_length;
  const char *effective; /**< the scene with all defaults */
  const char *key;       /**< idempotency key or NULL */
  const char *tags;      /**< JSON object of texts, NULL: none */
  const char *user;      /**< who submitted it, NULL: nobody said */
  unsigned threads, ranks;
  const char *device; /**< that computes; NULL: "cpu" */
  double need_bytes; /**< that its directory is expected to take */
  int priority, max_attempts;
  const char *executor; /**< name; NULL: "local" */
  executor_options options;
  double duration; /**< s, simulated */
  scr_estimate estimate;
  const lab_digest *assets; /**< [asset_count] that its scene refers to */
  size_t asset_count;
  size_t queue_limit;
  int64_t study, study_row; /**< of a study's row: their numbers; else 0 */
  const char *scene_digest; /**< of a study's row: SHA-256 of its effective scene */
  int64_t now_ms;
} store_submission;

typedef enum store_insertion {
  STORE_INSERTED,
  STORE_REPEATED,   /**< the key was used with this very request: `job` is that job */
  STORE_KEY_REUSED, /**< the key was used with another request */
  STORE_KEY_GONE,   /**< the key was used with this very request, and its job has been deleted */
  STORE_QUEUE_FULL,
  STORE_ASSET_GONE, /**< an asset that its scene refers to was removed meanwhile */
  STORE_ROW_GONE    /**< the study's row does not wait for a job any more */
} store_insertion;

/** Adds a queued job, claimable at once. */
scr_status store_insert(job_store *store, const store_submission *submission, store_insertion *insertion, lab_job *job, scr_error *error);

/** What store_insert would say to this key now; never STORE_QUEUE_FULL. A deleted job's key is kept for STORE_KEY_DAYS. */
scr_status store_find_key(job_store *store, const char *key, const char *request, size_t length, store_insertion *insertion, lab_job *job,
                          scr_error *error);
enum { STORE_KEY_DAYS = 30 };

/** @param found receives whether there is such a job */
scr_status store_get(job_store *store, int64_t id, lab_job *job, bool *found, scr_error *error);

/** As lab_list. @return also SCR_BAD_USAGE: the cursor is of another order or damaged */
scr_status store_list(job_store *store, const lab_query *query, lab_job *jobs, size_t capacity, size_t *count,
                      char cursor[LAB_CURSOR_BYTES], scr_error *error);

/** The effective scene as text to free(); NULL when it is not in the store but in the job's directory, as jobs from before have it. */
scr_status store_scene(job_store *store, int64_t id, char **text, size_t *length, bool *found, scr_error *error);

/** As lab_edit; what is changed has been checked. */
scr_status store_edit(job_store *store, int64_t id, const lab_change *change, int64_t now_ms, bool *found, lab_job *job, scr_error *error);

/** As lab_attempts and lab_events, without asking whether there is such a job. */
scr_status store_attempts(job_store *store, int64_t id, lab_attempt *attempts, size_t capacity, size_t *count, scr_error *error);
scr_status store_events(job_store *store, int64_t job, int64_t after, lab_happening *events, size_t capacity, size_t *count, bool *more,
                        scr_error *error);

/** Shows SQLite's plan of every statement prepared so far: `visit` gets each statement's text and each line of its plan. For tests. */
scr_status store_plans(job_store *store, void (*visit)(void *user, const char *sql, const char *line), void *user, scr_error *error);

/** Counts by state, indexed by lab_job_state. counts: [6] */
scr_status store_count(job_store *store, size_t *counts, scr_error *error);

/** Largest id ever given, 0 when none was. */
scr_status store_last_id(job_store *store, int64_t *id, scr_error *error);

/** What became of a user's request. */
typedef struct store_answer {
  bool found;
  job_answer answer;
  int64_t token; /**< the attempt that runs the job, 0: none */
  lab_job job;   /**< as it is now, when found */
} store_answer;

/** Applies a user's request. When the state does not allow it `answer.allowed` is false and nothing changes. */
scr_status store_request(job_store *store, int64_t id, job_request request, int64_t now_ms, store_answer *answer, scr_error *error);

/** Deletes an ended job. Its key is kept. @param deleted false: there is none, or it has not ended */
scr_status store_delete(job_store *store, int64_t id, int64_t now_ms, bool *deleted, scr_error *error);

/* ── recordings read over ─────────────────────────────────────────────────────────────────────────────────────── */

/** The ended job with something recorded that was not read over for longest; zeroed: there is none. */
typedef struct store_due_check {
  int64_t id, verified_ms; /**< verified_ms: when it was, 0: never */
} store_due_check;
scr_status store_next_check(job_store *store, store_due_check *due, scr_error *error);

/** Notes what reading a job's recording over found, and in its history when that is news; a job that is gone or runs again is left alone.
 *  @param damage its `found_ms` is ignored; an empty message: nothing is missing   @param changed receives whether it is news */
scr_status store_note_check(job_store *store, int64_t id, const lab_damage *damage, int64_t now_ms, bool *changed, scr_error *error);

/* ── assets ───────────────────────────────────────────────────────────────────────────────────────────────────── */

/** What is done to an asset's file within the write that its row is changed by. */
typedef scr_status (*store_file_change)(void *user, const char *digest, scr_error *error);

/** Adds an asset, or notes that one that is there was uploaded again; `place` puts its file in place.
 *  @param created receives whether it was not there */
scr_status store_put_asset(job_store *store, const lab_asset *asset, store_file_change place, void *user, bool *created, scr_error *error);

/** What became of an asset that should go. */
typedef struct store_dropped {
  bool found, gone;
  lab_asset asset; /**< what it is or was, when found */
} store_dropped;

/** Takes an asset away that no job needs and that was not used from `before_ms` on. @param remove takes its file away, called with `user`
 */
scr_status store_drop_asset(job_store *store, const char *digest, int64_t before_ms, store_file_change remove, void *user,
                            store_dropped *dropped, scr_error *error);

scr_status store_asset(job_store *store, const char *digest, lab_asset *asset, bool *found, scr_error *error);
/** Assets in the order of their digests, those behind `after` ("": all). assets: [capacity] */
scr_status store_assets(job_store *store, const char *after, lab_asset *assets, size_t capacity, size_t *count, scr_error *error);
/** The jobs that need one. jobs: [capacity] */
scr_status store_asset_jobs(job_store *store, const char *digest, int64_t *jobs, size_t capacity, size_t *count, scr_error *error);
/** Those a job needs. digests: [capacity] */
scr_status store_job_assets(job_store *store, int64_t id, lab_digest *digests, size_t capacity, size_t *count, scr_error *error);
/** Those that no job needs and that were not used since. digests: [capacity] */
scr_status store_unneeded_assets(job_store *store, int64_t before_ms, lab_digest *digests, size_t capacity, size_t *count,
                                 scr_error *error);
/** Bytes of all together. */
scr_status store_asset_bytes(job_store *store, int64_t *bytes, scr_error *error);

/* ── attempts ─────────────────────────────────────────────────────────────────────────────────────────────────── */

/** What there is room for. */
typedef struct store_capacity {
  int64_t now_ms;
  const char *executor;              /**< whose jobs */
  unsigned threads, threads_per_job; /**< free ones; those of a job that asks for none */
  double memory, memory_per_job;     /**< bytes free; of a job whose need is not known */
  double disk;                       /**< bytes free beyond the reserve and what running jobs will still write */
  bool idle;                         /**< nothing runs: the first job may have more threads and memory than are free */
  bool by_work;                      /**< a job that asks for no threads gets those that its steps are worth, up to threads_per_job */
} store_capacity;

/** What a claim gives. */
typedef struct store_claim {
  int64_t id;
  int64_t token; /**< fences every later write of the attempt */
  int attempt;   /**< this one included */
  unsigned threads;
  double memory_bytes; /**< estimated, NaN when unknown */
  double need_bytes;   /**< expected to be written still */
  double seconds;      /**< estimated, of one thread; NaN when unknown */
  double record_bytes; /**< estimated size of the recording, NaN when unknown */
  executor_options options;
} store_claim;

/** A job that a claim passed over because the disk has no room for it. */
typedef struct store_held {
  int64_t id;
  double need_bytes;
} store_held;

enum { STORE_HOLD_LIMIT = 32 /**< jobs passed over in one claim */ };

/** What a claim leaves to wait for. */
typedef struct store_outlook {
  int64_t next_due_ms; /**< when nothing was claimed: the earliest time a job may be, 0: none has one */
  size_t held_count;   /**< jobs marked as waiting for the disk now */
  store_held held[STORE_HOLD_LIMIT];
} store_outlook;

/** Takes the first queued jobs that may run, in order of priority and age, and marks them running under new tokens. A job for which there
 *  are too few threads or too little memory keeps those behind it waiting, so that no large job waits for ever; one with too little disk is
 *  marked as waiting for the disk and passed over. No job is ever claimed twice without a store_finish in between.
 *  @param claims [capacity]   @param count receives how many   @param outlook receives what there is to wait for */
scr_status store_claim_jobs(job_store *store, const store_capacity *free, store_claim *claims, size_t capacity, size_t *count,
                            store_outlook *outlook, scr_error *error);

/** Lets jobs that wait for the disk and need at most `bytes` take part in claims again. @param left receives whether further ones wait */
scr_status store_release_disk(job_store *store, double bytes, bool *left, scr_error *error);

/** Notes what an attempt runs as (executor.h) some time soon, without waiting. Fenced. */
void store_attempt_handle(job_store *store, int64_t id, int64_t token, const char *handle);

/** Handle of the newest attempt of a job that its daemon abandoned, "" when there is none. handle: [capacity] */
scr_status store_abandoned_handle(job_store *store, int64_t id, char *handle, size_t capacity, scr_error *error);

/** Writes `progress->progress` some time soon, without waiting; dropped when the store is in trouble. Fenced. */
void store_progress(job_store *store, int64_t id, int64_t token, const lab_job *progress);

/** How an attempt ended. All is borrowed. */
typedef struct store_ending {
  attempt_outcome outcome;
  const char *message;     /**< why, for `error` ("" clears it) */
  const lab_job *progress; /**< its progress, doubts, record_count and record_digest are written; NULL: keep what is there */
  double need_bytes;       /**< that the job is expected to write still; below 0: keep what is there */
  uint64_t peak_memory;
  double cpu_seconds;
  int64_t now_ms;
} store_ending;

/** Ends an attempt and moves its job on as job_after_attempt says, in one transaction.
 *  @param held receives whether `token` still held the job; when not, nothing was changed
 *  @param job  receives the job as it now is, when held */
scr_status store_finish(job_store *store, int64_t id, int64_t token, const store_ending *ending, bool *held, lab_job *job,
                        scr_error *error);

/** One of several attempts that end together. */
typedef struct store_finishing {
  int64_t id, token;
  store_ending ending;
  bool held; /**< receives as store_finish, as do the rest */
  lab_job job;
  scr_status status;
  scr_error error;
} store_finishing;

/** As store_finish for each, in one commit where the store can. */
void store_finish_all(job_store *store, store_finishing *attempts, size_t count);

/** One job left running by a daemon that is gone. */
typedef struct store_orphan {
  int64_t id, token;
  int attempt; /**< this one counted */
  char executor[LAB_EXECUTOR_BYTES];
  bool cancel_requested, pause_requested;
} store_orphan;

/** The claim that the attempt of a running job was begun by.
 *  @param usual what says how many threads jobs get    @param found false: it does not run under that token */
scr_status store_claim_again(job_store *store, int64_t id, int64_t token, const store_capacity *usual, store_claim *claim, bool *found,
                             scr_error *error);

/** Sends jobs that wait for an executor that is none of these (`second` may be "") to `first`. @param moved receives how many */
scr_status store_move_jobs(job_store *store, const char *first, const char *second, size_t *moved, scr_error *error);

/** Lists jobs in state running. @param orphans receives a new array to free() */
scr_status store_running(job_store *store, store_orphan **orphans, size_t *count, scr_error *error);

#endif
