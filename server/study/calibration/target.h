/** What a calibration compares: several targets, each a measured curve or a number, as one vector of residuals.
 *
 *  A number's residual is (simulated - measured) / scatter. The value of a run is sum_t weight_t d_t^2, d_t^2 the sum of squares of target
 * t: the squares of all residuals, each times the root of its target's weight. */
#ifndef SCREE_SERVER_STUDY_CALIBRATION_TARGET_H
#define SCREE_SERVER_STUDY_CALIBRATION_TARGET_H

#include "server/study/calibration/distance.h"
#include "server/study/calibration/estimate.h"

enum { TARGETS = 64 }; /**< at most */

typedef struct target {
  double weight; /**< > 0; 0 is taken as 1 */
  bool is_curve;
  distance_curve curve;     /**< measured; borrowed */
  distance_options options; /**< of a curve */
  double number, scatter;   /**< measured number and its standard deviation, > 0, in its unit */
} target;

/** What a run gave for a target. */
typedef struct target_result {
  distance_curve curve; /**< of a curve; borrowed */
  double number;        /**< of a number; NaN: the run has none */
} target_result;

/** Residuals of all targets. 0 for targets out of range. */
size_t target_residual_count(const target *targets, size_t count);

/** The targets as blocks of an estimate. @param blocks [count] */
void target_blocks(const target *targets, size_t count, estimate_block *blocks);

/** @param residuals [target_residual_count]    @param value receives their sum of squares; NaN where a number is missing
 *  @return as distance_residuals, with the number of the target (from 1) in the message */
scr_status target_residuals(const target *targets, const target_result *results, size_t count, double *residuals, double *value,
                            scr_error *error);

#endif
