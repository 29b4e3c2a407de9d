/* Polynomials and their fits. */
#include "methods/lsdem/grain/energy_fit.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "linalg/dense.h"
#include "linalg/pivoted_cholesky.h"

/* ── values ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

static void scaled(const lsdem_polynomial *fit, const double *amplitude, double *z)
{
  for (size_t a = 0; a < fit->count; a++) z[a] = (fit->mirrored ? fabs(amplitude[a]) : amplitude[a]) / fit->scale[a];
}

/* The product of a term's factors but for those in places i and j. */
static double product_without(const lsdem_term *term, const double *z, int i, int j)
{
  double product = 1;
  for (int k = 0; k < term->degree; k++)
    if (k != i && k != j) product *= z[term->mode[k]];
  return product;
}

double lsdem_polynomial_value(const lsdem_polynomial *fit, const double *amplitude)
{
  double z[LSDEM_MODE_LIMIT] = {0}, sum = 0;
  scaled(fit, amplitude, z);
  for (size_t t = 0; t < fit->term_count; t++) sum += fit->term[t].coefficient * product_without(&fit->term[t], z, -1, -1);
  return sum;
}

void lsdem_polynomial_gradient(const lsdem_polynomial *fit, const double *amplitude, double *gradient)
{
  double z[LSDEM_MODE_LIMIT] = {0};
  scaled(fit, amplitude, z);
  for (size_t a = 0; a < fit->count; a++) gradient[a] = 0;
  for (size_t t = 0; t < fit->term_count; t++) {
    const lsdem_term *term = &fit->term[t];
    for (int i = 0; i < term->degree; i++) gradient[term->mode[i]] += term->coefficient * product_without(term, z, i, -1);
  }
  for (size_t a = 0; a < fit->count; a++) gradient[a] /= fit->mirrored ? copysign(fit->scale[a], amplitude[a]) : fit->scale[a];
}

void lsdem_polynomial_curvature(const lsdem_polynomial *fit, const double *amplitude, double *curvature)
{
  double z[LSDEM_MODE_LIMIT] = {0};
  size_t n = fit->count;
  scaled(fit, amplitude, z);
  for (size_t k = 0; k < n * n; k++) curvature[k] = 0;
  for (size_t t = 0; t < fit->term_count; t++) {
    const lsdem_term *term = &fit->term[t];
    for (int i = 0; i < term->degree; i++)
      for (int j = 0; j < term->degree; j++)
        if (i != j) curvature[term->mode[i] * n + term->mode[j]] += term->coefficient * product_without(term, z, i, j);
  }
  for (size_t a = 0; a < n; a++)
    for (size_t b = 0; b < n; b++) curvature[a * n + b] /= fit->scale[a] * fit->scale[b];
}

/* ── terms ───────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* All products of `degree` modes, after those there are. */
static scr_status add_terms(lsdem_polynomial *fit, size_t degree, scr_error *error)
{
  unsigned char mode[LSDEM_FIT_DEGREE] = {0};
  for (;;) {
    if (fit->term_count == LSDEM_FIT_TERMS)
      return scr_fail(error, SCR_BAD_SCENE, NULL, "an energy of %zu modes has more than %d terms up to degree %zu: use fewer modes or a lower fit_degree", fit->count,
                      LSDEM_FIT_TERMS, degree);
    lsdem_term *term = &fit->term[fit->term_count++];
    *term = (lsdem_term){.degree = (unsigned char)degree, .coefficient = 1};
    memcpy(term->mode, mode, sizeof mode);
    size_t k = degree;
    while (k > 0 && mode[k - 1] + 1u == fit->count) k--;
    if (k == 0) return SCR_OK;
    unsigned char next = (unsigned char)(mode[k - 1] + 1);
    for (; k <= degree; k++) mode[k - 1] = next;
  }
}

static scr_status find_scales(const lsdem_levels *levels, lsdem_polynomial *fit, scr_error *error)
{
  bool below = false;
  for (size_t l = 0; l < levels->count; l++)
    for (size_t a = 0; a < levels->modes; a++) {
      double eps = levels->amplitude[l * levels->modes + a];
      fit->scale[a] = fmax(fit->scale[a], fabs(eps));
      below = below || eps < 0;
    }
  fit->mirrored = levels->modes == 1 && !below;
  for (size_t a = 0; a < levels->modes; a++)
    if (!(fit->scale[a] > 0))
      return scr_fail(error, SCR_BAD_SCENE, NULL, "no level of the mode basis moves mode %zu, so that nothing is known of its energy: use fewer modes, or a basis with levels", a + 1);
  return SCR_OK;
}

/* ── least squares ───────────────────────────────────────────────────────────────────────────────────────────────── */

/* A system of rows (levels, each an energy and its forces) and columns (terms). */
typedef struct squares {
  const lsdem_levels *levels;
  size_t first, stride; /* which levels */
  double largest;       /* J */
  size_t rows, columns;
  double *matrix, *gram, *factor, *right; /* [columns][rows], [columns][columns] twice, [rows] */
  size_t *order;
} squares;

static void clear(squares *s)
{
  mem_free(s->matrix);
  mem_free(s->gram);
  mem_free(s->factor);
  mem_free(s->right);
  mem_free(s->order);
}

static scr_status allocate(squares *s, scr_error *error)
{
  s->matrix = mem_array(s->rows * s->columns, sizeof(double));
  s->gram = mem_array(s->columns * s->columns, sizeof(double));
  s->factor = mem_array(s->columns * s->columns, sizeof(double));
  s->right = mem_array(s->rows, sizeof(double));
  s->order = mem_array(s->columns, sizeof *s->order);
  if (s->matrix && s->gram && s->factor && s->right && s->order) return SCR_OK;
  return scr_fail_memory(error, "the fit of an energy", s->rows * s->columns * sizeof(double));
}

/* What one term, with a coefficient of 1 J, has at all rows. */
static void fill_column(const squares *s, const lsdem_polynomial *fit, size_t t, double *column)
{
  lsdem_polynomial *one = &(lsdem_polynomial){.count = fit->count, .term_count = 1, .mirrored = fit->mirrored};
  size_t n = fit->count, row = 0;
  memcpy(one->scale, fit->scale, sizeof one->scale);
  one->term[0] = fit->term[t];
  one->term[0].coefficient = 1;
  for (size_t l = s->first; l < s->levels->count; l += s->stride) {
    const double *amplitude = s->levels->amplitude + l * n;
    double gradient[LSDEM_MODE_LIMIT];
    column[row++] = lsdem_polynomial_value(one, amplitude) / s->largest;
    lsdem_polynomial_gradient(one, amplitude, gradient);
    for (size_t a = 0; a < n; a++) column[row++] = gradient[a] * fit->scale[a] / s->largest;
  }
}

static void fill(squares *s, const lsdem_polynomial *fit)
{
  size_t n = fit->count, row = 0;
  for (size_t t = 0; t < s->columns; t++) fill_column(s, fit, t, s->matrix + t * s->rows);
  for (size_t l = s->first; l < s->levels->count; l += s->stride) {
    s->right[row++] = s->levels->energy[l] / s->largest;
    for (size_t a = 0; a < n; a++) s->right[row++] = s->levels->force[l * n + a] * fit->scale[a] / s->largest;
  }
  for (size_t i = 0; i < s->columns; i++)
    for (size_t j = 0; j < s->columns; j++) {
      double sum = 0;
      for (size_t r = 0; r < s->rows; r++) sum += s->matrix[i * s->rows + r] * s->matrix[j * s->rows + r];
      s->gram[i * s->columns + j] = sum;
    }
}

/* Columns that are new to those before them, brought to the front of the matrix; R and Q^T b; back substitution. */
static scr_status solve(squares *s, lsdem_polynomial *fit, scr_error *error)
{
  const double least = 1e-10; /* of squares: columns new by less than 1e-5 are not */
  size_t rank = la_pivoted_cholesky(s->columns, s->gram, least, s->order);
  if (rank > s->rows) rank = s->rows;
  double *chosen = mem_array(rank * s->rows, sizeof *chosen), x[LSDEM_FIT_TERMS];
  if (!chosen) return scr_fail_memory(error, "the fit of an energy", rank * s->rows * sizeof *chosen);
  for (size_t k = 0; k < rank; k++) memcpy(chosen + k * s->rows, s->matrix + s->order[k] * s->rows, s->rows * sizeof *chosen);
  scr_status status = la_dense_qr(s->rows, rank, chosen, s->factor, error);
  for (size_t t = 0; t < s->columns; t++) fit->term[t].coefficient = 0;
  for (size_t k = rank; status == SCR_OK && k-- > 0;) {
    double sum = 0;
    for (size_t r = 0; r < s->rows; r++) sum += chosen[k * s->rows + r] * s->right[r];
    for (size_t j = k + 1; j < rank; j++) sum -= s->factor[j * rank + k] * x[j]; /* by columns */
    x[k] = sum / s->factor[k * rank + k];
    fit->term[s->order[k]].coefficient = x[k];
  }
  mem_free(chosen);
  return status;
}

/* Fits the terms there are to every `stride`-th level from `first` on. */
static scr_status fit_levels(const lsdem_levels *levels, size_t first, size_t stride, lsdem_polynomial *fit, scr_error *error)
{
  squares s = {.levels = levels, .first = first, .stride = stride, .columns = fit->term_count};
  s.rows = ((levels->count - first + stride - 1) / stride) * (1 + levels->modes);
  for (size_t l = 0; l < levels->count; l++) s.largest = fmax(s.largest, levels->energy[l]);
  scr_status status = allocate(&s, error);
  if (status == SCR_OK) {
    fill(&s, fit);
    status = solve(&s, fit, error);
  }
  clear(&s);
  return status;
}

/* ── what is said of a fit ───────────────────────────────────────────────────────────────────────────────────────── */

static void measure(const lsdem_levels *levels, const lsdem_polynomial *fit, size_t first, size_t stride, double *energy, double *force)
{
  double off = 0, all = 0, force_off = 0, force_all = 0;
  size_t n = levels->modes;
  for (size_t l = first; l < levels->count; l += stride) {
    double gradient[LSDEM_MODE_LIMIT], difference = lsdem_polynomial_value(fit, levels->amplitude + l * n) - levels->energy[l];
    lsdem_polynomial_gradient(fit, levels->amplitude + l * n, gradient);
    off += difference * difference, all += levels->energy[l] * levels->energy[l];
    for (size_t a = 0; a < n; a++) {
      double given = levels->force[l * n + a] * fit->scale[a], found = gradient[a] * fit->scale[a];
      force_off += (found - given) * (found - given), force_all += given * given;
    }
  }
  *energy = sqrt(off / all);
  *force = sqrt(force_off / force_all);
}

/* Curvatures at a level, times `reach`: the largest are kept. @return whether U is convex there */
static scr_status look_at(lsdem_polynomial *fit, const double *amplitude, double reach, bool *convex, scr_error *error)
{
  size_t n = fit->count;
  double at[LSDEM_MODE_LIMIT] = {0}, curvature[LSDEM_MODE_LIMIT * LSDEM_MODE_LIMIT], values[LSDEM_MODE_LIMIT];
  for (size_t a = 0; a < n; a++) at[a] = reach * amplitude[a];
  lsdem_polynomial_curvature(fit, at, curvature);
  for (size_t a = 0; a < n; a++)
    for (size_t b = 0; b < n; b++) {
      fit->steepest[a][b] = fmax(fit->steepest[a][b], fabs(curvature[a * n + b]));
      curvature[a * n + b] *= fit->scale[a] * fit->scale[b];
    }
  SCR_TRY(la_dense_symmetric_eigen(n, curvature, values, error));
  *convex = values[0] >= -1e-6 * fabs(values[n - 1]);
  return SCR_OK;
}

/* At rest, halfway and at every level U must be convex; a fifth beyond, where the runs end, its curvature only counts for the step. */
static scr_status judge(const lsdem_levels *levels, size_t degree, lsdem_polynomial *fit, scr_error *error)
{
  static const double reach[4] = {0, 0.5, 1, 1.2};
  for (size_t l = 0; l < levels->count; l++)
    for (int k = 0; k < 4; k++) {
      bool convex = true;
      SCR_TRY(look_at(fit, levels->amplitude + l * levels->modes, reach[k], &convex, error));
      if (!convex && reach[k] <= 1)
        return scr_fail(error, SCR_BAD_SCENE, NULL,
                        "the energy of degree %zu fitted to the mode basis' %zu levels is not convex at %g of level %zu: such a grain would snap through; use another fit_degree, a "
                        "basis with more levels, or mode_energy \"table\" or \"quadratic\"",
                        degree, levels->count, reach[k], l + 1);
    }
  return SCR_OK;
}

static scr_status measure_others(const lsdem_levels *levels, const lsdem_polynomial *fit, lsdem_fit_quality *quality, scr_error *error)
{
  quality->other_energy = quality->other_force = NAN;
  if (levels->count < 4) return SCR_OK;
  lsdem_polynomial *half = mem_array(1, sizeof *half);
  if (!half) return scr_fail_memory(error, "the fit of an energy", sizeof *half);
  *half = *fit;
  scr_status status = fit_levels(levels, 1, 2, half, error); /* with the last of an even number: the fit is not asked beyond its levels */
  if (status == SCR_OK) measure(levels, half, 0, 2, &quality->other_energy, &quality->other_force);
  mem_free(half);
  return status;
}

static void drop_empty(lsdem_polynomial *fit)
{
  size_t kept = 0;
  for (size_t t = 0; t < fit->term_count; t++)
    if (fit->term[t].coefficient != 0) fit->term[kept++] = fit->term[t];
  fit->term_count = kept;
}

scr_status lsdem_energy_fit(const lsdem_levels *levels, size_t degree, lsdem_polynomial *fit, lsdem_fit_quality *quality, scr_error *error)
{
  memset(fit, 0, sizeof *fit);
  fit->count = levels->modes;
  if (levels->count == 0)
    return scr_fail(error, SCR_BAD_SCENE, NULL, "the mode basis has no levels that an energy could be fitted to: make it with levels or snapshots, or use mode_energy \"quadratic\"");
  double largest = 0;
  for (size_t l = 0; l < levels->count; l++) largest = fmax(largest, levels->energy[l]);
  if (!(largest > 0)) return scr_fail(error, SCR_BAD_SCENE, NULL, "no level of the mode basis has an energy above 0: make it anew, with loads that deform the body");
  SCR_TRY(find_scales(levels, fit, error));
  for (size_t d = 2; d <= degree; d++) SCR_TRY(add_terms(fit, d, error));
  SCR_TRY(fit_levels(levels, 0, 1, fit, error));
  SCR_TRY(measure_others(levels, fit, quality, error));
  drop_empty(fit);
  measure(levels, fit, 0, 1, &quality->energy, &quality->force);
  return judge(levels, degree, fit, error);
}
