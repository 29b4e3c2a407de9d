/* Which solver, in what order, and why.
 *
 * 1. Gauss-Seidel, which is cheapest where it works: 50 sweeps, and on as long as its pace promises the tolerance soon (or it is near and
 *    contacts are thousands: its pace on packs is uneven, and whatever comes next costs more). Left out where the mass is one sparse matrix
 *    and contacts are many, since each sweep would need the whole of W.
 * 2. Accelerated projected gradients where the tolerance is a loose one: packs that are sheared or squeezed, whose impulses travel far,
 *    come to 1e-2 and 1e-3 in a thousand iterations without a factor, where Gauss-Seidel needs thousands of sweeps and ADMM and Newton's
 *    method stop short. Left when their pace goes. For fibres, whose mass comes in chains, at any tolerance: they end nearly all that
 *    Gauss-Seidel leaves of hair, and what comes behind them needs factors of all fibres together.
 * 3. ADMM from some hundred contacts on: one symmetric factor and many solves. Walls of 10 000 contacts take it 180 iterations and 0.4 s,
 *    where the proximal Newton method needs 67 unsymmetric factors and 3 s; of what it can't solve it leaves a good start.
 * 4. Interior points for large problems and tight tolerances, where factors pay: lattices that fill their box, which nothing before has got
 *    anywhere with.
 * 5. Patches from some hundred contacts on: Gauss-Seidel and the hybrid on the worst spots, for packs that none of the others can do as a
 *    whole. Before them a few factorisations of the proximal Newton method, which end what ADMM has nearly solved.
 * 6. The hybrid: proximal Newton, interior points, random centres, the long way; of large problems with a limit to the factorisations.
 * Each goes on from the best point there is; the best point of all is what is returned. */
#include <stdio.h>
#include <string.h>

#include "contact/solvers/primal.h"

enum {
  FIRST_SWEEPS = 2000,
  PATIENCE = 300,
  SPARSE_CONTACTS = 400,
  GRADIENT_ITERATIONS = 2000,
  GRADIENT_PATIENCE = 200,
  INTERIOR_POINTS = 30, /* of large problems */
  MANY = 300,           /* contacts from which ADMM comes before the hybrid */
  ADMM_ITERATIONS = 400,
  FEW_FACTORS = 15,
  ROUNDS = 80, /* of patches, of large problems */
  FEW_ROUNDS = 12,
  LARGE = 600, /* contacts from which the hybrid's factorisations are limited, when the caller has set no limit */
  LARGE_FACTORS = 60
};

static const double loose = 1e-4; /* tolerance from which projected gradients come first, and interior points of large problems don't */

/* Adds "name left 3e-4 after 50 iterations; " to the sentence. */
static void report(const contact_track *track, const char *name, unsigned before, char *reason)
{
  size_t length = strlen(reason);
  snprintf(reason + length, CONTACT_REASON_LENGTH - length, "%s left %.1e after %u steps; ", name, track->residual,
           track->iterations + track->factorisations - before);
}

/* What the plan gives a solver, or less where the caller has set a limit. */
static unsigned at_most(const contact_track *track, unsigned planned)
{
  unsigned limit = track->options->iteration_limit;
  return limit > 0 && limit < planned ? limit : planned;
}

/* The best point there is, to start from. */
static void go_on(const contact_track *track, double *impulse)
{
  memcpy(impulse, track->best, track->system->rows * sizeof *impulse);
}

/* The hybrid, at most so many factorisations (0: as the caller says); then so many interior points. */
static scr_status run_hybrid(contact_track *track, double *impulse, unsigned factors, unsigned points, scr_error *error)
{
  primal_workspace work;
  scr_status status = primal_workspace_create(track->system, &work, error);
  if (status == SCR_BAD_USAGE) return SCR_OK; /* too dense for it: what there is stays */
  SCR_TRY(status);
  const contact_options *given = track->options;
  contact_options limited = *given;
  unsigned most = track->factorisations + factors;
  if (factors > 0 && (given->factor_limit == 0 || given->factor_limit > most)) limited.factor_limit = most;
  track->options = &limited;
  status = hybrid_run(&work, track, impulse, error);
  track->options = given;
  if (status == SCR_OK && points > 0 && !contact_track_solved(track) && contact_track_may_factor(track))
    status = hybrid_run_interior(&work, track, points, impulse, error);
  primal_workspace_clear(&work);
  return status;
}

static scr_status run_gradients(contact_track *track, double *impulse, char *reason, scr_error *error)
{
  unsigned before = track->iterations + track->factorisations;
  track->solver = CONTACT_ACCELERATED;
  SCR_TRY(contact_gradient_iterations(track, impulse, at_most(track, GRADIENT_ITERATIONS), GRADIENT_PATIENCE, error));
  if (!contact_track_solved(track)) report(track, "gradients", before, reason);
  go_on(track, impulse);
  return SCR_OK;
}

/* Whether some factorisations of the whole cost no more than what Gauss-Seidel is given. A sweep takes 0.2 us a contact; L U four times the
 * operations of the symmetric factor, at 2e9 a second. Walls of 10^5 contacts pass, packs of 10^4 do not. */
static bool factors_pay(const contact_track *track)
{
  double sweeps = 20000.0 * 0.2e-6 * (double)track->system->problem->contact_count;
  return FEW_FACTORS * 4.0 * track->operations / 2e9 <= sweeps;
}

/* What Gauss-Seidel has left of a problem with many contacts. @param patches receives whether they ended it */
static scr_status run_many(contact_track *track, double *impulse, char *reason, bool *patches, scr_error *error)
{
  unsigned before = track->iterations + track->factorisations;
  size_t contacts = track->system->problem->contact_count;
  track->solver = CONTACT_ADMM;
  scr_status status = contact_admm_iterations(track, impulse, at_most(track, ADMM_ITERATIONS), false, error);
  if (status != SCR_BAD_USAGE) SCR_TRY(status);
  if (contact_track_solved(track)) return SCR_OK;
  report(track, "admm", before, reason);
  go_on(track, impulse);
  unsigned points = contacts >= LARGE && track->options->tolerance < loose ? INTERIOR_POINTS : 0;
  if (factors_pay(track)) SCR_TRY(run_hybrid(track, impulse, FEW_FACTORS, points, error));
  go_on(track, impulse);
  if (contact_track_solved(track) || !track->system->problem->mass_block) return SCR_OK;
  before = track->iterations + track->factorisations;
  SCR_TRY(contact_patch_rounds(track, impulse, contacts < LARGE ? FEW_ROUNDS : ROUNDS, error));
  *patches = contact_track_solved(track);
  if (!*patches) report(track, "patches", before, reason);
  go_on(track, impulse);
  return SCR_OK;
}

static const char *ended_by(const contact_track *track, bool patches)
{
  return patches                                     ? "patches"
         : track->best_solver == CONTACT_NEWTON      ? "proximal Newton"
         : track->best_solver == CONTACT_INTERIOR    ? "interior points"
         : track->best_solver == CONTACT_ACCELERATED ? "accelerated gradients"
         : track->best_solver == CONTACT_HYBRID      ? "interior points along random centres"
                                                     : "admm";
}

scr_status contact_auto_run(contact_track *track, double *impulse, char *reason, scr_error *error)
{
  const contact_system *system = track->system;
  size_t contacts = system->problem->contact_count;
  bool patches = false;
  *reason = '\0';
  if (!system->factor || contacts <= SPARSE_CONTACTS) {
    SCR_TRY(contact_gauss_seidel_sweeps(track, impulse, at_most(track, FIRST_SWEEPS), PATIENCE, error));
    if (contact_track_solved(track)) {
      snprintf(reason, CONTACT_REASON_LENGTH, "gauss-seidel reached the tolerance at its pace");
      return SCR_OK;
    }
    report(track, "gauss-seidel", 0, reason);
    go_on(track, impulse);
  }
  bool in_chains = system->chains.count > 0;
  if (in_chains || (!system->factor && track->options->tolerance >= loose)) SCR_TRY(run_gradients(track, impulse, reason, error));
  if (!contact_track_solved(track) && contacts >= MANY) SCR_TRY(run_many(track, impulse, reason, &patches, error));
  if (!contact_track_solved(track) && (contacts < LARGE || factors_pay(track) || track->residual < 10.0 * track->options->tolerance))
    SCR_TRY(run_hybrid(track, impulse, contacts >= LARGE ? LARGE_FACTORS : 0, 0, error));
  size_t length = strlen(reason);
  if (contact_track_solved(track))
    snprintf(reason + length, CONTACT_REASON_LENGTH - length, "%s reached the tolerance", ended_by(track, patches));
  else
    snprintf(reason + length, CONTACT_REASON_LENGTH - length, "the hybrid left %.1e", track->residual);
  return SCR_OK;
}
