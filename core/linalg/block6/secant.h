/** Quasi-Newton steps with a preconditioner in the place of the first inverse Hessian (L-BFGS): one application of the preconditioner and
 *  one gradient an iteration, no product with a matrix.
 *
 *  From steps s_k and the changes y_k of the gradient that they made, s_k . y_k > 0,
 *    H = (I - s y^T/(s.y)) ... M^-1 ... (I - y s^T/(s.y)) + s s^T/(s.y)
 *  is symmetric positive definite as M is. Steps of several iterations are taken for vectors of one space, although orientations turn in
 *  between: an error of the order of the turn, which later pairs correct. Source: Nocedal and Wright, Numerical Optimization, algorithm
 *  7.4. */
#ifndef SCREE_LINALG_SECANT_H
#define SCREE_LINALG_SECANT_H

#include "base/execution.h"
#include "linalg/block6/preconditioner.h"

enum { LA_SECANTS = 8 };

/** The last pairs, in single precision, which halves what a step streams: H stays symmetric positive definite, for s . y is that of the
 *  rounded vectors. */
typedef struct la_secants {
  size_t count;                    /**< pairs held */
  float *displacement[LA_SECANTS]; /**< [6 n] s, oldest first */
  float *change[LA_SECANTS];       /**< [6 n] y */
  double inverse[LA_SECANTS];      /**< 1/(s . y) */
} la_secants;

scr_status la_secants_create(size_t unknowns, la_secants *secants, scr_error *error);
void la_secants_destroy(la_secants *secants);

/** Takes a pair in, in the place of the oldest one when there is no room. Pairs without s . y > 0 are left out.
 *  @param alpha share of `step` that was taken, s = alpha step    @param before,after gradients, all [count]  */
void la_secants_add(la_secants *secants, const double *step, double alpha, const double *before, const double *after, size_t count,
                      scr_execution execution);

/** step = -H gradient.  @param work [count], overwritten */
void la_secants_step(const la_secants *secants, const la_preconditioner *preconditioner, const double *gradient, size_t count,
                       double *step, double *work, scr_execution execution);

#endif
