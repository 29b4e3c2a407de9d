/* Which devices this machine has, found out by a process of its own: drivers load libraries and reserve memory that a server has no use
 * for, and may hang. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "server/clock.h"
#include "server/executor/worker_process.h"
#include "server/lab/lab_internal.h"
#include "server/worker/control.h"

enum { LOOK_MS = 20000, KEPT_MS = 60000 };

static int fill_actions(posix_spawn_file_actions_t *actions, int descriptor)
{
  int code = posix_spawn_file_actions_adddup2(actions, descriptor, CONTROL_FD);
  if (code == 0) code = posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  if (code == 0) code = posix_spawn_file_actions_addopen(actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  if (code == 0) code = posix_spawn_file_actions_addopen(actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  if (code == 0) code = posix_spawn_file_actions_addclosefrom_np(actions, CONTROL_FD + 1);
  return code;
}

static int spawn(const char *worker_path, int descriptor, pid_t *pid)
{
  const char *arguments[] = {worker_path, "--devices", NULL};
  posix_spawn_file_actions_t actions;
  int code = posix_spawn_file_actions_init(&actions);
  if (code != 0) return code;
  code = fill_actions(&actions, descriptor);
  if (code == 0) code = worker_spawn(arguments, 1, &actions, pid);
  posix_spawn_file_actions_destroy(&actions);
  return code;
}

/* Until all is there, the other end is closed, or the time is over. @return bytes */
static size_t read_for(int descriptor, void *into, size_t size, int64_t deadline)
{
  size_t got = 0;
  while (got < size) {
    int64_t left = deadline - clock_monotonic_ms();
    struct pollfd waits = {.fd = descriptor, .events = POLLIN};
    if (left <= 0) break;
    if (poll(&waits, 1, (int)left) <= 0) continue;
    ssize_t part = read(descriptor, (char *)into + got, size - got);
    if (part < 0 && errno == EINTR) continue;
    if (part <= 0) break;
    got += (size_t)part;
  }
  return got;
}

/* What is sent is of this build, so that it has this layout. */
static scr_status look(const char *worker_path, device_list *list, scr_error *error)
{
  int ends[2];
  pid_t pid = 0;
  if (pipe2(ends, O_CLOEXEC) != 0) return scr_fail_io(error, "make", "a pipe for the list of devices", errno);
  int code = spawn(worker_path, ends[1], &pid);
  close(ends[1]);
  size_t got = code == 0 ? read_for(ends[0], list, sizeof *list, clock_monotonic_ms() + LOOK_MS) : 0;
  close(ends[0]);
  if (code != 0) return scr_fail_io(error, "start the worker program", worker_path, code);
  kill(-pid, SIGKILL); /* it has said all, or hangs in a driver */
  while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) continue;
  if (got != sizeof *list || list->count > DEVICE_LIMIT || list->note_count > sizeof list->note / sizeof *list->note)
    return scr_fail(error, SCR_IO, NULL,
                    "devices could not be looked for: a driver took more than %d s, or ended the process that asked it; "
                    "`scree devices` on the server's machine shows it",
                    LOOK_MS / 1000);
  return SCR_OK;
}

void lab_devices_begin(lab *self)
{
  pthread_mutex_init(&self->devices.mutex, NULL);
}

void lab_devices_end(lab *self)
{
  pthread_mutex_destroy(&self->devices.mutex);
}

scr_status lab_devices(lab *self, device_list *list, scr_error *error)
{
  lab_known_devices *known = &self->devices;
  pthread_mutex_lock(&known->mutex);
  bool fresh = known->seen_ms > 0 && clock_monotonic_ms() - known->seen_ms < KEPT_MS;
  *list = known->list;
  pthread_mutex_unlock(&known->mutex);
  if (fresh) return SCR_OK;
  SCR_TRY(look(self->worker_path, list, error));
  pthread_mutex_lock(&known->mutex);
  known->list = *list;
  known->seen_ms = clock_monotonic_ms();
  pthread_mutex_unlock(&known->mutex);
  return SCR_OK;
}
