/** Running a program of the batch engine: no shell, fixed arguments, bounds on time and output. The caller waits; never called by the
 *  supervisor's thread. */
#ifndef SCREE_SERVER_SLURM_COMMAND_H
#define SCREE_SERVER_SLURM_COMMAND_H

#include "base/error.h"

enum { COMMAND_ERROR_BYTES = 512 };

typedef struct command_result {
  int code;       /**< exit code; 128 + the number of the signal that ended it */
  bool timed_out; /**< it took longer than allowed and was killed */
  char *output;   /**< what it wrote, terminated, to be freed; never NULL on SCR_OK */
  size_t size;
  bool cut;                         /**< it wrote more than allowed */
  char errors[COMMAND_ERROR_BYTES]; /**< the last of what it wrote on standard error, one line, blanks for line ends */
} command_result;

/** What its caller does meanwhile. */
typedef struct command_waiter {
  bool (*wait)(void *user); /**< called ten times a second while the program runs; false: the program is killed */
  void *user;
} command_waiter;

/** Finds `name` in the folders of PATH, or takes it as it is when it has a '/'. @return whether it can be executed; path: [capacity] */
bool command_find(const char *name, char *path, size_t capacity);

/** @param arguments NULL-terminated, the first the program's path
 *  @param threads   OMP_NUM_THREADS in its environment, which is otherwise a short list (PATH, HOME, SLURM_CONF and the like)
 *  @param limit_ms  it is killed after   @param limit_bytes of output kept
 *  @param waiter    NULL: none
 *  @return SCR_OK: it ran, however it ended; SCR_IO, SCR_NO_MEMORY: it could not be run */
scr_status command_execute(const char *const *arguments, unsigned threads, int limit_ms, size_t limit_bytes, const command_waiter *waiter,
                           command_result *result, scr_error *error);

#endif
