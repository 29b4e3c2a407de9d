/** What a run of granular shows. */
#ifndef SCREE_GRANULAR_VIEW_H
#define SCREE_GRANULAR_VIEW_H

#include "methods/granular/state/state.h"

enum { GRANULAR_CURVES = 36 };
extern const scr_series granular_curves[GRANULAR_CURVES];

/** Declares curves, headlines and drawables. */
scr_status granular_declare(scr_sim *sim, scr_error *error);
void granular_observe(const scr_sim *sim, double *values);
void granular_energies(const scr_sim *sim, sim_energies *now);
scr_status granular_draw(const scr_sim *sim, scr_frame *frame, scr_error *error);

/** Fields of a drawn point, for estimates of recordings. */
enum { GRANULAR_DRAWN_BYTES = 3 * 2 + 6 * 2 };

#endif
