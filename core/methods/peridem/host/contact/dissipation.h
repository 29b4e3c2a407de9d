/** Limited damping and friction, on the host. Parameters and promises: the entries of pd_backend that are named alike. */
#ifndef SCREE_PERIDEM_DISSIPATION_H
#define SCREE_PERIDEM_DISSIPATION_H

#include "methods/peridem/host/host.h"

scr_status pd_count_dampers(pd_state *state, size_t *count, scr_error *error);
void pd_damp(pd_state *state, pd_impulse_sums *sums, scr_vec3 *impulse, scr_vec3 *turning);
double pd_apply_impulses(pd_state *state);

/** Parts of pd_damp, for a back end that measures and damps pairs, and does the drag of `damping_rate`, itself. Sums of each block of nodes
 * are so many numbers. */
size_t pd_damp_width(const pd_state *state);
/** Of a block's sums the heat of dampers, J, to which the drag of its nodes adds, one after the other. */
double *pd_damp_heat(double *sums);
/** Measures the dampers of contacts with the rig, and sets the shares of their nodes.
 *  @param row [2 count] nodes, each with another number behind it
 *  @param value [count] kg/s, dampers of such a node's pairs; becomes its share */
void pd_damp_shares(pd_state *state, const uint32_t *row, double *value, size_t count);
/** Adds contacts with the rig to the impulses on their nodes. @param heat [2 blocks] J, of pairs, along and across
 *  @param sums [blocks][width] set */
void pd_damp_rig(pd_state *state, const double *heat, double *sums);
/** From the sums of all blocks, added exactly. */
void pd_damp_add_up(const pd_state *state, const double *block_sums, pd_impulse_sums *sums, scr_vec3 *impulse, scr_vec3 *turning);

#endif
