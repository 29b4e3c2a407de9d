/* Rows and columns are swapped as they are chosen; what is right of and below the chosen ones is what they leave of A. */
#include "linalg/pivoted_cholesky.h"

#include <math.h>

static size_t largest(size_t n, const double *a, size_t from)
{
  size_t best = from;
  double most = -INFINITY;
  for (size_t k = from; k < n; k++)
    if (a[k * n + k] > most) most = a[k * n + k], best = k;
  return best;
}

static void swap(double *a, double *b)
{
  double kept = *a;
  *a = *b;
  *b = kept;
}

static void bring_forward(size_t n, double *a, size_t *order, size_t to, size_t from)
{
  if (to == from) return;
  for (size_t k = 0; k < n; k++) swap(&a[to * n + k], &a[from * n + k]);
  for (size_t k = 0; k < n; k++) swap(&a[k * n + to], &a[k * n + from]);
  size_t kept = order[to];
  order[to] = order[from], order[from] = kept;
}

size_t la_pivoted_cholesky(size_t n, double *a, double least, size_t *order)
{
  double first = 0;
  size_t rank = 0;
  for (size_t k = 0; k < n; k++) order[k] = k;
  for (; rank < n; rank++) {
    size_t best = largest(n, a, rank);
    double pivot = a[best * n + best];
    if (rank == 0) first = pivot;
    if (!(pivot > 0) || !(pivot > least * first)) break;
    bring_forward(n, a, order, rank, best);
    a[rank * n + rank] = sqrt(pivot);
    for (size_t i = rank + 1; i < n; i++) {
      a[i * n + rank] /= a[rank * n + rank];
      a[rank * n + i] = 0;
    }
    for (size_t i = rank + 1; i < n; i++)
      for (size_t j = rank + 1; j < n; j++) a[i * n + j] -= a[i * n + rank] * a[j * n + rank];
  }
  for (size_t i = rank; i < n; i++)
    for (size_t j = rank; j < n; j++) a[i * n + j] = 0;
  return rank;
}
