/** Numbers that describe a sample: mean, deviation, quantiles, correlation. Entries that are not finite are left out, so that a failed
 *  run's NaN does not hide the rest. What a sample is too small for is NaN. All in the unit of the values. */
#ifndef SCREE_SERVER_STUDY_STATISTICS_SAMPLE_H
#define SCREE_SERVER_STUDY_STATISTICS_SAMPLE_H

#include <stddef.h>

/** Finite values of `values` [count], rising, into `sorted` [count]. @return how many there are */
size_t sample_sort(const double *values, size_t count, double *sorted);

/** Mean; NaN of none. */
double sample_mean(const double *values, size_t count);

/** Standard deviation with count - 1 below; NaN of fewer than two. */
double sample_deviation(const double *values, size_t count);

/** Quantile of a rising sample of finite values: between the values at h = (count - 1) level in proportion (type 7 of Hyndman and Fan,
 *  1996; numpy's and R's default). The median is that of 0.5. @param level 0 ... 1    @return NaN of none */
double sample_quantile(const double *sorted, size_t count, double level);

/** Pearson's correlation of the rows where both are finite; NaN of fewer than three, or where one does not vary. */
double sample_correlation(const double *x, const double *y, size_t count);

/** Quantile of the standard normal distribution. @param level 0 < level < 1. Accurate to 1e-9. */
double normal_quantile(double level);

#endif
