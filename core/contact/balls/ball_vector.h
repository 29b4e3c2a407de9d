/** Three numbers at a time, as contacts of balls need them. */
#ifndef SCREE_CONTACT_BALL_VECTOR_H
#define SCREE_CONTACT_BALL_VECTOR_H

#include "contact/balls/ball_pack.h"

#define BALL_INLINE static inline __attribute__((always_inline))

BALL_INLINE double ball_dot(const double *a, const double *b)
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

BALL_INLINE void ball_difference(const double *a, const double *b, double *c)
{
  for (int k = 0; k < 3; ++k) c[k] = a[k] - b[k];
}

/** a x b */
BALL_INLINE void ball_cross(const double *a, const double *b, double *c)
{
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}

/** x = along n + across */
BALL_INLINE void ball_split(const double *n, const double *x, double *along, double *across)
{
  *along = ball_dot(n, x);
  for (int k = 0; k < 3; ++k) across[k] = x[k] - *along * n[k];
}

/** Velocity of a at the contact relative to b: v_a - v_b - (l_a w_a + l_b w_b) x n */
BALL_INLINE void ball_relative(const ball_contact *c, const ball_body *body, double *u)
{
  const ball_body *a = body + c->a, *b = body + c->b;
  double spin[3], turned[3];
  for (int k = 0; k < 3; ++k) spin[k] = c->arm_a * a->spin[k] + c->arm_b * b->spin[k];
  ball_cross(spin, c->normal, turned);
  for (int k = 0; k < 3; ++k) u[k] = a->velocity[k] - b->velocity[k] - turned[k];
}

/** Velocities after an impulse d on a. @param steered b yields along the normal alone */
BALL_INLINE void ball_push(const ball_contact *c, const double *d, bool steered, ball_body *body)
{
  ball_body *a = body + c->a, *b = body + c->b;
  double turn[3];
  ball_cross(c->normal, d, turn);
  const double ta = a->inverse_inertia * c->arm_a, tb = b->inverse_inertia * c->arm_b, along = steered ? ball_dot(c->normal, d) : 0.0;
  for (int k = 0; k < 3; ++k) {
    a->velocity[k] += a->inverse_mass * d[k];
    a->spin[k] -= ta * turn[k];
    b->velocity[k] -= b->inverse_mass * (steered ? along * c->normal[k] : d[k]);
    b->spin[k] -= tb * turn[k];
  }
}

/** Spins after a couple d on a. */
BALL_INLINE void ball_turn(const ball_rolling *c, const double *d, ball_body *body)
{
  for (int k = 0; k < 3; ++k) {
    body[c->a].spin[k] += body[c->a].inverse_inertia * d[k];
    body[c->b].spin[k] -= body[c->b].inverse_inertia * d[k];
  }
}

#endif
