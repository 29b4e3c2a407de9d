/* All runs are smoothed by one weighted fit of a polynomial: what the fit says at a place, or of a slope there, is a sum a_i r_i over the
 * runs, with the same a for every residual. */
#include "server/study/calibration/estimate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "linalg/dense.h"
#include "linalg/symmetric_eigen.h"
#include "server/study/statistics/sample.h"

enum { MOST_TERMS = 1 + OPTIMISER_UNKNOWNS + OPTIMISER_UNKNOWNS * (OPTIMISER_UNKNOWNS + 1) / 2, STEPS = 60, MOST_RUNS = 400 };
#define THIN 1e-5          /* runs nearer than this in all unknowns are one */
#define RANGE_PRECISION 12 /* 1 / variance of an even distribution on [0, 1] */
#define SIGNIFICANT 4      /* a slope counts as far as its square exceeds this many of its variances */
#define SUREST 1e-5        /* no deviation is less than this share of a range: rounding */
#define UNDETERMINED 0.5   /* share of the range's deviation */
#define TOGETHER 0.95      /* correlation */

typedef struct local_fit {
  size_t p, m, count, terms;       /* unknowns, residuals, runs in use, terms of the polynomial */
  double (*z)[OPTIMISER_UNKNOWNS]; /* [count] */
  const double **residuals;        /* [count] rows of m */
  double *value, *root_weight;     /* [count] sums of squares; roots of weights */
  double *q, *r;                   /* [terms][count], [terms][terms] of the weighted terms */
  double centre[OPTIMISER_UNKNOWNS], low[OPTIMISER_UNKNOWNS], high[OPTIMISER_UNKNOWNS]; /* the best run; the box around runs that weigh */
  double freedom;                                                                       /* runs, as they weigh, less terms */
} local_fit;

static void fit_clear(local_fit *fit)
{
  mem_free(fit->z);
  free(fit->residuals);
  mem_free(fit->value);
  mem_free(fit->q);
}

/* ── runs ───────────────────────────────────────────────────────────────────────────────────────────────────────── */

static double to_unit(const optimiser_unknown *of, double x)
{
  return of->logarithmic ? log(x / of->low) / log(of->high / of->low) : (x - of->low) / (of->high - of->low);
}

static double from_unit(const optimiser_unknown *of, double z)
{
  return of->logarithmic ? of->low * pow(of->high / of->low, z) : of->low + z * (of->high - of->low);
}

typedef struct place {
  double value;
  size_t run;
} place;

static int by_value(const void *a, const void *b)
{
  const place *x = a, *y = b;
  if (x->value != y->value) return x->value < y->value ? -1 : 1;
  return (x->run > y->run) - (x->run < y->run);
}

static size_t sort_runs(const estimate_runs *runs, place *places)
{
  size_t count = 0;
  for (size_t i = 0; i < runs->run_count; i++) {
    double sum = 0;
    for (size_t k = 0; k < runs->residual_count; k++)
      sum += runs->residuals[i * runs->residual_count + k] * runs->residuals[i * runs->residual_count + k];
    if (isfinite(sum)) places[count++] = (place){sum, i};
  }
  qsort(places, count, sizeof *places, by_value);
  return count;
}

static bool is_near(const local_fit *fit, const double *z)
{
  for (size_t i = 0; i < fit->count; i++) {
    size_t u = 0;
    while (u < fit->p && fabs(fit->z[i][u] - z[u]) < THIN) u++;
    if (u == fit->p) return true;
  }
  return false;
}

/* The best runs by rising value, without those that lie on better ones. */
static scr_status take_runs(const estimate_runs *runs, const place *places, size_t count, local_fit *fit, scr_error *error)
{
  fit->p = runs->unknown_count;
  fit->m = runs->residual_count;
  SCR_TRY(mem_allocate(&fit->z, count, sizeof *fit->z, "runs of a calibration", error));
  SCR_TRY(mem_allocate(&fit->value, 2 * count, sizeof(double), "runs of a calibration", error));
  fit->root_weight = fit->value + count;
  SCR_TRY(mem_allocate(&fit->residuals, count, sizeof *fit->residuals, "runs of a calibration", error));
  for (size_t i = 0; i < count && fit->count < MOST_RUNS; i++) {
    double z[OPTIMISER_UNKNOWNS] = {0};
    for (size_t u = 0; u < fit->p; u++) z[u] = to_unit(&runs->unknowns[u], runs->points[places[i].run * fit->p + u]);
    if (is_near(fit, z)) continue;
    memcpy(fit->z[fit->count], z, sizeof z);
    fit->residuals[fit->count] = runs->residuals + places[i].run * fit->m;
    fit->value[fit->count++] = places[i].value;
  }
  memcpy(fit->centre, fit->z[0], sizeof fit->centre);
  return SCR_OK;
}

/* Runs weigh less the worse they are: a quarter where they are as bad as the run at `level` of all. */
static void weigh(local_fit *fit, double level)
{
  double least = fit->value[0], scale = sample_quantile(fit->value, fit->count, level) - least;
  for (size_t u = 0; u < fit->p; u++) fit->low[u] = fit->high[u] = fit->centre[u];
  for (size_t i = 0; i < fit->count; i++) {
    double over = scale > 0 ? (fit->value[i] - least) / scale : 0;
    fit->root_weight[i] = 1 / (1 + over);
    if (over > 4) continue;
    for (size_t u = 0; u < fit->p; u++) {
      fit->low[u] = fmin(fit->low[u], fit->z[i][u]);
      fit->high[u] = fmax(fit->high[u], fit->z[i][u]);
    }
  }
}

/* ── the polynomial ─────────────────────────────────────────────────────────────────────────────────────────────── */

/* Terms at z; with `slope` below p their derivatives with respect to that unknown. */
static void terms_at(const local_fit *fit, const double *z, size_t slope, double *terms)
{
  double d[OPTIMISER_UNKNOWNS];
  bool value = slope >= fit->p;
  size_t t = 0;
  for (size_t u = 0; u < fit->p; u++) d[u] = z[u] - fit->centre[u];
  terms[t++] = value;
  for (size_t u = 0; u < fit->p; u++) terms[t++] = value ? d[u] : u == slope;
  for (size_t u = 0; u < fit->p && t < fit->terms; u++)
    for (size_t v = 0; v <= u; v++) terms[t++] = value ? d[u] * d[v] : (u == slope) * d[v] + (v == slope) * d[u];
}

static scr_status make_polynomial(local_fit *fit, scr_error *error)
{
  double sum = 0, squares = 0;
  size_t linear = 1 + fit->p, quadratic = linear + fit->p * (fit->p + 1) / 2;
  for (size_t i = 0; i < fit->count; i++) {
    double w = fit->root_weight[i] * fit->root_weight[i];
    sum += w;
    squares += w * w;
  }
  double weighing = sum * sum / squares;
  fit->terms = 2 * fit->count >= 3 * quadratic ? quadratic : linear;
  if (fit->count < fit->terms + 1)
    return scr_fail(error, SCR_BAD_USAGE, NULL,
                    "%zu runs at different points gave residuals: an estimate of %zu parameters needs %zu at least", fit->count, fit->p,
                    linear + 1);
  fit->freedom = weighing - (double)fit->terms;
  mem_free(fit->q);
  SCR_TRY(mem_allocate(&fit->q, fit->terms * (fit->count + fit->terms), sizeof(double), "the fit of a calibration", error));
  fit->r = fit->q + fit->terms * fit->count;
  for (size_t i = 0; i < fit->count; i++) {
    double terms[MOST_TERMS] = {0};
    terms_at(fit, fit->z[i], fit->p, terms);
    for (size_t t = 0; t < fit->terms; t++) fit->q[t * fit->count + i] = fit->root_weight[i] * terms[t];
  }
  return la_dense_qr(fit->count, fit->terms, fit->q, fit->r, error);
}

/* a_i of `terms`: Q R^-T terms, each times the root of the run's weight. Terms that no run tells apart count as none. @param a [count] */
static void smoother(const local_fit *fit, const double *terms, double *a)
{
  double u[MOST_TERMS];
  memset(a, 0, fit->count * sizeof *a);
  for (size_t t = 0; t < fit->terms; t++) {
    double sum = terms[t], diagonal = fit->r[t * fit->terms + t];
    for (size_t k = 0; k < t; k++) sum -= fit->r[t * fit->terms + k] * u[k];
    u[t] = diagonal > 1e-9 ? sum / diagonal : 0;
    for (size_t i = 0; i < fit->count; i++) a[i] += fit->q[t * fit->count + i] * u[t];
  }
  for (size_t i = 0; i < fit->count; i++) a[i] *= fit->root_weight[i];
}

/* Sum a_i r_i for all residuals, of the value or a slope at z. @return sum of a_i^2 */
static double smooth(const local_fit *fit, const double *z, size_t slope, double *a, double *residuals)
{
  double terms[MOST_TERMS], squares = 0;
  terms_at(fit, z, slope, terms);
  smoother(fit, terms, a);
  memset(residuals, 0, fit->m * sizeof *residuals);
  for (size_t i = 0; i < fit->count; i++) {
    squares += a[i] * a[i];
    for (size_t k = 0; k < fit->m; k++) residuals[k] += a[i] * fit->residuals[i][k];
  }
  return squares;
}

static double dot(const double *a, const double *b, size_t count)
{
  double sum = 0;
  for (size_t k = 0; k < count; k++) sum += a[k] * b[k];
  return sum;
}

/* ── the minimum ────────────────────────────────────────────────────────────────────────────────────────────────── */

typedef struct workspace {
  double *a, *residuals, *trial, *jacobian, *scatter; /* [count], [m], [m], [p][m], [m] */
} workspace;

/* Solves (N + damping) d = -g; N [p][p]. */
static bool damped_step(const double *n, const double *g, double damping, size_t p, double *d)
{
  double a[OPTIMISER_UNKNOWNS * OPTIMISER_UNKNOWNS];
  memcpy(a, n, p * p * sizeof *a);
  for (size_t i = 0; i < p; i++) a[i * p + i] += damping;
  if (la_dense_positive_inverse(p, a, NULL) != SCR_OK) return false;
  for (size_t i = 0; i < p; i++) {
    d[i] = 0;
    for (size_t j = 0; j < p; j++) d[i] -= a[i * p + j] * g[j];
  }
  return true;
}

/* Levenberg and Marquardt's steps on the fit, within the box of the runs that weigh. */
static double find_minimum(const local_fit *fit, workspace *with, double *z)
{
  size_t p = fit->p;
  memcpy(z, fit->centre, sizeof fit->centre);
  smooth(fit, z, p, with->a, with->residuals);
  double value = dot(with->residuals, with->residuals, fit->m), damping = 0;
  for (int step = 0; step < STEPS; step++) {
    double n[OPTIMISER_UNKNOWNS * OPTIMISER_UNKNOWNS], g[OPTIMISER_UNKNOWNS], d[OPTIMISER_UNKNOWNS], next[OPTIMISER_UNKNOWNS] = {0},
                                                                                                     trace = 0;
    for (size_t i = 0; i < p; i++) {
      smooth(fit, z, i, with->a, with->jacobian + i * fit->m);
      g[i] = dot(with->jacobian + i * fit->m, with->residuals, fit->m);
      for (size_t j = 0; j <= i; j++) n[i * p + j] = n[j * p + i] = dot(with->jacobian + i * fit->m, with->jacobian + j * fit->m, fit->m);
      trace += n[i * p + i];
    }
    if (!(trace > 0)) break;
    damping = fmax(damping, 1e-9 * trace);
    if (!damped_step(n, g, damping, p, d)) break;
    double moved = 0;
    for (size_t i = 0; i < p; i++) {
      next[i] = fmax(fit->low[i], fmin(fit->high[i], z[i] + d[i]));
      moved = fmax(moved, fabs(next[i] - z[i]));
    }
    smooth(fit, next, p, with->a, with->trial);
    double lower = dot(with->trial, with->trial, fit->m);
    if (lower < value) {
      value = lower;
      memcpy(z, next, sizeof next);
      memcpy(with->residuals, with->trial, fit->m * sizeof(double));
      damping *= 0.2;
    } else {
      damping *= 10;
    }
    if (moved < 1e-7) break;
  }
  smooth(fit, z, p, with->a, with->residuals);
  return value;
}

/* ── the interval ───────────────────────────────────────────────────────────────────────────────────────────────── */

/* How many neighbouring residuals go together: 1 + 2 sum of correlations, as far as they are positive. */
static double integrated_correlation(const double *residuals, size_t count)
{
  double squares = dot(residuals, residuals, count), tau = 1;
  for (size_t lag = 1; lag < count / 3 && squares > 0; lag++) {
    double correlation = dot(residuals, residuals + lag, count - lag) / squares;
    if (correlation <= 0) break;
    tau += 2 * correlation;
  }
  return tau;
}

/* What the runs' own scatter about the fit is, for each residual, as a variance. @param along [p][p] receives the covariance of its
 * products with the slopes, which runs that scatter as a whole show; may be NULL */
static void scatter_of_runs(const local_fit *fit, workspace *with, double *along)
{
  size_t p = fit->p;
  double sum = 0, squares = 0;
  memset(with->scatter, 0, fit->m * sizeof(double));
  if (along) memset(along, 0, p * p * sizeof *along);
  for (size_t i = 0; i < fit->count; i++) {
    double w = fit->root_weight[i] * fit->root_weight[i];
    sum += w;
    squares += w * w;
    smooth(fit, fit->z[i], p, with->a, with->trial);
    for (size_t k = 0; k < fit->m; k++) {
      with->trial[k] = fit->residuals[i][k] - with->trial[k];
      with->scatter[k] += w * with->trial[k] * with->trial[k];
    }
    double products[OPTIMISER_UNKNOWNS];
    for (size_t u = 0; along && u < p; u++) {
      products[u] = dot(with->jacobian + u * fit->m, with->trial, fit->m);
      /* runs near the best say more of what it scatters by: far ones, of what the polynomial does not follow */
      for (size_t v = 0; v <= u; v++) along[u * p + v] += w * w * products[u] * products[v];
    }
  }
  double norm = sum * sum / squares / fmax(1, fit->freedom) / sum;
  for (size_t k = 0; k < fit->m; k++) with->scatter[k] *= norm;
  for (size_t u = 0; along && u < p; u++)
    for (size_t v = 0; v <= u; v++) along[u * p + v] = along[v * p + u] = norm * sum / squares * along[u * p + v];
}

/* Adds a target's part: its normal matrix to `n`, and that times the variance of its residuals to `spread`. */
static void add_block(const local_fit *fit, const workspace *with, const double (*overlap)[OPTIMISER_UNKNOWNS], const estimate_block *block,
                      size_t begin, double *n, double *spread, double *independent)
{
  size_t p = fit->p, count = block->count;
  double own[OPTIMISER_UNKNOWNS * OPTIMISER_UNKNOWNS], scatter = 0;
  const double *residuals = with->residuals + begin;
  for (size_t k = 0; k < count; k++) scatter += with->scatter[begin + k];
  for (size_t i = 0; i < p; i++)
    for (size_t j = 0; j <= i; j++)
      own[i * p + j] = own[j * p + i] =
          dot(with->jacobian + i * fit->m + begin, with->jacobian + j * fit->m + begin, count) - SIGNIFICANT * overlap[i][j] * scatter;
  la_symmetric_clip((int)p, own);
  double tau = integrated_correlation(residuals, count), freedom = fmax(1, (double)count - (double)p * (double)count / (double)fit->m);
  double variance = block->variance > 0 ? block->variance : tau * dot(residuals, residuals, count) / freedom;
  double trace = 0;
  for (size_t i = 0; i < p; i++) trace += own[i * p + i];
  variance = fmax(variance, SUREST * SUREST * trace);
  *independent += (double)count / tau;
  for (size_t i = 0; i < p * p; i++) {
    n[i] += own[i];
    spread[i] += own[i] * variance;
  }
}

/* covariance = (N spread^-1 N + 12 I)^-1 */
static scr_status invert(size_t p, const double *n, double *spread, double *covariance, scr_error *error)
{
  double trace = 0, half[OPTIMISER_UNKNOWNS * OPTIMISER_UNKNOWNS] = {0};
  for (size_t i = 0; i < p; i++) trace += spread[i * p + i];
  for (size_t i = 0; i < p; i++) spread[i * p + i] += 1e-9 * trace + 1e-300;
  SCR_TRY(la_dense_positive_inverse(p, spread, error));
  for (size_t i = 0; i < p; i++)
    for (size_t j = 0; j < p; j++)
      for (size_t k = 0; k < p; k++) half[i * p + j] += spread[i * p + k] * n[k * p + j];
  for (size_t i = 0; i < p; i++)
    for (size_t j = 0; j < p; j++) {
      covariance[i * p + j] = 0;
      for (size_t k = 0; k < p; k++) covariance[i * p + j] += n[i * p + k] * half[k * p + j];
    }
  la_symmetric_clip((int)p, covariance);
  for (size_t i = 0; i < p; i++) covariance[i * p + i] += RANGE_PRECISION;
  return la_dense_positive_inverse(p, covariance, error);
}

static scr_status make_covariance(const local_fit *fit, workspace *with, const estimate_runs *runs, const double *z, double *covariance,
                                  double *independent, scr_error *error)
{
  size_t p = fit->p;
  double n[OPTIMISER_UNKNOWNS * OPTIMISER_UNKNOWNS] = {0}, spread[OPTIMISER_UNKNOWNS * OPTIMISER_UNKNOWNS] = {0};
  double overlap[OPTIMISER_UNKNOWNS][OPTIMISER_UNKNOWNS], *a;
  estimate_block whole = {.count = fit->m};
  SCR_TRY(mem_allocate(&a, (p + 1) * fit->count, sizeof *a, "slopes of a calibration", error));
  for (size_t i = 0; i < p; i++) {
    smooth(fit, z, i, a + i * fit->count, with->jacobian + i * fit->m);
    for (size_t j = 0; j <= i; j++) overlap[i][j] = overlap[j][i] = dot(a + i * fit->count, a + j * fit->count, fit->count);
  }
  double leverage = smooth(fit, z, p, a + p * fit->count, with->residuals);
  mem_free(a);
  scatter_of_runs(fit, with, spread);
  for (size_t i = 0; i < p * p; i++) spread[i] *= 1 + leverage; /* of the fit, and of the measurement, which scatters as a run does */
  *independent = 0;
  for (size_t b = 0, begin = 0; b < (runs->block_count ? runs->block_count : 1); b++) {
    const estimate_block *block = runs->block_count ? &runs->blocks[b] : &whole;
    add_block(fit, with, (const double(*)[OPTIMISER_UNKNOWNS])overlap, block, begin, n, spread, independent);
    begin += block->count;
  }
  return invert(p, n, spread, covariance, error);
}

/* ── what it says ───────────────────────────────────────────────────────────────────────────────────────────────── */

static void fill(const estimate_runs *runs, const double *z, const double *covariance, estimate *out)
{
  size_t p = runs->unknown_count;
  double quantile = normal_quantile(0.5 + out->level / 2);
  for (size_t i = 0; i < p; i++) {
    const optimiser_unknown *of = &runs->unknowns[i];
    estimate_parameter *parameter = &out->parameters[i];
    double deviation = sqrt(covariance[i * p + i]);
    parameter->best = from_unit(of, z[i]);
    parameter->low = from_unit(of, fmax(0, z[i] - quantile * deviation));
    parameter->high = from_unit(of, fmin(1, z[i] + quantile * deviation));
    parameter->share = deviation * sqrt(RANGE_PRECISION);
    parameter->undetermined = parameter->share > UNDETERMINED;
    if (parameter->undetermined) { /* where the fit is least says little: its range is all that is known */
      parameter->low = of->low;
      parameter->high = of->high;
    }
    parameter->at_bound = !parameter->undetermined && (z[i] < 1e-3 || z[i] > 1 - 1e-3);
    for (size_t j = 0; j < p; j++) out->correlation[i][j] = covariance[i * p + j] / sqrt(covariance[i * p + i] * covariance[j * p + j]);
  }
}

static const char *combination(const optimiser_unknown *a, const optimiser_unknown *b, double correlation)
{
  if (a->logarithmic && b->logarithmic) return correlation < 0 ? "their product" : "their ratio";
  return correlation < 0 ? "their sum" : "their difference";
}

static void describe(const estimate_runs *runs, estimate *out)
{
  text_builder text = {0};
  bool together[OPTIMISER_UNKNOWNS] = {false};
  for (size_t i = 0; i < out->count; i++)
    for (size_t j = 0; j < i; j++) {
      /* one that is far less known than the other only widens it */
      double a = out->parameters[i].share, b = out->parameters[j].share;
      if (fabs(out->correlation[i][j]) <= TOGETHER || fmin(a, b) < 0.25 * fmax(a, b)) continue;
      together[i] = together[j] = true;
      text_add_format(&text, "%s and %s go together (correlation %.2f): the data determines a combination of them, about %s. ",
                      runs->unknowns[j].name, runs->unknowns[i].name, out->correlation[i][j],
                      combination(&runs->unknowns[j], &runs->unknowns[i], out->correlation[i][j]));
    }
  for (size_t i = 0; i < out->count; i++) {
    const estimate_parameter *of = &out->parameters[i];
    const char *name = runs->unknowns[i].name;
    if (of->undetermined)
      text_add_format(&text, "The data does not determine %s%s: it may be anywhere from %.4g to %.4g. ", name, together[i] ? " alone" : "",
                      of->low, of->high);
    else
      text_add_format(&text, "%s is %.4g, from %.4g to %.4g at %.3g %%. ", name, of->best, of->low, of->high, 100 * out->level);
    if (of->at_bound) text_add_format(&text, "%s lies at the end of its range: widen it. ", name);
  }
  if (text.data)
    snprintf(out->words, sizeof out->words, "%.*s", (int)text_cut(text.data, text.length - 1, sizeof out->words - 1), text.data);
  text_clear(&text);
}

static scr_status check(const estimate_runs *runs, double level, scr_error *error)
{
  size_t sum = 0;
  if (runs->unknown_count < 1 || runs->unknown_count > OPTIMISER_UNKNOWNS || runs->residual_count < 1)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "%zu unknowns and %zu residuals: an estimate takes 1 to %d, and one residual at least",
                    runs->unknown_count, runs->residual_count, OPTIMISER_UNKNOWNS);
  if (!(level >= 0.5 && level <= 0.999))
    return scr_fail(error, SCR_BAD_USAGE, NULL, "the confidence level is %g; it must be 0.5 to 0.999", level);
  for (size_t b = 0; b < runs->block_count; b++) sum += runs->blocks[b].count;
  if (runs->block_count && sum != runs->residual_count)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "blocks of %zu residuals: there are %zu", sum, runs->residual_count);
  return SCR_OK;
}

/* Whether the runs that weigh are apart in every unknown: along one without effect all are equally good, and the best may be those alone.
 */
static bool is_wide(const local_fit *fit)
{
  for (size_t u = 0; u < fit->p; u++)
    if (fit->high[u] - fit->low[u] < 10 * THIN) return false;
  return true;
}

/* How far from the best runs count is chosen so that the fit is surest of the slopes at its minimum: wide where runs scatter, narrow where
 * the polynomial does not follow. */
static scr_status fit_best(local_fit *fit, workspace *with, double *z, double *value, scr_error *error)
{
  static const double levels[] = {0.1, 0.2, 0.35, 0.5, 0.75};
  enum { LEVELS = sizeof levels / sizeof *levels };
  double least = INFINITY, best = levels[LEVELS - 1];
  for (size_t l = 0; l < LEVELS; l++) {
    double scatter = 0, squares = 0;
    weigh(fit, levels[l]);
    SCR_TRY(make_polynomial(fit, error));
    if ((fit->freedom < 2 || !is_wide(fit)) && l + 1 < LEVELS) continue;
    find_minimum(fit, with, z);
    scatter_of_runs(fit, with, NULL);
    for (size_t k = 0; k < fit->m; k++) scatter += with->scatter[k];
    for (size_t u = 0; u < fit->p; u++) squares += smooth(fit, z, u, with->a, with->trial);
    if (!(scatter * squares < least)) continue;
    least = scatter * squares;
    best = levels[l];
  }
  weigh(fit, best);
  SCR_TRY(make_polynomial(fit, error));
  *value = find_minimum(fit, with, z);
  return SCR_OK;
}

/* NOLINTNEXTLINE(readability-non-const-parameter): the workspace writes to it */
static scr_status estimate_fit(const estimate_runs *runs, local_fit *fit, double *memory, estimate *out, scr_error *error)
{
  double z[OPTIMISER_UNKNOWNS], covariance[OPTIMISER_UNKNOWNS * OPTIMISER_UNKNOWNS];
  workspace with = {.a = memory, .residuals = memory + fit->count};
  with.trial = with.residuals + fit->m;
  with.scatter = with.trial + fit->m;
  with.jacobian = with.scatter + fit->m;
  SCR_TRY(fit_best(fit, &with, z, &out->value, error));
  out->runs = fit->count;
  out->quadratic = fit->terms > 1 + fit->p;
  SCR_TRY(make_covariance(fit, &with, runs, z, covariance, &out->independent, error));
  fill(runs, z, covariance, out);
  describe(runs, out);
  return SCR_OK;
}

scr_status estimate_make(const estimate_runs *runs, double level, estimate *out, scr_error *error)
{
  memset(out, 0, sizeof *out);
  SCR_TRY(check(runs, level, error));
  out->count = runs->unknown_count;
  out->level = level;
  local_fit fit = {0};
  place *places;
  double *memory = NULL;
  SCR_TRY(mem_allocate(&places, runs->run_count, sizeof *places, "runs of a calibration", error));
  size_t count = sort_runs(runs, places);
  scr_status status = SCR_OK;
  if (count < out->count + 2)
    status = scr_fail(error, SCR_BAD_USAGE, NULL, "%zu runs gave residuals: an estimate of %zu parameters needs %zu at least", count,
                      out->count, out->count + 2);
  if (status == SCR_OK) status = take_runs(runs, places, count, &fit, error);
  if (status == SCR_OK) {
    out->best_run = places[0].run;
    out->best_value = places[0].value;
    status = mem_allocate(&memory, fit.count + (3 + fit.p) * fit.m, sizeof *memory, "a calibration", error);
  }
  if (status == SCR_OK) status = estimate_fit(runs, &fit, memory, out, error);
  mem_free(memory);
  mem_free(places);
  fit_clear(&fit);
  return status;
}
