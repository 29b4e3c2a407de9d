/** The host's arrays of nodes, bonds and contacts on disk. Parameters and promises: pd_backend.save, .load. */
#ifndef SCREE_PERIDEM_NODES_BLOB_H
#define SCREE_PERIDEM_NODES_BLOB_H

#include "methods/peridem/host/host.h"

scr_status pd_nodes_save(const pd_state *state, scr_blob *blob, scr_error *error);
scr_status pd_nodes_load(pd_state *state, scr_blob *blob, scr_error *error);

#endif
