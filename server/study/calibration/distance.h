/** How far a simulated curve is from a measured one, as residuals whose squares add up to the distance's square.
 *
 *  On the axis (DISTANCE_BY_AXIS), for curves whose x rises: with K points x_k evenly from the measured curve's first x to its last (or of
 * the window given),
 *
 *    d^2 = sum_k w_k ((y_s(x_k) - y_m(x_k)) / sigma(x_k))^2,      w_k = 1/(K-1), half of that at both ends:
 *
 *  the mean square over the axis of the deviation in scatters. Where the simulated curve does not reach, y_s is 0: a specimen gone;
 * `covered` says how much of the axis it reached.
 *
 *  Along the path (DISTANCE_BY_PATH), for curves that snap back: both are walked by their share t of arc length, measured in the plane of x
 * over the measured curve's range of x and y over its range of y,
 *
 *    d^2 = sum_k w_k [ ((x_s(t_k) - x_m(t_k)) / sigma_x)^2 + ((y_s(t_k) - y_m(t_k)) / sigma_y)^2 ],   t_k = k/(K-1),
 *
 *  with sigma_x / range of x = sigma_y / range of y where only one scatter is given. Noise lengthens a path: smooth a noisy curve first.
 *
 *  sigma is the measured scatter of y: at each sample (a band's deviation), one number, or 0.05 of the range of y where neither is known. d
 * of 1 is a curve that lies a scatter off. Both distances are the same for other samplings of the same polylines, for other units, and with
 * the two curves exchanged where their ranges and scatters are the same. */
#ifndef SCREE_SERVER_STUDY_CALIBRATION_DISTANCE_H
#define SCREE_SERVER_STUDY_CALIBRATION_DISTANCE_H

#include "base/error.h"

enum { DISTANCE_POINTS = 2000 }; /**< K at most */
#define DISTANCE_SCATTER 0.05    /**< of the range of y, where no scatter is known */

typedef enum distance_kind { DISTANCE_BY_AXIS, DISTANCE_BY_PATH } distance_kind;

/** A curve; borrowed. */
typedef struct distance_curve {
  const double *x, *y;   /**< [count] */
  const double *scatter; /**< [count] of y, > 0, or NULL; of the measured curve */
  size_t count;          /**< 2 or more */
} distance_curve;

/** Zeroed: on the axis, 200 points, its whole range, scatter as above. */
typedef struct distance_options {
  distance_kind kind;
  size_t points;    /**< K, 2 ... DISTANCE_POINTS; 0: 200 */
  double scatter;   /**< of y, in its unit, where the curve has none at its samples; 0: not known */
  double low, high; /**< window of the axis, in the unit of x; low < high, or both 0: the measured range */
} distance_options;

/** Number of residuals: K on the axis, 2 K along the path. */
size_t distance_residual_count(const distance_options *options);

/** A point at which curves are compared, and what a residual there stands for: simulated = measured + residual times step. */
typedef struct distance_point {
  double x, y;           /**< of the measured curve */
  double x_step, y_step; /**< x_step is 0 on the axis; along the path residual k is that of x, K + k that of y */
} distance_point;

/** @param points [K]    @return as distance_residuals */
scr_status distance_points_make(const distance_curve *measured, const distance_options *options, distance_point *points, scr_error *error);

/** @param residuals [distance_residual_count] sqrt(w_k) (simulated - measured) / sigma    @param distance receives d; may be NULL
 *  @param covered   receives the share of the axis that the simulated curve reached, 1 along the path; may be NULL
 *  @return SCR_OK; SCR_BAD_USAGE: options out of range, a curve that turns back on the axis, is too short or a point; SCR_NO_MEMORY */
scr_status distance_residuals(const distance_curve *measured, const distance_curve *simulated, const distance_options *options,
                              double *residuals, double *distance, double *covered, scr_error *error);

#endif
