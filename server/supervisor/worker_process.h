/** One scree-worker as an operating system process: starting, signalling, reaping. All but worker_spawn is used by the supervisor's thread alone. */
#ifndef SCREE_SERVER_WORKER_PROCESS_H
#define SCREE_SERVER_WORKER_PROCESS_H

#include <spawn.h>
#include <sys/types.h>

#include "base/error.h"
#include "server/worker/control.h"

typedef struct worker_request {
  const char *worker_path; /**< absolute */
  const char *directory;   /**< the job's, absolute */
  unsigned threads;
  double checkpoint_seconds;
  uint64_t memory_limit; /**< bytes of address space, 0: none */
  uint64_t file_limit;   /**< bytes of a file, 0: none */
  uint64_t cpu_limit;    /**< seconds of processor time, 0: none */
  const char *assets;      /**< directory of assets; NULL: the scene refers to none */
  const char *asset_names; /**< those it refers to, with commas between them; it can read no others */
} worker_request;

typedef struct worker_process {
  pid_t pid;   /**< also its process group; stays ours until reaped, so it can't be reused meanwhile */
  int pidfd;   /**< readable when it has ended */
  int control; /**< our end of the control socket, non-blocking */
} worker_process;

/** How a worker ended. */
typedef struct worker_exit {
  bool by_signal;
  int code;             /**< exit code, or signal number */
  uint64_t peak_memory; /**< bytes, largest resident set */
  double cpu_seconds;   /**< of the processors, user's and system's */
} worker_exit;

/** Starts a program with these arguments (NULL-terminated, the first its path) and descriptors, an environment made from a short list, default signals
 *  and a process group of its own. @return 0 or an errno */
int worker_spawn(const char *const *arguments, unsigned threads, const posix_spawn_file_actions_t *actions, pid_t *pid);

/** Starts a worker with stdin from /dev/null, stdout and stderr appended to worker.log, the control socket as descriptor 3, no other
 *  descriptor, an environment made from a short list, and a process group of its own.
 *  @return SCR_OK; SCR_BAD_USAGE: there is no such program, or it can't be executed; SCR_IO, SCR_NO_MEMORY: try later */
scr_status worker_start(const worker_request *request, worker_process *process, scr_error *error);

/** Sends a message without waiting. False when the worker is gone or its queue is full. */
bool worker_tell(const worker_process *process, control_kind kind);

/** Takes the next message, if one is there. Texts are terminated, numbers finite. */
bool worker_hear(const worker_process *process, control_message *message);

/** Signals the worker and all below it. */
void worker_signal(const worker_process *process, int signal);

/** Whether it has ended. Its last messages can still be heard. */
bool worker_has_ended(const worker_process *process);

/** Of one that has ended: kills what is left of its group, reaps it and closes the descriptors. */
void worker_reap(worker_process *process, worker_exit *ended);

/** Kills `pid` if it is a worker on `directory` (a process of that id that is something else is left alone). */
bool worker_kill_stray(pid_t pid, const char *directory);

#endif
