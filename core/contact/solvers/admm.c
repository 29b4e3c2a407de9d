/* ADMM on the primal form, one penalty for each contact, and Cadoux's fixed point over cone programs around the same loop.
 *
 *     v = A^-1 (f + H' (r + rho_i (z - w - shift))),   A = M + H' diag(rho_i) H,   rho_i = rho/s_i
 *     u~ = H v + w + shift,   z = projection of u~ - r/rho_i on the dual cone,   r += rho_i (z - u~),   shift = mu |u_T| n
 *
 * A fixed point is a solution, since r/rho = proj_K(r/rho - u~) by Moreau. The penalties 1/s_i make mass ratios harmless. rho is doubled or
 * halved every 20 iterations until 600, with a new factor of the same pattern. ADMM takes the new shift in every iteration; the fixed point
 * keeps it until the cone program is solved well enough.
 * Sources: Acary, Bremond, Huber 2018 on ADMM for friction; Cadoux 2009 for the fixed point; Boyd and others 2010 for the adaption. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "contact/local/cone.h"
#include "contact/solvers/solvers.h"
#include "contact/system/contact_matrix.h"
#include "contact/system/workspace.h"

enum { JUDGE_EVERY = 10, ADAPT_EVERY = 20, ADAPT_UNTIL = 600, ITERATION_LIMIT = 3000 };

typedef struct admm {
  const contact_system *system;
  contact_track *track;
  bool frozen; /* the shift is kept until the cone program is solved */
  contact_matrix matrix;
  la_factor *factor;
  double rho;
  double *workspace;            /* what the arrays below are cut out of */
  double *z, *u, *before, *sum; /* [n d]; u: H v + w */
  double *shift;                /* [n] mu |u_T| */
  double *v, *rhs;              /* [m] */
  double *block;                /* [n][d][d] */
} admm;

static scr_status admm_create(admm *a, scr_error *error)
{
  size_t rows = a->system->rows, size = a->system->size, n = a->system->problem->contact_count,
         squared = rows * a->system->problem->dimension;
  size_t total = 4 * workspace_size(rows) + workspace_size(n) + 2 * workspace_size(size) + workspace_size(squared);
  double *at = a->workspace = mem_array(total, sizeof *at);
  if (!at) return no_memory(error, "ADMM", total * sizeof *at);
  a->z = workspace_take(&at, rows);
  a->u = workspace_take(&at, rows);
  a->before = workspace_take(&at, rows);
  a->sum = workspace_take(&at, rows);
  a->shift = workspace_take(&at, n);
  a->v = workspace_take(&at, size);
  a->rhs = workspace_take(&at, size);
  a->block = workspace_take(&at, squared);
  SCR_TRY(contact_matrix_create(a->system, &a->matrix, error));
  return la_factor_create(LA_FACTOR_CHOLESKY, &a->factor, error);
}

static void admm_clear(admm *a)
{
  mem_free(a->workspace);
  contact_matrix_clear(&a->matrix);
  la_factor_destroy(a->factor);
}

static scr_status factorise(admm *a, scr_error *error)
{
  unsigned d = a->system->problem->dimension;
  for (size_t i = 0; i < a->system->problem->contact_count; ++i)
    for (unsigned k = 0; k < d; ++k) a->block[(i * d + k) * d + k] = a->rho / a->system->scale[i];
  contact_matrix_fill(&a->matrix, a->block);
  ++a->track->factorisations;
  return la_factor_make(a->factor, &a->matrix.k, error);
}

/* Nearest point of the dual cone { u : u . r >= 0 for all r of K }. */
static void project_dual(unsigned d, double friction, double *z)
{
  if (friction > 0.0)
    cone_project(d, 1.0 / friction, z, z);
  else if (friction == 0.0)
    z[0] = fmax(0.0, z[0]);
  else
    memset(z, 0, d * sizeof *z);
}

/* Shifts of the velocities in u. */
static void take_shifts(admm *a, const double *u)
{
  const contact_problem *p = a->system->problem;
  unsigned d = p->dimension;
  for (size_t i = 0; i < p->contact_count; ++i) {
    double shifted[CONE_DIMENSION_MAX] = {0};
    cone_shift(d, p->friction[i], u + i * d, shifted);
    a->shift[i] = shifted[0] - u[i * d];
  }
}

static void start(admm *a)
{
  const contact_problem *p = a->system->problem;
  unsigned d = p->dimension;
  take_shifts(a, a->track->relative);
  for (size_t i = 0; i < p->contact_count; ++i) {
    memcpy(a->z + i * d, a->track->relative + i * d, d * sizeof *a->z);
    a->z[i * d] += a->shift[i];
    project_dual(d, p->friction[i], a->z + i * d);
  }
}

/* One iteration. @param apart, moved receive |z - u~| and how far z went */
static scr_status iterate(admm *a, double *r, double *apart, double *moved, scr_error *error)
{
  const contact_problem *p = a->system->problem;
  unsigned d = p->dimension;
  for (size_t k = 0; k < a->system->rows; ++k) {
    double shift = k % d == 0 ? a->shift[k / d] : 0.0;
    a->sum[k] = r[k] + a->rho / a->system->scale[k / d] * (a->z[k] - p->offset[k] - shift);
  }
  memcpy(a->rhs, p->momentum, a->system->size * sizeof *a->rhs);
  contact_system_gather(a->system, a->sum, a->rhs);
  SCR_TRY(la_factor_solve(a->factor, a->rhs, 1, a->v, error));
  contact_system_relative(a->system, a->v, a->u);
  memcpy(a->before, a->z, a->system->rows * sizeof *a->before);
  *apart = *moved = 0.0;
  for (size_t i = 0; i < p->contact_count; ++i) {
    double penalty = a->rho / a->system->scale[i], shifted[CONE_DIMENSION_MAX] = {0}, *z = a->z + i * d;
    for (unsigned k = 0; k < d; ++k) {
      a->u[i * d + k] += p->offset[i * d + k];
      shifted[k] = a->u[i * d + k] + (k == 0 ? a->shift[i] : 0.0);
      z[k] = shifted[k] - r[i * d + k] / penalty;
    }
    project_dual(d, p->friction[i], z);
    for (unsigned k = 0; k < d; ++k) {
      double gap = z[k] - shifted[k], went = z[k] - a->before[i * d + k];
      r[i * d + k] += penalty * gap;
      *apart += gap * gap;
      *moved += went * went;
    }
  }
  if (!a->frozen) take_shifts(a, a->u);
  *apart = sqrt(*apart);
  *moved = sqrt(*moved);
  return SCR_OK;
}

/* How well the cone program with the present shifts is solved: its natural map over speed. @param u [n d] of r */
static double program_residual(const admm *a, const double *r, const double *u)
{
  const contact_problem *p = a->system->problem;
  unsigned d = p->dimension;
  double largest = 0.0;
  for (size_t i = 0; i < p->contact_count; ++i) {
    double y[CONE_DIMENSION_MAX] = {0}, s = a->system->scale[i], sum = 0.0;
    for (unsigned k = 0; k < d; ++k) y[k] = s * r[i * d + k] - u[i * d + k] - (k == 0 ? a->shift[i] : 0.0);
    cone_project(d, p->friction[i], y, y);
    for (unsigned k = 0; k < d; ++k) sum += (s * r[i * d + k] - y[k]) * (s * r[i * d + k] - y[k]);
    largest = fmax(largest, sqrt(sum));
  }
  return largest / a->system->speed;
}

static scr_status adapt(admm *a, double apart, double moved, scr_error *error)
{
  double factor = apart > 5.0 * moved ? 2.0 : moved > 5.0 * apart ? 0.5 : 1.0;
  if (factor == 1.0 || !contact_track_may_factor(a->track)) return SCR_OK;
  a->rho *= factor;
  return factorise(a, error);
}

static scr_status run(admm *a, double *r, unsigned limit, scr_error *error)
{
  bool solved = false;
  double apart, moved;
  SCR_TRY(contact_track_offer(a->track, r, &solved, error));
  start(a);
  SCR_TRY(factorise(a, error));
  a->track->operations = la_factor_estimate(a->factor).operations;
  for (unsigned k = 1; k <= limit && !solved; ++k) {
    SCR_TRY(iterate(a, r, &apart, &moved, error));
    ++a->track->iterations;
    if (k % ADAPT_EVERY == 0 && k <= ADAPT_UNTIL) SCR_TRY(adapt(a, apart, moved, error));
    if (k % JUDGE_EVERY != 0 && k != limit) continue;
    SCR_TRY(contact_track_offer(a->track, r, &solved, error));
    if (!isfinite(a->track->last)) break;
    double target = 0.1 * fmax(a->track->options->tolerance, fmin(a->track->last, 1.0));
    if (a->frozen && !solved && program_residual(a, r, a->track->relative) <= target) take_shifts(a, a->track->relative);
  }
  return SCR_OK;
}

scr_status contact_admm_iterations(contact_track *track, double *impulse, unsigned limit, bool frozen, scr_error *error)
{
  admm a = {.system = track->system, .track = track, .rho = 1.0, .frozen = frozen};
  scr_status status = admm_create(&a, error);
  if (status == SCR_OK) status = run(&a, impulse, limit, error);
  admm_clear(&a);
  return status == SCR_DIVERGED ? SCR_OK : status; /* a matrix beyond what numbers hold: the best point stays */
}

scr_status contact_solve_admm(contact_track *track, double *impulse, scr_error *error)
{
  unsigned limit = track->options->iteration_limit;
  return contact_admm_iterations(track, impulse, limit ? limit : ITERATION_LIMIT, false, error);
}

scr_status contact_solve_fixed_point(contact_track *track, double *impulse, scr_error *error)
{
  unsigned limit = track->options->iteration_limit;
  return contact_admm_iterations(track, impulse, limit ? limit : ITERATION_LIMIT, true, error);
}
