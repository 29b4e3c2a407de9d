/** Linear systems of the optimizers on free quaternions: conjugate gradients for H, minimal residuals for H bordered by the constraints.
 *  Both are preconditioned by the 7 x 7 diagonal blocks. Private to this folder. */
#ifndef SCREE_TESTS_BENCH_OPTIMIZERS_EUCLID_SOLVER_H
#define SCREE_TESTS_BENCH_OPTIMIZERS_EUCLID_SOLVER_H

#include "tests/studies/optimizers/euclid_problem.h"

/** Doubles of scratch for either solver and `sphere_count` spheres. */
size_t bdem_euclid_scratch(size_t sphere_count);

/** Solves H change = -gradient to a relative tolerance by conjugate gradients (Hestenes and Stiefel); change is the best so far when
 *  the iteration limit or negative curvature comes first. The diagonal blocks must be factored. */
la_pcg_report bdem_euclid_conjugate(bdem_euclid_problem *problem, double tolerance, size_t iteration_limit, double *scratch);

/** Solves  [H A^T; A 0] (change, multiplier change) = -(gradient, C)  by MINRES (Paige and Saunders 1975), A = dC/dx. The diagonal
 *  preconditioner takes the inverse of A K^-1 A^T, K the factored blocks, for the constraints.
 *  @param multiplier_change [n]  @return outcome converged or limit; iterations; residual in the preconditioner's norm */
la_pcg_report bdem_euclid_bordered(bdem_euclid_problem *problem, double tolerance, size_t iteration_limit, double *multiplier_change,
                                   double *scratch);

#endif
