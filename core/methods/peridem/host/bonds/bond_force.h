/** Bond forces and the breaking of bonds, on the host. */
#ifndef SCREE_PERIDEM_BOND_FORCE_H
#define SCREE_PERIDEM_BOND_FORCE_H

#include "methods/peridem/host/host.h"

/** pd_backend.bond_forces; also marks the nodes of bonds near the critical stretch or beyond, in all less than a rounding too many. */
size_t pd_bond_pass(pd_state *state);
/** pd_backend.break_bonds, of the nodes that are marked. */
scr_status pd_break_bonds(pd_state *state, double *fracture, uint64_t *broken, scr_error *error);
/** J, of all intact bonds. */
double pd_energy_elastic(const pd_state *state);

#endif
