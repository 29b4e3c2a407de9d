/** Sums over long vectors that give the same bits for any number of threads. */
#ifndef SCREE_LINALG_VECTOR_H
#define SCREE_LINALG_VECTOR_H

#include <stddef.h>

/** Dot product: partial sums over fixed pieces, added in order. Long vectors are summed by `threads` threads.
 *  @param partial [la_partial_count(count)] scratch */
double la_dot(const double *a, const double *b, size_t count, double *partial, unsigned threads);

/** x += alpha d and r -= alpha q in one pass; returns r.r, summed as la_dot does. */
double la_advance(double alpha, const double *d, const double *q, double *x, double *r, size_t count, double *partial, unsigned threads);

/** d = z + beta d */
void la_turn(double beta, const double *z, double *d, size_t count, unsigned threads);

/** Length of la_dot's scratch. */
size_t la_partial_count(size_t count);

/** Largest |a_k|; NaN if any is NaN. */
double la_largest(const double *a, size_t count, unsigned threads);

#endif
