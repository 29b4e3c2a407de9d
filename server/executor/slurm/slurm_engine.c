/* The engine's thread: again and again it passes the supervisor's requests on, sends what is unsent, reads the workers' signs, and, less
 * often, looks at Slurm's queue. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "server/clock.h"
#include "server/executor/slurm/slurm_internal.h"

enum { KILL_AGAIN_MS = 20000, PARTITIONS_MS = 30000 };

/* Takes closed runs out of the list; the rest stays as it is until the next call. */
static slurm_run *drop_closed(slurm_executor *self, int64_t now)
{
  slurm_run *dropped = NULL;
  pthread_mutex_lock(&self->mutex);
  for (slurm_run **at = &self->runs; *at;) {
    slurm_run *run = *at;
    if (!run->closed) {
      at = &run->next;
      continue;
    }
    *at = run->next;
    run->next = dropped;
    dropped = run;
  }
  slurm_run *first = self->runs;
  pthread_mutex_unlock(&self->mutex);
  while (dropped) {
    slurm_run *run = dropped;
    dropped = run->next;
    self->recent[self->recent_next++ % RECENT_LIMIT] = (recent_end){.token = run->name.token, .at = now};
    slurm_free_run(run);
  }
  return first;
}

/* ── requests ── */

static void write_order(slurm_run *run, uint32_t kind)
{
  const control_order order = {.token = run->name.token, .kind = kind};
  if (run->order_written && run->order == kind) return;
  if (control_order_write(run->request.directory, &order) != 0) return; /* tried again in the next cycle */
  run->order_written = true;
  run->order = kind;
}

/* What Slurm never had ends here; it was asked to. */
static void end_unsent(slurm_run *run)
{
  slurm_set_ended(run, &(worker_exit){.by_signal = true, .code = SIGTERM});
}

typedef struct cancel_list {
  slurm_target targets[CANCEL_TOGETHER];
  size_t count;
} cancel_list;

static void add_target(cancel_list *list, const slurm_run *run)
{
  if (list->count < CANCEL_TOGETHER) list->targets[list->count++] = (slurm_target){.id = run->id, .name = run->name};
}

/* One that was adopted may be running under an order of the lab before: only its own kind replaces it. */
static void pass_order(slurm_run *run, uint32_t kind)
{
  if (!run->adopted || kind != 0) write_order(run, kind);
}

/* A job that waits at Slurm can't hear an order: it is taken out of the queue. */
static void follow_requests(slurm_run *run, int64_t now, cancel_list *terminated, cancel_list *killed)
{
  slurm_requests requests = slurm_requests_of(run);
  if (run->stage == STAGE_UNSENT && (requests.order != 0 || requests.kill)) {
    end_unsent(run);
    return;
  }
  pass_order(run, requests.order);
  if (run->id == 0) return;
  bool waits = run->entry.phase == SLURM_WAITING && !run->sign_seen && requests.order != 0;
  if ((requests.kill || waits) && now >= run->kill_at && killed->count < CANCEL_TOGETHER) {
    run->kill_at = now + KILL_AGAIN_MS;
    add_target(killed, run);
  } else if (requests.terminate && !run->terminated && terminated->count < CANCEL_TOGETHER) {
    run->terminated = true;
    add_target(terminated, run);
  }
}

/* While a program of Slurm runs, which may take long where the controller is away: workers need no controller. Whether to go on. */
static bool watch_workers(void *user)
{
  slurm_executor *self = user;
  int64_t now = clock_monotonic_ms();
  if (atomic_load(&self->stop)) return false;
  if (now < self->watch_at) return true;
  self->watch_at = now + slurm_cycle_ms(&self->config);
  pthread_mutex_lock(&self->mutex);
  slurm_run *first = self->runs;
  pthread_mutex_unlock(&self->mutex);
  for (slurm_run *run = first; run; run = run->next) {
    slurm_requests requests = slurm_requests_of(run);
    if (run->ended || requests.closed || run->stage == STAGE_UNSENT) continue;
    pass_order(run, requests.order);
    slurm_read_sign(run, now);
    if (!run->ended) slurm_update_run(run, now);
  }
  return true;
}

/* ── the loop ── */

/* sbatch takes some hundredths of a second: after so many the others get their turn. */
static void send_some(slurm_executor *self, slurm_run *first, int64_t now)
{
  slurm_run *ready[SEND_TOGETHER];
  size_t count = 0;
  for (slurm_run *run = first; run; run = run->next) { /* newest first: the oldest of them are kept */
    if (run->ended || run->stage != STAGE_UNSENT || now < run->send_at || !run->order_written) continue;
    if (count == SEND_TOGETHER) memmove(ready, ready + 1, --count * sizeof *ready);
    ready[count++] = run;
  }
  while (count > 0 && !atomic_load(&self->stop))
    if (!slurm_send(self, ready[--count], clock_monotonic_ms())) return;
}

static bool wants_look(const slurm_executor *self, const slurm_run *first)
{
  for (const slurm_run *run = first; run; run = run->next)
    if (!run->ended && run->stage != STAGE_UNSENT) return true;
  return self->round < 3; /* in the beginning for orphans */
}

static void wait_for_requests(slurm_executor *self)
{
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_nsec += slurm_cycle_ms(&self->config) * 1000000L;
  until.tv_sec += until.tv_nsec / 1000000000L;
  until.tv_nsec %= 1000000000L;
  pthread_mutex_lock(&self->mutex);
  if (!atomic_load(&self->stop)) pthread_cond_timedwait(&self->wake, &self->mutex, &until);
  pthread_mutex_unlock(&self->mutex);
}

static void make_cycle(slurm_executor *self)
{
  int64_t now = clock_monotonic_ms();
  cancel_list terminated = {.count = 0}, killed = {.count = 0};
  slurm_run *first = drop_closed(self, now);
  for (slurm_run *run = first; run; run = run->next) {
    if (run->ended && run->locks_refused) add_target(&killed, run);
    run->locks_refused = false;
    if (run->ended) continue;
    follow_requests(run, now, &terminated, &killed);
    if (!run->ended) slurm_read_sign(run, now);
    if (!run->ended) slurm_update_run(run, now);
  }
  for (size_t i = 0; i < terminated.count; i++) slurm_cancel(self, &terminated.targets[i], "TERM");
  for (size_t i = 0; i < killed.count; i++) slurm_cancel(self, &killed.targets[i], NULL);
  send_some(self, first, now);
  now = clock_monotonic_ms();
  if (killed.count > 0) self->queue_at = 0;
  if (now >= self->queue_at && wants_look(self, first)) slurm_poll_queue(self, now);
  if (now < self->partitions_at || (self->away_since > 0 && wants_look(self, first))) return;
  self->partitions_at = now + PARTITIONS_MS;
  slurm_poll_partitions(self);
}

void *slurm_engine_main(void *argument)
{
  slurm_executor *self = argument;
  self->waiter = (command_waiter){.wait = watch_workers, .user = self};
  while (!atomic_load(&self->stop)) {
    make_cycle(self);
    wait_for_requests(self);
  }
  return NULL;
}
