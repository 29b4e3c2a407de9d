/** Quaternions in double precision, by value: vector part (x, y, z), scalar part w. Products are Hamilton's. */
#ifndef SCREE_BASE_QUAT_H
#define SCREE_BASE_QUAT_H

#include <math.h>

#include "base/vec3.h"

typedef struct scr_quat {
  double x, y, z, w;
} scr_quat;

static inline scr_quat quat(double x, double y, double z, double w)
{
  return (scr_quat){x, y, z, w};
}
static inline scr_quat quat_identity(void)
{
  return quat(0.0, 0.0, 0.0, 1.0);
}
static inline scr_vec3 quat_vector(scr_quat q)
{
  return vec3(q.x, q.y, q.z);
}
static inline scr_quat quat_pure(scr_vec3 v)
{
  return quat(v.x, v.y, v.z, 0.0);
}
static inline scr_quat quat_conjugate(scr_quat q)
{
  return quat(-q.x, -q.y, -q.z, q.w);
}
static inline scr_quat quat_scale(scr_quat q, double s)
{
  return quat(q.x * s, q.y * s, q.z * s, q.w * s);
}
static inline scr_quat quat_add(scr_quat a, scr_quat b)
{
  return quat(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}
static inline double quat_dot(scr_quat a, scr_quat b)
{
  return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}
static inline double quat_length(scr_quat q)
{
  return sqrt(quat_dot(q, q));
}
/** q / |q|; the length must not be zero. */
static inline scr_quat quat_normalise(scr_quat q)
{
  return quat_scale(q, 1.0 / quat_length(q));
}

static inline scr_quat quat_multiply(scr_quat a, scr_quat b)
{
  return quat(a.w * b.x + b.w * a.x + a.y * b.z - a.z * b.y, a.w * b.y + b.w * a.y + a.z * b.x - a.x * b.z,
              a.w * b.z + b.w * a.z + a.x * b.y - a.y * b.x, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z);
}

/** R(q) v for a unit q: v + 2 w (t x v) + 2 t x (t x v), t the vector part. */
static inline scr_vec3 quat_rotate(scr_quat q, scr_vec3 v)
{
  scr_vec3 t = quat_vector(q), u = vec3_scale(vec3_cross(t, v), 2.0);
  return vec3_add(vec3_add(v, vec3_scale(u, q.w)), vec3_cross(t, u));
}

/** Unit quaternion of a rotation vector (axis times angle, rad); accurate down to a zero vector. Turns below 1 rad, all that a step of a
 *  time integration makes, take neither calls nor divisions. */
static inline scr_quat quat_exp(scr_vec3 rotation)
{
  double t = 0.25 * vec3_dot(rotation, rotation), half_sinc, cosine; /* t: the square of half the angle */
  if (t < 2.5e-9) {                                                  /* the next terms are below 1e-20 */
    half_sinc = 0.5 - t * (1.0 / 12.0);
    cosine = 1.0 - t * 0.5 + t * t * (1.0 / 24.0);
  } else if (t < 0.25) { /* the next terms are below 1e-16 */
    double t2 = t * t, t4 = t2 * t2, first = 1.0 - t * 0.5 + t2 * (1.0 / 24.0 - t * (1.0 / 720.0));
    double sinc = 1.0 - t * (1.0 / 6.0) + t2 * (1.0 / 120.0 - t * (1.0 / 5040.0));
    half_sinc = 0.5 * (sinc + t4 * (1.0 / 362880.0 - t * (1.0 / 39916800.0) + t2 * (1.0 / 6227020800.0)));
    cosine = first + t4 * (1.0 / 40320.0 - t * (1.0 / 3628800.0) + t2 * (1.0 / 479001600.0 - t * (1.0 / 87178291200.0)));
  } else {
    double half = sqrt(t);
    half_sinc = 0.5 * sin(half) / half;
    cosine = cos(half);
  }
  return quat(rotation.x * half_sinc, rotation.y * half_sinc, rotation.z * half_sinc, cosine);
}

/** Rotation vector of a unit quaternion, the shorter way round: angle in [0, pi]. Inverse of quat_exp there. */
static inline scr_vec3 quat_log(scr_quat q)
{
  scr_vec3 t = quat_vector(q);
  double sine = vec3_length(t), sign = q.w < 0.0 ? -1.0 : 1.0;
  if (sine < 1e-12) return vec3_scale(t, 2.0 * sign);
  return vec3_scale(t, sign * 2.0 * atan2(sine, fabs(q.w)) / sine);
}

/* Rotation vectors theta (axis times angle, world axes) and their left Jacobian, which turns rates: if q = exp(theta) q_0 and theta changes
 * by d, then q turns by the world rotation vector Jl(theta) d to first order. Singular at a full turn. */

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
