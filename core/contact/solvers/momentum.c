/* Nesterov's momentum on sweeps, with a guard. All sums are taken in one order, so that threads change no bits. */
#include "contact/solvers/momentum.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "contact/local/cone.h"

/* FIRST: sweeps of fibres without momentum. Without any, threads that lie on a floor and each other took 250 sweeps where plain ones take
 * 40; rigid bodies gain nothing by it. */
enum { FIRST = 20, REST = 20, RETURNS = 5, WAITING = 3 };
static const double most = 0.95, worse = 3.0;
static const double still = 0.8; /* a residual that falls by less, or grows by less, between two points stands still */

scr_status momentum_create(const contact_system *system, const double *impulse, const double *velocity, double residual, momentum *m,
                           scr_error *error)
{
  size_t rows = system->rows;
  *m = (momentum){
      .system = system, .residual = residual, .theta = 1.0, .judged_residual = residual, .resting = system->chains.count > 0 ? FIRST : 0};
  m->impulse = mem_array(rows, sizeof *m->impulse);
  m->guess = mem_array(rows, sizeof *m->guess);
  m->best = mem_array(rows, sizeof *m->best);
  m->judged = mem_array(rows, sizeof *m->judged);
  m->trial = mem_array(rows, sizeof *m->trial);
  if (velocity) m->velocity = mem_array(system->size, sizeof *m->velocity);
  if (!m->impulse || !m->guess || !m->best || !m->judged || !m->trial || (velocity && !m->velocity)) {
    momentum_clear(m);
    return scr_fail_memory(error, "impulses of sweeps before", (5 * rows + system->size) * sizeof *impulse);
  }
  memcpy(m->impulse, impulse, rows * sizeof *impulse);
  memcpy(m->best, impulse, rows * sizeof *impulse);
  memcpy(m->judged, impulse, rows * sizeof *impulse);
  if (velocity) memcpy(m->velocity, velocity, system->size * sizeof *velocity);
  return SCR_OK;
}

void momentum_clear(momentum *m)
{
  mem_free(m->impulse);
  mem_free(m->velocity);
  mem_free(m->guess);
  mem_free(m->best);
  mem_free(m->judged);
  mem_free(m->trial);
  *m = (momentum){0};
}

/* now += beta (now - before), before = now as it was */
static void extrapolate(size_t count, double beta, double *now, double *before)
{
  for (size_t k = 0; k < count; ++k) {
    double here = now[k];
    now[k] = here + beta * (here - before[k]);
    before[k] = here;
  }
}

void momentum_push(momentum *m, double *impulse, double *velocity)
{
  extrapolate(m->system->rows, m->beta, impulse, m->impulse);
  if (velocity) extrapolate(m->system->size, m->beta, velocity, m->velocity);
  memcpy(m->guess, impulse, m->system->rows * sizeof *impulse);
}

static void begin_anew(momentum *m)
{
  m->theta = 1.0;
  m->beta = 0.0;
}

/* sum s (y - r_new).(r_new - r_old) > 0 */
static bool points_back(const momentum *m, const double *impulse)
{
  size_t d = m->system->problem->dimension;
  double sum = 0.0;
  for (size_t i = 0; i < m->system->problem->contact_count; ++i) {
    double of_contact = 0.0;
    for (size_t k = i * d; k < (i + 1) * d; ++k) of_contact += (m->guess[k] - impulse[k]) * (impulse[k] - m->impulse[k]);
    sum += m->system->scale[i] * of_contact;
  }
  return sum > 0.0;
}

void momentum_follow(momentum *m, const double *impulse)
{
  if (m->resting > 0 || m->returns > RETURNS || points_back(m, impulse)) {
    m->resting -= m->resting > 0;
    begin_anew(m);
    return;
  }
  double square = m->theta * m->theta, next = 0.5 * (sqrt(square * square + 4.0 * square) - square);
  m->beta = fmin(most, m->theta * (1.0 - m->theta) / (square + next));
  m->theta = next;
}

bool momentum_guard(momentum *m, double residual, double *impulse)
{
  size_t bytes = m->system->rows * sizeof *impulse;
  if (residual < m->residual) {
    m->residual = residual;
    memcpy(m->best, impulse, bytes);
  }
  if (residual <= worse * m->residual || m->returns > RETURNS) return false;
  memcpy(impulse, m->best, bytes);
  begin_anew(m);
  m->resting = REST;
  m->returns++;
  return true;
}

bool momentum_creeps(const momentum *m, double residual)
{
  return m->waiting == 0 && residual > still * m->judged_residual && still * residual < m->judged_residual;
}

void momentum_leap(momentum *m, double length, const double *impulse)
{
  const contact_problem *p = m->system->problem;
  size_t d = p->dimension;
  for (size_t k = 0; k < m->system->rows; ++k) m->trial[k] = impulse[k] + length * (impulse[k] - m->judged[k]);
  for (size_t i = 0; i < p->contact_count; ++i) cone_project((unsigned)d, p->friction[i], m->trial + i * d, m->trial + i * d);
}

void momentum_settle(momentum *m, double residual, const double *impulse, const double *velocity, bool tried, bool moved)
{
  size_t bytes = m->system->rows * sizeof *impulse;
  memcpy(m->judged, impulse, bytes);
  m->judged_residual = residual;
  if (m->waiting > 0) --m->waiting;
  if (tried && !moved) m->waiting = WAITING;
  if (!moved) return;
  memcpy(m->impulse, impulse, bytes);
  if (m->velocity) memcpy(m->velocity, velocity, m->system->size * sizeof *velocity);
  begin_anew(m);
}
