/* Projected block Gauss-Seidel: one contact after the other is solved exactly while the others hold still.
 *
 * Matrix-free: v is kept up to date, b_i = H_i v + w_i - W_ii r_i, and after the local solve v += M^-1 H_i' dr_i. Explicit: b_i = q_i + sum over the row
 * of W. Contacts are visited colour by colour; those of one colour share nothing, so threads may take them. A contact that its solver can't satisfy
 * moves half the way, so that two of them do not throw each other about. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "contact/local/cone.h"
#include "contact/solvers/solvers.h"
#include "contact/system/colours.h"
#include "contact/system/delassus.h"

enum { JUDGE_EVERY = 10, PARALLEL_FROM = 64, SWEEP_LIMIT = 1000 };

typedef struct sweeper {
  const contact_system *system;
  local_solver local;
  bool explicit_form;
  delassus w;              /* explicit form */
  contact_colours colours; /* matrix-free */
  double *velocity;        /* [m] matrix-free: v of the impulses at all times */
} sweeper;

static scr_status sweeper_create(const contact_system *system, const contact_options *options, sweeper *self, scr_error *error)
{
  *self = (sweeper){.system = system, .local = options->local};
  self->explicit_form = system->factor || options->form == CONTACT_FORM_EXPLICIT;
  if (self->explicit_form) return delassus_from_system(system, &self->w, error);
  self->velocity = mem_array(system->size, sizeof *self->velocity);
  if (!self->velocity) return scr_fail_memory(error, "velocities", system->size * sizeof *self->velocity);
  return contact_colours_create(system, &self->colours, error);
}

static void sweeper_clear(sweeper *self)
{
  delassus_clear(&self->w);
  contact_colours_clear(&self->colours);
  mem_free(self->velocity);
}

/* What the contact's velocity is without its own impulse, from the velocities of its blocks. */
static void free_of_bodies(const sweeper *self, size_t i, const double *r, double *b)
{
  const contact_problem *p = self->system->problem;
  size_t d = p->dimension, size = p->block_size;
  memcpy(b, p->offset + i * d, d * sizeof *b);
  for (size_t k = p->first[i]; k < p->first[i + 1]; ++k) {
    const double *h = p->jacobian + k * size * d, *v = self->velocity + p->block[k] * size;
    for (size_t c = 0; c < size; ++c)
      for (size_t q = 0; q < d; ++q) b[q] += h[c * d + q] * v[c];
  }
  const double *w = self->system->diagonal + i * d * d;
  for (size_t c = 0; c < d; ++c)
    for (size_t q = 0; q < d; ++q) b[q] -= w[c * d + q] * r[c];
}

/* The same from the rows of W. */
static void free_of_rows(const sweeper *self, size_t i, const double *impulse, double *b)
{
  const delassus *w = &self->w;
  size_t d = w->dimension;
  memcpy(b, self->system->free_velocity + i * d, d * sizeof *b);
  for (size_t k = w->first[i]; k < w->first[i + 1]; ++k) {
    if (k == w->diagonal[i]) continue;
    const double *block = w->block + k * d * d, *r = impulse + (size_t)w->column[k] * d;
    for (size_t c = 0; c < d; ++c)
      for (size_t row = 0; row < d; ++row) b[row] += block[c * d + row] * r[c];
  }
}

static void push(const sweeper *self, size_t i, const double *change)
{
  const contact_problem *p = self->system->problem;
  size_t d = p->dimension, size = p->block_size;
  for (size_t k = p->first[i]; k < p->first[i + 1]; ++k) {
    const double *y = self->system->response + k * size * d;
    double *v = self->velocity + p->block[k] * size;
    for (size_t q = 0; q < d; ++q)
      for (size_t c = 0; c < size; ++c) v[c] += y[q * size + c] * change[q];
  }
}

/* @return whether the contact could be solved */
static bool visit(const sweeper *self, size_t i, double *impulse)
{
  const contact_system *system = self->system;
  unsigned d = system->problem->dimension;
  double b[CONE_DIMENSION_MAX] = {0}, r[CONE_DIMENSION_MAX] = {0}, change[CONE_DIMENSION_MAX] = {0}, *present = impulse + (size_t)i * d;
  if (self->explicit_form)
    free_of_rows(self, i, impulse, b);
  else
    free_of_bodies(self, i, present, b);
  memcpy(r, present, d * sizeof *r);
  const local_problem one = {d, system->problem->friction[i], system->diagonal + i * d * d, b};
  bool ok = local_solve(self->local, &one, r, NULL);
  for (unsigned k = 0; k < d; ++k) {
    change[k] = (ok ? 1.0 : 0.5) * (r[k] - present[k]);
    present[k] += change[k];
  }
  if (!self->explicit_form) push(self, i, change);
  return ok;
}

/* Contacts order[from .. to], which share nothing. @return how many could not be solved */
static size_t visit_colour(const sweeper *self, const uint32_t *order, size_t from, size_t to, double *impulse)
{
  size_t failures = 0, threads = self->system->factor ? 1 : self->system->threads; /* W of a sparse mass is symmetric to round-off only */
#pragma omp parallel for schedule(static) num_threads(threads) reduction(+ : failures) if (threads > 1 && to - from >= PARALLEL_FROM)
  for (size_t k = from; k < to; ++k) failures += !visit(self, order[k], impulse);
  return failures;
}

static size_t sweep(const sweeper *self, double *impulse)
{
  size_t failures = 0;
  if (self->explicit_form) {
    const delassus *w = &self->w;
    for (uint32_t c = 0; c < w->colour_count; ++c)
      failures += visit_colour(self, w->order, w->colour_first[c], w->colour_first[c + 1], impulse);
    return failures;
  }
  const contact_colours *colours = &self->colours;
  for (uint32_t c = 0; c < colours->count; ++c)
    failures += visit_colour(self, colours->order, colours->first[c], colours->first[c + 1], impulse);
  for (size_t k = colours->serial; k < self->system->problem->contact_count; ++k) failures += !visit(self, colours->order[k], impulse);
  return failures;
}

/* Offers the point; the velocities that the sweeps go on from are then exactly those of the impulses. */
static scr_status judge(const sweeper *self, contact_track *track, const double *impulse, bool *solved, scr_error *error)
{
  SCR_TRY(contact_track_offer(track, impulse, solved, error));
  if (!self->explicit_form) memcpy(self->velocity, track->velocity, self->system->size * sizeof *self->velocity);
  return SCR_OK;
}

/* At the pace of the last `done` sweeps: sweeps that are still needed. */
static double sweeps_needed(double before, double now, double tolerance, unsigned done)
{
  if (!(now < before) || !(before < HUGE_VAL)) return HUGE_VAL;
  return done * log(now / tolerance) / log(before / now);
}

static scr_status run_sweeps(const sweeper *self, contact_track *track, double *impulse, unsigned limit, unsigned patience,
                             scr_error *error)
{
  bool solved = false;
  double earlier = HUGE_VAL;
  SCR_TRY(judge(self, track, impulse, &solved, error));
  for (unsigned k = 0; !solved && k < limit;) {
    track->local_failures = sweep(self, impulse);
    ++track->iterations;
    if (++k % JUDGE_EVERY != 0 && k != limit) continue;
    SCR_TRY(judge(self, track, impulse, &solved, error));
    if (k % (5 * JUDGE_EVERY) != 0) continue;
    if (patience && k > 5 * JUDGE_EVERY && sweeps_needed(earlier, track->residual, track->options->tolerance, 5 * JUDGE_EVERY) > patience)
      return SCR_OK;
    earlier = track->residual;
  }
  return SCR_OK;
}

scr_status contact_gauss_seidel_sweeps(contact_track *track, double *impulse, unsigned sweeps, unsigned patience, scr_error *error)
{
  sweeper self;
  track->solver = CONTACT_GAUSS_SEIDEL;
  scr_status status = sweeper_create(track->system, track->options, &self, error);
  if (status == SCR_OK) status = run_sweeps(&self, track, impulse, sweeps, patience, error);
  sweeper_clear(&self);
  return status;
}

scr_status contact_solve_gauss_seidel(contact_track *track, double *impulse, scr_error *error)
{
  unsigned limit = track->options->iteration_limit;
  return contact_gauss_seidel_sweeps(track, impulse, limit ? limit : SWEEP_LIMIT, 0, error);
}
