/** What the files of this folder share. */
#ifndef SCREE_PERIDEM_RANKS_HALO_H
#define SCREE_PERIDEM_RANKS_HALO_H

#include "methods/peridem/host/ranks/ranks.h"

/** Adds a node behind those of rank r, the last that has any. */
scr_status pd_node_lists_add(pd_node_lists *lists, unsigned r, uint32_t node, scr_error *error);
/** Sends what the fields have of nodes to other ranks, and receives the same of theirs. */
void pd_ranks_pass(const pd_state *state, const pd_node_lists *send, const pd_node_lists *receive, const pd_node_field *field,
                   size_t count);

#endif
