/* How the contact problem of a step is solved: to a tolerance by whatever solver does it, or, for packs of balls, by some sweeps to
 * what gravity gives in a part of a step. */
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

static scr_status solve_hard(rigid_state *s, const contact_problem *problem, double dt, scr_execution execution, contact_result *result,
                             scr_error *error)
{
  const contact_options options = options_of(s, dt, execution);
  s->report.pack = 0;
  s->report.limit = options.tolerance;
  SCR_TRY(solve(s, problem, &options, result, error));
  return polish(s, problem, &options, dt, result, error);
}

/* ── packs ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

static bool is_ball(const rigid_state *s, uint32_t body)
{
  const rigid_shape *shape = &s->shapes[s->bodies[body].shape];
  return shape->piece_count == 1 && shape->pieces[0].kind == GEO_PIECE_BALL;
}

/* Balls of like mass by the hundred, which nothing but balls and driven parts touch. What else there is stands: stacks, walls and
 * arches fall or drift where sweeps are counted; a servo is a body of another mass; rows of rolling resistance have masses of their
 * own. */
static bool is_pack(const rigid_state *s, const contact_problem *problem)
{
  enum { BODIES = 100 };
  const double masses = 10;
  if (!rigid_may_sweep(s->options) || s->body_count < BODIES || problem->block_count > s->body_count) return false;
  for (size_t i = 0; i < s->contact_count; i++) {
    const geo_touch *touch = &s->contacts[i].touch;
    if (!is_ball(s, touch->a)) return false;
    if (touch->b >= s->body_count) continue;
    double a = s->bodies[touch->a].mass, b = s->bodies[touch->b].mass;
    if (!is_ball(s, touch->b) || fmax(a, b) > masses * fmin(a, b)) return false;
  }
  return true;
}

/* What errors in speed are measured by: what gravity gives in a whole step; without gravity the largest speed at which contacts that
 * are closed would close or slide. */
static double pack_speed(const rigid_state *s, const contact_problem *problem)
{
  double gravity = vec3_length(s->scene->rig.gravity), largest = 0;
  if (gravity > 0) return gravity * s->time_step;
  for (size_t i = 0; i < s->contact_count; i++) {
    const rigid_contact *c = &s->contacts[i];
    if (c->touch.gap > s->penetration) continue;
    double u[3] = {problem->offset[i * 3], problem->offset[i * 3 + 1], problem->offset[i * 3 + 2]};
    for (size_t e = problem->first[i]; e < problem->first[i + 1]; e++) {
      const rigid_free *free = &s->free[problem->block[e]];
      const double v[B] = {free->velocity.x, free->velocity.y, free->velocity.z, free->spin.x, free->spin.y, free->spin.z};
      for (int k = 0; k < B; k++)
        for (int row = 0; row < 3; row++) u[row] += problem->jacobian[(e * B + (size_t)k) * 3 + (size_t)row] * v[k];
    }
    largest = fmax(largest, fmax(fabs(u[0]), fmax(fabs(u[1]), fabs(u[2]))));
  }
  return largest;
}

static void count_pack(rigid_state *s, const contact_result *result, double speed)
{
  const double far = 10;
  rigid_report *report = &s->report;
  report->packs++;
  report->slow = result->residual > far * report->limit ? report->slow + 1 : 0;
  report->left = result->residual * speed;
}

/* Sweeps with momentum, measured by one speed. What rested in the step before is swept a little further each step, until it is exact:
 * it would creep by what the measure allows. Where sweeps stay far from the measure for many steps, as they do along columns, the hard
 * solvers take them from where they are. */
static scr_status solve_pack(rigid_state *s, const contact_problem *problem, double dt, double speed, scr_execution execution,
                             contact_result *result, scr_error *error)
{
  enum { REST_SWEEPS = 10, SLOW = 20 };
  const double rest = 1e-6;
  const rigid_promise *promise = rigid_promised(s->options);
  contact_options options = contact_options_default();
  unsigned sweeps = promise->sweeps;
  if (s->options->iterations > 0 && s->options->iterations < sweeps) sweeps = (unsigned)s->options->iterations;
  options.solver = CONTACT_GAUSS_SEIDEL;
  options.execution = execution;
  options.momentum = options.absolute = true;
  options.reference_speed = speed;
  options.tolerance = s->report.rested ? rest : promise->residual;
  options.iteration_limit = s->report.rested && sweeps > REST_SWEEPS ? REST_SWEEPS : sweeps;
  s->report.pack = 1;
  s->report.limit = promise->residual;
  SCR_TRY(solve(s, problem, &options, result, error));
  if (result->residual > promise->residual && (s->report.rested || s->report.slow >= SLOW)) {
    contact_result first = *result;
    options.tolerance = promise->residual;
    options.iteration_limit = sweeps;
    if (s->report.slow >= SLOW) {
      options.solver = CONTACT_AUTO;
      options.factor_limit = factors_of(s);
    }
    SCR_TRY(solve(s, problem, &options, result, error));
    result->iterations += first.iterations;
  }
  count_pack(s, result, speed);
  s->report.rested = is_rest(s, dt);
  return SCR_OK;
}

scr_status rigid_solve(rigid_state *s, const contact_problem *problem, double dt, scr_execution execution, contact_result *result,
                       scr_error *error)
{
  double speed = is_pack(s, problem) ? pack_speed(s, problem) : 0;
  if (speed > 0) return solve_pack(s, problem, dt, speed, execution, result, error);
  return solve_hard(s, problem, dt, execution, result, error);
}
