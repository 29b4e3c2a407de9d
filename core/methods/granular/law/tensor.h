/** Orthonormal coordinates of symmetric tensors in d = 2 or 3 dimensions, in which the yield cone is round.
 *
 *      d = 2:  l = ((Txx + Tyy)/2, (Txx - Tyy)/2, Txy)
 *      d = 3:  l = (tr T/sqrt 6, (Txx - Tyy)/2, (2 Tzz - Txx - Tyy)/(2 sqrt 3), Txy, Txz, Tyz)
 *      T:T'/2 = l . l',  |Dev T| = sqrt(Dev T:Dev T/2) = |(l1, l2, ...)|,  p = tr T/d  =>  l0 = p sqrt(d/2)
 *
 * With this norm |Dev T| is the shear stress of simple shear, so |tau| <= mu p is tau_xy <= mu p; in coordinates the cone is |l_T| <=
 * mu sqrt(2/d) l0. */
#ifndef SCREE_GRANULAR_TENSOR_H
#define SCREE_GRANULAR_TENSOR_H

#include <math.h>

enum { GRANULAR_TENSOR = 6 }; /**< most coordinates of a tensor: d (d + 1)/2 */

#define GRANULAR_ROOT_2_3 0.81649658092772603 /* sqrt(2/3) */
#define GRANULAR_ROOT_1_3 0.57735026918962576 /* sqrt(1/3) */

/** Number of coordinates. */
static inline int tensor_size(int d)
{
  return d == 2 ? 3 : 6;
}

/** 2 l(sym G). @param g [d][d] g[a][i] = d u_i/d x_a    @param l [tensor_size(d)] set */
static inline void tensor_strain(int d, double g[3][3], double *l)
{
  if (d == 2) {
    l[0] = g[0][0] + g[1][1];
    l[1] = g[0][0] - g[1][1];
    l[2] = g[0][1] + g[1][0];
    return;
  }
  l[0] = GRANULAR_ROOT_2_3 * (g[0][0] + g[1][1] + g[2][2]);
  l[1] = g[0][0] - g[1][1];
  l[2] = GRANULAR_ROOT_1_3 * (2 * g[2][2] - g[0][0] - g[1][1]);
  l[3] = g[0][1] + g[1][0];
  l[4] = g[0][2] + g[2][0];
  l[5] = g[1][2] + g[2][1];
}

/** The tensor S of coordinates r: the transpose of tensor_strain, sum_ai S_ai g_ai = r . 2 l(sym g). @param s [d][d] set */
static inline void tensor_of(int d, const double *r, double s[3][3])
{
  if (d == 2) {
    s[0][0] = r[0] + r[1];
    s[1][1] = r[0] - r[1];
    s[0][1] = s[1][0] = r[2];
    return;
  }
  double mean = GRANULAR_ROOT_2_3 * r[0], third = GRANULAR_ROOT_1_3 * r[2];
  s[0][0] = mean + r[1] - third;
  s[1][1] = mean - r[1] - third;
  s[2][2] = mean + 2 * third;
  s[0][1] = s[1][0] = r[3];
  s[0][2] = s[2][0] = r[4];
  s[1][2] = s[2][1] = r[5];
}

/** Length of the deviator's coordinates. */
static inline double tensor_deviator(int d, const double *l)
{
  double sum = 0;
  for (int i = 1; i < tensor_size(d); i++) sum += l[i] * l[i];
  return sqrt(sum);
}

/** sqrt(d/2): l0 over the pressure. */
static inline double tensor_pressure_scale(int d)
{
  return d == 2 ? 1 : 1.2247448713915889;
}

#endif
