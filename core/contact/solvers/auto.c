/* Which solver, in what order, and why.
 *
 * 1. Gauss-Seidel with momentum and leaps, which is cheapest where it works: on as long as its pace promises the tolerance soon (or it is
 * near and contacts are thousands: its pace on packs is uneven, and whatever comes next costs more). Left out where the mass is one sparse
 * matrix and contacts are many, since each sweep would need the whole of W.
 * 2. Of small problems and tight tolerances interior points, which stacks, walls and packs of boxes take 12 to 25 of where sweeps take
 *    thousands: sweeps have two thirds of what those are foreseen to take, in operations that are counted, never in time. Where sweeps
 * come near, a few steps of Newton's method first. What interior points leave goes to Newton's method from nothing, then to sweeps again,
 * from where they were. Of bodies that touch at very many points Newton's method comes before interior points.
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
 * Fibres, whose mass comes in chains: sweeps first, of which one costs a tenth of an iteration of the others, at least 1500 of less than
 * 600 contacts, as their pace is uneven, and on where they are near; then ADMM, which ends what gradients leave and is seldom slower, but
 *    needs a factor of all fibres together; of more contacts gradients before it. Then 7. Of fibres that touch parts alone, as a rope on a
 *    drum, interior points after 90 sweeps: their factors are as narrow as the mass. Each goes on from the best point there is; the best
 * point of all is what is returned. tests/reports/bench/CONTACT.md and CONTACT_PROBLEMS.md compare it with its members. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "contact/solvers/primal.h"
#include "contact/system/workspace.h"

enum {
  FIRST_SWEEPS = 2000,
  PATIENCE = 800,
  CHAIN_SWEEPS = 4000, /* of fibres, of which one costs a tenth of another solver's iteration */
  CHAIN_FIRST = 1500,  /* of these whatever their pace */
  CHAIN_PATIENCE = 2000,
  CHAIN_ITERATIONS = 3000, /* of ADMM on them */
  APART_SWEEPS = 90,       /* of fibres that touch parts alone: half as long as interior points take */
  SPARSE_CONTACTS = 400,
  GRADIENT_ITERATIONS = 2000,
  GRADIENT_PATIENCE = 200,
  INTERIOR_POINTS = 30, /* of large problems */
  MANY = 300,           /* contacts from which ADMM comes before the hybrid */
  ADMM_ITERATIONS = 400,
  FEW_FACTORS = 15,
  NEAR_FACTORS = 2, /* of small problems that sweeps have nearly solved, and of these where they tell */
  MORE_FACTORS = 4,
  COLD_FACTORS = 25, /* of small problems that interior points have left, from nothing */
  SWEEPS_AGAIN = 10, /* times what sweeps are given first: all in all, where none of these has solved a small problem */
  SHARED = 10,       /* contacts of a pair of bodies, from which Newton's method comes before interior points */
  MOST_POINTS = 60,  /* of small problems */
  FEW_PAIRS = 200,   /* of bodies, below which any number of contacts is a small problem: 12 bolts that touch at a thousand points */
  ROUNDS = 80,       /* of patches, of large problems */
  FEW_ROUNDS = 12,
  THOUSANDS = 5000,  /* contacts that make a slow sweep near the tolerance no reason to give up, */
  NEAR_MANY = 30,    /* tolerances: that near, as in fibres */
  NEAR_SMALL = 1000, /* and that near in small problems, whose sweeps are counted anyway: their pace falls, then leaps */
  LARGE = 600,       /* contacts from which the hybrid's factorisations are limited, when the caller has set no limit */
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

static double near_of(const contact_track *track)
{
  return track->system->problem->contact_count >= THOUSANDS ? NEAR_MANY : 0;
}

/* Sweeps of fibres: some hundred whatever their pace, as that is uneven and few fibres' sweeps cost little beside what comes behind them.
 */
static scr_status sweep_chains(contact_track *track, double *impulse, scr_error *error)
{
  unsigned first = track->system->problem->contact_count < LARGE ? CHAIN_FIRST : 0;
  return contact_gauss_seidel_sweeps(track, impulse, at_most(track, CHAIN_SWEEPS),
                                     (contact_patience){.sweeps = CHAIN_PATIENCE, .first = first, .near = NEAR_MANY}, error);
}

/* Whether every contact acts on neighbouring blocks of one chain: fibres that touch parts alone. M + H'BH then is as narrow as M, and its
 * factors cost as little as a few sweeps. */
static bool chains_touch_nothing_else(const contact_problem *p, const contact_chains *chains)
{
  for (size_t i = 0; i < p->contact_count; ++i) {
    uint32_t low = p->block[p->first[i]], high = low;
    for (size_t e = p->first[i]; e < p->first[i + 1]; ++e) {
      low = p->block[e] < low ? p->block[e] : low;
      high = p->block[e] > high ? p->block[e] : high;
    }
    if (high - low > 1 || chains->chain_of[low] != chains->chain_of[high]) return false;
  }
  return true;
}

/* Plain sweeps of such fibres, as many as cost half of what interior points do. With momentum a thread on a floor took 200 where plain ones
 * take 50; a rope round a drum, whose tension goes on from contact to contact, takes thousands. */
static scr_status sweep_apart(contact_track *track, double *impulse, scr_error *error)
{
  return contact_gauss_seidel_sweeps(track, impulse, at_most(track, APART_SWEEPS),
                                     (contact_patience){.sweeps = APART_SWEEPS, .plain = true}, error);
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

/* Pairs of bodies that touch, as contacts of a pair follow on each other: what a factor fills in by. */
static size_t pairs_of(const contact_problem *p)
{
  size_t pairs = 0;
  for (size_t i = 0; i < p->contact_count; ++i) {
    size_t entries = p->first[i + 1] - p->first[i], before = i > 0 ? p->first[i] - p->first[i - 1] : 0;
    pairs += entries != before || memcmp(p->block + p->first[i], p->block + p->first[i] - before, entries * sizeof *p->block) != 0;
  }
  return pairs;
}

/* What interior points need where they serve: 12 for 10 pairs, 14 for 45, 20 for 100. */
static double points_needed(size_t pairs)
{
  return fmin(11.0 + 0.08 * (double)pairs, MOST_POINTS / 2.0);
}

/* Whether some bodies touch at very many points. */
static bool is_shared(size_t contacts, size_t pairs)
{
  return contacts > SHARED * pairs;
}

/* Sweeps that take two thirds as long as interior points. Measured on stacks, walls and packs of 10 to 300 contacts: one factorisation is
 * 5 sweeps for what each contact adds to the matrix, and 3 pairs^1.5 over the contacts for what it fills in: 10 sweeps of 8 boxes, 15 of
 * 64 boxes, 24 of 64 octahedra, 40 of 64 balls. Less than half of them where Newton's method comes next, which takes 5 to 20.
 * Nobody knows beforehand which member is the quicker one, so that some problems take over twice the best: of 125 of rigid bodies at 1e-6
 * (CONTACT_PROBLEMS.md), the mean of all in brackets: 11 (4.6 ms); with a fifth fewer sweeps 15 (4.5 ms), a quarter more 14 (4.7 ms), a
 * half more 19 (5.0 ms). Sweeps that go on beyond that while they are near and their pace promises the tolerance: 15 and 16 instead of 14,
 * as they stand still and then leap. Members that take turns, simulated from the times that each takes by itself, take over twice the best
 * in half of all problems. Newton's method from nothing before interior points in the smallest changes nothing; nor do sweeps that are
 * never given up by their pace (11 to 18), or interior points that start where sweeps end (14 to 26). */
static unsigned sweeps_worth(const contact_problem *p, size_t pairs)
{
  double q = (double)pairs, factor = 5.0 + 3.15 * q * sqrt(q) / (double)p->contact_count;
  return (unsigned)((is_shared(p->contact_count, pairs) ? 0.29 : 0.67) * points_needed(pairs) * factor);
}

/* Newton's method from the best point, at most so many factorisations. */
static scr_status run_newton(primal_workspace *work, contact_track *track, double *impulse, unsigned factors, scr_error *error)
{
  proximal_plan plan = proximal_quick(fmax(track->residual, 1e-16), factors);
  if (plan.newton_limit > factors) plan.newton_limit = factors;
  track->solver = CONTACT_NEWTON;
  go_on(track, impulse);
  return proximal_newton(work, track, &plan, impulse, error);
}

/* A few steps of Newton's method from a point near the solution: sweeps that ended a little above the tolerance need one or two. More only
 * where these have told: on a spot where sweeps creep they do nothing. */
static scr_status run_near(primal_workspace *work, contact_track *track, double *impulse, scr_error *error)
{
  double before = track->residual;
  if (!(before < near) || contact_track_solved(track)) return SCR_OK;
  SCR_TRY(run_newton(work, track, impulse, NEAR_FACTORS, error));
  if (contact_track_solved(track) || !(track->residual < 0.3 * before) || !contact_track_may_factor(track)) return SCR_OK;
  return run_newton(work, track, impulse, MORE_FACTORS, error);
}

/* Newton's method from nothing, which is another way than from where sweeps have gone. */
static scr_status run_cold(primal_workspace *work, contact_track *track, double *impulse, scr_error *error)
{
  proximal_plan plan = proximal_quick(1.0, COLD_FACTORS);
  if (contact_track_solved(track) || !contact_track_may_factor(track)) return SCR_OK;
  track->solver = CONTACT_NEWTON;
  memset(impulse, 0, track->system->rows * sizeof *impulse);
  return proximal_newton(work, track, &plan, impulse, error);
}

/* Factors of problems that are small: Newton's method from a point near the solution, else interior points from nothing, then what may
 * still do. Where some bodies touch at very many points, so that most impulses are free to be shared, Newton's method is the quicker one.
 * @param all  whether Newton's method from nothing is tried, too */
static scr_status run_points(contact_track *track, double *impulse, bool all, char *reason, scr_error *error)
{
  primal_workspace work;
  unsigned before = track->iterations + track->factorisations;
  size_t contacts = track->system->problem->contact_count, pairs = pairs_of(track->system->problem);
  bool shared = is_shared(contacts, pairs);
  scr_status status = primal_workspace_create(track->system, &work, error);
  if (status == SCR_BAD_USAGE) return SCR_OK; /* too dense for it: what there is stays */
  SCR_TRY(status);
  if (!shared) status = run_near(&work, track, impulse, error);
  if (status == SCR_OK && shared) status = run_cold(&work, track, impulse, error);
  if (status == SCR_OK && !contact_track_solved(track) && contact_track_may_factor(track))
    status = hybrid_run_interior(&work, track, (unsigned)fmin(MOST_POINTS, 3.0 * points_needed(pairs)), impulse, error);
  if (status == SCR_OK && all && !shared) status = run_cold(&work, track, impulse, error);
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
    SCR_TRY(contact_gauss_seidel_sweeps(track, impulse, at_most(track, FIRST_SWEEPS), (contact_patience){0}, error));
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

/* What Gauss-Seidel has left of a small problem, `impulse`: factors, then sweeps from where they were, since from the best point of others
 * they may creep where they did not. @param worth sweeps that there were at most */
static scr_status run_small(contact_track *track, double *impulse, unsigned worth, char *reason, scr_error *error)
{
  size_t rows = track->system->rows;
  unsigned before, left = at_most(track, SWEEPS_AGAIN * worth) - at_most(track, worth);
  double *swept = mem_array(rows, sizeof *swept);
  if (!swept) return no_memory(error, "impulses of contacts", rows * sizeof *swept);
  memcpy(swept, impulse, rows * sizeof *swept);
  scr_status status = run_points(track, impulse, true, reason, error);
  before = track->iterations + track->factorisations;
  if (status == SCR_OK && !contact_track_solved(track) && left > 0) {
    status = contact_gauss_seidel_sweeps(track, swept, left, (contact_patience){0}, error);
    if (!contact_track_solved(track)) report(track, "gauss-seidel", before, reason);
    go_on(track, impulse);
  }
  mem_free(swept);
  return status;
}

/* The plan, by sweeps with momentum. */
static scr_status run_plan(contact_track *track, double *impulse, bool *patches, char *reason, scr_error *error)
{
  const contact_system *system = track->system;
  size_t contacts = system->problem->contact_count, pairs = pairs_of(system->problem);
  bool in_chains = system->chains.count > 0, small = contacts < LARGE || pairs < FEW_PAIRS;
  bool tight = track->options->tolerance < loose && small && !in_chains;
  unsigned worth = tight ? sweeps_worth(system->problem, pairs) : PATIENCE;
  const contact_patience patience = {.sweeps = worth, .near = tight ? NEAR_SMALL : near_of(track)};
  bool apart = in_chains && track->options->tolerance < loose && chains_touch_nothing_else(system->problem, &system->chains);
  if (!system->factor || contacts <= SPARSE_CONTACTS) {
    if (apart)
      SCR_TRY(sweep_apart(track, impulse, error));
    else if (in_chains)
      SCR_TRY(sweep_chains(track, impulse, error));
    else
      SCR_TRY(contact_gauss_seidel_sweeps(track, impulse, at_most(track, tight ? worth : FIRST_SWEEPS), patience, error));
    if (contact_track_solved(track)) return SCR_OK;
    report(track, "gauss-seidel", 0, reason);
    go_on(track, impulse);
  }
  if (apart) SCR_TRY(run_points(track, impulse, false, reason, error));
  if (in_chains && !contact_track_solved(track)) SCR_TRY(run_chains(track, impulse, reason, error));
  if (!in_chains && !system->factor && track->options->tolerance >= loose) SCR_TRY(run_gradients(track, impulse, reason, error));
  if (tight) {
    SCR_TRY(run_small(track, impulse, worth, reason, error));
    if (contacts >= MANY) SCR_TRY(run_patches(track, impulse, FEW_ROUNDS, patches, reason, error));
  } else if (!contact_track_solved(track) && contacts >= MANY)
    SCR_TRY(run_many(track, impulse, reason, patches, error));
  if (!contact_track_solved(track) && (small || factors_pay(track) || track->residual < 10.0 * track->options->tolerance))
    SCR_TRY(run_hybrid(track, impulse, !small ? LARGE_FACTORS : 0, 0, tight, error));
  return SCR_OK;
}

/* Interior points leave impulses of 1e-12 of the others on contacts of fibres that part, which would count as touching: they are taken away
 * where the rest still solves the problem without them. Not of rigid bodies: packs of octahedra and balls that start from what the step
 * before left took two to three times as long without them. */
static scr_status let_part(contact_track *track, double *impulse, scr_error *error)
{
  const contact_system *system = track->system;
  size_t d = system->problem->dimension;
  bool any = false;
  if (!contact_track_solved(track) || (track->best_solver != CONTACT_INTERIOR && track->best_solver != CONTACT_HYBRID)) return SCR_OK;
  go_on(track, impulse);
  SCR_TRY(contact_track_offer(track, impulse, NULL, error)); /* its velocities */
  for (size_t i = 0; i < system->problem->contact_count; ++i) {
    double *r = impulse + i * d;
    if (system->problem->friction[i] < 0.0 || !(r[0] > 0.0) || !(system->scale[i] * r[0] < track->relative[i * d])) continue;
    memset(r, 0, d * sizeof *r);
    any = true;
  }
  if (!any) return SCR_OK;
  track->solver = track->best_solver;
  SCR_TRY(contact_track_offer(track, impulse, NULL, error));
  if (track->last <= track->options->tolerance) contact_track_set_best(track, impulse);
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
  if (track->system->chains.count > 0) SCR_TRY(let_part(track, impulse, error));
  size_t length = strlen(reason);
  if (length == 0 && contact_track_solved(track))
    snprintf(reason, CONTACT_REASON_LENGTH, "gauss-seidel reached the tolerance at its pace");
  else if (contact_track_solved(track))
    snprintf(reason + length, CONTACT_REASON_LENGTH - length, "%s reached the tolerance", ended_by(track, patches));
  else
    snprintf(reason + length, CONTACT_REASON_LENGTH - length, "the hybrid left %.1e", track->residual);
  return SCR_OK;
}
