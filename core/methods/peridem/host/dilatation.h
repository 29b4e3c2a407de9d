/** The volumetric part of ordinary state-based elasticity, on the host; formulas in moments.h. */
#ifndef SCREE_PERIDEM_DILATATION_H
#define SCREE_PERIDEM_DILATATION_H

#include "methods/peridem/host/host.h"

/** Adds the forces of the dilatation to what bonds do, of bodies that have a volumetric modulus. */
void pd_dilatation_pass(pd_state *state);

/** J, what the dilatation of all nodes holds. */
double pd_energy_dilatation(const pd_state *state);

#endif
