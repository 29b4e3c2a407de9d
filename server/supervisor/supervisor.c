/* The supervisor's thread: one loop that waits for a worker's message or end, for a note from another thread, or for a deadline, then
 * serves every slot and fills the free ones from the queue. Slots belong to this thread; notes and published progress pass through `mutex`.
 * */
#include "server/supervisor/supervisor.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/memory.h"
#include "server/clock.h"
#include "server/log/job_log.h"
#include "server/supervisor/supervisor_internal.h"

/* ── from other threads ───────────────────────────────────────────────────────────────────────────────────────── */

static void wake(supervisor *self)
{
  uint64_t one = 1;
  while (write(self->wake, &one, sizeof one) < 0 && errno == EINTR) {
  }
}

static void leave_note(supervisor *self, supervisor_note note)
{
  pthread_mutex_lock(&self->mutex);
  void *notes = self->notes;
  /* Without memory the note is lost: the event is late, the request is found in the store when the attempt ends. */
  if (mem_grow(&notes, &self->note_capacity, self->note_count + 1, sizeof note)) {
    self->notes = notes;
    self->notes[self->note_count++] = note;
  }
  pthread_mutex_unlock(&self->mutex);
  wake(self);
}

void supervisor_notice(supervisor *self, int64_t id, lab_event event)
{
  leave_note(self, (supervisor_note){.id = id, .event = event});
}

void supervisor_request(supervisor *self, int64_t id, int64_t token, job_request request)
{
  leave_note(self, (supervisor_note){.id = id, .token = token, .is_request = true, .request = request});
}

size_t supervisor_workers(supervisor *self)
{
  return atomic_load(&self->workers);
}

bool supervisor_disk_is_low(supervisor *self)
{
  return atomic_load(&self->disk_low);
}

bool supervisor_progress(supervisor *self, int64_t id, lab_job *job)
{
  bool found = false;
  pthread_mutex_lock(&self->mutex);
  for (unsigned i = 0; i < self->slot_count && !found; i++) {
    found = self->live[i].id == id;
    if (found) job->progress = self->live[i].job.progress;
  }
  pthread_mutex_unlock(&self->mutex);
  return found;
}

void supervisor_drain(supervisor *self)
{
  pthread_mutex_lock(&self->mutex);
  self->draining = true;
  pthread_mutex_unlock(&self->mutex);
  wake(self);
}

/* ── the loop ─────────────────────────────────────────────────────────────────────────────────────────────────── */

typedef struct orders {
  size_t note_count; /* in self->taken */
  bool draining, ending;
  int64_t kill_at;
} orders;

/* Swaps the list of notes for an empty one. */
static orders take_orders(supervisor *self)
{
  pthread_mutex_lock(&self->mutex);
  supervisor_note *notes = self->notes;
  size_t capacity = self->note_capacity;
  orders taken = {self->note_count, self->draining, self->ending, self->kill_at};
  self->notes = self->taken;
  self->note_capacity = self->taken_capacity;
  self->note_count = 0;
  pthread_mutex_unlock(&self->mutex);
  self->taken = notes;
  self->taken_capacity = capacity;
  return taken;
}

static void follow_notes(supervisor *self, size_t count, int64_t now)
{
  for (size_t i = 0; i < count; i++) {
    const supervisor_note *note = &self->taken[i];
    if (!note->is_request) {
      self->look_at = 0;
      supervisor_report(self, note->id, note->event);
      if (self->config.settled) self->config.settled(self->config.user);
      continue;
    }
    /* A request that comes late must not meet the next attempt of its job: it names the one it is for. */
    for (unsigned s = 0; s < self->slot_count; s++)
      if (self->slots[s].used && self->slots[s].id == note->id && self->slots[s].token == note->token && note->request != JOB_RESUME)
        slot_request_end(self, &self->slots[s], note->request == JOB_CANCEL, now);
  }
}

/* ── room ── */

static double free_bytes(const supervisor *self)
{
  return (double)data_free_bytes(self->config.data) + (double)store_reserve_bytes(self->config.store);
}

/* What the running jobs of an executor leave of it, and all of the disk. */
static store_capacity capacity_now(const supervisor *self, const supervisor_place *place, double disk)
{
  executor *where = place->executor;
  executor_capacity all = where->capacity(where);
  store_capacity free = {.now_ms = clock_wall_ms(),
                         .executor = where->name,
                         .threads = all.threads,
                         .threads_per_job = self->config.threads_per_job,
                         .memory = all.memory_bytes,
                         .memory_per_job = all.memory_bytes / place->slots,
                         .disk = disk,
                         .idle = true,
                         .by_work = self->config.threads_by_work};
  for (unsigned s = 0; s < self->slot_count; s++) {
    const worker_slot *slot = &self->slots[s];
    if (!slot->used) continue;
    free.disk -= slot_need(self, slot);
    if (slot->where != where) continue;
    free.idle = false;
    free.threads -= slot->threads < free.threads ? slot->threads : free.threads;
    free.memory -= isfinite(slot->memory) ? slot->memory : free.memory_per_job;
  }
  return free;
}

/* Notes whether less than the reserve is free, and says so when that changes. */
static void note_disk(supervisor *self, double available)
{
  bool low = available < self->config.reserve_bytes;
  if (atomic_exchange(&self->disk_low, low) == low) return;
  log_write_bounded(self->config.log, low ? LOG_LEVEL_WARNING : LOG_LEVEL_INFO, low ? "disk_low" : "disk_has_room",
                    LOG_FIELDS(log_real("free_bytes", available), log_real("reserve_bytes", self->config.reserve_bytes),
                               log_text("reason", low ? "no job is started until more than the reserve is free" : "")));
}

/* With a quarter of the reserve left runs stop while they can still save a checkpoint, and wait for room. */
static void watch_disk(supervisor *self, int64_t now)
{
  if (now < self->disk_look_at) return;
  self->disk_look_at = now + DISK_LOOK_MS;
  double available = free_bytes(self);
  note_disk(self, available);
  if (available >= self->config.reserve_bytes / 4) return;
  for (unsigned s = 0; s < self->slot_count; s++) {
    worker_slot *slot = &self->slots[s];
    if (!slot->used || slot->gone || slot->firmness != FIRM_NOT_ASKED) continue;
    slot->for_disk = true;
    slot_request_end(self, slot, false, now);
  }
}

/* ── claims ── */

static unsigned count_free(const supervisor *self, const executor *where)
{
  unsigned count = 0;
  for (unsigned s = 0; s < self->slot_count; s++) count += !self->slots[s].used && self->slots[s].where == where;
  return count;
}

/* Starts the claimed jobs, as many as there are free slots. False when one could not be started: what kept it will keep others too. */
static bool start_claimed(supervisor *self, const executor *where, size_t count)
{
  bool started = true;
  for (unsigned s = 0; s < self->slot_count && count > 0; s++)
    if (!self->slots[s].used && self->slots[s].where == where)
      started = slot_start(self, &self->slots[s], &self->claims[--count]) && started;
  return started;
}

/* Fills the free slots of one executor. @return when to look at the queue again, monotonic */
static int64_t fill_place(supervisor *self, const supervisor_place *place, double available, int64_t now)
{
  unsigned wanted = count_free(self, place->executor);
  if (wanted == 0) return now + IDLE_MS; /* finishing one looks again */
  store_capacity free = capacity_now(self, place, available);
  size_t count = 0;
  store_outlook outlook = {0};
  scr_error error = {0};
  if (store_claim_jobs(self->config.store, &free, self->claims, wanted, &count, &outlook, &error) != SCR_OK) {
    log_write_bounded(self->config.log, LOG_LEVEL_ERROR, "store_failed", LOG_FIELDS(log_text("reason", error.message)));
    return now + CLAIM_HOLD_MS;
  }
  for (size_t i = 0; i < outlook.held_count; i++)
    job_log_waits(self->config.log, outlook.held[i].id, outlook.held[i].need_bytes, free.disk);
  self->disk_waits = self->disk_waits || outlook.held_count > 0;
  if (!start_claimed(self, place->executor, count)) return now + CLAIM_HOLD_MS;
  int64_t wait = outlook.next_due_ms == 0 ? IDLE_MS : outlook.next_due_ms > free.now_ms ? outlook.next_due_ms - free.now_ms : 1;
  return now + (wait < IDLE_MS ? wait : IDLE_MS);
}

/* Lets jobs that waited for the disk take part again where there is room now. */
static bool release_disk(supervisor *self, double available)
{
  bool waits = false;
  double most = capacity_now(self, &self->config.places[0], available).disk;
  if (self->disk_waits && store_release_disk(self->config.store, most, &waits, NULL) != SCR_OK) return false;
  self->disk_waits = waits;
  return true;
}

static void fill_slots(supervisor *self)
{
  int64_t now = clock_monotonic_ms();
  unsigned free_count = 0;
  for (size_t i = 0; i < self->config.place_count; i++) free_count += count_free(self, self->config.places[i].executor);
  self->look_at = now + IDLE_MS; /* should all be busy: finishing one looks again */
  if (free_count == 0) return;
  double all = free_bytes(self), available = all - self->config.reserve_bytes;
  note_disk(self, all);
  self->look_at = now + DISK_LOOK_MS;
  if (available < 0 || !release_disk(self, available)) return;
  int64_t next = now + IDLE_MS;
  for (size_t i = 0; i < self->config.place_count; i++) {
    int64_t at = fill_place(self, &self->config.places[i], available, now);
    if (at < next) next = at;
  }
  if (self->disk_waits && next > now + DISK_LOOK_MS) next = now + DISK_LOOK_MS;
  self->look_at = next;
}

/* Serves every slot; returns how many are in use. */
static unsigned serve_all(supervisor *self, const orders *given, int64_t now)
{
  unsigned used = 0;
  size_t living = 0;
  for (unsigned s = 0; s < self->slot_count; s++) {
    worker_slot *slot = &self->slots[s];
    if (!slot->used) continue;
    if (given->draining && slot->where->lasting && !slot->gone) {
      slot_leave(self, slot);
      continue;
    }
    if (given->draining) slot_request_end(self, slot, false, now);
    if (given->ending && now >= given->kill_at) slot_kill(slot);
    slot_serve(self, slot, now);
  }
  slots_finish(self, now);
  for (unsigned s = 0; s < self->slot_count; s++) {
    used += self->slots[s].used;
    living += self->slots[s].used && !self->slots[s].gone;
  }
  atomic_store(&self->workers, living);
  if (living > 0 || !given->ending) self->gone_since = 0;
  if (living == 0 && given->ending && self->gone_since == 0) self->gone_since = now;
  return used;
}

/* When all workers are gone a verdict that the store can't take is given up; the next lab finds the job running and recovers it. */
enum { give_up_ms = 1500 };

static int wait_ms(const supervisor *self, const orders *given, int64_t now)
{
  int64_t until = now + IDLE_MS;
  if (!given->draining && self->look_at < until) until = self->look_at;
  if (given->ending && given->kill_at > now && given->kill_at < until) until = given->kill_at;
  if (given->ending && self->gone_since > 0 && self->gone_since + give_up_ms < until) until = self->gone_since + give_up_ms + 1;
  for (unsigned s = 0; s < self->slot_count; s++)
    if (self->slots[s].used && slot_deadline(&self->slots[s]) < until) until = slot_deadline(&self->slots[s]);
  return until > now ? (int)(until - now) : 0;
}

/* Waits. A socket whose worker has hung up would be ready for ever: it is no longer watched, only read. */
static void wait_for_news(supervisor *self, int timeout)
{
  struct epoll_event events[32];
  int count = epoll_wait(self->epoll, events, 32, timeout);
  for (int i = 0; i < count; i++) {
    uint64_t drained;
    if (events[i].data.fd == self->wake) {
      while (read(self->wake, &drained, sizeof drained) < 0 && errno == EINTR) {
      }
    } else if (events[i].events & (EPOLLHUP | EPOLLRDHUP | EPOLLERR))
      epoll_ctl(self->epoll, EPOLL_CTL_DEL, events[i].data.fd, NULL);
  }
}

static void *supervisor_main(void *argument)
{
  supervisor *self = argument;
  for (;;) {
    int64_t now = clock_monotonic_ms();
    orders given = take_orders(self);
    follow_notes(self, given.note_count, now);
    unsigned used = serve_all(self, &given, now);
    if (given.ending && (used == 0 || (self->gone_since > 0 && now > self->gone_since + give_up_ms))) return NULL;
    if (used > 0) watch_disk(self, now);
    if (!given.draining && now >= self->look_at) fill_slots(self);
    wait_for_news(self, wait_ms(self, &given, clock_monotonic_ms()));
  }
}

/* ── starting and stopping ────────────────────────────────────────────────────────────────────────────────────── */

static void destroy(supervisor *self)
{
  if (self->wake >= 0) close(self->wake);
  if (self->epoll >= 0) close(self->epoll);
  mem_free(self->notes);
  mem_free(self->taken);
  free(self->live);
  free(self->slots);
  free(self->claims);
  free(self->finishes);
  free(self->finished);
  pthread_mutex_destroy(&self->mutex);
  pthread_mutex_destroy(&self->listener_mutex);
  free(self);
}

static scr_status prepare_memory(supervisor *self, scr_error *error)
{
  self->live = calloc(self->slot_count, sizeof *self->live);
  self->claims = calloc(self->slot_count, sizeof *self->claims);
  self->finishes = calloc(FINISH_TOGETHER, sizeof *self->finishes);
  self->finished = calloc(FINISH_TOGETHER, sizeof *self->finished);
  if (!self->live || !self->claims || !self->finishes || !self->finished)
    return scr_fail_memory(error, "the slots of workers", self->slot_count * sizeof *self->slots);
  self->epoll = epoll_create1(EPOLL_CLOEXEC);
  self->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (self->epoll < 0 || self->wake < 0) return scr_fail_io(error, "make", "the supervisor's descriptors", errno);
  struct epoll_event event = {.events = EPOLLIN, .data.fd = self->wake};
  if (epoll_ctl(self->epoll, EPOLL_CTL_ADD, self->wake, &event) != 0)
    return scr_fail_io(error, "watch", "the supervisor's descriptors", errno);
  return SCR_OK;
}

/* Slots of each place, of a lasting one at least as many as there are attempts to be adopted. */
static scr_status make_slots(supervisor *self, const store_orphan *orphans, size_t orphan_count, scr_error *error)
{
  unsigned counts[SUPERVISOR_PLACE_LIMIT] = {0};
  for (size_t i = 0; i < self->config.place_count; i++) {
    const supervisor_place *place = &self->config.places[i];
    for (size_t k = 0; k < orphan_count; k++) counts[i] += strcmp(orphans[k].executor, place->executor->name) == 0;
    if (counts[i] < place->slots) counts[i] = place->slots;
    self->slot_count += counts[i];
  }
  self->slots = calloc(self->slot_count, sizeof *self->slots);
  if (!self->slots) return scr_fail_memory(error, "the slots of workers", self->slot_count * sizeof *self->slots);
  worker_slot *slot = self->slots;
  for (size_t i = 0; i < self->config.place_count; i++)
    for (unsigned k = 0; k < counts[i]; k++) (slot++)->where = self->config.places[i].executor;
  return SCR_OK;
}

static scr_status adopt_all(supervisor *self, const store_orphan *orphans, size_t count, scr_error *error)
{
  for (size_t i = 0; i < count; i++)
    for (unsigned s = 0; s < self->slot_count; s++) {
      worker_slot *slot = &self->slots[s];
      if (slot->used || !slot->where || strcmp(slot->where->name, orphans[i].executor) != 0) continue;
      SCR_TRY(slot_adopt(self, slot, &orphans[i], error));
      break;
    }
  for (size_t i = 0; i < self->config.place_count; i++) {
    executor *where = self->config.places[i].executor;
    if (where->adopted) where->adopted(where);
  }
  return SCR_OK;
}

static scr_status prepare(supervisor *self, scr_error *error)
{
  store_orphan *orphans = NULL;
  size_t orphan_count = 0;
  SCR_TRY(store_running(self->config.store, &orphans, &orphan_count, error));
  scr_status status = make_slots(self, orphans, orphan_count, error);
  if (status == SCR_OK) status = prepare_memory(self, error);
  if (status == SCR_OK) status = adopt_all(self, orphans, orphan_count, error);
  free(orphans);
  return status;
}

scr_status supervisor_start(const supervisor_config *config, supervisor **out, scr_error *error)
{
  *out = NULL;
  supervisor *self = calloc(1, sizeof *self);
  if (!self) return scr_fail_memory(error, "the supervisor", sizeof *self);
  self->config = *config;
  self->epoll = self->wake = -1;
  self->opened_at = clock_monotonic_ms();
  self->disk_waits = true;
  pthread_mutex_init(&self->mutex, NULL);
  pthread_mutex_init(&self->listener_mutex, NULL);
  scr_status status = prepare(self, error);
  if (status == SCR_OK) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are the main program's */
    int code = pthread_create(&self->thread, NULL, supervisor_main, self);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (code != 0) status = scr_fail_io(error, "start", "the supervisor's thread", code);
  }
  if (status != SCR_OK) {
    destroy(self);
    return status;
  }
  *out = self;
  return SCR_OK;
}

void supervisor_stop(supervisor *self, double grace_seconds)
{
  if (!self) return;
  double grace = isfinite(grace_seconds) && grace_seconds > 0 ? grace_seconds : 0;
  pthread_mutex_lock(&self->mutex);
  self->draining = self->ending = true;
  self->kill_at = clock_monotonic_ms() + (int64_t)((grace < 86400 ? grace : 86400) * 1000);
  pthread_mutex_unlock(&self->mutex);
  wake(self);
  pthread_join(self->thread, NULL);
  destroy(self);
}
