/** Limited damping and friction, on the host. Parameters and promises: the entries of pd_backend that are named alike. */
#ifndef SCREE_PERIDEM_DISSIPATION_H
#define SCREE_PERIDEM_DISSIPATION_H

#include "methods/peridem/host/host.h"

scr_status pd_count_dampers(pd_state *state, size_t *count, scr_error *error);
void pd_damp(pd_state *state, pd_impulse_sums *sums, scr_vec3 *impulse, scr_vec3 *turning);
double pd_apply_impulses(pd_state *state);

/** Parts of pd_damp, for a back end that does the drag of `damping_rate` itself: sums of each block of nodes are so many numbers. */
size_t pd_damp_width(const pd_state *state);
/** Of a block's sums the heat of dampers, J, to which the drag of its nodes adds, one after the other. */
double *pd_damp_heat(double *sums);
/** Impulses of contacts alone, not by faces of bodies, whose couples come last. @param sums [block_count][width] set */
void pd_damp_contacts(pd_state *state, double *sums);
/** From the sums of all blocks, added exactly. */
void pd_damp_add_up(const pd_state *state, const double *block_sums, pd_impulse_sums *sums, scr_vec3 *impulse, scr_vec3 *turning);

#endif
