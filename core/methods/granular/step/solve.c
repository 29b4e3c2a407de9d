/* The step's problem: all cells in the law of sand, all contacts in Coulomb's, coupled by the nodes' velocities u = u* + M^-1 (B^T r
 * + contacts).
 *
 * Coloured symmetric Gauss-Seidel sweeps with the closed step of cone.h; between sweeps Nesterov's inertia, begun anew where it leads
 * uphill. Impulses and
 * velocities are extrapolated alike, so u stays the velocity that the impulses make. A budget of sweeps ends the step: flows need no
 * more. Only where it leaves
 * much undone, as in the first step of a heap that stands, more sweeps follow: else the sand would sink into itself. Source: shared
 * specification "granular",
 * sections 10.10 and 10.11. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "methods/granular/law/cone.h"
#include "methods/granular/step/bodies.h"

enum { CHECK_EVERY = 10, BUDGETS = 20 /* most of a step */ };
#define ENOUGH_RMS 0.02 /* residual at which the budget ends a step */

/* ── a sweep ────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* A node as one register: its velocity and 1/m. */
typedef double node_lanes __attribute__((vector_size(32)));
static_assert(sizeof(node_lanes) == sizeof(granular_node), "a node is loaded as one register");

/* One closed step of a cell, with the operations of granular_rate and granular_push on whole nodes. Moves 208 bytes of the cell and
 * 32 bytes of each of its nodes, there and back; some 400
 * operations in space, 120 in the plane. */
static inline __attribute__((always_inline)) void relax_cell(int d, granular_cell *c, granular_node *nodes)
{
  const int size = tensor_size(d), edges = d == 2 ? 2 : 4, corners = d == 2 ? 4 : 8;
  node_lanes u[GEO_GRID_CORNERS], push[GEO_GRID_CORNERS], along[3];
  double g[3][3], s[3][3] = {{0}}, rate[GRANULAR_TENSOR], r[GRANULAR_TENSOR];
#pragma GCC unroll 8
  for (int n = 0; n < corners; n++) memcpy(&u[n], &nodes[c->node[n]], sizeof u[n]);
#pragma GCC unroll 8
  for (int a = 0; a < d; a++) {
    const int b = (a + 1) % d, f = (a + 2) % d;
    along[a] = (node_lanes){0, 0, 0, 0};
#pragma GCC unroll 8
    for (int e = 0; e < edges; e++) {
      const int near = (e & 1) << b | (d == 3 ? (e >> 1) << f : 0);
      along[a] += c->edge[4 * a + e] * (u[near | 1 << a] - u[near]);
    }
#pragma GCC unroll 8
    for (int i = 0; i < d; i++) g[a][i] = along[a][i];
  }
  tensor_strain(d, g, rate);
  rate[0] += c->gap;
  if (c->r[0] == 0 && rate[0] >= 0) return;
#pragma GCC unroll 8
  for (int i = 0; i < size; i++) r[i] = c->r[i];
  cone_step(d, r, rate, c->inverse_normal, c->inverse_tangent, c->friction);
#pragma GCC unroll 8
  for (int i = 0; i < size; i++) {
    double now = r[i];
    r[i] = now - c->r[i];
    c->r[i] = now;
  }
  tensor_of(d, r, s);
#pragma GCC unroll 8
  for (int n = 0; n < corners; n++) push[n] = (node_lanes){0, 0, 0, 0};
#pragma GCC unroll 8
  for (int a = 0; a < d; a++) {
    const int b = (a + 1) % d, f = (a + 2) % d;
    const node_lanes row = {s[a][0], s[a][1], d == 2 ? 0 : s[a][2], 0};
#pragma GCC unroll 8
    for (int e = 0; e < edges; e++) {
      const int near = (e & 1) << b | (d == 3 ? (e >> 1) << f : 0);
      const node_lanes part = c->edge[4 * a + e] * row;
      push[near] -= part;
      push[near | 1 << a] += part;
    }
  }
#pragma GCC unroll 8
  for (int n = 0; n < corners; n++) {
    u[n] += u[n][3] * push[n];
    memcpy(&nodes[c->node[n]], &u[n], sizeof u[n]);
  }
}

/* Coulomb's law at one node: the impulse that stops it against the part, cut to the cone. Closed: the node's matrix is 1/m, a free part's
 * is bounded by a number. @param change [d] of the impulse, set */
static void contact_change(int d, const granular_contact *c, const granular_node *node, double *change)
{
  double mass = 1 / c->inverse, want[3], normal = 0, square = 0;
  for (int i = 0; i < d; i++) {
    want[i] = c->r[i] - mass * (node->u[i] - c->velocity[i]);
    normal += want[i] * c->normal[i];
  }
  double press = normal > 0 ? normal : 0, limit = c->friction * press;
  for (int i = 0; i < d; i++) {
    want[i] -= normal * c->normal[i];
    square += want[i] * want[i];
  }
  double cut = square > limit * limit ? limit / sqrt(square) : 1;
  for (int i = 0; i < d; i++) change[i] = press * c->normal[i] + cut * want[i] - c->r[i];
}

static void relax_contact(int d, granular_contact *c, granular_node *nodes)
{
  granular_node *node = &nodes[c->node];
  double change[3];
  contact_change(d, c, node, change);
  for (int i = 0; i < d; i++) {
    c->r[i] += change[i];
    node->u[i] += node->inverse_mass * change[i];
  }
}

static void relax_contacts(granular_state *s, uint32_t block)
{
  for (uint32_t k = s->contact_first[block]; k < s->contact_first[block + 1]; k++)
    if (s->contacts[k].body < 0) relax_contact(s->d, &s->contacts[k], s->nodes);
}

/* Free parts have many contacts each: one after the other. */
static void relax_bodies(granular_state *s)
{
  if (s->body_count == 0) return;
  for (size_t k = 0; k < s->contact_count; k++) {
    granular_contact *c = &s->contacts[k];
    double before[3], change[3] = {0};
    if (c->body < 0) continue;
    granular_body *body = &s->bodies[c->body];
    granular_body_velocity(s, body, c->arm, c->velocity);
    for (int i = 0; i < s->d; i++) before[i] = c->r[i];
    relax_contact(s->d, c, s->nodes);
    for (int i = 0; i < s->d; i++) change[i] = c->r[i] - before[i];
    granular_push_body(s, body, c->arm, change);
  }
  granular_relax_meetings(s);
}

/* What the inertia of sweeps needs to know of a block's cells, see below. */
typedef struct sweep_notes {
  double *begun;      /* [cell_count][size] r before the sweep forwards */
  const double *last; /* [cell_count][size] r after the last sweep backwards */
  double *uphill;     /* [block_count] sum of wN (begun - r) . (r - last) over a block's cells, after the sweep backwards */
} sweep_notes;

static inline __attribute__((always_inline)) void relax_forwards(int d, granular_cell *cells, uint32_t count, granular_node *nodes,
                                                                 double *begun)
{
  const int size = tensor_size(d);
  for (uint32_t k = 0; k < count; k++) {
    for (int i = 0; i < size; i++) begun[(size_t)k * (size_t)size + (size_t)i] = cells[k].r[i];
    relax_cell(d, &cells[k], nodes);
  }
}

static inline __attribute__((always_inline)) double relax_backwards(int d, granular_cell *cells, uint32_t count, granular_node *nodes,
                                                                    const double *begun, const double *last)
{
  const int size = tensor_size(d);
  double sum = 0;
  for (uint32_t k = count; k-- > 0;) {
    double dot = 0;
    const double *b = begun + (size_t)k * (size_t)size, *l = last + (size_t)k * (size_t)size;
    relax_cell(d, &cells[k], nodes);
    for (int i = 0; i < size; i++) dot += (b[i] - cells[k].r[i]) * (cells[k].r[i] - l[i]);
    sum += dot / cells[k].inverse_normal;
  }
  return sum;
}

/* With wider registers where the processor has them: the same operations in the same order, so the same bits. */
__attribute__((target_clones("avx2", "default"))) static void relax_block(granular_state *s, const sweep_notes *notes, uint32_t block,
                                                                          bool back)
{
  uint32_t first = s->block_first[block], count = s->block_first[block + 1] - first;
  granular_cell *cells = s->cells + first;
  size_t at = first * (size_t)tensor_size(s->d);
  if (s->d == 2 && !back)
    relax_forwards(2, cells, count, s->nodes, notes->begun + at);
  else if (!back)
    relax_forwards(3, cells, count, s->nodes, notes->begun + at);
  else if (s->d == 2)
    notes->uphill[block] = relax_backwards(2, cells, count, s->nodes, notes->begun + at, notes->last + at);
  else
    notes->uphill[block] = relax_backwards(3, cells, count, s->nodes, notes->begun + at, notes->last + at);
}

static void sweep_contacts(granular_state *s, unsigned threads)
{
  relax_bodies(s);
  if (s->contact_count == 0) return;
#pragma omp parallel for num_threads(threads) schedule(static)
  for (uint32_t b = 0; b < (uint32_t)s->grid.block_count; b++) relax_contacts(s, b);
}

static void sweep_cells(granular_state *s, const sweep_notes *notes, unsigned threads, bool back)
{
  for (int k = 0; k < GRANULAR_COLOURS; k++) {
    int colour = back ? GRANULAR_COLOURS - 1 - k : k;
    uint32_t first = s->colour_first[colour], last = s->colour_first[colour + 1];
    if (first == last) continue;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (uint32_t b = first; b < last; b++) relax_block(s, notes, s->colour_block[b], back);
  }
}

/* ── residuals ──────────────────────────────────────────────────────────────────────────────────────────────────── */

typedef struct residual {
  double largest, rms; /* of cells and contacts that press, over g dt/h */
} residual;

static double cell_residual(const granular_state *s, const granular_cell *c)
{
  double rate[GRANULAR_TENSOR];
  granular_rate(s->d, c, s->nodes, rate);
  rate[0] += c->gap;
  if (c->r[0] == 0 && rate[0] >= 0) return 0; /* gas: shear without pressure is none of the law's */
  return cone_residual(s->d, c->r, rate, 1 / c->inverse_normal, c->friction);
}

/* By how much a contact would change its node's velocity, over a cell: 1/s, as rates. */
static double contact_residual(const granular_state *s, const granular_contact *c)
{
  granular_contact now = *c;
  double change[3], square = 0;
  if (c->body >= 0) granular_body_velocity(s, &s->bodies[c->body], c->arm, now.velocity);
  contact_change(s->d, &now, &s->nodes[c->node], change);
  for (int i = 0; i < s->d; i++) square += change[i] * change[i];
  return sqrt(square) * c->inverse / s->domain.h;
}

static residual measure(granular_state *s, const granular_pass *pass, double *by_block)
{
  double scale = 0, square = 0, pressed = 0;
  residual found = {0, 0};
  for (int i = 0; i < s->d; i++) scale += s->gravity[i] * s->gravity[i];
  scale = sqrt(scale) > 0 ? sqrt(scale) * pass->step / s->domain.h : 1e-3 / pass->step;
#pragma omp parallel for num_threads(pass->threads) schedule(static)
  for (uint32_t b = 0; b < (uint32_t)s->grid.block_count; b++) {
    double largest = 0, sum = 0, count = 0;
    for (uint32_t k = s->block_first[b]; k < s->block_first[b + 1]; k++) {
      double r = cell_residual(s, &s->cells[k]);
      largest = fmax(largest, r), sum += r * r, count += s->cells[k].r[0] > 0;
    }
    for (uint32_t k = s->contact_first[b]; k < s->contact_first[b + 1]; k++) {
      const double *held = s->contacts[k].r;
      double r = contact_residual(s, &s->contacts[k]);
      largest = fmax(largest, r), sum += r * r, count += held[0] != 0 || held[1] != 0 || held[2] != 0;
    }
    by_block[3 * b] = largest, by_block[3 * b + 1] = sum, by_block[3 * b + 2] = count;
  }
  for (size_t b = 0; b < s->grid.block_count; b++) {
    found.largest = fmax(found.largest, by_block[3 * b] / scale);
    square += by_block[3 * b + 1];
    pressed += by_block[3 * b + 2];
  }
  found.largest = fmax(found.largest, granular_meetings_residual(s) / s->domain.h / scale);
  found.rms = pressed > 0 ? sqrt(square / pressed) / scale : 0;
  return found;
}

/* ── inertia ────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Impulses and velocities of the last sweep, and where this one began. */
typedef struct inertia {
  double *r, *begun; /* [cell_count][size] */
  double *u;         /* [grid.cell_count][d] */
  double *contact;   /* [contact_count][d] */
  double *by_block;  /* [3 * block_count] */
  double *meeting;   /* [meeting_count][3] */
  granular_body bodies[SCR_PART_LIMIT];
  double theta, last; /* last: least residual so far */
  int calm;           /* sweeps without inertia that are left */
} inertia;

static scr_status inertia_begin(granular_state *s, inertia *m, scr_error *error)
{
  const size_t size = (size_t)tensor_size(s->d), d = (size_t)s->d;
  size_t wanted =
      2 * s->cell_count * size + s->grid.cell_count * d + s->contact_count * d + 3 * s->grid.block_count + 3 * s->meeting_count + 1;
  if (!mem_grow(&s->buffer, &s->buffer_capacity, wanted, sizeof *s->buffer))
    return scr_fail_memory(error, "sweeps", wanted * sizeof *s->buffer);
  m->r = s->buffer;
  m->begun = m->r + s->cell_count * size;
  m->u = m->begun + s->cell_count * size;
  m->contact = m->u + s->grid.cell_count * d;
  m->by_block = m->contact + s->contact_count * d;
  m->meeting = m->by_block + 3 * s->grid.block_count;
  m->theta = 1, m->last = INFINITY, m->calm = 0;
  return SCR_OK;
}

/* Keeps impulses and velocities as they are. */
static void remember(const granular_state *s, inertia *m, unsigned threads)
{
  const int size = tensor_size(s->d);
#pragma omp parallel for num_threads(threads) schedule(static)
  for (size_t k = 0; k < s->cell_count; k++)
    for (int i = 0; i < size; i++) m->r[k * (size_t)size + (size_t)i] = s->cells[k].r[i];
#pragma omp parallel for num_threads(threads) schedule(static)
  for (size_t n = 0; n < s->grid.cell_count; n++)
    for (int i = 0; i < s->d; i++) m->u[n * (size_t)s->d + (size_t)i] = s->nodes[n].u[i];
  for (size_t k = 0; k < s->contact_count; k++)
    for (int i = 0; i < s->d; i++) m->contact[k * (size_t)s->d + (size_t)i] = s->contacts[k].r[i];
}

static void remember_bodies(const granular_state *s, inertia *m)
{
  for (size_t b = 0; b < s->body_count; b++) m->bodies[b] = s->bodies[b];
  for (size_t k = 0; k < s->meeting_count; k++) {
    scr_vec3 r = s->meetings[k].r;
    m->meeting[3 * k] = r.x, m->meeting[3 * k + 1] = r.y, m->meeting[3 * k + 2] = r.z;
  }
}

static void extrapolate_one(double *now, double *last, double share)
{
  double value = *now;
  *now = value + share * (value - *last);
  *last = value;
}

static void extrapolate_vector(scr_vec3 *now, scr_vec3 *last, double share)
{
  extrapolate_one(&now->x, &last->x, share);
  extrapolate_one(&now->y, &last->y, share);
  extrapolate_one(&now->z, &last->z, share);
}

static void extrapolate_bodies(granular_state *s, inertia *m, double share)
{
  for (size_t b = 0; b < s->body_count; b++) {
    granular_body *now = &s->bodies[b], *last = &m->bodies[b];
    extrapolate_vector(&now->velocity, &last->velocity, share);
    extrapolate_vector(&now->spin, &last->spin, share);
    extrapolate_vector(&now->impulse, &last->impulse, share);
    extrapolate_vector(&now->turning, &last->turning, share);
  }
  for (size_t k = 0; k < s->meeting_count; k++) {
    scr_vec3 *r = &s->meetings[k].r;
    extrapolate_one(&r->x, &m->meeting[3 * k], share);
    extrapolate_one(&r->y, &m->meeting[3 * k + 1], share);
    extrapolate_one(&r->z, &m->meeting[3 * k + 2], share);
  }
}

static void extrapolate(granular_state *s, inertia *m, double share, unsigned threads)
{
  const int size = tensor_size(s->d);
#pragma omp parallel for num_threads(threads) schedule(static)
  for (size_t k = 0; k < s->cell_count; k++)
    for (int i = 0; i < size; i++) extrapolate_one(&s->cells[k].r[i], &m->r[k * (size_t)size + (size_t)i], share);
#pragma omp parallel for num_threads(threads) schedule(static)
  for (size_t n = 0; n < s->grid.cell_count; n++)
    for (int i = 0; i < s->d; i++) extrapolate_one(&s->nodes[n].u[i], &m->u[n * (size_t)s->d + (size_t)i], share);
  for (size_t k = 0; k < s->contact_count; k++)
    for (int i = 0; i < s->d; i++) extrapolate_one(&s->contacts[k].r[i], &m->contact[k * (size_t)s->d + (size_t)i], share);
}

/* Back to the last swept state, which lies in the cones. */
static void take_swept(granular_state *s, const inertia *m, unsigned threads)
{
  const int size = tensor_size(s->d);
#pragma omp parallel for num_threads(threads) schedule(static)
  for (size_t k = 0; k < s->cell_count; k++)
    for (int i = 0; i < size; i++) s->cells[k].r[i] = m->r[k * (size_t)size + (size_t)i];
#pragma omp parallel for num_threads(threads) schedule(static)
  for (size_t n = 0; n < s->grid.cell_count; n++)
    for (int i = 0; i < s->d; i++) s->nodes[n].u[i] = m->u[n * (size_t)s->d + (size_t)i];
  for (size_t k = 0; k < s->contact_count; k++)
    for (int i = 0; i < s->d; i++) s->contacts[k].r[i] = m->contact[k * (size_t)s->d + (size_t)i];
}

static void double_sweep(granular_state *s, inertia *m, unsigned threads)
{
  const sweep_notes notes = {.begun = m->begun, .last = m->r, .uphill = m->by_block};
  double uphill = 0;
  sweep_contacts(s, threads);
  sweep_cells(s, &notes, threads, false);
  sweep_cells(s, &notes, threads, true);
  sweep_contacts(s, threads);
  for (size_t b = 0; b < s->grid.block_count; b++) uphill += m->by_block[b];
  double next = 0.5 * (1 + sqrt(1 + 4 * m->theta * m->theta)), share = (m->theta - 1) / next;
  m->theta = next;
  if (m->calm > 0 || uphill > 0) m->theta = 1, share = 0;
  extrapolate(s, m, share, threads);
  extrapolate_bodies(s, m, share);
}

scr_status granular_solve(granular_state *s, const granular_pass *pass, const scr_liveness *liveness, scr_error *error)
{
  inertia m;
  residual found = {0, 0};
  int64_t sweeps = 0;
  SCR_TRY(inertia_begin(s, &m, error));
  remember(s, &m, pass->threads);
  remember_bodies(s, &m);
  for (;; sweeps += 2) {
    if (sweeps % CHECK_EVERY == 0) {
      scr_report_alive(liveness);
      found = measure(s, pass, m.by_block);
      if (found.largest <= s->options->tolerance || sweeps >= BUDGETS * s->options->sweeps) break;
      if (sweeps >= s->options->sweeps && found.rms <= ENOUGH_RMS) break;
      if (found.largest > m.last && m.calm <= 0)
        m.theta = 1, m.calm = 20, m.last = found.largest;
      else
        m.last = fmin(m.last, found.largest);
    }
    double_sweep(s, &m, pass->threads);
    m.calm -= 2;
  }
  take_swept(s, &m, pass->threads);
  for (size_t b = 0; b < s->body_count; b++) s->bodies[b] = m.bodies[b];
  for (size_t k = 0; k < s->meeting_count; k++) s->meetings[k].r = vec3(m.meeting[3 * k], m.meeting[3 * k + 1], m.meeting[3 * k + 2]);
  found = measure(s, pass, m.by_block);
  s->report.largest_residual = found.largest, s->report.rms_residual = found.rms;
  s->report.sweeps = (double)sweeps;
  s->report.unsolved_steps += found.largest > s->options->tolerance;
  return SCR_OK;
}
