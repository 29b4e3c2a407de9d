/** How an attempt ended, judged from the worker's exit and from the recording, and why, in words. */
#ifndef SCREE_SERVER_VERDICT_H
#define SCREE_SERVER_VERDICT_H

#include "server/job_state.h"
#include "server/executor/executor.h"

/** What a recording says about its run. */
typedef struct recording_end {
  bool ended;                       /**< it has an `end` record */
  attempt_outcome outcome;          /**< ended: ATTEMPT_SUCCEEDED, ATTEMPT_FAILED or ATTEMPT_CANCELLED */
  char message[CONTROL_TEXT_BYTES]; /**< ended: the record's message */
  char digest[65];                  /**< ended: of its records, "" when it has none */
  uint64_t last_seq;                /**< newest whole record, 0 when there is no recording */
  uint64_t step;
  double sim_time;
  size_t headline_count;
  scr_headline headlines[SCR_HEADLINE_LIMIT];
  size_t doubt_count; /**< ended: why it can't be fully trusted */
  scr_doubt doubts[SCR_DOUBT_LIMIT];
} recording_end;

/** Reads DIRECTORY/recording.scree as far as it goes. A missing or damaged file has not ended.
 *  @return SCR_OK, SCR_NO_MEMORY: whether it has ended is not known */
scr_status recording_end_read(const char *directory, recording_end *end, scr_error *error);

/** What is known about an attempt whose worker has gone. */
typedef struct attempt_facts {
  worker_exit ended;
  const recording_end *recording;
  bool asked;      /**< it was asked to stop, for a pause, a cancellation or a shutdown */
  bool silent;     /**< it was killed because its lease ran out */
  bool progressed; /**< the run got further in it */
  bool for_disk;   /**< it was asked to stop because the disk is nearly full */
  double lease_seconds;
  double file_limit, cpu_limit; /**< bytes of a file, s of processor time that it was allowed */
  bool has_result;              /**< it sent its last word, `text` */
  const char *text;             /**< "" when there is none */
  const char *directory;        /**< for the last lines of worker.log */
} attempt_facts;

/** Judges an attempt. @param message [capacity] why, for people; "" when there is nothing to say. Valid UTF-8, one line */
attempt_outcome attempt_judge(const attempt_facts *facts, char *message, size_t capacity);

#endif
