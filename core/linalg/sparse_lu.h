/** Factors L U of sparse matrices that are not symmetric: KLU and UMFPACK of SuiteSparse behind a few calls.
 *
 *  Both order the unknowns once for a pattern and factorise as often as the numbers change. KLU works entry by entry: the quicker one while
 *  the fill is small. UMFPACK gathers fronts and multiplies them by BLAS: the quicker one where fill grows, as it does in three dimensions.
 *  BLAS runs on one thread (one_thread.h): the bits never depend on threads. */
#ifndef SCREE_LINALG_SPARSE_LU_H
#define SCREE_LINALG_SPARSE_LU_H

#include "linalg/sparse.h"

typedef struct la_lu la_lu;

typedef enum la_lu_kind { LA_LU_KLU, LA_LU_UMFPACK } la_lu_kind;

scr_status la_lu_create(la_lu_kind kind, la_lu **lu, scr_error *error);
/** Accepts NULL. */
void la_lu_destroy(la_lu *self);

/** Factorises a square matrix with partial pivoting, diagonal pivots preferred; its numbers are copied. Analysed first when its pattern is
 *  not that of the last one.
 *  @return SCR_OK; SCR_DIVERGED when it is singular to working precision or not finite: there is no factor then; SCR_BAD_USAGE for one that
 *  is not
 *          square; SCR_NO_MEMORY */
scr_status la_lu_make(la_lu *self, const la_sparse *matrix, scr_error *error);

/** x = A^-1 b.  @param b,x [n], not the same
 *  @return SCR_OK; SCR_BAD_USAGE without a factor; SCR_NO_MEMORY */
scr_status la_lu_solve(la_lu *self, const double *b, double *x, scr_error *error);

/** Entries of L and U together; 0 without a factor. */
size_t la_lu_fill(const la_lu *self);
/** Symbolic analyses made since la_lu_create. */
size_t la_lu_analysis_count(const la_lu *self);

#endif
