/** The kernel of bond_batch.h, to be included once per instruction set, after the set is chosen by `#pragma GCC target`, with
 *    BATCH_WIDTH   2, 4 or 8: doubles in a register
 *    BATCH_KERNEL  name of the function defined, a batch_kernel
 *  and, where the set has them, BATCH_ROOT_ESTIMATE and BATCH_RECIPROCAL_ESTIMATE (see roots_of) and BATCH_ANY: whether a mask has bits.
 *  Vectors are those of GCC and Clang: the compiler lowers them to the set chosen, whatever it is. A batch is done in 8/BATCH_WIDTH
 *  passes. */

#define INLINE static inline __attribute__((always_inline))

typedef double vec __attribute__((vector_size(8 * BATCH_WIDTH)));
typedef int64_t mask __attribute__((vector_size(8 * BATCH_WIDTH)));
typedef uint64_t bit_mask __attribute__((vector_size(8 * BATCH_WIDTH)));

typedef struct vec_3 {
  vec x, y, z;
} vec_3;

typedef struct vec_quat {
  vec x, y, z, w;
} vec_quat;

/* One end of as many bonds as fit. */
typedef struct vec_end {
  vec_3 position;
  vec_quat orientation;
} vec_end;

/* What the bonds give: forces on the far ends, torques on both, world axes. */
typedef struct vec_result {
  vec_3 force, torque_near, torque_far;
} vec_result;

INLINE vec_3 add(vec_3 a, vec_3 b)
{
  return (vec_3){a.x + b.x, a.y + b.y, a.z + b.z};
}

INLINE vec_3 subtract(vec_3 a, vec_3 b)
{
  return (vec_3){a.x - b.x, a.y - b.y, a.z - b.z};
}

INLINE vec_3 scale(vec_3 a, vec s)
{
  return (vec_3){a.x * s, a.y * s, a.z * s};
}

INLINE vec dot(vec_3 a, vec_3 b)
{
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

INLINE vec_3 cross(vec_3 a, vec_3 b)
{
  return (vec_3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/* Root and inverse root of x, which are both zero for x = 0 and within a unit in the last place for others; 1/x. Where there are estimates
 * to 14 bits, the series of 1/sqrt(1 - e) and 1/(1 - e) in their error e makes them exact in a quarter of the time of root and division. */
#ifdef BATCH_ROOT_ESTIMATE
INLINE void roots_of(vec x, vec *root, vec *inverse)
{
  vec y = BATCH_ROOT_ESTIMATE(x), r = x * y, e = 1.0 - r * y, p = e * (0.5 + e * (0.375 + e * 0.3125));
  *root = r + r * p;
  *inverse = y + y * p;
}

INLINE vec reciprocal_of(vec x)
{
  vec y = BATCH_RECIPROCAL_ESTIMATE(x), e = 1.0 - x * y;
  return y + y * (e + e * (e + e * e));
}
#else
INLINE void roots_of(vec x, vec *root, vec *inverse)
{
  vec r = x;
  for (int m = 0; m < BATCH_WIDTH; ++m) r[m] = sqrt(x[m]);
  *root = r;
  *inverse = r / (x + 1e-300); /* lost in the rounding of any x but zero */
}

INLINE vec reciprocal_of(vec x)
{
  return 1.0 / x;
}
#endif

INLINE vec load(const double *from)
{
  vec r;
  memcpy(&r, from, sizeof r);
  return r;
}

INLINE void store(double *to, vec value)
{
  memcpy(to, &value, sizeof value);
}

/* theta/sin(theta) in s = 1 - cos(theta) <= 0.1: Chebyshev interpolation, 1e-17 off; Estrin's scheme has the fewest steps in a row. */
INLINE vec slope_polynomial(vec s)
{
  vec s2 = s * s, s4 = s2 * s2;
  vec low = (1.0 + 0.3333333333333248 * s) + s2 * (0.13333333333560174 + 0.05714285691063086 * s);
  vec high = (0.025396837284809858 + 0.01154367058182611 * s) + s2 * (0.005333724999219495 + 0.002430953025191639 * s);
  return low + s4 * (high + s4 * 0.0014539162192701424);
}

/* What depends on where the ends of as many bonds are, before what is stiff there. */
typedef struct vec_span {
  vec_3 direction;                             /* n; zero for empty lanes */
  vec length, inverse_length, cosine, inverse; /* l, 1/l (zero for empty lanes), q_i . q_j, 1/(1 + q_i . q_j) */
  vec_quat far;                                /* q_j */
} vec_span;

/* First stage of a bond's force. A lane that joins a sphere to itself has e = 0, and with it 1/l and all results are zero. */
INLINE vec_span span_of(const vec_end *near, const vec_end *far)
{
  vec_quat qi = near->orientation, qj = far->orientation;
  vec_span span = {.far = qj, .cosine = qi.x * qj.x + qi.y * qj.y + (qi.z * qj.z + qi.w * qj.w)};
  vec_3 e = subtract(far->position, near->position);
  roots_of(dot(e, e), &span.length, &span.inverse_length);
  span.inverse = reciprocal_of(1.0 + span.cosine);
  span.direction = scale(e, span.inverse_length);
  return span;
}

/* What a bond's force and its stress have in common. */
typedef struct vec_strain {
  vec_3 d, u;                      /* the turned rest direction, U */
  vec kf, shear, extension, along; /* kt theta/sin(theta), that over l, l - l0, U.d */
  vec x, s;                        /* n.d, 1 - n.d */
} vec_strain;

/* The rest direction turned by a = q_i + q_j of any length:
 *   d = d0 + 2/|a|^2 (w (v x d0) + v x (v x d0)),  v and w the parts of a,  |a|^2 = 2 (1 + q_i . q_j) */
INLINE vec_3 turned_direction(const batch_rest *rest, int at, const vec_quat *near, const vec_span *span)
{
  vec_quat qi = *near, qj = span->far;
  vec_3 d0 = {load(&rest->direction[0][at]), load(&rest->direction[1][at]), load(&rest->direction[2][at])};
  vec_3 a = {qi.x + qj.x, qi.y + qj.y, qi.z + qj.z}, across = cross(a, d0), twice = cross(a, across);
  return add(d0, scale(add(scale(across, qi.w + qj.w), twice), span->inverse));
}

/* U = vec(q_i conj(q_j)), formed from the difference q_i - q_j: exact for small turns. */
INLINE vec_3 relative_turn(const vec_quat *near, const vec_span *span)
{
  vec_quat qi = *near, qj = span->far;
  vec_3 v = {qj.x, qj.y, qj.z}, dv = {qi.x - qj.x, qi.y - qj.y, qi.z - qj.z};
  return add(subtract(scale(dv, qj.w), scale(v, qi.w - qj.w)), cross(v, dv));
}

/* @param x n.d */
INLINE vec_strain strain_of(vec_3 d, vec_3 u, vec x, const batch_rest *rest, const batch_stiffness *k, int at, const vec_span *span)
{
  vec s = 1.0 - x, kf = load(&k->shear[at]) * slope_polynomial(s);
  return (vec_strain){.d = d,
                      .u = u,
                      .kf = kf,
                      .shear = kf * span->inverse_length,
                      .extension = span->length - load(&rest->length[at]),
                      .along = dot(u, d),
                      .x = x,
                      .s = s};
}

/* Bonds that bdem_bond_force_of must do: turned by more than 0.45 rad, which is beyond the polynomial, or with quaternions of opposite
 * sign, 1/(1 + q_i . q_j) > 1, or rounded beyond: negative or infinite. The bits of all these, read as a number, are above those of 1. */
INLINE mask unusual_of(const vec_strain *strain, const vec_span *span)
{
  return ((mask)(strain->s > 0.1) & (mask)(span->length > 0.0)) | (mask)((bit_mask)span->inverse > 0x3ff0000000000000u);
}

/* Bonds for which `strained_of` has to look closer. With a and b the shares of strength that tension and bending take, and c and d those of
 * shear force and torsion, a + b < sqrt(2 (a^2 + b^2)) and so for c, d: none is above its strength when the sum of all squares is below
 * 0.49. `turning` times |U|^2 is more than b^2 and d^2. The squares of sines, of the shear angle and |U|^2, are below twice one minus the
 * cosine; 1e-14 is for the rounding of that. */
INLINE mask loaded_of(const batch_stiffness *k, int at, const vec_strain *strain, vec cosine)
{
  vec a = load(&k->tension[at]) * strain->extension, c = load(&k->sliding[at]) * strain->shear;
  a = (vec)((mask)a & (mask)(a > 0.0));
  return (mask)(0.5 * a * a + c * c * (strain->s + 1e-14) + load(&k->turning[at]) * ((1.0 + 1e-14) - cosine) > 0.245);
}

/* As bdem_bond_force_of. Sections are round, so A is bend I + excess d d^T in the world's axes too, and U is there the relative turn. With
 * h = d x n and W = A U / 2 = b U + e (U.d) d (bond.h's P, U its -rho):
 *   torque_i = g - T,  torque_j = g + T,  g = c h,  c = kt/2 theta/sin(theta),  T = W + r (g x U - U (U.W)),  r = 1/(1 + q_i . q_j)
 * As h x U = n (U.d) - d (U.n) and r U.U = 1 - q_i . q_j,
 *   T = (b q_i . q_j - r e (U.d)^2) U + (e (U.d) - r c (U.n)) d + r c (U.d) n */
INLINE vec_result force_of(const vec_strain *s, const batch_stiffness *k, int at, const vec_span *span)
{
  vec_3 n = span->direction, h = cross(s->d, n);
  vec_3 force = subtract(scale(s->d, s->shear), scale(n, load(&k->stretch[at]) * s->extension + s->x * s->shear));
  vec c = 0.5 * s->kf, rc = c * span->inverse, twist = load(&k->excess[at]) * s->along;
  vec on_u = load(&k->bend[at]) * span->cosine - twist * s->along * span->inverse;
  vec on_d = twist - rc * dot(s->u, n), on_n = rc * s->along;
  vec_3 t = add(add(scale(n, on_n), scale(s->d, on_d)), scale(s->u, on_u));
  return (vec_result){.force = force, .torque_near = subtract(scale(h, c), t), .torque_far = add(scale(h, c), t)};
}

#define SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)

/* Rows become columns: v[m] element k and v[k] element m change places. */
INLINE void transpose(vec v[BATCH_WIDTH])
{
#if BATCH_WIDTH == 8
  vec pairs[8]; /* of elements 2 c, 2 c + 1 in rows 0, 2, 4, 6 (pairs[c]) and 1, 3, 5, 7 (pairs[4 + c]) */
  for (int odd = 0; odd < 2; ++odd) {
    vec a = SHUFFLE(v[odd], v[2 + odd], 0, 1, 2, 3, 8, 9, 10, 11), b = SHUFFLE(v[4 + odd], v[6 + odd], 0, 1, 2, 3, 8, 9, 10, 11);
    vec c = SHUFFLE(v[odd], v[2 + odd], 4, 5, 6, 7, 12, 13, 14, 15), d = SHUFFLE(v[4 + odd], v[6 + odd], 4, 5, 6, 7, 12, 13, 14, 15);
    pairs[4 * odd] = SHUFFLE(a, b, 0, 1, 4, 5, 8, 9, 12, 13);
    pairs[4 * odd + 1] = SHUFFLE(a, b, 2, 3, 6, 7, 10, 11, 14, 15);
    pairs[4 * odd + 2] = SHUFFLE(c, d, 0, 1, 4, 5, 8, 9, 12, 13);
    pairs[4 * odd + 3] = SHUFFLE(c, d, 2, 3, 6, 7, 10, 11, 14, 15);
  }
  for (int c = 0; c < 4; ++c) {
    v[2 * c] = SHUFFLE(pairs[c], pairs[4 + c], 0, 8, 2, 10, 4, 12, 6, 14);
    v[2 * c + 1] = SHUFFLE(pairs[c], pairs[4 + c], 1, 9, 3, 11, 5, 13, 7, 15);
  }
#elif BATCH_WIDTH == 4
  vec a = SHUFFLE(v[0], v[1], 0, 4, 2, 6), b = SHUFFLE(v[0], v[1], 1, 5, 3, 7);
  vec c = SHUFFLE(v[2], v[3], 0, 4, 2, 6), d = SHUFFLE(v[2], v[3], 1, 5, 3, 7);
  v[0] = SHUFFLE(a, c, 0, 1, 4, 5), v[1] = SHUFFLE(b, d, 0, 1, 4, 5);
  v[2] = SHUFFLE(a, c, 2, 3, 6, 7), v[3] = SHUFFLE(b, d, 2, 3, 6, 7);
#else
  vec a = SHUFFLE(v[0], v[1], 0, 2), b = SHUFFLE(v[0], v[1], 1, 3);
  v[0] = a, v[1] = b;
#endif
}

INLINE vec_end load_ends(const double *restrict state, const uint32_t *restrict at)
{
  vec v[8];
  for (int g = 0; g < 8; g += BATCH_WIDTH) {
    for (int m = 0; m < BATCH_WIDTH; ++m) v[g + m] = load(state + at[m] + g);
    transpose(v + g);
  }
  return (vec_end){.position = {v[0], v[1], v[2]}, .orientation = {v[4], v[5], v[6], v[7]}};
}

/* Adds to the rows one after the other: several lanes may have the same row. */
INLINE void add_to_rows(const vec_3 *force, const vec_3 *torque, const uint32_t *restrict at, double *restrict sum)
{
  vec zero = {0}, v[8] = {force->x, force->y, force->z, torque->x, torque->y, torque->z, zero, zero};
  for (int g = 0; g < 8; g += BATCH_WIDTH) {
    transpose(v + g);
    for (int m = 0; m < BATCH_WIDTH; ++m) {
      double *to = sum + at[m] + g;
      store(to, load(to) + v[g + m]);
    }
  }
}

#ifndef BATCH_ANY
INLINE bool any(mask a)
{
  int64_t r = 0;
  for (int m = 0; m < BATCH_WIDTH; ++m) r |= a[m];
  return r != 0;
}
#define BATCH_ANY any
#endif

/* The scalar formula for flagged lanes. */
static void recompute_exact(const batch_rest *rest, const batch_stiffness *k, int at, const uint32_t *near, const uint32_t *far,
                            const batch_state *state, const mask *unusual, vec_result *result)
{
  for (int m = 0; m < BATCH_WIDTH; ++m) {
    if (!(*unusual)[m]) continue;
    bdem_bond_force f = batch_scalar_force(rest, k, at + m, &state[near[m] / BATCH_ROW], &state[far[m] / BATCH_ROW]);
    result->force.x[m] = f.force_j.x, result->force.y[m] = f.force_j.y, result->force.z[m] = f.force_j.z;
    result->torque_near.x[m] = f.torque_i.x, result->torque_near.y[m] = f.torque_i.y, result->torque_near.z[m] = f.torque_i.z;
    result->torque_far.x[m] = f.torque_j.x, result->torque_far.y[m] = f.torque_j.y, result->torque_far.z[m] = f.torque_j.z;
  }
}

/* One bit per lane. */
INLINE unsigned bits(const mask *a)
{
  unsigned r = 0;
  for (int m = 0; m < BATCH_WIDTH; ++m) r |= (unsigned)((*a)[m] != 0) << m;
  return r;
}

/* Whether stress may be above strength (bdem_bond_stress_of), without roots: a sum a + sqrt(b) is above 1 when a is, or when b is above
 * (1 - a)^2. 1e-6 covers the rounding of across = |U across d|^2. One bit per lane; unusual ones always have theirs. */
static unsigned strained_of(const batch_rest *rest, const batch_stiffness *k, int at, const vec_quat *near, const vec_span *span)
{
  vec_3 d = turned_direction(rest, at, near, span), h = cross(d, span->direction);
  vec_strain s = strain_of(d, relative_turn(near, span), dot(d, span->direction), rest, k, at, span);
  vec across = dot(s.u, s.u) - s.along * s.along, torsion = load(&k->torsion[at]) * s.along, sliding = load(&k->sliding[at]) * s.shear;
  vec bending = load(&k->bending[at]), tensile_left = (1.0 - 1e-6) - load(&k->tension[at]) * s.extension;
  vec shear_left = (1.0 - 1e-6) - (vec)((mask)torsion & INT64_MAX); /* its magnitude */
  mask above = (mask)(tensile_left < 0.0) | (mask)(bending * bending * across > tensile_left * tensile_left) | (mask)(shear_left < 0.0) |
               (mask)(sliding * sliding * dot(h, h) > shear_left * shear_left) | unusual_of(&s, span);
  return bits(&above);
}

/* Batches ahead of the present one whose constants are asked for: the processor by itself stops at every page. */
enum { AHEAD = 8 };

INLINE void fetch_lines(const void *from, size_t size)
{
  for (size_t line = 0; line < size; line += 64) __builtin_prefetch((const char *)from + line, 0, 3);
}

INLINE void fetch_ahead(const bdem_batches *t, size_t batch, bool breakable)
{
  size_t ahead = batch + AHEAD < t->batch_count ? batch + AHEAD : batch;
  fetch_lines(&t->rest[ahead], sizeof *t->rest);
  fetch_lines(&t->far[ahead], sizeof *t->far);
  if (t->stiffness_of[ahead] != t->stiffness_of[batch])
    fetch_lines(&t->stiffness[t->stiffness_of[ahead]], breakable ? offsetof(batch_stiffness, bending) : offsetof(batch_stiffness, tension));
}

/* The near ends of a chunk. */
typedef struct vec_chunk {
  vec_end end;
  uint32_t rows[BATCH_WIDTH];
} vec_chunk;

/* Lanes `at` ... of a chunk of block `index`. */
INLINE void load_chunk(const bdem_batches *t, size_t index, size_t chunk, int at, const batch_state *state, vec_chunk *near)
{
  uint32_t row = (uint32_t)(BATCH_LANES * (chunk - t->block[index].first_chunk)) + (uint32_t)at;
  for (int m = 0; m < BATCH_WIDTH; ++m) near->rows[m] = BATCH_ROW * (row + (uint32_t)m);
  near->end = load_ends(&state->position.x, near->rows);
}

/* Lanes of a batch that need more attention than force_of gave them: `unusual` ones and, when bonds are breakable, strained ones. */
static __attribute__((noinline)) void recompute_rare_lanes(const bdem_batches *t, size_t batch, int at, const vec_chunk *near,
                                                           const vec_span *span, const batch_state *state, const mask *unusual,
                                                           vec_result *result)
{
  const batch_rest *rest = &t->rest[batch];
  const batch_stiffness *k = &t->stiffness[t->stiffness_of[batch]];
  if (t->breakable) t->strained[batch] |= (uint8_t)(strained_of(rest, k, at, &near->end.orientation, span) << at);
  recompute_exact(rest, k, at, near->rows, t->far[batch] + at, state, unusual, result);
}

/* Lanes `at` ... of the chunks `begin` ... `end` - 1 as on an assembly line: while the force of one batch is computed, the far ends of the
 * next are gathered and the results of the one before are scattered. One batch by itself is a single chain of some 150 cycles; what belongs
 * to different batches does not wait for each other. It is mixed in the order that was the fastest of those possible. */
INLINE void evaluate_lanes(const bdem_batches *t, size_t index, size_t begin, size_t end, int at, bool breakable,
                           const batch_state *restrict state, batch_sum *restrict sum)
{
  const double *from = &state->position.x;
  double *to = &sum->force.x;
  const vec_3 zero = {{0}, {0}, {0}};
  size_t batch = t->first_batch[begin], last = t->first_batch[end];
  if (batch == last) return;
  vec_chunk near, next_near;
  load_chunk(t, index, begin, at, state, &next_near);
  vec_end first = load_ends(from, t->far[batch] + at);
  vec_span span = span_of(&next_near.end, &first);
  vec_3 gone_force = zero, gone_torque = zero; /* of the batch before, still to be added to gone_rows */
  const uint32_t *gone_rows = t->far[batch] + at;
  for (size_t chunk = begin; batch < last; ++chunk) { /* chunks without bonds are the last */
    vec_3 force = zero, torque = zero;
    near = next_near;
    for (size_t chunk_end = t->first_batch[chunk + 1]; batch < chunk_end; ++batch) {
      const batch_rest *rest = &t->rest[batch];
      const batch_stiffness *stiffness = &t->stiffness[t->stiffness_of[batch]];
      size_t next = batch + 1 < last ? batch + 1 : batch;
      if (next == chunk_end) load_chunk(t, index, chunk + 1, at, state, &next_near);
      if (at == 0) fetch_ahead(t, batch, breakable);
      vec_3 d = turned_direction(rest, at, &near.end.orientation, &span);
      vec_end far = load_ends(from, t->far[next] + at);
      vec_3 u = relative_turn(&near.end.orientation, &span);
      vec x = dot(d, span.direction);
      add_to_rows(&gone_force, &gone_torque, gone_rows, to);
      vec_strain strain = strain_of(d, u, x, rest, stiffness, at, &span);
      vec_span next_span = span_of(&next_near.end, &far);
      mask unusual = unusual_of(&strain, &span), special = breakable ? unusual | loaded_of(stiffness, at, &strain, span.cosine) : unusual;
      vec_result result = force_of(&strain, stiffness, at, &span);
      if (breakable && at == 0) t->strained[batch] = 0;
      if (__builtin_expect(BATCH_ANY(special), 0)) { /* by copies, so that all stay in registers otherwise */
        vec_result exact = result;
        mask which = unusual;
        vec_span where = span;
        recompute_rare_lanes(t, batch, at, &near, &where, state, &which, &exact);
        result = exact;
      }
      force = subtract(force, result.force);
      torque = add(torque, result.torque_near);
      gone_force = result.force, gone_torque = result.torque_far, gone_rows = t->far[batch] + at;
      span = next_span;
    }
    add_to_rows(&force, &torque, near.rows, to);
  }
  add_to_rows(&gone_force, &gone_torque, gone_rows, to);
}

INLINE void evaluate_chunks(const bdem_batches *t, size_t index, size_t begin, size_t end, bool breakable, const batch_state *state,
                            batch_sum *sum)
{
  for (int at = 0; at < BATCH_LANES; at += BATCH_WIDTH) evaluate_lanes(t, index, begin, end, at, breakable, state, sum);
}

void BATCH_KERNEL(const bdem_batches *t, size_t index, size_t begin, size_t end, const batch_state *state, batch_sum *sum)
{
  if (t->breakable)
    evaluate_chunks(t, index, begin, end, true, state, sum);
  else
    evaluate_chunks(t, index, begin, end, false, state, sum);
}
