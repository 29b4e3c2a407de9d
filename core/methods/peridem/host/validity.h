/** Whether a state still makes sense, on the host. */
#ifndef SCREE_PERIDEM_SOUNDNESS_H
#define SCREE_PERIDEM_SOUNDNESS_H

#include "methods/peridem/host/host.h"

/** pd_backend.inspect. */
void pd_inspect(const pd_state *state, bool bonds, pd_verdict *verdict);

/** Whether no node was deep inside the rig in the last force pass: the part of pd_inspect that needs no positions. */
bool pd_rig_depths_are_valid(const pd_state *state);

#endif
