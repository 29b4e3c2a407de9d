/** The state machine of a job, without any store: what an ended attempt and a user's request lead to.
 *
 *            submit                    claim
 *     (none) ------> queued <------------------------> running ----> succeeded | failed | cancelled
 *                    |    ^    stopped, died (again)     |   ^
 *              pause |    | resume                 pause |   | resume before it stopped
 *                    v    |                              v   |
 *                    paused <---------- stopped ---- running, pause requested
 *
 *  Both functions are pure: the store calls them inside the transaction that reads and writes the row. */
#ifndef SCREE_SERVER_JOB_STATE_H
#define SCREE_SERVER_JOB_STATE_H

#include "server/job.h"

/** How an attempt ended. */
typedef enum attempt_outcome {
  ATTEMPT_SUCCEEDED, /**< the recording says so */
  ATTEMPT_FAILED,    /**< the recording says so: the physics was lost */
  ATTEMPT_CANCELLED, /**< the recording says so */
  ATTEMPT_STOPPED,   /**< asked to stop (pause, cancel, shutdown), or its daemon died: nobody's fault */
  ATTEMPT_BLOCKED,   /**< could not begin: the worker could not be started or the directory is held by another process */
  ATTEMPT_DIED,      /**< crash, signal, out of memory, silence: worth another try */
  ATTEMPT_REFUSED,   /**< would fail again in the same way: damaged files, a scene that no longer fits, a limit reached */
  ATTEMPT_DISK_FULL  /**< met a full disk, or was stopped before it could: goes on when there is room */
} attempt_outcome;

/** "succeeded", "failed", "cancelled", "stopped", "blocked", "died", "refused", "disk_full". */
const char *attempt_outcome_name(attempt_outcome outcome);

/** What an ended attempt leads to. */
typedef struct job_transition {
  lab_job_state state;
  bool counts;      /**< the attempt counts against max_attempts */
  int64_t delay_ms; /**< JOB_QUEUED: not claimed again before; at most JOB_DELAY_LIMIT_MS */
} job_transition;

enum { JOB_DELAY_LIMIT_MS = 30000 };

/** @param attempt attempts begun that count, this one included, >= 1 */
job_transition job_after_attempt(attempt_outcome outcome, int attempt, int max_attempts, bool cancel_requested, bool pause_requested);

typedef enum job_request { JOB_CANCEL, JOB_PAUSE, JOB_RESUME } job_request;

/** What a user's request leads to. */
typedef struct job_answer {
  bool allowed;
  lab_job_state state;
  bool cancel_requested, pause_requested;
  const char *need; /**< when not allowed: the states that would do, for the error's text */
} job_answer;

job_answer job_after_request(lab_job_state state, bool cancel_requested, bool pause_requested, job_request request);

#endif
