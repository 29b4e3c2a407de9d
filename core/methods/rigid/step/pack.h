/** Steps of packs of balls, swept: contacts are handed to contact/balls as they are, without rows of a general problem. */
#ifndef SCREE_RIGID_PACK_H
#define SCREE_RIGID_PACK_H

#include "methods/rigid/state/state.h"

/** Whether the contacts of this step are those of a pack: balls of like mass by the hundred, which nothing but balls and driven parts
 *  touch, or parts that servos press along the normals of their contacts. What else there is stands: stacks, walls and arches fall or drift
 *  where sweeps are counted. */
bool rigid_is_pack(const rigid_state *s, const sim_parts *parts);

/** Solves the step by sweeps: velocities and spins of bodies, impulses and couples of contacts, their states, the report, and the
 *  impulses kept for the next step. @return SCR_OK, SCR_NO_MEMORY */
scr_status rigid_sweep_pack(rigid_state *s, const sim_parts *parts, double dt, scr_error *error);

/** Moves balls that overlap apart, as rigid_separate does, by few sweeps. */
scr_status rigid_separate_pack(rigid_state *s, double dt, scr_error *error);

#endif
