/** A sign of life from within long work: building a simulation, the iterations of one step. Whoever watches a run can so tell one that takes
 *  long from one that hangs; so it is given where an iteration has been done, never by a clock. */
#ifndef SCREE_BASE_PULSE_H
#define SCREE_BASE_PULSE_H

#include <stddef.h>

/** Who is told; zeroed: nobody. */
typedef struct scr_pulse {
  void (*beat)(void *user); /**< from the thread that runs the simulation; cheap, must not change it */
  void *user;
} scr_pulse;

/** `pulse` may be NULL. Not from inside a parallel region. */
static inline void scr_pulse_beat(const scr_pulse *pulse)
{
  if (pulse && pulse->beat) pulse->beat(pulse->user);
}

#endif
