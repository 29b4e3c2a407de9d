/** Modes from snapshots of a load that grows: the last one alone, or what is added from one to the next.
 *
 *      last          Phi = u_N
 *      differences   d_j = (u_j - u_{j-1})/|u_j - u_{j-1}|_largest, u_0 = 0, in the metric of the masses: G_ij = d_i . M d_j; those that a
 *      pivoted Cholesky
 *                    factorisation of G finds to be new (pivot above 1e-6 of the first), M-normal, then stiffness at rest diagonal
 *                    (fem_modes_soften)
 *
 *  A small load deforms a body elsewhere than a large one: differences have both, where a decomposition has mostly the large one.
 *  Source: the specification of deformable level-set grains, section 3.10. */
#ifndef SCREE_METHODS_FEM_COARSEN_DIFFERENCES_H
#define SCREE_METHODS_FEM_COARSEN_DIFFERENCES_H

#include "base/execution.h"
#include "methods/fem/coarsen/modes.h"

/** One mode: the last snapshot as it is; `value` 0.
 *  @param snapshots [count][3 nodes] m
 *  @return SCR_OK; SCR_DIVERGED where it does not deform the body; SCR_NO_MEMORY */
scr_status fem_last_snapshot_mode(const fem_system *system, const double *snapshots, size_t count, fem_modes *modes, scr_error *error);

/** @param most modes wanted: those with the largest pivots; fewer where no more are new
 *  @param share receives what the modes hold of all snapshots' squares, 0 ... 1
 *  @return SCR_OK; SCR_DIVERGED where nothing moved; SCR_NO_MEMORY */
scr_status fem_differences_find(const fem_system *system, const double *snapshots, size_t count, size_t most, scr_execution execution,
                                fem_modes *modes, double *share, scr_error *error);

#endif
