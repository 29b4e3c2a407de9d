/** Inside the Slurm executor. Included by files of this folder only.
 *
 *  Two threads: the supervisor's calls the functions of executor.h and never waits; the engine's runs Slurm's programs and reads and writes
 *  the jobs' files. They share what stands under `mutex`, held for copying only. Runs are freed by the engine's thread alone. */
#ifndef SCREE_SERVER_SLURM_INTERNAL_H
#define SCREE_SERVER_SLURM_INTERNAL_H

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>

#include "server/executor/slurm/command.h"
#include "server/executor/slurm/slurm.h"
#include "server/executor/slurm/slurm_text.h"
#include "server/worker/control_file.h"

typedef enum slurm_stage {
  STAGE_UNSENT, /**< sbatch has not been run for it, or Slurm is known not to have taken it */
  STAGE_UNSURE, /**< Slurm may have it: its queue tells */
  STAGE_SENT    /**< Slurm had it */
} slurm_stage;

enum { SEND_TOGETHER = 16, CANCEL_TOGETHER = 64, RECENT_LIMIT = 256 };

typedef struct slurm_executor slurm_executor;

typedef struct slurm_run {
  executor_run run; /**< first: the two are one object */
  slurm_executor *owner;
  struct slurm_run *next;

  /* Constant. */
  slurm_name name;
  worker_request request; /**< texts are its own */
  int64_t born;           /**< monotonic, ms */
  bool adopted;

  /* Guarded by owner->mutex. */
  bool has_message, terminate, kill, closed;
  executor_state state;
  uint32_t wanted; /**< order for its worker: 0, CONTROL_STOP, CONTROL_CANCEL */
  control_message message;

  /* The engine's thread alone. */
  slurm_stage stage;
  uint32_t order; /**< as written */
  bool ended, order_written, terminated, sign_seen;
  bool seen;                      /**< in the newest look */
  bool locks_hold, locks_refused; /**< found so; found not to, and its job is still to be cancelled */
  int64_t id;                     /**< Slurm's number; 0: not known */
  slurm_entry entry;              /**< as of the newest look at the queue that found it; state "": none did */
  int64_t over_at;                /**< when the queue said that it is over, monotonic; 0: it did not */
  uint64_t unsure_round;          /**< rounds of the queue there had been when it was sent, or began to be unsure */
  int64_t missing_since;          /**< since when the queue does not have it, monotonic; 0: it has */
  int64_t send_at;                /**< not before, monotonic */
  int64_t kill_at;                /**< not before, monotonic */
  control_sign sign;
  int64_t sign_at, look_at; /**< when it changed; when to read it next; monotonic */
  uint64_t unlocked_sign;   /**< number of the sign at which the directory's lock was found free; 0: it never was */
} slurm_run;

/** An attempt closed not long ago: what Slurm's queue still shows of it is no orphan. */
typedef struct recent_end {
  int64_t token, at;
} recent_end;

struct slurm_executor {
  executor calls; /**< first: the two are one object */
  slurm_config config;
  char data[PATH_MAX], lab[SLURM_LAB_DIGITS + 1], script[PATH_MAX];
  char sbatch[PATH_MAX], squeue[PATH_MAX], scancel[PATH_MAX], sinfo[PATH_MAX];
  pthread_t thread;
  bool threaded;
  atomic_bool stop;

  pthread_mutex_t mutex;
  pthread_cond_t wake;
  slurm_run *runs; /**< list, newest first; engine's thread: `next` of those it has seen is constant but for its own removals */
  bool all_adopted;
  executor_report report; /**< without the counts */

  /* The engine's thread alone. */
  command_waiter waiter; /**< keeps an eye on workers while a program of Slurm runs */
  uint64_t round;        /**< of looks at the queue that succeeded */
  int64_t queue_at, partitions_at, away_since, watch_at;
  recent_end recent[RECENT_LIMIT];
  size_t recent_next;
};

/** How often the workers' files are looked at, ms. */
static inline int slurm_cycle_ms(const slurm_config *config)
{
  const int most = 500;
  return config->poll_seconds * 1000 < most ? (int)(config->poll_seconds * 1000) : most;
}

/* ── slurm_engine.c ── */
void *slurm_engine_main(void *argument);

/* ── slurm_state.c: what both threads see ── */
void slurm_free_run(slurm_run *run);
void slurm_set_state(slurm_run *run, executor_phase phase, const char *reason);
/** Ends a run; the supervisor learns of it by `poll`. */
void slurm_set_ended(slurm_run *run, const worker_exit *how);
/** What was asked of the run, copied. */
typedef struct slurm_requests {
  uint32_t order;
  bool terminate, kill, closed;
} slurm_requests;
slurm_requests slurm_requests_of(slurm_run *run);
/** Whether Slurm answers, for the report, and a line of the log when that changes. */
void slurm_note_answer(slurm_executor *self, bool answers, const char *reason);

/* ── slurm_send.c ── */
/** Runs sbatch for a run that is unsent, unless it is not wanted any more. @return false when Slurm takes none at present */
bool slurm_send(slurm_executor *self, slurm_run *run, int64_t now);
/** A job at Slurm. By number and name: a controller that lost its state gives numbers again. */
typedef struct slurm_target {
  int64_t id;
  slurm_name name;
} slurm_target;
/** scancel of a job. @param batch_signal NULL: ends it; else the signal that its worker gets */
void slurm_cancel(slurm_executor *self, const slurm_target *target, const char *batch_signal);

/* ── slurm_watch.c ── */
/** Reads the worker's sign. */
void slurm_read_sign(slurm_run *run, int64_t now);
/** Ends the run when its sign or the queue says that it is over; else shows where it is. */
void slurm_update_run(slurm_run *run, int64_t now);

/* ── slurm_queue.c ── */
void slurm_poll_queue(slurm_executor *self, int64_t now);
void slurm_poll_partitions(slurm_executor *self);

#endif
