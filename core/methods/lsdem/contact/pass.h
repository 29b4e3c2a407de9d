/** The force pass: every direction by itself, then sums in their order, so that the bits never depend on threads. */
#ifndef SCREE_LSDEM_CONTACT_PASS_H
#define SCREE_LSDEM_CONTACT_PASS_H

#include "methods/lsdem/state/state.h"

/** Forces of contacts at the present poses: into grains, modal forces, part loads, the dashpots' part of all these, and the ledger's
 *  contact and friction.
 *  @param dt s, since the last pass, over which friction's springs stretch; 0 at the start
 *  @return SCR_OK; SCR_DIVERGED: a grain is deeper in another or in a part than a level set can tell, or deformed beyond sense;
 *  SCR_NO_MEMORY */
scr_status lsdem_force_pass(lsdem_state *state, double dt, scr_error *error);

/** Poses of the moment, for queries. */
void lsdem_make_views(lsdem_state *state);

#endif
