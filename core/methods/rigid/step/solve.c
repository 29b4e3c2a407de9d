/* How the general contact problem of a step is solved: to a tolerance, by whatever solver does it. */
#include "methods/rigid/step/solve.h"

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

/* Whether a solution leaves all bodies slower than gravity makes them in a tenth of a step. */
static bool is_rest(const rigid_state *s, double dt)
{
  double slow = 0.1 * vec3_length(s->scene->rig.gravity) * dt;
  for (size_t i = 0; i < s->body_count; i++) {
    const double *v = s->problem.velocity + i * B;
    double extent = s->shapes[s->bodies[i].shape].extent * s->bodies[i].scale;
    if (!(vec3_length(vec3(v[0], v[1], v[2])) + extent * vec3_length(vec3(v[3], v[4], v[5])) < slow)) return false;
  }
  return slow > 0;
}

/* What rests is solved on to POLISH of the tolerance, so that it does not creep by what the tolerance leaves: 20 cubes drift 5e-7 m in
 * 2000 steps of 5 ms at 1e-6, 1e-13 at 1e-12. The next steps then start from a solution, so rest is cheaper for it. A step counts as
 * solved by the tolerance all the same: packs that don't come so far soon are left as they are. Tolerances above LOOSE say that no such
 * thing is wanted. */
static scr_status polish(rigid_state *s, const contact_problem *problem, const contact_options *given, double dt, contact_result *result,
                         scr_error *error)
{
  enum { SWEEPS = 100, FACTORS = 10, MANY = 600 };
  const double part = 1e-6, least = 1e-12, loose = 1e-6;
  contact_options options = *given;
  contact_result further;
  options.tolerance = fmax(least, part * given->tolerance);
  if (given->solver != CONTACT_AUTO || given->tolerance > loose || result->status != CONTACT_SOLVED ||
      result->residual <= options.tolerance || !is_rest(s, dt))
    return SCR_OK;
  options.iteration_limit = options.iteration_limit && options.iteration_limit < SWEEPS ? options.iteration_limit : SWEEPS;
  options.factor_limit = FACTORS;
  if (problem->contact_count > MANY) options.solver = CONTACT_GAUSS_SEIDEL;
  SCR_TRY(solve(s, problem, &options, &further, error));
  result->residual = further.residual;
  result->iterations += further.iterations;
  result->factorisations += further.factorisations;
  return SCR_OK;
}

scr_status rigid_solve(rigid_state *s, const contact_problem *problem, double dt, scr_execution execution, contact_result *result,
                       scr_error *error)
{
  const contact_options options = options_of(s, dt, execution);
  s->report.pack = s->report.rested = s->report.slow = s->report.is_above = 0;
  s->report.limit = options.tolerance;
  SCR_TRY(solve(s, problem, &options, result, error));
  return polish(s, problem, &options, dt, result, error);
}
