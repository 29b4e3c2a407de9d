/** Dense matrices by LAPACK: singular values, orthogonal bases, eigenvalues. By columns: entry (r, c) of m rows is a[c m + r].
 *
 *  All run on one thread (one_thread.h), so the bits never depend on threads; they do on the library and the processor. For the smallest
 *  matrices, row by row and without a library: symmetric_eigen.h. All return SCR_OK; SCR_BAD_USAGE for entries that are not finite or sizes
 *  above 2^31 - 1; SCR_DIVERGED when LAPACK does not converge; SCR_NO_MEMORY. */
#ifndef SCREE_LINALG_DENSE_H
#define SCREE_LINALG_DENSE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/** A = U diag(values) V^T, k = min(rows, columns).
 *  @param a       [columns][rows], destroyed
 *  @param values  [k] falling, >= 0
 *  @param left    [k][rows] columns of U, or NULL, then `right` too
 *  @param right   [columns][k]: V^T by columns */
scr_status la_dense_svd(size_t rows, size_t columns, double *a, double *values, double *left, double *right, scr_error *error);

/** A = Q R, rows >= columns; the diagonal of R is >= 0, which makes both unique where A has full rank.
 *  @param a [columns][rows], becomes Q: orthonormal columns    @param r [columns][columns] upper triangle, zero below */
scr_status la_dense_qr(size_t rows, size_t columns, double *a, double *r, scr_error *error);

/** A v = value v of a symmetric matrix, of which the lower triangle is looked at.
 *  @param a [n][n], becomes the orthonormal eigenvectors, one a column    @param values [n] rising */
scr_status la_dense_symmetric_eigen(size_t n, double *a, double *values, scr_error *error);

/** A v = value B v, A symmetric, B symmetric positive definite; lower triangles.
 *  @param a [n][n], becomes the eigenvectors, v . B v = 1    @param b [n][n], destroyed    @param values [n] rising
 *  @return also SCR_DIVERGED when B is not positive definite */
scr_status la_dense_pencil_eigen(size_t n, double *a, double *b, double *values, scr_error *error);

/** A := A^-1 of a symmetric positive definite matrix, of which the lower triangle is looked at; both triangles are written.
 *  @param a [n][n]    @return also SCR_DIVERGED when it is not positive definite: `a` is destroyed then */
scr_status la_dense_positive_inverse(size_t n, double *a, scr_error *error);

/** The factor of a symmetric positive definite matrix, of which the lower triangle is looked at.
 *  @param a [n][n], becomes the factor    @return also SCR_DIVERGED when it is not positive definite: `a` is destroyed then */
scr_status la_dense_positive_factor(size_t n, double *a, scr_error *error);

/** A x = b by that factor.  @param x [n] b, becomes x */
scr_status la_dense_positive_solve(size_t n, const double *factor, double *x, scr_error *error);

/** The factor L U of any square matrix, with partial pivoting.
 *  @param a [n][n], becomes the factor    @param pivot [n] written    @return also SCR_DIVERGED when it is singular: `a` is destroyed then
 */
scr_status la_dense_factor(size_t n, double *a, int32_t *pivot, scr_error *error);

/** A x = b by that factor.  @param x [n] b, becomes x */
scr_status la_dense_solve(size_t n, const double *factor, const int32_t *pivot, double *x, scr_error *error);

#endif
