/** Reads the recordings of ended jobs over, one after the other, each anew after some days, and notes on a job what is missing in its own:
 *  a disk that loses bits is found before somebody needs them.
 *
 *  Threads: one of its own, which owns all its data but `ending`. It runs at the lowest priority of processor and disk, rests between
 *  records and longer between files, and holds no lock while it reads. */
#ifndef SCREE_SERVER_RECORDING_CHECK_H
#define SCREE_SERVER_RECORDING_CHECK_H

#include "server/data_directory.h"
#include "server/log/log.h"
#include "server/store/store.h"

typedef struct recording_checks recording_checks;

typedef struct recording_checks_config {
  const data_directory *data; /**< borrowed, as all below */
  job_store *store;
  double days;    /**< between two readings of one recording; 0: none is read */
  event_log *log; /**< NULL: none */
  void (*changed)(void *user,
                  int64_t id); /**< a job was marked, or its mark taken away; on the thread of the checks; must return at once */
  int64_t sweep_ms;            /**< between two calls of `sweep`, at most, > 0 */
  void (*sweep)(void *user);   /**< other work without haste; on the thread of the checks */
  void *user;
} recording_checks_config;

scr_status recording_checks_start(const recording_checks_config *config, recording_checks **out, scr_error *error);

/** Ends the thread, at the next record. NULL is fine. */
void recording_checks_stop(recording_checks *self);

#endif
