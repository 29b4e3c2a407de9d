/** Householder's reduction to a tridiagonal matrix, then implicitly shifted QL (Golub and Van Loan, Matrix Computations, ch. 8).
 *  Eigenvectors are kept as rows, so that the rotations run along memory. A 9 x 9 matrix takes about 6000 flops. */
#include "linalg/symmetric_eigen.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Reflects A = Q T Q^T: T's diagonal and subdiagonal (below[k] couples k and k + 1), Q^T into `rows`. Destroys a. */
static void tridiagonalise(int n, double *restrict a, double *restrict diagonal, double *restrict below, double *restrict rows)
{
  double reflectors[LA_EIGEN_LARGEST][LA_EIGEN_LARGEST], weights[LA_EIGEN_LARGEST];
  for (int k = 0; k < n - 1; ++k) {
    double *v = reflectors[k], p[LA_EIGEN_LARGEST], square = 0.0, product = 0.0;
    for (int r = k + 1; r < n; ++r) square += a[n * r + k] * a[n * r + k];
    double head = a[n * (k + 1) + k], length = head > 0.0 ? -sqrt(square) : sqrt(square), v_square = 2.0 * (square - head * length);
    diagonal[k] = a[n * k + k];
    below[k] = length;
    weights[k] = v_square > 0.0 ? 2.0 / v_square : 0.0;
    v[k + 1] = head - length;
    for (int r = k + 2; r < n; ++r) v[r] = a[n * r + k];
    for (int r = k + 1; r < n; ++r) {
      p[r] = 0.0;
      for (int c = k + 1; c < n; ++c) p[r] += a[n * r + c] * v[c];
      p[r] *= weights[k];
      product += p[r] * v[r];
    }
    for (int r = k + 1; r < n; ++r) p[r] -= 0.5 * weights[k] * product * v[r];
    for (int r = k + 1; r < n; ++r)
      for (int c = k + 1; c < n; ++c) a[n * r + c] -= v[r] * p[c] + p[r] * v[c];
  }
  diagonal[n - 1] = a[n * n - 1];
  below[n - 1] = 0.0;
  memset(rows, 0, (size_t)(n * n) * sizeof *rows);
  for (int k = 0; k < n; ++k) rows[n * k + k] = 1.0;
  for (int k = n - 2; k >= 0; --k) /* Q^T = (H_0 H_1 ...)^T, from the innermost: rows times H_k on the right */
    for (int r = k + 1; r < n; ++r) {
      double sum = 0.0;
      for (int c = k + 1; c < n; ++c) sum += rows[n * r + c] * reflectors[k][c];
      sum *= weights[k];
      for (int c = k + 1; c < n; ++c) rows[n * r + c] -= sum * reflectors[k][c];
    }
}

/* One QL sweep over the unreduced part first ... last of a tridiagonal matrix, with Wilkinson's shift. */
static void sweep(int n, int first, int last, double *restrict diagonal, double *restrict below, double *restrict rows)
{
  double half = (diagonal[first + 1] - diagonal[first]) / (2.0 * below[first]), root = sqrt(half * half + 1.0);
  double bulge = diagonal[last] - diagonal[first] + below[first] / (half + (half < 0.0 ? -root : root));
  double s = 1.0, c = 1.0, shift = 0.0;
  for (int i = last - 1; i >= first; --i) {
    double f = s * below[i], b = c * below[i], r = sqrt(f * f + bulge * bulge);
    below[i + 1] = r;
    if (r == 0.0) { /* split by underflow: leave the rest for another sweep */
      diagonal[i + 1] -= shift;
      below[last] = 0.0;
      return;
    }
    s = f / r;
    c = bulge / r;
    double g = diagonal[i + 1] - shift, t = (diagonal[i] - g) * s + 2.0 * c * b;
    shift = s * t;
    diagonal[i + 1] = g + shift;
    bulge = c * t - b;
    double *low = rows + (ptrdiff_t)n * i, *high = low + n;
    for (int k = 0; k < n; ++k) {
      double x = low[k], y = high[k];
      low[k] = c * x - s * y;
      high[k] = s * x + c * y;
    }
  }
  diagonal[first] -= shift;
  below[first] = bulge;
  below[last] = 0.0;
}

void la_symmetric_eigen(int size, double *a, double *values, double *vectors)
{
  double below[LA_EIGEN_LARGEST], scale = 0.0;
  for (int k = 0; k < size * size; ++k) scale = fmax(scale, fabs(a[k]));
  tridiagonalise(size, a, values, below, vectors);
  for (int first = 0; first < size; ++first)
    for (int round = 0; round < 60; ++round) { /* three sweeps are usual; the limit stops what is not finite */
      int last = first;
      while (last < size - 1 && fabs(below[last]) > DBL_EPSILON * (fabs(values[last]) + fabs(values[last + 1]) + 0.01 * scale)) ++last;
      if (last == first) break;
      sweep(size, first, last, values, below, vectors);
    }
}

bool la_symmetric_clip(int size, double *a)
{
  double work[LA_EIGEN_LARGEST * LA_EIGEN_LARGEST], vectors[LA_EIGEN_LARGEST * LA_EIGEN_LARGEST], values[LA_EIGEN_LARGEST];
  double lowest = 0.0, highest = 0.0;
  memcpy(work, a, (size_t)(size * size) * sizeof *work);
  la_symmetric_eigen(size, work, values, vectors);
  for (int k = 0; k < size; ++k) {
    lowest = fmin(lowest, values[k]);
    highest = fmax(highest, fabs(values[k]));
  }
  if (!(lowest < -1e-14 * highest)) return false; /* semi-definite up to the rounding of zero eigenvalues */
  for (int k = 0; k < size; ++k) {                /* A - sum over negative eigenvalues: few, and exact digits stay */
    if (!(values[k] < 0.0)) continue;
    const double *v = vectors + (ptrdiff_t)size * k;
    for (int r = 0; r < size; ++r)
      for (int c = 0; c < size; ++c) a[size * r + c] -= values[k] * (v[r] * v[c]);
  }
  return true;
}
