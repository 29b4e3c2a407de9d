/** The frictional contact problem of a step of fibres: M of those that touch, rows of H, gaps and the motion of parts in w; its
 *  solution; what it comes to.
 *
 *      side of a contact on edge i at share s:   u += sign [(1 - s) v_i + s v_{i+1} + thetadot_i t x arm],   arm from the middle line
 *      to the contact
 *
 *  so that fibres roll on each other: friction turns them about their tangents. Held nodes have no columns; their motion goes into w. */
#ifndef SCREE_FIBRE_PROBLEM_H
#define SCREE_FIBRE_PROBLEM_H

#include "base/execution.h"
#include "methods/fibre/state/state.h"

/** Which fibres take part and the rows of all contacts, by detection.touch as it is; contacts that nothing can move are dropped from it.
 *  @return SCR_OK, SCR_NO_MEMORY */
scr_status fibre_problem_begin(fibre_state *state, const sim_parts *parts, double dt, scr_error *error);

/** Solves it for the linear systems of state->system and state->rhs; starts at `impulse`, which receives the solution;
 *  state->velocity receives v of fibres that take part.    @param tolerance  relative, as contact_options has it
 *  @return as contact_solve */
scr_status fibre_problem_solve(fibre_state *state, double tolerance, double reference_speed, scr_execution execution,
                               contact_result *result, scr_error *error);

/** The problem as it was solved last, in arrays of the state that hold until its next step. */
contact_problem fibre_problem_of(const fibre_state *state);

/** Books the contacts of the step: energies, loads of parts, forces on nodes, reactions of what holds nodes; counts them. */
void fibre_problem_book(fibre_state *state, sim_parts *parts, double dt);

/** Impulse of contact k of the last step on its fibre a or ball, N s, in the world. @param k < problem.count    @param place  receives
 * where,
 *  m */
scr_vec3 fibre_contact_impulse(const fibre_state *state, size_t k, scr_vec3 *place);

void fibre_problem_clear(fibre_problem *problem);

#endif
