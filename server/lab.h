/** The lab: jobs, their store, their queue and the workers that run them. The API is written against this header alone.
 *
 *  Threads: every function may be called from any thread unless it says otherwise; none blocks on a running simulation.
 *  Inside: one store thread owns the writing SQLite connection, one supervisor thread owns the workers (server/README.md). */
#ifndef SCREE_SERVER_LAB_H
#define SCREE_SERVER_LAB_H

#include "scree.h"

typedef struct lab lab;

typedef enum lab_status {
  LAB_OK = 0,
  LAB_NOT_FOUND,  /**< no such job */
  LAB_CONFLICT,   /**< the job's state does not allow it; the error says which state would */
  LAB_REFUSED,    /**< the scene is refused; the problems say why */
  LAB_KEY_REUSED, /**< the idempotency key was used with another scene */
  LAB_FULL,       /**< the queue's or the disk's limit is reached, or what can be done once at a time is being done */
  LAB_TOO_LARGE,  /**< the answer would take more memory, time or bytes than allowed */
  LAB_DRAINING,   /**< the lab is shutting down */
  LAB_FAILED      /**< store, disk or memory failed; the error says how */
} lab_status;

typedef enum lab_job_state { LAB_QUEUED, LAB_RUNNING, LAB_PAUSED, LAB_SUCCEEDED, LAB_FAILED_JOB, LAB_CANCELLED } lab_job_state;

/** "queued", "running", "paused", "succeeded", "failed", "cancelled". */
const char *lab_job_state_name(lab_job_state state);
bool lab_job_state_ended(lab_job_state state);

/** One job as the world sees it. Times are milliseconds since 1970 UTC, 0 when it has not happened. */
typedef struct lab_job {
  int64_t id; /**< 1, 2, 3, ... never reused */
  char name[64], title[128], method[32];
  lab_job_state state;
  int64_t created_ms, started_ms, ended_ms;
  int attempt, max_attempts; /**< attempts begun; attempts allowed */
  bool cancel_requested;
  struct {
    uint64_t step, step_count;
    double sim_time, duration; /**< s */
    double peak_force, broken_bonds;
    double run_seconds, steps_per_second;
    double eta_seconds; /**< wall-clock to the end at the present pace, NaN when unknown */
    uint64_t last_seq;
  } progress;
  scr_estimate estimate;
  char error[768]; /**< why it failed or was retried last, "" otherwise */
} lab_job;

typedef struct lab_config {
  const char *data_directory;  /**< created if missing; holds scree.db, lock, jobs/<id>/ */
  const char *worker_path;     /**< absolute path of scree-worker */
  unsigned slots;              /**< jobs run at once, >= 1 */
  unsigned threads_per_job;    /**< 0: cores / slots */
  int max_attempts;            /**< default 3 */
  double checkpoint_seconds;   /**< wall-clock between checkpoints, default 10 */
  double lease_seconds;        /**< a worker silent for longer is killed and its job retried, default 60 */
  size_t queue_limit;          /**< most jobs waiting, default 10000 */
  uint64_t disk_reserve_bytes; /**< refuse new jobs when the disk has less free, default 256 MiB */
  bool allow_network_filesystem;
  scr_limits limits; /**< of scenes */
} lab_config;

lab_config lab_config_default(void);

/** Opens the data directory (one lab at a time holds it), migrates the store, recovers jobs a dead lab left running, and starts
 *  claiming. @return SCR_OK, SCR_BUSY (another lab holds it), SCR_IO, SCR_BAD_FILE, SCR_BAD_USAGE, SCR_NO_MEMORY */
scr_status lab_open(const lab_config *config, lab **out, scr_error *error);

/** Stops claiming; workers checkpoint and end; their jobs go back to the queue. Waits at most `grace_seconds`, then kills. */
void lab_close(lab *self, double grace_seconds);

/** Makes lab_submit answer LAB_DRAINING and lab_ready false, stops claiming, and asks running workers to checkpoint and end (their jobs go back
 *  to the queue), without waiting: lab_count tells when none runs any more. lab_close is still to be called. */
void lab_drain(lab *self);

/** Whether lab_drain or lab_close was called: what takes long should not be begun any more. */
bool lab_draining(const lab *self);

/** Queues a scene. `idempotency_key` may be NULL; the same key with the same scene returns the first job (created=false).
 *  @param problems filled on LAB_REFUSED with the reasons, and on LAB_OK of a new job with the scene's warnings */
lab_status lab_submit(lab *self, const char *scene, size_t length, const char *idempotency_key, int priority, lab_job *job, bool *created,
                      scr_problems *problems, scr_error *error);

lab_status lab_get(lab *self, int64_t id, lab_job *job, scr_error *error);

/** Newest first. @param before only ids below this; 0: from the newest   @param state -1 for any
 *  @param jobs [capacity]  @param count receives how many   @param more receives whether there are further ones */
lab_status lab_list(lab *self, int64_t before, int state, lab_job *jobs, size_t capacity, size_t *count, bool *more, scr_error *error);

/** Asks a queued, paused or running job to end as cancelled; idempotent on a cancelled one. Returns the job as it now is. */
lab_status lab_cancel(lab *self, int64_t id, lab_job *job, scr_error *error);
/** Holds a queued or running job (a running one checkpoints first). */
lab_status lab_pause(lab *self, int64_t id, lab_job *job, scr_error *error);
/** Puts a paused job back in the queue. */
lab_status lab_resume(lab *self, int64_t id, lab_job *job, scr_error *error);
/** Deletes an ended job and its files. LAB_CONFLICT while it is not ended. */
lab_status lab_delete(lab *self, int64_t id, scr_error *error);

/** Path of a file of a job ("scene.json", "recording.scree", "worker.log") into `path`. The file may not exist yet. */
lab_status lab_job_file(lab *self, int64_t id, const char *file, char *path, size_t capacity, scr_error *error);

/** Makes the surface of a recorded frame (scr_export_surface) in a process of its own, with bounds on its memory, time and size. One at a time.
 *  Blocks for at most half a minute, or until the lab drains.
 *  @param frame number of the frame, from 0    @param fd receives an open file to be closed by the caller    @param size receives its bytes
 *  @return LAB_OK, LAB_NOT_FOUND, LAB_FULL (another one is being made), LAB_TOO_LARGE, LAB_DRAINING, LAB_FAILED */
lab_status lab_surface(lab *self, int64_t id, int64_t frame, scr_surface_format format, int *fd, uint64_t *size, scr_error *error);

/** What happened to a job. */
typedef enum lab_event {
  LAB_EVENT_JOB,      /**< its state or progress changed: lab_get tells */
  LAB_EVENT_RECORDED, /**< its recording grew */
  LAB_EVENT_DELETED
} lab_event;

/** Called from the lab's own threads: must return at once and call no lab_ function. One listener; set before traffic. NULL takes it away;
 *  when that returns it is not called any more. */
void lab_listen(lab *self, void (*listener)(void *user, int64_t id, lab_event event), void *user);

/** Whether the store answers, the disk has room and the worker binary is there; `reason` says what is wrong. */
bool lab_ready(lab *self, char *reason, size_t capacity);

/** Counts for /readyz and the dashboard. */
typedef struct lab_totals {
  size_t queued, running, paused, ended;
  uint64_t disk_free_bytes;
  unsigned slots;
} lab_totals;
lab_status lab_count(lab *self, lab_totals *totals, scr_error *error);

const scr_limits *lab_limits(const lab *self);

#endif
