/* Batches of four cells and their steps, see sweep.h. */
#include "methods/granular/step/sweep.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "methods/granular/law/cone.h"
#include "methods/granular/step/stages.h"

typedef double lanes __attribute__((vector_size(32)));
typedef double pair __attribute__((vector_size(16)));
typedef long long mask __attribute__((vector_size(32)));

#pragma GCC diagnostic ignored "-Wpsabi" /* lanes are handed on between functions that are all inlined */

#define INLINE static inline __attribute__((always_inline))
/* With wider registers where the processor has them: the same operations in the same order, so the same bits. */
#define WIDE __attribute__((target_clones("avx2", "default")))

/* ── layout ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Values of a batch, in lanes: edges, then these, then r, r before the last sweep forwards, r after its extrapolation; last, where the
 * scene has cohesive sand, the impulse of its cohesion. */
enum { GAP, INVERSE_NORMAL, INVERSE_TANGENT, FRICTION, SCALARS, HOURGLASS = SCALARS /* only in the plane */ };

INLINE int edges_of(int d)
{
  return d == 2 ? 2 : 4; /* along an axis */
}
INLINE int scalar_at(int d, int scalar)
{
  return d * edges_of(d) + scalar;
}
INLINE int impulse_at(int d, int which)
{
  return d * edges_of(d) + SCALARS + (d == 2) + which * cell_size(d);
}
INLINE size_t width_of(int d, bool cohesive)
{
  return (size_t)impulse_at(d, 3) + cohesive;
}

/* A patch: nodes by parity, then by half their place; rows of 5 in the plane, of 3 in space. */
enum { PLANE_ROW = 5, SPACE_ROW = 3, PLANE_CLASS = 25, SPACE_CLASS = 27, PATCH = 216 };

typedef struct patch {
  double u[4][PATCH]; /* m/s; the last: 1/m */
} patch;

INLINE int class_size(int d)
{
  return d == 2 ? PLANE_CLASS : SPACE_CLASS;
}
INLINE int row_of(int d)
{
  return d == 2 ? PLANE_ROW : SPACE_ROW;
}

/* Place in the patch of a node at x, y, z in its block. */
INLINE int in_patch(int d, int x, int y, int z)
{
  int parity = (x & 1) | (y & 1) << 1 | (z & 1) << 2;
  return parity * class_size(d) + (x >> 1) + row_of(d) * (y >> 1) + SPACE_ROW * SPACE_ROW * (z >> 1);
}

/* Number of a cell's batch in a full block, and its lane. */
static void batch_of(int d, uint32_t within, uint32_t *batch, uint32_t *lane)
{
  uint32_t side = d == 2 ? 8 : 4, x = within % side, y = within / side % side, z = within / side / side;
  uint32_t parity = (x & 1) | (y & 1) << 1 | (z & 1) << 2;
  *batch = d == 2 ? parity * 4 + (y >> 1) : parity * 2 + (z >> 1);
  *lane = d == 2 ? x >> 1 : (x >> 1) | (y >> 1) << 1;
}

/* Where the corners of a batch's first cell lie in the patch. */
static void corners_of(int d, uint32_t batch, size_t corner[GEO_GRID_CORNERS])
{
  int parity = (int)batch / (d == 2 ? 4 : 2), along = (int)batch % (d == 2 ? 4 : 2);
  for (int n = 0; n < (d == 2 ? 4 : 8); n++)
    corner[n] =
        (size_t)(d == 2 ? in_patch(2, (parity & 1) + (n & 1), 2 * along + (parity >> 1 & 1) + (n >> 1), 0)
                        : in_patch(3, (parity & 1) + (n & 1), (parity >> 1 & 1) + (n >> 1 & 1), 2 * along + (parity >> 2) + (n >> 2)));
}

/* ── lanes ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

INLINE lanes load(int d, const double *at)
{
  lanes v;
  if (d == 2) {
    memcpy(&v, at, sizeof v);
    return v;
  }
  pair low, high;
  memcpy(&low, at, sizeof low);
  memcpy(&high, at + SPACE_ROW, sizeof high);
  return __builtin_shufflevector(low, high, 0, 1, 2, 3);
}

INLINE void store(int d, double *at, lanes v)
{
  if (d == 2) {
    memcpy(at, &v, sizeof v);
    return;
  }
  pair low = __builtin_shufflevector(v, v, 0, 1), high = __builtin_shufflevector(v, v, 2, 3);
  memcpy(at, &low, sizeof low);
  memcpy(at + SPACE_ROW, &high, sizeof high);
}

INLINE lanes choose(mask which, lanes yes, lanes no)
{
  return (lanes)((which & (mask)yes) | (~which & (mask)no));
}

INLINE lanes root(lanes v)
{
  lanes out;
#pragma GCC unroll 4
  // cppcheck-suppress uninitvar; all lanes are filled here
  for (int l = 0; l < GRANULAR_LANES; l++) out[l] = sqrt(v[l]);
  return out;
}

INLINE bool in_all_lanes(mask m)
{
  return m[0] & m[1] & m[2] & m[3];
}

/* ── nodes ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

INLINE void read_patch(int d, const uint32_t *halo, const granular_node *nodes, patch *p)
{
  const int side = d == 2 ? 9 : 5;
  for (int z = 0; z < (d == 2 ? 1 : side); z++)
    for (int y = 0; y < side; y++, halo += side) {
      const size_t row = (size_t)in_patch(d, 0, y, z);
#pragma GCC unroll 9
      for (int x = 0; x < side; x++) {
        const granular_node *from = &nodes[halo[x]];
        for (int i = 0; i < d; i++) p->u[i][row + (size_t)in_patch(d, x, 0, 0)] = from->u[i];
        p->u[3][row + (size_t)in_patch(d, x, 0, 0)] = from->inverse_mass;
      }
    }
}

/* @param none  the node that stands for those without sand */
INLINE void write_patch(int d, const uint32_t *halo, granular_node *nodes, uint32_t none, const patch *p)
{
  const int side = d == 2 ? 9 : 5;
  for (int z = 0; z < (d == 2 ? 1 : side); z++)
    for (int y = 0; y < side; y++, halo += side) {
      const size_t row = (size_t)in_patch(d, 0, y, z);
#pragma GCC unroll 9
      for (int x = 0; x < side; x++) {
        if (halo[x] == none) continue;
        for (int i = 0; i < d; i++) nodes[halo[x]].u[i] = p->u[i][row + (size_t)in_patch(d, x, 0, 0)];
      }
    }
}

/* ── the step ───────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Rates of four cells, their gaps included: tensor_strain of the weighted gradients, in the plane granular_hourglass besides. */
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
    rate[0] = GRANULAR_ROOT_2_3 * (g[0][0] + g[1][1] + g[2][2]);
    rate[1] = g[0][0] - g[1][1];
    rate[2] = GRANULAR_ROOT_1_3 * (2 * g[2][2] - g[0][0] - g[1][1]);
    rate[3] = g[0][1] + g[1][0];
    rate[4] = g[0][2] + g[2][0];
    rate[5] = g[1][2] + g[2][1];
  }
  rate[0] += b[scalar_at(d, GAP)];
}

/* cone_cohesive_rate in lanes; those without cohesion keep their rate. */
INLINE void hold_together(int d, const lanes *b, const lanes *r, lanes *rate)
{
  const lanes zero = {0, 0, 0, 0}, cohesion = b[impulse_at(d, 3)], gap = b[scalar_at(d, GAP)], inverse = b[scalar_at(d, INVERSE_NORMAL)];
  lanes closed = r[0] - rate[0] * inverse, open = choose(gap > zero, closed + gap * inverse, closed);
  lanes held = choose(open < cohesion, open, cohesion), most = choose(closed > held, closed, held);
  rate[0] = choose(cohesion > zero, (r[0] - most) / inverse, rate[0]);
}

/* cone_step in lanes. */
INLINE void step_cone(int d, const lanes *b, const lanes *rate, lanes *r)
{
  lanes inverse = b[scalar_at(d, INVERSE_TANGENT)], normal = r[0] - rate[0] * b[scalar_at(d, INVERSE_NORMAL)], square = {0, 0, 0, 0};
  r[0] = (lanes)((mask)normal & (mask)(normal > 0));
#pragma GCC unroll 6
  for (int i = 1; i < cell_size(d); i++) {
    r[i] -= rate[i] * inverse;
    square += r[i] * r[i];
  }
  lanes limit = b[scalar_at(d, FRICTION)] * r[0], one = {1, 1, 1, 1}, cut = choose(square > limit * limit, limit / root(square), one);
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
    lanes mean = GRANULAR_ROOT_2_3 * r[0], third = GRANULAR_ROOT_1_3 * r[2];
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
INLINE void relax_batch(int d, bool cohesive, lanes *b, patch *p, const size_t corner[GEO_GRID_CORNERS], bool back, double share,
                        lanes *uphill)
{
  const int size = cell_size(d);
  lanes *now = b + impulse_at(d, 0), *last = b + impulse_at(d, 1), *begun = b + impulse_at(d, 2);
  lanes rate[GRANULAR_TENSOR], r[GRANULAR_TENSOR], change[GRANULAR_TENSOR], zero = {0, 0, 0, 0};
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

/* ── blocks ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* What a sweep reads and writes; blocks by their place in colour_block. */
typedef struct sweep_view {
  double *batches;       /* [batch][width][4] */
  const uint8_t *batch;  /* [batch] its number in a full block */
  const uint32_t *first; /* [block_count + 1] */
  const uint32_t *block; /* [block_count] */
  const uint32_t *halo;  /* [block_count][halo_count] nodes of a block, by its number */
  granular_node *nodes;
  uint32_t none;
  bool lone;                                         /* cells one by one */
  bool cohesive;                                     /* batches have the impulses of cohesion */
  size_t corner[GRANULAR_BATCHES][GEO_GRID_CORNERS]; /* of a batch's first cell, in the patch */
} sweep_view;

/* One lane by itself, with the same operations, at nodes in place: where a domain of one block goes around, its cells share nodes across
 * the seam. @param lane of the batch of that number */
static double relax_lane(int d, const sweep_view *v, const uint32_t *halo, uint32_t number, uint32_t lane, bool back, double share)
{
  double *b = v->batches + 4 * width_of(d, v->cohesive) * number;
  const uint32_t batch = v->batch[number];
  const int size = cell_size(d), edges = edges_of(d);
  const uint32_t side = d == 2 ? 9 : 5;
  uint32_t parity = batch / (d == 2 ? 4 : 2), along = 2 * (batch % (d == 2 ? 4 : 2));
  uint32_t x = (parity & 1) + 2 * (d == 2 ? lane : lane & 1), y = (parity >> 1 & 1) + (d == 2 ? along : 2 * (lane >> 1)),
           z = d == 2 ? 0 : (parity >> 2) + along;
  double *now = b + 4 * impulse_at(d, 0) + lane, *last = b + 4 * impulse_at(d, 1) + lane, *begun = b + 4 * impulse_at(d, 2) + lane;
  double rate[GRANULAR_TENSOR], r[GRANULAR_TENSOR], change[GRANULAR_TENSOR], dot = 0;
  granular_cell c;
  for (uint32_t n = 0; n < (d == 2 ? 4u : 8u); n++) {
    c.node[n] = halo[(x + (n & 1)) + side * ((y + (n >> 1 & 1)) + side * (z + (n >> 2)))];
    if (c.node[n] == v->none) return 0; /* a lane without sand */
  }
  for (int a = 0; a < d; a++)
    for (int e = 0; e < edges; e++) c.edge[4 * a + e] = b[4 * (a * edges + e) + (int)lane];
  const double *scalar = b + 4 * scalar_at(d, 0) + lane;
  for (int i = 0; i < size; i++) {
    double value = now[4 * i];
    if (!back) begun[4 * i] = value + share * (value - last[4 * i]), last[4 * i] = value;
    change[i] = r[i] = back ? value : begun[4 * i];
  }
  granular_rate(d, &c, v->nodes, rate);
  rate[0] += scalar[4 * GAP];
  double cohesion = v->cohesive ? b[4 * impulse_at(d, 3) + (int)lane] : 0;
  if (cohesion > 0) rate[0] = cone_cohesive_rate(r[0], rate[0], scalar[4 * GAP], scalar[4 * INVERSE_NORMAL], cohesion);
  if (r[0] != 0 || rate[0] < 0) {
    cone_step(d, r, rate, scalar[4 * INVERSE_NORMAL], scalar[4 * INVERSE_TANGENT], scalar[4 * FRICTION]);
    for (int i = 0; i < size; i++) change[i] = r[i] - change[i];
    granular_push(d, &c, v->nodes, change);
  }
  for (int i = 0; i < size; i++) {
    now[4 * i] = r[i];
    dot += (begun[4 * i] - r[i]) * (r[i] - last[4 * i]);
  }
  return dot / scalar[4 * INVERSE_NORMAL];
}

static sweep_view view_of(const granular_state *s)
{
  sweep_view v = {.batches = s->batches,
                  .batch = s->batch_number,
                  .first = s->batch_first,
                  .block = s->colour_block,
                  .halo = s->halo,
                  .nodes = s->nodes,
                  .none = (uint32_t)s->grid.cell_count,
                  .lone = s->lone_cells,
                  .cohesive = s->cohesive};
  for (uint32_t batch = 0; batch < GRANULAR_BATCHES; batch++) corners_of(s->d, batch, v.corner[batch]);
  return v;
}

INLINE double relax_block_of(int d, const sweep_view *v, uint32_t at, bool back, double share)
{
  const uint32_t first = v->first[at], count = v->first[at + 1] - first, *halo = v->halo + v->block[at] * (size_t)granular_halo(d);
  lanes uphill = {0, 0, 0, 0};
  patch p;
  read_patch(d, halo, v->nodes, &p);
  for (uint32_t k = 0; k < count; k++) {
    uint32_t batch = back ? first + count - 1 - k : first + k;
    lanes *values = (lanes *)(void *)(v->batches + 4 * width_of(d, v->cohesive) * batch);
    relax_batch(d, v->cohesive, values, &p, v->corner[v->batch[batch]], back, share, &uphill);
  }
  write_patch(d, halo, v->nodes, v->none, &p);
  return uphill[0] + uphill[1] + uphill[2] + uphill[3];
}

static double relax_cells_of(int d, const sweep_view *v, uint32_t at, bool back, double share)
{
  const uint32_t first = v->first[at], count = v->first[at + 1] - first, *halo = v->halo + v->block[at] * (size_t)granular_halo(d);
  double uphill = 0;
  for (uint32_t k = 0; k < 4 * count; k++) {
    uint32_t cell = back ? 4 * count - 1 - k : k;
    uphill += relax_lane(d, v, halo, first + cell / 4, cell % 4, back, share);
  }
  return uphill;
}

WIDE static double relax_block(int d, const sweep_view *v, uint32_t at, bool back, double share)
{
  if (v->lone) return relax_cells_of(d, v, at, back, share);
  if (d == 2) return back ? relax_block_of(2, v, at, true, 0) : relax_block_of(2, v, at, false, share);
  return back ? relax_block_of(3, v, at, true, 0) : relax_block_of(3, v, at, false, share);
}

void granular_sweep_forwards(granular_state *s, scr_execution execution, double share)
{
  const sweep_view v = view_of(s);
  for (int colour = 0; colour < GRANULAR_COLOURS; colour++) {
    uint32_t first = s->colour_first[colour], last = s->colour_first[colour + 1];
    if (first == last) continue;
#pragma omp parallel for num_threads(execution.threads) schedule(static)
    for (uint32_t b = first; b < last; b++) (void)relax_block(s->d, &v, b, false, share);
  }
}

void granular_sweep_backwards(granular_state *s, scr_execution execution, double *by_block)
{
  const sweep_view v = view_of(s);
  for (int colour = GRANULAR_COLOURS - 1; colour >= 0; colour--) {
    uint32_t first = s->colour_first[colour], last = s->colour_first[colour + 1];
    if (first == last) continue;
#pragma omp parallel for num_threads(execution.threads) schedule(static)
    for (uint32_t b = first; b < last; b++) by_block[b] = relax_block(s->d, &v, b, true, 0);
  }
}

/* ── residuals ──────────────────────────────────────────────────────────────────────────────────────────────────── */

/* cone_residual in lanes; 0 in gas: shear without pressure is none of the law's. */
INLINE lanes residual_of(int d, const lanes *b, const lanes *r, const lanes *g)
{
  const lanes zero = {0, 0, 0, 0}, one = {1, 1, 1, 1};
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

INLINE void measure_block_of(int d, const sweep_view *v, uint32_t at, double share, double *found)
{
  const uint32_t *halo = v->halo + v->block[at] * (size_t)granular_halo(d);
  double largest = 0, sum = 0, count = 0;
  patch p;
  read_patch(d, halo, v->nodes, &p);
  for (uint32_t batch = v->first[at]; batch < v->first[at + 1]; batch++) {
    const lanes *b = (const lanes *)(const void *)(v->batches + 4 * width_of(d, v->cohesive) * batch);
    const lanes *now = b + impulse_at(d, 0), *last = b + impulse_at(d, 1);
    lanes rate[GRANULAR_TENSOR], r[GRANULAR_TENSOR];
#pragma GCC unroll 6
    for (int i = 0; i < cell_size(d); i++) r[i] = now[i] + share * (now[i] - last[i]);
    rate_of(d, b, &p, v->corner[v->batch[batch]], rate);
    if (v->cohesive) hold_together(d, b, r, rate);
    lanes residual = residual_of(d, b, r, rate);
    for (int l = 0; l < GRANULAR_LANES; l++) {
      largest = fmax(largest, residual[l]);
      sum += residual[l] * residual[l];
      count += r[0][l] > 0;
    }
  }
  found[0] += sum, found[1] += count, found[2] = fmax(found[2], largest);
}

WIDE static void measure_block(int d, const sweep_view *v, uint32_t at, double share, double *found)
{
  if (d == 2)
    measure_block_of(2, v, at, share, found);
  else
    measure_block_of(3, v, at, share, found);
}

typedef struct measured {
  sweep_view view;
  int d;
  double share;
} measured;

static void measure_blocks(const void *user, size_t begin, size_t end, double *value)
{
  const measured *of = user;
  for (size_t b = begin; b < end; b++) measure_block(of->d, &of->view, (uint32_t)b, of->share, value);
}

void granular_measure_cells(const granular_state *s, scr_execution execution, double share, double *value)
{
  const measured of = {view_of(s), s->d, share};
  execution_reduce(execution, s->grid.block_count, 1, 2, 1, measure_blocks, &of, value);
}

/* ── to batches and back ────────────────────────────────────────────────────────────────────────────────────────── */

/* Which batches of a block have sand, as bits. */
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

/* @param cohesion  N s m, the impulse of it; NULL: batches have none */
static void fill_batch(int d, const granular_cell *c, const double *cohesion, double *b)
{
  const int edges = edges_of(d);
  for (int a = 0; a < d; a++)
    for (int e = 0; e < edges; e++) b[4 * (a * edges + e)] = c->edge[4 * a + e];
  double *scalar = b + 4 * scalar_at(d, 0);
  scalar[4 * GAP] = c->gap;
  scalar[4 * INVERSE_NORMAL] = c->inverse_normal;
  scalar[4 * INVERSE_TANGENT] = c->inverse_tangent;
  scalar[4 * FRICTION] = c->friction;
  if (d == 2) scalar[4 * HOURGLASS] = hourglass_weight(c->edge);
  for (int which = 0; which < 3; which++)
    for (int i = 0; i < cell_size(d); i++) b[4 * (impulse_at(d, which) + i)] = c->r[i];
  if (cohesion) b[4 * impulse_at(d, 3)] = *cohesion;
}

/* Makes the batches of a block; lanes without sand have a gap that stays open. */
static void fill_batches(granular_state *s, uint32_t at)
{
  const granular_cell nothing = {.gap = 1, .inverse_normal = 1, .inverse_tangent = 1};
  const size_t width = 4 * width_of(s->d, s->cohesive);
  const double none = 0;
  uint32_t block = s->colour_block[at], next = s->batch_first[at];
  uint32_t bits = batches_with_sand(s, block), slot[GRANULAR_BATCHES];
  for (uint32_t batch = 0; batch < GRANULAR_BATCHES; batch++) {
    if (!(bits >> batch & 1)) continue;
    s->batch_number[next] = (uint8_t)batch;
    for (size_t lane = 0; lane < GRANULAR_LANES; lane++)
      fill_batch(s->d, &nothing, s->cohesive ? &none : NULL, s->batches + width * next + lane);
    slot[batch] = next++;
  }
  for (uint32_t k = s->block_first[block]; k < s->block_first[block + 1]; k++) {
    uint32_t batch, lane;
    batch_of(s->d, s->extra[k].place % GEO_GRID_BLOCK, &batch, &lane);
    fill_batch(s->d, &s->cells[k], s->cohesive ? &s->extra[k].cohesion_impulse : NULL, s->batches + width * slot[batch] + lane);
  }
}

scr_status granular_begin_sweeps(granular_state *s, scr_execution execution, scr_error *error)
{
  size_t blocks = s->grid.block_count, count = 0;
  if (!mem_grow(&s->batch_first, &s->batch_first_capacity, blocks + 1, sizeof *s->batch_first))
    return scr_fail_memory(error, "batches", blocks * sizeof *s->batch_first);
  for (size_t b = 0; b < blocks; b++) {
    s->batch_first[b] = (uint32_t)count;
    count += (size_t)__builtin_popcount(batches_with_sand(s, s->colour_block[b]));
  }
  s->batch_first[blocks] = (uint32_t)count;
  if (!mem_grow(&s->batches, &s->batch_capacity, count * 4 * width_of(s->d, s->cohesive) + 1, sizeof *s->batches) ||
      !mem_grow(&s->batch_number, &s->batch_number_capacity, count + 1, sizeof *s->batch_number))
    return scr_fail_memory(error, "batches", count * 4 * width_of(s->d, s->cohesive) * sizeof *s->batches);
#pragma omp parallel for num_threads(execution.threads) schedule(static)
  for (uint32_t b = 0; b < (uint32_t)blocks; b++) fill_batches(s, b);
  return SCR_OK;
}

static void empty_block(granular_state *s, uint32_t at)
{
  uint32_t block = s->colour_block[at], slot[GRANULAR_BATCHES] = {0};
  for (uint32_t k = s->batch_first[at]; k < s->batch_first[at + 1]; k++) slot[s->batch_number[k]] = k;
  for (uint32_t k = s->block_first[block]; k < s->block_first[block + 1]; k++) {
    uint32_t batch, lane;
    batch_of(s->d, s->extra[k].place % GEO_GRID_BLOCK, &batch, &lane);
    const double *r = s->batches + 4 * (width_of(s->d, s->cohesive) * slot[batch] + (size_t)impulse_at(s->d, 0)) + lane;
    for (int i = 0; i < cell_size(s->d); i++) s->cells[k].r[i] = r[4 * i];
  }
}

void granular_end_sweeps(granular_state *s, scr_execution execution)
{
#pragma omp parallel for num_threads(execution.threads) schedule(static)
  for (uint32_t b = 0; b < (uint32_t)s->grid.block_count; b++) empty_block(s, b);
}
