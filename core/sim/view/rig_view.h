/** What a run shows of its parts: curves and pictures, the same for every method. The shell calls these; see parts.h for the parts. */
#ifndef SCREE_SIM_RIG_VIEW_H
#define SCREE_SIM_RIG_VIEW_H

#include "sim/method.h"

/** Declares the curves of all parts. */
scr_status rig_declare_curves(scr_sim *sim, scr_error *error);

/** Their values, in the order of declaration. values: [as many as were declared] */
void rig_observe(const scr_sim *sim, double *values);

/** Declares the drawables of all parts; nothing when there are none. */
scr_status rig_declare_drawables(scr_sim *sim, scr_error *error);

/** Draws them. @param first  number of the first: sim->drawable_count before they were declared */
scr_status rig_draw(const scr_sim *sim, scr_frame *frame, uint32_t first, scr_error *error);

#endif
