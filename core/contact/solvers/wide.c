/* Wide cones for solvers that see them badly.
 *
 * Projections onto K and its dual treat a tangential velocity as mu times a normal one, so methods built on them crawl where mu is large.
 * What sticks or parts under a smaller coefficient obeys Coulomb's law under any larger one too: |r_T| <= m r_N <= mu r_N, u = 0. So the
 * friction is capped first, and the cap is raised as long as something slides at it. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "contact/solvers/solvers.h"

static const double first_cap = 3.0, cap_ratio = 3.0; /* 1 */

static double widest(const contact_problem *p)
{
  double most = 0.0;
  for (size_t i = 0; i < p->contact_count; ++i) most = fmax(most, p->friction[i]);
  return most;
}

/* The same problem with its friction capped; its last point is offered to the real one, and is where the next begins. */
static scr_status solve_capped(contact_solve_function *solve, contact_track *track, double cap, double *friction, double *impulse,
                               scr_error *error)
{
  contact_problem problem = *track->system->problem;
  contact_system system = *track->system;
  contact_options options = *track->options;
  contact_track capped;
  options.tolerance = fmax(1e-14, 0.1 * options.tolerance); /* residuals of both are alike, not the same */
  for (size_t i = 0; i < problem.contact_count; ++i) friction[i] = fmin(problem.friction[i], cap);
  problem.friction = friction;
  system.problem = &problem;
  SCR_TRY(contact_track_create(&system, &options, &capped, error));
  capped.solver = track->solver;
  capped.factorisations = track->factorisations;
  scr_status status = contact_track_offer(&capped, impulse, NULL, error);
  if (status == SCR_OK) status = solve(&capped, impulse, error);
  track->iterations += capped.iterations;
  track->factorisations = capped.factorisations;
  memcpy(impulse, capped.best, system.rows * sizeof *impulse);
  contact_track_clear(&capped);
  return status == SCR_OK ? contact_track_offer(track, impulse, NULL, error) : status;
}

scr_status contact_solve_wide(contact_solve_function *solve, contact_track *track, double *impulse, scr_error *error)
{
  size_t contacts = track->system->problem->contact_count;
  double most = widest(track->system->problem);
  double *friction, cap = first_cap;
  SCR_TRY(mem_allocate(&friction, contacts, sizeof *friction, "coefficients of friction", error));
  scr_status status = SCR_OK;
  while (status == SCR_OK && cap < most && !contact_track_solved(track)) {
    status = solve_capped(solve, track, cap, friction, impulse, error);
    cap *= cap_ratio;
  }
  mem_free(friction);
  if (status != SCR_OK || contact_track_solved(track)) return status;
  return solve(track, impulse, error);
}
