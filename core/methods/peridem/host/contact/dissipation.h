/** Limited damping and friction, on the host. Parameters and promises: the entries of pd_backend that are named alike. */
#ifndef SCREE_PERIDEM_DISSIPATION_H
#define SCREE_PERIDEM_DISSIPATION_H

#include "methods/peridem/host/host.h"

scr_status pd_count_dampers(pd_state *state, size_t *count, scr_error *error);
void pd_damp(pd_state *state, pd_impulse_sums *sums, scr_vec3 *impulse, scr_vec3 *turning);
double pd_apply_impulses(pd_state *state);

#endif
