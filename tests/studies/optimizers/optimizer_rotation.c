/** Newton's method on the equations of motion in positions and rotation vectors, q = exp(theta) q_n.
 *
 *  The equations are the reduced gradient g(p, theta) = 0. Its Jacobian is (H + N) T, H the Riemannian Hessian, T = diag(I, Jl(theta)/2)
 *  and N the matrix -(dPhi/dy) x in the rotations' diagonal blocks. N vanishes with g, so leaving it out keeps Newton's convergence
 *  quadratic and the linear system symmetric: solve H (dp, y) = -g, then theta changes by 2 Jl(theta)^-1 y. Steps are straight lines in
 *  theta, and the line search asks the length of g to fall.
 *  Source: bonded DEM with manifold optimisation (2025), section 6.1, where this formulation is compared. */
#include <string.h>

#include "base/memory.h"
#include "linalg/vector.h"
#include "base/quat.h"
#include "tests/studies/optimizers/optimizer_kinds.h"

typedef struct rotation {
  double *gradient, *step;          /* [n][6] */
  scr_vec3 *theta, *base, *changes; /* [n] rotation vectors from q_n: of the trial point, of the line search's start, its direction */
} rotation;

static void rotation_destroy(void *state)
{
  rotation *s = state;
  if (!s) return;
  mem_free(s->gradient);
  mem_free(s->step);
  mem_free(s->theta);
  mem_free(s->base);
  mem_free(s->changes);
  mem_free(s);
}

static scr_status rotation_create(const bdem_body *body, void **state, scr_error *error)
{
  rotation *s = mem_array(1, sizeof *s);
  size_t n = body->sphere_count;
  *state = s;
  if (!s) return scr_fail_memory(error, "a rotation vector optimizer", sizeof *s);
  s->gradient = mem_array(n, 6 * sizeof *s->gradient);
  s->step = mem_array(n, 6 * sizeof *s->step);
  s->theta = mem_array(n, sizeof *s->theta);
  s->base = mem_array(n, sizeof *s->base);
  s->changes = mem_array(n, sizeof *s->changes);
  if (s->gradient && s->step && s->theta && s->base && s->changes) return SCR_OK;
  return scr_fail_memory(error, "a rotation vector optimizer", n * 168);
}

static double length_of(const rotation *s, const bdem_step_problem *problem)
{
  return sqrt(la_dot(s->gradient, s->gradient, 6 * problem->body->sphere_count, execution_of(1)));
}

/* Trial state = base moved by alpha: positions and rotation vectors along straight lines. False past 1.9 pi, close to the singularity
 * of a full turn, and outside the bonds' hemispheres. */
static bool move(const rotation *s, const bdem_step_problem *problem, double alpha)
{
  bdem_body *body = problem->body;
  for (size_t k = 0; k < body->sphere_count; ++k) {
    const double *d = s->step + 6 * k;
    s->theta[k] = vec3_add(s->base[k], vec3_scale(s->changes[k], alpha));
    if (!(vec3_length(s->theta[k]) < 6.0)) return false;
    body->position[k] = vec3_add(problem->base[k], vec3(alpha * d[0], alpha * d[1], alpha * d[2]));
    body->orientation[k] = quat_normalise(quat_multiply(quat_exp(s->theta[k]), problem->turned[k]));
  }
  return bdem_step_admissible(problem);
}

static scr_status direction(rotation *s, bdem_step_problem *problem, const bdem_progress *progress, double tolerance, scr_error *error)
{
  static const bdem_curvature curvatures[] = {BDEM_CURVATURE_EXACT, BDEM_CURVATURE_CLIPPED, BDEM_CURVATURE_GAUSS_NEWTON};
  la_pcg_report cg;
  bdem_step_hessian(problem, curvatures[progress->options->projection]);
  SCR_TRY(bdem_step_solve(problem, s->gradient, tolerance, s->step, &cg, error));
  progress->report->cg_iterations += cg.iterations;
  if (cg.outcome == LA_PCG_NEGATIVE_CURVATURE) {
    ++progress->report->fallbacks;
    bdem_step_hessian(problem, BDEM_CURVATURE_CLIPPED);
    SCR_TRY(bdem_step_solve(problem, s->gradient, tolerance, s->step, &cg, error));
    progress->report->cg_iterations += cg.iterations;
  }
  for (size_t k = 0; k < problem->body->sphere_count; ++k) {
    const double *d = s->step + 6 * k;
    scr_vec3 turn = vec3_scale(vec3(d[3], d[4], d[5]), 2.0 / problem->body->radius[k]);
    s->changes[k] = rotation_left_jacobian_inverse(s->theta[k], turn);
  }
  return SCR_OK;
}

static bool search(rotation *s, bdem_step_problem *problem, double *length, double *largest, bdem_implicit_report *report)
{
  double turn = bdem_step_largest_turn(problem, s->step), longest = turn > 0.5 ? 0.5 / turn : 1.0;
  bdem_step_set_base(problem);
  memcpy(s->base, s->theta, problem->body->sphere_count * sizeof *s->base);
  for (int halving = 0; halving <= 40; ++halving) {
    double alpha = ldexp(longest, -halving);
    ++report->line_search_steps;
    if (!move(s, problem, alpha)) continue;
    *largest = bdem_step_gradient(problem, s->gradient);
    double next = length_of(s, problem);
    if (!(next <= (1.0 - 1e-4 * alpha) * *length)) continue;
    *length = next;
    return true;
  }
  return false;
}

static scr_status rotation_solve(void *state, bdem_step_problem *problem, const bdem_optimizer_tuning *tuning,
                                 const bdem_progress *progress, scr_error *error)
{
  (void)tuning;
  rotation *s = state;
  bdem_implicit_report *report = progress->report;
  SCR_TRY(bdem_step_precondition(problem, progress->options->preconditioner, error));
  for (size_t k = 0; k < problem->body->sphere_count; ++k)
    s->theta[k] = quat_log(quat_multiply(problem->body->orientation[k], quat_conjugate(problem->turned[k])));
  double largest = bdem_step_gradient(problem, s->gradient), length = length_of(s, problem), first = length;
  bdem_progress_note(progress, largest);
  while (bdem_progress_unfinished(progress)) {
    SCR_TRY(bdem_progress_check(progress, problem, length, error));
    ++report->newton_iterations;
    if (length == 0.0) break;
    SCR_TRY(direction(s, problem, progress, bdem_progress_linear_tolerance(progress, length, first), error));
    if (!search(s, problem, &length, &largest, report)) {
      if (report->residual <= progress->options->tolerance && move(s, problem, 0.0)) break;
      return bdem_progress_failed(progress, problem, "failed in its line search", error);
    }
    bdem_progress_note(progress, largest);
  }
  return SCR_OK;
}

const bdem_optimizer_kind_functions bdem_optimizer_rotation = {"rotation-vector", rotation_create, rotation_solve, rotation_destroy};
