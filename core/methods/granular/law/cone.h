/** The law of sand in one cell: unilateral incompressibility and the Drucker-Prager cone, solved by a closed step.
 *
 *  In the coordinates of tensor.h, with g = B u + k the rate and r the impulse of the cell's stress:
 *      gas     r = 0, g0 >= 0
 *      solid   g = 0, |r_T| <= c r0
 *      liquid  g0 = 0, |r_T| = c r0, g_T = -a r_T, a >= 0                            c = mu sqrt(2/d)
 * The cell's own matrix W is replaced by diag(wN, wT, ...) >= W; the fixed points of the step are then exactly the solutions of the
 * law, it can't
 *  fail, and mu = 0 is no special case. Source: shared specification "granular", sections 3.2 and 10.1. */
#ifndef SCREE_GRANULAR_CONE_H
#define SCREE_GRANULAR_CONE_H

#include "methods/granular/law/hourglass.h"

/** c = mu sqrt(2/d) */
static inline double cone_friction(int d, double mu)
{
  return mu / tensor_pressure_scale(d);
}

/** The normal rate g0 that counts for sand with cohesion. Its stress is r0 - b, b the impulse of the cohesion: it is torn where that is -b,
 *  and what has been torn comes together again without a pull. So b acts on what opens alone:
 *      r0 = 0 where the cell opens, 0 <= r0 <= b where it does neither, r0 = b while it closes within its gap, r0 >= b once that is closed
 *  which is the law with the share of the gap that r0 has used up; b . rate >= 0 then, so cohesion never drives. @param g0 the gap
 *  included    @param gap 1/s, k of the law    @param inverse 1/wN    @param b > 0 */
static inline double cone_cohesive_rate(double r0, double g0, double gap, double inverse, double b)
{
  double closed = r0 - g0 * inverse, open = gap > 0 ? closed + gap * inverse : closed, held = open < b ? open : b;
  return (r0 - (closed > held ? closed : held)) / inverse;
}

/** r0' = max(0, r0 - g0/wN), r_T' = r_T - g_T/wT cut to |r_T'| <= c r0'. @param r [cell_size(d)] changed    @param inverse 1/wN, 1/wT */
static inline void cone_step(int d, double *r, const double *g, double inverse_normal, double inverse_tangent, double c)
{
  double square = 0, normal = r[0] - g[0] * inverse_normal;
  r[0] = normal > 0 ? normal : 0;
  for (int i = 1; i < cell_size(d); i++) {
    r[i] -= g[i] * inverse_tangent;
    square += r[i] * r[i];
  }
  double limit = c * r[0], cut = square > limit * limit ? limit / sqrt(square) : 1;
  for (int i = 1; i < cell_size(d); i++) r[i] *= cut;
}

/** How far (r, g) is from the law: |w r - P(w r - g - c |g_T| e0)|, P the projection on the cone |y_T| <= c y0 (De Saxce's form of
 *  Coulomb's law); 0 at
 *  solutions and nowhere else. In the unit of g. @param w > 0, weight that turns r into the unit of g */
static inline double cone_residual(int d, const double *r, const double *g, double w, double c)
{
  double y[GRANULAR_TENSOR] = {0}, square = 0, shift = c * cell_tangent(d, g);
  y[0] = w * r[0] - g[0] - shift;
  for (int i = 1; i < cell_size(d); i++) {
    y[i] = w * r[i] - g[i];
    square += y[i] * y[i];
  }
  double tangent = sqrt(square), normal = y[0], scale = 1;
  if (tangent > c * y[0]) {
    normal = c * tangent <= -y[0] ? 0 : (y[0] + c * tangent) / (1 + c * c);
    scale = tangent > 0 ? c * normal / tangent : 0;
  }
  double sum = (w * r[0] - normal) * (w * r[0] - normal);
  for (int i = 1; i < cell_size(d); i++) sum += (w * r[i] - scale * y[i]) * (w * r[i] - scale * y[i]);
  return sqrt(sum);
}

#endif
