/** Preconditioners behind one interface: z = M^-1 r with M close to a matrix, symmetric positive definite and fixed between updates. */
#ifndef SCREE_LINALG_BLOCK6_PRECONDITIONER_H
#define SCREE_LINALG_BLOCK6_PRECONDITIONER_H

#include "base/execution.h"
#include "base/error.h"
#include "linalg/block6/block_matrix.h"

typedef struct la_preconditioner {
  const char *name; /**< "block-jacobi" */
  void *state;
  /** Takes new values, and a new pattern if it changed. Always leaves a positive definite M; SCR_NO_MEMORY. */
  scr_status (*update)(void *state, const la_block_matrix *matrix, scr_error *error);
  /** z = M^-1 r, both [n][6]. */
  void (*apply)(void *state, const double *r, double *z);
  void (*destroy)(void *state);
  size_t (*bytes)(const void *state); /**< memory held */
} la_preconditioner;

/** Inverts the diagonal blocks. A block that is not positive definite is replaced by its absolute diagonal. */
scr_status la_block_jacobi_create(scr_execution execution, la_preconditioner *preconditioner, scr_error *error);

/** Incomplete Cholesky without fill: L has the non-zero blocks of the matrix's lower triangle, rows being put in the order of
 *  elimination.h. When a pivot block fails, the diagonal is enlarged by 1e-3, 1e-2, 1e-1, 1 and the factorisation starts again. Same bits
 *  for any number of threads. */
scr_status la_block_cholesky_create(scr_execution execution, la_preconditioner *preconditioner, scr_error *error);

/** Complete Cholesky by CHOLMOD (see direct.h): conjugate gradients then need one iteration. A matrix that is singular or not
 *  positive definite is factorised with its diagonal enlarged by 1e-9, 1e-3 or 1 of itself, or else replaced as in block Jacobi, so
 *  that conjugate gradients can find the direction of negative curvature. */
scr_status la_direct_preconditioner_create(la_preconditioner *preconditioner, scr_error *error);

/** Smoothed-aggregation algebraic multigrid, one V-cycle with `LA_MULTIGRID_SWEEPS` Chebyshev sweeps before and after each coarser level.
 *  Aggregates and patterns are kept while the graph of non-zero blocks is unchanged. Same bits for any number of threads.
 *  On a matrix that is not positive definite the cycle may not be either: la_pcg then reports negative curvature. */
scr_status la_multigrid_create(scr_execution execution, la_preconditioner *preconditioner, scr_error *error);

enum { LA_MULTIGRID_SWEEPS = 2 };

/** Gives the motions that cost (almost) no energy, six of them as columns: rigid motions, for a solid. Read, not kept, at every update;
 *  without them, or with NULL, the unknowns themselves are taken, which converges slowly on solids.
 *  @param preconditioner any; only one from la_multigrid_create minds
 *  @param modes          [n][36], row-major 6 x 6 per node: rows are its unknowns; must live as long as updates are made */
void la_multigrid_set_modes(la_preconditioner *preconditioner, const double *modes);

/** Destroys and empties; accepts an empty one. */
static inline void la_preconditioner_destroy(la_preconditioner *preconditioner)
{
  if (preconditioner->destroy) preconditioner->destroy(preconditioner->state);
  *preconditioner = (la_preconditioner){0};
}

#endif
