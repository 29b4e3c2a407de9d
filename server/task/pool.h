/** The task processes of a lab (task.h), and who of them may compute when.
 *
 *  A request has a process of its own while it lasts. For a second it is young: two of those run at a time, of which at most one draws; the
 *  others wait their turn. So a check never waits for what is drawn, however much of that there is. One that takes longer is old: it gives
 *  its turn to the next, and goes on with less priority beside one other; up to four more are stopped until one of those two ends, and a
 *  further one is turned away once it has had a second of a processor, or waited ten. So requests that take long cost those that do not a
 *  second at most, however many there are. */
#ifndef SCREE_SERVER_TASK_POOL_H
#define SCREE_SERVER_TASK_POOL_H

#include <stdatomic.h>

#include "base/error.h"
#include "server/task/parcel.h"
#include "server/task/task.h"

typedef struct task_pool task_pool;

enum {
  TASK_POOL_YOUNG = 2,   /**< requests younger than a second that compute at once */
  TASK_POOL_DRAWING = 1, /**< of them such as draw: all kinds but TASK_CHECK */
  TASK_POOL_OLD = 2,     /**< older ones */
  TASK_POOL_STOPPED = 4, /**< older ones that wait; callers that keep one thread more than the sum never keep a young request waiting */
  TASK_POOL_YOUNG_MS = 1000
};

typedef enum task_outcome {
  TASK_ANSWERED,
  TASK_TOO_LONG,  /**< it took more time or memory than it may */
  TASK_CROWDED,   /**< too many of those that take long are under way */
  TASK_ABANDONED, /**< nobody wants the answer any more */
  TASK_ENDING,    /**< the server is shutting down */
  TASK_DEAD       /**< the process could not be started, or died; the error says how */
} task_outcome;

/** Somebody who waits for an answer. `gone` tells whether that has ended; it is asked ten times a second. NULL: never. */
typedef struct task_caller {
  bool (*gone)(void *user);
  void *user;
} task_caller;

typedef struct task_answer {
  scr_status status;
  scr_error error;      /**< its message, where status is not SCR_OK */
  unsigned char *bytes; /**< what `reader` reads; freed by task_answer_clear */
  parcel_reader reader; /**< at the first value behind the error's message */
} task_answer;

/** Starts a process to be ready for the first request. @param worker_path, assets borrowed  @param ending borrowed: when it is set,
 *  requests end
 *  @return NULL without memory */
task_pool *task_pool_create(const char *worker_path, const char *assets, const atomic_bool *ending);
/** No request is under way any more. NULL is fine. */
void task_pool_destroy(task_pool *pool);

/** Has a request answered. Any thread; blocks for twice TASK_PATIENCE_MS at most, besides the wait for its turn.
 *  @param answer to be cleared when TASK_ANSWERED is returned; else empty    @param error receives the reason of TASK_DEAD */
task_outcome task_pool_run(task_pool *pool, task_kind kind, const parcel *request, const task_caller *caller, task_answer *answer,
                           scr_error *error);
void task_answer_clear(task_answer *answer);

#endif
