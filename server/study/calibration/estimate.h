/** What a calibration ends with: the parameters that fit best, an interval for each, and which of them the data does not determine.
 *
 *  The residuals of all runs are fitted by a polynomial of the unknowns z, which go from 0 to 1 over their ranges: linear, with quadratic
 * terms where runs suffice; better runs weigh more. The fit's least sum of squares within those runs is the estimate (steps of Gauss and
 * Newton, damped). With J_b the slopes of target b's residuals there, N_b = J_b^T J_b - 4 B_b, N = sum N_b, and a prior that is even over
 * each range (variance 1/12),
 *
 *    covariance = ( N M^-1 N + 12 I )^-1,   M = sum_b s_b^2 N_b + (1 + h) C.
 *
 *  s_b^2 is the variance of a residual of target b: given for a number (its weight), else tau times the mean square of what the fit leaves
 * of it, tau being how many neighbouring residuals go together (their integrated autocorrelation). C is the covariance of J^T e over the
 * runs, e what the fit leaves of a run: the measurement scatters as a run does, and the fit by its share h (its leverage at the minimum).
 * B_b is what that scatter adds to J_b^T J_b in the mean: slopes count where they are more than twice their own deviation, as a parameter
 * without effect would seem to have one otherwise.
 *
 *  A parameter is undetermined when the data narrows it to no less than half of what its range says (standard deviation above 0.5 /
 * sqrt(12) of the range): its interval is its range then; two go together when the correlation of their errors is above 0.95 in size
 *  and neither is four times as well known as the other, of their ranges. */
#ifndef SCREE_SERVER_STUDY_CALIBRATION_ESTIMATE_H
#define SCREE_SERVER_STUDY_CALIBRATION_ESTIMATE_H

#include "base/error.h"
#include "server/study/calibration/optimiser.h"

/** One parameter at the end. */
typedef struct estimate_parameter {
  double best;      /**< in the unknown's unit */
  double low, high; /**< interval at the level, cut at the range */
  double share;     /**< standard deviation over that of its range: 1 means the data says nothing */
  bool undetermined;
  bool at_bound; /**< the estimate lies at an end of the range: widen it */
} estimate_parameter;

typedef struct estimate {
  size_t count;
  double level; /**< of the intervals: 0.9 */
  estimate_parameter parameters[OPTIMISER_UNKNOWNS];
  double correlation[OPTIMISER_UNKNOWNS][OPTIMISER_UNKNOWNS]; /**< of their errors, by the data and the ranges */
  double value;                                               /**< sum of squares of the residuals that the fit expects at the estimate */
  double best_value;                                          /**< of the best run */
  size_t best_run;                                            /**< its number, from 0 */
  size_t runs;                                                /**< that the fit used */
  bool quadratic;                                             /**< the fit had quadratic terms */
  double independent;                                         /**< residuals over tau: how many count */
  char words[1600];                                           /**< all of it for people, a sentence for each finding; UTF-8 */
} estimate;

/** Residuals of one target. */
typedef struct estimate_block {
  size_t count;    /**< of a curve as many as it has, of a number 1 */
  double variance; /**< of a residual, of a number its weight; 0: from what the fit leaves */
} estimate_block;

/** Runs of a calibration. Borrowed. */
typedef struct estimate_runs {
  const optimiser_unknown *unknowns; /**< [unknown_count] */
  size_t unknown_count, run_count, residual_count;
  const estimate_block *blocks; /**< [block_count] targets in order; NULL: all residuals are one curve */
  size_t block_count;
  const double *points;    /**< [run_count][unknown_count] in the unknowns' units */
  const double *residuals; /**< [run_count][residual_count] all targets one after the other, each times the root of its weight; a run that
                              failed: NaN */
} estimate_runs;

/** @param level 0.5 ... 0.999
 *  @return SCR_OK; SCR_BAD_USAGE: fewer runs that did not fail than unknowns and two (with how many), sizes out of range; SCR_NO_MEMORY */
scr_status estimate_make(const estimate_runs *runs, double level, estimate *out, scr_error *error);

#endif
