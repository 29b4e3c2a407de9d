/* The hybrid for problems that nothing else solves: S from the start; the interior point method, plain (I), then regularised (Id); then
 * interior points that follow centres of random weights, each finished by S; and the long proximal Newton method (L) where interior points
 * get nowhere.
 * Source: the project's own spec, section 3.9b. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "contact/solvers/primal.h"
#include "contact/solvers/random_normal.h"
#include "contact/system/workspace.h"

enum { RESTARTS = 30, PLANS = 6, INTERIOR_LIMIT = 90, QUICK_FACTORS = 60, POLISH_FACTORS = 15, HOPELESS_AFTER = 3 };
static const double polish_below = 1e-4, hopeless_above = 1e-2;

/* From where a random interior point starts, how far inside, how wide its weights are spread, whether they follow the contacts' scales. */
typedef enum start_kind { START_COLD, START_QUICK, START_BEST } start_kind;
static const struct {
  start_kind from;
  double shift, spread, exponent;
} restarts[PLANS] = {{START_QUICK, 0.1, 0.7, 0.0}, {START_BEST, 1.0, 0.5, 0.0}, {START_QUICK, 0.1, 0.5, 1.0},
                     {START_COLD, 0.1, 0.5, 0.0},  {START_BEST, 0.1, 0.7, 0.0}, {START_QUICK, 0.3, 0.7, 0.0}};

typedef struct hybrid {
  primal_workspace *work;
  contact_track *track;
  double *quick; /* [n d] the best point after S */
  double *point; /* [n d] */
  double *omega; /* [n] */
  uint64_t seed;
  double scale; /* geometric mean of s */
  unsigned runs, hopeless;
} hybrid;

static scr_status run_quick(hybrid *h, double *from, unsigned factors, scr_error *error)
{
  SCR_TRY(contact_track_offer(h->track, from, NULL, error));
  proximal_plan plan = proximal_quick(fmax(h->track->last, 1e-16), factors);
  return proximal_newton(h->work, h->track, &plan, from, error);
}

/* One interior point, and S from where it ends when that is near. */
static scr_status run_interior(hybrid *h, const interior_plan *plan, scr_error *error)
{
  double residual;
  SCR_TRY(interior_point(h->work, h->track, plan, h->point, &residual, error));
  ++h->runs;
  h->hopeless += !(residual <= hopeless_above);
  if (contact_track_solved(h->track) || !(residual < polish_below)) return SCR_OK;
  return run_quick(h, h->point, POLISH_FACTORS, error);
}

static void draw_weights(hybrid *h, double spread, double exponent)
{
  const contact_system *s = h->track->system;
  for (size_t i = 0; i < s->problem->contact_count; ++i)
    h->omega[i] = exp(spread * random_normal(&h->seed)) * (exponent != 0.0 ? pow(s->scale[i] / h->scale, exponent) : 1.0);
}

static bool is_done(const hybrid *h)
{
  return contact_track_solved(h->track) || !contact_track_may_factor(h->track) || (h->runs >= HOPELESS_AFTER && h->hopeless == h->runs);
}

static scr_status run_restarts(hybrid *h, scr_error *error)
{
  size_t rows = h->track->system->rows;
  double *start = mem_array(rows, sizeof *start);
  scr_status status = start ? SCR_OK : no_memory(error, "impulses", rows * sizeof *start);
  for (unsigned k = 0; status == SCR_OK && k < RESTARTS && !is_done(h); ++k) {
    start_kind from = restarts[k % PLANS].from;
    draw_weights(h, restarts[k % PLANS].spread, restarts[k % PLANS].exponent);
    memcpy(start, from == START_BEST ? h->track->best : h->quick, rows * sizeof *start);
    status = run_interior(
        h,
        &(interior_plan){
            .start = from == START_COLD ? NULL : start, .shift = restarts[k % PLANS].shift, .weights = h->omega, .limit = INTERIOR_LIMIT},
        error);
  }
  mem_free(start);
  return status;
}

static scr_status run_long(hybrid *h, scr_error *error)
{
  static const double steps[] = {10.0, 3.0};
  for (size_t k = 0; k < sizeof steps / sizeof *steps && !contact_track_solved(h->track) && contact_track_may_factor(h->track); ++k) {
    proximal_plan plan = proximal_long(steps[k]);
    memset(h->point, 0, h->track->system->rows * sizeof *h->point);
    SCR_TRY(proximal_newton(h->work, h->track, &plan, h->point, error));
  }
  return SCR_OK;
}

static scr_status run_stages(hybrid *h, bool tried, double *impulse, scr_error *error)
{
  contact_track *track = h->track;
  track->solver = CONTACT_NEWTON;
  SCR_TRY(run_quick(h, impulse, QUICK_FACTORS, error));
  memcpy(h->quick, track->best, track->system->rows * sizeof *h->quick);
  track->solver = CONTACT_INTERIOR;
  if (!is_done(h) && !tried) SCR_TRY(run_interior(h, &(interior_plan){.limit = INTERIOR_LIMIT}, error));
  if (!is_done(h)) SCR_TRY(run_interior(h, &(interior_plan){.damping = 1e-2, .limit = INTERIOR_LIMIT}, error));
  track->solver = CONTACT_HYBRID;
  SCR_TRY(run_restarts(h, error));
  return run_long(h, error);
}

scr_status hybrid_run(primal_workspace *work, contact_track *track, bool tried, double *impulse, scr_error *error)
{
  const contact_system *s = track->system;
  size_t contacts = s->problem->contact_count;
  hybrid h = {.work = work, .track = track, .seed = track->options->seed};
  for (size_t i = 0; i < contacts; ++i) h.scale += log(s->scale[i]) / (double)contacts;
  h.scale = exp(h.scale);
  h.quick = mem_array(s->rows, sizeof *h.quick);
  h.point = mem_array(s->rows, sizeof *h.point);
  h.omega = mem_array(contacts, sizeof *h.omega);
  scr_status status =
      h.quick && h.point && h.omega ? run_stages(&h, tried, impulse, error) : no_memory(error, "impulses", 2 * s->rows * sizeof *h.quick);
  mem_free(h.quick);
  mem_free(h.point);
  mem_free(h.omega);
  return status;
}

scr_status hybrid_run_interior(primal_workspace *work, contact_track *track, unsigned limit, double *impulse, scr_error *error)
{
  double residual;
  track->solver = CONTACT_INTERIOR;
  SCR_TRY(interior_point(work, track, &(interior_plan){.limit = limit}, impulse, &residual, error));
  if (contact_track_solved(track) || !(residual < polish_below)) return SCR_OK;
  SCR_TRY(contact_track_offer(track, impulse, NULL, error));
  proximal_plan plan = proximal_quick(fmax(track->last, 1e-16), POLISH_FACTORS);
  return proximal_newton(work, track, &plan, impulse, error);
}

/* ── as solvers of their own ── */

static scr_status with_workspace(contact_track *track, double *impulse, scr_error *error,
                                 scr_status (*run)(primal_workspace *, contact_track *, double *, scr_error *))
{
  primal_workspace work;
  SCR_TRY(primal_workspace_create(track->system, &work, error));
  scr_status status = run(&work, track, impulse, error);
  primal_workspace_clear(&work);
  return status;
}

static scr_status newton_run(primal_workspace *work, contact_track *track, double *impulse, scr_error *error)
{
  unsigned limit = track->options->iteration_limit;
  proximal_plan plan = proximal_quick(fmax(track->residual, 1e-16), limit ? limit : 2 * QUICK_FACTORS);
  if (limit) plan.outer_limit = limit;
  return proximal_newton(work, track, &plan, impulse, error);
}

static scr_status interior_run(primal_workspace *work, contact_track *track, double *impulse, scr_error *error)
{
  unsigned limit = track->options->iteration_limit;
  double residual;
  interior_plan plan = {.limit = limit ? limit : INTERIOR_LIMIT};
  SCR_TRY(interior_point(work, track, &plan, impulse, &residual, error));
  if (contact_track_solved(track)) return SCR_OK;
  plan.damping = 1e-2;
  return interior_point(work, track, &plan, impulse, &residual, error);
}

scr_status contact_solve_newton(contact_track *track, double *impulse, scr_error *error)
{
  return with_workspace(track, impulse, error, newton_run);
}

scr_status contact_solve_interior(contact_track *track, double *impulse, scr_error *error)
{
  return with_workspace(track, impulse, error, interior_run);
}

static scr_status whole_run(primal_workspace *work, contact_track *track, double *impulse, scr_error *error)
{
  return hybrid_run(work, track, false, impulse, error);
}

scr_status contact_solve_hybrid(contact_track *track, double *impulse, scr_error *error)
{
  return with_workspace(track, impulse, error, whole_run);
}
