/* The pool: one lock, one queue, one list of what is done. */
#include "api/stream/readers.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/error.h"

typedef struct task_list {
  reader_task *first, **end;
} task_list;

struct readers {
  pthread_mutex_t lock;
  pthread_cond_t more;
  task_list waiting, finished;
  unsigned count, started, slow_running;
  bool stopping;
  void (*done)(void *user);
  void *user;
  pthread_t threads[];
};

static void append(task_list *list, reader_task *task)
{
  task->next = NULL;
  *list->end = task;
  list->end = &task->next;
}

static reader_task *take_all(task_list *list)
{
  reader_task *all = list->first;
  list->first = NULL;
  list->end = &list->first;
  return all;
}

/* The first task that may begin; NULL: none. */
static reader_task *pick(readers *self)
{
  for (reader_task **link = &self->waiting.first; *link; link = &(*link)->next) {
    reader_task *task = *link;
    if (task->slow && self->slow_running + 1 >= self->count) continue;
    *link = task->next;
    if (self->waiting.end == &task->next) self->waiting.end = link;
    return task;
  }
  return NULL;
}

static void *work(void *user)
{
  readers *self = user;
  pthread_mutex_lock(&self->lock);
  while (!self->stopping) {
    reader_task *task = pick(self);
    if (!task) {
      pthread_cond_wait(&self->more, &self->lock);
      continue;
    }
    bool slow = task->slow;
    self->slow_running += slow;
    pthread_mutex_unlock(&self->lock);
    task->run(task);
    pthread_mutex_lock(&self->lock);
    self->slow_running -= slow;
    append(&self->finished, task);
    if (slow) pthread_cond_signal(&self->more); /* another slow one may have been held back */
    self->done(self->user);
  }
  pthread_mutex_unlock(&self->lock);
  return NULL;
}

scr_status readers_start(unsigned count, void (*done)(void *user), void *user, readers **out, scr_error *error)
{
  *out = NULL;
  if (count < 2) count = 2;
  readers *self = calloc(1, sizeof *self + count * sizeof *self->threads);
  if (!self) return scr_fail_memory(error, "the readers of recordings", sizeof *self);
  self->count = count;
  self->done = done;
  self->user = user;
  (void)take_all(&self->waiting);
  (void)take_all(&self->finished);
  pthread_mutex_init(&self->lock, NULL);
  pthread_cond_init(&self->more, NULL);
  while (self->started < count && pthread_create(&self->threads[self->started], NULL, work, self) == 0) self->started++;
  if (self->started < count) {
    (void)readers_stop(self);
    return scr_fail(error, SCR_IO, NULL, "the threads that read recordings could not be started: the limit on threads is too low");
  }
  *out = self;
  return SCR_OK;
}

void readers_put(readers *self, reader_task *task)
{
  pthread_mutex_lock(&self->lock);
  append(&self->waiting, task);
  pthread_cond_signal(&self->more);
  pthread_mutex_unlock(&self->lock);
}

reader_task *readers_take_done(readers *self)
{
  pthread_mutex_lock(&self->lock);
  reader_task *all = take_all(&self->finished);
  pthread_mutex_unlock(&self->lock);
  return all;
}

reader_task *readers_stop(readers *self)
{
  if (!self) return NULL;
  pthread_mutex_lock(&self->lock);
  self->stopping = true;
  pthread_cond_broadcast(&self->more);
  pthread_mutex_unlock(&self->lock);
  for (unsigned i = 0; i < self->started; i++) pthread_join(self->threads[i], NULL);
  *self->finished.end = self->waiting.first; /* one list of both */
  reader_task *left = self->finished.first;
  pthread_cond_destroy(&self->more);
  pthread_mutex_destroy(&self->lock);
  free(self);
  return left;
}
