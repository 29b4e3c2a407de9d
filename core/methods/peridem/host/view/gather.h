/** What is shown of the nodes, gathered on the host. Parameters and promises: the entries of pd_backend that are named alike. */
#ifndef SCREE_PERIDEM_GATHER_H
#define SCREE_PERIDEM_GATHER_H

#include "methods/peridem/host/host.h"

void pd_count_pieces(const pd_state *state, fragment_summary *summary, pd_forms *forms);
scr_status pd_gather(const pd_state *state, pd_picture *picture, scr_error *error);

#endif
