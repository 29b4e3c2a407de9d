/** The store: jobs and their attempts in one SQLite file. The only place with SQL is server/store*.c.
 *
 *  Threads: any thread may call anything here. Writes are handed to the store's own thread, the only one that touches the writing
 *  connection; the caller waits for the commit. Reads take one of a few reading connections. No lock is held while SQL runs.
 *  Durability: what changes a job's state is on the disk when the call returns (synchronous=FULL); progress is not (NORMAL).
 *  Times are passed in, milliseconds since 1970 UTC. */
#ifndef SCREE_SERVER_STORE_H
#define SCREE_SERVER_STORE_H

#include "server/job_state.h"
#include "server/lab.h"

typedef struct job_store job_store;

/** Opens or creates the store, applies the migrations that are missing and starts its thread.
 *  @return SCR_OK, SCR_BAD_FILE (not a store, damaged, or written by a newer Scree), SCR_IO, SCR_NO_MEMORY */
scr_status store_open(const char *path, job_store **out, scr_error *error);

/** Ends the thread and closes the file. Nobody else may be inside a store function. */
void store_close(job_store *store);

/** Whether a read works and the writing thread is not stuck for longer than five seconds. */
bool store_answers(job_store *store);

/* ── jobs ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

/** A job to insert. Strings are borrowed. */
typedef struct store_submission {
  int64_t id; /**< unused so far, above every id ever given */
  const char *name, *title, *method;
  const char *scene; /**< [scene_length] as submitted */
  size_t scene_length;
  const char *key; /**< idempotency key or NULL */
  int priority, max_attempts;
  double duration; /**< s, simulated */
  scr_estimate estimate;
  size_t queue_limit;
  int64_t now_ms;
} store_submission;

typedef enum store_insertion {
  STORE_INSERTED,
  STORE_REPEATED,   /**< the key was used with this very scene: `job` is that job */
  STORE_KEY_REUSED, /**< the key was used with another scene */
  STORE_QUEUE_FULL
} store_insertion;

/** Adds a queued job, claimable at once. */
scr_status store_insert(job_store *store, const store_submission *submission, store_insertion *insertion, lab_job *job, scr_error *error);

/** What store_insert would say to this key now: STORE_INSERTED, STORE_REPEATED or STORE_KEY_REUSED. */
scr_status store_find_key(job_store *store, const char *key, const char *scene, size_t length, store_insertion *insertion, lab_job *job,
                          scr_error *error);

/** @param found receives whether there is such a job */
scr_status store_get(job_store *store, int64_t id, lab_job *job, bool *found, scr_error *error);

/** As lab_list, with room for `capacity` jobs; asks for one more than it returns to know `more`. */
scr_status store_list(job_store *store, int64_t before, int state, lab_job *jobs, size_t capacity, size_t *count, bool *more,
                      scr_error *error);

/** Counts by state, indexed by lab_job_state. counts: [6] */
scr_status store_count(job_store *store, size_t *counts, scr_error *error);

/** Largest id ever given, 0 when none was. */
scr_status store_last_id(job_store *store, int64_t *id, scr_error *error);

/** Applies a user's request. When the state does not allow it `answer->allowed` is false and nothing changes. */
scr_status store_request(job_store *store, int64_t id, job_request request, int64_t now_ms, bool *found, job_answer *answer, lab_job *job,
                         scr_error *error);

/** Deletes an ended job. @param deleted false: there is none, or it has not ended */
scr_status store_delete(job_store *store, int64_t id, bool *deleted, scr_error *error);

/* ── attempts ─────────────────────────────────────────────────────────────────────────────────────────────────── */

/** What a claim gives. */
typedef struct store_claim {
  int64_t id;
  int64_t token;       /**< fences every later write of the attempt */
  int attempt;         /**< this one included */
  double memory_bytes; /**< estimated, NaN when unknown */
  int64_t next_due_ms; /**< when nothing was claimed: the earliest time a queued job may be, 0 when the queue is empty */
} store_claim;

/** Takes the first queued job that may run and marks it running under a new token. No job is ever claimed twice without a
 *  store_finish in between. @param claimed false: none may run now */
scr_status store_claim_next(job_store *store, int64_t now_ms, store_claim *claim, bool *claimed, scr_error *error);

/** Notes the worker's process. Fenced. */
scr_status store_attempt_pid(job_store *store, int64_t id, int64_t token, int64_t pid, scr_error *error);

/** Process of the newest attempt of a job that its daemon abandoned, 0 when there is none. */
scr_status store_abandoned_pid(job_store *store, int64_t id, int64_t *pid, scr_error *error);

/** Writes `progress->progress` some time soon, without waiting; dropped when the store is in trouble. Fenced. */
void store_progress(job_store *store, int64_t id, int64_t token, const lab_job *progress);

/** Ends an attempt and moves its job on as job_after_attempt says, in one transaction.
 *  @param progress its `progress` is written; NULL: keep what is there   @param message why, for `error` ("" clears it)
 *  @param held     receives whether `token` still held the job; when not, nothing was changed
 *  @param job      receives the job as it now is, when held */
scr_status store_finish(job_store *store, int64_t id, int64_t token, attempt_outcome outcome, const char *message, const lab_job *progress,
                        int64_t now_ms, bool *held, lab_job *job, scr_error *error);

/** One job left running by a daemon that is gone. */
typedef struct store_orphan {
  int64_t id, token;
} store_orphan;

/** Lists jobs in state running. @param orphans receives a new array to free() */
scr_status store_running(job_store *store, store_orphan **orphans, size_t *count, scr_error *error);

#endif
