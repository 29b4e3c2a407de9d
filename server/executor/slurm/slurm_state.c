/* What the supervisor's and the engine's thread both see: copied under the mutex. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/executor/slurm/slurm_internal.h"

void slurm_set_state(slurm_run *run, executor_phase phase, const char *reason)
{
  pthread_mutex_lock(&run->owner->mutex);
  if (run->state.phase != EXECUTOR_ENDED) {
    run->state.phase = phase;
    snprintf(run->state.reason, sizeof run->state.reason, "%s", reason);
  }
  pthread_mutex_unlock(&run->owner->mutex);
}

void slurm_set_ended(slurm_run *run, const worker_exit *how)
{
  run->ended = true;
  pthread_mutex_lock(&run->owner->mutex);
  run->state = (executor_state){.phase = EXECUTOR_ENDED, .ended = *how};
  pthread_mutex_unlock(&run->owner->mutex);
}

slurm_requests slurm_requests_of(slurm_run *run)
{
  pthread_mutex_lock(&run->owner->mutex);
  slurm_requests requests = {.order = run->wanted, .terminate = run->terminate, .kill = run->kill, .closed = run->closed};
  pthread_mutex_unlock(&run->owner->mutex);
  return requests;
}

void slurm_note_answer(slurm_executor *self, bool answers, const char *reason)
{
  pthread_mutex_lock(&self->mutex);
  bool before = self->report.available, first = self->round == 0 && !self->away_since;
  self->report.available = answers;
  snprintf(self->report.reason, sizeof self->report.reason, "%s", answers ? "" : reason);
  pthread_mutex_unlock(&self->mutex);
  if (before == answers && !(first && !answers)) return;
  log_write_bounded(self->config.log, answers ? LOG_LEVEL_INFO : LOG_LEVEL_WARNING, answers ? "slurm_answers" : "slurm_silent",
                    LOG_FIELDS(log_text("reason", answers ? "" : reason)));
}

void slurm_free_run(slurm_run *run)
{
  if (!run) return;
  free((void *)(uintptr_t)run->request.worker_path);
  free((void *)(uintptr_t)run->request.directory);
  free((void *)(uintptr_t)run->request.assets);
  free((void *)(uintptr_t)run->request.asset_names);
  free(run);
}
