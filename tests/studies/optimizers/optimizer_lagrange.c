/** Lagrange multipliers: Newton's method on the gradient of Phi + lambda C, in 8 numbers per sphere. The matrix is indefinite, the
 *  solution a saddle, so the line search asks the length of the residual (gradient over the force scale, and C) to fall.
 *  Source: bonded DEM with manifold optimisation (2025), eq. 37. */
#include <string.h>

#include "base/memory.h"
#include "linalg/vector.h"
#include "tests/studies/optimizers/euclid_solver.h"
#include "tests/studies/optimizers/optimizer_kinds.h"

typedef struct lagrange {
  bdem_euclid_problem free;
  double *reduced;                             /* [n][6] the true problem's gradient */
  double *multiplier_base, *multiplier_change; /* [n] */
  double *scratch;
} lagrange;

static void lagrange_destroy(void *state)
{
  lagrange *s = state;
  if (!s) return;
  bdem_euclid_destroy(&s->free);
  mem_free(s->reduced);
  mem_free(s->multiplier_base);
  mem_free(s->multiplier_change);
  mem_free(s->scratch);
  mem_free(s);
}

static scr_status lagrange_create(const bdem_body *body, void **state, scr_error *error)
{
  lagrange *s = mem_array(1, sizeof *s);
  size_t n = body->sphere_count;
  *state = s;
  if (!s) return scr_fail_memory(error, "a Lagrange optimizer", sizeof *s);
  s->reduced = mem_array(n, 6 * sizeof *s->reduced);
  s->multiplier_base = mem_array(n, sizeof *s->multiplier_base);
  s->multiplier_change = mem_array(n, sizeof *s->multiplier_change);
  s->scratch = mem_array(bdem_euclid_scratch(n), sizeof *s->scratch);
  if (!s->reduced || !s->multiplier_base || !s->multiplier_change || !s->scratch)
    return scr_fail_memory(error, "a Lagrange optimizer", bdem_euclid_scratch(n) * sizeof(double));
  return bdem_euclid_create(body, &s->free, error);
}

/* The multipliers that make the gradient smallest: lambda = -q . dPhi/dq / |q|^2. Needs the gradient with lambda = 0. */
static void guess_multipliers(lagrange *s)
{
  const bdem_body *body = s->free.step->body;
  bdem_euclid_gradient(&s->free);
  for (size_t k = 0; k < body->sphere_count; ++k) {
    const double *g = s->free.gradient + BDEM_FREE * k + 3;
    scr_quat q = s->free.quaternion[k];
    s->free.multiplier[k] = -body->radius[k] * quat_dot(quat(g[0], g[1], g[2], g[3]), q) / quat_dot(q, q);
  }
}

/* Length of the scaled residual; leaves the gradient. */
static double residual_length(lagrange *s)
{
  size_t n = s->free.step->body->sphere_count;
  bdem_euclid_gradient(&s->free);
  double scale = s->free.step->force_scale,
         sum = la_dot(s->free.gradient, s->free.gradient, BDEM_FREE * n, execution_of(1)) / (scale * scale);
  for (size_t k = 0; k < n; ++k) {
    double c = bdem_euclid_turns(&s->free, k) ? 0.5 * (quat_dot(s->free.quaternion[k], s->free.quaternion[k]) - 1.0) : 0.0;
    sum += c * c;
  }
  return sqrt(sum);
}

static bool search(lagrange *s, double *length, bdem_implicit_report *report)
{
  size_t n = s->free.step->body->sphere_count;
  double turn = bdem_euclid_largest_turn(&s->free), longest = turn > 0.5 ? 0.5 / turn : 1.0;
  bdem_euclid_set_base(&s->free);
  memcpy(s->multiplier_base, s->free.multiplier, n * sizeof *s->multiplier_base);
  for (int halving = 0; halving <= 40; ++halving) {
    double alpha = ldexp(longest, -halving);
    bdem_euclid_move(&s->free, alpha);
    for (size_t k = 0; k < n; ++k) s->free.multiplier[k] = s->multiplier_base[k] + alpha * s->multiplier_change[k];
    ++report->line_search_steps;
    if (!bdem_step_admissible(s->free.step)) continue;
    double next = residual_length(s);
    if (!(next <= (1.0 - 1e-4 * alpha) * *length)) continue;
    *length = next;
    return true;
  }
  return false;
}

static scr_status lagrange_solve(void *state, bdem_step_problem *problem, const bdem_optimizer_tuning *tuning,
                                 const bdem_progress *progress, scr_error *error)
{
  (void)tuning;
  lagrange *s = state;
  bdem_implicit_report *report = progress->report;
  size_t n = problem->body->sphere_count;
  SCR_TRY(bdem_euclid_begin(&s->free, problem, error));
  guess_multipliers(s);
  double length = residual_length(s), first = length;
  bdem_progress_note(progress, bdem_step_gradient(problem, s->reduced));
  while (bdem_progress_unfinished(progress)) {
    SCR_TRY(bdem_progress_check(progress, problem, length, error));
    ++report->newton_iterations;
    if (length == 0.0) break;
    bdem_euclid_hessian(&s->free, false);
    bdem_euclid_factor(&s->free, 1.0);
    la_pcg_report linear = bdem_euclid_bordered(&s->free, bdem_progress_linear_tolerance(progress, length, first), 20 * n + 1000,
                                                s->multiplier_change, s->scratch);
    report->cg_iterations += linear.iterations;
    if (!search(s, &length, report)) {
      bdem_euclid_move(&s->free, 0.0);
      if (report->residual <= progress->options->tolerance) break;
      return bdem_progress_failed(progress, problem, "failed in its line search", error);
    }
    bdem_progress_note(progress, bdem_step_gradient(problem, s->reduced));
  }
  return SCR_OK;
}

const bdem_optimizer_kind_functions bdem_optimizer_lagrange = {"lagrange", lagrange_create, lagrange_solve, lagrange_destroy};
