/** Second-order cones of unit slope, as the interior point method needs them: one vector z of dimension d lies inside when z_0 > |z_T|. For
 *  d = 1 that is z_0 > 0. Blocks are d x d, column-major. Source: Nesterov and Todd 1998; any text on second-order cone programming. */
#ifndef SCREE_CONTACT_INTERIOR_CONE_H
#define SCREE_CONTACT_INTERIOR_CONE_H

#include <stdbool.h>

/** z_0^2 - |z_T|^2 without cancellation, at least 1e-300. */
double second_order_determinant(unsigned d, const double *z);

/** Jordan product (a . b, a_0 b_T + b_0 a_T). */
void second_order_product(unsigned d, const double *a, const double *b, double *c);

/** Solves l o g = b. */
void second_order_divide(unsigned d, const double *l, const double *b, double *g);

/** Largest step along which z + step change stays in the cone; 1e30 when there is no end. */
double second_order_reach(unsigned d, const double *z, const double *change);

/** Moves a vector to inside the cone: z_0 becomes max(z_0, |z_T|) + shift. */
void second_order_shift(unsigned d, double shift, double *z);

/** Nesterov and Todd's scaling of a pair x, y inside: W x = W^-1 y = lambda. */
typedef struct second_order_scaling {
  double scale[36];          /**< W */
  double inverse[36];        /**< W^-1 */
  double inverse_square[36]; /**< W^-2 */
  double lambda[6];
} second_order_scaling;

void second_order_scale(unsigned d, const double *x, const double *y, second_order_scaling *scaling);

#endif
