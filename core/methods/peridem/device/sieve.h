/** Bonds of uneven strength on a device: which nodes have one that breaks. Kernels of bonds mark a node as soon as a bond of it is past
 *  the least critical stretch of its body; where strength scatters, most bonds past that hold on. */
#ifndef SCREE_PERIDEM_DEVICE_SIEVE_H
#define SCREE_PERIDEM_DEVICE_SIEVE_H

#include "methods/peridem/device/device_state.h"

scr_status pd_sieve_create(pd_state *state, scr_error *error);
void pd_sieve_clear(pd_device *device);

/** After the bond kernels have marked nodes: takes off the marks of those of which no bond is past its own critical stretch, up to 1e-9 of
 *  its length. What is left the host decides to the last bit. @return whether some are left; errors stay in the state */
bool pd_sieve(const pd_state *state);

#endif
