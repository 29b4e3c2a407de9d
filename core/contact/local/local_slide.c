/* Sliding of one contact in closed form: u_N = 0, u_T = -alpha r_T with alpha > 0, |r_T| = mu r_N.
 *
 * In space, with W = [w_N, w_T'; w_T, W_T], S = W_T - w_T w_T'/w_N and c = b_T - w_T b_N/w_N, the tangential rows are (S + alpha I) r_T =
 * -c and r_N = -(b_N + w_T . r_T)/w_N. By Cramer's rule r_T = -(alpha c + B)/Delta(alpha) and r_N = -P(alpha)/(w_N Delta(alpha)) with
 *     B = adj(S) c,   Delta = alpha^2 + tr S alpha + det S,   P = b_N alpha^2 + (b_N tr S - w_T . c) alpha + (b_N det S - w_T . B),
 * and |r_T| = mu r_N is a quartic in alpha. Squaring adds roots with P > 0, whose normal impulse would pull: they are left out.
 * Derivation: shared by Bonnefon and Daviet 2011 (quartic formulation of Coulomb's contact). */
#include <math.h>

#include "contact/local/local.h"
#include "contact/local/quartic.h"
#include "contact/local/small_matrix.h"

static bool slide_in_plane(const local_problem *problem, double *r)
{
  const double *w = problem->delassus, *b = problem->free_velocity;
  for (unsigned k = 0; k < 2; k++) {
    double sign = k == 0 ? -1.0 : 1.0, carried = w[0] + sign * problem->friction * w[1], normal = -b[0] / carried;
    if (!(carried > 0.0) || !(normal > 0.0)) continue;
    double tangent = sign * problem->friction * normal;
    if ((w[1] * normal + w[3] * tangent + b[1]) * tangent > 0.0) continue;
    r[0] = normal;
    r[1] = tangent;
    return isfinite(normal);
  }
  return false;
}

/* Schur complement of the normal component, and the tangential free velocity that goes with it. */
static void eliminate_normal(const local_problem *problem, double *s, double *c)
{
  unsigned d = problem->dimension, n = d - 1;
  const double *w = problem->delassus, *b = problem->free_velocity;
  for (unsigned j = 0; j < n; j++) {
    c[j] = b[j + 1] - w[j + 1] * b[0] / w[0];
    for (unsigned i = 0; i < n; i++) s[j * n + i] = w[(j + 1) * d + i + 1] - w[j + 1] * w[i + 1] / w[0];
  }
}

/* The impulse that slides with this alpha, and by how much it lies outside of the cone: |r_T| - mu r_N. NaN when the rows are singular. */
static double slide_with(const local_problem *problem, const double *s, const double *c, double alpha, double *r)
{
  unsigned n = problem->dimension - 1;
  double shifted[CONE_DIMENSION_MAX * CONE_DIMENSION_MAX] = {0}, against[CONE_DIMENSION_MAX] = {0}, along = problem->free_velocity[0],
                                      across = 0.0;
  for (unsigned j = 0; j < n; j++) {
    against[j] = -c[j];
    for (unsigned i = 0; i < n; i++) shifted[j * n + i] = s[j * n + i] + (i == j ? alpha : 0.0);
  }
  if (!small_solve(n, shifted, against, r + 1)) return NAN;
  for (unsigned k = 1; k <= n; k++) {
    along += problem->delassus[k] * r[k];
    across += r[k] * r[k];
  }
  r[0] = -along / problem->delassus[0];
  return sqrt(across) - problem->friction * r[0];
}

/* In any dimension the excess over the cone is continuous in alpha > 0, below zero for large alpha (r_T goes to 0 and r_N to -b_N/w_N > 0),
 * and above zero for small alpha wherever sticking was refused: bisection of the logarithm finds a root. */
static bool slide_by_bisection(const local_problem *problem, double *r)
{
  double s[CONE_DIMENSION_MAX * CONE_DIMENSION_MAX] = {0}, c[CONE_DIMENSION_MAX] = {0}, low = 1e-18, high = 1.0;
  if (!(problem->delassus[0] > 0.0)) return false;
  eliminate_normal(problem, s, c);
  while (high < 1e30 && !(slide_with(problem, s, c, high, r) < 0.0)) high *= 8.0;
  if (!(slide_with(problem, s, c, low, r) > 0.0)) return false;
  for (unsigned k = 0; k < 200 && high > low * (1.0 + 2e-16); k++) {
    double middle = sqrt(low * high);
    if (!(middle > low && middle < high)) break;
    if (slide_with(problem, s, c, middle, r) > 0.0)
      low = middle;
    else
      high = middle;
  }
  return isfinite(slide_with(problem, s, c, high, r));
}

bool local_slide(const local_problem *problem, double *r)
{
  if (problem->dimension == 2) return slide_in_plane(problem, r);
  if (problem->dimension > 3) return slide_by_bisection(problem, r);
  const double *w = problem->delassus, *b = problem->free_velocity, mu = problem->friction, normal = w[0];
  if (!(normal > 0.0)) return false;
  double w1 = w[1], w2 = w[2], c1 = b[1] - w1 * b[0] / normal, c2 = b[2] - w2 * b[0] / normal;
  double s11 = w[4] - w1 * w1 / normal, s12 = w[5] - w1 * w2 / normal, s22 = w[8] - w2 * w2 / normal;
  double b1 = s22 * c1 - s12 * c2, b2 = s11 * c2 - s12 * c1, trace = s11 + s22, determinant = s11 * s22 - s12 * s12;
  double p2 = b[0], p1 = b[0] * trace - (w1 * c1 + w2 * c2), p0 = b[0] * determinant - (w1 * b1 + w2 * b2), m2 = mu * mu,
         n2 = normal * normal;
  const double quartic[] = {m2 * p0 * p0 - n2 * (b1 * b1 + b2 * b2), 2.0 * m2 * p1 * p0 - 2.0 * n2 * (c1 * b1 + c2 * b2),
                            m2 * (2.0 * p2 * p0 + p1 * p1) - n2 * (c1 * c1 + c2 * c2), 2.0 * m2 * p2 * p1, m2 * p2 * p2};
  double roots[QUARTIC_DEGREE], best = HUGE_VAL;
  unsigned count = positive_roots(QUARTIC_DEGREE, quartic, roots);
  for (unsigned k = 0; k < count; k++) {
    double alpha = roots[k], pull = (p2 * alpha + p1) * alpha + p0, scale = (fabs(p2) * alpha + fabs(p1)) * alpha + fabs(p0);
    if (pull > 1e-12 * scale) continue;
    double delta = (alpha + trace) * alpha + determinant, t1 = -(alpha * c1 + b1) / delta, t2 = -(alpha * c2 + b2) / delta;
    const double candidate[3] = {hypot(t1, t2) / mu, t1, t2};
    double residual = local_residual(problem, candidate);
    if (k > 0 && best <= 1e-8) break; /* the least alpha that solves it */
    if (!(residual < best)) continue;
    best = residual;
    for (unsigned i = 0; i < 3; i++) r[i] = candidate[i];
  }
  return best < HUGE_VAL;
}
