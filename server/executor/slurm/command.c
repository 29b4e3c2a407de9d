/* posix_spawn, never fork: the daemon has threads. Both outputs are pipes that are read while the program runs; it is in a process group of
 * its own, which is killed when its time is over. */
#include "server/executor/slurm/command.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "server/clock.h"

enum { ENVIRONMENT_LIMIT = 64, ARGUMENT_LIMIT = 64, SLICE_MS = 100 };

bool command_find(const char *name, char *path, size_t capacity)
{
  if (strchr(name, '/')) return (size_t)snprintf(path, capacity, "%s", name) < capacity && access(path, X_OK) == 0;
  const char *folders = getenv("PATH");
  for (const char *at = folders ? folders : "/usr/local/bin:/usr/bin:/bin"; *at;) {
    int length = (int)strcspn(at, ":");
    if (length > 0 && *at == '/' && (size_t)snprintf(path, capacity, "%.*s/%s", length, at, name) < capacity && access(path, X_OK) == 0)
      return true;
    at += length + (at[length] == ':');
  }
  return false;
}

/* Variables that the engine's programs may need; they go on to the job. All others (tokens, sockets, preloads) are none of its business. */
static bool is_inherited(const char *variable)
{
  static const char *const names[] = {
      "PATH=",         "HOME=",         "USER=",      "LOGNAME=",       "TMPDIR=",          "TZ=",
      "SLURM_CONF=",   "KRB5CCNAME=",   "SLURM_JWT=", "OMP_PROC_BIND=", "LD_LIBRARY_PATH=", "OPENBLAS_CORETYPE=",
      "ASAN_OPTIONS=", "UBSAN_OPTIONS="};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strncmp(variable, names[i], strlen(names[i])) == 0) return true;
  return false;
}

/* As of workers of this machine (worker_process.c). */
static void fill_environment(char **environment, char *threads)
{
  static char blas[] = "OPENBLAS_NUM_THREADS=1", wait[] = "OMP_WAIT_POLICY=passive", spins[] = "GOMP_SPINCOUNT=3000",
              language[] = "LC_ALL=C";
  char *const own[] = {blas, wait, spins, language, threads};
  size_t count = 0;
  for (; count < sizeof own / sizeof *own; count++) environment[count] = own[count];
  for (char **variable = environ; variable && *variable && count < ENVIRONMENT_LIMIT - 1; variable++)
    if (is_inherited(*variable)) environment[count++] = *variable;
  environment[count] = NULL;
}

typedef struct pipes {
  int output[2], errors[2]; /* reading, writing end; -1: closed */
} pipes;

static void close_end(int *fd)
{
  if (*fd >= 0) close(*fd);
  *fd = -1;
}

static void close_pipes(pipes *p)
{
  for (int i = 0; i < 2; i++) {
    close_end(&p->output[i]);
    close_end(&p->errors[i]);
  }
}

static bool open_pipes(pipes *p)
{
  *p = (pipes){{-1, -1}, {-1, -1}};
  if (pipe2(p->output, O_CLOEXEC) == 0 && pipe2(p->errors, O_CLOEXEC) == 0) {
    fcntl(p->output[0], F_SETFL, O_NONBLOCK);
    fcntl(p->errors[0], F_SETFL, O_NONBLOCK);
    return true;
  }
  close_pipes(p);
  return false;
}

static int spawn(const char *const *arguments, unsigned threads, const pipes *p, pid_t *pid)
{
  char omp[40], *argv[ARGUMENT_LIMIT], *environment[ENVIRONMENT_LIMIT];
  size_t count = 0;
  while (arguments[count]) count++;
  if (count >= ARGUMENT_LIMIT) return E2BIG;
  memcpy(argv, arguments, (count + 1) * sizeof *argv); /* posix_spawn wants char *const[], and changes nothing */
  snprintf(omp, sizeof omp, "OMP_NUM_THREADS=%u", threads);
  fill_environment(environment, omp);
  sigset_t none, standard;
  sigemptyset(&none);
  sigfillset(&standard);
  sigdelset(&standard, SIGKILL);
  sigdelset(&standard, SIGSTOP);
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_t actions;
  if (posix_spawnattr_init(&attributes) != 0) return ENOMEM;
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &standard);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  int code = posix_spawn_file_actions_init(&actions);
  if (code == 0) {
    code = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (code == 0) code = posix_spawn_file_actions_adddup2(&actions, p->output[1], STDOUT_FILENO);
    if (code == 0) code = posix_spawn_file_actions_adddup2(&actions, p->errors[1], STDERR_FILENO);
    if (code == 0) code = posix_spawn_file_actions_addclosefrom_np(&actions, 3);
    if (code == 0) code = posix_spawn(pid, argv[0], &actions, &attributes, argv, environment);
    posix_spawn_file_actions_destroy(&actions);
  }
  posix_spawnattr_destroy(&attributes);
  return code;
}

/* What is being read and written of a program that runs. */
typedef struct talk {
  pipes pipes;
  size_t limit;
  command_result *result;
} talk;

static void read_output(talk *t)
{
  char block[8192];
  ssize_t got = read(t->pipes.output[0], block, sizeof block);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got <= 0) {
    close_end(&t->pipes.output[0]);
    return;
  }
  command_result *r = t->result;
  size_t fits = r->size + (size_t)got <= t->limit ? (size_t)got : t->limit - r->size;
  r->cut = r->cut || fits < (size_t)got;
  char *grown = realloc(r->output, r->size + fits + 1);
  if (!grown) {
    r->cut = true;
    return;
  }
  r->output = grown;
  memcpy(grown + r->size, block, fits);
  r->size += fits;
  grown[r->size] = 0;
}

/* Keeps the last of it: an error's cause comes last. */
static void read_errors(talk *t)
{
  char block[1024];
  ssize_t got = read(t->pipes.errors[0], block, sizeof block);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got <= 0) {
    close_end(&t->pipes.errors[0]);
    return;
  }
  char *text = t->result->errors;
  for (ssize_t i = 0; i < got; i++) {
    size_t length = strlen(text);
    if (length + 1 >= COMMAND_ERROR_BYTES) {
      memmove(text, text + COMMAND_ERROR_BYTES / 2, length - COMMAND_ERROR_BYTES / 2 + 1);
      length = strlen(text);
    }
    unsigned char c = (unsigned char)block[i];
    text[length] = c < 32 || c >= 127 ? ' ' : (char)c;
    text[length + 1] = 0;
  }
}

static bool goes_on(const command_waiter *waiter)
{
  return !waiter || waiter->wait(waiter->user);
}

/* Until both outputs are closed or the time is over. Whether it was over. */
static bool converse(talk *t, int64_t deadline, const command_waiter *waiter)
{
  while (t->pipes.output[0] >= 0 || t->pipes.errors[0] >= 0) {
    int64_t left = deadline - clock_monotonic_ms();
    if (left <= 0 || !goes_on(waiter)) return true;
    struct pollfd watched[] = {{.fd = t->pipes.output[0], .events = POLLIN}, {.fd = t->pipes.errors[0], .events = POLLIN}};
    if (poll(watched, 2, left < SLICE_MS ? (int)left : SLICE_MS) <= 0) continue;
    if (watched[0].revents) read_output(t);
    if (watched[1].revents) read_errors(t);
  }
  return false;
}

/* Its outputs are closed, so it is about to end, or its time is over. */
static void reap(pid_t pid, int64_t deadline, const command_waiter *waiter, command_result *result)
{
  int status = 0;
  while (waitpid(pid, &status, WNOHANG) == 0) {
    result->timed_out = result->timed_out || clock_monotonic_ms() >= deadline || !goes_on(waiter);
    if (result->timed_out) {
      kill(-pid, SIGKILL);
      waitpid(pid, &status, 0);
      break;
    }
    nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
  }
  result->code = WIFEXITED(status) ? WEXITSTATUS(status) : WIFSIGNALED(status) ? 128 + WTERMSIG(status) : 128;
}

/* Blanks at both ends are the program's line ends. */
static void trim(char *text)
{
  size_t begin = strspn(text, " "), length = strlen(text + begin);
  memmove(text, text + begin, length + 1);
  while (length > 0 && text[length - 1] == ' ') text[--length] = 0;
}

scr_status command_execute(const char *const *arguments, unsigned threads, int limit_ms, size_t limit_bytes, const command_waiter *waiter,
                           command_result *result, scr_error *error)
{
  *result = (command_result){.output = calloc(1, 1)};
  talk t = {.limit = limit_bytes, .result = result};
  if (!result->output) return scr_fail_memory(error, "the output of a program", 1);
  if (!open_pipes(&t.pipes)) {
    free(result->output);
    result->output = NULL;
    return scr_fail_io(error, "make pipes for", arguments[0], errno);
  }
  int64_t deadline = clock_monotonic_ms() + limit_ms;
  pid_t pid = 0;
  int code = spawn(arguments, threads, &t.pipes, &pid);
  close_end(&t.pipes.output[1]);
  close_end(&t.pipes.errors[1]);
  if (code == 0) {
    result->timed_out = converse(&t, deadline, waiter);
    reap(pid, result->timed_out ? 0 : deadline, waiter, result);
    trim(result->errors);
  }
  close_pipes(&t.pipes);
  if (code == 0) return SCR_OK;
  free(result->output);
  result->output = NULL;
  return scr_fail_io(error, "start", arguments[0], code);
}
