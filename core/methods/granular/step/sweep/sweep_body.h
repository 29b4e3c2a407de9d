/** Sweeps in one precision, to be included once for each, with
 *     REAL     the type of numbers
 *     BITS     an integer type of its size
 *     LANES    how many of them are SWEEP_LANE_BYTES: cells of a batch
 *     ROOT     its square root
 *     KERNEL   name of the table defined */
#include <math.h>
#include <string.h>

#include "methods/granular/law/cone.h"
#include "methods/granular/step/sweep/sweep_kernel.h"

#include "methods/granular/step/sweep/sweep_lanes.h"

/* ── the step ───────────────────────────────────────────────────────────────────────────────────────────────────── */

static const REAL root_2_3 = (REAL)GRANULAR_ROOT_2_3, root_1_3 = (REAL)GRANULAR_ROOT_1_3;

/* Rates of a batch, their gaps included: tensor_strain of the weighted gradients, in the plane granular_hourglass besides. */
INLINE void rate_of(int d, const lanes *b, const patch *p, const size_t corner[GEO_GRID_CORNERS], lanes *rate)
{
  const int edges = edges_of(d), corners = d == 2 ? 4 : 8;
  lanes g[3][3];
#pragma GCC unroll 3
  for (int i = 0; i < d; i++) {
    lanes u[GEO_GRID_CORNERS];
#pragma GCC unroll 8
    for (int n = 0; n < corners; n++) u[n] = load(d, p->u[i] + corner[n]);
    if (d == 2) rate[3 + i] = (u[0] - u[1] - u[2] + u[3]) * b[scalar_at(2, HOURGLASS)];
#pragma GCC unroll 3
    for (int a = 0; a < d; a++) {
      const int q = (a + 1) % d, f = (a + 2) % d;
      // cppcheck-suppress uninitvar; the loop before fills the lanes of every row
      g[a][i] = b[a * edges] * (u[1 << a] - u[0]);
#pragma GCC unroll 4
      for (int e = 1; e < edges; e++) {
        const int near = (e & 1) << q | (d == 3 ? (e >> 1) << f : 0);
        g[a][i] += b[a * edges + e] * (u[near | 1 << a] - u[near]);
      }
    }
  }
  if (d == 2) {
    rate[0] = g[0][0] + g[1][1];
    rate[1] = g[0][0] - g[1][1];
    rate[2] = g[0][1] + g[1][0];
  } else {
    rate[0] = root_2_3 * (g[0][0] + g[1][1] + g[2][2]);
    rate[1] = g[0][0] - g[1][1];
    rate[2] = root_1_3 * (2 * g[2][2] - g[0][0] - g[1][1]);
    rate[3] = g[0][1] + g[1][0];
    rate[4] = g[0][2] + g[2][0];
    rate[5] = g[1][2] + g[2][1];
  }
  rate[0] += b[scalar_at(d, GAP)];
}

/* cone_cohesive_rate in lanes; those without cohesion keep their rate. */
INLINE void hold_together(int d, const lanes *b, const lanes *r, lanes *rate)
{
  const lanes zero = {0}, cohesion = b[impulse_at(d, 3)], gap = b[scalar_at(d, GAP)], inverse = b[scalar_at(d, INVERSE_NORMAL)];
  lanes closed = r[0] - rate[0] * inverse, open = choose(gap > zero, closed + gap * inverse, closed);
  lanes held = choose(open < cohesion, open, cohesion), most = choose(closed > held, closed, held);
  rate[0] = choose(cohesion > zero, (r[0] - most) / inverse, rate[0]);
}

/* cone_step in lanes. */
INLINE void step_cone(int d, const lanes *b, const lanes *rate, lanes *r)
{
  const lanes zero = {0}, one = zero + 1;
  lanes inverse = b[scalar_at(d, INVERSE_TANGENT)], normal = r[0] - rate[0] * b[scalar_at(d, INVERSE_NORMAL)], square = zero;
  r[0] = (lanes)((mask)normal & (mask)(normal > zero));
#pragma GCC unroll 6
  for (int i = 1; i < cell_size(d); i++) {
    r[i] -= rate[i] * inverse;
    square += r[i] * r[i];
  }
  lanes limit = b[scalar_at(d, FRICTION)] * r[0], cut = choose(square > limit * limit, limit / root(square), one);
#pragma GCC unroll 6
  for (int i = 1; i < cell_size(d); i++) r[i] *= cut;
}

/* Adds what impulses r do to the cells' nodes: tensor_of, then granular_push, axis by axis of velocity. */
INLINE void push(int d, const lanes *b, const lanes *r, patch *p, const size_t corner[GEO_GRID_CORNERS])
{
  const int edges = edges_of(d), corners = d == 2 ? 4 : 8;
  lanes s[3][3];
  if (d == 2) {
    s[0][0] = r[0] + r[1];
    s[1][1] = r[0] - r[1];
    s[0][1] = s[1][0] = r[2];
  } else {
    lanes mean = root_2_3 * r[0], third = root_1_3 * r[2];
    s[0][0] = mean + r[1] - third;
    s[1][1] = mean - r[1] - third;
    s[2][2] = mean + 2 * third;
    s[0][1] = s[1][0] = r[3];
    s[0][2] = s[2][0] = r[4];
    s[1][2] = s[2][1] = r[5];
  }
#pragma GCC unroll 3
  for (int i = 0; i < d; i++) {
    lanes sum[GEO_GRID_CORNERS];
#pragma GCC unroll 3
    for (int a = 0; a < d; a++) {
      const int q = (a + 1) % d, f = (a + 2) % d;
#pragma GCC unroll 4
      for (int e = 0; e < edges; e++) {
        const int near = (e & 1) << q | (d == 3 ? (e >> 1) << f : 0), far = near | 1 << a;
        lanes part = b[a * edges + e] * s[a][i];
        sum[near] = a == 0 ? -part : sum[near] - part;
        sum[far] = a == 0 ? part : sum[far] + part;
      }
    }
    if (d == 2) {
      lanes part = b[scalar_at(2, HOURGLASS)] * r[3 + i];
      sum[0] += part, sum[1] -= part, sum[2] -= part, sum[3] += part;
    }
#pragma GCC unroll 8
    // cppcheck-suppress uninitvar; the loop before fills the lanes of every row
    for (int n = 0; n < corners; n++) store(d, p->u[i] + corner[n], load(d, p->u[i] + corner[n]) + load(d, p->u[3] + corner[n]) * sum[n]);
  }
}

/* @param back  a sweep backwards: then `uphill` is added to; else r goes on by `share` first, and what it was is kept */
INLINE void relax_batch(int d, bool cohesive, lanes *b, patch *p, const size_t corner[GEO_GRID_CORNERS], bool back, REAL share,
                        lanes *uphill)
{
  const int size = cell_size(d);
  lanes *now = b + impulse_at(d, 0), *last = b + impulse_at(d, 1), *begun = b + impulse_at(d, 2);
  lanes rate[GRANULAR_TENSOR], r[GRANULAR_TENSOR], change[GRANULAR_TENSOR], zero = {0};
#pragma GCC unroll 6
  for (int i = 0; i < size; i++) {
    r[i] = now[i];
    if (back) continue;
    lanes value = r[i];
    r[i] = begun[i] = value + share * (value - last[i]);
    last[i] = value;
  }
  rate_of(d, b, p, corner, rate);
  // cppcheck-suppress uninitvar; the loop before fills the lanes of every row
  if (cohesive) hold_together(d, b, r, rate);
  if (!in_all_lanes((r[0] == zero) & (rate[0] >= zero))) {
#pragma GCC unroll 6
    for (int i = 0; i < size; i++) change[i] = r[i];
    step_cone(d, b, rate, r);
#pragma GCC unroll 6
    for (int i = 0; i < size; i++) change[i] = r[i] - change[i];
    push(d, b, change, p, corner);
  }
#pragma GCC unroll 6
  for (int i = 0; i < size; i++) now[i] = r[i];
  if (!back) return;
  lanes dot = zero;
#pragma GCC unroll 6
  for (int i = 0; i < size; i++) dot += (begun[i] - r[i]) * (r[i] - last[i]);
  *uphill += dot / b[scalar_at(d, INVERSE_NORMAL)];
}

INLINE double sum_of(lanes v)
{
  double sum = 0;
  for (int l = 0; l < LANES; l++) sum += (double)v[l];
  return sum;
}

/* ── blocks ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

INLINE lanes *values_of(int d, const sweep_view *v, uint32_t number)
{
  return (lanes *)(void *)v->batches + width_of(d, v->cohesive) * number;
}

INLINE const uint32_t *halo_of(int d, const sweep_view *v, uint32_t at)
{
  return v->halo + v->block[at] * (size_t)granular_halo(d);
}

/* Fetches the nodes of the block that comes next. */
INLINE void look_at_nodes(int d, const sweep_view *v, uint32_t at, bool back)
{
  const int side = d == 2 ? 9 : 5, step = 64 / (int)sizeof(quad);
  const quad *nodes = v->nodes;
  if (back ? at == 0 : at + 1 == v->block_count) return;
  const uint32_t *halo = halo_of(d, v, back ? at - 1 : at + 1);
  for (int row = 0; row < (d == 2 ? side : side * side); row++, halo += side)
    for (int x = 0; x < side; x += step) __builtin_prefetch(&nodes[halo[x]]);
}

/* Fetches the batch after the next; beyond the last there is nothing, and nothing happens. */
INLINE void look_ahead(int d, bool cohesive, const lanes *b, bool back)
{
  const size_t bytes = width_of(d, cohesive) * SWEEP_LANE_BYTES;
  const char *at = (const char *)b + (back ? -2 : 2) * (ptrdiff_t)bytes;
#pragma GCC unroll 32
  for (size_t k = 0; k < bytes; k += 64) __builtin_prefetch(at + k);
}

INLINE double relax_block_of(int d, bool cohesive, const sweep_view *v, uint32_t at, bool back, REAL share)
{
  const uint32_t first = v->first[at], count = v->first[at + 1] - first, *halo = halo_of(d, v, at);
  lanes uphill = {0};
  patch p;
  if (count == 0) return 0; /* a block of nodes alone */
  read_patch(d, halo, v->nodes, &p);
  look_at_nodes(d, v, at, back);
  for (uint32_t k = 0; k < count; k++) {
    uint32_t number = back ? first + count - 1 - k : first + k;
    look_ahead(d, cohesive, values_of(d, v, number), back);
    relax_batch(d, cohesive, values_of(d, v, number), &p, v->corner[v->batch[number]], back, share, &uphill);
  }
  write_patch(d, halo, v->nodes, v->none, &p);
  return sum_of(uphill) * v->mass;
}

/* What a lane without sand has: a gap that stays open. */
INLINE void empty_lanes(int d, bool cohesive, lanes *b)
{
  const lanes zero = {0};
  for (size_t k = 0; k < width_of(d, cohesive); k++) b[k] = zero;
  b[scalar_at(d, GAP)] = b[scalar_at(d, INVERSE_NORMAL)] = b[scalar_at(d, INVERSE_TANGENT)] = zero + 1;
}

/* One lane of a batch by itself, others empty: where a domain of one block goes around, its cells share nodes across the seam. */
INLINE double relax_lane(int d, const sweep_view *v, const uint32_t *halo, uint32_t number, uint32_t lane, bool back, REAL share)
{
  const uint32_t side = d == 2 ? 9 : 5;
  lanes *from = values_of(d, v, number), only[64], uphill = {0};
  quad *nodes = v->nodes, before[GEO_GRID_CORNERS];
  size_t corner[GEO_GRID_CORNERS];
  uint32_t place[3], node[GEO_GRID_CORNERS];
  patch p;
  memset(&p, 0, sizeof p);
  empty_lanes(d, v->cohesive, only);
  for (size_t k = 0; k < width_of(d, v->cohesive); k++) only[k][lane] = from[k][lane];
  corners_of(d, v->batch[number], lane, corner);
  place_of(d, v->batch[number], lane, place);
  for (uint32_t n = 0; n < (d == 2 ? 4u : 8u); n++) {
    node[n] = halo[place[0] + (n & 1) + side * (place[1] + (n >> 1 & 1) + side * (place[2] + (n >> 2)))];
    before[n] = nodes[node[n]];
    for (int c = 0; c < 4; c++) p.u[c][corner[n]] = before[n][c];
  }
  relax_batch(d, v->cohesive, only, &p, v->corner[v->batch[number]], back, share, &uphill);
  for (int k = impulse_at(d, 0); k < impulse_at(d, 3); k++) from[k][lane] = only[k][lane];
  for (uint32_t n = 0; n < (d == 2 ? 4u : 8u); n++)
    for (int c = 0; c < d && node[n] != v->none; c++) {
      REAL *u = (REAL *)&nodes[node[n]] + c, was = before[n][c]; /* other than that: the cell has the node twice, as its own neighbour */
      *u = *u == was ? p.u[c][corner[n]] : *u + (p.u[c][corner[n]] - was);
    }
  return (double)uphill[lane] * v->mass;
}

INLINE double relax_cells_of(int d, const sweep_view *v, uint32_t at, bool back, REAL share)
{
  const uint32_t first = v->first[at], count = LANES * (v->first[at + 1] - first), *halo = halo_of(d, v, at);
  double uphill = 0;
  for (uint32_t k = 0; k < count; k++) {
    uint32_t cell = back ? count - 1 - k : k;
    uphill += relax_lane(d, v, halo, first + cell / LANES, cell % LANES, back, share);
  }
  return uphill;
}

WIDE static double relax_block(const sweep_view *v, uint32_t at, bool back, double wanted)
{
  const REAL share = (REAL)wanted;
  if (v->lone) return v->d == 2 ? relax_cells_of(2, v, at, back, share) : relax_cells_of(3, v, at, back, share);
  if (v->d == 2 && v->cohesive) return back ? relax_block_of(2, true, v, at, true, 0) : relax_block_of(2, true, v, at, false, share);
  if (v->d == 2) return back ? relax_block_of(2, false, v, at, true, 0) : relax_block_of(2, false, v, at, false, share);
  if (v->cohesive) return back ? relax_block_of(3, true, v, at, true, 0) : relax_block_of(3, true, v, at, false, share);
  return back ? relax_block_of(3, false, v, at, true, 0) : relax_block_of(3, false, v, at, false, share);
}

/* ── residuals ──────────────────────────────────────────────────────────────────────────────────────────────────── */

/* cone_residual in lanes; 0 in gas: shear without pressure is none of the law's. */
INLINE lanes residual_of(int d, const lanes *b, const lanes *r, const lanes *g)
{
  const lanes zero = {0}, one = zero + 1;
  lanes w = one / b[scalar_at(d, INVERSE_NORMAL)], c = b[scalar_at(d, FRICTION)], y[GRANULAR_TENSOR], square = zero, shear = zero;
#pragma GCC unroll 6
  for (int i = 1; i < cell_size(d); i++) shear += g[i] * g[i];
  y[0] = w * r[0] - g[0] - c * root(shear);
#pragma GCC unroll 6
  for (int i = 1; i < cell_size(d); i++) {
    y[i] = w * r[i] - g[i];
    square += y[i] * y[i];
  }
  lanes tangent = root(square), on_cone = choose(c * tangent <= -y[0], zero, (y[0] + c * tangent) / (one + c * c));
  mask outside = tangent > c * y[0];
  lanes normal = choose(outside, on_cone, y[0]);
  lanes scale = choose(outside, choose(tangent > zero, c * on_cone / tangent, zero), one);
  lanes sum = (w * r[0] - normal) * (w * r[0] - normal);
#pragma GCC unroll 6
  for (int i = 1; i < cell_size(d); i++) sum += (w * r[i] - scale * y[i]) * (w * r[i] - scale * y[i]);
  return choose((r[0] == zero) & (g[0] >= zero), zero, root(sum));
}

INLINE void measure_block_of(int d, const sweep_view *v, uint32_t at, REAL share, double *found)
{
  double largest = 0, sum = 0, count = 0;
  patch p;
  if (v->first[at] == v->first[at + 1]) return;
  read_patch(d, halo_of(d, v, at), v->nodes, &p);
  look_at_nodes(d, v, at, false);
  for (uint32_t number = v->first[at]; number < v->first[at + 1]; number++) {
    const lanes *b = values_of(d, v, number), *now = b + impulse_at(d, 0), *last = b + impulse_at(d, 1);
    lanes rate[GRANULAR_TENSOR], r[GRANULAR_TENSOR];
    look_ahead(d, v->cohesive, b, false);
#pragma GCC unroll 6
    for (int i = 0; i < cell_size(d); i++) r[i] = now[i] + share * (now[i] - last[i]);
    rate_of(d, b, &p, v->corner[v->batch[number]], rate);
    if (v->cohesive) hold_together(d, b, r, rate);
    lanes residual = residual_of(d, b, r, rate);
    for (int l = 0; l < LANES; l++) {
      double one = (double)residual[l] / v->length;
      largest = fmax(largest, one);
      sum += one * one;
      count += r[0][l] > 0;
    }
  }
  found[0] += sum, found[1] += count, found[2] = fmax(found[2], largest);
}

WIDE static void measure_block(const sweep_view *v, uint32_t at, double share, double *found)
{
  if (v->d == 2)
    measure_block_of(2, v, at, (REAL)share, found);
  else
    measure_block_of(3, v, at, (REAL)share, found);
}

/* ── to batches and back ────────────────────────────────────────────────────────────────────────────────────────── */

static void begin(sweep_view *v)
{
  for (uint32_t batch = 0; batch < GEO_GRID_BLOCK / LANES; batch++) corners_of(v->d, batch, 0, v->corner[batch]);
}

static size_t batch_bytes(const sweep_view *v)
{
  return width_of(v->d, v->cohesive) * SWEEP_LANE_BYTES;
}

static uint32_t batches_with_sand(const granular_state *s, uint32_t block)
{
  uint32_t bits = 0;
  for (uint32_t k = s->block_first[block]; k < s->block_first[block + 1]; k++) {
    uint32_t batch, lane;
    batch_of(s->d, s->extra[k].place % GEO_GRID_BLOCK, &batch, &lane);
    bits |= 1u << batch;
  }
  return bits;
}

/* @param b  the cell's lane of the first value */
static void fill_cell(const sweep_view *v, const granular_cell *c, double cohesion, REAL *b)
{
  const int d = v->d, edges = edges_of(d), size = cell_size(d);
  const double impulse = 1 / (v->mass * v->length), inverse = impulse / v->length;
  for (int a = 0; a < d; a++)
    for (int e = 0; e < edges; e++) b[LANES * (a * edges + e)] = (REAL)(c->edge[4 * a + e] * v->length);
  REAL *scalar = b + LANES * scalar_at(d, 0);
  scalar[LANES * GAP] = (REAL)(c->gap * v->length);
  scalar[LANES * INVERSE_NORMAL] = (REAL)(c->inverse_normal * inverse);
  scalar[LANES * INVERSE_TANGENT] = (REAL)(c->inverse_tangent * inverse);
  scalar[LANES * FRICTION] = (REAL)c->friction;
  if (d == 2) scalar[LANES * HOURGLASS] = (REAL)(hourglass_weight(c->edge) * v->length);
  for (int which = 0; which < 3; which++)
    for (int i = 0; i < size; i++) b[LANES * (impulse_at(d, which) + i)] = (REAL)(c->r[i] * impulse);
  if (v->cohesive) b[LANES * impulse_at(d, 3)] = (REAL)(cohesion * impulse);
}

static void fill_block(const granular_state *s, const sweep_view *v, uint32_t at)
{
  uint32_t block = v->block[at], next = v->first[at], bits = batches_with_sand(s, block), slot[GEO_GRID_BLOCK / LANES] = {0};
  for (uint32_t batch = 0; batch < GEO_GRID_BLOCK / LANES; batch++) {
    if (!(bits >> batch & 1)) continue;
    v->batch[next] = (uint8_t)batch;
    empty_lanes(v->d, v->cohesive, values_of(v->d, v, next));
    slot[batch] = next++;
  }
  for (uint32_t k = s->block_first[block]; k < s->block_first[block + 1]; k++) {
    uint32_t batch, lane;
    batch_of(v->d, s->extra[k].place % GEO_GRID_BLOCK, &batch, &lane);
    fill_cell(v, &s->cells[k], s->extra[k].cohesion_impulse, (REAL *)values_of(v->d, v, slot[batch]) + lane);
  }
}

static void empty_block(granular_state *s, const sweep_view *v, uint32_t at)
{
  uint32_t block = v->block[at], slot[GEO_GRID_BLOCK / LANES] = {0};
  for (uint32_t k = v->first[at]; k < v->first[at + 1]; k++) slot[v->batch[k]] = k;
  for (uint32_t k = s->block_first[block]; k < s->block_first[block + 1]; k++) {
    uint32_t batch, lane;
    batch_of(v->d, s->extra[k].place % GEO_GRID_BLOCK, &batch, &lane);
    const lanes *r = values_of(v->d, v, slot[batch]) + impulse_at(v->d, 0);
    for (int i = 0; i < cell_size(v->d); i++) s->cells[k].r[i] = (double)r[i][lane] * (v->mass * v->length);
  }
}

/* ── nodes of sweeps ────────────────────────────────────────────────────────────────────────────────────────────── */

static void take_nodes(const granular_state *s, const sweep_view *v, size_t from, size_t end)
{
  quad *to = v->nodes;
  for (size_t n = from; n < end; n++) {
    const granular_node *node = &s->nodes[n];
    /* so light a node, which has the corner of a single point, moves nothing: only that it stays a number */
    double inverse = fmin(node->inverse_mass * v->mass, 1e30);
    to[n] = (quad){(REAL)node->u[0], (REAL)node->u[1], (REAL)node->u[2], (REAL)inverse};
  }
}

WIDE static void extrapolate(void *now, void *last, size_t from, size_t end, double wanted)
{
  quad *u = now, *before = last;
  const REAL share = (REAL)wanted;
  for (size_t n = from; n < end; n++) {
    quad value = u[n];
    u[n] = value + share * (value - before[n]);
    before[n] = value;
  }
}

const sweep_kernel KERNEL = {.real = sizeof(REAL),
                             .begin = begin,
                             .batch_bytes = batch_bytes,
                             .batches_with_sand = batches_with_sand,
                             .fill = fill_block,
                             .empty = empty_block,
                             .relax = relax_block,
                             .measure = measure_block,
                             .take_nodes = take_nodes,
                             .extrapolate = extrapolate};
