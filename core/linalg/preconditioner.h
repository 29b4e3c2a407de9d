/** Preconditioners behind one interface: z = M^-1 r with M close to a matrix, symmetric positive definite and fixed between updates. */
#ifndef SCREE_LINALG_PRECONDITIONER_H
#define SCREE_LINALG_PRECONDITIONER_H

#include "base/error.h"
#include "linalg/block_matrix.h"

typedef struct la_preconditioner {
  const char *name; /**< "block-jacobi" */
  void *state;
  /** Takes new values, and a new pattern if it changed. Always leaves a positive definite M; SCR_NO_MEMORY. */
  scr_status (*update)(void *state, const la_block_matrix *matrix, scr_error *error);
  /** z = M^-1 r, both [n][6]. */
  void (*apply)(void *state, const double *r, double *z);
  void (*destroy)(void *state);
} la_preconditioner;

/** Inverts the diagonal blocks. A block that is not positive definite is replaced by its absolute diagonal. */
scr_status la_block_jacobi_create(unsigned threads, la_preconditioner *preconditioner, scr_error *error);

/** Incomplete Cholesky without fill: L has the blocks of the matrix's lower triangle. When a pivot block fails, the diagonal is
 *  enlarged by 1e-3, 1e-2, 1e-1, 1 and the factorisation starts again. Rows are eliminated in order, by one thread. */
scr_status la_block_cholesky_create(la_preconditioner *preconditioner, scr_error *error);

/** Complete Cholesky by CHOLMOD (see direct.h): conjugate gradients then need one iteration. A matrix that is singular or not
 *  positive definite is factorised with its diagonal enlarged by 1e-9, 1e-3 or 1 of itself, or else replaced as in block Jacobi, so
 *  that conjugate gradients can find the direction of negative curvature. */
scr_status la_direct_preconditioner_create(la_preconditioner *preconditioner, scr_error *error);

/** Destroys and empties; accepts an empty one. */
static inline void la_preconditioner_destroy(la_preconditioner *preconditioner)
{
  if (preconditioner->destroy) preconditioner->destroy(preconditioner->state);
  *preconditioner = (la_preconditioner){0};
}

#endif
