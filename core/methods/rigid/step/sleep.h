/** Bodies of a swept pack that rest sleep: they stay where they are, exactly, and contacts between them keep their forces, until something
 * changes that.
 *
 *  A body that is slower than SLEEP_SPEED of what gravity gives in a step for SLEEP_STEPS steps in a row falls asleep, by itself or with
 *  all others, once its forces change its speed by no more than SLEEP_BALANCE of that: what slides does so from 0.006 degrees above its
 *  angle of friction on. It wakes when its contacts and its weight together would give it more than WAKE_BALANCE in a step: when it is
 *  touched, when what lies on it changes, when what holds it leaves; and when a part of the rig that it touches moves. The forces of
 *  contacts of two sleepers, or of one with a part that stands, are those of the step in which the later one fell asleep. */
#ifndef SCREE_RIGID_SLEEP_H
#define SCREE_RIGID_SLEEP_H

#include "methods/rigid/state/state.h"

enum { SLEEP_STEPS = 50 };
#define SLEEP_SPEED 0.05
#define SLEEP_BALANCE 1e-4
#define WAKE_BALANCE 1e-3

static inline bool rigid_is_asleep(const rigid_state *s, size_t body)
{
  return s->calm[body] >= SLEEP_STEPS;
}

/** Whether a contact moves nothing: of sleepers, or of one with a part that no servo steers. */
static inline bool rigid_is_frozen(const rigid_state *s, const rigid_contact *c)
{
  if (!rigid_is_asleep(s, c->touch.a)) return false;
  return c->touch.b >= s->body_count ? !(s->servo_inverse_mass[c->touch.b - s->body_count] > 0) : rigid_is_asleep(s, c->touch.b);
}

/** Whether a quarter of the bodies sleep, or wait for their forces to be in balance: then forces are to be found more exactly. */
bool rigid_many_sleep(const rigid_state *s);

/** Wakes what touches a part that moves. */
void rigid_wake_by_parts(rigid_state *s, const sim_parts *parts, double dt);

/** Wakes sleepers that the impulses of all contacts, problem.kept, and their weight leave out of balance, and what touches them;
 *  @param far  all that they press on, directly or by others, and not only that    @return how many were woken */
size_t rigid_wake_unbalanced(rigid_state *s, double dt, bool far);

/** At the end of a step, while free[] has what bodies would have done without contacts: counts who has rested for how long, takes the rest
 * of their motion from those that fall asleep, and books it. Wakes all where the step was not that of a pack. */
void rigid_fall_asleep(rigid_state *s);

/** Stops body i, which falls asleep, and books what it had. */
void rigid_take_rest_of_motion(rigid_state *s, size_t i);

/** Bodies asleep. */
size_t rigid_count_asleep(const rigid_state *s);

#endif
