/** Ways to solve one implicit Euler step behind one interface, so that they can be compared on equal terms. All minimise the same Phi
 *  (implicit.h) from the same starting point to the same tolerance, measured by the same residual; they differ in what they make of
 *  |q| = 1. Scenes are always solved by manifold Newton; the others are for the study and for tests that ask whether all find the same.
 *
 *  Source: bonded DEM with manifold optimisation (2025), sections 4 and 6.1-6.2 (its figures 6 and 7). */
#ifndef SCREE_TESTS_BENCH_OPTIMIZERS_OPTIMIZER_H
#define SCREE_TESTS_BENCH_OPTIMIZERS_OPTIMIZER_H

#include "methods/bdem/implicit/implicit.h"

typedef enum bdem_optimizer_kind {
  BDEM_OPTIMIZER_MANIFOLD_NEWTON,      /**< Newton on R^3 x S^3, geodesic line search: the default (implicit.h) */
  BDEM_OPTIMIZER_MANIFOLD_GRADIENT,    /**< steepest descent on R^3 x S^3 */
  BDEM_OPTIMIZER_PENALTY,              /**< Phi + kappa/2 C^2 on 7 free numbers, C = (|q|^2 - 1)/2; kappa grows until C is small enough */
  BDEM_OPTIMIZER_LAGRANGE,             /**< Phi + lambda C: Newton on 8 numbers */
  BDEM_OPTIMIZER_AUGMENTED_LAGRANGIAN, /**< Phi + lambda C + kappa/2 C^2 with lambda += kappa C */
  BDEM_OPTIMIZER_ROTATION_VECTOR,      /**< q = exp(theta) q_n, Newton on the motion's equations in (p, theta) */
  BDEM_OPTIMIZER_COUNT
} bdem_optimizer_kind;

/** "manifold-newton", "manifold-gradient", "penalty", "lagrange", "augmented-lagrangian", "rotation-vector". */
const char *bdem_optimizer_name(bdem_optimizer_kind kind);

/** One kind's matrices and scratch for one body; valid while its bonds join the same spheres. */
typedef struct bdem_optimizer bdem_optimizer;

scr_status bdem_optimizer_create(bdem_optimizer_kind kind, const bdem_body *body, bdem_optimizer **optimizer, scr_error *error);
void bdem_optimizer_destroy(bdem_optimizer *optimizer);

/** What the gradient optimizer's steps are steepest in. */
typedef enum bdem_metric {
  BDEM_METRIC_PLAIN, /**< metres in all six unknowns of a sphere */
  BDEM_METRIC_BLOCKS /**< the 6 x 6 diagonal blocks of Gauss-Newton's Hessian at the step's start */
} bdem_metric;

/** What only some optimizers know. */
typedef struct bdem_optimizer_tuning {
  bdem_metric gradient_metric; /**< of manifold-gradient; 0 = plain */
  double penalty_weight;       /**< of penalty and augmented-lagrangian: kappa at first, over the stiffest bond's kt + kb; 0 = 1 */
  double penalty_growth;       /**< of penalty: kappa is multiplied by it until the residual is small enough; 0 = 100, 1 = kappa is kept */
} bdem_optimizer_tuning;

/** bdem_implicit_step by this optimizer: same arguments, same report (`newton_iterations` counts the optimizer's own), same errors, among
 *  them SCR_BAD_USAGE for a tuning out of range. @param tuning NULL: the defaults */
scr_status bdem_optimizer_step(bdem_optimizer *optimizer, bdem_body *body, const scr_vec3 *load, const bdem_implicit_options *options,
                               const bdem_optimizer_tuning *tuning, bdem_implicit_report *report, scr_error *error);

#endif
