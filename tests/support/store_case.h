/** An empty store in a folder of its own, for one test. */
#ifndef SCREE_TESTS_SUPPORT_STORE_CASE_H
#define SCREE_TESTS_SUPPORT_STORE_CASE_H

#include "server/store/store.h"

typedef struct store_case {
  char *folder, *path; /**< of the data, and of the database in it */
  job_store *store;    /**< a test may close it and open another one */
} store_case;

/** cmocka's set-up and tear-down: makes the folder and opens the store; closes it and removes the folder. */
int store_case_set_up(void **state);
int store_case_tear_down(void **state);
#define WITH_STORE(test) cmocka_unit_test_setup_teardown(test, store_case_set_up, store_case_tear_down)

#endif
