/* Bond forces, the hot loop, and the breaking of bonds.
 *
 *   F_i = sum_j k w s d / r,   d = x_j - x_i,  r = |d|,  s = r / L - 1,  k = c V^2      (bond-based peridynamics; spec 3.1)
 *
 * Per directed bond 12 bytes stream by (far node 4, 1 / L 8; 20 with weights) and about 25 flops with one square root are done; positions
 * of a grain stay in cache. Both ends compute the same s to the last bit, since d only changes its sign: both drop a torn bond together,
 * and forces are equal and opposite. */
#include "methods/peridem/host/bond_force.h"

#include <string.h>

#include "base/memory.h"

/* One row, written so that the compiler turns it into vector code for whatever target it is inlined into. */
static inline __attribute__((always_inline)) int row_force(const double *restrict px, const double *restrict py, const double *restrict pz,
                                                           size_t i, const uint32_t *restrict other, const double *restrict inverse_length,
                                                           const double *restrict weight, uint32_t count, double critical, double sum[3])
{
  const double x = px[i], y = py[i], z = pz[i];
  double fx = 0, fy = 0, fz = 0;
  int torn = 0;
  if (weight) {
#pragma omp simd reduction(+ : fx, fy, fz) reduction(| : torn)
    for (uint32_t k = 0; k < count; k++) {
      int32_t j = (int32_t)other[k];
      double dx = px[j] - x, dy = py[j] - y, dz = pz[j] - z;
      double r = sqrt(dx * dx + dy * dy + dz * dz), s = r * inverse_length[k] - 1.0, f = weight[k] * s / r;
      torn |= s > critical;
      fx += f * dx;
      fy += f * dy;
      fz += f * dz;
    }
  } else {
    /* s / r = 1 / L - 1 / r: one division and no multiplication more */
#pragma omp simd reduction(+ : fx, fy, fz) reduction(| : torn)
    for (uint32_t k = 0; k < count; k++) {
      int32_t j = (int32_t)other[k];
      double dx = px[j] - x, dy = py[j] - y, dz = pz[j] - z;
      double r = sqrt(dx * dx + dy * dy + dz * dz), s = r * inverse_length[k] - 1.0, f = s / r;
      torn |= s > critical;
      fx += f * dx;
      fy += f * dy;
      fz += f * dz;
    }
  }
  sum[0] = fx;
  sum[1] = fy;
  sum[2] = fz;
  return torn;
}

static inline __attribute__((always_inline)) size_t rows_force(const pd_state *s, const pd_grain *grain, size_t begin, size_t end,
                                                               unsigned char *torn)
{
  const pd_host *h = s->host;
  const pd_body *body = &s->bodies[grain->body];
  const pd_bonds *bonds = grain->bonds;
  const double *px = h->position.x + grain->first, *py = h->position.y + grain->first, *pz = h->position.z + grain->first;
  size_t torn_count = 0;
  for (size_t i = begin; i < end; i++) {
    size_t k = i - grain->first;
    uint32_t first = bonds->first[k];
    double sum[3];
    int row_torn = row_force(px, py, pz, k, bonds->other + first, bonds->inverse_length + first,
                             bonds->weight ? bonds->weight + first : NULL, bonds->count[k], body->critical_stretch, sum);
    h->force.x[i] = body->stiffness * sum[0];
    h->force.y[i] = body->stiffness * sum[1];
    h->force.z[i] = body->stiffness * sum[2];
    torn[i - begin] = row_torn != 0;
    torn_count += row_torn != 0;
  }
  return torn_count;
}

static size_t rows_portable(const pd_state *s, const pd_grain *grain, size_t begin, size_t end, unsigned char *torn)
{
  return rows_force(s, grain, begin, end, torn);
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static size_t rows_avx2(const pd_state *s, const pd_grain *grain, size_t begin, size_t end,
                                                        unsigned char *torn)
{
  return rows_force(s, grain, begin, end, torn);
}

__attribute__((target("avx512f,avx512vl,avx512dq,prefer-vector-width=512"))) static size_t
rows_avx512(const pd_state *s, const pd_grain *grain, size_t begin, size_t end, unsigned char *torn)
{
  return rows_force(s, grain, begin, end, torn);
}
#endif

pd_row_kernel pd_row_kernel_portable(void)
{
  return rows_portable;
}

pd_row_kernel pd_row_kernel_best(void)
{
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq")) return rows_avx512;
  if (__builtin_cpu_supports("avx2")) return rows_avx2;
#endif
  return rows_portable;
}

const char *pd_row_kernel_name(pd_row_kernel kernel)
{
#if defined(__x86_64__)
  if (kernel == rows_avx512) return "avx512";
  if (kernel == rows_avx2) return "avx2";
#endif
  return kernel == rows_portable ? "portable" : "unknown";
}

size_t pd_bond_pass(pd_state *s)
{
  pd_host *h = s->host;
  size_t torn_count = 0;
#pragma omp parallel for schedule(static) num_threads(s->threads) reduction(+ : torn_count)
  for (size_t b = 0; b < h->block_count; b++) {
    size_t begin = b * PD_BLOCK, last = begin + PD_BLOCK < s->node_count ? begin + PD_BLOCK : s->node_count;
    while (begin < last) { /* a block may hold parts of several grains */
      const pd_grain *grain = &h->grains[h->grain_of[begin]];
      size_t grain_end = grain->first + s->bodies[grain->body].node_count, end = grain_end < last ? grain_end : last;
      torn_count += h->row_kernel(s, grain, begin, end, h->torn + begin);
      begin = end;
    }
  }
  return torn_count;
}

bool pd_bonded(const pd_grain *grain, size_t i, size_t j)
{
  const pd_bonds *bonds = grain->bonds;
  size_t row = i - grain->first;
  uint32_t target = (uint32_t)(j - grain->first), low = bonds->first[row], high = low + bonds->count[row];
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (bonds->other[middle] < target)
      low = middle + 1;
    else
      high = middle;
  }
  return low < bonds->first[row] + bonds->count[row] && bonds->other[low] == target;
}

/* The pair i, j of the contact list is no longer joined. */
static void unmark_pair(pd_state *s, size_t i, size_t j)
{
  pd_host *h = s->host;
  for (uint32_t k = h->near.first[i]; k < h->near.first[i + 1]; k++)
    if (h->near.other[k] == ((uint32_t)j | PD_BONDED)) {
      h->near.other[k] = (uint32_t)j;
      return;
    }
}

static scr_status log_break(pd_state *s, size_t i, size_t j, double load, scr_error *error)
{
  const pd_vectors *p = &s->host->position;
  if (!s->log) return SCR_OK;
  break_entry entry = {.time = (double)(s->step) * s->time_step,
                       .step = s->step,
                       .a = (uint32_t)i,
                       .b = (uint32_t)j,
                       .mode = BREAK_STRETCH,
                       .load = load,
                       .position = {0.5 * (p->x[i] + p->x[j]), 0.5 * (p->y[i] + p->y[j]), 0.5 * (p->z[i] + p->z[j])}};
  return breaks_add(s->log, &entry, error);
}

/* Drops the torn bonds of one node; their energy, half at each end, goes to fracture. */
static scr_status break_row(pd_state *s, pd_grain *grain, size_t i, double *fracture, uint64_t *broken, scr_error *error)
{
  pd_host *h = s->host;
  const pd_body *body = &s->bodies[grain->body];
  pd_bonds *bonds = &grain->own;
  uint32_t row = (uint32_t)(i - grain->first);
  for (uint32_t k = bonds->first[row]; k < bonds->first[row] + bonds->count[row];) {
    size_t j = grain->first + bonds->other[k];
    double dx = h->position.x[j] - h->position.x[i], dy = h->position.y[j] - h->position.y[i], dz = h->position.z[j] - h->position.z[i];
    double stretch = sqrt(dx * dx + dy * dy + dz * dz) * bonds->inverse_length[k] - 1.0;
    if (!(stretch > body->critical_stretch)) {
      k++;
      continue;
    }
    double weight = bonds->weight ? bonds->weight[k] : 1.0;
    *fracture += 0.25 * body->stiffness * weight * stretch * stretch / bonds->inverse_length[k];
    if (i < j) {
      double f = body->stiffness * weight * stretch * bonds->inverse_length[k] / (stretch + 1.0); /* k w s / r */
      if (!mem_grow(&h->torn_bonds, &h->torn_bond_capacity, h->torn_bond_count + 1, sizeof *h->torn_bonds))
        return scr_fail_memory(error, "the bonds that broke", (h->torn_bond_count + 1) * sizeof *h->torn_bonds);
      h->torn_bonds[h->torn_bond_count++] = (pd_torn_bond){(uint32_t)i, (uint32_t)j, {f * dx, f * dy, f * dz}};
      ++*broken;
      SCR_TRY(log_break(s, i, j, stretch / body->critical_stretch, error));
    }
    if (!h->near.stale) unmark_pair(s, i, j);
    pd_bonds_remove(bonds, row, k);
  }
  return SCR_OK;
}

scr_status pd_break_bonds(pd_state *s, double *fracture, uint64_t *broken, scr_error *error)
{
  pd_host *h = s->host;
  for (size_t i = 0; i < s->node_count; i++) {
    if (!h->torn[i]) continue;
    pd_grain *grain = &h->grains[h->grain_of[i]];
    if (grain->bonds != &grain->own) {
      SCR_TRY(pd_bonds_copy(&grain->own, grain->bonds, error));
      grain->bonds = &grain->own;
      h->near.stale = true; /* the list left out this grain's bonded pairs, which may break from now on */
    }
    SCR_TRY(break_row(s, grain, i, fracture, broken, error));
  }
  return SCR_OK;
}

/* Twice the stored energy of the rows of nodes [begin, end), over k / 2: sum of w s^2 L. */
static inline __attribute__((always_inline)) double rows_energy(const pd_state *s, const pd_grain *grain, size_t begin, size_t end)
{
  const pd_host *h = s->host;
  const pd_bonds *bonds = grain->bonds;
  const double *restrict px = h->position.x + grain->first, *restrict py = h->position.y + grain->first,
                         *restrict pz = h->position.z + grain->first;
  double total = 0;
  for (size_t i = begin - grain->first; i < end - grain->first; i++) {
    const uint32_t *restrict other = bonds->other + bonds->first[i];
    const double *restrict inverse_length = bonds->inverse_length + bonds->first[i];
    const double *weight = bonds->weight ? bonds->weight + bonds->first[i] : NULL;
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (uint32_t k = 0; k < bonds->count[i]; k++) {
      int32_t j = (int32_t)other[k];
      double dx = px[j] - px[i], dy = py[j] - py[i], dz = pz[j] - pz[i];
      double stretch = sqrt(dx * dx + dy * dy + dz * dz) * inverse_length[k] - 1.0;
      sum += (weight ? weight[k] : 1.0) * stretch * stretch / inverse_length[k];
    }
    total += sum;
  }
  return total;
}

#if defined(__x86_64__)
__attribute__((target("avx512f,avx512vl,avx512dq,prefer-vector-width=512"))) static double
rows_energy_avx512(const pd_state *s, const pd_grain *grain, size_t begin, size_t end)
{
  return rows_energy(s, grain, begin, end);
}
#endif

static double block_energy(const pd_state *s, size_t begin, size_t last)
{
  const pd_host *h = s->host;
  double total = 0;
  while (begin < last) {
    const pd_grain *grain = &h->grains[h->grain_of[begin]];
    const pd_body *body = &s->bodies[grain->body];
    size_t grain_end = grain->first + body->node_count, end = grain_end < last ? grain_end : last;
    double sum;
#if defined(__x86_64__)
    if (h->row_kernel == rows_avx512)
      sum = rows_energy_avx512(s, grain, begin, end);
    else
#endif
      sum = rows_energy(s, grain, begin, end);
    total += 0.25 * body->stiffness * sum; /* 1/2 per bond, and each bond is seen from both ends */
    begin = end;
  }
  return total;
}

double pd_energy_elastic(const pd_state *s)
{
  const pd_host *h = s->host;
#pragma omp parallel for schedule(static) num_threads(s->threads)
  for (size_t b = 0; b < h->block_count; b++) {
    size_t begin = b * PD_BLOCK, last = begin + PD_BLOCK < s->node_count ? begin + PD_BLOCK : s->node_count;
    h->block_sums[b * PD_SUMS] = block_energy(s, begin, last);
  }
  double total = 0;
  for (size_t b = 0; b < h->block_count; b++) total += h->block_sums[b * PD_SUMS];
  return total;
}
