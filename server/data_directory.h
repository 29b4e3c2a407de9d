/** The data directory: who holds it, and the files of jobs in it.
 *
 *    scree.db  scree.db-reserve  lock  assets/DIGEST  jobs/ID/{scene.json, recording.scree, recording.index, checkpoint.scree, lock,
 *    worker.log}  trash/ID
 *
 *  Constant after opening, so any thread may use it. Paths are absolute. */
#ifndef SCREE_SERVER_DATA_DIRECTORY_H
#define SCREE_SERVER_DATA_DIRECTORY_H

#include "base/error.h"

enum { DATA_PATH_BYTES = 3800 };

typedef struct data_directory {
  char path[DATA_PATH_BYTES];
  int lock;   /**< holds the flock; -1: not open */
  int jobs;   /**< descriptor of jobs/ */
  int trash;  /**< descriptor of trash/ */
  int assets; /**< descriptor of assets/ */
  char assets_path[DATA_PATH_BYTES + 8];
} data_directory;

/** Creates what is missing and takes the lock.
 *  @return SCR_OK, SCR_BUSY (another program holds it; names it), SCR_IO, SCR_BAD_USAGE (network filesystem, path too long) */
scr_status data_open(data_directory *data, const char *path, bool allow_network_filesystem, scr_error *error);
void data_close(data_directory *data);

/** Free bytes for this user on its filesystem; 0 when that can't be told. */
uint64_t data_free_bytes(const data_directory *data);

/** Path of a job's directory, or of a file in it when `file` is not NULL. False when it does not fit. */
bool data_job_path(const data_directory *data, int64_t id, const char *file, char *path, size_t capacity);

/** Makes the directory of a job with its scene.json, where they are not there yet. */
scr_status data_job_create(const data_directory *data, int64_t id, const char *scene, scr_error *error);

/** Whether the job has a directory with its scene.json. */
bool data_job_exists(const data_directory *data, int64_t id);

/** Bytes that the files of a job take on the disk; 0 without a directory. */
uint64_t data_job_bytes(const data_directory *data, int64_t id);

/** Moves a job's directory out of the way, on the disk when it returns, and back. A directory that is not there is no failure. */
scr_status data_job_to_trash(const data_directory *data, int64_t id, scr_error *error);
/** Whether a job's directory is in the trash. */
bool data_in_trash(const data_directory *data, int64_t id);
void data_job_from_trash(const data_directory *data, int64_t id);
/** Removes what is in a job's directory in the trash, scene.json first: without it there is no way back. */
void data_trash_empty(const data_directory *data, int64_t id);
/** Removes the directory as well. */
void data_trash_remove(const data_directory *data, int64_t id);

/** What a visited directory holds. */
typedef struct data_content {
  bool recording, scene;
} data_content;

/** Largest number that a directory of jobs/ may have: behind it there is room for those of new jobs, all of which JSON holds exactly. */
#define DATA_JOB_MOST INT64_C(1000000000000000)

/** Calls `visit` with the number of every directory of jobs/ (or trash/). Links and what has a larger number are left alone. */
void data_each(const data_directory *data, bool in_trash, void (*visit)(void *user, int64_t id, data_content content), void *user);

/** Calls `visit` with the name of every file of assets/. */
void data_each_asset(const data_directory *data, void (*visit)(void *user, const char *name), void *user);

#endif
