/** Threads that do what the stream's thread must not wait for: opening, scanning and reading recordings, asking the lab about jobs.
 *
 *  A task belongs to the pool from readers_put until readers_take_done gives it back; in between only the pool's thread touches it.
 *  Tasks that need the same thing are not put in at the same time: the pool knows no order but that tasks begin in the order they came. */
#ifndef SCREE_API_STREAM_READERS_H
#define SCREE_API_STREAM_READERS_H

#include "scree.h"

/** Base of what is put in; the first member of what extends it. */
typedef struct reader_task {
  struct reader_task *next;
  void (*run)(struct reader_task *self); /**< called on a thread of the pool */
  bool slow;                             /**< may take long (opening a recording): one thread is always left for what is not */
} reader_task;

typedef struct readers readers;

/** Starts `count` threads, at least 2. `done` is called on one of them when a task can be taken back; it must return at once.
 *  @return SCR_OK, SCR_NO_MEMORY, SCR_IO */
scr_status readers_start(unsigned count, void (*done)(void *user), void *user, readers **out, scr_error *error);

void readers_put(readers *self, reader_task *task);

/** The tasks that are done, as a list in the order they ended; NULL when there is none. */
reader_task *readers_take_done(readers *self);

/** Waits for what is running, ends the threads. @return the tasks that were not taken back, run or not, for their owner to free. */
reader_task *readers_stop(readers *self);

#endif
