/* How far impulses of one contact are from its law: the natural map. */
#include <math.h>

#include "contact/local/local.h"
#include "contact/local/small_matrix.h"

double local_residual(const local_problem *problem, const double *r)
{
  unsigned d = problem->dimension;
  double u[CONE_DIMENSION_MAX] = {0};
  small_multiply(d, problem->delassus, r, u);
  for (unsigned k = 0; k < d; k++) u[k] += problem->free_velocity[k];
  double residual = cone_residual(d, problem->friction, 1.0, u, r) / (1.0 + sqrt(small_dot(d, r, r)));
  return isfinite(residual) ? residual : HUGE_VAL;
}
