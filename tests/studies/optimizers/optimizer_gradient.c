/** First-order manifold optimisation: steps along the negative Riemannian gradient, on geodesics, with Armijo's rule.
 *  Source: bonded DEM with manifold optimisation (2025), algorithm 1. */
#include "tests/studies/optimizers/optimizer_kinds.h"

#include "base/memory.h"
#include "linalg/vector.h"

typedef struct descent {
  double *gradient, *step;  /* [n][6] */
  la_preconditioner metric; /* block Jacobi */
} descent;

static void descent_destroy(void *state)
{
  descent *d = state;
  if (!d) return;
  mem_free(d->gradient);
  mem_free(d->step);
  la_preconditioner_destroy(&d->metric);
  mem_free(d);
}

static scr_status descent_create(const bdem_body *body, void **state, scr_error *error)
{
  descent *d = mem_array(1, sizeof *d);
  *state = d;
  if (!d) return scr_fail_memory(error, "a gradient optimizer", sizeof *d);
  d->gradient = mem_array(body->sphere_count, 6 * sizeof *d->gradient);
  d->step = mem_array(body->sphere_count, 6 * sizeof *d->step);
  if (!d->gradient || !d->step) return scr_fail_memory(error, "a gradient optimizer", body->sphere_count * 96);
  return la_block_jacobi_create(execution_of(1), &d->metric, error);
}

/* The inverse of the largest diagonal entry of Gauss-Newton's Hessian: a first step length for the plain gradient, m/N. */
static double first_length(const bdem_step_problem *problem)
{
  double largest = 0.0;
  for (size_t k = 0; k < problem->matrix.row_count; ++k)
    for (size_t d = 0; d < 6; ++d) largest = fmax(largest, problem->matrix.values[36 * problem->matrix.diagonal[k] + 7 * d]);
  return largest > 0.0 ? 1.0 / largest : 1.0;
}

/* step = -gradient in the chosen metric; its product with the gradient. */
static double direct(descent *d, const bdem_step_problem *problem, bool blocks)
{
  size_t count = 6 * problem->body->sphere_count;
  if (blocks) d->metric.apply(d->metric.state, d->gradient, d->step);
  for (size_t k = 0; k < count; ++k) d->step[k] = -(blocks ? d->step[k] : d->gradient[k]);
  return la_dot(d->gradient, d->step, count, execution_of(1));
}

/* Backtracking from `alpha`; leaves the length it took there. Near the minimum, where Phi's difference is rounding, the slopes at both
 * ends decide (see implicit.c). */
static bool search(descent *d, bdem_step_problem *problem, double slope, double *phi, double *alpha, bdem_implicit_report *report)
{
  double turn = bdem_step_largest_turn(problem, d->step), elastic = bdem_body_energy(problem->body);
  double longest = turn * *alpha > 0.5 ? 0.5 / turn : *alpha;
  bdem_step_set_base(problem);
  for (int halving = 0; halving <= 60; ++halving) {
    *alpha = ldexp(longest, -halving);
    bdem_step_move(problem, d->step, *alpha);
    ++report->line_search_steps;
    double next = bdem_step_objective(problem), needed = 1e-4 * *alpha * slope;
    bool falls = next <= *phi + needed;
    if (!falls && fabs(next - *phi) <= 1e-9 * (fabs(*phi) + elastic)) {
      bdem_step_gradient(problem, d->gradient);
      double there = la_dot(d->gradient, d->step, 6 * problem->body->sphere_count, execution_of(1));
      falls = 0.5 * *alpha * (slope + there) <= needed;
    }
    if (!falls) continue;
    *phi = next;
    return true;
  }
  return false;
}

static scr_status descent_solve(void *state, bdem_step_problem *problem, const bdem_optimizer_tuning *tuning, const bdem_progress *progress,
                                scr_error *error)
{
  descent *d = state;
  bdem_implicit_report *report = progress->report;
  bool blocks = tuning->gradient_metric == BDEM_METRIC_BLOCKS;
  double phi = bdem_step_objective(problem);
  bdem_step_hessian(problem, BDEM_CURVATURE_GAUSS_NEWTON);
  if (blocks) SCR_TRY(d->metric.update(d->metric.state, &problem->matrix, error));
  double alpha = blocks ? 1.0 : first_length(problem);
  bdem_progress_note(progress, bdem_step_gradient(problem, d->gradient));
  while (bdem_progress_unfinished(progress)) {
    SCR_TRY(bdem_progress_check(progress, problem, phi, error));
    ++report->newton_iterations;
    double slope = direct(d, problem, blocks);
    if (slope == 0.0) break;
    alpha *= 2.0;
    if (!search(d, problem, slope, &phi, &alpha, report)) {
      bdem_step_move(problem, d->step, 0.0);
      if (report->residual <= progress->options->tolerance) break;
      return bdem_progress_failed(progress, problem, "failed in its line search", error);
    }
    bdem_progress_note(progress, bdem_step_gradient(problem, d->gradient));
  }
  return SCR_OK;
}

const bdem_optimizer_kind_functions bdem_optimizer_gradient = {"manifold-gradient", descent_create, descent_solve, descent_destroy};
