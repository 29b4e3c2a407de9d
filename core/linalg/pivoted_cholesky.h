/** Which of some vectors are new to those before them, by their products alone: Cholesky's factorisation with the largest remaining
 *  diagonal first. */
#ifndef SCREE_LINALG_PIVOTED_CHOLESKY_H
#define SCREE_LINALG_PIVOTED_CHOLESKY_H

#include <stddef.h>

/** A[order[i]][order[j]] ~ (L L^T)_ij of a symmetric positive semi-definite matrix, until no remaining pivot is above `least` times the
 *  first.
 *
 *  With A_ij = d_i . d_j a pivot is the square of what d_i has beyond the vectors chosen before it, and their normal basis is
 *  e_a = (d_{order[a]} - sum_{b<a} L_ab e_b)/L_aa.
 *
 *  @param a     [n][n] by rows, both triangles; becomes L in its first `rank` columns, zero elsewhere
 *  @param least 0 < least < 1
 *  @param order [n] rows in the order in which they were chosen; what was not chosen follows
 *  @return rank, 0 ... n; 0 where no diagonal is above 0. NaN is never chosen */
size_t la_pivoted_cholesky(size_t n, double *a, double least, size_t *order);

#endif
