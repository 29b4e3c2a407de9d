/* How the general contact problem of a step is solved: to a tolerance, by whatever solver does it. */
#include "methods/rigid/step/solve.h"

#include "methods/rigid/step/sleep.h"

enum { B = 6 };

/* What residuals are measured by at least: what gravity gives in a step, and a thousandth of the largest speed, so that rounding in
 * bodies that fly or roll along together is not taken for a contact that is not solved. */
static double reference_speed(const rigid_state *s, double dt)
{
  double largest = 0;
  for (size_t i = 0; i < s->body_count; i++) {
    const rigid_body *body = &s->bodies[i];
    double extent = s->shapes[body->shape].extent * body->scale;
    largest = fmax(largest, vec3_length(body->velocity) + vec3_length(body->spin) * extent);
  }
  return fmax(vec3_length(s->scene->rig.gravity) * dt, 1e-3 * largest);
}

/* Most factorisations of a step: as many as the solver's plan has, until steps are left unsolved; then half as many in each further
 * one, down to some. What is driven into a place too small for it would take seconds a step otherwise, for nothing. 0: the plan's */
static unsigned factors_of(const rigid_state *s)
{
  enum { FIRST = 512, LEAST = 16, HALVINGS = 5 };
  uint64_t row = s->report.in_a_row;
  return row == 0 ? 0 : row > HALVINGS ? LEAST : FIRST >> (row - 1);
}

static contact_options options_of(const rigid_state *s, double dt, scr_execution execution)
{
  contact_options options = contact_options_default();
  options.tolerance = rigid_tolerance(s->options);
  options.solver = (contact_solver)s->options->solver;
  options.iteration_limit = s->options->iterations > 0 ? (unsigned)s->options->iterations : 0;
  options.factor_limit = factors_of(s);
  options.execution = execution;
  options.reference_speed = reference_speed(s, dt);
  return options;
}

static scr_status solve(rigid_state *s, const contact_problem *problem, const contact_options *options, contact_result *result,
                        scr_error *error)
{
  rigid_problem *p = &s->problem;
  return contact_solve(problem, options, p->impulse, p->velocity, p->relative, result, error);
}

/* Slower than gravity makes bodies in a tenth of a step: at rest. Numbers that are none are not. */
static bool is_slow(const rigid_state *s, size_t body, scr_vec3 velocity, scr_vec3 spin, double dt)
{
  double extent = s->shapes[s->bodies[body].shape].extent * s->bodies[body].scale;
  return vec3_length(velocity) + extent * vec3_length(spin) < 0.1 * vec3_length(s->scene->rig.gravity) * dt;
}

/* Whether a solution leaves all bodies at rest. What sleeps has no part in it. */
static bool is_rest(const rigid_state *s, double dt)
{
  for (size_t i = 0; i < s->body_count; i++) {
    const double *v = s->problem.velocity + i * B;
    if (!rigid_is_asleep(s, i) && !is_slow(s, i, vec3(v[0], v[1], v[2]), vec3(v[3], v[4], v[5]), dt)) return false;
  }
  return true;
}

/* Whether the step is that of a pack of any bodies of which some move, more than one in a hundred or three: it may be solved to the measure
 * of packs. What stands, and what is hit at one place, is solved to the tolerance: whether it stands is not for a measure to say. */
static bool is_pack_in_motion(const rigid_state *s, double dt)
{
  enum { BODIES = 100, ONE_IN = 100, SOME = 3 };
  size_t moving = 0;
  if (!rigid_may_sweep(s->options) || s->body_count < BODIES || !(vec3_length(s->scene->rig.gravity) > 0)) return false;
  for (size_t i = 0; i < s->body_count; i++) moving += !is_slow(s, i, s->bodies[i].velocity, s->bodies[i].spin, dt);
  return moving >= SOME || moving * ONE_IN > s->body_count;
}

/* What rests is solved on to POLISH of the tolerance, so that it does not creep by what the tolerance leaves: 20 cubes drift 5e-7 m in
 * 2000 steps of 5 ms at 1e-6, 1e-13 at 1e-12. The next steps then start from a solution, so rest is cheaper for it. A step counts as
 * solved by the tolerance all the same: packs that don't come so far soon are left as they are. Few contacts cost next to nothing, and
 * interior points need some 30 factors of masses in a ratio of 10^6, where ten leave a millionth of the weight out of the force. Tolerances
 * above LOOSE say that no such thing is wanted. */
static scr_status polish(rigid_state *s, const contact_problem *problem, const contact_options *given, double dt, contact_result *result,
                         scr_error *error)
{
  enum { SWEEPS = 100, FACTORS = 10, FEW_FACTORS = 40, FEW = 100, MANY = 600 };
  const double part = 1e-6, least = 1e-12, loose = 1e-6;
  contact_options options = *given;
  contact_result further;
  options.tolerance = fmax(least, part * given->tolerance);
  if (given->solver != CONTACT_AUTO || given->tolerance > loose || result->status != CONTACT_SOLVED ||
      result->residual <= options.tolerance || !is_rest(s, dt))
    return SCR_OK;
  options.iteration_limit = options.iteration_limit && options.iteration_limit < SWEEPS ? options.iteration_limit : SWEEPS;
  options.factor_limit = problem->contact_count > FEW ? FACTORS : FEW_FACTORS;
  if (problem->contact_count > MANY) options.solver = CONTACT_GAUSS_SEIDEL, options.momentum = true;
  SCR_TRY(solve(s, problem, &options, &further, error));
  result->residual = further.residual;
  result->iterations += further.iterations;
  result->factorisations += further.factorisations;
  return SCR_OK;
}

/* A pack in motion, by sweeps with momentum: to a share of what gravity gives in a whole step, or so many; by whatever solver does it where
 * these leave more than is promised. */
static scr_status solve_in_motion(rigid_state *s, const contact_problem *problem, const contact_options *given, contact_result *result,
                                  scr_error *error)
{
  const rigid_promise *promise = rigid_promised(s->options);
  const double speed = vec3_length(s->scene->rig.gravity) * s->time_step;
  rigid_report *report = &s->report;
  contact_options options = *given;
  options.absolute = options.momentum = true;
  options.reference_speed = speed;
  options.tolerance = promise->residual;
  options.solver = CONTACT_GAUSS_SEIDEL;
  if (options.iteration_limit == 0 || options.iteration_limit > promise->sweeps) options.iteration_limit = promise->sweeps;
  SCR_TRY(solve(s, problem, &options, result, error));
  if (result->residual > promise->most) {
    contact_result first = *result;
    options.tolerance = 1;
    options.reference_speed *= promise->most;
    options.solver = CONTACT_AUTO;
    options.iteration_limit = given->iteration_limit;
    SCR_TRY(solve(s, problem, &options, result, error));
    result->residual *= promise->most;
    result->iterations += first.iterations;
  }
  report->pack = RIGID_MOVING;
  report->limit = promise->most;
  report->is_above = result->residual > promise->residual;
  report->left = result->residual * speed;
  return SCR_OK;
}

scr_status rigid_solve(rigid_state *s, const contact_problem *problem, double dt, scr_execution execution, contact_result *result,
                       scr_error *error)
{
  const contact_options options = options_of(s, dt, execution);
  s->report.pack = s->report.rested = s->report.slow = s->report.is_above = 0;
  s->report.limit = options.tolerance;
  if (is_pack_in_motion(s, dt)) return solve_in_motion(s, problem, &options, result, error);
  SCR_TRY(solve(s, problem, &options, result, error));
  return polish(s, problem, &options, dt, result, error);
}
