/** Islands of bodies that rest: in packs of bodies of any shape, whose steps are solved to the tolerance, a group that nothing outside
 * touches sleeps as a whole.
 *
 *  An island is what contacts connect, open ones within the margin too; what stands or is driven connects nothing. It falls asleep when
 * every body of it was slower than SLEEP_BALANCE of what gravity gives in a step for SLEEP_STEPS solved steps in a row: from 1e-4 degrees
 * above the angle of friction on what slides is faster. It wakes, before the step is solved, when a body that is awake or a free part comes
 * within the margin of one of its bodies, and when a part that it touches moves or is steered. Forces of its contacts are those of its last
 * step. */
#ifndef SCREE_RIGID_ISLANDS_H
#define SCREE_RIGID_ISLANDS_H

#include "methods/rigid/state/state.h"

/** Whether islands sleep in this scene: accuracy usual or draft, gravity, a hundred bodies or more and no rolling resistance. */
bool rigid_islands_sleep(const rigid_state *s);

/** Finds the islands of the contacts of a step, wakes whom it must, and moves the contacts of those that sleep behind all others.
 *  @return contacts that are to be solved */
size_t rigid_set_islands_apart(rigid_state *s, const sim_parts *parts, double dt);

/** At the end of a step that was not swept: counts who has rested for how long, and takes the rest of their motion from islands that fall
 *  asleep. */
void rigid_islands_fall_asleep(rigid_state *s);

#endif
