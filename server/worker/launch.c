/* Starting mpirun, and passing on what is said. */
#include "server/worker/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "scene/scene.h"
#include "server/worker/control.h"

static const char socket_name[] = "ranks.socket";

/* ── what there is ────────────────────────────────────────────────────────────────────────────────────────────── */

static bool find_in_path(const char *name, char found[LAUNCH_PATH])
{
  for (const char *at = getenv("PATH"); at && *at;) {
    int length = (int)strcspn(at, ":");
    int written = snprintf(found, LAUNCH_PATH, "%.*s/%s", length, at, name);
    if (length > 0 && written < LAUNCH_PATH && access(found, X_OK) == 0) return true;
    at += length + (at[length] == ':');
  }
  return false;
}

static bool find_beside(const char *beside, const char *name, char found[LAUNCH_PATH])
{
  char self[LAUNCH_PATH - 64];
  ssize_t length = beside ? snprintf(self, sizeof self, "%s", beside) : readlink("/proc/self/exe", self, sizeof self - 1);
  if (length <= 0 || length >= (ssize_t)sizeof self) return false;
  self[length] = '\0';
  char *slash = strrchr(self, '/');
  if (!slash) return false;
  *slash = '\0';
  snprintf(found, LAUNCH_PATH, "%s/%s", self, name);
  return access(found, X_OK) == 0;
}

bool launch_find(const char *beside, launch_programs *programs, char *why)
{
  why[0] = '\0';
  if (!find_in_path("mpirun", programs->mpirun))
    snprintf(why, LAUNCH_WHY_BYTES,
             "run.ranks needs mpirun, which is not in this machine's PATH: install Open MPI (Debian: openmpi-bin) or leave run.ranks out");
  else if (!find_beside(beside, "scree-worker-mpi", programs->worker))
    snprintf(
        why, LAUNCH_WHY_BYTES,
        "run.ranks needs scree-worker-mpi beside scree-worker: build Scree with Open MPI (Debian: libopenmpi-dev) or leave run.ranks out");
  return why[0] == '\0';
}

bool launch_find_engine(const char *beside, launch_programs *programs, char *why)
{
  why[0] = '\0';
  if (!find_in_path("srun", programs->mpirun))
    snprintf(why, LAUNCH_WHY_BYTES,
             "run.ranks needs srun on the node, which is not in its PATH (Debian: slurm-client), or leave run.ranks out");
  else if (!find_beside(beside, "scree-worker-mpi", programs->worker))
    snprintf(why, LAUNCH_WHY_BYTES,
             "run.ranks needs scree-worker-mpi beside scree-worker on the node: build Scree with Open MPI, or leave run.ranks out");
  return why[0] == '\0';
}

unsigned launch_ranks(const char *directory)
{
  char path[LAUNCH_PATH];
  if (snprintf(path, sizeof path, "%s/scene.json", directory) >= (int)sizeof path) return 1;
  json_t *scene = json_load_file(path, 0, NULL);
  json_int_t ranks = json_integer_value(json_object_get(json_object_get(scene, "run"), "ranks"));
  json_decref(scene);
  return ranks > 1 && ranks <= RUN_RANKS_MOST ? (unsigned)ranks : 1;
}

/* ── the socket ───────────────────────────────────────────────────────────────────────────────────────────────── */

/* By the directory's descriptor: an address has room for 107 bytes, a path may be longer. */
static bool address_in(int directory, struct sockaddr_un *address)
{
  *address = (struct sockaddr_un){.sun_family = AF_UNIX};
  return directory >= 0 && snprintf(address->sun_path, sizeof address->sun_path, "/proc/self/fd/%d/%s", directory, socket_name) <
                               (int)sizeof address->sun_path;
}

static int listen_in(const char *directory)
{
  struct sockaddr_un address;
  int folder = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC), fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  bool fine = fd >= 0 && address_in(folder, &address);
  if (fine) unlinkat(folder, socket_name, 0);
  fine = fine && bind(fd, (struct sockaddr *)&address, sizeof address) == 0 && listen(fd, 1) == 0;
  if (folder >= 0) close(folder);
  if (fine) return fd;
  if (fd >= 0) close(fd);
  return -1;
}

static void forget(const char *directory)
{
  char path[LAUNCH_PATH];
  if (snprintf(path, sizeof path, "%s/%s", directory, socket_name) < (int)sizeof path) unlink(path);
}

int launch_connect(const char *directory)
{
  struct sockaddr_un address;
  int folder = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC), fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  bool fine = fd >= 0 && address_in(folder, &address) && connect(fd, (struct sockaddr *)&address, sizeof address) == 0 &&
              fcntl(fd, F_SETFL, O_NONBLOCK) == 0;
  if (folder >= 0) close(folder);
  if (fine) return fd;
  if (fd >= 0) close(fd);
  return -1;
}

/* ── the process ──────────────────────────────────────────────────────────────────────────────────────────────── */

enum { OPTIONS_MOST = 24, FIXED_MOST = 16 };

/* Words of a command: those that are fixed, then options. */
typedef struct command_words {
  char *word[FIXED_MOST + OPTIONS_MOST];
  size_t count;
} command_words;

static void add_words(command_words *words, const char *const *more, size_t most)
{
  for (size_t k = 0; k < most && more[k]; k++) words->word[words->count++] = (char *)(uintptr_t)more[k];
  words->word[words->count] = NULL;
}

/* In a group of its own: who signals this process's group means this process, which passes it on; mpirun would end its ranks at once.
 * Killed when this process ends. */
static pid_t start(const command_words *words, const char *each)
{
  char *const *arguments = words->word;
  pid_t parent = getpid(), child = fork();
  if (child != 0) return child;
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  setenv("OMP_NUM_THREADS", each, 1);
  if (getppid() == parent && arguments[0]) execv(arguments[0], arguments);
  _exit(WORKER_IO);
}

static pid_t start_mpirun(const launch_programs *programs, const char *directory, unsigned ranks, unsigned threads,
                          const char *const *options)
{
  char count[16], each[16];
  const char *fixed[] = {programs->mpirun,
                         geteuid() == 0 ? "--allow-run-as-root" : "--oversubscribe",
                         "--oversubscribe",
                         "--bind-to",
                         "none",
                         "-n",
                         count,
                         programs->worker,
                         "--directory",
                         directory,
                         "--threads",
                         each,
                         "--launched",
                         NULL};
  command_words words = {.count = 0};
  snprintf(count, sizeof count, "%u", ranks);
  snprintf(each, sizeof each, "%u", threads / ranks > 0 ? threads / ranks : 1);
  add_words(&words, fixed, FIXED_MOST - 1);
  add_words(&words, options, OPTIONS_MOST);
  return start(&words, each);
}

/* PMIx is how srun and Open MPI know each other. */
static pid_t start_srun(const launch_programs *programs, const char *directory, unsigned ranks, unsigned threads,
                        const char *const *options)
{
  char count[24], processors[32], each[16];
  const char *fixed[] = {programs->mpirun,  "--mpi=pmix",  "--kill-on-bad-exit=1",
                         "--cpu-bind=none", count,         processors,
                         programs->worker,  "--directory", directory,
                         "--threads",       each,          NULL};
  command_words words = {.count = 0};
  snprintf(count, sizeof count, "--ntasks=%u", ranks);
  snprintf(each, sizeof each, "%u", threads / ranks > 0 ? threads / ranks : 1);
  snprintf(processors, sizeof processors, "--cpus-per-task=%s", each);
  add_words(&words, fixed, FIXED_MOST - 1);
  add_words(&words, options, OPTIONS_MOST);
  return start(&words, each);
}

/* ── the conversation ─────────────────────────────────────────────────────────────────────────────────────────── */

typedef struct relay {
  int lab, listening, rank, signals; /* -1: none */
  control_kind order;                /* the newest; 0: none */
  pid_t mpirun;
  const char *directory;
} relay;

static void pass_order(const relay *self)
{
  const control_message message = {.version = CONTROL_VERSION, .kind = (uint32_t)self->order};
  if (self->order != 0 && self->rank >= 0) send(self->rank, &message, sizeof message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void order(relay *self, control_kind kind)
{
  self->order = kind;
  pass_order(self);
}

/* What rank 0 says goes on whole; what finds no place is followed by newer ones. */
static void hear_rank(relay *self)
{
  control_message message;
  for (ssize_t size; self->rank >= 0;) {
    size = recv(self->rank, &message, sizeof message, MSG_DONTWAIT);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    if (size <= 0) {
      close(self->rank);
      self->rank = -1;
      return;
    }
    if (self->lab >= 0 && size == (ssize_t)sizeof message) send(self->lab, &message, sizeof message, MSG_NOSIGNAL | MSG_DONTWAIT);
  }
}

static void hear_lab(relay *self)
{
  control_message message;
  ssize_t size = recv(self->lab, &message, sizeof message, MSG_DONTWAIT);
  if (size < 0 && (errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK)) return;
  if (size <= 0) {
    self->lab = -1; /* it has ended */
    order(self, CONTROL_STOP);
  } else if (size == (ssize_t)sizeof message && message.version == CONTROL_VERSION &&
             (message.kind == CONTROL_STOP || message.kind == CONTROL_CANCEL))
    order(self, (control_kind)message.kind);
}

static void welcome(relay *self)
{
  // cppcheck-suppress nullPointer; accept4 takes NULL where nobody asks for the address
  int fd = accept4(self->listening, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (fd < 0) return;
  close(self->listening);
  forget(self->directory);
  self->listening = -1;
  self->rank = fd;
  pass_order(self);
}

/* @return whether mpirun has ended; `status` is then its */
static bool hear_signal(relay *self, int *status)
{
  struct signalfd_siginfo signal;
  while (read(self->signals, &signal, sizeof signal) == (ssize_t)sizeof signal)
    if (signal.ssi_signo != SIGCHLD) order(self, CONTROL_STOP);
  return waitpid(self->mpirun, status, WNOHANG) == self->mpirun;
}

static int catch_signals(void)
{
  static const int caught[] = {SIGTERM, SIGINT, SIGUSR1, SIGCHLD};
  sigset_t set;
  sigemptyset(&set);
  for (size_t k = 0; k < sizeof caught / sizeof *caught; k++) sigaddset(&set, caught[k]);
  sigprocmask(SIG_BLOCK, &set, NULL);
  signal(SIGPIPE, SIG_IGN);
  return signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

static int code_of(int status)
{
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int talk(relay *self)
{
  int status = 0;
  for (bool ended = false; !ended;) {
    struct pollfd waits[] = {{self->signals, POLLIN, 0}, {self->lab, POLLIN, 0}, {self->listening, POLLIN, 0}, {self->rank, POLLIN, 0}};
    if (poll(waits, 4, 1000) < 0 && errno != EINTR) break;
    if (waits[1].revents) hear_lab(self);
    if (waits[2].revents) welcome(self);
    if (waits[3].revents) hear_rank(self);
    ended = hear_signal(self, &status);
  }
  hear_rank(self);
  return code_of(status);
}

int launch(const launch_programs *programs, const char *directory, unsigned ranks, unsigned threads, int control,
           const char *const *options)
{
  relay self = {.lab = control, .listening = listen_in(directory), .rank = -1, .signals = catch_signals(), .directory = directory};
  if (control >= 0) fcntl(control, F_SETFD, FD_CLOEXEC);
  if (self.listening < 0 || self.signals < 0) return WORKER_IO;
  self.mpirun = start_mpirun(programs, directory, ranks, threads, options);
  int code = self.mpirun > 0 ? talk(&self) : WORKER_IO;
  if (self.listening >= 0) close(self.listening);
  forget(directory);
  if (self.rank >= 0) close(self.rank);
  close(self.signals);
  return code;
}

int launch_engine(const launch_programs *programs, const char *directory, unsigned ranks, unsigned threads, const char *const *options)
{
  int status = 0, signals = catch_signals();
  pid_t srun = signals >= 0 ? start_srun(programs, directory, ranks, threads, options) : -1;
  if (srun < 0) return WORKER_IO;
  while (waitpid(srun, &status, WNOHANG) != srun) {
    struct pollfd wait = {signals, POLLIN, 0};
    struct signalfd_siginfo signal;
    (void)poll(&wait, 1, 1000);
    while (read(signals, &signal, sizeof signal) == (ssize_t)sizeof signal)
      if (signal.ssi_signo != SIGCHLD) kill(srun, SIGUSR1);
  }
  close(signals);
  return code_of(status);
}
