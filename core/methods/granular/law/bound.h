/** Bounds of a cell's matrix W = B M^-1 B^T in the coordinates of tensor.h: diag(wN, wT, ...) >= W with
 *      wN = W00 + |W0T|,   wT = largest row sum of |W_TT| + |W0T|
 *
 *  With G_n the weighted gradient of the shape function of corner n and q_ab = sum_n G_na G_nb/m_n, W is linear in q: row x of B at a
 * corner is the strain of the velocity field G (x) e_k, and W_xy = sum over n, k of B_xk B_yk/m_n. Source: shared specification "granular",
 *  sections 3.4 and 10.1. */
#ifndef SCREE_GRANULAR_BOUND_H
#define SCREE_GRANULAR_BOUND_H

#include "methods/granular/law/hourglass.h"

/** W of q, but for the coordinates of hourglass.h. @param q [d (d + 1)/2] xx, yy, xy in the plane; xx, yy, zz, xy, xz, yz in space @param w
 * [size][size] set */
static inline void bound_matrix(int d, const double *q, double w[GRANULAR_TENSOR][GRANULAR_TENSOR])
{
  if (d == 2) {
    double sum = q[0] + q[1], difference = q[0] - q[1];
    w[0][0] = w[1][1] = w[2][2] = sum;
    w[0][1] = difference, w[0][2] = 2 * q[2], w[1][2] = 0;
  } else {
    const double a = GRANULAR_ROOT_2_3, b = GRANULAR_ROOT_1_3;
    double xx = q[0], yy = q[1], zz = q[2], xy = q[3], xz = q[4], yz = q[5];
    w[0][0] = a * a * (xx + yy + zz), w[0][1] = a * (xx - yy), w[0][2] = a * b * (2 * zz - xx - yy);
    w[0][3] = 2 * a * xy, w[0][4] = 2 * a * xz, w[0][5] = 2 * a * yz;
    w[1][1] = xx + yy, w[1][2] = b * (yy - xx), w[1][3] = 0, w[1][4] = xz, w[1][5] = -yz;
    w[2][2] = b * b * (xx + yy + 4 * zz), w[2][3] = -2 * b * xy, w[2][4] = b * xz, w[2][5] = b * yz;
    w[3][3] = xx + yy, w[3][4] = yz, w[3][5] = xz;
    w[4][4] = xx + zz, w[4][5] = xy;
    w[5][5] = yy + zz;
  }
  for (int x = 1; x < tensor_size(d); x++)
    for (int y = 0; y < x; y++) w[x][y] = w[y][x];
}

/** The rows and columns of W for the coordinates of hourglass.h. @param own  sum over corners of k^2/m, k = c times hourglass_weight
 *  @param cross  [2] sum of k G_a/m */
static inline void bound_hourglass(double own, const double cross[2], double w[GRANULAR_TENSOR][GRANULAR_TENSOR])
{
  const double of[3][2] = {{cross[0], cross[1]}, {cross[0], -cross[1]}, {cross[1], cross[0]}}; /* tensor_strain of (G_x, G_y) */
  for (int x = 0; x < 3; x++)
    for (int i = 0; i < 2; i++) w[x][3 + i] = w[3 + i][x] = of[x][i];
  w[3][3] = w[4][4] = own;
  w[3][4] = w[4][3] = 0;
}

/** 1/wN, 1/wT of W. */
static inline void bound_inverses(int d, double w[GRANULAR_TENSOR][GRANULAR_TENSOR], double *inverse_normal, double *inverse_tangent)
{
  double cross = 0, tangent = 0;
  for (int x = 1; x < cell_size(d); x++) {
    double sum = 0;
    cross += w[0][x] * w[0][x];
    for (int y = 1; y < cell_size(d); y++) sum += fabs(w[x][y]);
    tangent = fmax(tangent, sum);
  }
  cross = sqrt(cross);
  *inverse_normal = 1 / (w[0][0] + cross);
  *inverse_tangent = 1 / (tangent + cross);
}

#endif
