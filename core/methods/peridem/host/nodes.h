/** The arrays of nodes of the host back end. Parameters and promises: pd_backend.create, .destroy. */
#ifndef SCREE_PERIDEM_NODES_H
#define SCREE_PERIDEM_NODES_H

#include "methods/peridem/host/host.h"

scr_status pd_nodes_create(pd_state *state, scr_error *error);
void pd_nodes_destroy(pd_state *state);

#endif
