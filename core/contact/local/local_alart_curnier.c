/* One contact by Newton iterations on Alart and Curnier's function (Comput. Methods Appl. Mech. Eng. 92, 1991), undamped, penalty 1: fast
 * where it converges, and it often does not. Kept to compare with. */
#include <math.h>
#include <string.h>

#include "contact/local/local.h"
#include "contact/local/small_matrix.h"

enum { block = CONE_DIMENSION_MAX * CONE_DIMENSION_MAX };

/* F = r - P(r - u), with P the normal part cut at 0 and the tangential part cut to the disk of radius mu p_N; J = I - dP (I - W). */
static double evaluate(const local_problem *problem, const double *r, double *function, double *jacobian)
{
  unsigned d = problem->dimension;
  double y[CONE_DIMENSION_MAX] = {0}, t = 0.0, by_y[block] = {0}, y_of_r[block] = {0}, product[block] = {0};
  small_multiply(d, problem->delassus, r, y);
  for (unsigned k = 0; k < d; k++) y[k] = r[k] - y[k] - problem->free_velocity[k];
  for (unsigned k = 1; k < d; k++) t += y[k] * y[k];
  t = sqrt(t);
  double normal = fmax(0.0, y[0]), radius = problem->friction * normal, share = t > radius ? radius / t : 1.0;
  by_y[0] = y[0] > 0.0;
  function[0] = r[0] - normal;
  for (unsigned i = 1; i < d; i++) {
    function[i] = r[i] - share * y[i];
    if (t > radius && y[0] > 0.0) by_y[i] = problem->friction * y[i] / t;
    for (unsigned j = 1; j < d; j++) by_y[j * d + i] = share * ((i == j) - (t > radius ? y[i] * y[j] / (t * t) : 0.0));
  }
  for (unsigned k = 0; k < d * d; k++) y_of_r[k] = -problem->delassus[k];
  for (unsigned k = 0; k < d; k++) y_of_r[k * d + k] += 1.0;
  small_product(d, by_y, y_of_r, product);
  for (unsigned k = 0; k < d * d; k++) jacobian[k] = -product[k];
  for (unsigned k = 0; k < d; k++) jacobian[k * d + k] += 1.0;
  return small_dot(d, function, function);
}

unsigned local_alart_curnier(const local_problem *problem, unsigned limit, double *r)
{
  unsigned d = problem->dimension, count = 0;
  double function[CONE_DIMENSION_MAX] = {0}, jacobian[block] = {0}, change[CONE_DIMENSION_MAX] = {0}, point[CONE_DIMENSION_MAX] = {0},
         best = HUGE_VAL;
  memcpy(point, r, d * sizeof *point);
  for (;; count++) {
    double size = evaluate(problem, point, function, jacobian);
    if (size < best) {
      best = size;
      memcpy(r, point, d * sizeof *r);
    }
    if (count == limit || !(size > 1e-30) || !small_solve(d, jacobian, function, change)) return count;
    for (unsigned k = 0; k < d; k++) point[k] -= change[k];
  }
}
