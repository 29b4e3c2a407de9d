/* Starting and ending worker processes. The local executor owns every worker_process.
 *
 * posix_spawn, never fork: the daemon has threads. No PR_SET_PDEATHSIG: end of file on the control socket tells a worker that its
 * daemon is gone, and it then saves a checkpoint. Ends are seen through a pidfd and reaped by it, so no SIGCHLD handler is needed and no
 * other child of the program is touched. */
#include "server/executor/worker_process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "server/worker/control_file.h"

enum { environment_limit = 64, argument_limit = 24, log_limit_bytes = 1 << 20 };

/* Variables a worker inherits. All others (tokens, notification sockets, preloads) are none of its business. */
static bool inherited(const char *variable)
{
  static const char *const names[] = {
      "PATH=",           "HOME=",          "TMPDIR=",       "TZ=",           "LD_LIBRARY_PATH=",   "OMP_PROC_BIND=",
      "ASAN_OPTIONS=",   "UBSAN_OPTIONS=", "LSAN_OPTIONS=", "TSAN_OPTIONS=", "OPENBLAS_CORETYPE=", "CUDA_VISIBLE_DEVICES=",
      "OCL_ICD_VENDORS="};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strncmp(variable, names[i], strlen(names[i])) == 0) return true;
  return false;
}

/* BLAS always runs with one thread, for the same bits whatever the machine. OpenMP threads that wait spin 3000 times, some tens of
 * microseconds, then sleep, as jobs share the cores. Measured on hollow-sphere-crush with two threads, alone / beside two busy processes:
 * 6.3 / 5.7 s without spins, 3.0 / 6.2 s with 2000 to 4000, 2.5 / 10 s with the library's own 300000; one thread takes 3.5 / 5.1 s. */
static void fill_environment(char **environment, char *threads)
{
  static char blas[] = "OPENBLAS_NUM_THREADS=1", wait[] = "OMP_WAIT_POLICY=passive", spins[] = "GOMP_SPINCOUNT=3000",
              language[] = "LC_ALL=C";
  size_t count = 0;
  environment[count++] = blas;
  environment[count++] = wait;
  environment[count++] = spins;
  environment[count++] = language;
  environment[count++] = threads;
  for (char **variable = environ; variable && *variable && count < environment_limit - 1; variable++)
    if (inherited(*variable)) environment[count++] = *variable;
  environment[count] = NULL;
}

/* Signals as a fresh program expects them, whatever this thread blocks and the daemon ignores. */
static void fill_attributes(posix_spawnattr_t *attributes)
{
  sigset_t none, standard;
  sigemptyset(&none);
  sigfillset(&standard);
  sigdelset(&standard, SIGKILL);
  sigdelset(&standard, SIGSTOP);
  posix_spawnattr_setsigmask(attributes, &none);
  posix_spawnattr_setsigdefault(attributes, &standard);
  posix_spawnattr_setpgroup(attributes, 0);
  posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
}

/* The socket goes to 3 first: it may itself be one of 0, 1, 2 in a daemon started with those closed. */
static int fill_actions(posix_spawn_file_actions_t *actions, int socket, const char *log)
{
  int code = posix_spawn_file_actions_adddup2(actions, socket, CONTROL_FD);
  if (code == 0) code = posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  if (code == 0)
    code = posix_spawn_file_actions_addopen(actions, STDOUT_FILENO, log, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK, 0644);
  if (code == 0) code = posix_spawn_file_actions_adddup2(actions, STDOUT_FILENO, STDERR_FILENO);
  if (code == 0) code = posix_spawn_file_actions_addclosefrom_np(actions, CONTROL_FD + 1);
  return code;
}

int worker_spawn(const char *const *arguments, unsigned threads, const posix_spawn_file_actions_t *actions, pid_t *pid)
{
  char omp[40];
  char *argv[argument_limit], *environment[environment_limit];
  size_t count = 0;
  while (arguments[count]) count++;
  if (count >= argument_limit) return E2BIG;
  memcpy(argv, arguments, (count + 1) * sizeof *argv); /* posix_spawn wants char *const[], and changes nothing */
  snprintf(omp, sizeof omp, "OMP_NUM_THREADS=%u", threads);
  fill_environment(environment, omp);
  posix_spawnattr_t attributes;
  int code = posix_spawnattr_init(&attributes);
  if (code != 0) return code;
  fill_attributes(&attributes);
  code = posix_spawn(pid, argv[0], actions, &attributes, argv, environment);
  posix_spawnattr_destroy(&attributes);
  return code;
}

static int spawn(const worker_request *request, int socket, const char *log, pid_t *pid)
{
  char threads[24], seconds[40], memory[24], file[24], cpu[24], fd[12];
  snprintf(threads, sizeof threads, "%u", request->threads);
  snprintf(seconds, sizeof seconds, "%g", request->checkpoint_seconds);
  snprintf(memory, sizeof memory, "%llu", (unsigned long long)request->memory_limit);
  snprintf(file, sizeof file, "%llu", (unsigned long long)request->file_limit);
  snprintf(cpu, sizeof cpu, "%llu", (unsigned long long)request->cpu_limit);
  snprintf(fd, sizeof fd, "%d", CONTROL_FD);
  const char *arguments[] = {request->worker_path,
                             "--directory",
                             request->directory,
                             "--threads",
                             threads,
                             "--checkpoint-seconds",
                             seconds,
                             "--control-fd",
                             fd,
                             "--memory-limit",
                             memory,
                             "--file-limit",
                             file,
                             "--cpu-limit",
                             cpu,
                             request->assets ? "--assets" : NULL,
                             request->assets,
                             "--asset-names",
                             request->asset_names,
                             NULL};
  posix_spawn_file_actions_t actions;
  int code = posix_spawn_file_actions_init(&actions);
  if (code != 0) return code;
  code = fill_actions(&actions, socket, log);
  if (code == 0) code = worker_spawn(arguments, request->threads, &actions, pid);
  posix_spawn_file_actions_destroy(&actions);
  return code;
}

static scr_status describe_failure(const char *worker_path, int code, scr_error *error)
{
  if (access(worker_path, X_OK) != 0)
    return scr_fail(error, SCR_BAD_USAGE, NULL,
                    "the worker program %s can't be executed: %s; install it there, or say where it is with --worker", worker_path,
                    strerror(errno));
  return scr_fail_io(error, "start the worker program", worker_path, code);
}

/* The worker may write in its directory: what stands there in place of its log, a link to some other file, is not written through but
 * replaced. */
scr_status worker_prepare_log(const char *directory, scr_error *error)
{
  char log[4200];
  struct stat old;
  if (snprintf(log, sizeof log, "%s/worker.log", directory) >= (int)sizeof log)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "the path of the data directory is too long");
  if (lstat(log, &old) != 0) return errno == ENOENT ? SCR_OK : scr_fail_io(error, "look at", log, errno);
  bool valid = S_ISREG(old.st_mode) && old.st_nlink == 1;
  if (valid && old.st_size <= log_limit_bytes) return SCR_OK;
  if (valid && truncate(log, 0) == 0) return SCR_OK;
  if (!valid && (S_ISDIR(old.st_mode) ? rmdir(log) : unlink(log)) == 0) return SCR_OK;
  return scr_fail_io(error, valid ? "shorten" : "replace", log, errno);
}

scr_status worker_start(const worker_request *request, worker_process *process, scr_error *error)
{
  char log[4200];
  int pair[2];
  if (snprintf(log, sizeof log, "%s/worker.log", request->directory) >= (int)sizeof log)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "the path of the data directory is too long");
  SCR_TRY(worker_prepare_log(request->directory, error));
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) != 0)
    return scr_fail_io(error, "make", "a control socket", errno);
  int code = spawn(request, pair[1], log, &process->pid);
  close(pair[1]);
  if (code != 0) {
    close(pair[0]);
    return describe_failure(request->worker_path, code, error);
  }
  process->control = pair[0];
  process->pidfd = pidfd_open(process->pid, 0);
  if (process->pidfd >= 0) return SCR_OK;
  int problem = errno;
  kill(-process->pid, SIGKILL);
  waitpid(process->pid, NULL, 0);
  close(pair[0]);
  return scr_fail_io(error, "watch", "a worker process", problem);
}

bool worker_send(const worker_process *process, control_kind kind)
{
  control_message message = {.version = CONTROL_VERSION, .kind = (uint32_t)kind};
  return send(process->control, &message, sizeof message, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)sizeof message;
}

bool worker_receive(const worker_process *process, control_message *message)
{
  for (;;) {
    ssize_t size = recv(process->control, message, sizeof *message, MSG_DONTWAIT);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return false;
    if (size != (ssize_t)sizeof *message || message->version != CONTROL_VERSION) continue;
    control_message_clean(message);
    return true;
  }
}

void worker_signal(const worker_process *process, int signal)
{
  if (process->pid > 1) kill(-process->pid, signal);
}

bool worker_has_ended(const worker_process *process)
{
  siginfo_t info = {0};
  return waitid(P_PIDFD, (id_t)process->pidfd, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid != 0;
}

void worker_reap(worker_process *process, worker_exit *ended)
{
  kill(-process->pid, SIGKILL); /* while the zombie keeps the group's number ours: nothing below it may outlive the attempt */
  struct rusage usage = {0};
  siginfo_t info = {0};
  /* The C library's waitid can't return the usage; the system call can. */
  syscall(SYS_waitid, P_PIDFD, process->pidfd, &info, WEXITED, &usage);
  *ended = (worker_exit){.by_signal = info.si_code != CLD_EXITED, .code = info.si_status, .peak_memory = (uint64_t)usage.ru_maxrss * 1024};
  ended->cpu_seconds = (double)usage.ru_utime.tv_sec + (double)usage.ru_stime.tv_sec +
                       1e-6 * ((double)usage.ru_utime.tv_usec + (double)usage.ru_stime.tv_usec);
  close(process->pidfd);
  process->pidfd = -1;
  process->pid = 0;
}

void worker_hang_up(worker_process *process)
{
  if (process->control >= 0) close(process->control);
  process->control = -1;
}

static bool is_worker_on(pid_t pid, const char *directory)
{
  char path[64], arguments[8192];
  snprintf(path, sizeof path, "/proc/%d/cmdline", (int)pid);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  ssize_t size = read(fd, arguments, sizeof arguments - 1);
  close(fd);
  if (size <= 0) return false;
  arguments[size] = 0;
  bool next = false;
  for (const char *word = arguments; word < arguments + size; word += strlen(word) + 1) {
    if (next) return strcmp(word, directory) == 0;
    next = strcmp(word, "--directory") == 0;
  }
  return false;
}

bool worker_kill_orphan(pid_t pid, const char *directory)
{
  int pidfd = pidfd_open(pid, 0); /* first the handle, then the question who it is: the answer can't change under it */
  if (pidfd < 0) return false;
  bool killed = is_worker_on(pid, directory) && pidfd_send_signal(pidfd, SIGKILL, NULL, 0) == 0;
  close(pidfd);
  return killed;
}
