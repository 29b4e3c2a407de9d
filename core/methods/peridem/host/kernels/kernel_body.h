/** The kernels, to be included once per set of instructions, after the set is chosen, with
 *    WIDTH            2, 4 or 8: doubles in a register
 *    vec              a vector of as many doubles
 *    fused(a, b, c)   a b + c, rounded once
 *    fused_less(a, b, c)   c - a b, rounded once
 *    gathered(p, k)   p[k[0]], p[k[1]], ...
 *    kept(a, lanes)   a in the lanes whose bit is set, else 0; `lanes` may have higher bits
 *    beyond(a, b)     bits of the lanes where a > b
 *    flagged(k)       bits of those of eight numbers whose high bit is set
 *    pick(k, lanes, to)   writes those of eight numbers whose bit is set, in their order, and may write eight; @return how many
 *    KERNELS, KERNEL_NAME   of the table defined
 *  Eight lanes are PARTS registers, always gone through in order: the bits don't depend on WIDTH. */
#include <math.h>
#include <string.h>

enum { PARTS = PD_LANES / WIDTH };

typedef uint64_t bits __attribute__((vector_size(8 * WIDTH)));

typedef struct three {
  vec x[PARTS], y[PARTS], z[PARTS];
} three;

#define FOR_PARTS(p) _Pragma("GCC unroll 4") for (int p = 0; p < PARTS; p++)

INLINE vec all(double value)
{
  return value - (vec){0}; /* not 0 + value, which is another number for -0 */
}

INLINE vec size_of(vec a)
{
  return (vec)((bits)a & 0x7fffffffffffffffu);
}

INLINE vec load(const double *from)
{
  vec v;
  memcpy(&v, from, sizeof v);
  return v;
}

INLINE void store(double *to, vec v)
{
  memcpy(to, &v, sizeof v);
}

/* 1 / sqrt(a), a > 0, within two units in the last place; finite and meaningless for 0. The integer estimate is wrong by up to 3.5 %; the
 * cubic with the least largest error takes that to 7.5e-7, two terms of the series of 1 / sqrt(1 - h) to 1e-18. No instruction's own
 * estimate is used: those differ between makers of processors. Root and division take three times as long (AVX-512). */
INLINE vec inverse_root(vec a)
{
  vec y = (vec)(0x5FE6EB50C7B537A9u - ((bits)a >> 1));
  vec h = fused_less(a * y, y, all(1));
  vec p =
      fused(fused(fused(all(0.3130542674010745), h, all(0.37627937880251372)), h, all(0.50000042357363228)), h, all(0.99999925319443317));
  y = y * p;
  h = fused_less(a * y, y, all(1));
  return fused(y * h, fused(all(0.375), h, all(0.5)), y);
}

INLINE vec square_of(vec x, vec y, vec z)
{
  return fused(x, x, fused(y, y, z * z));
}

/* Sum of eight lanes by halves. */
INLINE double lane_sum(const vec v[PARTS])
{
  double lane[PD_LANES];
  FOR_PARTS(p) store(lane + WIDTH * p, v[p]);
  for (int c = 0; c < 4; c++) lane[c] += lane[c + 4];
  return (lane[0] + lane[2]) + (lane[1] + lane[3]);
}

/* Slots k ... k + 7 of a row, of which those of `live` are in it: adds to the row's sums. @return whether one is beyond the limit */
INLINE unsigned row_part(const pd_row_task *task, size_t k, unsigned live, const double at[3], three *sum)
{
  const pd_bonds *bonds = task->bonds;
  unsigned torn = 0;
  FOR_PARTS(p)
  {
    const size_t slot = k + (size_t)(WIDTH * p);
    const uint32_t *other = bonds->other + slot;
    vec dx = gathered(task->position[0], other) - at[0], dy = gathered(task->position[1], other) - at[1],
        dz = gathered(task->position[2], other) - at[2];
    vec y = inverse_root(square_of(dx, dy, dz)), per_length = load(bonds->inverse_length + slot), f = per_length - y;
    if (bonds->weight) f = f * load(bonds->weight + slot);
    torn |= beyond(per_length, y * task->limit) & live >> WIDTH * p & ((1u << WIDTH) - 1);
    f = kept(f, live >> WIDTH * p);
    sum->x[p] = fused(f, dx, sum->x[p]);
    sum->y[p] = fused(f, dy, sum->y[p]);
    sum->z[p] = fused(f, dz, sum->z[p]);
  }
  return torn;
}

static size_t rows(const pd_row_task *task)
{
  const pd_bonds *bonds = task->bonds;
  size_t torn_count = 0;
  for (size_t i = task->begin; i < task->end; i++) {
    const double at[3] = {task->position[0][i], task->position[1][i], task->position[2][i]};
    size_t k = bonds->first[i], end = k + bonds->count[i];
    three sum = {0};
    unsigned torn = 0;
    for (; k + PD_LANES <= end; k += PD_LANES) torn |= row_part(task, k, 0xff, at, &sum);
    if (k < end) torn |= row_part(task, k, (1u << (end - k)) - 1, at, &sum);
    task->force[0][i] = task->stiffness * lane_sum(sum.x);
    task->force[1][i] = task->stiffness * lane_sum(sum.y);
    task->force[2][i] = task->stiffness * lane_sum(sum.z);
    if (torn) task->torn[i] = 1;
    torn_count += torn != 0;
  }
  return torn_count;
}

/* With roots to the last bit: the stretch is a small difference. */
static double energy(const pd_row_task *task)
{
  const pd_bonds *bonds = task->bonds;
  double total = 0;
  for (size_t i = task->begin; i < task->end; i++) {
    const double at[3] = {task->position[0][i], task->position[1][i], task->position[2][i]};
    vec sum[PARTS] = {0};
    for (size_t k = bonds->first[i], end = k + bonds->count[i]; k < end; k += PD_LANES) {
      unsigned live = end - k < PD_LANES ? (1u << (end - k)) - 1 : 0xff;
      FOR_PARTS(p)
      {
        const size_t slot = k + (size_t)(WIDTH * p);
        const uint32_t *other = bonds->other + slot;
        vec r = square_of(gathered(task->position[0], other) - at[0], gathered(task->position[1], other) - at[1],
                          gathered(task->position[2], other) - at[2]);
        for (int c = 0; c < WIDTH; c++) r[c] = sqrt(r[c]);
        vec per_length = load(bonds->inverse_length + slot), s = r * per_length - 1;
        if (bonds->weight)
          s = s * s * load(bonds->weight + slot);
        else
          s = s * s;
        sum[p] += kept(s / per_length, live >> WIDTH * p);
      }
    }
    total += lane_sum(sum);
  }
  return total;
}

/* What an entry's bonds have in common: weight and length; length; length, and none has been broken, so that lanes without a bond have
 * weight 0. */
typedef enum run_form { ALIKE, VARIED, VARIED_WHOLE } run_form;

/* w (1/L - 1/r) of the lanes of an entry of class `kind`, from r^2. */
INLINE vec run_factor(const pd_run_task *task, uint32_t kind, size_t lane, run_form form, vec r2, vec *limit)
{
  if (form != ALIKE) {
    const pd_lane_class *of = &task->lane_kind[kind];
    *limit = all(of->limit);
    return load(of->weight + lane) * (all(of->inverse_length) - inverse_root(r2));
  }
  const pd_bond_class *of = &task->kind[kind];
  *limit = all(of->limit);
  return fused_less(all(of->weight), inverse_root(r2), all(of->per_length));
}

/* One vector's entries. 24 loads and stores of lanes and 24 flops a bond, nothing of it per lane: 8 bytes stream by for up to eight bonds;
 * with weights of their own a flop more, and 80 bytes, which come from memory at most (equal classes are one). */
INLINE void run_vector(const pd_run_task *task, size_t v, run_form form)
{
  const double *restrict px = task->position[0], *restrict py = task->position[1], *restrict pz = task->position[2];
  double *restrict fx = task->force[0], *restrict fy = task->force[1], *restrict fz = task->force[2];
  const size_t from = task->from, i = task->near[v] - from;
  three at, sum = {0};
  FOR_PARTS(p)
  {
    at.x[p] = load(px + i + WIDTH * p);
    at.y[p] = load(py + i + WIDTH * p);
    at.z[p] = load(pz + i + WIDTH * p);
  }
  for (const pd_run_entry *entry = task->entry + task->first[v], *end = task->entry + task->first[v + 1]; entry < end; entry++) {
    const uint32_t lanes = entry->kind & 0xff;
    const uint32_t kind = entry->kind >> 8;
    if (form != ALIKE) {
      const pd_lane_class *soon = &task->lane_kind[entry[PD_SPARE_ENTRIES].kind >> 8];
      __builtin_prefetch(soon);
      __builtin_prefetch(soon->weight + PD_LANES - 1);
    }
    const size_t j = entry->far - from;
    unsigned torn = 0;
    FOR_PARTS(p)
    {
      const size_t lane = (size_t)(WIDTH * p);
      vec dx = load(px + j + lane) - at.x[p], dy = load(py + j + lane) - at.y[p], dz = load(pz + j + lane) - at.z[p];
      vec limit, r2 = square_of(dx, dy, dz), f = run_factor(task, kind, lane, form, r2, &limit);
      if (form != VARIED_WHOLE) f = kept(f, lanes >> lane);
      torn |= beyond(r2, limit) << lane;
      sum.x[p] = fused(f, dx, sum.x[p]);
      sum.y[p] = fused(f, dy, sum.y[p]);
      sum.z[p] = fused(f, dz, sum.z[p]);
      store(fx + j + lane, fused_less(f, dx, load(fx + j + lane)));
      store(fy + j + lane, fused_less(f, dy, load(fy + j + lane)));
      store(fz + j + lane, fused_less(f, dz, load(fz + j + lane)));
    }
    if (__builtin_expect(torn & lanes, 0)) task->torn(task, v, entry, torn & lanes);
  }
  FOR_PARTS(p)
  {
    store(fx + i + WIDTH * p, load(fx + i + WIDTH * p) + sum.x[p]);
    store(fy + i + WIDTH * p, load(fy + i + WIDTH * p) + sum.y[p]);
    store(fz + i + WIDTH * p, load(fz + i + WIDTH * p) + sum.z[p]);
  }
}

static void runs(const pd_run_task *task)
{
  if (!task->lane_kind)
    for (size_t v = task->begin; v < task->end; v++) run_vector(task, v, ALIKE);
  else if (task->whole)
    for (size_t v = task->begin; v < task->end; v++) run_vector(task, v, VARIED_WHOLE);
  else
    for (size_t v = task->begin; v < task->end; v++) run_vector(task, v, VARIED);
}

static size_t within(const uint32_t *other, size_t count, const double *const position[3], const double at[3], double radius,
                     uint32_t *chosen)
{
  const double limit = radius * radius * (1 + 1e-12);
  uint32_t live[64 + PD_LANES];
  size_t found = 0;
  for (size_t k = 0; k < count;) {
    size_t some = 0;
    for (size_t most = k + 64 < count ? k + 64 : count; k < most; k += PD_LANES)
      some += pick(other + k, ~flagged(other + k) & (most - k < PD_LANES ? (1u << (most - k)) - 1 : 0xff), live + some);
    for (size_t n = 0; n < some; n += PD_LANES) {
      unsigned far = 0, real = some - n < PD_LANES ? (1u << (some - n)) - 1 : 0xff;
      for (size_t c = some; c < n + PD_LANES; c++) live[c] = live[n]; /* what is read beyond the last */
      FOR_PARTS(p)
      {
        const uint32_t *index = live + n + WIDTH * p;
        vec r2 =
            square_of(gathered(position[0], index) - at[0], gathered(position[1], index) - at[1], gathered(position[2], index) - at[2]);
        far |= beyond(all(limit), r2) << WIDTH * p;
      }
      found += pick(live + n, far & real, chosen + found);
    }
  }
  return found;
}

static size_t below(const double *const position[3], size_t begin, size_t end, const double normal[3], double offset, double reach,
                    uint32_t *chosen)
{
  size_t found = 0;
  for (size_t i = begin; i < end; i += PD_LANES) {
    unsigned near = 0;
    FOR_PARTS(p)
    {
      const size_t k = i + (size_t)(WIDTH * p);
      vec x = load(position[0] + k) * normal[0], y = load(position[1] + k) * normal[1], z = load(position[2] + k) * normal[2];
      vec size = size_of(x) + size_of(y) + size_of(z); /* of what the distance is the difference: bounds its rounding */
      near |= beyond(size * 1e-14 + (offset + reach + 1e-14 * (offset < 0 ? -offset : offset)), x + y + z) << WIDTH * p;
    }
    if (end - i < PD_LANES) near &= (1u << (end - i)) - 1;
    for (; near; near &= near - 1) chosen[found++] = (uint32_t)(i + (size_t)__builtin_ctz(near));
  }
  return found;
}

const pd_kernels KERNELS = {.name = KERNEL_NAME, .rows = rows, .energy = energy, .runs = runs, .within = within, .below = below};
