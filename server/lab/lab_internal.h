/** Inside the lab: what its functions share. Included by server/lab*.c only. */
#ifndef SCREE_SERVER_LAB_INTERNAL_H
#define SCREE_SERVER_LAB_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "server/data_directory.h"
#include "server/lab/lab.h"
#include "server/lab/study/study_runner.h"
#include "server/recording_check.h"
#include "server/store/store.h"
#include "server/supervisor/supervisor.h"
#include "server/task/pool.h"

/** The devices of this machine as they were found last. */
typedef struct lab_known_devices {
  pthread_mutex_t mutex;
  device_list list;
  int64_t seen_ms; /**< by the monotonic clock; 0: never */
} lab_known_devices;

/** Constant after lab_open, but for the atomics. */
struct lab {
  lab_config config;
  data_directory data;
  job_store *store;
  supervisor_place places[SUPERVISOR_PLACE_LIMIT]; /**< the first is for jobs that name none */
  size_t place_count;
  supervisor *supervisor;
  recording_checks *checks;
  task_pool *tasks;
  study_runner *studies;
  char *worker_path;
  int64_t last_directory; /**< largest number in jobs/; used while opening */
  atomic_llong next_id;   /**< of the next job */
  atomic_bool draining;
  atomic_flag making_surface;
  atomic_llong asset_bytes;  /**< of all assets */
  atomic_uint uploads;       /**< being received */
  atomic_ullong next_upload; /**< number of the next one */
  lab_known_devices devices;
};

/** The executor of that name; NULL: the first. @return NULL: there is none */
executor *lab_find_executor(const lab *self, const char *name);

/** Jobs that all executors may have at once. */
unsigned lab_slots(const lab *self);

/** Makes the executors that the configuration names. */
scr_status lab_make_executors(lab *self, const lab_config *config, scr_error *error);
void lab_destroy_executors(lab *self);

/** Before and after all calls of lab_devices. */
void lab_devices_begin(lab *self);
void lab_devices_end(lab *self);

/** Free on the data directory's disk, the reserve's file included: what the reserve is compared with. */
uint64_t lab_free_bytes(lab *self);

/** Removes what is left of uploads that were cut off, and counts the bytes of all assets; while opening. */
scr_status lab_asset_recover(lab *self, scr_error *error);

/** Removes assets that no job has needed for long, some at a time. */
void lab_asset_sweep(lab *self);

/** lab_check_scene within other limits than the lab's. */
lab_status lab_check_scene_within(lab *self, const scr_limits *limits, const char *text, size_t length, const lab_caller *caller,
                                  lab_scene_facts *facts, scr_problems *problems, scr_error *error);

/** Puts a job with this checked scene into the store. @param submission id 0: the next one; name NULL: the scene's */
lab_status lab_insert_checked(lab *self, const lab_scene_facts *facts, store_submission *submission, lab_job *job, bool *created,
                              scr_error *error);

/** Says in the log how many recordings have no job; while opening. */
void lab_report_unclaimed(lab *self);

/** Adds a problem for everything in `change` that is not allowed. */
void lab_check_change(const lab_change *change, scr_problems *problems);

#endif
