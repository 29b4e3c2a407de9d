/** What scree-worker and the lab say to each other, and how a worker's exit code reads.
 *
 *  The worker's descriptor 3 is one end of a SOCK_SEQPACKET pair: each message arrives whole or not at all. Both programs come from
 *  one build, but an old worker may meet a new daemon's files, so messages carry a version and a receiver ignores others.
 *  End of file on the socket means that the other side is gone: a worker then saves a checkpoint and ends. */
#ifndef SCREE_SERVER_CONTROL_H
#define SCREE_SERVER_CONTROL_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "scree.h"

enum { CONTROL_VERSION = 2, CONTROL_FD = 3, CONTROL_TEXT_BYTES = 640 };

typedef enum control_kind {
  CONTROL_HEARTBEAT = 1, /**< worker to lab: the stepping loop got this far. Sent from that loop alone, so a hung solver goes silent */
  CONTROL_ALIVE = 3,     /**< worker to lab: building, or inside a long step; only that something goes on. Sent from that work itself */
  CONTROL_RESULT = 2,    /**< worker to lab, last message: `status` and `text` say how the run ended, `step` how far it had got */
  CONTROL_STOP = 16,     /**< lab to worker: save a checkpoint and end */
  CONTROL_CANCEL = 17    /**< lab to worker: close the recording as cancelled and end */
} control_kind;

/** The one message, fixed size. Fields that a kind does not use are zero. */
typedef struct control_message {
  uint32_t version; /**< CONTROL_VERSION */
  uint32_t kind;    /**< control_kind */
  uint64_t step, step_count;
  double sim_time, duration; /**< s */
  double run_seconds, steps_per_second, time_per_second;
  uint64_t last_seq;       /**< newest whole record of the recording */
  uint32_t status;         /**< CONTROL_RESULT: scr_status of the run */
  uint32_t headline_count; /**< CONTROL_HEARTBEAT */
  scr_headline headlines[SCR_HEADLINE_LIMIT];
  char stage[96];                /**< CONTROL_HEARTBEAT: label of the stage the run is in; "": none */
  char text[CONTROL_TEXT_BYTES]; /**< CONTROL_RESULT: the error's message, "" when there is none */
} control_message;

static_assert(offsetof(control_message, status) == 72, "layout between processes");
static_assert(sizeof(control_message) == 80 + SCR_HEADLINE_LIMIT * sizeof(scr_headline) + 96 + CONTROL_TEXT_BYTES,
              "layout between processes");

/** Exit codes of scree-worker. Deaths by a signal and all other codes count as a crash. */
typedef enum worker_exit_code {
  WORKER_SUCCEEDED = 0, /**< the recording ends with verdict "succeeded" */
  WORKER_FAILED = 1,    /**< the recording ends with verdict "failed": the run diverged */
  WORKER_BAD_USAGE = 2, /**< options it does not understand */
  WORKER_BAD_INPUT = 3, /**< scene, checkpoint or recording is damaged or does not fit: trying again is no use */
  WORKER_IO = 4,        /**< a file operation failed */
  WORKER_CANCELLED = 5, /**< the recording ends with verdict "cancelled" */
  WORKER_STOPPED = 6,   /**< checkpoint saved; another attempt goes on from it */
  WORKER_BUSY = 7,      /**< another process holds the job directory */
  WORKER_NO_MEMORY = 8, /**< an allocation failed */
  WORKER_DISK_FULL = 9, /**< the disk or a quota is full */
  WORKER_LIMIT = 10     /**< a file grew beyond the limit set for it */
} worker_exit_code;

/** The exit code that says `status`. */
static inline int worker_exit_code_of(scr_status status)
{
  switch (status) {
  case SCR_OK: return WORKER_SUCCEEDED;
  case SCR_DIVERGED: return WORKER_FAILED;
  case SCR_BAD_USAGE: return WORKER_BAD_USAGE;
  case SCR_BAD_SCENE:
  case SCR_BAD_FILE:
  case SCR_MISMATCH: return WORKER_BAD_INPUT;
  case SCR_IO: return WORKER_IO;
  case SCR_CANCELLED: return WORKER_CANCELLED;
  case SCR_STOPPED: return WORKER_STOPPED;
  case SCR_BUSY: return WORKER_BUSY;
  case SCR_NO_MEMORY: return WORKER_NO_MEMORY;
  }
  return WORKER_BAD_USAGE;
}

#endif
