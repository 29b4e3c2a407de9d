/** One task process: starting it, sending it a request and taking its answer a piece at a time, ending it. One thread at a time. */
#ifndef SCREE_SERVER_TASK_PROCESS_H
#define SCREE_SERVER_TASK_PROCESS_H

#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "server/task/parcel.h"
#include "server/task/task.h"

typedef struct task_process {
  pid_t pid;  /**< also its process group; 0: there is none */
  int pidfd;  /**< tells who it is, also when it has ended */
  int socket; /**< our end, non-blocking */
} task_process;

/** Starts one. @param assets directory of assets: all that it can read */
scr_status task_process_start(const char *worker_path, const char *assets, task_process *process, scr_error *error);

/** Kills it, if it is there, and reaps it. @return the signal that ended it, or 0 where it had ended by itself */
int task_process_end(task_process *process);

/** Stops it, lets it go on, or makes it less urgent for the rest of its life. */
void task_process_stop(const task_process *process);
void task_process_go_on(const task_process *process);
void task_process_yield(const task_process *process);

/** Processor time that it has taken since it was started, ms; 0 where that can't be known any more. */
int64_t task_process_used_ms(const task_process *process);

/** A request on its way out, then its answer on its way in. */
typedef struct task_exchange {
  task_head head;        /**< of the request; then of the answer */
  const parcel *request; /**< borrowed */
  size_t sent;           /**< bytes, those of the head included */
  unsigned char *bytes;  /**< [head.size] of the answer, so far `got - sizeof head`; to be freed */
  size_t got;
} task_exchange;

typedef enum task_progress { TASK_GOING_ON, TASK_COMPLETE, TASK_BROKEN /**< it has died, or says nonsense */ } task_progress;

/** Sends and takes what is possible, after waiting so long for something to be possible. */
task_progress task_exchange_step(const task_process *process, task_exchange *x, int wait_ms);

#endif
