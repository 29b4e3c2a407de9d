/** One scree-worker as an operating system process: starting, signalling, reaping. All but worker_spawn and worker_prepare_log is used by
 * the local executor alone. */
#ifndef SCREE_SERVER_WORKER_PROCESS_H
#define SCREE_SERVER_WORKER_PROCESS_H

#include <spawn.h>
#include <sys/types.h>

#include "server/executor/executor.h"

typedef struct worker_process {
  pid_t pid;   /**< also its process group; stays ours until reaped, so it can't be reused meanwhile */
  int pidfd;   /**< readable when it has ended */
  int control; /**< our end of the control socket, non-blocking */
} worker_process;

/** Starts a program with these arguments (NULL-terminated, the first its path) and descriptors, an environment made from a short list,
 *  default signals and a process group of its own. @return 0 or an errno */
int worker_spawn(const char *const *arguments, unsigned threads, const posix_spawn_file_actions_t *actions, pid_t *pid);

/** Makes sure that worker.log in a job's directory, where there is one, is a file of its own, and not too long. */
scr_status worker_prepare_log(const char *directory, scr_error *error);

/** Starts a worker with stdin from /dev/null, stdout and stderr appended to worker.log, the control socket as descriptor 3, no other
 *  descriptor, an environment made from a short list, and a process group of its own.
 *  @return SCR_OK; SCR_BAD_USAGE: there is no such program, or it can't be executed; SCR_IO, SCR_NO_MEMORY: try later */
scr_status worker_start(const worker_request *request, worker_process *process, scr_error *error);

/** Sends a message without waiting. False when the worker is gone or its queue is full. */
bool worker_send(const worker_process *process, control_kind kind);

/** Takes the next message, if one is there. Texts are terminated, numbers finite. */
bool worker_receive(const worker_process *process, control_message *message);

/** Signals the worker and all below it. */
void worker_signal(const worker_process *process, int signal);

/** Whether it has ended. Its last messages can still be heard. */
bool worker_has_ended(const worker_process *process);

/** Waits for its end, which is near, kills what is left of its group and reaps it. Its messages can still be heard. */
void worker_reap(worker_process *process, worker_exit *ended);

/** Closes the control socket of one that is reaped. */
void worker_hang_up(worker_process *process);

/** Kills `pid` if it is a worker on `directory` (a process of that id that is something else is left alone). */
bool worker_kill_orphan(pid_t pid, const char *directory);

#endif
