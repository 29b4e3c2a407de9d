/** The complete state on disk. */
#ifndef SCREE_METHODS_BDEM_CHECKPOINT_H
#define SCREE_METHODS_BDEM_CHECKPOINT_H

#include "sim/method.h"

scr_status bdem_save(const scr_sim *sim, scr_blob *blob, scr_error *error);
/** Into a fresh simulation of the same scene. SCR_BAD_FILE for what is damaged or another run's. */
scr_status bdem_load(scr_sim *sim, scr_blob *blob, scr_error *error);

#endif
