/* The functions of executor.h, called by the supervisor's thread: they leave requests and read what the engine's thread found. And the
 * lab's own files: its name among other labs that use the same Slurm, and the script that Slurm runs. */
#include "server/executor/slurm/slurm.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "server/clock.h"
#include "server/executor/slurm/slurm_internal.h"

static const char prefix[] = "slurm:";

/* ── runs ── */

/* The path by which nodes reach it: folders of the data directory may be links into a shared file system. */
static char *path_on_nodes(const char *path)
{
  char *resolved = realpath(path, NULL);
  return resolved ? resolved : strdup(path);
}

static slurm_run *make_run(slurm_executor *self, const worker_request *request)
{
  slurm_run *run = calloc(1, sizeof *run);
  if (!run) return NULL;
  run->owner = self;
  run->request = *request;
  run->request.worker_path = strdup(request->worker_path);
  run->request.directory = path_on_nodes(request->directory);
  run->request.assets = request->assets ? path_on_nodes(request->assets) : NULL;
  run->request.asset_names = strdup(request->asset_names ? request->asset_names : "");
  if (!run->request.worker_path || !run->request.directory || !run->request.asset_names || (request->assets && !run->request.assets)) {
    slurm_free_run(run);
    return NULL;
  }
  snprintf(run->name.lab, sizeof run->name.lab, "%s", self->lab);
  run->name.job = request->job;
  run->name.token = request->token;
  char name[SLURM_NAME_BYTES];
  slurm_name_write(&run->name, name);
  snprintf(run->run.handle, sizeof run->run.handle, "%s%s", prefix, name);
  for (size_t i = 0; i < EXECUTOR_DESCRIPTORS; i++) run->run.descriptors[i] = -1;
  run->born = clock_monotonic_ms();
  return run;
}

static void publish(slurm_executor *self, slurm_run *run)
{
  pthread_mutex_lock(&self->mutex);
  run->next = self->runs;
  self->runs = run;
  pthread_cond_signal(&self->wake);
  pthread_mutex_unlock(&self->mutex);
}

static scr_status begin(executor *calls, const worker_request *request, bool adopted, executor_run **out, scr_error *error)
{
  slurm_executor *self = (slurm_executor *)calls;
  *out = NULL;
  if (strpbrk(request->directory, "%\\") != NULL)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "Slurm can't write a log into %s: a path with '%%' or '\\' means something else to it",
                    request->directory);
  slurm_run *run = make_run(self, request);
  if (!run) return scr_fail_memory(error, "an attempt", sizeof *run);
  run->adopted = adopted;
  run->stage = adopted ? STAGE_UNSURE : STAGE_UNSENT;
  run->state = (executor_state){.phase = adopted ? EXECUTOR_UNKNOWN : EXECUTOR_QUEUED};
  snprintf(run->state.reason, sizeof run->state.reason, "%s", adopted ? "is looked for at Slurm" : "is being sent to Slurm");
  publish(self, run);
  *out = &run->run;
  return SCR_OK;
}

static scr_status start(executor *calls, const worker_request *request, executor_run **out, scr_error *error)
{
  return begin(calls, request, false, out, error);
}

static scr_status adopt(executor *calls, const worker_request *request, executor_run **out, scr_error *error)
{
  return begin(calls, request, true, out, error);
}

static void adopted(executor *calls)
{
  slurm_executor *self = (slurm_executor *)calls;
  pthread_mutex_lock(&self->mutex);
  self->all_adopted = true;
  pthread_mutex_unlock(&self->mutex);
}

static void poll_run(executor_run *calls, executor_state *state)
{
  slurm_run *run = (slurm_run *)calls;
  pthread_mutex_lock(&run->owner->mutex);
  *state = run->state;
  pthread_mutex_unlock(&run->owner->mutex);
}

static bool receive(executor_run *calls, control_message *message)
{
  slurm_run *run = (slurm_run *)calls;
  pthread_mutex_lock(&run->owner->mutex);
  bool has = run->has_message;
  if (has) *message = run->message;
  run->has_message = false;
  pthread_mutex_unlock(&run->owner->mutex);
  return has;
}

static void signal_run(executor_run *calls, executor_signal signal)
{
  slurm_run *run = (slurm_run *)calls;
  pthread_mutex_lock(&run->owner->mutex);
  switch (signal) {
  case EXECUTOR_STOP:
    if (run->wanted == 0) run->wanted = CONTROL_STOP;
    break;
  case EXECUTOR_CANCEL: run->wanted = CONTROL_CANCEL; break;
  case EXECUTOR_TERMINATE: run->terminate = true; break;
  case EXECUTOR_KILL: run->kill = true; break;
  }
  pthread_cond_signal(&run->owner->wake);
  pthread_mutex_unlock(&run->owner->mutex);
}

static void close_run(executor_run *calls)
{
  slurm_run *run = (slurm_run *)calls;
  if (!run) return;
  pthread_mutex_lock(&run->owner->mutex);
  run->closed = true;
  if (run->state.phase != EXECUTOR_ENDED) run->owner->all_adopted = false; /* it is left to the next lab, and no orphan */
  pthread_mutex_unlock(&run->owner->mutex);
}

/* What a handle names is either adopted, or found in Slurm's queue and ended as an orphan (slurm_queue.c). */
static bool cancel(executor *calls, const char *handle, const char *directory)
{
  (void)calls, (void)handle, (void)directory;
  return false;
}

static executor_capacity capacity_of(executor *calls)
{
  const slurm_executor *self = (const slurm_executor *)calls;
  return (executor_capacity){.threads = self->config.threads, .memory_bytes = 1e18};
}

static bool check(const executor *calls, const executor_options *options, char *problem, size_t capacity)
{
  (void)calls;
  for (size_t i = 0; i < EXECUTOR_WORDS; i++) {
    const executor_word *word = &executor_words[i];
    const char *value = executor_word_in(options, i);
    if (slurm_word_is_plain(value, word->expression)) continue;
    snprintf(problem, capacity, "the %s '%.60s' is not a valid Slurm name: use letters, digits and %s, and do not begin with '-'",
             word->name, value, word->expression ? "_-.+&|,*()[]@:=" : "_-.,+@:");
    return false;
  }
  if (options->time_limit == 0 || (options->time_limit >= 60 && options->time_limit <= 31536000)) return true;
  snprintf(problem, capacity, "the time limit is %g s; it must be 60 s to 31536000 s (a year)", options->time_limit);
  return false;
}

static void note_waiting(const slurm_run *run, executor_report *report)
{
  if (report->waiting_count == EXECUTOR_WAITING_LIMIT) return;
  executor_waiting *waiting = &report->waiting[report->waiting_count++];
  *waiting = (executor_waiting){.job = run->name.job, .for_ever = strncmp(run->state.reason, "will never", 10) == 0};
  memcpy(waiting->reason, run->state.reason, sizeof waiting->reason);
}

static void fill_report(executor *calls, executor_report *report)
{
  slurm_executor *self = (slurm_executor *)calls;
  pthread_mutex_lock(&self->mutex);
  *report = self->report;
  report->capacity = capacity_of(calls);
  for (const slurm_run *run = self->runs; run; run = run->next) {
    if (run->closed || run->state.phase == EXECUTOR_ENDED) continue;
    if (run->state.phase == EXECUTOR_RUNNING) {
      report->running++;
    } else {
      report->queued++;
      note_waiting(run, report);
    }
  }
  pthread_mutex_unlock(&self->mutex);
}

static void destroy(executor *calls)
{
  slurm_executor *self = (slurm_executor *)calls;
  if (!self) return;
  atomic_store(&self->stop, true);
  pthread_mutex_lock(&self->mutex);
  pthread_cond_signal(&self->wake);
  pthread_mutex_unlock(&self->mutex);
  if (self->threaded) pthread_join(self->thread, NULL);
  for (slurm_run *run = self->runs, *next; run; run = next) {
    next = run->next;
    slurm_free_run(run);
  }
  pthread_cond_destroy(&self->wake);
  pthread_mutex_destroy(&self->mutex);
  free(self);
}

/* ── the lab's own files ── */

static scr_status read_lab(slurm_executor *self, const char *path, bool *found, scr_error *error)
{
  char text[SLURM_LAB_DIGITS + 2] = "";
  *found = false;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return errno == ENOENT ? SCR_OK : scr_fail_io(error, "open", path, errno);
  ssize_t size = read(fd, text, SLURM_LAB_DIGITS);
  close(fd);
  if (size != SLURM_LAB_DIGITS || strspn(text, "0123456789abcdef") != SLURM_LAB_DIGITS)
    return scr_fail(error, SCR_BAD_FILE, NULL,
                    "%s is damaged: by its %d digits this lab's jobs are found at Slurm. Restore it, or remove it when "
                    "none of them is there",
                    path, SLURM_LAB_DIGITS);
  memcpy(self->lab, text, SLURM_LAB_DIGITS);
  *found = true;
  return SCR_OK;
}

static scr_status make_lab(slurm_executor *self, const char *path, scr_error *error)
{
  uint64_t number = 0;
  if (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number) return scr_fail_io(error, "take a random number for", path, errno);
  snprintf(self->lab, sizeof self->lab, "%016llx", (unsigned long long)number);
  return scr_write_file(path, self->lab, SLURM_LAB_DIGITS, error);
}

/* exec: signals that Slurm sends to the batch script reach the worker itself. */
static const char script_text[] = "#!/bin/sh\n"
                                  "# Slurm runs this for an attempt of a Scree job: the worker and its arguments are those of the script.\n"
                                  "exec \"$@\"\n";

static scr_status prepare_files(slurm_executor *self, scr_error *error)
{
  char folder[PATH_MAX], lab[PATH_MAX];
  bool found;
  if ((size_t)snprintf(folder, sizeof folder, "%.3900s/slurm", self->data) >= sizeof folder ||
      (size_t)snprintf(lab, sizeof lab, "%.4000s/lab", folder) >= sizeof lab ||
      (size_t)snprintf(self->script, sizeof self->script, "%.4000s/attempt.sh", folder) >= sizeof self->script)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "the path of the data directory is too long");
  if (mkdir(folder, 0700) != 0 && errno != EEXIST) return scr_fail_io(error, "create", folder, errno);
  SCR_TRY(read_lab(self, lab, &found, error));
  if (!found) SCR_TRY(make_lab(self, lab, error));
  return scr_write_file(self->script, script_text, sizeof script_text - 1, error);
}

static scr_status find_programs(slurm_executor *self, scr_error *error)
{
  const struct {
    const char *name;
    char *path;
  } programs[] = {{"sbatch", self->sbatch}, {"squeue", self->squeue}, {"scancel", self->scancel}, {"sinfo", self->sinfo}};
  for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
    if (!command_find(programs[i].name, programs[i].path, PATH_MAX))
      return scr_fail(
          error, SCR_BAD_USAGE, NULL,
          "Slurm's program %s is not in PATH: install Slurm's commands on this machine (Debian: slurm-client), or leave slurm out "
          "of --executor",
          programs[i].name);
  return SCR_OK;
}

static scr_status start_thread(slurm_executor *self, scr_error *error)
{
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are the main program's */
  int code = pthread_create(&self->thread, NULL, slurm_engine_main, self);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (code != 0) return scr_fail_io(error, "start", "the thread that speaks with Slurm", code);
  self->threaded = true;
  return SCR_OK;
}

static scr_status set_up(slurm_executor *self, const slurm_config *config, scr_error *error)
{
  char problem[300] = "";
  snprintf(self->data, sizeof self->data, "%.4000s", config->data_directory);
  self->config.data_directory = self->data;
  if (!check(&self->calls, &config->options, problem, sizeof problem)) return scr_fail(error, SCR_BAD_USAGE, NULL, "%s", problem);
  SCR_TRY(find_programs(self, error));
  SCR_TRY(prepare_files(self, error));
  return start_thread(self, error);
}

scr_status executor_slurm_create(const slurm_config *config, executor **out, scr_error *error)
{
  *out = NULL;
  slurm_executor *self = calloc(1, sizeof *self);
  if (!self) return scr_fail_memory(error, "the Slurm executor", sizeof *self);
  self->config = *config;
  pthread_mutex_init(&self->mutex, NULL);
  pthread_condattr_t clock;
  pthread_condattr_init(&clock);
  pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
  pthread_cond_init(&self->wake, &clock);
  pthread_condattr_destroy(&clock);
  self->report.is_engine = true;
  snprintf(self->report.reason, sizeof self->report.reason, "Slurm has not answered yet");
  self->calls = (executor){.name = "slurm",
                           .poll_ms = slurm_cycle_ms(config),
                           .lasting = true,
                           .start = start,
                           .poll = poll_run,
                           .receive = receive,
                           .signal = signal_run,
                           .cancel = cancel,
                           .adopt = adopt,
                           .adopted = adopted,
                           .check = check,
                           .report = fill_report,
                           .close = close_run,
                           .capacity = capacity_of,
                           .destroy = destroy};
  scr_status status = set_up(self, config, error);
  if (status != SCR_OK)
    destroy(&self->calls);
  else
    *out = &self->calls;
  return status;
}
