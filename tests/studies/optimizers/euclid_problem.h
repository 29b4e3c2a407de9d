/** A step's objective on free quaternions: 7 numbers per sphere, dp and r dq (metres), with |q| = 1 left to whoever minimises.
 *
 *    L = Phi(p, q) + sum lambda C + sum kappa/2 C^2,   C = (|q|^2 - 1)/2 per sphere that may turn
 *
 *  The penalty, Lagrange and augmented Lagrangian optimizers stand on it. Private to this folder. The step problem's body is kept at the
 *  same positions and the normalised quaternions, so that its gradient is the true, constrained problem's. Hessians are products bond by
 *  bond with the 11 x 11 matrices stored; the preconditioner inverts the 7 x 7 diagonal blocks. Rotations of a sphere are held all or
 *  not at all. */
#ifndef SCREE_TESTS_BENCH_OPTIMIZERS_EUCLID_PROBLEM_H
#define SCREE_TESTS_BENCH_OPTIMIZERS_EUCLID_PROBLEM_H

#include "methods/bdem/implicit/step_progress.h"

enum { BDEM_FREE = 7 };

typedef struct bdem_euclid_problem {
  bdem_step_problem *step;   /**< borrowed from begin on */
  scr_quat *quaternion;      /**< [n] q, not unit */
  scr_quat *base;            /**< [n] q where a line search began */
  double *multiplier;        /**< [n] lambda, J */
  double kappa;              /**< J */
  double *hessians;          /**< [b][121] */
  double *own, *factors;     /**< [n][49] a sphere's own terms; Cholesky factors of the whole diagonal blocks */
  double *gradient, *change; /**< [n][7] of L; a step */
} bdem_euclid_problem;

scr_status bdem_euclid_create(const bdem_body *body, bdem_euclid_problem *problem, scr_error *error);
void bdem_euclid_destroy(bdem_euclid_problem *problem);

/** Starts at the step problem's state with lambda = kappa = 0. SCR_BAD_USAGE when a sphere's rotation is held in part. */
scr_status bdem_euclid_begin(bdem_euclid_problem *problem, bdem_step_problem *step, scr_error *error);

/** L, J; INFINITY outside the bonds' hemispheres. */
double bdem_euclid_objective(const bdem_euclid_problem *problem);

/** Gradient of L into problem->gradient; its largest entry over the force scale. */
double bdem_euclid_gradient(bdem_euclid_problem *problem);

/** Largest |C| of the spheres that may turn. */
double bdem_euclid_violation(const bdem_euclid_problem *problem);

/** Stores the second derivatives of L. @param definite every bond's and every sphere's part made positive semi-definite */
void bdem_euclid_hessian(bdem_euclid_problem *problem, bool definite);

/** Factors the diagonal blocks, each enlarged by `radial` of its largest entry along its own quaternion. */
void bdem_euclid_factor(bdem_euclid_problem *problem, double radial);

/** y = H x, and z = M^-1 r with the factored diagonal blocks; [n][7], zero where held. */
void bdem_euclid_multiply(const bdem_euclid_problem *problem, const double *x, double *y);
void bdem_euclid_precondition(const bdem_euclid_problem *problem, const double *r, double *z);

void bdem_euclid_set_base(bdem_euclid_problem *problem);
/** Base moved by alpha times `change`, straight; the step problem's body follows with normalised quaternions. */
void bdem_euclid_move(bdem_euclid_problem *problem, double alpha);

/** Largest |dq| of `change`. */
double bdem_euclid_largest_turn(const bdem_euclid_problem *problem);

/** True when the sphere's orientation may change. */
static inline bool bdem_euclid_turns(const bdem_euclid_problem *problem, size_t k)
{
  return problem->step->body->held[k] >> 3 == 0;
}

#endif
