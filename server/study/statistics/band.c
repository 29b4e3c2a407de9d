#include "server/study/statistics/band.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "server/study/statistics/sample.h"

#define TURNED_BACK 0.01 /* of a curve's span */

double curve_at(const double *x, const double *y, size_t count, double at)
{
  if (!(at >= x[0] && at <= x[count - 1])) return NAN;
  size_t low = 0, high = count - 1; /* x[low] <= at <= x[high] */
  while (high - low > 1) {
    size_t middle = low + (high - low) / 2;
    if (x[middle] <= at)
      low = middle;
    else
      high = middle;
  }
  if (!(x[high] > x[low])) return y[low];
  return y[low] + (y[high] - y[low]) * ((at - x[low]) / (x[high] - x[low]));
}

scr_status curve_rising(const double *x, const double *y, size_t count, const char *what, double *x_out, double *y_out, size_t *kept,
                        scr_error *error)
{
  double low = INFINITY, high = -INFINITY, furthest = -INFINITY, fall = 0, fell_at = 0;
  *kept = 0;
  for (size_t i = 0; i < count; i++) {
    if (!isfinite(x[i]) || !isfinite(y[i])) continue;
    low = fmin(low, x[i]);
    high = fmax(high, x[i]);
    if (furthest - x[i] > fall) {
      fall = furthest - x[i];
      fell_at = furthest;
    }
    if (!(x[i] > furthest)) continue;
    furthest = x[i];
    x_out[*kept] = x[i];
    y_out[(*kept)++] = y[i];
  }
  if (fall > TURNED_BACK * (high - low))
    return scr_fail(
        error, SCR_BAD_USAGE, NULL,
        "%s turns back from x = %.4g by %.4g, more than a hundredth of its span of %.4g: take an axis that rises, such as time, or "
        "measure along the path",
        what, fell_at, fall, high - low);
  if (*kept < 2) return scr_fail(error, SCR_BAD_USAGE, NULL, "%s has %zu samples along a rising x; it needs 2 at least", what, *kept);
  return SCR_OK;
}

void band_clear(band *out)
{
  mem_free(out->x);
  mem_free(out->reached);
  mem_free(out->mean);
  mem_free(out->deviation);
  mem_free(out->quantile);
  memset(out, 0, sizeof *out);
}

static scr_status check(size_t count, const double *levels, size_t level_count, size_t points, scr_error *error)
{
  if (count < 1 || count > BAND_CURVES) return scr_fail(error, SCR_BAD_USAGE, NULL, "%zu curves: a band needs 1 to %d", count, BAND_CURVES);
  if (points < 2 || points > BAND_POINTS)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "%zu points: a band has 2 to %d", points, BAND_POINTS);
  if (level_count > BAND_LEVELS)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "%zu quantiles: a band has %d at most", level_count, BAND_LEVELS);
  if (count * points > BAND_VALUES)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "%zu curves at %zu points: a band has %d values at most; take fewer points", count, points,
                    BAND_VALUES);
  for (size_t l = 0; l < level_count; l++)
    if (!(levels[l] >= 0 && levels[l] <= 1)) return scr_fail(error, SCR_BAD_USAGE, NULL, "a quantile is %g; it must be 0 to 1", levels[l]);
  return SCR_OK;
}

/* Rising curves, one after the other: curve c has samples first[c] ... first[c + 1]. */
typedef struct rising_curves {
  size_t count;
  size_t *first; /* [count + 1] */
  double *x, *y; /* [first[count]] */
} rising_curves;

static void rising_clear(rising_curves *rising)
{
  mem_free(rising->first);
  mem_free(rising->x);
  mem_free(rising->y);
}

static scr_status rising_make(const band_curve *curves, size_t count, rising_curves *rising, scr_error *error)
{
  size_t samples = 0;
  for (size_t c = 0; c < count; c++) samples += curves[c].count;
  rising->count = count;
  SCR_TRY(mem_allocate(&rising->first, count + 1, sizeof *rising->first, "starts of curves", error));
  SCR_TRY(mem_allocate(&rising->x, samples, sizeof(double), "curves of a band", error));
  SCR_TRY(mem_allocate(&rising->y, samples, sizeof(double), "curves of a band", error));
  for (size_t c = 0; c < count; c++) {
    char what[32];
    snprintf(what, sizeof what, "curve %zu", c + 1);
    size_t at = rising->first[c], kept;
    SCR_TRY(curve_rising(curves[c].x, curves[c].y, curves[c].count, what, rising->x + at, rising->y + at, &kept, error));
    rising->first[c + 1] = at + kept;
  }
  return SCR_OK;
}

static void fill_point(const rising_curves *rising, const double *levels, size_t p, double *values, double *sorted, band *out)
{
  for (size_t c = 0; c < rising->count; c++) {
    size_t at = rising->first[c];
    values[c] = curve_at(rising->x + at, rising->y + at, rising->first[c + 1] - at, out->x[p]);
  }
  size_t kept = sample_sort(values, rising->count, sorted);
  out->reached[p] = kept;
  out->mean[p] = sample_mean(sorted, kept);
  out->deviation[p] = sample_deviation(sorted, kept);
  for (size_t l = 0; l < out->level_count; l++) out->quantile[l * out->point_count + p] = sample_quantile(sorted, kept, levels[l]);
}

static scr_status fill(const rising_curves *rising, const double *levels, band *out, scr_error *error)
{
  size_t points = out->point_count;
  SCR_TRY(mem_allocate(&out->x, points, sizeof(double), "a band", error));
  SCR_TRY(mem_allocate(&out->reached, points, sizeof(size_t), "a band", error));
  SCR_TRY(mem_allocate(&out->mean, points, sizeof(double), "a band", error));
  SCR_TRY(mem_allocate(&out->deviation, points, sizeof(double), "a band", error));
  SCR_TRY(mem_allocate(&out->quantile, points * out->level_count, sizeof(double), "a band", error));
  double low = INFINITY, high = -INFINITY;
  for (size_t c = 0; c < rising->count; c++) {
    low = fmin(low, rising->x[rising->first[c]]);
    high = fmax(high, rising->x[rising->first[c + 1] - 1]);
  }
  double *values;
  SCR_TRY(mem_allocate(&values, 2 * rising->count, sizeof *values, "values of a band", error));
  for (size_t p = 0; p < points; p++) {
    double share = (double)p / (double)(points - 1);
    out->x[p] = p + 1 == points ? high : low + share * (high - low);
    fill_point(rising, levels, p, values, values + rising->count, out);
  }
  mem_free(values);
  return SCR_OK;
}

scr_status band_make(const band_curve *curves, size_t count, const double *levels, size_t level_count, size_t points, band *out,
                     scr_error *error)
{
  memset(out, 0, sizeof *out);
  SCR_TRY(check(count, levels, level_count, points, error));
  out->point_count = points;
  out->level_count = level_count;
  rising_curves rising = {0};
  scr_status status = rising_make(curves, count, &rising, error);
  if (status == SCR_OK) status = fill(&rising, levels, out, error);
  rising_clear(&rising);
  if (status != SCR_OK) band_clear(out);
  return status;
}
