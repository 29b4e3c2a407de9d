/** Nodes near the parts of the rig, on the host. */
#ifndef SCREE_PERIDEM_RIG_CONTACT_H
#define SCREE_PERIDEM_RIG_CONTACT_H

#include "methods/peridem/host/host.h"

/** pd_backend.rig_forces. */
scr_status pd_rig_pass(pd_state *state, pd_part_sums *sums, double *heat, double *push, scr_error *error);
/** J, of all contacts with the rig and their springs. */
double pd_energy_wall(const pd_state *state);

#endif
