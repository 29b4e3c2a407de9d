/** Symmetric band matrices and their Cholesky factors: chains of unknowns whose neighbours alone are coupled.
 *
 *      row i:  A_ii, A_i,i-1, ... A_i,i-width     the lower triangle, diagonal first; what lies left of column 0 is not looked at
 *
 *  Factors take n width^2 operations, solutions 4 n width. */
#ifndef SCREE_LINALG_BAND_H
#define SCREE_LINALG_BAND_H

#include <stddef.h>

typedef struct la_band {
  size_t size;  /**< n */
  size_t width; /**< entries left of the diagonal, >= 0 */
  double *row;  /**< [n][width + 1] */
} la_band;

/** Entry (i, j) of the lower triangle, 0 <= i - j <= width. */
static inline double *la_band_at(const la_band *a, size_t i, size_t j)
{
  return a->row + i * (a->width + 1) + (i - j);
}

/** A = L L', in place. @return n; else the first unknown whose pivot is not > 0: then the rows from there on are as they were */
size_t la_band_factor(la_band *a);

/** x = A^-1 x, of a factor. */
void la_band_solve(const la_band *factor, double *x);

/** y = A x, of a matrix that is not factorised. */
void la_band_multiply(const la_band *a, const double *x, double *y);

#endif
