/** What the solvers with sparse unsymmetric factors share: a point (r, v, u), the matrix, its factor. */
#ifndef SCREE_CONTACT_PRIMAL_H
#define SCREE_CONTACT_PRIMAL_H

#include "contact/solvers/solvers.h"
#include "contact/system/contact_matrix.h"
#include "linalg/sparse_lu.h"

/** Kept over several solves of one problem: the symbolic analysis is made once. */
typedef struct primal_workspace {
  contact_matrix matrix;
  la_lu *lu;
} primal_workspace;

/** @return SCR_OK; SCR_BAD_USAGE when the matrix would be dense (contact_matrix.h); SCR_NO_MEMORY */
scr_status primal_workspace_create(const contact_system *system, primal_workspace *work, scr_error *error);
void primal_workspace_clear(primal_workspace *work);

/** Fills M + H' B H and factorises it, counting that on the track. @return SCR_OK; SCR_DIVERGED when singular; SCR_NO_MEMORY */
scr_status primal_factor(primal_workspace *work, contact_track *track, const double *block, scr_error *error);

/** How the proximal semismooth Newton method runs. */
typedef struct proximal_plan {
  double rho;            /**< first penalty, dimensionless */
  double step;           /**< sigma of the natural map */
  double up, down;       /**< factors of rho after an easy and a rejected outer step */
  unsigned memory;       /**< of the non-monotone line search; 1 is monotone */
  unsigned newton_limit; /**< iterations within an outer step */
  unsigned outer_limit;  /**< outer steps */
  unsigned factor_limit; /**< factorisations */
} proximal_plan;

/** @param impulse [n d] start, in the cone; then the last accepted point */
scr_status proximal_newton(primal_workspace *work, contact_track *track, const proximal_plan *plan, double *impulse, scr_error *error);

/** Its two plans: S, the quick one, from a point of that relative residual; L, the long one for problems without strict interior. */
proximal_plan proximal_quick(double residual, unsigned factor_limit);
proximal_plan proximal_long(double step);

/** How the interior point method runs. */
typedef struct interior_plan {
  const double *start;   /**< [n d] an impulse; NULL: cold */
  double shift;          /**< how far a start is moved into the cones, in units of speed */
  double damping;        /**< delta of the regularised step; 0: none, and no neighbourhood either */
  const double *weights; /**< [n] omega: the centre that is followed; NULL: 1 */
  unsigned limit;        /**< iterations */
} interior_plan;

/** @param best receives [n d] the best point of this run in the cones    @param residual receives its relative residual */
scr_status interior_point(primal_workspace *work, contact_track *track, const interior_plan *plan, double *best, double *residual,
                          scr_error *error);

/** The plain interior point method alone, so many iterations from a cold start, and Newton's method from where it ends near.
 *  @param impulse [n d] the best point of it */
scr_status hybrid_run_interior(primal_workspace *work, contact_track *track, unsigned limit, double *impulse, scr_error *error);

/** The hybrid of both, and random centres, on a workspace that is there already.
 *  @param tried  plain interior points from a cold start have been tried on this problem: they are left out
 *  @param impulse [n d] start, then the best point */
scr_status hybrid_run(primal_workspace *work, contact_track *track, bool tried, double *impulse, scr_error *error);

#endif
