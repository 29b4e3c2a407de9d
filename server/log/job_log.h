/** The life of jobs as lines of the log: which line says what, in one place. Every line has the job's number; those of an attempt have its
 *  number too.
 *
 *  job_submitted, job_started, worker_ended, then one of job_succeeded, job_failed, job_cancelled, job_stopped, job_blocked, job_died,
 *  job_refused, job_waits_for_disk; job_cancel, job_pause, job_resume when it was asked for; job_deleted, job_recovered; recording_damaged,
 *  recording_sound. */
#ifndef SCREE_SERVER_JOB_LOG_H
#define SCREE_SERVER_JOB_LOG_H

#include "server/job_state.h"
#include "server/log/log.h"
#include "server/executor/executor.h"

void job_log_submitted(event_log *log, const lab_job *job);

void job_log_started(event_log *log, int64_t id, int attempt, int64_t pid, unsigned threads);

/** Its process is gone. */
void job_log_worker_ended(event_log *log, int64_t id, int attempt, int64_t pid, const worker_exit *ended);

/** An attempt has ended. @param reason "" when there is none    @param after the job as it now is */
void job_log_outcome(event_log *log, int attempt, attempt_outcome outcome, const char *reason, const lab_job *after);

/** Its daemon died while it ran: the new one ends the attempt in its place. */
void job_log_recovered(event_log *log, attempt_outcome outcome, const lab_job *after);

void job_log_requested(event_log *log, job_request request, const lab_job *after);

/** It was passed over because the disk has no room for it. */
void job_log_waits(event_log *log, int64_t id, double need_bytes, double free_bytes);

/** Its recording was read over and found damaged, or, with an empty `damage`, whole again. */
void job_log_recording(event_log *log, int64_t id, const lab_damage *damage);

void job_log_deleted(event_log *log, int64_t id);

#endif
