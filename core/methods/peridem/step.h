/** The stages of a step, in their order. All work on nodes is the back end's. */
#ifndef SCREE_PERIDEM_STEP_H
#define SCREE_PERIDEM_STEP_H

#include "methods/peridem/state.h"

/** Forces and accelerations at t = 0, so that the first step starts from the right ones, and the energy that the ledger starts from. */
scr_status pd_start(pd_state *state, scr_error *error);
/** All forces at the present positions and velocities, then the breaking of torn bonds. */
scr_status pd_force_pass(pd_state *state, scr_error *error);
/** One velocity-Verlet step from time t to t + dt. Errors: SCR_DIVERGED where the state makes no sense after it, memory, the log of breaks. */
scr_status pd_advance(pd_state *state, double time, uint64_t step, scr_error *error);

#endif
