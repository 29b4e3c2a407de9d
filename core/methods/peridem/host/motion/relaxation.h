/** One increment of dynamic relaxation, on the host. Parameters and promises: the entries of pd_backend that are named alike.
 *
 *  Fictitious time has steps of 1. A node's fictitious mass is m / dt_b^2, of which bonds with the stable step dt_b are stable at 1, and
 *  half the stiffness of each contact it may have. Velocities are increments over the time step, so that friction's springs see the way of
 *  a node. */
#ifndef SCREE_PERIDEM_RELAXATION_H
#define SCREE_PERIDEM_RELAXATION_H

#include "methods/peridem/host/host.h"

void pd_set_relaxation_masses(pd_state *state);
void pd_relax(pd_state *state, double damping, bool first);
void pd_measure_balance(const pd_state *state, pd_balance *sums);
/** pd_backend.net_force */
double pd_net_force(const pd_state *state, size_t *grain);
void pd_rest(pd_state *state);

#endif
