/** The smallest eigenpairs of  K x = lambda M x,  K and M symmetric and sparse, M positive definite: ARPACK's implicitly restarted Lanczos
 *  method on (K - shift M)^-1 M, whose largest eigenvalues 1/(lambda - shift) they are. Small problems are solved densely.
 *
 *  Both matrices have both triangles stored. The start vector is always the same, and everything runs on one thread. ARPACK keeps its state
 *  in static variables, so calls wait for each other. */
#ifndef SCREE_LINALG_EIGENPAIRS_H
#define SCREE_LINALG_EIGENPAIRS_H

#include "base/liveness.h"
#include "linalg/sparse.h"

typedef struct la_eigen_options {
  size_t count;                 /**< wanted, 1 ... n */
  double shift;                 /**< below the smallest eigenvalue; 0 where K is positive definite, else (free bodies) a little below 0 */
  double tolerance;             /**< relative, of the eigenvalues; 0: rounding */
  size_t iteration_limit;       /**< restarts; 0: 300 */
  const scr_liveness *liveness; /**< told after the factorisation and after every product; NULL: nobody */
} la_eigen_options;

/** @param mass    M, or NULL: the identity
 *  @param values  [count] rising        @param vectors [count][n], x . M x = 1, the entry that is largest in size > 0
 *  @return SCR_OK; SCR_DIVERGED when K - shift M is not positive definite (the message names its column) or the iterations do not suffice;
 *          SCR_BAD_USAGE for sizes that do not fit, or a count out of range; SCR_NO_MEMORY */
scr_status la_eigenpairs(const la_sparse *stiffness, const la_sparse *mass, const la_eigen_options *options, double *values,
                         double *vectors, scr_error *error);

#endif
