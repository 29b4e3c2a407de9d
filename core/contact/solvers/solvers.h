/** The solvers behind contact_solve. Each starts from an impulse, offers its points to the track, and stops when the track is solved or its
 *  own limit is reached. They know nothing of each other; auto.c puts them in order. */
#ifndef SCREE_CONTACT_SOLVERS_H
#define SCREE_CONTACT_SOLVERS_H

#include "contact/system/track.h"

/** What `contact_solver` numbers mean.
 *  @param impulse [n d] where to start, finite; then the solver's last point
 *  @return SCR_OK, also when not solved; SCR_NO_MEMORY */
typedef scr_status contact_solve_function(contact_track *track, double *impulse, scr_error *error);

contact_solve_function contact_solve_gauss_seidel, contact_solve_admm, contact_solve_fixed_point, contact_solve_newton,
    contact_solve_interior, contact_solve_hybrid;
/** Descent, conjugate, accelerated or spectral, as track->solver says. */
contact_solve_function contact_solve_gradient;

/** A solver that projects onto cones, by way of smaller coefficients of friction where some are above 3 (wide.c). */
scr_status contact_solve_wide(contact_solve_function *solve, contact_track *track, double *impulse, scr_error *error);

/** How sweeps go, and when they are given up before their number is reached. {0}: as the options say, and never. */
typedef struct contact_patience {
  unsigned sweeps; /**< where the residual does not reach the tolerance at its present pace within so many; 0: never */
  unsigned first;  /**< but not before so many */
  double near;     /**< and not where the residual is within so many tolerances */
  bool plain;      /**< without momentum, whatever the options say */
} contact_patience;

/** At most so many sweeps of Gauss-Seidel, from `impulse`. */
scr_status contact_gauss_seidel_sweeps(contact_track *track, double *impulse, unsigned sweeps, contact_patience patience, scr_error *error);

/** At most so many iterations of the projected gradients that track->solver names; with a `patience` they end when as many of them have not
 *  taken a fifth off the best residual, unless it is within twice the tolerance. */
scr_status contact_gradient_iterations(contact_track *track, double *impulse, unsigned limit, unsigned patience, scr_error *error);

/** Several in turn. @param reason [CONTACT_REASON_LENGTH] receives who was tried, who ended it and why */
scr_status contact_auto_run(contact_track *track, double *impulse, char *reason, scr_error *error);

/** At most so many iterations of ADMM. @param frozen the change of variable is kept until the cone program is solved: the fixed point */
scr_status contact_admm_iterations(contact_track *track, double *impulse, unsigned limit, bool frozen, scr_error *error);

/** At most so many rounds of Gauss-Seidel and patches: the worst contacts and some hundred around each, solved by the hybrid while the
 *  others hold still. Does nothing where the mass is one sparse matrix. Their factorisations count by a patch's share of the contacts. */
scr_status contact_patch_rounds(contact_track *track, double *impulse, unsigned rounds, scr_error *error);

#endif
