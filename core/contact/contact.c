/* contact_solve: options checked, the problem made ready, a solver chosen from the table, its best point returned. */
#include "contact/contact.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "contact/local/cone.h"
#include "contact/solvers/solvers.h"

static const struct {
  const char *name, *text;
  contact_solve_function *solve; /* NULL: auto, which has the result's sentence to write */
  bool projects;                 /* onto cones, and so does badly where they are wide */
} solvers[CONTACT_SOLVER_COUNT] = {
    [CONTACT_AUTO] = {"auto", "Gauss-Seidel first, the strong ones for what it leaves", NULL, false},
    [CONTACT_GAUSS_SEIDEL] = {"gauss-seidel", "one contact after the other, exactly", contact_solve_gauss_seidel, false},
    [CONTACT_ADMM] = {"admm", "alternating directions on the primal form, a penalty for each contact", contact_solve_admm, true},
    [CONTACT_FIXED_POINT] = {"fixed-point", "Cadoux's fixed point over cone programs", contact_solve_fixed_point, true},
    [CONTACT_DESCENT] = {"descent", "projected gradients with a line search", contact_solve_gradient, true},
    [CONTACT_CONJUGATE] = {"conjugate", "projected conjugate gradients", contact_solve_gradient, true},
    [CONTACT_ACCELERATED] = {"accelerated", "projected gradients with Nesterov's inertia", contact_solve_gradient, true},
    [CONTACT_SPECTRAL] = {"spectral", "projected gradients with Barzilai and Borwein's step", contact_solve_gradient, true},
    [CONTACT_NEWTON] = {"newton", "proximal semismooth Newton method", contact_solve_newton, false},
    [CONTACT_INTERIOR] = {"interior", "interior point method", contact_solve_interior, true},
    [CONTACT_HYBRID] = {"hybrid", "proximal Newton, interior points, random centres: what the others leave", contact_solve_hybrid, false},
};

contact_options contact_options_default(void)
{
  return (contact_options){.solver = CONTACT_AUTO, .tolerance = 1e-6, .execution = execution_of(1), .local = LOCAL_HYBRID, .seed = 1};
}

const char *contact_solver_name(contact_solver solver)
{
  return (unsigned)solver < CONTACT_SOLVER_COUNT ? solvers[solver].name : NULL;
}

const char *contact_solver_text(contact_solver solver)
{
  return (unsigned)solver < CONTACT_SOLVER_COUNT ? solvers[solver].text : NULL;
}

contact_solver contact_solver_named(const char *name)
{
  unsigned k = 0;
  while (k < CONTACT_SOLVER_COUNT && strcmp(solvers[k].name, name) != 0) ++k;
  return (contact_solver)k;
}

static scr_status check_options(const contact_options *o, scr_error *error)
{
  if (!(o->tolerance >= 1e-14 && o->tolerance <= 1.0))
    return scr_fail(error, SCR_BAD_USAGE, NULL, "a tolerance of %g; 1e-14 to 1 are possible", o->tolerance);
  if (!(o->reference_speed >= 0.0) || !isfinite(o->reference_speed))
    return scr_fail(error, SCR_BAD_USAGE, NULL, "a reference speed of %g m/s; 0 or above is possible", o->reference_speed);
  if (o->absolute && !(o->reference_speed > 0.0))
    return scr_fail(error, SCR_BAD_USAGE, NULL, "absolute residuals need a reference speed above 0 m/s, and it is %g", o->reference_speed);
  if ((unsigned)o->solver >= CONTACT_SOLVER_COUNT || (unsigned)o->local >= LOCAL_SOLVER_COUNT || (unsigned)o->form > CONTACT_FORM_EXPLICIT)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "there is no contact solver %d, local solver %d or form %d", (int)o->solver, (int)o->local,
                    (int)o->form);
  return SCR_OK;
}

static void count_states(const contact_problem *p, const double *impulse, contact_result *result)
{
  for (size_t i = 0; i < p->contact_count; ++i) {
    cone_state state = cone_state_of(p->dimension, p->friction[i], impulse + i * p->dimension, 1e-6);
    result->open += state == CONE_OPEN;
    result->sticking += state == CONE_STICKING;
    result->sliding += state == CONE_SLIDING;
  }
}

static const char *ending(const contact_track *track)
{
  return contact_track_solved(track) ? "reached the tolerance" : "left it above the tolerance at its limit";
}

static scr_status run_solver(contact_track *track, double *impulse, contact_result *result, scr_error *error)
{
  contact_solver solver = track->options->solver;
  if (solver == CONTACT_AUTO) return contact_auto_run(track, impulse, result->reason, error);
  if (solvers[solver].projects)
    SCR_TRY(contact_solve_wide(solvers[solver].solve, track, impulse, error));
  else
    SCR_TRY(solvers[solver].solve(track, impulse, error));
  snprintf(result->reason, sizeof result->reason, "%s %s", solvers[solver].name, ending(track));
  return SCR_OK;
}

/* Whether impulses are better than none by what sweeps descend without friction, r'W r/2 + q'r = (u + q)'r/2 < 0: what they take from
 * the energy of the motion without contact. */
static bool takes_energy(const contact_system *s, const double *impulse, const double *u)
{
  double sum = 0.0;
  for (size_t k = 0; k < s->rows; ++k) sum += impulse[k] * (u[k] + s->free_velocity[k]);
  return sum < 0.0;
}

/* A finite start is where every solver starts, though zeros may have the smaller residual: that is the largest of all contacts, and one
 * new contact of a step would throw away what is known of all others. Where it takes energy, zeros are no result either: some sweeps
 * from it may leave one contact worse than zeros have it (of which a pack in free fall leaves none but the floor's unsolved), and a
 * pack whose impulses are dropped for that falls by a step. */
static scr_status choose_start(contact_track *track, double *impulse, scr_error *error)
{
  size_t rows = track->system->rows;
  bool given = false, finite = true;
  for (size_t k = 0; k < rows; ++k) {
    given = given || impulse[k] != 0.0;
    finite = finite && isfinite(impulse[k]);
  }
  SCR_TRY(contact_track_offer(track, track->best, NULL, error)); /* zeros still */
  if (!given || !finite) {
    memset(impulse, 0, rows * sizeof *impulse);
    return SCR_OK;
  }
  SCR_TRY(contact_track_offer(track, impulse, NULL, error));
  if (!contact_track_solved(track) && isfinite(track->last) && takes_energy(track->system, impulse, track->relative))
    contact_track_set_best(track, impulse);
  return SCR_OK;
}

/* Impulses far beyond what stopping everything takes, and a residual that did not fall for it: pushing harder does not help. */
static bool seems_infeasible(const contact_track *track)
{
  const contact_system *s = track->system;
  double stiffest = 0.0, stopping = 0.0; /* largest s; sum of |q|/s in units of speed/s */
  for (size_t i = 0; i < s->problem->contact_count; ++i) {
    stiffest = fmax(stiffest, s->scale[i]);
    stopping += 1.0 / s->scale[i];
  }
  return track->residual > 1e-3 && track->growth > 1e3 * stiffest * stopping;
}

static contact_status judge(const contact_track *track)
{
  return contact_track_solved(track) ? CONTACT_SOLVED : seems_infeasible(track) ? CONTACT_INFEASIBLE : CONTACT_UNSOLVED;
}

static scr_status solve_ready(contact_track *track, double *impulse, double *velocity, double *relative, contact_result *result,
                              scr_error *error)
{
  const contact_system *system = track->system;
  track->solver = track->options->solver;
  SCR_TRY(choose_start(track, impulse, error));
  if (contact_track_solved(track))
    snprintf(result->reason, sizeof result->reason, "the start is a solution");
  else
    SCR_TRY(run_solver(track, impulse, result, error));
  memcpy(impulse, track->best, system->rows * sizeof *impulse);
  SCR_TRY(contact_system_velocity(system, impulse, velocity, relative, error));
  result->status = judge(track);
  result->residual = track->residual;
  result->iterations = track->iterations;
  result->factorisations = track->factorisations;
  result->local_failures = track->local_failures;
  result->solver = track->best_solver;
  count_states(system->problem, impulse, result);
  return SCR_OK;
}

scr_status contact_solve(const contact_problem *problem, const contact_options *options, double *impulse, double *velocity,
                         double *relative, contact_result *result, scr_error *error)
{
  contact_system system;
  contact_track track;
  *result = (contact_result){.residual = HUGE_VAL, .solver = options->solver, .status = CONTACT_UNSOLVED};
  SCR_TRY(check_options(options, error));
  SCR_TRY(contact_system_create(problem, options, &system, error));
  scr_status status = contact_track_create(&system, options, &track, error);
  if (status == SCR_OK) {
    status = solve_ready(&track, impulse, velocity, relative, result, error);
    contact_track_clear(&track);
  }
  contact_system_clear(&system);
  return status;
}

scr_status contact_measure(const contact_problem *problem, const contact_options *options, const double *impulse, double *velocity,
                           double *relative, double *residual, scr_error *error)
{
  contact_system system;
  *residual = HUGE_VAL;
  SCR_TRY(check_options(options, error));
  SCR_TRY(contact_system_create(problem, options, &system, error));
  scr_status status = contact_system_velocity(&system, impulse, velocity, relative, error);
  if (status == SCR_OK) *residual = contact_system_residual(&system, impulse, relative);
  contact_system_clear(&system);
  return status;
}
