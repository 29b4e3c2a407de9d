/** Parts that move freely among the sand: their velocities are unknowns of the same sweeps, so that sand and parts push each other
 *  within the step.
 *
 *  A step of a free part: half of gravity's kick, the impulses of the sweeps, its way at the velocity that follows, the other half. Free
 *  parts also meet other parts (meet.c): unilateral contacts with Coulomb's law, without bounce, in the same sweeps. */
#ifndef SCREE_GRANULAR_BODIES_H
#define SCREE_GRANULAR_BODIES_H

#include "methods/granular/step/stages.h"

/** Whether a part can be free among sand: a solid; in the plane one that y is a principal axis of, no rod but one along y. */
bool granular_may_be_free(const scr_part *form, bool plane);

/** Lists the free parts, with the velocities that they have after half of gravity's kick, as parts_begin leaves them. */
void granular_begin_bodies(granular_state *state, const sim_parts *parts);
/** Finds where free parts are near other parts. */
scr_status granular_find_body_contacts(granular_state *state, const granular_pass *pass, const sim_parts *parts, const part_motion *before,
                                       scr_error *error);
/** Velocity of a free part's surface, m/s in the grid's axes, at an arm from its centre of mass. */
void granular_body_velocity(const granular_state *state, const granular_body *body, scr_vec3 arm, double velocity[3]);
/** Gives a free part the impulse -r at an arm: what pushes a node by r pushes it back. */
void granular_push_body(const granular_state *state, granular_body *body, scr_vec3 arm, const double r[3]);
/** One sweep over contacts of free parts with other parts. */
void granular_sweep_body_contacts(granular_state *state);
/** Largest change of velocity that such a contact still wants, m/s. */
double granular_body_contacts_residual(const granular_state *state);
/** Books what such contacts take, and adds them to the loads of parts. */
void granular_account_body_contacts(granular_state *state, const granular_pass *pass, sim_parts *parts, const part_motion *before,
                                    granular_energy *energy);
/** Moves free parts to the end of the step by what the sweeps gave them. @param start  [parts->count] their flights at its start */
void granular_end_bodies(granular_state *state, const granular_pass *pass, sim_parts *parts, const part_flight *start, double end,
                         granular_energy *energy);

#endif
