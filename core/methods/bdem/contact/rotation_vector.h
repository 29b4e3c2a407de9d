/** Rotation vectors theta (axis times angle, world axes) and their left Jacobian, which turns rates: if q = exp(theta) q_0 and theta
 *  changes by d, then q turns by the world rotation vector Jl(theta) d to first order. Singular at a full turn. */
#ifndef SCREE_METHODS_BDEM_ROTATION_VECTOR_H
#define SCREE_METHODS_BDEM_ROTATION_VECTOR_H

#include "base/vec3.h"

#include <math.h>

/** Jl(theta) d = d + (1 - cos a)/a^2 theta x d + (a - sin a)/a^3 theta x (theta x d), a = |theta|. */
static inline scr_vec3 rotation_left_jacobian(scr_vec3 theta, scr_vec3 d)
{
  double square = vec3_dot(theta, theta), first, second;
  if (square < 1e-3) { /* next terms: square^3/40320 and square^3/362880, below 3e-14 */
    first = 0.5 - square * (1.0 / 24.0 - square / 720.0);
    second = 1.0 / 6.0 - square * (1.0 / 120.0 - square / 5040.0);
  } else {
    double angle = sqrt(square);
    first = (1.0 - cos(angle)) / square;
    second = (angle - sin(angle)) / (square * angle);
  }
  scr_vec3 side = vec3_cross(theta, d);
  return vec3_add(d, vec3_add(vec3_scale(side, first), vec3_scale(vec3_cross(theta, side), second)));
}

/** Its inverse: d - theta x d / 2 + (1 - a/2 cot(a/2))/a^2 theta x (theta x d); for angles below 2 pi. */
static inline scr_vec3 rotation_left_jacobian_inverse(scr_vec3 theta, scr_vec3 d)
{
  double square = vec3_dot(theta, theta), second;
  if (square < 1e-3) { /* next term: square^3/1209600 */
    second = 1.0 / 12.0 + square * (1.0 / 720.0 + square / 30240.0);
  } else {
    double half = 0.5 * sqrt(square);
    second = (1.0 - half * cos(half) / sin(half)) / square;
  }
  scr_vec3 side = vec3_cross(theta, d);
  return vec3_add(d, vec3_add(vec3_scale(side, -0.5), vec3_scale(vec3_cross(theta, side), second)));
}

#endif
