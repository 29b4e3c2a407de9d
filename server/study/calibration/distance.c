#include "server/study/calibration/distance.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "server/study/statistics/band.h"

enum { POINTS = 200 };

/* A curve ready to be looked up: along its axis x rises, along its path t does from 0 to 1. */
typedef struct ready_curve {
  double *x, *y, *scatter, *t; /* [count]; scatter NULL where there is none; t of paths only */
  size_t count;
} ready_curve;

static void ready_clear(ready_curve *ready)
{
  mem_free(ready->x);
  mem_free(ready->y);
  mem_free(ready->scatter);
  mem_free(ready->t);
}

static size_t points_of(const distance_options *options)
{
  return options->points ? options->points : POINTS;
}

size_t distance_residual_count(const distance_options *options)
{
  return points_of(options) * (options->kind == DISTANCE_BY_PATH ? 2 : 1);
}

static scr_status check(const distance_curve *measured, const distance_curve *simulated, const distance_options *options, scr_error *error)
{
  size_t points = points_of(options);
  if (points < 2 || points > DISTANCE_POINTS)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "a distance at %zu points: it takes 2 to %d", points, DISTANCE_POINTS);
  if (!(options->scatter >= 0) || !isfinite(options->scatter))
    return scr_fail(error, SCR_BAD_USAGE, NULL, "the scatter is %g; it must be above 0", options->scatter);
  if (!(options->low <= options->high) || (options->low == options->high && options->low != 0))
    return scr_fail(error, SCR_BAD_USAGE, NULL, "the window is %g to %g; its end must be above its start", options->low, options->high);
  if (measured->count < 2 || simulated->count < 2)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "curves of %zu and %zu samples: both need 2 at least", measured->count, simulated->count);
  for (size_t i = 0; measured->scatter && i < measured->count; i++)
    if (!(measured->scatter[i] > 0) || !isfinite(measured->scatter[i]))
      return scr_fail(error, SCR_BAD_USAGE, NULL, "the scatter of sample %zu is %g; it must be above 0", i + 1, measured->scatter[i]);
  return SCR_OK;
}

/* Copies finite samples; backwards where x falls as a whole and an axis is wanted. */
static scr_status ready_make(const distance_curve *curve, ready_curve *ready, scr_error *error)
{
  SCR_TRY(mem_allocate(&ready->x, curve->count, sizeof(double), "a curve", error));
  SCR_TRY(mem_allocate(&ready->y, curve->count, sizeof(double), "a curve", error));
  if (curve->scatter) SCR_TRY(mem_allocate(&ready->scatter, curve->count, sizeof(double), "a curve", error));
  for (size_t i = 0; i < curve->count; i++) {
    if (!isfinite(curve->x[i]) || !isfinite(curve->y[i])) continue;
    ready->x[ready->count] = curve->x[i];
    ready->y[ready->count] = curve->y[i];
    if (curve->scatter) ready->scatter[ready->count] = curve->scatter[i];
    ready->count++;
  }
  return SCR_OK;
}

static void turn_round(double *values, size_t count)
{
  for (size_t i = 0; values && i < count / 2; i++) {
    double value = values[i];
    values[i] = values[count - 1 - i];
    values[count - 1 - i] = value;
  }
}

static scr_status rise(ready_curve *ready, const char *what, scr_error *error)
{
  size_t kept;
  if (ready->count > 1 && ready->x[ready->count - 1] < ready->x[0]) {
    turn_round(ready->x, ready->count);
    turn_round(ready->y, ready->count);
    turn_round(ready->scatter, ready->count);
  }
  double *x, *y = NULL;
  scr_status status = mem_allocate(&x, ready->count, sizeof *x, "a curve", error);
  if (status == SCR_OK) status = mem_allocate(&y, ready->count, sizeof *y, "a curve", error);
  if (status == SCR_OK && ready->scatter) {
    status = curve_rising(ready->x, ready->scatter, ready->count, what, x, y, &kept, error);
    if (status == SCR_OK) memcpy(ready->scatter, y, kept * sizeof *y);
  }
  if (status == SCR_OK) status = curve_rising(ready->x, ready->y, ready->count, what, x, y, &kept, error);
  if (status == SCR_OK) {
    memcpy(ready->x, x, kept * sizeof *x);
    memcpy(ready->y, y, kept * sizeof *y);
    ready->count = kept;
  }
  mem_free(x);
  mem_free(y);
  return status;
}

static double range(const double *values, size_t count)
{
  double low = INFINITY, high = -INFINITY;
  for (size_t i = 0; i < count; i++) {
    low = fmin(low, values[i]);
    high = fmax(high, values[i]);
  }
  return high - low;
}

/* Scatter of y as one number. */
static scr_status one_scatter(const ready_curve *measured, const distance_options *options, double *scatter, scr_error *error)
{
  double squares = 0;
  for (size_t i = 0; measured->scatter && i < measured->count; i++) squares += measured->scatter[i] * measured->scatter[i];
  *scatter = measured->scatter      ? sqrt(squares / (double)measured->count)
             : options->scatter > 0 ? options->scatter
                                    : DISTANCE_SCATTER * range(measured->y, measured->count);
  if (*scatter > 0 && isfinite(*scatter)) return SCR_OK;
  return scr_fail(error, SCR_BAD_USAGE, NULL, "the measured curve has the same y everywhere and no scatter is given: give one");
}

/* Weight of point k of K: they add up to 1. */
static double weight(size_t k, size_t count)
{
  return (k == 0 || k + 1 == count ? 0.5 : 1) / (double)(count - 1);
}

/* Points evenly over the measured axis or the window in it. */
static scr_status axis_points(ready_curve *measured, const distance_options *options, distance_point *points, scr_error *error)
{
  double scatter;
  size_t count = points_of(options);
  SCR_TRY(rise(measured, "the measured curve", error));
  SCR_TRY(one_scatter(measured, options, &scatter, error));
  double low = measured->x[0], high = measured->x[measured->count - 1];
  if (options->low < options->high) {
    low = fmax(low, options->low);
    high = fmin(high, options->high);
  }
  if (!(low < high))
    return scr_fail(error, SCR_BAD_USAGE, NULL, "the window from %g to %g does not overlap the measured curve, which goes from %g to %g",
                    options->low, options->high, measured->x[0], measured->x[measured->count - 1]);
  for (size_t k = 0; k < count; k++) {
    double at = k + 1 == count ? high : low + (high - low) * ((double)k / (double)(count - 1));
    double sigma = measured->scatter ? curve_at(measured->x, measured->scatter, measured->count, at) : scatter;
    points[k] =
        (distance_point){.x = at, .y = curve_at(measured->x, measured->y, measured->count, at), .y_step = sigma / sqrt(weight(k, count))};
  }
  return SCR_OK;
}

static scr_status by_axis(ready_curve *simulated, const distance_point *points, size_t count, double *residuals, double *covered,
                          scr_error *error)
{
  SCR_TRY(rise(simulated, "the simulated curve", error));
  double low = points[0].x, high = points[count - 1].x;
  for (size_t k = 0; k < count; k++) {
    double y = curve_at(simulated->x, simulated->y, simulated->count, points[k].x);
    residuals[k] = ((isnan(y) ? 0 : y) - points[k].y) / points[k].y_step;
  }
  double begin = fmax(low, simulated->x[0]), end = fmin(high, simulated->x[simulated->count - 1]);
  *covered = end > begin ? (end - begin) / (high - low) : 0;
  return SCR_OK;
}

/* Shares of arc length, in units of the ranges. */
static scr_status walk(ready_curve *ready, double x_range, double y_range, const char *what, scr_error *error)
{
  SCR_TRY(mem_allocate(&ready->t, ready->count, sizeof(double), "a path", error));
  for (size_t i = 1; i < ready->count; i++)
    ready->t[i] = ready->t[i - 1] + hypot((ready->x[i] - ready->x[i - 1]) / x_range, (ready->y[i] - ready->y[i - 1]) / y_range);
  double length = ready->count > 1 ? ready->t[ready->count - 1] : 0;
  if (!(length > 0) || !isfinite(length)) return scr_fail(error, SCR_BAD_USAGE, NULL, "%s is a single point: it has no path", what);
  for (size_t i = 1; i < ready->count; i++) ready->t[i] /= length;
  ready->t[ready->count - 1] = 1;
  return SCR_OK;
}

/* Points evenly along the measured path. */
static scr_status path_points(ready_curve *measured, const distance_options *options, distance_point *points, scr_error *error)
{
  double scatter, x_range = range(measured->x, measured->count), y_range = range(measured->y, measured->count);
  size_t count = points_of(options);
  if (!(x_range > 0) || !(y_range > 0))
    return scr_fail(error, SCR_BAD_USAGE, NULL, "the measured curve has no range of %s: it has no path to compare",
                    x_range > 0 ? "y" : "x");
  SCR_TRY(one_scatter(measured, options, &scatter, error));
  SCR_TRY(walk(measured, x_range, y_range, "the measured curve", error));
  for (size_t k = 0; k < count; k++) {
    double t = k + 1 == count ? 1 : (double)k / (double)(count - 1), root = sqrt(weight(k, count));
    points[k] = (distance_point){.x = curve_at(measured->t, measured->x, measured->count, t),
                                 .y = curve_at(measured->t, measured->y, measured->count, t),
                                 .x_step = scatter / y_range * x_range / root,
                                 .y_step = scatter / root};
  }
  return SCR_OK;
}

static scr_status by_path(const ready_curve *measured, ready_curve *simulated, const distance_point *points, size_t count,
                          double *residuals, scr_error *error)
{
  SCR_TRY(walk(simulated, range(measured->x, measured->count), range(measured->y, measured->count), "the simulated curve", error));
  for (size_t k = 0; k < count; k++) {
    double t = k + 1 == count ? 1 : (double)k / (double)(count - 1);
    residuals[k] = (curve_at(simulated->t, simulated->x, simulated->count, t) - points[k].x) / points[k].x_step;
    residuals[count + k] = (curve_at(simulated->t, simulated->y, simulated->count, t) - points[k].y) / points[k].y_step;
  }
  return SCR_OK;
}

scr_status distance_points_make(const distance_curve *measured, const distance_options *options, distance_point *points, scr_error *error)
{
  ready_curve m = {0};
  SCR_TRY(check(measured, measured, options, error));
  scr_status status = ready_make(measured, &m, error);
  if (status == SCR_OK && m.count < 2)
    status = scr_fail(error, SCR_BAD_USAGE, NULL, "a curve of %zu finite samples: it needs 2 at least", m.count);
  if (status == SCR_OK)
    status = options->kind == DISTANCE_BY_AXIS ? axis_points(&m, options, points, error) : path_points(&m, options, points, error);
  ready_clear(&m);
  return status;
}

static scr_status compare(ready_curve *m, ready_curve *s, const distance_options *options, double *residuals, double *covered,
                          scr_error *error)
{
  size_t count = points_of(options);
  distance_point *points;
  bool axis = options->kind == DISTANCE_BY_AXIS;
  SCR_TRY(mem_allocate(&points, count, sizeof *points, "points of a distance", error));
  scr_status status = axis ? axis_points(m, options, points, error) : path_points(m, options, points, error);
  if (status == SCR_OK)
    status = axis ? by_axis(s, points, count, residuals, covered, error) : by_path(m, s, points, count, residuals, error);
  mem_free(points);
  return status;
}

scr_status distance_residuals(const distance_curve *measured, const distance_curve *simulated, const distance_options *options,
                              double *residuals, double *distance, double *covered, scr_error *error)
{
  ready_curve m = {0}, s = {0};
  distance_curve alone = *simulated;
  double reached = 1;
  alone.scatter = NULL;
  SCR_TRY(check(measured, simulated, options, error));
  scr_status status = ready_make(measured, &m, error);
  if (status == SCR_OK) status = ready_make(&alone, &s, error);
  if (status == SCR_OK && (m.count < 2 || s.count < 2))
    status = scr_fail(error, SCR_BAD_USAGE, NULL, "curves of %zu and %zu finite samples: both need 2 at least", m.count, s.count);
  if (status == SCR_OK) status = compare(&m, &s, options, residuals, &reached, error);
  ready_clear(&m);
  ready_clear(&s);
  if (status != SCR_OK) return status;
  double squares = 0;
  for (size_t k = 0; k < distance_residual_count(options); k++) squares += residuals[k] * residuals[k];
  if (distance) *distance = sqrt(squares);
  if (covered) *covered = reached;
  return SCR_OK;
}
