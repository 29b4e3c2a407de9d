/* Polynomials and their fits. */
#include "methods/lsdem/grain/energy_fit.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "linalg/dense.h"
#include "linalg/nonnegative.h"
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
      return scr_fail(error, SCR_BAD_SCENE, NULL,
                      "an energy of %zu modes has more than %d terms up to degree %zu: use fewer modes or a lower fit_degree", fit->count,
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
      return scr_fail(
          error, SCR_BAD_SCENE, NULL,
          "no level of the mode basis moves mode %zu, so that nothing is known of its energy: use fewer modes, or a basis with levels",
          a + 1);
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

/* Conditions of convexity so far: v . H v >= 0 at a place along a way v, over the terms that were chosen. */
typedef struct cuts {
  double *row; /* [count][terms] */
  size_t count, capacity;
} cuts;

/* Where the energy must be convex, of the way to a level. */
static const double convex_at[] = {0, 0.25, 0.5, 0.75, 1, 1.2};
enum { CONVEX_PLACES = sizeof convex_at / sizeof *convex_at, CONVEX_TURNS = 200 };

/* Of amplitudes over their scales: d2U/dz_a dz_b, its eigenvalues and, one a column, ways. */
static scr_status curve(const lsdem_polynomial *fit, const double *level, double reach, double *directions, double *values,
                        scr_error *error)
{
  double at[LSDEM_MODE_LIMIT] = {0};
  size_t n = fit->count;
  for (size_t a = 0; a < n; a++) at[a] = reach * level[a];
  lsdem_polynomial_curvature(fit, at, directions);
  for (size_t a = 0; a < n; a++)
    for (size_t b = 0; b < n; b++) directions[a * n + b] *= fit->scale[a] * fit->scale[b];
  return la_dense_symmetric_eigen(n, directions, values, error);
}

/* Largest size of a curvature, and the least curvature. */
static scr_status find_curvatures(const lsdem_levels *levels, const lsdem_polynomial *fit, double farthest, double *largest, double *least,
                                  scr_error *error)
{
  double directions[LSDEM_MODE_LIMIT * LSDEM_MODE_LIMIT], values[LSDEM_MODE_LIMIT];
  *largest = 0, *least = INFINITY;
  for (size_t l = 0; l < levels->count; l++)
    for (size_t k = 0; k < CONVEX_PLACES && convex_at[k] <= farthest; k++) {
      SCR_TRY(curve(fit, levels->amplitude + l * levels->modes, convex_at[k], directions, values, error));
      *least = fmin(*least, values[0]);
      *largest = fmax(*largest, fmax(fabs(values[0]), fabs(values[levels->modes - 1])));
    }
  return SCR_OK;
}

/* The condition that the energy curves upwards along `way` at a share of the way to a level. */
static bool add_cut(const squares *s, const lsdem_polynomial *fit, size_t rank, const double *level, double reach,
                    const double *displacement, cuts *c)
{
  const size_t n = fit->count;
  lsdem_polynomial *one = &(lsdem_polynomial){.count = n, .term_count = 1, .mirrored = fit->mirrored};
  double at[LSDEM_MODE_LIMIT] = {0}, curvature[LSDEM_MODE_LIMIT * LSDEM_MODE_LIMIT], most = 0;
  size_t capacity = c->capacity * rank;
  if (!mem_grow(&c->row, &capacity, (c->count + 1) * rank, sizeof *c->row)) return false;
  c->capacity = capacity / rank;
  double *row = c->row + c->count * rank;
  memcpy(one->scale, fit->scale, sizeof one->scale);
  for (size_t a = 0; a < n; a++) at[a] = reach * level[a];
  for (size_t t = 0; t < rank; t++) {
    one->term[0] = fit->term[s->order[t]];
    one->term[0].coefficient = 1;
    lsdem_polynomial_curvature(one, at, curvature);
    row[t] = 0;
    for (size_t a = 0; a < n; a++)
      for (size_t b = 0; b < n; b++) row[t] += displacement[a] * fit->scale[a] * curvature[a * n + b] * fit->scale[b] * displacement[b];
    most = fmax(most, fabs(row[t]));
  }
  c->count += most > 0;
  return true;
}

/* Conditions where the fit does not obey them. *added: how many */
static scr_status add_cuts(const squares *s, const lsdem_polynomial *fit, size_t rank, cuts *c, size_t *added, scr_error *error)
{
  double directions[LSDEM_MODE_LIMIT * LSDEM_MODE_LIMIT], values[LSDEM_MODE_LIMIT], largest, least;
  const size_t before = c->count, n = fit->count;
  SCR_TRY(find_curvatures(s->levels, fit, INFINITY, &largest, &least, error));
  for (size_t l = 0; l < s->levels->count; l++)
    for (size_t k = 0; k < CONVEX_PLACES; k++) {
      if (k == 0 && l > 0) continue; /* rest is the same place for all */
      const double *level = s->levels->amplitude + l * n;
      SCR_TRY(curve(fit, level, convex_at[k], directions, values, error));
      for (size_t v = 0; v < n && values[v] < -1e-7 * largest; v++)
        if (!add_cut(s, fit, rank, level, convex_at[k], directions + v * n, c))
          return scr_fail_memory(error, "the fit of an energy", c->count * rank * sizeof *c->row);
    }
  *added = c->count - before;
  return SCR_OK;
}

/* Columns that are new to those before them, brought to the front of the matrix; R and Q^T b; back substitution; where it shall be convex,
 * conditions until it is. */
static scr_status solve(squares *s, lsdem_polynomial *fit, bool convex, scr_error *error)
{
  const double least = 1e-10; /* of squares: columns new by less than 1e-5 are not */
  size_t rank = la_pivoted_cholesky(s->columns, s->gram, least, s->order), added = 1;
  if (rank > s->rows) rank = s->rows;
  double *chosen = mem_array(rank * s->rows, sizeof *chosen), x[LSDEM_FIT_TERMS], d[LSDEM_FIT_TERMS];
  cuts c = {0};
  if (!chosen) return scr_fail_memory(error, "the fit of an energy", rank * s->rows * sizeof *chosen);
  for (size_t k = 0; k < rank; k++) memcpy(chosen + k * s->rows, s->matrix + s->order[k] * s->rows, s->rows * sizeof *chosen);
  scr_status status = la_dense_qr(s->rows, rank, chosen, s->factor, error);
  for (size_t t = 0; t < s->columns; t++) fit->term[t].coefficient = 0;
  for (size_t k = 0; status == SCR_OK && k < rank; k++) {
    d[k] = 0;
    for (size_t r = 0; r < s->rows; r++) d[k] += chosen[k * s->rows + r] * s->right[r];
  }
  for (int turn = 0; status == SCR_OK && added && turn < CONVEX_TURNS; turn++) {
    status = la_cone_least_squares(rank, s->factor, d, c.count, c.row, x, error);
    for (size_t k = 0; status == SCR_OK && k < rank; k++) fit->term[s->order[k]].coefficient = x[k];
    added = 0;
    if (status == SCR_OK && convex) status = add_cuts(s, fit, rank, &c, &added, error);
  }
  mem_free(chosen);
  mem_free(c.row);
  return status;
}

/* Fits the terms there are to every `stride`-th level from `first` on; if it shall be convex, at all levels. */
static scr_status fit_levels(const lsdem_levels *levels, size_t first, size_t stride, bool convex, lsdem_polynomial *fit, scr_error *error)
{
  squares s = {.levels = levels, .first = first, .stride = stride, .columns = fit->term_count};
  s.rows = ((levels->count - first + stride - 1) / stride) * (1 + levels->modes);
  for (size_t l = 0; l < levels->count; l++) s.largest = fmax(s.largest, levels->energy[l]);
  scr_status status = allocate(&s, error);
  if (status == SCR_OK) {
    fill(&s, fit);
    status = solve(&s, fit, convex, error);
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

/* Whether it is convex at rest, on the way to every level and at it; a fifth beyond, where the runs end, its curvature only counts for the
 * step. */
static scr_status judge(const lsdem_levels *levels, const lsdem_polynomial *fit, bool *convex, scr_error *error)
{
  double largest, least;
  SCR_TRY(find_curvatures(levels, fit, 1, &largest, &least, error));
  *convex = least >= -1e-6 * largest;
  return SCR_OK;
}

static void find_steepest(const lsdem_levels *levels, lsdem_polynomial *fit)
{
  static const double reach[4] = {0, 0.5, 1, 1.2};
  size_t n = fit->count;
  for (size_t l = 0; l < levels->count; l++)
    for (int k = 0; k < 4; k++) {
      double at[LSDEM_MODE_LIMIT] = {0}, curvature[LSDEM_MODE_LIMIT * LSDEM_MODE_LIMIT];
      for (size_t a = 0; a < n; a++) at[a] = reach[k] * levels->amplitude[l * n + a];
      lsdem_polynomial_curvature(fit, at, curvature);
      for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < n; b++) fit->steepest[a][b] = fmax(fit->steepest[a][b], fabs(curvature[a * n + b]));
    }
}

/* Fits anew, with conditions. */
static scr_status make_convex(const lsdem_levels *levels, size_t degree, lsdem_polynomial *fit, lsdem_fit_quality *quality,
                              scr_error *error)
{
  bool convex;
  quality->made_convex = true;
  SCR_TRY(fit_levels(levels, 0, 1, true, fit, error));
  measure(levels, fit, 0, 1, &quality->energy, &quality->force);
  SCR_TRY(judge(levels, fit, &convex, error));
  if (convex && quality->energy <= LSDEM_FIT_CONVEX_MISS && quality->force <= LSDEM_FIT_CONVEX_MISS) return SCR_OK;
  return scr_fail(error, SCR_BAD_SCENE, NULL,
                  "the mode basis' %zu levels are not convex: the nearest convex energy of degree %zu misses their energies by %.2g and "
                  "their forces by %.2g of their own, at most %g: such a grain "
                  "would snap through; use another fit_degree, a basis with more levels, or mode_energy \"table\" or \"quadratic\"",
                  levels->count, degree, quality->energy, quality->force, LSDEM_FIT_CONVEX_MISS);
}

static scr_status measure_others(const lsdem_levels *levels, const lsdem_polynomial *fit, lsdem_fit_quality *quality, scr_error *error)
{
  quality->other_energy = quality->other_force = NAN;
  if (levels->count < 4) return SCR_OK;
  lsdem_polynomial *half = mem_array(1, sizeof *half);
  if (!half) return scr_fail_memory(error, "the fit of an energy", sizeof *half);
  *half = *fit;
  scr_status status = fit_levels(levels, 1, 2, quality->made_convex, half,
                                 error); /* with the last of an even number: the fit is not asked beyond its levels */
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
    return scr_fail(error, SCR_BAD_SCENE, NULL,
                    "the mode basis has no levels that an energy could be fitted to: make it with levels or snapshots, or use mode_energy "
                    "\"quadratic\"");
  double largest = 0;
  for (size_t l = 0; l < levels->count; l++) largest = fmax(largest, levels->energy[l]);
  if (!(largest > 0))
    return scr_fail(error, SCR_BAD_SCENE, NULL,
                    "no level of the mode basis has an energy above 0: make it anew, with loads that deform the body");
  SCR_TRY(find_scales(levels, fit, error));
  for (size_t d = 2; d <= degree; d++) SCR_TRY(add_terms(fit, d, error));
  bool convex;
  *quality = (lsdem_fit_quality){0};
  SCR_TRY(fit_levels(levels, 0, 1, false, fit, error));
  measure(levels, fit, 0, 1, &quality->free_energy, &quality->free_force);
  quality->energy = quality->free_energy, quality->force = quality->free_force;
  SCR_TRY(judge(levels, fit, &convex, error));
  if (!convex) SCR_TRY(make_convex(levels, degree, fit, quality, error));
  SCR_TRY(measure_others(levels, fit, quality, error));
  drop_empty(fit);
  find_steepest(levels, fit);
  return SCR_OK;
}
