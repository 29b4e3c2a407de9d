/* squeue and sinfo: one look for all jobs of this lab together. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "server/clock.h"
#include "server/executor/slurm/slurm_internal.h"

enum { LOOK_LEAST_MS = 10000, LOOK_LIMIT_MS = 30000, LOOK_BYTES = 16 << 20, AWAY_POLL_MS = 5000, MISSING_MS = 5000, RECENT_MS = 120000 };
static const double share = 0.2; /* of the time, at most, that Slurm spends on answering */

/* ── what the queue shows ── */

/* Every line of the output. */
static void each_line(const char *text, void (*visit)(void *user, const char *line, size_t length), void *user)
{
  for (const char *at = text; *at;) {
    size_t length = strcspn(at, "\n");
    visit(user, at, length);
    at += length + (at[length] == '\n');
  }
}

typedef struct queue_view {
  slurm_executor *self;
  slurm_run *first;
  int64_t now;
  bool all_adopted;
  slurm_target orphans[CANCEL_TOGETHER];
  size_t orphan_count;
} queue_view;

static slurm_run *find_run(slurm_run *first, int64_t token)
{
  for (slurm_run *run = first; run; run = run->next)
    if (run->name.token == token) return run;
  return NULL;
}

static bool ended_lately(const slurm_executor *self, int64_t token, int64_t now)
{
  for (size_t i = 0; i < RECENT_LIMIT; i++)
    if (self->recent[i].token == token) return now - self->recent[i].at < RECENT_MS;
  return false;
}

/* A job of an attempt that nobody waits for, or the second of one attempt: it would only find its directory taken. */
static void note_orphan(queue_view *view, const slurm_entry *entry)
{
  if (!view->all_adopted || entry->phase == SLURM_OVER || entry->phase == SLURM_ENDING || view->orphan_count == CANCEL_TOGETHER) return;
  view->orphans[view->orphan_count++] = (slurm_target){.id = entry->id, .name = entry->name};
  log_write_bounded(view->self->config.log, LOG_LEVEL_WARNING, "slurm_orphan",
                    LOG_FIELDS(log_integer("job", entry->name.job), log_integer("slurm", entry->id),
                               log_text("reason", "this lab does not expect this attempt: it is cancelled")));
}

static void take_line(void *user, const char *line, size_t length)
{
  queue_view *view = user;
  slurm_entry entry;
  if (!slurm_entry_read(line, length, &entry) || strcmp(entry.name.lab, view->self->lab) != 0) return;
  slurm_run *run = find_run(view->first, entry.name.token);
  if (!run) {
    if (!ended_lately(view->self, entry.name.token, view->now)) note_orphan(view, &entry);
    return;
  }
  if (run->ended) return;
  if (run->id > 0 && run->id != entry.id) {
    note_orphan(view, &entry);
    return;
  }
  run->id = entry.id;
  run->stage = STAGE_SENT;
  run->seen = true;
  run->missing_since = 0;
  run->entry = entry;
  if (entry.phase != SLURM_OVER)
    run->over_at = 0;
  else if (run->over_at == 0)
    run->over_at = view->now;
}

/* ── what it does not show ── */

/* It ran, or was to run, and Slurm has forgotten it: it forgets what is over some minutes after the end. */
static void end_missing(slurm_run *run)
{
  worker_exit how = {.by_signal = true, .code = SIGKILL, .cause = run->sign_seen ? EXECUTOR_INTERRUPTED : EXECUTOR_LOST};
  snprintf(how.why, sizeof how.why, "Slurm no longer knows it%s", run->sign_seen ? ", and its worker did not report an end" : "");
  slurm_set_ended(run, &how);
}

static void settle_missing(slurm_executor *self, slurm_run *run, int64_t now)
{
  if (run->ended || run->stage == STAGE_UNSENT || run->over_at > 0 || self->round <= run->unsure_round + 1) return;
  if (run->stage == STAGE_UNSURE && !run->adopted) { /* this program's own sbatch failed, and Slurm has nothing of it */
    run->stage = STAGE_UNSENT;
    run->send_at = 0;
    slurm_set_state(run, EXECUTOR_QUEUED, "is being sent to Slurm");
    return;
  }
  if (run->sign_seen && run->sign.ended) return;
  if (run->missing_since == 0) run->missing_since = now;
  if (now - run->missing_since >= MISSING_MS) end_missing(run);
}

/* ── looks ── */

static void plan_next(slurm_executor *self, int64_t begun, bool answered)
{
  int64_t now = clock_monotonic_ms(), interval = (int64_t)(self->config.poll_seconds * 1000);
  int64_t fair = (int64_t)((double)(now - begun) * (1 / share - 1));
  if (!answered && interval < AWAY_POLL_MS && self->config.poll_seconds >= 1) interval = AWAY_POLL_MS;
  self->queue_at = now + (interval > fair ? interval : fair);
}

static void take_queue(slurm_executor *self, const char *output, int64_t begun)
{
  queue_view view = {.self = self, .now = begun};
  pthread_mutex_lock(&self->mutex);
  view.first = self->runs;
  view.all_adopted = self->all_adopted;
  pthread_mutex_unlock(&self->mutex);
  self->round++;
  for (slurm_run *run = view.first; run; run = run->next) run->seen = false;
  each_line(output, take_line, &view);
  for (slurm_run *run = view.first; run; run = run->next)
    if (!run->seen) settle_missing(self, run, begun);
  for (size_t i = 0; i < view.orphan_count; i++) slurm_cancel(self, &view.orphans[i], NULL);
}

void slurm_poll_queue(slurm_executor *self, int64_t now)
{
  char user[32];
  command_result result;
  scr_error error = {0};
  snprintf(user, sizeof user, "--user=%u", (unsigned)getuid());
  const char *arguments[] = {self->squeue, "-h", "-t", "all", "-r", user, "-o", SLURM_QUEUE_FORMAT, NULL};
  int limit = (int)(self->config.poll_seconds * 6000);
  limit = limit < LOOK_LEAST_MS ? LOOK_LEAST_MS : limit < LOOK_LIMIT_MS ? limit : LOOK_LIMIT_MS;
  scr_status status = command_execute(arguments, 1, limit, LOOK_BYTES, &self->waiter, &result, &error);
  bool answered = status == SCR_OK && result.code == 0 && !result.timed_out && !result.cut;
  if (status == SCR_OK && !answered)
    scr_fail(&error, SCR_IO, NULL, "squeue failed: %.300s",
             result.timed_out ? "it took too long"
             : result.cut     ? "it printed more than 16 MiB"
                              : result.errors);
  if (atomic_load(&self->stop)) answered = false;
  if (answered) {
    take_queue(self, result.output, now);
    if (self->away_since > 0) self->partitions_at = 0;
    self->away_since = 0;
  } else if (self->away_since == 0)
    self->away_since = now;
  if (!atomic_load(&self->stop)) slurm_note_answer(self, answered, error.message);
  if (status == SCR_OK) free(result.output);
  plan_next(self, now, answered);
}

typedef struct partition_view {
  executor_partition list[EXECUTOR_PARTITION_LIMIT];
  size_t count;
} partition_view;

static void take_partition(void *user, const char *line, size_t length)
{
  partition_view *view = user;
  executor_partition partition;
  if (view->count == EXECUTOR_PARTITION_LIMIT || !slurm_partition_read(line, length, &partition)) return;
  view->list[view->count++] = partition;
}

static void look_at_version(slurm_executor *self)
{
  command_result result;
  const char *arguments[] = {self->sinfo, "--version", NULL};
  if (command_execute(arguments, 1, LOOK_LIMIT_MS, 256, &self->waiter, &result, NULL) != SCR_OK) return;
  result.output[strcspn(result.output, "\n")] = 0;
  pthread_mutex_lock(&self->mutex);
  if (result.code == 0) snprintf(self->report.engine, sizeof self->report.engine, "%.60s", result.output);
  pthread_mutex_unlock(&self->mutex);
  free(result.output);
}

void slurm_poll_partitions(slurm_executor *self)
{
  command_result result;
  const char *arguments[] = {self->sinfo, "-h", "-o", SLURM_PARTITION_FORMAT, NULL};
  if (!self->report.engine[0]) look_at_version(self);
  if (command_execute(arguments, 1, LOOK_LIMIT_MS, 1 << 16, &self->waiter, &result, NULL) != SCR_OK) return;
  partition_view *view = calloc(1, sizeof *view);
  bool answered = view && result.code == 0 && !result.timed_out;
  if (answered) {
    each_line(result.output, take_partition, view);
    pthread_mutex_lock(&self->mutex);
    self->report.partition_count = view->count;
    memcpy(self->report.partitions, view->list, view->count * sizeof view->list[0]);
    pthread_mutex_unlock(&self->mutex);
  }
  if (self->round == 0 && !atomic_load(&self->stop) && !result.timed_out) slurm_note_answer(self, result.code == 0, result.errors);
  free(view);
  free(result.output);
}
