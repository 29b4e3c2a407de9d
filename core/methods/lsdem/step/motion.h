/** A step: kick, drift, forces, kick.
 *
 *      v += dt/2 (F/m + g),  L += dt/2 tau,  eta by half a step, damping explicit
 *      x += dt v;  q by the angular velocity of the middle of the step;  eps += dt eta;  parts move
 *      forces at the new places, velocities of the middle of the step
 *      v, L, eta once more by half a step, damping implicit: together the two halves are the centred step, stable up to 2/omega
 *
 *  Source: the method's specification, section 3.7 (its kicks split into halves, so that velocities are known at the times of positions).
 *  */
#ifndef SCREE_LSDEM_MOTION_MOTION_H
#define SCREE_LSDEM_MOTION_MOTION_H

#include "methods/lsdem/state/state.h"

/** Forces at the start, and the ledger's beginning. */
scr_status lsdem_start(lsdem_state *state, scr_error *error);

/** One step that ends at `end`, s. @return SCR_OK, SCR_DIVERGED, SCR_NO_MEMORY */
scr_status lsdem_advance(lsdem_state *state, double end, uint64_t step, scr_error *error);

/** The time step over 2/omega, with dashpots, of the contacts of the last force pass, each grain by itself, on fixed surroundings: stable
 * well below 1. */
double lsdem_step_ratio(const lsdem_state *state);

/** Rotates a free body: q to one dt later while its angular momentum stays.
 *  @param angular kg m^2/s, world    @param inertia kg m^2, principal */
scr_quat lsdem_turn(scr_quat q, scr_vec3 angular, scr_vec3 inertia, double dt);

#endif
