/** Cyclic Jacobi. A 9 x 9 matrix takes about 8 sweeps of 36 rotations, some 12000 flops. */
#include "linalg/symmetric_eigen.h"

#include <math.h>
#include <string.h>

/* Turns rows and columns p and q so that a_pq vanishes (Golub and Van Loan, Matrix Computations, section 8.5). */
static void rotate(int size, double *a, double *vectors, int p, int q)
{
  double apq = a[size * p + q];
  if (apq == 0.0) return;
  double tau = (a[size * q + q] - a[size * p + p]) / (2.0 * apq);
  double t = (tau >= 0.0 ? 1.0 : -1.0) / (fabs(tau) + sqrt(1.0 + tau * tau)), c = 1.0 / sqrt(1.0 + t * t), s = t * c;
  for (int k = 0; k < size; ++k) {
    double x = a[size * k + p], y = a[size * k + q];
    a[size * k + p] = c * x - s * y;
    a[size * k + q] = s * x + c * y;
  }
  for (int k = 0; k < size; ++k) {
    double x = a[size * p + k], y = a[size * q + k];
    a[size * p + k] = c * x - s * y;
    a[size * q + k] = s * x + c * y;
    x = vectors[size * k + p];
    y = vectors[size * k + q];
    vectors[size * k + p] = c * x - s * y;
    vectors[size * k + q] = s * x + c * y;
  }
}

void la_symmetric_eigen(int size, double *a, double *values, double *vectors)
{
  double total = 0.0;
  memset(vectors, 0, (size_t)(size * size) * sizeof *vectors);
  for (int k = 0; k < size; ++k) vectors[size * k + k] = 1.0;
  for (int k = 0; k < size * size; ++k) total += a[k] * a[k];
  for (int sweep = 0; sweep < 50; ++sweep) { /* converges quadratically, in 10 at most; the limit stops what is not finite */
    double off = 0.0;
    for (int p = 0; p < size; ++p)
      for (int q = p + 1; q < size; ++q) off += a[size * p + q] * a[size * p + q];
    if (!(off > 1e-34 * total)) break;
    for (int p = 0; p < size; ++p)
      for (int q = p + 1; q < size; ++q) rotate(size, a, vectors, p, q);
  }
  for (int k = 0; k < size; ++k) values[k] = a[size * k + k];
}

bool la_symmetric_clip(int size, double *a)
{
  double work[LA_EIGEN_LARGEST * LA_EIGEN_LARGEST], vectors[LA_EIGEN_LARGEST * LA_EIGEN_LARGEST], values[LA_EIGEN_LARGEST];
  double lowest = 0.0, highest = 0.0;
  memcpy(work, a, (size_t)(size * size) * sizeof *work);
  la_symmetric_eigen(size, work, values, vectors);
  for (int k = 0; k < size; ++k) {
    lowest = fmin(lowest, values[k]);
    highest = fmax(highest, values[k]);
  }
  if (!(lowest < -1e-14 * highest)) return false; /* semi-definite up to the rounding of zero eigenvalues */
  for (int r = 0; r < size; ++r)
    for (int c = 0; c <= r; ++c) {
      double sum = 0.0;
      for (int k = 0; k < size; ++k)
        if (values[k] > 0.0) sum += values[k] * vectors[size * r + k] * vectors[size * c + k];
      a[size * r + c] = a[size * c + r] = sum;
    }
  return true;
}
