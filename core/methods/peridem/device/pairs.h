/** Contact between nodes, with limited damping. The host makes the rows of candidates; the device says when they are old, and goes through
 *  them where contact is between nodes alone. Where it is by faces the host does, and only the nodes that take part travel. */
#ifndef SCREE_PERIDEM_DEVICE_PAIRS_H
#define SCREE_PERIDEM_DEVICE_PAIRS_H

#include "methods/peridem/device/device_state.h"

/** Whether the device does it for this scene; else the host's pass. */
bool pd_pairs_on_device(const pd_state *state);

/** pd_backend.contact_forces where pd_pairs_on_device. */
scr_status pd_pairs_pass(pd_state *state, scr_error *error);
/** The same where bodies meet by faces. @param heat J, added to, of slipping springs */
scr_status pd_pairs_pass_by_faces(pd_state *state, double *heat, scr_error *error);

/** Rows and where nodes were when they were made have changed on the host. */
void pd_pairs_changed(const pd_state *state);

/** After the host has broken bonds: those from number `first` of torn_bonds on keep their pairs from contact no more. */
scr_status pd_pairs_break(pd_state *state, size_t first, scr_error *error);

/** Allocates what of it does not grow. pd_pairs_clear frees all. */
scr_status pd_pairs_create(pd_state *state, scr_error *error);
void pd_pairs_clear(pd_device *device);

#endif
