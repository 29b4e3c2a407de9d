/* Projected block Gauss-Seidel: one contact after the other is solved exactly while the others hold still.
 *
 * Matrix-free: v is kept up to date, b_i = H_i v + w_i - W_ii r_i, and after the local solve v += M^-1 H_i' dr_i. Explicit: b_i = q_i + sum
 * over the row of W. In chains: v of touched blocks is kept, v += G H_i' dr_i (system/compliance.h), in stripes (system/stripes.h), as
 * contacts of a chain all see each other. Contacts are visited colour by colour; those of one colour share nothing, so threads may take
 * them. A contact that its solver can't satisfy moves half the way, so that two of them do not throw each other about. With momentum they
 * leap where they creep (momentum.h). */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "contact/local/cone.h"
#include "contact/local/local_quick.h"
#include "contact/solvers/momentum.h"
#include "contact/solvers/solvers.h"
#include "contact/system/colours.h"
#include "contact/system/compliance.h"
#include "contact/system/stripes.h"
#include "contact/system/delassus.h"

enum {
  JUDGE_EVERY = 10,
  LONGEST_WINDOW = 40,
  CHAINS_WINDOW = 120 /* of chains, whose other solvers cost many sweeps */,
  PARALLEL_FROM = 256,
  MANY = 4096, /* contacts worth a team of threads for once */
  SWEEP_LIMIT = 1000,
  DOUBLINGS = 20 /* of a leap */,
  ACTIVE_SWEEPS = 100 /* over the worst contacts, in place of JUDGE_EVERY over all */,
  ACTIVE_SHARE = 10 /* of all contacts, at most one in so many are such */
};

typedef struct sweeper {
  const contact_system *system;
  local_solver local;
  double tolerance;
  bool explicit_form;
  const delassus *w; /* explicit form: the system's, or */
  delassus own;
  contact_colours colours; /* matrix-free */
  chain_compliance chains; /* in chains */
  contact_stripes stripes;
  double *velocity;   /* [m] matrix-free: v of the impulses at all times; in chains those of touched blocks alone, [touched][b] */
  local_quick *quick; /* [n] in space with the default local solver, else NULL */
  double *alpha;      /* [n] roots of the last sweep, where the next one starts */
} sweeper;

/* Loops below are written once for all sizes and compiled once more for the sizes of rigid bodies. */
#define FOR_ALL_SIZES static inline __attribute__((always_inline))

static scr_status prepare_quick(sweeper *self, scr_error *error)
{
  const contact_problem *p = self->system->problem;
  if (p->dimension != 3 || self->local != LOCAL_HYBRID) return SCR_OK;
  self->quick = mem_array(p->contact_count, sizeof *self->quick);
  self->alpha = mem_array(p->contact_count, sizeof *self->alpha);
  if (!self->quick || !self->alpha) return scr_fail_memory(error, "contacts", p->contact_count * sizeof *self->quick);
  size_t threads = self->system->execution.threads;
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1 && p->contact_count > MANY)
  for (size_t i = 0; i < p->contact_count; ++i) local_quick_prepare(self->system->diagonal + 9 * i, &self->quick[i]);
  return SCR_OK;
}

static bool is_in_chains(const sweeper *self)
{
  return !self->explicit_form && self->system->chains.count > 0;
}

static scr_status sweeper_create(const contact_system *system, const contact_options *options, sweeper *self, scr_error *error)
{
  *self = (sweeper){.system = system, .local = options->local, .tolerance = options->tolerance};
  self->explicit_form = system->factor || system->w || options->form == CONTACT_FORM_EXPLICIT;
  self->w = system->w ? system->w : &self->own;
  SCR_TRY(prepare_quick(self, error));
  if (system->w) return SCR_OK;
  if (self->explicit_form) {
    SCR_TRY(delassus_from_system(system, &self->own, error));
    return delassus_sort_rows(&self->own, error);
  }
  SCR_TRY(mem_allocate(&self->velocity, system->size, sizeof *self->velocity, "velocities", error));
  if (is_in_chains(self)) {
    SCR_TRY(contact_stripes_create(system, &self->stripes, error));
    return chain_compliance_create(system, 0, &self->chains, error);
  }
  return contact_colours_create(system, &self->colours, error);
}

static void sweeper_clear(sweeper *self)
{
  delassus_clear(&self->own);
  contact_colours_clear(&self->colours);
  chain_compliance_clear(&self->chains);
  contact_stripes_clear(&self->stripes);
  mem_free(self->velocity);
  mem_free(self->quick);
  mem_free(self->alpha);
}

/* What the contact's velocity is without its own impulse, from the velocities of its blocks.    @param place where a block's stand, or
 * NULL: at its number */
FOR_ALL_SIZES void free_of_bodies(const sweeper *self, size_t i, size_t d, size_t size, const uint32_t *place, const double *r, double *b)
{
  const contact_problem *p = self->system->problem;
  for (size_t q = 0; q < d; ++q) b[q] = p->offset[i * d + q];
  for (size_t k = p->first[i]; k < p->first[i + 1]; ++k) {
    size_t block = place ? place[p->block[k]] : p->block[k];
    const double *h = p->jacobian + k * size * d, *v = self->velocity + block * size;
    for (size_t c = 0; c < size; ++c)
      for (size_t q = 0; q < d; ++q) b[q] += h[c * d + q] * v[c];
  }
  const double *w = self->system->diagonal + i * d * d;
  for (size_t c = 0; c < d; ++c)
    for (size_t q = 0; q < d; ++q) b[q] -= w[c * d + q] * r[c];
}

/* The same from the rows of W. */
static void free_of_rows(const sweeper *self, size_t i, size_t d, const double *impulse, double *b)
{
  for (size_t q = 0; q < d; ++q) b[q] = self->system->free_velocity[i * d + q];
  delassus_add_row(self->w, i, false, impulse, b);
}

FOR_ALL_SIZES void push(const sweeper *self, size_t i, size_t d, size_t size, const double *change)
{
  const contact_problem *p = self->system->problem;
  for (size_t k = p->first[i]; k < p->first[i + 1]; ++k) {
    const double *y = self->system->response + k * size * d;
    double *v = self->velocity + p->block[k] * size;
    for (size_t q = 0; q < d; ++q)
      for (size_t c = 0; c < size; ++c) v[c] += y[q * size + c] * change[q];
  }
}

/* The contact's own impulse for a velocity b without it. @return whether it could be solved */
static bool solve_one(const sweeper *self, size_t i, const double *b, double *r)
{
  const contact_system *system = self->system;
  unsigned d = system->problem->dimension;
  double friction = system->problem->friction[i];
  if (self->quick && friction >= 0.0) {
    double found[3];
    if (local_quick_solve(&self->quick[i], friction, b, &self->alpha[i], found)) {
      for (int k = 0; k < 3; ++k) r[k] = found[k];
      return true;
    }
  }
  const local_problem one = {d, friction, system->diagonal + i * d * d, b};
  return local_solve(self->local, &one, r, NULL);
}

/* Whether a contact without an impulse opens without one: there is nothing to solve for, and nothing to push. */
FOR_ALL_SIZES bool stays_open(const sweeper *self, size_t i, size_t d, const double *present, const double *b)
{
  for (size_t k = 0; k < d; ++k)
    if (present[k] != 0.0) return false;
  return b[0] >= 0.0 && self->system->problem->friction[i] >= 0.0;
}

/* @return whether the contact could be solved */
FOR_ALL_SIZES bool visit_sized(const sweeper *self, size_t i, size_t d, size_t size, double *impulse)
{
  double b[CONE_DIMENSION_MAX] = {0}, r[CONE_DIMENSION_MAX] = {0}, *present = impulse + i * d;
  if (self->explicit_form)
    free_of_rows(self, i, d, impulse, b);
  else
    free_of_bodies(self, i, d, size, NULL, present, b);
  if (stays_open(self, i, d, present, b)) return true;
  for (size_t k = 0; k < d; ++k) r[k] = present[k];
  bool ok = solve_one(self, i, b, r);
  for (size_t k = 0; k < d; ++k) {
    r[k] = (ok ? 1.0 : 0.5) * (r[k] - present[k]);
    present[k] += r[k];
  }
  if (!self->explicit_form) push(self, i, d, size, r);
  return ok;
}

/* Below this share of what the tolerance lets be wrong, an impulse in chains stays as it is. */
static const double worth_a_push = 1e-3;

/* The same in chains, whose push costs more than the rest: it is left out where nothing changes, as of contacts that stay open, or next to
 * nothing. */
FOR_ALL_SIZES bool visit_chains_sized(const sweeper *self, size_t i, size_t d, size_t size, double *impulse)
{
  double b[CONE_DIMENSION_MAX] = {0}, r[CONE_DIMENSION_MAX] = {0}, *present = impulse + i * d;
  bool ok = true, changed = false;
  free_of_bodies(self, i, d, size, self->chains.place, present, b);
  if (stays_open(self, i, d, present, b)) return true;
  for (size_t k = 0; k < d; ++k) r[k] = present[k];
  ok = solve_one(self, i, b, r);
  double worth = worth_a_push * self->tolerance * self->system->speed / self->system->scale[i];
  for (size_t k = 0; k < d; ++k) {
    r[k] = (ok ? 1.0 : 0.5) * (r[k] - present[k]);
    changed = changed || fabs(r[k]) > worth;
  }
  if (!changed) return ok;
  for (size_t k = 0; k < d; ++k) present[k] += r[k];
  chain_compliance_push(&self->chains, i, r, self->velocity);
  return ok;
}

static bool visit(const sweeper *self, size_t i, double *impulse)
{
  const contact_problem *p = self->system->problem;
  if (p->dimension == 3 && p->block_size == 6) return visit_sized(self, i, 3, 6, impulse);
  if (p->dimension == 3) return visit_sized(self, i, 3, p->block_size, impulse);
  return visit_sized(self, i, p->dimension, p->block_size, impulse);
}

static bool visit_in_chains(const sweeper *self, size_t i, double *impulse)
{
  const contact_problem *p = self->system->problem;
  if (self->explicit_form) return visit(self, i, impulse);
  return p->dimension == 3 && p->block_size == 4 ? visit_chains_sized(self, i, 3, 4, impulse)
                                                 : visit_chains_sized(self, i, p->dimension, p->block_size, impulse);
}

static size_t visit_stripe(const sweeper *self, const contact_stripes *stripes, size_t stripe, double *impulse)
{
  size_t failures = 0;
  for (size_t k = stripes->first[stripe]; k < stripes->first[stripe + 1]; ++k)
    failures += !visit_in_chains(self, stripes->order[k], impulse);
  return failures;
}

static size_t sweep_stripes(const sweeper *self, const contact_stripes *stripes, double *impulse)
{
  size_t failures = 0, threads = self->chains.solves ? 1 : self->system->execution.threads; /* solutions have one workspace */
  for (unsigned phase = 0; phase < stripes->phase_count; ++phase) {
    size_t from = stripes->phase[phase], to = stripes->phase[phase + 1];
#pragma omp parallel for schedule(dynamic, 1) num_threads((int)threads) reduction(+ : failures) if (threads > 1 && to - from > 1)
    for (size_t k = from; k < to; ++k) failures += visit_stripe(self, stripes, k, impulse);
  }
  return failures;
}

/* Contacts order[from .. to], which share nothing. @return how many could not be solved */
static size_t visit_colour(const sweeper *self, const uint32_t *order, size_t from, size_t to, double *impulse)
{
  size_t failures = 0,
         threads = self->system->factor ? 1 : self->system->execution.threads; /* W of a sparse mass is symmetric to round-off only */
#pragma omp parallel for schedule(static) num_threads(threads) reduction(+ : failures) if (threads > 1 && to - from >= PARALLEL_FROM)
  for (size_t k = from; k < to; ++k) failures += !visit(self, order[k], impulse);
  return failures;
}

static size_t sweep(const sweeper *self, double *impulse)
{
  size_t failures = 0;
  if (self->system->stripes) return sweep_stripes(self, self->system->stripes, impulse);
  if (self->explicit_form) {
    const delassus *w = self->w;
    for (uint32_t c = 0; c < w->colour_count; ++c)
      failures += visit_colour(self, w->order, w->colour_first[c], w->colour_first[c + 1], impulse);
    return failures;
  }
  if (is_in_chains(self)) return sweep_stripes(self, &self->stripes, impulse);
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
  const chain_compliance *chains = &self->chains;
  size_t b = self->system->problem->block_size, touched = is_in_chains(self) ? chains->touched_first[self->system->chains.count] : 0;
  for (size_t k = 0; k < touched; ++k) memcpy(self->velocity + k * b, track->velocity + chains->touched[k] * b, b * sizeof *self->velocity);
  if (!self->explicit_form && !is_in_chains(self)) memcpy(self->velocity, track->velocity, self->system->size * sizeof *self->velocity);
  return SCR_OK;
}

/* ── the active set ────────────────────────────────────────────────────────────────────────────────────────────── */

/* Contacts that violate the law by a third of the tolerance or more, and all that share a chain with them. Sweeps over
 * all of a nearly solved groom creep a thousand times for one contact: of 11 577 contacts 30 to 130 share a chain with it. What is chosen
 * changes what a solution costs, not which points count as solved: those are judged over all contacts. */
typedef struct active_set {
  uint32_t *contact; /* [n], in the order of sweeps */
  uint8_t *taken;    /* [n] */
  size_t count;      /* 0: sweeps go over all */
  double residual;   /* when they were chosen */
  bool pay;          /* whether sweeps over such have brought the residual down, the last time */
} active_set;

static const double active_above = 0.3; /* of the tolerance: such contacts are chosen */

static bool may_have_active_set(const sweeper *self)
{
  return self->explicit_form && self->system->chains.count > 0 && self->system->problem->contact_count >= PARALLEL_FROM;
}

static scr_status active_set_create(const sweeper *self, active_set *o, scr_error *error)
{
  const size_t n = self->system->problem->contact_count;
  *o = (active_set){.pay = true};
  if (!may_have_active_set(self)) return SCR_OK;
  o->contact = mem_array(n, sizeof *o->contact);
  o->taken = mem_array(n, sizeof *o->taken);
  return o->contact && o->taken ? SCR_OK : scr_fail_memory(error, "contacts", n * sizeof *o->contact);
}

static void active_set_clear(active_set *o)
{
  mem_free(o->contact);
  mem_free(o->taken);
}

/* Chooses contacts for the sweeps until the next point is judged, or none, where they are too many. */
static void choose_active_set(const sweeper *self, const contact_track *track, const double *impulse, active_set *o)
{
  const contact_system *system = self->system;
  const delassus *w = self->w;
  const size_t n = system->problem->contact_count, most = n / ACTIVE_SHARE;
  const double above = active_above * track->options->tolerance * system->speed;
  size_t taken = 0;
  if (!o->contact) return;
  o->pay = o->count == 0 || track->last < 0.9 * o->residual;
  o->count = 0, o->residual = track->last;
  if (!o->pay || !isfinite(track->last)) return;
  memset(o->taken, 0, n);
  for (size_t i = 0; i < n && taken <= most; ++i) {
    if (contact_system_residual_of(system, i, impulse, track->relative) <= above) continue;
    for (size_t k = w->begin[i], end = k + w->first[i + 1] - w->first[i]; k < end; ++k)
      taken += !o->taken[w->column[k]], o->taken[w->column[k]] = 1;
  }
  if (taken > most) return;
  for (size_t k = 0; k < n; ++k)
    if (o->taken[w->order[k]]) o->contact[o->count++] = w->order[k];
}

/* One sweep over the chosen contacts, one after the other. */
static size_t sweep_active_set(const sweeper *self, const active_set *o, double *impulse)
{
  size_t failures = 0;
  for (size_t k = 0; k < o->count; ++k) failures += !visit(self, o->contact[k], impulse);
  return failures;
}

/* Sweeps up to the next point that is judged, over all or over the chosen. @return how many sweeps over all they are worth */
static unsigned sweep_on(const sweeper *self, contact_track *track, momentum *m, const active_set *o, unsigned most, double *impulse)
{
  unsigned count = o->count > 0 ? ACTIVE_SWEEPS : most;
  for (unsigned k = 0; k < count; ++k) {
    if (m) momentum_push(m, impulse, self->velocity);
    track->local_failures = o->count > 0 ? sweep_active_set(self, o, impulse) : sweep(self, impulse);
    if (m) momentum_follow(m, impulse);
  }
  return o->count > 0 ? most : count;
}

/* At the pace of the last `done` sweeps: sweeps that are still needed. */
static double sweeps_needed(double before, double now, double tolerance, unsigned done)
{
  if (!(now < before) || !(before < HUGE_VAL)) return HUGE_VAL;
  return done * log(now / tolerance) / log(before / now);
}

/* Leaps where sweeps creep, each measured from where the creep was and twice as long as the one before, as long as the residual grows by no
 * more than a twentieth. A trial costs about a sweep. @param impulse has been judged; then where the last good leap ended */
static scr_status leap(const sweeper *self, contact_track *track, momentum *m, double *impulse, bool *solved, scr_error *error)
{
  double reached = track->last, longest = 0.0;
  bool tried = momentum_creeps(m, reached), on = tried;
  for (int doublings = 1; on && !*solved; ++doublings) {
    double length = ldexp(1.0, doublings);
    momentum_leap(m, length, impulse);
    SCR_TRY(contact_track_offer(track, m->trial, solved, error));
    on = track->last <= 1.05 * reached && doublings < DOUBLINGS;
    if (on) reached = track->last, longest = length;
  }
  if (longest > 0.0) {
    momentum_leap(m, longest, impulse);
    memcpy(impulse, m->trial, self->system->rows * sizeof *impulse);
    if (!*solved) SCR_TRY(judge(self, track, impulse, solved, error));
  }
  momentum_settle(m, reached, impulse, self->velocity, tried, longest > 0.0);
  return SCR_OK;
}

/* Sweeps from `impulse`, which has been judged.    @param m NULL: without momentum */
static scr_status run_sweeps(const sweeper *self, contact_track *track, momentum *m, active_set *o, double *impulse, unsigned limit,
                             contact_patience patience, scr_error *error)
{
  bool solved = contact_track_solved(track);
  /* at least a third of what it may take, and so many that a rate can be seen */
  unsigned longest = self->system->w ? CHAINS_WINDOW : LONGEST_WINDOW;
  unsigned third = patience.sweeps / 3, window = third < longest ? JUDGE_EVERY * ((third + JUDGE_EVERY - 1) / JUDGE_EVERY) : longest;
  double before = track->residual, earlier = before; /* two windows ago, and one */
  if (!solved) choose_active_set(self, track, impulse, o);
  for (unsigned k = 0; !solved && k < limit;) {
    unsigned next = JUDGE_EVERY - k % JUDGE_EVERY, swept = sweep_on(self, track, m, o, next < limit - k ? next : limit - k, impulse);
    track->iterations += swept;
    k += swept;
    SCR_TRY(judge(self, track, impulse, &solved, error));
    if (m && !solved && momentum_guard(m, track->last, impulse)) SCR_TRY(judge(self, track, impulse, &solved, error));
    if (m && !solved) SCR_TRY(leap(self, track, m, impulse, &solved, error));
    if (!solved) choose_active_set(self, track, impulse, o);
    if (patience.sweeps == 0 || k % window != 0) continue;
    double needed = sweeps_needed(before, track->residual, track->options->tolerance, k > window ? 2 * window : window);
    bool near = track->residual < patience.near * track->options->tolerance;
    if (!near && k >= patience.first && needed > fmin(patience.sweeps, limit - k)) return SCR_OK;
    before = earlier;
    earlier = track->residual;
  }
  return SCR_OK;
}

static scr_status begin_sweeps(const sweeper *self, contact_track *track, double *impulse, unsigned limit, contact_patience patience,
                               scr_error *error)
{
  momentum m = {0};
  active_set o;
  bool wanted = track->options->momentum && !patience.plain;
  SCR_TRY(judge(self, track, impulse, NULL, error));
  scr_status status = active_set_create(self, &o, error);
  if (status == SCR_OK && wanted) status = momentum_create(self->system, impulse, self->velocity, track->last, &m, error);
  if (status == SCR_OK) status = run_sweeps(self, track, wanted ? &m : NULL, &o, impulse, limit, patience, error);
  if (wanted) momentum_clear(&m);
  active_set_clear(&o);
  return status;
}

scr_status contact_gauss_seidel_sweeps(contact_track *track, double *impulse, unsigned sweeps, contact_patience patience, scr_error *error)
{
  sweeper self;
  track->solver = CONTACT_GAUSS_SEIDEL;
  scr_status status = sweeper_create(track->system, track->options, &self, error);
  if (status == SCR_OK) status = begin_sweeps(&self, track, impulse, sweeps, patience, error);
  sweeper_clear(&self);
  return status;
}

scr_status contact_solve_gauss_seidel(contact_track *track, double *impulse, scr_error *error)
{
  unsigned limit = track->options->iteration_limit;
  return contact_gauss_seidel_sweeps(track, impulse, limit ? limit : SWEEP_LIMIT, (contact_patience){0}, error);
}
