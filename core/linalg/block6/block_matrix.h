/** Symmetric sparse matrices of 6 x 6 blocks in compressed rows. Both triangles are stored: a product is then a gather by rows,
 *  which needs no atomics. 288 bytes a block are read once per product. */
#ifndef SCREE_LINALG_BLOCK6_BLOCK_MATRIX_H
#define SCREE_LINALG_BLOCK6_BLOCK_MATRIX_H

#include <stddef.h>
#include <stdint.h>

#include "base/execution.h"
#include "base/error.h"
#include "linalg/block6/block6.h"

typedef struct la_block_matrix {
  size_t row_count;   /**< n block rows */
  size_t block_count; /**< m */
  size_t *first;      /**< [n + 1] */
  uint32_t *column;   /**< [m], ascending within a row; the diagonal is always there */
  size_t *diagonal;   /**< [n] slot of the diagonal block */
  double *values;     /**< [m][36] */
} la_block_matrix;

/** Pattern with all diagonal blocks and, for every pair, both off-diagonal blocks. Repeated pairs share a block; i == j adds
 *  nothing. Values are zero.
 *  @param pairs [pair_count][2], each < row_count */
scr_status la_block_matrix_create(size_t row_count, const uint32_t (*pairs)[2], size_t pair_count, la_block_matrix *matrix,
                                  scr_error *error);
void la_block_matrix_destroy(la_block_matrix *matrix);

/** Slot of block (row, column), SIZE_MAX if it is not stored. */
size_t la_block_matrix_slot(const la_block_matrix *matrix, uint32_t row, uint32_t column);

/** Sets all values to zero. */
void la_block_matrix_clear(la_block_matrix *matrix);

/** y = A x, both [n][6]. */
void la_block_matrix_multiply(const la_block_matrix *matrix, const double *x, double *y, scr_execution execution);

#endif
