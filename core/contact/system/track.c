/* Best point, work and history of a solve. */
#include "contact/system/track.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"

scr_status contact_track_create(const contact_system *system, const contact_options *options, contact_track *track, scr_error *error)
{
  *track = (contact_track){.system = system, .options = options, .residual = HUGE_VAL, .last = HUGE_VAL};
  track->best = mem_array(system->rows, sizeof *track->best);
  track->relative = mem_array(system->rows, sizeof *track->relative);
  track->velocity = mem_array(system->size, sizeof *track->velocity);
  if (track->best && track->relative && track->velocity) return SCR_OK;
  contact_track_clear(track);
  return scr_fail_memory(error, "impulses of contacts", (2 * system->rows + system->size) * sizeof *track->best);
}

void contact_track_clear(contact_track *track)
{
  mem_free(track->best);
  mem_free(track->relative);
  mem_free(track->velocity);
  *track = (contact_track){0};
}

bool contact_track_solved(const contact_track *track)
{
  return track->residual <= track->options->tolerance;
}

bool contact_track_may_factor(const contact_track *track)
{
  unsigned limit = track->options->factor_limit;
  return limit == 0 || track->factorisations < limit;
}

static void note(contact_track *track)
{
  contact_history *history = track->options->history;
  if (!history || history->count >= history->capacity) return;
  size_t k = history->count++;
  history->residual[k] = track->last;
  history->iteration[k] = track->iterations + track->factorisations;
  history->solver[k] = track->solver;
}

static double largest_impulse(const contact_system *system, const double *impulse)
{
  size_t d = system->problem->dimension;
  double largest = 0.0;
  for (size_t k = 0; k < system->rows; ++k) largest = fmax(largest, fabs(impulse[k]) * system->scale[k / d]);
  return system->speed > 0.0 ? largest / system->speed : 0.0;
}

void contact_track_set_best(contact_track *track, const double *impulse)
{
  track->residual = track->last;
  track->best_solver = track->solver;
  if (impulse != track->best) memcpy(track->best, impulse, track->system->rows * sizeof *impulse);
}

scr_status contact_track_offer(contact_track *track, const double *impulse, bool *solved, scr_error *error)
{
  const contact_system *system = track->system;
  SCR_TRY(contact_system_speeds(system, impulse, track->velocity, track->relative, error));
  track->last = contact_system_residual(system, impulse, track->relative);
  double rounding = contact_system_rounding(system, impulse);
  if (rounding > track->options->tolerance) track->last = fmax(track->last, rounding);
  note(track);
  if (isfinite(track->last)) track->growth = fmax(track->growth, largest_impulse(system, impulse));
  if (track->last < track->residual) contact_track_set_best(track, impulse);
  if (solved) *solved = contact_track_solved(track);
  return SCR_OK;
}
