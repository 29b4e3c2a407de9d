/** Sums over long vectors that give the same bits for any number of threads (base/execution.h). */
#ifndef SCREE_LINALG_VECTOR_H
#define SCREE_LINALG_VECTOR_H

#include "base/execution.h"

enum {
  LA_TERMS = 1536, /**< terms per block of a sum: 12 KiB, two of them fit the first cache level */
  LA_FEW = 8       /**< blocks not worth a team of threads */
};

/** Dot product. */
double la_dot(const double *a, const double *b, size_t count, scr_execution execution);

/** x += alpha d and r -= alpha q in one pass; returns r.r, summed as la_dot does. */
double la_advance(double alpha, const double *d, const double *q, double *x, double *r, size_t count, scr_execution execution);

/** d = z + beta d */
void la_xpby(double beta, const double *z, double *d, size_t count, scr_execution execution);

/** Largest |a_k|; NaN if any is NaN. */
double la_largest(const double *a, size_t count, scr_execution execution);

#endif
