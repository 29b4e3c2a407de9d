/** How grains touch each other and the rig, on the host: neighbours, what contacts carry. A grain is a body as the scene
 *  has it, also when it is in pieces. Parameters and promises: the entries of pd_backend that are named alike. */
#ifndef SCREE_PERIDEM_TOUCHING_H
#define SCREE_PERIDEM_TOUCHING_H

#include "methods/peridem/host/host.h"

void pd_measure_touching(const pd_state *state, pd_bearing *bearing);
scr_status pd_contacts(const pd_state *state, sim_contact **contacts, size_t *count, scr_error *error);

/** Sets grains[].neighbours. */
void pd_count_neighbours(const pd_state *state, pd_grain_stress *grains);

/** N, on the node: repulsion, and friction's spring. */
scr_vec3 pd_rig_contact_force(const pd_state *state, const pd_rig_contact *contact);

#endif
