/** Friction of a cell in the plane whose shear differs from place to place.
 *
 *  One stress a cell feels the mean of the cell's strain rates, and bilinear velocities have two motions without a mean, one along each
 * axis:
 *
 *      u_i = H_i xi eta,   H_i = 1/4 sum over the corners n of c_n u_ni,   c = (1, -1, -1, 1),   xi, eta in -1 .. 1
 *
 *  Their shear |Dev D| = sqrt(xi^2 + eta^2) |H|/h is sqrt(2) |H|/h at the corners. Without resistance to it thin layers slide over the
 * steps of a slanted surface with too little friction: heaps come to lie too flat, and creep. So a cell's impulse has two coordinates
 * besides those of tensor.h, its rate the pairs of them, 2 |Dev D| at the corners, and friction holds all of them together: |(r_T, r_H)| <=
 * c r0. In uniform shear nothing changes; where the shear varies slowly, by H/D ~ h, dissipation grows by h^2. The modes: Flanagan,
 * Belytschko 1981, Int. J. Numer. Meth. Eng. 17, 679. In space there are twelve; cells there go without. */
#ifndef SCREE_GRANULAR_HOURGLASS_H
#define SCREE_GRANULAR_HOURGLASS_H

#include "methods/granular/law/tensor.h"

#define GRANULAR_ROOT_1_2 0.70710678118654752 /* sqrt(1/2): 2 sqrt(2)/4 */

/** Coordinates of a cell's impulse: the tensor's, then in the plane those of the two modes. */
static inline int cell_size(int d)
{
  return d == 2 ? 5 : 6;
}

/** Length of all coordinates but the first. */
static inline double cell_tangent(int d, const double *l)
{
  double sum = 0;
  for (int i = 1; i < cell_size(d); i++) sum += l[i] * l[i];
  return sqrt(sum);
}

/** What a cell's sum c_n u_n is to be multiplied by, 1/m: the share of it that is full over h, in a cell whose sand lies to one side times
 * 4 sqrt(x (1 - x) y (1 - y)), x and y where its centre lies: that is 0 at a face, where a node has next to no mass and the rows of the
 * matrix would lose all balance. @param edge  [8] weights of a granular_cell */
static inline double hourglass_weight(const double *edge)
{
  const double full = edge[0] + edge[1], place = edge[0] * edge[1] * edge[4] * edge[5];
  return full > 0 ? 4 * GRANULAR_ROOT_1_2 * sqrt(place) / full : 0;
}

/** c of a corner. */
static inline double hourglass_sign(int corner)
{
  return corner == 0 || corner == 3 ? 1 : -1;
}

#endif
