/** Ensembles of curves: mean, deviation and quantiles on a common axis.
 *
 *  The axis has evenly spaced points from the least x of all curves to the greatest. A curve counts at a point only where it reaches:
 * nothing is extended beyond a curve's ends, and `reached` says how many curves count at each point, so that a band whose shortest curve
 * has ended shows it. Between its samples a curve is straight. */
#ifndef SCREE_SERVER_STUDY_STATISTICS_BAND_H
#define SCREE_SERVER_STUDY_STATISTICS_BAND_H

#include "base/error.h"

enum { BAND_CURVES = 100000, BAND_POINTS = 10000, BAND_LEVELS = 16, BAND_VALUES = 50000000 }; /**< at most */

/** A curve of an ensemble; borrowed. x rises; samples that fall back behind the furthest so far are left out, but by no more than a
 *  hundredth of the curve's span: noise of a transducer, not a curve that turns back. Samples that are not finite are left out. */
typedef struct band_curve {
  const double *x, *y; /**< [count] */
  size_t count;        /**< 2 or more that are finite */
} band_curve;

/** Starts zeroed; owned by the caller, emptied by band_clear. */
typedef struct band {
  size_t point_count, level_count;
  double *x;         /**< [point_count] rising */
  size_t *reached;   /**< [point_count] curves that count there; 0 in a gap between curves */
  double *mean;      /**< [point_count] NaN where none counts */
  double *deviation; /**< [point_count] NaN where fewer than two count */
  double *quantile;  /**< [level_count][point_count] NaN where none counts */
} band;

/** @param curves  [count], 1 ... BAND_CURVES
 *  @param levels  [level_count] of quantiles, each 0 ... 1, at most BAND_LEVELS: {0.05, 0.5, 0.95}
 *  @param points  2 ... BAND_POINTS
 *  @return SCR_OK; SCR_BAD_USAGE with the number of the curve (from 1) that turns back or is too short; SCR_NO_MEMORY */
scr_status band_make(const band_curve *curves, size_t count, const double *levels, size_t level_count, size_t points, band *out,
                     scr_error *error);
void band_clear(band *out);

/** y at `at` of a curve whose x rises, straight between samples; NaN outside. @param count 1 or more */
double curve_at(const double *x, const double *y, size_t count, double at);

/** Copies the finite samples of a curve that go further than all before them. What falls back by more than a hundredth of the span is
 *  refused. @param x_out, y_out [count]    @return SCR_OK; SCR_BAD_USAGE: `what` turns back, or has fewer than two such samples */
scr_status curve_rising(const double *x, const double *y, size_t count, const char *what, double *x_out, double *y_out, size_t *kept,
                        scr_error *error);

#endif
