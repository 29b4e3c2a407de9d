/** The stages of a step, in their order. All work on nodes is the back end's. */
#ifndef SCREE_PERIDEM_STEP_H
#define SCREE_PERIDEM_STEP_H

#include "methods/peridem/state/state.h"

/** Forces and accelerations at t = 0, so that the first step starts from the right ones, and the energy that the ledger starts from. */
scr_status pd_start(pd_state *state, scr_error *error);
/** All forces at the present positions and velocities, then the breaking of torn bonds. */
scr_status pd_force_pass(pd_state *state, scr_error *error);
/** What of that comes after the bonds' forces, without the breaking. */
scr_status pd_forces_beyond_bonds(pd_state *state, scr_error *error);
/** Whether the state makes sense after step number `step`; SCR_DIVERGED where it does not. */
scr_status pd_inspect_state(const pd_state *state, uint64_t step, scr_error *error);
/** One velocity-Verlet step from time t to t + dt. Errors: SCR_DIVERGED where the state makes no sense after it, memory, the log of breaks.
 *  */
scr_status pd_advance(pd_state *state, double time, uint64_t step, scr_error *error);

#endif
