/** Limits of a study on its runs, while they run. Included by files of this folder only. */
#ifndef SCREE_SERVER_LAB_STUDY_LIMITS_H
#define SCREE_SERVER_LAB_STUDY_LIMITS_H

#include "server/lab/study/lab_study.h"

/** Cancels runs that take longer than the study allows. @return whether some of its rows run, so that it is to be called again soon */
bool study_limits_watch(lab *self, int64_t id, const study_limits *limits);

/** Whether a run took longer than the study allows; `reason` receives that. */
bool study_limits_exceeded(const study_limits *limits, const lab_job *job, char reason[static STUDY_REASON_BYTES]);

#endif
