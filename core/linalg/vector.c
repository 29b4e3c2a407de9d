/** Sums over vectors, four interleaved ones in each block. */
#include "linalg/vector.h"

#include <math.h>

static scr_execution team(size_t count, scr_execution execution)
{
  return execution_if(count > (size_t)LA_FEW * LA_TERMS, execution);
}

/* So that the compiler may use vector registers without changing the order. */
static double piece_dot(const double *a, const double *b, size_t count)
{
  double s[4] = {0};
  size_t k = 0;
  for (; k + 4 <= count; k += 4)
    for (int m = 0; m < 4; ++m) s[m] += a[k + m] * b[k + m];
  for (; k < count; ++k) s[0] += a[k] * b[k];
  return (s[0] + s[1]) + (s[2] + s[3]);
}

typedef struct vector_pair {
  const double *a, *b;
} vector_pair;

static void dot_terms(const void *user, size_t begin, size_t end, double *sum)
{
  const vector_pair *v = user;
  *sum += piece_dot(v->a + begin, v->b + begin, end - begin);
}

double la_dot(const double *a, const double *b, size_t count, scr_execution execution)
{
  const vector_pair v = {a, b};
  double sum = 0.0;
  execution_sum(team(count, execution), count, LA_TERMS, 1, dot_terms, &v, &sum);
  return sum;
}

typedef struct advance {
  double alpha;
  const double *d, *q;
  double *x, *r;
} advance;

static void advance_terms(const void *user, size_t begin, size_t end, double *sum)
{
  const advance *v = user;
  for (size_t k = begin; k < end; ++k) {
    v->x[k] += v->alpha * v->d[k];
    v->r[k] -= v->alpha * v->q[k];
  }
  *sum += piece_dot(v->r + begin, v->r + begin, end - begin);
}

/* NOLINTNEXTLINE(readability-non-const-parameter): advance_terms writes x and r */
double la_advance(double alpha, const double *d, const double *q, double *x, double *r, size_t count, scr_execution execution)
{
  const advance v = {alpha, d, q, x, r};
  double sum = 0.0;
  execution_sum(team(count, execution), count, LA_TERMS, 1, advance_terms, &v, &sum);
  return sum;
}

void la_xpby(double beta, const double *z, double *d, size_t count, scr_execution execution)
{
  ptrdiff_t n = (ptrdiff_t)count;
  execution = team(count, execution);
#pragma omp parallel for schedule(static) num_threads(execution.threads) if (execution.threads > 1)
  for (ptrdiff_t k = 0; k < n; ++k) d[k] = z[k] + beta * d[k];
}

/* Largest |a_k|; INFINITY also where a number is none: 0 times it is not zero. */
static void size_terms(const void *user, size_t begin, size_t end, double *size_of)
{
  const double *a = user;
  double largest[4] = {0}, zero[4] = {0};
  size_t k = begin;
  for (; k + 4 <= end; k += 4)
    for (int m = 0; m < 4; ++m) {
      double size = fabs(a[k + m]);
      largest[m] = size > largest[m] ? size : largest[m];
      zero[m] += 0.0 * size;
    }
  for (; k < end; ++k) {
    largest[0] = fmax(largest[0], fabs(a[k]));
    zero[0] += 0.0 * a[k];
  }
  bool finite = (zero[0] + zero[1]) + (zero[2] + zero[3]) == 0.0;
  *size_of = finite ? fmax(*size_of, fmax(fmax(largest[0], largest[1]), fmax(largest[2], largest[3]))) : (double)INFINITY;
}

double la_largest(const double *a, size_t count, scr_execution execution)
{
  double largest = 0.0;
  execution_largest(team(count, execution), count, 1, size_terms, a, &largest);
  for (size_t k = 0; isinf(largest) && k < count; ++k)
    if (isnan(a[k])) return a[k];
  return largest;
}
