/** A lab with acting workers (actor.h) in a folder of its own, for one test. */
#ifndef SCREE_TESTS_SUPPORT_ACTOR_LAB_H
#define SCREE_TESTS_SUPPORT_ACTOR_LAB_H

#include "tests/support/actor.h"

typedef struct actor_lab {
  char *folder; /**< the data directory */
  lab *lab;     /**< NULL while closed */
} actor_lab;

/** cmocka's set-up and tear-down: makes the folder; closes the lab without grace and removes the folder. */
int actor_lab_set_up(void **state);
int actor_lab_tear_down(void **state);
#define WITH_ACTOR_LAB(test) cmocka_unit_test_setup_teardown(test, actor_lab_set_up, actor_lab_tear_down)

/* Those below fail the test when they don't succeed. */

void actor_lab_open(actor_lab *f, double lease_seconds);

/** Submits a part; any status. `error` may be NULL. */
lab_status actor_lab_try_submit(actor_lab *f, const char *part, lab_job *job, scr_error *error);
lab_job actor_lab_submit(actor_lab *f, const char *part);
/** Opens the lab, submits a part as its first job and waits until that is in a state. */
lab_job actor_lab_run(actor_lab *f, double lease_seconds, const char *part, lab_job_state wanted);
lab_job actor_lab_get(actor_lab *f, int64_t id);

/** Waits until the job is in that state: 20 s at most, far more than any part takes, even under a sanitizer on a busy machine. */
lab_job actor_lab_wait(actor_lab *f, int64_t id, lab_job_state wanted);
/** Waits until the job's worker has been heard. */
void actor_lab_wait_alive(actor_lab *f, int64_t id);

#endif
