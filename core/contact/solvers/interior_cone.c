/* Arithmetic of second-order cones. */
#include "contact/solvers/interior_cone.h"

#include <math.h>
#include <string.h>

#include "contact/local/small_matrix.h"

static double tangential(unsigned d, const double *z)
{
  double sum = 0.0;
  for (unsigned k = 1; k < d; ++k) sum += z[k] * z[k];
  return sqrt(sum);
}

double second_order_determinant(unsigned d, const double *z)
{
  double t = tangential(d, z);
  return fmax(z[0] - t, 1e-300) * (z[0] + t);
}

void second_order_product(unsigned d, const double *a, const double *b, double *c)
{
  double along = small_dot(d, a, b);
  for (unsigned k = 1; k < d; ++k) c[k] = a[0] * b[k] + b[0] * a[k];
  c[0] = along;
}

void second_order_divide(unsigned d, const double *l, const double *b, double *g)
{
  double determinant = second_order_determinant(d, l), across = 0.0;
  for (unsigned k = 1; k < d; ++k) across += l[k] * b[k];
  for (unsigned k = 1; k < d; ++k) g[k] = -l[k] * b[0] / determinant + (b[k] * determinant + l[k] * across) / (determinant * l[0]);
  g[0] = (l[0] * b[0] - across) / determinant;
}

double second_order_reach(unsigned d, const double *z, const double *change)
{
  /* In coordinates where z is the unit of the algebra the change has the eigenvalues along -+ |across|; the formula has no discriminant to
   * cancel. */
  double root = sqrt(second_order_determinant(d, z)), along = z[0] * change[0], across = 0.0;
  for (unsigned k = 1; k < d; ++k) along -= z[k] * change[k];
  along /= root * root;
  double share = (along + change[0] / root) / (z[0] / root + 1.0);
  for (unsigned k = 1; k < d; ++k) {
    double component = change[k] / root - share * z[k] / root;
    across += component * component;
  }
  double toward = sqrt(across) - along;
  return toward > 0.0 ? 1.0 / toward : 1e30;
}

void second_order_shift(unsigned d, double shift, double *z)
{
  z[0] = fmax(z[0], tangential(d, z)) + shift;
}

void second_order_scale(unsigned d, const double *x, const double *y, second_order_scaling *s)
{
  double of_x = second_order_determinant(d, x), of_y = second_order_determinant(d, y), beta = sqrt(sqrt(of_y / of_x));
  double unit_x[6] = {0}, unit_y[6] = {0}, w[6] = {0}, length = 0.0;
  for (unsigned k = 0; k < d; ++k) {
    unit_x[k] = x[k] / sqrt(of_x);
    unit_y[k] = y[k] / sqrt(of_y);
    length += unit_x[k] * unit_y[k];
  }
  length = sqrt(0.5 * (1.0 + length));
  for (unsigned k = 0; k < d; ++k) w[k] = (unit_y[k] + (k == 0 ? 1.0 : -1.0) * unit_x[k]) / (2.0 * length);
  for (unsigned c = 0; c < d; ++c)
    for (unsigned r = 0; r < d; ++r) {
      double sign = (r == 0) == (c == 0) ? 1.0 : -1.0, same = r == c ? 1.0 : 0.0;
      double entry = r == 0 || c == 0 ? w[r + c] : same + w[r] * w[c] / (1.0 + w[0]);
      s->scale[c * d + r] = beta * entry;
      s->inverse[c * d + r] = sign * entry / beta;
      s->inverse_square[c * d + r] = (2.0 * sign * w[r] * w[c] - (r == 0 ? same : -same)) / (beta * beta);
    }
  small_multiply(d, s->scale, x, s->lambda);
}
