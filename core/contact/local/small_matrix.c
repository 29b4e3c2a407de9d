/* Dense systems of up to six unknowns. */
#include "contact/local/small_matrix.h"

#include <float.h>
#include <math.h>
#include <string.h>

void small_multiply(unsigned n, const double *a, const double *x, double *y)
{
  for (unsigned i = 0; i < n; i++) y[i] = 0.0;
  for (unsigned j = 0; j < n; j++)
    for (unsigned i = 0; i < n; i++) y[i] += a[j * n + i] * x[j];
}

void small_multiply_transposed(unsigned n, const double *a, const double *x, double *y)
{
  for (unsigned j = 0; j < n; j++) y[j] = small_dot(n, a + j * n, x);
}

void small_product(unsigned n, const double *a, const double *b, double *c)
{
  for (unsigned j = 0; j < n; j++) small_multiply(n, a, b + j * n, c + j * n);
}

double small_dot(unsigned n, const double *a, const double *b)
{
  double sum = 0.0;
  for (unsigned i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

static void swap_rows(unsigned n, double *a, double *b, unsigned p, unsigned q)
{
  for (unsigned j = 0; j < n; j++) {
    double kept = a[j * n + p];
    a[j * n + p] = a[j * n + q];
    a[j * n + q] = kept;
  }
  double kept = b[p];
  b[p] = b[q];
  b[q] = kept;
}

bool small_solve(unsigned n, const double *matrix, const double *b, double *x)
{
  double a[SMALL_MATRIX_MAX * SMALL_MATRIX_MAX], y[SMALL_MATRIX_MAX], largest = 0.0;
  memcpy(a, matrix, n * n * sizeof *a);
  memcpy(y, b, n * sizeof *y);
  for (unsigned k = 0; k < n * n; k++) largest = fmax(largest, fabs(a[k]));
  if (!isfinite(largest)) return false;
  for (unsigned k = 0; k < n; k++) {
    unsigned pivot = k;
    for (unsigned i = k + 1; i < n; i++)
      if (fabs(a[k * n + i]) > fabs(a[k * n + pivot])) pivot = i;
    if (!(fabs(a[k * n + pivot]) > 4.0 * DBL_EPSILON * DBL_EPSILON * largest)) return false;
    if (pivot != k) swap_rows(n, a, y, k, pivot);
    for (unsigned i = k + 1; i < n; i++) {
      double factor = a[k * n + i] / a[k * n + k];
      for (unsigned j = k + 1; j < n; j++) a[j * n + i] -= factor * a[j * n + k];
      y[i] -= factor * y[k];
    }
  }
  for (unsigned k = n; k-- > 0;) {
    for (unsigned j = k + 1; j < n; j++) y[k] -= a[j * n + k] * y[j];
    y[k] /= a[k * n + k];
    if (!isfinite(y[k])) return false;
  }
  memcpy(x, y, n * sizeof *x);
  return true;
}
