/** The thread that makes jobs of studies' rows and reads their results when the jobs have ended. It sleeps until something happens: a study
 * is submitted or changed, a job ends.
 *
 *  What holds, however the lab ends: a row becomes a job in the transaction that adds the job, so that it has one or none; a job that ends
 *  marks its row in the transaction that ends it, so that its results are read then or by the next lab. */
#ifndef SCREE_SERVER_LAB_STUDY_RUNNER_H
#define SCREE_SERVER_LAB_STUDY_RUNNER_H

#include "server/lab/lab.h"

typedef struct study_runner study_runner;

enum { STUDY_FLIGHT_LIMIT = 256 /**< most rows of one study that are queued or run at once */ };

/** Makes it, without its thread: study_runner_wake may be called. NULL without memory. */
study_runner *study_runner_create(lab *the_lab);
scr_status study_runner_start(study_runner *self, scr_error *error);
/** Something happened. Any thread; never blocks for long. NULL is fine. */
void study_runner_wake(study_runner *self);
/** Ends the thread; what it was doing is finished first. NULL is fine. */
void study_runner_stop(study_runner *self);
void study_runner_destroy(study_runner *self);

#endif
