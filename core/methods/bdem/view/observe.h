/** What a run shows: curves, drawables, tables and doubts. */
#ifndef SCREE_METHODS_BDEM_OBSERVE_H
#define SCREE_METHODS_BDEM_OBSERVE_H

#include "sim/method.h"

scr_status bdem_declare(scr_sim *sim, scr_error *error);
void bdem_observe(const scr_sim *sim, double *values);
/** What spheres, bonds and contacts hold. */
void bdem_energies(const scr_sim *sim, sim_energies *now);
scr_status bdem_draw(const scr_sim *sim, scr_frame *frame, scr_error *error);
/** Adds the fragments' rows to their table. */
scr_status bdem_tabulate(scr_sim *sim, scr_error *error);

#endif
