/* Least squares with inequalities. */
#include "linalg/nonnegative.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/memory.h"
#include "linalg/dense.h"

/* A problem under way: columns scaled to length one, of which `count` are free, in the order in which they became so. */
typedef struct active {
  size_t rows, columns, count;
  double *column, *length, *residual, *value, *basis, *triangle,
      *trial;   /* [columns][rows], [columns], [rows], [columns], [rows][rows] twice, [rows] */
  size_t *free; /* [rows] */
  bool *taken;  /* [columns] is free, or was found to be of no use since the last change */
} active;

static void clear(active *a)
{
  mem_free(a->column);
  mem_free(a->length);
  mem_free(a->residual);
  mem_free(a->value);
  mem_free(a->basis);
  mem_free(a->triangle);
  mem_free(a->trial);
  mem_free(a->free);
  mem_free(a->taken);
}

static double dot(const double *a, const double *b, size_t n)
{
  double sum = 0;
  for (size_t k = 0; k < n; k++) sum += a[k] * b[k];
  return sum;
}

static scr_status begin(active *a, size_t rows, size_t columns, const double *e, const double *f, scr_error *error)
{
  *a = (active){.rows = rows, .columns = columns};
  a->column = mem_array(rows * columns, sizeof(double));
  a->length = mem_array(columns, sizeof(double));
  a->residual = mem_array(rows, sizeof(double));
  a->value = mem_array(columns, sizeof(double));
  a->basis = mem_array(rows * rows, sizeof(double));
  a->triangle = mem_array(rows * rows, sizeof(double));
  a->trial = mem_array(rows, sizeof(double));
  a->free = mem_array(rows, sizeof *a->free);
  a->taken = mem_array(columns, sizeof *a->taken);
  if (!a->column || !a->length || !a->residual || !a->value || !a->basis || !a->triangle || !a->trial || !a->free || !a->taken)
    return scr_fail_memory(error, "least squares", rows * columns * sizeof(double));
  memcpy(a->residual, f, rows * sizeof *f);
  for (size_t c = 0; c < columns; c++) {
    a->length[c] = sqrt(dot(e + c * rows, e + c * rows, rows));
    a->taken[c] = !(a->length[c] > 0);
    for (size_t r = 0; r < rows && !a->taken[c]; r++) a->column[c * rows + r] = e[c * rows + r] / a->length[c];
    if (!isfinite(a->length[c])) return scr_fail(error, SCR_BAD_USAGE, NULL, "least squares of entries that are not finite");
  }
  if (!isfinite(dot(f, f, rows))) return scr_fail(error, SCR_BAD_USAGE, NULL, "least squares of a right-hand side that is not finite");
  return SCR_OK;
}

/* The least squares of the free columns, into `trial`. *apart: none of them is a sum of those before it. */
static scr_status solve_free(active *a, const double *f, bool *apart, scr_error *error)
{
  const size_t m = a->rows, p = a->count;
  for (size_t k = 0; k < p; k++) memcpy(a->basis + k * m, a->column + a->free[k] * m, m * sizeof(double));
  SCR_TRY(la_dense_qr(m, p, a->basis, a->triangle, error));
  *apart = true;
  for (size_t k = 0; k < p; k++) *apart = *apart && a->triangle[k * p + k] > 1e-10;
  for (size_t k = p; *apart && k-- > 0;) {
    double sum = dot(a->basis + k * m, f, m);
    for (size_t j = k + 1; j < p; j++) sum -= a->triangle[j * p + k] * a->trial[j];
    a->trial[k] = sum / a->triangle[k * p + k];
  }
  return SCR_OK;
}

/* The column along which the residual falls most; `columns`: it falls along none. */
static size_t best(const active *a, double least)
{
  size_t found = a->columns;
  for (size_t c = 0; c < a->columns; c++) {
    if (a->taken[c]) continue;
    double slope = dot(a->column + c * a->rows, a->residual, a->rows);
    if (slope > least) least = slope, found = c;
  }
  return found;
}

static void drop(active *a, size_t k)
{
  a->value[a->free[k]] = 0;
  a->taken[a->free[k]] = false;
  memmove(a->free + k, a->free + k + 1, (a->count - k - 1) * sizeof *a->free);
  a->count--;
}

/* Goes from the values to the trial ones as far as none turns negative; those that reach zero are dropped. @return whether all the way */
static bool advance(active *a)
{
  double share = 1;
  size_t stop = a->count;
  for (size_t k = 0; k < a->count; k++) {
    double value = a->value[a->free[k]];
    if (a->trial[k] > 0 || !(value / (value - a->trial[k]) < share)) continue;
    share = value / (value - a->trial[k]);
    stop = k;
  }
  for (size_t k = 0; k < a->count; k++) a->value[a->free[k]] += share * (a->trial[k] - a->value[a->free[k]]);
  if (stop == a->count) return true;
  for (size_t k = a->count; k-- > 0;)
    if (k == stop || !(a->value[a->free[k]] > 0)) drop(a, k);
  return false;
}

static void find_residual(active *a, const double *f)
{
  memcpy(a->residual, f, a->rows * sizeof *f);
  for (size_t k = 0; k < a->count; k++)
    for (size_t r = 0; r < a->rows; r++) a->residual[r] -= a->value[a->free[k]] * a->column[a->free[k] * a->rows + r];
}

/* Frees a column; where it is no help after all it is left alone until another was. */
static scr_status take(active *a, size_t c, const double *f, bool *helped, scr_error *error)
{
  bool apart;
  a->free[a->count++] = c;
  a->taken[c] = true;
  SCR_TRY(solve_free(a, f, &apart, error));
  *helped = apart && a->trial[a->count - 1] > 0;
  if (!*helped) a->count--;
  while (*helped && !advance(a) && a->count) SCR_TRY(solve_free(a, f, &apart, error));
  return SCR_OK;
}

static scr_status descend(active *a, const double *f, scr_error *error)
{
  const double least = 1e-12 * sqrt(dot(f, f, a->rows));
  for (size_t turn = 0; turn < 100 + 20 * a->columns; turn++) {
    size_t c = a->count < a->rows ? best(a, least) : a->columns;
    bool helped;
    if (c == a->columns) return SCR_OK;
    SCR_TRY(take(a, c, f, &helped, error));
    if (!helped) continue;
    for (size_t k = 0; k < a->columns; k++) a->taken[k] = !(a->length[k] > 0);
    for (size_t k = 0; k < a->count; k++) a->taken[a->free[k]] = true;
    find_residual(a, f);
  }
  return scr_fail(error, SCR_DIVERGED, NULL, "least squares with %zu inequalities found no end", a->columns);
}

scr_status la_nonnegative_least_squares(size_t rows, size_t columns, const double *e, const double *f, double *u, scr_error *error)
{
  active a;
  scr_status status = begin(&a, rows, columns, e, f, error);
  if (status == SCR_OK) status = descend(&a, f, error);
  for (size_t c = 0; c < columns && status == SCR_OK; c++) u[c] = a.length[c] > 0 ? a.value[c] / a.length[c] : 0;
  clear(&a);
  return status;
}

/* B^T by columns of length one, column k the k-th condition: R^T b = g, forward. */
static void turn_conditions(size_t n, const double *r, size_t count, const double *g, double *b)
{
  for (size_t k = 0; k < count; k++) {
    double *column = b + k * n;
    for (size_t i = 0; i < n; i++) column[i] = (g[k * n + i] - dot(r + i * n, column, i)) / r[i * n + i];
    double length = sqrt(dot(column, column, n));
    for (size_t i = 0; i < n; i++) column[i] /= length;
  }
}

/* What la_cone_least_squares works in. */
typedef struct cone_workspace {
  double *b;     /* [count][n] B^T */
  double *u;     /* [count] */
  double *right; /* [n] */
} cone_workspace;

static scr_status nearest(size_t n, const double *r, const double *d, size_t count, const cone_workspace *w, double *x, scr_error *error)
{
  double *b = w->b, *u = w->u, *right = w->right;
  for (size_t i = 0; i < n; i++) right[i] = -d[i];
  if (count) SCR_TRY(la_nonnegative_least_squares(n, count, b, right, u, error));
  for (size_t i = n; i-- > 0;) {
    double sum = d[i];
    for (size_t k = 0; k < count; k++) sum += b[k * n + i] * u[k];
    for (size_t j = i + 1; j < n; j++) sum -= r[j * n + i] * x[j];
    x[i] = sum / r[i * n + i];
  }
  return SCR_OK;
}

scr_status la_cone_least_squares(size_t n, const double *r, const double *d, size_t count, const double *g, double *x, scr_error *error)
{
  const cone_workspace w = {
      .b = mem_array(n * count, sizeof *w.b), .u = mem_array(count, sizeof *w.u), .right = mem_array(n, sizeof *w.right)};
  scr_status status;
  if (w.b && w.u && w.right) {
    turn_conditions(n, r, count, g, w.b);
    status = nearest(n, r, d, count, &w, x, error);
  } else {
    status = scr_fail_memory(error, "least squares", n * count * sizeof *w.b);
  }
  mem_free(w.b);
  mem_free(w.u);
  mem_free(w.right);
  return status;
}
