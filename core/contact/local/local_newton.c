/* One contact by damped Newton iterations on the Fischer-Burmeister function of second-order cones.
 *
 * x = (mu r_N, r_T) and y = (u_N + mu |u_T|, mu u_T) must both lie in the cone of unit slope and be perpendicular. With the Jordan product
 * x o y = (x . y, x_0 y_T + y_0 x_T), that is F = x + y - (x o x + y o y)^(1/2) = 0. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "contact/local/local.h"
#include "contact/local/small_matrix.h"

enum { halvings = 30 };

/* z = (x o x + y o y)^(1/2) by its two eigenvalues. */
typedef struct jordan_root {
  double z[CONE_DIMENSION_MAX];
  double low, high; /* square roots of the eigenvalues of x o x + y o y */
} jordan_root;

static jordan_root root_of_squares(unsigned d, const double *x, const double *y)
{
  jordan_root root = {0};
  double normal = small_dot(d, x, x) + small_dot(d, y, y), across[CONE_DIMENSION_MAX] = {0}, t = 0.0;
  for (unsigned k = 1; k < d; k++) {
    across[k] = 2.0 * (x[0] * x[k] + y[0] * y[k]);
    t += across[k] * across[k];
  }
  t = sqrt(t);
  root.low = sqrt(fmax(0.0, normal - t));
  root.high = sqrt(normal + t);
  root.z[0] = 0.5 * (root.low + root.high);
  for (unsigned k = 1; k < d; k++) root.z[k] = t > 0.0 ? 0.5 * (root.high - root.low) * across[k] / t : 0.0;
  return root;
}

/* D = I - L(z)^-1 L(a), the derivative of F by one of its two arguments. */
static void derivative_by(unsigned d, const jordan_root *root, const double *a, double along, double *derivative)
{
  memset(derivative, 0, d * d * sizeof *derivative);
  for (unsigned k = 0; k < d; k++) derivative[k * d + k] = 1.0;
  if (root->high == 0.0) return;
  if (root->low <= 1e-12 * root->high) { /* x and y on the same ray of the boundary: the limit from the interior */
    for (unsigned k = 0; k < d; k++) derivative[k * d + k] = 1.0 - along;
    return;
  }
  const double *z = root->z;
  double determinant = root->low * root->high, inverse[CONE_DIMENSION_MAX * CONE_DIMENSION_MAX] = {0};
  double arrow[CONE_DIMENSION_MAX * CONE_DIMENSION_MAX] = {0}, product[CONE_DIMENSION_MAX * CONE_DIMENSION_MAX] = {0};
  inverse[0] = z[0] / determinant;
  arrow[0] = a[0];
  for (unsigned j = 1; j < d; j++) {
    inverse[j * d] = inverse[j] = -z[j] / determinant;
    arrow[j * d] = arrow[j] = a[j];
    arrow[j * d + j] = a[0];
    for (unsigned i = 1; i < d; i++) inverse[j * d + i] = ((i == j ? determinant : 0.0) + z[i] * z[j]) / (z[0] * determinant);
  }
  small_product(d, inverse, arrow, product);
  for (unsigned k = 0; k < d * d; k++) derivative[k] -= product[k];
}

void local_fischer_burmeister(const local_problem *problem, const double *r, double *function, double *jacobian)
{
  unsigned d = problem->dimension;
  double mu = problem->friction, u[CONE_DIMENSION_MAX] = {0}, x[CONE_DIMENSION_MAX] = {0}, y[CONE_DIMENSION_MAX] = {0}, slip = 0.0;
  small_multiply(d, problem->delassus, r, u);
  for (unsigned k = 0; k < d; k++) u[k] += problem->free_velocity[k];
  for (unsigned k = 1; k < d; k++) slip += u[k] * u[k];
  slip = sqrt(slip);
  x[0] = mu * r[0];
  y[0] = u[0] + mu * slip;
  for (unsigned k = 1; k < d; k++) {
    x[k] = r[k];
    y[k] = mu * u[k];
  }
  jordan_root root = root_of_squares(d, x, y);
  for (unsigned k = 0; k < d; k++) function[k] = x[k] + y[k] - root.z[k];
  if (!jacobian) return;
  double by_x[CONE_DIMENSION_MAX * CONE_DIMENSION_MAX] = {0}, by_y[CONE_DIMENSION_MAX * CONE_DIMENSION_MAX] = {0};
  double y_of_u[CONE_DIMENSION_MAX * CONE_DIMENSION_MAX] = {0}, y_of_r[CONE_DIMENSION_MAX * CONE_DIMENSION_MAX] = {0},
                                     ray = hypot(x[0], y[0]);
  derivative_by(d, &root, x, ray > 0.0 ? x[0] / ray : 0.0, by_x);
  derivative_by(d, &root, y, ray > 0.0 ? y[0] / ray : 0.0, by_y);
  y_of_u[0] = 1.0;
  for (unsigned k = 1; k < d; k++) {
    y_of_u[k * d] = slip > 0.0 ? mu * u[k] / slip : 0.0;
    y_of_u[k * d + k] = mu;
  }
  small_product(d, y_of_u, problem->delassus, y_of_r);
  small_product(d, by_y, y_of_r, jacobian);
  for (unsigned j = 0; j < d; j++) /* x by r is diag(mu, 1, ..) */
    for (unsigned i = 0; i < d; i++) jacobian[j * d + i] += by_x[j * d + i] * (j == 0 ? mu : 1.0);
}

static double merit(unsigned d, const double *function)
{
  return 0.5 * small_dot(d, function, function);
}

/* Newton's direction, or the steepest descent's where that is no descent. @return the merit's slope along it */
static double choose_direction(unsigned d, const double *function, const double *jacobian, double *direction)
{
  double gradient[CONE_DIMENSION_MAX] = {0}, against[CONE_DIMENSION_MAX] = {0}, steep, slope = 0.0;
  small_multiply_transposed(d, jacobian, function, gradient);
  for (unsigned k = 0; k < d; k++) against[k] = -function[k];
  steep = small_dot(d, gradient, gradient);
  bool descends = small_solve(d, jacobian, against, direction);
  if (descends) {
    slope = small_dot(d, gradient, direction);
    descends = slope <= -1e-10 * sqrt(steep * small_dot(d, direction, direction));
  }
  if (descends) return slope;
  double length = steep > 0.0 ? 2.0 * merit(d, function) / steep : 0.0;
  for (unsigned k = 0; k < d; k++) direction[k] = -length * gradient[k];
  return -length * steep;
}

unsigned local_newton(const local_problem *problem, unsigned limit, double *r)
{
  unsigned d = problem->dimension, count = 0;
  double function[CONE_DIMENSION_MAX] = {0}, jacobian[CONE_DIMENSION_MAX * CONE_DIMENSION_MAX] = {0}, direction[CONE_DIMENSION_MAX] = {0};
  local_fischer_burmeister(problem, r, function, jacobian);
  double present = merit(d, function);
  for (; count < limit && present > 0.5 * DBL_EPSILON * DBL_EPSILON; count++) {
    double slope = choose_direction(d, function, jacobian, direction), next[CONE_DIMENSION_MAX] = {0}, found = HUGE_VAL, step = 1.0;
    bool accepted = false;
    for (unsigned k = 0; k < halvings && !accepted; k++) {
      for (unsigned i = 0; i < d; i++) next[i] = r[i] + step * direction[i];
      local_fischer_burmeister(problem, next, function, NULL);
      found = merit(d, function);
      accepted = found <= present + 1e-4 * step * slope && found < present;
      step *= 0.5;
    }
    if (!accepted) break;
    memcpy(r, next, d * sizeof *r);
    present = found;
    local_fischer_burmeister(problem, r, function, jacobian);
  }
  return count;
}
