/* Projected gradients on the dual form, De Saxce's change of variable kept up to date.
 *
 *     min J(r) = r . W r/2 + r . (q + shift)  over the cones,   shift = mu |u_T| n,   gradient g = u + shift
 *
 * in the variable sqrt(s) r, so that masses do not matter. W is applied by H M^-1 H'. Four ways to choose the step:
 *
 *     descent      backtracking until J is below its quadratic model
 *     conjugate    Polak and Ribiere's direction on projected gradients, backtracking, restarted where it does not descend
 *     accelerated  Nesterov's inertia, restarted where the step turns against the gradient (Mazhar and others 2015)
 *     spectral     Barzilai and Borwein's step with the same inertia, not monotone */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "contact/local/cone.h"
#include "contact/solvers/solvers.h"
#include "linalg/vector.h"

enum { JUDGE_EVERY = 10, ITERATION_LIMIT = 5000, HALVINGS = 40 };
static const double least_progress = 0.8;

typedef struct gradient {
  const contact_system *system;
  contact_track *track;
  double *point;                /* [n d] where the gradient is taken, in the scaled variable */
  double *now, *next;           /* [n d] the iterate and its candidate */
  double *slope, *slope_before; /* [n d] g at `point`, and before it */
  double *point_before, *along; /* [n d] */
  double *impulse, *u, *shift;  /* [n d] r of a scaled point, its velocity, mu |u_T| n */
  double *v, *root;             /* [m], sqrt(s) [n] */
  double step, theta;
} gradient;

static scr_status gradient_create(gradient *g, scr_error *error)
{
  size_t rows = g->system->rows, n = g->system->problem->contact_count;
  double **const arrays[] = {&g->point,        &g->now,   &g->next,    &g->slope, &g->slope_before,
                             &g->point_before, &g->along, &g->impulse, &g->u,     &g->shift};
  g->v = mem_array(g->system->size, sizeof *g->v);
  g->root = mem_array(n, sizeof *g->root);
  bool memory = g->v && g->root;
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; ++k) memory = (*arrays[k] = mem_array(rows, sizeof(double))) && memory;
  if (!memory) return scr_fail_memory(error, "projected gradients", 10 * rows * sizeof(double));
  for (size_t i = 0; i < n; ++i) g->root[i] = sqrt(g->system->scale[i]);
  return SCR_OK;
}

static void gradient_clear(gradient *g)
{
  double *const arrays[] = {g->point,   g->now, g->next,  g->slope, g->slope_before, g->point_before, g->along,
                            g->impulse, g->u,   g->shift, g->v,     g->root};
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; ++k) mem_free(arrays[k]);
}

static double dot(const gradient *g, const double *a, const double *b)
{
  return la_dot(a, b, g->system->rows, g->system->execution);
}

static void unscale(const gradient *g, const double *x, double *r)
{
  unsigned d = g->system->problem->dimension;
  for (size_t k = 0; k < g->system->rows; ++k) r[k] = x[k] / g->root[k / d];
}

static void project_all(const gradient *g, double *x)
{
  const contact_problem *p = g->system->problem;
  unsigned d = p->dimension;
  for (size_t i = 0; i < p->contact_count; ++i) cone_project(d, p->friction[i], x + i * d, x + i * d);
}

/* u at a scaled point; J there with the present shift. */
static scr_status value_at(gradient *g, const double *x, double *value, scr_error *error)
{
  double sum = 0.0;
  unscale(g, x, g->impulse);
  SCR_TRY(contact_system_speeds(g->system, g->impulse, g->v, g->u, error));
  for (size_t k = 0; k < g->system->rows; ++k) sum += g->impulse[k] * (0.5 * (g->u[k] + g->system->free_velocity[k]) + g->shift[k]);
  *value = sum;
  return SCR_OK;
}

/* Gradient at g->point, with a new shift; J with it. */
static scr_status slope_at_point(gradient *g, double *value, scr_error *error)
{
  const contact_problem *p = g->system->problem;
  unsigned d = p->dimension;
  SCR_TRY(value_at(g, g->point, value, error));
  *value = 0.0;
  for (size_t i = 0; i < p->contact_count; ++i) {
    double shifted[CONE_DIMENSION_MAX] = {0};
    cone_shift(d, p->friction[i], g->u + i * d, shifted);
    g->shift[i * d] = shifted[0] - g->u[i * d];
    for (unsigned k = 0; k < d; ++k) {
      size_t at = i * d + k;
      g->slope[at] = (g->u[at] + g->shift[at]) / g->root[i];
      *value += g->impulse[at] * (0.5 * (g->u[at] + g->system->free_velocity[at]) + g->shift[at]);
    }
  }
  return SCR_OK;
}

/* next = projection of point + step direction. */
static void move(gradient *g, const double *direction, double sign)
{
  for (size_t k = 0; k < g->system->rows; ++k) g->next[k] = g->point[k] + sign * g->step * direction[k];
  project_all(g, g->next);
}

/* Shortens the step until J(next) is below its model at point. */
static scr_status backtrack(gradient *g, const double *direction, double sign, double value, scr_error *error)
{
  g->step *= 1.2;
  for (int k = 0; k < HALVINGS; ++k) {
    double found, model = value;
    move(g, direction, sign);
    SCR_TRY(value_at(g, g->next, &found, error));
    for (size_t j = 0; j < g->system->rows; ++j) {
      double went = g->next[j] - g->point[j];
      model += g->slope[j] * went + 0.5 * went * went / g->step;
    }
    if (found <= model + 1e-14 * fabs(value)) return SCR_OK;
    g->step *= 0.5;
  }
  return SCR_OK;
}

/* Barzilai and Borwein's step from the last two points. */
static void spectral_step(gradient *g)
{
  double along = 0.0, square = 0.0;
  for (size_t k = 0; k < g->system->rows; ++k) {
    double change = g->slope[k] - g->slope_before[k];
    along += (g->point[k] - g->point_before[k]) * change;
    square += change * change;
  }
  if (square > 0.0) g->step = fmin(1e6, fmax(1e-6, fabs(along) / square));
}

/* Polak and Ribiere's direction into `along`, started anew where it does not descend. */
static void conjugate_direction(gradient *g)
{
  size_t rows = g->system->rows;
  double before = dot(g, g->slope_before, g->slope_before), now = dot(g, g->slope, g->slope), mixed = dot(g, g->slope, g->slope_before);
  double beta = before > 0.0 ? fmax(0.0, (now - mixed) / before) : 0.0;
  for (size_t k = 0; k < rows; ++k) g->along[k] = beta * g->along[k] - g->slope[k];
  if (dot(g, g->along, g->slope) < 0.0) return;
  for (size_t k = 0; k < rows; ++k) g->along[k] = -g->slope[k];
}

/* Where the next gradient is taken: beyond the new iterate, by Nesterov's inertia. */
static void extrapolate(gradient *g)
{
  size_t rows = g->system->rows;
  double square = g->theta * g->theta, turned = 0.0;
  double next = 0.5 * (sqrt(square * square + 4.0 * square) - square), beta = g->theta * (1.0 - g->theta) / (square + next);
  for (size_t k = 0; k < rows; ++k) turned += (g->next[k] - g->now[k]) * g->slope[k];
  if (turned > 0.0) {
    next = 1.0;
    beta = 0.0;
  }
  g->theta = next;
  for (size_t k = 0; k < rows; ++k) g->point[k] = g->next[k] + beta * (g->next[k] - g->now[k]);
}

static scr_status iterate(gradient *g, contact_solver kind, unsigned number, scr_error *error)
{
  size_t bytes = g->system->rows * sizeof *g->now;
  double value;
  memcpy(g->slope_before, g->slope, bytes);
  SCR_TRY(slope_at_point(g, &value, error));
  if (kind == CONTACT_CONJUGATE) {
    conjugate_direction(g);
    SCR_TRY(backtrack(g, g->along, 1.0, value, error));
  } else if (kind == CONTACT_SPECTRAL) {
    if (number > 0) spectral_step(g);
    move(g, g->slope, -1.0);
  } else {
    SCR_TRY(backtrack(g, g->slope, -1.0, value, error));
  }
  memcpy(g->point_before, g->point, bytes);
  if (kind == CONTACT_ACCELERATED || kind == CONTACT_SPECTRAL)
    extrapolate(g);
  else
    memcpy(g->point, g->next, bytes);
  memcpy(g->now, g->next, bytes);
  return SCR_OK;
}

/* @param patience when positive: ends when as many iterations have not brought the best point below `pace` of what it was */
static scr_status run(gradient *g, double *impulse, unsigned limit, unsigned patience, scr_error *error)
{
  contact_solver kind = g->track->solver;
  unsigned d = g->system->problem->dimension;
  bool solved = false;
  double earlier = HUGE_VAL;
  for (size_t k = 0; k < g->system->rows; ++k) g->now[k] = g->point[k] = impulse[k] * g->root[k / d];
  project_all(g, g->now);
  memcpy(g->point, g->now, g->system->rows * sizeof *g->now);
  for (unsigned k = 0; k < limit && !solved; ++k) {
    SCR_TRY(iterate(g, kind, k, error));
    ++g->track->iterations;
    if ((k + 1) % JUDGE_EVERY != 0 && k + 1 != limit) continue;
    unscale(g, g->now, impulse);
    SCR_TRY(contact_track_offer(g->track, impulse, &solved, error));
    if (!isfinite(g->track->last)) break;
    if (patience == 0 || (k + 1) % patience != 0) continue;
    if (g->track->residual > least_progress * earlier && g->track->residual > 2.0 * g->track->options->tolerance) break;
    earlier = g->track->residual;
  }
  return SCR_OK;
}

scr_status contact_gradient_iterations(contact_track *track, double *impulse, unsigned limit, unsigned patience, scr_error *error)
{
  gradient g = {.system = track->system, .track = track, .step = 0.1, .theta = 1.0};
  scr_status status = gradient_create(&g, error);
  if (status == SCR_OK) status = run(&g, impulse, limit, patience, error);
  gradient_clear(&g);
  return status;
}

scr_status contact_solve_gradient(contact_track *track, double *impulse, scr_error *error)
{
  unsigned limit = track->options->iteration_limit;
  return contact_gradient_iterations(track, impulse, limit ? limit : ITERATION_LIMIT, 0, error);
}
