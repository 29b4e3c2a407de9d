/** Part of sweep_body.h: registers of cells, where batches keep their values, and the patch of a block's nodes. */
typedef REAL lanes __attribute__((vector_size(SWEEP_LANE_BYTES)));
typedef BITS mask __attribute__((vector_size(SWEEP_LANE_BYTES)));
typedef REAL quad __attribute__((vector_size(4 * sizeof(REAL))));
typedef REAL pair __attribute__((vector_size(2 * sizeof(REAL))));

#pragma GCC diagnostic ignored "-Wpsabi" /* lanes are handed on between functions that are all inlined */

#define INLINE static inline __attribute__((always_inline))
/* With wider registers where the processor has them: the same operations in the same order, so the same bits. Not under clang, which
 * builds for fuzzing alone: it gives the choosers of static functions global names, which clash, and takes three times as long. */
#ifdef __clang__
#define WIDE
#else
#define WIDE __attribute__((target_clones("arch=x86-64-v4", "avx2", "default")))
#endif

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

/* A patch: nodes by parity, then by half their place: rows of x, in space layers of three rows. Rows have room for whole registers. */
enum { PLANE_ROW = 8, PLANE_CLASS = 5 * PLANE_ROW, SPACE_ROW = 4, SPACE_LAYER = 3 * SPACE_ROW, SPACE_CLASS = 3 * SPACE_LAYER };
enum { PATCH = 8 * SPACE_CLASS + 8 };

typedef struct patch {
  REAL u[4][PATCH]; /* m/s; the last: 1/m */
} patch;

/* Place in the patch of a node at x, y, z in its block. */
INLINE size_t in_patch(int d, uint32_t x, uint32_t y, uint32_t z)
{
  uint32_t parity = (x & 1) | (y & 1) << 1 | (z & 1) << 2;
  if (d == 2) return parity * PLANE_CLASS + (x >> 1) + PLANE_ROW * (y >> 1);
  return parity * SPACE_CLASS + (x >> 1) + SPACE_ROW * (y >> 1) + SPACE_LAYER * (z >> 1);
}

/* Cells of one parity in a block, 16 or 8, have an order in which batches cut them: by half their places, in the plane x first, in space x,
 * z, y, so that lanes are loaded by twos and fours. */
INLINE uint32_t cells_of_parity(int d)
{
  return d == 2 ? 16 : 8;
}

/* Number of a cell's batch in a full block, and its lane. */
static void batch_of(int d, uint32_t within, uint32_t *batch, uint32_t *lane)
{
  uint32_t side = d == 2 ? 8 : 4, x = within % side, y = within / side % side, z = within / side / side;
  uint32_t parity = (x & 1) | (y & 1) << 1 | (z & 1) << 2;
  uint32_t order = d == 2 ? (x >> 1) | (y >> 1) << 2 : (x >> 1) | (z >> 1) << 1 | (y >> 1) << 2;
  *batch = parity * (cells_of_parity(d) / LANES) + order / LANES;
  *lane = order % LANES;
}

/* Place of a cell in its block. */
static void place_of(int d, uint32_t batch, uint32_t lane, uint32_t place[3])
{
  uint32_t each = cells_of_parity(d) / LANES, parity = batch / each, order = batch % each * LANES + lane;
  place[0] = (parity & 1) + 2 * (d == 2 ? order & 3 : order & 1);
  place[1] = (parity >> 1 & 1) + 2 * (order >> 2);
  place[2] = d == 2 ? 0 : (parity >> 2) + 2 * (order >> 1 & 1);
}

/* Where the corners of a cell lie in the patch. */
static void corners_of(int d, uint32_t batch, uint32_t lane, size_t corner[GEO_GRID_CORNERS])
{
  uint32_t place[3];
  place_of(d, batch, lane, place);
  for (uint32_t n = 0; n < (d == 2 ? 4u : 8u); n++)
    corner[n] = in_patch(d, place[0] + (n & 1), place[1] + (n >> 1 & 1), place[2] + (n >> 2));
}

/* ── lanes ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

#if LANES == 8
INLINE lanes load(int d, const REAL *at)
{
  if (d == 2) {
    quad low, high;
    memcpy(&low, at, sizeof low);
    memcpy(&high, at + PLANE_ROW, sizeof high);
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
  }
  lanes low, high; /* two rows of two layers */
  memcpy(&low, at, sizeof low);
  memcpy(&high, at + SPACE_LAYER, sizeof high);
  return __builtin_shufflevector(low, high, 0, 1, 8, 9, 4, 5, 12, 13);
}

INLINE void store_pairs(REAL *at, quad v)
{
  pair low = __builtin_shufflevector(v, v, 0, 1), high = __builtin_shufflevector(v, v, 2, 3);
  memcpy(at, &low, sizeof low);
  memcpy(at + SPACE_LAYER, &high, sizeof high);
}

INLINE void store(int d, REAL *at, lanes v)
{
  quad low = __builtin_shufflevector(v, v, 0, 1, 2, 3), high = __builtin_shufflevector(v, v, 4, 5, 6, 7);
  if (d == 2) {
    memcpy(at, &low, sizeof low);
    memcpy(at + PLANE_ROW, &high, sizeof high);
    return;
  }
  store_pairs(at, low);
  store_pairs(at + SPACE_ROW, high);
}
#else
INLINE lanes load(int d, const REAL *at)
{
  lanes low, high;
  memcpy(&low, at, sizeof low);
  if (d == 2) return low;
  memcpy(&high, at + SPACE_LAYER, sizeof high);
  return __builtin_shufflevector(low, high, 0, 1, 4, 5);
}

INLINE void store(int d, REAL *at, lanes v)
{
  if (d == 2) {
    memcpy(at, &v, sizeof v);
    return;
  }
  pair low = __builtin_shufflevector(v, v, 0, 1), high = __builtin_shufflevector(v, v, 2, 3);
  memcpy(at, &low, sizeof low);
  memcpy(at + SPACE_LAYER, &high, sizeof high);
}
#endif

INLINE lanes choose(mask which, lanes yes, lanes no)
{
  return (lanes)((which & (mask)yes) | (~which & (mask)no));
}

INLINE lanes root(lanes v)
{
  lanes out;
#pragma GCC unroll 8
  // cppcheck-suppress uninitvar; all lanes are filled here
  for (int l = 0; l < LANES; l++) out[l] = ROOT(v[l]);
  return out;
}

INLINE bool in_all_lanes(mask m)
{
  typedef long long words __attribute__((vector_size(SWEEP_LANE_BYTES)));
  words w = (words)m;
  return (w[0] & w[1] & w[2] & w[3]) == -1;
}

/* ── nodes ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

INLINE void transpose(quad q[4])
{
  quad a = __builtin_shufflevector(q[0], q[1], 0, 4, 1, 5), b = __builtin_shufflevector(q[2], q[3], 0, 4, 1, 5);
  quad c = __builtin_shufflevector(q[0], q[1], 2, 6, 3, 7), e = __builtin_shufflevector(q[2], q[3], 2, 6, 3, 7);
  q[0] = __builtin_shufflevector(a, b, 0, 1, 4, 5), q[1] = __builtin_shufflevector(a, b, 2, 3, 6, 7);
  q[2] = __builtin_shufflevector(c, e, 0, 1, 4, 5), q[3] = __builtin_shufflevector(c, e, 2, 3, 6, 7);
}

/* Nodes of a row, each other one from the first, at most four. */
INLINE void read_half_row(const uint32_t *halo, int count, const quad *nodes, patch *p, size_t at)
{
  quad q[4] = {{0}};
#pragma GCC unroll 4
  for (int k = 0; k < count; k++) q[k] = nodes[halo[2 * k]];
  transpose(q);
#pragma GCC unroll 4
  for (int c = 0; c < 4; c++) memcpy(p->u[c] + at, &q[c], sizeof q[c]);
}

INLINE void write_half_row(const uint32_t *halo, int count, quad *nodes, uint32_t none, const patch *p, size_t at)
{
  quad q[4];
#pragma GCC unroll 4
  for (int c = 0; c < 4; c++) memcpy(&q[c], p->u[c] + at, sizeof q[c]);
  transpose(q);
#pragma GCC unroll 4
  for (int k = 0; k < count; k++)
    if (halo[2 * k] != none) nodes[halo[2 * k]] = q[k];
}

INLINE void read_patch(int d, const uint32_t *halo, const quad *nodes, patch *p)
{
  const uint32_t side = d == 2 ? 9 : 5;
  for (uint32_t z = 0; z < (d == 2 ? 1 : side); z++)
    for (uint32_t y = 0; y < side; y++, halo += side) {
      const size_t even = in_patch(d, 0, y, z), odd = in_patch(d, 1, y, z);
      read_half_row(halo, d == 2 ? 4 : 3, nodes, p, even);
      read_half_row(halo + 1, d == 2 ? 4 : 2, nodes, p, odd);
      for (int c = 0; d == 2 && c < 4; c++) p->u[c][even + 4] = nodes[halo[8]][c];
    }
}

INLINE void write_patch(int d, const uint32_t *halo, quad *nodes, uint32_t none, const patch *p)
{
  const uint32_t side = d == 2 ? 9 : 5;
  for (uint32_t z = 0; z < (d == 2 ? 1 : side); z++)
    for (uint32_t y = 0; y < side; y++, halo += side) {
      const size_t even = in_patch(d, 0, y, z), odd = in_patch(d, 1, y, z);
      write_half_row(halo, d == 2 ? 4 : 3, nodes, none, p, even);
      write_half_row(halo + 1, d == 2 ? 4 : 2, nodes, none, p, odd);
      if (d == 2 && halo[8] != none) nodes[halo[8]] = (quad){p->u[0][even + 4], p->u[1][even + 4], p->u[2][even + 4], p->u[3][even + 4]};
    }
}
