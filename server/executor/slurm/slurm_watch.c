/* A run between its start and its end, from two sources: the worker's sign in the job's directory, which needs no engine, and what Slurm's
 * queue said last. How a worker ended is its own word where it left one: the queue knows no more than that its job is over. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "server/clock.h"
#include "server/executor/slurm/slurm_internal.h"

/* Milliseconds. */
enum {
  FRESH_MS = 10000,      /* a sign no older is one of life */
  UNSEEN_LOOK_MS = 1000, /* between looks for the first sign */
  SIGN_GRACE_MS = 3000,  /* a network file system may show the last sign so much later than the queue shows the end */
  CAUSE_GRACE_MS = 20000 /* so long the queue may take to tell why a worker was stopped */
};

/* ── signs ── */

/* While a worker steps it holds the lock of its directory. One that can be had from here although the worker goes on holds between
 * processes of one machine only, and two attempts could write at once. A run that ends releases it before its last sign: seen free twice,
 * with a heartbeat in between, tells. */
static bool locks_fail(slurm_run *run)
{
  char path[PATH_MAX];
  if (run->locks_hold || run->sign.ended || run->sign.message.kind != CONTROL_HEARTBEAT ||
      (size_t)snprintf(path, sizeof path, "%.4000s/lock", run->request.directory) >= sizeof path)
    return false;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0) return false;
  bool is_free = flock(fd, LOCK_SH | LOCK_NB) == 0;
  close(fd);
  run->locks_hold = !is_free;
  if (!is_free) return false;
  bool again = run->unlocked_sign > 0 && run->sign.number > run->unlocked_sign;
  run->unlocked_sign = run->sign.number;
  return again;
}

static void refuse_locks(slurm_run *run)
{
  worker_exit how = {.by_signal = true, .code = SIGKILL, .cause = EXECUTOR_REFUSED};
  snprintf(
      how.why, sizeof how.why,
      "file locks of the job's directory do not hold between %.60s and this machine: two attempts could write at once. Put jobs on a file "
      "system whose flock() holds on all nodes (NFS without local_lock, Lustre with -o flock)",
      run->sign.host);
  run->locks_refused = run->id > 0;
  slurm_set_ended(run, &how);
}

void slurm_read_sign(slurm_run *run, int64_t now)
{
  control_sign sign;
  if (run->stage == STAGE_UNSENT || now < run->look_at) return;
  bool expected = run->sign_seen || run->entry.phase != SLURM_WAITING || run->over_at > 0;
  run->look_at = expected ? 0 : now + UNSEEN_LOOK_MS;
  if (!control_sign_read(run->request.directory, &sign) || sign.token != run->name.token) return;
  if (run->sign_seen && sign.number == run->sign.number) return;
  run->sign = sign;
  run->sign_seen = true;
  run->sign_at = now;
  pthread_mutex_lock(&run->owner->mutex);
  run->message = sign.message;
  run->has_message = true;
  pthread_mutex_unlock(&run->owner->mutex);
  if (locks_fail(run)) refuse_locks(run);
}

/* ── the end ── */

static bool was_asked(slurm_run *run)
{
  slurm_requests requests = slurm_requests_of(run);
  return requests.order != 0 || requests.terminate || requests.kill;
}

/* Why a worker that nobody here asked saved its checkpoint and stopped. False: the queue may still tell. */
static bool find_cause(const slurm_run *run, int64_t now, worker_exit *how)
{
  if (run->over_at > 0) how->cause = slurm_end_of(&run->entry, how->why);
  if (run->over_at == 0 && now - run->sign_at < CAUSE_GRACE_MS) return false;
  if (how->cause == EXECUTOR_CANCELLED || how->cause == EXECUTOR_INTERRUPTED) return true;
  how->cause = EXECUTOR_INTERRUPTED; /* the engine's warning: the worker ended before the limit did it */
  snprintf(how->why, sizeof how->why, "Slurm's time limit was near, or a signal asked it to stop");
  return true;
}

static bool end_by_sign(slurm_run *run, int64_t now)
{
  if (!run->sign_seen || !run->sign.ended) return false;
  worker_exit how = {.code = run->sign.exit_code, .peak_memory = run->sign.peak_memory, .cpu_seconds = run->sign.cpu_seconds};
  if (how.code == WORKER_STOPPED && !was_asked(run) && !find_cause(run, now, &how)) {
    run->owner->queue_at = run->owner->queue_at < now + 1000 ? run->owner->queue_at : now + 1000;
    slurm_set_state(run, EXECUTOR_UNKNOWN, "has saved a checkpoint and stopped");
    return true;
  }
  slurm_set_ended(run, &how);
  return true;
}

static void end_by_queue(slurm_run *run)
{
  worker_exit how = {.by_signal = true, .code = SIGKILL, .peak_memory = run->sign.peak_memory, .cpu_seconds = run->sign.cpu_seconds};
  how.cause = slurm_end_of(&run->entry, how.why);
  if (was_asked(run)) {
    how.cause = EXECUTOR_ITSELF;
    how.why[0] = 0;
  }
  slurm_set_ended(run, &how);
}

/* ── in between ── */

static bool is_away(const slurm_executor *self, int64_t now)
{
  return self->away_since > 0 && now - self->away_since > 2000;
}

static void show(slurm_run *run, int64_t now)
{
  char words[EXECUTOR_REASON_BYTES];
  bool fresh = run->sign_seen && now - run->sign_at < FRESH_MS;
  if (!fresh && is_away(run->owner, now)) {
    slurm_set_state(run, EXECUTOR_UNKNOWN, "Slurm does not answer");
  } else if (!fresh && !run->entry.state[0]) {
    return; /* as it was when it was sent or adopted */
  } else if (!fresh && run->entry.phase == SLURM_WAITING) {
    slurm_waiting_reason(&run->entry, words);
    slurm_set_state(run, EXECUTOR_QUEUED, words);
  } else if (!fresh && run->entry.phase == SLURM_ENDING) {
    slurm_set_state(run, EXECUTOR_UNKNOWN, "is being ended by Slurm");
  } else
    slurm_set_state(run, EXECUTOR_RUNNING, "");
}

void slurm_update_run(slurm_run *run, int64_t now)
{
  if (run->stage == STAGE_UNSENT || end_by_sign(run, now)) return;
  int64_t grace = run->entry.node[0] ? SIGN_GRACE_MS : 0; /* what had no node never ran */
  if (run->over_at > 0 && now - run->over_at >= grace)
    end_by_queue(run);
  else if (run->over_at == 0)
    show(run, now);
}
