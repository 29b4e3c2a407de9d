#include "server/lab/study/study_limits.h"

#include <stdio.h>

#include "server/lab/lab_internal.h"
#include "server/store/study/store_study.h"

bool study_limits_exceeded(const study_limits *limits, const lab_job *job, char reason[static STUDY_REASON_BYTES])
{
  double seconds = job->progress.run_seconds;
  if (!(limits->run_seconds > 0) || !(seconds > limits->run_seconds)) return false;
  snprintf(reason, STUDY_REASON_BYTES, "its run took %.3g s so far; the study's limit run_seconds is %.3g s", seconds, limits->run_seconds);
  return true;
}

bool study_limits_watch(lab *self, int64_t id, const study_limits *limits)
{
  lab_study_row row;
  lab_job job;
  char reason[STUDY_REASON_BYTES];
  bool any = false;
  if (!(limits->run_seconds > 0)) return false;
  for (int64_t after = 0;;) {
    if (store_first_row(self->store, id, ROW_RUNNING, after, &row, NULL) != SCR_OK || row.number == 0) return any;
    after = row.number;
    any = true;
    if (lab_get(self, row.job, &job, NULL) == LAB_OK && job.state == JOB_RUNNING && study_limits_exceeded(limits, &job, reason))
      (void)lab_cancel(self, row.job, &job, NULL);
    lab_study_row_clear(&row);
  }
}
