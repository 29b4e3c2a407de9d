/** Limited damping with the drag of `damping_rate`, which acts on all nodes: by the device, after the host's dampers of contacts. */
#ifndef SCREE_PERIDEM_DEVICE_DRAG_H
#define SCREE_PERIDEM_DEVICE_DRAG_H

#include "methods/peridem/device/device_state.h"

/** Whether the device does it for this scene: grips, which take from impulses, and couples of faces, which add to them after the drag, are
 * the host's. */
bool pd_drags_on_device(const pd_state *state);

scr_status pd_drag_create(pd_state *state, scr_error *error);
void pd_drag_clear(pd_device *device);

/** pd_backend.damp of the chosen nodes (subset.h), whose velocities and positions the host has, and the drag of all. */
void pd_drag_damp(pd_state *state, pd_impulse_sums *sums, scr_vec3 *impulse, scr_vec3 *turning);
/** pd_backend.apply_impulses after it. */
double pd_drag_apply(pd_state *state);

#endif
