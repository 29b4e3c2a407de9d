/* One loop: which recording is due, read it, note what was found, rest. */
#include "server/recording_check.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "server/clock.h"
#include "server/log/job_log.h"

enum {
  SHORTEST_REST_MS =
      50, /* between two files; else as long as reading the last one took, so that a disk is free half of the time at least */
  LONGEST_REST_MS = 5000,
  WORK_MS = 20, /* of reading one file, between rests as long */
  MISSING_MS = 1000
};

struct recording_checks {
  recording_checks_config config; /* constant */
  pthread_t thread;
  pthread_mutex_t mutex; /* guards `ending` */
  pthread_cond_t ended;
  bool ending;
};

/* Waits; false when it is to end. */
static bool rest(recording_checks *self, int64_t milliseconds)
{
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_sec += (time_t)(milliseconds / 1000);
  until.tv_nsec += (long)(milliseconds % 1000) * 1000000;
  if (until.tv_nsec >= 1000000000) {
    until.tv_sec++;
    until.tv_nsec -= 1000000000;
  }
  pthread_mutex_lock(&self->mutex);
  while (!self->ending && pthread_cond_timedwait(&self->ended, &self->mutex, &until) == 0) continue;
  bool going_on = !self->ending;
  pthread_mutex_unlock(&self->mutex);
  return going_on;
}

/* Reads record after record until one is not whole, with rests. False when it is to end. */
static bool read_gently(recording_checks *self, scr_recording *recording)
{
  bool whole = true;
  int64_t begun = clock_monotonic_ms();
  uint64_t count = scr_recording_count(recording);
  for (uint64_t seq = 1; seq <= count && whole; seq++) {
    if (scr_recording_check_record(recording, seq, &whole, NULL) != SCR_OK) return true; /* the check as a whole meets it again */
    int64_t took = clock_monotonic_ms() - begun;
    if (took < WORK_MS) continue;
    if (!rest(self, took)) return false;
    begun = clock_monotonic_ms();
  }
  return rest(self, 0);
}

static void compare(const lab_job *job, const scr_check *check, lab_damage *damage)
{
  damage->intact = check->records;
  damage->expected = check->expected;
  if (check->integrity == SCR_DAMAGED)
    snprintf(damage->message, sizeof damage->message, "%s", check->message);
  else if (job->record_digest[0] && check->digest[0] && strcmp(job->record_digest, check->digest) != 0)
    snprintf(damage->message, sizeof damage->message,
             "its records are intact, but their digest differs from that of the records of this job: the file was replaced");
}

/* Whether a recording that can't be opened is gone while its job is not being deleted. */
static bool is_missing(recording_checks *self, int64_t id, const char *path)
{
  lab_job job;
  bool found = false;
  if (access(path, F_OK) == 0 || errno != ENOENT || !rest(self, MISSING_MS)) return false;
  return store_get(self->config.store, id, &job, &found, NULL) == SCR_OK && found && access(path, F_OK) != 0 && errno == ENOENT;
}

/* Reads one recording. False when nothing can be said now. */
static bool read_over(recording_checks *self, const lab_job *job, lab_damage *damage)
{
  char path[DATA_PATH_BYTES + 64];
  scr_recording *recording = NULL;
  scr_error error = {0};
  *damage = (lab_damage){0};
  if (!data_job_path(self->config.data, job->id, "recording.scree", path, sizeof path)) return false;
  scr_status status = scr_recording_open(path, &recording, &error);
  bool read = status == SCR_OK && read_gently(self, recording);
  if (read) {
    scr_check check;
    status = scr_recording_verify(recording, job->progress.last_seq, &check, &error);
    if (status == SCR_OK) compare(job, &check, damage);
    read = status == SCR_OK;
  }
  scr_recording_close(recording);
  if (status == SCR_BAD_FILE || is_missing(self, job->id, path)) {
    damage->expected = job->progress.last_seq;
    snprintf(damage->message, sizeof damage->message, "%.*s", (int)sizeof damage->message - 1,
             status == SCR_BAD_FILE ? error.message : "its file is missing");
    return true;
  }
  return read;
}

static void check_one(recording_checks *self, int64_t id)
{
  lab_damage damage;
  bool found = false, changed = false;
  lab_job *job = calloc(1, sizeof *job);
  if (job && store_get(self->config.store, id, job, &found, NULL) == SCR_OK && found && read_over(self, job, &damage) &&
      store_note_check(self->config.store, id, &damage, clock_wall_ms(), &changed, NULL) == SCR_OK && changed) {
    job_log_recording(self->config.log, id, &damage);
    self->config.changed(self->config.user, id);
  }
  free(job);
}

/* Checks what is due; how long to wait then. One that nothing could be said about is looked at again after the longest wait. */
static int64_t check_due(recording_checks *self)
{
  store_due_check due, next;
  int64_t period = (int64_t)(self->config.days * 86400e3), now = clock_wall_ms(), begun = clock_monotonic_ms();
  self->config.sweep(self->config.user);
  if (period == 0) return self->config.sweep_ms;
  if (store_next_check(self->config.store, &due, NULL) != SCR_OK || due.id == 0)
    return period < self->config.sweep_ms ? period : self->config.sweep_ms;
  if (due.verified_ms + period > now)
    return due.verified_ms + period - now < self->config.sweep_ms ? due.verified_ms + period - now : self->config.sweep_ms;
  check_one(self, due.id);
  if (store_next_check(self->config.store, &next, NULL) == SCR_OK && next.id == due.id && next.verified_ms == due.verified_ms)
    return self->config.sweep_ms;
  int64_t took = clock_monotonic_ms() - begun;
  return took < SHORTEST_REST_MS ? SHORTEST_REST_MS : took > LONGEST_REST_MS ? LONGEST_REST_MS : took;
}

/* Of this thread alone: on Linux both are a thread's. The class `idle` gets the disk when nobody else wants it. */
static void step_back(void)
{
  enum { PRIORITY_OF_PROCESS = 1, CLASS_SHIFT = 13, CLASS_IDLE = 3 };
  (void)setpriority(PRIO_PROCESS, (id_t)gettid(), 19);
  (void)syscall(SYS_ioprio_set, PRIORITY_OF_PROCESS, 0, CLASS_IDLE << CLASS_SHIFT);
}

static void *checks_main(void *argument)
{
  recording_checks *self = argument;
  step_back();
  for (int64_t wait = SHORTEST_REST_MS; rest(self, wait > 0 ? wait : 1);) wait = check_due(self);
  return NULL;
}

static void destroy(recording_checks *self)
{
  pthread_cond_destroy(&self->ended);
  pthread_mutex_destroy(&self->mutex);
  free(self);
}

scr_status recording_checks_start(const recording_checks_config *config, recording_checks **out, scr_error *error)
{
  sigset_t all, before;
  pthread_condattr_t attributes;
  *out = NULL;
  recording_checks *self = calloc(1, sizeof *self);
  if (!self) return scr_fail_memory(error, "the checks of recordings", sizeof *self);
  self->config = *config;
  pthread_mutex_init(&self->mutex, NULL);
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(&self->ended, &attributes);
  pthread_condattr_destroy(&attributes);
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are the main program's */
  int code = pthread_create(&self->thread, NULL, checks_main, self);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (code != 0) {
    destroy(self);
    return scr_fail_io(error, "start", "the thread that reads recordings over", code);
  }
  *out = self;
  return SCR_OK;
}

void recording_checks_stop(recording_checks *self)
{
  if (!self) return;
  pthread_mutex_lock(&self->mutex);
  self->ending = true;
  pthread_cond_signal(&self->ended);
  pthread_mutex_unlock(&self->mutex);
  pthread_join(self->thread, NULL);
  destroy(self);
}
