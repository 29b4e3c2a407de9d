/** Bond forces and the breaking of bonds, on the host. */
#ifndef SCREE_PERIDEM_BOND_FORCE_H
#define SCREE_PERIDEM_BOND_FORCE_H

#include "methods/peridem/host/host.h"

/** The fastest row kernel this processor runs. */
pd_row_kernel pd_row_kernel_best(void);
/** "portable", "avx2" or "avx512". Static text. */
const char *pd_row_kernel_name(pd_row_kernel kernel);
/** The kernel without vector instructions beyond the compiler's baseline. */
pd_row_kernel pd_row_kernel_portable(void);

/** pd_backend.bond_forces; also marks the torn nodes. */
size_t pd_bond_pass(pd_state *state);
/** pd_backend.break_bonds, of the nodes that are marked. */
scr_status pd_break_bonds(pd_state *state, double *fracture, uint64_t *broken, scr_error *error);
/** J, of all intact bonds. */
double pd_energy_elastic(const pd_state *state);

/** Whether an intact bond joins nodes i and j of one grain (global numbers). */
bool pd_bonded(const pd_grain *grain, size_t i, size_t j);

#endif
