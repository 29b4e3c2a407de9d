/** The linear solves of a step: which preconditioner, what it needs to know, and how long it is kept. */
#include "base/memory.h"
#include "methods/bdem/implicit/step_problem.h"

/* The time step over the stable explicit one, 2/sqrt(18 k/m) of the stiffest bond on the lightest of its spheres: 18 k/m bounds the square
 * of the highest frequency in close packings. */
static double stable_steps(const bdem_step_problem *p)
{
  const bdem_body *body = p->body;
  double square = 0.0;
  for (size_t b = 0; b < body->bond_count; ++b)
    square = fmax(square, 18.0 * body->bonds[b].stretch / fmin(body->mass[body->ends[b][0]], body->mass[body->ends[b][1]]));
  return square > 0.0 ? 0.5 * p->time_step * sqrt(square) : 0.0;
}

scr_status bdem_step_precondition(bdem_step_problem *p, la_preconditioner_kind kind, scr_error *error)
{
  size_t n = p->matrix.row_count;
  p->preconditioned = false;
  if (kind == LA_AUTOMATIC)
    kind = la_preconditioner_choose(n, n > 0 ? 2.0 * (double)p->body->bond_count / (double)n : 0.0, stable_steps(p));
  if (kind == LA_MULTIGRID && !p->modes) {
    p->modes = mem_array(n, LA_BLOCK_SIZE * sizeof *p->modes);
    if (!p->modes) return scr_fail_memory(error, "the rigid motions of a body", n * LA_BLOCK_SIZE * sizeof *p->modes);
  }
  if (p->preconditioner.state && kind == p->preconditioner_kind && p->execution.threads == p->preconditioner_threads) return SCR_OK;
  la_preconditioner_destroy(&p->preconditioner);
  p->factored = p->preconditioned = false;
  p->preconditioner_kind = kind;
  p->preconditioner_threads = p->execution.threads;
  SCR_TRY(la_preconditioner_create(kind, p->execution, &p->preconditioner, error));
  la_multigrid_set_modes(&p->preconditioner, p->modes);
  return SCR_OK;
}

/* Columns: shifts along the axes, then turns w about them: dp = w x (p - p of the first sphere), z = r w / 2. Zero where held. */
static void set_modes(bdem_step_problem *p)
{
  const bdem_body *body = p->body;
  memset(p->modes, 0, body->sphere_count * LA_BLOCK_SIZE * sizeof *p->modes);
  for (size_t k = 0; k < body->sphere_count; ++k) {
    scr_vec3 arm = vec3_sub(body->position[k], body->position[0]);
    double spin[3][3] = {{0, arm.z, -arm.y}, {-arm.z, 0, arm.x}, {arm.y, -arm.x, 0}}, *mode = p->modes + LA_BLOCK_SIZE * k;
    for (int d = 0; d < 3; ++d) {
      if (!(body->held[k] >> d & 1)) {
        mode[7 * d] = 1.0;
        memcpy(mode + (ptrdiff_t)6 * d + 3, spin[d], sizeof spin[d]);
      }
      if (!(body->held[k] >> (d + 3) & 1)) mode[7 * (d + 3)] = 0.5 * body->radius[k];
    }
  }
}

/* Iterations per digit by which the residual fell. */
static double iterations_per_digit_of(const la_pcg_report *cg)
{
  double digits = -log10(fmax(cg->residual, 1e-16));
  return (double)cg->iterations / fmax(digits, 0.1);
}

scr_status bdem_step_factor(bdem_step_problem *p, scr_error *error)
{
  p->factored = false;
  if (p->preconditioner_kind == LA_MULTIGRID) set_modes(p);
  SCR_TRY(p->preconditioner.update(p->preconditioner.state, &p->matrix, error));
  p->factored = true;
  return SCR_OK;
}

scr_status bdem_step_solve(bdem_step_problem *p, const double *gradient, double tolerance, double *step, la_pcg_report *cg,
                           scr_error *error)
{
  size_t n = p->body->sphere_count;
  bool dear = p->preconditioner_kind == LA_MULTIGRID || p->preconditioner_kind == LA_DIRECT;
  la_pcg_options options = {.tolerance = tolerance, .iteration_limit = 20 * n + 1000, .execution = p->execution, .liveness = p->liveness};
  for (size_t k = 0; k < 6 * n; ++k) p->right[k] = -gradient[k];
  if (p->factored) {
    *cg = la_pcg(&p->matrix, &p->preconditioner, &options, p->right, step, p->scratch);
    return SCR_OK;
  }
  if (p->preconditioned) {
    *cg = la_pcg(&p->matrix, &p->preconditioner, &options, p->right, step, p->scratch);
    p->preconditioned = iterations_per_digit_of(cg) <= 2.0 * p->iterations_per_digit + 2.0;
    if (cg->outcome == LA_PCG_CONVERGED) return SCR_OK;
  }
  SCR_TRY(bdem_step_factor(p, error));
  *cg = la_pcg(&p->matrix, &p->preconditioner, &options, p->right, step, p->scratch);
  p->iterations_per_digit = iterations_per_digit_of(cg);
  p->preconditioned = dear && cg->outcome == LA_PCG_CONVERGED;
  return SCR_OK;
}
