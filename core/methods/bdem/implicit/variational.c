/** Newton's method on the stationarity of the discrete Lagrangian.
 *
 *  Per sphere, with f = q_{n+1} conj(q_n) = (f_v, f_s), the half step h (h h = f), t = f_v/(1 + f_s) and y half a rotation vector:
 *    translation   m/dt^2 (p_{n+1} - p_n - dt v_n) + 1/2 dV/dp = 0
 *    rotation      R(h) (mq/dt^2 f_v - mq/(2 dt) w_n) + 1/2 (dV/dy + t x dV/dy) = 0
 *  with V's derivatives at the middle state. The second line is the stationarity at q_n, turned into the middle's axes by R(h): only
 *  there is the Jacobian symmetric but for a part that vanishes with the sphere's change of spin,
 *    J = T^T H T + diag(m/dt^2 I, mq/dt^2 (I - 2 t t^T/(1 + t.t))) + small,   T = diag(I, I - t^)/2,
 *  H the bonds' and contacts' Hessian at the middle. Conjugate gradients solve with J without the small part: convergence is linear at the
 *  end, by a factor of about the change of turn per step in rad. The line search asks the residual's length to fall. The momenta at the end
 *  need no forces:  v_{n+1} = 2 (p_{n+1} - p_n)/dt - v_n,  w_{n+1} = 4/dt f_v - R(h) w_n. */
#include "methods/bdem/implicit/variational.h"

#include <string.h>

#include "base/memory.h"
#include "linalg/vector.h"
#include "methods/bdem/contact/contact.h"
#include "methods/bdem/implicit/step_progress.h"

typedef struct variational {
  bdem_step_problem problem; /* its body is at the middle while a step is solved */
  scr_vec3 *end;             /* [n] p_{n+1} */
  scr_quat *end_turn;        /* [n] q_{n+1} */
  double *residual, *step;   /* [n][6] */
} variational;

scr_status bdem_variational_create(const bdem_body *body, bdem_step_solver **solver, scr_error *error)
{
  variational *s = mem_array(1, sizeof *s);
  size_t n = body->sphere_count;
  *solver = NULL;
  if (!s) return scr_fail_memory(error, "a variational integrator", sizeof *s);
  s->end = mem_array(n, sizeof *s->end);
  s->end_turn = mem_array(n, sizeof *s->end_turn);
  s->residual = mem_array(n, 6 * sizeof *s->residual);
  s->step = mem_array(n, 6 * sizeof *s->step);
  bool complete = s->end && s->end_turn && s->residual && s->step;
  scr_status status = complete ? SCR_OK : scr_fail_memory(error, "a variational integrator", n * 152);
  if (status == SCR_OK) status = bdem_step_problem_create(body, &s->problem, error);
  if (status == SCR_OK)
    *solver = (bdem_step_solver *)s;
  else
    bdem_variational_destroy((bdem_step_solver *)s);
  return status;
}

void bdem_variational_destroy(bdem_step_solver *solver)
{
  variational *s = (variational *)solver;
  if (!s) return;
  bdem_step_problem_destroy(&s->problem);
  mem_free(s->end);
  mem_free(s->end_turn);
  mem_free(s->residual);
  mem_free(s->step);
  mem_free(s);
}

static scr_vec3 released(scr_vec3 v, unsigned held)
{
  return vec3(held & 1 ? 0.0 : v.x, held & 2 ? 0.0 : v.y, held & 4 ? 0.0 : v.z);
}

/* f = q_{n+1} conj(q_n) */
static scr_quat turn_of(const variational *s, size_t k)
{
  return quat_multiply(s->end_turn[k], quat_conjugate(s->problem.turned[k]));
}

/* Brings the body to the middle of start and end. False where a sphere turns by 168 degrees or a bond leaves its hemisphere. */
static bool to_middle(const variational *s)
{
  const bdem_step_problem *p = &s->problem;
  for (size_t k = 0; k < p->body->sphere_count; ++k) {
    if (!(quat_dot(s->end_turn[k], p->turned[k]) >= 0.1)) return false;
    p->body->position[k] = vec3_scale(vec3_add(p->start[k], s->end[k]), 0.5);
    p->body->orientation[k] = quat_normalise(quat_add(p->turned[k], s->end_turn[k]));
  }
  return bdem_step_admissible(p);
}

/* The residual at the middle into solver->residual; its largest entry over the force scale. */
static double evaluate(const variational *s)
{
  const bdem_step_problem *p = &s->problem;
  const bdem_body *body = p->body;
  double dt = p->time_step;
  bdem_step_forces(p);
  for (size_t k = 0; k < body->sphere_count; ++k) {
    double mq = 1.6 * body->mass[k] * body->radius[k] * body->radius[k];
    scr_quat f = turn_of(s, k), h = quat_multiply(body->orientation[k], quat_conjugate(p->turned[k]));
    scr_vec3 w = released(body->spin[k], body->held[k] >> 3), fv = quat_vector(f), t = vec3_scale(fv, 1.0 / (1.0 + f.w));
    scr_vec3 push = p->load ? vec3_add(p->force[k], p->load[k]) : p->force[k];
    scr_vec3 rp = vec3_sub(vec3_scale(vec3_sub(s->end[k], p->predicted[k]), body->mass[k] * p->inverse_square), vec3_scale(push, 0.5));
    scr_vec3 momentum = vec3_sub(vec3_scale(fv, mq * p->inverse_square), vec3_scale(w, 0.5 * mq / dt));
    scr_vec3 ry = vec3_sub(quat_rotate(h, momentum), vec3_add(p->torque[k], vec3_cross(t, p->torque[k])));
    rp = released(rp, body->held[k]);
    ry = released(vec3_scale(ry, 1.0 / body->radius[k]), body->held[k] >> 3);
    double *r = s->residual + 6 * k;
    r[0] = rp.x, r[1] = rp.y, r[2] = rp.z, r[3] = ry.x, r[4] = ry.y, r[5] = ry.z;
  }
  return la_largest(s->residual, 6 * body->sphere_count, p->execution) / p->force_scale;
}

static double residual_length(const variational *s)
{
  return sqrt(la_dot(s->residual, s->residual, 6 * s->problem.body->sphere_count, execution_of(1)));
}

/* T = diag(I, I - t^)/2 of one sphere, row-major. */
static void middle_map(const variational *s, size_t k, double map[36])
{
  scr_quat f = turn_of(s, k);
  scr_vec3 t = vec3_scale(quat_vector(f), 1.0 / (1.0 + f.w));
  memset(map, 0, 36 * sizeof *map);
  for (int d = 0; d < 6; ++d) map[7 * d] = 0.5;
  map[6 * 3 + 4] = 0.5 * t.z;
  map[6 * 3 + 5] = -0.5 * t.y;
  map[6 * 4 + 3] = -0.5 * t.z;
  map[6 * 4 + 5] = 0.5 * t.x;
  map[6 * 5 + 3] = 0.5 * t.y;
  map[6 * 5 + 4] = -0.5 * t.x;
}

/* block = left^T block right */
static void congruence(const double left[36], const double right[36], double *block)
{
  double half[36];
  for (int r = 0; r < 6; ++r)
    for (int c = 0; c < 6; ++c) {
      double sum = 0.0;
      for (int k = 0; k < 6; ++k) sum += block[6 * r + k] * right[6 * k + c];
      half[6 * r + c] = sum;
    }
  for (int r = 0; r < 6; ++r)
    for (int c = 0; c < 6; ++c) {
      double sum = 0.0;
      for (int k = 0; k < 6; ++k) sum += left[6 * k + r] * half[6 * k + c];
      block[6 * r + c] = sum;
    }
}

/* The symmetric part of the Jacobian (see the top) into problem->matrix. */
static void assemble(variational *s, bdem_curvature curvature)
{
  bdem_step_problem *p = &s->problem;
  la_block_matrix *matrix = &p->matrix;
  bdem_step_friction_curve(p);
  bdem_step_bond_hessian(p, curvature);
  for (size_t row = 0; row < matrix->row_count; ++row) {
    double left[36], right[36];
    middle_map(s, row, left);
    for (size_t k = matrix->first[row]; k < matrix->first[row + 1]; ++k) {
      middle_map(s, matrix->column[k], right);
      congruence(left, right, matrix->values + 36 * k);
    }
    double *block = matrix->values + 36 * matrix->diagonal[row], inertia = p->body->mass[row] * p->inverse_square;
    scr_quat f = turn_of(s, row);
    double t[3] = {f.x / (1.0 + f.w), f.y / (1.0 + f.w), f.z / (1.0 + f.w)}, square = t[0] * t[0] + t[1] * t[1] + t[2] * t[2];
    for (int r = 0; r < 3; ++r) {
      block[7 * r] += inertia;
      for (int c = 0; c < 3; ++c) block[6 * (r + 3) + c + 3] += 1.6 * inertia * ((r == c) - 2.0 * t[r] * t[c] / (1.0 + square));
    }
  }
  bdem_step_hold(p);
}

/* A step from the Jacobian of the wanted kind, or of the clipped Hessian where that is indefinite. */
static scr_status direction(variational *s, bdem_projection projection, double tolerance, bdem_implicit_report *report, scr_error *error)
{
  static const bdem_curvature curvatures[] = {BDEM_CURVATURE_EXACT, BDEM_CURVATURE_CLIPPED, BDEM_CURVATURE_GAUSS_NEWTON};
  la_pcg_report cg;
  assemble(s, curvatures[projection]);
  SCR_TRY(bdem_step_solve(&s->problem, s->residual, tolerance, s->step, &cg, error));
  report->cg_iterations += cg.iterations;
  if (cg.outcome != LA_PCG_NEGATIVE_CURVATURE) return SCR_OK;
  ++report->fallbacks;
  assemble(s, BDEM_CURVATURE_CLIPPED);
  SCR_TRY(bdem_step_solve(&s->problem, s->residual, tolerance, s->step, &cg, error));
  report->cg_iterations += cg.iterations;
  return SCR_OK;
}

/* Halves the step, from one that turns no sphere by more than 1 rad, until the residual's length falls. False after 40 halvings. */
static bool line_search(variational *s, double *length, double *largest, bdem_implicit_report *report)
{
  bdem_step_problem *p = &s->problem;
  double turn = bdem_step_largest_turn(p, s->step), longest = turn > 0.5 ? 0.5 / turn : 1.0;
  memcpy(p->base, s->end, p->body->sphere_count * sizeof *p->base);
  memcpy(p->base_turn, s->end_turn, p->body->sphere_count * sizeof *p->base_turn);
  for (int halving = 0; halving <= 40; ++halving) {
    double alpha = ldexp(longest, -halving);
    for (size_t k = 0; k < p->body->sphere_count; ++k) {
      const double *d = s->step + 6 * k;
      scr_vec3 rotation = vec3_scale(vec3(d[3], d[4], d[5]), 2.0 * alpha / p->body->radius[k]);
      s->end[k] = vec3_add(p->base[k], vec3(alpha * d[0], alpha * d[1], alpha * d[2]));
      s->end_turn[k] = quat_normalise(quat_multiply(quat_exp(rotation), p->base_turn[k]));
    }
    ++report->line_search_steps;
    if (!to_middle(s)) continue;
    *largest = evaluate(s);
    double next = residual_length(s);
    if (next <= (1.0 - 1e-4 * alpha) * *length) {
      *length = next;
      return true;
    }
  }
  return false;
}

static scr_status solve(variational *s, const bdem_progress *progress, scr_error *error)
{
  bdem_step_problem *p = &s->problem;
  bdem_implicit_report *report = progress->report;
  double largest = evaluate(s), length = residual_length(s), first = length;
  bdem_progress_note(progress, largest);
  while (bdem_progress_unfinished(progress)) {
    SCR_TRY(bdem_progress_check(progress, p, length, error));
    ++report->newton_iterations;
    if (length == 0.0) break;
    SCR_TRY(direction(s, progress->options->projection, bdem_progress_linear_tolerance(progress, length, first), report, error));
    if (!line_search(s, &length, &largest, report)) {
      memcpy(s->end, p->base, p->body->sphere_count * sizeof *s->end);
      memcpy(s->end_turn, p->base_turn, p->body->sphere_count * sizeof *s->end_turn);
      if (report->residual <= progress->tolerance && to_middle(s)) break; /* solved before the first iteration, up to rounding */
      return bdem_progress_failed(progress, p, "failed in its line search", error);
    }
    bdem_progress_note(progress, largest);
  }
  return SCR_OK;
}

/* Again from the solution, until the normal forces that limit friction are those in its middle. */
static scr_status solve_with_friction(variational *s, const bdem_progress *progress, scr_error *error)
{
  bdem_step_problem *p = &s->problem;
  SCR_TRY(bdem_step_precondition(p, progress->options->preconditioner, error));
  for (int pass = 1;; ++pass) {
    size_t begun = progress->report->newton_iterations;
    SCR_TRY(solve(s, progress, error));
    if (pass == BDEM_FRICTION_PASSES || (pass > 1 && progress->report->newton_iterations == begun)) break;
    bool had = bdem_step_has_friction(p);
    SCR_TRY(bdem_step_friction_list(p, error));
    if (!had && !bdem_step_has_friction(p)) break;
  }
  bdem_step_friction_reach(p);
  return SCR_OK;
}

/* First guess of the end: the motion without forces (f_v = dt/2 w_n), or no motion. The length of its residual, INFINITY where that can't
 * be evaluated. */
static double guess(variational *s, bool moving)
{
  const bdem_step_problem *p = &s->problem;
  for (size_t k = 0; k < p->body->sphere_count; ++k) {
    scr_vec3 half = vec3_scale(released(p->body->spin[k], p->body->held[k] >> 3), moving ? 0.5 * p->time_step : 0.0);
    s->end[k] = moving ? p->predicted[k] : p->start[k];
    s->end_turn[k] = quat_multiply(quat(half.x, half.y, half.z, sqrt(1.0 - vec3_dot(half, half))), p->turned[k]);
  }
  if (!to_middle(s)) return INFINITY;
  evaluate(s);
  return residual_length(s);
}

/* Starts from the better of both guesses. */
static scr_status begin(variational *s, bdem_body *body, const scr_vec3 *load, const bdem_progress *progress, scr_error *error)
{
  const bdem_implicit_options *options = progress->options;
  bdem_step_problem *p = &s->problem;
  bdem_step_begin(p, body, load, options->time_step, options->force_scale, options->execution);
  p->exact_torque = true;
  SCR_TRY(bdem_step_friction_list(p, error));
  p->liveness = options->liveness;
  for (size_t k = 0; k < body->sphere_count; ++k)
    if (!(0.5 * options->time_step * vec3_length(released(body->spin[k], body->held[k] >> 3)) < 1.0))
      return bdem_progress_failed(progress, p, "would turn a sphere by 2 rad or more", error);
  double still = guess(s, false);
  if (!(guess(s, true) <= still)) guess(s, false);
  return SCR_OK;
}

static void finish(const variational *s)
{
  const bdem_step_problem *p = &s->problem;
  bdem_body *body = p->body;
  double dt = p->time_step;
  for (size_t k = 0; k < body->sphere_count; ++k) {
    scr_quat h = quat_multiply(body->orientation[k], quat_conjugate(p->turned[k]));
    scr_vec3 v = released(body->velocity[k], body->held[k]), w = released(body->spin[k], body->held[k] >> 3);
    v = vec3_sub(vec3_scale(vec3_sub(s->end[k], p->start[k]), 2.0 / dt), v);
    w = vec3_sub(vec3_scale(quat_vector(turn_of(s, k)), 4.0 / dt), quat_rotate(h, w));
    body->velocity[k] = released(v, body->held[k]);
    body->spin[k] = released(w, body->held[k] >> 3);
    body->position[k] = s->end[k];
    body->orientation[k] = s->end_turn[k];
  }
}

scr_status bdem_variational_step(bdem_step_solver *solver, bdem_body *body, const scr_vec3 *load, const bdem_implicit_options *options,
                                 bdem_implicit_report *report, scr_error *error)
{
  variational *s = (variational *)solver;
  bdem_progress progress;
  SCR_TRY(bdem_progress_begin(options, report, &progress, error));
  if (!isfinite(options->time_step))
    return scr_fail(error, SCR_BAD_USAGE, NULL, "the variational integrator needs a finite time step; find equilibria with implicit Euler");
  SCR_TRY(begin(s, body, load, &progress, error));
  bdem_progress_allow_rounding(&progress, &s->problem);
  scr_status status = solve_with_friction(s, &progress, error);
  if (status == SCR_OK)
    finish(s);
  else
    bdem_step_restore(&s->problem);
  return status;
}
