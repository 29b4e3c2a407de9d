/** One implicit Euler step, or static equilibrium, by Newton's method on positions and unit quaternions.
 *
 *  Minimises  Phi = sum m/(2 dt^2) |p - p^|^2 + sum mq/(2 dt^2) |q - q^|^2 + bonds - load . p,   |q| = 1,
 *  with p^ = p_n + dt v_n, q^ = exp(dt w_n) q_n (turning on unhindered, so a free spin is kept exactly) and mq = 8/5 m r^2. */
#ifndef SCREE_METHODS_BDEM_IMPLICIT_H
#define SCREE_METHODS_BDEM_IMPLICIT_H

#include "linalg/pcg.h"
#include "methods/bdem/body.h"

typedef struct bdem_implicit_options {
  double time_step;       /**< s, > 0; INFINITY = static equilibrium: no inertia, velocities stay as they are */
  double force_scale;     /**< N, > 0: E r^2; residuals are measured by it */
  double tolerance;       /**< largest |residual| / force_scale at the end, e.g. 1e-8 */
  size_t iteration_limit; /**< of Newton's method, >= 1 */
  unsigned threads;       /**< >= 1; results never depend on it */
} bdem_implicit_options;

typedef struct bdem_implicit_report {
  size_t newton_iterations;
  size_t cg_iterations;
  size_t fallbacks; /**< iterations that took the Gauss-Newton Hessian because the exact one was indefinite */
  double residual;  /**< largest |residual| / force_scale */
  double decrease;  /**< Phi(start) - Phi(end), J; negative by rounding only */
} bdem_implicit_report;

/** Matrix, preconditioner and scratch of one body; valid while its bonds join the same spheres. */
typedef struct bdem_implicit bdem_implicit;

scr_status bdem_implicit_create(const bdem_body *body, bdem_implicit **solver, scr_error *error);
void bdem_implicit_destroy(bdem_implicit *solver);

/** Advances the body by one step.
 *  @param load [n] constant forces, N (weight included), or NULL
 *  @return SCR_OK; SCR_BAD_USAGE for options out of range; SCR_DIVERGED when Newton's method does not reach the tolerance: the
 *          body is then as it was before the call, so that the caller may try a smaller step. SCR_NO_MEMORY. */
scr_status bdem_implicit_step(bdem_implicit *solver, bdem_body *body, const scr_vec3 *load, const bdem_implicit_options *options,
                              bdem_implicit_report *report, scr_error *error);

#endif
