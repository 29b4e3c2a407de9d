/* Stumpff's functions, and maps made of them. */
#include "methods/fibre/helix/turn_map.h"

void turn_series(double x, double c[TURN_SERIES])
{
  static const double inverse_factorial[TURN_SERIES] = {1, 1, 1.0 / 2, 1.0 / 6, 1.0 / 24, 1.0 / 120, 1.0 / 720, 1.0 / 5040};
  if (x > 4) { /* upwards: differences of numbers that are not near each other */
    double angle = sqrt(x);
    c[0] = cos(angle), c[1] = sin(angle) / angle;
    for (int n = 2; n < TURN_SERIES; n++) c[n] = (inverse_factorial[n - 2] - c[n - 2]) / x;
    return;
  }
  for (int n = TURN_SERIES - 2; n < TURN_SERIES; n++) { /* the next term is below 4^12 / 30!, 1e-25 */
    double term = inverse_factorial[n], sum = term;
    for (int k = 1; k < 12; k++) {
      term *= -x / ((2 * k + n - 1.0) * (2 * k + n));
      sum += term;
    }
    c[n] = sum;
  }
  for (int n = TURN_SERIES - 3; n >= 0; n--) c[n] = inverse_factorial[n] - x * c[n + 2];
}

/* c_n and its derivatives by x. */
static void coefficient(const double c[TURN_SERIES], int n, double out[3])
{
  double next = 0.5 * ((n + 1) * c[n + 3] - c[n + 2]), after = 0.5 * ((n + 2) * c[n + 4] - c[n + 3]);
  out[0] = c[n];
  out[1] = 0.5 * (n * c[n + 2] - c[n + 1]);
  out[2] = 0.5 * (n * after - next);
}

turn_map turn_map_of(turn_kind kind, scr_vec3 theta, const double series[TURN_SERIES])
{
  turn_map f = {.theta = theta};
  coefficient(series, (int)kind, f.p);
  coefficient(series, (int)kind + 1, f.q);
  return f;
}

static double component(scr_vec3 v, int a)
{
  return a == 0 ? v.x : a == 1 ? v.y : v.z;
}

static scr_vec3 unit(int a)
{
  return vec3(a == 0, a == 1, a == 2);
}

/* p u + q v. */
static scr_vec3 combine(double p, scr_vec3 u, double q, scr_vec3 v)
{
  return vec3_add(vec3_scale(u, p), vec3_scale(v, q));
}

scr_vec3 turn_apply(const turn_map *f, scr_vec3 u)
{
  scr_vec3 once = vec3_cross(f->theta, u);
  return vec3_add(u, combine(f->p[0], once, f->q[0], vec3_cross(f->theta, once)));
}

/* Derivatives of theta x u and theta x (theta x u) along component a. */
static scr_vec3 once_along(int a, scr_vec3 u)
{
  return vec3_cross(unit(a), u);
}
static scr_vec3 twice_along(scr_vec3 theta, int a, scr_vec3 u)
{
  return vec3_add(vec3_cross(unit(a), vec3_cross(theta, u)), vec3_cross(theta, vec3_cross(unit(a), u)));
}

scr_vec3 turn_slope(const turn_map *f, int a, scr_vec3 u)
{
  scr_vec3 once = vec3_cross(f->theta, u), twice = vec3_cross(f->theta, once);
  double along = 2 * component(f->theta, a);
  return vec3_add(combine(along * f->p[1], once, along * f->q[1], twice),
                  combine(f->p[0], once_along(a, u), f->q[0], twice_along(f->theta, a, u)));
}

scr_vec3 turn_curve(const turn_map *f, int a, int b, scr_vec3 u)
{
  scr_vec3 once = vec3_cross(f->theta, u), twice = vec3_cross(f->theta, once);
  double along_a = 2 * component(f->theta, a), along_b = 2 * component(f->theta, b), same = a == b ? 2 : 0;
  scr_vec3 of_both = vec3_add(vec3_cross(unit(a), vec3_cross(unit(b), u)), vec3_cross(unit(b), vec3_cross(unit(a), u)));
  scr_vec3 sum = combine(along_a * along_b * f->p[2] + same * f->p[1], once, along_a * along_b * f->q[2] + same * f->q[1], twice);
  sum = vec3_add(sum, combine(along_a * f->p[1], once_along(b, u), along_a * f->q[1], twice_along(f->theta, b, u)));
  sum = vec3_add(sum, combine(along_b * f->p[1], once_along(a, u), along_b * f->q[1], twice_along(f->theta, a, u)));
  return vec3_add(sum, vec3_scale(of_both, f->q[0]));
}
