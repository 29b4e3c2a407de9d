/* LAPACK through LAPACKE. */
#include "linalg/dense.h"

#include <assert.h>
#include <lapacke.h>
#include <limits.h>
#include <math.h>

#include "base/memory.h"
#include "linalg/one_thread.h"

/* What LAPACK says, as a status. */
static scr_status lapack_status(const char *what, lapack_int info, size_t rows, size_t columns, scr_error *error)
{
  if (info == 0) return SCR_OK;
  if (info == LAPACK_WORK_MEMORY_ERROR || info == LAPACK_TRANSPOSE_MEMORY_ERROR)
    return scr_fail_memory(error, what, rows * columns * sizeof(double));
  if (info < 0)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "%s of a %zu x %zu matrix: it has entries that are not finite", what, rows, columns);
  return scr_fail(error, SCR_DIVERGED, NULL,
                  "%s of a %zu x %zu matrix failed at %ld: it does not converge, or a matrix is singular or not positive definite", what,
                  rows, columns, (long)info);
}

static scr_status check_size(const char *what, size_t rows, size_t columns, scr_error *error)
{
  if (rows <= INT_MAX && columns <= INT_MAX) return SCR_OK;
  return scr_fail(error, SCR_BAD_USAGE, NULL, "%s of a %zu x %zu matrix: at most 2147483647 rows and columns", what, rows, columns);
}

static size_t smaller(size_t a, size_t b)
{
  return a < b ? a : b;
}

scr_status la_dense_svd(size_t rows, size_t columns, double *a, double *values, double *left, double *right, scr_error *error)
{
  static const char what[] = "the singular value decomposition";
  lapack_int m = (lapack_int)rows, n = (lapack_int)columns, k = (lapack_int)smaller(rows, columns);
  double none[1];
  if (k == 0) return SCR_OK;
  SCR_TRY(check_size(what, rows, columns, error));
  int before = la_one_thread_begin();
  lapack_int info = left ? LAPACKE_dgesdd(LAPACK_COL_MAJOR, 'S', m, n, a, m, values, left, m, right, k)
                         : LAPACKE_dgesdd(LAPACK_COL_MAJOR, 'N', m, n, a, m, values, none, 1, none, 1);
  la_one_thread_end(before);
  return lapack_status(what, info, rows, columns, error);
}

scr_status la_dense_qr(size_t rows, size_t columns, double *a, double *r, scr_error *error)
{
  static const char what[] = "the QR decomposition";
  lapack_int m = (lapack_int)rows, n = (lapack_int)columns;
  if (columns == 0) return SCR_OK;
  SCR_TRY(check_size(what, rows, columns, error));
  if (rows < columns)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "%s of a %zu x %zu matrix: it needs as many rows as columns", what, rows, columns);
  double *scales = mem_array(columns, sizeof *scales);
  if (!scales) return scr_fail_memory(error, what, columns * sizeof *scales);
  int before = la_one_thread_begin();
  lapack_int info = LAPACKE_dgeqrf(LAPACK_COL_MAJOR, m, n, a, m, scales);
  for (size_t c = 0; info == 0 && c < columns; ++c)
    for (size_t k = 0; k < columns; ++k) r[c * columns + k] = k <= c ? a[c * rows + k] : 0.0;
  if (info == 0) info = LAPACKE_dorgqr(LAPACK_COL_MAJOR, m, n, n, a, m, scales);
  la_one_thread_end(before);
  mem_free(scales);
  for (size_t k = 0; info == 0 && k < columns; ++k) {
    if (!(r[k * columns + k] < 0.0)) continue;
    for (size_t c = k; c < columns; ++c) r[c * columns + k] = -r[c * columns + k];
    for (size_t i = 0; i < rows; ++i) a[k * rows + i] = -a[k * rows + i];
  }
  return lapack_status(what, info, rows, columns, error);
}

scr_status la_dense_symmetric_eigen(size_t n, double *a, double *values, scr_error *error)
{
  static const char what[] = "the eigenvalue decomposition";
  if (n == 0) return SCR_OK;
  SCR_TRY(check_size(what, n, n, error));
  int before = la_one_thread_begin();
  lapack_int info = LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'V', 'L', (lapack_int)n, a, (lapack_int)n, values);
  la_one_thread_end(before);
  return lapack_status(what, info, n, n, error);
}

scr_status la_dense_pencil_eigen(size_t n, double *a, double *b, double *values, scr_error *error)
{
  static const char what[] = "the generalised eigenvalue decomposition";
  if (n == 0) return SCR_OK;
  SCR_TRY(check_size(what, n, n, error));
  int before = la_one_thread_begin();
  lapack_int info = LAPACKE_dsygvd(LAPACK_COL_MAJOR, 1, 'V', 'L', (lapack_int)n, a, (lapack_int)n, b, (lapack_int)n, values);
  la_one_thread_end(before);
  return lapack_status(what, info, n, n, error);
}

scr_status la_dense_positive_inverse(size_t n, double *a, scr_error *error)
{
  static const char what[] = "the inverse";
  if (n == 0) return SCR_OK;
  SCR_TRY(check_size(what, n, n, error));
  int before = la_one_thread_begin();
  lapack_int info = LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', (lapack_int)n, a, (lapack_int)n);
  if (info == 0) info = LAPACKE_dpotri(LAPACK_COL_MAJOR, 'L', (lapack_int)n, a, (lapack_int)n);
  la_one_thread_end(before);
  for (size_t c = 0; c < n && info == 0; c++)
    for (size_t r = 0; r < c; r++) a[c * n + r] = a[r * n + c];
  return lapack_status(what, info, n, n, error);
}

static const char solution[] = "the solution";

scr_status la_dense_positive_factor(size_t n, double *a, scr_error *error)
{
  if (n == 0) return SCR_OK;
  SCR_TRY(check_size(solution, n, n, error));
  int before = la_one_thread_begin();
  lapack_int info = LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', (lapack_int)n, a, (lapack_int)n);
  la_one_thread_end(before);
  return lapack_status(solution, info, n, n, error);
}

scr_status la_dense_positive_solve(size_t n, const double *factor, double *x, scr_error *error)
{
  if (n == 0) return SCR_OK;
  int before = la_one_thread_begin();
  lapack_int info = LAPACKE_dpotrs(LAPACK_COL_MAJOR, 'L', (lapack_int)n, 1, factor, (lapack_int)n, x, (lapack_int)n);
  la_one_thread_end(before);
  return lapack_status(solution, info, n, n, error);
}

scr_status la_dense_factor(size_t n, double *a, int32_t *pivot, scr_error *error)
{
  static_assert(sizeof(lapack_int) == sizeof *pivot, "LAPACK with numbers of 32 bits");
  if (n == 0) return SCR_OK;
  SCR_TRY(check_size(solution, n, n, error));
  int before = la_one_thread_begin();
  lapack_int info = LAPACKE_dgetrf(LAPACK_COL_MAJOR, (lapack_int)n, (lapack_int)n, a, (lapack_int)n, pivot);
  la_one_thread_end(before);
  return lapack_status(solution, info, n, n, error);
}

scr_status la_dense_solve(size_t n, const double *factor, const int32_t *pivot, double *x, scr_error *error)
{
  if (n == 0) return SCR_OK;
  int before = la_one_thread_begin();
  lapack_int info = LAPACKE_dgetrs(LAPACK_COL_MAJOR, 'N', (lapack_int)n, 1, factor, (lapack_int)n, pivot, x, (lapack_int)n);
  la_one_thread_end(before);
  return lapack_status(solution, info, n, n, error);
}
