/** Inside the supervisor: its state, and the life of one worker. Included by files of this folder only. */
#ifndef SCREE_SERVER_SUPERVISOR_INTERNAL_H
#define SCREE_SERVER_SUPERVISOR_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "server/supervisor/supervisor.h"
#include "server/supervisor/verdict.h"

/** Rates and patience, milliseconds. */
enum {
  PERSIST_MS = 5000,      /**< between writes of a job's progress to the store */
  JOB_EVENT_MS = 200,     /**< between LAB_EVENT_JOB for progress */
  OBEY_LIMIT_MS = 10000,  /**< a worker has this long, or a lease if that is shorter, to obey before it is told more firmly */
  FINISH_RETRY_MS = 1000, /**< the store could not take a verdict: try again */
  CLAIM_HOLD_MS = 2000,   /**< a worker could not be started: look at the queue again after */
  DISK_LOOK_MS = 1000,    /**< between looks at the room on the disk */
  IDLE_MS = 60000
};

/** How firmly a worker has been told to end. */
typedef enum firmness { FIRM_NOT_ASKED, FIRM_MESSAGE, FIRM_SIGTERM, FIRM_SIGKILL } firmness;

/** One running attempt. Owned by the supervisor's thread. Times are monotonic. */
typedef struct worker_slot {
  executor *where; /**< constant: the executor whose slot it is */
  bool used;
  bool gone;      /**< the process is reaped; the verdict still has to get into the store */
  bool unstarted; /**< its worker could not be started; `text` says why */
  int64_t id, token;
  int attempt;         /**< its number, this one counted */
  executor_run *run;   /**< NULL: it was not started, or is closed */
  uint64_t first_step; /**< of the run, when the attempt began */
  worker_exit ended;
  firmness firmness;
  bool cancelling; /**< CONTROL_CANCEL has been sent */
  bool silent;     /**< killed because the lease ran out */
  bool for_disk;   /**< asked to end because the disk is nearly full */
  unsigned threads;
  double memory, need_bytes;    /**< estimated; need_bytes of the disk, from when it was started */
  uint64_t bytes_before;        /**< of its directory, when it was started */
  double file_limit, cpu_limit; /**< bytes, s; 0: none */
  bool has_result;
  bool progress_changed, unsaved;
  int64_t lease_until, escalate_at, announce_at, persist_at, finish_at, poll_at;
  uint64_t announced_seq;
  lab_job live; /**< progress as last heard */
  char text[CONTROL_TEXT_BYTES];
} worker_slot;

/** A worker that is gone and what is made of it. */
typedef struct slot_finish {
  worker_slot *slot;
  attempt_outcome outcome;
  char directory[DATA_PATH_BYTES + 64], message[768];
} slot_finish;

enum { FINISH_TOGETHER = 16 /**< attempts finished in one commit, at most */ };

typedef struct supervisor_note {
  int64_t id, token; /**< token: of the attempt that a request is for */
  bool is_request;
  lab_event event;     /**< when it is none */
  job_request request; /**< when it is one */
} supervisor_note;

typedef struct live_progress {
  int64_t id; /**< 0: none */
  lab_job job;
} live_progress;

struct supervisor {
  supervisor_config config; /* constant */
  int epoll, wake;          /* constant */
  pthread_t thread;

  /* Owned by the supervisor's thread. */
  worker_slot *slots;        /* [slot_count] those of each place together */
  unsigned slot_count;       /* constant */
  int64_t opened_at;         /* monotonic */
  int64_t look_at;           /* when to look at the queue next, monotonic; 0: at once */
  int64_t disk_look_at;      /* when to look at the disk next, monotonic */
  bool disk_waits;           /* jobs may be waiting for the disk */
  int64_t gone_since;        /* since when no worker lives while ending, monotonic; 0: one does */
  store_claim *claims;       /* [slot_count] */
  slot_finish *finishes;     /* [FINISH_TOGETHER] */
  store_finishing *finished; /* [FINISH_TOGETHER] */
  supervisor_note *taken;
  size_t taken_capacity;

  atomic_size_t workers; /* living */
  atomic_bool disk_low;

  /* Guarded by `mutex`, which is held for copying only. */
  pthread_mutex_t mutex;
  supervisor_note *notes;
  size_t note_count, note_capacity;
  live_progress *live; /* [slot_count] */
  bool draining, ending;
  int64_t kill_at; /* when ending: workers still there are killed then */

  /* Held while the listener runs, so that taking it away waits for it. */
  pthread_mutex_t listener_mutex;
  void (*listener)(void *user, int64_t id, lab_event event);
  void *listener_user;
};

/* ── supervisor_worker.c: the life of one worker; supervisor's thread only ── */

/** Starts the worker of a claimed job in a free slot. False: it could not be started, and the slot holds the
 *  attempt until it is finished as ATTEMPT_BLOCKED. */
bool slot_start(supervisor *self, worker_slot *slot, const store_claim *claim);
/** Takes up an attempt that an earlier lab left at a lasting executor. Before the supervisor's thread is there. */
scr_status slot_adopt(supervisor *self, worker_slot *slot, const store_orphan *orphan, scr_error *error);
/** Leaves an attempt to its lasting executor: the next lab adopts it. */
void slot_leave(supervisor *self, worker_slot *slot);
/** Reads its messages, notices its end, keeps its deadlines; slots_finish does the rest. */
void slot_serve(supervisor *self, worker_slot *slot, int64_t now);
/** Finishes the attempts of all slots whose workers are gone and whose time for it has come; their slots are free then. */
void slots_finish(supervisor *self, int64_t now);
/** Bytes that it is expected to write still. */
double slot_need(const supervisor *self, const worker_slot *slot);
/** Asks it to save a checkpoint and end, or to end as cancelled. */
void slot_request_end(supervisor *self, worker_slot *slot, bool cancel, int64_t now);
void slot_kill(worker_slot *slot);
/** The earliest time at which slot_serve has something to do of its own. */
int64_t slot_deadline(const worker_slot *slot);

/* ── supervisor.c ── */
void supervisor_report(supervisor *self, int64_t id, lab_event event);
/** Publishes a slot's progress for supervisor_progress; an unused slot's is taken away. */
void supervisor_publish(supervisor *self, const worker_slot *slot);

#endif
