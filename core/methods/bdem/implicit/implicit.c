/** Damped Newton on the product of R^3 and the unit 3-sphere; steps follow geodesics. */
#include "methods/bdem/implicit/implicit.h"

#include "base/memory.h"
#include "linalg/vector.h"
#include "linalg/block6/secant.h"
#include "methods/bdem/implicit/step_progress.h"

typedef struct newton {
  bdem_step_problem problem;
  double *gradient, *step; /* [n][6] */
  double *before;          /* [n][6] the gradient at the base */
  la_secants secants;      /* of this step's iterations */
  bool secant;             /* the next step is a quasi-Newton one: one application of the preconditioner, no linear solve */
  bool kept;               /* the problem's matrix is that of an earlier iteration, or step, which it served well */
  double alpha;            /* share of the last step that was taken */
  double phi;              /* of the base, or of the trial state that was taken; NaN = not needed so far */
} newton;

scr_status bdem_implicit_create(const bdem_body *body, bdem_step_solver **solver, scr_error *error)
{
  newton *s = mem_array(1, sizeof *s);
  *solver = NULL;
  if (!s) return scr_fail_memory(error, "an implicit solver", sizeof *s);
  s->gradient = mem_array(body->sphere_count, 6 * sizeof *s->gradient);
  s->step = mem_array(body->sphere_count, 6 * sizeof *s->step);
  s->before = mem_array(body->sphere_count, 6 * sizeof *s->before);
  scr_status status = s->gradient && s->step && s->before ? SCR_OK : scr_fail_memory(error, "an implicit solver", body->sphere_count * 144);
  if (status == SCR_OK) status = la_secants_create(6 * body->sphere_count, &s->secants, error);
  if (status == SCR_OK) status = bdem_step_problem_create(body, &s->problem, error);
  if (status == SCR_OK)
    *solver = (bdem_step_solver *)s;
  else
    bdem_implicit_destroy((bdem_step_solver *)s);
  return status;
}

bool bdem_implicit_carries(const bdem_step_solver *solver)
{
  return bdem_step_carries(&((const newton *)solver)->problem);
}

scr_status bdem_implicit_save(const bdem_step_solver *solver, scr_blob *blob, scr_error *error)
{
  return bdem_step_origin_save(&((const newton *)solver)->problem, blob, error);
}

scr_status bdem_implicit_load(bdem_step_solver *solver, bdem_body *body, struct bdem_contacts *contacts, scr_execution execution,
                              la_preconditioner_kind preconditioner, scr_blob *blob, scr_error *error)
{
  return bdem_step_origin_load(&((newton *)solver)->problem, body, contacts, execution, preconditioner, blob, error);
}

void bdem_implicit_destroy(bdem_step_solver *solver)
{
  newton *s = (newton *)solver;
  if (!s) return;
  bdem_step_problem_destroy(&s->problem);
  mem_free(s->gradient);
  mem_free(s->step);
  mem_free(s->before);
  la_secants_destroy(&s->secants);
  mem_free(s);
}

scr_status bdem_implicit_keep(bdem_step_solver *solver, const bdem_body *body, struct bdem_contacts *contacts, bool *kept, scr_error *error)
{
  return bdem_step_pattern_keep(&((newton *)solver)->problem, body, contacts, kept, error);
}

static const bdem_curvature curvatures[] = {BDEM_CURVATURE_EXACT, BDEM_CURVATURE_CLIPPED, BDEM_CURVATURE_GAUSS_NEWTON};

/* A quasi-Newton step; returns its product with the gradient. */
static double secant_step(newton *s, bdem_implicit_report *report)
{
  bdem_step_problem *p = &s->problem;
  size_t count = 6 * p->body->sphere_count;
  la_secants_step(&s->secants, &p->preconditioner, s->gradient, count, s->step, p->right, p->execution);
  ++report->cg_iterations;
  return la_dot(s->gradient, s->step, count, p->execution);
}

/* Solves Newton's equation with one kind of Hessian; `slope` is the step's product with the gradient. */
static scr_status solve(newton *s, bdem_curvature curvature, double tolerance, bdem_implicit_report *report, la_pcg_outcome *outcome,
                        double *slope, scr_error *error)
{
  la_pcg_report cg;
  if (!s->kept) bdem_step_hessian(&s->problem, curvature);
  SCR_TRY(bdem_step_solve(&s->problem, s->gradient, tolerance, s->step, &cg, error));
  report->cg_iterations += cg.iterations;
  *outcome = cg.outcome;
  *slope = la_dot(s->gradient, s->step, 6 * s->problem.body->sphere_count, s->problem.execution);
  return SCR_OK;
}

/* A step along which Phi falls: `slope` < 0, unless even the clipped Hessian gives none. Clipped, not Gauss-Newton's: of all
 * positive semi-definite matrices it is, bond by bond, the nearest to the exact one. */
static scr_status direction(newton *s, bdem_projection projection, double tolerance, bdem_implicit_report *report, double *slope,
                            scr_error *error)
{
  la_pcg_outcome outcome;
  if (s->secant) {
    *slope = secant_step(s, report);
    if (*slope < 0.0) return SCR_OK;
    s->secant = false;
  }
  do {
    bool again = s->kept;
    SCR_TRY(solve(s, curvatures[projection], tolerance, report, &outcome, slope, error));
    if (outcome != LA_PCG_NEGATIVE_CURVATURE && *slope < 0.0) return SCR_OK;
    s->kept = false;
    if (!again) break;
  } while (true);
  ++report->fallbacks;
  return solve(s, BDEM_CURVATURE_CLIPPED, tolerance, report, &outcome, slope, error);
}

/* Phi's slope along the step at the trial state, whose gradient is left in s->gradient and the residual in the report. */
static double slope_there(newton *s, bdem_implicit_report *report)
{
  const bdem_step_problem *p = &s->problem;
  report->residual = bdem_step_gradient(p, s->gradient);
  return la_dot(s->gradient, s->step, 6 * p->body->sphere_count, p->execution);
}

static double gradient_length(const newton *s)
{
  const bdem_step_problem *p = &s->problem;
  return sqrt(la_dot(s->gradient, s->gradient, 6 * p->body->sphere_count, p->execution));
}

/* Most that may be left of the gradient's length for a whole step to be taken without a look at Phi. */
static const double plain_fall = 0.5;

/* Whether Newton's method converges: the whole step leaves at most half of the gradient, and Phi falls by 1e-4 of what its slope promises
 * (Armijo's rule) when its change is taken from the slopes at both ends, alpha/2 (slope + slope there), which is the same for a quadratic
 * (Hager and Zhang's approximate rule). The gradient is needed next anyway; Phi costs as much again. */
static bool converges(newton *s, double slope, double length, bdem_implicit_report *report)
{
  if (!bdem_step_admissible(&s->problem)) return false;
  double there = slope_there(s, report);
  return gradient_length(s) <= plain_fall * length && 0.5 * (slope + there) <= 1e-4 * slope;
}

/* Armijo's rule by values of Phi. Close to the minimum their difference is rounding; there it is the approximate rule. */
static bool falls_enough(newton *s, double next, double alpha, double slope, bdem_implicit_report *report)
{
  double needed = 1e-4 * alpha * slope;
  if (!isfinite(next)) return false;
  if (next > s->phi + needed) {
    if (!(fabs(next - s->phi) <= 1e-9 * (fabs(s->phi) + bdem_step_elastic(&s->problem)))) return false;
    return 0.5 * alpha * (slope + slope_there(s, report)) <= needed;
  }
  report->residual = bdem_step_gradient(&s->problem, s->gradient);
  return true;
}

/* Halves the step, from one that turns no sphere by more than 1 rad, until Phi falls enough; gradient and residual are then those of the
 * new state. False after 40 halvings. @param length of the gradient at the base */
static bool line_search(newton *s, double slope, double length, bdem_implicit_report *report)
{
  bdem_step_problem *problem = &s->problem;
  double turn = bdem_step_largest_turn(problem, s->step), longest = turn > 0.5 ? 0.5 / turn : 1.0;
  bdem_step_set_base(problem);
  if (longest == 1.0) {
    bdem_step_move(problem, s->step, 1.0);
    if (converges(s, slope, length, report)) {
      s->phi = (double)NAN;
      s->alpha = 1.0;
      ++report->line_search_steps;
      return true;
    }
  }
  if (isnan(s->phi)) {
    bdem_step_move(problem, s->step, 0.0);
    s->phi = bdem_step_objective(problem);
  }
  for (int halving = 0; halving <= 40; ++halving) {
    s->alpha = ldexp(longest, -halving);
    bdem_step_move(problem, s->step, s->alpha);
    ++report->line_search_steps;
    double next = bdem_step_objective(problem);
    if (falls_enough(s, next, s->alpha, slope, report)) {
      s->phi = next;
      return true;
    }
  }
  return false;
}

/* Most that may be left of the gradient after an iteration for its matrix to serve the next one too. A new matrix and its preconditioner
 * cost as much as ten or twenty iterations of the linear solver, and bonds hardly turn from step to step. */
static const double well_served = 0.2;

/* Most that may be left after a quasi-Newton iteration for the next to be one. */
static const double well_led = 0.5;

/* Good preconditioners make quasi-Newton steps as good as linear solves: they keep what they learn from one iteration to the next. */
static bool leads(const bdem_step_problem *problem, const bdem_implicit_options *options)
{
  return !options->newton_only && (problem->preconditioner_kind == LA_MULTIGRID || problem->preconditioner_kind == LA_DIRECT);
}

/* What the next iteration works with, when the last one left `left` of the gradient. A quasi-Newton step that was poor is followed by a
 * linear solve with the matrix that there is, a poor solve by one with a new matrix. */
static void choose_next(newton *s, double left, const bdem_progress *progress)
{
  bool poor = !(left <= (s->secant ? well_led : well_served)) || progress->report->fallbacks > 0;
  s->kept = !progress->options->newton_only && (s->secant || !poor);
  s->secant = !poor && leads(&s->problem, progress->options);
}

/* Whether the last step's matrix is tried first. */
static bool carried(const bdem_step_problem *problem, bdem_projection projection)
{
  return bdem_step_carries(problem) && problem->origin.time_step == problem->time_step &&
         problem->origin.curvature == curvatures[projection];
}

static scr_status minimise(newton *s, const bdem_progress *progress, scr_error *error)
{
  bdem_step_problem *problem = &s->problem;
  bdem_implicit_report *report = progress->report;
  size_t begun = report->newton_iterations;
  double start = s->phi, first = 0.0, before = 0.0, slope;
  s->kept = !progress->options->newton_only && carried(problem, progress->options->projection);
  s->secant = s->kept && leads(problem, progress->options);
  s->secants.count = 0;
  bdem_progress_note(progress, bdem_step_gradient(problem, s->gradient));
  while (bdem_progress_unfinished(progress)) {
    if (report->newton_iterations == begun) SCR_TRY(bdem_progress_check(progress, problem, start, error));
    SCR_TRY(bdem_progress_check_numbers(progress, problem, start, error));
    double length = gradient_length(s), residual = report->residual;
    if (report->newton_iterations == begun) first = length;
    if (report->newton_iterations > begun) choose_next(s, length / before, progress);
    before = length;
    ++report->newton_iterations;
    if (length == 0.0) break;
    memcpy(s->before, s->gradient, 6 * problem->body->sphere_count * sizeof *s->before);
    SCR_TRY(direction(s, progress->options->projection, bdem_progress_linear_tolerance(progress, length, first), report, &slope, error));
    if (!(slope < 0.0)) return bdem_progress_failed(progress, problem, "found no direction of descent", error);
    if (!line_search(s, slope, length, report)) {
      bdem_step_move(problem, s->step, 0.0);
      report->residual = residual;
      if (residual <= progress->tolerance) break; /* solved before the first iteration, up to rounding */
      return bdem_progress_failed(progress, problem, "failed in its line search", error);
    }
    la_secants_add(&s->secants, s->step, s->alpha, s->before, s->gradient, 6 * problem->body->sphere_count, problem->execution);
    bdem_progress_note(progress, report->residual);
  }
  if (progress->options->measure_decrease) report->decrease = start - (isnan(s->phi) ? bdem_step_objective(problem) : s->phi);
  return SCR_OK;
}

/* Again from the solution, until the normal forces that limit friction are those at the step's end. */
static scr_status minimise_with_friction(newton *s, const bdem_progress *progress, scr_error *error)
{
  bdem_step_problem *problem = &s->problem;
  for (int pass = 1;; ++pass) {
    size_t begun = progress->report->newton_iterations;
    SCR_TRY(minimise(s, progress, error));
    if (pass == BDEM_FRICTION_PASSES || (pass > 1 && progress->report->newton_iterations == begun)) break;
    bool had = bdem_step_has_friction(problem);
    SCR_TRY(bdem_step_friction_list(problem, error));
    if (!had && !bdem_step_has_friction(problem)) break;
    s->phi = bdem_step_objective(problem);
  }
  bdem_step_friction_reach(problem);
  return SCR_OK;
}

scr_status bdem_implicit_step(bdem_step_solver *solver, bdem_body *body, const scr_vec3 *load, const bdem_implicit_options *options,
                              bdem_implicit_report *report, scr_error *error)
{
  newton *s = (newton *)solver;
  bdem_progress progress;
  SCR_TRY(bdem_progress_begin(options, report, &progress, error));
  bdem_step_begin(&s->problem, body, load, options->time_step, options->force_scale, options->execution);
  bdem_progress_allow_rounding(&progress, &s->problem);
  SCR_TRY(bdem_step_friction_list(&s->problem, error));
  s->problem.liveness = options->liveness;
  s->phi = bdem_step_guess(&s->problem, options->from_prediction);
  scr_status status = bdem_step_precondition(&s->problem, options->preconditioner, error);
  if (status == SCR_OK) status = minimise_with_friction(s, &progress, error);
  if (status == SCR_OK)
    bdem_step_finish(&s->problem);
  else
    bdem_step_restore(&s->problem);
  return status;
}
