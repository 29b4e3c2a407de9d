/** The frictional contact problem of a step of fibres: M of those that touch, rows of H, gaps and the motion of parts in w; its
 *  solution; what it comes to.
 *
 *      side of a contact on edge i at share s:   u += sign [(1 - s) v_i + s v_{i+1} + thetadot_i t x arm],   arm from the middle line
 *      to the contact
 *
 *  so that fibres roll on each other: friction turns them about their tangents. Held nodes have no columns; their motion goes into w. Of a
 *  super-helix the unknowns are the rates of its strains, M a full matrix of them, and its rows those of its points times how these move
 *  with the strains, which change with every linearisation (rows.h). */
#ifndef SCREE_FIBRE_PROBLEM_H
#define SCREE_FIBRE_PROBLEM_H

#include "base/execution.h"
#include "methods/fibre/state/state.h"

/** Which fibres take part and the rows of all contacts, by detection.touch as it is; contacts that nothing can move are dropped from it.
 *  @return SCR_OK, SCR_NO_MEMORY */
scr_status fibre_problem_begin(fibre_state *state, const sim_parts *parts, double dt, scr_error *error);

/** Whether masses of bodies, rows and offsets are numbers: not where a body is nowhere any more. */
bool fibre_problem_is_finite(const fibre_state *state);

/** Adds the rows of contacts that detection.touch has gained since, before those of bodies; those that nothing can move are dropped.
 *  @return SCR_OK, SCR_NO_MEMORY */
scr_status fibre_problem_extend(fibre_state *state, double dt, scr_error *error);

/** Solves it for the linear systems of state->system and state->rhs; starts at `impulse`, which receives the solution;
 *  state->velocity receives v of fibres that take part, state->strain_rate rates of strains of super-helices.    @param tolerance relative,
 * as contact_options has it
 *  @return as contact_solve */
scr_status fibre_problem_solve(fibre_state *state, double tolerance, double reference_speed, scr_execution execution,
                               contact_result *result, scr_error *error);

/** The problem as it was solved last, in arrays of the state that hold until its next step. */
contact_problem fibre_problem_of(const fibre_state *state);

/** Goes on from the solution there is to a tighter tolerance, by sweeps alone and no more than some hundred: to it, or nearer. */
scr_status fibre_problem_refine(fibre_state *state, double tolerance, double reference_speed, scr_execution execution, scr_error *error);

/** What contacts add to the potential at velocities v of all unknowns, of a super-helix the rates of its strains in their stead, where no
 * body takes part, by the pressing of the last solution: what friction and adhesion take, and twice what closing gaps would give, sum r_N
 * (mu |u_T| + 2 max(-u_N, 0)) + c dt u_N, J: an exact penalty, as r_N are the multipliers. */
double fibre_problem_merit(const fibre_state *state, const double *v);

/** Books the contacts of the step: energies, loads of parts, forces on nodes, reactions of what holds nodes; counts them. */
void fibre_problem_book(fibre_state *state, sim_parts *parts, double dt);

/** Impulse of contact k of the last step on its fibre a or ball, N s, in the world. @param k < problem.count    @param place  receives
 * where,
 *  m */
scr_vec3 fibre_contact_impulse(const fibre_state *state, size_t k, scr_vec3 *place);

void fibre_problem_clear(fibre_problem *problem);

#endif
