/** One level of the multigrid hierarchy. Private to multigrid*.c and their tests.
 *
 *  Set-up works in double precision on unscaled unknowns. With L_i the Cholesky factor of diagonal block i, P0 = B R^-1 aggregate by
 *  aggregate (the tentative prolongator, B the near-nullspace) and omega = 4/(3 lambda), lambda the largest eigenvalue of D^-1 A:
 *    P = (I - omega D^-1 A) P0,   A_coarse = P^T A P,   B_coarse = R.
 *  Cycles work in single precision on scaled unknowns, in which every diagonal block is I (taken for I where a diagonal block is not
 *  positive definite and L is made otherwise): A~ = L^-1 A L^-T,   P~ = L^T P L_coarse^-T. Vectors have eight floats a row, two of them
 *  zeros, and A~ is stored by its upper half (folded.h). Rounding A~ and P~ to 16 bits is harmless: with B the smoother, (I - B A~) P~
 *  A_coarse^-1 P~^T (I - A~ B) + smoothing is positive definite whatever A~ and P~ are, and what rounding adds to a smooth correction is
 *  rough and 1e-5 of it; A_coarse, where it would matter, is formed in double.
 *  Source: Vanek, Mandel, Brezina, Computing 56 (1996). */
#ifndef SCREE_LINALG_BLOCK6_MULTIGRID_LEVEL_H
#define SCREE_LINALG_BLOCK6_MULTIGRID_LEVEL_H

#include "base/execution.h"
#include "linalg/block6/folded/folded.h"
#include "linalg/block6/multigrid/aggregate.h"

/** Rows of 6 x 6 blocks. */
typedef struct la_block_rows {
  size_t *first;    /**< [row count + 1] */
  uint32_t *column; /**< ascending within a row */
  double *values;   /**< [first[row count]][36] */
} la_block_rows;

typedef struct la_level {
  const la_block_matrix *matrix; /**< the caller's, or `own` */
  la_block_matrix own;           /**< of a coarser level */
  la_block_graph graph;          /**< n rows, m edges */
  double *modes;                 /**< [n][36] near-nullspace, rows of unknowns; on the finest level a copy of the caller's */
  double *factors;               /**< [n][36] L_i, diagonals inverted */

  /* towards the next coarser level; without one coarse_count is 0 and the arrays are NULL */
  size_t coarse_count;    /**< c */
  uint32_t *aggregate;    /**< [n] */
  size_t *member_first;   /**< [c + 1] */
  uint32_t *member;       /**< rows of each aggregate, ascending */
  double *tentative;      /**< [n][36] P0, one block a row */
  la_block_rows smoothed; /**< P */
  la_block_rows product;  /**< A P */
  size_t *transposed;     /**< [c + 1] where each column of P begins in the two arrays below */
  uint32_t *fine_row;     /**< rows that hold a block in that column, ascending */
  size_t *fine_slot;      /**< and the slot of the block */

  /* the cycle */
  la_folded folded;                       /**< A~ */
  la_rounded_block *prolongator;          /**< P~ in the slots of P */
  la_rounded_block *restrictor;           /**< the same blocks by columns, to be streamed too: that of fine_slot[t] in slot t */
  float *x, *right, *scratch, *direction; /**< [n][8] */
  double largest_eigenvalue;              /**< of A~, estimated */
} la_level;

/** Aggregates, patterns and arrays towards a coarser level, whose matrix and graph are made too (their values come with la_level_values).
 *  Nothing is made, and SCR_OK returned, where coarsening would not help: no edges, or more than 4/5 as many aggregates as rows. */
scr_status la_level_coarsen(la_level *fine, la_level *coarse, scr_error *error);

/** Arrays of a level that has its graph. @param execution with the most threads that the functions below will use */
scr_status la_level_allocate(la_level *level, scr_execution execution, scr_error *error);

void la_level_clear(la_level *level);

/** Bytes held. */
size_t la_level_bytes(const la_level *level);

/** Everything numeric on this level but the prolongator: factors, A~ and its largest eigenvalue. */
void la_level_values(la_level *level, scr_execution execution);

/** A~_ij = L_i^-1 A_ij L_j^-T of an edge in double precision. */
void la_level_scaled_block(const la_level *level, size_t row, size_t edge, double *block);

/** P0 of `fine` and the modes of `coarse`. */
void la_level_tentative(la_level *fine, la_level *coarse, scr_execution execution);

/** P, A P and the matrix of `coarse`. */
void la_level_galerkin(la_level *fine, la_level *coarse, scr_execution execution);

/** P~, once both levels have their factors. */
void la_level_scale_prolongator(la_level *fine, const la_level *coarse, scr_execution execution);

/** y = right - A~ x */
void la_level_residual(const la_level *level, const float *right, const float *x, float *y, scr_execution execution);

/** direction = keep direction + add (right - A~ x), then x += direction. With `from_zero` x counts as zero, whatever it holds; with
 *  keep = 0 so does the direction. */
void la_level_smooth(la_level *level, float keep, float add, bool from_zero, scr_execution execution);

/** coarse->right = P~^T fine->scratch */
void la_level_restrict(const la_level *fine, la_level *coarse, scr_execution execution);

/** fine->x += P~ coarse->x */
void la_level_prolong(la_level *fine, const la_level *coarse, scr_execution execution);

/** Largest eigenvalue of A~ by ten steps of Lanczos from a fixed start; a few per cent low at most. Uses x, right and scratch. */
double la_level_largest_eigenvalue(la_level *level, scr_execution execution);

#endif
