/** Maps of a rotation vector that an element of a super-helix is made of, with their first and second derivatives.
 *
 *      f(theta) u = u + c_n(x) theta x u + c_{n+1}(x) theta x (theta x u),   x = theta . theta,   c_n(x) = sum_k (-x)^k / (2k + n)!
 *
 *  n = 1 is the rotation exp[theta] itself, n = 2 its left Jacobian: the mean of exp[s theta] over s from 0 to 1. The derivatives of c_n
 * are sums of c's too, c_n' = (n c_{n+2} - c_{n+1}) / 2, so that all is exact for any theta, that of a straight element too. Source:
 * Stumpff 1959 for c_n; Rodrigues' formula. */
#ifndef SCREE_FIBRE_TURN_MAP_H
#define SCREE_FIBRE_TURN_MAP_H

#include "base/vec3.h"

enum { TURN_SERIES = 8 };

/** c_1 ... c_7 at x >= 0; entry 0 is c_0. */
void turn_series(double x, double c[TURN_SERIES]);

typedef enum turn_kind { TURN_ROTATION = 1, TURN_MEAN = 2 } turn_kind;

/** A map at one theta: both coefficients, their first and their second derivatives by x. */
typedef struct turn_map {
  scr_vec3 theta;
  double p[3], q[3];
} turn_map;

turn_map turn_map_of(turn_kind kind, scr_vec3 theta, const double series[TURN_SERIES]);

/** f u; its derivative along component `a` of theta; its second derivative along `a` and `b`. */
scr_vec3 turn_apply(const turn_map *f, scr_vec3 u);
scr_vec3 turn_slope(const turn_map *f, int a, scr_vec3 u);
scr_vec3 turn_curve(const turn_map *f, int a, int b, scr_vec3 u);

#endif
