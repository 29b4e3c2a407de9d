/* Levels: what calls for somebody is a warning, what a user asked for is not. */
#include "server/log/job_log.h"

#include <math.h>

void job_log_submitted(event_log *log, const lab_job *job)
{
  log_write(log, LOG_LEVEL_INFO, "job_submitted",
            LOG_FIELDS(log_integer("job", job->id), log_text("name", job->name), log_text("method", job->method),
                       log_integer("priority", job->priority)));
}

void job_log_started(event_log *log, int64_t id, int attempt, int64_t pid, unsigned threads)
{
  log_write(log, LOG_LEVEL_INFO, "job_started",
            LOG_FIELDS(log_integer("job", id), log_integer("attempt", attempt), log_integer("pid", pid), log_integer("threads", threads)));
}

void job_log_worker_ended(event_log *log, int64_t id, int attempt, int64_t pid, const worker_exit *ended)
{
  bool fine = !ended->by_signal && ended->code == 0;
  log_write(log, fine ? LOG_LEVEL_INFO : LOG_LEVEL_WARNING, "worker_ended",
            LOG_FIELDS(log_integer("job", id), log_integer("attempt", attempt), log_integer("pid", pid),
                       log_integer(ended->by_signal ? "signal" : "exit", ended->code), log_real("cpu_seconds", ended->cpu_seconds),
                       log_integer("peak_memory_bytes", (int64_t)ended->peak_memory)));
}

typedef struct outcome_line {
  const char *event;
  log_level level;
} outcome_line;

static outcome_line line_of(attempt_outcome outcome, const lab_job *after)
{
  bool failed = after->state == JOB_FAILED;
  switch (outcome) {
  case ATTEMPT_SUCCEEDED: return (outcome_line){"job_succeeded", after->doubt_count > 0 ? LOG_LEVEL_WARNING : LOG_LEVEL_INFO};
  case ATTEMPT_FAILED: return (outcome_line){"job_failed", LOG_LEVEL_WARNING};
  case ATTEMPT_CANCELLED: return (outcome_line){"job_cancelled", LOG_LEVEL_INFO};
  case ATTEMPT_STOPPED: return (outcome_line){after->state == JOB_CANCELLED ? "job_cancelled" : "job_stopped", LOG_LEVEL_INFO};
  case ATTEMPT_BLOCKED: return (outcome_line){"job_blocked", LOG_LEVEL_WARNING};
  case ATTEMPT_DIED: return (outcome_line){failed ? "job_failed" : "job_died", LOG_LEVEL_WARNING};
  case ATTEMPT_REFUSED: return (outcome_line){failed ? "job_failed" : "job_refused", LOG_LEVEL_WARNING};
  case ATTEMPT_DISK_FULL: return (outcome_line){"job_waits_for_disk", LOG_LEVEL_WARNING};
  }
  return (outcome_line){"job_ended", LOG_LEVEL_WARNING};
}

void job_log_outcome(event_log *log, int attempt, attempt_outcome outcome, const char *reason, const lab_job *after)
{
  outcome_line line = line_of(outcome, after);
  bool doubted = outcome == ATTEMPT_SUCCEEDED && after->doubt_count > 0;
  const log_field *fields =
      doubted
          ? LOG_FIELDS(log_integer("job", after->id), log_integer("attempt", attempt), log_text("state", lab_job_state_name(after->state)),
                       log_integer("doubts", (int64_t)after->doubt_count), log_text("doubt", after->doubts[0].message))
          : LOG_FIELDS(log_integer("job", after->id), log_integer("attempt", attempt), log_text("state", lab_job_state_name(after->state)),
                       log_text("reason", reason));
  if (outcome == ATTEMPT_BLOCKED) /* tried again every few seconds for as long as it takes */
    log_write_bounded(log, line.level, line.event, fields);
  else
    log_write(log, line.level, line.event, fields);
}

void job_log_recovered(event_log *log, attempt_outcome outcome, const lab_job *after)
{
  log_write(log, LOG_LEVEL_WARNING, "job_recovered",
            LOG_FIELDS(log_integer("job", after->id), log_text("outcome", attempt_outcome_name(outcome)),
                       log_text("state", lab_job_state_name(after->state)),
                       log_text("reason", "the daemon that ran it stopped before the job ended")));
}

void job_log_requested(event_log *log, job_request request, const lab_job *after)
{
  /* One that waits is cancelled at once, without an attempt that ends. */
  bool cancelled = request == JOB_CANCEL && after->state == JOB_CANCELLED;
  const char *event = cancelled               ? "job_cancelled"
                      : request == JOB_CANCEL ? "job_cancel"
                      : request == JOB_PAUSE  ? "job_pause"
                                              : "job_resume";
  log_write(log, LOG_LEVEL_INFO, event, LOG_FIELDS(log_integer("job", after->id), log_text("state", lab_job_state_name(after->state))));
}

void job_log_waits(event_log *log, int64_t id, double need_bytes, double free_bytes)
{
  log_write_bounded(log, LOG_LEVEL_WARNING, "job_waits_for_disk",
                    LOG_FIELDS(log_integer("job", id), log_text("state", lab_job_state_name(JOB_QUEUED)),
                               log_real("need_bytes", need_bytes), log_real("room_bytes", fmax(free_bytes, 0))));
}

void job_log_recording(event_log *log, int64_t id, const lab_damage *damage)
{
  if (damage->message[0])
    log_write(log, LOG_LEVEL_WARNING, "recording_damaged",
              LOG_FIELDS(log_integer("job", id), log_integer("sound", (int64_t)damage->intact),
                         log_integer("expected", (int64_t)damage->expected), log_text("reason", damage->message)));
  else
    log_write(log, LOG_LEVEL_INFO, "recording_sound", LOG_FIELDS(log_integer("job", id)));
}

void job_log_deleted(event_log *log, int64_t id)
{
  log_write(log, LOG_LEVEL_INFO, "job_deleted", LOG_FIELDS(log_integer("job", id)));
}
