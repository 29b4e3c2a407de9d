/* The state machine of a job. Pure functions; any thread. */
#include "server/job_state.h"

static const char *const state_names[] = {"queued", "running", "paused", "succeeded", "failed", "cancelled"};

const char *lab_job_state_name(lab_job_state state)
{
  return (unsigned)state < sizeof state_names / sizeof *state_names ? state_names[state] : "unknown";
}

bool lab_job_state_ended(lab_job_state state)
{
  return state == JOB_SUCCEEDED || state == JOB_FAILED || state == JOB_CANCELLED;
}

const char *attempt_outcome_name(attempt_outcome outcome)
{
  static const char *const names[] = {"succeeded", "failed", "cancelled", "stopped", "blocked", "died", "refused", "disk_full"};
  return (unsigned)outcome < sizeof names / sizeof *names ? names[outcome] : "unknown";
}

/* A quarter of a second after the first death, doubling: a passing trouble (memory, disk) gets time to pass. */
static int64_t retry_delay_ms(int attempt)
{
  int64_t delay = 250;
  for (int i = 1; i < attempt && delay < JOB_DELAY_LIMIT_MS; i++) delay *= 2;
  return delay < JOB_DELAY_LIMIT_MS ? delay : JOB_DELAY_LIMIT_MS;
}

job_transition job_after_attempt(attempt_outcome outcome, int attempt, int max_attempts, bool cancel_requested, bool pause_requested)
{
  /* A verdict in the recording stands, whatever was asked for meanwhile. */
  switch (outcome) {
  case ATTEMPT_SUCCEEDED: return (job_transition){JOB_SUCCEEDED, true, 0};
  case ATTEMPT_FAILED: return (job_transition){JOB_FAILED, true, 0};
  case ATTEMPT_CANCELLED: return (job_transition){JOB_CANCELLED, true, 0};
  case ATTEMPT_REFUSED: return (job_transition){cancel_requested ? JOB_CANCELLED : JOB_FAILED, true, 0};
  case ATTEMPT_STOPPED:
  case ATTEMPT_BLOCKED:
  case ATTEMPT_DISK_FULL:
  case ATTEMPT_DIED: break;
  }
  bool counts = outcome == ATTEMPT_DIED;
  if (cancel_requested) return (job_transition){JOB_CANCELLED, counts, 0};
  if (counts && attempt >= max_attempts) return (job_transition){JOB_FAILED, true, 0};
  if (pause_requested) return (job_transition){JOB_PAUSED, counts, 0};
  bool at_once = outcome == ATTEMPT_STOPPED || outcome == ATTEMPT_DISK_FULL; /* the latter waits for room, not for a time */
  int64_t delay = at_once ? 0 : outcome == ATTEMPT_BLOCKED ? 1000 : retry_delay_ms(attempt);
  return (job_transition){JOB_QUEUED, counts, delay};
}

static job_answer refuse(lab_job_state state, const char *need)
{
  return (job_answer){.allowed = false, .state = state, .need = need};
}

static job_answer allow(lab_job_state state, bool cancel_requested, bool pause_requested)
{
  return (job_answer){.allowed = true, .state = state, .cancel_requested = cancel_requested, .pause_requested = pause_requested};
}

job_answer job_after_request(lab_job_state state, bool cancel_requested, bool pause_requested, job_request request)
{
  switch (request) {
  case JOB_CANCEL:
    if (state == JOB_CANCELLED) return allow(JOB_CANCELLED, cancel_requested, pause_requested);
    if (state == JOB_RUNNING) return allow(JOB_RUNNING, true, pause_requested);
    if (state == JOB_QUEUED || state == JOB_PAUSED) return allow(JOB_CANCELLED, true, false);
    return refuse(state, "queued, paused or running");
  case JOB_PAUSE:
    if (state == JOB_PAUSED) return allow(JOB_PAUSED, cancel_requested, false);
    if (state == JOB_QUEUED) return allow(JOB_PAUSED, cancel_requested, false);
    if (state == JOB_RUNNING && !cancel_requested) return allow(JOB_RUNNING, false, true);
    return refuse(state, "queued, or running and not being cancelled");
  case JOB_RESUME:
    if (state == JOB_PAUSED) return allow(JOB_QUEUED, false, false);
    /* The worker is on its way out; without the mark its job goes back to the queue instead. */
    if (state == JOB_RUNNING && pause_requested && !cancel_requested) return allow(JOB_RUNNING, false, false);
    return refuse(state, "paused");
  }
  return refuse(state, "none");
}
