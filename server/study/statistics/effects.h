/** What factors do to a result: shares of its variance by factor and by pair of factors.
 *
 *  A balanced grid (each combination of levels has as many rows, once or more) is taken apart exactly: with means over the rows of a level
 * or of two,
 *
 *    main_i = sum_levels n_a (mean_a - mean)^2 / total,   pair_ij = sum_ab n_ab (mean_ab - mean_a - mean_b + mean)^2 / total,
 *
 *  total = sum (y - mean)^2. The rest is interactions of three and more, and the scatter of repetitions.
 *
 *  Any other design is fitted by least squares with polynomials that are orthonormal on [-1, 1] (Legendre's): of each factor's rank, scaled
 * to
 *  [-1, 1], those of degree 1 and 2, and products of degrees 1 of each pair. Products are left out where rows are fewer than one and a half
 *  times the terms, then squares. Shares are the squared coefficients, scaled to the share of the variance that the fit explains.
 * `predicted` says what that is worth: the share of the variance that it predicts of rows left out one at a time (PRESS); below about 0.7
 * the shares are not to be trusted.
 */
#ifndef SCREE_SERVER_STUDY_STATISTICS_EFFECTS_H
#define SCREE_SERVER_STUDY_STATISTICS_EFFECTS_H

#include "base/error.h"

enum { EFFECTS_FACTORS = 12, EFFECTS_ROWS = 100000 }; /**< at most */

typedef enum effects_method { EFFECTS_OF_GRID, EFFECTS_OF_FIT } effects_method;

typedef struct effects {
  effects_method method;
  size_t row_count;                              /**< rows whose result and factors are finite */
  double mean, deviation;                        /**< of the result, in its unit */
  double main[EFFECTS_FACTORS];                  /**< share of the variance, 0 ... 1 */
  double pair[EFFECTS_FACTORS][EFFECTS_FACTORS]; /**< share of the interaction of i and j, both triangles, 0 on the diagonal; NaN where a
                                                    fit leaves them out */
  double rest;                                   /**< what neither explains */
  double predicted;                              /**< of a fit, at most 1; NaN of a grid */
} effects;

/** @param factors [rows][factor_count]    @param factor_count 1 ... EFFECTS_FACTORS    @param result [rows]; not finite: left out
 *  @return SCR_OK; SCR_BAD_USAGE: a result that does not vary, too few rows for a fit (with how many it needs); SCR_NO_MEMORY */
scr_status effects_make(const double *factors, size_t factor_count, const double *result, size_t rows, effects *out, scr_error *error);

/** Rows in which a factor has one value. */
typedef struct effects_level {
  double value; /**< of the factor */
  double mean;  /**< of the result */
  size_t rows;
} effects_level;

/** Means of the result by level of one factor; rows as effects_make counts them.
 *  @param factor column of `factors`    @param levels [rows], of which the first *level_count are filled, by rising value
 *  @return SCR_OK, SCR_NO_MEMORY */
scr_status effects_levels(const double *factors, size_t factor_count, size_t factor, const double *result, size_t rows,
                          effects_level *levels, size_t *level_count);

#endif
