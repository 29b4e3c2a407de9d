/* One contact by one equation. */
#include "contact/local/local_quick.h"

#include <math.h>

enum { LIMIT = 40 };
static const double exact = 1e-11;

void local_quick_prepare(const double *w, local_quick *q)
{
  double s11 = w[4] - w[1] * w[1] / w[0], s12 = w[5] - w[1] * w[2] / w[0], s22 = w[8] - w[2] * w[2] / w[0];
  double half = 0.5 * (s11 - s22), middle = 0.5 * (s11 + s22), radius = sqrt(half * half + s12 * s12);
  double angle = 0.5 * atan2(s12, half), c = cos(angle), s = sin(angle);
  *q = (local_quick){.normal = w[0], .coupling = {c * w[1] + s * w[2], c * w[2] - s * w[1]}, .axis = {c, s}};
  q->eigen[0] = middle + radius;
  q->eigen[1] = middle + radius > 0.0 ? (s11 * s22 - s12 * s12) / (middle + radius) : 0.0;
  if (!(w[0] > 0.0) || !(q->eigen[1] > 1e-12 * q->eigen[0])) q->normal = 0.0; /* nearly singular: not for this way */
}

/* Back from the eigenbasis. */
static void give(const local_quick *q, double normal, double r1, double r2, double *r)
{
  r[0] = normal;
  r[1] = q->axis[0] * r1 - q->axis[1] * r2;
  r[2] = q->axis[1] * r1 + q->axis[0] * r2;
}

bool local_quick_solve(const local_quick *q, double friction, const double *b, double *alpha, double *r)
{
  if (b[0] >= 0.0) {
    *alpha = r[0] = r[1] = r[2] = 0.0;
    return true;
  }
  if (!(q->normal > 0.0)) return false;
  if (friction == 0.0) {
    *alpha = r[1] = r[2] = 0.0;
    r[0] = -b[0] / q->normal;
    return true;
  }
  double share = b[0] / q->normal, t1 = q->axis[0] * b[1] + q->axis[1] * b[2], t2 = q->axis[0] * b[2] - q->axis[1] * b[1];
  double c1 = t1 - q->coupling[0] * share, c2 = t2 - q->coupling[1] * share, w1 = q->coupling[0] / q->normal,
         w2 = q->coupling[1] / q->normal, l1 = q->eigen[0], l2 = q->eigen[1];
  double low = 0.0, high = HUGE_VAL, x = 0.0;
  for (int k = 0; k < LIMIT; ++k) {
    double i1 = 1.0 / (l1 + x), i2 = 1.0 / (l2 + x), r1 = -c1 * i1, r2 = -c2 * i2, normal = -share - w1 * r1 - w2 * r2;
    double across = sqrt(r1 * r1 + r2 * r2), excess = across - friction * normal;
    if (x == 0.0 && excess <= 0.0) {
      *alpha = 0.0;
      give(q, normal, r1, r2, r);
      return true;
    }
    if (fabs(excess) <= exact * across) {
      *alpha = x;
      give(q, across / friction, r1, r2, r);
      return true;
    }
    if (excess > 0.0)
      low = x;
    else
      high = x;
    double slope = -(r1 * r1 * i1 + r2 * r2 * i2) / across - friction * (w1 * r1 * i1 + w2 * r2 * i2);
    /* Newton on 1/|r_T| is nearly exact where the normal impulse changes little: |r| = A/(B + x) */
    double reach = friction * normal > 0.0 ? across / (friction * normal) : HUGE_VAL,
           next = x - excess / slope * (reach < 4.0 ? reach : 1.0);
    if (k == 0 && *alpha > 0.0) next = *alpha;
    if (!(next > low && next < high)) next = high < HUGE_VAL ? 0.5 * (low + high) : 2.0 * (low + l1);
    x = next;
  }
  return false;
}
