/** Where attempts of jobs run. The supervisor decides when one starts and when it ends; an executor knows how: as a process of this machine
 *  (local.h), or through a batch engine that has a queue, nodes and a clock of its own (slurm/slurm.h).
 *
 *  What the supervisor relies on, whichever executor it has:
 *
 *  An attempt is named by a handle, a text that outlives this program: the store keeps it, and a later executor finds by it what an earlier
 *  one left running.
 *
 *  `poll` tells apart what waits (with the engine's reason), runs, has ended, and is not known because the engine does not answer. Only
 * what has ended is finished; the recording in the job's directory, not the exit code, says how.
 *
 *  Messages (server/worker/control.h) that were sent before the end can be heard after it, until `close`.
 *
 *  `capacity` is asked before every claim: nodes come and go.
 *
 *  All functions are called by the supervisor's thread alone, or before it is there, where nothing else is said, and never wait, `close`
 * and `destroy` excepted. */
#ifndef SCREE_SERVER_EXECUTOR_H
#define SCREE_SERVER_EXECUTOR_H

#include "base/error.h"
#include "server/job.h"
#include "server/worker/control.h"

enum { EXECUTOR_HANDLE_BYTES = 96, EXECUTOR_REASON_BYTES = 96, EXECUTOR_DESCRIPTORS = 2, EXECUTOR_WHY_BYTES = 320 };

/** One attempt to be run. All is borrowed for the call. */
typedef struct worker_request {
  const char *worker_path; /**< absolute */
  const char *directory;   /**< the job's, absolute */
  unsigned threads;
  double checkpoint_seconds;
  uint64_t memory_limit;   /**< bytes of address space, 0: none */
  uint64_t file_limit;     /**< bytes of a file, 0: none */
  uint64_t cpu_limit;      /**< seconds of processor time, 0: none */
  const char *assets;      /**< directory of assets; NULL: the scene refers to none */
  const char *asset_names; /**< those it refers to, with commas between them; it can read no others */
  int64_t job, token;      /**< its job's number, and its own among all attempts */
  double memory_bytes;     /**< estimated need; NaN: not known */
  executor_options options;
} worker_request;

/** Who ended a worker, as far as its executor knows. */
typedef enum executor_cause {
  EXECUTOR_ITSELF,      /**< it, or whoever was to by `signal`: the exit code tells */
  EXECUTOR_DIED,        /**< it, in a way that its engine tells in `why` */
  EXECUTOR_REFUSED,     /**< the engine does not take it, and would not another time; `why` */
  EXECUTOR_CANCELLED,   /**< somebody cancelled it at the engine */
  EXECUTOR_INTERRUPTED, /**< the engine: a time limit, a preemption, a node that failed; `why` */
  EXECUTOR_LOST,        /**< nobody knows of it any more, and it never gave a sign of life */
} executor_cause;

/** How a worker ended. */
typedef struct worker_exit {
  bool by_signal;
  int code;             /**< exit code, or signal number */
  uint64_t peak_memory; /**< bytes, largest resident set; 0: not known */
  double cpu_seconds;   /**< of the processors, user's and system's; 0: not known */
  executor_cause cause;
  char why[EXECUTOR_WHY_BYTES]; /**< for people, one line; "" when there is nothing to add */
} worker_exit;

typedef enum executor_phase {
  EXECUTOR_QUEUED, /**< it waits for its turn at the engine */
  EXECUTOR_RUNNING,
  EXECUTOR_ENDED,
  EXECUTOR_UNKNOWN, /**< the engine does not answer: neither running nor ended, asked again later */
} executor_phase;

typedef struct executor_state {
  executor_phase phase;
  char reason[EXECUTOR_REASON_BYTES]; /**< queued, unknown: why, in a few words for people; else "" */
  worker_exit ended;                  /**< when it has ended */
} executor_state;

/** How a running attempt is told to end, from the kindest on. */
typedef enum executor_signal {
  EXECUTOR_STOP,      /**< a message: save a checkpoint and end */
  EXECUTOR_CANCEL,    /**< a message: end as cancelled */
  EXECUTOR_TERMINATE, /**< SIGTERM to all of its processes */
  EXECUTOR_KILL,      /**< SIGKILL to all of its processes, or its removal from the engine's queue */
} executor_signal;

/** What all executors' runs begin with. */
typedef struct executor_run {
  char handle[EXECUTOR_HANDLE_BYTES];    /**< outlives this program */
  int64_t pid;                           /**< of its process on this machine; 0: none is known */
  int descriptors[EXECUTOR_DESCRIPTORS]; /**< readable when there is news, to be watched; -1: none */
} executor_run;

/** What there is at most for all attempts together. */
typedef struct executor_capacity {
  unsigned threads;
  double memory_bytes;
} executor_capacity;

enum { EXECUTOR_PARTITION_LIMIT = 32, EXECUTOR_WAITING_LIMIT = 32 };

/** A part of an engine's machines that jobs can be sent to. */
typedef struct executor_partition {
  char name[64];
  bool is_default, up;
  unsigned nodes, idle_processors, processors;
  double memory_bytes; /**< of a node, the smallest */
  double time_limit;   /**< s; 0: none */
} executor_partition;

/** An attempt that waits at an engine. */
typedef struct executor_waiting {
  int64_t job;
  char reason[EXECUTOR_REASON_BYTES];
  bool for_ever; /**< nothing but a change of the job or of the engine will let it run */
} executor_waiting;

/** What people may know of an executor. */
typedef struct executor_report {
  bool available;                  /**< it answers */
  char reason[EXECUTOR_WHY_BYTES]; /**< not available: why, and what to do */
  bool is_engine;                  /**< a batch engine, which looks after memory and has a queue of its own */
  char engine[64];                 /**< its name and version; "": not known */
  size_t queued, running;          /**< attempts */
  executor_capacity capacity;
  size_t partition_count;
  executor_partition partitions[EXECUTOR_PARTITION_LIMIT];
  size_t waiting_count; /**< of those told of here; `queued` counts all */
  executor_waiting waiting[EXECUTOR_WAITING_LIMIT];
} executor_report;

typedef struct executor executor;

/** The functions; an implementation's own state follows. */
struct executor {
  const char *name; /**< first word of its handles */
  int poll_ms;      /**< how often a run without news is to be polled; 0: its descriptors tell all */
  bool lasting;     /**< runs go on when this program ends; the next one takes them up by `adopt` */

  /** Starts an attempt. @param run receives it, until `close`
   *  @return SCR_OK; SCR_BAD_USAGE: it can't be started before something is put right; SCR_IO, SCR_NO_MEMORY: try later */
  scr_status (*start)(executor *self, const worker_request *request, executor_run **run, scr_error *error);
  void (*poll)(executor_run *run, executor_state *state);
  /** Takes the next message, if one is there. Texts are terminated, numbers finite. */
  bool (*receive)(executor_run *run, control_message *message);
  void (*signal)(executor_run *run, executor_signal signal);
  /** Kills what an executor of an earlier program left running under that handle on that directory, and nothing else. @return whether there
   *  was something */
  bool (*cancel)(executor *self, const char *handle, const char *directory);
  /** Takes up the run that an earlier program started, or meant to start, by that request: it is polled as one of its own. What is sent at
   *  most is what was sent then; when nothing was, it ends as EXECUTOR_LOST. NULL where `lasting` is false. */
  scr_status (*adopt)(executor *self, const worker_request *request, executor_run **run, scr_error *error);
  /** All that earlier programs left has been adopted: what else of theirs is found is ended. NULL where `lasting` is false. */
  void (*adopted)(executor *self);
  /** Whether a job may have these options. @param problem [capacity] receives which may not, and what may. Any thread; NULL: none may */
  bool (*check)(const executor *self, const executor_options *options, char *problem, size_t capacity);
  /** Any thread. */
  void (*report)(executor *self, executor_report *report);
  /** Frees a run that has ended; one of a lasting executor that has not goes on without being watched. */
  void (*close)(executor_run *run);
  executor_capacity (*capacity)(executor *self);
  void (*destroy)(executor *self);
};

#endif
