/** Limited damping where contact is between nodes: dampers of pairs and the drag of `damping_rate` by the device, of the rig's contacts and
 * what grips take by the host. Shares of dampers are the host's too: a device's expm1 is not its own. */
#ifndef SCREE_PERIDEM_DEVICE_DAMPERS_H
#define SCREE_PERIDEM_DEVICE_DAMPERS_H

#include "methods/peridem/device/device_state.h"

/** Whether the device does it, from a contact pass to the next; else the host's passes, on copies: where bodies meet by faces, and where
 * only nodes at the rig are damped, whose velocities the host then keeps. */
bool pd_dampers_on_device(const pd_state *state);

scr_status pd_dampers_create(pd_state *state, scr_error *error);
void pd_dampers_clear(pd_device *device);

/** The entries of pd_backend that are named alike. Until the impulses are applied, the host has those of the chosen nodes (subset.h). */
void pd_dampers_damp(pd_state *state, pd_impulse_sums *sums, scr_vec3 *impulse, scr_vec3 *turning);
double pd_dampers_apply(pd_state *state);

#endif
