/** The penalty method and the augmented Lagrangian: rounds of Newton's method on L in free quaternions, between which the penalty grows
 *  or the multipliers take over its force. A round ends when L's gradient is a tenth of the true problem's residual, which is measured
 *  on the normalised quaternions: what is left then is the constraint's part.
 *  Source: bonded DEM with manifold optimisation (2025), eqs 36 and 38; the rounds are the textbook's (Nocedal and Wright, ch. 17). */
#include "base/memory.h"
#include "linalg/vector.h"
#include "tests/studies/optimizers/euclid_solver.h"
#include "tests/studies/optimizers/optimizer_kinds.h"

typedef struct penalty {
  bdem_euclid_problem free;
  double *reduced; /* [n][6] the true problem's gradient */
  double *scratch;
} penalty;

static void penalty_destroy(void *state)
{
  penalty *s = state;
  if (!s) return;
  bdem_euclid_destroy(&s->free);
  mem_free(s->reduced);
  mem_free(s->scratch);
  mem_free(s);
}

static scr_status penalty_create(const bdem_body *body, void **state, scr_error *error)
{
  penalty *s = mem_array(1, sizeof *s);
  size_t n = body->sphere_count;
  *state = s;
  if (!s) return scr_fail_memory(error, "a penalty optimizer", sizeof *s);
  s->reduced = mem_array(n, 6 * sizeof *s->reduced);
  s->scratch = mem_array(bdem_euclid_scratch(n), sizeof *s->scratch);
  if (!s->reduced || !s->scratch) return scr_fail_memory(error, "a penalty optimizer", bdem_euclid_scratch(n) * sizeof(double));
  return bdem_euclid_create(body, &s->free, error);
}

/* kt + kb of the stiffest bond, J; 1 without bonds. */
static double stiffest(const bdem_body *body)
{
  double largest = 0.0;
  for (size_t b = 0; b < body->bond_count; ++b) largest = fmax(largest, body->bonds[b].shear + body->bonds[b].bend);
  return largest > 0.0 ? largest : 1.0;
}

/* A step for L into free.change and its slope; the definite Hessian where the exact one shows negative curvature. */
static double direction(penalty *s, double tolerance, bdem_implicit_report *report)
{
  size_t n = s->free.step->body->sphere_count;
  for (int definite = 0;; ++definite) {
    bdem_euclid_hessian(&s->free, definite);
    bdem_euclid_factor(&s->free, 0.0);
    la_pcg_report cg = bdem_euclid_conjugate(&s->free, tolerance, 20 * n + 1000, s->scratch);
    report->cg_iterations += cg.iterations;
    double slope = la_dot(s->free.gradient, s->free.change, BDEM_FREE * n, execution_of(1));
    if (definite || (cg.outcome != LA_PCG_NEGATIVE_CURVATURE && slope < 0.0)) return slope;
    ++report->fallbacks;
  }
}

/* Armijo's rule on L; near the minimum by the slopes at both ends, as in implicit.c. */
static bool search(penalty *s, double slope, double *value, bdem_implicit_report *report)
{
  bdem_euclid_problem *free = &s->free;
  size_t count = BDEM_FREE * free->step->body->sphere_count;
  double turn = bdem_euclid_largest_turn(free), longest = turn > 0.5 ? 0.5 / turn : 1.0;
  bdem_euclid_set_base(free);
  for (int halving = 0; halving <= 40; ++halving) {
    double alpha = ldexp(longest, -halving);
    bdem_euclid_move(free, alpha);
    ++report->line_search_steps;
    double next = bdem_euclid_objective(free), needed = 1e-4 * alpha * slope;
    bool falls = next <= *value + needed;
    if (!falls && fabs(next - *value) <= 1e-9 * fabs(*value)) {
      bdem_euclid_gradient(free);
      falls = 0.5 * alpha * (slope + la_dot(free->gradient, free->change, count, execution_of(1))) <= needed;
    }
    if (!falls) continue;
    *value = next;
    return true;
  }
  return false;
}

/* One round: until L's gradient is below `target` or the true problem is solved. SCR_DIVERGED as bdem_progress_check. */
static scr_status minimise(penalty *s, const bdem_progress *progress, double target, scr_error *error)
{
  bdem_step_problem *problem = s->free.step;
  double value = bdem_euclid_objective(&s->free), gradient = bdem_euclid_gradient(&s->free), first = gradient;
  while (bdem_progress_unfinished(progress) && (gradient > target || progress->report->newton_iterations == 0)) {
    SCR_TRY(bdem_progress_check(progress, problem, value, error));
    ++progress->report->newton_iterations;
    if (gradient == 0.0) break;
    double slope = direction(s, bdem_progress_linear_tolerance(progress, gradient, first), progress->report);
    if (!(slope < 0.0)) return bdem_progress_failed(progress, problem, "found no direction of descent", error);
    if (!search(s, slope, &value, progress->report)) {
      bdem_euclid_move(&s->free, 0.0);
      if (progress->report->residual <= progress->options->tolerance) break;
      return bdem_progress_failed(progress, problem, "failed in its line search", error);
    }
    gradient = bdem_euclid_gradient(&s->free);
    bdem_progress_note(progress, bdem_step_gradient(problem, s->reduced));
  }
  return SCR_OK;
}

static scr_status rounds(penalty *s, bdem_step_problem *problem, const bdem_optimizer_tuning *tuning, const bdem_progress *progress,
                         bool augmented, scr_error *error)
{
  const bdem_implicit_options *options = progress->options;
  double weight = tuning->penalty_weight > 0.0 ? tuning->penalty_weight : 1.0;
  double growth = tuning->penalty_growth > 0.0 ? tuning->penalty_growth : 100.0;
  SCR_TRY(bdem_euclid_begin(&s->free, problem, error));
  s->free.kappa = weight * stiffest(problem->body);
  bdem_progress_note(progress, bdem_step_gradient(problem, s->reduced));
  for (size_t round = 0; bdem_progress_unfinished(progress); ++round) {
    double target = 0.1 * fmax(options->tolerance, progress->report->residual);
    size_t before = progress->report->newton_iterations;
    SCR_TRY(minimise(s, progress, target, error));
    if (!bdem_progress_unfinished(progress)) break;
    if (augmented)
      for (size_t k = 0; k < problem->body->sphere_count; ++k)
        s->free.multiplier[k] += s->free.kappa * 0.5 * (quat_dot(s->free.quaternion[k], s->free.quaternion[k]) - 1.0);
    else if (growth > 1.0)
      s->free.kappa *= growth;
    else if (progress->report->newton_iterations == before)
      return bdem_progress_failed(progress, problem, "stays away from unit quaternions with this penalty", error);
    if (round >= 1000) return bdem_progress_failed(progress, problem, "did not converge", error);
  }
  return SCR_OK;
}

static scr_status penalty_solve(void *state, bdem_step_problem *problem, const bdem_optimizer_tuning *tuning, const bdem_progress *progress,
                                scr_error *error)
{
  return rounds(state, problem, tuning, progress, false, error);
}

static scr_status augmented_solve(void *state, bdem_step_problem *problem, const bdem_optimizer_tuning *tuning,
                                  const bdem_progress *progress, scr_error *error)
{
  return rounds(state, problem, tuning, progress, true, error);
}

const bdem_optimizer_kind_functions bdem_optimizer_penalty = {"penalty", penalty_create, penalty_solve, penalty_destroy};
const bdem_optimizer_kind_functions bdem_optimizer_augmented = {"augmented-lagrangian", penalty_create, augmented_solve, penalty_destroy};
