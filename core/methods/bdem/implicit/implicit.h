/** One implicit Euler step, or static equilibrium, by Newton's method on positions and unit quaternions.
 *
 *  Minimises  Phi = sum m/(2 dt^2) |p - p^|^2 + sum mq/(2 dt^2) |q - q^|^2 + bonds - load . p,   |q| = 1,
 *  with p^ = p_n + dt v_n, q^ = exp(dt w_n) q_n (turning on unhindered, so a free spin is kept exactly) and mq = 8/5 m r^2.
 *  Options and report are those of the variational integrator (variational.h) too. */
#ifndef SCREE_METHODS_BDEM_IMPLICIT_H
#define SCREE_METHODS_BDEM_IMPLICIT_H

#include "base/execution.h"
#include "linalg/block6/pcg.h"
#include "linalg/block6/preconditioner_choice.h"
#include "methods/bdem/body/body.h"
#include "record/file/blob.h"

/** How Newton's matrix is kept positive definite. */
typedef enum bdem_projection {
  BDEM_PROJECTION_ON_DEMAND,   /**< the exact Hessian; the clipped one in an iteration that finds it indefinite: quadratic at the end */
  BDEM_PROJECTION_CLIPPED,     /**< every bond's negative eigenvalues set to zero, as the paper does: linear at the end */
  BDEM_PROJECTION_GAUSS_NEWTON /**< Gauss-Newton's Hessian always: linear at the end, no eigen-decompositions */
} bdem_projection;

/** What an observer is told before the first iteration and after each. */
typedef struct bdem_iteration {
  size_t iteration; /**< 0 at the starting point */
  double residual;  /**< largest |residual| / force_scale of the step's true, constrained problem */
  double seconds;   /**< processor time since the step began */
} bdem_iteration;

typedef struct bdem_implicit_options {
  double time_step;           /**< s, > 0; INFINITY = static equilibrium: no inertia, velocities stay as they are */
  double force_scale;         /**< N, > 0: E r^2; residuals are measured by it */
  double tolerance;           /**< largest |residual| / force_scale at the end, e.g. 1e-8 */
  size_t iteration_limit;     /**< of Newton's method, >= 1 */
  scr_execution execution;    /**< >= 1; results never depend on it */
  bdem_projection projection; /**< 0 = on demand */
  bool from_prediction;       /**< first guess p^, q^, as the paper has it; false = that or the start, whichever has the lower Phi */
  /** Loosest relative tolerance of a linear solve, < 1; it tightens as sqrt(|g|/|g_first|). 0 = 0.1: the paper's 0.5 takes more
   *  iterations and as long (tests/reports/bench/OPTIMIZERS.md). */
  double linear_tolerance;
  bool newton_only;      /**< a new matrix in every iteration, as the paper has it: none is kept, and no quasi-Newton steps (secant.h) */
  bool measure_decrease; /**< report `decrease`, which takes one more evaluation of Phi */
  la_preconditioner_kind preconditioner; /**< of the linear solves; 0 = chosen by size and step */
  const scr_liveness *liveness;          /**< beaten by every iteration of the linear solver and of Newton's; may be NULL */
  void (*observe)(void *context, const bdem_iteration *iteration); /**< or NULL */
  void *context;                                                   /**< handed to `observe` */
} bdem_implicit_options;

typedef struct bdem_implicit_report {
  size_t newton_iterations;
  size_t cg_iterations;     /**< of all linear solves; a quasi-Newton step, which applies the preconditioner once, counts as one */
  size_t fallbacks;         /**< iterations that took the clipped Hessian because the one asked for was indefinite */
  size_t line_search_steps; /**< trial points, one or more per iteration */
  double residual;          /**< largest |residual| / force_scale */
  double decrease;          /**< Phi(start) - Phi(end), J, if asked for, else 0; negative by rounding only */
  double seconds;           /**< processor time of the calling process; never part of a recording */
} bdem_implicit_report;

/** Matrix, preconditioner and scratch of one body; valid while its bonds join the same spheres. Each kind of solver
 *  knows its own (solve.h). */
typedef struct bdem_step_solver bdem_step_solver;

scr_status bdem_implicit_create(const bdem_body *body, bdem_step_solver **solver, scr_error *error);
void bdem_implicit_destroy(bdem_step_solver *solver);
/** Keeps the solver although bonds broke or candidates changed, when its matrix's pattern allows: bdem_step_pattern_keep. */
scr_status bdem_implicit_keep(bdem_step_solver *solver, const bdem_body *body, struct bdem_contacts *contacts, bool *kept,
                              scr_error *error);

/** Advances the body by one step.
 *  @param load [n] constant forces, N (weight included), or NULL
 *  @return SCR_OK; SCR_BAD_USAGE for options out of range; SCR_DIVERGED when Newton's method does not reach the tolerance: the
 *          body is then as it was before the call, so that the caller may try a smaller step. SCR_NO_MEMORY. */
scr_status bdem_implicit_step(bdem_step_solver *solver, bdem_body *body, const scr_vec3 *load, const bdem_implicit_options *options,
                              bdem_implicit_report *report, scr_error *error);

/** Whether the solver hands the last step's matrix on to the next. A run that is resumed must then have that matrix too. */
bool bdem_implicit_carries(const bdem_step_solver *solver);
/** Writes what that matrix was made from. */
scr_status bdem_implicit_save(const bdem_step_solver *solver, scr_blob *blob, scr_error *error);
/** Makes it again, bit by bit, in a fresh solver; the body and its contacts are as before. @param contacts the body's, or NULL */
scr_status bdem_implicit_load(bdem_step_solver *solver, bdem_body *body, struct bdem_contacts *contacts, scr_execution execution,
                              la_preconditioner_kind preconditioner, scr_blob *blob, scr_error *error);

#endif
