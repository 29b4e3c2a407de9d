/** The supervisor: the thread that owns the workers. It claims queued jobs when a slot is free, starts workers, hears their heartbeats,
 *  passes on requests, ends leases, and is the only one to finish an attempt. */
#ifndef SCREE_SERVER_SUPERVISOR_H
#define SCREE_SERVER_SUPERVISOR_H

#include "server/data_directory.h"
#include "server/executor/executor.h"
#include "server/lab/lab.h"
#include "server/store/store.h"

typedef struct supervisor supervisor;

enum { SUPERVISOR_PLACE_LIMIT = 2 };

/** An executor and how many attempts it may have at once. */
typedef struct supervisor_place {
  executor *executor;
  unsigned slots;
} supervisor_place;

typedef struct supervisor_config {
  const data_directory *data; /**< borrowed, as all below */
  job_store *store;
  const char *worker_path;
  supervisor_place places[SUPERVISOR_PLACE_LIMIT]; /**< their executors run the attempts, and say how much all of theirs may take */
  size_t place_count;
  unsigned threads_per_job;
  bool threads_by_work; /**< a job that asks for none gets those that its steps are worth, up to threads_per_job */
  double reserve_bytes; /**< of the disk, the reserve's file included */
  double checkpoint_seconds, lease_seconds;
  event_log *log;              /**< NULL: none */
  void (*settled)(void *user); /**< an attempt was finished, or a job changed otherwise: as a listener; NULL: none */
  void *user;
} supervisor_config;

/** Takes up the attempts that an earlier lab left at a lasting executor: all jobs that still run in the store. */
scr_status supervisor_start(const supervisor_config *config, supervisor **out, scr_error *error);

/** Stops claiming and asks the workers to stop, without waiting. Any thread. */
void supervisor_drain(supervisor *self);

/** As supervisor_drain, waits until the last worker is gone, killing those left after `grace_seconds`, and ends the thread. */
void supervisor_stop(supervisor *self, double grace_seconds);

/* The rest: any thread, never waits for a worker. */

/** A job may have become claimable, or its state has changed: tells the listener and looks at the queue. */
void supervisor_notice(supervisor *self, int64_t id, lab_event event);
/** Passes a request on to the worker of that attempt, if it is still there. JOB_RESUME needs nothing. */
void supervisor_request(supervisor *self, int64_t id, int64_t token, job_request request);
/** Living worker processes. */
size_t supervisor_workers(supervisor *self);
/** Whether no job is started because too little of the disk is free. */
bool supervisor_disk_is_low(supervisor *self);
/** Fills in the newest progress of a running job; false when it has no worker. */
bool supervisor_progress(supervisor *self, int64_t id, lab_job *job);
void supervisor_listen(supervisor *self, void (*listener)(void *user, int64_t id, lab_event event), void *user);

#endif
