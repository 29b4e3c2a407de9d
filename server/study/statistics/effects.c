#include "server/study/statistics/effects.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "linalg/dense.h"
#include "server/study/statistics/sample.h"

/* Rows that count, by columns, with the number of each row's level. */
typedef struct design {
  size_t rows, factors;
  double *y;     /* [rows] less the mean */
  double *value; /* [factors][rows] */
  size_t *level; /* [factors][rows] */
  double *rank;  /* [factors][rows] in (-1, 1); of equals the mean */
  size_t level_count[EFFECTS_FACTORS];
  double mean, total; /* of the result; sum of squares about the mean */
} design;

typedef struct place {
  double value;
  size_t row;
} place;

static int by_value(const void *a, const void *b)
{
  const place *p = a, *q = b;
  if (p->value != q->value) return p->value < q->value ? -1 : 1;
  return (p->row > q->row) - (p->row < q->row);
}

static void number_levels(design *d, size_t factor, place *places)
{
  const double *value = d->value + factor * d->rows;
  size_t *level = d->level + factor * d->rows, count = 0;
  double *rank = d->rank + factor * d->rows;
  for (size_t r = 0; r < d->rows; r++) places[r] = (place){value[r], r};
  qsort(places, d->rows, sizeof *places, by_value);
  for (size_t begin = 0, end; begin < d->rows; begin = end, count++) {
    for (end = begin; end < d->rows && places[end].value == places[begin].value; end++) level[places[end].row] = count;
    for (size_t i = begin; i < end; i++) rank[places[i].row] = (double)(begin + end) / (double)d->rows - 1;
  }
  d->level_count[factor] = count;
}

static void design_clear(design *d)
{
  mem_free(d->y);
  mem_free(d->value);
  mem_free(d->level);
  mem_free(d->rank);
}

static bool row_counts(const double *factors, size_t count, const double *result, size_t row)
{
  bool counts = isfinite(result[row]);
  for (size_t f = 0; f < count; f++) counts &= isfinite(factors[row * count + f]) != 0;
  return counts;
}

static scr_status design_make(const double *factors, size_t count, const double *result, size_t rows, design *d, scr_error *error)
{
  for (size_t r = 0; r < rows; r++) d->rows += row_counts(factors, count, result, r);
  d->factors = count;
  SCR_TRY(mem_allocate(&d->y, d->rows, sizeof(double), "results of rows", error));
  SCR_TRY(mem_allocate(&d->value, d->rows * count, sizeof(double), "factors of rows", error));
  SCR_TRY(mem_allocate(&d->level, d->rows * count, sizeof(size_t), "levels of rows", error));
  SCR_TRY(mem_allocate(&d->rank, d->rows * count, sizeof(double), "ranks of rows", error));
  for (size_t r = 0, kept = 0; r < rows; r++) {
    if (!row_counts(factors, count, result, r)) continue;
    d->y[kept] = result[r];
    for (size_t f = 0; f < count; f++) d->value[f * d->rows + kept] = factors[r * count + f];
    kept++;
  }
  d->mean = sample_mean(d->y, d->rows);
  double largest = 0;
  for (size_t r = 0; r < d->rows; r++) {
    largest = fmax(largest, fabs(d->y[r]));
    d->y[r] -= d->mean;
    d->total += d->y[r] * d->y[r];
  }
  if (d->rows < 2 || !(d->total > 1e-26 * largest * largest * (double)d->rows))
    return scr_fail(error, SCR_BAD_USAGE, NULL, "the result does not vary over %zu rows: there are no effects to tell apart", d->rows);
  place *places;
  SCR_TRY(mem_allocate(&places, d->rows, sizeof *places, "order of rows", error));
  for (size_t f = 0; f < count; f++) number_levels(d, f, places);
  mem_free(places);
  return SCR_OK;
}

/* ── grids ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Whether each combination of levels has as many rows. */
static scr_status is_balanced(const design *d, bool *balanced, scr_error *error)
{
  size_t combinations = 1;
  *balanced = false;
  for (size_t f = 0; f < d->factors; f++) {
    combinations *= d->level_count[f];
    if (combinations > d->rows) return SCR_OK;
  }
  if (combinations == 0 || d->rows % combinations != 0) return SCR_OK;
  size_t *counts;
  SCR_TRY(mem_allocate(&counts, combinations, sizeof *counts, "counts of combinations", error));
  for (size_t r = 0; r < d->rows; r++) {
    size_t at = 0;
    for (size_t f = 0; f < d->factors; f++) at = at * d->level_count[f] + d->level[f * d->rows + r];
    counts[at]++;
  }
  *balanced = true;
  for (size_t c = 0; c < combinations; c++) *balanced &= counts[c] == d->rows / combinations;
  mem_free(counts);
  return SCR_OK;
}

/* Means of y over the cells of two factors, those of j running fastest; j past the last factor: cells of i alone. @return cells */
static size_t cell_means(const design *d, size_t i, size_t j, double *means)
{
  size_t width = j < d->factors ? d->level_count[j] : 1, cells = d->level_count[i] * width;
  memset(means, 0, cells * sizeof *means);
  for (size_t r = 0; r < d->rows; r++) {
    size_t column = j < d->factors ? d->level[j * d->rows + r] : 0;
    means[d->level[i * d->rows + r] * width + column] += d->y[r];
  }
  for (size_t c = 0; c < cells; c++) means[c] *= (double)cells / (double)d->rows;
  return cells;
}

static scr_status effects_of_grid(const design *d, effects *out, scr_error *error)
{
  double *workspace;
  SCR_TRY(mem_allocate(&workspace, 3 * d->rows, sizeof *workspace, "means of levels", error));
  double *a = workspace, *b = a + d->rows, *ab = b + d->rows;
  out->method = EFFECTS_OF_GRID;
  out->predicted = NAN;
  out->rest = 1;
  for (size_t i = 0; i < d->factors; i++) {
    size_t levels = cell_means(d, i, d->factors, a);
    for (size_t k = 0; k < levels; k++) out->main[i] += a[k] * a[k] * (double)d->rows / (double)levels / d->total;
    out->rest -= out->main[i];
    for (size_t j = 0; j < i; j++) {
      size_t width = cell_means(d, j, d->factors, b), cells = cell_means(d, i, j, ab);
      double sum = 0;
      for (size_t c = 0; c < cells; c++) {
        double joint = ab[c] - a[c / width] - b[c % width];
        sum += joint * joint * (double)d->rows / (double)cells / d->total;
      }
      out->pair[i][j] = out->pair[j][i] = sum;
      out->rest -= sum;
    }
  }
  out->rest = fmax(0, out->rest);
  mem_free(workspace);
  return SCR_OK;
}

/* ── fits ───────────────────────────────────────────────────────────────────────────────────────────────────────── */

enum { MOST_TERMS = 1 + 2 * EFFECTS_FACTORS + EFFECTS_FACTORS * (EFFECTS_FACTORS - 1) / 2 };

/* A term: degree 1 of two factors, or a degree of one. */
typedef struct term {
  size_t i, j;
  int degree; /* 0: product of i and j */
} term;

static double legendre(int degree, double u)
{
  return degree == 1 ? sqrt(3) * u : sqrt(5) * 0.5 * (3 * u * u - 1);
}

/* Terms that the rows suffice for, behind the constant. */
static size_t choose_terms(const design *d, term *terms, bool *pairs)
{
  size_t count = 0;
  for (size_t f = 0; f < d->factors; f++)
    if (d->level_count[f] > 1) terms[count++] = (term){f, f, 1};
  size_t squares = 0, products = d->factors * (d->factors - 1) / 2;
  for (size_t f = 0; f < d->factors; f++) squares += d->level_count[f] > 2;
  *pairs = 2 * d->rows >= 3 * (1 + count + squares + products);
  if (2 * d->rows < 3 * (1 + count + squares)) return count;
  for (size_t f = 0; f < d->factors; f++)
    if (d->level_count[f] > 2) terms[count++] = (term){f, f, 2};
  for (size_t i = 0; *pairs && i < d->factors; i++)
    for (size_t j = 0; j < i; j++)
      if (d->level_count[i] > 1 && d->level_count[j] > 1) terms[count++] = (term){i, j, 0};
  return count;
}

static void fill_columns(const design *d, const term *terms, size_t count, double *columns)
{
  for (size_t r = 0; r < d->rows; r++) columns[r] = 1;
  for (size_t t = 0; t < count; t++) {
    const double *u = d->rank + terms[t].i * d->rows, *v = d->rank + terms[t].j * d->rows;
    double *column = columns + (t + 1) * d->rows;
    for (size_t r = 0; r < d->rows; r++)
      column[r] = terms[t].degree ? legendre(terms[t].degree, u[r]) : legendre(1, u[r]) * legendre(1, v[r]);
  }
}

/* From Q, R of the columns: coefficients, what is left of y, and of each row when it is left out. Columns that others make up count as
 * none. */
static void solve(const design *d, size_t columns, const double *q, const double *r, double *coefficient, double *left, double *press)
{
  size_t n = d->rows;
  double *leverage = coefficient + MOST_TERMS, *error = leverage + n; /* workspace behind the coefficients */
  memset(leverage, 0, n * sizeof *leverage);
  memcpy(error, d->y, n * sizeof *error);
  bool kept[MOST_TERMS] = {false};
  for (size_t c = 0; c < columns; c++) {
    double dot = 0;
    kept[c] = r[c * columns + c] > 1e-9 * sqrt((double)n);
    for (size_t k = 0; k < n; k++) dot += q[c * n + k] * d->y[k];
    coefficient[c] = kept[c] ? dot : 0;
    for (size_t k = 0; kept[c] && k < n; k++) {
      leverage[k] += q[c * n + k] * q[c * n + k];
      error[k] -= q[c * n + k] * dot;
    }
  }
  for (size_t c = columns; c-- > 0;) {
    for (size_t k = c + 1; k < columns; k++) coefficient[c] -= r[k * columns + c] * coefficient[k];
    coefficient[c] = kept[c] ? coefficient[c] / r[c * columns + c] : 0;
  }
  *left = *press = 0;
  for (size_t k = 0; k < n; k++) {
    double out = error[k] / fmax(1e-6, 1 - leverage[k]);
    *left += error[k] * error[k];
    *press += out * out;
  }
}

static void share_out(const design *d, const term *terms, size_t count, const double *coefficient, double left, double press, effects *out)
{
  double sum = 0;
  for (size_t t = 0; t < count; t++) sum += coefficient[t + 1] * coefficient[t + 1];
  out->rest = left / d->total;
  out->predicted = 1 - press / d->total;
  for (size_t t = 0; t < count && sum > 0; t++) {
    double share = coefficient[t + 1] * coefficient[t + 1] / sum * (1 - out->rest);
    if (terms[t].degree)
      out->main[terms[t].i] += share;
    else
      out->pair[terms[t].i][terms[t].j] = out->pair[terms[t].j][terms[t].i] = share;
  }
}

static scr_status effects_of_fit(const design *d, effects *out, scr_error *error)
{
  term terms[MOST_TERMS];
  bool pairs;
  size_t count = choose_terms(d, terms, &pairs), columns = count + 1, n = d->rows;
  if (2 * n < 3 * columns)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "%zu rows with a result: effects of %zu factors need %zu at least", n, d->factors,
                    (3 * columns + 1) / 2);
  double *q, *r, *coefficient, left, press;
  SCR_TRY(mem_allocate(&q, n * columns + columns * columns + MOST_TERMS + 2 * n, sizeof *q, "a fit of effects", error));
  r = q + n * columns;
  coefficient = r + columns * columns;
  fill_columns(d, terms, count, q);
  scr_status status = la_dense_qr(n, columns, q, r, error);
  if (status == SCR_OK) {
    out->method = EFFECTS_OF_FIT;
    solve(d, columns, q, r, coefficient, &left, &press);
    share_out(d, terms, count, coefficient, left, press, out);
    for (size_t i = 0; i < d->factors && !pairs; i++)
      for (size_t j = 0; j < d->factors; j++)
        if (i != j) out->pair[i][j] = NAN;
  }
  mem_free(q);
  return status;
}

scr_status effects_make(const double *factors, size_t factor_count, const double *result, size_t rows, effects *out, scr_error *error)
{
  memset(out, 0, sizeof *out);
  if (factor_count < 1 || factor_count > EFFECTS_FACTORS || rows > EFFECTS_ROWS)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "effects of %zu factors over %zu rows: 1 to %d factors and %d rows at most", factor_count,
                    rows, EFFECTS_FACTORS, EFFECTS_ROWS);
  design d = {0};
  bool balanced = false;
  scr_status status = design_make(factors, factor_count, result, rows, &d, error);
  if (status == SCR_OK) status = is_balanced(&d, &balanced, error);
  if (status == SCR_OK) {
    out->row_count = d.rows;
    out->mean = d.mean;
    out->deviation = sqrt(d.total / (double)(d.rows - 1));
    status = balanced ? effects_of_grid(&d, out, error) : effects_of_fit(&d, out, error);
  }
  design_clear(&d);
  return status;
}

scr_status effects_levels(const double *factors, size_t factor_count, size_t factor, const double *result, size_t rows,
                          effects_level *levels, size_t *level_count)
{
  *level_count = 0;
  place *places = mem_array(rows, sizeof *places);
  if (!places) return SCR_NO_MEMORY;
  size_t kept = 0;
  for (size_t r = 0; r < rows; r++)
    if (row_counts(factors, factor_count, result, r)) places[kept++] = (place){factors[r * factor_count + factor], r};
  qsort(places, kept, sizeof *places, by_value);
  for (size_t i = 0; i < kept; i++) {
    if (i == 0 || places[i].value != levels[*level_count - 1].value) levels[(*level_count)++] = (effects_level){.value = places[i].value};
    levels[*level_count - 1].mean += result[places[i].row];
    levels[*level_count - 1].rows++;
  }
  for (size_t l = 0; l < *level_count; l++) levels[l].mean /= (double)levels[l].rows;
  mem_free(places);
  return SCR_OK;
}
