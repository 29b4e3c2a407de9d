/** General sparse matrices by compressed columns, and factors of symmetric ones: CHOLMOD behind a few calls.
 *
 *    la_sparse     first  0    2  3      5        column c holds entries first[c] ... first[c + 1] - 1,
 *                  row    0 2  1  0 2             rows ascending
 *                  value  a b  c  b d
 *
 *  A factor is analysed once for a pattern (ordering, fill), then made as often as the numbers change, solves for any number of right-hand
 *  sides, and follows A + C C^T and A - C C^T without being made anew. BLAS runs on one thread (one_thread.h): the bits never depend on
 *  threads. */
#ifndef SCREE_LINALG_SPARSE_H
#define SCREE_LINALG_SPARSE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/execution.h"
#include "base/error.h"

typedef struct la_sparse {
  size_t row_count, column_count;
  size_t *first; /**< [column_count + 1] */
  uint32_t *row; /**< [first[column_count]] ascending within a column */
  double *value; /**< [first[column_count]] */
} la_sparse;

typedef struct la_triplet {
  uint32_t row, column;
  double value;
} la_triplet;

/** A matrix from triplets in any order; those of one place are summed in the order given.
 *  @return SCR_OK; SCR_BAD_USAGE for a place outside of the matrix; SCR_NO_MEMORY. On failure `matrix` is empty */
scr_status la_sparse_from_triplets(size_t row_count, size_t column_count, const la_triplet *triplets, size_t count, la_sparse *matrix,
                                   scr_error *error);
/** The same from places alone, row and column each; values are zero, to be filled by la_sparse_slot. */
scr_status la_sparse_from_pattern(size_t row_count, size_t column_count, const uint32_t (*places)[2], size_t count, la_sparse *matrix,
                                  scr_error *error);
/** Frees and empties; accepts an empty one. */
void la_sparse_clear(la_sparse *matrix);

/** Index into `value` of a place; SIZE_MAX where the pattern lacks it. */
size_t la_sparse_slot(const la_sparse *matrix, uint32_t row, uint32_t column);

/** y = A x.  @param x [column_count]   @param y [row_count], written */
void la_sparse_multiply(const la_sparse *matrix, const double *x, double *y);
/** y = A^T x, which is A x of a symmetric matrix, column by column.  @param x [row_count]   @param y [column_count],
 *  written */
void la_sparse_multiply_transposed(const la_sparse *matrix, const double *x, double *y, scr_execution execution);

typedef struct la_factor la_factor;

typedef enum la_factor_kind {
  LA_FACTOR_CHOLESKY, /**< L L^T in dense panels: positive definite matrices, the fastest */
  LA_FACTOR_SIGNED    /**< L D L^T without pivoting, D of either sign: quasi-definite and most indefinite ones, with their inertia */
} la_factor_kind;

scr_status la_factor_create(la_factor_kind kind, la_factor **factor, scr_error *error);
/** Accepts NULL. */
void la_factor_destroy(la_factor *self);

/** Orders the unknowns and finds the fill for a symmetric matrix, of which only the lower triangle is looked at; forgets what was before.
 *  @return SCR_OK; SCR_BAD_USAGE for one that is not square; SCR_NO_MEMORY */
scr_status la_factor_analyse(la_factor *self, const la_sparse *matrix, scr_error *error);

/** Factorises a matrix of the analysed pattern; its values are copied. Without an analysis, or with one of another pattern, it is analysed
 *  first.
 *  @return SCR_OK; SCR_DIVERGED when a pivot is not > 0 (signed: is zero): the message and la_factor_column name its unknown, and there is
 *  no
 *          factor; SCR_BAD_USAGE; SCR_NO_MEMORY */
scr_status la_factor_make(la_factor *self, const la_sparse *matrix, scr_error *error);

/** What an analysis foresees of the factor, before any number is worked out. */
typedef struct la_factor_cost {
  double entries;    /**< of the factor; a factor in dense panels stores up to half as many again */
  double operations; /**< floating point, to make it */
  const char *order; /**< "METIS", "AMD", or another by CHOLMOD's choice of the one with least fill; "" without an analysis */
} la_factor_cost;
la_factor_cost la_factor_estimate(const la_factor *self);

/** Unknown of the pivot that the last failure met; SIZE_MAX when none failed. The matrix is positive definite in the unknowns eliminated
 *  before. */
size_t la_factor_column(const la_factor *self);

/** x = A^-1 b for `count` right-hand sides.  @param b,x [count][n], may be the same
 *  @return SCR_OK; SCR_BAD_USAGE without a factor; SCR_NO_MEMORY */
scr_status la_factor_solve(la_factor *self, const double *b, size_t count, double *x, scr_error *error);

/** Makes the factor that of A + C C^T, or with `down` of A - C C^T. From then on it is L D L^T, and made in that form again.
 *  @param columns C, n rows and as many columns as the change has rank
 *  @return SCR_OK; SCR_DIVERGED when a Cholesky factor's matrix is not positive definite any more: there is no factor then; SCR_BAD_USAGE
 *  without a
 *          factor or for other sizes; SCR_NO_MEMORY */
scr_status la_factor_update(la_factor *self, const la_sparse *columns, bool down, scr_error *error);

/** Pivots below zero of a signed factor: eigenvalues of A below zero (Sylvester); 0 without a factor. */
size_t la_factor_negative_count(const la_factor *self);
/** Cheap estimate of the reciprocal condition number, from the pivots; 0 without a factor. */
double la_factor_condition(la_factor *self);
/** Symbolic analyses made since la_factor_create. */
size_t la_factor_analysis_count(const la_factor *self);

#endif
