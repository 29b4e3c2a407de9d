/** The volumetric part of ordinary state-based elasticity, on the host; formulas in moments.h. */
#ifndef SCREE_PERIDEM_DILATATION_H
#define SCREE_PERIDEM_DILATATION_H

#include "methods/peridem/host/host.h"

/** Adds the forces of the dilatation to what bonds do, of bodies that have a volumetric modulus. */
void pd_dilatation_pass(pd_state *state);

/** N, by which the dilatation of both ends, of the last force pass, pulls them together along the bond in slot `slot` of row `row` of a
 *  grain that has a volumetric modulus. */
double pd_dilatation_pull(const pd_state *state, const pd_grain *grain, size_t row, uint32_t slot);

/** J, what the dilatation of all nodes holds. */
double pd_energy_dilatation(const pd_state *state);

#endif
