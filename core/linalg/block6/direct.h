/** Direct solution of A x = b by CHOLMOD's supernodal Cholesky factor, A symmetric positive definite in 6 x 6 blocks.
 *
 *  METIS orders the graph of the blocks, n nodes instead of 6 n unknowns, and each node's six unknowns stay together. Ordering and
 *  symbolic analysis are kept while the graph is unchanged. BLAS runs on one thread, so the bits never depend on threads. */
#ifndef SCREE_LINALG_BLOCK6_DIRECT_H
#define SCREE_LINALG_BLOCK6_DIRECT_H

#include "linalg/block6/block_matrix.h"

typedef struct la_direct la_direct;

scr_status la_direct_create(la_direct **direct, scr_error *error);

/** Accepts NULL. */
void la_direct_destroy(la_direct *self);

/** Factorises `matrix`; its values are copied.
 *  @param shift  >= 0: every diagonal entry is enlarged by this part of itself first; 0 for the matrix itself
 *  @return SCR_OK; SCR_DIVERGED when it is not positive definite or singular to working precision (the estimated reciprocal
 *          condition number of the factor is below 1e-15); SCR_NO_MEMORY. After a failure there is no factor. */
scr_status la_direct_factor(la_direct *self, const la_block_matrix *matrix, double shift, scr_error *error);

/** x = A^-1 b, both [n][6]; allocates nothing. SCR_BAD_USAGE without a factor. */
scr_status la_direct_solve(la_direct *self, const double *b, double *x, scr_error *error);

/** Bytes of the factor, 0 without one. */
size_t la_direct_bytes(const la_direct *self);

/** Symbolic analyses made since la_direct_create. */
size_t la_direct_analysis_count(const la_direct *self);

#endif
