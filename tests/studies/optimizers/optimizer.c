/** The table of optimizers, and what is common to their steps. */
#include "tests/studies/optimizers/optimizer.h"

#include "base/memory.h"
#include "tests/studies/optimizers/optimizer_kinds.h"

struct bdem_optimizer {
  const bdem_optimizer_kind_functions *kind; /* NULL for manifold Newton */
  bdem_step_solver *newton;
  bdem_step_problem problem;
  void *state;
};

/* In the order of bdem_optimizer_kind; manifold Newton is implicit.c's. */
static const bdem_optimizer_kind_functions *const kinds[BDEM_OPTIMIZER_COUNT] = {
    NULL, &bdem_optimizer_gradient, &bdem_optimizer_penalty, &bdem_optimizer_lagrange, &bdem_optimizer_augmented, &bdem_optimizer_rotation};

const char *bdem_optimizer_name(bdem_optimizer_kind kind)
{
  return kinds[kind] ? kinds[kind]->name : "manifold-newton";
}

scr_status bdem_optimizer_create(bdem_optimizer_kind kind, const bdem_body *body, bdem_optimizer **optimizer, scr_error *error)
{
  bdem_optimizer *o = mem_array(1, sizeof *o);
  *optimizer = NULL;
  if (!o) return scr_fail_memory(error, "an optimizer", sizeof *o);
  o->kind = kinds[kind];
  scr_status status;
  if (!o->kind) {
    status = bdem_implicit_create(body, &o->newton, error);
  } else {
    status = bdem_step_problem_create(body, &o->problem, error);
    if (status == SCR_OK) status = o->kind->create(body, &o->state, error);
  }
  if (status == SCR_OK)
    *optimizer = o;
  else
    bdem_optimizer_destroy(o);
  return status;
}

void bdem_optimizer_destroy(bdem_optimizer *o)
{
  if (!o) return;
  bdem_implicit_destroy(o->newton);
  bdem_step_problem_destroy(&o->problem);
  if (o->kind) o->kind->destroy(o->state);
  mem_free(o);
}

/* Again from the solution, until the normal forces that limit friction are those at the step's end. */
static scr_status solve_with_friction(bdem_optimizer *o, const bdem_optimizer_tuning *tuning, const bdem_progress *progress,
                                      scr_error *error)
{
  for (int pass = 1;; ++pass) {
    size_t begun = progress->report->newton_iterations;
    SCR_TRY(o->kind->solve(o->state, &o->problem, tuning, progress, error));
    if (pass == BDEM_FRICTION_PASSES || (pass > 1 && progress->report->newton_iterations == begun)) break;
    bool had = bdem_step_has_friction(&o->problem);
    SCR_TRY(bdem_step_friction_list(&o->problem, error));
    if (!had && !bdem_step_has_friction(&o->problem)) break;
  }
  bdem_step_friction_reach(&o->problem);
  return SCR_OK;
}

scr_status bdem_optimizer_step(bdem_optimizer *o, bdem_body *body, const scr_vec3 *load, const bdem_implicit_options *options,
                               const bdem_optimizer_tuning *tuning, bdem_implicit_report *report, scr_error *error)
{
  static const bdem_optimizer_tuning usual = {0};
  bdem_progress progress;
  if (!tuning) tuning = &usual;
  if (!(tuning->penalty_weight >= 0.0) || !(tuning->penalty_growth == 0.0 || tuning->penalty_growth >= 1.0))
    return scr_fail(error, SCR_BAD_USAGE, NULL, "the penalty's weight %.3g must be at least 0, its growth %.3g at least 1 (0 = default)",
                    tuning->penalty_weight, tuning->penalty_growth);
  if (!o->kind) return bdem_implicit_step(o->newton, body, load, options, report, error);
  SCR_TRY(bdem_progress_begin(options, report, &progress, error));
  bdem_step_begin(&o->problem, body, load, options->time_step, options->force_scale, options->execution);
  SCR_TRY(bdem_step_friction_list(&o->problem, error));
  o->problem.liveness = options->liveness;
  double start = bdem_step_guess(&o->problem, options->from_prediction);
  scr_status status = solve_with_friction(o, tuning, &progress, error);
  if (status != SCR_OK) {
    bdem_step_restore(&o->problem);
    return status;
  }
  report->decrease = start - bdem_step_objective(&o->problem);
  bdem_step_finish(&o->problem);
  return SCR_OK;
}
