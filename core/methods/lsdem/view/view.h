/** What a run shows: curves and pictures; and its checkpoints. */
#ifndef SCREE_LSDEM_VIEW_VIEW_H
#define SCREE_LSDEM_VIEW_VIEW_H

#include "methods/lsdem/state/state.h"

scr_status lsdem_declare(scr_sim *sim, scr_error *error);
void lsdem_observe(const scr_sim *sim, double *values);
void lsdem_energies(const scr_sim *sim, sim_energies *now);
scr_status lsdem_draw(const scr_sim *sim, scr_frame *frame, scr_error *error);

scr_status lsdem_save(const scr_sim *sim, scr_blob *blob, scr_error *error);
scr_status lsdem_load(scr_sim *sim, scr_blob *blob, scr_error *error);

#endif
