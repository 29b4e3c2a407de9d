/* One contact: made dimensionless, handed to a solver, judged by the natural map. */
#include "contact/local/local.h"

#include <math.h>
#include <string.h>

#include "contact/local/small_matrix.h"

enum { first_newton_limit = 20, last_newton_limit = 200, polish_limit = 20 };

static const double solved = 1e-8; /* a dimensionless natural map below this is a solution */
static const double done = 1e-12;  /* and below this nothing is left to gain */

bool local_stick(const local_problem *problem, double *r)
{
  unsigned d = problem->dimension;
  double against[CONE_DIMENSION_MAX] = {0}, found[CONE_DIMENSION_MAX] = {0}, nearest[CONE_DIMENSION_MAX] = {0};
  for (unsigned k = 0; k < d; k++) against[k] = -problem->free_velocity[k];
  if (!small_solve(d, problem->delassus, against, found)) return false;
  cone_project(d, problem->friction, found, nearest);
  if (memcmp(found, nearest, d * sizeof *found) != 0) return false;
  memcpy(r, found, d * sizeof *r);
  return true;
}

/* Takes `candidate` when it is better than the best so far. @return whether the best is a solution to the last digits */
static bool keep_better(const local_problem *problem, const double *candidate, double *best, double *residual)
{
  double found = local_residual(problem, candidate);
  if (found < *residual) {
    *residual = found;
    memcpy(best, candidate, problem->dimension * sizeof *best);
  }
  return *residual <= done;
}

/* Newton from the best point, kept when better. */
static bool try_newton(const local_problem *problem, unsigned limit, double *best, double *residual, unsigned *iterations)
{
  double point[CONE_DIMENSION_MAX] = {0};
  memcpy(point, best, problem->dimension * sizeof *point);
  *iterations += local_newton(problem, limit, point);
  return keep_better(problem, point, best, residual);
}

static bool try_stick(const local_problem *problem, double *best, double *residual)
{
  double point[CONE_DIMENSION_MAX] = {0};
  return local_stick(problem, point) && keep_better(problem, point, best, residual);
}

static bool try_slide(const local_problem *problem, unsigned polish, double *best, double *residual, unsigned *iterations)
{
  double point[CONE_DIMENSION_MAX] = {0};
  if (!local_slide(problem, point)) return false;
  if (keep_better(problem, point, best, residual) || polish == 0) return *residual <= done;
  *iterations += local_newton(problem, polish, point);
  return keep_better(problem, point, best, residual);
}

static void run_solver(local_solver solver, const local_problem *problem, double *best, double *residual, unsigned *iterations)
{
  double point[CONE_DIMENSION_MAX] = {0};
  switch (solver) {
  case LOCAL_NEWTON: try_newton(problem, last_newton_limit, best, residual, iterations); return;
  case LOCAL_ENUMERATION:
    if (!try_stick(problem, best, residual)) try_slide(problem, 0, best, residual, iterations);
    return;
  case LOCAL_ALART_CURNIER:
    memcpy(point, best, problem->dimension * sizeof *point);
    *iterations += local_alart_curnier(problem, last_newton_limit, point);
    keep_better(problem, point, best, residual);
    return;
  case LOCAL_REVERSED_HYBRID:
    if (try_stick(problem, best, residual) || try_slide(problem, polish_limit, best, residual, iterations)) return;
    try_newton(problem, last_newton_limit, best, residual, iterations);
    return;
  case LOCAL_HYBRID:
  case LOCAL_SOLVER_COUNT: break;
  }
  if (try_newton(problem, first_newton_limit, best, residual, iterations) || try_stick(problem, best, residual)) return;
  if (try_slide(problem, polish_limit, best, residual, iterations)) return;
  if (*residual > solved) try_newton(problem, last_newton_limit, best, residual, iterations);
}

/* The dimensionless problem: its best starting point is the given impulse or none. */
static bool solve_scaled(local_solver solver, const local_problem *problem, double *r, unsigned *iterations)
{
  unsigned d = problem->dimension;
  double best[CONE_DIMENSION_MAX] = {0}, residual = local_residual(problem, best);
  bool started = true;
  for (unsigned k = 0; k < d; k++) started = started && isfinite(r[k]);
  if (started) keep_better(problem, r, best, &residual);
  if (problem->friction < 0.0)
    try_stick(problem, best, &residual);
  else if (problem->friction == 0.0) {
    double point[CONE_DIMENSION_MAX] = {-problem->free_velocity[0] / problem->delassus[0]};
    keep_better(problem, point, best, &residual);
  } else if (residual > done)
    run_solver(solver, problem, best, &residual, iterations);
  memcpy(r, best, d * sizeof *r);
  return residual <= solved;
}

bool local_solve(local_solver solver, const local_problem *problem, double *impulse, unsigned *iterations)
{
  unsigned d = problem->dimension, count = 0;
  const double *w = problem->delassus, *b = problem->free_velocity;
  double scaled[CONE_DIMENSION_MAX * CONE_DIMENSION_MAX] = {0}, direction[CONE_DIMENSION_MAX] = {0}, scale = 0.0,
                                     size = sqrt(small_dot(d, b, b));
  if (iterations) *iterations = 0;
  for (unsigned k = 0; k < d; k++) scale += w[k * d + k] / d;
  if (problem->friction >= 0.0 && b[0] >= 0.0) { /* taking off, or grazing */
    memset(impulse, 0, d * sizeof *impulse);
    return true;
  }
  if (!(scale > 0.0) || !isfinite(scale) || !isfinite(size) || size == 0.0) {
    memset(impulse, 0, d * sizeof *impulse);
    return size == 0.0;
  }
  for (unsigned k = 0; k < d * d; k++) scaled[k] = w[k] / scale;
  for (unsigned k = 0; k < d; k++) direction[k] = b[k] / size;
  for (unsigned k = 0; k < d; k++) impulse[k] *= scale / size;
  const local_problem dimensionless = {d, problem->friction, scaled, direction};
  bool ok = solve_scaled(solver, &dimensionless, impulse, &count);
  for (unsigned k = 0; k < d; k++) impulse[k] *= size / scale;
  if (iterations) *iterations = count;
  return ok;
}
