/* Gaussian process with Matern 5/2: values y of points z have the covariance s^2 (k(r) + nu), r^2 = sum ((z - z') / length)^2,
 * k = (1 + sqrt(5) r + 5 r^2 / 3) exp(-sqrt(5) r), nu on the diagonal: a part that is fitted and the noise that was told, over s^2.
 * Values are taken as ln(1 + (value - least) / (median - least)): of sums of squares the least matter, not how bad the worst is.
 * Source: Rasmussen and Williams 2006, chapters 2, 4, 5; expected improvement: Jones, Schonlau and Welch 1998. */
#include <lapacke.h>
#include <math.h>
#include <nlopt.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "linalg/one_thread.h"
#include "server/study/calibration/search.h"
#include "server/study/statistics/sample.h"

enum { CANDIDATES = 600, REFINED = 3, LIKELIHOOD_STEPS = 40 };
#define PI 3.14159265358979323846

typedef struct process {
  size_t n, count, capacity;       /* unknowns, points, points there is memory for */
  double (*z)[OPTIMISER_UNKNOWNS]; /* [capacity] */
  double *y, *noise;               /* [capacity] taken as above, noise as a variance over that of y */
  double *factor;                  /* [capacity][capacity] Cholesky's, lower, by columns of `count` rows */
  double *alpha, *one, *column;    /* [capacity] C^-1 (y - mean), C^-1 1; workspace */
  double length[OPTIMISER_UNKNOWNS], nugget;
  double mean, variance, best;
} process;

static void process_clear(process *of)
{
  mem_free(of->z);
  mem_free(of->y);
  mem_free(of->factor);
}

static scr_status process_make(size_t unknowns, size_t capacity, process *of, scr_error *error)
{
  of->n = unknowns;
  of->capacity = capacity;
  SCR_TRY(mem_allocate(&of->z, capacity, sizeof *of->z, "points of a Gaussian process", error));
  SCR_TRY(mem_allocate(&of->y, 5 * capacity, sizeof(double), "values of a Gaussian process", error));
  SCR_TRY(mem_allocate(&of->factor, capacity * capacity, sizeof(double), "a covariance", error));
  of->noise = of->y + capacity;
  of->alpha = of->noise + capacity;
  of->one = of->alpha + capacity;
  of->column = of->one + capacity;
  return SCR_OK;
}

static double matern(const process *of, const double *a, const double *b)
{
  double square = 0;
  for (size_t i = 0; i < of->n; i++) square += (a[i] - b[i]) * (a[i] - b[i]) / (of->length[i] * of->length[i]);
  double r = sqrt(5 * square);
  return (1 + r + r * r / 3) * exp(-r);
}

static void solve(const process *of, double *values)
{
  LAPACKE_dpotrs(LAPACK_COL_MAJOR, 'L', (lapack_int)of->count, 1, of->factor, (lapack_int)of->count, values, (lapack_int)of->count);
}

/* Factorises the covariance of all points; returns the log likelihood, with the mean and the variance that make it greatest. */
static double factorise(process *of)
{
  size_t count = of->count;
  for (size_t c = 0; c < count; c++)
    for (size_t r = c; r < count; r++)
      of->factor[c * count + r] = r == c ? 1 + of->nugget + of->noise[r] + 1e-10 : matern(of, of->z[r], of->z[c]);
  if (LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', (lapack_int)count, of->factor, (lapack_int)count) != 0) return -INFINITY;
  double sum_y = 0, sum_one = 0, fit = 0, logs = 0;
  for (size_t k = 0; k < count; k++) {
    of->alpha[k] = of->y[k];
    of->one[k] = 1;
    logs += log(of->factor[k * count + k]);
  }
  solve(of, of->alpha);
  solve(of, of->one);
  for (size_t k = 0; k < count; k++) {
    sum_y += of->alpha[k];
    sum_one += of->one[k];
  }
  of->mean = sum_y / sum_one;
  for (size_t k = 0; k < count; k++) {
    of->alpha[k] -= of->mean * of->one[k];
    fit += of->alpha[k] * (of->y[k] - of->mean);
  }
  of->variance = fmax(fit / (double)count, 1e-12);
  return -0.5 * (double)count * log(of->variance) - logs;
}

/* ── lengths and noise by likelihood ────────────────────────────────────────────────────────────────────────────── */

static void set_logs(process *of, const double *logs)
{
  for (size_t i = 0; i < of->n; i++) of->length[i] = exp(logs[i]);
  of->nugget = exp(logs[of->n]);
}

/* Less the likelihood, and a mild prior for lengths of about the range, without which a few points may be taken for noise. */
/* NOLINTNEXTLINE(readability-non-const-parameter): NLopt's type of a function */
static double unlikelihood(unsigned count, const double *logs, double *gradient, void *data)
{
  (void)gradient;
  process *of = data;
  double prior = 0;
  set_logs(of, logs);
  for (unsigned i = 0; i + 1 < count; i++) prior += 0.5 * (logs[i] - log(0.7)) * (logs[i] - log(0.7));
  return prior - factorise(of);
}

static scr_status fit(process *of, scr_error *error)
{
  double logs[OPTIMISER_UNKNOWNS + 1], low[OPTIMISER_UNKNOWNS + 1], high[OPTIMISER_UNKNOWNS + 1], least;
  unsigned count = (unsigned)of->n + 1;
  for (unsigned i = 0; i < count; i++) {
    bool nugget = i + 1 == count;
    logs[i] = log(nugget ? 1e-3 : 0.5);
    low[i] = log(nugget ? 1e-8 : 0.03);
    high[i] = log(nugget ? 1 : 10);
  }
  nlopt_opt search = nlopt_create(NLOPT_LN_BOBYQA, count);
  if (!search) return scr_fail_memory(error, "an optimiser", 1);
  nlopt_set_min_objective(search, unlikelihood, of);
  nlopt_set_lower_bounds(search, low);
  nlopt_set_upper_bounds(search, high);
  nlopt_set_initial_step1(search, 0.7);
  nlopt_set_xtol_abs1(search, 0.01);
  nlopt_set_maxeval(search, LIKELIHOOD_STEPS * (int)count);
  nlopt_optimize(search, logs, &least);
  nlopt_destroy(search);
  set_logs(of, logs);
  if (isinf(factorise(of))) return scr_fail(error, SCR_DIVERGED, NULL, "the covariance of a Gaussian process is not positive definite");
  return SCR_OK;
}

/* ── expected improvement ───────────────────────────────────────────────────────────────────────────────────────── */

/* E max(best - y(z), 0) = (best - m) Phi(u) + s phi(u), u = (best - m) / s. */
static double improvement_at(process *of, const double *z)
{
  double mean = of->mean, explained = 0;
  for (size_t k = 0; k < of->count; k++) {
    of->column[k] = matern(of, z, of->z[k]);
    mean += of->column[k] * of->alpha[k];
  }
  LAPACKE_dtrtrs(LAPACK_COL_MAJOR, 'L', 'N', 'N', (lapack_int)of->count, 1, of->factor, (lapack_int)of->count, of->column,
                 (lapack_int)of->count);
  for (size_t k = 0; k < of->count; k++) explained += of->column[k] * of->column[k];
  double deviation = sqrt(of->variance * fmax(1 - explained, 1e-12)), u = (of->best - mean) / deviation;
  return (of->best - mean) * 0.5 * erfc(-u / sqrt(2)) + deviation * exp(-0.5 * u * u) / sqrt(2 * PI);
}

/* Steps along each unknown, halved when none helps. */
static double refine(process *of, double *z, double value)
{
  for (double step = 0.1; step > 1e-3;) {
    bool better = false;
    for (size_t i = 0; i < 2 * of->n; i++) {
      double before = z[i / 2];
      z[i / 2] = fmax(0, fmin(1, before + (i % 2 ? step : -step)));
      double next = improvement_at(of, z);
      if (next > value) {
        value = next;
        better = true;
      } else {
        z[i / 2] = before;
      }
    }
    if (!better) step *= 0.5;
  }
  return value;
}

static double seek(process *of, uint64_t *seed, const double *best, double *z)
{
  double top[REFINED][OPTIMISER_UNKNOWNS] = {0}, top_value[REFINED] = {-1, -1, -1}, value = -1;
  for (size_t c = 0; c < CANDIDATES; c++) {
    double candidate[OPTIMISER_UNKNOWNS] = {0}, reach = pow(10, -3 * random_uniform(seed));
    for (size_t i = 0; i < of->n; i++) {
      double u = random_uniform(seed);
      candidate[i] = c % 3 ? u : fmax(0, fmin(1, best[i] + reach * (2 * u - 1)));
    }
    double at = improvement_at(of, candidate);
    size_t worst = 0;
    for (size_t k = 1; k < REFINED; k++)
      if (top_value[k] < top_value[worst]) worst = k;
    if (at <= top_value[worst]) continue;
    top_value[worst] = at;
    memcpy(top[worst], candidate, sizeof candidate);
  }
  for (size_t k = 0; k < REFINED; k++) {
    double at = top_value[k] < 0 ? -1 : refine(of, top[k], top_value[k]);
    if (at <= value) continue;
    value = at;
    memcpy(z, top[k], sizeof top[k]);
  }
  return value;
}

/* ── the whole ──────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Known points with their values taken as above; then those that are out, with the least value. */
static void take_points(const search_state *known, process *of, double *best)
{
  double low, high, least = INFINITY;
  search_range(known, &low, &high);
  for (size_t k = 0; k < known->count; k++)
    if (known->points[k].known) of->column[of->count++] = known->points[k].value;
  size_t sorted = sample_sort(of->column, of->count, of->alpha);
  double unit = sample_quantile(of->alpha, sorted, 0.5) - low;
  if (!(unit > 0)) unit = high > low ? high - low : 1;
  of->count = 0;
  for (int out = 0; out < 2; out++) {
    for (size_t k = 0; k < known->count; k++) {
      const search_point *point = &known->points[k];
      if (point->known == (out == 1)) continue;
      double over = out ? 0 : fmax(0, (point->value - low) / unit);
      memcpy(of->z[of->count], point->z, sizeof point->z);
      of->y[of->count] = log1p(over);
      of->noise[of->count] = out ? 0 : pow(point->noise / unit / (1 + over), 2);
      if (!out && of->y[of->count] < least) {
        least = of->y[of->count];
        memcpy(best, point->z, sizeof point->z);
      }
      of->count++;
    }
  }
  of->best = least;
  double deviation = sample_deviation(of->y, of->count);
  for (size_t k = 0; k < of->count && deviation > 0; k++) of->noise[k] /= deviation * deviation;
}

scr_status gaussian_propose(const search_state *known, size_t slots, double (*points)[OPTIMISER_UNKNOWNS], double *improvement,
                            scr_error *error)
{
  process of = {0};
  double best[OPTIMISER_UNKNOWNS] = {0};
  scr_status status = process_make(known->unknown_count, known->count + slots, &of, error);
  if (status == SCR_OK) {
    int before = la_one_thread_begin();
    take_points(known, &of, best);
    status = fit(&of, error);
    double spread = sample_deviation(of.y, of.count);
    uint64_t seed = known->options.seed * 0x9e3779b97f4a7c15u + of.count;
    for (size_t s = 0; status == SCR_OK && s < slots; s++) {
      double value = seek(&of, &seed, best, points[s]);
      if (s == 0) *improvement = spread > 0 ? value / spread : 0;
      memcpy(of.z[of.count], points[s], sizeof points[s]);
      of.y[of.count] = of.best;
      of.noise[of.count++] = 0;
      if (s + 1 < slots && isinf(factorise(&of)))
        status = scr_fail(error, SCR_DIVERGED, NULL, "the covariance of a Gaussian process is not positive definite");
    }
    la_one_thread_end(before);
  }
  process_clear(&of);
  return status;
}
