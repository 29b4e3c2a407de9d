/** The complete state on disk: the entries of scr_method that are named alike. */
#ifndef SCREE_PERIDEM_CHECKPOINT_H
#define SCREE_PERIDEM_CHECKPOINT_H

#include "sim/method.h"

scr_status pd_save(const scr_sim *sim, scr_blob *blob, scr_error *error);
scr_status pd_load(scr_sim *sim, scr_blob *blob, scr_error *error);

#endif
