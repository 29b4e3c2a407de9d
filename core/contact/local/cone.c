/* Coulomb's cone of one contact. */
#include "contact/local/cone.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

static double tangential(unsigned d, const double *x)
{
  double sum = 0.0;
  for (unsigned k = 1; k < d; k++) sum += x[k] * x[k];
  return sqrt(sum);
}

void cone_project(unsigned d, double friction, const double *x, double *p)
{
  double t = tangential(d, x), normal = x[0];
  bool inside = friction < 0.0 || (normal >= 0.0 && t <= friction * normal), polar = friction * t <= -normal;
  if (inside) {
    if (p != x) memcpy(p, x, d * sizeof *p);
    return;
  }
  double along = polar ? 0.0 : (normal + friction * t) / (1.0 + friction * friction), share = polar ? 0.0 : friction * along / t;
  for (unsigned k = 1; k < d; k++) p[k] = share * x[k];
  p[0] = along;
}

void cone_shift(unsigned d, double friction, const double *u, double *shifted)
{
  double slip = friction > 0.0 ? friction * tangential(d, u) : 0.0;
  if (shifted != u) memcpy(shifted, u, d * sizeof *shifted);
  shifted[0] += slip;
}

/* Cuts x to a normal of at least 0 and a tangent of at most mu times that. */
static void cut_to_disk(unsigned d, double friction, double *x)
{
  double t = tangential(d, x), radius;
  x[0] = fmax(x[0], 0.0);
  radius = friction * x[0];
  for (unsigned k = 1; k < d && t > radius; k++) x[k] *= radius / t;
}

/* De Saxcé's map sees a wide cone askew: a surface that closes at r = 0 counts by 1/sqrt(1 + mu^2) of its speed, a slip of what sticks mu
 * times. */
double cone_residual(unsigned d, double friction, double scale, const double *velocity, const double *impulse)
{
  double shifted[CONE_DIMENSION_MAX] = {0}, point[CONE_DIMENSION_MAX] = {0}, sum = 0.0;
  bool wide = friction > 1.0;
  cone_shift(d, wide ? 0.0 : friction, velocity, shifted);
  for (unsigned k = 0; k < d; k++) point[k] = scale * impulse[k] - shifted[k];
  if (wide)
    cut_to_disk(d, friction, point);
  else
    cone_project(d, friction, point, point);
  for (unsigned k = 0; k < d; k++) {
    double gap = scale * impulse[k] - point[k];
    sum += gap * gap;
  }
  return sqrt(sum);
}

cone_state cone_state_of(unsigned d, double friction, const double *impulse, double tolerance)
{
  if (friction < 0.0) return CONE_STICKING;
  if (!(impulse[0] > 0.0)) return CONE_OPEN;
  return tangential(d, impulse) >= (1.0 - tolerance) * friction * impulse[0] ? CONE_SLIDING : CONE_STICKING;
}
