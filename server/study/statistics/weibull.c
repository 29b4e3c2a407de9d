/* All estimates work with logarithms of values over their greatest, so that powers neither overflow nor depend on the unit. */
#include "server/study/statistics/weibull.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "server/study/statistics/sample.h"

enum { MADE_VALUES = 2000000, LEAST_SAMPLES = 4000, MOST_SAMPLES = 100000, ROUGH = 10 };
#define PI 3.14159265358979323846
/* Asymptotic deviations times sqrt(n): of modulus_fit / modulus, and of modulus_fit ln(scale_fit / scale). */
#define MODULUS_SPREAD 0.77969680123368054 /* sqrt(6) / pi */
#define SCALE_SPREAD 1.0529810             /* sqrt(1 + 6 (1 - gamma)^2 / pi^2) */

const char *weibull_method_name(weibull_method method)
{
  static const char *const names[] = {"pivotal quantities", "normal limit", "profile likelihood"};
  return names[method];
}

/* A sample for the likelihood: logs are <= 0, ln of value over the greatest. */
typedef struct log_sample {
  const double *logs;
  size_t count, broken;
  double broken_mean; /* mean of the logs of rows that broke */
} log_sample;

/* S0 = sum exp(m l), and S1 / S0, S2 / S0 with powers of l. */
static void powers(const log_sample *sample, double modulus, double *s0, double *s1, double *s2)
{
  double a = 0, b = 0, c = 0;
  for (size_t i = 0; i < sample->count; i++) {
    double l = sample->logs[i], e = exp(modulus * l);
    a += e;
    b += e * l;
    c += e * l * l;
  }
  *s0 = a;
  *s1 = b / a;
  *s2 = c / a;
}

/* A step of Newton's from *m to the root of g, halved or doubled where it leaves the bounds, which close in. @param below the root is below
 * *m
 * @return whether *m is the root to `tolerance` of it */
static bool newton_step(double g, double slope, bool below, double tolerance, double bounds[2], double *m)
{
  bounds[below] = *m;
  double step = g / slope, next = *m - step;
  bool found = fabs(step) <= tolerance * *m;
  if (!found && !(next > bounds[0] && next < bounds[1])) next = isinf(bounds[1]) ? 2 * *m : 0.5 * (bounds[0] + bounds[1]);
  *m = next;
  return found;
}

/* The root of g(m) = S1/S0 - 1/m - mean log of the broken, which rises: Newton's steps, kept between bounds that close in. */
static double likeliest_modulus(const log_sample *sample)
{
  double bounds[2] = {0, INFINITY}, spread = 0;
  for (size_t i = 0; i < sample->count; i++) spread += (sample->logs[i] - sample->broken_mean) * (sample->logs[i] - sample->broken_mean);
  double m = PI / sqrt(6 * spread / (double)sample->count);
  for (int i = 0; i < 100; i++) {
    double s0, s1, s2;
    powers(sample, m, &s0, &s1, &s2);
    double g = s1 - 1 / m - sample->broken_mean, slope = s2 - s1 * s1 + 1 / (m * m);
    if (newton_step(g, slope, g > 0, 1e-12, bounds, &m)) break;
  }
  return m;
}

static double log_scale(const log_sample *sample, double modulus)
{
  double s0, s1, s2;
  powers(sample, modulus, &s0, &s1, &s2);
  return log(s0 / (double)sample->broken) / modulus;
}

/* ── complete samples: pivotal quantities ───────────────────────────────────────────────────────────────────────── */

/* A sample of modulus 1 and scale 1: logs of exponentials, shifted so that the greatest is 0; returns the shift. */
static double make_logs(size_t count, uint64_t *state, double *logs)
{
  double greatest = -INFINITY;
  for (size_t i = 0; i < count; i++) {
    logs[i] = log(-log1p(-random_uniform(state) - 0x1p-54));
    greatest = fmax(greatest, logs[i]);
  }
  for (size_t i = 0; i < count; i++) logs[i] -= greatest;
  return greatest;
}

static void pivots_of_normal(size_t count, double level, weibull_pivots *pivots)
{
  double z = normal_quantile(0.5 + level / 2), root = sqrt((double)count);
  *pivots = (weibull_pivots){.count = count,
                             .level = level,
                             .modulus_low = exp(-z * MODULUS_SPREAD / root),
                             .modulus_high = exp(z * MODULUS_SPREAD / root),
                             .modulus_mean = 1 + 1.3795 / (double)count,
                             .scale_low = -z * SCALE_SPREAD / root,
                             .scale_high = z * SCALE_SPREAD / root};
}

static void pivots_of_samples(size_t count, double level, size_t samples, double *workspace, weibull_pivots *pivots)
{
  double *modulus = workspace, *scale = modulus + samples, *sorted = scale + samples, *logs = sorted + samples;
  uint64_t state = 0x57656962756c6c; /* any: the quantiles are a property of the distribution */
  for (size_t s = 0; s < samples; s++) {
    double shift = make_logs(count, &state, logs);
    log_sample sample = {.logs = logs, .count = count, .broken = count, .broken_mean = sample_mean(logs, count)};
    modulus[s] = likeliest_modulus(&sample);
    scale[s] = modulus[s] * (log_scale(&sample, modulus[s]) + shift);
  }
  *pivots = (weibull_pivots){.count = count, .level = level, .modulus_mean = sample_mean(modulus, samples)};
  double low = 0.5 - level / 2, high = 0.5 + level / 2;
  sample_sort(modulus, samples, sorted);
  pivots->modulus_low = sample_quantile(sorted, samples, low);
  pivots->modulus_high = sample_quantile(sorted, samples, high);
  sample_sort(scale, samples, sorted);
  pivots->scale_low = sample_quantile(sorted, samples, low);
  pivots->scale_high = sample_quantile(sorted, samples, high);
}

static scr_status check_level(size_t count, double level, scr_error *error)
{
  if (count < 2 || count > WEIBULL_ROWS)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "%zu rows: a Weibull fit needs 2 to %d", count, WEIBULL_ROWS);
  if (!(level >= 0.5 && level <= 0.999))
    return scr_fail(error, SCR_BAD_USAGE, NULL, "the confidence level is %g; it must be 0.5 to 0.999", level);
  return SCR_OK;
}

/* @param rough divides the number of made samples */
static scr_status make_pivots(size_t count, double level, size_t rough, weibull_pivots *pivots, scr_error *error)
{
  SCR_TRY(check_level(count, level, error));
  if (count > WEIBULL_PIVOTAL) {
    pivots_of_normal(count, level, pivots);
    return SCR_OK;
  }
  assert(count >= 2);
  size_t samples = MADE_VALUES / count;
  if (samples < LEAST_SAMPLES) samples = LEAST_SAMPLES;
  if (samples > MOST_SAMPLES) samples = MOST_SAMPLES;
  samples /= rough;
  double *workspace;
  SCR_TRY(mem_allocate(&workspace, 3 * samples + count, sizeof *workspace, "samples of pivotal quantities", error));
  pivots_of_samples(count, level, samples, workspace, pivots);
  mem_free(workspace);
  return SCR_OK;
}

scr_status weibull_make_pivots(size_t count, double level, weibull_pivots *pivots, scr_error *error)
{
  return make_pivots(count, level, 1, pivots, error);
}

/* ── censored samples: profile likelihood ───────────────────────────────────────────────────────────────────────── */

/* Log likelihood, but for the sum of the logs of values; the scale as ln. */
static double log_likelihood(const log_sample *sample, double modulus, double scale)
{
  double s0, s1, s2, r = (double)sample->broken;
  powers(sample, modulus, &s0, &s1, &s2);
  return r * (log(modulus) - modulus * scale + modulus * sample->broken_mean) - s0 * exp(-modulus * scale);
}

/* The likeliest modulus of a (logarithm of the) scale: the root of 1/m + mean log of the broken - s - sum (l - s) exp(m (l - s)) / r, which
 * falls. Newton's steps from `m`, halved or doubled where they go too far. */
static double modulus_of_scale(const log_sample *sample, double scale, double m)
{
  double r = (double)sample->broken, bounds[2] = {0, INFINITY};
  for (int i = 0; i < 100; i++) {
    double s0, s1, s2;
    powers(sample, m, &s0, &s1, &s2);
    double sum = s0 * exp(-m * scale) / r;
    double g = 1 / m + sample->broken_mean - scale - sum * (s1 - scale);
    double slope = -1 / (m * m) - sum * (s2 - 2 * scale * s1 + scale * scale);
    if (newton_step(g, slope, g <= 0, 1e-9, bounds, &m)) break;
  }
  return m;
}

/* Greatest log likelihood of a modulus, or of a (logarithm of the) scale. */
static double profile(const log_sample *sample, bool of_scale, double at, double modulus_fit)
{
  if (!of_scale) return log_likelihood(sample, at, log_scale(sample, at));
  return log_likelihood(sample, modulus_of_scale(sample, at, modulus_fit), at);
}

/* Where the profile has fallen to `wanted`, from the fit in the direction of `step`; infinite where it never does. The place is ln m or ln
 * scale. */
static double profile_end(const log_sample *sample, bool of_scale, double fit, double modulus_fit, double step, double wanted)
{
  double inside = fit, outside = fit + step;
  for (int i = 0; profile(sample, of_scale, of_scale ? outside : exp(outside), modulus_fit) > wanted; i++) {
    if (i == 40) return copysign(INFINITY, step);
    inside = outside;
    outside += step;
    step *= 1.5;
  }
  for (int i = 0; i < 40; i++) {
    double middle = 0.5 * (inside + outside);
    if (profile(sample, of_scale, of_scale ? middle : exp(middle), modulus_fit) > wanted)
      inside = middle;
    else
      outside = middle;
  }
  return 0.5 * (inside + outside);
}

static void profile_intervals(const log_sample *sample, double scale, weibull_fit *fit)
{
  double z = normal_quantile(0.5 + fit->level / 2);
  double wanted = log_likelihood(sample, fit->modulus, scale) - 0.5 * z * z, step = 1 / sqrt((double)sample->broken);
  fit->modulus_low = exp(profile_end(sample, false, log(fit->modulus), fit->modulus, -step, wanted));
  fit->modulus_high = exp(profile_end(sample, false, log(fit->modulus), fit->modulus, step, wanted));
  step /= fit->modulus;
  fit->scale_low = exp(profile_end(sample, true, scale, fit->modulus, -step, wanted));
  fit->scale_high = exp(profile_end(sample, true, scale, fit->modulus, step, wanted));
}

/* ── fits ───────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Checks the rows and takes logarithms over the greatest value. */
static scr_status take_logs(const double *values, const bool *censored, size_t count, double *logs, log_sample *sample, double *greatest,
                            scr_error *error)
{
  double sum = 0, low = INFINITY, high = -INFINITY;
  *greatest = 0;
  for (size_t i = 0; i < count; i++) {
    if (!(values[i] > 0) || !isfinite(values[i]))
      return scr_fail(error, SCR_BAD_USAGE, NULL, "row %zu has the value %g; a Weibull fit needs finite values above 0", i + 1, values[i]);
    *greatest = fmax(*greatest, values[i]);
  }
  *sample = (log_sample){.logs = logs, .count = count};
  for (size_t i = 0; i < count; i++) {
    logs[i] = log(values[i] / *greatest);
    if (censored && censored[i]) continue;
    sum += logs[i];
    low = fmin(low, values[i]);
    high = fmax(high, values[i]);
    sample->broken++;
  }
  if (sample->broken < 2 || !(high > low * (1 + 1e-12)))
    return scr_fail(error, SCR_BAD_USAGE, NULL, "%zu of %zu rows broke%s: a Weibull fit needs two different strengths at least",
                    sample->broken, count, sample->broken < 2 ? "" : ", all at the same value");
  sample->broken_mean = sum / (double)sample->broken;
  return SCR_OK;
}

static scr_status fit_logs(const log_sample *sample, double greatest, const weibull_pivots *given, weibull_fit *fit, scr_error *error)
{
  double m = likeliest_modulus(sample), scale = log_scale(sample, m);
  fit->modulus = m;
  fit->scale = exp(scale) * greatest;
  fit->broken = sample->broken;
  fit->censored = sample->count - sample->broken;
  double lost = (double)sample->broken * (sample->broken_mean + log(greatest)); /* the sum of logs of values */
  fit->log_likelihood = log_likelihood(sample, m, scale) - lost;
  if (fit->censored) {
    double r = (double)sample->broken;
    fit->method = WEIBULL_BY_PROFILE;
    fit->modulus_unbiased = r < 3 ? NAN : m / (1 + 1.37 / (r - 1.92));
    profile_intervals(sample, scale, fit);
    fit->scale_low *= greatest;
    fit->scale_high *= greatest;
    return SCR_OK;
  }
  weibull_pivots pivots;
  if (given && given->count == sample->broken && given->level == fit->level)
    pivots = *given;
  else
    SCR_TRY(weibull_make_pivots(sample->broken, fit->level, &pivots, error));
  fit->modulus_unbiased = m / pivots.modulus_mean;
  fit->method = sample->count > WEIBULL_PIVOTAL ? WEIBULL_BY_NORMAL : WEIBULL_BY_PIVOTS;
  fit->modulus_low = m / pivots.modulus_high;
  fit->modulus_high = m / pivots.modulus_low;
  fit->scale_low = fit->scale * exp(-pivots.scale_high / m);
  fit->scale_high = fit->scale * exp(-pivots.scale_low / m);
  return SCR_OK;
}

scr_status weibull_estimate(const double *values, const bool *censored, size_t count, double level, const weibull_pivots *pivots,
                            weibull_fit *fit, scr_error *error)
{
  SCR_TRY(check_level(count, level, error));
  *fit = (weibull_fit){.level = level};
  double *logs, greatest;
  SCR_TRY(mem_allocate(&logs, count, sizeof *logs, "logarithms of strengths", error));
  log_sample sample = {0};
  scr_status status = take_logs(values, censored, count, logs, &sample, &greatest, error);
  if (status == SCR_OK) status = fit_logs(&sample, greatest, pivots, fit, error);
  mem_free(logs);
  return status;
}

static scr_status is_narrow(size_t rows, double level, size_t rough, double width, bool *narrow, scr_error *error)
{
  weibull_pivots pivots;
  SCR_TRY(make_pivots(rows, level, rough, &pivots, error));
  *narrow = 1 / pivots.modulus_low - 1 / pivots.modulus_high <= width;
  return SCR_OK;
}

/* The search takes a tenth of the samples; what it finds is put right by all of them, a row or two. */
scr_status weibull_rows_needed(double width, double level, size_t *rows, scr_error *error)
{
  if (!(width > 0)) return scr_fail(error, SCR_BAD_USAGE, NULL, "the width is %g; it must be above 0", width);
  SCR_TRY(check_level(2, level, error));
  size_t low = 2, high = WEIBULL_ROWS + 1; /* too few; enough, or none are */
  while (high - low > 1) {
    size_t span = high - low, middle = high > WEIBULL_PIVOTAL && low < WEIBULL_PIVOTAL ? WEIBULL_PIVOTAL : low + span / 2;
    bool narrow;
    SCR_TRY(is_narrow(middle, level, ROUGH, width, &narrow, error));
    *(narrow ? &high : &low) = middle;
  }
  bool narrow = high > WEIBULL_PIVOTAL;
  for (; !narrow && high <= WEIBULL_PIVOTAL; high += !narrow) SCR_TRY(is_narrow(high, level, 1, width, &narrow, error));
  for (bool less = high <= WEIBULL_PIVOTAL; less && high > 3; high -= less) SCR_TRY(is_narrow(high - 1, level, 1, width, &less, error));
  *rows = high;
  return SCR_OK;
}

/* ── the plot ───────────────────────────────────────────────────────────────────────────────────────────────────── */

typedef struct plot_row {
  double value;
  bool censored;
} plot_row;

/* By value; of equals those that broke first. */
static int by_value(const void *a, const void *b)
{
  const plot_row *p = a, *q = b;
  if (p->value != q->value) return p->value < q->value ? -1 : 1;
  return (int)p->censored - (int)q->censored;
}

scr_status weibull_plot(const double *values, const bool *censored, size_t count, double *value, double *y, size_t *points,
                        scr_error *error)
{
  plot_row *rows;
  SCR_TRY(mem_allocate(&rows, count, sizeof *rows, "rows of a Weibull plot", error));
  for (size_t i = 0; i < count; i++) rows[i] = (plot_row){.value = values[i], .censored = censored && censored[i]};
  qsort(rows, count, sizeof *rows, by_value);
  double rank = 0;
  *points = 0;
  for (size_t i = 0; i < count; i++) {
    if (rows[i].censored) continue;
    rank += ((double)count + 1 - rank) / ((double)(count - i) + 1);
    value[*points] = rows[i].value;
    y[(*points)++] = log(-log1p(-(rank - 0.5) / (double)count));
  }
  mem_free(rows);
  return SCR_OK;
}
