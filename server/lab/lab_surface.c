/* Surfaces of frames on request. The work is done by `scree-worker --surface`, which writes a file without a name: what a request can cost
 * is bounded by that process's limits, and a crash there is an answer of 500 here. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "server/clock.h"
#include "server/worker/control.h"
#include "server/lab/lab_internal.h"
#include "server/executor/worker_process.h"

enum { patience_ms = 30000, look_every_ms = 100 };

static const char memory_limit[] = "2147483648"; /* bytes of address space */

/* A file in the job's directory that is gone from there at once. -1: errno. */
static int nameless_file(const char *directory)
{
  char path[PATH_MAX];
  if (snprintf(path, sizeof path, "%s/surface-XXXXXX", directory) >= (int)sizeof path) return errno = ENAMETOOLONG, -1;
  int fd = mkostemp(path, O_CLOEXEC);
  if (fd >= 0) unlink(path);
  return fd;
}

static int start(const lab *self, const char *directory, int64_t frame, scr_surface_format format, int file, pid_t *pid)
{
  char number[24];
  snprintf(number, sizeof number, "%lld", (long long)frame);
  const char *arguments[] = {self->worker_path, "--directory", directory,        "--surface",  format == SCR_SURFACE_STL ? "stl" : "ply",
                             "--frame",         number,        "--memory-limit", memory_limit, NULL};
  posix_spawn_file_actions_t actions;
  int code = posix_spawn_file_actions_init(&actions);
  if (code != 0) return code;
  code = posix_spawn_file_actions_adddup2(&actions, file, STDOUT_FILENO);
  if (code == 0) code = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  if (code == 0) code = posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  if (code == 0) code = posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
  if (code == 0) code = worker_spawn(arguments, 1, &actions, pid);
  posix_spawn_file_actions_destroy(&actions);
  return code;
}

/* Waits for the end, and brings it about when patience or the lab ends. @return whether it ended by itself; *ended says how */
static bool wait_for(lab *self, pid_t pid, int pidfd, siginfo_t *ended)
{
  bool by_itself = false;
  struct pollfd watched = {.fd = pidfd, .events = POLLIN};
  int64_t late = clock_monotonic_ms() + patience_ms;
  while (!by_itself && clock_monotonic_ms() < late && !atomic_load(&self->draining)) by_itself = poll(&watched, 1, look_every_ms) == 1;
  kill(-pid, SIGKILL); /* while the zombie keeps the group's number ours */
  while (waitid(P_PIDFD, (id_t)pidfd, ended, WEXITED) != 0 && errno == EINTR) continue;
  return by_itself;
}

/* The reason that the process left in its file. */
static void read_reason(int file, scr_error *error)
{
  ssize_t got = pread(file, error->message, sizeof error->message - 1, 0);
  error->message[got > 0 ? got : 0] = '\0';
  if (got <= 0) snprintf(error->message, sizeof error->message, "the surface could not be made: the process ended without a reason");
}

static lab_status too_large(scr_error *error)
{
  scr_fail(error, SCR_NO_MEMORY, NULL,
           "the surface takes more than the %d s or the 2 GiB allowed for it here: use `scree export` on the downloaded recording",
           patience_ms / 1000);
  return LAB_TOO_LARGE;
}

static lab_status judge(const lab *self, bool by_itself, const siginfo_t *ended, int file, uint64_t *size, scr_error *error)
{
  struct stat about;
  if (!by_itself && atomic_load(&self->draining)) return LAB_DRAINING;
  if (!by_itself || (ended->si_code != CLD_EXITED && (ended->si_status == SIGXCPU || ended->si_status == SIGKILL))) return too_large(error);
  if (ended->si_code != CLD_EXITED) {
    scr_fail(error, SCR_IO, NULL, "the surface could not be made: the process was ended by signal %d", ended->si_status);
    return LAB_FAILED;
  }
  if (ended->si_status != WORKER_SUCCEEDED) {
    read_reason(file, error);
    /* Bad usage, by us who give sound options, is a grid with too many points. */
    return ended->si_status == WORKER_NO_MEMORY || ended->si_status == WORKER_BAD_USAGE ? LAB_TOO_LARGE : LAB_FAILED;
  }
  if (fstat(file, &about) != 0) {
    scr_fail_io(error, "look at", "a surface", errno);
    return LAB_FAILED;
  }
  *size = (uint64_t)about.st_size;
  return LAB_OK;
}

static lab_status make(lab *self, const char *directory, int64_t frame, scr_surface_format format, int file, uint64_t *size,
                       scr_error *error)
{
  pid_t pid;
  siginfo_t ended = {0};
  int code = start(self, directory, frame, format, file, &pid);
  if (code != 0) {
    scr_fail_io(error, "start", self->worker_path, code);
    return LAB_FAILED;
  }
  int pidfd = pidfd_open(pid, 0);
  if (pidfd < 0) {
    scr_fail_io(error, "watch", "the process that makes a surface", errno);
    kill(-pid, SIGKILL);
    waitpid(pid, NULL, 0);
    return LAB_FAILED;
  }
  bool by_itself = wait_for(self, pid, pidfd, &ended);
  close(pidfd);
  return judge(self, by_itself, &ended, file, size, error);
}

lab_status lab_surface(lab *self, int64_t id, int64_t frame, scr_surface_format format, int *fd, uint64_t *size, scr_error *error)
{
  char directory[PATH_MAX];
  *fd = -1;
  lab_status status = lab_job_file(self, id, "recording.scree", directory, sizeof directory, error);
  if (status != LAB_OK) return status;
  *strrchr(directory, '/') = '\0';
  if (atomic_flag_test_and_set(&self->making_surface)) {
    scr_fail(error, SCR_BUSY, NULL, "a surface is being made for somebody else, and one is made at a time: try again in a few seconds");
    return LAB_FULL;
  }
  int file = nameless_file(directory);
  if (file < 0) {
    scr_fail_io(error, "make a file in", directory, errno);
    status = LAB_FAILED;
  } else {
    status = make(self, directory, frame, format, file, size, error);
  }
  atomic_flag_clear(&self->making_surface);
  if (status == LAB_OK)
    *fd = file;
  else if (file >= 0)
    close(file);
  return status;
}
