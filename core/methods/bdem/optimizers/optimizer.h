/** Ways to solve one implicit Euler step behind one interface, so that they can be compared on equal terms. All minimise the same Phi
 *  (implicit.h) from the same starting point to the same tolerance, measured by the same residual; they differ in what they make of
 *  |q| = 1. A method table offers `bdem_optimizer_name(kind)` as the choices and calls create, step, destroy as for implicit.h.
 *
 *  Source: bonded DEM with manifold optimisation (2025), sections 4 and 6.1-6.2 (its figures 6 and 7). */
#ifndef SCREE_METHODS_BDEM_OPTIMIZER_H
#define SCREE_METHODS_BDEM_OPTIMIZER_H

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

/** Keeps the optimizer although bonds broke or candidates changed, when its matrix's pattern allows (bdem_step_pattern_keep); only manifold
 *  Newton can, of the others `*kept` is false. */
scr_status bdem_optimizer_keep(bdem_optimizer *optimizer, const bdem_body *body, struct bdem_contacts *contacts, bool *kept,
                               scr_error *error);

/** bdem_implicit_step by this optimizer: same arguments, same report (`newton_iterations` counts the optimizer's own), same errors. */
scr_status bdem_optimizer_step(bdem_optimizer *optimizer, bdem_body *body, const scr_vec3 *load, const bdem_implicit_options *options,
                               bdem_implicit_report *report, scr_error *error);

/** bdem_implicit_carries, save and load of the optimizer behind; only manifold Newton carries. NULL carries nothing. */
bool bdem_optimizer_carries(const bdem_optimizer *optimizer);
scr_status bdem_optimizer_save(const bdem_optimizer *optimizer, scr_blob *blob, scr_error *error);
scr_status bdem_optimizer_load(bdem_optimizer *optimizer, bdem_body *body, struct bdem_contacts *contacts, unsigned threads,
                               la_preconditioner_kind preconditioner, scr_blob *blob, scr_error *error);

#endif
