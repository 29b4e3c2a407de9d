/* Who computes when. One lock guards the counts and the idle processes; it is never held while a process is started, waited for or ended.
 *
 * Memory: of a request's process at most the address space that it is started with, of all together TASK_POOL_YOUNG + TASK_POOL_OLD +
 * TASK_POOL_STOPPED times that, which the kernel takes from them first when the machine runs out of it (oom_score_adj). */
#include "server/task/pool.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "server/clock.h"
#include "server/task/process.h"

enum {
  look_every_ms = 100,
  idle_most = TASK_POOL_YOUNG,
  requests_most = 1000 /* of one process: what it may have lost of its memory ends with it */
};

typedef struct ready_process {
  task_process process;
  unsigned answered;
} ready_process;

struct task_pool {
  const char *worker_path, *assets;
  const atomic_bool *ending;
  pthread_mutex_t lock;
  pthread_cond_t changed; /* a turn has come free */
  unsigned young, old, stopped;
  unsigned drawing; /* of the young */
  ready_process idle[idle_most];
  unsigned idle_count;
};

/* Where a request stands. */
typedef enum task_age { TASK_YOUNG, TASK_OLD, TASK_STOPPED } task_age;

typedef struct asked {
  task_pool *pool;
  ready_process ready;
  task_kind kind;
  task_age age;
  bool reused; /* the process has stood idle before */
  int64_t begun_ms;
  int64_t used_before_ms; /* by the process, for requests before this */
} asked;

/* ── turns ── */

static bool is_wanted(const task_pool *pool, const task_caller *caller, task_outcome *outcome)
{
  *outcome = atomic_load(pool->ending) ? TASK_ENDING : TASK_ABANDONED;
  return *outcome != TASK_ENDING && !(caller && caller->gone && caller->gone(caller->user));
}

static bool has_turn(const task_pool *pool, task_kind kind)
{
  return pool->young < TASK_POOL_YOUNG && (kind == TASK_CHECK || pool->drawing < TASK_POOL_DRAWING);
}

static void count_young(task_pool *pool, task_kind kind, int change)
{
  pool->young += (unsigned)change;
  if (kind != TASK_CHECK) pool->drawing += (unsigned)change;
}

/* Waits for a young turn. */
static bool take_turn(task_pool *pool, task_kind kind, const task_caller *caller, task_outcome *outcome)
{
  pthread_mutex_lock(&pool->lock);
  bool wanted = is_wanted(pool, caller, outcome);
  while (wanted && !has_turn(pool, kind)) {
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += look_every_ms * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    pthread_cond_timedwait(&pool->changed, &pool->lock, &until);
    wanted = is_wanted(pool, caller, outcome);
  }
  if (wanted) count_young(pool, kind, 1);
  pthread_mutex_unlock(&pool->lock);
  return wanted;
}

/* A young request has had its second. False: there are too many of its kind. */
static bool grow_old(asked *a)
{
  task_pool *pool = a->pool;
  pthread_mutex_lock(&pool->lock);
  bool has_space = pool->old < TASK_POOL_OLD || pool->stopped < TASK_POOL_STOPPED;
  if (has_space) {
    a->age = pool->old < TASK_POOL_OLD ? TASK_OLD : TASK_STOPPED;
    count_young(pool, a->kind, -1);
    if (a->age == TASK_OLD)
      pool->old++;
    else
      pool->stopped++;
    pthread_cond_broadcast(&pool->changed);
  }
  pthread_mutex_unlock(&pool->lock);
  if (!has_space) return false;
  task_process_yield(&a->ready.process);
  if (a->age == TASK_STOPPED) task_process_stop(&a->ready.process);
  return true;
}

/* A stopped one goes on where there is a turn for it. */
static void try_to_go_on(asked *a)
{
  task_pool *pool = a->pool;
  pthread_mutex_lock(&pool->lock);
  bool turn = pool->old < TASK_POOL_OLD;
  if (turn) {
    pool->stopped--;
    pool->old++;
    a->age = TASK_OLD;
  }
  pthread_mutex_unlock(&pool->lock);
  if (turn) task_process_go_on(&a->ready.process);
}

/* Gives back the turn, and the process too where it may serve another request. */
static void give_back(asked *a, bool reusable)
{
  task_pool *pool = a->pool;
  a->ready.answered++;
  pthread_mutex_lock(&pool->lock);
  if (a->age == TASK_YOUNG) count_young(pool, a->kind, -1);
  if (a->age == TASK_OLD) pool->old--;
  if (a->age == TASK_STOPPED) pool->stopped--;
  if (reusable && a->age == TASK_YOUNG && a->ready.answered < requests_most && pool->idle_count < idle_most) {
    pool->idle[pool->idle_count++] = a->ready;
    a->ready = (ready_process){0};
  }
  pthread_cond_broadcast(&pool->changed);
  pthread_mutex_unlock(&pool->lock);
  task_process_end(&a->ready.process);
}

/* ── one request ── */

static scr_status find_process(asked *a, scr_error *error)
{
  task_pool *pool = a->pool;
  pthread_mutex_lock(&pool->lock);
  a->reused = pool->idle_count > 0 && !a->reused; /* tried again: by a new one */
  if (a->reused) a->ready = pool->idle[--pool->idle_count];
  pthread_mutex_unlock(&pool->lock);
  a->used_before_ms = a->reused ? task_process_used_ms(&a->ready.process) : 0;
  if (a->reused) return SCR_OK;
  a->ready.answered = 0;
  return task_process_start(pool->worker_path, pool->assets, &a->ready.process, error);
}

/* Whether a request has had its second of a processor: on a busy machine that takes longer than a second, and a short request which had to
 * wait for one is not turned away for that. */
static bool has_taken_long(const asked *a, int64_t age_ms)
{
  return age_ms > 10 * TASK_POOL_YOUNG_MS || task_process_used_ms(&a->ready.process) - a->used_before_ms > TASK_POOL_YOUNG_MS;
}

static task_outcome converse(asked *a, const task_caller *caller, task_exchange *x)
{
  task_outcome why;
  for (;;) {
    if (a->age == TASK_STOPPED) try_to_go_on(a);
    task_progress progress = task_exchange_step(&a->ready.process, x, look_every_ms);
    if (progress == TASK_COMPLETE) return TASK_ANSWERED;
    if (progress == TASK_BROKEN) return TASK_DEAD;
    if (!is_wanted(a->pool, caller, &why)) return why;
    int64_t age_ms = clock_monotonic_ms() - a->begun_ms;
    if (age_ms > TASK_PATIENCE_MS) return TASK_TOO_LONG;
    if (a->age == TASK_YOUNG && age_ms > TASK_POOL_YOUNG_MS && !grow_old(a) && has_taken_long(a, age_ms)) return TASK_CROWDED;
  }
}

static bool open_answer(task_exchange *x, task_answer *answer)
{
  *answer = (task_answer){.status = (scr_status)x->head.kind, .bytes = x->bytes, .reader = {.bytes = x->bytes, .size = x->head.size}};
  x->bytes = NULL;
  if (answer->reader.size == 0) { /* it had no memory to say anything */
    answer->status = SCR_NO_MEMORY;
    return true;
  }
  char *message = parcel_take_text(&answer->reader);
  if (message) {
    answer->error.code = answer->status;
    strncpy(answer->error.message, message, sizeof answer->error.message - 1);
  }
  free(message);
  return !answer->reader.failed;
}

/* Ends the process of a request that was not answered, and says why it died. */
static task_outcome judge_death(asked *a, task_outcome outcome, scr_error *error)
{
  int signal = task_process_end(&a->ready.process);
  if (outcome != TASK_DEAD) return outcome;
  if (signal == SIGXCPU) return TASK_TOO_LONG;
  if (signal)
    scr_fail(error, SCR_IO, NULL, "the process that did this was ended by signal %d", signal);
  else
    scr_fail(error, SCR_IO, NULL, "the process that did this ended before it had answered");
  return TASK_DEAD;
}

/* Takes over the answer of an exchange that is complete. */
static task_outcome accept_answer(task_exchange *x, task_answer *answer)
{
  bool valid = open_answer(x, answer);
  if (valid && answer->status != SCR_NO_MEMORY) return TASK_ANSWERED;
  free(answer->bytes); /* NOLINT(clang-analyzer-unix.Malloc): the exchange of a second try has bytes of its own */
  answer->bytes = NULL;
  return valid ? TASK_TOO_LONG : TASK_DEAD;
}

static task_outcome run_once(asked *a, const parcel *request, const task_caller *caller, task_answer *answer, scr_error *error)
{
  task_exchange x = {.head = {.version = TASK_VERSION, .kind = (uint32_t)a->kind, .size = request->size}, .request = request};
  *answer = (task_answer){0};
  if (find_process(a, error) != SCR_OK) return TASK_DEAD;
  task_outcome outcome = converse(a, caller, &x);
  if (outcome == TASK_ANSWERED)
    outcome = accept_answer(&x, answer);
  else
    free(x.bytes);
  return outcome == TASK_ANSWERED ? outcome : judge_death(a, outcome, error);
}

task_outcome task_pool_run(task_pool *pool, task_kind kind, const parcel *request, const task_caller *caller, task_answer *answer,
                           scr_error *error)
{
  asked a = {.pool = pool, .kind = kind};
  task_outcome outcome;
  *answer = (task_answer){0};
  if (request->failed || request->size > TASK_BODY_LIMIT) return TASK_TOO_LONG;
  if (!take_turn(pool, kind, caller, &outcome)) return outcome;
  a.begun_ms = clock_monotonic_ms();
  outcome = run_once(&a, request, caller, answer, error);
  bool may_have_been_dead = outcome == TASK_DEAD && a.reused && a.age == TASK_YOUNG;
  if (may_have_been_dead) outcome = run_once(&a, request, caller, answer, error);
  give_back(&a, outcome == TASK_ANSWERED);
  return outcome;
}

void task_answer_clear(task_answer *answer)
{
  free(answer->bytes);
  *answer = (task_answer){0};
}

/* ── life ── */

task_pool *task_pool_create(const char *worker_path, const char *assets, const atomic_bool *ending)
{
  task_pool *pool = calloc(1, sizeof *pool);
  if (!pool) return NULL;
  pool->worker_path = worker_path;
  pool->assets = assets;
  pool->ending = ending;
  pthread_condattr_t clock;
  pthread_condattr_init(&clock);
  pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
  pthread_mutex_init(&pool->lock, NULL);
  pthread_cond_init(&pool->changed, &clock);
  pthread_condattr_destroy(&clock);
  scr_error ignored = {0}; /* the first request says what is wrong */
  if (task_process_start(worker_path, assets, &pool->idle[0].process, &ignored) == SCR_OK) pool->idle_count = 1;
  return pool;
}

void task_pool_destroy(task_pool *pool)
{
  if (!pool) return;
  for (unsigned i = 0; i < pool->idle_count; i++) task_process_end(&pool->idle[i].process);
  pthread_cond_destroy(&pool->changed);
  pthread_mutex_destroy(&pool->lock);
  free(pool);
}
