/** Nodes in grips, on the host. Parameters and promises: the entries of pd_backend that are named alike. */
#ifndef SCREE_PERIDEM_GRIP_H
#define SCREE_PERIDEM_GRIP_H

#include "methods/peridem/host/host.h"

/** Finds the nodes that grips hold, from their reference positions, and their mass. */
scr_status pd_grips_create(pd_state *state, scr_error *error);
void pd_grip_set_velocity(pd_state *state, size_t p, scr_vec3 velocity);
void pd_grip_move(pd_state *state, size_t p, scr_vec3 path);
void pd_grip_hold(pd_state *state, size_t p, scr_vec3 *force, scr_vec3 *torque);
void pd_grip_absorb(pd_state *state, size_t p, scr_vec3 *impulse, scr_vec3 *turning, double *work);

#endif
