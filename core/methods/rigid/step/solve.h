/** How the general contact problem of a step is solved. */
#ifndef SCREE_RIGID_SOLVE_H
#define SCREE_RIGID_SOLVE_H

#include "base/execution.h"
#include "methods/rigid/state/state.h"

/** Solves the problem of a step from problem.impulse into problem.impulse, velocity, relative; sets report.pack and limit.
 *  @param dt  s, of the step or its piece */
scr_status rigid_solve(rigid_state *s, const contact_problem *problem, double dt, scr_execution execution, contact_result *result,
                       scr_error *error);

#endif
