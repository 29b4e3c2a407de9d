/* The contact problem of one Newton iteration, in accelerations: u = W f + q, W = A^T H^-1 A, A the contacts' directions on nodes that
 * move,
 *
 *      q_n = (2/h^2) (gap + n.s) - (W f0)_n,   q_t = (2/h^2) t.(d + s) - (1/h) t.(v + v_part) - (W f0)_t
 *
 *  s the step with the forces f0 of the iteration before, so that u_n >= 0 keeps the gap open at the end of the step, and u_t is the slip
 * then over h. Where nodes are inside another body when the step begins, the gap is measured from there (fem_touch.floor). Where iterations
 * end, f = f0 and W does not matter: one of directions that have turned a little since serves, as the factor does. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "methods/fem/dynamics/solver.h"

static const double contact_accepted = 1e-6, keep_band = 0.25;
/* How far a contact may turn for W to be kept: where contacts outnumber what they hold, what W is off by, e, moves forces between them by e
 * over what the diagonal is raised by (contact_island.h), 1e-10 of it, which moves nodes by e times that. */
static const double kept_turn = 1e-5;
static const double kept_share = 1e-5; /* of the tolerance, that impulses by a factor of earlier nodes may be off by */
enum { MEND_LIMIT = 10 };              /* iterations of such impulses before the factor is made anew */

/* Whether a contact can move anything: not where grips hold all its nodes. */
static bool is_movable(const fem_solver *s, const fem_touch *touch)
{
  for (uint32_t i = 0; i < touch->node_count; i++)
    for (size_t x = 0; x < 3; x++)
      if (touch->axis[0][x] != 0 && touch->share[i] != 0 && !s->hold->fixed[3 * (size_t)touch->node[i] + x]) return true;
  return false;
}

/* Drops candidates that the step leaves well apart and that carry nothing, and those that can move nothing. */
static void keep_near(fem_solver *s)
{
  size_t kept = 0;
  for (size_t k = 0; k < s->touches.count; k++) {
    fem_touch *touch = &s->touches.item[k];
    double gap = touch->gap + fem_touch_along(touch, 0, s->step);
    if ((gap > keep_band * s->settings.edge && touch->force[0] <= 0) || !is_movable(s, touch)) continue;
    s->touches.item[kept++] = *touch;
  }
  s->touches.count = kept;
}

/* What a problem of the contacts there are is made of. */
static fem_contact_source source_of(const fem_solver *s, bool impact, fem_compliance *compliance, la_factor *factor)
{
  return (fem_contact_source){.system = s->system,
                              .touches = &s->touches,
                              .fixed = s->hold->fixed,
                              .impact = impact,
                              .compliance = compliance,
                              .factor = factor,
                              .liveness = s->settings.liveness,
                              .execution = s->settings.execution};
}

/* u with the forces that act in the step, and these. */
static void fill_problem(const fem_solver *s, const fem_drive *drive, fem_contact_problem *problem)
{
  double h = drive->time;
  unsigned d = problem->directions;
  for (size_t k = 0; k < s->touches.count; k++) {
    const fem_touch *touch = &s->touches.item[k];
    problem->q[d * k] = 2 / (h * h) * (touch->gap - touch->floor + fem_touch_along(touch, 0, s->step));
    for (unsigned a = 1; a < d; a++) {
      const double *t = touch->axis[a];
      double moved = fem_touch_along(touch, (int)a, s->delta) + fem_touch_along(touch, (int)a, s->step);
      double speed = fem_touch_along(touch, (int)a, s->motion->velocity) + t[0] * touch->velocity.x + t[1] * touch->velocity.y +
                     t[2] * touch->velocity.z;
      problem->q[d * k + a] = 2 / (h * h) * moved - speed / h;
    }
    memcpy(problem->force + d * k, touch->force, d * sizeof *touch->force);
  }
}

void fem_push_nodes(const fem_solver *s, double *push)
{
  memset(push, 0, s->unknown_count * sizeof *push);
  for (size_t k = 0; k < s->touches.count; k++)
    for (int a = 0; a < 3; a++) fem_touch_spread(&s->touches.item[k], a, s->touches.item[k].force[a], push);
}

/* step += (h^2/2) H^-1 A (f - f0) */
static scr_status apply_forces(fem_solver *s, double time, const fem_contact_problem *problem, scr_error *error)
{
  double *push = s->work[0];
  memset(push, 0, s->unknown_count * sizeof *push);
  for (size_t k = 0; k < s->touches.count; k++) {
    fem_touch *touch = &s->touches.item[k];
    for (unsigned a = 0; a < 3; a++) {
      double force = a < problem->directions ? problem->force[problem->directions * k + a] : 0;
      fem_touch_spread(touch, (int)a, force - touch->force[a], push);
      touch->force[a] = force;
    }
  }
  for (size_t k = 0; k < s->unknown_count; k++) push[k] = s->hold->fixed[k] ? 0 : 0.5 * time * time * push[k];
  SCR_TRY(la_factor_solve(s->factor, push, 1, push, error));
  for (size_t k = 0; k < s->unknown_count; k++) s->step[k] += push[k];
  return SCR_OK;
}

/* Whether a contact is that of the iteration before, and has hardly turned or moved over its face. */
static bool is_kept(const fem_touch *now, const fem_touch *then)
{
  bool kept = fem_touch_order(now, then) == 0 && now->node_count == then->node_count && now->friction == then->friction;
  for (uint32_t i = 0; kept && i < now->node_count; i++)
    kept = now->node[i] == then->node[i] && fabs(now->share[i] - then->share[i]) <= kept_turn;
  for (int k = 0; kept && k < 9; k++) kept = fabs(now->axis[k / 3][k % 3] - then->axis[k / 3][k % 3]) <= kept_turn;
  return kept;
}

/* Makes the problem, unless that of the iteration before serves. */
static scr_status find_problem(fem_solver *s, scr_error *error)
{
  const fem_contact_source source = source_of(s, false, &s->compliance, s->factor);
  bool kept = s->problem_factor == s->factor_count && s->touches.count == s->former.count;
  for (size_t k = 0; kept && k < s->touches.count; k++) kept = is_kept(&s->touches.item[k], &s->former.item[k]);
  if (kept) return SCR_OK;
  s->problem_factor = SIZE_MAX;
  SCR_TRY(fem_contact_problem_make(&s->problem, &source, error));
  s->problem_factor = s->factor_count;
  return SCR_OK;
}

scr_status fem_solve_contacts(fem_solver *s, const fem_drive *drive, double *residual, scr_error *error)
{
  fem_contact_problem *problem = &s->problem;
  double left;
  keep_near(s);
  if (s->touches.count == 0) return SCR_OK;
  SCR_TRY(find_problem(s, error));
  fill_problem(s, drive, problem);
  fem_contact_problem_subtract(problem);
  SCR_TRY(fem_contact_problem_solve(problem, s->settings.sweep_limit, &left, error));
  if (!(left <= contact_accepted))
    return scr_fail(error, SCR_DIVERGED, NULL,
                    "the contact solvers left a residual of %.3g over %zu contacts (%.1g is accepted): use a smaller time step", left,
                    s->touches.count, contact_accepted);
  *residual = fmax(*residual, left);
  return apply_forces(s, drive->time, problem, error);
}

/* ── impact ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Only contacts that are closed at the end of the step stay in the list. */
static void keep_closed(fem_solver *s)
{
  size_t kept = 0;
  for (size_t k = 0; k < s->touches.count; k++) {
    const fem_touch *touch = &s->touches.item[k];
    if (touch->force[0] > 0 || touch->gap - touch->floor <= 1e-9 * s->settings.edge) s->touches.item[kept++] = *touch;
  }
  s->touches.count = kept;
}

/* How fast the part's surface goes along the touch's normal, m/s. */
static double part_speed(const fem_touch *touch)
{
  const double *axis = touch->axis[0];
  return axis[0] * touch->velocity.x + axis[1] * touch->velocity.y + axis[2] * touch->velocity.z;
}

/* The factor of the metric: the matrix of the step, a Newton step from the end, or of earlier nodes; or the masses alone. */
static scr_status metric_factor(fem_solver *s, la_factor **factor, fem_compliance **compliance, scr_error *error)
{
  bool step = s->settings.impact == FEM_IMPACT_STEP;
  *compliance = step ? &s->compliance : &s->mass_compliance;
  if (!step && !s->mass_factor) {
    SCR_TRY(la_factor_create(LA_FACTOR_CHOLESKY, &s->mass_factor, error));
    fem_fill_matrix(s, 1, 0, 0);
    SCR_TRY(la_factor_make(s->mass_factor, &s->matrix, error));
    SCR_TRY(fem_compliance_redo(&s->mass_compliance, s->mass_factor, &s->settings.liveness, error));
  }
  *factor = step ? s->factor : s->mass_factor;
  return SCR_OK;
}

/* Impulses onto velocities. @return J, what parts that move put in */
static double push_velocities(fem_solver *s, const double *lambda, double *push)
{
  double driven = 0;
  memset(push, 0, 3 * s->system->node_count * sizeof *push);
  for (size_t k = 0; k < s->touches.count; k++) {
    fem_touch *touch = &s->touches.item[k];
    touch->impulse = lambda[k];
    driven += lambda[k] * part_speed(touch);
    fem_touch_spread(touch, 0, lambda[k], push);
  }
  for (size_t k = 0; k < 3 * s->system->node_count; k++)
    if (s->hold->fixed[k]) push[k] = 0;
  return driven;
}

/* y = H x, H the step's matrix where the bodies are now. */
static void multiply_matrix(fem_solver *s, const double *x, double *y)
{
  double h = s->factor_time, *viscous = s->work[0], *elastic = s->work[1];
  fem_damping_multiply(s, s->rotation, x, viscous);
  fem_system_multiply(s->system, s->motion->displacement, s->motion->mode, x, elastic, s->settings.execution);
  fem_mass_multiply(s->system, x, y, s->settings.execution);
  for (size_t k = 0; k < s->unknown_count; k++) y[k] = s->hold->fixed[k] ? 0 : y[k] + 0.25 * h * h * elastic[k] + 0.5 * h * viscous[k];
}

/* What the velocity changes by, in the metric of `factor`; `s->delta` receives it. */
typedef struct projection {
  la_factor *factor;
  fem_compliance *compliance;
  bool exact;      /* the factor is that of the metric; else iterations mend what it is off by */
  double residual; /* of the contact solver, the worst */
  double driven;   /* J, what parts that move put in */
} projection;

/* One impulse for all contacts after the velocity changed by s->delta and is to change by `mend` as well.
 * @param change receives the largest component of what is added to s->delta, m/s */
static scr_status add_impulses(fem_solver *s, projection *p, const double *mend, double *change, scr_error *error)
{
  fem_contact_problem *problem = &s->problem;
  double left, *push = s->step;
  for (size_t k = 0; k < s->touches.count; k++) {
    const fem_touch *touch = &s->touches.item[k];
    problem->q[k] = fem_touch_along(touch, 0, s->motion->velocity) - part_speed(touch) + fem_touch_along(touch, 0, s->delta) +
                    fem_touch_along(touch, 0, mend);
  }
  SCR_TRY(fem_contact_problem_solve(problem, s->settings.sweep_limit, &left, error));
  p->residual = fmax(p->residual, left);
  p->driven = push_velocities(s, problem->force, push);
  SCR_TRY(la_factor_solve(p->factor, push, 1, push, error));
  *change = 0;
  for (size_t k = 0; k < s->unknown_count; k++) {
    s->delta[k] += mend[k] + push[k];
    *change = fmax(*change, fabs(mend[k] + push[k]));
  }
  return SCR_OK;
}

/* H d = A lambda where the factor is one of earlier nodes, H0:  d := d + H0^-1 (A lambda - H d), lambda by the contacts' law after that.
 * Momenta are those that H has.  @param done receives whether it converged, to what the tolerance lets velocities be off by */
static scr_status project_inexactly(fem_solver *s, projection *p, bool *done, scr_error *error)
{
  double *mend = s->residual, change = INFINITY, former, accepted = kept_share * s->settings.tolerance * s->settings.edge / s->factor_time;
  for (unsigned i = 0; i < MEND_LIMIT; i++) {
    memset(mend, 0, s->unknown_count * sizeof *mend);
    if (i > 0) {
      multiply_matrix(s, s->delta, mend);
      SCR_TRY(la_factor_solve(p->factor, mend, 1, mend, error));
      for (size_t k = 0; k < s->unknown_count; k++) mend[k] = -mend[k];
    }
    former = change;
    SCR_TRY(add_impulses(s, p, mend, &change, error));
    *done = change <= accepted || (i > 0 && change * change <= accepted * former);
    if (*done || !isfinite(change)) return SCR_OK;
  }
  return SCR_OK;
}

static scr_status make_problem(fem_solver *s, projection *p, scr_error *error)
{
  memset(s->delta, 0, s->unknown_count * sizeof *s->delta);
  s->problem_factor = SIZE_MAX;
  const fem_contact_source source = source_of(s, true, p->compliance, p->factor);
  SCR_TRY(fem_contact_problem_make(&s->problem, &source, error));
  memset(s->problem.force, 0, s->touches.count * sizeof *s->problem.force);
  return SCR_OK;
}

static scr_status project(fem_solver *s, projection *p, fem_report *report, scr_error *error)
{
  double change;
  SCR_TRY(metric_factor(s, &p->factor, &p->compliance, error));
  SCR_TRY(make_problem(s, p, error));
  p->exact = s->factor_is_exact || p->factor == s->mass_factor;
  if (!p->exact) {
    bool done = false;
    SCR_TRY(project_inexactly(s, p, &done, error));
    if (done) return SCR_OK;
    memcpy(s->trial, s->motion->displacement, s->unknown_count * sizeof *s->trial);
    SCR_TRY(fem_factorise(s, s->factor_time, &report->clamped, &p->exact, error));
    SCR_TRY(make_problem(s, p, error));
  }
  memset(s->residual, 0, s->unknown_count * sizeof *s->residual);
  return add_impulses(s, p, s->residual, &change, error);
}

scr_status fem_project_velocity(fem_solver *s, fem_report *report, scr_error *error)
{
  projection p = {0};
  keep_closed(s);
  bool approaching = false;
  report->contacts = (unsigned)s->touches.count;
  for (size_t k = 0; k < s->touches.count; k++) {
    fem_touch *touch = &s->touches.item[k];
    touch->impulse = 0;
    approaching = approaching || fem_touch_along(touch, 0, s->motion->velocity) < part_speed(touch);
  }
  if (s->settings.impact == FEM_IMPACT_NONE || !approaching) return SCR_OK;
  double before = fem_kinetic(s);
  SCR_TRY(project(s, &p, report, error));
  report->contact_residual = fmax(report->contact_residual, p.residual);
  for (size_t k = 0; k < s->unknown_count; k++) s->motion->velocity[k] += s->delta[k];
  report->rig += p.driven;
  report->projection += fem_kinetic(s) - before - p.driven;
  return SCR_OK;
}
