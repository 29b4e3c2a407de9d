/** The solver behind a scene's implicit steps: made for the present bonds and candidates, kept while its matrix's pattern holds what they
 *  join. */
#ifndef SCREE_METHODS_BDEM_SOLVE_H
#define SCREE_METHODS_BDEM_SOLVE_H

#include "methods/bdem/implicit/implicit.h"
#include "methods/bdem/implicit/variational.h"

struct bdem_state;

typedef struct bdem_solver {
  bdem_implicit *newton;         /**< implicit Euler's; NULL: make a new one */
  bdem_variational *variational; /**< the same for the variational integrator */
} bdem_solver;

/** What the last step's solver did; zero in explicit runs. Goes into checkpoints as it is. */
typedef struct bdem_solver_counts {
  uint64_t newton_iterations, cg_iterations, line_search_steps, substeps;
  double residual;
} bdem_solver_counts;

/** Forgets the solver, which was made for other bonds or candidates. */
void bdem_solver_drop(struct bdem_state *state);
/** Closes up the list of bonds; after a change of bonds or candidates, drops the solver unless its matrix holds what they join now. Before
 *  the solver's next step, and at the end of the scene's step, so that a resumed run asks at the same moments. */
scr_status bdem_solver_follow(struct bdem_state *state, scr_error *error);
/** Advances the spheres by one implicit or variational step of dt from `time` on, moves the rig's parts to its end and adds to the step's
 *  counts. SCR_DIVERGED: the spheres are as they were. */
scr_status bdem_solver_step(struct bdem_state *state, double time, double dt, scr_error *error);

#endif
