/* Primal-dual interior point method with De Saxce's change of variable in its matrix.
 *
 *     x = (mu s r_N, s r_T),   y = (u_N + mu sqrt(|u_T|^2 + eps^2), mu u_T):   both inside the cone of unit slope, x o y = sigma tau omega
 *     e T = dy/du,   W Nesterov and Todd's scaling,   S = diag(mu, 1, ..)^-1,   B = (I + delta W^-2 T S)^-1 (M + H' X^-1 B W^-2 T H) dv =
 *     H' X^-1 c - residual,   X = s diag(mu, 1, ..)
 *
 * Predictor, sigma = max(0.02, (tau_affine/tau)^3), corrector. Without friction a contact's cone is the half line of its normal; a fixed
 * contact is an equality, its impulse moved by a stiff multiplier step. With `damping` steps are regularised and kept in a neighbourhood of
 * the centre.
 * Source: the project's own; Mehrotra 1992 for predictor and corrector, Nesterov and Todd 1998 for the scaling. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "contact/local/cone.h"
#include "contact/local/small_matrix.h"
#include "contact/solvers/interior_cone.h"
#include "contact/solvers/primal.h"
#include "contact/system/workspace.h"

enum { STALL = 4, SQUARE = CONE_DIMENSION_MAX * CONE_DIMENSION_MAX, SHORTENINGS = 15 };
static const double fixed_stiffness = 1e6; /* of a fixed contact's multiplier step, over s */

typedef struct interior {
  const contact_system *system;
  primal_workspace *work;
  contact_track *track;
  const interior_plan *plan;
  double delta, eps, tau;
  double *workspace;             /* what the arrays of numbers below are cut out of */
  double *x, *y, *dx, *dy;       /* [n d] */
  double *slack;                 /* [n d] y - y(u) */
  double *target;                /* [n d] what W dx + W^-1 dy must be, before L(lambda)^-1 */
  double *constant;              /* [n d] c of this direction */
  double *moved;                 /* [n d] H dv */
  double *r, *u;                 /* [n d] */
  double *v, *dv;                /* [m] */
  double *rhs;                   /* [2 m] right-hand side, and f + H' r - M v */
  double *slope;                 /* [n][d][d] T */
  double *small, *reduced;       /* [n][d][d] B; B W^-2 T */
  double *block;                 /* [n][d][d] X^-1 B W^-2 T */
  second_order_scaling *scaling; /* [n] */
} interior;

/* Dimension of a contact's cone: 0 for a fixed one, 1 without friction. */
static unsigned cone_of(const contact_problem *p, size_t i)
{
  return p->friction[i] < 0.0 ? 0 : p->friction[i] == 0.0 ? 1 : p->dimension;
}

/* What an impulse's component is multiplied by to stand in x. */
static double weight_of(const interior *n, size_t i, unsigned k)
{
  double mu = n->system->problem->friction[i];
  return n->system->scale[i] * (k == 0 && mu > 0.0 ? mu : 1.0);
}

static double omega_of(const interior *n, size_t i)
{
  return n->plan->weights ? n->plan->weights[i] : 1.0;
}

static scr_status interior_create(interior *n, scr_error *error)
{
  size_t rows = n->system->rows, size = n->system->size, squared = rows * n->system->problem->dimension;
  size_t total = 10 * workspace_size(rows) + 2 * workspace_size(size) + workspace_size(2 * size) + 4 * workspace_size(squared);
  double *at = n->workspace = mem_array(total, sizeof *at);
  n->scaling = mem_array(n->system->problem->contact_count, sizeof *n->scaling);
  if (!at || !n->scaling) return no_memory(error, "an interior point method", total * sizeof *at);
  n->x = workspace_take(&at, rows);
  n->y = workspace_take(&at, rows);
  n->dx = workspace_take(&at, rows);
  n->dy = workspace_take(&at, rows);
  n->slack = workspace_take(&at, rows);
  n->target = workspace_take(&at, rows);
  n->constant = workspace_take(&at, rows);
  n->moved = workspace_take(&at, rows);
  n->r = workspace_take(&at, rows);
  n->u = workspace_take(&at, rows);
  n->v = workspace_take(&at, size);
  n->dv = workspace_take(&at, size);
  n->rhs = workspace_take(&at, 2 * size);
  n->slope = workspace_take(&at, squared);
  n->small = workspace_take(&at, squared);
  n->reduced = workspace_take(&at, squared);
  n->block = workspace_take(&at, squared);
  return SCR_OK;
}

/* y(u), smoothed by eps; `slope` receives dy/du when not NULL. */
static void dual_of(double mu, unsigned d, double eps, const double *u, double *y, double *slope)
{
  double slip = eps * eps;
  for (unsigned k = 1; k < d; ++k) slip += u[k] * u[k];
  slip = sqrt(slip);
  y[0] = u[0] + mu * slip;
  for (unsigned k = 1; k < d; ++k) y[k] = mu * u[k];
  if (!slope) return;
  memset(slope, 0, (size_t)d * d * sizeof *slope);
  slope[0] = 1.0;
  for (unsigned k = 1; k < d; ++k) {
    slope[k * d] = slip > 0.0 ? mu * u[k] / slip : 0.0;
    slope[k * d + k] = mu;
  }
}

/* r of x. */
static void take_impulses(interior *n)
{
  unsigned d = n->system->problem->dimension;
  for (size_t i = 0; i < n->system->problem->contact_count; ++i)
    for (unsigned k = 0; k < d; ++k) n->r[i * d + k] = n->x[i * d + k] / weight_of(n, i, k);
}

/* First point: cold, or moved inside from an impulse. */
static scr_status begin(interior *n, scr_error *error)
{
  const contact_problem *p = n->system->problem;
  unsigned d = p->dimension;
  double speed = n->system->speed;
  if (n->plan->start) SCR_TRY(contact_system_velocity(n->system, n->plan->start, n->v, n->u, error));
  for (size_t i = 0; i < p->contact_count; ++i) {
    unsigned dc = cone_of(p, i);
    double mu = fmax(p->friction[i], 0.0), *x = n->x + i * d, *y = n->y + i * d;
    for (unsigned k = 0; k < d && n->plan->start; ++k) x[k] = k < dc || dc == 0 ? weight_of(n, i, k) * n->plan->start[i * d + k] : 0.0;
    if (dc == 0) continue;
    if (n->plan->start) {
      dual_of(mu, dc, 0.0, n->u + i * d, y, NULL);
      second_order_shift(dc, n->plan->shift * speed, x);
      second_order_shift(dc, n->plan->shift * speed, y);
    } else {
      y[0] = speed * (mu > 0.0 ? mu : 1.0);
      x[0] = y[0] * omega_of(n, i);
    }
  }
  n->delta = n->plan->damping;
  n->eps = speed;
  take_impulses(n);
  return contact_system_velocity(n->system, n->r, n->v, n->u, error);
}

/* Mean of x . y over omega after a step. */
static double gap_after(const interior *n, double step)
{
  const contact_problem *p = n->system->problem;
  size_t d = p->dimension, count = 0;
  double sum = 0.0;
  for (size_t i = 0; i < p->contact_count; ++i) {
    unsigned dc = cone_of(p, i);
    for (size_t k = i * d; k < i * d + dc; ++k) sum += (n->x[k] + step * n->dx[k]) * (n->y[k] + step * n->dy[k]) / omega_of(n, i);
    count += dc > 0;
  }
  return count ? sum / (double)count : 0.0;
}

/* u, slack, T and the blocks of the matrix at the present point. @return false when a number has been lost */
static bool linearise(interior *n)
{
  const contact_problem *p = n->system->problem;
  unsigned d = p->dimension;
  contact_system_relative(n->system, n->v, n->u);
  for (size_t k = 0; k < n->system->rows; ++k) n->u[k] += p->offset[k];
  n->tau = gap_after(n, 0.0);
  n->eps = fmin(n->eps, n->tau / n->system->speed);
  for (size_t i = 0; i < p->contact_count; ++i) {
    unsigned dc = cone_of(p, i);
    size_t at = i * d, square = i * d * d;
    double own[CONE_DIMENSION_MAX] = {0}, scaled[SQUARE] = {0}, shifted[SQUARE] = {0};
    memset(n->block + square, 0, (size_t)d * d * sizeof *n->block);
    if (dc == 0) {
      for (unsigned k = 0; k < d; ++k) n->block[square + k * d + k] = fixed_stiffness / n->system->scale[i];
      continue;
    }
    dual_of(p->friction[i], dc, n->eps, n->u + at, own, n->slope + square);
    for (unsigned k = 0; k < dc; ++k) n->slack[at + k] = n->y[at + k] - own[k];
    second_order_scale(dc, n->x + at, n->y + at, &n->scaling[i]);
    small_product(dc, n->scaling[i].inverse_square, n->slope + square, scaled);
    for (unsigned c = 0; c < dc; ++c)
      for (unsigned r = 0; r < dc; ++r)
        shifted[c * dc + r] = (r == c ? 1.0 : 0.0) + n->delta * scaled[c * dc + r] * n->system->scale[i] / weight_of(n, i, c);
    for (unsigned c = 0; c < dc; ++c) {
      double unit[CONE_DIMENSION_MAX] = {0};
      unit[c] = 1.0;
      if (!small_solve(dc, shifted, unit, n->small + square + c * dc)) return false;
    }
    small_product(dc, n->small + square, scaled, n->reduced + square);
    for (unsigned c = 0; c < dc; ++c)
      for (unsigned r = 0; r < dc; ++r) {
        double entry = n->reduced[square + c * dc + r] / weight_of(n, i, r);
        if (!isfinite(entry)) return false;
        n->block[square + c * d + r] = entry;
      }
  }
  return true;
}

/* c of one contact: what its impulse changes by when dv is zero, times X. */
static void constant_of(const interior *n, size_t i, double *c)
{
  const contact_problem *p = n->system->problem;
  unsigned d = p->dimension, dc = cone_of(p, i);
  size_t at = i * d;
  double divided[CONE_DIMENSION_MAX] = {0}, sum[CONE_DIMENSION_MAX] = {0}, more[CONE_DIMENSION_MAX] = {0};
  memset(c, 0, d * sizeof *c);
  if (dc == 0) {
    for (unsigned k = 0; k < d; ++k) c[k] = -fixed_stiffness * n->u[at + k];
    return;
  }
  second_order_divide(dc, n->scaling[i].lambda, n->target + at, divided);
  small_multiply(dc, n->scaling[i].inverse, divided, sum);
  small_multiply(dc, n->scaling[i].inverse_square, n->slack + at, more);
  for (unsigned k = 0; k < dc; ++k) sum[k] += more[k];
  small_multiply(dc, n->small + (size_t)i * d * d, sum, c);
}

/* dx and dy of one contact from H dv. */
static void change_of(interior *n, size_t i)
{
  const contact_problem *p = n->system->problem;
  unsigned d = p->dimension, dc = cone_of(p, i);
  size_t at = i * d;
  double moved[CONE_DIMENSION_MAX] = {0};
  memcpy(n->dx + at, n->constant + at, d * sizeof *n->dx);
  memset(n->dy + at, 0, d * sizeof *n->dy);
  if (dc == 0) {
    for (unsigned k = 0; k < d; ++k) n->dx[at + k] -= fixed_stiffness * n->moved[at + k];
    return;
  }
  small_multiply(dc, n->reduced + (size_t)i * d * d, n->moved + at, moved);
  for (unsigned k = 0; k < dc; ++k) {
    n->dx[at + k] -= moved[k];
    moved[k] = n->moved[at + k] + n->delta * n->system->scale[i] / weight_of(n, i, k) * n->dx[at + k];
  }
  small_multiply(dc, n->slope + (size_t)i * d * d, moved, n->dy + at);
  for (unsigned k = 0; k < dc; ++k) n->dy[at + k] -= n->slack[at + k];
}

/* Direction for n->target: M dv - H' X^-1 dx = -(M v - f - H' r). */
static scr_status direction(interior *n, const double *residual, scr_error *error)
{
  const contact_system *s = n->system;
  size_t d = s->problem->dimension;
  for (size_t i = 0; i < s->problem->contact_count; ++i) {
    constant_of(n, i, n->constant + i * d);
    for (unsigned k = 0; k < d; ++k) n->moved[i * d + k] = n->constant[i * d + k] / weight_of(n, i, k);
  }
  memcpy(n->rhs, residual, s->size * sizeof *n->rhs);
  contact_system_gather(s, n->moved, n->rhs);
  SCR_TRY(la_lu_solve(n->work->lu, n->rhs, n->dv, error));
  contact_system_relative(s, n->dv, n->moved);
  for (size_t i = 0; i < s->problem->contact_count; ++i) change_of(n, i);
  return SCR_OK;
}

/* Longest step in the cones; NaN when a number has been lost. */
static double longest_step(const interior *n)
{
  const contact_problem *p = n->system->problem;
  size_t d = p->dimension;
  double step = 1e30;
  for (size_t i = 0; i < p->contact_count; ++i) {
    unsigned dc = cone_of(p, i);
    for (size_t k = i * d; k < i * d + d; ++k)
      if (!isfinite(n->dx[k]) || !isfinite(n->dy[k])) return NAN;
    if (dc == 0) continue;
    step = fmin(step, fmin(second_order_reach(dc, n->x + i * d, n->dx + i * d), second_order_reach(dc, n->y + i * d, n->dy + i * d)));
  }
  return step;
}

/* -lambda o lambda, the predictor's target; or with the corrector's terms. */
static void set_target(interior *n, bool corrector, double step, double sigma)
{
  const contact_problem *p = n->system->problem;
  size_t d = p->dimension;
  for (size_t i = 0; i < p->contact_count; ++i) {
    unsigned dc = cone_of(p, i);
    if (dc == 0) continue;
    double square[CONE_DIMENSION_MAX] = {0}, a[CONE_DIMENSION_MAX] = {0}, b[CONE_DIMENSION_MAX] = {0}, both[CONE_DIMENSION_MAX] = {0};
    const second_order_scaling *w = &n->scaling[i];
    second_order_product(dc, w->lambda, w->lambda, square);
    if (corrector) {
      small_multiply(dc, w->scale, n->dx + i * d, a);
      small_multiply(dc, w->inverse, n->dy + i * d, b);
      second_order_product(dc, a, b, both);
    }
    for (unsigned k = 0; k < dc; ++k) n->target[i * d + k] = -square[k] - step * both[k];
    if (corrector) n->target[i * d] += sigma * n->tau * omega_of(n, i);
  }
}

/* Whether every contact's pair stays near the centre after a step. */
static bool is_central(const interior *n, double step)
{
  const contact_problem *p = n->system->problem;
  size_t d = p->dimension;
  double gap = gap_after(n, step), least = HUGE_VAL;
  for (size_t i = 0; i < p->contact_count; ++i) {
    unsigned dc = cone_of(p, i);
    double x[CONE_DIMENSION_MAX] = {0}, y[CONE_DIMENSION_MAX] = {0};
    if (dc == 0) continue;
    for (unsigned k = 0; k < dc; ++k) {
      x[k] = n->x[i * d + k] + step * n->dx[i * d + k];
      y[k] = n->y[i * d + k] + step * n->dy[i * d + k];
    }
    least = fmin(least, sqrt(second_order_determinant(dc, x) * second_order_determinant(dc, y)) / omega_of(n, i));
  }
  return least > 0.01 * gap;
}

/* Predictor, corrector, step. @param taken receives the step; NaN: the method can't go on */
static scr_status advance(interior *n, double *taken, scr_error *error)
{
  const contact_system *s = n->system;
  double *residual = n->rhs + s->size; /* second half of rhs */
  *taken = NAN;
  memcpy(residual, s->problem->momentum, s->size * sizeof *residual);
  contact_system_gather(s, n->r, residual);
  for (size_t k = 0; k < s->size; ++k) residual[k] -= n->dv[k]; /* dv holds M v */
  set_target(n, false, 0.0, 0.0);
  SCR_TRY(direction(n, residual, error));
  double step = fmin(1.0, longest_step(n)), share = gap_after(n, step) / n->tau;
  if (!isfinite(step) || !isfinite(share)) return SCR_OK;
  set_target(n, true, step, fmin(1.0, fmax(pow(fmax(share, 0.0), 3.0), 0.02)));
  SCR_TRY(direction(n, residual, error));
  step = fmin(1.0, 0.99 * longest_step(n));
  if (!isfinite(step)) return SCR_OK;
  if (n->plan->damping > 0.0) {
    for (int k = 0; k < SHORTENINGS && !is_central(n, step); ++k) step *= 0.7;
    if (step < 0.2) n->delta = fmin(10.0, 3.0 * n->delta);
    if (step > 0.6) n->delta = fmax(1e-8, 0.1 * n->delta);
  }
  for (size_t k = 0; k < s->rows; ++k) {
    n->x[k] += step * n->dx[k];
    n->y[k] += step * n->dy[k];
  }
  take_impulses(n);
  for (size_t k = 0; k < s->size; ++k) n->v[k] += step * n->dv[k];
  *taken = step;
  return SCR_OK;
}

/* M v into dv, where advance looks for it. */
static void multiply_mass(const interior *n)
{
  const contact_problem *p = n->system->problem;
  if (n->work->matrix.coupled) {
    la_sparse_multiply(n->work->matrix.coupled, n->v, n->dv);
    return;
  }
  for (size_t k = 0; k < p->block_count; ++k)
    small_multiply(p->block_size, p->mass_block + k * p->block_size * p->block_size, n->v + k * p->block_size, n->dv + k * p->block_size);
}

/* The present impulse, in the cones, as a candidate. */
static scr_status offer(interior *n, double *best, double *residual, bool *solved, scr_error *error)
{
  const contact_problem *p = n->system->problem;
  unsigned d = p->dimension;
  double *candidate = n->moved;
  for (size_t i = 0; i < p->contact_count; ++i) cone_project(d, p->friction[i], n->r + i * d, candidate + i * d);
  SCR_TRY(contact_track_offer(n->track, candidate, solved, error));
  if (!(n->track->last < *residual)) return SCR_OK;
  *residual = n->track->last;
  memcpy(best, candidate, n->system->rows * sizeof *best);
  return SCR_OK;
}

static scr_status iterate(interior *n, double *best, double *residual, scr_error *error)
{
  double recent[STALL] = {1.0, 1.0, 1.0, 1.0};
  bool solved = false;
  SCR_TRY(begin(n, error));
  for (unsigned k = 0; k < n->plan->limit; ++k) {
    double step;
    SCR_TRY(offer(n, best, residual, &solved, error));
    if (solved || !isfinite(n->track->last) || !contact_track_may_factor(n->track)) break;
    if (k >= STALL && fmax(fmax(recent[0], recent[1]), fmax(recent[2], recent[3])) < 0.05) break;
    if (!linearise(n)) break;
    scr_status status = primal_factor(n->work, n->track, n->block, error);
    if (status == SCR_DIVERGED) break;
    SCR_TRY(status);
    multiply_mass(n);
    SCR_TRY(advance(n, &step, error));
    if (!isfinite(step)) break;
    recent[k % STALL] = step;
  }
  return SCR_OK;
}

scr_status interior_point(primal_workspace *work, contact_track *track, const interior_plan *plan, double *best, double *residual,
                          scr_error *error)
{
  interior n = {.system = track->system, .work = work, .track = track, .plan = plan};
  *residual = HUGE_VAL;
  scr_status status = interior_create(&n, error);
  if (status == SCR_OK) status = iterate(&n, best, residual, error);
  mem_free(n.workspace);
  mem_free(n.scaling);
  return status;
}
