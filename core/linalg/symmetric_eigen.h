/** Eigenvalues and eigenvectors of small dense symmetric matrices, row-major. */
#ifndef SCREE_LINALG_SYMMETRIC_EIGEN_H
#define SCREE_LINALG_SYMMETRIC_EIGEN_H

#include <stdbool.h>
#include <stddef.h>

enum { LA_EIGEN_LARGEST = 12 }; /**< rows at most */

/** A = V^T diag(values) V to rounding; eigenvalues in no particular order.
 *  @param size    1 ... LA_EIGEN_LARGEST
 *  @param a       [size][size], destroyed; entries that are not finite give values that are not finite
 *  @param values  [size]
 *  @param vectors [size][size], row k belongs to value k */
void la_symmetric_eigen(int size, double *a, double *values, double *vectors);

/** Replaces a symmetric matrix by the nearest positive semi-definite one (Frobenius norm): negative eigenvalues become zero. False,
 *  and nothing changed, when there are none below -1e-14 of the largest in size. Exactly symmetric afterwards. */
bool la_symmetric_clip(int size, double *a);

#endif
