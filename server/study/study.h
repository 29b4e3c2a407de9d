/** Studies and their rows: the words that the lab and its store share. */
#ifndef SCREE_SERVER_STUDY_STUDY_H
#define SCREE_SERVER_STUDY_STUDY_H

#include "server/job.h"
#include "server/study/document.h"

typedef enum study_state {
  STUDY_RUNNING,  /**< rows become jobs as there are slots for them */
  STUDY_STOPPED,  /**< no row becomes a job; jobs that there are are paused */
  STUDY_FINISHED, /**< no row waits or runs */
  STUDY_DELETING
} study_state;

typedef enum study_row_state {
  ROW_WAITING,
  ROW_RUNNING, /**< its job is queued, runs or is paused */
  ROW_ENDED,   /**< its job has ended, and its results are still to be read */
  ROW_SUCCEEDED,
  ROW_FAILED,
  ROW_CANCELLED,
  ROW_REFUSED /**< its scene can't run */
} study_row_state;

enum { ROW_STATE_COUNT = ROW_REFUSED + 1, STUDY_REASON_BYTES = 480, STUDY_DIGEST_BYTES = 65 };

/** "running", "stopped", "finished", "deleting". */
const char *study_state_name(study_state state);
/** "waiting", "running", "ended", "succeeded", "failed", "cancelled", "refused". */
const char *study_row_state_name(study_row_state state);

/** A study as the world sees it. Times are milliseconds since 1970 UTC. */
typedef struct lab_study {
  int64_t id; /**< 1, 2, 3, ... never reused */
  char name[STUDY_NAME_BYTES], title[128];
  char user[LAB_USER_BYTES]; /**< who submitted it, as lab_job says */
  study_state state;
  char reason[STUDY_REASON_BYTES]; /**< why it stopped by itself, "" otherwise */
  int64_t created_ms, ended_ms;
  uint64_t version; /**< grows with every change of it or of a row */
  size_t row_count;
  size_t counts[ROW_STATE_COUNT]; /**< rows in each state */
  int priority;
  double record_bytes; /**< that the recordings made for it are estimated to take */
  bool delete_runs;    /**< STUDY_DELETING: its jobs go too */
} lab_study;

/** A row. Texts are JSON and owned by whoever has the row; lab_study_row_clear. */
typedef struct lab_study_row {
  int64_t number; /**< 1, 2, ... */
  uint64_t version;
  int64_t job;   /**< 0: none, or deleted since */
  char *factors; /**< {NAME: value} */
  char *results; /**< {"values": {NAME: ..}, "reasons": {NAME: ..}}, NULL: none yet */
  study_row_state state;
  bool own; /**< the job was made for this row */
  char reason[STUDY_REASON_BYTES];
} lab_study_row;

void lab_study_row_clear(lab_study_row *row);

/** Measured curves of one test. */
typedef struct lab_measured {
  int64_t id; /**< 1, 2, 3, ... never reused */
  char name[STUDY_NAME_BYTES], title[128];
  int64_t created_ms;
  size_t specimen_count;
  char *about; /**< JSON, as curve_set's (server/study/measured/curve_set.h); owned by whoever has it: lab_measured_clear */
} lab_measured;

void lab_measured_clear(lab_measured *measured);

/** Which rows are wanted. */
typedef struct study_query {
  int64_t after;    /**< rows of larger numbers */
  uint64_t changed; /**< only those that changed after this version; 0: all. They come by version then, and `after` orders those of one */
} study_query;

#endif
