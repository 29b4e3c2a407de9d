/** The lab: jobs, their store, their queue and the workers that run them. The API is written against this header alone.
 *
 *  Threads: every function may be called from any thread unless it says otherwise; none blocks on a running simulation.
 *  Inside: one store thread owns the writing SQLite connection, one supervisor thread owns the workers (server/README.md). */
#ifndef SCREE_SERVER_LAB_H
#define SCREE_SERVER_LAB_H

#include "device/device.h"
#include "server/executor/executor.h"
#include "server/log/log.h"
#include "server/machine.h"

typedef struct lab lab;

typedef enum lab_status {
  LAB_OK = 0,
  LAB_NOT_FOUND,   /**< no such job */
  LAB_CONFLICT,    /**< the job's state does not allow it; the error says which state would */
  LAB_REFUSED,     /**< the scene is refused; the problems say why */
  LAB_KEY_REUSED,  /**< the idempotency key was used with another request */
  LAB_GONE,        /**< the idempotency key was used for a job that has been deleted since */
  LAB_BAD_REQUEST, /**< a name, tags, notes, priority, threads or a cursor are not as they must be; problems or error say why */
  LAB_QUEUE_FULL,  /**< as many jobs wait as may */
  LAB_FULL,        /**< the disk's limit is reached, or what can be done once at a time is being done */
  LAB_TOO_LARGE,   /**< the answer would take more memory, time or bytes than allowed */
  LAB_DRAINING,    /**< the server is shutting down */
  LAB_ABANDONED,   /**< the client has disconnected: nobody reads the answer */
  LAB_FAILED       /**< store, disk or memory failed; the error says how */
} lab_status;

typedef struct lab_config {
  const char *data_directory; /**< created if missing; holds scree.db, lock, jobs/<id>/ */
  const char *worker_path;    /**< absolute path of scree-worker */
  unsigned slots;             /**< jobs run at once, >= 1 */
  unsigned threads_per_job;   /**< 0: up to cores / slots, as many as its steps are worth (scr_threads_worth) */
  unsigned threads;           /**< of all jobs together; 0: slots * threads_per_job. A job that asks for more is refused */
  uint64_t memory_bytes; /**< that all jobs together may be estimated to need; 0: nine tenths of the machine's (or the control group's) */
  int max_attempts;      /**< default 3 */
  double checkpoint_seconds; /**< wall-clock between checkpoints, default 10 */
  double lease_seconds;      /**< a worker that gives no sign of life for longer is killed and its job retried, default 60 */
  size_t queue_limit;        /**< most jobs waiting, default 10000 */
  uint64_t
      disk_reserve_bytes; /**< with less free no job is taken or started, default 256 MiB; with a quarter of it free running ones stop
                               and wait. A part of it is kept as a file (the reserve's file), so that the store can write on a full disk */
  double verify_days;     /**< between two readings of a finished recording, to see whether it is still whole; 0: none; default 7 */
  uint64_t asset_quota;   /**< bytes of all assets together, default 16 GiB; of one, and of all of a scene: limits.asset_bytes */
  double asset_days;      /**< an asset that no job has needed for so long is removed, default 30; 0: never */
  bool allow_network_filesystem;
  struct executor *executor; /**< where attempts run (executor/executor.h); borrowed; NULL: as `executors` says */
  const char *executors;     /**< "local", "slurm", or both with a comma between them; jobs that name none go to the first. NULL: "local" */
  unsigned slurm_slots;      /**< jobs at Slurm at once, waiting ones counted, default 64 */
  executor_options slurm_options; /**< where a job gives none */
  double slurm_poll_seconds;      /**< between two looks at Slurm's queue, default 5 */
  double slurm_signal_seconds;    /**< a job is to save its checkpoint so long before its time limit, default 60 */
  event_log *log;                 /**< borrowed, open until lab_close returns; NULL: none */
  scr_limits limits;              /**< of scenes */
} lab_config;

lab_config lab_config_default(void);

/** Opens the data directory (one lab at a time holds it), migrates the store, recovers jobs a dead lab left running, and starts
 *  claiming. @return SCR_OK, SCR_BUSY (another lab holds it), SCR_IO, SCR_BAD_FILE, SCR_BAD_USAGE, SCR_NO_MEMORY */
scr_status lab_open(const lab_config *config, lab **out, scr_error *error);

/** Stops claiming; workers checkpoint and end; their jobs go back to the queue. Waits at most `grace_seconds`, then kills. */
void lab_close(lab *self, double grace_seconds);

/** Makes lab_submit answer LAB_DRAINING and lab_ready false, stops claiming, and asks running workers to checkpoint and end (their jobs go
 *  back to the queue), without waiting: lab_count tells when none runs any more. lab_close is still to be called. */
void lab_drain(lab *self);

/** Whether lab_drain or lab_close was called: what takes long should not be begun any more. */
bool lab_draining(const lab *self);

/** Most requests of lab_check_scene, lab_template, lab_picture and lab_asset_preview under way that have taken longer than a second; a
 *  further one is
 *  LAB_FULL then. Callers that have a few threads more never keep a short request waiting. */
enum { LAB_LONG_REQUESTS = 6 };

/** Somebody who waits for an answer that may be long in coming. `gone` tells whether that has ended, and is asked ten times a second; NULL:
 *  never. */
typedef struct lab_caller {
  bool (*gone)(void *user);
  void *user;
} lab_caller;

/** What a sound scene is. Zero-initialised, emptied by lab_scene_facts_clear. */
typedef struct lab_scene_facts {
  char *effective;             /**< scr_scene_json */
  char *gaps;                  /**< scr_scene_gaps_json */
  char *name, *title, *method; /**< title: NULL where there is none */
  scr_estimate estimate;
  unsigned ranks;                /**< processes that share its run */
  char device[LAB_DEVICE_BYTES]; /**< what its run names: "cpu", "auto", "gpu:0" */
  bool on_ranks;                 /**< processes can share its runs */
  unsigned threads;              /**< of all ranks together, set by lab_check_place; 0: the lab's share */
  unsigned most_ranks;           /**< that there would be threads for, likewise; 0: processes can't share its runs */
  machine machine;               /**< what ranks gain, likewise; of a batch engine what is usual */
  scr_problems warnings;
  lab_digest *assets; /**< [asset_count] files it refers to */
  size_t asset_count;
} lab_scene_facts;

/** Checks a scene within the lab's limits and with its assets, in a process of its own (task/pool.h). @param caller NULL: nobody who could
 *  go
 *  @param problems filled on LAB_REFUSED
 *  @return LAB_OK, LAB_REFUSED, LAB_TOO_LARGE (it takes too long), LAB_FULL (too many that take long), LAB_DRAINING, LAB_FAILED */
lab_status lab_check_scene(lab *self, const char *text, size_t length, const lab_caller *caller, lab_scene_facts *facts,
                           scr_problems *problems, scr_error *error);
void lab_scene_facts_clear(lab_scene_facts *facts);

/** Checks whether an executor can give a sound scene the ranks and the device that it names. What this machine lacks refuses a job of this
 *  machine; one of a batch engine is only warned, as the engine's nodes may have it.
 *  @param name of the executor; NULL: the first    @param threads asked for, of each rank where there are several; 0: none are
 *  @param facts of lab_check_scene: `threads` is set, warnings are added    @param problems filled on LAB_REFUSED
 *  @return LAB_OK, LAB_REFUSED, LAB_BAD_REQUEST (there is no such executor) */
lab_status lab_check_place(lab *self, const char *name, unsigned threads, lab_scene_facts *facts, scr_problems *problems, scr_error *error);

/** Devices of this machine, as its workers see them. A process of its own looks for them, which takes some tenths of a second; what it
 * found is kept for a minute.
 *  @return SCR_OK; SCR_IO: that process hung or died, SCR_NO_MEMORY */
scr_status lab_devices(lab *self, device_list *list, scr_error *error);

/** A specimen's template: what scr_specimen_preview_json and scr_specimen_preview_shape give. */
typedef struct lab_preview {
  char *json;
  scr_preview_shape shape;
} lab_preview;

/** Makes a specimen's template in a process of its own.
 *  @param specimen NULL: the first    @param preview receives what is to be cleared; empty unless LAB_OK
 *  @return as lab_check_scene; LAB_BAD_REQUEST: the scene has no such template; the error says why */
lab_status lab_template(lab *self, const char *text, size_t length, const char *specimen, const lab_caller *caller, lab_preview *preview,
                        scr_problems *problems, scr_error *error);
void lab_preview_clear(lab_preview *preview);

/** run_opening (core/run/opening.h) in a process of its own, of at most TASK_PICTURE_LIMIT bytes (task/task.h).
 *  @param records receives [*size] bytes to be freed    @return as lab_check_scene; LAB_BAD_REQUEST: it is larger; the error says so */
lab_status lab_picture(lab *self, const char *text, size_t length, const lab_caller *caller, unsigned char **records, size_t *size,
                       scr_problems *problems, scr_error *error);

/** A job to be queued. All is borrowed. */
typedef struct lab_submission {
  const char *scene; /**< [scene_length] JSON */
  size_t scene_length;
  const char *request; /**< [request_length] what was sent, to compare a repeated request with; NULL: the scene */
  size_t request_length;
  const char *key;  /**< idempotency key, or NULL */
  const char *name; /**< NULL: the scene's */
  const char *tags; /**< JSON object of texts, or NULL */
  const char *user; /**< who submits it, as lab_change says; NULL: nobody says */
  int priority;
  unsigned threads;         /**< 0: the lab's share */
  const char *executor;     /**< name; NULL: the lab's first */
  executor_options options; /**< of a batch engine */
} lab_submission;

/** Queues a scene. The same key with the same request returns the first job (created=false).
 *  @param problems filled on LAB_REFUSED and LAB_BAD_REQUEST with the reasons, and on LAB_OK of a new job with the scene's warnings */
lab_status lab_submit(lab *self, const lab_submission *wanted, lab_job *job, bool *created, scr_problems *problems, scr_error *error);

/** Recordings in the data directory that the store knows no job for: how many have numbers above `after`, and which are the first of those.
 *  @param ids [capacity], in their order */
size_t lab_unclaimed(lab *self, int64_t after, int64_t *ids, size_t capacity);

/** Takes one of them in as a job with its old number: queued, until its worker has found what is recorded; one that has not ended goes on.
 *  @return LAB_OK, LAB_REFUSED (its scene can't run any more), LAB_CONFLICT (an asset is missing), LAB_FAILED, as lab_check_scene; the
 *  error says why */
lab_status lab_adopt(lab *self, int64_t id, lab_job *job, scr_error *error);

lab_status lab_get(lab *self, int64_t id, lab_job *job, scr_error *error);

/** A page of jobs. A page may be shorter than its capacity, even empty, while there are more: after a few thousand jobs looked at
 *  in vain it ends, so that no query keeps others waiting.
 *  @param jobs [capacity]   @param count receives how many   @param cursor receives where the next page begins, "" when there is none
 *  @return LAB_OK, LAB_BAD_REQUEST (the cursor is of another order or damaged), LAB_FAILED */
lab_status lab_list(lab *self, const lab_query *query, lab_job *jobs, size_t capacity, size_t *count, char cursor[LAB_CURSOR_BYTES],
                    scr_error *error);

/** @param problems filled on LAB_BAD_REQUEST    @param job receives the job as it now is
 *  @return LAB_OK, LAB_NOT_FOUND, LAB_BAD_REQUEST, LAB_FAILED */
lab_status lab_edit(lab *self, int64_t id, const lab_change *change, lab_job *job, scr_problems *problems, scr_error *error);

/** A job's newest attempts, oldest of them first. @param attempts [capacity]  @param count receives how many  */
lab_status lab_attempts(lab *self, int64_t id, lab_attempt *attempts, size_t capacity, size_t *count, scr_error *error);

/** Events after number `after`, oldest first. @param job 0: of all jobs  @param events [capacity]  @param more whether there are further
 *  ones
 *  @return LAB_OK, LAB_NOT_FOUND (`job` is none), LAB_FAILED */
lab_status lab_events(lab *self, int64_t job, int64_t after, lab_happening *events, size_t capacity, size_t *count, bool *more,
                      scr_error *error);

/** The effective scene of a job as JSON text to free(). */
lab_status lab_scene(lab *self, int64_t id, char **text, size_t *length, scr_error *error);

/** Asks a queued, paused or running job to end as cancelled; idempotent on a cancelled one. Returns the job as it now is. */
lab_status lab_cancel(lab *self, int64_t id, lab_job *job, scr_error *error);
/** Holds a queued or running job (a running one checkpoints first). */
lab_status lab_pause(lab *self, int64_t id, lab_job *job, scr_error *error);
/** Puts a paused job back in the queue. */
lab_status lab_resume(lab *self, int64_t id, lab_job *job, scr_error *error);
/** Deletes an ended job and its files, the files first: it works on a full disk. LAB_CONFLICT while it is not ended. */
lab_status lab_delete(lab *self, int64_t id, scr_error *error);

/** Whether a job is being deleted, or has been: what fails for it then fails for that reason. */
bool lab_deleting(lab *self, int64_t id);

/** Path of a file of a job ("recording.scree", "worker.log") into `path`. The file may not exist yet, nor its directory. */
lab_status lab_job_file(lab *self, int64_t id, const char *file, char *path, size_t capacity, scr_error *error);

enum { LAB_FILES_LIMIT = 10000 };

/** A file that a job's method made (core/sim/files.h). */
typedef struct lab_file {
  char name[96]; /**< "folder/file" */
  uint64_t bytes;
} lab_file;

/** The files that a job's method has made so far, by name; of more than LAB_FILES_LIMIT any so many. None before the first.
 *  @param files receives an array to free(), NULL where there is none    @return LAB_OK, LAB_NOT_FOUND (no such job), LAB_FAILED */
lab_status lab_files(lab *self, int64_t id, lab_file **files, size_t *count, scr_error *error);

/** Opens one of them for reading. It is whole, and stays what it is while it is open, also when the run makes it anew.
 *  @param fd receives a file to be closed by the caller    @return LAB_OK, LAB_NOT_FOUND (no such job or file), LAB_FAILED */
lab_status lab_open_file(lab *self, int64_t id, const char *folder, const char *name, int *fd, uint64_t *bytes, scr_error *error);

/** Makes the surface of a recorded frame (scr_export_surface) in a process of its own, with bounds on its memory, time and size. One at a
 *  time. Blocks for at most half a minute, or until the lab drains.
 *  @param frame number of the frame, from 0    @param fd receives an open file to be closed by the caller    @param size receives its bytes
 *  @return LAB_OK, LAB_NOT_FOUND, LAB_FULL (another one is being made), LAB_TOO_LARGE, LAB_DRAINING, LAB_FAILED */
lab_status lab_surface(lab *self, int64_t id, int64_t frame, scr_surface_format format, int *fd, uint64_t *size, scr_error *error);

/* ── assets: files that scenes refer to by "sha256:<digest>" ── */

/** A file being taken in. For one thread at a time. */
typedef struct lab_upload lab_upload;

/** Begins one. @return LAB_OK, LAB_FULL (too many at once, no room on the disk, or the quota is reached), LAB_DRAINING, LAB_FAILED */
lab_status lab_upload_begin(lab *self, lab_upload **out, scr_error *error);
/** Adds bytes. @return LAB_OK, LAB_TOO_LARGE (one file may not have so many), LAB_FULL, LAB_FAILED: drop it then */
lab_status lab_upload_add(lab_upload *upload, const void *bytes, size_t size, scr_error *error);
/** Ends it, whatever it returns: the asset is there, on the disk. The same bytes again give the asset that is there.
 *  @param name, media for people, cut to fit    @param created receives whether it was not there before
 *  @return LAB_OK, LAB_BAD_REQUEST (it is empty), LAB_FULL, LAB_FAILED */
lab_status lab_upload_end(lab_upload *upload, const char *name, const char *media, lab_asset *asset, bool *created, scr_error *error);
/** Ends it without an asset. NULL is fine. */
void lab_upload_drop(lab_upload *upload);

lab_status lab_asset_get(lab *self, const char *digest, lab_asset *asset, scr_error *error);
/** Opens its bytes for reading. @param fd receives a descriptor to be closed by the caller */
lab_status lab_asset_open(lab *self, const char *digest, int *fd, lab_asset *asset, scr_error *error);
/** scr_asset_preview of one, in a process of its own. @param triangles most of them    @param shown to be cleared
 *  @return LAB_OK, LAB_NOT_FOUND, LAB_BAD_REQUEST (it is nothing that can be shown; the error says why), LAB_TOO_LARGE, LAB_FULL,
 *  LAB_DRAINING, LAB_FAILED */
lab_status lab_asset_preview(lab *self, const char *digest, size_t triangles, const lab_caller *caller, lab_asset *asset,
                             scr_preview *shown, scr_error *error);
/** Assets in the order of their digests, those behind `after` ("": all). @param assets [capacity]  @param bytes receives those of all there
 *  are */
lab_status lab_assets(lab *self, const char *after, lab_asset *assets, size_t capacity, size_t *count, uint64_t *bytes, scr_error *error);
/** Jobs that need one, the first of them. @param jobs [capacity] */
lab_status lab_asset_jobs(lab *self, const char *digest, int64_t *jobs, size_t capacity, size_t *count, scr_error *error);
/** Removes one. @return LAB_OK, LAB_NOT_FOUND, LAB_CONFLICT (jobs need it; the error names some), LAB_FAILED */
lab_status lab_asset_delete(lab *self, const char *digest, scr_error *error);
/** Bytes that all together may take. */
uint64_t lab_asset_quota(const lab *self);

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
  size_t workers; /**< living worker processes */
  uint64_t disk_free_bytes;
  unsigned slots;
} lab_totals;
lab_status lab_count(lab *self, lab_totals *totals, scr_error *error);

const scr_limits *lab_limits(const lab *self);

/** Where jobs run. */
typedef struct lab_executor {
  char name[LAB_EXECUTOR_BYTES];
  unsigned slots; /**< jobs it may have at once */
  executor_report report;
} lab_executor;

/** Executors there are, from the first on. @return false: there is none of that number */
bool lab_show_executor(lab *self, size_t number, lab_executor *shown);

#endif
