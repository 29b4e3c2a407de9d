/** Preconditioned conjugate gradients. */
#ifndef SCREE_LINALG_BLOCK6_PCG_H
#define SCREE_LINALG_BLOCK6_PCG_H

#include "base/execution.h"
#include "base/liveness.h"
#include "linalg/block6/block_matrix.h"
#include "linalg/block6/preconditioner.h"

typedef struct la_pcg_options {
  double tolerance;       /**< stop when |b - A x| <= tolerance |b| */
  size_t iteration_limit; /**< >= 1 */
  scr_execution execution;
  const scr_liveness *liveness; /**< beaten by every iteration; may be NULL */
} la_pcg_options;

typedef enum la_pcg_outcome {
  LA_PCG_CONVERGED,
  LA_PCG_LIMIT,             /**< the iteration limit came first; x is the best so far */
  LA_PCG_NEGATIVE_CURVATURE /**< a direction with d.A d <= 0, or r.M^-1 r <= 0, was met; x is the sum of the steps before it */
} la_pcg_outcome;

typedef struct la_pcg_report {
  la_pcg_outcome outcome;
  size_t iterations; /**< products with the matrix */
  double residual;   /**< |b - A x| / |b| as the recurrence has it */
} la_pcg_report;

/** Doubles of scratch that la_pcg needs for `row_count` block rows. */
size_t la_pcg_scratch(size_t row_count);

/** Solves A x = b from x = 0.
 *  @param b,x      [n][6]        @param scratch [la_pcg_scratch(n)] */
la_pcg_report la_pcg(const la_block_matrix *matrix, const la_preconditioner *preconditioner, const la_pcg_options *options, const double *b,
                     double *x, double *scratch);

#endif
