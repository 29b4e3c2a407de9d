/** Modes from snapshots of a motion (proper orthogonal decomposition): the fields that hold most of them, in the metric of the masses.
 *
 *      G_ij = u_i . M u_j,   G v = g v,   Phi = sum_i v_i u_i / sqrt(g)        M-normal; g over the sum of all is the share of the motion
 *      K_ab = Phi_a . K Phi_b,   K c = lambda c,   Phi := Phi c               stiffness at rest becomes diagonal, softest first
 *
 *  Their signs are such that the motion's shares add up to positive ones.
 *
 *  Source: the method's specification, sections 3.9 and 9. */
#ifndef SCREE_METHODS_FEM_COARSEN_POD_H
#define SCREE_METHODS_FEM_COARSEN_POD_H

#include "base/execution.h"
#include "methods/fem/coarsen/modes.h"

/** @param snapshots [count][3 nodes] m    @param most modes wanted: fewer where the motion has not more than rounding in others
 *  @param share receives what the modes hold of all snapshots' squares, 0 ... 1
 *  @return SCR_OK; SCR_DIVERGED where nothing moved; SCR_NO_MEMORY */
scr_status fem_pod_find(const fem_system *system, const double *snapshots, size_t count, size_t most, scr_execution execution,
                        fem_modes *modes, double *share, scr_error *error);

/** Fields in which the stiffness at rest is diagonal, softest first, out of M-normal ones.
 *  @param raw [count][3 nodes]    @return SCR_OK, `modes` set; SCR_DIVERGED; SCR_NO_MEMORY. On failure what there is of `modes` is to be
 *  cleared */
scr_status fem_modes_soften(const fem_system *system, const double *raw, size_t count, scr_execution execution, fem_modes *modes,
                            scr_error *error);

/** Turns modes to where the motion goes: the shares of all snapshots add up to something positive.
 *  @param heavy [3 nodes] scratch */
void fem_modes_point(const fem_system *system, const double *snapshots, size_t count, scr_execution execution, fem_modes *modes,
                     double *heavy);

#endif
