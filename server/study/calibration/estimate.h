/** What a calibration ends with: the parameters that fit best, an interval for each, and which of them the data does not determine.
 *
 *  Around the best run the residuals of all runs are fitted by a polynomial of the unknowns z, which go from 0 to 1 over their ranges: r(z)
 * = r0 + J (z - z0) + quadratic terms where there are runs enough; nearer runs weigh more. The fit's minimum within the runs is the
 * estimate (Gauss and Newton's steps on the fit). With s^2 the variance of the residuals left there, tau how many neighbouring residuals go
 * together (their integrated autocorrelation), and a prior that is even over each range (variance 1/12),
 *
 *    covariance = ( (J^T J - B) / (tau s^2) + 12 I )^-1.
 *
 *  B is what the scatter of the runs themselves adds to J^T J in the mean (their noise squared times the inverse of the fit's normal
 * matrix): a parameter without effect would seem to have one otherwise.
 *
 *  A parameter is undetermined when the data narrows it to no less than half of what its range says (standard deviation above 0.5 /
 * sqrt(12) of the range); two that go together when the correlation of their errors is above 0.95 in size. */
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

/** Runs of a calibration. Borrowed. */
typedef struct estimate_runs {
  const optimiser_unknown *unknowns; /**< [unknown_count] */
  size_t unknown_count, run_count, residual_count;
  const double *points;    /**< [run_count][unknown_count] in the unknowns' units */
  const double *residuals; /**< [run_count][residual_count] all targets one after the other, each times the root of its weight; a run that
                              failed: NaN */
} estimate_runs;

/** @param level 0.5 ... 0.999
 *  @return SCR_OK; SCR_BAD_USAGE: fewer runs that did not fail than unknowns and two (with how many), sizes out of range; SCR_NO_MEMORY */
scr_status estimate_make(const estimate_runs *runs, double level, estimate *out, scr_error *error);

#endif
