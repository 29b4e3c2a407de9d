/* Which solver, in what order, and why.
 *
 * 1. Gauss-Seidel with momentum, which is cheapest where it works: on as long as its pace promises the tolerance soon (or it is near and
 *    contacts are thousands: its pace on packs is uneven, and whatever comes next costs more). Left out where the mass is one sparse matrix
 *    and contacts are many, since each sweep would need the whole of W.
 * 2. Of small problems and tight tolerances interior points, which stacks, walls and packs of boxes take 5 to 40 of where sweeps take
 *    thousands: sweeps have as long as those would take. Where sweeps come near, Newton's method first.
 * 3. Accelerated projected gradients where the tolerance is a loose one: packs that are sheared or squeezed, whose impulses travel far,
 *    come to 1e-2 and 1e-3 in a thousand iterations without a factor, where Gauss-Seidel needs thousands of sweeps and ADMM and Newton's
 *    method stop short. Left when their pace goes. For fibres, whose mass comes in chains, at any tolerance.
 * 4. ADMM of what is larger: one symmetric factor and many solves. Walls of 10 000 contacts take it 180 iterations and 0.4 s, where the
 *    proximal Newton method needs 67 unsymmetric factors and 3 s; of what it can't solve it leaves a good start.
 *    To a loose tolerance sweeps again from there, as their pace on packs is uneven.
 * 5. Interior points for large problems and tight tolerances, where factors pay: lattices that fill their box, which nothing before has got
 *    anywhere with.
 * 6. Patches from some hundred contacts on: Gauss-Seidel and the hybrid on the worst spots, for packs that none of the others can do as a
 *    whole. Before them a few factorisations of the proximal Newton method, which end what ADMM has nearly solved.
 * 7. The hybrid: proximal Newton, interior points, random centres, the long way; of large problems with a limit to the factorisations.
 * Fibres, whose mass comes in chains: sweeps first, of which one costs a tenth of an iteration of the others, at least 500 of less than 600
 *    contacts, as their pace is uneven; then ADMM, which ends what gradients leave and is seldom slower, but needs a factor of all fibres
 *    together; of more contacts gradients before it. Then 7.
 * Each goes on from the best point there is; the best point of all is what is returned. tests/reports/bench/CONTACT.md compares it with its
 * members. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "contact/solvers/primal.h"

enum {
  FIRST_SWEEPS = 2000,
  PATIENCE = 800,
  CHAIN_FIRST = 500,   /* sweeps of fibres, of which one costs a tenth of another solver's iteration */
  CHAIN_SWEEPS = 4000, /* with these */
  CHAIN_PATIENCE = 2000,
  CHAIN_ITERATIONS = 3000, /* of ADMM on them */
  SPARSE_CONTACTS = 400,
  GRADIENT_ITERATIONS = 2000,
  GRADIENT_PATIENCE = 200,
  INTERIOR_POINTS = 30, /* of large problems */
  MANY = 300,           /* contacts from which ADMM comes before the hybrid */
  ADMM_ITERATIONS = 400,
  FEW_FACTORS = 15,
  NEAR_FACTORS = 12, /* of small problems that sweeps have nearly solved */
  MOST_POINTS = 60,  /* of small problems */
  ROUNDS = 80,       /* of patches, of large problems */
  FEW_ROUNDS = 12,
  LARGE = 600, /* contacts from which the hybrid's factorisations are limited, when the caller has set no limit */
  LARGE_FACTORS = 60
};

static const double near = 1e-5;  /* residual from which Newton's method ends a problem in some steps */
static const double loose = 1e-4; /* tolerance from which projected gradients come first, and interior points of large problems don't */

static const double close_by = 30; /* tolerances from the solution: sweeps that seemed to stand still end a pack from there */

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
static scr_status run_hybrid(contact_track *track, double *impulse, unsigned factors, unsigned points, bool tried, scr_error *error)
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
  status = hybrid_run(&work, track, tried, impulse, error);
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

/* @param iterations planned */
static scr_status run_admm(contact_track *track, double *impulse, unsigned iterations, char *reason, scr_error *error)
{
  unsigned before = track->iterations + track->factorisations;
  track->solver = CONTACT_ADMM;
  scr_status status = contact_admm_iterations(track, impulse, at_most(track, iterations), false, error);
  if (status != SCR_BAD_USAGE) SCR_TRY(status);
  if (!contact_track_solved(track)) report(track, "admm", before, reason);
  go_on(track, impulse);
  return SCR_OK;
}

/* Sweeps of fibres: some hundred whatever their pace, as that is uneven and few fibres' sweeps cost little beside what comes behind them.
 */
static scr_status sweep_chains(contact_track *track, double *impulse, scr_error *error)
{
  unsigned first = track->system->problem->contact_count < LARGE ? at_most(track, CHAIN_FIRST) : 0, all = at_most(track, CHAIN_SWEEPS);
  if (first > 0) {
    SCR_TRY(contact_gauss_seidel_sweeps(track, impulse, first, 0, error));
    if (contact_track_solved(track)) return SCR_OK;
    go_on(track, impulse);
  }
  return all > first ? contact_gauss_seidel_sweeps(track, impulse, all - first, CHAIN_PATIENCE, error) : SCR_OK;
}

/* What Gauss-Seidel has left of fibres. ADMM needs a factor of all fibres together, which pays where they are few. */
static scr_status run_chains(contact_track *track, double *impulse, char *reason, scr_error *error)
{
  bool few = track->system->problem->contact_count < LARGE;
  if (few) SCR_TRY(run_admm(track, impulse, CHAIN_ITERATIONS, reason, error));
  if (!contact_track_solved(track)) SCR_TRY(run_gradients(track, impulse, reason, error));
  if (!few && !contact_track_solved(track)) SCR_TRY(run_admm(track, impulse, CHAIN_ITERATIONS, reason, error));
  return SCR_OK;
}

/* Whether some factorisations of the whole cost no more than what Gauss-Seidel is given. A sweep takes 0.2 us a contact; L U four times the
 * operations of the symmetric factor, at 2e9 a second. Walls of 10^5 contacts pass, packs of 10^4 do not. */
static bool factors_pay(const contact_track *track)
{
  double sweeps = 20000.0 * 0.2e-6 * (double)track->system->problem->contact_count;
  return FEW_FACTORS * 4.0 * track->operations / 2e9 <= sweeps;
}

/* The worst spots as problems of their own, where bodies fall apart into such. */
static scr_status run_patches(contact_track *track, double *impulse, unsigned rounds, bool *patches, char *reason, scr_error *error)
{
  unsigned before = track->iterations + track->factorisations;
  if (contact_track_solved(track) || !track->system->problem->mass_block) return SCR_OK;
  SCR_TRY(contact_patch_rounds(track, impulse, rounds, error));
  *patches = contact_track_solved(track);
  if (!*patches) report(track, "patches", before, reason);
  go_on(track, impulse);
  return SCR_OK;
}

/* What interior points need where they serve: 5 for 12 contacts, 11 for 48, 17 to 22 for 120. */
static double points_needed(size_t contacts)
{
  return 3.0 + 0.15 * (double)contacts;
}

/* Newton's method from a point near the solution, else interior points from nothing: factors of problems that are small. */
static scr_status run_points(contact_track *track, double *impulse, char *reason, scr_error *error)
{
  primal_workspace work;
  unsigned before = track->iterations + track->factorisations;
  unsigned most = (unsigned)fmin(MOST_POINTS, 2.0 * points_needed(track->system->problem->contact_count));
  scr_status status = primal_workspace_create(track->system, &work, error);
  if (status == SCR_BAD_USAGE) return SCR_OK; /* too dense for it: what there is stays */
  SCR_TRY(status);
  if (track->residual < near) {
    proximal_plan plan = proximal_quick(fmax(track->residual, 1e-16), NEAR_FACTORS);
    track->solver = CONTACT_NEWTON;
    status = proximal_newton(&work, track, &plan, impulse, error);
  }
  if (status == SCR_OK && !contact_track_solved(track) && contact_track_may_factor(track))
    status = hybrid_run_interior(&work, track, most, impulse, error);
  primal_workspace_clear(&work);
  if (!contact_track_solved(track)) report(track, "interior points", before, reason);
  go_on(track, impulse);
  return status;
}

/* What Gauss-Seidel has left of a problem with many contacts. @param patches receives whether they ended it */
static scr_status run_many(contact_track *track, double *impulse, char *reason, bool *patches, scr_error *error)
{
  unsigned before;
  size_t contacts = track->system->problem->contact_count;
  SCR_TRY(run_admm(track, impulse, ADMM_ITERATIONS, reason, error));
  if (contact_track_solved(track)) return SCR_OK;
  unsigned points = contacts >= LARGE && track->options->tolerance < loose ? INTERIOR_POINTS : 0;
  if (track->options->tolerance >= loose && track->residual < close_by * track->options->tolerance) {
    before = track->iterations + track->factorisations;
    SCR_TRY(contact_gauss_seidel_sweeps(track, impulse, at_most(track, FIRST_SWEEPS), 0, error));
    if (contact_track_solved(track)) return SCR_OK;
    report(track, "gauss-seidel", before, reason);
    go_on(track, impulse);
  }
  if (factors_pay(track)) SCR_TRY(run_hybrid(track, impulse, FEW_FACTORS, points, false, error));
  go_on(track, impulse);
  return run_patches(track, impulse, ROUNDS, patches, reason, error);
}

static const char *ended_by(const contact_track *track, bool patches)
{
  return patches                                      ? "patches"
         : track->best_solver == CONTACT_NEWTON       ? "proximal Newton"
         : track->best_solver == CONTACT_INTERIOR     ? "interior points"
         : track->best_solver == CONTACT_ACCELERATED  ? "accelerated gradients"
         : track->best_solver == CONTACT_HYBRID       ? "interior points along random centres"
         : track->best_solver == CONTACT_GAUSS_SEIDEL ? "gauss-seidel"
                                                      : "admm";
}

/* Sweeps that take as long as interior points, at most 30. Measured on stacks, walls and packs of 12 to 600 contacts: one factorisation is
 * 6 sweeps and, as a contact more between two bodies fills no more of the factor, 20 over the contacts of a pair. */
static unsigned sweeps_worth(const contact_problem *p)
{
  size_t pairs = 0;
  for (size_t i = 0; i < p->contact_count; ++i) {
    size_t entries = p->first[i + 1] - p->first[i], before = i > 0 ? p->first[i] - p->first[i - 1] : 0;
    pairs += entries != before || memcmp(p->block + p->first[i], p->block + p->first[i] - before, entries * sizeof *p->block) != 0;
  }
  return (unsigned)(fmin(points_needed(p->contact_count), 30.0) * (6.0 + 20.0 * (double)pairs / (double)p->contact_count));
}

/* The plan, by sweeps with momentum. */
static scr_status run_plan(contact_track *track, double *impulse, bool *patches, char *reason, scr_error *error)
{
  const contact_system *system = track->system;
  size_t contacts = system->problem->contact_count;
  bool in_chains = system->chains.count > 0, tight = track->options->tolerance < loose && contacts < LARGE && !in_chains;
  if (!system->factor || contacts <= SPARSE_CONTACTS) {
    if (in_chains)
      SCR_TRY(sweep_chains(track, impulse, error));
    else {
      unsigned worth = tight ? sweeps_worth(system->problem) : PATIENCE;
      SCR_TRY(contact_gauss_seidel_sweeps(track, impulse, at_most(track, tight ? worth : FIRST_SWEEPS), worth, error));
    }
    if (contact_track_solved(track)) return SCR_OK;
    report(track, "gauss-seidel", 0, reason);
    go_on(track, impulse);
  }
  if (in_chains) SCR_TRY(run_chains(track, impulse, reason, error));
  if (!in_chains && !system->factor && track->options->tolerance >= loose) SCR_TRY(run_gradients(track, impulse, reason, error));
  if (tight) {
    SCR_TRY(run_points(track, impulse, reason, error));
    if (contacts >= MANY) SCR_TRY(run_patches(track, impulse, FEW_ROUNDS, patches, reason, error));
  } else if (!contact_track_solved(track) && contacts >= MANY)
    SCR_TRY(run_many(track, impulse, reason, patches, error));
  if (!contact_track_solved(track) && (contacts < LARGE || factors_pay(track) || track->residual < 10.0 * track->options->tolerance))
    SCR_TRY(run_hybrid(track, impulse, contacts >= LARGE ? LARGE_FACTORS : 0, 0, tight, error));
  return SCR_OK;
}

scr_status contact_auto_run(contact_track *track, double *impulse, char *reason, scr_error *error)
{
  const contact_options *given = track->options;
  contact_options moving = *given;
  bool patches = false;
  moving.momentum = true;
  *reason = '\0';
  track->options = &moving;
  scr_status status = run_plan(track, impulse, &patches, reason, error);
  track->options = given;
  SCR_TRY(status);
  size_t length = strlen(reason);
  if (length == 0 && contact_track_solved(track))
    snprintf(reason, CONTACT_REASON_LENGTH, "gauss-seidel reached the tolerance at its pace");
  else if (contact_track_solved(track))
    snprintf(reason + length, CONTACT_REASON_LENGTH - length, "%s reached the tolerance", ended_by(track, patches));
  else
    snprintf(reason + length, CONTACT_REASON_LENGTH - length, "the hybrid left %.1e", track->residual);
  return SCR_OK;
}
