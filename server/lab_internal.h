/** Inside the lab: what its functions share. Included by server/lab*.c only. */
#ifndef SCREE_SERVER_LAB_INTERNAL_H
#define SCREE_SERVER_LAB_INTERNAL_H

#include <stdatomic.h>

#include "server/data_directory.h"
#include "server/lab.h"
#include "server/store.h"
#include "server/supervisor.h"

/** Constant after lab_open, but for the atomics. */
struct lab {
  lab_config config;
  data_directory data;
  job_store *store;
  supervisor *supervisor;
  char *worker_path;
  int64_t last_directory; /**< largest number in jobs/; used while opening */
  atomic_llong next_id;   /**< of the next job */
  atomic_bool draining;
  atomic_flag making_surface;
};

#endif
