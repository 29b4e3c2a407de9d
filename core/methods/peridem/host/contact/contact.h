/** Contact between nodes, on the host: rows of candidates, and the forces along them (spec 3.2, 3.3). */
#ifndef SCREE_PERIDEM_CONTACT_H
#define SCREE_PERIDEM_CONTACT_H

#include "methods/peridem/host/host.h"

/** pd_backend.contact_forces. */
scr_status pd_contact_pass(pd_state *state, double *heat, scr_error *error);
/** The same by the rows that there are. */
scr_status pd_contact_rows(pd_state *state, double *heat, scr_error *error);
/** Whether the contact rows must be made anew: none yet, or some node has moved by half the skin. */
bool pd_contact_list_is_old(const pd_state *state);
/** Makes the contact rows: from the present positions, or again from those the last list was made from (after loading a checkpoint). */
scr_status pd_contact_list(pd_state *state, bool from_listed, scr_error *error);
/** J, of all pairs. */
double pd_energy_contact(const pd_state *state);

#endif
