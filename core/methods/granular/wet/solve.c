/* Sand and fluid of a step together.
 *
 * For given stresses of the sand the rest is linear (saddle.c): u1 = K (f + B^T r). For given velocities the sweeps find stresses by the
 * law of sand, as if grains of mass m were alone: 1/m >= K, for fluid only adds to what they must move. So rounds of both, each from where
 * the last one ended, come down to the law of sand in the fluid (majorisation), with Nesterov's inertia between rounds, begun anew where it
 * leads uphill. Grains that close push fluid out, which is hard where they are fine: K is less than 1/m by a factor that only many rounds
 * make up for, and a small rate of closing means much stress that is still missing. So normal rates count times that factor. The last word
 * has the fluid: momentum and volume are exact, and what is left of the law of sand is its residual, as in dry sand. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "methods/granular/law/cone.h"
#include "methods/granular/wet/stages.h"

enum { ROUNDS = 5 /* as few as flows need */, BUDGETS = 20 /* most of a step, over that */ };
#define ENOUGH_RMS 0.02 /* residual at which ROUNDS end a step */

/* ── residuals ──────────────────────────────────────────────────────────────────────────────────────────────────── */

/* How much more than their mass holds grains back that close: m/K for a motion of both at which div um = 0. */
static double closing_factor(const wet_fluid *f)
{
  double most = 1;
  for (size_t k = 0; k < f->face_count; k++) {
    const wet_coupling *g = &f->coupling[k];
    double mass = f->grain_density * g->fraction * f->volume, share = f->share[k];
    if (g->fraction >= WET_DENSE) most = fmax(most, 1 + (g->mass * g->fraction * g->fraction + g->drag) / (share * share * mass));
  }
  return most;
}

/* Root mean square of normal rates that break the law in cells that press, over g dt/h. */
static double closing_rms(const granular_state *s, double step)
{
  double sum = 0, count = 0, scale = step / s->domain.h * sqrt(s->gravity[0] * s->gravity[0] + s->gravity[1] * s->gravity[1]);
  if (!(scale > 0)) scale = 1e-3 / step;
  for (size_t k = 0; k < s->cell_count; k++) {
    const granular_cell *c = &s->cells[k];
    double rate[GRANULAR_TENSOR], hold = s->extra[k].cohesion_impulse;
    if (!(c->r[0] > 0)) continue;
    granular_rate(2, c, s->nodes, rate);
    double g = rate[0] + c->gap;
    if (hold > 0) g = cone_cohesive_rate(c->r[0], g, c->gap, c->inverse_normal, hold);
    g = fmin(g, c->r[0] / c->inverse_normal);
    sum += g * g, count++;
  }
  return count > 0 ? sqrt(sum / count) / scale : 0;
}

/* Solves for the stresses as they are. @param factor  of closing_factor */
static scr_status find_velocities(wet_fluid *f, granular_state *s, const granular_pass *pass, double factor, scr_error *error)
{
  SCR_TRY(wet_solve_saddle(f, s, pass->step, error));
  SCR_TRY(granular_measure_law(s, pass, error));
  double closing = factor * closing_rms(s, pass->step);
  s->report.rms_residual = fmax(s->report.rms_residual, closing);
  s->report.largest_residual = fmax(s->report.largest_residual, closing);
  return SCR_OK;
}

/* ── rounds ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Impulses of cells and contacts, and what grains would do without the fluid. */
typedef struct round_state {
  double *cell, *contact, *free; /* [cell_count][size], [contact_count][2], [node_count][2] */
} round_state;

static size_t round_size(const wet_fluid *f, const granular_state *s)
{
  return s->cell_count * (size_t)cell_size(2) + 2 * s->contact_count + 2 * f->node_count;
}

/* Number k of two of them, in the fluid's workspace. */
static round_state round_at(wet_fluid *f, const granular_state *s, size_t k)
{
  round_state r = {.cell = f->round + k * round_size(f, s)};
  r.contact = r.cell + s->cell_count * (size_t)cell_size(2);
  r.free = r.contact + 2 * s->contact_count;
  return r;
}

static void keep_round(const wet_fluid *f, const granular_state *s, round_state *to)
{
  const size_t size = (size_t)cell_size(2);
  for (size_t k = 0; k < s->cell_count; k++) memcpy(to->cell + k * size, s->cells[k].r, size * sizeof(double));
  for (size_t k = 0; k < s->contact_count; k++) memcpy(to->contact + 2 * k, s->contacts[k].r, 2 * sizeof(double));
  memcpy(to->free, f->free, 2 * f->node_count * sizeof(double));
}

static void take_round(wet_fluid *f, granular_state *s, const round_state *from)
{
  const size_t size = (size_t)cell_size(2);
  for (size_t k = 0; k < s->cell_count; k++) memcpy(s->cells[k].r, from->cell + k * size, size * sizeof(double));
  for (size_t k = 0; k < s->contact_count; k++) memcpy(s->contacts[k].r, from->contact + 2 * k, 2 * sizeof(double));
  memcpy(f->free, from->free, 2 * f->node_count * sizeof(double));
}

/* Whether the round went back on what inertia had begun: sum wN (y - x') . (x' - x) > 0. @param last,begun  x, y; the cells have x' */
static bool is_uphill(const granular_state *s, const round_state *last, const round_state *begun)
{
  const size_t size = (size_t)cell_size(2);
  double sum = 0;
  for (size_t k = 0; k < s->cell_count; k++)
    for (size_t i = 0; i < size; i++) {
      double now = s->cells[k].r[i];
      sum += (begun->cell[k * size + i] - now) * (now - last->cell[k * size + i]) / s->cells[k].inverse_normal;
    }
  return sum > 0;
}

/* Puts last = now, now += share (now - last). */
static void go_on(wet_fluid *f, granular_state *s, double share, round_state *last, round_state *begun)
{
  keep_round(f, s, begun);
  for (size_t i = 0, count = round_size(f, s); i < count; i++) {
    double now = begun->cell[i];
    begun->cell[i] += share * (now - last->cell[i]), last->cell[i] = now;
  }
  take_round(f, s, begun);
}

/* What grains would do without the fluid: nodes have the velocities that gravity and the sand's stresses make alone. */
static void find_free(wet_fluid *f, const granular_state *s, double step)
{
  const double lift = step * f->density / f->grain_density;
  for (size_t n = 0; n < f->node_count; n++)
    for (int i = 0; i < 2; i++)
      f->free[2 * n + (size_t)i] = f->place[n] == WET_NONE ? 0 : s->nodes[f->place[n]].u[i] - lift * f->hydrostatic[i];
}

/* Sweeps from where the fluid left the grains. */
static scr_status sweep(wet_fluid *f, granular_state *s, const granular_pass *pass, double factor, const scr_liveness *liveness,
                        scr_error *error)
{
  granular_pass part = *pass;
  part.sweeps = (s->options->sweeps + ROUNDS - 1) / ROUNDS;
  part.tolerance = s->options->tolerance / factor;
  SCR_TRY(granular_solve(s, &part, liveness, error));
  find_free(f, s, pass->step);
  return SCR_OK;
}

static scr_status solve_rounds(wet_fluid *f, granular_state *s, const granular_pass *pass, const scr_liveness *liveness, scr_error *error)
{
  round_state last = round_at(f, s, 0), begun = round_at(f, s, 1);
  const double factor = closing_factor(f);
  double theta = 1, sweeps = 0;
  int round = 0;
  keep_round(f, s, &last);
  keep_round(f, s, &begun);
  for (;; round++) {
    SCR_TRY(find_velocities(f, s, pass, factor, error));
    if (s->report.largest_residual <= s->options->tolerance || round == BUDGETS * ROUNDS) break;
    if (round >= ROUNDS && s->report.rms_residual <= ENOUGH_RMS) break;
    SCR_TRY(sweep(f, s, pass, factor, liveness, error));
    sweeps += s->report.sweeps;
    double next = 0.5 * (1 + sqrt(1 + 4 * theta * theta)), share = (theta - 1) / next;
    theta = next;
    if (is_uphill(s, &last, &begun)) theta = 1, share = 0;
    go_on(f, s, share, &last, &begun);
  }
  if (round > 0) { /* the last sweeps' stresses, which lie in the cones */
    take_round(f, s, &last);
    SCR_TRY(find_velocities(f, s, pass, factor, error));
  }
  s->report.sweeps = sweeps;
  f->report.rounds = round + 1;
  return SCR_OK;
}

scr_status wet_solve(wet_fluid *f, granular_state *s, const granular_pass *pass, const scr_liveness *liveness, scr_error *error)
{
  const double unsolved = s->report.unsolved_steps;
  SCR_TRY(wet_make_saddle(f, pass->step, error));
  find_free(f, s, pass->step);
  SCR_TRY(mem_reserve(&f->round, &f->round_capacity, 2 * round_size(f, s), sizeof *f->round, "the fluid's rounds", error));
  SCR_TRY(solve_rounds(f, s, pass, liveness, error));
  s->report.unsolved_steps = unsolved + (s->report.largest_residual > s->options->tolerance);
  return SCR_OK;
}
