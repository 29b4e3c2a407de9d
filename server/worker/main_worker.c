/* scree-worker: runs the scene of one job directory to its end, or on from its checkpoint, and says how it goes.
 *
 *   scree-worker --directory DIR [--threads N] [--checkpoint-seconds S] [--control-fd FD] [--memory-limit BYTES] [--file-limit BYTES]
 *                [--cpu-limit SECONDS] [--assets DIR --asset-names DIGEST,...] [--token N]
 *   scree-worker --directory DIR --surface stl|ply --frame N [--memory-limit BYTES]
 *   scree-worker --tasks ASSETS [--memory-limit BYTES]
 *   scree-worker --devices
 *
 *   mpirun -n RANKS scree-worker-mpi --directory DIR ...
 *
 * The last: several processes share the run of DIR, where the method can (peridem), and give the same recording. Rank 0 has the
 * directory and the lab; a rank that can't go on ends all.
 *
 * The second form runs nothing: it writes the surface of a recorded frame to standard output (surface.h). The third answers requests on
 * descriptor 3 (server/task/task.h). The fourth writes which devices there are to descriptor 3 (device_job.h). The first:
 *
 * Reads DIR/scene.json, writes what scr_run writes. Messages go to standard error, which the lab sends to DIR/worker.log.
 * Ends early, with a checkpoint, on SIGTERM, SIGINT, SIGUSR1, a CONTROL_STOP message, and when the other end of the control socket is gone.
 * With --token it speaks with the lab by files in DIR (channel.h), goes on without a lab, waits a while for another process to leave DIR,
 * and ends at once when DIR belongs to an attempt of another number. Exit codes: worker_exit_code in server/worker/control.h. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/team/join.h"
#include "run/run_team.h"
#include "server/worker/channel.h"
#include "server/worker/confine.h"
#include "server/worker/device_job.h"
#include "server/worker/launch.h"
#include "server/worker/surface.h"
#include "server/task/task.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { address_space_is_shadowed = 1 }; /* sanitizers reserve terabytes of it */
#else
enum { address_space_is_shadowed = 0 };
#endif

typedef struct worker_options {
  const char *directory;
  unsigned threads;
  double checkpoint_seconds;
  int control;                                  /**< -1: none */
  uint64_t token;                               /**< of the attempt, where the lab is spoken with by files; 0: it is not */
  uint64_t memory_limit, file_limit, cpu_limit; /**< 0: none */
  const char *assets;                           /**< directory of the files the scene refers to; NULL */
  const char *asset_names;                      /**< those it refers to, with commas; "" */
  const char *surface;                          /**< "stl", "ply": no run, but a surface; NULL */
  uint64_t frame;                               /**< number of its frame */
  bool launched;                                /**< rank 0 speaks with the scree-worker that started mpirun (launch.h) */
  bool devices;                                 /**< no run, but the list of devices */
  const char *tasks;                            /**< no run, but requests about assets of this directory and scenes with them; NULL */
} worker_options;

typedef struct worker {
  worker_channel channel;
  int signals;   /**< signalfd */
  uint64_t step; /**< as reported last */
  bool resumed_said;
  scr_team *team; /**< who shares the run; NULL: nobody */
} worker;

static void say(const char *level, const char *text)
{
  char stamp[32] = "";
  struct timespec now;
  struct tm utc;
  clock_gettime(CLOCK_REALTIME, &now);
  if (gmtime_r(&now.tv_sec, &utc)) strftime(stamp, sizeof stamp, "%Y-%m-%dT%H:%M:%S", &utc);
  fprintf(stderr, "%s.%03ldZ %s %s\n", stamp, now.tv_nsec / 1000000, level, text);
}

/* ── options and surroundings ─────────────────────────────────────────────────────────────────────────────────── */

static bool read_count(const char *text, uint64_t most, uint64_t *value)
{
  char *end;
  errno = 0;
  *value = strtoull(text, &end, 10);
  return *text >= '0' && *text <= '9' && *end == 0 && errno == 0 && *value <= most;
}

static bool read_options(int argc, char **argv, worker_options *options)
{
  static const struct option known[] = {{"directory", required_argument, NULL, 'd'},
                                        {"threads", required_argument, NULL, 't'},
                                        {"checkpoint-seconds", required_argument, NULL, 'c'},
                                        {"control-fd", required_argument, NULL, 'f'},
                                        {"memory-limit", required_argument, NULL, 'm'},
                                        {"file-limit", required_argument, NULL, 'b'},
                                        {"cpu-limit", required_argument, NULL, 'p'},
                                        {"assets", required_argument, NULL, 'a'},
                                        {"asset-names", required_argument, NULL, 'A'},
                                        {"surface", required_argument, NULL, 's'},
                                        {"frame", required_argument, NULL, 'n'},
                                        {"tasks", required_argument, NULL, 'T'},
                                        {"token", required_argument, NULL, 'k'},
                                        {"devices", no_argument, NULL, 'D'},
                                        {"launched", no_argument, NULL, 'l'},
                                        {NULL, 0, NULL, 0}};
  *options = (worker_options){.threads = 1, .checkpoint_seconds = 10, .control = -1, .asset_names = ""};
  for (int letter; (letter = getopt_long(argc, argv, "", known, NULL)) != -1;) {
    uint64_t number = 0;
    bool good = true;
    switch (letter) {
    case 'd': options->directory = optarg; break;
    case 'l': options->launched = true; break;
    case 'D': options->devices = true; break;
    case 'a': options->assets = optarg; break;
    case 'T': options->tasks = optarg; break;
    case 'A': options->asset_names = optarg; break;
    case 't':
      good = read_count(optarg, 4096, &number);
      options->threads = (unsigned)number;
      break;
    case 'c':
      options->checkpoint_seconds = strtod(optarg, NULL);
      good = options->checkpoint_seconds > 0;
      break;
    case 'f':
      good = read_count(optarg, 1 << 20, &number);
      options->control = (int)number;
      break;
    case 's':
      options->surface = optarg;
      good = strcmp(optarg, "stl") == 0 || strcmp(optarg, "ply") == 0;
      break;
    case 'n': good = read_count(optarg, INT64_MAX, &options->frame); break;
    case 'k': good = read_count(optarg, INT64_MAX, &options->token); break;
    case 'b': good = read_count(optarg, INT64_MAX, &options->file_limit); break;
    case 'p': good = read_count(optarg, INT64_MAX, &options->cpu_limit); break;
    case 'm': good = read_count(optarg, UINT64_MAX, &options->memory_limit); break;
    default: return false;
    }
    if (!good) {
      fprintf(stderr, "scree-worker: '%s' is out of range\n", optarg);
      return false;
    }
  }
  return (options->directory != NULL) + (options->tasks != NULL) + options->devices == 1 && optind == argc;
}

static void set_limit(int resource, uint64_t bound, const char *what)
{
  char text[80];
  struct rlimit limit = {bound, bound};
  if (bound == 0 || setrlimit((__rlimit_resource_t)resource, &limit) == 0) return;
  snprintf(text, sizeof text, "the limit on %s could not be set", what);
  say("warning", text);
}

/* Behind whoever looks at the run on the same machine: a picture is late sooner than a step. No privileges to gain, no core files beside
 * recordings, and the first to go when the machine runs out of memory: a killed worker goes on
 * from its checkpoint, a killed daemon takes the service down. */
static void settle(const worker_options *options, bool on_device)
{
  struct rlimit none = {0, 0};
  mem_return_large();
  if (!options->surface && !options->tasks) setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + 5);
  setrlimit(RLIMIT_CORE, &none);
  if (on_device)
    set_limit(RLIMIT_DATA, address_space_is_shadowed ? 0 : device_job_memory(options->memory_limit), "memory");
  else
    set_limit(RLIMIT_AS, address_space_is_shadowed ? 0 : options->memory_limit, "memory");
  set_limit(RLIMIT_FSIZE, options->file_limit, "file size");
  set_limit(RLIMIT_CPU, options->cpu_limit, "processor time");
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (fd < 0) return;
  if (write(fd, "500", 3) != 3) say("warning", "the out-of-memory score could not be set");
  close(fd);
}

/* Blocked before any thread begins, so that they wait in the descriptor until the stepping loop looks. */
static int catch_signals(void)
{
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGUSR1); /* a batch engine's word that its time limit is near */
  sigprocmask(SIG_BLOCK, &set, NULL);
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN); /* a file too large is an error of the write, which ends the run in good order */
  return signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

/* ── the conversation ─────────────────────────────────────────────────────────────────────────────────────────── */

static void send_message(worker *self, const control_message *message)
{
  if (!channel_send(&self->channel, message)) say("warning", "a message to the lab could not be sent");
}

/* The directory is another attempt's. Nothing is put away: that would be a write of a second writer. A kill costs no more. */
static void leave_to_another(void)
{
  say("warning", "another attempt has taken over this directory: stopping at once, without a checkpoint");
  _exit(WORKER_BUSY);
}

static scr_run_answer listen_to_lab(worker *self)
{
  struct signalfd_siginfo signal;
  if (self->signals >= 0 && read(self->signals, &signal, sizeof signal) == (ssize_t)sizeof signal) {
    say("info", "asked to stop by a signal");
    return SCR_RUN_STOP;
  }
  switch (channel_read(&self->channel)) {
  case CHANNEL_GO_ON: break;
  case CHANNEL_STOP: say("info", "asked to stop"); return SCR_RUN_STOP;
  case CHANNEL_CANCEL: say("info", "asked to cancel"); return SCR_RUN_CANCEL;
  case CHANNEL_LAB_GONE: say("info", "the daemon has stopped: saving a checkpoint and stopping"); return SCR_RUN_STOP;
  case CHANNEL_REPLACED: leave_to_another(); break;
  }
  return SCR_RUN_GO_ON;
}

static scr_run_answer report(void *user, const scr_run_progress *progress)
{
  worker *self = user;
  control_message message = {.version = CONTROL_VERSION,
                             .kind = CONTROL_HEARTBEAT,
                             .step = progress->step,
                             .step_count = progress->step_count,
                             .sim_time = progress->sim_time,
                             .duration = progress->duration,
                             .run_seconds = progress->run_seconds,
                             .steps_per_second = progress->steps_per_second,
                             .time_per_second = progress->time_per_second,
                             .headline_count = (uint32_t)progress->headline_count,
                             .last_seq = progress->last_seq};
  self->step = progress->step;
  memcpy(message.headlines, progress->headlines, sizeof message.headlines);
  memcpy(message.stage, progress->stage, sizeof message.stage);
  if (!self->resumed_said && progress->resumed) {
    char text[80];
    snprintf(text, sizeof text, "continuing from a checkpoint at step %" PRIu64, progress->step);
    say("info", text);
  }
  self->resumed_said = true;
  send_message(self, &message);
  return listen_to_lab(self);
}

/* Called from within long work: no other sign of life comes then. What the lab wants is heard between two steps, but for one thing. */
static void liveness(void *user)
{
  worker *self = user;
  const control_message message = {.version = CONTROL_VERSION, .kind = CONTROL_ALIVE};
  send_message(self, &message);
  if (self->channel.directory && channel_read(&self->channel) == CHANNEL_REPLACED) leave_to_another();
}

/* A full disk and a file at its limit are told apart from other failures of files: the lab treats them differently. */
static int exit_code_of(scr_status status, const char *text)
{
  if (status == SCR_IO && (strstr(text, strerror(ENOSPC)) || strstr(text, strerror(EDQUOT)))) return WORKER_DISK_FULL;
  if (status == SCR_IO && strstr(text, strerror(EFBIG))) return WORKER_LIMIT;
  return worker_exit_code_of(status);
}

static int end(worker *self, scr_status status, const char *text)
{
  int code = exit_code_of(status, text);
  control_message message = {.version = CONTROL_VERSION, .kind = CONTROL_RESULT, .status = (uint32_t)status, .step = self->step};
  char line[CONTROL_TEXT_BYTES + 64];
  snprintf(message.text, sizeof message.text, "%s", text);
  if (!channel_end(&self->channel, &message, code)) say("warning", "the last message to the lab could not be sent");
  snprintf(line, sizeof line, "ended: %s%s%s", scr_status_name(status), *text ? ": " : "", text);
  say(status == SCR_OK || status == SCR_STOPPED || status == SCR_CANCELLED ? "info" : "error", line);
  return code;
}

/* ── the run ──────────────────────────────────────────────────────────────────────────────────────────────────── */

static scr_status fail(scr_error *error, scr_status status, const char *doing, const char *path)
{
  error->code = status;
  snprintf(error->message, sizeof error->message, "could not %s %s: %s", doing, path, strerror(errno));
  return status;
}

static scr_status read_file(const char *path, char **text, size_t *length, scr_error *error)
{
  struct stat about;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0) return fail(error, errno == ENOENT ? SCR_BAD_FILE : SCR_IO, "open", path);
  if (fstat(fd, &about) != 0 || about.st_size < 0) {
    close(fd);
    return fail(error, SCR_IO, "look at", path);
  }
  *text = malloc((size_t)about.st_size + 1);
  *length = 0;
  ssize_t got = *text ? 1 : 0;
  while (got > 0 && *length < (size_t)about.st_size) {
    got = read(fd, *text + *length, (size_t)about.st_size - *length);
    if (got > 0) *length += (size_t)got;
  }
  close(fd);
  if (!*text) return fail(error, SCR_NO_MEMORY, "read", path);
  if (got >= 0) return SCR_OK;
  free(*text);
  *text = NULL;
  return fail(error, SCR_IO, "read", path);
}

/* The lab checked the scene against its own limits; the worker takes what the lab took. */
static scr_status load_scene(const char *directory, const char *assets, scr_scene **scene, scr_error *error)
{
  char path[4200];
  char *text = NULL;
  size_t length = 0;
  scr_problems problems = {0};
  const scr_limits limits = {.text_bytes = (size_t)1 << 32,
                             .memory_bytes = (size_t)1 << 50,
                             .step_count = (uint64_t)1 << 60,
                             .record_bytes = (uint64_t)1 << 60,
                             .asset_bytes = (uint64_t)1 << 50};
  if (snprintf(path, sizeof path, "%s/scene.json", directory) >= (int)sizeof path) {
    errno = ENAMETOOLONG;
    return fail(error, SCR_BAD_USAGE, "open scene.json in", "the directory given");
  }
  scr_status status = read_file(path, &text, &length, error);
  if (status != SCR_OK) return status;
  const scr_asset_source source = {.store = assets};
  status = scr_scene_parse_with(text, length, &limits, &source, scene, &problems);
  if (status != SCR_OK) {
    const char *pointer = problems.count ? problems.items[0].pointer : "",
               *detail = problems.count ? problems.items[0].detail : "out of memory";
    error->code = status;
    snprintf(error->message, sizeof error->message, "scene.json can't be run: %.100s%s%.400s", pointer, *pointer ? ": " : "", detail);
  }
  scr_problems_clear(&problems);
  free(text);
  return status;
}

/* The attempt before may still be in the directory on a machine that the batch engine has lost: its lock says so. It ends by itself when it
 * sees that this attempt has taken over. */
enum { busy_seconds = 30 };

static scr_status run(worker *self, const worker_options *options, scr_error *error)
{
  scr_scene *scene = NULL;
  scr_status status = load_scene(options->directory, options->assets, &scene, error);
  if (status != SCR_OK) return status;
  char text[160];
  snprintf(text, sizeof text, "%.60s, method %.30s, threads %u", scr_scene_name(scene), scr_scene_method(scene), options->threads);
  say("info", text);
  scr_run_options run_options = {.directory = options->directory,
                                 .threads = options->threads,
                                 .checkpoint_seconds = options->checkpoint_seconds,
                                 .progress_seconds = 0.05,
                                 .progress = report,
                                 .liveness = team_rank(self->team) == 0 ? liveness : NULL,
                                 .user = self};
  status = run_with_team(self->team, scene, &run_options, error);
  for (int i = 0; i < busy_seconds && self->channel.directory && !self->team && status == SCR_BUSY; i++) {
    if (listen_to_lab(self) != SCR_RUN_GO_ON) break;
    liveness(self);
    nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
    status = run_with_team(self->team, scene, &run_options, error);
  }
  if (self->team && self->team->rank == 0 && self->team->moves) {
    snprintf(text, sizeof text, "work was shared out anew %u times", self->team->moves);
    say("info", text);
  }
  scr_scene_destroy(scene);
  return status;
}

/* Other ranks than 0 have no lab and no files: they compute, and end with rank 0. */
static int follow(worker *self, const worker_options *options)
{
  scr_error error = {0};
  self->channel = channel_open(-1, NULL, 0);
  scr_status status = run(self, options, &error);
  if (status == SCR_OK || status == SCR_DIVERGED || status == SCR_CANCELLED || status == SCR_STOPPED) return WORKER_SUCCEEDED;
  say("error", error.message);
  return worker_exit_code_of(status);
}

/* A run over several ranks: mpirun, or srun within a batch engine's job, and this program's sibling do it, with the limits that this one
 * was given. */
static int lead_ranks(const worker_options *options, unsigned ranks)
{
  launch_programs programs;
  char why[LAUNCH_WHY_BYTES], seconds[40], memory[24], file[24], cpu[24], token[24];
  const bool by_engine = options->token > 0;
  worker self = {.channel = channel_open(options->control, by_engine ? options->directory : NULL, (int64_t)options->token), .signals = -1};
  if (!(by_engine ? launch_find_engine(NULL, &programs, why) : launch_find(NULL, &programs, why))) return end(&self, SCR_BAD_SCENE, why);
  snprintf(token, sizeof token, "%" PRIu64, options->token);
  snprintf(seconds, sizeof seconds, "%g", options->checkpoint_seconds);
  snprintf(memory, sizeof memory, "%" PRIu64, options->memory_limit);
  snprintf(file, sizeof file, "%" PRIu64, options->file_limit);
  snprintf(cpu, sizeof cpu, "%" PRIu64, options->cpu_limit);
  const char *more[] = {"--checkpoint-seconds",
                        seconds,
                        "--memory-limit",
                        memory,
                        "--file-limit",
                        file,
                        "--cpu-limit",
                        cpu,
                        options->assets ? "--assets" : NULL,
                        options->assets,
                        "--asset-names",
                        options->asset_names,
                        NULL};
  const char *named[sizeof more / sizeof *more + 2] = {"--token", token};
  memcpy(named + 2, more, sizeof more);
  if (by_engine) return launch_engine(&programs, options->directory, ranks, options->threads, named);
  return launch(&programs, options->directory, ranks, options->threads, options->control, more);
}

static int work(scr_team *team, int argc, char **argv)
{
  worker_options options;
  if (!read_options(argc, argv, &options)) {
    fputs("usage: scree-worker --directory DIR [--threads N] [--checkpoint-seconds S] [--control-fd FD] [--memory-limit BYTES] "
          "[--file-limit BYTES] [--cpu-limit SECONDS] [--assets DIR --asset-names DIGEST,...] [--token N]\n",
          stderr);
    return WORKER_BAD_USAGE;
  }
  if (options.devices) return device_job_list(CONTROL_FD);
  unsigned ranks = options.directory && !options.surface && !team ? launch_ranks(options.directory) : 1;
  if (ranks > 1) return lead_ranks(&options, ranks);
  if (options.launched && team_rank(team) == 0) options.control = launch_connect(options.directory);
  bool on_device = options.directory && !options.surface && device_job(options.directory);
  settle(&options, on_device);
  if (on_device) device_job_prepare(options.directory);
  char left[200];
  /* Sanitizers need what is given up. */
  const char *assets = options.tasks ? options.tasks : options.assets;
  if (!address_space_is_shadowed &&
      !confine(options.directory, assets, options.tasks ? NULL : options.asset_names, on_device, left, sizeof left))
    say("warning", left);
  if (options.tasks) return task_serve(CONTROL_FD, options.tasks);
  if (options.surface) {
    signal(SIGXFSZ, SIG_IGN); /* a file too large is an error of the write, which can be told */
    return surface_make(options.directory, options.surface, (int64_t)options.frame);
  }
  worker self = {.signals = catch_signals(), .team = team};
  if (team_rank(team) > 0) return follow(&self, &options);
  self.channel = channel_open(options.control, options.token > 0 ? options.directory : NULL, (int64_t)options.token);
  scr_error error = {0};
  if (options.control >= 0) fcntl(options.control, F_SETFD, FD_CLOEXEC);
  /* An order that came by the socket meanwhile stays there until the run looks; read here it would be lost. */
  if (self.channel.directory && channel_read(&self.channel) == CHANNEL_REPLACED) leave_to_another();
  scr_status status = run(&self, &options, &error);
  if (on_device) device_job_clean(options.directory);
  return end(&self, status, error.message);
}

int main(int argc, char **argv)
{
  scr_team *team = team_join(&argc, &argv);
  int code = work(team, argc, argv);
  bool together = code == WORKER_SUCCEEDED || code == WORKER_FAILED || code == WORKER_CANCELLED || code == WORKER_STOPPED;
  if (!together) team_abandon(team, code); /* the others would wait for ever */
  team_leave(team);
  return code;
}
