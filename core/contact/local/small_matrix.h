/** Dense systems of up to six unknowns, column-major, as one contact's blocks are. */
#ifndef SCREE_CONTACT_SMALL_MATRIX_H
#define SCREE_CONTACT_SMALL_MATRIX_H

#include <stdbool.h>

enum { SMALL_MATRIX_MAX = 6 };

/** y = A x.    A: [n][n] column-major; y must not be x */
void small_multiply(unsigned n, const double *a, const double *x, double *y);

/** y = A' x. */
void small_multiply_transposed(unsigned n, const double *a, const double *x, double *y);

/** C = A B; C must be neither. */
void small_product(unsigned n, const double *a, const double *b, double *c);

/** Solves A x = b by elimination with row pivoting. @return false, with x undefined, when A is singular to working precision or not finite
 *  */
bool small_solve(unsigned n, const double *matrix, const double *b, double *x);

double small_dot(unsigned n, const double *a, const double *b);

#endif
