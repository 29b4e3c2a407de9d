/** Inside the store of studies. Included by files of this folder only. */
#ifndef SCREE_SERVER_STORE_STUDY_INTERNAL_H
#define SCREE_SERVER_STORE_STUDY_INTERNAL_H

#include "server/store/store_internal.h"
#include "server/store/study/store_study.h"

/** Reads one study with its counts. */
scr_status fetch_study(store_connection *connection, int64_t id, lab_study *study, bool *found, scr_error *error);

#endif
