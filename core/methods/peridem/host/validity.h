/** Whether a state still makes sense, on the host. */
#ifndef SCREE_PERIDEM_SOUNDNESS_H
#define SCREE_PERIDEM_SOUNDNESS_H

#include "methods/peridem/host/host.h"

/** pd_backend.inspect. */
void pd_inspect(const pd_state *state, bool bonds, pd_verdict *verdict);

#endif
