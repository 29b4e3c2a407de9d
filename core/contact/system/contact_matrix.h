/** The sparse matrix K = M + H' B H of primal solvers, B a block d x d for each contact: one pattern, new numbers in every iteration.
 *
 *  Stored by columns. Blocks of b x b stand whole in it, so that a contact's contribution lands at places known beforehand. */
#ifndef SCREE_CONTACT_CONTACT_MATRIX_H
#define SCREE_CONTACT_CONTACT_MATRIX_H

#include "contact/system/system.h"

typedef struct contact_matrix {
  const contact_system *system; /**< borrowed */
  const la_sparse *coupled;     /**< the mass where it is one matrix; NULL where it comes in blocks */
  la_sparse of_chains;          /**< that matrix of a problem in chains */
  la_sparse k;                  /**< K; its pattern is symmetric */
  double *mass;                 /**< [entries of K] M on K's pattern */
  size_t *column_first;         /**< [block_count + 1] block columns: rows column_row[column_first[c]] ... */
  uint32_t *column_row;         /**< block rows, ascending within a column */
  size_t *pair_first;           /**< [n + 1] a contact with e entries owns e^2 pairs */
  uint32_t *pair_place;         /**< where in block column l the block row of entry k stands: pair e l + k */
} contact_matrix;

/** @return SCR_OK; SCR_BAD_USAGE when contacts act on so many blocks that K would be dense beyond sense; SCR_NO_MEMORY */
scr_status contact_matrix_create(const contact_system *system, contact_matrix *matrix, scr_error *error);
void contact_matrix_clear(contact_matrix *matrix);

/** K = M + H' B H.  @param block [n][d][d] column-major */
void contact_matrix_fill(contact_matrix *matrix, const double *block);

#endif
