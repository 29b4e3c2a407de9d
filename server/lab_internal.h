/** Inside the lab: what its functions share. Included by server/lab*.c only. */
#ifndef SCREE_SERVER_LAB_INTERNAL_H
#define SCREE_SERVER_LAB_INTERNAL_H

#include <stdatomic.h>

#include "server/data_directory.h"
#include "server/lab.h"
#include "server/recording_check.h"
#include "server/store.h"
#include "server/supervisor.h"

/** Constant after lab_open, but for the atomics. */
struct lab {
  lab_config config;
  data_directory data;
  job_store *store;
  supervisor *supervisor;
  recording_checks *checks; /**< NULL: none are wanted */
  char *worker_path;
  int64_t last_directory; /**< largest number in jobs/; used while opening */
  atomic_llong next_id;   /**< of the next job */
  atomic_bool draining;
  atomic_flag making_surface;
};

/** Free on the data directory's disk, the ballast included: what the reserve is compared with. */
uint64_t lab_free_bytes(lab *self);

/** Adds a problem for everything in `change` that is not allowed. */
void lab_check_change(const lab_change *change, scr_problems *problems);

#endif
