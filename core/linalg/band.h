/** Symmetric band matrices and their Cholesky factors: chains of unknowns whose neighbours alone are coupled.
 *
 *      row i:  A_ii, A_i,i-1, ... A_i,i-width     the lower triangle, diagonal first; what lies left of column 0 is not looked at
 *
 *  Factors take n width^2 operations, solutions 4 n width. */
#ifndef SCREE_LINALG_BAND_H
#define SCREE_LINALG_BAND_H

#include <stddef.h>

enum { LA_BAND_WIDTH_MAX = 63 /* of what is factorised */ };

typedef struct la_band {
  size_t size;  /**< n */
  size_t width; /**< entries left of the diagonal, 0 to LA_BAND_WIDTH_MAX */
  double *row;  /**< [n][width + 1] */
} la_band;

/** Entry (i, j) of the lower triangle, 0 <= i - j <= width. */
static inline double *la_band_at(const la_band *a, size_t i, size_t j)
{
  return a->row + i * (a->width + 1) + (i - j);
}

/** A = L L', in place. @return n; else the first unknown whose pivot is not > 0: then the rows from there on are as they were */
size_t la_band_factor(la_band *a);

/** x = A^-1 x, of a factor l. */
void la_band_solve(const la_band *l, double *x);

enum { LA_BAND_LANES = 8 };

/** The same for eight right-hand sides next to each other, in the time of two or three by themselves.
 *  @param x [n][LA_BAND_LANES]: rows before `from` are zero and stay out of the first pass; of the solution the rows from `to` <= from on
 *  are made */
void la_band_solve_lanes(const la_band *l, size_t from, size_t to, double (*x)[LA_BAND_LANES]);

/** The entries of A^-1 within the band of A, of a factor l: n width^2 operations.
 *  @param z of the factor's size and width, written; what lies left of column 0 is left as it is
 *  Source: Takahashi, Fagan and Chin 1973: L'Z = L^-1 from the last row up. */
void la_band_inverse(const la_band *l, la_band *z);

/** y = A x, of a matrix that is not factorised. */
void la_band_multiply(const la_band *a, const double *x, double *y);

#endif
