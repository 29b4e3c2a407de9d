/* Task processes. They get no descriptor but their socket, and nothing of the daemon's environment that they have no use for
 * (worker_spawn). */
#include "server/task/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "server/executor/worker_process.h"
#include "server/worker/control.h"

enum { less_urgent = 4 }; /* still before jobs, which are five steps nicer than the daemon */

static const char memory_limit[] = "2147483648"; /* bytes of address space */

static int fill_actions(posix_spawn_file_actions_t *actions, int socket)
{
  int code = posix_spawn_file_actions_adddup2(actions, socket, CONTROL_FD);
  if (code == 0) code = posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  if (code == 0) code = posix_spawn_file_actions_addopen(actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  if (code == 0) code = posix_spawn_file_actions_addopen(actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  if (code == 0) code = posix_spawn_file_actions_addclosefrom_np(actions, CONTROL_FD + 1);
  return code;
}

static int spawn(const char *worker_path, const char *assets, int socket, pid_t *pid)
{
  const char *arguments[] = {worker_path, "--tasks", assets, "--memory-limit", memory_limit, NULL};
  posix_spawn_file_actions_t actions;
  int code = posix_spawn_file_actions_init(&actions);
  if (code != 0) return code;
  code = fill_actions(&actions, socket);
  if (code == 0) code = worker_spawn(arguments, 1, &actions, pid);
  posix_spawn_file_actions_destroy(&actions);
  return code;
}

scr_status task_process_start(const char *worker_path, const char *assets, task_process *process, scr_error *error)
{
  int pair[2];
  *process = (task_process){.pidfd = -1, .socket = -1};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
    return scr_fail_io(error, "make", "a socket for a task process", errno);
  pid_t pid = 0;
  int code = spawn(worker_path, assets, pair[1], &pid);
  close(pair[1]);
  if (code == 0 && fcntl(pair[0], F_SETFL, O_NONBLOCK) != 0) code = errno;
  int pidfd = pid > 0 ? pidfd_open(pid, 0) : -1;
  if (code == 0 && pidfd < 0) code = errno;
  if (code == 0) {
    *process = (task_process){.pid = pid, .pidfd = pidfd, .socket = pair[0]};
    return SCR_OK;
  }
  close(pair[0]);
  if (pidfd >= 0) close(pidfd);
  if (pid > 0) {
    kill(-pid, SIGKILL);
    waitpid(pid, NULL, 0);
  }
  return scr_fail_io(error, "start the worker program", worker_path, code);
}

int task_process_end(task_process *process)
{
  siginfo_t ended = {0};
  if (process->pid <= 0) return 0;
  kill(-process->pid, SIGKILL); /* while it, or its zombie, keeps the group's number ours */
  while (waitid(P_PIDFD, (id_t)process->pidfd, &ended, WEXITED) != 0 && errno == EINTR) continue;
  close(process->pidfd);
  close(process->socket);
  *process = (task_process){.pidfd = -1, .socket = -1};
  return ended.si_code == CLD_EXITED ? 0 : ended.si_status;
}

int64_t task_process_used_ms(const task_process *process)
{
  clockid_t clock;
  struct timespec used;
  if (process->pid <= 0 || clock_getcpuclockid(process->pid, &clock) != 0 || clock_gettime(clock, &used) != 0) return 0;
  return (int64_t)used.tv_sec * 1000 + used.tv_nsec / 1000000;
}

void task_process_stop(const task_process *process)
{
  kill(-process->pid, SIGSTOP);
}

void task_process_go_on(const task_process *process)
{
  kill(-process->pid, SIGCONT);
}

void task_process_yield(const task_process *process)
{
  setpriority(PRIO_PGRP, (id_t)process->pid, less_urgent);
}

/* ── the conversation ── */

static size_t to_send(const task_exchange *x)
{
  return sizeof x->head + x->request->size - x->sent;
}

static task_progress send_some(const task_process *process, task_exchange *x)
{
  while (to_send(x) > 0) {
    bool in_head = x->sent < sizeof x->head;
    const char *from = in_head ? (const char *)&x->head + x->sent : (const char *)x->request->bytes + (x->sent - sizeof x->head);
    size_t size = in_head ? sizeof x->head - x->sent : to_send(x);
    ssize_t part = send(process->socket, from, size, MSG_NOSIGNAL);
    if (part < 0 && errno == EINTR) continue;
    if (part < 0) return errno == EAGAIN || errno == EWOULDBLOCK ? TASK_GOING_ON : TASK_BROKEN;
    x->sent += (size_t)part;
  }
  return TASK_GOING_ON;
}

/* Room for the answer, once its head is there. */
static bool begin_answer(task_exchange *x)
{
  if (x->head.version != TASK_VERSION || x->head.size > TASK_BODY_LIMIT) return false;
  x->bytes = malloc(x->head.size + 1);
  return x->bytes != NULL;
}

static task_progress take_some(const task_process *process, task_exchange *x)
{
  for (;;) {
    if (x->got == sizeof x->head && !x->bytes && !begin_answer(x)) return TASK_BROKEN;
    if (x->bytes && x->got == sizeof x->head + x->head.size) return TASK_COMPLETE;
    bool in_head = x->got < sizeof x->head;
    char *into = in_head ? (char *)&x->head + x->got : (char *)x->bytes + (x->got - sizeof x->head);
    size_t size = in_head ? sizeof x->head - x->got : sizeof x->head + x->head.size - x->got;
    ssize_t part = read(process->socket, into, size);
    if (part < 0 && errno == EINTR) continue;
    if (part < 0) return errno == EAGAIN || errno == EWOULDBLOCK ? TASK_GOING_ON : TASK_BROKEN;
    if (part == 0) return TASK_BROKEN;
    x->got += (size_t)part;
  }
}

task_progress task_exchange_step(const task_process *process, task_exchange *x, int wait_ms)
{
  bool sending = to_send(x) > 0;
  struct pollfd watched = {.fd = process->socket, .events = sending ? POLLOUT : POLLIN};
  if (poll(&watched, 1, wait_ms) <= 0) return TASK_GOING_ON;
  return sending ? send_some(process, x) : take_some(process, x);
}
