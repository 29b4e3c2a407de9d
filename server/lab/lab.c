/* The lab: opening, recovering, closing, and the whole of it at a glance. What users do with jobs is in lab_jobs.c.
 *
 * Opening: lock the data directory, open the store, settle what a dead lab left behind, then start the supervisor. */
#include "server/lab/lab.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "server/clock.h"
#include "server/log/job_log.h"
#include "server/lab/lab_internal.h"
#include "server/supervisor/verdict.h"

lab_config lab_config_default(void)
{
  return (lab_config){.slots = 1,
                      .max_attempts = 3,
                      .checkpoint_seconds = 10,
                      .lease_seconds = 60,
                      .slurm_slots = 64,
                      .slurm_poll_seconds = 5,
                      .slurm_signal_seconds = 60,
                      .queue_limit = 10000,
                      .disk_reserve_bytes = 256ull << 20,
                      .verify_days = 7,
                      .asset_quota = 16ull << 30,
                      .asset_days = 30,
                      .limits = scr_limits_default()};
}

static scr_status check_config(const lab_config *config, scr_error *error)
{
  const char *worker = config->worker_path;
  if (config->slots < 1 || config->slots > 1024)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "the number of jobs run at once is %u; it must be 1 to 1024", config->slots);
  if (config->max_attempts < 1 || config->max_attempts > 1000)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "the number of attempts is %d; it must be 1 to 1000", config->max_attempts);
  if (!(config->lease_seconds >= 0.1 && config->lease_seconds <= 86400))
    return scr_fail(error, SCR_BAD_USAGE, NULL, "the lease is %g s; it must be 0.1 s to 86400 s", config->lease_seconds);
  if (!(config->checkpoint_seconds > 0 && isfinite(config->checkpoint_seconds)))
    return scr_fail(error, SCR_BAD_USAGE, NULL, "the time between checkpoints is %g s; it must be above 0 s", config->checkpoint_seconds);
  if (!(config->asset_days >= 0 && config->asset_days <= 36500))
    return scr_fail(error, SCR_BAD_USAGE, NULL, "the days that an asset is kept without a job are %g; they must be 0 to 36500",
                    config->asset_days);
  if (!(config->verify_days >= 0 && config->verify_days <= 36500))
    return scr_fail(error, SCR_BAD_USAGE, NULL, "the days between two readings of a recording are %g; they must be 0 to 36500",
                    config->verify_days);
  if (!worker || worker[0] != '/')
    return scr_fail(error, SCR_BAD_USAGE, NULL, "the path of the worker program is '%s'; it must be absolute", worker ? worker : "");
  if (access(worker, X_OK) != 0)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "the worker program %s can't be executed: %s; build or install it, or say where it is",
                    worker, strerror(errno));
  return SCR_OK;
}

/* ── recovery ─────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Whether an attempt that has not ended goes on without its lab, and is to be adopted. */
static bool is_lasting(const lab *self, const char *executor_name)
{
  const executor *where = lab_find_executor(self, executor_name);
  return where && where->lasting;
}

/* A dead lab's attempts are nobody's fault: they go back to the queue uncounted, are ended by what their recording says, or go on where
 * they are. */
static scr_status recover_running(lab *self, scr_error *error)
{
  store_orphan *orphans;
  size_t count;
  scr_status status = store_running(self->store, &orphans, &count, error);
  for (size_t i = 0; i < count && status == SCR_OK; i++) {
    char directory[DATA_PATH_BYTES + 64];
    recording_end recording;
    bool held;
    lab_job job = {0};
    if (!data_job_path(&self->data, orphans[i].id, NULL, directory, sizeof directory)) directory[0] = 0;
    status = recording_end_read(directory, &recording, error);
    if (status != SCR_OK) break;
    if (!recording.ended && is_lasting(self, orphans[i].executor)) continue;
    attempt_outcome outcome = recording.ended ? recording.outcome : ATTEMPT_STOPPED;
    const char *message = recording.ended && outcome == ATTEMPT_FAILED ? recording.message : "";
    bool found;
    status = store_get(self->store, orphans[i].id, &job, &found, error);
    if (status != SCR_OK) break;
    job.record_count = recording.last_seq;
    snprintf(job.record_digest, sizeof job.record_digest, "%s", recording.digest);
    job.doubt_count = recording.doubt_count;
    memcpy(job.doubts, recording.doubts, sizeof job.doubts);
    store_ending ending = {.outcome = outcome, .message = message, .progress = &job, .need_bytes = -1, .now_ms = clock_wall_ms()};
    lab_job after = {0};
    status = store_finish(self->store, orphans[i].id, orphans[i].token, &ending, &held, &after, error);
    if (status == SCR_OK && held) job_log_recovered(self->config.log, outcome, &after);
  }
  free(orphans);
  return status;
}

/* Jobs that wait for an executor that this lab does not have. */
static scr_status move_jobs(lab *self, scr_error *error)
{
  size_t moved;
  const char *first = self->places[0].executor->name, *second = self->place_count > 1 ? self->places[1].executor->name : "";
  SCR_TRY(store_move_jobs(self->store, first, second, &moved, error));
  if (moved > 0)
    log_write(self->config.log, LOG_LEVEL_WARNING, "jobs_moved",
              LOG_FIELDS(log_integer("count", (int64_t)moved), log_text("executor", first),
                         log_text("reason", "they waited for an executor that this lab no longer has")));
  return SCR_OK;
}

static bool has_row(lab *self, int64_t id, bool *known)
{
  lab_job job;
  bool found = false;
  *known = store_get(self->store, id, &job, &found, NULL) == SCR_OK;
  return found;
}

/* What has no row and no recording was never run, or is left from a submission that did not reach the store; anything recorded is kept. */
static void remove_unrun_job(void *user, int64_t id, data_content content)
{
  lab *self = user;
  bool known;
  if (id > self->last_directory) self->last_directory = id;
  if (has_row(self, id, &known) || !known || content.recording) return;
  if (data_job_to_trash(&self->data, id, NULL) == SCR_OK) data_trash_remove(&self->data, id);
}

/* A deletion that was cut off: undone while all files are there, else finished. */
static void finish_deletion(void *user, int64_t id, data_content content)
{
  lab *self = user;
  bool known, gone = false;
  bool row = has_row(self, id, &known);
  if (!known) return;
  if (row && content.scene) {
    data_job_from_trash(&self->data, id);
    return;
  }
  if (row && store_delete(self->store, id, clock_wall_ms(), &gone, NULL) != SCR_OK) gone = false;
  if (!row || gone) data_trash_remove(&self->data, id);
}

static scr_status recover(lab *self, scr_error *error)
{
  int64_t last = 0;
  SCR_TRY(store_last_id(self->store, &last, error));
  data_each(&self->data, true, finish_deletion, self);
  data_each(&self->data, false, remove_unrun_job, self);
  SCR_TRY(recover_running(self, error));
  SCR_TRY(move_jobs(self, error));
  SCR_TRY(lab_asset_recover(self, error));
  /* A directory kept without a row (a store restored from a backup) must not meet a new job of its number. */
  atomic_store(&self->next_id, (last > self->last_directory ? last : self->last_directory) + 1);
  return SCR_OK;
}

/* ── opening and closing ──────────────────────────────────────────────────────────────────────────────────────── */

/* Half of the reserve, within bounds: what a few hundred verdicts and deletions need. */
static uint64_t reserve_file_bytes(uint64_t reserve)
{
  const uint64_t least = 1 << 20, most = 4 << 20;
  return reserve / 2 < least ? least : reserve / 2 > most ? most : reserve / 2;
}

static void wake_studies(void *user)
{
  study_runner_wake(user);
}

static supervisor_config plan_supervision(lab *self, const lab_config *config)
{
  return (supervisor_config){.data = &self->data,
                             .store = self->store,
                             .worker_path = self->worker_path,
                             .places = {self->places[0], self->places[1]},
                             .place_count = self->place_count,
                             .threads_per_job = self->config.threads_per_job,
                             .threads_by_work = config->threads_per_job == 0,
                             .reserve_bytes = (double)config->disk_reserve_bytes,
                             .checkpoint_seconds = config->checkpoint_seconds,
                             .lease_seconds = config->lease_seconds,
                             .log = config->log,
                             .settled = wake_studies,
                             .user = self->studies};
}

static void recording_marked(void *user, int64_t id)
{
  lab *self = user;
  supervisor_notice(self->supervisor, id, LAB_EVENT_JOB);
}

static void sweep_assets(void *user)
{
  lab_asset_sweep(user);
}

static scr_status start_checks(lab *self, scr_error *error)
{
  recording_checks_config config = {
      .data = &self->data,
      .store = self->store,
      .days = self->config.verify_days,
      .log = self->config.log,
      .changed = recording_marked,
      .sweep = sweep_assets,
      .sweep_ms = (int64_t)fmin(60e3, fmax(500, self->config.asset_days > 0 ? self->config.asset_days * 86400e3 : 60e3)),
      .user = self};
  return recording_checks_start(&config, &self->checks, error);
}

static scr_status open_parts(lab *self, const lab_config *config, scr_error *error)
{
  char path[DATA_PATH_BYTES + 16];
  SCR_TRY(data_open(&self->data, config->data_directory, config->allow_network_filesystem, error));
  snprintf(path, sizeof path, "%s/scree.db", self->data.path);
  SCR_TRY(store_open(path, &self->store, error));
  SCR_TRY(lab_make_executors(self, config, error));
  SCR_TRY(recover(self, error));
  lab_report_unclaimed(self);
  store_keep_reserve(self->store, reserve_file_bytes(config->disk_reserve_bytes));
  self->studies = study_runner_create(self);
  if (!self->studies) return scr_fail_memory(error, "the lab", sizeof *self);
  supervisor_config supervision = plan_supervision(self, config);
  self->tasks = task_pool_create(self->worker_path, self->data.assets_path, &self->draining);
  if (!self->tasks) return scr_fail_memory(error, "the lab", sizeof *self);
  SCR_TRY(supervisor_start(&supervision, &self->supervisor, error));
  SCR_TRY(study_runner_start(self->studies, error));
  return start_checks(self, error);
}

scr_status lab_open(const lab_config *config, lab **out, scr_error *error)
{
  *out = NULL;
  SCR_TRY(check_config(config, error));
  lab *self = calloc(1, sizeof *self);
  if (!self) return scr_fail_memory(error, "the lab", sizeof *self);
  self->config = *config;
  lab_devices_begin(self);
  self->data.lock = self->data.jobs = self->data.trash = self->data.assets = -1;
  self->worker_path = strdup(config->worker_path);
  scr_status status = self->worker_path ? open_parts(self, config, error) : scr_fail_memory(error, "the lab", strlen(config->worker_path));
  /* The caller's strings may go; ours are in data.path and worker_path. */
  self->config.data_directory = self->data.path;
  self->config.worker_path = self->worker_path;
  if (status != SCR_OK) {
    lab_close(self, 0);
    return status;
  }
  *out = self;
  return SCR_OK;
}

void lab_close(lab *self, double grace_seconds)
{
  if (!self) return;
  atomic_store(&self->draining, true);
  recording_checks_stop(self->checks);
  study_runner_stop(self->studies);
  task_pool_destroy(self->tasks);
  supervisor_stop(self->supervisor, grace_seconds);
  study_runner_destroy(self->studies);
  lab_destroy_executors(self);
  store_close(self->store);
  data_close(&self->data);
  lab_devices_end(self);
  free(self->worker_path);
  free(self);
}

void lab_drain(lab *self)
{
  atomic_store(&self->draining, true);
  supervisor_drain(self->supervisor);
}

void lab_listen(lab *self, void (*listener)(void *user, int64_t id, lab_event event), void *user)
{
  supervisor_listen(self->supervisor, listener, user);
}

const scr_limits *lab_limits(const lab *self)
{
  return &self->config.limits;
}

/* ── the whole ────────────────────────────────────────────────────────────────────────────────────────────────── */

bool lab_draining(const lab *self)
{
  return atomic_load(&self->draining);
}

bool lab_ready(lab *self, char *reason, size_t capacity)
{
  uint64_t available = lab_free_bytes(self);
  if (atomic_load(&self->draining))
    snprintf(reason, capacity, "shutting down");
  else if (!store_answers(self->store))
    snprintf(reason, capacity, "the store does not answer");
  else if (available < self->config.disk_reserve_bytes)
    snprintf(reason, capacity, "the disk has %.3g MB free; %.3g MB are kept in reserve: free some space", (double)available / 1e6,
             (double)self->config.disk_reserve_bytes / 1e6);
  else if (access(self->worker_path, X_OK) != 0)
    snprintf(reason, capacity, "the worker program %s can't be executed: %s", self->worker_path, strerror(errno));
  else {
    snprintf(reason, capacity, "%s", "");
    return true;
  }
  return false;
}

lab_status lab_count(lab *self, lab_totals *totals, scr_error *error)
{
  size_t counts[JOB_CANCELLED + 1];
  if (store_count(self->store, counts, error) != SCR_OK) return LAB_FAILED;
  *totals = (lab_totals){.queued = counts[JOB_QUEUED],
                         .running = counts[JOB_RUNNING],
                         .paused = counts[JOB_PAUSED],
                         .ended = counts[JOB_SUCCEEDED] + counts[JOB_FAILED] + counts[JOB_CANCELLED],
                         .workers = supervisor_workers(self->supervisor),
                         .disk_free_bytes = data_free_bytes(&self->data),
                         .slots = lab_slots(self)};
  return LAB_OK;
}
