/** What every solver reports its points to: the best one is kept, and the work that went into it. */
#ifndef SCREE_CONTACT_TRACK_H
#define SCREE_CONTACT_TRACK_H

#include "contact/system/system.h"

typedef struct contact_track {
  const contact_system *system;   /**< borrowed */
  const contact_options *options; /**< borrowed */
  contact_solver solver;          /**< whose points come now */
  double *best;                   /**< [n d] N s */
  double residual;                /**< of `best`; HUGE_VAL before the first point */
  contact_solver best_solver;
  double last;         /**< residual of the last point offered */
  double *velocity;    /**< [m] v of the last point offered */
  double *relative;    /**< [n d] u of it */
  unsigned iterations; /**< sweeps and iterations so far, all solvers */
  unsigned factorisations;
  size_t local_failures;
  double operations; /**< floating point, that a symmetric factor of the whole takes; 0 while nobody knows */
  double growth;     /**< largest |s r| over `speed` of any point offered: where it grows without end, there is no solution */
} contact_track;

scr_status contact_track_create(const contact_system *system, const contact_options *options, contact_track *track, scr_error *error);
void contact_track_clear(contact_track *track);

/** Measures a point and keeps it when it is the best. Points that are not finite are passed over.
 *  @param solved receives whether the best point is within the tolerance; may be NULL */
scr_status contact_track_offer(contact_track *track, const double *impulse, bool *solved, scr_error *error);

/** Takes the point offered last as the best one, whatever was better before. */
void contact_track_set_best(contact_track *track, const double *impulse);

/** Whether the best point is within the tolerance. */
bool contact_track_solved(const contact_track *track);

/** Whether another sparse factorisation may be made. */
bool contact_track_may_factor(const contact_track *track);

#endif
