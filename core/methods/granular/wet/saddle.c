/* Drag and pressure of a step, solved at once: both are implicit.
 *
 * At a face, with s = pi_1 - pi_0 the difference of pi = dt P V/h between its cells, w_k the weights of its nodes, u~ = sum w_k u_k,
 * X = dt xi V, M the fluid's mass and e its share:
 *
 *      fluid    (M + X) u2 = M u2* + X u~ - e s            =>  u2 = a + b u~ - c s,   b = X/(M + X),  c = e/(M + X)
 *      grains   m u1 = m u1* + sum w [X (u2 - u~) - phi s] =>  m u1 + sum w [Y u~ + (phi + e b) s] = m u1* + sum w X a,   Y = M b
 *      volume   sum +- [(phi + e b) u~ + e a - e c s] = 0 over the faces of a cell
 *
 * On a wall nothing of both together goes through, phi u~ + e u2 = 0, so that u2 = -r u~, r = phi/e, and grains that leave it draw fluid
 * in:
 *
 *      m u1 + sum w [X (1 + r)^2 + M r^2] u~ = m u1* - sum w r M u2*
 *
 * The matrix of (u1, pi) is symmetric and quasi-definite, so that L D L^T without pivoting exists for every order of its unknowns
 * (Vanderbei 1995, SIAM J. Optim. 5, 100). P is known but for a constant: that of the first cell is held at 0. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "methods/granular/wet/closure.h"
#include "methods/granular/wet/stages.h"

enum { ENTRIES = 10 /* of a face, at most */, REFINEMENTS = 2 };

/* What the equations have of a face; on a wall u2 = b u~. */
typedef struct saddle_face {
  double b, c, y, both; /* b, c, Y, phi + e b */
} saddle_face;

static saddle_face saddle_at(const wet_fluid *f, size_t k)
{
  const wet_coupling *g = &f->coupling[k];
  if (wet_closed(&f->face[k])) {
    double r = g->fraction / f->share[k];
    return (saddle_face){.b = -r, .y = g->drag * (1 + r) * (1 + r) + g->mass * r * r};
  }
  double b = g->drag / (g->mass + g->drag);
  return (saddle_face){.b = b, .c = f->share[k] / (g->mass + g->drag), .y = g->mass * b, .both = g->fraction + f->share[k] * b};
}

static void couple(wet_fluid *f, double step)
{
  for (size_t k = 0; k < f->face_count; k++) {
    wet_coupling *c = &f->coupling[k];
    const double phi[2] = {f->fraction[f->face[k].node[0]], f->fraction[f->face[k].node[1]]};
    *c = (wet_coupling){.mass = wet_mass(f, k)};
    if (!(phi[0] + phi[1] > 0)) continue;
    c->fraction = 0.5 * (phi[0] + phi[1]);
    for (int e = 0; e < 2; e++) c->weight[e] = phi[e] / (phi[0] + phi[1]);
    c->drag = step * wet_drag(f->viscosity, f->diameter, f->exponent, c->fraction) * f->control[k];
  }
}

/* Number of the unknown of a face's node along the face's axis. */
static uint32_t unknown_of(const wet_fluid *f, size_t k, int end)
{
  return f->unknown[f->face[k].node[end]] + (uint32_t)wet_axis(f, k);
}

static uint32_t pressure_of(const wet_fluid *f, size_t k, int end)
{
  return (uint32_t)(f->unknown_count - f->cell_count) + f->face[k].cell[end];
}

/* Adds an entry of the lower triangle. */
static void add(wet_fluid *f, size_t *count, uint32_t a, uint32_t b, double value)
{
  f->triplet[(*count)++] = (la_triplet){a > b ? a : b, a > b ? b : a, value};
}

static void add_face(wet_fluid *f, size_t k, size_t *count)
{
  const wet_coupling *g = &f->coupling[k];
  const saddle_face of = saddle_at(f, k);
  const bool closed = wet_closed(&f->face[k]);
  const uint32_t low = pressure_of(f, k, 0), high = pressure_of(f, k, 1);
  const double conductance = f->share[k] * of.c;
  for (int e = 0; e < 2; e++) {
    if (!(g->weight[e] > 0)) continue;
    uint32_t own = unknown_of(f, k, e);
    add(f, count, own, own, of.y * g->weight[e] * g->weight[e]);
    if (e == 1 && g->weight[0] > 0) add(f, count, own, unknown_of(f, k, 0), of.y * g->weight[0] * g->weight[1]);
    if (closed) continue;
    add(f, count, own, low, -of.both * g->weight[e]);
    add(f, count, own, high, of.both * g->weight[e]);
  }
  if (closed) return;
  add(f, count, low, low, -conductance);
  add(f, count, high, high, -conductance);
  add(f, count, low, high, low == high ? 2 * conductance : conductance);
}

scr_status wet_make_saddle(wet_fluid *f, double step, scr_error *error)
{
  la_sparse matrix = {0};
  size_t count = 0, most = ENTRIES * f->face_count + 2 * f->node_count + 1;
  uint32_t next = 0;
  couple(f, step);
  SCR_TRY(mem_reserve(&f->triplet, &f->triplet_capacity, most, sizeof *f->triplet, "the fluid's equations", error));
  for (size_t n = 0; n < f->node_count; n++) {
    f->unknown[n] = next;
    if (f->place[n] == WET_NONE) continue;
    for (uint32_t i = 0; i < 2; i++) add(f, &count, next + i, next + i, f->mass[n]);
    next += 2;
  }
  f->unknown_count = next + f->cell_count;
  for (size_t k = 0; k < f->face_count; k++) add_face(f, k, &count);
  add(f, &count, next, next, -1 / (f->density * f->volume)); /* sets the first cell's pressure to 0: the others' equations sum to its own */
  SCR_TRY(mem_reserve(&f->right, &f->right_capacity, f->unknown_count, sizeof *f->right, "the fluid's equations", error));
  SCR_TRY(mem_reserve(&f->solution, &f->solution_capacity, f->unknown_count, sizeof *f->solution, "the fluid's equations", error));
  SCR_TRY(la_sparse_from_triplets(f->unknown_count, f->unknown_count, f->triplet, count, &matrix, error));
  scr_status status = la_factor_make(f->factor, &matrix, error);
  la_sparse_clear(&matrix);
  return status;
}

/* ── a solution ─────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Velocity of the fluid at a face without drag and pressure, m/s. */
static double freely(const wet_fluid *f, size_t k, double step)
{
  return f->before[k] + step * f->drive[wet_axis(f, k)] + f->share[k] * f->viscous[k] / f->coupling[k].mass;
}

static double difference(const wet_fluid *f, size_t k, const double *solution)
{
  return solution[pressure_of(f, k, 1)] - solution[pressure_of(f, k, 0)];
}

static double grains(const wet_fluid *f, size_t k, const double *solution)
{
  double sum = 0;
  for (int e = 0; e < 2; e++)
    if (f->coupling[k].weight[e] > 0) sum += f->coupling[k].weight[e] * solution[unknown_of(f, k, e)];
  return sum;
}

/* What is left of the equations. */
static void find_rest(wet_fluid *f, double step, const double *solution, double *rest)
{
  const uint32_t first = (uint32_t)(f->unknown_count - f->cell_count);
  for (size_t i = 0; i < f->unknown_count; i++) rest[i] = 0;
  for (size_t n = 0; n < f->node_count; n++)
    for (uint32_t i = 0; i < 2 && f->place[n] != WET_NONE; i++)
      rest[f->unknown[n] + i] = f->mass[n] * (f->free[2 * n + i] - solution[f->unknown[n] + i]);
  for (size_t k = 0; k < f->face_count; k++) {
    const wet_coupling *g = &f->coupling[k];
    const saddle_face of = saddle_at(f, k);
    const bool closed = wet_closed(&f->face[k]);
    double u = grains(f, k, solution), s = closed ? 0 : difference(f, k, solution), free = g->mass * freely(f, k, step);
    double a = free / (g->mass + g->drag), given = closed ? of.b * free : g->drag * a;
    double force = given + g->fraction * f->viscous[k] - of.y * u - of.both * s;
    double flux = of.both * u + f->share[k] * (a - of.c * s);
    for (int e = 0; e < 2; e++)
      if (g->weight[e] > 0) rest[unknown_of(f, k, e)] += g->weight[e] * force;
    if (closed) continue;
    rest[pressure_of(f, k, 0)] += flux;
    rest[pressure_of(f, k, 1)] -= flux;
  }
  rest[first] += solution[first] / (f->density * f->volume);
}

/* Velocities and pressure of a solution. */
static void take(wet_fluid *f, granular_state *s, double step)
{
  const double *pi = f->solution + (f->unknown_count - f->cell_count);
  const uint32_t top = f->hydrostatic[1] > 0 ? 0 : (uint32_t)(f->rows - 1);
  double mean = 0;
  for (size_t n = 0; n < f->node_count; n++)
    for (uint32_t i = 0; i < 2 && f->place[n] != WET_NONE; i++) s->nodes[f->place[n]].u[i] = f->solution[f->unknown[n] + i];
  for (uint32_t i = 0; i < f->columns; i++) mean += pi[top * f->columns + i] / f->columns;
  for (size_t c = 0; c < f->cell_count; c++) f->pressure[c] = (pi[c] - mean) * f->h / (step * f->volume);
  for (size_t k = 0; k < f->face_count; k++) {
    const wet_coupling *g = &f->coupling[k];
    const saddle_face of = saddle_at(f, k);
    f->u[k] = of.b * grains(f, k, f->solution);
    if (wet_closed(&f->face[k])) continue;
    f->u[k] += g->mass * freely(f, k, step) / (g->mass + g->drag) - of.c * difference(f, k, f->solution);
  }
}

scr_status wet_solve_saddle(wet_fluid *f, granular_state *s, double step, scr_error *error)
{
  memset(f->solution, 0, f->unknown_count * sizeof *f->solution);
  for (int round = 0; round < REFINEMENTS; round++) {
    find_rest(f, step, f->solution, f->right);
    SCR_TRY(la_factor_solve(f->factor, f->right, 1, f->right, error));
    for (size_t i = 0; i < f->unknown_count; i++) f->solution[i] += f->right[i];
  }
  take(f, s, step);
  return SCR_OK;
}

double wet_divergence(wet_fluid *f, const granular_state *s, double step)
{
  double *gain = f->solution, most = 0;
  for (size_t c = 0; c < f->cell_count; c++) gain[c] = 0;
  for (size_t k = 0; k < f->face_count; k++) {
    if (wet_closed(&f->face[k])) continue;
    double flux = f->coupling[k].fraction * wet_grains_at(f, s, k) + f->share[k] * f->u[k];
    gain[f->face[k].cell[0]] -= flux, gain[f->face[k].cell[1]] += flux;
  }
  for (size_t c = 0; c < f->cell_count; c++) most = fmax(most, fabs(gain[c]));
  return most * step / f->h;
}
