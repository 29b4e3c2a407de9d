/** Static equilibrium on parts that only push, without sliding: what is pressed together stays where it closed.
 *
 *      F(q) + load + contact = 0,   contact force n.f >= 0,   gap >= 0,   n.f gap = 0,   no slip while closed
 *
 *  by a primal-dual active set: active nodes are put onto the part and held there, the rest solved for by Newton's method,
 *      active := { k : n.reaction_k - c gap_k > 0 },   c the mean diagonal of K,
 *  until the set stays and what is left at free nodes is below 1e-9 of the load. Source: Hintermueller, Ito, Kunisch 2003, SIAM J. Optim.
 *  13, 865. */
#ifndef SCREE_METHODS_FEM_STATICS_H
#define SCREE_METHODS_FEM_STATICS_H

#include "methods/fem/dynamics/solver.h"

typedef struct fem_statics_report {
  unsigned iterations, clamped;
  size_t active;      /**< nodes pressed on parts at the end */
  double residual;    /**< N, largest at free components */
  double reaction[3]; /**< N, of all parts and grips on the bodies */
  double pull;        /**< N, the most negative normal reaction at the end: 0 */
} fem_statics_report;

/** Moves the bodies into equilibrium under `load`, [3 n] N, with parts where they are. Contacts between bodies are not looked for.
 *  Velocities are not touched. The solver's contacts then are those that are closed, with their forces, and its reactions those of grips:
 *  to be shown, not to start a step from.
 *  @return SCR_OK; SCR_DIVERGED naming what was not reached, or which unknown nothing holds; SCR_NO_MEMORY */
scr_status fem_statics(fem_solver *solver, const double *load, const sim_parts *parts, fem_statics_report *report, scr_error *error);

#endif
