/** A sign of life from within long work: building a simulation, the iterations of one step. Whoever watches a run can so tell one that
 *  takes long from one that hangs; so it is given where an iteration has been done, never by a clock. */
#ifndef SCREE_BASE_LIVENESS_H
#define SCREE_BASE_LIVENESS_H

#include <stddef.h>

/** Who is told; zeroed: nobody. */
typedef struct scr_liveness {
  void (*report)(void *user); /**< from the thread that runs the simulation; cheap, must not change it */
  void *user;
} scr_liveness;

/** `pulse` may be NULL. Not from inside a parallel region. */
static inline void scr_report_alive(const scr_liveness *liveness)
{
  if (liveness && liveness->report) liveness->report(liveness->user);
}

#endif
