/** Reductions in a fixed tree. */
#include "linalg/vector.h"

#include <math.h>
#include <stdbool.h>

enum { PIECE = 1536 /* 12 KiB: two of them fit the first cache level */, FEW = 8 /* pieces not worth a team of threads */ };

size_t la_partial_count(size_t count)
{
  return (count + PIECE - 1) / PIECE;
}

/* Four interleaved sums, so that the compiler may use vector registers without changing the order. */
static double piece_dot(const double *a, const double *b, size_t count)
{
  double s[4] = {0};
  size_t k = 0;
  for (; k + 4 <= count; k += 4)
    for (int m = 0; m < 4; ++m) s[m] += a[k + m] * b[k + m];
  for (; k < count; ++k) s[0] += a[k] * b[k];
  return (s[0] + s[1]) + (s[2] + s[3]);
}

static double add_up(const double *partial, ptrdiff_t pieces)
{
  double sum = 0.0;
  for (ptrdiff_t p = 0; p < pieces; ++p) sum += partial[p];
  return sum;
}

double la_dot(const double *a, const double *b, size_t count, double *partial, unsigned threads)
{
  ptrdiff_t pieces = (ptrdiff_t)la_partial_count(count);
  (void)threads; /* read by the pragmas only */
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1 && pieces > FEW)
  for (ptrdiff_t p = 0; p < pieces; ++p) {
    size_t begin = (size_t)p * PIECE, length = count - begin < PIECE ? count - begin : PIECE;
    partial[p] = piece_dot(a + begin, b + begin, length);
  }
  return add_up(partial, pieces);
}

double la_advance(double alpha, const double *d, const double *q, double *x, double *r, size_t count, double *partial, unsigned threads)
{
  ptrdiff_t pieces = (ptrdiff_t)la_partial_count(count);
  (void)threads;
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1 && pieces > FEW)
  for (ptrdiff_t p = 0; p < pieces; ++p) {
    size_t begin = (size_t)p * PIECE, end = count - begin < PIECE ? count : begin + PIECE;
    for (size_t k = begin; k < end; ++k) {
      x[k] += alpha * d[k];
      r[k] -= alpha * q[k];
    }
    partial[p] = piece_dot(r + begin, r + begin, end - begin);
  }
  return add_up(partial, pieces);
}

void la_turn(double beta, const double *z, double *d, size_t count, unsigned threads)
{
  ptrdiff_t n = (ptrdiff_t)count;
  (void)threads;
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1 && n > FEW * PIECE)
  for (ptrdiff_t k = 0; k < n; ++k) d[k] = z[k] + beta * d[k];
}

/* Largest |a_k|; INFINITY also where a number is none: 0 times it is not zero. */
static double piece_largest(const double *a, size_t count)
{
  double largest[4] = {0}, zero[4] = {0};
  size_t k = 0;
  for (; k + 4 <= count; k += 4)
    for (int m = 0; m < 4; ++m) {
      double size = fabs(a[k + m]);
      largest[m] = size > largest[m] ? size : largest[m];
      zero[m] += 0.0 * size;
    }
  for (; k < count; ++k) {
    largest[0] = fmax(largest[0], fabs(a[k]));
    zero[0] += 0.0 * a[k];
  }
  bool finite = (zero[0] + zero[1]) + (zero[2] + zero[3]) == 0.0;
  return finite ? fmax(fmax(largest[0], largest[1]), fmax(largest[2], largest[3])) : (double)INFINITY;
}

double la_largest(const double *a, size_t count, unsigned threads)
{
  double largest = 0.0;
  ptrdiff_t pieces = (ptrdiff_t)la_partial_count(count);
  (void)threads;
#pragma omp parallel for schedule(static) num_threads(threads) reduction(max : largest) if (threads > 1 && pieces > FEW)
  for (ptrdiff_t p = 0; p < pieces; ++p) {
    size_t begin = (size_t)p * PIECE;
    largest = fmax(largest, piece_largest(a + begin, count - begin < PIECE ? count - begin : PIECE));
  }
  for (size_t k = 0; isinf(largest) && k < count; ++k)
    if (isnan(a[k])) return a[k];
  return largest;
}
