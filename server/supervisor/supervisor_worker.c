/* The life of one worker, from the claim to the verdict in the store. Everything here runs on the supervisor's thread.
 *
 * A worker that goes silent for the length of its lease is killed with all below it. Only when its process has been reaped is the attempt
 * finished, so the next attempt never meets a living one of this lab. One of a dead lab still holds the directory's lock: then the new
 * worker says WORKER_BUSY and the job waits; should the old one hang for longer than a lease, it is killed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include "server/clock.h"
#include "server/log/job_log.h"
#include "server/supervisor/supervisor_internal.h"

enum { messages_at_once = 64, ASSETS_OF_A_JOB = 64 /* as a scene may have */ };

static int64_t lease_ms(const supervisor *self)
{
  return (int64_t)(self->config.lease_seconds * 1000);
}

static void watch(const supervisor *self, int fd)
{
  /* Without a watch the slot is still served, only later: the loop looks at every slot whenever it wakes. */
  struct epoll_event event = {.events = EPOLLIN | EPOLLRDHUP, .data.fd = fd};
  if (fd >= 0) epoll_ctl(self->epoll, EPOLL_CTL_ADD, fd, &event);
}

/* A backstop against a run that grows without bound, far above what a sound one needs: address space is more than memory in use. */
static uint64_t memory_limit(double estimated_bytes, unsigned threads)
{
  const double spare = 2147483648.0, per_thread = 134217728.0;
  return isfinite(estimated_bytes) ? (uint64_t)(4 * estimated_bytes + spare + per_thread * threads) : 0;
}

/* Backstops against a run that writes or computes without end, far above what a sound one needs: estimates may be several times too low. */
static double file_limit(const store_claim *claim)
{
  const double spare = 268435456.0;
  double state = isfinite(claim->memory_bytes) ? claim->memory_bytes : (double)NAN;
  return 4 * fmax(claim->record_bytes, state) + spare;
}

static double cpu_limit(const store_claim *claim)
{
  const double spare = 3600.0;
  return 50 * claim->seconds + spare;
}

static uint64_t limit_of(double limit)
{
  return isfinite(limit) && limit > 0 && limit < 9e18 ? (uint64_t)limit : 0;
}

/* The directory with its scene is made now, from what the store holds; a job from before has it already. */
static scr_status make_directory(const supervisor *self, int64_t id, scr_error *error)
{
  char *scene = NULL;
  size_t length;
  bool found;
  if (data_job_exists(self->config.data, id)) return SCR_OK;
  SCR_TRY(store_scene(self->config.store, id, &scene, &length, &found, error));
  scr_status status =
      scene ? data_job_create(self->config.data, id, scene, error) : SCR_OK; /* without one the worker says what is missing */
  free(scene);
  return status;
}

typedef scr_status run_starter(executor *self, const worker_request *request, executor_run **run, scr_error *error);

/* Calls an executor's `start` or `adopt`. */
static scr_status start_worker(const supervisor *self, worker_slot *slot, const store_claim *claim, run_starter *starter, scr_error *error)
{
  const supervisor_config *config = &self->config;
  char directory[DATA_PATH_BYTES + 64];
  if (!data_job_path(config->data, claim->id, NULL, directory, sizeof directory))
    return scr_fail(error, SCR_BAD_USAGE, NULL, "the path of the job's directory is too long");
  worker_request request = {.worker_path = config->worker_path,
                            .directory = directory,
                            .threads = claim->threads,
                            .checkpoint_seconds = config->checkpoint_seconds,
                            .memory_limit = memory_limit(claim->memory_bytes, claim->threads),
                            .file_limit = limit_of(slot->file_limit),
                            .cpu_limit = limit_of(slot->cpu_limit),
                            .job = claim->id,
                            .token = claim->token,
                            .memory_bytes = claim->memory_bytes,
                            .options = claim->options};
  SCR_TRY(make_directory(self, claim->id, error));
  lab_digest assets[ASSETS_OF_A_JOB];
  size_t asset_count;
  char names[ASSETS_OF_A_JOB * sizeof(lab_digest) + 1] = "";
  SCR_TRY(store_job_assets(config->store, claim->id, assets, ASSETS_OF_A_JOB, &asset_count, error));
  for (size_t i = 0; i < asset_count; i++)
    snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? "," : "", assets[i].text);
  if (asset_count > 0) request.assets = config->data->assets_path;
  request.asset_names = names;
  return starter(slot->where, &request, &slot->run, error);
}

/* A slot for the attempt of a claim, which is not started yet. */
static void slot_fill(const supervisor *self, worker_slot *slot, const store_claim *claim)
{
  bool found;
  *slot = (worker_slot){.where = slot->where,
                        .used = true,
                        .id = claim->id,
                        .token = claim->token,
                        .attempt = claim->attempt,
                        .threads = claim->threads,
                        .memory = claim->memory_bytes,
                        .need_bytes = claim->need_bytes,
                        .bytes_before = data_job_bytes(self->config.data, claim->id),
                        .file_limit = file_limit(claim),
                        .cpu_limit = cpu_limit(claim)};
  if (store_get(self->config.store, slot->id, &slot->live, &found, NULL) != SCR_OK || !found) return;
  slot->announced_seq = slot->live.progress.last_seq;
  slot->first_step = slot->live.progress.step;
}

static void slot_watch(supervisor *self, worker_slot *slot, int64_t now)
{
  slot->lease_until = now + lease_ms(self);
  slot->persist_at = now + PERSIST_MS;
  if (slot->where->poll_ms > 0) slot->poll_at = now + slot->where->poll_ms;
  for (size_t i = 0; i < EXECUTOR_DESCRIPTORS; i++) watch(self, slot->run->descriptors[i]);
  atomic_fetch_add(&self->workers, 1);
}

bool slot_start(supervisor *self, worker_slot *slot, const store_claim *claim)
{
  const supervisor_config *config = &self->config;
  scr_error error = {0};
  slot_fill(self, slot, claim);
  if (start_worker(self, slot, claim, slot->where->start, &error) != SCR_OK) {
    snprintf(slot->text, sizeof slot->text, "%s", error.message);
    slot->unstarted = slot->gone = true;
    return false;
  }
  slot_watch(self, slot, clock_monotonic_ms());
  store_attempt_handle(config->store, slot->id, slot->token, slot->run->handle); /* only a help for finding strays */
  job_log_started(config->log, slot->id, slot->attempt, slot->run->pid, slot->threads);
  supervisor_publish(self, slot);
  supervisor_report(self, slot->id, LAB_EVENT_JOB);
  return true;
}

scr_status slot_adopt(supervisor *self, worker_slot *slot, const store_orphan *orphan, scr_error *error)
{
  store_claim claim;
  bool found;
  int64_t now = clock_monotonic_ms();
  const store_capacity usual = {.threads_per_job = self->config.threads_per_job, .by_work = self->config.threads_by_work};
  SCR_TRY(store_claim_again(self->config.store, orphan->id, orphan->token, &usual, &claim, &found, error));
  if (!found) return SCR_OK;
  slot_fill(self, slot, &claim);
  scr_status status = start_worker(self, slot, &claim, slot->where->adopt, error);
  if (status != SCR_OK) {
    slot->used = false;
    return status;
  }
  slot_watch(self, slot, now);
  log_write(self->config.log, LOG_LEVEL_INFO, "job_adopted",
            LOG_FIELDS(log_integer("job", slot->id), log_integer("attempt", slot->attempt), log_text("handle", slot->run->handle)));
  if (orphan->cancel_requested || orphan->pause_requested) slot_request_end(self, slot, orphan->cancel_requested, now);
  supervisor_publish(self, slot);
  return SCR_OK;
}

void slot_leave(supervisor *self, worker_slot *slot)
{
  if (slot->unsaved) store_progress(self->config.store, slot->id, slot->token, &slot->live);
  slot->where->close(slot->run);
  slot->run = NULL;
  slot->used = false;
  supervisor_publish(self, slot);
}

double slot_need(const supervisor *self, const worker_slot *slot)
{
  double written = (double)data_job_bytes(self->config.data, slot->id) - (double)slot->bytes_before;
  return fmax(slot->need_bytes - fmax(written, 0), 0);
}

/* ── heartbeats ───────────────────────────────────────────────────────────────────────────────────────────────── */

static void take_progress(worker_slot *slot, const control_message *message)
{
  lab_job *live = &slot->live;
  live->progress.step = message->step;
  live->progress.step_count = message->step_count;
  live->progress.sim_time = message->sim_time;
  live->progress.duration = message->duration;
  live->progress.headline_count = message->headline_count;
  memcpy(live->progress.headlines, message->headlines, sizeof live->progress.headlines);
  memcpy(live->progress.stage, message->stage, sizeof live->progress.stage);
  live->progress.run_seconds = message->run_seconds;
  live->progress.steps_per_second = message->steps_per_second;
  live->progress.last_seq = message->last_seq;
  /* Where the method chooses its steps nobody knows how many there will be. */
  double left = message->step_count > message->step ? (double)(message->step_count - message->step) : 0, rate = message->steps_per_second;
  if (message->step_count == 0) left = fmax(message->duration - message->sim_time, 0), rate = message->time_per_second;
  live->progress.eta_seconds = rate > 0 ? left / rate : (double)NAN;
  slot->progress_changed = slot->unsaved = true;
}

static void receive_messages(supervisor *self, worker_slot *slot, int64_t now)
{
  control_message message;
  bool heard = false;
  for (int i = 0; i < messages_at_once && slot->where->receive(slot->run, &message); i++) {
    slot->lease_until = now + lease_ms(self);
    if (message.kind == CONTROL_HEARTBEAT) {
      take_progress(slot, &message);
      heard = true;
    } else if (message.kind == CONTROL_RESULT) {
      slot->has_result = true;
      if (message.step > slot->live.progress.step) slot->live.progress.step = message.step;
      memcpy(slot->text, message.text, sizeof slot->text);
    }
  }
  if (heard) supervisor_publish(self, slot);
}

static void announce(supervisor *self, worker_slot *slot, int64_t now)
{
  if (slot->live.progress.last_seq > slot->announced_seq) {
    slot->announced_seq = slot->live.progress.last_seq;
    supervisor_report(self, slot->id, LAB_EVENT_RECORDED);
  }
  if (slot->progress_changed && now >= slot->announce_at) {
    slot->progress_changed = false;
    slot->announce_at = now + JOB_EVENT_MS;
    supervisor_report(self, slot->id, LAB_EVENT_JOB);
  }
  if (slot->unsaved && now >= slot->persist_at) {
    slot->unsaved = false;
    slot->persist_at = now + PERSIST_MS;
    store_progress(self->config.store, slot->id, slot->token, &slot->live);
  }
}

/* ── ending ───────────────────────────────────────────────────────────────────────────────────────────────────── */

static int64_t obey_ms(const supervisor *self)
{
  return lease_ms(self) < OBEY_LIMIT_MS ? lease_ms(self) : OBEY_LIMIT_MS;
}

void slot_request_end(supervisor *self, worker_slot *slot, bool cancel, int64_t now)
{
  if (slot->gone || (slot->firmness != FIRM_NOT_ASKED && (!cancel || slot->cancelling))) return;
  slot->where->signal(slot->run, cancel ? EXECUTOR_CANCEL : EXECUTOR_STOP);
  slot->cancelling = slot->cancelling || cancel;
  if (slot->firmness != FIRM_NOT_ASKED) return;
  slot->firmness = FIRM_MESSAGE;
  slot->escalate_at = now + obey_ms(self);
}

void slot_kill(worker_slot *slot)
{
  if (slot->gone || slot->firmness == FIRM_SIGKILL) return;
  slot->firmness = FIRM_SIGKILL;
  slot->where->signal(slot->run, EXECUTOR_KILL);
}

static void escalate(supervisor *self, worker_slot *slot, int64_t now)
{
  if (slot->firmness != FIRM_SIGKILL && now >= slot->lease_until) {
    log_write(self->config.log, LOG_LEVEL_WARNING, "worker_silent",
              LOG_FIELDS(log_integer("job", slot->id), log_integer("attempt", slot->attempt), log_integer("pid", slot->run->pid),
                         log_real("lease_seconds", self->config.lease_seconds)));
    slot->silent = slot->firmness == FIRM_NOT_ASKED; /* when it was asked to end, being killed for it is no fault of the job */
    slot_kill(slot);
  } else if (slot->firmness == FIRM_MESSAGE && now >= slot->escalate_at) {
    slot->firmness = FIRM_SIGTERM;
    slot->escalate_at = now + obey_ms(self);
    slot->where->signal(slot->run, EXECUTOR_TERMINATE);
  } else if (slot->firmness == FIRM_SIGTERM && now >= slot->escalate_at)
    slot_kill(slot);
}

static void kill_orphan_of_dead_lab(supervisor *self, const worker_slot *slot, const char *directory, int64_t now)
{
  char handle[EXECUTOR_HANDLE_BYTES] = "";
  executor *where = slot->where;
  if (now - self->opened_at < lease_ms(self)) return;
  if (store_abandoned_handle(self->config.store, slot->id, handle, sizeof handle, NULL) == SCR_OK && handle[0])
    where->cancel(where, handle, directory);
}

static void take_final_progress(worker_slot *slot, const recording_end *recording)
{
  lab_job *live = &slot->live;
  if (recording->last_seq > 0) live->progress.last_seq = recording->last_seq;
  live->progress.steps_per_second = 0;
  live->progress.stage[0] = '\0';
  live->progress.eta_seconds = (double)NAN;
  if (!recording->ended) return;
  live->progress.step = recording->step;
  live->progress.sim_time = recording->sim_time;
  live->progress.headline_count = recording->headline_count;
  memcpy(live->progress.headlines, recording->headlines, sizeof live->progress.headlines);
  live->record_count = recording->last_seq;
  snprintf(live->record_digest, sizeof live->record_digest, "%s", recording->digest);
  live->doubt_count = recording->doubt_count;
  memcpy(live->doubts, recording->doubts, sizeof live->doubts);
}

static attempt_outcome judge(const supervisor *self, const worker_slot *slot, const char *directory, const recording_end *recording,
                             char *message, size_t capacity)
{
  if (slot->unstarted) {
    snprintf(message, capacity, "waiting: %s", slot->text);
    return ATTEMPT_BLOCKED;
  }
  attempt_facts facts = {.ended = slot->ended,
                         .recording = recording,
                         .asked = slot->firmness != FIRM_NOT_ASKED && !slot->silent,
                         .silent = slot->silent,
                         .for_disk = slot->for_disk,
                         .lease_seconds = self->config.lease_seconds,
                         .progressed = slot->live.progress.step > slot->first_step,
                         .file_limit = slot->file_limit,
                         .cpu_limit = slot->cpu_limit,
                         .has_result = slot->has_result,
                         .text = slot->text,
                         .directory = directory};
  return attempt_judge(&facts, message, capacity);
}

/* What the next attempt is expected to write. One that met a full disk although it was to have room needs more than was thought. */
static double need_after(const supervisor *self, const worker_slot *slot, attempt_outcome outcome)
{
  const double least = 1048576.0;
  double need = slot_need(self, slot);
  if (outcome != ATTEMPT_DISK_FULL) return need;
  return fmax(need, fmax(least, 0.1 * (double)data_job_bytes(self->config.data, slot->id)));
}

static void finish_later(const supervisor *self, worker_slot *slot, const scr_error *why, int64_t now)
{
  slot->finish_at = now + FINISH_RETRY_MS;
  log_write_bounded(self->config.log, LOG_LEVEL_ERROR, "verdict_not_stored",
                    LOG_FIELDS(log_integer("job", slot->id), log_integer("attempt", slot->attempt), log_text("reason", why->message)));
}

/* Finds out how an attempt ended. While memory is short the slot stays and tries again. */
static bool prepare_finish(supervisor *self, worker_slot *slot, slot_finish *f, int64_t now)
{
  recording_end recording;
  scr_error error = {0};
  if (!data_job_path(self->config.data, slot->id, NULL, f->directory, sizeof f->directory)) f->directory[0] = 0;
  if (recording_end_read(f->directory, &recording, &error) != SCR_OK) {
    finish_later(self, slot, &error, now);
    return false;
  }
  f->slot = slot;
  f->outcome = judge(self, slot, f->directory, &recording, f->message, sizeof f->message);
  take_final_progress(slot, &recording);
  if (f->outcome == ATTEMPT_DISK_FULL) self->disk_waits = true;
  return true;
}

static store_finishing describe_finish(const supervisor *self, const slot_finish *f)
{
  const worker_slot *slot = f->slot;
  return (store_finishing){.id = slot->id,
                           .token = slot->token,
                           .ending = {.outcome = f->outcome,
                                      .message = f->message,
                                      .progress = &slot->live,
                                      .need_bytes = need_after(self, slot, f->outcome),
                                      .peak_memory = slot->ended.peak_memory,
                                      .cpu_seconds = slot->ended.cpu_seconds,
                                      .now_ms = clock_wall_ms()}};
}

static void conclude_finish(supervisor *self, const slot_finish *f, const store_finishing *done, int64_t now)
{
  worker_slot *slot = f->slot;
  if (done->status != SCR_OK) {
    finish_later(self, slot, &done->error, now);
    return;
  }
  if (done->held) job_log_outcome(self->config.log, slot->attempt, f->outcome, f->message, &done->job);
  if (f->outcome == ATTEMPT_BLOCKED) kill_orphan_of_dead_lab(self, slot, f->directory, now);
  if (slot->live.progress.last_seq > slot->announced_seq) supervisor_report(self, slot->id, LAB_EVENT_RECORDED);
  slot->used = false;
  supervisor_publish(self, slot);
  supervisor_report(self, slot->id, LAB_EVENT_JOB);
  if (self->config.settled) self->config.settled(self->config.user);
  self->look_at = 0;
}

/* The one place where attempts are finished: those that ended together share a commit. While the store can't take a verdict its slot stays
 * and tries again. */
void slots_finish(supervisor *self, int64_t now)
{
  for (unsigned s = 0; s < self->slot_count;) {
    size_t count = 0;
    for (; s < self->slot_count && count < FINISH_TOGETHER; s++) {
      worker_slot *slot = &self->slots[s];
      if (slot->used && slot->gone && now >= slot->finish_at && prepare_finish(self, slot, &self->finishes[count], now)) count++;
    }
    for (size_t i = 0; i < count; i++) self->finished[i] = describe_finish(self, &self->finishes[i]);
    if (count > 0) store_finish_all(self->config.store, self->finished, count);
    for (size_t i = 0; i < count; i++) conclude_finish(self, &self->finishes[i], &self->finished[i], now);
  }
}

/* While it waits at the engine, or nobody knows where it is, no sign of life can be expected: its lease begins when it runs. */
static void wait_for_turn(supervisor *self, worker_slot *slot, const executor_state *state, int64_t now)
{
  char *stage = slot->live.progress.stage;
  slot->lease_until = now + lease_ms(self);
  if (strncmp(stage, state->reason, sizeof slot->live.progress.stage - 1) == 0) return;
  snprintf(stage, sizeof slot->live.progress.stage, "%s", state->reason);
  slot->progress_changed = true;
  supervisor_publish(self, slot);
}

void slot_serve(supervisor *self, worker_slot *slot, int64_t now)
{
  executor *where = slot->where;
  executor_state state;
  if (slot->gone) return;
  receive_messages(self, slot, now);
  where->poll(slot->run, &state);
  slot->poll_at = where->poll_ms > 0 ? now + where->poll_ms : INT64_MAX;
  if (state.phase == EXECUTOR_QUEUED || state.phase == EXECUTOR_UNKNOWN) wait_for_turn(self, slot, &state, now);
  announce(self, slot, now);
  if (state.phase != EXECUTOR_ENDED) {
    escalate(self, slot, now);
    return;
  }
  receive_messages(self, slot, now); /* what was sent before the end can be heard now, until the run is closed */
  slot->ended = state.ended;
  job_log_worker_ended(self->config.log, slot->id, slot->attempt, slot->run->pid, &slot->ended);
  where->close(slot->run);
  slot->run = NULL;
  slot->gone = true;
  slot->finish_at = now;
}

int64_t slot_deadline(const worker_slot *slot)
{
  if (slot->gone) return slot->finish_at;
  int64_t deadline = slot->firmness == FIRM_SIGKILL ? INT64_MAX : slot->lease_until;
  if ((slot->firmness == FIRM_MESSAGE || slot->firmness == FIRM_SIGTERM) && slot->escalate_at < deadline) deadline = slot->escalate_at;
  if (slot->progress_changed && slot->announce_at < deadline) deadline = slot->announce_at;
  if (slot->unsaved && slot->persist_at < deadline) deadline = slot->persist_at;
  if (slot->poll_at > 0 && slot->poll_at < deadline) deadline = slot->poll_at;
  return deadline;
}
