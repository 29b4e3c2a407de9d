/** One contact in space by one equation in one unknown: what Gauss-Seidel does a million times, prepared once for each contact.
 *
 *  In the eigenbasis of the Schur complement S = W_T - w_T w_T'/w_N (eigenvalues l_k), sticking and sliding are one formula,
 *
 *      r_k(alpha) = -c_k/(l_k + alpha),   r_N(alpha) = -(b_N + w . r)/w_N,   u_T = -alpha r_T:
 *
 *  alpha = 0 is sticking, and sliding is the root of |r_T| - mu r_N, which is below zero for large alpha. Newton in a bracket, from the
 *  alpha of the last sweep. Where it does not do, local_solve does. */
#ifndef SCREE_CONTACT_LOCAL_QUICK_H
#define SCREE_CONTACT_LOCAL_QUICK_H

#include <stdbool.h>

typedef struct local_quick {
  double normal;      /**< w_N, 1/kg; <= 0: not usable */
  double coupling[2]; /**< w_T in the eigenbasis */
  double eigen[2];    /**< l_k, > 0 */
  double axis[2];     /**< first eigenvector in the tangents' axes */
} local_quick;

/** @param w [3][3] the contact's block of W */
void local_quick_prepare(const double *w, local_quick *quick);

/** @param friction >= 0    @param b [3] velocity without the own impulse    @param alpha where to start, then the root; 0 for sticking and
 *  taking off
 *  @param r [3] receives the impulse    @return whether it is a solution to 1e-11; else r is undefined */
bool local_quick_solve(const local_quick *quick, double friction, const double *b, double *alpha, double *r);

#endif
