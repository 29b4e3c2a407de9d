/* The supervisor's thread: one loop that waits for a worker's message or end, for a note from another thread, or for a deadline, then tends
 * every slot and fills the free ones from the queue. Slots belong to this thread; notes and published progress pass through `mutex`. */
#include "server/supervisor.h"

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
#include "server/supervisor_internal.h"

/* ── the listener ─────────────────────────────────────────────────────────────────────────────────────────────── */

void supervisor_tell(supervisor *self, int64_t id, lab_event event)
{
  pthread_mutex_lock(&self->listener_mutex);
  if (self->listener) self->listener(self->listener_user, id, event);
  pthread_mutex_unlock(&self->listener_mutex);
}

void supervisor_listen(supervisor *self, void (*listener)(void *user, int64_t id, lab_event event), void *user)
{
  pthread_mutex_lock(&self->listener_mutex);
  self->listener = listener;
  self->listener_user = user;
  pthread_mutex_unlock(&self->listener_mutex);
}

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

void supervisor_request(supervisor *self, int64_t id, job_request request)
{
  leave_note(self, (supervisor_note){.id = id, .is_request = true, .request = request});
}

bool supervisor_progress(supervisor *self, int64_t id, lab_job *job)
{
  bool found = false;
  pthread_mutex_lock(&self->mutex);
  for (unsigned i = 0; i < self->config.slots && !found; i++) {
    found = self->live[i].id == id;
    if (found) job->progress = self->live[i].job.progress;
  }
  pthread_mutex_unlock(&self->mutex);
  return found;
}

void supervisor_publish(supervisor *self, const worker_slot *slot)
{
  live_progress *live = &self->live[slot - self->slots];
  pthread_mutex_lock(&self->mutex);
  live->id = slot->used ? slot->id : 0;
  live->job = slot->live;
  pthread_mutex_unlock(&self->mutex);
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
      supervisor_tell(self, note->id, note->event);
      continue;
    }
    for (unsigned s = 0; s < self->config.slots; s++)
      if (self->slots[s].used && self->slots[s].id == note->id && note->request != JOB_RESUME)
        slot_ask(self, &self->slots[s], note->request == JOB_CANCEL, now);
  }
}

static void fill_slots(supervisor *self)
{
  for (unsigned s = 0; s < self->config.slots; s++) {
    if (self->slots[s].used) continue;
    store_claim claim;
    bool claimed;
    int64_t wall = clock_wall_ms(), now = clock_monotonic_ms();
    if (store_claim_next(self->config.store, wall, &claim, &claimed, NULL) != SCR_OK) {
      self->look_at = now + CLAIM_HOLD_MS;
      return;
    }
    if (!claimed) {
      int64_t wait = claim.next_due_ms > wall ? claim.next_due_ms - wall : IDLE_MS;
      self->look_at = now + (wait < IDLE_MS ? wait : IDLE_MS);
      return;
    }
    if (!slot_start(self, &self->slots[s], &claim)) {
      self->look_at = now + CLAIM_HOLD_MS; /* what kept this worker from starting will keep others too */
      return;
    }
  }
  self->look_at = clock_monotonic_ms() + IDLE_MS; /* all are busy: finishing one looks again */
}

/* Tends every slot; returns how many are in use. */
static unsigned tend_all(supervisor *self, const orders *given, int64_t now)
{
  unsigned used = 0;
  for (unsigned s = 0; s < self->config.slots; s++) {
    worker_slot *slot = &self->slots[s];
    if (!slot->used) continue;
    if (given->draining) slot_ask(self, slot, false, now);
    if (given->ending && now >= given->kill_at) slot_kill(slot);
    slot_tend(self, slot, now);
    used += slot->used;
  }
  return used;
}

static int wait_ms(const supervisor *self, const orders *given, int64_t now)
{
  int64_t until = now + IDLE_MS;
  if (!given->draining && self->look_at < until) until = self->look_at;
  if (given->ending && given->kill_at > now && given->kill_at < until) until = given->kill_at;
  for (unsigned s = 0; s < self->config.slots; s++)
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

/* After the killing time a verdict that the store can't take is given up; the next lab finds the job running and recovers it. */
enum { give_up_ms = 5000 };

static void *supervisor_main(void *argument)
{
  supervisor *self = argument;
  for (;;) {
    int64_t now = clock_monotonic_ms();
    orders given = take_orders(self);
    follow_notes(self, given.note_count, now);
    unsigned used = tend_all(self, &given, now);
    if (given.ending && (used == 0 || now > given.kill_at + give_up_ms)) return NULL;
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
  pthread_mutex_destroy(&self->mutex);
  pthread_mutex_destroy(&self->listener_mutex);
  free(self);
}

static scr_status prepare(supervisor *self, scr_error *error)
{
  self->slots = calloc(self->config.slots, sizeof *self->slots);
  self->live = calloc(self->config.slots, sizeof *self->live);
  if (!self->slots || !self->live) return scr_fail_memory(error, "the slots of workers", self->config.slots * sizeof *self->slots);
  self->epoll = epoll_create1(EPOLL_CLOEXEC);
  self->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (self->epoll < 0 || self->wake < 0) return scr_fail_io(error, "make", "the supervisor's descriptors", errno);
  struct epoll_event event = {.events = EPOLLIN, .data.fd = self->wake};
  if (epoll_ctl(self->epoll, EPOLL_CTL_ADD, self->wake, &event) != 0)
    return scr_fail_io(error, "watch", "the supervisor's descriptors", errno);
  return SCR_OK;
}

scr_status supervisor_start(const supervisor_config *config, supervisor **out, scr_error *error)
{
  *out = NULL;
  supervisor *self = calloc(1, sizeof *self);
  if (!self) return scr_fail_memory(error, "the supervisor", sizeof *self);
  self->config = *config;
  self->epoll = self->wake = -1;
  self->opened_at = clock_monotonic_ms();
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
