/* Static equilibrium by a primal-dual active set. */
#include "methods/fem/dynamics/statics.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "methods/fem/system/held.h"

enum { ITERATION_LIMIT = 300, CUT_LIMIT = 14 };
/* Residual over load, and the one from which on no iteration follows that would leave rounding; elements that a node may go in one
 * iteration; of elements, at which active nodes count as placed. */
static const double accepted = 1e-9, exact = 1e-13, longest_step = 0.5, placed = 1e-12;

/* What an equilibrium is looked for with. */
typedef struct search {
  fem_solver *s;
  const double *load;
  const sim_parts *parts;
  unsigned char *active;       /* [node_count] */
  unsigned char *held;         /* [3 n] what grips hold, as the scene says */
  unsigned char *factor_fixed; /* [3 n] what was held when the factor was made */
  double *displacement;        /* [3 n] what active nodes go */
  double stiffness;            /* N/m, c */
  bool changed;                /* the set did, in this iteration */
  bool balanced; /* active nodes are where they belong, the last iteration left the set as it was: the residual tells the rest */
  double weight; /* N, the largest load on a node */
} search;

static size_t unknowns(const fem_solver *s)
{
  return 3 * s->system->node_count;
}

/* Active nodes onto their parts; nodes inside of one become active. */
static void aim(search *q)
{
  fem_solver *s = q->s;
  memset(q->displacement, 0, unknowns(s) * sizeof *q->displacement);
  memcpy(s->hold->fixed, q->held, unknowns(s));
  for (size_t k = 0; k < s->touches.count; k++) {
    const fem_touch *touch = &s->touches.item[k];
    size_t node = touch->node[0];
    if (!q->active[node] && touch->gap < -1e-12 * s->settings.edge) q->active[node] = 1, q->changed = true;
    if (!q->active[node]) continue;
    for (size_t i = 0; i < 3; i++) {
      if (q->held[3 * node + i]) continue;
      s->hold->fixed[3 * node + i] = 1;
      q->displacement[3 * node + i] = -touch->gap * touch->axis[0][i];
    }
  }
}

/* Whether every body is held against rigid motions by grips and active nodes: if not, the matrix is singular. */
static scr_status see_whether_held(const fem_solver *s, unsigned iterations, scr_error *error)
{
  const fem_system *system = s->system;
  for (size_t b = 0; b < system->body_count; b++) {
    char motion[FEM_HELD_TEXT];
    size_t first = system->node_first[b], count = system->node_first[b + 1] - first;
    if (fem_free_motions(system->rest + 3 * first, count, s->hold->fixed + 3 * first, motion) == 0) continue;
    return scr_fail(error, SCR_DIVERGED, "/options/loading",
                    "no static equilibrium: after %u iterations nothing holds body %zu from %s, as the loads lift it off its support: load "
                    "less, hold it by a grip, or load it in time",
                    iterations, b, motion);
  }
  return SCR_OK;
}

/* Whether the factor there is that of the present matrix. Bodies that are not linear have one factor an iteration: their factors tell where
 * an equilibrium is unstable. */
static bool is_factor_kept(const search *q)
{
  const fem_solver *s = q->s;
  return s->linear && isinf(s->factor_time) && memcmp(q->factor_fixed, s->hold->fixed, unknowns(s)) == 0;
}

/* K s = F + load, with what is fixed going its way. @param push receives load - gradient */
static scr_status solve(search *q, double *push, fem_statics_report *report, scr_error *error)
{
  fem_solver *s = q->s;
  size_t n = unknowns(s);
  bool anew;
  SCR_TRY(see_whether_held(s, report->iterations, error));
  memcpy(s->trial, s->motion->displacement, n * sizeof *s->trial);
  fem_block_multiply(s->system, s->block, q->displacement, s->residual, s->settings.execution);
  report->residual = 0;
  for (size_t k = 0; k < n; k++) {
    push[k] = q->load[k] - s->gradient[k];
    s->step[k] = s->hold->fixed[k] ? 0 : push[k] - s->residual[k];
    if (!s->hold->fixed[k]) report->residual = fmax(report->residual, fabs(push[k]));
  }
  if (q->balanced && report->residual <= (s->linear ? accepted : exact) * q->weight) {
    memcpy(s->step, q->displacement, n * sizeof *s->step);
    return SCR_OK;
  }
  if (!is_factor_kept(q)) {
    SCR_TRY(fem_factorise(s, INFINITY, &report->clamped, &anew, error));
    memcpy(q->factor_fixed, s->hold->fixed, n);
  }
  SCR_TRY(la_factor_solve(s->factor, s->step, 1, s->step, error));
  for (size_t k = 0; k < n; k++)
    if (s->hold->fixed[k]) s->step[k] = q->displacement[k];
  return SCR_OK;
}

/* Adds the step, shortened to a few elements and where an element folds. @return the share that was gone; 0: none is possible */
static double advance(search *q)
{
  fem_solver *s = q->s;
  double largest = 0;
  for (size_t k = 0; k < unknowns(s); k++) largest = fmax(largest, fabs(s->step[k]));
  double share = fmin(1, longest_step * s->settings.edge / largest);
  for (int cut = 0; cut < CUT_LIMIT; cut++) {
    size_t bad;
    for (size_t k = 0; k < unknowns(s); k++) s->trial[k] = s->motion->displacement[k] + share * s->step[k];
    memcpy(s->held_mode, s->motion->mode, s->system->hex_count * FEM_MODE_UNKNOWNS * sizeof *s->held_mode);
    (void)fem_system_evaluate(s->system, s->trial, s->held_mode, false, NULL, NULL, s->settings.execution, &bad);
    if (bad != SIZE_MAX) {
      share *= 0.5;
      continue;
    }
    memcpy(s->motion->displacement, s->trial, unknowns(s) * sizeof *s->trial);
    memcpy(s->motion->mode, s->held_mode, s->system->hex_count * FEM_MODE_UNKNOWNS * sizeof *s->held_mode);
    return share;
  }
  return 0;
}

/* The new set, by reactions of the linearised equilibrium and the gaps that the step left. */
static void choose_active(search *q, const double *push, double share, fem_statics_report *report)
{
  fem_solver *s = q->s;
  double *reaction = s->residual;
  fem_block_multiply(s->system, s->block, s->step, reaction, s->settings.execution);
  for (size_t k = 0; k < unknowns(s); k++) reaction[k] = s->hold->fixed[k] ? reaction[k] - push[k] : 0;
  report->active = 0;
  report->pull = 0;
  memset(report->reaction, 0, sizeof report->reaction);
  for (size_t k = 0; k < unknowns(s); k++) report->reaction[k % 3] += reaction[k];
  for (size_t k = 0; k < s->touches.count; k++) {
    const fem_touch *touch = &s->touches.item[k];
    size_t node = touch->node[0];
    double normal = q->active[node] ? fem_touch_along(touch, 0, reaction) : 0,
           gap = touch->gap + share * fem_touch_along(touch, 0, s->step);
    unsigned char active = normal - q->stiffness * gap > 0;
    if (q->active[node]) report->pull = fmin(report->pull, normal);
    q->changed = q->changed || active != q->active[node];
    q->active[node] = active;
    report->active += active;
  }
}

/* What the last iteration's reactions say of contacts and grips: forces of closed contacts, the only ones that stay in the list, and of
 * grips. A node's reaction is the grip's in the components that one holds; the rest is booked once, on the part that it presses most. */
static void book_reactions(search *q)
{
  fem_solver *s = q->s;
  double *reaction = s->residual;
  size_t kept = 0;
  for (size_t k = 0; k < unknowns(s); k++) {
    s->reaction[k] = q->held[k] ? reaction[k] : 0;
    if (q->held[k]) reaction[k] = 0;
  }
  for (size_t k = 0; k < s->touches.count; k++) {
    fem_touch *touch = &s->touches.item[k];
    fem_touch *last = kept ? &s->touches.item[kept - 1] : NULL;
    if (!q->active[touch->node[0]]) continue;
    bool again = last && last->node[0] == touch->node[0];
    double pressed = fem_touch_along(touch, 0, reaction);
    for (int a = 0; a < 3; a++) touch->force[a] = fem_touch_along(touch, a, reaction);
    if (again && pressed > last->force[0])
      memset(last->force, 0, sizeof last->force);
    else if (again)
      memset(touch->force, 0, sizeof touch->force);
    s->touches.item[kept++] = *touch;
  }
  s->touches.count = kept;
}

static void mean_diagonal(search *q)
{
  const fem_system *system = q->s->system;
  double sum = 0;
  for (size_t c = 0; c < system->node_count; c++)
    for (size_t k = system->first[c]; k < system->first[c + 1]; k++)
      if (system->row[k] == c) sum += (q->s->block[9 * k] + q->s->block[9 * k + 4] + q->s->block[9 * k + 8]) / 3;
  q->stiffness = sum / (double)system->node_count;
}

static scr_status iterate(search *q, double *push, fem_statics_report *report, bool *done, scr_error *error)
{
  fem_solver *s = q->s;
  size_t bad;
  double farthest = 0;
  s->energy =
      fem_system_evaluate(s->system, s->motion->displacement, s->motion->mode, false, s->gradient, s->block, s->settings.execution, &bad);
  q->balanced = report->iterations > 0 && !q->changed;
  if (report->iterations == 0) mean_diagonal(q);
  const fem_touch_search by = {.displacement = s->motion->displacement,
                               .before = s->motion->displacement,
                               .parts = q->parts,
                               .start = q->parts->now,
                               .end = q->parts->now};
  SCR_TRY(fem_find_touches(s->space, &by, &s->touches, error));
  q->changed = false;
  for (size_t k = 0; report->iterations == 0 && k < s->touches.count; k++)
    q->active[s->touches.item[k].node[0]] = s->touches.item[k].gap <= 1e-9 * s->settings.edge;
  aim(q);
  for (size_t k = 0; k < unknowns(s); k++) farthest = fmax(farthest, fabs(q->displacement[k]));
  q->balanced = q->balanced && !q->changed && farthest <= placed * s->settings.edge;
  SCR_TRY(solve(q, push, report, error));
  double share = advance(q);
  if (!(share > 0))
    return scr_fail(error, SCR_DIVERGED, NULL,
                    "no step towards equilibrium leaves all elements unfolded after %u iterations: load less, or use larger elements",
                    report->iterations);
  choose_active(q, push, share, report);
  *done = !q->changed && share == 1 && report->residual <= accepted * q->weight;
  report->iterations++;
  return SCR_OK;
}

/* Iterates until nothing changes. */
static scr_status search_equilibrium(search *q, double *push, fem_statics_report *report, scr_error *error)
{
  fem_solver *s = q->s;
  const fem_contact_space *space = s->space;
  fem_contact_space parts_alone = *space;
  scr_status status = SCR_OK;
  bool done = false;
  parts_alone.bodies = false;
  parts_alone.edges = NULL;
  s->space = &parts_alone;
  memcpy(q->held, s->hold->fixed, unknowns(s));
  for (size_t k = 0; k < unknowns(s); k++) q->weight = fmax(q->weight, fabs(q->load[k]));
  fem_discard_factor(s);
  while (!done && status == SCR_OK && report->iterations < ITERATION_LIMIT) {
    status = iterate(q, push, report, &done, error);
    scr_report_alive(&s->settings.liveness);
  }
  memcpy(s->hold->fixed, q->held, unknowns(s));
  s->space = space;
  if (done)
    book_reactions(q);
  else
    s->touches.count = 0;
  fem_discard_factor(s);
  if (done || status != SCR_OK) return status;
  return scr_fail(error, SCR_DIVERGED, NULL, "no static equilibrium within %d iterations: %.3g N are left at free nodes; load less",
                  ITERATION_LIMIT, report->residual);
}

scr_status fem_statics(fem_solver *s, const double *load, const sim_parts *parts, fem_statics_report *report, scr_error *error)
{
  size_t n = unknowns(s);
  search q = {.s = s,
              .load = load,
              .parts = parts,
              .active = mem_array(s->system->node_count, 1),
              .held = mem_array(n, 1),
              .factor_fixed = mem_array(n, 1),
              .displacement = mem_array(n, sizeof(double))};
  double *push = mem_array(n, sizeof *push);
  scr_status status = SCR_NO_MEMORY;
  *report = (fem_statics_report){0};
  if (q.active && q.held && q.factor_fixed && q.displacement && push)
    status = search_equilibrium(&q, push, report, error);
  else
    (void)scr_fail_memory(error, "static equilibrium", n * 3 * sizeof(double));
  mem_free(q.active);
  mem_free(q.held);
  mem_free(q.factor_fixed);
  mem_free(q.displacement);
  mem_free(push);
  return status == SCR_OK ? fem_solver_refresh(s, error) : status;
}
