/** Dense 6 x 6 blocks, row-major. */
#ifndef SCREE_LINALG_BLOCK6_BLOCK6_H
#define SCREE_LINALG_BLOCK6_BLOCK6_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum { LA_BLOCK = 6, LA_BLOCK_SIZE = 36 };

/** y += A x */
static inline void block6_multiply_add(const double *restrict a, const double *restrict x, double *restrict y)
{
  for (int r = 0; r < 6; ++r) {
    double sum = 0.0;
    for (int c = 0; c < 6; ++c) sum += a[6 * r + c] * x[c];
    y[r] += sum;
  }
}

/** y -= A^T x */
static inline void block6_transposed_subtract(const double *restrict a, const double *restrict x, double *restrict y)
{
  for (int c = 0; c < 6; ++c)
    for (int r = 0; r < 6; ++r) y[r] -= a[6 * c + r] * x[c];
}

/** C -= A B^T */
static inline void block6_subtract_product(const double *restrict a, const double *restrict b, double *restrict c)
{
  for (int r = 0; r < 6; ++r)
    for (int s = 0; s < 6; ++s) {
      double sum = 0.0;
      for (int k = 0; k < 6; ++k) sum += a[6 * r + k] * b[6 * s + k];
      c[6 * r + s] -= sum;
    }
}

/** Two doubles of a row of a block, loaded and stored wherever a double may lie. Compilers turn loops over six into code three times
 *  slower than these. */
typedef double block6_pair __attribute__((vector_size(16), aligned(8), may_alias));

/** to[0 .. 5] += factor from[0 .. 5] */
static inline void block6_add_row(double factor, const double *restrict from, block6_pair to[3])
{
  const block6_pair *pairs = (const block6_pair *)from;
  for (int k = 0; k < 3; ++k) to[k] += factor * pairs[k];
}

/** C += A B */
static inline void block6_add_product(const double *restrict a, const double *restrict b, double *restrict c)
{
  for (int r = 0; r < 6; ++r) {
    block6_pair sum[3];
    memcpy(sum, c + (ptrdiff_t)6 * r, sizeof sum);
    for (int k = 0; k < 6; ++k) block6_add_row(a[6 * r + k], b + (ptrdiff_t)6 * k, sum);
    memcpy(c + (ptrdiff_t)6 * r, sum, sizeof sum);
  }
}

/** C += A^T B */
static inline void block6_add_transposed_product(const double *restrict a, const double *restrict b, double *restrict c)
{
  for (int r = 0; r < 6; ++r) {
    block6_pair sum[3];
    memcpy(sum, c + (ptrdiff_t)6 * r, sizeof sum);
    for (int k = 0; k < 6; ++k) block6_add_row(a[6 * k + r], b + (ptrdiff_t)6 * k, sum);
    memcpy(c + (ptrdiff_t)6 * r, sum, sizeof sum);
  }
}

/** Lower Cholesky factor L of a symmetric block (its lower triangle is read); the diagonal of L is stored inverted. False when a
 *  pivot is below `smallest` times the block's own diagonal entry: not positive definite. */
static inline bool block6_cholesky(const double *a, double *l, double smallest)
{
  memset(l, 0, LA_BLOCK_SIZE * sizeof *l);
  for (int r = 0; r < 6; ++r) {
    for (int c = 0; c < r; ++c) {
      double sum = a[6 * r + c];
      for (int k = 0; k < c; ++k) sum -= l[6 * r + k] * l[6 * c + k];
      l[6 * r + c] = sum * l[7 * c];
    }
    double pivot = a[7 * r];
    for (int k = 0; k < r; ++k) pivot -= l[6 * r + k] * l[6 * r + k];
    if (!(pivot > smallest * a[7 * r]) || !(a[7 * r] > 0.0)) return false;
    l[7 * r] = 1.0 / sqrt(pivot);
  }
  return true;
}

/** x = L^-1 x */
static inline void block6_forward(const double *l, double *x)
{
  for (int r = 0; r < 6; ++r) {
    for (int k = 0; k < r; ++k) x[r] -= l[6 * r + k] * x[k];
    x[r] *= l[7 * r];
  }
}

/** B = L^-1 B */
static inline void block6_forward_block(const double *restrict l, double *restrict b)
{
  for (ptrdiff_t r = 0; r < 6; ++r) {
    block6_pair row[3];
    memcpy(row, b + 6 * r, sizeof row);
    for (ptrdiff_t k = 0; k < r; ++k) block6_add_row(-l[6 * r + k], b + 6 * k, row);
    for (int c = 0; c < 3; ++c) row[c] *= l[7 * r];
    memcpy(b + 6 * r, row, sizeof row);
  }
}

/** B = L^-T B */
static inline void block6_backward_block(const double *restrict l, double *restrict b)
{
  for (ptrdiff_t r = 5; r >= 0; --r) {
    block6_pair row[3];
    memcpy(row, b + 6 * r, sizeof row);
    for (ptrdiff_t k = r + 1; k < 6; ++k) block6_add_row(-l[6 * k + r], b + 6 * k, row);
    for (int c = 0; c < 3; ++c) row[c] *= l[7 * r];
    memcpy(b + 6 * r, row, sizeof row);
  }
}

/** C = L^T B */
static inline void block6_transposed_factor_product(const double *restrict l, const double *restrict b, double *restrict c)
{
  for (ptrdiff_t r = 0; r < 6; ++r) {
    block6_pair row[3] = {{0}};
    block6_add_row(1.0 / l[7 * r], b + 6 * r, row);
    for (ptrdiff_t k = r + 1; k < 6; ++k) block6_add_row(l[6 * k + r], b + 6 * k, row);
    memcpy(c + 6 * r, row, sizeof row);
  }
}

/** B = A^T */
static inline void block6_transpose(const double *restrict a, double *restrict b)
{
  for (int r = 0; r < 6; ++r)
    for (int c = 0; c < 6; ++c) b[6 * c + r] = a[6 * r + c];
}

/** x = L^-T x */
static inline void block6_backward(const double *l, double *x)
{
  for (int r = 5; r >= 0; --r) {
    for (int k = r + 1; k < 6; ++k) x[r] -= l[6 * k + r] * x[k];
    x[r] *= l[7 * r];
  }
}

/** block6_cholesky of a diagonal block, or of its absolute diagonal (a zero entry counts as 1) when it is not positive definite: always
 *  the factor of a positive definite block. */
static inline void block6_factor_always(const double *block, double *factor)
{
  if (block6_cholesky(block, factor, 1e-12)) return;
  memset(factor, 0, LA_BLOCK_SIZE * sizeof *factor);
  for (int k = 0; k < 6; ++k) factor[7 * k] = block[7 * k] != 0.0 ? 1.0 / sqrt(fabs(block[7 * k])) : 1.0;
}

#endif
