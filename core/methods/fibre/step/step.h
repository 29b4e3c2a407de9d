/** A step of all fibres.
 *
 *      parts move -> what they hold gets its velocity -> each fibre by itself (rod_step.h) -> reactions on parts, ledger, doubts */
#ifndef SCREE_FIBRE_STEP_H
#define SCREE_FIBRE_STEP_H

#include "base/execution.h"
#include "methods/fibre/state/state.h"
#include "methods/fibre/step/rod_step.h"

/** The step of sim->time_step that ends at `end`, s. */
scr_status fibre_advance(scr_sim *sim, double end, scr_error *error);

/** Velocities of what is held, with which it comes in dt to where parts, moved to the end of the step, take it (hold.c). */
void fibre_follow_holders(fibre_state *state, const sim_parts *parts, double dt);

/** Loads of parts, by the reactions of the step (hold.c). */
void fibre_load_parts(const fibre_state *state, sim_parts *parts);

/** One fibre over dt: places, velocities, frames, reactions and its report (fibre_step.c). Touches nothing of other fibres. */
void fibre_step_one(fibre_state *state, size_t number, double dt);

/** One super-helix over dt, and to equilibrium, as a rod (super_helix.c). */
void fibre_step_helix(fibre_state *state, size_t number, double dt);
void fibre_find_helix_equilibrium(fibre_state *state, size_t number, double dt);

/** One super-helix that touches others, as these do (super_helix.c): its linear system for the rates of strains that state->strain_rate
 *  has, into state->system, matrix and rhs, and how its points move, into state->problem; state->velocity receives theirs.
 *  @param first  of the step: the root is moved    @return false: it is nowhere */
bool fibre_linearise_helix(fibre_state *state, size_t number, double dt, bool first);

/** Its incremental potential, J, at rates of strains. @param rate [elements][3]    @param velocity [nodes][4]  receives those of its
 * points; NULL: not asked    @param size  J, receives the sum of the sizes of terms */
double fibre_helix_potential(fibre_state *state, size_t number, double dt, const double *rate, double *velocity, double *size);

/** The end of its step, by state->strain_rate and by what presses it (fibre_rows_press). @param left  last change over the largest velocity
 */
void fibre_finish_helix(fibre_state *state, size_t number, double dt, uint32_t iterations, double left, bool solved);

/** Which fibres may touch in the step, for state->touched; parts have moved, `before` and `way` say from where (contact_step.c). */
scr_status fibre_find_touches(fibre_state *state, const sim_parts *parts, double dt, scr_execution execution, scr_error *error);

/** All fibres that may touch, over dt, in one contact problem (contact_step.c). */
scr_status fibre_step_touching(scr_sim *sim, double dt, scr_error *error);

/** One fibre to equilibrium (fibre_step.c). */
void fibre_find_equilibrium(fibre_state *state, size_t number, double dt);

#endif
