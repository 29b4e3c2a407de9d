/* Positive roots of a polynomial, isolated between the roots of its derivative. */
#include "contact/local/quartic.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

static double value_at(unsigned degree, const double *q, double x)
{
  double value = q[degree];
  for (unsigned k = degree; k-- > 0;) value = value * x + q[k];
  return value;
}

/* Sum of the magnitudes of the terms: what round-off of value_at is measured in. */
static double size_at(unsigned degree, const double *q, double x)
{
  double size = fabs(q[degree]);
  for (unsigned k = degree; k-- > 0;) size = size * x + fabs(q[k]);
  return size;
}

/* The root in a bracket over which the polynomial is monotone: regula falsi of Illinois, with a bisection whenever it does not halve. */
static double root_between(unsigned degree, const double *q, double low, double high)
{
  double at_low = value_at(degree, q, low), at_high = value_at(degree, q, high);
  for (int k = 0; k < 200 && high - low > 2.0 * DBL_EPSILON * high; k++) {
    double middle = 0.5 * (low + high), secant = high - at_high * (high - low) / (at_high - at_low), width = high - low;
    double x = k % 3 == 2 || !(secant > low && secant < high) ? middle : secant, value = value_at(degree, q, x);
    if (value == 0.0) return x;
    if ((value < 0.0) == (at_low < 0.0)) {
      low = x;
      at_low = value;
      if (high - low > 0.5 * width) at_high *= 0.5;
    } else {
      high = x;
      at_high = value;
      if (high - low > 0.5 * width) at_low *= 0.5;
    }
  }
  return 0.5 * (low + high);
}

/* Roots in (0, bound] of a polynomial in the scaled variable, ascending. */
static unsigned roots_within(unsigned degree, const double *q, double bound, double *roots)
{
  if (degree == 0) return 0;
  double slope[QUARTIC_DEGREE], turns[QUARTIC_DEGREE + 1];
  for (unsigned k = 0; k < degree; k++) slope[k] = (k + 1) * q[k + 1];
  unsigned turn_count = roots_within(degree - 1, slope, bound, turns), count = 0;
  turns[turn_count++] = bound;
  double low = 0.0, at_low = q[0];
  for (unsigned k = 0; k < turn_count; k++) {
    double high = turns[k], at_high = value_at(degree, q, high), noise = 8.0 * DBL_EPSILON * size_at(degree, q, high);
    if (fabs(at_high) <= noise)
      at_high = 0.0;
    else if (at_low != 0.0 && (at_low < 0.0) != (at_high < 0.0) && count < degree)
      roots[count++] = root_between(degree, q, low, high);
    if (at_high == 0.0 && count < degree) roots[count++] = high;
    low = high;
    at_low = at_high;
  }
  return count;
}

unsigned positive_roots(unsigned degree, const double *q, double *roots)
{
  double scaled[QUARTIC_DEGREE + 1], unit = 0.0, factor = 1.0;
  for (unsigned k = 0; k <= degree; k++)
    if (!isfinite(q[k])) return 0;
  while (degree > 0 && q[degree] == 0.0) degree--;
  if (degree == 0 || degree > QUARTIC_DEGREE) return 0;
  for (unsigned k = 0; k < degree; k++) unit = fmax(unit, pow(fabs(q[k] / q[degree]), 1.0 / (degree - k)));
  if (!(unit > 0.0) || !isfinite(unit)) return 0;
  for (unsigned k = 0; k <= degree; k++) {
    scaled[k] = q[k] * factor;
    factor *= unit;
  }
  double top = fabs(scaled[degree]);
  if (!(top > 0.0) || !isfinite(top)) return 0;
  for (unsigned k = 0; k <= degree; k++) scaled[k] /= top;
  unsigned count = roots_within(degree, scaled, 2.0, roots); /* every scaled coefficient is at most the leading one */
  for (unsigned k = 0; k < count; k++) roots[k] *= unit;
  return count;
}
