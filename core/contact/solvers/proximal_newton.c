/* Proximal semismooth Newton method on the natural map of Alart and Curnier, in primal size.
 *
 * Outer: a proximal point r_k, penalty rho, del = 1/rho. Inner: F(r) = s r - P(y) = 0 by Newton, with
 *
 *     y = s r - sigma (u + del s (r - r_k)),   u = H v + w,   M v = f + H' r
 *     P: p_N = max(0, y_N), p_T = y_T cut to the disk of radius mu p_N;   D = dP/dy
 *     A = s (I - (1 - sigma del) D),   B = sigma A^-1 D,   g = -A^-1 F
 *     (M + H' B H) dv = H' g,   dr = g - B H dv
 *
 * halved until |F| falls below the largest of the last few. A step that converges is accepted and rho grows when it was easy; one that does
 * not is accepted when the residual fell by a third all the same, else rho shrinks.
 * Source: the project's own method, of the kind of proximal Newton methods for variational inequalities; Alart and Curnier 1991 for P. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "contact/local/cone.h"
#include "contact/local/small_matrix.h"
#include "contact/solvers/primal.h"
#include "contact/system/workspace.h"

enum { HALVINGS = 10, EASY = 8, HARD = 15, MEMORY_MAX = 8 };
static const double rho_most = 1e8;

typedef struct newton {
  const contact_system *system;
  primal_workspace *work;
  contact_track *track;
  const proximal_plan *plan;
  double *workspace;         /* what the arrays below are cut out of */
  double del, step;          /* 1/rho and sigma of this outer step */
  const double *centre;      /* [n d] r_k */
  double *r, *next, *change; /* [n d] */
  double *f, *u, *g;         /* [n d] F, relative velocity, -A^-1 F */
  double *v, *dv, *rhs;      /* [m] */
  double *slope;             /* [n][d][d] D */
  double *block;             /* [n][d][d] B */
} newton;

static scr_status newton_create(newton *n, scr_error *error)
{
  size_t rows = n->system->rows, size = n->system->size, squared = rows * n->system->problem->dimension;
  size_t total = 6 * workspace_size(rows) + 3 * workspace_size(size) + 2 * workspace_size(squared);
  double *at = n->workspace = mem_array(total, sizeof *at);
  if (!at) return no_memory(error, "a Newton method", total * sizeof *at);
  n->r = workspace_take(&at, rows);
  n->next = workspace_take(&at, rows);
  n->change = workspace_take(&at, rows);
  n->f = workspace_take(&at, rows);
  n->u = workspace_take(&at, rows);
  n->g = workspace_take(&at, rows);
  n->v = workspace_take(&at, size);
  n->dv = workspace_take(&at, size);
  n->rhs = workspace_take(&at, size);
  n->slope = workspace_take(&at, squared);
  n->block = workspace_take(&at, squared);
  return SCR_OK;
}

/* P(y) of one contact in place, and its derivative. @param slope [d][d] column-major, or NULL */
static void cut(unsigned d, double friction, double *y, double *slope)
{
  double t = 0.0, normal = fmax(0.0, y[0]), radius = friction * normal;
  bool active = y[0] > 0.0, free = friction < 0.0;
  for (unsigned k = 1; k < d; ++k) t += y[k] * y[k];
  t = sqrt(t);
  bool slides = !free && (t > radius || friction == 0.0);
  double share = !slides ? 1.0 : t > 0.0 ? radius / t : 0.0;
  if (slope) {
    memset(slope, 0, (size_t)d * d * sizeof *slope);
    slope[0] = active || free ? 1.0 : 0.0;
    for (unsigned c = 1; c < d && (active || free); ++c)
      for (unsigned r = 1; r < d; ++r)
        slope[c * d + r] = share * ((r == c ? 1.0 : 0.0) - (slides && t > 0.0 ? y[r] * y[c] / (t * t) : 0.0));
    for (unsigned r = 1; r < d && slides && active && t > 0.0; ++r) slope[r] = friction * y[r] / t;
  }
  if (free) return;
  y[0] = normal;
  for (unsigned k = 1; k < d; ++k) y[k] *= share;
}

/* F at r, with D when `slope`. @param largest receives the largest |F_i|    @return |F| */
static scr_status evaluate(newton *n, const double *r, bool slope, double *length, double *largest, scr_error *error)
{
  const contact_problem *p = n->system->problem;
  unsigned d = p->dimension;
  double sum = 0.0;
  *largest = 0.0;
  SCR_TRY(contact_system_velocity(n->system, r, n->v, n->u, error));
  for (size_t i = 0; i < p->contact_count; ++i) {
    double y[CONE_DIMENSION_MAX] = {0}, s = n->system->scale[i], own = 0.0;
    for (unsigned k = 0; k < d; ++k) {
      size_t at = i * d + k;
      y[k] = s * r[at] - n->step * (n->u[at] + n->del * s * (r[at] - n->centre[at]));
    }
    cut(d, p->friction[i], y, slope ? n->slope + i * d * d : NULL);
    for (unsigned k = 0; k < d; ++k) {
      n->f[i * d + k] = s * r[i * d + k] - y[k];
      own += n->f[i * d + k] * n->f[i * d + k];
    }
    sum += own;
    *largest = fmax(*largest, own);
  }
  *length = sqrt(sum);
  *largest = sqrt(*largest);
  return SCR_OK;
}

/* B and g of every contact. @return false when an A is singular */
static bool condense(newton *n)
{
  const contact_problem *p = n->system->problem;
  unsigned d = p->dimension;
  for (size_t i = 0; i < p->contact_count; ++i) {
    double a[CONE_DIMENSION_MAX * CONE_DIMENSION_MAX] = {0}, column[CONE_DIMENSION_MAX] = {0}, s = n->system->scale[i];
    const double *slope = n->slope + i * d * d;
    for (unsigned c = 0; c < d; ++c)
      for (unsigned r = 0; r < d; ++r) a[c * d + r] = s * ((r == c ? 1.0 : 0.0) - (1.0 - n->step * n->del) * slope[c * d + r]);
    for (unsigned c = 0; c < d; ++c) {
      for (unsigned r = 0; r < d; ++r) column[r] = n->step * slope[c * d + r];
      if (!small_solve(d, a, column, n->block + (i * d + c) * d)) return false;
    }
    for (unsigned r = 0; r < d; ++r) column[r] = -n->f[i * d + r];
    if (!small_solve(d, a, column, n->g + i * d)) return false;
  }
  return true;
}

/* dr of Newton's step into `change`. @return SCR_DIVERGED when there is none */
static scr_status direction(newton *n, scr_error *error)
{
  const contact_system *s = n->system;
  unsigned d = s->problem->dimension;
  if (!condense(n)) return SCR_DIVERGED;
  SCR_TRY(primal_factor(n->work, n->track, n->block, error));
  memset(n->rhs, 0, s->size * sizeof *n->rhs);
  contact_system_gather(s, n->g, n->rhs);
  SCR_TRY(la_lu_solve(n->work->lu, n->rhs, n->dv, error));
  contact_system_relative(s, n->dv, n->change);
  for (size_t i = 0; i < s->problem->contact_count; ++i) {
    double moved[CONE_DIMENSION_MAX] = {0};
    small_multiply(d, n->block + i * d * d, n->change + i * d, moved);
    for (unsigned k = 0; k < d; ++k) {
      n->change[i * d + k] = n->g[i * d + k] - moved[k];
      if (!isfinite(n->change[i * d + k])) return SCR_DIVERGED;
    }
  }
  return SCR_OK;
}

static double largest_of(const double *x, size_t count)
{
  double largest = 0.0;
  for (size_t k = 0; k < count; ++k) largest = fmax(largest, x[k]);
  return largest;
}

/* One outer step's Newton iterations from n->r. @param reached receives the largest |F_i| over speed, `used` the iterations */
static scr_status inner(newton *n, double target, double *reached, unsigned *used, scr_error *error)
{
  double length, largest, history[MEMORY_MAX], speed = n->system->speed;
  size_t count = 0;
  SCR_TRY(evaluate(n, n->r, true, &length, &largest, error));
  history[count++ % n->plan->memory] = length;
  for (*used = 0; *used < n->plan->newton_limit && largest / speed >= target && contact_track_may_factor(n->track); ++*used) {
    scr_status status = direction(n, error);
    if (status == SCR_DIVERGED) break;
    SCR_TRY(status);
    double share = 1.0, reference = largest_of(history, count < n->plan->memory ? count : n->plan->memory);
    bool accepted = false;
    for (int k = 0; k < HALVINGS && !accepted; ++k) {
      for (size_t j = 0; j < n->system->rows; ++j) n->next[j] = n->r[j] + share * n->change[j];
      SCR_TRY(evaluate(n, n->next, true, &length, &largest, error));
      accepted = length < (1.0 - 1e-4 * share) * reference;
      share *= 0.5;
    }
    if (!accepted) {
      ++*used;
      SCR_TRY(evaluate(n, n->r, true, &length, &largest, error));
      break;
    }
    memcpy(n->r, n->next, n->system->rows * sizeof *n->r);
    history[count++ % n->plan->memory] = length;
  }
  *reached = largest / speed;
  return SCR_OK;
}

/* Nearest point of the cones. */
static void project_all(const contact_system *s, double *r)
{
  unsigned d = s->problem->dimension;
  for (size_t i = 0; i < s->problem->contact_count; ++i) cone_project(d, s->problem->friction[i], r + i * d, r + i * d);
}

/* Outer steps. @param impulse r_k, then the last accepted one */
static scr_status outer(newton *n, double *impulse, scr_error *error)
{
  const proximal_plan *plan = n->plan;
  double rho = plan->rho, present;
  unsigned from = n->track->factorisations;
  int cooling = 0;
  bool solved = false;
  SCR_TRY(contact_track_offer(n->track, impulse, &solved, error));
  present = n->track->last;
  n->centre = impulse;
  for (unsigned k = 0; k < plan->outer_limit && !solved && contact_track_may_factor(n->track); ++k) {
    double reached, target = fmax(1e-12, fmin(1e-2, 0.1 * present));
    unsigned used;
    n->del = 1.0 / rho;
    n->step = fmin(plan->step, 0.5 * rho);
    memcpy(n->r, impulse, n->system->rows * sizeof *n->r);
    SCR_TRY(inner(n, target, &reached, &used, error));
    project_all(n->system, n->r);
    SCR_TRY(contact_track_offer(n->track, n->r, &solved, error));
    bool converged = reached <= target, better = n->track->last < 0.7 * present;
    if (solved || n->track->factorisations - from > plan->factor_limit) break;
    if (converged || better) {
      memcpy(impulse, n->r, n->system->rows * sizeof *n->r);
      present = n->track->last;
    }
    if (converged) {
      --cooling;
      if (used <= EASY && cooling <= 0) rho = fmin(rho * plan->up, rho_most);
      if (used > HARD) rho /= 2.0;
    } else if (better) {
      rho /= 2.0;
    } else {
      rho /= plan->down;
      cooling = 1;
    }
    if (!(rho > 1e-12)) break; /* centre and point are the same to round-off */
  }
  return SCR_OK;
}

scr_status proximal_newton(primal_workspace *work, contact_track *track, const proximal_plan *plan, double *impulse, scr_error *error)
{
  newton n = {.system = track->system, .work = work, .track = track, .plan = plan};
  scr_status status = newton_create(&n, error);
  if (status == SCR_OK) status = outer(&n, impulse, error);
  mem_free(n.workspace);
  return status;
}

proximal_plan proximal_quick(double residual, unsigned factor_limit)
{
  return (proximal_plan){.rho = fmin(1e4, fmax(1.0, 0.1 / residual)),
                         .step = 1.0,
                         .up = 3.0,
                         .down = 3.0,
                         .memory = 5,
                         .newton_limit = 25,
                         .outer_limit = 60,
                         .factor_limit = factor_limit};
}

proximal_plan proximal_long(double step)
{
  return (proximal_plan){
      .rho = 1.0, .step = step, .up = 1.5, .down = 2.0, .memory = 1, .newton_limit = 30, .outer_limit = 350, .factor_limit = 2000};
}
