#include "server/study/statistics/sample.h"

#include <math.h>
#include <stdlib.h>

static int by_size(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

size_t sample_sort(const double *values, size_t count, double *sorted)
{
  size_t kept = 0;
  for (size_t i = 0; i < count; i++)
    if (isfinite(values[i])) sorted[kept++] = values[i];
  qsort(sorted, kept, sizeof *sorted, by_size);
  return kept;
}

double sample_mean(const double *values, size_t count)
{
  double sum = 0;
  size_t kept = 0;
  for (size_t i = 0; i < count; i++) {
    if (!isfinite(values[i])) continue;
    sum += values[i];
    kept++;
  }
  return kept ? sum / (double)kept : NAN;
}

double sample_deviation(const double *values, size_t count)
{
  double mean = sample_mean(values, count), sum = 0;
  size_t kept = 0;
  for (size_t i = 0; i < count; i++) {
    if (!isfinite(values[i])) continue;
    sum += (values[i] - mean) * (values[i] - mean);
    kept++;
  }
  return kept > 1 ? sqrt(sum / (double)(kept - 1)) : NAN;
}

double sample_quantile(const double *sorted, size_t count, double level)
{
  if (count == 0 || !(level >= 0 && level <= 1)) return NAN;
  double h = (double)(count - 1) * level;
  size_t below = (size_t)h;
  if (below + 1 >= count) return sorted[count - 1];
  return sorted[below] + (h - (double)below) * (sorted[below + 1] - sorted[below]);
}

double sample_correlation(const double *x, const double *y, size_t count)
{
  double mean_x = 0, mean_y = 0, xx = 0, yy = 0, xy = 0;
  size_t kept = 0;
  for (size_t i = 0; i < count; i++) {
    if (!isfinite(x[i]) || !isfinite(y[i])) continue;
    mean_x += x[i];
    mean_y += y[i];
    kept++;
  }
  if (kept < 3) return NAN;
  mean_x /= (double)kept;
  mean_y /= (double)kept;
  for (size_t i = 0; i < count; i++) {
    if (!isfinite(x[i]) || !isfinite(y[i])) continue;
    double a = x[i] - mean_x, b = y[i] - mean_y;
    xx += a * a;
    yy += b * b;
    xy += a * b;
  }
  /* a column of one value leaves rounding of its mean, no variance */
  double least_x = 1e-28 * (double)kept * mean_x * mean_x, least_y = 1e-28 * (double)kept * mean_y * mean_y;
  return xx > least_x && yy > least_y ? fmax(-1, fmin(1, xy / sqrt(xx * yy))) : NAN;
}

/* Newton's steps on the distribution function, which the C library has to rounding; from the tail's expansion. */
double normal_quantile(double level)
{
  if (!(level > 0 && level < 1)) return level == 0 ? -INFINITY : level == 1 ? INFINITY : NAN;
  double tail = fmin(level, 1 - level), t = sqrt(-2 * log(tail));
  double z = t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
  for (int i = 0; i < 3; i++) {
    double miss = 0.5 * erfc(z / sqrt(2)) - tail, density = exp(-z * z / 2) / sqrt(2 * acos(-1));
    if (!(density > 0)) break;
    z += miss / density;
  }
  return level < 0.5 ? -z : z;
}
