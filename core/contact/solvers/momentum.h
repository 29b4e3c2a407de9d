/** Nesterov's momentum on sweeps of Gauss-Seidel, with a guard that gives it up where it does harm.
 *
 *      y = r_k + beta (r_k - r_k-1),   r_k+1 = sweep(y)
 *      beta_k = theta_k (1 - theta_k)/(theta_k^2 + theta_k+1),   theta_k+1^2 = (1 - theta_k+1) theta_k^2
 *
 *  Velocities are extrapolated as impulses are, so that they stay those of the impulses, v = M^-1 (f + H' r). Momentum begins anew where
 *  it points back, sum s (y - r_k+1).(r_k+1 - r_k) > 0 (O'Donoghue and Candes 2015, with each contact's own scale), and never exceeds 0.95.
 *  Coulomb's law is no minimum of anything, so nothing promises that this converges: where a residual is above three times the best one,
 *  the sweeps go back to the best point and on without momentum for a while; after five such returns for good.
 *
 *  Where the residual stands still sweeps creep: each moves impulses by the same small step, until after hundreds of sweeps a contact
 * opens, closes or slips. There they leap: along the change between the last two points judged, 2, 4, 8, ... times as far, into the cones,
 * as long as the residual hardly grows. */
#ifndef SCREE_CONTACT_SOLVERS_MOMENTUM_H
#define SCREE_CONTACT_SOLVERS_MOMENTUM_H

#include "contact/system/system.h"

typedef struct momentum {
  const contact_system *system; /**< borrowed */
  double *impulse, *velocity;   /**< [n d], [m] of the sweep before; the second NULL where sweeps keep no velocities */
  double *guess;                /**< [n d] where the last sweep began: y */
  double *best;                 /**< [n d] of all points judged since the beginning, the start among them */
  double residual;              /**< of `best` */
  double *judged;               /**< [n d] the point judged before the last one */
  double *trial;                /**< [n d] where a leap would end */
  double judged_residual;       /**< of `judged` */
  unsigned waiting;             /**< points to be judged before another leap is tried */
  double theta, beta;           /**< 1; beta 0 ... 0.95 */
  unsigned resting;             /**< sweeps still to go without momentum */
  unsigned returns;             /**< to the best point so far */
} momentum;

/** @param velocity [m] of the impulse, or NULL    @param residual of the impulse    @return SCR_OK, SCR_NO_MEMORY */
scr_status momentum_create(const contact_system *system, const double *impulse, const double *velocity, double residual, momentum *m,
                           scr_error *error);
void momentum_clear(momentum *m);

/** Before a sweep: moves impulses, and velocities unless NULL, on along the last change. */
void momentum_push(momentum *m, double *impulse, double *velocity);

/** Behind a sweep: chooses beta of the next. */
void momentum_follow(momentum *m, const double *impulse);

/** When a point was judged: keeps the best, or goes back to it. @return whether `impulse` was changed: its velocities are to be computed
 * anew */
bool momentum_guard(momentum *m, double residual, double *impulse);

/** When a point was judged and stays: whether sweeps creep, and a leap is worth a trial. */
bool momentum_creeps(const momentum *m, double residual);

/** The point in `trial` that lies so many times the last change beyond the impulse. */
void momentum_leap(momentum *m, double length, const double *impulse);

/** Behind all leaps of a point judged, of which there may be none: what the next change is reckoned from.
 *  @param tried, moved  whether there was a leap, and whether `impulse` is where one ended; then momentum begins anew
 *  @param velocity of the impulse, or NULL */
void momentum_settle(momentum *m, double residual, const double *impulse, const double *velocity, bool tried, bool moved);

#endif
