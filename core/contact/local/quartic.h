/** Positive roots of polynomials up to the fourth degree. */
#ifndef SCREE_CONTACT_QUARTIC_H
#define SCREE_CONTACT_QUARTIC_H

enum { QUARTIC_DEGREE = 4 };

/** The real roots > 0 of q[0] + q[1] a + ... + q[degree] a^degree, ascending; a root of even order, where the polynomial only touches zero
 *  within round-off, is among them. Scales the variable by itself, so coefficients may differ by many decades.
 *  @param roots [degree]    @return how many; 0 for a constant or coefficients that are not finite
 *
 *  Method: between two neighbouring roots of its derivative a polynomial is monotone, so each sign change there brackets exactly one root,
 *  found by bisection and secant steps. No eigenvalues, no complex numbers, no cancellation of radicals. */
unsigned positive_roots(unsigned degree, const double *q, double *roots);

#endif
