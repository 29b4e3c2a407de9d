/** Timed solves of one contact problem, each in a process of its own that ends at its bound; and scenes run in the same process, as their
 *  problems are borrowed from their states. For benches: a failure ends the program. */
#ifndef SCREE_SUPPORT_CONTACT_TRIAL_H
#define SCREE_SUPPORT_CONTACT_TRIAL_H

#include "contact/contact.h"
#include "sim/sim.h"

/** What a solve came to. */
typedef struct contact_trial {
  double seconds;  /**< of one thread's processor time; the least where it was repeated, HUGE_VAL where the bound ended it */
  double residual; /**< relative; HUGE_VAL where the bound ended it */
  unsigned iterations, factorisations;
  bool solved;
  char reason[CONTACT_REASON_LENGTH];
} contact_trial;

/** Processor time of this thread, s. That of the process goes on in ticks of 4 ms while a timer is set that ends it at its bound. */
double contact_trial_clock(void);

/** Solves it, again and again until `enough` seconds are over, as short times are uneven: whatever else runs on a processor makes them
 *  longer, nothing makes them shorter.
 *  @param start  [n d] N s, or NULL: zeros    @param limit  s, after which the process ends unsolved */
contact_trial contact_trial_run(const contact_problem *problem, const contact_options *options, const double *start, double enough,
                                double limit);

/** A simulation of a scene, on one thread. @param text JSON    @param scene receives it; both are the caller's to destroy */
scr_sim *contact_trial_open(const char *text, scr_scene **scene);

/** A whole file, 0 at its end; to be freed. */
char *contact_trial_read(const char *path);

#endif
